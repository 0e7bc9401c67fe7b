"""Workers that own public clusters of flops, and the head that sends them messages (Brown 2020, section 6.1).

One message goes each way in an iteration: reaches at the ends of the first round, and values of hands. The part of a
cluster in the tables stays with the worker that walks it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.jobs.processes import OtherWorkers
from counterpoise.jobs.sharing import Seen
from counterpoise.progress import CancelToken
from counterpoise.sampling.cluster_walks import ClusterPlan, ClusterWalk, Walk
from counterpoise.sampling.kernels.blocks import NOWHERE, PLACE, copy_blocks, scale_table
from counterpoise.sampling.tables import TableLayout
from counterpoise.sampling.tabular import walk_tree

START_AFTER = 64
"""Iterations after which the head copies all parts, so that lost ones can be made again."""


class Message(NamedTuple):
    """The message of the head to all clusters in an iteration."""

    factors: tuple[float, ...]
    """The factors by which all entries are multiplied first."""
    walk: Walk
    reach: Seen


class ClusterOwners:
    """Workers that own clusters of flops, seen from the head: each keeps the parts of the tables that it walks.

    A cluster's part is determined by a copy at some iteration, its *start*, and the messages of the head since. A piece
    of work contains both, so that any worker can do it: one that has the part as of the previous iteration walks once;
    another one, after the owner has died or machines have joined, repeats from the start. Every `START_AFTER`
    iterations the head takes a new start.
    """

    def __init__(self, plan: ClusterPlan, workers: OtherWorkers, nodes: NDArray[np.uint32]) -> None:
        self.plan, self._workers = plan, workers
        self._make = partial(ClusterOwner.make, plan)
        self._own_nodes = nodes
        self._part_nodes, self._part_size = part_nodes(plan)
        self._starts = [workers.share(self._part_size, np.float32) for _ in plan.flops]
        self._reaches = [workers.share((plan.slots, 2, plan.hands), np.float32) for _ in range(START_AFTER)]
        self._factors: list[float] = []
        self._log: list[Message] = []
        self._seen: list[Seen] = []
        self._run = self._base = 0
        self._known = True
        self._cpu_before = workers.cpu_seconds
        self.forget()

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds of the workers."""
        return self._workers.cpu_seconds - self._cpu_before

    def forget(self) -> None:
        """Take the parts of the next table as the start."""
        self._run, self._base, self._log, self._seen, self._factors, self._known = self._run + 1, 0, [], [], [], True

    def discount(self, factor: float) -> None:
        """Multiply all parts by a factor before the next walk."""
        self._factors.append(factor)
        self._known = False

    def walk(
        self,
        table: NDArray[np.float32],
        walk: Walk,
        reach: NDArray[np.float32],
        values: NDArray[np.float32],
    ) -> int:
        """Let every cluster walk a board; write the values of its hands and return the nodes touched."""
        if not self._seen:
            self._begin(table, walk)
        elif len(self._log) == START_AFTER:
            self._take_start()
        shared = self._reaches[len(self._log)]
        shared.array[:] = reach
        self._log.append(Message(tuple(self._factors), walk, shared.seen()))
        self._factors, self._known = [], False
        touched = 0
        for number, (nodes, found) in zip(range(len(self.plan.flops)), self._asked(parts=False), strict=True):
            values[number] = found
            touched += nodes
        return touched

    def gather(self, table: NDArray[np.float32]) -> None:
        """Write all parts, as they are, into a table of the head."""
        if self._known:
            return
        self._take_start()
        later = self._own_nodes.copy()
        later[~self.plan.later, PLACE] = NOWHERE
        ordered = np.zeros(self.plan.layout.size, dtype=np.float32)
        for average in (False, True):
            for number, start in enumerate(self._starts):
                part = start.array.copy()
                for factor in self._factors:
                    scale_table(part, np.float32(factor))
                self._copy_part(number, part, average, ordered, put=False)
            layout = self.plan.layout
            copy_blocks(later, layout.buckets, layout.start, table, average, ordered, True)
        self._known = True

    def _begin(self, table: NDArray[np.float32], first: Walk) -> None:
        """Take the parts of a table as the start, after what workers need is compiled and kept for them."""
        ordered, layout = np.zeros(self.plan.layout.size, dtype=np.float32), self.plan.layout
        for average in (False, True):
            copy_blocks(self._own_nodes, layout.buckets, layout.start, table, average, ordered, False)
            for number, start in enumerate(self._starts):
                self._copy_part(number, start.array, average, ordered, put=True)
        self._seen = [start.seen() for start in self._starts]
        empty = np.zeros((self.plan.slots, 2, self.plan.hands), dtype=np.float32)
        ClusterWalk(self.plan, 0, self._part_nodes, np.zeros(self._part_size, dtype=np.float32)).walk(first, empty)

    def _take_start(self) -> None:
        """Ask for all current parts, and take them as the start."""
        for start, (_, part) in zip(self._starts, self._asked(parts=True), strict=True):
            start.array[:] = part
        self._base += len(self._log)
        self._log, self._seen = [], [start.seen() for start in self._starts]

    def _asked(self, *, parts: bool) -> Iterator[tuple[int, NDArray[np.float32]]]:
        """Yield the answer of each cluster in order; a piece of work covers several."""
        clusters = range(len(self.plan.flops))
        count = min(self._workers.count, len(clusters))
        plan = (
            (mine, self._run, self._base, [self._seen[k] for k in mine], self._log, parts)
            for mine in (list(clusters[k::count]) for k in range(count))
        )
        found: list[Any] = [None] * len(clusters)
        for k, answers in enumerate(self._workers.map_in_order(self._make, plan, CancelToken())):
            found[k::count] = answers
        yield from found

    def _copy_part(
        self, number: int, part: NDArray[np.float32], average: bool, ordered: NDArray[np.float32], *, put: bool
    ) -> None:
        """Copy regrets or averages of a cluster's part to their places in the order of the layout, or back."""
        start = self.plan.layout.start.copy()
        start[self.plan.later] += self.plan.skipped(number)
        copy_blocks(self._part_nodes, self.plan.inside, start, part, average, ordered, put)


class ClusterOwner:
    """The owner of clusters in a worker's process."""

    def __init__(self, plan: ClusterPlan) -> None:
        self._plan = plan
        self._nodes, self._size = part_nodes(plan)
        self._clusters: dict[int, _Owned] = {}

    @classmethod
    def make(cls, plan: ClusterPlan) -> Callable[..., list[tuple[int, NDArray[np.float32]]]]:
        """Return the function that does pieces of work for some clusters."""
        return cls(plan).answer

    def answer(
        self, numbers: Sequence[int], run: int, base: int, starts: Sequence[Seen], log: Sequence[Message], parts: bool
    ) -> list[tuple[int, NDArray[np.float32]]]:
        """Bring clusters up to the last message; return the nodes that it touched, and values or the whole part."""
        return [
            self._answer(number, run, base, start, log, parts) for number, start in zip(numbers, starts, strict=True)
        ]

    def _answer(
        self, number: int, run: int, base: int, start: Seen, log: Sequence[Message], parts: bool
    ) -> tuple[int, NDArray[np.float32]]:
        owned, wanted = self._clusters.get(number), base + len(log)
        usable = owned is not None and owned.run == run and base <= owned.version <= (wanted if parts else wanted - 1)
        if owned is None:
            walk = ClusterWalk(self._plan, number, self._nodes, np.zeros(self._size, dtype=np.float32))
            owned = self._clusters[number] = _Owned(walk)
        if not usable:
            owned.walk.table[:] = start.read()
            owned.run, owned.version = run, base
        touched, values = 0, owned.walk.table
        for message in log[owned.version - base :]:
            for factor in message.factors:
                scale_table(owned.walk.table, np.float32(factor))
            touched, values = owned.walk.walk(message.walk, message.reach.read())
        owned.version = wanted
        return touched, owned.walk.table if parts else values


class _Owned:
    """A cluster of a worker: its part of the tables, the run and the number of messages that it contains."""

    def __init__(self, walk: ClusterWalk) -> None:
        self.walk, self.run, self.version = walk, 0, 0


def part_nodes(plan: ClusterPlan) -> tuple[NDArray[np.uint32], int]:
    """Return the nodes of a betting tree with places in the part of one cluster, and the entries of that part."""
    layout = TableLayout.of(plan.tree, plan.inside.tolist())
    nodes = walk_tree(plan.tree, layout).nodes
    nodes[plan.later, PLACE] = 2 * (layout.start[plan.later] - np.uint64(layout.round_start[1]))
    return nodes, 2 * (layout.size - layout.round_start[1])
