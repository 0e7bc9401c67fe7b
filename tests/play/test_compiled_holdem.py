"""Compiled matches of hold'em against the table, deal by deal, and against enumerated strategies."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.abstraction import CardAbstraction
from counterpoise.agents import make_agent
from counterpoise.agents.simple import RandomAgent
from counterpoise.blueprint import Blueprint
from counterpoise.blueprint.blueprint import layout_of
from counterpoise.cards import Deck
from counterpoise.play import compiled
from counterpoise.play.blocks import MatchSetup, TableDealer, seatings_of
from counterpoise.play.compiled_holdem import HoldemDealer, holdem_dealer
from counterpoise.play.rules import TableRules
from counterpoise.progress import SilentProgress
from counterpoise.sampling import build_betting_tree


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> dict[str, CardAbstraction]:
    """Buckets of a deck of 24 cards, of every kind that is looked up in its own way."""
    folder, own = tmp_path_factory.mktemp("cache"), {"deck": Deck(ranks=6), "sample": 2000, "progress": False}
    named = {"IR-KE-KO": (10, 8, 8, 8), "PR-PHS-PHS": (4, 2, 2, 2)}
    return {name: cp.abstraction(name, buckets=buckets, cache=folder, **own) for name, buckets in named.items()}  # type: ignore[arg-type]


def random_blueprint(game: Any, abstraction: Any, seed: int, packed: bool = True) -> Blueprint:
    tree = build_betting_tree(game)
    given = (abstraction,) if isinstance(abstraction, CardAbstraction) else abstraction
    weights = np.random.default_rng(seed).random(layout_of(tree, given).size).astype(np.float32)
    weights[::7] = 0
    found = Blueprint(game, given, weights, tree=tree)
    return found.packed() if packed else found


def setup_of(game: Any, agents: list[Any], seed: int, duplicate: Any) -> MatchSetup:
    made = tuple(make_agent(one) for one in agents)
    names = tuple(str(number) for number in range(len(agents)))
    seatings = seatings_of(game.players, duplicate)
    return MatchSetup(game, made, names, seed, bool(duplicate), seatings, TableRules(), None)


def compare(game: Any, agents: list[Any], deals: int, duplicate: Any = True, seed: int = 3) -> None:
    setup = setup_of(game, agents, seed, duplicate)
    dealer, table = holdem_dealer(setup, SilentProgress()), TableDealer(setup)
    assert isinstance(dealer, HoldemDealer)
    for first in range(11, 11 + deals):
        ours, theirs = dealer.play(first, 1, ()), table.play(first, 1, [False] * game.players)
        assert (ours.total, ours.squares, ours.decisions) == (theirs.total, theirs.squares, theirs.decisions), first


SHORT = "ranks=6"
GAMES = [
    f"limit_holdem({SHORT})",
    f"no_limit_holdem({SHORT}, stack=20)",
    f'no_limit_holdem({SHORT}, sizes=["50%", "150%", "allin"], max_bets=2, stack=8, whole_chips=True, rake=5)',
    f"no_limit_holdem({SHORT}, stacks=[150, 2000], ante=5)",
    f"no_limit_holdem({SHORT}, seats=3, stacks=[300, 700, 1500], whole_chips=True)",
    f"limit_holdem({SHORT}, seats=3, max_bets=2, board=[0, 3, 1, 1])",
    f"no_limit_holdem({SHORT}, seats=6, stacks=[90, 500, 250, 1000, 120, 700], sizes=[allin], whole_chips=True)",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_compiled_hands_are_those_of_the_table(name: str, cards: dict[str, CardAbstraction]) -> None:
    """Every deal ends the same in all rooms, with side pots, run-outs, rake and odd chips."""
    game: Any = cp.load(name)
    one, other = cards.values()
    agents: list[Any] = [random_blueprint(game, one, 1), random_blueprint(game, other, 2, packed=False)]
    agents += [random_blueprint(game, [one, other, *[one] * (game.players - 2)], 3)] * (game.players > 2)
    agents += ["random", "probe(size=largest)", "always-call"][: game.players - len(agents)]
    compare(game, agents, 40, duplicate=True)
    compare(game, agents, 12, duplicate=False, seed=8)


@pytest.mark.parametrize("name", ["limit_holdem", "no_limit_holdem(seats=4, stack=3, sizes=[allin])"])
def test_agents_without_cards_play_on_the_whole_deck(name: str) -> None:
    game: Any = cp.load(name)
    agents = ["probe", "random", "always-raise", "always-fold"][: game.players]
    compare(game, agents, 30)
    found = cp.match(game, agents, 6_000, seed=1, progress=False)
    assert found.compiled
    assert sum(agent.mean for agent in found.agents) == pytest.approx(0, abs=1e-6)


def test_always_fold_loses_750_mbb() -> None:
    found = cp.match("limit_holdem", ["always-raise", "always-fold"], 5_000, duplicate=True, progress=False)
    assert found.compiled
    assert found.agents[1].mean == -750


@pytest.mark.slow
def test_blueprints_play_as_the_enumerated_strategies_they_were_made_of(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a bucket for every hand two blueprints win what two trees win, deal by deal."""
    name = "limit_holdem(board=[0, 3], ranks=8, suits=1, max_bets=2)"
    game: Any = cp.load(name)
    lossless = cp.abstraction("IR-C-C", buckets=(28, 560), deck=game.deck, cache=tmp_path, progress=False)
    runs = [cp.solve(name, method, iterations=20, progress=False) for method in ("cfr", "dcfr")]
    blueprints = [
        Blueprint.from_players(game, lossless, [make_agent(run).sit(game, seat, Random(0)) for seat in range(2)])
        for run in runs
    ]
    trees = cp.match(game, runs, 20_000, seed=5, duplicate=True, progress=False)
    ours = cp.match(game, blueprints, 20_000, seed=5, duplicate=True, progress=False)
    assert trees.compiled
    assert ours.compiled
    for one, other in zip(ours.agents, trees.agents, strict=True):
        assert (one.mean, one.deviation, one.decisions) == (other.mean, other.deviation, other.decisions)
    mixed = cp.match(game, [blueprints[0], runs[1]], 300, seed=5, duplicate=True, progress=False)
    assert not mixed.compiled
    assert not any(sum(agent.forfeits.values()) for agent in mixed.agents)


@dataclass
class Nosy(RandomAgent):
    """Plays at random and counts the hands that it is told of."""

    told = 0

    def hand_over(self, observation: Any, payoff: float) -> None:
        Nosy.told += 1


@dataclass
class Stubborn(RandomAgent):
    """Calls, although its parent would play at random."""

    def mixed(self, observation: Any) -> Any:
        return {"c": 1.0}


def test_agents_that_are_more_than_a_table_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "FEWEST_HANDS", 100)
    assert cp.match("limit_holdem", ["random", "always-call"], 100, progress=False).compiled
    assert not cp.match("limit_holdem", [Nosy(), "always-call"], 100, progress=False).compiled
    assert Nosy.told == 100
    found = cp.match("limit_holdem", [Stubborn(), "always-fold"], 100, progress=False)
    assert not found.compiled
    assert found.agents[0].mean > 0  # it never folds


@pytest.mark.slow
def test_what_is_asked_at_the_table(cards: dict[str, CardAbstraction], tmp_path: Any) -> None:
    """A log, a clock, another menu or another agent are for the table; the figures are the same."""
    game: Any = cp.load(f"no_limit_holdem({SHORT}, stack=6)")
    blueprint = random_blueprint(game, cards["IR-KE-KO"], 4)
    agents = [blueprint, "random"]
    fast = cp.match(game, agents, compiled.FEWEST_HANDS, seed=2, progress=False)
    logged = cp.match(game, agents, 50, seed=2, log=tmp_path / "hands.jsonl", progress=False)
    assert fast.compiled
    assert not logged.compiled
    wider = cp.load(f'no_limit_holdem({SHORT}, stack=6, sizes=["75%", "100%", "allin"])')
    assert not cp.match(wider, agents, compiled.FEWEST_HANDS // 25, seed=2, progress=False).compiled
