"""The strategies in the folder of a run: those of a seat after any line of betting on any board, by hand.

A board's regrets are in the block of its part, which is read and checked when it is first asked for, and kept while
there is room. All answers belong to the update that was the newest when the folder was opened.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.games import load
from counterpoise.games.holdem import LimitHoldem
from counterpoise.public import HoldemGame, Profile, PublicNode
from counterpoise.solvers.out_of_core.blocks import BlockName, DamagedBlock
from counterpoise.solvers.out_of_core.folder import RunFolder, TrunkState, settings_of_folder
from counterpoise.solvers.out_of_core.partition import Partition
from counterpoise.solvers.out_of_core.regrets import CoderScratch, RegretCoder

FloatArray = NDArray[np.float64]
Step = int | tuple[int, ...]
"""A bet, or the cards of a deal."""
KEPT_BYTES = 5 * 10**8
"""The most bytes of parts that are kept, beside the one that is asked for."""


@dataclass(eq=False)
class FolderStrategy:
    """The current strategies of both seats of a run; may be asked by several threads."""

    folder: RunFolder
    update: int
    """The number of updates of seats when it was opened."""
    state: TrunkState
    _parts: OrderedDict[int, _OpenPart] = field(default_factory=OrderedDict)
    _scratch: CoderScratch = field(default_factory=CoderScratch)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def open(cls, path: str | os.PathLike[str], update: int | None = None) -> FolderStrategy:
        """Return the strategies in a folder after an update, by default the newest; refuse a folder without a run."""
        settings = settings_of_folder(path)
        if settings is None:
            told = "has no run of limit hold'em" if os.path.isdir(path) else "is no folder"
            raise InputError(f"{os.fspath(path)} {told}: solve GAME --out-of-core DIR makes one")
        partition = Partition.of(load(settings.game), settings.deals_per_part)
        folder = RunFolder(Path(path).absolute(), partition, settings.scales)
        update = sum(settings.generations) if update is None else update
        return cls(folder, update, folder.load(update))

    def __reduce__(self) -> tuple[object, ...]:
        """Copies in other processes open the folder again, at the same update."""
        return type(self).open, (self.folder.path, self.update)

    @property
    def partition(self) -> Partition:
        """The game in parts."""
        return self.folder.partition

    @property
    def game(self) -> LimitHoldem:
        """The game."""
        return self.partition.game

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of everything that the strategies follow from: game, settings, update and trunk."""
        told = self.folder.identity + repr(self.state.generations).encode()
        return hashlib.sha256(told + self.state.regrets.tobytes()).hexdigest()

    @cached_property
    def _trunk(self) -> Profile:
        return Profile.over(self.partition.trunk, self.state.regrets)

    def at(self, steps: Sequence[Step]) -> tuple[PublicNode, FloatArray]:
        """Return the decision after bets and deals and the strategy of its seat there, [action, hand of the deck].

        Hands that the board blocks have 0. Steps that are not possible, or lead to no decision, are refused.
        """
        first = next((step for step in steps if isinstance(step, tuple)), None)
        number = -1 if first is None else self._part_of(first)
        part = None if first is None else self._part(number)
        regrets = self._trunk if part is None else part.regrets
        game = regrets.game
        assert isinstance(game, HoldemGame)
        node = game.root
        for step in steps:
            node = node.deal(step) if isinstance(step, tuple) else node.child(step)
        if node.kind != "decision":
            raise InputError(f"nobody acts in {game.name} after {' '.join(map(str, node.steps)) or 'nothing'}")
        if part is not None:
            self._read(number, part, node.player)
        return node, game.scatter_to_deck(node.player, node.strategy(regrets))

    def _part_of(self, cards: tuple[int, ...]) -> int:
        """Return the part that has a first deal."""
        orbit = self.partition.orbit_of.get(tuple(sorted(cards)))
        if orbit is None:
            raise InputError(f"{len(cards)} cards dealt are not a first deal of {self.game.name}")
        return orbit // self.partition.deals_per_part

    def _part(self, number: int) -> _OpenPart:
        with self._lock:
            if number not in self._parts:
                game = self.partition.build(number)
                self._parts[number] = _OpenPart(game, Profile(game))
            self._parts.move_to_end(number)
            while len(self._parts) > 1 and sum(part.bytes for part in self._parts.values()) > KEPT_BYTES:
                self._parts.popitem(last=False)
            return self._parts[number]

    def _read(self, number: int, part: _OpenPart, seat: int) -> None:
        """Read the regrets of a seat on a part from its block, once."""
        generation, blocks = self.state.generations[seat], self.folder.blocks
        with self._lock:
            if seat in part.seats:
                return
            name = BlockName(number, seat, generation)
            try:
                if generation:
                    coder = RegretCoder(part.game, self.folder.scales, self._scratch)
                    coder.decode(blocks.read(name).regrets, seat, part.regrets, str(self.folder.path / name.file))
            except DamagedBlock:
                if self.update < max(self.folder.numbers(), default=0):
                    raise InputError(
                        f"the run in {self.folder.path} has gone on since it was opened: open it again"
                    ) from None
                raise
            part.seats.add(seat)


@dataclass(eq=False)
class _OpenPart:
    """The tree of a part, and its regrets, of the seats that were asked for."""

    game: HoldemGame
    regrets: Profile
    seats: set[int] = field(default_factory=set)

    @property
    def bytes(self) -> int:
        """Memory that it takes."""
        return self.game.bytes + 4 * self.game.entries
