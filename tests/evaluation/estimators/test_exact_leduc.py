"""Means and deviations of estimators by exact enumeration of all ends of Leduc."""

from __future__ import annotations

import re

import numpy as np
import pytest

from counterpoise.evaluation.estimators.enumerated_judge import EnumeratedJudge
from counterpoise.evaluation.estimators.settings import JudgeSettings
from counterpoise.games.base import CHANCE, TERMINAL
from counterpoise.tree import Strategy

from .leduc import Exact, Flat, by_card, equilibrium, hands_of, trivial, uniform

SUITS = "leduc_poker(merge_suits=False)"
NO_LIMIT = "no_limit_holdem(ranks=4, suits=2, board=[0, 3], stack=8)"
"""Mini no-limit hold'em: eight cards, a round before and one on the flop, eight big blinds."""
NAMES = ("money", "ge", "ac", "ac+ge", "bc-divat", "ge+bc-divat", "ac+bc-divat", "ac+ge+bc-divat")


def off_policy(name: str) -> str:
    return {"money": "is", "bc-divat": "is+bc-divat"}.get(name, name)


@pytest.mark.parametrize(
    ("seat", "truth", "deviations"),
    [
        (0, -0.078125, (4.512845, 3.917099, 3.772970, 3.221119, 4.690764, 4.013768, 3.879566, 3.271937)),
        (1, 0.078125, (4.512845, 4.140344, 3.772970, 3.375032, 4.690764, 4.099765, 3.879566, 3.331248)),
    ],
)
def test_uniform_on_policy(seat, truth, deviations):
    exact = Exact(seat, uniform(), uniform())
    assert exact.truth == pytest.approx(truth, abs=1e-12)
    for name, sd in zip(NAMES, deviations, strict=True):
        assert exact.bias(name) == pytest.approx(0, abs=1e-10)
        assert exact.sd(name) == pytest.approx(sd, abs=1e-6)


def test_probe_evaluated_on_uniform_hands():
    exact = Exact(0, uniform(), uniform(), trivial("probe"))
    deviations = (8.556474, 7.333515, 6.674008, 5.797536, 5.617260, 5.396458, 4.585328, 4.433324)
    assert exact.truth == pytest.approx(1.067274, abs=1e-6)
    for name, sd in zip(map(off_policy, NAMES), deviations, strict=True):
        assert exact.bias(name) == pytest.approx(0, abs=1e-10)
        assert exact.sd(name) == pytest.approx(sd, abs=1e-6)


@pytest.mark.parametrize(
    ("played", "opponent", "truth", "deviations"),
    [
        ("equilibrium", "uniform", 0.5914, (4.156, 3.965, 3.993, 3.143, 3.789, 3.571, 3.481, 2.871)),
        ("uniform", "uniform", 0.5914, (9.737, 7.349, 6.448, 4.528, 7.937, 5.750, 5.511, 3.846)),
        ("equilibrium", "equilibrium", -0.0856, (3.496, 3.383, 3.215, 2.924, 3.110, 2.989, 2.643, 2.289)),
    ],
)
def test_table_of_equilibria(played, opponent, truth, deviations):
    """7.7: the last digits depend on the equilibrium that was found."""
    profiles = {"equilibrium": equilibrium(), "uniform": uniform()}
    exact = Exact(0, profiles[played], profiles[opponent], equilibrium())
    assert exact.truth == pytest.approx(truth, abs=5e-4)
    for name, sd in zip(NAMES if played == "equilibrium" else map(off_policy, NAMES), deviations, strict=True):
        assert exact.bias(name) == pytest.approx(0, abs=1e-10)
        assert exact.sd(name) == pytest.approx(sd, abs=4e-3)


def mixed(weight: float) -> np.ndarray:
    """A strategy of full support: so much of the equilibrium, the rest uniform."""
    return weight * equilibrium() + (1 - weight) * uniform()


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("evaluated", ["equilibrium", "probe", "by card", "always-raise"])
@pytest.mark.parametrize("opponent", ["uniform", "equilibrium", "by card"])
def test_every_estimator_is_unbiased(seat, evaluated, opponent):
    profiles = {"uniform": uniform(), "equilibrium": equilibrium(), "by card": by_card(), "probe": trivial("probe")}
    profiles["always-raise"] = trivial("always-raise")
    exact = Exact(seat, mixed(0.5), profiles[opponent], profiles[evaluated])
    assert len(exact.tables) == 12
    for name in exact.tables:
        assert exact.bias(name) == pytest.approx(0, abs=1e-10)
        assert exact.chance @ exact.tables[name].weights == pytest.approx(1, abs=1e-10)


@pytest.mark.long
@pytest.mark.parametrize(
    "game",
    [
        "kuhn_poker",
        "leduc_poker",
        pytest.param("leduc_poker(players=3)", marks=pytest.mark.slow),
        "liars_dice(faces=3)",
    ],
)
@pytest.mark.parametrize("seat", [0, 1])
def test_all_cards_never_have_more_variance(game, seat):
    for own in (uniform(game), equilibrium(game, 50)):
        for others in (uniform(game), equilibrium(game, 50)):
            exact = Exact(seat, own, others, game=game)
            assert exact.sd("ac") <= exact.sd("money") + 1e-12
            for name in exact.tables:
                assert exact.bias(name) == pytest.approx(0, abs=1e-10)


def test_identities():
    exact = Exact(0, equilibrium(), uniform(), guess="zero")
    np.testing.assert_allclose(exact.tables["aivat"].values, exact.tables["ac"].values, atol=1e-12)
    same = Exact(0, equilibrium(), uniform(), equilibrium().copy())
    seen = same.chance > 0
    np.testing.assert_array_equal(same.tables["is"].values[seen], exact.tables["money"].values[seen])


@pytest.mark.parametrize("names", [("uniform", "uniform"), ("equilibrium", "uniform"), ("by card", "probe")])
def test_exact_values_and_known_players_leave_no_variance(names):
    profiles = {"uniform": uniform(), "equilibrium": equilibrium(), "by card": by_card(), "probe": trivial("probe")}
    exact = Exact(0, *(profiles[name] for name in names), known=[1])
    reached = exact.chance > 0
    assert np.ptp(exact.tables["aivat"].values[reached]) ** 2 < 1e-18
    assert exact.tables["aivat"].values[reached][0] == pytest.approx(exact.truth, abs=1e-12)


def values_of(own, other):
    tree = hands_of().tree
    first = tree.form.first_sequence[1]
    profile = np.concatenate([own[:first], other[first:]])
    return lambda hands: hands.values(profile)


@pytest.mark.parametrize(
    ("own", "other", "exact_values", "equilibrium_values", "zero", "tolerance"),
    [
        ("uniform", "uniform", 2.358607, 2.8196, 3.772970, 1e-6),
        ("equilibrium", "uniform", 1.284, 1.552, 3.993, 1e-3),
        ("equilibrium", "equilibrium", 0.0039, 0.0039, 3.215, 2e-3),
    ],
)
def test_aivat_with_one_known_player(own, other, exact_values, equilibrium_values, zero, tolerance):
    """7.7: deviations of AIVAT; equilibria differ, so that guesses by their values agree to 5e-3 only."""
    profiles = {"uniform": uniform(), "equilibrium": equilibrium()}
    played, opponent = profiles[own], profiles[other]
    guesses = [
        (values_of(played, opponent), exact_values, tolerance),
        (values_of(equilibrium(), equilibrium()), equilibrium_values, 5e-3),
        ("zero", zero, tolerance),
        ("random(seed=3)", None, 0),
    ]
    for guess, sd, within in guesses:
        exact = Exact(0, played, opponent, guess=guess)
        assert exact.bias("aivat") == pytest.approx(0, abs=1e-10)
        if sd is not None:
            assert exact.sd("aivat") == pytest.approx(sd, abs=within)


def test_partial_information_on_policy():
    exact = Exact(0, equilibrium(), uniform(), partial=True)
    assert exact.bias("ac") == pytest.approx(0, abs=1e-12)
    assert exact.bias("ef") == pytest.approx(0, abs=1e-12)
    assert exact.sd("ac") == pytest.approx(3.993, abs=2e-3)
    assert exact.sd("ef") == pytest.approx(4.065, abs=2e-3)
    for name, sd in (("bc-divat", 2.881), ("ac+bc-divat", 2.754)):
        assert exact.bias(name) == pytest.approx(-0.39160, abs=2e-3)
        assert exact.sd(name) == pytest.approx(sd, abs=2e-3)
        assert exact.tables[name].biased
    assert abs(exact.bias("ef-text")) > 1e-3
    assert exact.tables["ef-text"].biased


@pytest.mark.parametrize(
    ("evaluated", "bias", "truth"), [("uniform", 0.01294, -0.792847), ("probe", 0.02951, -0.452337)]
)
def test_partial_information_off_policy_against_cards(evaluated, bias, truth):
    profiles = {"uniform": uniform(), "probe": trivial("probe")}
    exact = Exact(0, by_card(), by_card(), profiles[evaluated], partial=True)
    assert exact.truth == pytest.approx(truth, abs=1e-6)
    assert exact.bias("ac") == pytest.approx(bias, abs=1e-5)
    assert exact.bias("ef") == pytest.approx(0, abs=1e-10)
    assert exact.tables["ac"].biased


def test_partial_information_off_policy_at_equilibrium():
    exact = Exact(0, mixed(0.5), equilibrium(), trivial("probe"), partial=True)
    assert exact.bias("ac") == pytest.approx(0.0375, abs=2e-3)


def test_zero_sum_symmetry_of_advantage_sums():
    """Luck that is taken off one seat is added to the other."""
    first, second = (Exact(seat, uniform(), uniform()) for seat in (0, 1))
    for name in ("money", "divat", "bc-divat"):
        np.testing.assert_allclose(first.tables[name].values, -second.tables[name].values, atol=1e-12)


def all_cards_and_endings(seat, flat, later_cards_excluded):
    """The mean of `ac+ge` by brute force in Leduc with suits, `flat` against itself, by the right or the wrong
    exclusion.
    """
    hands = hands_of(SUITS)
    tree, game = hands.tree, hands.tree.game
    table = tree.table
    probability = {}
    for label, actions, start in zip(table.labels, table.actions, table.start.tolist(), strict=True):
        probability[label] = dict(zip(actions, flat[start : start + len(actions)].tolist(), strict=True))
    deck = sorted({deal[:2] for deal, _ in game.chance(game.initial())})
    mean, stack = 0.0, [(game.initial(), 1.0, ())]
    while stack:  # every way to play, with its probability
        state, chance, line = stack.pop()
        mover = game.player(state)
        if mover == TERMINAL:
            mean += chance * imagined_value(game, probability, deck, seat, line, later_cards_excluded)
        elif mover == CHANCE:
            stack += [(game.next(state, step), chance * p, (*line, step)) for step, p in game.chance(state)]
        else:
            shares = probability[game.infoset(state)]
            stack += [(game.next(state, step), chance * shares[step], (*line, step)) for step in game.actions(state)]
    return mean


def imagined_value(game, probability, deck, seat, line, later_cards_excluded):
    """Return `ac+ge` of one hand."""
    deal, steps = line[0], line[1:]
    other = deal[2:] if seat == 0 else deal[:2]
    boards = [step for step in steps if step in deck]
    reach, total, closed = {card: 1.0 for card in deck if card != other}, 0.0, False
    states = {card: game.next(game.initial(), card + other if seat == 0 else other + card) for card in reach}
    for step in steps:
        first = next(iter(states.values()))
        own = game.player(first) == seat
        if own:
            counted = {card for card in states if not later_cards_excluded or card not in boards}
            below = sum(reach[card] for card in counted)
            for action in game.actions(first):
                if game.player(game.next(first, action)) == TERMINAL:
                    closed |= action == step
                    shares = {card: probability[game.infoset(states[card])][action] for card in counted}
                    worth = {card: game.payoffs(game.next(states[card], action))[seat] for card in counted}
                    total += sum(reach[card] * shares[card] * worth[card] for card in counted) / below
            reach = {card: reach[card] * probability[game.infoset(states[card])][step] for card in states}
        kept = [card for card in states if card != step]
        states, reach = {card: game.next(states[card], step) for card in kept}, {card: reach[card] for card in kept}
    if closed:
        return total
    below = sum(reach.values())
    return total + sum(reach[card] * game.payoffs(states[card])[seat] for card in states) / below


@pytest.mark.slow
@pytest.mark.parametrize(("name", "error"), [("uniform", 0.0), ("by card", 0.00073), ("equilibrium", 0.0047)])
def test_cards_dealt_later_must_not_be_excluded(name, error):
    """With the right exclusion the mean is exact and ours; the wrong one is off by a known error."""
    merged = {"uniform": uniform(), "by card": by_card(), "equilibrium": equilibrium()}[name]
    strategy = Strategy("leduc_poker", hands_of().tree.table, merged)
    table = hands_of(SUITS).tree.table
    flat = np.ones(table.size)
    for label, actions, start in zip(table.labels, table.actions, table.start.tolist(), strict=True):
        chosen = strategy[re.sub("([JQK])[sh]", r"\1", label)]
        flat[start : start + len(actions)] = [chosen[action] for action in actions]
    exact = Exact(0, flat, flat, game=SUITS)
    assert all_cards_and_endings(0, flat, False) == pytest.approx(exact.truth, abs=1e-12)
    assert exact.bias("ac+ge") == pytest.approx(0, abs=1e-12)
    wrong = all_cards_and_endings(0, flat, True) - exact.truth
    assert wrong == pytest.approx(error, abs=1e-5 if name == "by card" else 3e-4)


@pytest.mark.long
@pytest.mark.parametrize("game", ["leduc_poker", pytest.param(NO_LIMIT, marks=pytest.mark.slow)])
@pytest.mark.parametrize("seat", [0, 1])
def test_aivat_has_at_most_a_third_of_the_deviation_of_money(game, seat):
    """Acceptance: between equilibrium players, one of them known, the other guessed to play like an earlier average."""
    strong, early = equilibrium(game, 400), equilibrium(game, 60)
    exact = Exact(seat, strong, strong, game=game, guess=lambda hands: hands.values(early))
    assert exact.bias("aivat") == pytest.approx(0, abs=1e-9)
    assert exact.sd("aivat") <= exact.sd("money") / 3
    by_default = Exact(seat, strong, strong, game=game)
    assert by_default.sd("aivat") <= by_default.sd("money") / 3


def test_partial_information_of_three_players():
    """On-policy neither all cards nor own folds are biased where hands end at a showdown after somebody has folded."""
    hands = hands_of("kuhn_poker(players=3)")
    table, drawn = hands.tree.table, np.random.default_rng(1)
    flat = np.ones(table.size)
    for start, actions in zip(table.start.tolist(), table.actions, strict=True):
        flat[start : start + len(actions)] = drawn.dirichlet(np.full(len(actions), 0.5))
    reach = hands.reach(hands.steps(flat))[hands.ends]
    judge = EnumeratedJudge(hands, JudgeSettings(partial=True, surrogates=("money",)))
    for seat in range(3):
        players = [Flat(flat) if own == seat else None for own in range(3)]
        found = {part.name: float(reach @ part.values) for part in judge.tables(seat, players)}
        assert found["ac"] == pytest.approx(found["money"], abs=1e-12)
        assert found["ef"] == pytest.approx(found["money"], abs=1e-12)
        assert found["ef-text"] != pytest.approx(found["money"], abs=1e-3)
