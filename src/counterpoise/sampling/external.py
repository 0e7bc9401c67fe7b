"""External sampling over betting nodes and buckets for two to ten seats, on one thread or several.

See Lanctot et al. 2009.

A *batch* of hands is walked against the same regrets; then the results are added in the order of hands. So the tables
do not depend on the number of threads, which share the hands of a batch for walking and the decisions of the tree for
adding. Small games have batches of one hand, which is external sampling as it is written.

Other processes or machines may walk the hands of a batch (`HandWalker`): they read the current table and the places of
its blocks, and send back the records of the walks, which are added here like those of threads.

At the nodes of other seats the walk of a seat adds their current strategy to the average. With two seats these nodes
are met in proportion to the reach of their owner, as the average needs it; with more seats the reach of third seats is
included too, for which there is no theorem (nor for CFR with more than two seats).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from counterpoise.betting.tilt import NO_TILT, PayoffTilt
from counterpoise.jobs.processes import OtherWorkers
from counterpoise.parameters import require, require_choice, require_whole, shown
from counterpoise.progress import CancelToken
from counterpoise.sampling.betting_tree import BettingTree
from counterpoise.sampling.kernels import blocks, external as kernels
from counterpoise.sampling.kernels.blocks import Records, WalkTree
from counterpoise.sampling.kernels.dealing import CardArrays
from counterpoise.sampling.kernels.external import Exploration
from counterpoise.sampling.kernels.records import LeafScratch, Stack, Walker
from counterpoise.sampling.lookup import dealt_hand
from counterpoise.sampling.tables import TableLayout
from counterpoise.sampling.tabular import TabularWalks, walk_tree

if TYPE_CHECKING:
    from counterpoise.jobs.sharing import Seen

MOST_ROOM = 2**30
"""The most bytes of the records of walks."""
BATCHES = ((5_000_000, 500), (200_000, 100), (20_000, 10))
"""The default hands of a batch for tables of more than a number of entries; smaller tables have one."""


@dataclass(frozen=True)
class SkippedActions:
    """The own actions of very negative regret that a walk skips.

    "none": all actions are explored. "regret": regret-based sampling (Brown 2020, section 6.3), each action by itself,
    an action of regret R below the threshold C = -`threshold` with probability K / (K + C - R), K = `scale`. "hand": in
    a share of the hands no action below the threshold is explored, except in the last round and actions that end the
    hand (Brown 2020, section 6.6). Threshold and scale are in multiples of the largest payoff, and are compared with
    regrets as they stand in the table, discounted.
    """

    kind: Literal["none", "regret", "hand"] = "none"
    threshold: float = 100.0
    scale: float = 100.0
    weighted: bool = False
    """Regret-based sampling: divide the regrets of explored actions by the probability of exploring them."""
    share: float = 0.95
    """Share of the hands in which actions are skipped by hand."""
    after: int = 0
    """The number of iterations before anything is skipped."""
    until: int | None = None
    """The number of iterations after which nothing is skipped any more; None: skipping goes on to the end."""

    def __post_init__(self) -> None:
        require_choice("skipping: kind", self.kind, ("none", "regret", "hand"))
        for name in ("threshold", "scale"):
            value = getattr(self, name)
            require(
                value > 0, f"skipping: {name} must be above 0, in multiples of the largest payoff, not {shown(value)}"
            )
        require(0 <= self.share <= 1, f"skipping: share must be from 0 to 1, not {shown(self.share)}")
        require_whole("skipping: after", self.after, 0)
        if self.until is not None:
            require_whole("skipping: until", self.until, 0)
            require(
                self.until >= self.after,
                f"skipping: until must not be before after, {shown(self.after)}, as {shown(self.until)} is",
            )

    def arrays(self, largest_payoff: float, iteration: int) -> Exploration:
        """Return the settings as kernels read them."""
        kind = {"none": kernels.ALL, "regret": kernels.BY_REGRET, "hand": kernels.BY_HAND}[self.kind]
        if iteration < self.after or (self.until is not None and iteration >= self.until):
            kind = kernels.ALL
        unit = float(largest_payoff)
        return Exploration(kind, -self.threshold * unit, self.scale * unit, bool(self.weighted), float(self.share))

    def by_regret(self, largest_payoff: float, iteration: int) -> tuple[float, float] | None:
        """Return C and K of regret-based sampling in chips, or None if an iteration explores all actions."""
        known = self.arrays(largest_payoff, iteration)
        return (known.threshold, known.scale) if known.kind == kernels.BY_REGRET else None


class ExternalSampler(TabularWalks):
    """Tables that walks of external sampling improve; an iteration is one dealt hand, walked for every seat."""

    kernels = (kernels.train_hands,)

    def __init__(
        self,
        tree: BettingTree,
        layout: TableLayout,
        cards: CardArrays,
        *,
        skipping: SkippedActions | None = None,
        batch: int | None = None,
        seed: int = 0,
        threads: int = 1,
        tilt: PayoffTilt = NO_TILT,
        walks: WalkTree | None = None,
        workers: OtherWorkers | None = None,
    ) -> None:
        """Make the sampler; with `workers` threads only add their results."""
        super().__init__(tree, layout, cards, seed, threads, walks or walk_tree(tree, layout, tilt))
        self.skipping = skipping or SkippedActions()
        self.scratch = ScratchSize(self.walks)
        self.batch = self.scratch.most_hands(batch or default_batch(layout.size))
        self.adders, self.threads = threads, min(threads, self.batch) if workers is None else 1
        each = -(-self.batch // self.threads) if workers is None else 1
        self._walkers = [self.scratch.walker(tree, each) for _ in range(self.threads)]
        self._largest = largest_payoff(tree)
        self._workers, self._warm = workers, False
        if workers is not None:
            self._table = workers.share(self.table.shape, np.float32)
            self._nodes = workers.share(self.walks.nodes.shape, np.uint32)
            self._nodes.array[:] = self.walks.nodes
            self.table, self.walks = self._table.array, self.walks._replace(nodes=self._nodes.array)
            self._make = partial(
                HandWalker.make, tree, cards, self.walks._replace(nodes=self.walks.nodes[:0]), self._seed
            )
            self._cpu_before = workers.cpu_seconds

    def run(self, iterations: int) -> None:
        """Deal and walk a number of hands, a multiple of `batch`."""
        require(iterations % self.batch == 0, f"hands come in batches of {self.batch}, not {iterations}")
        end = self.iteration + iterations
        while self.iteration < end:
            # Skipping begins and ends with a batch.
            changes = (one for one in (self.skipping.after, self.skipping.until) if one is not None)
            stop = min((one for one in changes if self.iteration < one < end), default=end)
            batches = -(-(stop - self.iteration) // self.batch)
            exploration = self.skipping.arrays(self._largest, self.iteration)
            if self._workers is None and (self._pool is None or self.threads == 1):
                self._run_alone(exploration, batches)
                continue
            for _ in range(batches):
                if self._workers is None:
                    self._add(self._walk_on_threads(exploration))
                else:
                    self._add(self._walk_elsewhere(exploration, self._workers))
                self.iteration += self.batch

    def _run_alone(self, exploration: Exploration, batches: int) -> None:
        touched, free = kernels.train_hands(
            self.cards,
            self.walks,
            self.table,
            exploration,
            self._walkers[0],
            self._seed,
            self.iteration,
            (batches, self.batch, self.free),
        )
        self.nodes_touched += int(touched)
        self.free = int(free)
        self.iteration += batches * self.batch

    def _walk_on_threads(self, exploration: Exploration) -> list[Records]:
        """Walk one batch on all threads and return what each has written down."""
        assert self._pool is not None
        limits = _parts(self.batch, self.threads)

        def walk(k: int) -> int:
            first, count = self.iteration + limits[k], limits[k + 1] - limits[k]
            self._walkers[k].records.used[:] = 0
            arguments = (self.cards, self.walks, self.table, exploration, self._walkers[k], self._seed, first, count)
            return int(kernels.walk_hands(*arguments))

        self.nodes_touched += sum(self._pool.map(walk, range(self.threads)))
        return [walker.records for walker in self._walkers]

    def _walk_elsewhere(self, exploration: Exploration, workers: OtherWorkers) -> list[Records]:
        """Let workers walk one batch and return what each piece has written down, in the order of hands."""
        if not self._warm:  # what a worker needs is compiled and kept before it begins
            self._warm = True
            kernels.walk_hands(
                self.cards, self.walks, self.table, exploration, self._walkers[0], self._seed, self.iteration, 1
            )
            self._walkers[0].records.used[:] = 0
        limits = _parts(self.batch, min(workers.count, self.batch))
        table, nodes = self._table.seen(max(self.free, 1)), self._nodes.seen()
        plan = ((exploration, self.iteration + first, end - first, table, nodes) for first, end in pairwise(limits))
        found = list(workers.map_in_order(self._make, plan, CancelToken()))
        self.cpu_elsewhere = workers.cpu_seconds - self._cpu_before
        self.nodes_touched += sum(touched for touched, _ in found)
        return [records for _, records in found]

    def _add(self, found: list[Records]) -> None:
        """Add what was written down to the table, on all threads."""
        for records in found:
            self.free = int(blocks.place_fresh(self.walks.nodes, self.walks.buckets, records, np.uint64(self.free)))

        def add(part: int) -> None:
            for records in found:
                blocks.add_records(self.walks.nodes, records, self.table, np.uint64(part), np.uint64(self.adders))

        if self._pool is None:
            add(0)
        else:
            list(self._pool.map(add, range(self.adders)))
        blocks.keep_frozen(self.walks.frozen, self.table)


class HandWalker:
    """The walker of hands of a batch in a worker's process."""

    def __init__(self, tree: BettingTree, cards: CardArrays, walks: WalkTree, seed: Any) -> None:
        """Make the walker; each piece of work brings the nodes of `walks` with their places."""
        self._tree, self._cards, self._walks, self._seed = tree, cards, walks, seed
        self._scratch: ScratchSize | None = None
        self._walker: Walker | None = None
        self._room = 0

    @classmethod
    def make(cls, *arguments: Any) -> Callable[..., tuple[int, Records]]:
        """Return the function that does pieces of a batch."""
        return cls(*arguments).walk

    def walk(self, exploration: Exploration, first: int, count: int, table: Seen, nodes: Seen) -> tuple[int, Records]:
        """Walk hands against the current table; return the nodes touched and the records to be added."""
        walks = self._walks._replace(nodes=nodes.read())
        if self._walker is None or count > self._room:
            self._scratch = self._scratch or ScratchSize(walks)
            self._walker, self._room = self._scratch.walker(self._tree, count), count
        records = self._walker.records
        records.used[:] = 0
        touched = kernels.walk_hands(
            self._cards, walks, table.read(), exploration, self._walker, self._seed, first, count
        )
        rows, amounts, fresh = (int(used) for used in records.used)
        # What is sent is read from the working memory, before the next piece writes there.
        return int(touched), Records(records.row[:rows], records.amount[:amounts], records.fresh[:fresh], records.used)


def _parts(hands: int, count: int) -> list[int]:
    """Return the limits of parts of about the same number of hands."""
    return [hands * k // count for k in range(count + 1)]


def default_batch(entries: int) -> int:
    """Return the default number of hands of a batch for tables of a number of entries."""
    return next((batch for least, batch in BATCHES if entries > least), 1)


def largest_payoff(tree: BettingTree) -> float:
    """Return the most chips that a seat can lose or win in a hand."""
    won = tree.ends.base.copy()
    for row, (first, after) in enumerate(zip(tree.ends.first_pot[:-1], tree.ends.first_pot[1:], strict=True)):
        for pot in range(first, after):
            for seat in range(tree.players):
                won[row, seat] += tree.ends.pot[pot] * ((int(tree.ends.pot_seats[pot]) >> seat) & 1)
    return float(max(np.abs(tree.ends.base).max(initial=0.0), won.max(initial=0.0)))


class ScratchSize:
    """The size of the records of a game's longest walks, and working memory of that size."""

    def __init__(self, walks: WalkTree) -> None:
        room = np.zeros((len(walks.nodes), 3), dtype=np.int64)
        found = []
        for seat in walks.seats.tolist():
            blocks.measure_walks(walks.nodes, seat, room)
            found.append(room[0].tolist())
        self.records, self.amounts = (sum(one[k] for one in found) for k in (0, 1))
        self.depth = max(max(one[2] for one in found), 1)
        self.width = int(((walks.nodes[:, blocks.KIND] >> blocks.ACTIONS) & blocks.MOST_ACTIONS).max())

    def bytes_of(self, hands: int) -> int:
        """Return the most bytes of the records of a number of hands."""
        return int(hands * (12 * self.records + 4 * self.amounts))

    def most_hands(self, wanted: int) -> int:
        """Return the number of hands, up to those wanted, whose records fit."""
        return max(1, min(wanted, MOST_ROOM // self.bytes_of(1)))

    def walker(self, tree: BettingTree, hands: int) -> Walker:
        """Return the working memory of a thread that walks a number of hands before anything is added."""
        numbers: Any = (self.depth + 1) * self.width
        stack = Stack(
            node=np.zeros(self.depth, dtype=np.uint64),
            action=np.zeros(self.depth, dtype=np.uint64),
            row=np.zeros(self.depth + 1, dtype=np.uint64),
            strategy=np.zeros(numbers),
            value=np.zeros(numbers),
            weight=np.zeros(numbers),
            width=np.uint64(self.width),
        )
        records = Records(
            row=np.zeros(hands * self.records, dtype=np.uint64),
            amount=np.zeros(hands * self.amounts, dtype=np.float32),
            fresh=np.zeros(hands * self.records, dtype=np.uint32),
            used=np.zeros(3, dtype=np.uint64),
        )
        scratch = LeafScratch(
            picked=np.zeros(tree.players, dtype=np.int64),
            strengths=np.zeros(tree.players, dtype=np.uint16),
            random=np.zeros(4, dtype=np.uint64),
        )
        return Walker(dealt_hand(tree), stack, records, scratch)
