"""A finite game as flat arrays: histories, information sets, sequences and payoffs.

`counterpoise.tree.enumerate_game` makes one; afterwards no Python object of the game is touched. The histories
serve sampling, pruning and sizes; the sequence form serves everything else.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError, UnknownKey
from counterpoise.games import CHANCE, TERMINAL, Game
from counterpoise.names import suggest
from counterpoise.parameters import is_whole
from counterpoise.progress import memory_size
from counterpoise.summaries import Summarised, Summary, make_frame, number
from counterpoise.tree.kernels.layouts import FloatArray, Histories, SequenceForm
from counterpoise.tree.kernels.sequence_form import external_reach, normalise

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False)
class InfosetTable:
    """The names behind the numbers: whose infoset, its label, its actions and where its block starts.

    Blocks lie one after another per player, each player's after one slot for the empty sequence, so that
    position k of a flat strategy array is action ``k - start[i]`` of the infoset i that owns it.
    """

    players: int
    owner: NDArray[np.int8]
    labels: Sequence[str]
    actions: Sequence[tuple[str, ...]]

    @cached_property
    def start(self) -> NDArray[np.int64]:
        """First position of each infoset's block."""
        sizes = np.array([len(actions) for actions in self.actions], dtype=np.int64)
        before = np.concatenate(([0], np.cumsum(sizes)))[:-1]
        return before + self.owner.astype(np.int64) + 1

    @cached_property
    def size(self) -> int:
        """Length of a flat strategy array: all sequences of all players, the empty ones included."""
        return sum(len(actions) for actions in self.actions) + self.players

    @cached_property
    def by_label(self) -> dict[str, list[int]]:
        """Infosets under each label; more than one when two players use the same label."""
        found: dict[str, list[int]] = {}
        for infoset, label in enumerate(self.labels):
            found.setdefault(label, []).append(infoset)
        return found

    def __len__(self) -> int:
        return len(self.labels)

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """Iterate over (player, label) of every infoset."""
        return zip(self.owner.tolist(), self.labels, strict=True)

    def same_as(self, other: InfosetTable) -> bool:
        """Return whether flat arrays mean the same under both tables."""
        return (
            self.players == other.players
            and np.array_equal(self.owner, other.owner)
            and self.labels == other.labels
            and self.actions == other.actions
        )

    def candidates(self, key: object) -> list[int]:
        """Return the infosets that a label or a (player, label) may mean; none for any other key."""
        player, label = _player_and_label(key)
        return [i for i in self.by_label.get(label, []) if player is None or self.owner[i] == player]

    def find(self, key: object) -> int:
        """Return the number of the infoset with this label, or with this (player, label)."""
        found, label = self.candidates(key), _player_and_label(key)[1]
        if len(found) == 1:
            return found[0]
        if label is None:
            raise UnknownKey(f"an infoset is named by its label or by (player, label), not by {key!r}")
        if found:
            raise UnknownKey(f"infoset {label!r} belongs to several players: ask for (player, {label!r})")
        known = list(self.by_label)[:5000]
        hint = suggest(label, known)
        if len(known) > 12 and not hint.startswith("did"):
            hint = f"labels look like {known[0]!r}"
        raise UnknownKey(f"there is no infoset {key!r}; {hint}")


def _player_and_label(key: object) -> tuple[Any, Any]:
    """Split a key into the player, None if it names none, and the label, None if it is no key of an infoset."""
    if isinstance(key, str):
        return None, key
    if isinstance(key, tuple) and len(key) == 2 and is_whole(key[0]) and isinstance(key[1], str):
        return key
    return None, None


@dataclass(frozen=True, eq=False, repr=False)
class Tree(Summarised):
    """A game enumerated: its name, rules, sequence form (for kernels), histories, and the table of infoset names."""

    name: str
    game: Game
    players: int
    form: SequenceForm
    histories: Histories
    table: InfosetTable
    representation: ClassVar[str] = "enumerated"
    """What algorithms call such problems."""

    def __repr__(self) -> str:
        return f"<Tree of {self.name}: {self.nodes:,} histories, {self.infosets:,} infosets, {self.players} players>"

    def summary(self) -> Summary:
        """Return the size of the game, its payoffs, and the names of its first information sets."""
        payoffs = self.histories.payoffs
        low, high = (number(float(end)) for end in (payoffs.min(initial=0.0), payoffs.max(initial=0.0)))
        if self.payoff_sum is None:
            sums = "not constant-sum"
        else:
            sums = "zero-sum" if self.payoff_sum == 0 else f"the players' payoffs add up to {number(self.payoff_sum)}"
        owners = self.table.owner
        own = [f"{n:,} of player {seat + 1}" for seat, n in enumerate(np.bincount(owners, minlength=self.players))]
        facts = [
            ("players", f"{self.players}"),
            ("histories", f"{self.nodes:,}, of which {self.terminals:,} are ends of the game"),
            ("information sets", f"{self.infosets:,}: {', '.join(own)}"),
            ("sequences", ", ".join(f"{count:,}" for count in self.sequences.tolist())),
            ("payoffs", f"{low} to {high}, {sums}"),
            ("memory", memory_size(self.memory_bytes)),
        ]
        first = np.unique(owners, return_index=True)[1]
        rows = [[str(owners[i] + 1), self.table.labels[i], "  ".join(self.table.actions[i])] for i in first]
        return Summary(self.name, facts, ["player", "first infoset", "actions"] if rows else (), rows)

    def to_frame(self) -> pandas.DataFrame:
        """Return one row per information set as a pandas table: player (from 0), infoset, actions and histories."""
        decisions = self.histories.player >= 0
        counts = np.bincount(self.histories.infoset[decisions], minlength=self.infosets).tolist()
        rows = ((*names, actions, n) for names, actions, n in zip(self.table, self.table.actions, counts, strict=True))
        return make_frame(["player", "infoset", "actions", "histories"], rows)

    @property
    def nodes(self) -> int:
        """Number of histories, chance nodes and terminals included."""
        return len(self.histories.parent)

    @property
    def terminals(self) -> int:
        """Number of terminal histories."""
        return len(self.histories.payoffs)

    @property
    def infosets(self) -> int:
        """Number of infosets of all players."""
        return len(self.table)

    @property
    def sequences(self) -> NDArray[np.int64]:
        """Number of sequences of each player, the empty one included."""
        return np.diff(self.form.first_sequence).astype(np.int64)

    @cached_property
    def payoff_sum(self) -> float | None:
        """What the payoffs of all players add up to at every terminal, or None if that varies."""
        sums = self.histories.payoffs.sum(axis=1)
        scale = max(1.0, float(np.abs(self.histories.payoffs).max(initial=0.0)))
        return float(sums[0]) if np.ptp(sums) <= 1e-9 * scale else None

    @property
    def two_player_zero_sum(self) -> bool:
        """Whether equilibrium theory for two-player zero-sum (or constant-sum) games applies."""
        return self.players == 2 and self.payoff_sum is not None

    def require_two_player_zero_sum(self, method: str) -> None:
        """Refuse, with the reason, a game outside the scope of a method that needs two-player zero-sum."""
        if self.players != 2:
            raise InputError(f"{method} needs a two-player zero-sum game; {self.name} has {self.players} players")
        if self.payoff_sum is None:
            raise InputError(f"{method} needs a two-player zero-sum game; the payoffs of {self.name} are not")

    @cached_property
    def memory_bytes(self) -> int:
        """Bytes held by the arrays and, roughly, by the names of infosets and actions."""
        actions = {id(block): block for block in self.table.actions}.values()  # equal ones may be one object
        names = {id(name): name for block in actions for name in block}.values()
        texts = sum(map(sys.getsizeof, (*self.table.labels, *actions, *names))) + 16 * len(self.table)
        return sum(array.nbytes for array in (*self.form, *self.histories)) + texts

    @cached_property
    def payoff_range(self) -> FloatArray:
        """Delta(I): largest minus smallest payoff to the acting player reachable from each infoset."""
        lowest, highest = self.payoff_bounds
        return np.asarray(highest - lowest)

    @cached_property
    def payoff_bounds(self) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest payoff to the acting player reachable from each infoset."""
        histories = self.histories
        low, high = np.full((self.nodes, self.players), np.inf), np.full((self.nodes, self.players), -np.inf)
        ends = histories.player == TERMINAL
        low[ends] = high[ends] = histories.payoffs[histories.infoset[ends]]
        depth = depths(histories.parent)
        for level in range(int(depth.max(initial=0)), 0, -1):
            nodes = np.flatnonzero(depth == level)
            np.minimum.at(low, histories.parent[nodes], low[nodes])
            np.maximum.at(high, histories.parent[nodes], high[nodes])
        decisions = np.flatnonzero((histories.player != TERMINAL) & (histories.player != CHANCE))
        lowest, highest = np.full(self.infosets, np.inf), np.full(self.infosets, -np.inf)
        acting = histories.player[decisions]
        np.minimum.at(lowest, histories.infoset[decisions], low[decisions, acting])
        np.maximum.at(highest, histories.infoset[decisions], high[decisions, acting])
        return lowest, highest

    def behaviour(self, plan: FloatArray) -> FloatArray:
        """Return the behaviour strategy of all players' unnormalised realisation plan; uniform where it is zero."""
        strategy = np.ones_like(plan)
        for player in range(self.players):
            normalise(self.form, player, plan, strategy)
        return strategy

    def infoset_reach(self, strategy: FloatArray) -> FloatArray:
        """Return pi_{-i}(I): how likely chance and the other players let each infoset happen, under `strategy`."""
        reach, external = np.empty(self.infosets), np.empty((self.nodes, self.players))
        external_reach(self.histories, self.form.start, strategy, external, reach)
        return reach


def depths(parent: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return how many moves lead to each history, those of chance counted."""
    depth = np.zeros(len(parent), dtype=np.int32)
    above = parent.astype(np.int64)
    while (inner := above >= 0).any():
        depth[inner] += 1
        above[inner] = parent[above[inner]]
    return depth
