"""Johanson 2016, chapter 9: limit hold'em solved past memory. Its arithmetic, and the same program on a small deck."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import comb
from typing import Any

from counterpoise.evaluation.solved import bracket_value
from counterpoise.games import load
from counterpoise.jobs import TracePoint
from counterpoise.reproduce.harness.report import Claim, Declared, Lab, by_row
from counterpoise.reproduce.harness.runs import Runs, RunSeries, convergence, log_spaced
from counterpoise.reproduce.harness.verdicts import NotMeasured, Verdict, short
from counterpoise.solvers.out_of_core import OutOfCoreRun, Partition, solve_out_of_core
from counterpoise.solvers.out_of_core.estimate import MEASURED, Projection

SMALL = "limit_holdem(board=[0, 3], ranks=5)"
YEAR = 365.25
LABEL = "current strategy"


def arithmetic(lab: Lab) -> Iterator[Declared]:
    """Count limit hold'em, and compute what the printed figures of the run imply of each other."""
    printed = lab.published("out_of_core")
    sizes, run = printed["sizes"], printed["run"]
    lab.begin("sizes of limit hold'em")
    whole, two = (Partition.of(load(name)) for name in ("limit_holdem", "limit_holdem(board=[0, 3])"))
    streets = [[tree for tree in whole.trees if tree.street == street] for street in range(4)]
    actions = [sum(len(one.actions) for tree in trees for one in tree.decisions) for trees in streets]
    regrets = sum(count * states for count, states in zip(actions, whole.states, strict=True))
    dealt = comb(52, 2) * comb(50, 2)
    states, left = 0, 48
    for trees, new in zip(streets, (0, 3, 1, 1), strict=True):
        dealt, left = dealt * comb(left, new), left - new
        states += dealt * sum(len(tree.decisions) for tree in trees)
    subgames = two.deals * sum(len(tree.decisions) > 0 for tree in streets[2])
    counted = {
        "information sets": (float(whole.information_sets), sizes["information_sets"]),
        "decision states": (float(states), sizes["decision_states"]),
        "TB of regrets and average, single precision": (8 * regrets / 2**40, sizes["terabytes"]),
        "TB of regrets and average, double precision": (16 * regrets / 2**40, sizes["terabytes_double"]),
        "subgames after the flop's betting": (subgames, sizes["subgames"]),
        "information sets of the first two rounds": (two.information_sets, sizes["flop_information_sets"]),
    }
    lab.data["counted"] = {name: pair[0] for name, pair in counted.items()}
    yield by_row(
        "Sizes of limit hold'em, hands that suits make the same counted once",
        "quantity",
        counted,
        {"ours": (lambda name: _figure(counted[name][0]), lambda name: _figure(counted[name][1]))},
    )
    hands = comb(49, 2)
    machines = {
        count: Projection(regrets, subgames, 1, hands, run["iterations"], count) for count in (1, 10, 100, 1_000)
    }
    yield by_row(
        f"What {run['iterations']:,} iterations would take by this package, cut as Cepheus was: "
        f"{MEASURED.iteration:.1f} ns a regret and iteration; "
        f"machines of {machines[1].cores} cores at ${machines[1].price} an hour each",
        "machines",
        machines,
        {
            "core-years": lambda count: f"{machines[count].core_years:.0f}",
            "days": lambda count: f"{machines[count].days:,.1f}",
            "memory of each, GB": lambda count: f"{machines[count].memory_gb:,.0f}",
            "disk in all, TB": lambda count: f"{machines[count].disk_tb:.0f}",
            "disk, MB/s of each": lambda count: f"{machines[count].disk_traffic:,.0f}",
            "head's network, GB an iteration": lambda count: f"{machines[count].network_gb:,.0f}",
            "dollars": lambda count: f"{machines[count].dollars:,.0f}",
        },
    )

    def printed_sizes() -> Verdict:
        gaps = {name: abs(own / said - 1) for name, (own, said) in counted.items()}
        worst = max(gaps, key=lambda name: gaps[name])
        return gaps[worst] < 0.005, f"the largest gap is {100 * gaps[worst]:.2f} %, {worst}"

    def core_years() -> Verdict:
        found = run["nodes"] * run["cores"] * run["days"] / YEAR
        return abs(found - run["core_years"]) < 1, f"{run['nodes'] * run['cores']:,} cores x 68.5 days = {found:.1f}"

    def days() -> Verdict:
        found = run["iterations"] * run["minutes"] / 1440
        return abs(found / run["days"] - 1) < 0.05, f"1,579 x 61 minutes are {found:.1f} days of {run['days']}"

    def ratio() -> Verdict:
        plain = 4 * regrets / 2**40
        bits = 32 / run["ratio"]
        told = f"{plain:.1f} TB of regrets / {run['ratio']} = {plain / run['ratio']:.2f} TB, {bits:.1f} bits each"
        return abs(plain / run["ratio"] / run["disk_terabytes"] - 1) < 0.1, told

    yield Claim("sizes", printed_sizes)
    yield Claim("core-years", core_years)
    yield Claim("days", days)
    yield Claim("ratio", ratio)


def convergence_by_iterations(lab: Lab, iterations: int = 1_000) -> Iterator[Declared]:
    """Solve a small deck with the program that solves large ones, and measure its current strategies on the way."""
    printed = lab.published("out_of_core")
    found = _solved(lab, iterations)
    points = [(point.iteration, 500 * point.exploitability) for point in found.trace] if found else []
    runs = Runs(SMALL)
    runs.series[LABEL] = RunSeries("cfr+", [TracePoint(t, mbb, 0, 0.0) for t, mbb in points])
    chosen = [point for point in points if point[0] in {10, 30, 100, 300, iterations}]
    lab.data["trace"] = points
    yield by_row(
        f"Exploitability of CFR+'s current strategies on {SMALL}, mbb per game",
        "iterations",
        [t for t, _ in chosen],
        {"exploitability": dict(chosen).__getitem__},
    )

    def falls() -> Verdict:
        by_t = dict(points)
        steps = [t for t in (10, 100, iterations) if t in by_t]
        told = ", ".join(f"{short(by_t[t])} at {t:,}" for t in steps)
        return all(by_t[b] < by_t[a] / 4 for a, b in pairwise(steps)), told

    def solved() -> Verdict:
        own = _needed(found)
        told = f"{own.mbb_per_game:.3f} after {own.iterations:,} iterations"
        told += f", printed {printed['solution']['exploitability']}"
        return own.mbb_per_game < 1, told

    def bounds() -> Verdict:
        own, (low, high) = _needed(found), printed["solution"]["bracket"]
        width = own.value_bracket[1] - own.value_bracket[0]
        told = f"width {width:.3f}, twice the exploitability {2 * own.mbb_per_game:.3f}; printed "
        told += f"{bracket_value([high, -low]).width:.1f} and {2 * printed['solution']['exploitability']:.3f}"
        return abs(width - 2 * own.mbb_per_game) < 1e-9, told

    def dealer() -> Verdict:
        low, high = _needed(found).value_bracket
        return low > 0, f"between {low:.1f} and {high:.1f} mbb per game, printed 87.7 and 89.7"

    def compressed() -> Verdict:
        own = _needed(found)
        return 32 / own.bits_per_regret >= printed["run"]["ratio"], f"32 / {own.bits_per_regret:.2f} bits = " + (
            f"{32 / own.bits_per_regret:.1f}"
        )

    yield Claim("falls", falls)
    yield Claim("solved", solved)
    yield Claim("bounds", bounds)
    yield Claim("dealer", dealer)
    yield Claim("compressed", compressed)
    yield convergence("CFR+ past memory: current strategies", {"mbb per game": runs}, thin=False)


def first_decisions(lab: Lab, iterations: int = 300) -> Iterator[Declared]:
    """Tabulate two early decisions of the solution of a small deck: the dealer's first, and the answer to a raise."""
    said = lab.published("out_of_core")["solution"]
    found = _solved(lab, iterations, last=True)
    grids = found.first_round if found else {}
    lab.data["first_round"] = grids
    for title, line in (("First action as the dealer", ""), ("First action after a dealer's raise", "b4")):
        grid: dict[str, Any] = grids.get(line, {})
        actions: dict[str, float] = next(iter(grid.values()), {})
        yield by_row(
            f"{title} on {SMALL}, in per cent",
            "hand",
            grid,
            {{"f": "fold", "c": "call"}.get(action, "raise"): _share_of(grid, action) for action in actions},
        )

    def limps() -> Verdict:
        own = _needed(found)
        most = max(row["c"] for row in grids[""].values())
        told = f"{own.limps:.2%} of hands, at most {most:.2%}; "
        told += f"printed {said['limps']:.2%} and {said['most_limps']:.1%}"
        return own.limps < 0.01 and most < 0.05, told

    def caps() -> Verdict:
        own = _needed(found)
        aces = grids["b4:b6"]["AA"]["b8"]
        told = f"the dealer makes the last bet in {own.caps:.2%} of hands, aces in {aces:.2%} of their chances"
        return own.caps < 0.001 and aces < 0.01, told

    def wide() -> Verdict:
        _needed(found)
        folds = sum(row["f"] for row in grids["b4"].values()) / len(grids["b4"])
        return folds < 0.25, f"the mean over kinds of hands is {folds:.1%} folds"

    yield Claim("limps", limps)
    yield Claim("caps", caps)
    yield Claim("wide", wide)


def _solved(lab: Lab, iterations: int, last: bool = False) -> OutOfCoreRun | None:
    """Return the run in memory, None if it was stopped."""
    marks = [iterations] if last else sorted({*log_spaced(iterations), 10, 30, 100, 300, iterations})
    with lab.stoppable():
        lab.begin(f"CFR+ past memory on {SMALL}, {iterations:,} iterations")
        found = solve_out_of_core(
            SMALL,
            None,
            iterations=iterations,
            measure_at=[mark for mark in marks if mark <= iterations],
            progress=lab.progress,
            cancel=lab.cancel,
        )
        return None if found.interrupted else found
    return None


def _needed(found: OutOfCoreRun | None) -> OutOfCoreRun:
    if found is None:
        raise NotMeasured("the run was stopped")
    return found


def _share_of(grid: dict[str, dict[str, float]], action: str) -> Any:
    return lambda hand: f"{100 * grid[hand][action]:.2f}"


def _figure(number: float) -> str:
    return f"{number:.3g}" if number >= 1e9 else f"{number:,.0f}"
