"""One record of several logs: deals are renumbered, rooms in different files are joined, strategies are named.

1. All logs must be of one game.
2. A log whose hands have the cards of another log, hand by hand, with the agents in other seats, is another room of it.
   This is how the competitions store duplicate matches.
3. Every hand says which strategy each seat followed, if the log says so.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from counterpoise.errors import InputError
from counterpoise.games import Game
from counterpoise.games.base import game_name
from counterpoise.games.events import DealEvent, read_event
from counterpoise.games.holdem import Holdem
from counterpoise.logs import Log, read_log
from counterpoise.logs.record import HandRecord
from counterpoise.parameters import require

PathLike = str | os.PathLike[str]


class LoggedMatch(NamedTuple):
    """The deals of one match, which may be in several files, as the numbers from `first` to `end`."""

    files: tuple[str, ...]
    first: int
    end: int


class MergedRecord(NamedTuple):
    """The hands of one or more logs."""

    game: Game
    records: list[HandRecord]
    matches: tuple[LoggedMatch, ...]
    strategies: dict[str, dict[str, None]]
    """The ids of the strategies that each agent has followed; "" where a log does not say it."""

    @property
    def agents(self) -> tuple[str, ...]:
        """Names of all agents, in the order in which they first sat down."""
        return tuple(dict.fromkeys(name for record in self.records for name in record.agents))

    @property
    def rooms(self) -> int:
        """The largest number of rooms in which a deal was played."""
        return max((record.room for record in self.records), default=0) + 1

    @property
    def hidden(self) -> bool:
        """Whether some cards were not seen."""
        return isinstance(self.game, Holdem) and any("" in record.history[: self.game.seats] for record in self.records)


def merge_logs(paths: Sequence[PathLike], game: Game | str | None = None) -> MergedRecord:
    """Return the hands of all logs as one record, with deals numbered consecutively over the files."""
    require(bool(paths), "logs must name at least one file")
    names = [os.fspath(path) for path in paths]
    for name in names:
        require(names.count(name) == 1, f"logs must be different files: {name} is there twice")
    logs = [read_log(path, game) for path in paths]
    rules = logs[0].game
    for name, log in zip(names, logs, strict=True):
        if game_name(log.game) != game_name(rules):
            raise InputError(
                f"{names[0]} is of {game_name(rules)}, {name} of {game_name(log.game)}: judge one at a time"
            )
        if not log.records:
            raise InputError(f"{name} has no hands")
    records, matches, strategies = list[HandRecord](), list[LoggedMatch](), dict[str, dict[str, None]]()
    for group in _rooms(names, logs):
        offset = matches[-1].end if matches else 0
        first_room = last = 0
        for place in group:
            log = logs[place]
            ids = dict(zip(log.heading.agents, log.heading.strategy_ids, strict=False))
            low = min(record.hand for record in log.records)
            for record in log.records:
                if len(set(record.agents)) < len(record.agents):
                    raise InputError(f"{names[place]}, hand {record.hand}: an agent sits in two seats")
                followed = record.strategies or tuple(ids.get(name, "") for name in record.agents)
                for name, one in zip(record.agents, followed, strict=True):
                    strategies.setdefault(name, {})[one] = None
                hand, room = offset + record.hand - low, first_room + record.room
                records.append(record._replace(hand=hand, room=room, strategies=followed if any(followed) else ()))
                last = max(last, hand + 1)
            first_room += max(record.room for record in log.records) + 1
        matches.append(LoggedMatch(tuple(names[place] for place in group), offset, last))
    return MergedRecord(rules, records, tuple(matches), strategies)


def _rooms(names: Sequence[str], logs: Sequence[Log]) -> list[list[int]]:
    """Return the logs in groups that are rooms of one match."""
    groups: list[list[int]] = []
    for place, log in enumerate(logs):
        for group in groups:
            if all(_same_deals(logs[other], log) for other in group):
                group.append(place)
                break
        else:
            groups.append([place])
    return groups


def _same_deals(first: Log, second: Log) -> bool:
    """Whether two logs have the same cards with the agents in other seats, hand by hand, as far as cards were seen."""
    if not isinstance(first.game, Holdem) or first.heading.rooms > 1 or second.heading.rooms > 1:
        return False
    if len(first.records) != len(second.records):
        return False
    pairs = list(zip(first.records, second.records, strict=True))
    if not all(
        one.hand == other.hand and one.agents != other.agents and sorted(one.agents) == sorted(other.agents)
        for one, other in pairs
    ):
        return False
    seen = [cards for one, other in pairs for cards in _seen_in_both(first.game.seats, one.history, other.history)]
    return bool(seen) and all(own == met for own, met in seen)


def _seen_in_both(seats: int, first: Sequence[str], second: Sequence[str]) -> list[tuple[str, str]]:
    """Return the cards of one deal in two rooms, seat by seat and then the board, that are known in both."""
    hands = [(own, met) for own, met in zip(first[:seats], second[:seats], strict=True) if own and met]
    boards = (
        [event for event in map(read_event, events[seats:]) if isinstance(event, DealEvent)]
        for events in (first, second)
    )
    return hands + list(zip(*boards, strict=False))
