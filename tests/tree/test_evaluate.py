"""Best response, NashConv, exploitability and expected value against independent oracles."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import counterpoise as cp
from counterpoise.games import CHANCE, TERMINAL
from counterpoise.tree import Strategy, enumerate_game, evaluate
from counterpoise.tree.evaluation import evaluate_strategy
from counterpoise.tree.kernels.sequence_form import best_response as best_response_pass, gradient, realisation_weights


def random_strategy(tree, seed, sparsity=0.0):
    rng = np.random.default_rng(seed)
    strategy = Strategy.uniform(tree)
    for start, actions in zip(tree.table.start, tree.table.actions, strict=True):
        drawn = rng.exponential(size=len(actions)) * (rng.random(len(actions)) >= sparsity)
        drawn[rng.integers(len(actions))] += 0.1
        strategy.probabilities[start : start + len(actions)] = drawn / drawn.sum()
    return strategy


def walk_value(game, strategy, state=None):
    """Expected payoffs by walking the rules: shares no code with the arrays."""
    state = game.initial() if state is None else state
    who = game.player(state)
    if who == TERMINAL:
        return np.array(game.payoffs(state))
    if who == CHANCE:
        return sum(p * walk_value(game, strategy, game.next(state, outcome)) for outcome, p in game.chance(state))
    chosen = strategy[who, game.infoset(state)]
    return sum(p * walk_value(game, strategy, game.next(state, action)) for action, p in chosen.items() if p)


UNIFORM = [
    ("kuhn_poker", 0.4583333),
    ("leduc_poker", 2.3736111),
    ("leduc_poker(merge_suits=False)", 2.3736111),
    ("goofspiel(cards=4)", 2.5),
    ("goofspiel", 4.0),
    ("liars_dice(dice=1, faces=4)", 0.6550595),
    ("leduc5", 8.4954129),
]
FIVE_DIGITS = [
    ("liars_dice(dice=1, faces=5)", 0.72087),
    ("liars_dice(dice=1, faces=6)", 0.78074),
    ("liars_dice(dice=2, faces=3)", 0.73900),
]


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "expected", "tolerance"), [*((*row, 1e-6) for row in UNIFORM), *((*row, 1e-5) for row in FIVE_DIGITS)]
)
def test_exploitability_of_uniform_play(name, expected, tolerance):
    """Uniform play [1e-6]; the other sizes of Liar's Dice are printed with five digits."""
    game = cp.load(name)
    uniform = Strategy.uniform(enumerate_game(game))
    assert cp.exploitability(game, uniform) == pytest.approx(expected, abs=tolerance)
    assert cp.nash_conv(game, uniform) == pytest.approx(2 * cp.exploitability(game, uniform))


@pytest.mark.parametrize("name", ["kuhn_poker", "kuhn_poker(players=3)", "coin_toss", "leduc_poker"])
def test_expected_value_equals_a_walk_over_the_rules(name):
    game = cp.load(name)
    strategy = random_strategy(enumerate_game(game), 1)
    assert cp.expected_value(game, strategy) == pytest.approx(tuple(walk_value(game, strategy)), abs=1e-12)


@pytest.mark.parametrize("player", [0, 1])
def test_best_response_equals_brute_force_over_all_pure_strategies(player):
    """Every pure strategy of one Kuhn player, evaluated by walking the rules."""
    game = cp.load("kuhn_poker")
    tree = enumerate_game(game)
    strategy = random_strategy(tree, 2)
    own = [label for owner, label in tree.table if owner == player]
    best = -np.inf
    for choice in itertools.product("pb", repeat=len(own)):
        pure = {label: {"p": float(c == "p"), "b": float(c == "b")} for label, c in zip(own, choice, strict=True)}
        mixed = Strategy.from_mapping(tree, {key: strategy[key] for key in strategy} | pure)
        best = max(best, walk_value(game, mixed)[player])
    found = cp.best_response(game, strategy, player)
    assert found.value == pytest.approx(best, abs=1e-12)
    assert cp.expected_value(game, found.strategy)[player] == pytest.approx(best, abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), sparsity=st.sampled_from([0.0, 0.5, 0.9]))
def test_best_response_beats_every_strategy(seed, sparsity):
    """The best response is worth at least as much as any strategy, in three-player games too."""
    for name in ("kuhn_poker(players=3)", "leduc_poker"):
        tree = enumerate_game(cp.load(name))
        values = evaluate(tree, random_strategy(tree, seed, sparsity).probabilities)
        assert (values.best >= values.expected - 1e-12).all()
        assert values.nash_conv >= -1e-12


def test_best_response_is_counterfactual():
    """In every infoset, reached or not, the response takes an action of the highest value."""
    tree = enumerate_game(cp.load("leduc_poker"))
    profile = random_strategy(tree, 3).probabilities.copy()
    reach, values = np.empty_like(profile), np.empty_like(profile)
    for seat in range(2):
        realisation_weights(tree.form, seat, profile, reach)
    gradient(tree.form, 0, reach, values)
    best_response_pass(tree.form, 0, values, profile)
    for infoset in np.flatnonzero(tree.table.owner == 0):
        block = slice(int(tree.form.start[infoset]), int(tree.form.stop[infoset]))
        assert values[block] @ profile[block] == values[block].max()


def test_infoset_reach_and_payoff_range():
    """External reach of Kuhn's infosets under uniform play, and the payoff range reachable from them."""
    tree = enumerate_game(cp.load("kuhn_poker"))
    reach = dict(zip(tree.table.labels, tree.infoset_reach(Strategy.uniform(tree).probabilities), strict=True))
    span = dict(zip(tree.table.labels, tree.payoff_range, strict=True))
    assert reach["K:"] == pytest.approx(1 / 3)
    assert reach["K:b"] == pytest.approx(1 / 6)
    assert reach["K:pb"] == pytest.approx(1 / 6)
    assert tree.infoset_reach(np.ones(tree.table.size)) == pytest.approx(1 / 3)  # chance alone
    bold = Strategy.from_mapping(tree, {"Q:": {"b": 0.75, "p": 0.25}, "J:p": {"b": 0.5, "p": 0.5}, "Q:p": {"p": 1.0}})
    reach = dict(zip(tree.table.labels, tree.infoset_reach(bold.probabilities), strict=True))
    assert reach["K:b"] == pytest.approx(1 / 6 * 0.75 + 1 / 6 * 0.5)  # against a queen or a jack that bets
    assert reach["K:pb"] == pytest.approx(1 / 6 * 0.5 + 1 / 6 * 0)  # own checks do not count
    assert (span["K:"], span["J:"], span["K:pb"]) == (3, 3, 3)


def test_bad_seat_and_bad_strategy():
    game = cp.load("kuhn_poker")
    with pytest.raises(cp.InputError, match="player must be a seat from 0 to 1, not 2"):
        cp.best_response(game, {}, player=2)
    with pytest.raises(cp.InputError, match="there is no infoset 'Z:'"):
        cp.exploitability(game, {"Z:": {"p": 1.0}})
    with pytest.raises(cp.InputError, match="has no action 'x'"):
        cp.exploitability(game, {"K:": {"x": 1.0}})
    with pytest.raises(cp.InputError, match="sum to 1"):
        cp.exploitability(game, {"K:": {"p": 0.3}})


def test_numbers_that_are_no_probabilities_are_not_evaluated():
    """Neither by the figures one by one nor by all of them at once."""
    strategy = Strategy.uniform(enumerate_game("kuhn_poker"))
    strategy.probabilities[strategy.table.start[0]] = 0.75
    for judge in (lambda: evaluate_strategy(strategy), lambda: cp.exploitability("kuhn_poker", strategy)):
        with pytest.raises(cp.InputError, match=r"the probabilities at infoset .* must be >= 0 and sum to 1"):
            judge()
