"""Stacks, drawn deals and moves that wait for a clear sign: the adaptations for no-limit hold'em.

See Brown 2020, section 4.2.6.
"""

from __future__ import annotations

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.errors import InputError
from counterpoise.games import CHANCE, TERMINAL
from counterpoise.solvers import make_algorithm
from counterpoise.solvers.bet_sizes import Ascent, ParametricSolver, enumerate_family, make_family, optimise_parameters
from counterpoise.solvers.bet_sizes.affine import AffineGame, combine
from counterpoise.solvers.bet_sizes.terminals import Terminals
from counterpoise.tree import enumerate_game, evaluate

GAME = "one_card_poker(ranks=2, stack=6, opening=1, max_bets=[2, 1])"


@pytest.fixture(scope="module")
def family() -> AffineGame:
    return enumerate_family(make_family(GAME, ["opening"]), ((0.1, 3.0),))


@pytest.mark.parametrize("opening", [0.1, 0.9, 2.5])
def test_stacks_cut_payoffs_off(family: AffineGame, opening: float) -> None:
    """The game at any point has the payoffs that its rules say, beyond the stacks too."""
    assert family.cap == 6
    tree, walked = family.at([opening]), enumerate_game(cp.load(GAME, opening=opening))
    np.testing.assert_allclose(tree.histories.payoffs, walked.histories.payoffs, atol=1e-12)
    np.testing.assert_allclose(tree.form.values, walked.form.values, atol=1e-12)
    assert np.abs(tree.histories.payoffs).max() == 6
    np.testing.assert_allclose(combine([opening], family.terms([opening])), walked.form.values, atol=1e-12)
    assert cp.exact(tree.name).value[0] == pytest.approx(cp.exact(tree.game).value[0], abs=1e-9)


def test_nobody_pays_more_than_the_stack() -> None:
    game = cp.load(GAME, opening=0.5)
    state = game.next(game.initial(), "KQ")
    for action, paid in (("r", (2.0, 1.0)), ("r", (2.0, 6.0)), ("c", (6.0, 6.0)), ("K", (6.0, 6.0)), ("r", (6.0, 6.0))):
        state = game.next(state, action)
        assert state.paid == paid
    assert game.actions(state) == ("f", "c")
    assert game.payoffs(game.next(state, "c")) == (6.0, -6.0)


@pytest.mark.parametrize("name", ["leduc_poker", GAME, "kuhn_poker"])
def test_deals_make_up_the_game(name: str) -> None:
    """The table made of terminals is that of the enumeration, and so is the mean over deals."""
    tree = enumerate_game(cp.load(name))
    terminals = Terminals(tree)
    np.testing.assert_allclose(terminals.table(tree.histories.payoffs), tree.form.values, atol=1e-12)
    probability, often = terminals.deals
    assert probability.sum() == pytest.approx(1)
    np.testing.assert_allclose(probability @ often, 1.0)


class Odds:
    """A player chooses which of two coins is tossed: chance depends on the choice."""

    players = 2

    def initial(self) -> str:
        return ""

    def player(self, state: str) -> int:
        return (0, CHANCE, TERMINAL)[len(state)]

    def chance(self, state: str) -> list[tuple[str, float]]:
        return [("h", 0.5), ("t", 0.5)] if state == "a" else [("h", 0.25), ("t", 0.75)]

    def actions(self, state: str) -> tuple[str, ...]:
        return ("a", "b")

    def next(self, state: str, action: str) -> str:
        return state + action

    def infoset(self, state: str) -> str:
        return "start"

    def payoffs(self, state: str) -> tuple[float, float]:
        return (1.0, -1.0) if state[-1] == "h" else (-1.0, 1.0)


def test_chance_that_depends_on_players_is_refused() -> None:
    with pytest.raises(InputError, match="it depends on the players"):
        _ = Terminals(enumerate_game(Odds())).deals


def test_play_is_worth_what_it_is(family: AffineGame) -> None:
    """The worth of iterations with drawn deals has the value as its mean; equal generators draw equal deals."""
    pair = [
        ParametricSolver(make_algorithm("cfr"), family, [1.0], seat=1, draw=np.random.default_rng(3)) for _ in range(2)
    ]
    pair[0].step(4_000)
    for _ in range(8):
        pair[1].step(500)
    worth = [solver.take_worth() for solver in pair]
    assert (worth[0] == worth[1]).all()
    assert len(pair[0].take_worth()) == 0
    value = cp.exact(family.at([1.0]).game).value[1]
    assert worth[0].mean() == pytest.approx(value, abs=0.15)
    assert evaluate(pair[0].tree, pair[0].average_profile()).exploitability < 0.15


def test_moves_wait_for_a_clear_sign() -> None:
    def climb(**more: float) -> cp.OptimisedParameters:
        settings = Ascent(sampled=True, fewest=100, most=1_000, step_size=1, probe=0.5, weight=0.9, **more)
        return optimise_parameters(GAME, {"opening": (0.1, 3.0)}, seat=1, steps=6, settings=settings, progress=False)

    at_once, never = climb(confidence=0), climb(confidence=1e9)
    assert [step.iterations for step in never.trace] == [1_000 * count for count in range(1, 7)]
    assert at_once.iterations < never.iterations
    assert [tuple(step) for step in climb(confidence=0).trace] == [tuple(step) for step in at_once.trace]
    assert climb(confidence=0, seed=1).trace != at_once.trace
    with pytest.raises(InputError, match="most"):
        Ascent(sampled=True, fewest=10, most=5)
