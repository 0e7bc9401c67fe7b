"""Which update rule and averaging needs the fewest CPU seconds on hold'em spots, and what pruning could save.

    python benchmarks/spot_algorithms.py [--flop] [--plot FILE]

prints the tables of docs/spot-convergence.md as Markdown and draws its plot. Iterations are exact and repeat on any
machine; CPU seconds are iterations times the cheapest ten of all rules that do the same arithmetic, measuring not
included.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from kernels import load_kernels
from machine import machine
from spot_variants import DEFAULT, EXPERIMENTS, LARGE, RULES, Scheduled, Variant, settings, warm

from counterpoise.plots import Curve, Panel, panels
from counterpoise.progress import as_progress
from counterpoise.public import Profile
from counterpoise.public.kernels.simd import LANES
from counterpoise.public.kernels.street import DEAL
from counterpoise.solvers.public.solver import PublicSolver
from counterpoise.spots import Spot
from counterpoise.spots.engine import build_game

FOLDER = Path(__file__).parent.parent / "examples" / "spots"
TARGETS = (0.5, 0.3, 0.1)
BLOCK = 10
MOST_ITERATIONS = {"river_srp": 600, "turn_srp": 400, "flop_3bet": 140}
COARSE = {"turn": {"bet": ["50%"], "raise": ["60%"]}, "river": {"bet": ["100%"], "raise": ["allin"]}}
"""One size per street, all of them among those of turn_srp."""
PLOTTED = ("cfr", "cfr+", "lcfr", "pdcfr+", "dcfr(beta=-inf, gamma=4)", "the fastest open solver's schedule", DEFAULT)


@dataclass
class Course:
    """Exploitability in per cent of the pot by iterations, and CPU seconds per iteration of the cheapest block."""

    iterations: list[int] = field(default_factory=list)
    exploitability: list[float] = field(default_factory=list)
    cost: float = math.inf
    before: float = 0.0
    """CPU seconds spent before the first iteration."""

    def reached(self, target: float) -> int | None:
        """The first measured iteration at or below a target."""
        found = (t for t, value in zip(self.iterations, self.exploitability, strict=True) if value <= target)
        return next(found, None)

    def seconds(self, target: float) -> float:
        """CPU seconds until then; infinite if the run ended before."""
        iterations = self.reached(target)
        return math.inf if iterations is None else self.before + iterations * self.cost


def main() -> None:
    arguments = _arguments()
    with as_progress(None) as live:
        live.begin("rules on spots")
        for bits in (16, 32):
            load_kernels(settings("pdcfr+"), bits)

        def race(name: str, variants: Sequence[Variant]) -> dict[str, Course]:
            found = {}
            for variant in variants:
                live.show(None, f"{name}: {variant.name}")
                found[variant.name] = run(variant, name)
            costs = [(variant.kind, found[variant.name].cost) for variant in variants]
            for variant in variants:
                found[variant.name].cost = min(cost for kind, cost in costs if kind == variant.kind)
            return found

        everything = [*RULES, *EXPERIMENTS]
        courses = {name: race(name, everything) for name in ("river_srp", "turn_srp")}
        if arguments.flop:
            courses["flop_3bet"] = race("flop_3bet", LARGE)
        live.show(None, "warm starts")
        cold = courses["turn_srp"][DEFAULT]
        warmed = {DEFAULT: cold} | warm_starts(cold.cost)
        live.show(None, "what pruning could skip")
        idle = idle_rows(DEFAULT) | idle_rows("dcfr(beta=-inf, gamma=4)")
        hopeless = hopeless_rows("dcfr(beta=0.5, gamma=4)")
    print(", ".join(f"{name} {found}" for name, found in machine().items()))
    for name, found in courses.items():
        print(f"\n**{name}**\n")
        print("\n".join(course_table(found)))
    print("\n**Warm starts on turn_srp**\n")
    print("\n".join(course_table(warmed)))
    print("\n**Reach rows that are all zero on turn_srp**\n")
    print("\n".join(share_table(idle)))
    print("\n**Regret rows and entries below zero on turn_srp**\n")
    print("\n".join(share_table(hopeless)))
    if arguments.plot is not None:
        plot(courses["turn_srp"], arguments.plot)


def run(variant: Variant, name: str) -> Course:
    """A variant on a spot until the last target."""
    spot = Spot.load(FOLDER / f"{name}.json")
    return follow(variant.start(build_game(spot)), spot.pot, MOST_ITERATIONS[name])


def follow(solver: PublicSolver, pot: float, most: int) -> Course:
    """Step until the last target or `most` iterations, measuring every block."""
    course, done = Course(), 0
    while done < most and course.reached(min(TARGETS)) is None:
        began = time.process_time()
        solver.step(BLOCK)
        course.cost = min(course.cost, (time.process_time() - began) / BLOCK)
        done += BLOCK
        course.iterations.append(done)
        course.exploitability.append(100 * solver.exploitability() / pot)
    return course


def warm_starts(cost: float) -> dict[str, Course]:
    """turn_srp after so many iterations of the same spot with one size per street; their CPU time counts."""
    spot = Spot.load(FOLDER / "turn_srp.json")
    small = Spot.from_dict(spot.to_dict() | COARSE)
    found = {}
    for iterations, known in ((20, 0), (50, 0), (50, 10), (50, 50), (100, 20)):
        coarse = PublicSolver(settings(DEFAULT), build_game(small))
        fine = Scheduled(build_game(spot), warm(DEFAULT, known), known)
        first = follow(coarse, spot.pot, iterations)
        began = time.process_time()
        transfer(coarse.learning.regrets, fine.learning.regrets)
        before = time.process_time() - began + first.iterations[-1] * first.cost
        course = follow(fine, spot.pot, MOST_ITERATIONS["turn_srp"])
        course.cost, course.before = cost, before
        found[f"{iterations} coarse iterations ({before:.2f} s), discounts from t = {known}"] = course
    return found


def transfer(coarse: Profile, fine: Profile) -> None:
    """Copy regrets to the decisions and actions that both games have; all others stay at zero."""
    small_trees, large_trees, boards = coarse.game.street_trees, fine.game.street_trees, coarse.game.street_of
    pairs = [(0, 0)]
    for small, large in pairs:  # grows while it is walked
        stack = [(0, 0)]
        while stack:
            here, there = stack.pop()
            source, target = small_trees[small].decisions[here], large_trees[large].decisions[there]
            for number in np.flatnonzero(boards == small_trees[small].street).tolist():
                rows, wide = regret_rows(coarse, small, here, number), regret_rows(fine, large, there, number)
                for row, action in zip(rows, source.actions, strict=True):
                    wide[target.actions.index(action)] = row
            for action in source.actions:
                kind, after = small_trees[small].children[here, action]
                beyond = large_trees[large].children[there, action][1]
                if kind == "decision":
                    stack.append((after, beyond))
                elif (leaf := small_trees[small].leaves[after]).kind == DEAL:
                    pairs.append((leaf.tree, large_trees[large].leaves[beyond].tree))


def regret_rows(regrets: Profile, tree: int, decision: int, board: int) -> np.ndarray:
    """A view of the regrets of a decision on a board, [action, slot]."""
    _, entry, _, stride = regrets.game.place(tree, decision, board)
    count = len(regrets.game.street_trees[tree].decisions[decision].actions)
    return regrets.numbers[entry : entry + count * stride].reshape(count, stride)


def idle_rows(name: str) -> dict[str, dict[int, float]]:
    """Shares of reach rows, of whole vectors of hands in them and of single hands that the current strategies zero."""
    solver = PublicSolver(settings(name), build_game(Spot.load(FOLDER / "turn_srp.json")))
    found: dict[str, dict[int, float]] = {f"{name}: {what}": {} for what in ("rows", "vectors of 8", "hands")}
    for iterations in (25, 50, 100, 200):
        solver.step(iterations - solver.iteration)
        rows = [row == 0 for row in reach_rows(solver.learning.matched)]
        found[f"{name}: rows"][iterations] = float(np.mean([row.all() for row in rows]))
        vectors = [row[: len(row) // LANES * LANES].reshape(-1, LANES).all(axis=1) for row in rows]
        found[f"{name}: vectors of 8"][iterations] = float(np.concatenate(vectors).mean())
        found[f"{name}: hands"][iterations] = float(np.concatenate(rows).mean())
    return found


def reach_rows(current: Profile) -> list[np.ndarray]:
    """Every own-reach vector after an action, of both players in all street trees and on all boards."""
    found, game = [], current.game
    places = [(0, 0, [game.ranges[p, : int(game.boards.held[p, 0])].astype(np.float64) for p in range(2)])]
    while places:
        tree, board, reach = places.pop()
        rows = [{0: own} for own in reach]
        for number, node in enumerate(game.street_trees[tree].decisions):
            for action, share in enumerate(current.strategy(tree, number, board)):
                row = rows[node.player][node.parent_row] * share
                rows[node.player][node.first_row + action] = row
                found.append(row)
        children = np.flatnonzero((game.board_above == board) & (np.arange(len(game.board_above)) > 0)).tolist()
        for leaf in game.street_trees[tree].leaves:
            for child in children if leaf.kind == DEAL else ():
                below = []
                for p in range(2):
                    begin, held = int(game.boards.begin[p, child]), int(game.boards.held[p, child])
                    below.append(np.append(rows[p][leaf.rows[p]], 0.0)[game.boards.parent_hand[begin : begin + held]])
                places.append((leaf.tree, child, below))
    return found


def hopeless_rows(name: str) -> dict[str, dict[int, float]]:
    """Shares of regret rows that are negative for every hand, and of negative regrets."""
    solver = PublicSolver(settings(name), build_game(Spot.load(FOLDER / "turn_srp.json")))
    game, regrets = solver.game, solver.learning.regrets
    found: dict[str, dict[int, float]] = {f"{name}: rows": {}, f"{name}: entries": {}}
    for iterations in (25, 50, 100, 200):
        solver.step(iterations - solver.iteration)
        rows = []
        for node in game.root.decisions_below():
            held = int(game.boards.held[node.player, node.board])
            rows += [row[:held] < 0 for row in regret_rows(regrets, node.tree, node.at[1], node.board)]
        found[f"{name}: rows"][iterations] = float(np.mean([row.all() for row in rows]))
        found[f"{name}: entries"][iterations] = float(np.concatenate(rows).mean())
    return found


def course_table(courses: dict[str, Course]) -> list[str]:
    """Markdown: iterations and CPU seconds to each target, cost of an iteration."""
    targets = " / ".join(f"{target:g}" for target in TARGETS)
    lines = [
        f"| | iterations to {targets} % | CPU s to {targets} % | ms per iteration |",
        "|---|---|---|---|",
    ]
    for name, course in courses.items():
        counts = [course.reached(target) for target in TARGETS]
        seconds = [course.seconds(target) for target in TARGETS]
        shown = f"**{name}**" if name == DEFAULT else name
        lines.append(
            f"| {shown} | {' / '.join('-' if count is None else str(count) for count in counts)} "
            f"| {' / '.join('-' if math.isinf(value) else f'{value:.3g}' for value in seconds)} "
            f"| {course.cost * 1e3:.3g} |"
        )
    return lines


def share_table(rows: dict[str, dict[int, float]]) -> list[str]:
    """Markdown: shares in per cent by iterations."""
    columns = list(next(iter(rows.values())))
    lines = ["| after iterations | " + " | ".join(map(str, columns)) + " |", "|---|" + "---|" * len(columns)]
    for name, shares in rows.items():
        lines.append(f"| {name} | " + " | ".join(f"{100 * share:.1f} %" for share in shares.values()) + " |")
    return lines


def plot(courses: dict[str, Course], path: Path) -> None:
    """Exploitability against CPU seconds, both on log scales."""
    curves = {
        name: Curve([t * courses[name].cost for t in courses[name].iterations], courses[name].exploitability)
        for name in PLOTTED
    }
    panel = Panel(curves, x_label="CPU seconds", y_label="exploitability, % of the pot")
    panels([panel], path, title="turn_srp")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--flop", action="store_true", help="also four of the rules on flop_3bet, a minute each")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the main rules on turn_srp")
    return parser.parse_args()


if __name__ == "__main__":
    main()
