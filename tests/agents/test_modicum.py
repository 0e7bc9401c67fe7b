"""Modicum: a cache of the first round, values of leaves after it and after the flop, safe search on the turn."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace
from math import comb
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.agents.flop_leaves import COMPARED, SUMMED, FlopLeaves
from counterpoise.agents.leaf_values import leaves_path
from counterpoise.agents.modicum import Modicum, ModicumSearch
from counterpoise.agents.sampled_strategies import SampledStrategy
from counterpoise.agents.subgames import SolvedStrategy, open_subgame
from counterpoise.betting.sizes import label
from counterpoise.errors import InputError
from counterpoise.games.known import public_cards
from counterpoise.public import Cut, LeafBatch, build_holdem
from counterpoise.public.leaves import ValueLeaves
from counterpoise.sampling import NodeStrategy
from counterpoise.sampling.leaf_values.ends import ends_after, next_rounds_after
from counterpoise.search.blueprint_nodes import blueprint_node_after
from counterpoise.search.leaves import counts_of, pot_of
from counterpoise.search.public_belief import PublicBelief
from counterpoise.search.round_continuations import RoundSettings, make_round_table
from counterpoise.search.round_files import save_round_table
from tests.agents.conftest import HUNL_24
from tests.agents.test_blueprint_agent import AnyBet

SMALL = ModicumSearch(
    first_iterations=40,
    fast_first_iterations=40,
    table_boards=(20, 20),
    answer_boards=(2, 2),
    values_after_first=3,
    fast_flop_work=2e5,
    flop_boards=(1, 4),
    fast_flop_boards=(1, 4),
    fast_flop_iterations=10,
    menus=((("75%",), ("75%",)),),
    fast_work=1e6,
    fast_iterations=10,
)
FLOP = ("b300", "c", "AsKhQd")
TURN = (*FLOP, "c", "c", "9h")


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Values that were made in another run are not looked at."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COUNTERPOISE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def agent(trained_file: Path) -> Modicum:
    """Nobody's agent: copies at seats share its solutions of the first round."""
    return Modicum(str(trained_file), fast=True, search=SMALL)


def seated(agent: Modicum, seat: int, game: str = HUNL_24) -> Modicum:
    found = agent.sit(cp.load(game), seat, Random(0))
    found.searches.clear()
    return found


@pytest.mark.slow
def test_a_size_that_was_met_before_costs_no_search(agent: Modicum) -> None:
    """The second time a size is answered from memory, whoever asks."""
    public = ("b235",)
    first = seated(agent, 0)
    assert first.belief(()).tremble == SMALL.tremble > 0
    known = first.probabilities(public)
    assert [note.method for note in first.searches] == ["unsafe"]
    again = seated(agent, 0)
    np.testing.assert_array_equal(again.probabilities(public).table, known.table)
    assert not again.searches
    again.belief(("b236",))
    assert len(again.searches) == 1


def test_sizes_of_the_blueprint_are_known_from_the_start(agent: Modicum) -> None:
    own = seated(agent, 0)
    for public in ((), ("b200",), ("c",), ("c", "c"), ("b300", "b900")):
        own.belief(public)
    assert not own.searches


@pytest.mark.slow
def test_solutions_of_the_first_round_are_kept_by_line_seat_and_stacks(agent: Modicum) -> None:
    """No cards are in the key, and everything else on which a solution depends is."""
    own = seated(agent, 0)
    own.belief(("b247",))
    own.belief(("b247", "c", "AsKhQd"))
    assert len([note for note in own.searches if not public_cards(note.public)]) == 1
    other = seated(agent, 1)
    other.belief(("c", "b247"))
    assert len(other.searches) == 1  # another line and another seat
    short = seated(agent, 0, "no_limit_holdem(ranks=6, stack=15)")
    short.belief(("b247",))
    assert len(short.searches) == 1


def test_what_was_played_is_not_taken_back(agent: Modicum) -> None:
    """A new size is answered from where it was bet, with the range that the agent has shown so far."""
    own = seated(agent, 1)
    before = own.belief(("b300",))
    after = own.belief(("b300", "b777"))
    assert after.exact
    assert isinstance(after.strategy, SolvedStrategy)
    assert after.strategy.public == ("b300",)
    np.testing.assert_allclose(after.ranges[1], before.ranges[1])
    assert "b777" in own.known_actions(before.follow(after.strategy))
    assert not np.allclose(after.ranges[0], before.ranges[0])  # the opponent has shown something


def test_each_round_is_searched_in_its_own_way(agent: Modicum) -> None:
    own = seated(agent, 1)
    belief = own.belief((*FLOP, "b733"))  # the opponent's first action on the flop, no size of the menu
    assert isinstance(belief.strategy, SolvedStrategy)
    assert belief.strategy.public == FLOP  # it begins before the action
    assert belief.exact
    turn = own.belief((*TURN, "b455"))
    assert isinstance(turn.strategy, SolvedStrategy)
    assert turn.strategy.public == TURN
    assert turn.exact
    river = own.belief((*TURN, "b455", "c", "Jc", "b1000"))
    assert river.exact
    assert [note.method for note in own.searches][-2:] == ["unsafe", "resolve"]
    assert own.searches[-1].margin is not None
    for public in ((*FLOP, "b733"), (*TURN, "b455"), (*TURN, "b455", "c", "Jc", "b1000")):
        sums = own.probabilities(public).table.sum(axis=1)
        np.testing.assert_allclose(sums, belief.game.deck.live_hands(public_cards(public)), atol=1e-6)


def test_it_searches_before_its_own_first_action_of_a_round(agent: Modicum) -> None:
    own = seated(agent, 0)
    belief = own.belief(FLOP)
    assert isinstance(belief.strategy, SolvedStrategy)
    assert belief.strategy.public == FLOP
    assert [note.method for note in own.searches] == ["unsafe"]


def work_of(agent: Modicum, belief: PublicBelief) -> tuple[int, int, int]:
    """Return the pairs of hands, and as products per pair what comparing them and what a board with one value takes."""
    tree = agent.blueprint.tree
    node = blueprint_node_after(tree, belief.game, belief.public).node
    parent, round = tree.parent.tolist(), tree.arrays.round.tolist()

    def below(place: int) -> bool:
        return place == node or (place > node and below(parent[place]))

    begins = [k for k in range(node + 1, tree.nodes) if tree.decisions[k] and (round[parent[k]], round[k]) == (1, 2)]
    assert next_rounds_after(tree, node) == sum(map(below, begins)) > 1
    each = ends_after(tree, node) + SUMMED * next_rounds_after(tree, node)
    return comb(19, 2) ** 2, COMPARED * comb(21, 2), each


@pytest.mark.parametrize("values", ["multi", "single"])
def test_the_flop_is_sampled_where_there_are_too_many_pairs_of_hands(
    agent: Modicum, trained_file: Path, values: Any
) -> None:
    """As with 52 cards: the products of reach that a board takes would not pay for enough boards."""
    pairs, compared, each = work_of(agent, seated(agent, 1).belief(FLOP))
    enough_for_one = pairs * (compared + 2 * each * 24)
    few = replace(SMALL, flop_boards=(24, 500), flop_products=enough_for_one)
    own = seated(Modicum(str(trained_file), fast=True, search=few, values=values), 1)
    belief = own.belief((*FLOP, "b733"))
    assert isinstance(belief.strategy, SampledStrategy)
    assert belief.strategy.public == FLOP
    assert [note.method for note in own.searches][-1] == "sampled"
    sums = own.probabilities((*FLOP, "b733")).table.sum(axis=1)
    np.testing.assert_allclose(sums, belief.game.deck.live_hands(public_cards(FLOP)), atol=1e-6)


def test_adding_up_and_comparing_hands_count_as_work(agent: Modicum) -> None:
    """With few ends below a flop there are few products of reach: what else a board takes decides then."""
    belief = seated(agent, 1).belief(FLOP)
    leaves = FlopLeaves(agent.blueprint, 10.0, several=False, seed=0)
    pairs, compared, each = work_of(agent, belief)
    for boards in (0, 23, 24, 30, 500, 501):
        for counts, picked in (((1, 1), 4), ((4, 1), 4), ((4, 4), 16)):  # one value gets as many boards as four
            products = pairs * (compared + picked * each * (boards + 0.5))
            assert leaves.boards(belief, counts, products, (24, 500)) == min(max(boards, 24), 500)
        assert leaves.affordable(belief, pairs * (compared + 4 * each * (boards + 0.5)), 24) == (boards >= 24)


def test_leaves_of_the_flop_do_not_depend_on_searches_before(agent: Modicum) -> None:
    """On the same flop a search that pays for few boards gets the values of few, whatever was computed before."""
    own = seated(agent, 1)
    belief, leaves = own.belief(FLOP), FlopLeaves(own.blueprint, 10.0, several=False, seed=0)
    found = [leaves.after(belief, (1, 1), boards, "average").board_values.values.boards for boards in (2, 4, 2)]
    assert found == [2, 4, 2]


@pytest.mark.parametrize("seat", [0, 1])
def test_on_the_flop_no_continuation_is_worth_more_than_the_blueprint(agent: Modicum, seat: int) -> None:
    """Against the searcher's blueprint, with the range that it arrives with; else a share of the pot is paid."""
    own = seated(agent, seat)
    belief, other = own.belief(FLOP), 1 - seat
    leaves = own._flop.after(belief, own._picks(4), 4, "average")
    balanced, costly = own._balanced(belief, leaves), copy(own)
    costly.search = replace(SMALL, weaken=False)
    fined = costly._balanced(belief, leaves)
    rules = open_subgame(belief, own._menu(belief, None), cut=Cut(choices=counts_of(leaves)))
    game = build_holdem(replace(rules, isomorphism=False))
    nodes = ValueLeaves(game, leaves).nodes[::4][:6]
    gained = []
    for leaf in nodes:
        arriving = own.blueprint.ranges((*FLOP, *map(label, leaf.steps)))[seat] * own.holdem.deck.live_hands(
            public_cards(FLOP)
        )
        reach = [np.ones((4, count)) for count in game.hand_counts]
        reach[seat] = np.repeat(game.gather_from_deck(seat, arriving)[None], 4, axis=0)
        picks = [(0, pick) if other else (pick, 0) for pick in range(4)]
        batch = LeafBatch(game, [leaf] * 4, picks, (reach[0], reach[1]))
        before, after = leaves.values(batch)[other], balanced.values(batch)[other]
        met = leaf.mass(other, reach[seat][0])
        paid = SMALL.penalty * pot_of(leaf) * met
        noise = 1e-4 * np.abs(before).max()
        np.testing.assert_allclose(after[0], before[0])
        np.testing.assert_allclose(after[1:], np.minimum(before[1:], before[0]), atol=noise)
        np.testing.assert_allclose(fined.values(batch)[other][1:], before[1:] - paid, atol=noise)
        gained.append((before[1:] - before[0]).max())
    assert SMALL.penalty > 0
    assert max(gained) > 1  # else there was nothing to weaken


def test_with_fast_the_first_round_ends_in_biased_continuations(agent: Modicum, trained_file: Path) -> None:
    """Without it they are generated, ten of each seat unless the settings say otherwise."""
    fast = agent._first_leaves._table_settings()
    slow = Modicum(str(trained_file), search=SMALL)._first_leaves._table_settings()
    assert (fast.approach, fast.count, slow.approach, slow.count) == ("bias", 4, "self", 3)
    assert ModicumSearch().values_after_first == 10
    found = seated(Modicum(str(trained_file), search=SMALL), 0)._known["first round"].table
    assert set(found.means) == {(0, 0), (1, 0), (2, 0), (0, 1), (0, 2)}


def test_single_and_multiple_values_differ(agent: Modicum, trained_file: Path) -> None:
    single = seated(Modicum(str(trained_file), fast=True, search=SMALL, values="single"), 0)
    multi = seated(agent, 0)
    assert set(single._known["first round"].table.means) == {(0, 0)}
    assert len(multi._known["first round"].table.means) == 7
    for public in (("b300",), FLOP):
        both = [one.probabilities(public).table for one in (single, multi)]
        assert np.abs(both[0] - both[1]).max() > 0.05


@pytest.mark.slow
def test_values_come_from_the_file_beside_the_blueprint(trained_file: Path, tmp_path: Path) -> None:
    file = tmp_path / "copy.cpz"
    file.write_bytes(trained_file.read_bytes())
    found = Modicum(str(file), fast=True, search=SMALL)
    known = found.blueprint
    settings = RoundSettings(count=3, boards=20, responses=5, iterations=20)
    made = make_round_table(known.tree, NodeStrategy(known.layout, known.table, known.abstractions), settings)
    assert set(made.means) == {(0, 0), (1, 0), (2, 0), (0, 1), (0, 2)}
    save_round_table(made, leaves_path(str(file)), known.digest, settings)
    own = seated(found, 0)
    np.testing.assert_array_equal(own._known["first round"].table.means[0, 2], made.means[0, 2])
    save_round_table(made, leaves_path(str(file)), "another", settings)
    with pytest.raises(InputError, match="for another blueprint"):
        seated(Modicum(str(file), fast=True, search=SMALL), 0)


@cp.leaf_evaluator("think-nothing")
@dataclass(frozen=True)
class ThinkNothing:
    """Leaf values by name: of those of `Nothing`."""

    def at(self, belief: PublicBelief, seat: int) -> Nothing:
        return NOTHING


class Nothing:
    """A leaf evaluator that thinks nothing of any leaf."""

    counts = (1, 1)

    def __init__(self) -> None:
        self.asked = 0

    def values(self, batch: LeafBatch) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        self.asked += 1
        return np.zeros_like(batch.reach[0]), np.zeros_like(batch.reach[1])


NOTHING = Nothing()


def test_other_values_of_leaves_may_be_named(trained_file: Path) -> None:
    nothing = NOTHING
    own = seated(Modicum(str(trained_file), fast=True, search=SMALL, leaves="think-nothing"), 0)
    assert "leaves='think-nothing'" in own.name
    asked = nothing.asked
    assert asked > 0
    belief = own.belief(FLOP)
    assert nothing.asked > asked
    assert isinstance(belief.strategy, SolvedStrategy)
    calls = own.probabilities(("b2000",)).table  # a call ends at a leaf that costs nothing, a fold costs the blind
    assert calls[:, own.probabilities(("b2000",)).actions.index("c")].min() > 0.9


WORTHLESS = '''
from dataclasses import dataclass

import numpy as np

import counterpoise as cp


@cp.leaf_evaluator("worthless")
@dataclass(frozen=True)
class Worthless:
    """Every leaf is worth nothing."""

    counts = (1, 1)

    def at(self, belief, seat):
        return self

    def values(self, batch):
        with open("asked.txt", "a") as file:
            print(len(batch.reach[0]), file=file)
        return np.zeros_like(batch.reach[0]), np.zeros_like(batch.reach[1])
'''


@pytest.mark.long
def test_values_of_leaves_of_a_users_file(trained_file: Path, tmp_path: Path) -> None:
    """On the command line: the file that --load names is asked in the first round of each seat."""
    (tmp_path / "mine.py").write_text(WORTHLESS)
    words = ["match", f"modicum:{trained_file}(leaves=worthless)", "always-call", "--game", HUNL_24]
    more = ["--hands", "2", "--fast", "--load", "mine.py", "--json"]
    command = [sys.executable, "-m", "counterpoise", *words, *more]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert "leaves=worthless" in found["agents"][0]["name"]
    assert found["agents"][0]["forfeits"] == {"error": 0, "illegal": 0, "late": 0}
    assert len((tmp_path / "asked.txt").read_text().splitlines()) > 10
    refused = subprocess.run([*command[:-3], "--json"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "leaves must be the name of a leaf evaluator (rollouts, network), not 'worthless'" in refused.stderr


def test_what_it_cannot_play_is_refused(trained_file: Path) -> None:
    with pytest.raises(InputError, match="values"):
        Modicum(str(trained_file), values="many")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"name of a leaf evaluator \(rollouts, network, think-nothing"):
        Modicum(str(trained_file), leaves="nothing")


@pytest.mark.long
def test_no_illegal_action_against_any_sizes(agent: Modicum) -> None:
    """Fifty hands against an opponent that bets anything; the same hands give the same results."""
    found = cp.match(HUNL_24, [agent, AnyBet()], hands=50, seed=3, progress=False)
    assert found.agents[0].forfeits == {"error": 0, "illegal": 0, "late": 0}
