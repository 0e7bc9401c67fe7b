"""What Ray costs and gains on this machine: a folder of turn spots, and jobs beside their simulated schedule.

    python benchmarks/cluster.py [--spots 40] [--iterations 100] [--updates 3]

1. A folder of turn spots in this process, on `local:1`, on one Ray node of one processor and on two such nodes: seconds
   on the wall once workers are there, what the start took, and CPU seconds. The bars: `local:1` costs less than 5 %,
   and two nodes are at least 1.7 times as fast as one.
2. The tables of `schedule.py`: jobs that sleep, and updates out of core, beside what was simulated.

Wall times mean something only if nothing else runs.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from schedule import check_rules, measure

from counterpoise.cards import Deck, format_cards
from counterpoise.cluster import connect
from counterpoise.jobs.clock import own_cpu
from counterpoise.jobs.processes import WorkersLike, cpu_elsewhere
from counterpoise.spots import Spot
from counterpoise.spots.folder import SolvedFile, solve_files

EXAMPLE = Path(__file__).parent.parent / "examples" / "spots" / "turn_srp.json"
MOST_OVERHEAD = 0.05
LEAST_SPEEDUP = 1.7


class Measured(NamedTuple):
    """A folder that was solved by some workers."""

    who: str
    start: float
    """Seconds until a first spot was solved, which is not counted below."""
    seconds: float
    cpu: float
    figures: list[Any]


def turn_spots(folder: Path, count: int) -> list[Path]:
    """Write spots that differ in their turn, then in their flop's lowest card, and return their files."""
    told = json.loads(EXAMPLE.read_text())
    first, second, third, turn = told["board"].split()
    cards = [format_cards([card]) for card in Deck().cards.tolist()]
    others = [card for card in cards if card not in (first, second, third)]
    boards = itertools.chain(
        ((third, card) for card in (turn, *(card for card in others if card != turn))),
        itertools.permutations(others, 2),
    )
    found = []
    for number, (low, last) in enumerate(itertools.islice(boards, count)):
        found.append(folder / f"{number:03d}.json")
        found[-1].write_text(json.dumps({**told, "board": f"{first} {second} {low} {last}", "name": f"turn {number}"}))
        Spot.load(found[-1])
    return found


def solve(who: str, paths: list[Path], workers: WorkersLike, iterations: int) -> Measured:
    """Solve a folder once workers have solved a first spot each, and print what that took."""
    options: dict[str, Any] = {"iterations": iterations, "processes": workers, "progress": False, "threads": 1}
    warm = 1 if workers == 1 else 2 * workers.count  # type: ignore[union-attr]
    began = time.monotonic()
    list(solve_files(paths[:1] * warm, **options | {"iterations": 1}))
    start = time.monotonic() - began
    began, before = time.monotonic(), own_cpu() + cpu_elsewhere(workers)
    figures = []
    for path, found in solve_files(paths, **options):
        assert isinstance(found, SolvedFile), f"{path}: {found}"
        figures.append((found.figures["ev"], found.figures["exploitability_pct"]))
    spent = own_cpu() + cpu_elsewhere(workers) - before
    measured = Measured(who, start, time.monotonic() - began, spent, figures)
    print(f"{who:24s}{measured.start:10.2f}{measured.seconds:12.2f}{measured.cpu:10.2f}", flush=True)
    return measured


@contextmanager
def ray_nodes(count: int) -> Iterator[str]:
    """Start Ray nodes of one processor each on this machine; yield the address of the first."""
    from ray.cluster_utils import Cluster as Nodes

    nodes = Nodes(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        for _ in range(count - 1):
            nodes.add_node(num_cpus=1)
        yield nodes.address
    finally:
        nodes.shutdown()


def compare(spots: int, iterations: int) -> None:
    """Print what a folder of spots takes without workers, on one local worker and on one and two nodes."""
    print(f"{spots} turn spots of {iterations} iterations, a thread each")
    print(f"{'workers':24s}{'start s':>10s}{'then s':>12s}{'CPU s':>10s}")
    with TemporaryDirectory() as folder:
        paths = turn_spots(Path(folder), spots)
        alone = solve("none", paths, 1, iterations)
        with connect("local:1") as cluster:
            local = solve("local:1", paths, cluster, iterations)
        on_nodes = []
        for count in (1, 2):
            with ray_nodes(count) as address, connect(address) as cluster:
                on_nodes.append(solve(f"{count} Ray node{'s' * (count > 1)}", paths, cluster, iterations))
    for other in (local, *on_nodes):
        assert other.figures == alone.figures, f"{other.who} has found other figures"
    overhead, speedup = local.seconds / alone.seconds - 1, on_nodes[0].seconds / on_nodes[1].seconds
    cpu = local.cpu / alone.cpu - 1
    print(f"local:1 over none: {overhead:+.1%} on the wall, {cpu:+.1%} of CPU (bar: below {MOST_OVERHEAD:.0%})")
    print(f"two nodes over one: {speedup:.2f} times as fast (bar: at least {LEAST_SPEEDUP})", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spots", type=int, default=40)
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--updates", type=int, default=3, help="iterations of the run out of core")
    parser.add_argument("--only-spots", action="store_true")
    asked = parser.parse_args()
    compare(asked.spots, asked.iterations)
    if not asked.only_spots:
        print()
        check_rules()
        measure(asked.updates)
