"""Nodes per CPU second of training a blueprint, beside how fast this machine reads memory at random.

``python benchmarks/training.py`` trains heads-up no-limit hold'em of 200 big blinds with the default menu and 169 / 200
/ 200 / 200 buckets (IR-PHS-PHS; ``--abstraction FILE`` names another). The yardsticks read rows of a table as large as
that of the walks: *after one another* (each address depends on the row before, as a walk's does) and *at once*
(addresses known beforehand). A walk reads one such row for each decision it meets, which about half of its nodes are.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
import psutil
from numba import njit

import counterpoise as cp
from counterpoise.abstraction import CardAbstraction
from counterpoise.blueprint.blueprint import layout_of
from counterpoise.blueprint.settings import training_game
from counterpoise.sampling import build_betting_tree
from counterpoise.sampling.external import ExternalSampler, SkippedActions
from counterpoise.sampling.lookup import bucket_lookup
from counterpoise.sampling.vectors import VectorSampling

BAR = 7e6
"""Nodes per CPU second that external sampling is to reach."""
PEER = 3.7e6
"""What a C++ program of the field with the same buckets did on this machine, loaded, in 8 GB."""
MOST_BYTES = 2e9
BLOCKS = 5


@njit(nogil=True)
def chase(table, mask, count):
    """Read rows one after another, each address from the row before."""
    at, total = np.uint64(1), np.float32(0.0)
    for _ in range(count):
        total += table[at & mask]
        at = at * np.uint64(6364136223846793005) + np.uint64(1442695040888963407) + np.uint64(table[at & mask] != 0.0)
        at ^= at >> np.uint64(29)
    return total


@njit(nogil=True)
def scatter(table, places):
    """Read rows at places that are known beforehand."""
    total = np.float32(0.0)
    for place in places:
        total += table[place]
    return total


def best(run: Callable[[], float]) -> float:
    """Return the best of several measurements, the first of which does not count: it compiles."""
    run()
    return max(run() for _ in range(BLOCKS))


def memory_rates(size: int) -> tuple[float, float]:
    """Return rows read per CPU second after one another and at once, of a table of so many float32."""
    entries = 1 << (size.bit_length() - 1)
    table = np.zeros(entries, dtype=np.float32)
    table[:] = 0.0
    places = np.random.default_rng(0).integers(0, entries, 2_000_000)

    def chased() -> float:
        began = time.process_time()
        chase(table, np.uint64(entries - 1), len(places))
        return len(places) / (time.process_time() - began)

    def scattered() -> float:
        began = time.process_time()
        scatter(table, places)
        return len(places) / (time.process_time() - began)

    return best(chased), best(scattered)


def walk_rates(sampling: ExternalSampler, hands: int) -> tuple[float, float]:
    """Return the best nodes per CPU second and per second of several blocks of hands."""
    sampling.run(-(-hands // sampling.batch) * sampling.batch)
    found = []
    for _ in range(BLOCKS):
        nodes, cpu, wall = sampling.nodes_touched, time.process_time(), time.monotonic()
        sampling.run(-(-hands // sampling.batch) * sampling.batch)
        nodes = sampling.nodes_touched - nodes
        found.append((nodes / (time.process_time() - cpu), nodes / (time.monotonic() - wall)))
    return max(one[0] for one in found), max(one[1] for one in found)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--abstraction", help="a .cpz file of 52 cards")
    parser.add_argument("--hands", type=int, default=20_000, help="hands of a block")
    options = parser.parse_args()
    tree = build_betting_tree(training_game(cp.load("no_limit_holdem")))
    made = (
        CardAbstraction.load(options.abstraction)
        if options.abstraction
        else cp.abstraction("IR-PHS-PHS", buckets=(169, 200, 200, 200))
    )
    layout = layout_of(tree, [made])
    began = time.process_time()
    cards = bucket_lookup(tree, [made])
    print(f"{tree.game.name}: {tree.nodes:,} nodes, tables of {8 * layout.size / 1e6:,.0f} MB")
    print(f"buckets of all boards: {cards.rows.nbytes / 1e6:,.0f} MB in {time.process_time() - began:.1f} CPU s")
    chased, scattered = memory_rates(2 * layout.size)
    print(f"random rows, after one another   {chased / 1e6:8.2f} million per CPU s")
    print(f"random rows, at once             {scattered / 1e6:8.2f} million per CPU s")
    alone = 0.0
    for name, batch, threads in (("default", None, 1), ("hand by hand", 1, 1), ("default", None, 2)):
        sampling = ExternalSampler(tree, layout, cards, batch=batch, threads=threads)
        cpu, wall = walk_rates(sampling, options.hands)
        alone = alone or cpu
        verdict = (
            f", bar {BAR / 1e6:g} {'met' if cpu >= BAR else 'missed'}, peer {PEER / 1e6:g}" if threads == 1 else ""
        )
        print(
            f"external, {name} batch, {threads} thread{'s' * (threads > 1)}: {cpu / 1e6:.2f} million nodes per CPU s, "
            f"{wall / 1e6:.2f} per s{verdict}"
        )
        if threads > 1:
            print(f"  {threads} threads on idle cores: {threads * cpu / alone:.2f} times one (from CPU seconds)")
        del sampling
    for kind in ("regret", "hand"):
        sampling = ExternalSampler(tree, layout, cards, skipping=SkippedActions(kind=kind, threshold=1))
        cpu, _ = walk_rates(sampling, options.hands)
        print(f"external, --skip {kind}: {cpu / 1e6:.2f} million nodes per CPU s")
        del sampling
    vectors = VectorSampling(tree, layout, cards)
    vectors.run(1)
    began, nodes = time.process_time(), vectors.nodes_touched
    vectors.run(1)
    spent, nodes = time.process_time() - began, vectors.nodes_touched - nodes
    hands = 1081
    print(
        f"vector: {spent:.2f} CPU s per board, {nodes * hands / spent / 1e6:,.0f} million nodes times hands per CPU s"
    )
    resident = psutil.Process().memory_info().rss
    print(f"memory now {resident / 1e9:.2f} GB (two gigabytes {'kept' if resident <= MOST_BYTES else 'exceeded'})")


if __name__ == "__main__":
    main()
