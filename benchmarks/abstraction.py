"""Card abstractions: k-means beside scikit-learn's, the steps of a build, and look-ups of rows.

``python benchmarks/abstraction.py`` runs all three on the whole deck, about ten CPU minutes; ``--quick`` leaves the
build out, ``--table FILE`` looks rows up in a table that is there already. CPU seconds are of all threads.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from counterpoise.abstraction import CardAbstraction, HoldemCards, KMeans, abstraction
from counterpoise.abstraction.clusters import published_clusters
from counterpoise.abstraction.features import Cumulative, Ochs
from counterpoise.abstraction.strength import last_street_wins
from counterpoise.jobs.pieces import Work
from counterpoise.progress import SilentProgress

NAME, BUCKETS = "IR-KE-KO", (169, 200, 200, 200)
BOARDS = {"flop": 3, "turn": 4, "river": 5}


class StepTimes(SilentProgress):
    """Remembers the CPU and wall seconds of every job that a build announces."""

    def __init__(self) -> None:
        self.steps: list[list[Any]] = []

    def begin(self, job: str) -> None:
        """End the job before and start the clock of this one."""
        self.end()
        self.steps.append([job, -time.process_time(), -time.monotonic()])

    def end(self) -> None:
        """Stop the clock of the last job."""
        if self.steps and self.steps[-1][1] < 0:
            self.steps[-1][1] += time.process_time()
            self.steps[-1][2] += time.monotonic()


def street_points(street: int, boards: int) -> np.ndarray:
    """Return the features of all live hands on random boards, [point, component].

    They are cumulative histograms of final strength on flops and turns and strength by opponent cluster on rivers.
    """
    cards, generator = HoldemCards(), np.random.default_rng(street)
    classes = cards.boards(street)
    chosen = np.sort(generator.choice(classes.size, boards, replace=False))
    at, hands = np.nonzero(classes.representative[chosen] >= 0)
    if street == cards.last:
        return Ochs(cards, street, published_clusters()).points(chosen[at], hands)
    return Cumulative(cards, street, last_street_wins(cards, Work())).points(chosen[at], hands)


def cpu_seconds(do: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU seconds that a call takes, and its result."""
    began = time.process_time()
    found = do()
    return time.process_time() - began, found


def beside_scikit_learn(repeats: int, counts: tuple[int, ...]) -> None:
    """Print CPU seconds and objective of one run of k-means on the same points, taking turns, for several seeds."""
    try:
        peer = import_module("sklearn.cluster").KMeans
    except ImportError:
        print("k-means: scikit-learn is not installed, nothing to compare with")
        return
    print(f"k-means, one run with L2: means of {repeats} seeds, Counterpoise beside scikit-learn")
    for street, name in enumerate(BOARDS, 1):
        points = street_points(street, 40)
        for clusters in counts:
            runs: dict[str, Callable[[int], float]] = {
                "ours": lambda seed, points=points, clusters=clusters: (
                    KMeans(clusters, restarts=1, seed=seed).fit(points, np.ones(len(points))).objective
                ),
                "peer": lambda seed, points=points, clusters=clusters: (
                    peer(clusters, n_init=1, random_state=seed).fit(points).inertia_
                ),
            }
            for run in runs.values():
                run(repeats)  # kernels loaded, threads started
            found = {
                which: np.array([cpu_seconds(lambda run=run, seed=seed: run(seed)) for seed in range(repeats)])
                for which, run in runs.items()
            }
            (ours, peers), worst = (found[which].mean(axis=0) for which in runs), found["ours"][:, 1].max()
            print(
                f"  {name:6} {len(points):,} x {points.shape[1]:2} into {clusters:5,}: "
                f"{ours[0]:6.2f} and {peers[0]:6.2f} CPU s ({peers[0] / ours[0]:.1f}x), "
                f"objective {ours[1]:10.5g} and {peers[1]:10.5g} "
                f"({100 * (ours[1] / peers[1] - 1):+.2f} %, worst of ours {100 * (worst / peers[1] - 1):+.2f} %)"
            )


def build(out: Path) -> CardAbstraction:
    """Build the table from nothing and print what each step takes."""
    times = StepTimes()
    with tempfile.TemporaryDirectory(prefix="counterpoise-bench-") as cache:
        spent, table = cpu_seconds(lambda: abstraction(NAME, BUCKETS, cache=cache, progress=times))
    times.end()
    saving, _ = cpu_seconds(lambda: table.save(out))
    print(f"{NAME} with {BUCKETS} buckets")
    for job, cpu, wall in times.steps:
        print(f"  {job:40} {cpu:7.1f} CPU s {wall:7.1f} s")
    memory, size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, out.stat().st_size / 1e6
    print(f"  in all {spent:.0f} CPU s, saving {saving:.1f} CPU s, peak {memory:.2f} GB, file {size:.1f} MB")
    return table


def look_ups(table: CardAbstraction, boards: int = 500, repeats: int = 7) -> None:
    """Print the CPU microseconds of a row of all hands on a random board, the best mean of several repeats."""
    generator = np.random.default_rng(0)
    for street, count in BOARDS.items():
        dealt = [generator.choice(table.deck.cards, count, replace=False).tolist() for _ in range(boards)]
        table.row(dealt[0])
        seconds = min(cpu_seconds(lambda dealt=dealt: [table.row(board) for board in dealt])[0] for _ in range(repeats))
        print(f"  a row of the {street:6} {1e6 * seconds / boards:8.1f} CPU microseconds")


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--table", type=Path)
    chosen = parser.parse_args()
    beside_scikit_learn(*((3, (200,)) if chosen.quick else (5, (50, 200, 1000))))
    if chosen.table is not None:
        look_ups(CardAbstraction.load(chosen.table))
    elif not chosen.quick:
        with tempfile.TemporaryDirectory(prefix="counterpoise-bench-") as folder:
            look_ups(build(Path(folder) / "table.cpz"))


if __name__ == "__main__":
    main()
