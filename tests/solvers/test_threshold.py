"""Dynamic thresholding: the formulas against plain rewrites, what is skipped and counted, and what it costs."""

import math

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.games import CHANCE, TERMINAL
from counterpoise.tree import evaluate
from counterpoise.tree.kernels.sequence_form import best_response, gradient

from .helpers import HEDGE_TOLERANCE, at, counterfactual


def blocks(tree):
    return [slice(int(low), int(high)) for low, high in zip(tree.form.start, tree.form.stop, strict=True)]


def visits(tree, strategy, player, limit=0.0):
    """By recursion: histories whose chance and opponent probability is positive and at least `limit`.

    Gives their number and, per own sequence, the value of the terminals among them.
    """
    histories, gradient, count = tree.histories, np.zeros(tree.table.size), 0
    stack = [(0, 1.0, int(tree.form.first_sequence[player]))]
    while stack:
        h, reach, own = stack.pop()
        if reach == 0.0 or reach < limit:
            continue
        count += 1
        actor, infoset = histories.player[h], histories.infoset[h]
        if actor == TERMINAL:
            gradient[own] += reach * histories.payoffs[infoset, player]
        for k in range(histories.children[h]):
            child = int(histories.first_child[h]) + k
            sequence = 0 if actor == CHANCE else int(tree.form.start[infoset]) + k
            likely = histories.probability[child] if actor == CHANCE else strategy[sequence]
            stack.append((child, reach if actor == player else reach * likely, sequence if actor == player else own))
    return count, gradient


def thresholded(probabilities, floor):
    """Without what is below the floor, unless it is the largest; divided by its sum."""
    largest = np.arange(len(probabilities)) == probabilities.argmax()
    kept = np.where((probabilities >= floor) | largest, probabilities, 0)
    return kept / kept.sum()


@pytest.mark.slow
@pytest.mark.parametrize("d", [0.3, 2.0, 50.0])
def test_33_hedge_is_the_formula(d):
    """Below d sqrt(ln|A|) / (sqrt(2) |A|^2 sqrt(t)) exactly 0, the rest sums to 1, the maximum survives.

    Values and regrets come from the thresholded strategy; the variance of v(I) is taken from scratch.
    """
    solver = cp.solver("leduc_poker", f"hedge(updates=simultaneous)/threshold(d={d})")
    tree = solver.tree
    regrets, seen, removed = np.zeros(tree.table.size), [], 0
    for t in range(1, 26):
        _, values, v = counterfactual(tree, solver.current_profile())
        seen.append(v)
        solver.step()
        spread = np.std(seen, axis=0)
        played = solver.current_profile()
        for i, block in enumerate(blocks(tree)):
            actions = block.stop - block.start
            regrets[block] += values[block] - v[i]
            scale = spread[i] if spread[i] > 1e-12 * tree.payoff_range[i] else tree.payoff_range[i]
            exponents = math.sqrt(math.log(actions)) / (3 * scale * math.sqrt(t)) * regrets[block]
            weights = np.exp(exponents - exponents.max())
            floor = d * math.sqrt(math.log(actions)) / (math.sqrt(2) * actions**2 * math.sqrt(t + 1))
            expected = thresholded(weights / weights.sum(), floor)
            np.testing.assert_allclose(played[block], expected, atol=1e-9)
            assert ((played[block] == 0) == (expected == 0)).all()
            removed += (expected == 0).sum()
    assert removed > 0


@pytest.mark.slow
@pytest.mark.parametrize("d", [0.3, 2.0])
def test_matching_is_the_formula(d):
    """Regret matching: below (C^2 - 1) / (2 C |A|^2 sqrt(t)), C = 1 + d, probabilities are exactly 0."""
    solver = cp.solver("leduc_poker", f"cfr(updates=simultaneous)/threshold(d={d})")
    tree, factor = solver.tree, 1 + d
    regrets, removed = np.zeros(tree.table.size), 0
    for t in range(1, 51):
        _, values, v = counterfactual(tree, solver.current_profile())
        solver.step()
        played = solver.current_profile()
        for i, block in enumerate(blocks(tree)):
            actions = block.stop - block.start
            regrets[block] += values[block] - v[i]
            positive = np.maximum(regrets[block], 0)
            matched = positive / positive.sum() if positive.sum() > 1e-12 else np.full(actions, 1 / actions)
            floor = (factor**2 - 1) / (2 * factor * actions**2 * math.sqrt(t + 1))
            if positive.sum() <= 1e-12 or (np.abs(matched - floor) < 1e-9).any():
                continue
            expected = thresholded(matched, floor)
            np.testing.assert_allclose(played[block], expected, atol=1e-7)
            removed += ((expected == 0) & (positive > 0)).sum()
        regrets = solver.regrets.copy()
    assert removed > 0


@pytest.mark.parametrize("game", ["leduc_poker", "kuhn_poker(players=3)"])
def test_33_nothing_removed_is_hedge(game):
    """C = 1 reproduces Hedge."""
    plain, zero = cp.solver(game, "hedge"), cp.solver(game, "hedge/threshold(d=0)")
    for solver in (plain, zero):
        solver.step(200)
    np.testing.assert_allclose(zero.current_profile(), plain.current_profile(), atol=1e-8)
    np.testing.assert_allclose(zero.average_profile(), plain.average_profile(), atol=1e-8)


@pytest.mark.parametrize(("d", "share"), [(0.1, 0.26), (0.5, 0.29), (1.0, 0.30)])
def test_33_hedge_on_leduc(d, share):
    """Exploitability at 1,000 within 5 % of plain Hedge for d <= 1, with 20 % of sequences zero or more.

    The shares of zeros of an independent computation: 26, 29 and 30 %, exploitability within 2 %.
    """
    solver = cp.solver("leduc_poker", f"hedge/threshold(d={d})")
    solver.step(1000)
    found = evaluate(solver.tree, solver.average_profile()).exploitability
    plain = at("leduc_poker", "hedge", 1000)[0]
    assert found == pytest.approx(plain, rel=HEDGE_TOLERANCE)
    zeros = (solver.current_profile() == 0).mean()
    assert zeros >= 0.2
    assert zeros == pytest.approx(share, abs=0.01)
    assert solver.nodes_touched < 0.85 * 1000 * 2 * solver.tree.nodes


@pytest.mark.parametrize("algorithm", ["hedge/threshold(d=1e9)", "cfr/threshold(d=1e9)", "hedge/threshold(d=5)"])
def test_the_largest_probability_survives(algorithm):
    """However high the threshold, every infoset plays something."""
    solver = cp.solver("leduc_poker", algorithm)
    for _ in range(20):
        solver.step()
        played = solver.current_profile()
        assert all(played[block].sum() == pytest.approx(1) for block in blocks(solver.tree))
        assert "1e9" not in algorithm or all((played[block] > 0).sum() == 1 for block in blocks(solver.tree))


@pytest.mark.parametrize("algorithm", ["hedge/threshold(d=1)", "cfr/threshold(d=1)", "cfr/threshold(d=0)"])
def test_counts_what_the_opponent_reaches(algorithm):
    """Nodes touched are the histories with a positive probability of chance and the opponent, for each in turn."""
    solver = cp.solver("leduc_poker", algorithm)
    tree = solver.tree
    for _ in range(20):
        before, touched = solver.current_profile(), solver.nodes_touched
        solver.step()
        after = solver.current_profile()
        expected = visits(tree, before, 0)[0] + visits(tree, after, 1)[0]
        assert solver.nodes_touched - touched == expected
    assert solver.nodes_touched < 20 * 2 * tree.nodes


@pytest.mark.parametrize("base", ["hedge", "cfr"])
def test_simultaneous_updates_share_a_walk(base):
    """One walk visits what either player needs: at most every history once, as without thresholds."""
    solver = cp.solver("leduc_poker", f"{base}(updates=simultaneous)/threshold(d=1)")
    tree = solver.tree
    for _ in range(20):
        before, touched = solver.current_profile(), solver.nodes_touched
        solver.step()
        counts = [visits(tree, before, player)[0] for player in range(2)]
        assert max(counts) <= solver.nodes_touched - touched <= min(sum(counts), tree.nodes)


@pytest.mark.parametrize("game", ["rps_plus", "leduc_poker"])
def test_regret_bound(game):
    """Theorem 8: thresholds with d = C - 1 multiply the bound on Hedge's regret by C at most."""
    d = 1.0
    solver = cp.solver(game, f"hedge(rate=theory)/threshold(d={d})")
    delta = solver.tree.payoff_range
    for _ in range(20):
        solver.step(25)
        for i, block in enumerate(blocks(solver.tree)):
            log = math.log(block.stop - block.start)
            bound = delta[i] * (math.sqrt(2 * log * solver.iteration) + math.sqrt(log / 8))
            assert solver.regrets[block].max() <= (1 + d) * bound + 1e-12


def test_matching_without_threshold_is_partial_pruning():
    """C = 1: nothing but branches of probability 0 is left out."""
    plain, zero = cp.solver("leduc_poker", "cfr"), cp.solver("leduc_poker", "cfr/threshold(d=0)")
    for solver in (plain, zero):
        solver.step(200)
    np.testing.assert_allclose(zero.average_profile(), plain.average_profile(), atol=1e-9)
    assert zero.nodes_touched < 0.8 * plain.nodes_touched


def curve(algorithm, first, last):
    """Geometric mean of exploitability over 15 points, and nodes touched."""
    marks = sorted({int(t) for t in np.geomspace(first, last, 15)})
    run = cp.solve("leduc_poker", algorithm, iterations=last, trace_at=marks, progress=False)
    return math.exp(np.mean([math.log(p.exploitability) for p in run.trace])), run.nodes_touched


@pytest.mark.parametrize(("d", "slack"), [(0.01, 0.01), (0.1, 0.03), (0.5, 0.03), (1.0, 0.03)])
def test_34_regret_matching_hardly_changes(d, slack):
    """The curve of regret matching is the same, in the mean over 100 to 1,000 iterations, within 1 %.

    That needs a small d: CFR amplifies any change. Errors of a thousandth in its first regrets move this mean by 2 %
    (one standard deviation); thresholds of 0.1, 0.5 and 1 by 2.0, 1.7 and -0.8 % (each +-0.4, over 48 such starts).
    """
    partial = curve("cfr(updates=simultaneous)/threshold(d=0)", 100, 1000)
    found = curve(f"cfr(updates=simultaneous)/threshold(d={d})", 100, 1000)
    assert found[0] == pytest.approx(partial[0], rel=slack)
    assert found[1] == pytest.approx(partial[1], rel=0.1)


def test_36_thresholded_egt():
    """c = 0.01 saves 20 % of the nodes by 1,000 steps and loses 10 % at most; 0.05 is 1.3 times worse.

    Nodes of an independent computation: 4.69, 4.48, 4.37 and 4.09 million of 5.81.
    """
    marks = range(900, 1001, 10)

    def run(algorithm):
        found = cp.solve("leduc_poker", algorithm, iterations=1000, trace_at=marks, progress=False)
        mean = math.exp(np.mean([math.log(point.exploitability) for point in found.trace]))
        return mean, found.nodes_touched

    plain, light, usual, strong = (
        run(name) for name in ("egt", "egt/threshold(c=0.001)", "egt/threshold(c=0.01)", "egt/threshold(c=0.05)")
    )
    assert plain[1] == 1000 * 3 * 1936
    assert usual[1] <= 0.8 * plain[1]
    assert usual[0] <= 1.1 * plain[0]
    assert strong[0] >= 1.3 * usual[0]
    assert [light[1], usual[1], strong[1]] == pytest.approx([4.69e6, 4.37e6, 4.09e6], rel=0.005)


def test_36_egt_drops_unlikely_terminals():
    """Skipping branches is dropping every terminal whose chance and opponent reach is below the limit."""
    from counterpoise.solvers.kernels.egt import likely_gradient

    solver = cp.solver("leduc_poker", "egt/threshold")
    solver.step(40)
    tree, plan, behaviour = solver.tree, solver.arrays()["plan"], solver.average_profile()
    for limit in (0.01 / 41, 0.003, 0.02):
        for player in range(2):
            out = np.zeros(tree.table.size)
            touched = likely_gradient(tree.form, solver.pruning_tree.nodes, player, plan, limit, out)
            own = slice(int(tree.form.first_sequence[player]), int(tree.form.first_sequence[player + 1]))
            count, gradient = visits(tree, behaviour, player, limit)
            assert touched == count < tree.nodes
            np.testing.assert_allclose(out[own], gradient[own], atol=1e-12)


def test_egt_without_threshold():
    """c = 0 is plain EGT, bit for bit."""
    plain, zero = cp.solver("leduc_poker", "egt"), cp.solver("leduc_poker", "egt/threshold(c=0)")
    for solver in (plain, zero):
        solver.step(50)
    np.testing.assert_array_equal(zero.average_profile(), plain.average_profile())
    assert zero.nodes_touched == plain.nodes_touched


@pytest.mark.long
@pytest.mark.parametrize("game", ["leduc_poker", "kuhn_poker"])
def test_rbp_that_never_prunes_is_thresholded_hedge(game):
    plain = cp.solver(game, "hedge/threshold(d=2)")
    unpruned = cp.solver(game, "hedge/threshold(d=2)/rbp(theta=inf, best_response=False)")
    for solver in (plain, unpruned):
        solver.step(150)
    np.testing.assert_allclose(unpruned.average_profile(), plain.average_profile(), atol=1e-10)
    assert unpruned.nodes_touched == plain.nodes_touched


@pytest.mark.long
def test_rbp_for_hedge_prunes_what_stays_below_the_threshold():
    """A pruned action's bound grows by at least what a best response would have gained (Brown 2020, equation 3.21).

    Its probability at that bound is below the threshold on every iteration on which it stays pruned; what is pruned
    is not played, and its branch plays no part.
    """
    d = 1.0
    solver = cp.solver("leduc_poker", f"hedge(updates=simultaneous)/threshold(d={d})/rbp(theta=5, best_response=False)")
    tree, tables = solver.tree, solver.tables
    checked = 0
    for t in range(1, 201):
        before, profile = {name: table.copy() for name, table in solver.arrays().items()}, solver.current_profile()
        reach, _, v = counterfactual(tree, profile)
        best = np.zeros(tree.table.size)
        for player in range(2):
            gradient(tree.form, player, reach, best)
            best_response(tree.form, player, best, np.zeros(tree.table.size))
        solver.step()
        for i, block in enumerate(blocks(tree)):
            actions = block.stop - block.start
            hidden = solver.arrays()["hidden"][i]
            kept = [s for s in range(block.start, block.stop) if not tables.pruned[s]]
            assert kept
            for s in range(block.start, block.stop):
                if tables.pruned[s] and not hidden:
                    assert tables.strategy[s] == 0
                    largest = tables.regrets[kept].max()
                    spread = np.sqrt(solver.arrays()["deviation"][i] / solver.arrays()["visits"][i])
                    rate = math.sqrt(math.log(actions) / t) / (3 * spread)
                    mine = np.exp(rate * (tables.bound[s] - largest))
                    share = mine / (mine + np.exp(rate * (tables.regrets[kept] - largest)).sum())
                    assert share < d * math.sqrt(math.log(actions) / (2 * (t + 1))) / actions**2 + 1e-12
                    if before["pruned"][s] and tables.missed[s] != 0.0:
                        grown = tables.bound[s] - before["bound"][s]
                        assert grown >= best[s] - v[i] - 1e-12
                        checked += 1
    assert checked > 1000


@pytest.mark.parametrize("game", ["leduc_poker"])
def test_rbp_for_hedge_saves_nodes(game):
    """Fewer histories for about the same exploitability at equal iterations."""
    plain, pruned = cp.solver(game, "hedge/threshold"), cp.solver(game, "hedge/threshold/rbp")
    for solver in (plain, pruned):
        solver.step(2000)
    values = [evaluate(solver.tree, solver.average_profile()).exploitability for solver in (plain, pruned)]
    assert pruned.nodes_touched < 0.85 * plain.nodes_touched
    assert values[1] <= 1.15 * values[0]


MODIFIED = ["hedge/threshold", "hedge/threshold/rbp", "hedge(updates=simultaneous)/threshold/rbp(traversals=one)",
             "hedge(updates=simultaneous)/threshold(d=1)", "cfr/threshold", "cfr+/threshold",
            "dcfr/threshold", "egt/threshold"]  # fmt: skip


@pytest.mark.parametrize("algorithm", MODIFIED)
def test_resumes_converges_and_has_a_name(algorithm):
    straight, first, second = (cp.solver("leduc_poker", algorithm) for _ in range(3))
    straight.step(20)
    first.step(7)
    second.restore(first.state())
    second.step(13)
    for name, array in straight.state().items():
        np.testing.assert_array_equal(second.state()[name], array)
    straight.step(980)
    assert evaluate(straight.tree, straight.average_profile()).exploitability < 0.1
    assert cp.make_algorithm(straight.settings.name) == straight.settings


@pytest.mark.slow
@pytest.mark.parametrize("d", [50, 1e4])
@pytest.mark.parametrize("theta", [1, 25])
@pytest.mark.parametrize("game", ["kuhn_poker", "leduc_poker"])
def test_pruning_never_takes_the_largest_probability(game, theta, d):
    """However large the threshold: the largest is never removed, so the action that has it comes back in time.

    Without best responses off the own path, which do harm, pruned or not, while the threshold leaves nothing but the
    largest (see the next test).
    """
    change = f"/rbp(theta={theta}, best_response=False)"
    pruned, plain = (cp.solver(game, f"hedge/threshold(d={d}){end}") for end in (change, ""))
    for solver in (pruned, plain):
        solver.step(4000)
    found, usual = (evaluate(each.tree, each.average_profile()).exploitability for each in (pruned, plain))
    assert found < 2 * usual < 0.04
    assert pruned.nodes_touched < plain.nodes_touched


@pytest.mark.long
@pytest.mark.parametrize("theta", [25, "inf"])
def test_a_large_threshold_delays_the_guarantee(theta):
    """Up to iteration 2 d^2 ln|A| / |A|^4 Hedge follows the leader, whatever d, whose regret may grow as fast as t.

    With best responses off the own path it does on Leduc, even if nothing is pruned (theta = inf). With d = 200 that
    ends at iteration 1,085 or 3,466, for three or two actions, and then NashConv falls about as fast as 1 / t.
    """
    solver, larger = (cp.solver("leduc_poker", f"hedge/threshold(d={d})/rbp(theta={theta})") for d in (200, 1e4))
    for each in (solver, larger):
        each.step(1000)
    early = evaluate(solver.tree, solver.average_profile()).nash_conv
    assert evaluate(larger.tree, larger.average_profile()).nash_conv == pytest.approx(early, rel=1e-6)
    assert early > 0.2
    found = []
    for mark in (4000, 8000, 16_000):
        solver.step(mark - solver.iteration)
        found.append(evaluate(solver.tree, solver.average_profile()).nash_conv)
    assert found[0] < early
    assert found[1] < 0.75 * found[0]
    assert found[2] < 0.65 * found[1]


@pytest.mark.parametrize(
    ("text", "covered"),
    [("hedge/threshold", True), ("hedge(output=current)/threshold", False), ("cfr/threshold", True),
     ("dcfr/threshold", True), ("egt/threshold", False)],
)  # fmt: skip
def test_guarantees(text, covered):
    assert bool(cp.make_algorithm(text).guarantee) == covered


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("pcfr+/threshold", "plays what it predicts"),
        ("egt(steps=aggressive)/threshold", "exact gradients"),
        ("fp/threshold", "goes with hedge, egt and the regret-matching family"),
        ("hedge/threshold/threshold", "goes with hedge, egt"),
        ("hedge/rbp", "goes with the regret-matching family"),
        ("egt/threshold/rbp", "rbp does not go with egt/threshold"),
        ("hedge/threshold(c=0.5)", "c means nothing to hedge: set d"),
        ("egt/threshold(d=2)", "d means nothing to egt: set c"),
        ("hedge/threshold(d=-1)", "d must be a number of at least 0, not -1"),
        ("egt/threshold(c=inf)", "c must be a finite number, not inf"),
    ],
)
def test_refusals(text, reason):
    with pytest.raises(cp.InputError, match=reason.replace("+", r"\+")):
        cp.make_algorithm(text)
