"""Profiles: one number per hand, action and node of both players, such as regrets, or an average strategy.

Rows of hands are float32, or 16 bits (signed square roots) with a scale per row. A strategy is read by regret matching:
proportional to the positive numbers, uniform where there are none. Many profiles of one game may exist. Every profile
contains the strategies that the game has locked.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.proportions import proportional
from counterpoise.public.game import FloatArray, PublicGame
from counterpoise.public.kernels.layouts import Store

ROOTS = 32767
"""The largest number of 16 bits."""


class Profile:
    """Numbers for every decision of a game, initially zeros except for locked strategies."""

    def __init__(self, game: PublicGame, bits: int = 32, store: Store | None = None) -> None:
        if bits not in (16, 32):
            raise InputError(f"bits must be 16 or 32, not {bits!r}")
        if game.locks and bits != 32:
            raise InputError("bits must be 32 when strategies are locked, not 16")
        self.game, self.bits = game, bits
        wide, narrow = (game.entries, 0) if bits == 32 else (0, game.entries)
        scales = game.stored_rows if bits == 16 else 0
        if store is None:
            store = Store(np.zeros(wide, np.float32), np.zeros(narrow, np.int16), np.zeros(scales, np.float32))
            store.wide[game.lock_arrays.entry] = game.lock_arrays.value
        elif tuple(len(array) for array in store) != (wide, narrow, scales):
            raise InputError(f"these numbers are not those of a profile of {game.name} in {bits} bits")
        self.store = store

    @classmethod
    def without_numbers(cls, game: PublicGame) -> Profile:
        """Return a profile that stores nothing, for an average that is not wanted."""
        found = cls.__new__(cls)
        nothing = np.zeros(0, dtype=np.float32)
        found.game, found.bits = game, 32
        found.store = Store(nothing, np.zeros(0, dtype=np.int16), nothing)
        return found

    @classmethod
    def over(cls, game: PublicGame, numbers: NDArray[np.float32]) -> Profile:
        """Return a profile over an array of `game.entries` live numbers of 32 bits."""
        return cls(game, 32, Store(numbers, np.zeros(0, dtype=np.int16), np.zeros(0, dtype=np.float32)))

    def require_fit(self, game: PublicGame) -> None:
        """Refuse a game for which the numbers are not laid out: kernels index them without a check."""
        own = self.game
        if own.arrays is not game.arrays and (own.entries, own.stored_rows) != (game.entries, game.stored_rows):
            raise InputError(
                f"a profile of {own.name}, {own.entries:,} numbers in {own.stored_rows:,} rows, does not fit "
                f"{game.name}, which has {game.entries:,} in {game.stored_rows:,}"
            )

    def __repr__(self) -> str:
        return f"<Profile of {self.game.name}: {self.game.entries:,} numbers of {self.bits} bits>"

    @property
    def numbers(self) -> NDArray[Any]:
        """The live array of all numbers, as they are stored."""
        return self.store.wide if self.bits == 32 else self.store.narrow

    @property
    def bytes(self) -> int:
        """Memory of the numbers, in bytes."""
        return sum(array.nbytes for array in self.store)

    def arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """Return the live arrays by name, to be saved or restored: the numbers, and the scales of 16 bits."""
        return {name: self.numbers} | ({f"{name}.scale": self.store.scale} if self.bits == 16 else {})

    def copy(self) -> Profile:
        """Return a profile of its own with the same numbers."""
        return Profile(
            self.game, self.bits, Store(self.store.wide.copy(), self.store.narrow.copy(), self.store.scale.copy())
        )

    def on(self, game: PublicGame) -> Profile:
        """Return the same live numbers as a profile of another game with the same layout, such as the untilted one."""
        self.require_fit(game)
        return self if game is self.game else Profile(game, self.bits, self.store)

    def copy_from(self, other: Profile) -> None:
        """Copy the numbers of another profile of the same game and width."""
        self._require_alike(other)
        self.store.wide[...], self.store.narrow[...] = other.store.wide, other.store.narrow
        self.store.scale[...] = other.store.scale

    def _require_alike(self, other: Profile) -> None:
        other.require_fit(self.game)
        if other.bits != self.bits:
            raise InputError(f"profiles must both have numbers of {self.bits} bits, not one of {other.bits}")

    def in_bits(self, bits: int) -> Profile:
        """Return the strategies in a profile of `bits` bits, which is this one if it has them."""
        if bits == self.bits:
            return self
        found = Profile(self.game, bits)
        for number, tree in enumerate(self.game.street_trees):
            for board in np.flatnonzero(self.game.street_of == tree.street).tolist():
                for decision in range(len(tree.decisions)):
                    found.set_strategy(number, decision, board, self.strategy(number, decision, board))
        return found

    def clear(self) -> None:
        """Reset all numbers to zero, except locked strategies."""
        for array in self.store:
            array[...] = 0
        self.keep_locks()

    def clear_on(self, tree: int, board: int) -> None:
        """Reset one street tree on one board to zero, except locked strategies."""
        for player in range(2):
            entries, rows = self.game.stored_on(player, tree, board)
            self.numbers[entries], self.store.scale[rows] = 0, 0
        self.keep_locks()

    def keep_locks(self) -> None:
        """Write the locked strategies again."""
        self.store.wide[self.game.lock_arrays.entry] = self.game.lock_arrays.value

    def scale(self, factor: float) -> None:
        """Multiply all numbers but those of locked strategies."""
        for array in (self.store.wide, self.store.scale):
            array *= np.float32(factor)
        self.keep_locks()

    def joined(self, second: Profile) -> Profile:
        """Return a profile with the first player's rows of this one and the second player's of another."""
        found = self.copy()
        found.copy_player(second, 1)
        return found

    def copy_player(self, other: Profile, player: int) -> None:
        """Copy the numbers of one player from another profile of the same game and width."""
        self._require_alike(other)
        trees = self.game.arrays.trees
        entry, row = int(trees.store[1, 0]), int(trees.number[1, 0])
        parts = (slice(0, entry), slice(0, row)) if player == 0 else (slice(entry, None), slice(row, None))
        self.numbers[parts[0]] = other.numbers[parts[0]]
        self.store.scale[parts[1]] = other.store.scale[parts[1]]

    def strategy(self, tree: int, decision: int, board: int) -> FloatArray:
        """Return the strategy at a decision, [action, row of the board]; uniform where no number is positive."""
        place = self.game.place(tree, decision, board)
        count = len(self.game.street_trees[tree].decisions[decision].actions)
        rows = self.numbers[place.entry : place.entry + count * place.stride].reshape(count, place.stride)
        rows = rows.astype(np.float64)
        if self.bits == 16:  # signed square roots
            rows *= abs(rows) * self.store.scale[place.number : place.number + count, None]
        positive = np.maximum(rows[:, : int(self.game.boards.held[place.player, board])], 0)
        return proportional(positive, positive.sum(axis=0), 1 / count)

    def set_strategy(self, tree: int, decision: int, board: int, rows: FloatArray) -> None:
        """Write a strategy for one decision, [action, row of the board]; locked hands keep theirs."""
        _, entry, number, stride = self.game.place(tree, decision, board)
        padded = np.zeros((len(rows), stride))
        padded[:, : rows.shape[1]] = rows
        store = self.store
        if self.bits == 32:
            store.wide[entry : entry + padded.size] = padded.ravel()
            locks = self.game.lock_arrays
            here = (locks.entry >= entry) & (locks.entry < entry + padded.size)
            store.wide[locks.entry[here]] = locks.value[here]
            return
        scale = padded.max(axis=1) / ROOTS**2  # square roots
        store.scale[number : number + len(rows)] = scale
        roots = np.sqrt(padded / np.where(scale > 0, scale, 1)[:, None])
        store.narrow[entry : entry + padded.size] = np.rint(roots).astype(np.int16).ravel()


class Learning(NamedTuple):
    """The profiles that iterations change: regrets, what strategies are matched from, and the average strategy.

    Strategies are matched from the regrets themselves or, by predictive rules, from regrets with a prediction.
    """

    regrets: Profile
    matched: Profile
    average: Profile

    @classmethod
    def fresh(cls, game: PublicGame, bits: int = 32, predictive: bool = False) -> Learning:
        """Return profiles of zeros."""
        regrets = Profile(game, bits)
        return cls(regrets, Profile(game, bits) if predictive else regrets, Profile(game, bits))

    @property
    def profiles(self) -> dict[str, Profile]:
        """The profiles by name, each once."""
        found = {"regrets": self.regrets, "average": self.average}
        return found if self.matched is self.regrets else found | {"basis": self.matched}  # as files name it

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the live arrays that change from iteration to iteration, by name."""
        return {name: array for key, profile in self.profiles.items() for name, array in profile.arrays(key).items()}

    def clear(self) -> None:
        """Reset all numbers to zero, except locked strategies."""
        for profile in self.profiles.values():
            profile.clear()
