"""Logs of any game: one JSON object per line, first the heading, then the hands (the schema of P2).

A hand has its deal and room, the name of the agent in each seat, everything that happened, outcomes of chance included,
and the payoffs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from counterpoise.errors import InputError
from counterpoise.games.base import Game
from counterpoise.parameters import is_number, is_whole, shown
from counterpoise.play.logs.base import Found, Heading, LogFormat
from counterpoise.play.record import HandRecord

_FIELDS = ("hand", "room", "agents", "history", "payoffs")


class JsonLog(LogFormat):
    """One line per hand."""

    def format_heading(self, heading: Heading) -> str:
        """Return the first line."""
        return heading.to_text() + "\n"

    def format_hand(self, game: Game, record: HandRecord, number: int) -> str:
        """Return the line of a hand."""
        return json.dumps(record._asdict()) + "\n"

    def find_heading(self, text: str) -> Heading | None:
        """Return the first line of a log, None if it is none of these."""
        first = text.split("\n", 1)[0]
        return Heading.read(first) if '"game"' in first else None

    def parse(self, text: str, game: Game, heading: Heading) -> Iterator[Found]:
        """Yield the hands of a log."""
        for line, content in enumerate(text.splitlines(), start=1):
            if not content.strip() or (line == 1 and '"game"' in content):
                continue
            try:
                hand, room, agents, history, payoffs = (json.loads(content)[name] for name in _FIELDS)
                if not is_whole(hand) or not is_whole(room):
                    raise ValueError("hand and room must be whole numbers")
                if not all(isinstance(one, str) for one in (*agents, *history)) or not all(map(is_number, payoffs)):
                    raise ValueError("agents and history must be texts, payoffs numbers")
            except (ValueError, TypeError, KeyError) as error:
                raise InputError(f"line {line}: {shown(content)} is no hand: {error}") from None
            record = HandRecord(hand, room, tuple(agents), tuple(history), tuple(map(float, payoffs)))
            yield Found(line, hand * heading.rooms + room, record)
