"""BROWN 3.1.2: one huge early mistake, and how long each way of weighting iterations remembers it.

Three actions pay 0, 1 and -1,000,000. The first, uniform iteration leaves the useless first action with a regret of
a third of a million, which later iterations wear down by at most one each, unless old regrets fade.
"""

from __future__ import annotations

from collections.abc import Iterator

from counterpoise.games import load
from counterpoise.reproduce.harness.experiment import Lab, experiment
from counterpoise.reproduce.harness.published import published
from counterpoise.reproduce.harness.report import Claim, Declared, Table, listed
from counterpoise.solvers import TreeSolver, make_solver

BEST = "a2"
BATCH = 4096
ALGORITHMS = {"CFR": "cfr", "CFR+": "cfr+", "LCFR": "lcfr", "DCFR(3/2,0,2)": "dcfr"}


@experiment(
    "three-actions",
    "Iterations until a 3-action example plays its best action for certain",
    "BROWN 3.1.2",
    seconds=2,
)
def three_actions(lab: Lab) -> Iterator[Declared]:
    """The first iteration of CFR, CFR+, LCFR and DCFR whose strategy is the best action alone."""
    known = published("three_actions")
    found = {label: first_certain(name, lab) for label, name in ALGORITHMS.items()}
    solver = make_solver(load("three_action_bandit"), "cfr+")
    solver.step()
    regrets = [float(regret) for regret in solver.arrays()["regrets"][1:]]
    lab.data |= {"first_iteration": found, "cfr_plus_regrets_after_one_iteration": regrets}
    yield Table(
        "First iteration that plays the second action with probability 1",
        ["algorithm", "ours", "published", "reference"],
        [[label, n, known["published"].get(label), known["reference"][label]] for label, n in found.items()],
    )
    yield Claim(
        "first-regrets",
        "The first iteration of CFR+ leaves regrets of 333,333, 333,334 and 0",
        lambda: (
            [round(regret) for regret in regrets] == [333_333, 333_334, 0],
            listed((regret + 0.0 for regret in regrets), ",.1f"),
        ),
    )
    yield Claim(
        "cfr-and-cfr-plus",
        "CFR and CFR+ need 471,407 iterations",
        lambda: (found["CFR"] == found["CFR+"] == 471_407, f"{found['CFR']:,} and {found['CFR+']:,}"),
    )
    yield Claim(
        "lcfr",
        "LCFR needs only 970 iterations",
        lambda: (abs(found["LCFR"] - 970) <= 2, f"iteration {found['LCFR']:,}, after {found['LCFR'] - 1:,} updates"),
    )
    yield (
        "LCFR: iteration t weighs t, and the total weight T(T+1)/2 must reach 471,406, which takes T = 971 updates; "
        "the text counts one less."
    )
    yield "reference: an independent re-computation in double precision."


def first_certain(algorithm: str, lab: Lab) -> int:
    """Return the first iteration whose strategy gives every other action probability 0, by steps and bisection."""
    solver = make_solver(load("three_action_bandit"), algorithm)
    lab.begin(f"{algorithm} on the three actions")
    before = solver.state()
    while not _certain(solver):
        before = solver.state()
        solver.step(BATCH)
        lab.show(None, f"iteration {solver.iteration:,}")
    low, high = int(before["counters"][0]), solver.iteration
    while high - low > 1:
        middle = (low + high) // 2
        solver.restore(before)
        solver.step(middle - int(before["counters"][0]))
        low, high = (low, middle) if _certain(solver) else (middle, high)
    lab.show(1.0, f"iteration {high + 1:,}")
    return high + 1  # after `high` updates the next iteration plays it


def _certain(solver: TreeSolver) -> bool:
    return all(chance == 0.0 for action, chance in solver.current["P1"].items() if action != BEST)
