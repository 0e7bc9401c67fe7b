"""Brown 2020, section 3.2: warm starts inside a run of CFR, the projection of T, the factor lambda, and what happens
without regrets.

The source uses limit flop hold'em; here it is Leduc. Runs are continued from the average strategy of CFR after T0
iterations and compared with the run that went on undisturbed (figures 3.9, 3.11, 3.12). The naive start plays the given
strategy on the first iteration and forgets it on the second. The other extreme, regret-free CFR, sets the regrets anew
from the average on every iteration and follows CFR closely (3.2.2, figure 3.8).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from counterpoise.games.matrix import Matrix
from counterpoise.reproduce.harness.racing import figures_at, follow
from counterpoise.reproduce.harness.report import Claim, Column, Declared, Figures, Lab, Table, beside, by_row, cell
from counterpoise.reproduce.harness.runs import Runs, RunSeries, convergence, log_spaced
from counterpoise.reproduce.harness.verdicts import Verdict, listed, short
from counterpoise.solvers import TracePoint, TreeSolver, make_algorithm, make_solver
from counterpoise.solvers.warm_start.warm_start import WarmStart, projected_iterations, warm_start
from counterpoise.tree import Strategy, enumerate_game, evaluate
from counterpoise.tree.kernels.sequence_form import realisation_weights

LEDUC = "leduc_poker"
UNINTERRUPTED, WARM, ZERO_REGRETS, ZERO_FACTOR = "uninterrupted", "warm start", "regrets zero", "lambda = 0"
PUBLISHED_FACTORS = (0.0, 0.05, 0.1, 0.5)


def inside_cfr(lab: Lab, longest: int = 2_500) -> Iterator[Declared]:
    """Restart after 100 and 500 iterations, with two controls; and project T for each."""
    known, parts = lab.published("warm_start"), dict[str, Runs]()
    pairs: list[tuple[Runs, int]] = []
    for updates, restarts in known["restarts"].items():
        for iterations, reference in restarts.items():
            name, marks = f"{updates}, after {iterations}", reference[WARM]
            parts[name] = runs = _restarts(lab, updates, iterations, max(marks))
            pairs += [(runs, mark) for mark in marks]
            lab.data[name] = _rows(runs)
            yield from beside(
                f"Leduc, {name} iterations of CFR: exploitability after more iterations",
                "run",
                (UNINTERRUPTED, WARM, ZERO_FACTOR, ZERO_REGRETS),
                {mark: f"+{mark:,}" for mark in marks},
                runs.at,
                reference,
                per_table=4,
            )
    projected, found, solver = lab.data.setdefault("projected", {}), dict[int, float](), make_solver(LEDUC, "cfr")
    for iterations in [t for t in known["published_t"] if t <= longest]:
        solver.step(iterations - solver.iteration)
        found[iterations] = evaluate(solver.tree, solver.average_profile()).exploitability
        projected[iterations], _ = projected_iterations(solver.settings, solver.tree, found[iterations])
    columns = {"exploitability": found, "T, Leduc": projected, "T, flop hold'em (published)": known["published_t"]}
    yield by_row("T projected from ten iterations of CFR", "iterations", found, columns)

    def between(low: float, high: float, other: str) -> Verdict:
        found = [runs.at(WARM, mark) / runs.at(other, mark) for runs, mark in pairs]
        return low <= min(found) and max(found) <= high, f"{min(found):.2f} to {max(found):.2f} of it"

    def close() -> Verdict:
        ratios = [iterations / chosen for iterations, chosen in projected.items()]
        told = ", ".join(f"{chosen:,} for {iterations:,}" for iterations, chosen in projected.items())
        return max(max(ratios), 1 / min(ratios)) <= 1.4, told

    yield Claim("like-undisturbed", between, 0.75, 1.25, UNINTERRUPTED)
    yield Claim("better-than-zero-factor", between, 0, 1, ZERO_FACTOR)
    yield Claim("better-than-zero-regrets", between, 0, 1, ZERO_REGRETS)
    yield Claim("projected-t", close)
    yield convergence("CFR on Leduc, warm started on the way", parts, thin=False)


def _restarts(lab: Lab, updates: str, iterations: int, further: int) -> Runs:
    runs, algorithm = Runs(LEDUC), f"cfr(updates={updates})"
    source = make_solver(LEDUC, algorithm)
    source.step(iterations)
    marks = [*log_spaced(further), *(iterations * k for k in (1, 2, 4, 9) if iterations * k <= further), further]
    strategy = source.average
    for label, factor in ((WARM, None), (ZERO_FACTOR, 0.0)):
        solver = make_solver(LEDUC, algorithm)
        warm_start(solver, strategy, iterations=iterations, factor=factor)
        follow(lab, runs, label, solver, marks)
    solver = make_solver(LEDUC, algorithm)  # with the average of the source, but regrets of zero
    solver.restore(solver.state() | {name: source.state()[name] for name in ("counters", "cumulative")})
    follow(lab, runs, ZERO_REGRETS, solver, marks)
    follow(lab, runs, UNINTERRUPTED, source, marks)
    return runs


def _rows(runs: Runs) -> dict[str, list[list[float]]]:
    """Return iteration, exploitability and histories touched of every point."""
    return {
        label: [[p.iteration, p.exploitability, p.nodes_touched] for p in s.points] for label, s in runs.series.items()
    }


def projection(lab: Lab, iterations: int = 10_000) -> Iterator[Declared]:
    """Compare CFR on Leduc with c / T, c from the tenth iteration or from the geometric mean of the first ten."""
    known, runs = lab.published("warm_start"), Runs(LEDUC)
    marks = [*range(1, 11), *known["products"], *log_spaced(iterations)]
    follow(lab, runs, "CFR", make_solver(LEDUC, "cfr"), [t for t in marks if t <= iterations])
    products = Figures({point.iteration: point.iteration * point.exploitability for point in runs.points("CFR")})
    lab.data["products"] = dict(products)
    if 10 not in products:
        return
    tenth, mean = known["constants"]
    constants = {tenth: products[10], mean: math.exp(np.log([products[t] for t in range(1, 11)]).mean())}
    lab.data["constants"] = constants
    caption = "c of the projection c / T on Leduc (flop hold'em, published: 10.82)"
    yield by_row(caption, "from", constants, {"ours": (constants, known["constants"])})
    shown = (*known["products"], iterations)
    yield by_row("Exploitability times T on Leduc", "T", shown, {"ours": (products, known["products"])})

    def within(name: str, last: int, limit: float) -> Verdict:
        runs.at("CFR", last)
        ratios = [products[t] / constants[name] for t in products if 10 <= t <= last]
        factor = max(max(ratio, 1 / ratio) for ratio in ratios)
        return factor <= limit, f"{factor:.2f} on Leduc"

    yield Claim("tenth", within, tenth, 1_000, 1.4)
    yield Claim("mean", within, mean, 1_000, 1.9)
    yield Claim("tenth-long", within, tenth, 10_000, 1.4)
    runs.series["projection"] = RunSeries("", [TracePoint(t, constants[tenth] / t, 0, 0.0) for t in products])
    yield convergence("CFR on Leduc and its projection", {"": runs}, thin=False)


def factors(lab: Lab) -> Iterator[Declared]:
    """Restart after 500 iterations of CFR with fixed factors, with the reach squared and as it is."""
    squared, plain, reference = Runs("squared reach"), Runs("reach"), lab.published("warm_start")["factors"]
    source = make_solver(LEDUC, "cfr")
    source.step(500)
    strategy, marks = source.average, [*log_spaced(1_000), 500, 1_000]
    chosen: dict[str, WarmStart] = {}
    fitted = [float(label.removeprefix("lambda = ")) for label in reference]
    for runs, fixed in ((squared, fitted), (plain, PUBLISHED_FACTORS)):
        for factor in (None, *fixed):
            solver = make_solver(LEDUC, "cfr")
            start = warm_start(solver, strategy, iterations=500, factor=factor, squared_reach=runs is squared)
            if factor is None:
                chosen[runs.game] = start
            follow(lab, runs, _named(factor), solver, marks)
    follow(lab, squared, UNINTERRUPTED, source, marks)
    plain.series[UNINTERRUPTED] = squared.series[UNINTERRUPTED]

    def ratio(runs: Runs, factor: float | str | None, mark: int = 1_000) -> float:
        label = factor if isinstance(factor, str) else _named(factor)
        return runs.at(label, mark) / runs.at(UNINTERRUPTED, mark)

    for runs in (squared, plain):
        lab.data[runs.game] = _rows(runs)
        columns = list[Any]()
        for mark in (500, 1_000):
            known = {label: own.get(mark) for label, own in reference.items()} if runs is squared else {}
            columns += [(f"+{mark:,}", partial(runs.at, iterations=mark))]
            columns += [("ratio", (partial(ratio, runs, mark=mark), known))]
        caption = f"Leduc, {runs.game}: exploitability and its ratio to the undisturbed run"
        table = by_row(caption, "", runs.series, columns)
        table.rows[0][0] = f"searched ({chosen[runs.game].factor:.2g})"
        yield table

    def degrades() -> Verdict:
        first, second = ratio(squared, 0.5), ratio(plain, 0.5)
        return min(first, second) >= 5, f"{first:.1f} times with the reach squared, {second:.1f} without"

    def transferable() -> Verdict:
        there, here = ratio(plain, 0.05), ratio(plain, None)
        told = f"{here:.2f} with lambda = {chosen['reach'].factor:.2g} as searched"
        return there >= 2 * here, f"{there:.1f} times the undisturbed run, {told}"

    small = [(factor, mark) for factor in (4e-5, 1e-3) for mark in (500, 1_000)]
    yield Claim("small-factors", lambda: _within([ratio(squared, *pair) for pair in small], 1.2))
    yield Claim("large-factor", degrades)
    yield Claim("published-factors", lambda: _within([ratio(plain, own) for own in PUBLISHED_FACTORS[:3]], 1.25))
    yield Claim("not-transferable", transferable)
    title = "CFR on Leduc, warm started after 500 iterations"
    yield convergence(title, {"squared reach": squared, "reach": plain}, thin=False)


def _named(factor: float | None) -> str:
    return "searched" if factor is None else f"lambda = {factor:g}"


def _within(ratios: Sequence[float], limit: float) -> Verdict:
    return max(ratios) <= limit, f"ratios {listed(ratios, '.2f')}"


EXAMPLE = Matrix(row_payoffs=((1, 0), (0, 2)))
START = {"P1": {"r1": 0.67, "r2": 0.33}, "P2": {"c1": 0.67, "c2": 0.33}}
COLD, NAIVE, WARM = "CFR", "naive start", "warm start"
SIMULTANEOUS, REGRET_FREE, ALTERNATING = "CFR, simultaneous", "regret-free CFR", "CFR, alternating"
SHOWN = (1, 2, 10, 100, 1_000)


def naive(lab: Lab) -> Iterator[Declared]:
    """Start both players near the equilibrium of [[1, 0], [0, 2]] and watch the next iterations."""
    tree = enumerate_game(EXAMPLE)
    strategy = Strategy.from_mapping(tree, START)
    solvers = {label: make_solver(EXAMPLE, "cfr(updates=simultaneous)") for label in (COLD, NAIVE, WARM)}
    play_first(solvers[NAIVE], strategy)
    start = warm_start(solvers[WARM], strategy)
    first, second = (slice(int(low) + 1, int(low) + 3) for low in tree.form.first_sequence[:2])
    solvers[NAIVE].step()
    regrets = solvers[NAIVE].state()["regrets"]
    current = {label: solver.current_profile() for label, solver in solvers.items()}
    solvers[NAIVE].step()
    found = [regrets[first], regrets[second], solvers[NAIVE].state()["regrets"][first]]
    lab.data["regrets"] = [pair.tolist() for pair in found]
    lab.data["second iteration"] = {label: profile[first].tolist() for label, profile in current.items()}
    known = lab.published("regret_free")["published"]
    ours = dict(zip(known, found, strict=True))
    yield by_row(
        "Regrets of the naive start; both players begin with (0.67, 0.33), the equilibrium is (2/3, 1/3)",
        "",
        known,
        {"ours": lambda name: _pair(ours[name]), "published": lambda name: _pair(known[name])},
    )
    runs = Runs("[[1, 0], [0, 2]]")
    solvers[NAIVE] = make_solver(EXAMPLE, "cfr(updates=simultaneous)")
    play_first(solvers[NAIVE], strategy)
    for label, solver in solvers.items():
        follow(lab, runs, label, solver, log_spaced(1_000))
    lab.data["curves"] = runs.to_json()
    columns: dict[str, Column] = {"second strategy": lambda label: _pair(current[label][first])}
    columns |= {f"+{mark:,}": partial(runs.at, iterations=mark) for mark in SHOWN}
    yield by_row("Player 1's strategy after the start, and exploitability afterwards", "", solvers, columns)

    def leaves() -> Verdict:
        own, other = current[NAIVE][first], current[NAIVE][second]
        return np.array_equal(np.r_[own, other], [1, 0, 0, 1]), f"{_pair(own)} and {_pair(other)}"

    def half(label: str, better: bool) -> Verdict:
        """Judge whether a start has at most (or at least) half the exploitability of starting from scratch."""
        found, cold = runs.at(label, 100), runs.at(COLD, 100)
        told = f"exploitability {short(found)} against {short(cold)} after 100"
        return found <= 0.5 * cold if better else found >= 0.5 * cold, told

    yield Claim("leaves-equilibrium", leaves)
    yield Claim("naive-no-better", half, NAIVE, False)
    yield Claim("warm-better", half, WARM, True)
    yield f"The warm start counts as T = {start.iterations:,} iterations."
    yield convergence("[[1, 0], [0, 2]] from near the equilibrium", {"": runs}, thin=False)


def play_first(solver: TreeSolver, strategy: Strategy) -> None:
    """Make a fresh solver play the strategy on its first iteration, with regrets of zero: the naive start."""
    profile = strategy.on(solver.tree)
    reach = np.ones_like(profile)
    for player in range(solver.tree.players):
        realisation_weights(solver.tree.form, player, profile, reach)
    solver.restore(solver.state() | {"strategy": profile, "reach": reach})


def _pair(numbers: Any) -> str:
    return "(" + ", ".join(f"{number:.4f}" for number in numbers) + ")"


def regret_free(lab: Lab, games: int = 64, iterations: int = 1_024, size: int = 100) -> Iterator[Declared]:
    """Measure means over games whose payoffs are drawn evenly from [-1, 1]."""
    reference, runs = lab.published("regret_free")["reference"], Runs("")
    powers = [t for t in reference[SIMULTANEOUS] if t <= iterations]
    marks = sorted({*powers, *log_spaced(iterations)})
    found: list[list[list[float]]] = []  # by game, algorithm and mark
    with lab.stoppable():
        lab.begin(f"{games} games of {size} x {size}")
        for game in range(games):
            payoffs = np.random.default_rng(game).uniform(-1, 1, (size, size))
            tree = enumerate_game(Matrix(row_payoffs=payoffs))  # type: ignore[arg-type]
            found.append([figures_at(make_algorithm(name).on(tree), marks) for name in lab.algorithms.values()])
            lab.show((game + 1) / games, f"game {game + 1} of {games}")
    for label, rows in zip(lab.algorithms, zip(*found, strict=True), strict=False):
        means = [float(np.mean(row)) for row in zip(*rows, strict=True)]
        points = [TracePoint(t, mean, 0, 0.0) for t, mean in zip(marks, means, strict=True)]
        runs.series[label] = RunSeries(lab.algorithms[label], points)
    curves = {label: {p.iteration: p.exploitability for p in own.points} for label, own in runs.series.items()}
    lab.data |= {"games": len(found), "means": {label: curves.get(label, {}) for label in lab.algorithms}}
    shown = list[list[Any]]()
    for label, figures in reference.items():
        shown += [[label, *(cell(runs.at, label, t) for t in powers)], ["  reference", *(figures[t] for t in powers)]]
    yield Table(
        f"Mean exploitability, {len(found)} games of {size} x {size}", ["T", *(f"{t:,}" for t in powers)], shown
    )

    def near(known: Callable[[str, int], float], *labels: str) -> Verdict:
        ratios = [runs.at(label, t) / known(label, t) for label in labels for t in powers]
        worst = max(ratios, key=lambda ratio: abs(ratio - 1))
        return abs(worst - 1) <= 0.08, f"the farthest ratio is {worst:.3f}"

    yield Claim("like-cfr", near, lambda label, t: runs.at(SIMULTANEOUS, t), REGRET_FREE)
    yield Claim("reference", near, lambda label, t: reference[label][t], *reference)
    yield convergence(f"Random {size} x {size} matrix games", {"": runs}, thin=False)
