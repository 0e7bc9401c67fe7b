"""A strategy profile: what every player does in every information set, backed by one array."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.games.openspiel import PREFIX as OPENSPIEL_PREFIX
from counterpoise.games.openspiel import from_openspiel, to_openspiel_policy
from counterpoise.names import suggest
from counterpoise.store import read_cpz, write_cpz
from counterpoise.tree.tree import InfosetTable, Tree
from counterpoise.tree.tree_kernels import FloatArray

if TYPE_CHECKING:
    import pandas

Key = str | tuple[int, str]


class Strategy(Mapping[Key, dict[str, float]]):
    """``strategy[infoset] -> {action: probability}`` for all players of one game.

    `probabilities` is the flat array behind it (see `InfosetTable`); `game` is the name of the game.
    Indexing takes an infoset's label, or (player, label) where two players share a label.
    """

    def __init__(self, game: str, table: InfosetTable, probabilities: FloatArray) -> None:
        self.game = game
        self.table = table
        self.probabilities = np.asarray(probabilities, dtype=np.float64)
        if self.probabilities.shape != (table.size,):
            raise InputError(f"a strategy for {game} needs {table.size} probabilities, not {self.probabilities.shape}")

    @classmethod
    def uniform(cls, tree: Tree) -> Strategy:
        """Every action equally likely."""
        probabilities = np.ones(tree.table.size)
        for start, actions in zip(tree.table.start.tolist(), tree.table.actions, strict=True):
            probabilities[start : start + len(actions)] = 1 / len(actions)
        return cls(tree.name, tree.table, probabilities)

    @classmethod
    def from_mapping(cls, tree: Tree, mapping: Mapping[Any, Mapping[str, float]]) -> Strategy:
        """A strategy for `tree` from {infoset: {action: probability}}; infosets left out are played uniformly.

        Probabilities must be non-negative and sum to 1 at each infoset (1e-6); actions left out get 0.
        """
        strategy = cls.uniform(tree)
        for key, distribution in mapping.items():
            infoset = tree.table.find(key)
            actions = tree.table.actions[infoset]
            unknown = [action for action in distribution if action not in actions]
            if unknown:
                raise InputError(f"infoset {key!r} has no action {unknown[0]!r}: {suggest(unknown[0], actions)}")
            chosen = np.array([float(distribution.get(action, 0.0)) for action in actions])
            if not (chosen >= 0).all() or not abs(chosen.sum() - 1) <= 1e-6:
                raise InputError(f"the probabilities at infoset {key!r} must be >= 0 and sum to 1")
            start = int(tree.table.start[infoset])
            strategy.probabilities[start : start + len(actions)] = chosen / chosen.sum()
        return strategy

    def on(self, tree: Tree) -> FloatArray:
        """The flat array of this strategy in the layout of `tree`, matched by names if it was made elsewhere."""
        if self.table is tree.table or self.table.same_as(tree.table):
            return self.probabilities
        if sorted(self.table) != sorted(tree.table):
            raise InputError(f"this strategy is for {self.game}; its infosets are not those of {tree.name}")
        return Strategy.from_mapping(tree, {key: self[key] for key in self.table}).probabilities

    def __getitem__(self, key: Key) -> dict[str, float]:
        infoset = self.table.find(key)
        start = int(self.table.start[infoset])
        actions = self.table.actions[infoset]
        return dict(zip(actions, self.probabilities[start : start + len(actions)].tolist(), strict=True))

    def __iter__(self) -> Iterator[Key]:
        """Labels, as (player, label) where the label alone is ambiguous."""
        for player, label in self.table:
            yield label if len(self.table.by_label[label]) == 1 else (player, label)

    def __len__(self) -> int:
        return len(self.table)

    def __contains__(self, key: object) -> bool:
        try:
            self.table.find(key)  # type: ignore[arg-type]
        except InputError:
            return False
        return True

    def __eq__(self, other: object) -> bool:
        """Same infosets and exactly the same probabilities."""
        if not isinstance(other, Strategy):
            return NotImplemented
        return list(self.table) == list(other.table) and np.array_equal(self.probabilities, other.probabilities)

    __hash__ = None  # type: ignore[assignment]

    def distance(self, other: Strategy) -> float:
        """Largest difference of any probability between two strategies for the same game."""
        if list(self.table) != list(other.table):
            raise InputError(f"cannot compare a strategy for {self.game} with one for {other.game}")
        return float(np.abs(self.probabilities - other.probabilities).max())

    def __repr__(self) -> str:
        return f"Strategy({self.game!r}, {len(self)} infosets)"

    def to_frame(self) -> pandas.DataFrame:
        """One row per (player, infoset, action) with its probability, as a pandas table."""
        import pandas

        rows = [
            (player, label, action, probability)
            for (player, label), start, actions in zip(
                self.table, self.table.start.tolist(), self.table.actions, strict=True
            )
            for action, probability in zip(actions, self.probabilities[start:].tolist(), strict=False)
        ]
        return pandas.DataFrame(rows, columns=["player", "infoset", "action", "probability"])

    def to_openspiel(self) -> Any:
        """This strategy as a `pyspiel.TabularPolicy`, for a game that came from OpenSpiel."""
        if not self.game.startswith(OPENSPIEL_PREFIX):
            raise InputError(f"{self.game} is not a game from OpenSpiel: load it as {OPENSPIEL_PREFIX}NAME")
        return to_openspiel_policy(from_openspiel(self.game), {key: self[key] for key in self.table})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the strategy to a `.cpz` file."""
        write_cpz(path, "strategy", {"game": self.game}, strategy_arrays(self))


def strategy_arrays(strategy: Strategy) -> dict[str, NDArray[Any]]:
    """The arrays under which a strategy is stored: probabilities and, per infoset, owner, label and actions."""
    table = strategy.table
    return {
        "probabilities": strategy.probabilities,
        "players": np.array(table.players),
        "owner": table.owner,
        "labels": np.array(table.labels, dtype=np.str_),
        "sizes": np.array([len(actions) for actions in table.actions], dtype=np.int32),
        "actions": np.array([action for actions in table.actions for action in actions], dtype=np.str_),
    }


def load_strategy(path: str | os.PathLike[str]) -> Strategy:
    """The strategy in a `.cpz` file, whether it was saved alone or with its run; every array is checked."""
    header, arrays = read_cpz(path)
    try:
        players, probabilities, owner, labels, sizes, actions = (
            arrays[name] for name in ("players", "probabilities", "owner", "labels", "sizes", "actions")
        )
    except KeyError as missing:
        raise InputError(f"{path} holds no strategy: array {missing} is missing") from None
    damaged = InputError(f"{path} is damaged: its arrays do not describe a strategy")
    if (
        any(array.ndim != 1 for array in (probabilities, owner, labels, sizes, actions))
        or players.ndim != 0
        or probabilities.dtype != np.float64
        or any(array.dtype.kind != "i" for array in (players, owner, sizes))
        or any(array.dtype.kind != "U" for array in (labels, actions))
        or not len(owner) == len(labels) == len(sizes)
        or (sizes < 1).any()
        or sizes.sum() != len(actions)
        or not ((owner >= 0) & (owner < players)).all()
        or (np.diff(owner) < 0).any()
    ):
        raise damaged
    blocks = np.split(actions, np.cumsum(sizes)[:-1]) if len(sizes) else []
    table = InfosetTable(
        int(players), owner.astype(np.int8), labels.tolist(), [tuple(block.tolist()) for block in blocks]
    )
    if len(probabilities) != table.size or not np.isfinite(probabilities).all() or (probabilities < 0).any():
        raise damaged
    running = probabilities.cumsum()
    sums = running[table.start + sizes - 1] - running[table.start - 1]
    if (np.abs(sums - 1) > 1e-6).any():
        raise damaged
    return Strategy(str(header.get("game", "")), table, probabilities)
