"""A strategy profile: the probabilities of every player in every information set, backed by one array."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.names import suggest
from counterpoise.store import pack_texts, read_cpz, unpack_texts, write_cpz
from counterpoise.tree.by_infoset import ByInfoset, Key as Key, labelled_json
from counterpoise.tree.kernels.layouts import FloatArray
from counterpoise.tree.tree import InfosetTable, Tree


class Strategy(ByInfoset):
    """``strategy[infoset] -> {action: probability}`` for all players of one game.

    `probabilities` is the flat array behind it (see `InfosetTable`); `game` is the name of the game.
    Indexing takes an infoset's label, or (player, label) where two players share a label.
    """

    name, kind = "a strategy", "probabilities"
    column = "probability"

    @property
    def probabilities(self) -> FloatArray:
        """The flat array of all probabilities."""
        return self.numbers

    @classmethod
    def uniform(cls, tree: Tree) -> Strategy:
        """Return the strategy that plays every action equally often."""
        probabilities = np.ones(tree.table.size)
        for start, actions in zip(tree.table.start.tolist(), tree.table.actions, strict=True):
            probabilities[start : start + len(actions)] = 1 / len(actions)
        return cls(tree.name, tree.table, probabilities)

    @classmethod
    def from_mapping(cls, tree: Tree, mapping: Mapping[Any, Mapping[str, float]]) -> Strategy:
        """Make a strategy for `tree` from {infoset: {action: probability}}; infosets left out are played uniformly.

        Probabilities must be non-negative and sum to 1 at each infoset (1e-6); actions left out get 0.
        """
        strategy = cls.uniform(tree)
        for key, distribution in mapping.items():
            infoset = tree.table.find(key)
            actions = tree.table.actions[infoset]
            if not isinstance(distribution, Mapping):
                raise InputError(f"infoset {key!r} needs {{action: probability}}, not {distribution!r}")
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
        """Return the flat array of this strategy in the layout of `tree`, matched by names if it was made elsewhere."""
        if self.table is tree.table or self.table.same_as(tree.table):
            return self.probabilities
        if sorted(self.table) != sorted(tree.table):
            raise InputError(f"this strategy is for {self.game}; its infosets are not those of {tree.name}")
        return Strategy.from_mapping(tree, {key: self[key] for key in self.table}).probabilities

    def distance(self, other: Strategy) -> float:
        """Return largest difference of any probability between two strategies for the same game."""
        if list(self.table) != list(other.table):
            raise InputError(f"cannot compare a strategy for {self.game} with one for {other.game}")
        return float(np.abs(self.probabilities - other.probabilities).max())

    def spelled(self, value: float) -> str:
        """Return a probability as tables show it."""
        return f"{value:.4f}"

    def to_json(self) -> list[dict[str, Any]]:
        """Return one entry per infoset in the types of JSON: player (from 0), infoset, actions and probabilities."""
        return labelled_json(self.table, {"probabilities": self})

    def to_openspiel(self) -> Any:
        """Return this strategy as a `pyspiel.TabularPolicy`, for a game that came from OpenSpiel."""
        from counterpoise.games.openspiel import to_openspiel_policy

        return to_openspiel_policy(self.game, {key: self[key] for key in self.table})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the strategy to a `.cpz` file."""
        write_cpz(path, "strategy", {"game": self.game}, strategy_arrays(self))


def strategy_arrays(strategy: Strategy) -> dict[str, NDArray[Any]]:
    """Return the arrays under which a strategy is stored: probabilities and the owner, label, actions of infosets."""
    return {"probabilities": strategy.probabilities} | _table_arrays(strategy.table)


def load_strategy(path: str | os.PathLike[str]) -> Strategy:
    """Return the strategy in a `.cpz` file, whether it was saved alone, with its run or with the networks that play it.

    Every array is checked.
    """
    header, arrays = read_cpz(path, "strategy", "run", "networks")
    if header["kind"] == "networks" and "probabilities" not in arrays:
        raise InputError(
            f"{path} holds networks without a table of what they play: judge them with counterpoise evaluate {path}"
        )
    return strategy_from(header, arrays, path)


def strategy_from(
    header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], source: str | os.PathLike[str]
) -> Strategy:
    """Return the strategy in what `read_cpz` has read from `source`, which only error messages name."""
    from counterpoise.store.headers import StrategyHeader
    from counterpoise.store.schemas import STRATEGY

    if missing := [name for name in STRATEGY.arrays if name not in arrays]:
        raise InputError(f"{source} holds no strategy: array {missing[0]!r} is missing")
    head = StrategyHeader.read(header, source)
    STRATEGY.check(source, arrays, _sizes(arrays))
    labels, actions = (unpack_texts(arrays[f"{name}s"], arrays[f"{name}_offsets"]) for name in ("label", "action"))
    counts = arrays["sizes"].astype(np.int64)
    ends = counts.cumsum().tolist()
    blocks = [tuple(actions[end - size : end]) for size, end in zip(counts.tolist(), ends, strict=True)]
    table = InfosetTable(int(arrays["players"]), arrays["owner"].astype(np.int8), labels, blocks)
    return Strategy(head.game, table, arrays["probabilities"])


def _sizes(arrays: Mapping[str, NDArray[Any]]) -> dict[str, int]:
    """Return the lengths by which the arrays of a strategy are measured: those of the arrays that have one freely."""
    infosets, actions, players = arrays["owner"].size, arrays["action_offsets"].size - 1, arrays["players"]
    return {
        "infosets": infosets,
        "infosets + 1": infosets + 1,
        "actions": actions,
        "actions + 1": actions + 1,
        "bytes of labels": arrays["labels"].size,
        "bytes of actions": arrays["actions"].size,
        "sequences": arrays["probabilities"].size,
        "last player": int(players) - 1 if players.shape == () and players.dtype.kind == "i" else 0,
    }


def improper_infosets(table: InfosetTable, probabilities: FloatArray) -> NDArray[np.int64]:
    """Return the infosets whose numbers are no probabilities: negative, nan, or not summing to 1 (1e-6)."""
    if not len(table):
        return np.empty(0, dtype=np.int64)
    empty = np.append(table.start, table.size)  # where player p's empty sequence stands: before its first infoset
    first = np.searchsorted(table.owner, np.arange(table.players))
    chosen = np.delete(probabilities, empty[first] - 1)
    begin = table.start - table.owner.astype(np.int64) - 1
    sums, least = np.add.reduceat(chosen, begin), np.minimum.reduceat(chosen, begin)
    return np.flatnonzero(~((least >= 0) & (np.abs(sums - 1) <= 1e-6)))


def game_digest(tree: Tree) -> str:
    """Return the SHA-256 of the game itself: its sequence form and its names of infosets and actions, not its own.

    Two trees with the same digest take the same strategies and solver states, and give them the same values.
    """
    digest = hashlib.sha256()
    for name, array in (tree.form._asdict() | _table_arrays(tree.table)).items():
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _table_arrays(table: InfosetTable) -> dict[str, NDArray[Any]]:
    labels, label_offsets = pack_texts(table.labels)
    actions, action_offsets = pack_texts(action for actions in table.actions for action in actions)
    return {
        "players": np.array(table.players),
        "owner": table.owner,
        "sizes": np.array([len(actions) for actions in table.actions], dtype=np.int32),
        "labels": labels,
        "label_offsets": label_offsets,
        "actions": actions,
        "action_offsets": action_offsets,
    }
