"""What every form of log has in common: a heading that says what is played, and hands in order."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import NamedTuple

from counterpoise.betting.rules import BettingState
from counterpoise.errors import InputError
from counterpoise.games.base import Game, brief, game_name
from counterpoise.games.events import PublicEvent, read_event
from counterpoise.games.holdem import HOLE_CARDS, Holdem
from counterpoise.logs.record import HandRecord
from counterpoise.parameters import is_list, require, require_whole, shown

MARK = "# counterpoise "
MOST_DIGITS = 18
"""The most digits of a number of chips or hands in a log."""


@dataclass(frozen=True)
class Heading:
    """What a log is of; logs of others have none, and the reader is told the game."""

    game: str
    agents: tuple[str, ...] = ()
    strategy_ids: tuple[str, ...] = ()
    seed: int = 0
    rooms: int = 1

    def to_text(self) -> str:
        """Return the heading as JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, text: str) -> Heading:
        """Return the heading in a JSON text."""
        try:
            values = json.loads(text)
            known = {field.name: values[field.name] for field in fields(cls) if field.name in values}
            named = {name: tuple(known.get(name, ())) for name in ("agents", "strategy_ids")}
            heading = cls(**known | named)
        except (ValueError, TypeError, RecursionError) as error:
            raise InputError(f"line 1: the heading of the log cannot be read: {error}") from None
        require(isinstance(heading.game, str), f"line 1: game must be a text, not {shown(heading.game)}")
        for name, texts in named.items():
            proper = is_list(known.get(name, ())) and all(isinstance(text, str) for text in texts)
            require(proper, f"line 1: {name} must be a list of texts, not {shown(known.get(name))}")
        require_whole("line 1: seed", heading.seed, 0)
        require_whole("line 1: rooms", heading.rooms, 1)
        return heading


class Log(NamedTuple):
    """What was read from a log."""

    heading: Heading
    game: Game
    records: list[HandRecord]


class ReadRecord(NamedTuple):
    """A hand in a file: its line, its number there and what it says."""

    line: int
    number: int
    record: HandRecord


class LogFormat(ABC):
    """A way to write hands down and to read them."""

    def check_game(self, game: Game) -> None:  # noqa: B027
        """Raise `InputError` if hands of the game cannot be written so."""

    def format_heading(self, heading: Heading) -> str:
        """Return what a log begins with."""
        return f"{MARK}{heading.to_text()}\n"

    @abstractmethod
    def format_hand(self, game: Game, record: HandRecord, number: int) -> str:
        """Return the text of a hand, the end of its line included; `number` counts the hands of the log."""

    def format_end(self, names: Sequence[str], totals: Sequence[float]) -> str:
        """Return what a finished log ends with: perhaps the chips of every agent."""
        return ""

    @abstractmethod
    def parse(self, text: str, game: Game, heading: Heading) -> Iterator[ReadRecord]:
        """Yield the hands of a whole log; wrong ones raise `InputError` with the number of the line."""

    def find_heading(self, text: str) -> Heading | None:
        """Return the heading of a log, None if it has none."""
        first = text.split("\n", 1)[0]
        return Heading.read(first.removeprefix(MARK)) if first.startswith(MARK) else None


def require_holdem(game: Game, form: str) -> Holdem:
    """Return the game if it is hold'em; logs of this form have no other."""
    if not isinstance(game, Holdem) or not game.from_the_deal:
        name = brief(game_name(game))
        raise InputError(f"{form} logs are for whole hands of hold'em, not for {name}: name a file ending in .jsonl")
    return game


def is_count(text: str) -> bool:
    """Return whether a text is a whole number of at least 0 that no log needs more digits for.

    >>> is_count("300"), is_count("-3"), is_count("3" * 5000)
    (True, False, False)
    """
    return text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS


def read_amount(text: str) -> float:
    """Return a finite number, or raise `ValueError`."""
    amount = float(text)
    if not math.isfinite(amount):
        raise ValueError
    return amount


def chips_text(chips: float) -> str:
    """Return an amount exactly, whole numbers without a point.

    >>> chips_text(-300.0), chips_text(33.5)
    ('-300', '33.5')
    """
    return str(int(chips)) if chips == int(chips) else repr(float(chips))


def cards_of(game: Holdem, history: Sequence[str]) -> tuple[tuple[str, ...], tuple[PublicEvent, ...]]:
    """Return the hole cards of all seats and everything that happened after they were dealt."""
    return tuple(history[: game.seats]), tuple(map(read_event, history[game.seats :]))


def follow_betting(
    game: Holdem, events: Sequence[PublicEvent]
) -> Iterator[tuple[PublicEvent, BettingState, BettingState]]:
    """Yield every public event with the betting before and after it."""
    before = game.betting_after(())
    for event in events:
        after = game.betting_next(before, event)
        yield event, before, after
        before = after


def require_hand(text: str) -> None:
    """Refuse a text that has another number of cards than a hand; "" is a hand that was not seen."""
    if text and len(text) != 2 * HOLE_CARDS:
        raise InputError(f"a hand must be {HOLE_CARDS} cards, not {shown(text)}")
