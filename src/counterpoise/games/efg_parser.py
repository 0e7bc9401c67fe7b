"""The grammar of Gambit's `.efg` files: from text to a table of nodes, or to a sentence with line and column.

1. The prologue is ``EFG 2 R "title" { "player 1" "player 2" ... }`` and perhaps a comment in quotes.
2. The nodes follow in prefix order: ``c`` (chance), ``p`` (a player's decision), ``t`` (terminal).
3. An information set, a chance event or an outcome is described where it first appears; afterwards its number
   is enough, and a description that is repeated must be the same.
4. Outcomes may also stand at inner nodes: the payoffs on a path add up. All numbers are exact rationals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, NoReturn

from counterpoise.errors import InputError
from counterpoise.games.base import CHANCE

MAX_NUMBER_LENGTH = 2000
MAX_WHOLE_DIGITS = 18
MAX_EXPONENT = 400
TOLERANCE = Fraction(1, 10**9)
"""How far the probabilities of a chance event may be from a sum of 1."""

Exact = tuple[Fraction, ...]


class EfgMove(NamedTuple):
    """An information set of a player, or a chance event, as its file describes it."""

    player: int
    number: int
    name: str
    actions: tuple[str, ...]
    probabilities: Exact


@dataclass(frozen=True)
class EfgText:
    """What an `.efg` text says; nodes are numbered in prefix order."""

    title: str
    comment: str
    player_names: tuple[str, ...]
    moves: list[EfgMove | None]
    """What happens at each node; None at a terminal node."""
    children: list[list[int]]
    payoffs: dict[int, tuple[float, ...]]
    """For each terminal node, the sum of the outcomes on its path."""


def parse_efg(text: str, source: str) -> EfgText:
    """Parse the text of an `.efg` file; `source` is what error messages call it."""
    return _Parser(text, source).parse()


TOKEN = re.compile(
    r"""\s*+ (?:
      (?P<string> "(?: [^"\\]++ | \\. )*+" )
    | (?P<number> [+-]?+ (?: [0-9]++/[0-9]++ | (?: [0-9]++(?:\.[0-9]*+)?+ | \.[0-9]++ ) (?: [eE][+-]?+[0-9]++ )?+ )
                  (?= [\s{},"] | \Z ) )
    | (?P<mark>   [{},] )
    | (?P<word>   [A-Za-z]++ )
    | (?P<end>    \Z )
    | (?P<other>  [^\s{},"]++ | . )
    )""",
    re.VERBOSE | re.DOTALL,
)


ESCAPE = re.compile(r'\\(?:(["\\])|(n)|(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U(00[01][0-9a-f]{5})))')
"""Escaped quotes, and other characters as `to_efg` writes them; any other backslash stands for itself."""


def _unescape(match: re.Match[str]) -> str:
    literal, newline, *codes = match.groups()
    if literal or newline:
        return literal or "\n"
    code = int(next(filter(None, codes)), 16)
    return chr(code) if code < 0x110000 else match[0]


class _Token(NamedTuple):
    kind: str
    text: str
    offset: int

    def __str__(self) -> str:
        if self.kind == "end":
            return "the end"
        if self.text == '"':
            return "a string without its closing quote"
        short = self.text if len(self.text) <= 40 else f"{self.text[:40]}..."
        return short if short.isprintable() else repr(short)


class _Outcome(NamedTuple):
    name: str
    payoffs: Exact


class _Parser:
    """One token ahead, and a stack of open nodes instead of recursion."""

    def __init__(self, text: str, source: str) -> None:
        self.text = text
        self.source = source
        self.token = self._scan(1 if text.startswith("\ufeff") else 0)
        self.known_moves: dict[tuple[int, int], EfgMove] = {}
        self.outcomes: dict[int, _Outcome] = {}
        self.numbers: dict[str, Fraction] = {}
        self.player_names: tuple[str, ...] = ()
        self.moves: list[EfgMove | None] = []
        self.children: list[list[int]] = []
        self.payoffs: dict[int, tuple[float, ...]] = {}

    def parse(self) -> EfgText:
        title, comment = self._prologue()
        self._tree()
        if self.token.kind != "end":
            self._unexpected("the end, since every action has its node")
        return EfgText(title, comment, self.player_names, self.moves, self.children, self.payoffs)

    def _prologue(self) -> tuple[str, str]:
        if self.token.text == "NFG":
            self._fail("this is a game in strategic form (.nfg), expected one in extensive form (.efg)")
        self._expect("EFG", "EFG")
        self._expect("2", "the format version 2")
        self._expect("D" if self.token.text == "D" else "R", "R")
        title = self._string("the title in quotes")
        self._expect("{", "{ before the names of the players")
        names = []
        while self.token.kind == "string":
            names.append(self._string("the name of a player"))
        self._expect("}" if names else "", "the name of a player in quotes" + (", or }" if names else ""))
        self.player_names = tuple(names)
        return title, self._string("a comment") if self.token.kind == "string" else ""

    def _tree(self) -> None:
        expected, before = "the root, a node (c, p or t)", None
        pending: list[tuple[int, Iterator[str], Exact | None]] = []  # nodes, their actions to come, payoffs so far
        while True:
            node = len(self.moves)
            move, payoffs = self._node(expected, before)
            self.moves.append(move)
            self.children.append([])
            if move is None:
                self.payoffs[node] = self._round(payoffs)
            else:
                pending.append((node, iter(move.actions), payoffs))
            label = None
            while pending and (label := next(pending[-1][1], None)) is None:
                pending.pop()
            if label is None:
                return
            parent, _, before = pending[-1]
            self.children[parent].append(len(self.moves))
            expected = f"a node (c, p or t) for action {label!r}"

    def _node(self, expected: str, before: Exact | None) -> tuple[EfgMove | None, Exact | None]:
        """Read one node: its information set or chance event, and the payoffs of the path including its outcome."""
        kind = self.token.text
        if self.token.kind != "word" or kind not in ("c", "p", "t"):
            self._unexpected(expected)
        self._take()
        self._string("the name of the node in quotes")
        move = None
        if kind == "c":
            move = self._move(CHANCE)
        elif kind == "p":
            move = self._move(self._player())
        outcome = self._outcome()
        if before is None or outcome is None:
            return move, before if outcome is None else outcome
        return move, tuple(old + new for old, new in zip(before, outcome, strict=True))

    def _player(self) -> int:
        at = self.token
        number = self._whole("the number of a player")
        if not 1 <= number <= len(self.player_names):
            self._fail(f"player {number} does not exist: the players are 1 to {len(self.player_names)}", at)
        return number - 1

    def _move(self, player: int) -> EfgMove:
        number = self._whole(f"the number of the {'chance event' if player == CHANCE else 'information set'}")
        what = f"chance event {number}" if player == CHANCE else f"information set {number} of player {player + 1}"
        known = self.known_moves.get((player, number))
        name = self._name(what, known.name if known else None)
        if self.token.text != "{":
            if known is None:
                self._unexpected(f"{{ and the actions of {what}, which appears here for the first time")
            return known
        at = self._take()
        labels: list[str] = []
        probabilities: list[Fraction] = []
        while self.token.text != "}" or not labels:
            labels.append(self._string("the name of an action in quotes" + (", or }" if labels else "")))
            if player == CHANCE:
                probabilities.append(self._probability(labels[-1]))
        self._take()
        move = EfgMove(player, number, name, tuple(labels), tuple(probabilities))
        if known is None:
            total = sum(probabilities, Fraction(0))
            if player == CHANCE and abs(total - 1) > TOLERANCE:
                self._fail(f"the probabilities of {what} sum to {float(total)!r} instead of 1", at)
            self.known_moves[player, number] = move
        elif len(move.actions) != len(known.actions):
            self._fail(f"{what} has {len(labels)} actions here, but {len(known.actions)} where it first appears", at)
        elif move != known:
            differing = "probabilities" if move.actions == known.actions else "actions"
            self._fail(f"{what} has other {differing} here than where it first appears", at)
        return known or move

    def _probability(self, label: str) -> Fraction:
        at = self.token
        probability = self._number("the probability of the action")
        if probability < 0:
            self._fail(f"the probability of {label!r} is negative", at)
        return probability

    def _outcome(self) -> Exact | None:
        """Read the payoffs of the outcome at a node; None for the null outcome."""
        number = self._whole("the number of the outcome (0 for none)")
        what = f"outcome {number}"
        if number == 0:
            if self.token.kind == "string" or self.token.text == "{":
                self._fail("outcome 0 means no outcome, so it has no name and no payoffs")
            return None
        known = self.outcomes.get(number)
        name = self._name(what, known.name if known else None)
        if self.token.text != "{":
            if known is None:
                self._unexpected(f"{{ and the payoffs of {what}, which appears here for the first time")
            return known.payoffs
        at = self._take()
        payoffs: list[Fraction] = []
        while self.token.text != "}":
            payoffs.append(self._number("a payoff" + (", or }" if payoffs else "")))
            if self.token.text == ",":
                self._take()
        self._take()
        if len(payoffs) != len(self.player_names):
            self._fail(f"{what} has {len(payoffs)} payoffs, but the game has {len(self.player_names)} players", at)
        outcome = _Outcome(name, tuple(payoffs))
        if self.outcomes.setdefault(number, outcome) != outcome:
            self._fail(f"{what} has other payoffs here than where it first appears", at)
        return outcome.payoffs

    def _name(self, what: str, known: str | None) -> str:
        """Read the name of an information set, event or outcome; if it is left out, return the one known already."""
        if self.token.kind != "string":
            return known or ""
        at = self.token
        name = self._string("a name")
        if known is not None and name != known:
            self._fail(f"{what} has the name {name!r} here, but {known!r} where it first appears", at)
        return name

    def _round(self, payoffs: Exact | None) -> tuple[float, ...]:
        if payoffs is None:
            return (0.0,) * len(self.player_names)
        try:
            return tuple(float(payoff) for payoff in payoffs)
        except OverflowError:
            self._fail("the payoffs on the path up to here add up to more than a float can hold")

    # Tokens.

    def _scan(self, offset: int) -> _Token:
        match = TOKEN.match(self.text, offset)
        if match is None or match.lastgroup is None:
            raise AssertionError("every text starts with some token")
        return _Token(match.lastgroup, match[match.lastgroup], match.start(match.lastgroup))

    def _take(self) -> _Token:
        token = self.token
        self.token = self._scan(token.offset + len(token.text))
        return token

    def _expect(self, text: str, meaning: str) -> None:
        if self.token.text != text or self.token.kind == "end":
            self._unexpected(meaning)
        self._take()

    def _string(self, meaning: str) -> str:
        if self.token.kind != "string":
            self._unexpected(meaning)
        body = self._take().text[1:-1]
        return ESCAPE.sub(_unescape, body) if "\\" in body else body

    def _whole(self, meaning: str) -> int:
        text = self.token.text
        if self.token.kind != "number" or not text.isdigit() or len(text) > MAX_WHOLE_DIGITS:
            self._unexpected(f"{meaning}, a whole number")
        self._take()
        return int(text)

    def _number(self, meaning: str) -> Fraction:
        text = self.token.text
        if self.token.kind != "number":
            self._unexpected(meaning)
        number = self.numbers.get(text)
        if number is None:
            number = self.numbers[text] = self._fraction(text)
        self._take()
        return number

    def _fraction(self, text: str) -> Fraction:
        exponent = re.search(r"[eE]([+-]?[0-9]+)$", text)
        if len(text) > MAX_NUMBER_LENGTH or (exponent and abs(float(exponent[1])) > MAX_EXPONENT):
            self._fail(f"the number {self.token} is too long or too large")
        try:
            number = Fraction(text)
            float(number)
        except ZeroDivisionError:
            self._fail(f"the number {self.token} divides by 0")
        except OverflowError:
            self._fail(f"the number {self.token} is too long or too large")
        return number

    # Complaints.

    def _unexpected(self, meaning: str) -> NoReturn:
        self._fail(f"expected {meaning}, found {self.token}")

    def _fail(self, sentence: str, token: _Token | None = None) -> NoReturn:
        before = self.text[: (token or self.token).offset]
        line = before.count("\n") + 1
        column = len(before) - before.rfind("\n")
        raise InputError(f"{self.source}, line {line}, column {column}: {sentence}")
