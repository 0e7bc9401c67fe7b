"""Gambit's `.efg` files as games, and games as `.efg` files.

Reading keeps information sets apart that the file keeps apart, even if they have the same name. Writing puts all
payoffs at the terminal nodes. What is written reads back as the same tree, with the same floats.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from counterpoise.errors import InputError
from counterpoise.games.base import CHANCE, TERMINAL, Game, game_name, make_distinct, refuse_large
from counterpoise.games.efg_parser import EfgMove, EfgText, parse_efg
from counterpoise.store import atomic_write, check_writable

MAX_FILE_BYTES = 512 * 2**20
MAX_DENOMINATOR = 10**7
"""A chance like 0.16666666666666666 is written as 1/6 if its fraction has no larger denominator."""


def from_efg(source: str | os.PathLike[str]) -> EfgGame:
    """Return the game of a Gambit `.efg` file, given by its path or as the text itself.

    An information set is named by its label in the file; where a player has that label twice, by label#number.
    Equal action labels at one node get their position instead, such as label#2.

    >>> game = from_efg('EFG 2 R "duel" { "A" "B" } p "" 1 1 "draw" { "yes" "no" } 0 t "" 1 "" { 1, -1 } t "" 0')
    >>> game.infoset(game.initial()), game.payoffs(game.next(0, "yes"))
    ('draw', (1.0, -1.0))
    """
    if isinstance(source, str) and ("\n" in source or re.match(r"\ufeff?\s*EFG\s.*[\"{]", source)):
        parsed = parse_efg(source, "the .efg text")
        return EfgGame(parsed, f'"{parsed.title}" (.efg text)')
    return EfgGame(parse_efg(_read_file(source), os.fspath(source)), os.fspath(source))


def to_efg(game: Game, max_nodes: int = 1_000_000) -> str:
    """Return the text of an `.efg` file with the tree, information sets, chances and payoffs of `game`.

    The probabilities of a chance node are written as numbers that sum to exactly 1, as Gambit demands, wherever
    such numbers round to the floats of the game.
    """
    return "".join(line + "\n" for line in _lines(game, max_nodes))


def write_efg(game: Game, path: str | os.PathLike[str], max_nodes: int = 1_000_000) -> None:
    """Write `to_efg(game)` to a file, under a temporary name first: a reader never sees half a file."""
    check_writable(path)
    text = to_efg(game, max_nodes)
    try:
        with atomic_write(path) as file:
            file.write(text.encode("utf-8"))
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None


class EfgGame:
    """A game tree read from an `.efg` file; states are the numbers of its nodes in prefix order."""

    def __init__(self, parsed: EfgText, name: str) -> None:
        self.name = name
        self.title = parsed.title
        self.comment = parsed.comment
        self.player_names = parsed.player_names
        self.players = len(parsed.player_names)
        self.nodes = len(parsed.moves)
        decisions = _decisions(parsed)
        self._decisions = [None if move is None else decisions[move.player, move.number] for move in parsed.moves]
        self._children = parsed.children
        self._payoffs = parsed.payoffs
        self._parsed = parsed

    def __str__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        """Compare names and contents."""
        return isinstance(other, EfgGame) and self.name == other.name and self._parsed == other._parsed

    def __hash__(self) -> int:
        return hash((self.name, self.nodes))

    def __repr__(self) -> str:
        return f"<EfgGame {self.name}: {self.players} players, {self.nodes:,} nodes>"

    def initial(self) -> int:
        return 0

    def player(self, state: int) -> int:
        decision = self._decisions[state]
        return TERMINAL if decision is None else decision.player

    def actions(self, state: int) -> tuple[str, ...]:
        """Return action labels as in the file, made distinct."""
        return tuple(self._decision(state).position)

    def chance(self, state: int) -> tuple[tuple[str, float], ...]:
        decision = self._decision(state)
        return tuple(zip(decision.position, decision.probabilities, strict=True))

    def next(self, state: int, action: str) -> int:
        return self._children[state][self._decision(state).position[action]]

    def infoset(self, state: int) -> str:
        """Return the label of the information set, made distinct."""
        return self._decision(state).infoset

    def payoffs(self, state: int) -> tuple[float, ...]:
        """Return what each seat receives on the whole path."""
        return self._payoffs[state]

    def _decision(self, state: int) -> _Decision:
        decision = self._decisions[state]
        if decision is None:
            raise ValueError(f"node {state} of {self.name} is terminal")
        return decision


class _Decision:
    """What all nodes of an information set, or of a chance event, have in common."""

    __slots__ = ("infoset", "player", "position", "probabilities")

    def __init__(self, move: EfgMove, infoset: str) -> None:
        self.player = move.player
        self.infoset = infoset
        labels = make_distinct(move.actions, range(1, len(move.actions) + 1), "{}#{}", "#")
        self.position = {label: position for position, label in enumerate(labels)}
        self.probabilities = tuple(float(probability) for probability in move.probabilities)


def _decisions(parsed: EfgText) -> dict[tuple[int, int], _Decision]:
    """Return the information sets and chance events by player and number, with their labels made distinct."""
    moves = {(move.player, move.number): move for move in parsed.moves if move is not None}
    decisions = {}
    for player in range(CHANCE, len(parsed.player_names)):
        own = [move for move in moves.values() if move.player == player]
        labels = make_distinct([move.name for move in own], [move.number for move in own], "{}#{}", "#")
        for move, label in zip(own, labels, strict=True):
            decisions[player, move.number] = _Decision(move, label)
    return decisions


def _read_file(source: str | os.PathLike[str]) -> str:
    shown = str(source) if len(str(source)) <= 200 else f"{str(source)[:200]}..."
    try:
        path = Path(source)
        if not str(source) or path.is_dir():
            raise InputError(f"{shown!r} is a folder, not an .efg file")
        if path.exists() and not path.is_file():
            raise InputError(f"{shown} is not an ordinary file")
        if path.stat().st_size > MAX_FILE_BYTES:
            raise InputError(f"{shown} is larger than the {MAX_FILE_BYTES // 2**20} MB that are read at most")
        return path.read_bytes().decode("utf-8")
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"{shown} does not exist") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{shown} is not text in UTF-8: byte {error.start} cannot be read") from None
    except (OSError, ValueError, TypeError) as error:
        raise InputError(f"cannot read {shown}: {getattr(error, 'strerror', None) or error}") from None


def _lines(game: Game, max_nodes: int) -> Iterator[str]:
    refuse_large(game, max_nodes)
    name = game_name(game)
    players = getattr(game, "player_names", None) or [f"Player {seat + 1}" for seat in range(game.players)]
    yield f"EFG 2 R {_quote(getattr(game, 'title', None) or name)} {{ {' '.join(map(_quote, players))} }}"
    yield _quote(getattr(game, "comment", None) or "") + "\n"
    infosets: list[dict[str, tuple[int, tuple[str, ...]]]] = [{} for _ in range(game.players)]
    outcomes: dict[tuple[float, ...], int] = {}
    written_chances: dict[tuple[float, ...], list[str]] = {}
    stack: list[Any] = [game.initial()]
    nodes = events = 0
    while stack:
        state = stack.pop()
        nodes += 1
        if nodes > max_nodes:
            raise InputError(f"{name} has more than max_nodes = {max_nodes:,} nodes, so it is not written")
        player = game.player(state)
        if player == TERMINAL:
            payoffs = tuple(float(payoff) for payoff in game.payoffs(state))
            if len(payoffs) != game.players or not all(map(math.isfinite, payoffs)):
                raise InputError(f"{name}: payoffs must be {game.players} finite numbers, not {list(payoffs)}")
            listed = ", ".join(map(_decimal, payoffs))
            yield f't "" {outcomes.setdefault(payoffs, len(outcomes) + 1)} "({listed})" {{ {listed} }}'
            continue
        if player == CHANCE:
            labels = tuple(label for label, _ in game.chance(state))
            chances = tuple(float(chance) for _, chance in game.chance(state))
            if chances not in written_chances:
                written_chances[chances] = _exact_chances(chances)
            events += 1
            head = f'c "" {events} ""'
            listed = " ".join(f"{_quote(a)} {p}" for a, p in zip(labels, written_chances[chances], strict=True))
        else:
            labels, infoset = tuple(game.actions(state)), game.infoset(state)
            number, first = infosets[player].setdefault(infoset, (len(infosets[player]) + 1, labels))
            if labels != first:
                raise InputError(
                    f"{name}: infoset {infoset!r} of player {player} has the actions {list(first)} in one state "
                    f"and {list(labels)} in another"
                )
            head = f'p "" {player + 1} {number} {_quote(infoset)}'
            listed = " ".join(map(_quote, labels))
        if not labels:
            raise InputError(f"{name}: a state that is not terminal has no actions")
        yield f"{head} {{ {listed} }} 0"
        stack.extend(game.next(state, label) for label in reversed(labels))


UNSAFE = re.compile(r'[^ -~]|["\\]|\A | \Z|(?<= ) ')


def _quote(label: str) -> str:
    """Quote a label in the characters that Gambit accepts: printable ASCII, no space at an end or twice."""
    return f'"{UNSAFE.sub(lambda match: _escape(match[0]), label)}"'


def _escape(character: str) -> str:
    code = ord(character)
    if character == '"':
        return '\\"'
    if character == "\n":
        return "\\n"
    return f"\\x{code:02x}" if code < 2**8 else f"\\u{code:04x}" if code < 2**16 else f"\\U{code:08x}"


def _decimal(number: float) -> str:
    """Return the shortest text that reads back as the number."""
    return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)


def _exact_chances(chances: tuple[float, ...]) -> list[str]:
    """Return numbers that round to the given floats and, if there are such numbers, sum to exactly 1."""
    simple = [Fraction(chance).limit_denominator(MAX_DENOMINATOR) for chance in chances]
    if sum(simple) == 1 and all(float(fraction) == chance for fraction, chance in zip(simple, chances, strict=True)):
        return [str(fraction) for fraction in simple]
    exact = [Fraction(chance) for chance in chances]
    surplus = sum(exact) - 1
    for k, chance in enumerate(chances):
        # A little less than half the gap to the next float, so that the number still rounds to this one.
        room = (exact[k] - Fraction(math.nextafter(chance, 0))) * Fraction(49, 100)
        change = max(-room, min(room, surplus))
        exact[k] -= change
        surplus -= change
    return [_decimal(chance) for chance in chances] if surplus else [str(fraction) for fraction in exact]
