"""The CFR+ of Modicum: its schedule, and that it is several times better than CFR+ in a subgame."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.solvers.matching.modicum import NEXT_TO_NOTHING, ModicumCFRPlus

CARDS = 16


class River:
    """One betting round over 16 cards with random ranges: ante 1/2 each, pot-size bets, three at most; unit: pots."""

    players = 2
    name = "river with random ranges"

    def __init__(self, seed=0):
        first, second = np.random.default_rng(seed).random((2, CARDS))
        weights = np.outer(first, second) * (1 - np.eye(CARDS))
        self.deals = [(f"{i} {j}", weights[i, j] / weights.sum()) for i in range(CARDS) for j in range(CARDS) if i != j]

    def initial(self):
        return None

    def player(self, state):
        if state is None:
            return -1
        _, moves = state
        over = moves.endswith(("f", "bc")) or moves == "cc"
        return -2 if over else len(moves) % 2

    def chance(self, state):
        return self.deals

    def actions(self, state):
        _, moves = state
        facing = moves.endswith("b")
        return ["f"] * facing + ["c"] + ["b"] * (moves.count("b") < 3)

    def next(self, state, action):
        return (action, "") if state is None else (state[0], state[1] + action)

    def infoset(self, state):
        cards, moves = state
        return f"{cards.split()[len(moves) % 2]}:{moves}"

    def payoffs(self, state):
        cards, moves = state
        paid = [0.5, 0.5]
        for number, move in enumerate(moves):
            seat = number % 2
            if move != "f":
                paid[seat] = max(paid)
                paid[seat] += sum(paid) if move == "b" else 0
        first, second = (int(card) for card in cards.split())
        wins = len(moves) % 2 == 0 if moves.endswith("f") else first > second
        return (paid[1], -paid[1]) if wins else (-paid[0], paid[0])


@pytest.mark.parametrize("fading", ["root-of-sum", "sum-of-root"])
@pytest.mark.parametrize("iterations", [150, 300])
def test_21_much_better_than_cfr_plus_in_a_subgame(fading, iterations):
    """At most 0.6 of the exploitability of CFR+, with both readings of the factor."""
    plain = cp.solve(River(), "cfr+", iterations=iterations, progress=False).exploitability
    settings = ModicumCFRPlus(total=iterations, fading=fading)
    assert cp.solve(River(), settings, iterations=iterations, progress=False).exploitability <= 0.6 * plain


def test_schedule():
    settings = ModicumCFRPlus(total=100)
    t = np.arange(1.0, 101)
    positive, negative = settings.discounts(t)
    np.testing.assert_allclose(positive[:3], np.sqrt([1 / 2, 2 / 3, 3 / 4]))
    assert positive[29] == pytest.approx(np.sqrt(30 / 31))
    assert (positive[30:] == 1).all()
    assert (negative == 0).all()
    other, _ = ModicumCFRPlus(total=100, fading="sum-of-root").discounts(t)
    assert other[3] == pytest.approx(2 / 3)
    none, _ = ModicumCFRPlus(total=100, fading="none").discounts(t)
    assert (none == 1).all()
    weights = settings.weights(t)
    np.testing.assert_array_equal(weights[50:], t[50:])
    np.testing.assert_array_equal(weights[:50], NEXT_TO_NOTHING * t[:50])


def test_average_is_that_of_the_second_half():
    """By the iterates one by one, weighted by their own reach."""
    tree = cp.solver("kuhn_poker", "cfr+").tree
    settings = ModicumCFRPlus(total=40)
    solver, other = settings.on(tree), settings.on(tree)
    solver.step(40)
    total = np.zeros(tree.table.size)
    for t in range(1, 41):
        before = other.cumulative.copy()
        other.step()
        if t > 20:
            total += other.cumulative - before
    np.testing.assert_allclose(solver.average_profile(), tree.behaviour(total), atol=1e-9)


@pytest.mark.parametrize("total", [0, -1, 2.5, True])
def test_refuses_wrong_totals(total):
    with pytest.raises(cp.InputError, match="total must be a whole number of at least 1"):
        ModicumCFRPlus(total=total)
