"""What the walks of Monte Carlo CFR add to regrets and averages is right in expectation."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.kernels.random import seeded
from counterpoise.solvers import make_algorithm
from counterpoise.solvers.kernels import (
    mccfr as mccfr_kernels,
    mccfr_chance as chance_kernels,
    mccfr_external as mccfr_external_kernels,
    mccfr_outcome as mccfr_outcome_kernels,
)
from counterpoise.solvers.kernels.layouts import (
    AVERAGE_STRATEGY,
    REGRET_BASED,
    ROBUST,
    Exploration,
    SampledTables,
    Stretch,
    Turn,
)
from counterpoise.tree import enumerate_game
from counterpoise.tree.flatten import sampling_tree
from counterpoise.tree.kernels.flatten import alias_tables

from .helpers import counterfactual
from .mccfr_draws import Coupled, Independent, TracedWalk, chance, expectation, external, interpret, outcome

AVERAGE = Exploration(rule=AVERAGE_STRATEGY, epsilon=0.1, tau=2.0, beta=1.5)
REGRET = Exploration(rule=REGRET_BASED, threshold=-0.5, scale=0.7, weighted=True)
SAMPLERS = {
    "chance": chance,
    "external": external(Exploration()),
    "robust": external(Exploration(rule=ROBUST, actions=1)),
    "average-strategy": external(AVERAGE),
    "regret-based, weighted": external(REGRET),
    "outcome": outcome(0.6),
    "outcome, even": outcome(1.0),
}


def random_regrets(tree, seed, total=None):
    """Regrets of mixed strategies with some zeros, and none positive in some places.

    With `total`, the positive regrets of an infoset are whole numbers that add up to it.
    """
    generator = np.random.default_rng(seed)
    regrets = np.zeros(tree.table.size)
    for low, high in zip(tree.form.start, tree.form.stop, strict=True):
        block = generator.normal(size=high - low)
        if total is not None:
            shares = generator.multinomial(total, np.full(high - low, 1 / (high - low)))
            block = np.where(shares > 0, shares, -np.abs(block))
        regrets[low:high] = block
    return regrets


def exact(tree, regrets):
    """Counterfactual regrets of all sequences, and chance reach times own reach, under the matching strategy."""
    strategy = tree.behaviour(np.maximum(regrets, 0.0))
    reach, values, infoset_values = counterfactual(tree, strategy)
    gains, averages = np.zeros_like(regrets), np.zeros_like(regrets)
    chance_reach = tree.infoset_reach(np.ones_like(strategy))
    for infoset, (low, high) in enumerate(zip(tree.form.start, tree.form.stop, strict=True)):
        gains[low:high] = values[low:high] - infoset_values[infoset]
        averages[low:high] = chance_reach[infoset] * reach[low:high]
    return gains, averages


def owned(tree, player):
    """Sequences of a player."""
    mask = np.zeros(tree.table.size, dtype=bool)
    mask[tree.form.first_sequence[player] + 1 : tree.form.first_sequence[player + 1]] = True
    return mask


def check(tree, regrets, traverser, added, averaged):
    """Expected additions: regrets of the traverser alone; the average of player `averaged`, weighted by own reach."""
    gains, averages = exact(tree, regrets)
    np.testing.assert_allclose(added[0], np.where(owned(tree, traverser), gains, 0.0), atol=1e-10)
    np.testing.assert_allclose(added[1], np.where(owned(tree, averaged), averages, 0.0), atol=1e-10)


@pytest.mark.parametrize("traverser", [0, 1])
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_expectation_on_kuhn(monkeypatch, sampler, traverser):
    """Over all draws, independent of each other, of several mixed profiles."""
    tree = enumerate_game(cp.load("kuhn_poker"))
    draws = Independent(monkeypatch, tree)
    for seed in range(4):
        regrets = random_regrets(tree, seed)
        cumulative = np.random.default_rng(seed + 10).exponential(size=len(regrets))
        walk = TracedWalk(tree, SAMPLERS[sampler], traverser, regrets, cumulative)
        averaged = traverser if sampler == "chance" else 1 - traverser
        check(tree, regrets, traverser, expectation(draws, walk), averaged)


@pytest.mark.parametrize("traverser", [0, 1])
@pytest.mark.parametrize("sampler", ["outcome", "robust"])
def test_expectation_on_leduc_of_single_paths(monkeypatch, sampler, traverser):
    """Samplers that follow one path: all of them, independent, of a fully mixed profile with some zeros."""
    tree = enumerate_game(cp.load("leduc_poker"))
    regrets = random_regrets(tree, traverser)
    walk = TracedWalk(tree, SAMPLERS[sampler], traverser, regrets, np.zeros_like(regrets))
    check(tree, regrets, traverser, expectation(Independent(monkeypatch, tree), walk), 1 - traverser)


def leduc_cells(**others):
    """15 equally likely deals, 4 public cards, and a number of cells at each of four own decisions in a row."""
    cells = {("chance", 0): 15, ("chance", 1): 4}
    return cells | {(kind, stage): number for kind, number in others.items() for stage in range(4)}


@pytest.mark.parametrize("traverser", [0, 1])
def test_expectation_on_leduc_of_chance_sampling(monkeypatch, traverser):
    tree = enumerate_game(cp.load("leduc_poker"))
    regrets = random_regrets(tree, traverser)
    walk = TracedWalk(tree, chance, traverser, regrets, np.zeros_like(regrets))
    check(tree, regrets, traverser, expectation(Coupled(monkeypatch, tree, leduc_cells()), walk), traverser)


@pytest.mark.slow
@pytest.mark.parametrize("traverser", [0, 1])
def test_expectation_on_leduc_of_external_sampling(monkeypatch, traverser):
    """Opponents that play one action, or two evenly."""
    tree = enumerate_game(cp.load("leduc_poker"))
    regrets = random_regrets(tree, traverser, total=2)
    walk = TracedWalk(tree, SAMPLERS["external"], traverser, regrets, np.zeros_like(regrets))
    check(tree, regrets, traverser, expectation(Coupled(monkeypatch, tree, leduc_cells(action=2)), walk), 1 - traverser)


@pytest.mark.long
@pytest.mark.parametrize("traverser", [0, 1])
def test_expectation_on_leduc_of_average_strategy_sampling(monkeypatch, traverser):
    """Opponents that play purely; each own action is explored for certain or with probability one half."""
    tree = enumerate_game(cp.load("leduc_poker"))
    beta = 2.0
    sampler = external(Exploration(rule=AVERAGE_STRATEGY, epsilon=0.5, tau=1.0, beta=beta))
    draws = Coupled(monkeypatch, tree, leduc_cells(action=1, explore=2))
    mixed, pure = random_regrets(tree, traverser), random_regrets(tree, traverser, total=1)
    regrets = np.where(owned(tree, traverser), mixed, pure)
    cumulative = np.where(random_regrets(tree, traverser + 5, total=1) > 0, beta, 0.0)
    walk = TracedWalk(tree, sampler, traverser, regrets, cumulative)
    check(tree, regrets, traverser, expectation(draws, walk), 1 - traverser)


@pytest.mark.slow
@pytest.mark.parametrize("everything", [True, False], ids=["all others' actions", "even draws"])
@pytest.mark.parametrize("owner", [0, 1, 2])
def test_average_walk_of_three_players(monkeypatch, owner, everything):
    """The average of one of three players gains its own reach times what does not depend on anybody's strategy."""
    tree = enumerate_game(cp.load("kuhn_poker(players=3)"))
    draws = Independent(monkeypatch, tree)

    def sampler(sampled, player, regrets, cumulative):
        weights, stack = np.empty(sampled.widest), np.empty(tree.nodes, dtype=np.uint32)
        turn, tables = Turn(player, 1.0, False), SampledTables(regrets, cumulative, None)
        return mccfr_kernels.average_walk(sampled, turn, everything, tables, weights, stack, None)

    constants = []
    for seed in range(2):
        regrets = random_regrets(tree, seed)
        added = expectation(draws, TracedWalk(tree, sampler, owner, regrets, np.zeros_like(regrets)))
        assert not added[0].any()
        assert not added[1][~owned(tree, owner)].any()
        _, averages = exact(tree, regrets)
        reached = owned(tree, owner) & (averages > 0)
        np.testing.assert_allclose(added[1][owned(tree, owner) & ~reached], 0.0)
        constants.append(np.where(reached, added[1] / np.where(reached, averages, 1.0), np.nan))
        if everything:
            np.testing.assert_allclose(constants[-1][reached], 1.0, atol=1e-10)
    both = np.isfinite(constants[0]) & np.isfinite(constants[1])
    assert both.sum() > 10
    np.testing.assert_allclose(constants[0][both], constants[1][both], rtol=1e-10)


@pytest.mark.parametrize("traverser", [0, 1, 2])
@pytest.mark.parametrize("sampler", ["chance", "external", "outcome"])
def test_expected_regrets_of_three_players(monkeypatch, sampler, traverser):
    tree = enumerate_game(cp.load("kuhn_poker(players=3)"))
    regrets = random_regrets(tree, traverser, total=1 if sampler == "external" else None)
    walk = TracedWalk(tree, SAMPLERS[sampler], traverser, regrets, np.zeros_like(regrets))
    added = expectation(Independent(monkeypatch, tree), walk)
    gains, _ = exact(tree, regrets)
    np.testing.assert_allclose(added[0], np.where(owned(tree, traverser), gains, 0.0), atol=1e-10)


COMPILED = [
    "cs-mccfr",
    "es-mccfr",
    "es-mccfr(explore=robust)",
    "es-mccfr(explore=average_strategy, tau=2.0, beta=100.0)",
    "es-mccfr/rbs(C=-500000000000.0, importance_weight=True)",
    "os-mccfr",
]


@pytest.mark.parametrize("algorithm", COMPILED)
def test_17_compiled_walks_are_unbiased(algorithm):
    """The mean of 200,000 sampled regrets on Kuhn is within 4 standard errors of the exact ones at every sequence.

    Regrets of a million million keep the strategies as they are. The average strategy is judged likewise.
    """
    tree = enumerate_game(cp.load("kuhn_poker"))
    size, batches, per_batch = 1e12, 200, 1000
    start = size * random_regrets(tree, 3)
    solver = make_algorithm(algorithm).on(tree, seed=8)
    solver.regrets[:] = start
    means = []
    for _ in range(batches):
        before = solver.regrets.copy(), solver.cumulative.copy()
        solver.step(per_batch)
        means.append([(solver.regrets - before[0]) / per_batch, (solver.cumulative - before[1]) / per_batch])
    sampled = np.array(means)
    mean, error = sampled.mean(axis=0), sampled.std(axis=0, ddof=1) / np.sqrt(batches)
    played = np.flatnonzero(owned(tree, 0) | owned(tree, 1))
    for expected, found, deviation in zip(exact(tree, start), mean, error, strict=True):
        assert (np.abs(found - expected)[played] <= 4 * deviation[played] + 1e-5).all()
    assert error[0][played].max() > 1e-5  # it was a sample


@pytest.mark.parametrize("algorithm", [*COMPILED, "linear-es-mccfr(period=20)/skip(threshold=-1.0)"])
@pytest.mark.parametrize("game", ["kuhn_poker", "kuhn_poker(players=3)"])
def test_source_is_what_is_compiled(monkeypatch, game, algorithm):
    """The kernels run as Python, from the same seed, give the same tables as compiled."""
    tree = enumerate_game(cp.load(game))
    compiled, interpreted = (make_algorithm(algorithm).on(tree, seed=2) for _ in range(2))
    compiled.step(12)
    interpret(monkeypatch)
    run = {
        "chance_sampling": chance_kernels.chance_sampling,
        "external_sampling": mccfr_external_kernels.external_sampling,
        "outcome_sampling": mccfr_outcome_kernels.outcome_sampling,
    }[type(interpreted).kernels[0].py_func.__name__]
    tables = SampledTables(interpreted.regrets, interpreted.cumulative, interpreted.random)
    work = Stretch(0, 12, 0), tables, interpreted._scratch, None
    with np.errstate(over="ignore"):
        touched = run(interpreted._sampled, interpreted._schedule, *interpreted._rule, *work)
    assert touched == compiled.nodes_touched
    np.testing.assert_array_equal(interpreted.random, compiled.random)
    np.testing.assert_allclose(interpreted.regrets, compiled.regrets, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(interpreted.cumulative, compiled.cumulative, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("game", ["kuhn_poker", "leduc_poker", "liars_dice(dice=1, faces=5)"])
def test_alias_tables_hold_the_probabilities_of_chance(game):
    tree = enumerate_game(cp.load(game))
    sampled = sampling_tree(tree)
    for node in np.flatnonzero(tree.histories.player == -1):
        first, width = int(tree.histories.first_child[node]), int(tree.histories.children[node])
        block = int(sampled.nodes[node, mccfr_kernels.BLOCK])
        found = table_probabilities(sampled.accept[block : block + width], sampled.alias[block : block + width])
        np.testing.assert_allclose(found, tree.histories.probability[first : first + width], atol=1e-14)


def test_alias_tables_of_uneven_chance():
    """Outcomes of very different probability, some of them 0."""
    generator = np.random.default_rng(0)
    for width in (1, 2, 7, 40):
        probability = generator.exponential(size=width) ** 4 * (generator.random(width) > 0.2) + 1e-300
        probability[generator.integers(width)] += 1e-3
        probability[probability < 1e-200] = 0.0
        probability /= probability.sum()
        nodes = np.zeros((width + 1, 4), dtype=np.uint32)
        nodes[0] = mccfr_kernels.CHANCE_KIND, 1, 0, width
        nodes[1:, mccfr_kernels.KIND] = mccfr_kernels.TERMINAL_KIND
        accept, alias = alias_tables(nodes, np.concatenate(([1.0], probability)), width)
        found = table_probabilities(accept, alias)
        np.testing.assert_allclose(found, probability, atol=1e-14)
        assert (found[probability == 0] == 0).all()


def table_probabilities(accept, alias):
    """What an alias table draws."""
    width = len(accept)
    found = accept / width
    np.add.at(found, alias, (1 - accept) / width)
    return found


def test_draws_of_actions_follow_the_weights():
    """In 50,000 draws the shares are right, and an action of weight 0 is never drawn."""
    weights, random = np.array([9.0, 0.0, 1.0, 0.0, 3.0, 2.0, 0.0]), seeded(5)
    total = weights[1:].sum()
    draws = [int(mccfr_kernels.draw_action(random, weights, np.uint64(1), np.uint64(6), total)) for _ in range(50_000)]
    shares = np.bincount(draws, minlength=6) / len(draws)
    expected = weights[1:] / total
    assert (shares[expected == 0] == 0).all()
    assert (np.abs(shares - expected) <= 4 * np.sqrt(expected * (1 - expected) / len(draws))).all()
