"""Public belief states: what they count, how they move, what their values obey."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.deep.rebel.beliefs import after_action, normalised, quantised, unquantised
from counterpoise.deep.rebel.games import BeliefGame
from counterpoise.deep.rebel.liars_dice import liars_dice_beliefs
from counterpoise.deep.rebel.rounds import round_beliefs
from counterpoise.deep.rebel.solved_leaves import DiscountedSolver
from counterpoise.deep.rebel.whole import WholeGame
from counterpoise.games import CHANCE, TERMINAL
from counterpoise.games.kuhn import KuhnPoker
from counterpoise.games.liars_dice import LiarsDice
from counterpoise.public import DenseGame

from .helpers import (
    Array,
    Choice,
    End,
    exact_solver,
    random_policy,
    root_vectors,
    signalling_game,
    signalling_value,
    small_game,
)


@dataclass(frozen=True)
class TwoDice:
    """Both players roll a hidden and an open die; then the first one says pass."""

    players = 2
    name = "two_dice"

    def initial(self) -> tuple[str, ...]:
        return ()

    def player(self, state: tuple[str, ...]) -> int:
        return CHANCE if len(state) < 2 else 0 if len(state) == 2 else TERMINAL

    def chance(self, state: tuple[str, ...]) -> list[tuple[str, float]]:
        if not state:
            return [(f"{a}{b}", 1 / 36) for a, b in product("123456", repeat=2)]
        return [("46", 1.0)]

    def next(self, state: tuple[str, ...], action: str) -> tuple[str, ...]:
        return (*state, action)

    def actions(self, state: tuple[str, ...]) -> tuple[str, ...]:
        return ("pass",)

    def private(self, state: tuple[str, ...], seat: int) -> str:
        return state[0][seat]

    def infoset(self, state: tuple[str, ...]) -> str:
        return f"{state[0][0]}:46"

    def payoffs(self, state: tuple[str, ...]) -> tuple[float, float]:
        return 0.0, 0.0


def test_a_public_state_holds_all_hidden_dice() -> None:
    """With one die of two open, 6 histories fit an infostate and 36 the public state."""
    game = round_beliefs(TwoDice())
    pairs = game.pairs.joint(game.prior) > 0
    assert pairs.sum() == 36
    assert pairs[:, 4].sum() == 6


@dataclass(frozen=True)
class LowCards(KuhnPoker):
    """Kuhn poker in which one player is never dealt the king."""

    low: int = 1

    def chance(self, state: object) -> list[tuple[str, float]]:
        deals = [deal for deal in ("JQ", "QJ", "KJ", "KQ", "JK", "QK") if deal[self.low] != "K"]
        return [(deal, 1 / len(deals)) for deal in deals]


@pytest.mark.parametrize("low", [0, 1])
def test_a_player_need_not_hold_every_hand(low: int) -> None:
    """A hand that only the other can hold is worth nothing to a player, and others what the rule book says."""
    rules = LowCards(low=low)

    def won(state: Any) -> Array:
        """What uniform play wins."""
        if rules.player(state) == TERMINAL:
            return np.array(rules.payoffs(state))
        following: Array = sum(won(rules.next(state, action)) for action in rules.actions(state))
        return following / 2

    game = round_beliefs(rules)
    assert game.hand_names == ("J", "K", "Q")
    beliefs = np.random.default_rng(3).dirichlet(np.ones(3), 2)
    expected = np.zeros((2, 3))
    for deal, _ in rules.chance(rules.initial()):
        first, second = (game.hand_names.index(card) for card in deal)
        payoffs = won(rules.next(rules.initial(), deal))
        expected[0, first] += payoffs[0] * beliefs[1, second]
        expected[1, second] += payoffs[1] * beliefs[0, first]
    solver = exact_solver(game, 2000)
    solver.begin(np.array([0]), beliefs[None])
    uniform = np.full((1, game.rows, game.hands), 0.5)
    assert root_vectors(solver, uniform)[0] == pytest.approx(expected, abs=1e-7)
    assert expected[low, 1] == 0
    solver.solve(np.array([0]), beliefs[None])
    best = root_vectors(solver, solver.average(), best=True)[0]
    assert abs((best * beliefs).sum()) < 2e-3


@pytest.mark.parametrize("name", ["kuhn_poker", "liars_dice(faces=2)"])
def test_referee_games_are_the_original(name: str) -> None:
    """Drawing public actions by the beliefs and updating them gives the laws and the payoff of the original."""
    rules = cp.load(name)
    game = liars_dice_beliefs(rules, None) if isinstance(rules, LiarsDice) else round_beliefs(rules)
    policy = random_policy(game, np.array([0]), np.random.default_rng(1))[0]
    pairs = game.pairs.joint(game.prior)
    original, referee = {}, {}

    tree, public = game.public.street_trees[0], game.public
    assert isinstance(public, DenseGame)

    def walk(number: int, path: tuple[int, ...], reach: Array, beliefs: Array, chance: float) -> None:
        decision, rows = tree.decisions[number], game.rows_of(0, number)
        for k, action in enumerate(decision.actions):
            row = policy[rows.start + k]
            shares = row[:, None] if decision.player == 0 else row[None, :]
            arriving = reach * shares
            moved, likely = after_action(beliefs, decision.player, row, game.pairs)
            here = (*path, k)
            kind, child = tree.children[number, action]
            if kind == "leaf":
                won = public.deals.by_hands(1, public.deals.ends[0][tree.leaves[child].number][0, 0])
                original[here] = arriving.sum(), (arriving * won).sum()
                referee[here] = chance * likely, chance * likely * (game.pairs.joint(moved) * won).sum()
            else:
                walk(child, here, arriving, moved, chance * likely)

    walk(0, (), pairs, np.array(game.prior, dtype=np.float64), 1.0)
    assert len(original) > 4
    for path, (law, payoff) in original.items():
        assert referee[path] == pytest.approx((law, payoff), abs=1e-12)
    assert sum(law for law, _ in original.values()) == pytest.approx(1, abs=1e-12)


def coin_game() -> BeliefGame:
    """Player 1 sees a coin and player 2 guesses; a right guess wins 1."""
    guess = np.array([[[-1.0, -1.0], [1.0, 1.0]], [[1.0, 1.0], [-1.0, -1.0]]])
    return small_game((Choice(1, (End(0), End(1))),), guess)


def coin_value(heads: float, tails: float) -> float:
    solver = exact_solver(coin_game(), 1)
    shares = np.array([heads, tails]) / (heads + tails)
    solver.begin(np.array([0]), np.array([[shares, [0.5, 0.5]]]))
    guess = (np.arange(2) == shares.argmax()).astype(float)[None, :, None] * np.ones((1, 2, 2))
    return float((root_vectors(solver, guess)[0, 0] * shares).sum())


def test_values_of_infostates_are_slopes_of_the_value() -> None:
    """At a coin with 0.7 heads V = -0.4, and V plus its slopes are the values of heads and tails."""
    solver = exact_solver(coin_game(), 400)
    solved = solver.solve(np.array([0]), np.array([[[0.7, 0.3], [0.5, 0.5]]]))
    average = root_vectors(solver, solver.average())[0, 0]
    value, step = coin_value(0.7, 0.3), 1e-6
    slopes = [
        (coin_value(0.7 + step, 0.3) - coin_value(0.7 - step, 0.3)) / (2 * step),
        (coin_value(0.7, 0.3 + step) - coin_value(0.7, 0.3 - step)) / (2 * step),
    ]
    assert value == pytest.approx(-0.4, abs=1e-12)
    assert slopes == pytest.approx([-0.6, 1.4], abs=1e-6)
    assert value + np.array(slopes) == pytest.approx([-1, 1], abs=1e-6)
    assert average == pytest.approx([-1, 1], abs=1e-3)
    assert solved.values.shape == (1, 2, 2)


def test_values_are_concave_in_own_beliefs_and_convex_in_the_others() -> None:
    """Along random segments of beliefs V bends down for one's own and up for the other's, by linear programs."""
    random = np.random.default_rng(3)
    _, payoff = signalling_game(2, 2, 3, random)
    for _ in range(100):
        ends = random.dirichlet(np.ones(3), (2, 2))
        middle = ends.mean(axis=0)
        own = [signalling_value(payoff, np.array([end, ends[0, 1]])) for end in ends[:, 0]]
        assert signalling_value(payoff, np.array([middle[0], ends[0, 1]])) >= sum(own) / 2 - 1e-9
        other = [signalling_value(payoff, np.array([ends[0, 0], end])) for end in ends[:, 1]]
        assert signalling_value(payoff, np.array([ends[0, 0], middle[1]])) <= sum(other) / 2 + 1e-9


def test_solver_finds_the_value_of_the_linear_program() -> None:
    """A solved subgame has the value of the linear program, at random beliefs."""
    random = np.random.default_rng(4)
    game, payoff = signalling_game(3, 2, 3, random)
    solver = DiscountedSolver(game, 1500, 6)
    beliefs = random.dirichlet(np.ones(3), (6, 2))
    solver.solve(np.zeros(6, dtype=np.int64), beliefs)
    best = root_vectors(solver, solver.average(), best=True)
    for number in range(6):
        value = signalling_value(payoff, beliefs[number])
        first, second = ((best[number, k] * beliefs[number, k]).sum() for k in range(2))
        assert -second - 1e-9 <= value <= first + 1e-9
        assert first + second < 2e-3


@pytest.mark.parametrize("name", ["liars_dice(faces=3)", "kuhn_poker", "leduc_poker(merge_suits=False)"])
def test_what_one_wins_the_other_loses(name: str) -> None:
    """Under one profile the root vectors weighted with the ranges sum to 0, with blockers too."""
    rules = cp.load(name)
    game = liars_dice_beliefs(rules, None) if isinstance(rules, LiarsDice) else round_beliefs(rules)
    random = np.random.default_rng(5)
    states = np.flatnonzero(game.final)
    solver = exact_solver(game, 1, len(states))
    beliefs = normalised(random.random((len(states), 2, game.hands)), game.prior, game.live_of[states][:, None, :])
    solver.begin(states, beliefs)
    won = (root_vectors(solver, random_policy(game, game.tree_of[states], random)) * beliefs).sum(axis=2)
    assert np.abs(won[:, 0]).max() > 0.01
    assert won.sum(axis=1) == pytest.approx(0, abs=1e-12)


def test_mixing_policies_is_drawing_one_of_them() -> None:
    """Sums by own reach are the mixture of whole policies; averages of every decision by itself are not."""
    game = liars_dice_beliefs(LiarsDice(faces=3), None)
    whole, random = WholeGame(game), np.random.default_rng(6)
    rows = game.rows_in[0]
    first, second, other = (random_policy(game, np.array([0]), random)[0] for _ in range(3))
    mine = (np.arange(game.rows) < game.rows_of_player[0].stop)[:, None][rows]
    solver = exact_solver(game, 1)
    solver.begin(np.array([0]), game.prior[None])
    for weight, policy in ((0.3, first), (0.7, second)):
        gained = solver.traverser.profile(solver.batch)
        solver.traverser.add_to_average(solver.batch, solver.numbers(policy[None]), gained, 1.0, (0,))
        solver.learning.average[...] += weight * gained
    first, second, other = first[rows], second[rows], other[rows]
    mixed = np.where(mine, solver.average()[0, rows], other)
    drawn = 0.3 * whole.values(np.where(mine, first, other)) + 0.7 * whole.values(np.where(mine, second, other))
    naive = whole.values(np.where(mine, 0.3 * first + 0.7 * second, other))
    assert whole.values(mixed) == pytest.approx(drawn, abs=1e-12)
    assert np.abs(naive - drawn).max() > 1e-4


def test_beliefs_without_mass_are_the_prior() -> None:
    """After an action that no hand takes, beliefs sum to 1 over the hands that public cards leave."""
    game = round_beliefs(cp.load("leduc_poker(merge_suits=False)"))
    beliefs, chance = after_action(game.prior, 0, np.zeros(6), game.pairs)
    assert chance == 0
    assert beliefs.sum(axis=1) == pytest.approx(1)
    live = np.array([False, True, True, True, True, True])
    after = normalised(np.zeros((2, 6)), game.prior, live)
    assert after[:, 0] == pytest.approx(0)
    assert after.sum(axis=1) == pytest.approx(1)
    assert game.pairs.joint(np.array([[1.0, 0, 0, 0, 0, 0], [1.0, 0, 0, 0, 0, 0]])).sum() == pytest.approx(1)


def test_probabilities_in_eight_bits() -> None:
    """8 bits change no probability by more than 1/510 before it is scaled to sum to 1 again."""
    policy = np.random.default_rng(7).dirichlet(np.ones(4), 500).T
    levels = quantised(policy)
    assert np.abs(levels / 255 - policy).max() <= 1 / 510 + 1e-12
    assert unquantised(levels).sum(axis=0) == pytest.approx(1)
    assert np.abs(unquantised(levels) - policy).max() < 0.01
