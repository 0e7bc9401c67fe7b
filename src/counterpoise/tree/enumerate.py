"""Enumerate a game, once and in Python, into the flat arrays of a `Tree`.

1. Walk the tree depth first with an explicit stack; the children of a node get consecutive numbers.
2. At a decision, look up the infoset; the first visit fixes its actions and its player's sequence before it.
   A later visit with another sequence means imperfect recall and is refused.
3. At a terminal, note the last sequence of every player, the chance probability and the payoffs.
4. Sort the terminals by each player's last sequence into that player's rows of the payoff table, and add up
   those which no player can tell apart.
"""

from __future__ import annotations

import math
import random
import sys
import threading
from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import psutil
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.games import CHANCE, TERMINAL, Game, as_game, game_name, refuse_large
from counterpoise.games.base import check_length
from counterpoise.progress import CancelToken, Progress, memory_size
from counterpoise.tree.kernels.layouts import FloatArray, Histories, IndexArray, SequenceForm
from counterpoise.tree.tree import InfosetTable, Tree

BYTES_PER_NODE = 50
BYTES_PER_TERMINAL = 60
BYTES_PER_TERMINAL_AND_PLAYER = 60
BYTES_PER_INFOSET = 240
"""Peak memory of an enumeration: the arrays and their sorted copies, and what an infoset needs beside its names."""
MAX_NODES = 2**31 - 1
MAX_PLAYERS = 127
HUGE = 1e300
"""Estimated sizes are cut off here, far from where floats overflow."""

RECENT_TREES = 4
RECENT_BYTES = 10**9
"""The trees used last are kept, up to this number and this size together."""

PROGRESS_NODES = 8192
MAX_WAITING = 2048
"""The number of waiting states beyond which the size of the game is estimated, since states may be large."""
HOPELESS = 1e6
"""An estimate that is this many times too large needs no further probes (by Markov it is wrong once in a million)."""


def enumerate_game(
    game: Game | str,
    *,
    progress: Progress | None = None,
    cancel: CancelToken | None = None,
    memory_limit: int | None = None,
) -> Tree:
    """Return the game as a `Tree`; refuse a game that needs more than `memory_limit` bytes (default: what is free).

    The last few trees of games that can be told apart are kept, so that solving and then evaluating the same game
    enumerates it once.
    """
    rules = as_game(game)
    key = _cache_key(rules)
    tree = _RECENT.get(key)
    if tree is None:
        tree = _Enumeration(rules, memory_limit, progress, cancel).tree()
    if key is not None:
        with _RECENT_LOCK:
            _RECENT.pop(key, None)
            _RECENT[key] = tree  # behind all others
            while len(_RECENT) > RECENT_TREES or sum(kept.memory_bytes for kept in _RECENT.values()) > RECENT_BYTES:
                del _RECENT[next(iter(_RECENT))]
    return tree


def _cache_key(game: Game) -> Any:
    """Return what tells the game from others, or None: only a class with a hash of its own says when two are equal."""
    if type(game).__dict__.get("__hash__") is None:
        return None
    key = (type(game), game_name(game), game)
    try:
        hash(key)
    except TypeError:  # a field of the game is unhashable
        return None
    return key


_RECENT: dict[Any, Tree] = {}
_RECENT_LOCK = threading.Lock()


class SizeEstimate(NamedTuple):
    """Expected number of histories and its standard error."""

    nodes: float
    error: float


def estimate_nodes(game: Game, probes: int = 200, seed: int = 0, enough: float = math.inf) -> SizeEstimate:
    """Return an unbiased estimate of the number of histories, by random probing (Knuth 1975).

    After ten probes the first mean above `enough` ends it.
    """
    chooser = random.Random(seed)
    found: list[float] = []
    while len(found) < probes and (len(found) < 10 or sum(found) / len(found) <= enough):
        state, width, size = game.initial(), 1.0, 1.0
        moves = 0
        while (who := _actor(game, state)) != TERMINAL:
            check_length(game, moves)
            moves += 1
            options = [outcome for outcome, _ in game.chance(state)] if who == CHANCE else list(game.actions(state))
            if not options:
                raise InputError(f"{game_name(game)}: a state that is not terminal has no actions")
            width = min(width * len(options), HUGE)
            size = min(size + width, HUGE)
            state = game.next(state, chooser.choice(options))
        found.append(size)
    sizes = np.array(found)
    scale = float(sizes.max())  # squares of the sizes themselves could overflow
    spread = float(np.std(sizes / scale, ddof=1)) * scale
    return SizeEstimate(float(np.mean(sizes)), spread / math.sqrt(len(found)))


def _actor(game: Game, state: Any) -> int:
    """Return the actor of a state; refuse what is neither a seat nor chance nor the end."""
    who = game.player(state)
    if isinstance(who, int | np.integer) and not isinstance(who, bool) and TERMINAL <= who < game.players:
        return int(who)
    raise InputError(
        f"{game_name(game)}: player {who!r} is neither a seat (0 to {game.players - 1}) nor CHANCE nor TERMINAL"
    )


class _Enumeration:
    def __init__(
        self, game: Game, memory_limit: int | None, progress: Progress | None, cancel: CancelToken | None
    ) -> None:
        self.game = game
        self.progress, self.cancel = progress, cancel
        self.name = game_name(game)
        self.players = game.players
        if not isinstance(self.players, int | np.integer) or not 1 <= self.players <= MAX_PLAYERS:
            raise InputError(
                f"{self.name}: players must be a whole number from 1 to {MAX_PLAYERS}, not {game.players!r}"
            )
        self.limit = psutil.virtual_memory().available if memory_limit is None else memory_limit
        refuse_large(game, min(MAX_NODES, self.limit / BYTES_PER_NODE))
        self.expected: SizeEstimate | None = None
        self.parent = array("i")
        self.player = array("b")
        self.infoset = array("i")
        self.first_child = array("i")
        self.children = array("i")
        self.probability = array("d")
        # Infosets of each player in order of discovery, hence parents first.
        self.known: list[dict[str, int]] = [{} for _ in range(self.players)]
        self.actions: list[list[tuple[str, ...]]] = [[] for _ in range(self.players)]
        self.block: list[list[int]] = [[] for _ in range(self.players)]
        self.before: list[list[int]] = [[] for _ in range(self.players)]
        self.same_actions: dict[tuple[str, ...], tuple[str, ...]] = {}
        self.infoset_bytes = 0
        self.sequences = [1] * self.players
        self.last_sequences = array("q")
        self.chance = array("d")
        self.payoffs = array("d")

    def tree(self) -> Tree:
        self._walk()
        return self._assemble()

    def _walk(self) -> None:
        game, players = self.game, self.players
        self._reserve(-1, 1)
        stack: list[tuple[Any, int, float, tuple[int, ...], int]] = [(game.initial(), 0, 1.0, (0,) * players, 0)]
        visited = 0
        while stack:
            state, node, reach, sequences, moves = stack.pop()
            visited += 1
            if visited % PROGRESS_NODES == 0 or (self.expected is None and len(stack) > MAX_WAITING):
                self._report(visited)
            who = _actor(game, state)
            self.player[node] = who
            if who == TERMINAL:
                payoffs = game.payoffs(state)
                if len(payoffs) != players or not all(map(math.isfinite, payoffs)):
                    raise InputError(f"{self.name}: payoffs must be {players} finite numbers, not {payoffs!r}")
                self.infoset[node] = len(self.chance)
                self.last_sequences.extend(sequences)
                self.chance.append(reach)
                self.payoffs.extend(payoffs)
                continue
            check_length(game, moves)
            first = len(self.parent)
            self.first_child[node] = first
            if who == CHANCE:
                outcomes = game.chance(state)
                self._check_chance(outcomes)
                self.children[node] = len(outcomes)
                self._reserve(node, len(outcomes))
                for k in range(len(outcomes) - 1, -1, -1):  # pushed last first, so that walks go in order
                    outcome, probability = outcomes[k]
                    self.probability[first + k] = probability
                    stack.append((game.next(state, outcome), first + k, reach * probability, sequences, moves + 1))
                continue
            own = self._infoset(who, game.infoset(state), game.actions(state), sequences[who])
            actions = self.actions[who][own]
            self.infoset[node] = own
            self.children[node] = len(actions)
            self._reserve(node, len(actions))
            block = self.block[who][own]
            for k in range(len(actions) - 1, -1, -1):
                after = (*sequences[:who], block + k, *sequences[who + 1 :])
                stack.append((game.next(state, actions[k]), first + k, reach, after, moves + 1))

    def _reserve(self, parent: int, count: int) -> None:
        self.parent.extend([parent] * count)
        self.player.extend([0] * count)
        for numbers in (self.infoset, self.first_child, self.children):
            numbers.extend([-1] * count)
        self.probability.extend([1.0] * count)

    def _infoset(self, who: int, label: str, given: Sequence[str], before: int) -> int:
        if not isinstance(label, str):
            raise InputError(f"{self.name}: the infoset of player {who} must be a string, not {label!r}")
        known = self.known[who]
        own = known.get(label)
        if own is None:
            actions = self._new_actions(who, label, given)
            own = known[label] = len(known)
            self.actions[who].append(actions)
            self.block[who].append(self.sequences[who])
            self.before[who].append(before)
            self.sequences[who] += len(actions)
            self.infoset_bytes += BYTES_PER_INFOSET + sys.getsizeof(label)
            return own
        actions = tuple(given)
        if self.before[who][own] != before:
            raise InputError(
                f"{self.name} has imperfect recall: player {who} reaches infoset {label!r} "
                "after different choices of its own"
            )
        if self.actions[who][own] != actions:
            raise InputError(
                f"{self.name}: infoset {label!r} of player {who} has actions {self.actions[who][own]} "
                f"in one history and {actions} in another"
            )
        return own

    def _new_actions(self, who: int, label: str, given: Sequence[str]) -> tuple[str, ...]:
        """Return the actions of an infoset on the first visit; equal ones of many infosets are kept once."""
        where = f"{self.name}: player {who} at infoset {label!r}"
        try:
            actions = tuple(given)
        except TypeError:
            raise InputError(f"{where} must have a list of actions, not {given!r}") from None
        if not actions:
            raise InputError(f"{where} has no action")
        for action in actions:
            if not isinstance(action, str):
                raise InputError(f"{where} has the action {action!r}, which is not a string")
        if len(set(actions)) < len(actions):
            raise InputError(f"{where} has an action twice: {', '.join(actions)}")
        if actions not in self.same_actions:
            self.same_actions[actions] = actions
            self.infoset_bytes += sum(map(sys.getsizeof, actions)) + 2 * sys.getsizeof(actions) + 100
        return self.same_actions[actions]

    def _check_chance(self, outcomes: Any) -> None:
        total = sum(probability for _, probability in outcomes)
        if not abs(total - 1.0) < 1e-9 or any(probability < 0 for _, probability in outcomes):
            raise InputError(f"{self.name}: chance probabilities sum to {total:.12g} instead of 1 at a chance node")

    def _report(self, visited: int) -> None:
        if self.cancel is not None:
            self.cancel.check()
        if self.expected is None:
            self.expected = estimate_nodes(self.game, enough=HOPELESS * min(MAX_NODES, self.limit))
        so_far = len(self.parent)
        likely = max(so_far, self.expected.nodes)
        # Markov: an unbiased estimate is ten times too large with probability below 1/10, and rarely at all.
        certain = max(so_far, self.expected.nodes - 4 * self.expected.error, self.expected.nodes / 10)
        size = f"{'more than' if likely >= HUGE / 1000 else 'about'} {min(likely, HUGE):.3g} histories"
        per_node = self._bytes() / so_far
        if certain * per_node > self.limit or certain > MAX_NODES:
            reason = f"{size}, of which {MAX_NODES:,} can be numbered"
            if certain * per_node > self.limit:
                reason = f"{size} need {memory_size(likely * per_node)} and {memory_size(self.limit)} may be used"
            advice = getattr(self.game, "instead", "")
            raise InputError(f"{self.name} is too large to enumerate: {reason}{advice and f'; {advice}'}")
        if self.progress is not None:
            self.progress.show(visited / likely, f"enumerating, {visited:,} histories")

    def _bytes(self) -> float:
        """Return peak memory if the walk ended here."""
        per_terminal = BYTES_PER_TERMINAL + BYTES_PER_TERMINAL_AND_PLAYER * self.players
        return BYTES_PER_NODE * len(self.parent) + per_terminal * len(self.chance) + self.infoset_bytes

    def _assemble(self) -> Tree:
        players = self.players
        owner = np.repeat(np.arange(players, dtype=np.int8), [len(known) for known in self.known])
        first_infoset = np.concatenate(([0], np.cumsum([len(known) for known in self.known])))
        first_sequence = np.concatenate(([0], np.cumsum(self.sequences)))
        table = InfosetTable(
            players,
            owner,
            [label for known in self.known for label in known],
            [actions for own in self.actions for actions in own],
        )
        start = np.concatenate([np.array(b, dtype=np.int64) + first_sequence[p] for p, b in enumerate(self.block)])
        size = np.array([len(actions) for actions in table.actions], dtype=np.int64)
        before = np.concatenate([np.array(b, dtype=np.int64) + first_sequence[p] for p, b in enumerate(self.before)])
        payoffs = np.frombuffer(self.payoffs).reshape(-1, players)
        row, columns, values = _payoff_table(
            np.frombuffer(self.last_sequences, dtype=np.int64).reshape(-1, players) + first_sequence[:-1],
            np.frombuffer(self.chance)[:, None] * payoffs,
            int(first_sequence[-1]),
        )
        places = _index(start), _index(start + size), _index(before)
        form = SequenceForm(_index(first_infoset), _index(first_sequence), *places, row, columns, values)
        player = np.array(self.player, dtype=np.int8)
        infoset = np.array(self.infoset, dtype=np.int32)
        decisions = player >= 0
        infoset[decisions] += first_infoset[player[decisions]].astype(np.int32)
        histories = Histories(
            np.array(self.parent, dtype=np.int32),
            player,
            infoset,
            np.array(self.first_child, dtype=np.int32),
            np.array(self.children, dtype=np.int32).clip(0),
            np.array(self.probability),
            payoffs.copy(),
        )
        return Tree(self.name, self.game, players, form, histories, table)


def _payoff_table(
    last: NDArray[np.int64], weighted: FloatArray, sequences: int
) -> tuple[IndexArray, IndexArray, FloatArray]:
    """Return the rows of `SequenceForm`: terminals by each player's last sequence, indistinguishable ones merged."""
    players = last.shape[1]
    rows, columns, values = [], [], []
    for player in range(players):
        others = [other for other in range(players) if other != player]
        order = np.lexsort((*(last[:, other] for other in reversed(others)), last[:, player]))
        ordered = last[order][:, [player, *others]]
        new = np.ones(len(order), dtype=bool)
        new[1:] = (np.diff(ordered, axis=0) != 0).any(axis=1)
        firsts = np.flatnonzero(new)
        rows.append(ordered[firsts, 0])
        columns.append(ordered[firsts, 1:].T)
        values.append(np.add.reduceat(weighted[order, player], firsts))
    counts = np.bincount(np.concatenate(rows), minlength=sequences)
    return (
        _index(np.concatenate(([0], np.cumsum(counts)))),
        np.ascontiguousarray(np.concatenate(columns, axis=1), dtype=np.uint32),
        np.concatenate(values),
    )


def _index(numbers: NDArray[Any]) -> IndexArray:
    return np.ascontiguousarray(numbers, dtype=np.uint32)
