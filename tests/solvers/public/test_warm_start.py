"""Regrets that fit a given strategy, against equation 3.6 of Brown 2020 and float64 on the enumerated games."""

from functools import cache

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.errors import InputError
from counterpoise.games import CHANCE
from counterpoise.public import Learning, Traverser, build_dense
from counterpoise.public.warm_start import warm_start_arrays
from counterpoise.solvers import make_algorithm
from counterpoise.solvers.public.solver import public_schedule
from counterpoise.solvers.public.warm_start import FACTOR_PRECISION
from counterpoise.solvers.warm_start.warm_start import SubstituteValues
from counterpoise.tree import Strategy, enumerate_game, evaluate

from ...public.helpers import by_infoset
from ...public.test_mini_holdem import mini

pytestmark = pytest.mark.slow  # traversals that fit regrets are compiled apart, for half a minute

GAMES = ["kuhn_poker", "leduc_poker", "liars_dice(dice=1, faces=3)"]


dense = cache(build_dense)
"""Games never change, so tests may share them."""


def public(name, algorithm="cfr"):
    return make_algorithm(algorithm).on(dense(name))


def after(tree, iterations, algorithm="cfr"):
    solver = make_algorithm(algorithm).on(tree)
    solver.step(iterations)
    return solver.average


def random_strategy(tree, seed=0):
    rng, profile = np.random.default_rng(seed), Strategy.uniform(tree).probabilities
    for low, high in zip(tree.form.start, tree.form.stop, strict=True):
        profile[low:high] = rng.dirichlet(np.ones(high - low))
    return Strategy(tree.name, tree.table, profile)


def external_reach(tree, profile):
    """The probability with which chance and the other player let each infoset happen, history by history."""
    histories, reach = tree.histories, np.zeros(tree.infosets)
    external = np.ones((tree.nodes, 2))
    for h in range(tree.nodes):
        seat = histories.player[h]
        if seat >= 0:
            reach[histories.infoset[h]] += external[h, seat]
        for a in range(histories.children[h]):
            child = histories.first_child[h] + a
            external[child] = external[h]
            if seat == CHANCE:
                external[child] *= histories.probability[child]
            elif seat >= 0:
                external[child, 1 - seat] *= profile[tree.form.start[histories.infoset[h]] + a]
    return reach


def gradients(tree, profile):
    """Per sequence the value of the ends right after it against the other player's strategy."""
    form, reach = tree.form, np.ones(tree.table.size)
    for i in range(tree.infosets):
        low, high = form.start[i], form.stop[i]
        reach[low:high] = reach[form.parent[i]] * profile[low:high]
    rows = [slice(*form.row[s : s + 2]) for s in range(tree.table.size)]
    return np.array([form.values[row] @ reach[form.columns[0, row]] for row in rows])


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("name", GAMES)
def test_regrets_satisfy_the_equation(name, squared):
    """Squares of positive regrets add up to the right side, and values are passed up as they must [1e-4].

    With one range of payoffs for all infosets, since the public game knows bounds of it only.
    """
    game, tree = dense(name), enumerate_game(name)
    strategy, factor, spread = random_strategy(tree), 0.02, 2.5
    learning = Learning.fresh(game)
    learning.average.copy_from(game.profile(strategy))
    prepared = warm_start_arrays(game, squared)._replace(
        factor=np.float32(factor), positive=np.float32(1), negative=np.float32(1)
    )
    actions = game.arrays.trees.actions.astype(np.float32)
    values = Traverser(game).fit_regrets(prepared._replace(spread=np.float32(spread**2) * actions), learning)
    regrets, reach = by_infoset(game, tree, learning.regrets.numbers), external_reach(tree, strategy.probabilities)
    worth = gradients(tree, strategy.probabilities)
    for i in range(tree.infosets - 1, -1, -1):
        here = slice(tree.form.start[i], tree.form.stop[i])
        count = here.stop - here.start
        substitute = worth[here].max() - regrets[here].max() if count > 1 else worth[here][0]
        worth[tree.form.parent[i]] += substitute
        if count > 1:
            np.testing.assert_allclose(regrets[here], worth[here] - substitute, atol=1e-5)
            bound = factor * (reach[i] ** 2 if squared else reach[i]) * spread**2 * count
            assert (np.maximum(regrets[here], 0) ** 2).sum() == pytest.approx(bound, rel=1e-3)
    np.testing.assert_allclose(values, worth[tree.form.first_sequence[:2]], atol=1e-5)


def payoff_widths(game):
    """The bound on the range of payoffs below each entry of a store."""
    arrays, entries = game.arrays.trees, np.zeros(game.entries)
    widths = np.sqrt(warm_start_arrays(game).spread / arrays.actions)
    for player in range(2):
        for number, street in enumerate(arrays.street):
            nodes = range(*arrays.node_start[player, number : number + 2].tolist())
            own = [d for d, decision in enumerate(game.street_trees[number].decisions) if decision.player == player]
            for node, decision in zip(nodes, own, strict=True):
                for board in np.flatnonzero(game.street_of == street):
                    _, entry, _, stride = game.place(number, decision, int(board))
                    entries[entry : entry + stride * int(arrays.actions[node])] = widths[node]
    return entries


@pytest.mark.parametrize("name", GAMES)
def test_ranges_of_payoffs_are_bounds(name):
    """Never below the range of an infoset, and at most that of the whole game."""
    game, tree = dense(name), enumerate_game(name)
    known = by_infoset(game, tree, payoff_widths(game))[tree.form.start]
    assert known.max() == pytest.approx(tree.payoff_range.max(), rel=1e-6)
    choices = tree.form.stop - tree.form.start > 1
    assert (known[choices] >= tree.payoff_range[choices] - 1e-5).all()


def test_20_an_equilibrium_has_no_regret():
    """From an exact equilibrium with factor 0 no regret is positive, and substitute values add up to 0 [1e-5]."""
    solver = public("leduc_poker")
    found = solver.warm_start(cp.exact("leduc_poker").strategy, iterations=1, factor=0)
    assert solver.learning.regrets.numbers.max() < 1e-5
    assert found.substitute_sum == pytest.approx(0, abs=1e-5)


def test_22_search_of_the_factor():
    """Substitute values fall as the factor grows; the search ends where they add up to 0, or 1 % of NashConv less."""
    tree = enumerate_game("leduc_poker")
    strategy = after(tree, 100)
    nash_conv = evaluate(tree, strategy.probabilities).nash_conv
    for squared in (False, True):
        found = public("leduc_poker").warm_start(strategy, iterations=100, squared_reach=squared)
        assert -FACTOR_PRECISION * nash_conv <= found.substitute_sum <= 0
        assert found.covered
        assert found.nodes_touched < 2 * 15 * dense("leduc_poker").nodes
        factors = (0, found.factor / 2, found.factor, 2 * found.factor, 0.01, 1)
        sums = [
            public("leduc_poker").warm_start(strategy, iterations=100, factor=f, squared_reach=squared).substitute_sum
            for f in factors
        ]
        assert (np.diff(sums) < 0).all()
        assert sums[0] == pytest.approx(nash_conv, abs=1e-5)


@pytest.mark.parametrize("squared", [False, True])
def test_23_restart_on_leduc(squared):
    """After 100 iterations of CFR, new regrets for the average: within 25 % of the run that was not interrupted.

    And better than going on from no regrets, or with factor 0.
    """
    tree = enumerate_game("leduc_poker")
    whole = make_algorithm("cfr").on(tree)
    whole.step(100)
    strategy = whole.average
    warm, without, none = (public("leduc_poker") for _ in range(3))
    warm.warm_start(strategy, iterations=100, squared_reach=squared)
    without.warm_start(strategy, iterations=100, factor=0)
    none.warm_start(strategy, iterations=100, factor=0)
    none.learning.regrets.clear()
    for iteration in (200, 300, 500, 1000):
        for solver in (whole, warm, without, none):
            solver.step(iteration - solver.iteration)
        reached = warm.exploitability()
        assert reached < 1.25 * evaluate(tree, whole.average_profile()).exploitability
        if iteration <= 300:
            assert reached < without.exploitability()
            assert reached < none.exploitability()
    nash_conv = 2 * warm.exploitability()
    assert nash_conv < SubstituteValues(tree, strategy.probabilities, warm.iteration).theorem_bound()


def test_projected_iterations():
    """As many as make the exploitability of the tenth iteration, shrinking like 1 / T, that of the strategy."""
    tree = enumerate_game("leduc_poker")
    strategy = after(tree, 500)
    tenth = evaluate(tree, after(tree, 10).probabilities).exploitability
    expected = 10 * tenth / evaluate(tree, strategy.probabilities).exploitability
    assert public("leduc_poker").warm_start(strategy).iterations == pytest.approx(expected, abs=1)


def test_from_the_own_average():
    """Without a strategy it is the solver's own, which the short run of the projection leaves as it is."""
    tree = enumerate_game("leduc_poker")
    solver, other = public("leduc_poker"), public("leduc_poker")
    solver.step(100)
    kept, average = solver.learning, solver.average.strategy(0, 0, 0)
    exploitability = solver.exploitability()
    found = solver.warm_start()
    assert solver.learning is kept
    assert solver.exploitability() == pytest.approx(exploitability, rel=1e-4)
    np.testing.assert_allclose(solver.average.strategy(0, 0, 0), average, atol=1e-6)
    assert found.iterations == other.warm_start(after(tree, 100)).iterations


@pytest.mark.parametrize("algorithm", ["cfr", "cfr+", "lcfr", "dcfr", "dcfr(gamma=4)", "pcfr+"])
def test_variants(algorithm):
    """The average is the strategy and weighs what T iterations do; a state of it goes on bit for bit."""
    tree = enumerate_game("leduc_poker")
    strategy = after(tree, 200, "dcfr")
    solver = public("leduc_poker", algorithm)
    found = solver.warm_start(strategy, iterations=40)
    assert solver.iteration == found.iterations == 40
    assert solver.exploitability() == pytest.approx(evaluate(tree, strategy.probabilities).exploitability, abs=1e-5)
    weight = 0.0
    for keep in public_schedule(solver.settings, 0, 40).average_decay:
        weight = weight * keep + 1
    place, count = solver.game.place(0, 0, 0), len(solver.game.root.actions)
    rows = solver.average.numbers[place.entry : place.entry + count * place.stride].reshape(count, place.stride)
    np.testing.assert_allclose(rows[:, : solver.game.hand_counts[0]].sum(axis=0), weight, rtol=1e-4)
    np.testing.assert_array_equal(solver.learning.matched.numbers, solver.learning.regrets.numbers)
    again = public("leduc_poker", algorithm)
    again.restore(solver.state())
    solver.step(300)
    again.step(300)
    assert all(np.array_equal(array, again.state()[name]) for name, array in solver.state().items())
    assert solver.exploitability() < 0.03


def test_regrets_count_as_much_as_those_of_the_variant():
    """Positive and negative ones are the equation's times what 50 iterations of them would count."""
    tree = enumerate_game("leduc_poker")
    strategy = after(tree, 100)
    once = public("leduc_poker")
    once.warm_start(strategy, iterations=1, factor=0.001)
    for algorithm in ("cfr", "cfr+", "lcfr", "dcfr"):
        solver = public("leduc_poker", algorithm)
        schedule = public_schedule(solver.settings, 0, 50)
        sums, squares = np.zeros(2), 0.0
        for positive, negative in zip(schedule.positive[:50], schedule.negative[:50], strict=True):
            sums, squares = sums * (positive, negative) + 1, squares * positive**2 + 1
        solver.warm_start(strategy, iterations=50, factor=0.001 * sums[0] ** 2 / squares)
        own, regrets = once.learning.regrets.numbers, solver.learning.regrets.numbers
        np.testing.assert_allclose(regrets, own * np.where(own > 0, *sums), rtol=1e-4, atol=1e-4)


def test_regrets_that_keep_the_direction_keep_the_strategy():
    """The next strategy is the given one wherever the opponent comes, but for actions played hardly ever."""
    tree = enumerate_game("leduc_poker")
    strategy = random_strategy(tree)
    solver = public("leduc_poker", "dcfr")
    found = solver.warm_start(strategy, iterations=30, keep_direction=True)
    assert not found.covered
    current = solver.game.strategy(solver.learning.matched).on(tree)
    assert np.abs(current - strategy.probabilities).max() < 2e-3


@pytest.mark.parametrize("bits", [32, 16])
def test_hold_em(bits):
    """From a short run of the same game of two rounds: CFR is at once where it would be after many iterations."""
    source = make_algorithm("dcfr").on(mini(3))
    source.step(60)
    solver = make_algorithm("cfr").on(mini(3), bits=bits)
    found = solver.warm_start(source.average)
    assert found.exploitability == pytest.approx(source.exploitability(), rel=0.01)
    assert found.covered
    cold = make_algorithm("cfr").on(mini(3), bits=bits)
    solver.step(20)
    while cold.nodes_touched < solver.nodes_touched:
        cold.step()
    assert solver.exploitability() < 0.2 * cold.exploitability()
    solver.step(200)
    assert solver.exploitability() < 0.9 * found.exploitability


def test_threads_do_not_matter():
    """The deals may be shared: regrets are the same to the last bit."""
    source = make_algorithm("cfr").on(mini(3, (2, 1)))
    source.step(20)
    tables = []
    for threads in (1, 2):
        solver = make_algorithm("cfr").on(mini(3, (2, 1)), threads=threads)
        solver.warm_start(source.average, iterations=20)
        tables.append(solver.learning.regrets.numbers)
    np.testing.assert_array_equal(*tables)


def test_refusals():
    """What cannot be started from, and numbers that make no sense."""
    solver = public("kuhn_poker")
    with pytest.raises(InputError, match="kuhn_poker cannot be started from a Profile"):
        solver.warm_start(Learning.fresh(mini(3, (1, 0))).average)
    with pytest.raises(InputError, match=r"for leduc_poker: it does not know infoset .* of kuhn_poker"):
        solver.warm_start(Strategy.uniform(enumerate_game("leduc_poker")))
    with pytest.raises(InputError, match="iterations of a warm start must be"):
        solver.warm_start(iterations=0)
    with pytest.raises(InputError, match="factor of a warm start must be"):
        solver.warm_start(factor=-1)
