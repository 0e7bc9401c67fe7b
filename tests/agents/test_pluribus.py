"""Pluribus at the table: when it searches, what it freezes, and what it wins among blueprints."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from pathlib import Path
from random import Random
from statistics import mean, stdev
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student

import counterpoise as cp
from counterpoise.abstraction import abstraction
from counterpoise.agents import make_agent, searching
from counterpoise.agents.pluribus import Pluribus, PluribusSearch, PluribusTraining
from counterpoise.agents.sampled_strategies import SampledStrategy
from counterpoise.cards.deck import format_cards
from counterpoise.errors import InputError
from counterpoise.games.holdem import Holdem
from counterpoise.sampling.kernels.external import train_hands
from tests.agents.one_searcher import OnFlop

GAME = "no_limit_holdem(seats=3, stack=20, ranks=5, sizes=['100%', 'allin'], max_bets=[2, 2, 2, 2])"
TABLE = "no_limit_holdem(seats=3, stack=20, ranks=5, sizes=any)"
LIMIT = "limit_holdem(seats=3, board=[0, 3], ranks=10, suits=1, max_bets=2)"
FLOPS = 12
QUICK = PluribusSearch(fast_work=3e4)


def train(name: str, code: str, buckets: Any, iterations: int, path: Path) -> str:
    game = cp.load(name)
    made = abstraction(code, buckets=buckets, deck=game.deck, progress=False)
    cp.train(game, abstraction=made, iterations=iterations, progress=False).blueprint.save(path)
    return str(path)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    return train(GAME, "IR-PHS-PHS", (10, 5, 5, 5), 3000, tmp_path_factory.mktemp("pluribus") / "three.cpz")


def seated(file: str, seat: int, search: PluribusSearch = QUICK, table: str = TABLE) -> Pluribus:
    return Pluribus(file=file, fast=True, search=search).sit(cp.load(table), seat, Random(0))


def flop_of(game: Any, *places: int) -> str:
    return format_cards(sorted(game.deck.cards[list(places)].tolist(), reverse=True), separator="")


def test_searches_are_compiled_when_it_sits_down(file: str) -> None:
    """On a fresh machine that takes a minute, longer than a decision may take."""
    agent = seated(file, 0)
    compiled = len(getattr(train_hands, "signatures", ()))
    flop = ("c", "c", "c", flop_of(agent.game, 3, 8, 14))
    turn = (*flop, "c", "c", "c", flop_of(agent.game, 11))
    for public in (flop, turn):
        agent.probabilities(public)
    assert len(agent.searches) == 2
    assert len(getattr(train_hands, "signatures", ())) == compiled


def test_a_round_is_searched_once_whatever_others_do_on_its_menu(file: str) -> None:
    """One search before the agent has acted, whichever line is asked for first; a bet off its menu takes another."""
    start = ("c", "c", "c", flop_of(cp.load(TABLE), 3, 8, 14))
    lines = [(*start, "c"), (*start, "b300"), (*start, "b250")]
    first, second = seated(file, 1), seated(file, 1)
    found = [[agent.probabilities(line) for line in order] for agent, order in ((first, lines), (second, lines[::-1]))]
    for one, other in zip(found[0], found[1][::-1], strict=True):
        np.testing.assert_array_equal(one.table, other.table)
    assert len(first.searches) == len(second.searches) == 2
    first.new_hand()
    first.probabilities(lines[0])
    assert len(first.searches) == 3


def test_searches_from_the_start_of_the_round_on_the_flop(file: str) -> None:
    agent = seated(file, 0)
    flop = flop_of(agent.game, 3, 8, 14)
    before = agent.probabilities(("c",))
    assert before.actions == agent.blueprint.probabilities(("c",)).actions
    assert not agent.searches
    start = ("c", "c", "c", flop)
    known = agent.probabilities(start)
    belief = agent.belief(start)
    assert isinstance(belief.strategy, SampledStrategy)
    assert belief.strategy.solution.public == start
    np.testing.assert_allclose(belief.strategy.solution.root_ranges, agent.blueprint.ranges(start))
    met = belief.strategy.solution.visited(start)  # with other hands it follows the blueprint
    assert met.sum() > 20
    np.testing.assert_allclose(known.table[met], belief.strategy.solution.current(start).table[met])
    assert [note.public for note in agent.searches] == [start]
    # The turn and the river are searched to the end of the hand, with the ranges of the average strategy.
    turn = (*start, "c", "c", "c", format_cards([int(agent.game.deck.cards[0])]))
    agent.probabilities(turn)
    later = agent.belief(turn).strategy
    assert isinstance(later, SampledStrategy)
    assert not later.solution.tree.leaves
    np.testing.assert_allclose(later.solution.root_ranges, belief.strategy.solution.ranges(turn))


def test_22_what_was_played_in_this_round_is_frozen(file: str) -> None:
    """After a bet that the last search lacks the agent searches again, its own past as it was played."""
    agent = seated(file, 0)
    flop = flop_of(agent.game, 3, 8, 14)
    start = ("c", "c", "c", flop)
    played = agent.probabilities(start)
    bet = next(action for action in played.actions if action.startswith("b"))
    raised = (*start, bet, "b777", "f")
    agent.probabilities(raised)
    plan = agent.belief(raised).strategy
    assert isinstance(plan, SampledStrategy)
    assert plan.solution.public == start
    assert len(agent.searches) == 2
    live = played.table.any(axis=1)
    for action in played.actions:
        again = plan.solution.average(start)
        column = again.actions.index(action)
        np.testing.assert_allclose(again.table[live, column], played.table[live, played.actions.index(action)])
    reach = plan.solution.root_ranges[0] * played.table[:, played.actions.index(bet)]
    np.testing.assert_allclose(agent.belief(raised).ranges[0], reach)
    assert "b777" in plan.solution.average((*start, bet)).actions


def test_fast_searches_build_small_trees(file: str) -> None:
    """Trees are built in Python: with many seats that took longer than all walks of a fast search."""
    start = ("c", "c", "c", flop_of(cp.load(TABLE), 3, 8, 14))
    whole = seated(file, 0, PluribusSearch(fast_work=3e4))
    whole.probabilities(start)
    plan = whole.belief(start).strategy
    assert isinstance(plan, SampledStrategy)
    tree = plan.solution.tree
    most = tree.nodes - sum(int(tree.arrays.actions[leaf]) for leaf, _ in tree.leaves) - 1  # picks do not count
    small = seated(file, 0, PluribusSearch(fast_work=3e4, fast_nodes=most))
    small.probabilities(start)
    assert 0 < small.searches[0].nodes < whole.searches[0].nodes
    slow = Pluribus(file=file, search=PluribusSearch(work=3e4, fast_nodes=most)).sit(cp.load(TABLE), 0, Random(0))
    slow.probabilities(start)
    assert slow.searches[0].nodes == whole.searches[0].nodes


def test_fast_searches_play_a_leaf_out_once(file: str) -> None:
    """More hands in the same work win more than better values of leaves, where a search has little work."""
    start, rollouts = ("c", "c", "c", flop_of(cp.load(TABLE), 3, 8, 14)), []
    for fast in (True, False):
        search = PluribusSearch(work=3e4, fast_work=3e4)
        agent = Pluribus(file=file, fast=fast, search=search).sit(cp.load(TABLE), 0, Random(0))
        bets, raises, most = search.menus[0]
        rollouts.append(agent._problem(agent.belief(start), agent._rules(bets, raises, most))[1].rollouts)
    assert rollouts == [1, 3]


def test_before_the_flop_only_far_bets_are_searched(file: str) -> None:
    agent = seated(file, 0)
    menu = agent.blueprint.tree.labels(0)
    size = int(menu[2][1:])
    agent.probabilities((f"b{size + 60}",))
    assert not agent.searches
    agent.probabilities((f"b{size + 400}",))
    assert [note.public for note in agent.searches] == [(f"b{size + 400}",)]
    few = seated(file, 0, PluribusSearch(fast_work=3e4, few_seats=2))
    few.probabilities((f"b{size + 400}",))
    assert not few.searches


def test_same_history_same_play(file: str) -> None:
    """What it does depends on the public history alone, not on what it was asked before."""
    first, second = seated(file, 1), seated(file, 1)
    flop = flop_of(first.game, 2, 9, 13)
    line = ("c", "c", "c", flop, "b333")
    second.probabilities(("c", "c", "c", flop, "c"))
    one, other = first.probabilities(line), second.probabilities(line)
    assert one.actions == other.actions
    assert (one.table == other.table).all()
    sums = one.table.sum(axis=1)
    np.testing.assert_allclose(sums[sums > 0], 1)


def test_random_sizes_meet_legal_answers(file: str) -> None:
    """Opponents bet any legal size; nothing illegal is answered, nothing fails."""
    agent = Pluribus(file=file, fast=True, search=PluribusSearch(fast_work=5e3))
    result = cp.match(TABLE, [agent, "random", "random"], hands=40, seed=3, progress=False)
    assert result.agents[0].forfeits == {"error": 0, "illegal": 0, "late": 0}
    assert result.agents[0].decisions > 30


def test_wrong_input(file: str) -> None:
    with pytest.raises(InputError, match="up to 2 seats"):
        Pluribus(file=file, most_seats=2).sit(cp.load(TABLE), 0, Random(0))
    with pytest.raises(InputError, match="blueprint"):
        make_agent(f"pluribus:{file}").sit(cp.load("no_limit_holdem(seats=3)"), 0, Random(0))


def test_training_skips_after_the_same_share_of_the_run() -> None:
    """Linear discount; in 95 % of the hands very bad actions are left out, after 200 of 11,520 minutes."""
    settings = PluribusTraining().train_settings(11_520)
    assert (settings.skipping.kind, settings.skipping.share, settings.skipping.after) == ("hand", 0.95, 200)
    assert settings.discount == "linear"


@pytest.mark.long
def test_one_searcher_wins_among_blueprints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exact values on flops drawn without replacement, in a small game of three seats with a weak blueprint.

    One searcher among blueprints wins, the lower 95 % bound over flops being above 0; one blueprint among searchers
    loses on average.
    """
    monkeypatch.setattr(searching, "MOST_SOLVED", 100_000)
    file = train(LIMIT, "IR-PHS-PHS", (45, 2), 100_000, tmp_path / "weak.cpz")
    game = cp.load(LIMIT)
    assert isinstance(game, Holdem)
    random = np.random.default_rng(0)
    flops = random.permutation(list(combinations(range(game.deck.size), 3)))[:FLOPS]
    won, lost = [], []
    for places in flops.tolist():
        agents = [seated(file, seat, PluribusSearch(fast_work=5e4), LIMIT) for seat in range(3)]
        search = [lru_cache(maxsize=None)(agent.probabilities) for agent in agents]
        blueprint = lru_cache(maxsize=None)(agents[0].blueprint.probabilities)
        exact = OnFlop(game, flop_of(game, *places))
        one, others = [], []
        for seat in range(3):
            one.append(exact.values([search[k] if k == seat else blueprint for k in range(3)])[seat])
            others.append(exact.values([blueprint if k == seat else search[k] for k in range(3)])[seat])
        won.append(mean(one))
        lost.append(mean(others))
    width = student.ppf(0.975, FLOPS - 1) * stdev(won) / np.sqrt(FLOPS)
    print(f"one searcher won {mean(won):.4f} +- {width:.4f}, one blueprint {mean(lost):.4f} chips a hand")
    assert mean(won) - width > 0, f"won {won} chips a hand"
    assert mean(lost) < 0, f"blueprints won {lost} chips a hand"
