"""Partial pruning and best responses off the own path; what every pruning modifier must do."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.games import TERMINAL
from counterpoise.solvers import ALGORITHMS, make_algorithm
from counterpoise.solvers.base import MODIFIERS, Modified
from counterpoise.solvers.kernels.pruning import walk, walk_branch, walk_together
from counterpoise.solvers.matching.regret_matching import RegretMatching
from counterpoise.solvers.tree_solver import walked
from counterpoise.tree import Strategy, enumerate_game, evaluate
from counterpoise.tree.flatten import pruning_tree
from counterpoise.tree.kernels.sequence_form import gradient, realisation_weights
from tests.solvers.helpers import nash_conv_at_nodes

TOGETHER = "cfr(updates=simultaneous)"
FAMILY = ["cfr", TOGETHER, "cfr+", "lcfr", "lcfr+", "dcfr", "pcfr+", "cfr(fallback=argmax)"]
MODIFIED = [
    "cfr/partial-pruning",
    f"{TOGETHER}/partial-pruning(traversals=one)",
    "cfr/best-response",
    "cfr/rbp(theta=2)",
    "cfr+/rbp(theta=2, best_response=False)",
    "dcfr(beta=0.5)/rbp(theta=2)",
    f"{TOGETHER}/rbp(theta=2, traversals=one)",
    "cfr/total-rbp(theta=2, C=0.1)",
    "cfr+/total-rbp(theta=2)",
    "lcfr/total-rbp(theta=2, C=0.01)",
    f"{TOGETHER}/total-rbp(theta=2, traversals=one)",
]

BY_NODES = {
    "cfr": [0.0398, 0.0236, 0.0157],
    "cfr/partial-pruning": [0.0227, 0.0117, 0.0077],
    "cfr/rbp": [0.0144, 0.0083, 0.0043],
    "cfr/total-rbp": [0.0150, 0.0080, 0.0046],
}
"""NashConv on Leduc when 2.0, 4.0 and 7.9 million nodes are touched. Reference: an independent re-computation."""


def sparse_profile(tree, seed):
    """A random profile in which about half of the actions have probability 0, and its plans."""
    random = np.random.default_rng(seed)
    weights = random.random(tree.table.size) * (random.random(tree.table.size) < 0.5)
    strategy = tree.behaviour(weights)
    reach = np.empty_like(strategy)
    for player in range(tree.players):
        realisation_weights(tree.form, player, strategy, reach)
    return strategy, reach


@pytest.mark.parametrize("game", ["kuhn_poker", "leduc_poker", "kuhn_poker(players=3)", "goofspiel(cards=3)"])
def test_a_walk_gives_gradients_and_reach(game):
    """Per sequence what the sequence form gives, per infoset the others' reach; every node touched is reached."""
    tree = enumerate_game(cp.load(game))
    nodes = pruning_tree(tree).nodes
    strategy, reach = sparse_profile(tree, 3)
    expected, singly, together = np.empty_like(reach), walked(tree), walked(tree)
    touched = []
    for player in range(tree.players):
        gradient(tree.form, player, reach, expected)
        touched.append(walk(nodes, player, np.uint64(0), np.uint64(tree.nodes), reach, None, None, singly))
    np.testing.assert_allclose(singly.values, expected, atol=1e-12)
    np.testing.assert_allclose(singly.external, tree.infoset_reach(strategy), atol=1e-12)
    assert all(0 < nodes < tree.nodes for nodes in touched)
    once = walk_together(nodes, reach, None, None, together)
    np.testing.assert_array_equal(together.values, singly.values)
    np.testing.assert_array_equal(together.external, singly.external)
    assert max(touched) <= once < sum(touched)


def test_branches_hold_what_follows_an_action():
    """D(I,a) is every own infoset with (I,a) in its past; a walk of the branch is the walk of the tree, cut out."""
    tree = enumerate_game(cp.load("leduc_poker"))
    form, flat = tree.form, pruning_tree(tree)
    branches = flat.branches
    owner = {s: i for i in range(tree.infosets) for s in range(form.start[i], form.stop[i])}
    past = {}  # the sequences that lead to an infoset
    for i in range(tree.infosets):
        s = int(form.parent[i])
        past[i] = {s} | (past[owner[s]] if s in owner else set())
    _, reach = sparse_profile(tree, 5)
    whole, branch = walked(tree), walked(tree)
    walk(flat.nodes, 0, np.uint64(0), np.uint64(tree.nodes), reach, None, None, whole)
    full, part = whole.values, branch.values
    for i in range(form.first_infoset[1]):
        for s in range(form.start[i], form.stop[i]):
            below = branches.infosets[branches.low[s] : branches.high[s]]
            assert sorted(below) == [j for j in range(form.first_infoset[1]) if s in past[j]]
            walk_branch(flat, 0, i, s, reach, None, branch)
            for j in below:
                np.testing.assert_allclose(part[form.start[j] : form.stop[j]], full[form.start[j] : form.stop[j]])
            assert part[s] == pytest.approx(full[s])


def test_largest_payoff_below_an_action():
    """Against the payoffs found by following every history of Leduc."""
    tree = enumerate_game(cp.load("leduc_poker"))
    histories, form = tree.histories, tree.form
    largest = np.full(tree.table.size, -np.inf)
    for node in np.flatnonzero(histories.player == TERMINAL):
        payoffs, child = histories.payoffs[histories.infoset[node]], node
        while (above := histories.parent[child]) >= 0:
            who = histories.player[above]
            if who >= 0:
                s = form.start[histories.infoset[above]] + child - histories.first_child[above]
                largest[s] = max(largest[s], payoffs[who])
            child = above
    inside = np.isfinite(largest)  # all but the empty sequences
    np.testing.assert_array_equal(pruning_tree(tree).branches.highest[inside], largest[inside])


@pytest.mark.parametrize("algorithm", FAMILY)
def test_24_partial_pruning_changes_nothing(algorithm):
    """Bit for bit the strategies and averages of walks that jump nowhere, and those of the sequence form."""
    pruned, plain, usual = (
        cp.solver("leduc_poker", f"{algorithm}{change}") for change in ["/partial-pruning"] * 2 + [""]
    )
    step_by_step = np.arange(1, plain.tree.nodes + 1, dtype=np.uint32)
    nodes = plain.pruning_tree.nodes._replace(end=step_by_step)
    plain.pruning_tree = plain.pruning_tree._replace(nodes=nodes)
    for solver in (pruned, plain):
        solver.step(200)
    np.testing.assert_array_equal(pruned.current_profile(), plain.current_profile())
    np.testing.assert_array_equal(pruned.cumulative, plain.cumulative)
    again = cp.solver("leduc_poker", f"{algorithm}/partial-pruning")
    again.step(30)
    usual.step(30)
    np.testing.assert_allclose(again.current_profile(), usual.current_profile(), atol=1e-7)
    np.testing.assert_allclose(again.average_profile(), usual.average_profile(), atol=1e-7)
    assert pruned.nodes_touched < 0.7 * 200 * pruned.tree.nodes * 2


def test_one_walk_for_all_plays_the_same():
    """Simultaneous updates with one traversal: the same numbers, nodes between one and two times the tree."""
    two, one = (cp.solver("leduc_poker", f"{TOGETHER}/partial-pruning(traversals={n})") for n in ("two", "one"))
    for solver in (two, one):
        solver.step(100)
    np.testing.assert_array_equal(two.cumulative, one.cumulative)
    assert one.nodes_touched < two.nodes_touched


def test_works_for_three_players():
    usual, pruned = (cp.solver("kuhn_poker(players=3)", f"cfr{change}") for change in ("", "/partial-pruning"))
    for solver in (usual, pruned):
        solver.step(50)
    np.testing.assert_allclose(pruned.average_profile(), usual.average_profile(), atol=1e-9)
    assert pruned.nodes_touched < usual.nodes_touched


def test_nodes_per_iteration_on_leduc():
    """Reference: an independent re-computation counts 1,860 of 3,872 nodes per iteration."""
    solver = cp.solver("leduc_poker", "cfr/partial-pruning")
    solver.step(2000)
    before = solver.nodes_touched
    solver.step(500)
    assert (solver.nodes_touched - before) / 500 == pytest.approx(1860, rel=0.03)


@pytest.mark.parametrize(
    ("updates", "without", "with_it"), [("simultaneous", 0.0326, 0.0201), ("alternating", 0.00826, 0.00525)]
)
def test_best_response_off_path_on_leduc(updates, without, with_it):
    """NashConv after 4,096 iterations. Reference: an independent re-computation."""
    for change, expected in (("partial-pruning", without), ("best-response", with_it)):
        solver = cp.solver("leduc_poker", f"cfr(updates={updates})/{change}")
        solver.step(4096)
        assert evaluate(solver.tree, solver.profile()).nash_conv == pytest.approx(expected, rel=0.15)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", BY_NODES)
def test_nash_conv_by_nodes_on_leduc(algorithm):
    """Within the spread that another order of summation makes."""
    measured = nash_conv_at_nodes("leduc_poker", algorithm, [2.0e6, 4.0e6, 7.9e6])
    np.testing.assert_allclose(measured, BY_NODES[algorithm], rtol=0.2)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", MODIFIED)
def test_resumes_bit_for_bit_in_any_batches(algorithm):
    """300 iterations are 90, a copy of the state into a fresh solver, and 210 more in batches of 7."""
    straight, first, second = (cp.solver("leduc_poker", algorithm) for _ in range(3))
    straight.step(300)
    first.step(90)
    state = first.state()
    first.step(3)
    second.restore(state)
    for _ in range(30):
        second.step(7)
    assert second.iteration == 300
    one, other = straight.state(), second.state()
    assert one.keys() == other.keys()
    for key in one:
        np.testing.assert_array_equal(one[key], other[key], err_msg=key)
    np.testing.assert_array_equal(second.average_profile(), straight.average_profile())
    profile = straight.current_profile()
    sums = [
        profile[low:high].sum() for low, high in zip(straight.tree.form.start, straight.tree.form.stop, strict=True)
    ]
    np.testing.assert_allclose(sums, 1.0, rtol=1e-12)


@pytest.mark.parametrize("algorithm", MODIFIED)
def test_converges_and_saves(tmp_path, algorithm):
    """On Kuhn poker: near the value -1/18 with less than a tenth of the first NashConv; resumes from a file."""
    run = cp.solve("kuhn_poker", algorithm, iterations=1000, progress=False)
    tree = enumerate_game(cp.load("kuhn_poker"))
    assert run.nash_conv < evaluate(tree, Strategy.uniform(tree).probabilities).nash_conv / 10
    assert run.value[0] == pytest.approx(-1 / 18, abs=run.nash_conv)
    assert ALGORITHMS.build(run.algorithm).name == run.algorithm
    cp.solve("kuhn_poker", algorithm, iterations=400, progress=False).save(tmp_path / "part.cpz")
    resumed = cp.solve("kuhn_poker", algorithm, iterations=1000, resume=tmp_path / "part.cpz", progress=False)
    assert resumed.strategy == run.strategy
    assert resumed.nodes_touched == run.nodes_touched


@pytest.mark.parametrize(
    ("algorithm", "why"),
    [
        ("hedge/partial-pruning", "leaves nothing to skip"),
        ("egt/rbp", "goes with the regret-matching family"),
        ("cfr/partial-pruning(traversals=one)", "players who take turns cannot share a walk"),
        ("cfr/rbp(traversals=one)", "players who take turns cannot share a walk"),
        ("cfr/partial-pruning/rbp", "includes other pruning already"),
        ("dcfr/rbp", "would never prune"),
        ("dcfr(beta=-1)/total-rbp", "would never prune"),
        ("dcfr(beta=0.5)/total-rbp", "fade differently"),
        ("pcfr+/rbp", "a predictive variant"),
        ("lcfr+/rbp", "negative regrets are cut while positive ones fade"),
        ("cfr(output=current)/rbp", "not the current strategy"),
        ("hedge(output=current)/threshold/rbp", "not the current strategy"),
        ("hedge/rbp", r"nothing to skip \(but hedge/threshold/rbp is possible\)"),
        ("cfr/threshold/rbp", "thresholded methods are not pruned any further"),
        ("hedge/threshold/total-rbp", r"not pruned any further \(but for hedge/threshold/rbp\)"),
        ("cfr/rbp(best_response=7)", "best_response must be True or False, not 7"),
        ("cfr/total-rbp(best_response=no)", "best_response must be True or False, not 'no'"),
        ("cfr/total-rbp(C=inf)", "C must be a finite number, not inf"),
        ("cfr/rbp(theta=-1)", "theta must be a number of at least 0, not -1"),
        ("cfr/total-rbp(C=-1)", "C must be a number of at least 0, not -1"),
    ],
)
def test_refuses_what_does_not_go_together(algorithm, why):
    with pytest.raises(cp.InputError, match=why):
        ALGORITHMS.build(algorithm)


@pytest.mark.parametrize("change", ["rbp", "total-rbp"])
def test_needs_two_players(change):
    with pytest.raises(cp.InputError, match="needs two players"):
        cp.solver("kuhn_poker(players=3)", f"cfr/{change}")


@pytest.mark.parametrize(
    ("algorithm", "promised"),
    [
        ("cfr/partial-pruning", True),
        ("cfr(average=linear)/partial-pruning", False),
        ("cfr/rbp", True),
        ("cfr+/rbp", False),
        ("cfr+(average=uniform)/rbp", True),
        ("lcfr/rbp", True),
        ("dcfr(beta=0.5)/rbp", False),
        ("cfr/total-rbp", True),
        ("lcfr/total-rbp", True),
        ("cfr+/total-rbp", False),
        ("cfr+(average=uniform)/total-rbp", True),
    ],
)
def test_promises_only_what_is_proven(algorithm, promised):
    """Not for weighted averages of CFR+, nor where positive and negative regrets fade differently."""
    assert bool(ALGORITHMS.build(algorithm).guarantee) == promised


def test_true_and_false_are_read():
    """In small letters too, and the name builds the same again."""
    settings = ALGORITHMS.build("cfr/rbp(best_response=false)")
    assert settings == ALGORITHMS.build("cfr/rbp(best_response=False)")
    assert settings.modifier.best_response is False
    assert ALGORITHMS.build(settings.name) == settings


@pytest.mark.slow
@pytest.mark.parametrize("change", ["partial-pruning", "threshold", "rbp", "total-rbp"])
def test_variants_may_give_one_number_for_all_iterations(change):
    """Discounts and weights that do not depend on t, as plain numbers."""

    class Constant(RegretMatching):
        average_like_regrets = True

        def discounts(self, t):
            return 1.0, 1.0

        def weights(self, t):
            return 1.0

    tree = enumerate_game("kuhn_poker")
    ours, usual = (
        Modified(base=base, modifier=MODIFIERS.build(change)).on(tree) for base in (Constant(), make_algorithm("cfr"))
    )
    for solver in (ours, usual):
        solver.step(50)
    np.testing.assert_array_equal(ours.average_profile(), usual.average_profile())


@pytest.mark.parametrize("algorithm", MODIFIED)
def test_refuses_foreign_states(algorithm):
    solver, leduc = cp.solver("kuhn_poker", algorithm), cp.solver("leduc_poker", algorithm)
    solver.step(2)
    kept = solver.state()
    with pytest.raises(cp.InputError, match="another game"):
        solver.restore(leduc.state())
    with pytest.raises(cp.InputError, match="not one of"):
        solver.restore({"counters": kept["counters"]})
    broken = solver.state()
    broken["regrets"][0] = np.nan
    with pytest.raises(cp.InputError, match="not finite"):
        solver.restore(broken)
    for key, table in solver.state().items():
        np.testing.assert_array_equal(table, kept[key])
