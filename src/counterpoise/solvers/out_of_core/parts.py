"""The job of a part: one seat, one iteration, or one best response, on some first deals with all that follows them.

A job reads the blocks of both seats, walks, writes the next block of one seat, and returns the value of every hand
where the trunk ends. It has no other effect and depends on nothing else, so any worker may do it, more than once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.public import HoldemGame, Learning, Profile, Traverser, UpdateSchedule
from counterpoise.solvers.out_of_core.blocks import BlockName, BlockStore, RegretBlock
from counterpoise.solvers.out_of_core.partition import Partition
from counterpoise.solvers.out_of_core.regrets import CoderScratch, RegretCoder

FloatArray = NDArray[np.float64]
Mode = Literal["update", "best response"]
KEPT_BYTES = 2 * 10**9
"""The most bytes of games of parts that a worker keeps, beside the one at work."""
ONCE = np.ones(1, dtype=np.float32)
CFR_PLUS = UpdateSchedule(positive=ONCE, negative=np.zeros(1, dtype=np.float32), average_decay=ONCE, weighted=False)
"""Regret matching+: sums below zero count as zero (Tammelin 2014)."""


class PartQuestion(NamedTuple):
    """The question to a job."""

    part: int
    seat: int
    """The seat whose values are wanted."""
    generations: tuple[int, int]
    """The number of earlier updates of each seat."""
    mode: Mode = "update"


class SeatSizes(NamedTuple):
    """The sizes that updates of a seat have written."""

    regrets: int = 0
    compressed: int = 0
    """Bytes of the blocks."""
    cut: int = 0
    """Regrets that were too large for their scale."""


class PartAnswer(NamedTuple):
    """The answer of a job."""

    values: FloatArray
    """The value of each line that leads on from the trunk to each hand of the seat, [line, hand], in chips."""
    sizes: SeatSizes = SeatSizes()
    """The sizes that it has written."""
    all_zero: int = 0
    """Information sets of the seat without a positive regret, counted when a best response is asked for."""


class PartTools(NamedTuple):
    """What a worker needs for the jobs of a part."""

    game: HoldemGame
    coder: RegretCoder
    traverser: Traverser

    @property
    def bytes(self) -> int:
        """Memory that it takes, in bytes."""
        return self.game.bytes + self.coder.memory + self.traverser.bytes


@dataclass(eq=False)
class PartWorker:
    """Does jobs of a run, keeping the games of some parts."""

    partition: Partition
    scales: tuple[float, ...]
    store: BlockStore
    _kept: dict[int, PartTools] = field(default_factory=dict)
    _kept_bytes: int = 0
    _latest: tuple[int, PartTools] | None = None
    _previous: int = -1
    _scratch: CoderScratch = field(default_factory=CoderScratch)
    _numbers: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, dtype=np.float32))

    def make(self) -> Callable[..., PartAnswer]:
        """Return the function that does the jobs."""
        return self.do

    def do(self, question: PartQuestion, reach: NDArray[np.float32]) -> PartAnswer:
        """Do a job; `reach` is what arrives of the other seat's hands at the end of each line, [line, hand]."""
        part, seat, generations, mode = question
        key = hashlib.sha256(repr(question).encode() + reach.tobytes()).digest()[:16]
        shape = (reach.shape[0], self.partition.game.deck.hand_count)
        written = BlockName(part, seat, generations[seat] + 1)
        known = self.store.find(written, key) if mode == "update" else None
        if known is not None and known.holds(shape[0] * shape[1]):
            return PartAnswer(known.values[:-1].reshape(shape), self._sizes(part, seat, known))
        game, coder, traverser = self._part(part)
        regrets, met = self._regrets(part, generations), reach.astype(np.float64)
        self._expect(part, generations)
        if mode != "update":
            values = traverser.values_below_deals(regrets, seat, met, best=True)
            return PartAnswer(values, all_zero=coder.all_zero(regrets, seat))
        learning = Learning(regrets, regrets, Profile.without_numbers(game))
        values = traverser.update_below_deals(learning, CFR_PLUS, seat, met)
        packed, cut = coder.encode(regrets, seat)
        block = RegretBlock(key, np.append(values.ravel(), cut), packed)
        self.store.write(written, block)
        return PartAnswer(values, self._sizes(part, seat, block))

    def _regrets(self, part: int, generations: tuple[int, int]) -> Profile:
        """Return the regrets of both seats on a part, in an array that the next job uses again."""
        game, coder, _ = self._part(part)
        if len(self._numbers) < game.entries:
            self._numbers = np.zeros(game.entries, dtype=np.float32)
        regrets = Profile.over(game, self._numbers[: game.entries])
        if 0 in generations:
            regrets.clear()
        for player, generation in enumerate(generations):
            if generation:
                name = BlockName(part, player, generation)
                coder.decode(self.store.read(name).regrets, player, regrets, name.file)
        return regrets

    def _expect(self, part: int, generations: tuple[int, int]) -> None:
        """Have the next blocks fetched while this part is walked: parts come in turn, to several workers in strides."""
        following = part + max(part - self._previous, 1)
        self._previous = part
        for player, generation in enumerate(generations):
            if generation and following < self.partition.parts:
                self.store.expect(BlockName(following, player, generation))

    def _sizes(self, part: int, seat: int, block: RegretBlock) -> SeatSizes:
        return SeatSizes(self._part(part).coder.size(seat), len(block.regrets), int(block.values[-1]))

    def _part(self, part: int) -> PartTools:
        """Return the tools of a part: made anew if they are not among the first ones that fit the memory."""
        if part in self._kept:
            return self._kept[part]
        if self._latest is not None and self._latest[0] == part:
            return self._latest[1]
        game = self.partition.build(part)
        tools = PartTools(game, RegretCoder(game, self.scales, self._scratch), Traverser(game))
        self._latest = part, tools
        # Parts come in turn: what is thrown out for the next one would be missed first.
        if self._kept_bytes + tools.bytes <= KEPT_BYTES:
            self._kept[part] = tools
            self._kept_bytes += tools.bytes
        return tools

    def __getstate__(self) -> dict[str, object]:
        """Send everything but the games and arrays, which each worker makes."""
        return {"partition": self.partition, "scales": self.scales, "store": self.store}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]
