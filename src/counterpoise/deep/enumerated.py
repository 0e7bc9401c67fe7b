"""Enumerated games for methods that learn from samples: a key is the number of an infoset.

All infosets are known, so a policy is asked for all of them at once before walks begin: thousands of traversals then
run in one compiled call without a network.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.deep.encoders import encode_infosets
from counterpoise.deep.kernels.episodes import EpisodeGame, Notes, play_episodes
from counterpoise.deep.restoring import check_indices
from counterpoise.deep.sampled_game import Episodes, Keys, Policy, Rows, SampledGame, SampledWalk
from counterpoise.errors import Diverged
from counterpoise.solvers.kernels.layouts import Exploration, SampledTables, Turn
from counterpoise.solvers.kernels.mccfr_external import external_scratch, write_sample_walks
from counterpoise.solvers.kernels.mccfr_samples import ADVANTAGES, STRATEGIES, Samples, count_samples
from counterpoise.tree import Strategy, Tree, evaluate
from counterpoise.tree.flatten import sampling_tree
from counterpoise.tree.kernels.layouts import FloatArray
from counterpoise.tree.kernels.sequence_form import realisation_weights

MOST_NAMES = 64
"""Games with more different names of actions, and at least twice as many as an infoset has, count actions instead."""
MOST_ROOM = 2**26
"""Bytes of samples that one compiled call may write."""


class EnumeratedGame(SampledGame):
    """An enumerated two-player game, its infosets encoded for networks.

    Samples are in units of the largest payoff, unless another `unit` is given.
    """

    key_width = 1
    key_type: type[np.integer[Any]] = np.int32

    def __init__(self, tree: Tree, unit: float | None = None) -> None:
        tree.require_two_player_zero_sum("learning from samples")
        self.tree, self.name = tree, tree.name
        self.actions, column = _columns(tree)
        self.unit = unit or float(np.abs(tree.histories.payoffs).max(initial=0.0)) or 1.0
        owner = np.zeros(tree.table.size, dtype=np.int32)
        sizes = tree.form.stop.astype(np.int64) - tree.form.start.astype(np.int64)
        self.sequences = np.flatnonzero(_has_infoset(tree))
        """The sequences that are actions of infosets, in the order of infosets."""
        owner[self.sequences] = np.repeat(np.arange(tree.infosets), sizes)
        self.infoset_of, self.column_of = owner, column
        self._legal = np.zeros((tree.infosets, len(self.actions)), dtype=np.bool_)
        self._legal[owner[self.sequences], column[self.sequences]] = True
        sampled = sampling_tree(tree)
        self._sampled = sampled._replace(payoffs=sampled.payoffs * (1.0 / self.unit))
        self._scratch = external_scratch(self._sampled)

    @cached_property
    def encodings(self) -> NDArray[np.float32]:
        """The encodings of all infosets [infoset, input]."""
        return encode_infosets(self.tree)

    @property
    def inputs(self) -> int:  # type: ignore[override]
        """Numbers of an encoding."""
        return int(self.encodings.shape[1])

    def infosets_of(self, player: int) -> NDArray[np.int32]:
        """Return the keys of all infosets of a player."""
        first, after = self.tree.form.first_infoset[player : player + 2].tolist()
        return np.arange(first, after, dtype=np.int32)[:, None]

    def encode(self, keys: Keys) -> NDArray[np.float32]:
        """Return the encodings of infosets."""
        return np.asarray(self.encodings[keys[:, 0]])

    def legal(self, keys: Keys) -> NDArray[np.bool_]:
        """Return the legal actions at infosets."""
        return np.asarray(self._legal[keys[:, 0]])

    def require_keys(self, keys: Keys) -> None:
        """Refuse numbers that belong to no infoset."""
        check_indices(keys, self.tree.infosets, "keys")

    def profile(self, policy: Policy, players: tuple[int, ...] = (0, 1)) -> FloatArray:
        """Return the flat array of a policy (see `InfosetTable`); players that are not asked for are uniform."""
        flat = np.ones(self.tree.table.size)
        for player in (0, 1):
            keys = self.infosets_of(player)
            legal = self.legal(keys)
            rows = policy(player, keys) if player in players else even(legal)
            mass = rows.sum(axis=1, where=legal)
            if not ((mass > 0) & (mass < np.inf)).all():  # walks would draw actions that there are not
                raise Diverged("a network has outputs that are not numbers any more")
            first, after = self.tree.form.first_sequence[player : player + 2].astype(np.int64).tolist()
            own = np.arange(first + 1, after)  # the first sequence of a player is the empty one
            flat[own] = rows[self.infoset_of[own] - keys[0, 0], self.column_of[own]] if len(own) else 1.0
        return flat

    def reach(self, profile: FloatArray, player: int) -> FloatArray:
        """Return the realisation weights of a player's strategy, 0 for the sequences of the other."""
        reach = np.zeros_like(profile)
        realisation_weights(self.tree.form, player, profile, reach)
        return reach

    def rows_of(self, profile: FloatArray) -> Rows:
        """Return a flat array as one row per infoset [infoset, action], 0 for illegal actions."""
        rows = np.zeros(self._legal.shape)
        rows[self.infoset_of[self.sequences], self.column_of[self.sequences]] = profile[self.sequences]
        return rows

    def walk(self, traverser: int, count: int, policy: Policy, random: NDArray[np.uint64]) -> SampledWalk:
        """Return the samples of traversals; the policy is asked once for each player."""
        profile, nothing = self.profile(policy), np.zeros(0)
        turn, tables = Turn(traverser, 1.0, False), SampledTables(nothing, nothing, random)
        most = self._most_samples[traverser]
        each = max(1, min(count, MOST_ROOM // (8 * int(most.sum()) * (len(self.actions) + 1))))
        parts, touched, left = [], 0, count
        while left > 0:
            now = min(each, left)
            samples = self._samples(profile, most * now)
            touched += int(write_sample_walks(self._sampled, turn, Exploration(), now, tables, self._scratch, samples))
            own, other = int(samples.used[ADVANTAGES]), int(samples.used[STRATEGIES])
            parts.append(
                (samples.own[:own], samples.advantages[:own], samples.other[:other], samples.strategies[:other])
            )
            left -= now
        keys, advantages, other_keys, strategies = (np.concatenate(part) for part in zip(*parts, strict=True))
        return SampledWalk(keys[:, None], advantages, other_keys[:, None], strategies, touched)

    def play(self, count: int, policies: tuple[Policy, Policy], share: float, random: NDArray[np.uint64]) -> Episodes:
        """Return the decisions of games; the policies are asked once for each player."""
        profiles = np.stack([self.profile(policy) for policy in policies])
        most = count * self._sampled.height
        notes = Notes(
            np.empty(most, dtype=np.int32),
            np.empty(most, dtype=np.int32),
            np.empty(most, dtype=np.int8),
            np.empty(most, dtype=np.bool_),
            np.empty(most),
            np.empty(most, dtype=np.int64),
        )
        game = EpisodeGame(self._sampled, self.infoset_of, self.column_of)
        rows, touched = play_episodes(game, count, profiles, share, random, notes)
        return Episodes(
            notes.infoset[:rows, None],
            notes.column[:rows],
            notes.seat[:rows],
            notes.learning[:rows],
            notes.reward[:rows],
            notes.following[:rows],
            int(touched),
        )

    def exploitability(self, policy: Policy) -> float:
        """Return NashConv / 2 of a policy, by exact best responses."""
        return self.exploitability_of(self.profile(policy))

    def exploitability_of(self, profile: FloatArray) -> float:
        """Return NashConv / 2 of a flat profile, by exact best responses."""
        return evaluate(self.tree, profile).exploitability

    def strategy(self, profile: FloatArray) -> Strategy:
        """Return a flat profile as a strategy with names."""
        return Strategy(self.tree.name, self.tree.table, profile)

    @cached_property
    def _most_samples(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The most advantages and strategies that a walk of each player can sample."""
        found = []
        for traverser in (0, 1):
            most = np.zeros((self.tree.nodes, 2), dtype=np.int64)
            count_samples(self.tree.histories, traverser, most)
            found.append(np.maximum(most[0], 1))
        return found[0], found[1]

    def _samples(self, profile: FloatArray, most: NDArray[np.int64]) -> Samples:
        """Return a strategy to walk by, and room for a number of advantages and of strategies."""
        own, other = most.tolist()
        columns = len(self.actions)
        return Samples(
            strategy=profile,
            infoset=self.infoset_of,
            column=self.column_of,
            own=np.empty(own, dtype=np.int32),
            advantages=np.zeros((own, columns)),
            other=np.empty(other, dtype=np.int32),
            strategies=np.zeros((other, columns)),
            luck=np.empty(self._sampled.height),
            used=np.zeros(3, dtype=np.int64),
        )


def even(legal: NDArray[np.bool_]) -> Rows:
    """Return probabilities that are the same for all legal actions."""
    return np.asarray(legal / legal.sum(axis=1, keepdims=True))


def _has_infoset(tree: Tree) -> NDArray[np.bool_]:
    found = np.ones(tree.table.size, dtype=np.bool_)
    found[tree.form.first_sequence[:-1]] = False
    return found


def _columns(tree: Tree) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """Return the names of a network's outputs, and which output stands for each sequence.

    Actions of the same name share an output, whatever their place in the menu. In a game with very many names an output
    is a place in the menu.
    """
    menus = tree.table.actions
    names = tuple(sorted({name for menu in menus for name in menu}))
    widest = max((len(menu) for menu in menus), default=1)
    place = {name: k for k, name in enumerate(names)}
    by_name = len(names) <= max(MOST_NAMES, 2 * widest)
    column = np.zeros(tree.table.size, dtype=np.int32)
    for start, menu in zip(tree.table.start.tolist(), menus, strict=True):
        column[start : start + len(menu)] = [place[name] for name in menu] if by_name else range(len(menu))
    return (names if by_name else tuple(f"action {k}" for k in range(widest))), column
