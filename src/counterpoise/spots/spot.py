"""A spot: board, pot, stack, two ranges, bet sizes, rake and locked strategies, as users write them in a file.

A file is TOML or JSON with the same keys. Errors are one sentence that names the file and the field. Chips are whole
numbers, and fractions are refused: write all amounts in a smaller unit (5.5 and 97 as 55 and 970), which changes no
strategy.
"""

from __future__ import annotations

import json
import math
import os
import warnings
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from counterpoise.betting.lines import LINE_SIZES, LineBetting
from counterpoise.betting.rules import Betting, Rake
from counterpoise.betting.sizes import STREETS, BetSizes
from counterpoise.cards import SHORT_DECK, STANDARD_DECK, Deck, Range, disjoint_hands, format_cards, parse_cards
from counterpoise.errors import InputError, InputWarning
from counterpoise.names import suggest
from counterpoise.parameters import SHOWN, shown
from counterpoise.spots.locks import NodeLock, read_lock
from counterpoise.spots.read_toml import read_toml
from counterpoise.store import atomic_write

if TYPE_CHECKING:
    from counterpoise.public import HoldemRules

MOST_CHIPS = 10**9
MOST_BYTES = 2**20
"""The most bytes of a spot file."""

MOST_LINES, LONGEST_LINE = 100_000, 100
"""The most lines that a spot may list, and the most actions of each."""

MOST_LOCKS, MOST_LOCKED = 10_000, 5000
"""The most nodes that a spot may lock, and the most hands or ranges that the lock of one may name."""

LEAST_USUAL_RAKE = 0.5
"""The least usual rake in per cent of the pot; a smaller number is probably a share, 0.05 for five per cent."""

LEAST_WEIGHT = 1e-6
"""The least weight of a hand, relative to the largest of its range."""

Chips = Annotated[int, Field(ge=1, le=MOST_CHIPS)]
Line = Annotated[list[Annotated[int, Field(ge=0, le=MOST_CHIPS)]], Field(min_length=1, max_length=LONGEST_LINE)]
Lines = Annotated[list[Line], Field(max_length=MOST_LINES)]
SizeTable = dict[str, Any]

_CHIPS = f"a whole number of chips from 1 to {MOST_CHIPS:,} (scale all amounts up if a chip is too coarse)"
_TABLE = 'a table with lists of sizes, such as bet = ["50%"] and raise = ["60%"]'
_ALLOWED = {
    "name": "a text of at most 200 characters",
    "board": 'a text of 3 to 5 cards, such as "Qs Jh 2h"',
    "pot": _CHIPS,
    "stack": _CHIPS,
    "min_bet": _CHIPS,
    "oop": 'a range in words, such as "TT+,AKs:0.5"',
    "ip": 'a range in words, such as "TT+,AKs:0.5"',
    "deck": "standard or short",
    "rake": "a table with percent and cap",
    "rake.percent": "a number from 0 to 100",
    "rake.cap": "a number of chips, 0 or more",
    "flop": _TABLE,
    "turn": _TABLE,
    "river": _TABLE,
    "lines": f"at most {MOST_LINES:,} lists of at most {LONGEST_LINE} whole chips, such as [[0, 50, 150], [100]]",
    "forced": f"at most {MOST_LINES:,} lists of at most {LONGEST_LINE} whole chips, such as [[50]]",
    "lock": f"a list of tables, at most {MOST_LOCKS:,}, each with node and strategy",
    "lock.node": 'a node id, such as "r:0:b50"',
    "lock.strategy": f'a table of hands, at most {MOST_LOCKED:,}, such as {{ "AhKh" = {{ call = 1.0 }} }}',
}


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class SpotRake(_Strict):
    """`percent` of the pot, at most `cap` chips; without a cap, no limit."""

    percent: Annotated[float, Field(ge=0, le=100)] = 0
    cap: Annotated[float, Field(ge=0, le=MOST_CHIPS)] | None = None


class SpotLock(_Strict):
    """A node id and, for hands or ranges there, a probability per action."""

    node: str
    strategy: Annotated[dict[str, dict[str, float]], Field(min_length=1, max_length=MOST_LOCKED)]


class Spot(_Strict):
    """A hold'em situation for two players from the flop, turn or river on; immutable and checked when it is made.

    >>> Spot(board="Qs Jh 2h 8d", pot=100, stack=400, oop="TT+", ip="22+", river={"bet": ["50%"]})
    Traceback (most recent call last):
        ...
    counterpoise.errors.InputError: turn must be given: a table with lists bet and raise (empty lists: no bets)
    """

    board: str
    pot: Chips
    stack: Chips
    oop: str
    ip: str
    name: Annotated[str, Field(max_length=200)] = ""
    rake: SpotRake = SpotRake()
    deck: Literal["standard", "short"] = "standard"
    min_bet: Chips = 1
    flop: SizeTable | None = None
    turn: SizeTable | None = None
    river: SizeTable | None = None
    lines: Lines = []
    """Instead of sizes: the lines that are played, in totals since the root (see `counterpoise.betting.lines`)."""
    forced: Lines = []
    """Lines whose last action is the only one at its node."""
    lock: Annotated[list[SpotLock], Field(max_length=MOST_LOCKS)] = []

    def __init__(self, **fields: Any) -> None:
        try:
            super().__init__(**fields)
        except ValidationError as error:
            raise InputError(_sentence(error)) from None
        self._check()

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Spot:
        """Read a `.toml` or `.json` file; without a name of its own the spot gets the file's."""
        source = Path(path)
        fields = _read_file(source)
        return cls.from_dict({"name": source.stem, **fields}, source)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], source: str | os.PathLike[str] | None = None) -> Spot:
        """Return a spot from the keys of a file; errors name `source`."""
        try:
            if not isinstance(fields, Mapping):
                raise InputError(f"a spot is a table of fields such as board and pot, not {shown(fields)}")
            return cls(**{str(key): value for key, value in fields.items()})
        except InputError as error:
            raise InputError(f"{os.fspath(source)}: {error}" if source is not None else str(error)) from None

    def with_locks(self, locks: Sequence[Mapping[str, Any]] | str | os.PathLike[str]) -> Spot:
        """Return the spot with more locked strategies: tables with node and strategy, or a file with a list of them."""
        source, more = None, locks
        if isinstance(locks, str | os.PathLike):
            source = Path(locks)
            fields = _read_file(source)
            if set(fields) != {"lock"}:
                raise InputError(f"{source} must hold nothing but lock: {_ALLOWED['lock']}")
            more = fields["lock"]
        own = self.to_dict()
        return Spot.from_dict(own | {"lock": [*own.get("lock", ()), *more] if isinstance(more, list) else more}, source)

    def with_only_locks(self, locks: Sequence[Mapping[str, Any]]) -> Spot:
        """Return the spot with these locked strategies in place of its own."""
        return Spot.from_dict(self.to_dict() | {"lock": list(locks)})

    def to_dict(self) -> dict[str, Any]:
        """Return the keys of a file, those at their default left out."""
        return self.model_dump(exclude_defaults=True)

    def to_toml(self) -> str:
        """Return the text of a spot file that reads back to this spot."""
        from counterpoise.spots.write_toml import to_toml

        return to_toml(self.to_dict())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a spot file, TOML or JSON by its suffix."""
        suffix = _suffix(Path(path))
        text = self.to_toml() if suffix == ".toml" else json.dumps(self.to_dict(), indent=1) + "\n"
        with atomic_write(path) as file:
            file.write(text.encode())

    @cached_property
    def cards(self) -> tuple[int, ...]:
        """The cards of the board."""
        return tuple(parse_cards(self.board, self.card_deck))

    @property
    def card_deck(self) -> Deck:
        """The deck that is dealt from."""
        return SHORT_DECK if self.deck == "short" else STANDARD_DECK

    @property
    def first_round(self) -> int:
        """The street that the board is on: 1 flop, 2 turn, 3 river."""
        return len(self.cards) - 2

    @property
    def starts_on_river(self) -> bool:
        """Whether the board is complete."""
        return self.first_round == len(STREETS) - 1

    @cached_property
    def ranges(self) -> tuple[Range, Range]:
        """Both players' hands that the board leaves, out of position first."""
        with _naming("oop"):
            oop = Range.from_string(self.oop, self.card_deck).live(self.cards)
        with _naming("ip"):
            return oop, Range.from_string(self.ip, self.card_deck).live(self.cards)

    @cached_property
    def betting(self) -> Betting:
        """The betting rules from here on."""
        rake = Rake(self.rake.percent, self.rake.cap)
        plain = Betting.spot(self.pot, self.stack, self.first_round, self.min_bet, rake)
        if not self.has_lines:
            return plain
        return LineBetting.of(plain, self.lines, self.forced)

    @property
    def has_lines(self) -> bool:
        """Whether the bets are listed line by line, instead of as sizes."""
        return bool(self.lines or self.forced)

    @cached_property
    def sizes(self) -> BetSizes:
        """The bets that are allowed."""
        return LINE_SIZES if self.has_lines else BetSizes.read(self.size_tables, self.first_round)

    @cached_property
    def rules(self) -> HoldemRules:
        """The rules of the public game, which cache what is built from them; locks tell suits apart."""
        from counterpoise.public import HoldemRules

        return HoldemRules(
            self.cards, self.ranges, self.betting, self.sizes, self.card_deck, isomorphism=not self.locks
        )

    @property
    def size_tables(self) -> dict[str, SizeTable]:
        """The tables of sizes by street, as they were given; refused if the spot lists lines instead."""
        if self.has_lines:
            raise InputError("this needs bet sizes, and the spot lists lines instead: give it flop, turn and river")
        return self._given_tables

    @property
    def _given_tables(self) -> dict[str, SizeTable]:
        tables = {name: getattr(self, name) for name in STREETS[1:]}
        return {name: table for name, table in tables.items() if table is not None}

    @cached_property
    def locks(self) -> tuple[NodeLock, ...]:
        """The locked strategies, hand by hand."""
        return tuple(read_lock(f"lock {number}", entry, self) for number, entry in enumerate(self.lock, 1))

    def _check(self) -> None:
        if not all(letter.isprintable() for letter in self.name):
            raise InputError("name must be one line of text")
        with _naming("board"):
            _ = self.cards
        if not 3 <= len(self.cards) <= 5:
            raise InputError(f"board must have 3 to 5 cards, not {len(self.cards)}")
        for field, own in zip(("oop", "ip"), self.ranges, strict=True):
            with _naming(field):
                _check_weights(own)
        _check_pairs(self.ranges, self.cards)
        if self.has_lines and self._given_tables:
            raise InputError(f"lines and {next(iter(self._given_tables))} exclude each other: bets are lines or sizes")
        for name in self._given_tables:
            street = STREETS.index(name)
            BetSizes.read(self._given_tables, street, street + 1)
        if not self.has_lines:
            _check_bets(self.sizes, self.first_round)
        if 0 < self.rake.percent < LEAST_USUAL_RAKE:
            warnings.warn(
                f"rake.percent = {self.rake.percent:g} is {self.rake.percent:g} per cent of the pot: write 5 for five "
                "per cent",
                InputWarning,
                stacklevel=2,
            )
        _ = self.sizes.actions(self.betting, self.betting.initial())  # reads every line
        _check_different([entry.node for entry in self.lock], self.lock)  # before each is read, which takes longer
        _check_different([lock.steps for lock in self.locks], self.lock)


def _check_different(nodes: Sequence[Hashable], locks: Sequence[SpotLock]) -> None:
    """Refuse two locks of one node."""
    seen = set[Hashable]()
    for number, (node, entry) in enumerate(zip(nodes, locks, strict=True), 1):
        if node in seen:
            raise InputError(f"lock {number}: node {shown(entry.node)} is locked twice")
        seen.add(node)


def _check_weights(own: Range) -> None:
    """Refuse weights that the rounding of the tables would lose."""
    weights = own.weights[own.hands]
    least = int(weights.argmin())
    if weights[least] < LEAST_WEIGHT * weights.max():
        hand = format_cards(own.deck.hands[own.hands[least]].tolist()[::-1], "")
        raise InputError(
            f"{hand} has weight {weights[least]:g}, and a weight must be at least a millionth of the largest, which is "
            f"{weights.max():g}: leave the hand out or give it more"
        )


def _check_pairs(ranges: tuple[Range, Range], board: tuple[int, ...]) -> None:
    """Refuse ranges that the players cannot hold at the same time."""
    first, second = (own.deck.hands[own.hands] for own in ranges)
    if not disjoint_hands(first, second).any():
        raise InputError(
            f"oop and ip: on board {format_cards(board)} every hand of one shares a card with every hand of the other"
        )


def _check_bets(sizes: BetSizes, first_round: int) -> None:
    players = [own for street in sizes.streets[first_round:] if street is not None for own in street]
    if not any(own.bets or own.donks for own in players):
        raise InputError(f"{', '.join(STREETS[first_round:])}: no bet is possible: give bet at least one size")


@contextmanager
def _naming(field: str) -> Iterator[None]:
    try:
        yield
    except InputError as error:
        raise InputError(f"{field}: {error}") from None


def _sentence(error: ValidationError) -> str:
    """Return the first error in a sentence, with field, value and what is allowed."""
    found = error.errors(include_url=False)
    first = next((problem for problem in found if problem["type"] == "extra_forbidden"), found[0])
    place = [part[:SHOWN] for part in first["loc"] if isinstance(part, str)]
    numbers = [part for part in first["loc"] if isinstance(part, int)] if place[0] == "lock" else []
    owner = f"lock {numbers[0] + 1}" if numbers else place[0] if len(place) > 1 else ""
    where = f"{owner}: {'.'.join(place[1:])}".removesuffix(": ") if numbers else ".".join(place)
    if first["type"] == "extra_forbidden":
        known = {"rake": SpotRake.model_fields, "lock": SpotLock.model_fields}[place[0]] if owner else Spot.model_fields
        prefix = f"{owner} has no field" if owner else "there is no field"
        return f"{prefix} {place[-1]!r}: {suggest(place[-1], known)}"
    if first["type"] == "missing":
        return f"{where} must be given: {_ALLOWED['.'.join(place)]}"
    if place[:2] == ["lock", "strategy"] and len(place) > 2:
        allowed = "a probability from 0 to 1" if len(place) > 3 else "a table of actions and probabilities"
        return f"{where} must be {allowed}, not {shown(first['input'])}"
    return f"{where} must be {_ALLOWED['.'.join(place)]}, not {shown(first['input'])}"


def looks_like_a_spot(path: Path) -> bool:
    """Return False for a file that is plainly something else: far too large, or without any field that spots need."""
    try:
        fields = _parse_file(path)
    except InputError:
        return path.stat().st_size <= MOST_BYTES
    return isinstance(fields, dict) and any(
        name in fields for name, field in Spot.model_fields.items() if field.is_required()
    )


def _suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in (".toml", ".json"):
        raise InputError(f"{path}: a spot file must end in .toml or .json")
    return suffix


def _read_file(path: Path) -> dict[str, Any]:
    fields = _parse_file(path)
    if not isinstance(fields, dict):
        raise InputError(f"{path} must hold a table of fields such as board and pot, not {shown(fields)}")
    return fields


def _parse_file(path: Path) -> Any:
    suffix = _suffix(path)
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"{path} is a folder or a device, not a spot file")
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    except ValueError as error:
        raise error if isinstance(error, InputError) else InputError(f"cannot read {str(path)!r}: {error}") from None
    if len(content) > MOST_BYTES:
        raise InputError(f"{path} is larger than {MOST_BYTES // 2**20} MB: too large for a spot file")
    kind = suffix[1:].upper()
    try:
        text = content.decode("utf-8-sig")
        return read_toml(text) if suffix == ".toml" else json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error).splitlines()[0]
        raise InputError(f"{path} is not {kind}: {reason}") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} is given twice")
    for key, value in pairs:
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{key} is not a finite number")
    return table
