"""The conformance test for games: walk the tree and test everything that the algorithms rely on.

1. Local rules, in every state: who acts, which actions, which probabilities, which label, which payoffs.
2. Purity: a state reads the same whenever it is read, and the same action always leads to the same state.
3. Information sets: one acting seat, one list of actions, and perfect recall (all states of an information
   set are reached by the same own information sets and own actions).
4. Observations, in an `ObservedGame`: public events only grow, no seat forgets what it has seen, and the acting seat's
   (public, private) and its infoset say the same.
5. Payoffs: zero-sum, constant-sum or general-sum, compared with what the game claims.

The rules do not say what a seat should not know, so that a game which shows too much passes.

The walk keeps its own stack, so a deep game does not meet Python's recursion limit. A game that says that it is larger
than the limit of nodes is checked along random playouts, which draw from chance and do not list its outcomes.
"""

from __future__ import annotations

import math
import numbers
import operator
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from random import Random
from typing import Any, NamedTuple, NoReturn

from counterpoise.errors import InputError
from counterpoise.games.base import (
    CHANCE,
    TERMINAL,
    Observation,
    check_length,
    draw_chance,
    game_name,
    is_observed,
    least_histories,
)
from counterpoise.games.registry import load
from counterpoise.parameters import require_whole, shown
from counterpoise.store.json import JsonResult

TOLERANCE = 1e-9
PLAYOUTS = 1000
LISTED_CHANCE = 20
"""The number of chance nodes of random playouts that are compared with the list of their outcomes."""
METHODS = ("initial", "player", "actions", "next", "infoset", "payoffs")
PATH_LENGTH_SHOWN = 60
LABEL_LENGTH_SHOWN = 200


@dataclass(frozen=True)
class GameReport(JsonResult):
    """The counts of `check_game` for a game in which it found no error; `print` shows them as a short table."""

    game: str
    nodes: int
    terminals: int
    chance_nodes: int
    infosets: tuple[int, ...]
    """Number of information sets of each seat."""
    depth: int
    """Largest number of actions and chance outcomes from the root to a checked node."""
    sum: str
    """ "zero-sum", "constant-sum" or "general-sum" ("unknown" if no terminal state was met)."""
    complete: bool
    """False when the walk stopped at its limit of nodes."""
    notes: tuple[str, ...]
    """Things that are allowed but worth knowing."""

    def __str__(self) -> str:
        decisions = self.nodes - self.terminals - self.chance_nodes
        kinds = f"{decisions:,} decisions, {self.chance_nodes:,} chance, {self.terminals:,} terminal"
        lines = [
            f"{self.game}: no error found",
            f"  players   {len(self.infosets)}, {self.sum}",
            f"  nodes     {self.nodes:,} ({kinds}), depth {self.depth}",
            f"  infosets  {' + '.join(f'{count:,}' for count in self.infosets)}",
        ]
        return "\n".join(lines + [f"  note      {note}" for note in self.notes])


def check_game(game: Any, max_nodes: int = 1_000_000, playouts: int | None = None, seed: int = 0) -> GameReport:
    """Test a game of your own, or of a name, against the protocol, and count what is in it.

    The first error found raises `InputError` with one sentence that names the state by the actions that lead
    to it from the root. A game of more than `max_nodes` nodes is checked up to there, depth first; one whose
    `least_histories` says so beforehand along 1,000 random playouts instead. With `playouts` any game is checked
    along this many playouts. Whether an infoset or an observation tells a seat more than it should know cannot be
    found out: only what is forgotten, or told in two ways, is.

    >>> from counterpoise.games import load
    >>> print(check_game(load("kuhn_poker")))
    kuhn_poker: no error found
      players   2, zero-sum
      nodes     55 (24 decisions, 1 chance, 30 terminal), depth 4
      infosets  6 + 6
    """
    require_whole("max_nodes", max_nodes)
    if isinstance(game, str):
        game = load(game)
    walk = _Walk(game)
    if playouts is not None:
        require_whole("playouts", playouts)
    elif least_histories(game) > max_nodes:
        playouts = PLAYOUTS
    return walk.run(max_nodes) if playouts is None else walk.sample(max_nodes, playouts, Random(seed))


class _Step(NamedTuple):
    """One edge of the path from the root: a linked list that siblings share."""

    before: _Step | None
    action: str


class _View(NamedTuple):
    """Everything the game says about one state; two readings of a state must be equal."""

    player: int
    labels: tuple[str, ...] = ()
    probabilities: tuple[float, ...] = ()
    infoset: str = ""
    payoffs: tuple[float, ...] = ()
    public: tuple[str, ...] = ()
    private: tuple[str, ...] = ()


class _Visit(NamedTuple):
    """A state that waits for its turn, with the path to it."""

    state: Any
    view: _View
    path: _Step | None
    depth: int
    sequences: tuple[int, ...]
    memories: tuple[int, ...]
    """Per seat the number of what it has observed so far, in an `ObservedGame`."""


class _Walk:
    """One conformance test under way: what has been counted and seen so far."""

    def __init__(self, game: Any) -> None:
        if isinstance(game, type):
            raise InputError(f"check_game needs a game, not the class {game.__name__}: write {game.__name__}()")
        self.game = game
        self.name = game_name(game)
        missing = [name for name in METHODS if not callable(getattr(game, name, None))]
        if missing:
            raise InputError(f"{self.name}: method {missing[0]}() is missing")
        players = getattr(game, "players", None)
        if isinstance(players, bool) or not isinstance(players, numbers.Integral) or players < 1:
            raise InputError(f"{self.name}: players must be a whole number of at least 1, not {players!r}")
        self.players = int(players)
        self.observed = is_observed(game)
        # The first visit to each infoset of each seat, and with each observation of an acting seat.
        self.infosets: dict[tuple[int, str], _Visit] = {}
        self.observations: dict[tuple[int, tuple[str, ...], str], _Visit] = {}
        # Numbers of sequences by (seat, shorter sequence, infoset, action); number 0 is the empty sequence.
        self.sequences: dict[tuple[int, int, str, str], int] = {}
        # Numbers of memories by (seat, memory before, public, private), and where each observation was first made.
        self.memories: dict[tuple[int, int, tuple[str, ...], str], int] = {}
        self.seen: dict[tuple[int, tuple[str, ...], str], tuple[int, _Step | None]] = {}
        self.listed_chance = 0
        self.terminals = self.chance_nodes = self.depth = self.impossible_outcomes = 0
        self.first_impossible: _Step | None = None
        self.lowest_sum, self.highest_sum = math.inf, -math.inf
        self.largest_payoff = 0.0

    def run(self, max_nodes: int) -> GameReport:
        """Check all states, depth first."""
        stack = [self._root()]
        nodes = 0
        while stack and nodes < max_nodes:
            visit = stack.pop()
            check_length(self.game, visit.depth)
            nodes += 1
            self.depth = max(self.depth, visit.depth)
            if self._read(visit.state, visit.path) != visit.view:
                self._fail(
                    "it reads differently than when it was made, so next() of another state has changed it: "
                    "states must not share what they change",
                    visit.path,
                )
            if visit.view.player == TERMINAL:
                self._count_terminal(visit)
            else:
                stack.extend(reversed(self._expand(visit, visit.view.labels)))
        limit = f"only the first {nodes:,} nodes were checked: the game is larger, or never ends"
        return self._report(nodes, limit if stack else "")

    def sample(self, max_nodes: int, playouts: int, random: Random) -> GameReport:
        """Check the states of random playouts, in which every action is equally likely."""
        nodes = played = 0
        while played < playouts and nodes < max_nodes:
            visit = self._root(random)
            nodes += 1
            while visit.view.player != TERMINAL and nodes < max_nodes:
                check_length(self.game, visit.depth)
                labels = visit.view.labels  # at a chance node only what was drawn
                label = labels[0] if visit.view.player == CHANCE else random.choice(labels)
                visit = self._expand(visit, (label,), random)[0]
                nodes += 1
            if visit.view.player == TERMINAL:
                self._count_terminal(visit)
            self.depth = max(self.depth, visit.depth)
            played += 1
        least = least_histories(self.game)
        why = f": the game has at least {least:.2g} histories" if least else ""
        return self._report(nodes, f"only {played:,} random playouts were checked{why}")

    def _root(self, random: Random | None = None) -> _Visit:
        state = self._call("initial", None)
        view = self._read(state, None, random)
        return _Visit(state, view, None, 0, (0,) * self.players, self._remember((0,) * self.players, view, None))

    def _report(self, nodes: int, unfinished: str = "") -> GameReport:
        per_seat = Counter(seat for seat, _ in self.infosets)
        counts = tuple(per_seat[seat] for seat in range(self.players))
        shared = [label for label, seats in Counter(label for _, label in self.infosets).items() if seats > 1]
        notes = [unfinished] if unfinished else []
        if self.impossible_outcomes:
            notes.append(
                f"chance outcomes of probability 0: {self.impossible_outcomes:,}, "
                f"the first leads to {_place(self.first_impossible)}"
            )
        if shared:
            notes.append(
                f"labels that are infosets of more than one player: {len(shared):,}, such as {_short(shared[0])}; "
                "index a strategy by (player, label) there"
            )
        if not unfinished:
            notes += [f"player {seat} never acts" for seat, count in enumerate(counts) if not count]
        return GameReport(
            game=self.name,
            nodes=nodes,
            terminals=self.terminals,
            chance_nodes=self.chance_nodes,
            infosets=counts,
            depth=self.depth,
            sum=self._kind_of_sum(),
            complete=not unfinished,
            notes=tuple(notes),
        )

    # What the game says about one state.

    def _read(self, state: Any, path: _Step | None, random: Random | None = None, drawn: str | None = None) -> _View:
        """Read a state; with `random` chance is drawn from, not listed, and `drawn` is what was drawn before."""
        view = self._read_rules(state, path, random, drawn)
        if not self.observed:
            return view
        public = self._call("public", path, state)
        if not isinstance(public, tuple) or not all(isinstance(event, str) for event in public):
            self._fail(f"public() must be a tuple of strings, not {shown(public)}", path)
        private = tuple([self._call("private", path, state, seat) for seat in range(self.players)])
        for seat, text in enumerate(private):
            if not isinstance(text, str):
                self._fail(f"private(state, {seat}) must be a string, not {shown(text)}", path)
        seat = max(view.player, 0)
        acting = (view.labels, view.infoset) if view.player == seat else ((), "")
        expected = Observation(seat, public, private[seat], *acting)
        if (given := self._call("observation", path, state, seat)) != expected:
            self._fail(f"observation(state, {seat}) is {shown(given)}, but must be {shown(expected)}", path)
        return view._replace(public=public, private=private)

    def _read_rules(self, state: Any, path: _Step | None, random: Random | None, drawn: str | None) -> _View:
        player = self._call("player", path, state)
        try:
            player = operator.index(player)
        except TypeError:
            self._fail(f"player() must be a seat number, CHANCE or TERMINAL, not {player!r}", path)
        if player == TERMINAL:
            return _View(TERMINAL, payoffs=self._read_payoffs(state, path))
        if player == CHANCE:
            return self._read_chance(state, path) if random is None else self._draw(state, path, random, drawn)
        if not 0 <= player < self.players:
            self._fail(
                f"player() is {player}, but must be a seat from 0 to {self.players - 1}, CHANCE ({CHANCE}) or "
                f"TERMINAL ({TERMINAL})",
                path,
            )
        labels = self._labels("actions", self._call("actions", path, state), path)
        infoset = self._call("infoset", path, state)
        if not isinstance(infoset, str):
            self._fail(f"infoset() must be a string, not {infoset!r}", path)
        return _View(player, labels, infoset=infoset)

    def _read_payoffs(self, state: Any, path: _Step | None) -> tuple[float, ...]:
        payoffs = self._call("payoffs", path, state)
        try:
            payoffs = tuple(payoffs)
        except TypeError:
            self._fail(f"payoffs() must be one number per player, not {payoffs!r}", path)
        if len(payoffs) != self.players:
            self._fail(f"payoffs() has {len(payoffs)} numbers, but the game has {self.players} players", path)
        for payoff in payoffs:
            if not isinstance(payoff, numbers.Real) or not math.isfinite(payoff):
                self._fail(f"payoffs() must be finite numbers, not {payoff!r}", path)
        return tuple(float(payoff) for payoff in payoffs)

    def _read_chance(self, state: Any, path: _Step | None) -> _View:
        if not callable(getattr(self.game, "chance", None)):
            self._fail("method chance() is missing, but player() is CHANCE", path)
        pairs = self._call("chance", path, state)
        try:
            pairs = [(label, probability) for label, probability in pairs]
        except (TypeError, ValueError):
            self._fail(f"chance() must be (outcome, probability) pairs, not {pairs!r}", path)
        labels = self._labels("chance", [label for label, _ in pairs], path)
        for label, probability in pairs:
            if not isinstance(probability, numbers.Real) or not float(probability) >= 0:
                self._fail(f"the probability of {label!r} is {probability!r}, but must be from 0 to 1", path)
        probabilities = tuple(float(probability) for _, probability in pairs)
        total = math.fsum(probabilities)
        if not abs(total - 1) <= TOLERANCE:
            self._fail(f"the probabilities of chance() sum to {total!r} instead of 1", path)
        return _View(CHANCE, labels, probabilities)

    def _draw(self, state: Any, path: _Step | None, random: Random, drawn: str | None) -> _View:
        """Read a chance node with the one outcome that was drawn; the first few are listed too, and compared."""
        if drawn is None:
            try:
                drawn = draw_chance(self.game, state, random)
            except Exception as error:
                self._fail(f"drawing from chance raised {type(error).__name__}: {error}", path)
            if self.listed_chance < LISTED_CHANCE:
                self.listed_chance += 1
                if drawn not in self._read_chance(state, path).labels:
                    self._fail(f"sample_chance() drew {shown(drawn)}, which chance() does not list", path)
        return _View(CHANCE, (drawn,), (1.0,))

    def _labels(self, method: str, labels: Any, path: _Step | None) -> tuple[str, ...]:
        if isinstance(labels, str):
            self._fail(f"{method}() must be a list or tuple of labels, not the string {labels!r}", path)
        try:
            len(labels)
            checked: tuple[str, ...] = tuple(labels)
        except TypeError:
            self._fail(f"{method}() must be a list or tuple of labels, not {labels!r}", path)
        if not checked:
            self._fail(f"{method}() is empty, but the game is not over there", path)
        for label in checked:
            if not isinstance(label, str):
                self._fail(f"{method}() must hold strings, not {label!r}", path)
        if len(set(checked)) < len(checked):
            twice = next(label for label in checked if checked.count(label) > 1)
            self._fail(f"{method}() has {twice!r} more than once", path)
        return checked

    # How states hang together.

    def _expand(self, visit: _Visit, labels: Sequence[str], random: Random | None = None) -> list[_Visit]:
        """Make the states after `labels`, where `next` must leave the state alone and always return the same."""
        view, state = visit.view, visit.state
        if view.player == CHANCE:
            self._count_chance(visit)
        else:
            self._check_infoset(visit)
        children = [self._make(visit, label, random) for label in labels]
        if self._read(state, visit.path, random, labels[0]) != view:
            self._fail("next() changed the state it was given: return a new state instead", visit.path)
        for label, child in zip(labels, children, strict=True):
            again = self._call("next", visit.path, state, label)
            if self._read(again, child.path, random, next(iter(child.view.labels), None)) != child.view:
                self._fail(f"next(state, {label!r}) gives another state when it is called again", visit.path)
        return children

    def _make(self, visit: _Visit, label: str, random: Random | None) -> _Visit:
        """Make the state after one label."""
        path, seat, sequences = _Step(visit.path, label), visit.view.player, visit.sequences
        if seat >= 0:
            key = (seat, sequences[seat], visit.view.infoset, label)
            number = self.sequences.setdefault(key, len(self.sequences) + 1)
            sequences = (*sequences[:seat], number, *sequences[seat + 1 :])
        child = self._call("next", visit.path, visit.state, label)
        if child is visit.state:
            self._fail(f"next(state, {label!r}) returned the state it was given, so nothing happened", visit.path)
        view = self._read(child, path, random)
        if view.public[: len(visit.view.public)] != visit.view.public:
            self._fail(
                f"public() is {shown(view.public)}, but was {shown(visit.view.public)} before: events are only added",
                path,
            )
        return _Visit(child, view, path, visit.depth + 1, sequences, self._remember(visit.memories, view, path))

    def _remember(self, memories: tuple[int, ...], view: _View, path: _Step | None) -> tuple[int, ...]:
        """Return each seat's memory after one more observation; refuse one that follows different memories."""
        if not self.observed or view.player == TERMINAL:
            return memories
        now = []
        for seat, (before, private) in enumerate(zip(memories, view.private, strict=True)):
            observation = (seat, view.public, private)
            memory, first = self.seen.get(observation, (-1, None))
            if memory != before:  # something new since then
                new = self.memories.setdefault((seat, before, view.public, private), len(self.memories) + 1)
                memory, first = self.seen.setdefault(observation, (new, path))
                if memory != new:
                    self._fail(
                        f"player {seat} forgets what it has observed: public() is {shown(view.public)} and private() "
                        f"{shown(private)} as at {_place(first)}, but other things were observed before",
                        path,
                    )
            now.append(memory)
        return tuple(now)

    def _check_infoset(self, visit: _Visit) -> None:
        """Check that an infoset has one observation, one list of actions and one sequence of own choices."""
        view, seat = visit.view, visit.view.player
        label, observed = _short(view.infoset), (view.public, view.private[seat]) if self.observed else None
        first = self.infosets.setdefault((seat, view.infoset), visit)
        if observed is not None:
            other = self.observations.setdefault((seat, *observed), visit)
            if other.view.infoset != view.infoset:
                self._fail(
                    f"player {seat} observes the same as at {_place(other.path)}, but its infosets are {label} here "
                    f"and {_short(other.view.infoset)} there",
                    visit.path,
                )
            before = (first.view.public, first.view.private[seat])
            if before != observed:
                self._fail(
                    f"infoset {label} of player {seat} has the observation {shown(observed)}, but {shown(before)} "
                    f"at {_place(first.path)}",
                    visit.path,
                )
        if first.view.labels != view.labels:
            self._fail(
                f"infoset {label} of player {seat} has the actions {list(view.labels)}, "
                f"but {list(first.view.labels)} at {_place(first.path)}",
                visit.path,
            )
        if first.sequences[seat] != visit.sequences[seat]:
            here, there = self._difference(visit.sequences[seat], first.sequences[seat])
            self._fail(
                f"player {seat} has imperfect recall at infoset {label}: on the way it has "
                f"{here}, but {there} at {_place(first.path)}",
                visit.path,
            )

    def _difference(self, one: int, other: int) -> tuple[str, str]:
        """Say in words at which own move two different sequences of one player part."""
        steps = {number: step for step, number in self.sequences.items()}

        def own_moves(sequence: int) -> list[tuple[str, str]]:
            moves = []
            while sequence:
                _, sequence, infoset, label = steps[sequence]
                moves.append((infoset, label))
            return moves[::-1]

        mine, yours = next(pair for pair in zip_longest(own_moves(one), own_moves(other)) if pair[0] != pair[1])
        shown = _in_words(mine, _short), _in_words(yours, _short)
        return shown if shown[0] != shown[1] else (_in_words(mine, repr), _in_words(yours, repr))

    # Sums over the whole tree.

    def _count_chance(self, visit: _Visit) -> None:
        self.chance_nodes += 1
        for label, probability in zip(visit.view.labels, visit.view.probabilities, strict=True):
            if probability == 0:
                if not self.impossible_outcomes:
                    self.first_impossible = _Step(visit.path, label)
                self.impossible_outcomes += 1

    def _count_terminal(self, visit: _Visit) -> None:
        payoffs = visit.view.payoffs
        self.terminals += 1
        total = math.fsum(payoffs)
        self.largest_payoff = max(self.largest_payoff, *map(abs, payoffs))
        self.lowest_sum, self.highest_sum = min(self.lowest_sum, total), max(self.highest_sum, total)
        if getattr(self.game, "zero_sum", None) is True and abs(total) > self._payoff_tolerance():
            self._fail(f"the game claims zero_sum, but the payoffs {list(payoffs)} sum to {total!r}", visit.path)

    def _kind_of_sum(self) -> str:
        if not self.terminals:
            return "unknown"
        tolerance = self._payoff_tolerance()
        if max(abs(self.lowest_sum), abs(self.highest_sum)) <= tolerance:
            return "zero-sum"
        return "constant-sum" if self.highest_sum - self.lowest_sum <= tolerance else "general-sum"

    def _payoff_tolerance(self) -> float:
        return TOLERANCE * max(1.0, self.largest_payoff)

    # Calls and complaints.

    def _call(self, method: str, path: _Step | None, *arguments: Any) -> Any:
        try:
            return getattr(self.game, method)(*arguments)
        except Exception as error:
            shown = method + (f"(state, {arguments[1]!r})" if method == "next" else "()")
            sentence = f"{self.name}, {_place(path)}: {shown} raised {type(error).__name__}: {error}"
            raise InputError(sentence) from error

    def _fail(self, sentence: str, path: _Step | None) -> NoReturn:
        raise InputError(f"{self.name}, {_place(path)}: {sentence}")


def _place(path: _Step | None) -> str:
    """Return the state in words: how to get there from the root."""
    actions = []
    while path is not None:
        actions.append(repr(path.action))
        path = path.before
    if not actions:
        return "the root"
    actions.reverse()
    shown = actions if len(actions) <= PATH_LENGTH_SHOWN else [*actions[:PATH_LENGTH_SHOWN], "..."]
    return "the state after " + ", ".join(shown)


def _short(label: str) -> str:
    """Return the label in quotes, without its middle part if it is very long."""
    if len(label) > LABEL_LENGTH_SHOWN:
        label = f"{label[: LABEL_LENGTH_SHOWN // 2]} ... {label[-LABEL_LENGTH_SHOWN // 2 :]}"
    return repr(label)


def _in_words(move: tuple[str, str] | None, quote: Callable[[str], str]) -> str:
    return f"played {move[1]!r} at infoset {quote(move[0])}" if move else "made no further move"
