"""Logs of any game: one JSON object per line, first what the log is of, then the hands.

A hand has its deal and room, the name of the agent in each seat, everything that happened in the words of the game,
outcomes of chance included ("" for a hold'em hand that was not seen), the payoffs, and perhaps the id of the strategy
that each seat followed. `counterpoise.exploit` reads and writes the same form; deal and room may be left out, then
hands are counted, and so may payoffs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from counterpoise.errors import InputError
from counterpoise.games.base import Game
from counterpoise.logs.base import Heading, LogFormat, ReadRecord
from counterpoise.logs.record import HandRecord, payoffs_of
from counterpoise.parameters import is_list, is_number, is_whole, shown

_FORMAT = {"format": "counterpoise hands", "version": 1}


class JsonLog(LogFormat):
    """One line per hand."""

    def format_heading(self, heading: Heading) -> str:
        """Return the first line."""
        return json.dumps(_FORMAT | json.loads(heading.to_text())) + "\n"

    def format_hand(self, game: Game, record: HandRecord, number: int) -> str:
        """Return the line of a hand."""
        values = record._asdict()
        if not record.strategies:
            del values["strategies"]
        return json.dumps(values) + "\n"

    def find_heading(self, text: str) -> Heading | None:
        """Return what the first line of a log says, None if it says nothing."""
        first = text.split("\n", 1)[0]
        return Heading.read(first) if '"format"' in first else None

    def parse(self, text: str, game: Game, heading: Heading) -> Iterator[ReadRecord]:
        """Yield the hands of a log."""
        count = 0
        for line, content in enumerate(text.splitlines(), start=1):
            if not content.strip() or (line == 1 and '"format"' in content):
                continue
            try:
                record = _read_hand(json.loads(content), game, count, heading.rooms)
            except (ValueError, KeyError, AttributeError, RecursionError) as error:
                reason = error if isinstance(error, InputError) else f"{shown(content)} is no hand"
                raise InputError(f"line {line}: {reason}") from None
            count += 1
            yield ReadRecord(line, record.hand * heading.rooms + record.room, record)


def _read_hand(values: dict[str, Any], game: Game, count: int, rooms: int) -> HandRecord:
    """Return the record of a hand; `count` hands came before it."""
    hand, room = values.get("hand", count // rooms), values.get("room", count % rooms)
    agents, history, payoffs = values["agents"], values["history"], values.get("payoffs")
    strategies = values.get("strategies", ())
    if not (is_whole(hand) and is_whole(room)):
        raise InputError(f"hand and room must be whole numbers, not {shown(hand)} and {shown(room)}")
    for name, texts in (("agents", agents), ("history", history), ("strategies", strategies)):
        if not is_list(texts) or not all(isinstance(text, str) for text in texts):
            raise InputError(f"{name} must be a list of texts, not {shown(texts)}")
    if len(agents) != game.players:
        raise InputError(f"agents must be {game.players} names, not {shown(agents)}")
    if strategies and len(strategies) != game.players:
        raise InputError(f"strategies must be {game.players} ids, not {shown(strategies)}")
    if payoffs is None:
        payoffs = payoffs_of(game, history)
    if not is_list(payoffs) or not all(map(is_number, payoffs)):
        raise InputError(f"payoffs must be a list of numbers, not {shown(payoffs)}")
    return HandRecord(
        hand, room, tuple(agents), tuple(history), tuple(map(float, payoffs)), tuple(map(str, strategies))
    )
