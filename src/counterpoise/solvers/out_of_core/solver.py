"""The head of a run: it keeps the trunk, asks all parts and adds their values in a fixed order.

An iteration of CFR+, seats in turn (Johanson 2016, chapter 9):

1. the trunk's strategies give the reach of the other seat at the end of every line of the first round;
2. every part updates its regrets and returns the values of its deals to the hands of the seat;
3. the values of all parts are added in the order of the parts, and the trunk's regrets are updated with them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.jobs.processes import WorkersLike, map_in_order
from counterpoise.progress import CancelToken
from counterpoise.public import LeafBatch, Learning, Profile, Traverser
from counterpoise.solvers.out_of_core.blocks import BlockStore
from counterpoise.solvers.out_of_core.partition import Partition
from counterpoise.solvers.out_of_core.parts import CFR_PLUS, Mode, PartAnswer, PartQuestion, PartWorker, SeatSizes

FloatArray = NDArray[np.float64]


class OutOfCoreSolver:
    """CFR+ on a partitioned game: the trunk in memory, the regrets of parts in a store."""

    def __init__(
        self,
        partition: Partition,
        scales: tuple[float, ...],
        store: BlockStore,
        workers: WorkersLike = 1,
        cancel: CancelToken | None = None,
    ) -> None:
        self.partition, self.store, self.workers = partition, store, workers
        self.cancel = cancel or CancelToken()
        self.worker = PartWorker(partition, scales, store)
        self.trunk = partition.trunk
        self.regrets = Profile(self.trunk)
        self.generations = [0, 0]
        """The number of updates of each seat."""
        self.sizes = [SeatSizes(), SeatSizes()]
        """The sizes that the last update of each seat has written."""
        self.all_zero = [0, 0]
        """Information sets of each seat below the trunk without a positive regret, when last measured."""
        self._traverser = Traverser(self.trunk, leaves=self)
        self._mode: Mode = "update"

    @property
    def iteration(self) -> int:
        """Iterations, each an update of both seats, that are complete."""
        return min(self.generations)

    @property
    def next_seat(self) -> int:
        """The seat to be updated next."""
        return 0 if self.generations[0] == self.generations[1] else 1

    def update(self) -> None:
        """Update the next seat everywhere; raise `Cancelled`, and change nothing, if the work is cancelled."""
        seat = self.next_seat
        before = self.regrets.store.wide.copy()
        self._mode = "update"
        try:
            learning = Learning(self.regrets, self.regrets, Profile.without_numbers(self.trunk))
            self._traverser.update(learning, CFR_PLUS, seat)
        except BaseException:
            self.regrets.store.wide[...] = before
            raise
        np.maximum(self.regrets.store.wide, 0, out=self.regrets.store.wide)
        self.generations[seat] += 1

    def best_responses(self) -> FloatArray:
        """Return the winnings of each seat's best response to the other's current strategy, in chips."""
        self._mode = "best response"
        return self._traverser.best_response_values(self.regrets)

    def values(self, batch: LeafBatch) -> tuple[FloatArray, FloatArray]:
        """Return the values of the ends of the trunk to a seat's hands: the sums over all parts."""
        seat = batch.player
        assert seat is not None
        reach = batch.reach[1 - seat].astype(np.float32)
        total = np.zeros((len(batch.leaves), self.trunk.hand_counts[seat]))
        sizes, all_zero, done = SeatSizes(), 0, 0
        found = map_in_order(self.worker.make, self.worker.do, self._questions(seat, reach), self.workers, self.cancel)
        for answer in found:
            total += answer.values
            sizes = SeatSizes(*map(sum, zip(sizes, answer.sizes, strict=True)))
            all_zero += answer.all_zero
            done += 1
            self.part_done(answer, done)
        if done < self.partition.parts:
            self.cancel.cancel()
            self.cancel.check()
        if self._mode == "update":
            self.sizes[seat] = sizes
        else:
            self.all_zero[seat] = all_zero
        nothing = np.zeros((len(batch.leaves), self.trunk.hand_counts[1 - seat]))
        return (total, nothing) if seat == 0 else (nothing, total)

    def part_done(self, answer: PartAnswer, done: int) -> None:
        """Take note that a part is done; for a driver that shows it."""

    def _questions(self, seat: int, reach: NDArray[np.float32]) -> Iterator[tuple[Any, ...]]:
        generations = (self.generations[0], self.generations[1])
        for part in range(self.partition.parts):
            yield PartQuestion(part, seat, generations, self._mode), reach
