"""The poker hand history format (PHH, Kim 2024), several hands per file (.phhs), as PokerKit reads it.

Every hand is a table of TOML. Amounts after "cbr" are what a player has put into this betting round; the seats of a
hand are its players p1, p2, ... in order, so that heads-up p1 is the big blind. The format has full-deck Texas hold'em,
limit (FT) and no-limit (NT), and no-limit short-deck hold'em (NS). Cards that were not seen are "????".
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from typing import Any

from counterpoise.betting.rules import CALL, FOLD, BettingState
from counterpoise.cards.deck import split_cards
from counterpoise.errors import InputError
from counterpoise.games.base import Game
from counterpoise.games.events import ActionEvent
from counterpoise.games.holdem import Holdem
from counterpoise.logs.base import (
    Heading,
    LogFormat,
    ReadRecord,
    cards_of,
    chips_text,
    follow_betting,
    is_count,
    require_hand,
    require_holdem,
)
from counterpoise.logs.record import HandRecord, payoffs_of
from counterpoise.parameters import is_list, is_number, is_whole, shown

UNSEEN = "????"
_TABLE = re.compile(r"^\[(\d+)\]\s*$", re.MULTILINE)


class PhhLog(LogFormat):
    """One table per hand."""

    def check_game(self, game: Game) -> None:
        """Refuse games that the format does not have."""
        _variant(require_holdem(game, "PHH"))

    def format_hand(self, game: Game, record: HandRecord, number: int) -> str:
        """Return the table of a hand, numbered from 1 as is usual there."""
        holdem = require_holdem(game, "PHH")
        rules, betting = _fixed_fields(holdem), holdem.betting
        finishing = [stack + payoff for stack, payoff in zip(betting.stacks, record.payoffs, strict=True)]
        fields = {
            **rules,
            "actions": list(_write_actions(holdem, record.history, record.payoffs)),
            "hand": record.hand,
            "players": list(record.agents),
            "finishing_stacks": finishing,
            "_payoffs": list(record.payoffs),
            "_room": record.room,
            **({"_strategies": list(record.strategies)} if record.strategies else {}),
        }
        lines = [f"{name} = {_toml(value)}\n" for name, value in fields.items()]
        return f"[{number + 1}]\n{''.join(lines)}\n"

    def parse(self, text: str, game: Game, heading: Heading) -> Iterator[ReadRecord]:
        """Yield the hands of a log."""
        holdem = require_holdem(game, "PHH")
        _variant(holdem)
        starts = list(_TABLE.finditer(text))
        ends = [*[found.start() for found in starts[1:]], len(text)]
        for found, end in zip(starts, ends, strict=True):
            line = text.count("\n", 0, found.start()) + 1
            if not is_count(found[1]):
                raise InputError(f"line {line}: a hand has too many digits: {shown(found[1])}")
            try:
                table = tomllib.loads(text[found.end() : end])
            except (ValueError, RecursionError) as error:  # also of a number of thousands of digits
                raise InputError(f"line {line}: hand {found[1]} is no TOML: {error}") from None
            try:
                record = _read_table(holdem, table, int(found[1]) - 1)
            except InputError as error:
                raise InputError(f"line {line}: {error}") from None
            yield ReadRecord(line, int(found[1]) - 1, record)


def _variant(game: Holdem) -> str:
    """Return the code of a game, or refuse it."""
    full = (game.ranks, game.suits, game.ranking, game.board) == (13, 4, "standard", (0, 3, 1, 1))
    short = (game.ranks, game.suits, game.ranking, game.board) == (9, 4, "short", (0, 3, 1, 1))
    limit = game.betting.limit
    if not (full or short) or (short and limit):
        raise InputError(f"PHH has no {game.name}: name a file ending in .log or .jsonl")
    if limit and (limit[0] != limit[1] or limit[2] != limit[3]):
        raise InputError(f"PHH has limit games with one bet in the first two rounds and one later, not {limit}")
    return "FT" if limit else "NT" if full else "NS"


def _fixed_fields(game: Holdem) -> dict[str, Any]:
    """Return the fields that are the same in all hands of a game."""
    betting = game.betting
    limit = betting.limit
    bets = {"small_bet": limit[0], "big_bet": limit[-1]} if limit else {"min_bet": max(game.blinds[1], 1)}
    return {
        "variant": _variant(game),
        "antes": [game.ante] * game.seats,
        "blinds_or_straddles": [*game.blinds, *([0] * (game.seats - 2))],
        **bets,
        "starting_stacks": list(betting.stacks),
    }


def _write_actions(game: Holdem, history: Sequence[str], payoffs: Sequence[float]) -> Iterator[str]:
    """Yield the actions of a hand, the hole cards first."""
    hands, events = cards_of(game, history)
    shows = [hand or ("" if payoff < 0 else "-") for hand, payoff in zip(hands, payoffs, strict=True)]
    for seat, hand in enumerate(hands):
        yield f"d dh p{seat + 1} {hand or UNSEEN}"
    shown_down, after = False, game.betting_after(())
    for event, before, after in follow_betting(game, events):
        if not isinstance(event, ActionEvent):
            yield f"d db {event}"
            continue
        yield f"p{before.to_act + 1} {_write_action(event, before)}"
        if game.betting.rounds_due(after):  # all-in: hands are shown before the other cards come
            yield from _showdown(after, shows)
            shown_down = True
    if len(after.live) > 1 and not shown_down:
        yield from _showdown(after, shows)


def _write_action(event: ActionEvent, before: BettingState) -> str:
    if event.bet == FOLD:
        return "f"
    return "cc" if event.bet == CALL else f"cbr {event.bet - before.round_stake}"


def _showdown(state: BettingState, shows: Sequence[str]) -> Iterator[str]:
    """Yield what is shown, from the last bettor on or from the first seat: cards, "-" unknown ones, or nothing."""
    first = state.aggressor if state.aggressor in state.live else state.live[0]
    order = [seat for seat in state.live if seat >= first] + [seat for seat in state.live if seat < first]
    for seat in order:
        yield f"p{seat + 1} sm {shows[seat]}".rstrip()


def _read_table(game: Holdem, table: dict[str, Any], count: int) -> HandRecord:
    """Return the record of a hand; `count` is its number if it has none of its own."""
    for name, value in _fixed_fields(game).items():
        if table.get(name) != value:
            raise InputError(f"{name} must be {value} in {game.name}, not {shown(table.get(name))}")
    actions: Any = table.get("actions")
    players: Any = table.get("players")
    if not is_list(actions) or not all(isinstance(action, str) for action in actions):
        raise InputError(f"actions must be a list of texts, not {shown(actions)}")
    names = tuple(map(str, players)) if is_list(players) else tuple(f"p{seat + 1}" for seat in range(game.seats))
    if len(names) != game.seats:
        raise InputError(f"players must be {game.seats} names, not {shown(players)}")
    history = _read_actions(game, actions)
    hand, room = table.get("hand"), table.get("_room", 0)
    for name, number in (("hand", hand), ("_room", room)):
        if name in table and not is_whole(number):
            raise InputError(f"{name} must be a whole number, not {shown(number)}")
    ids: Any = table.get("_strategies", [])
    if not is_list(ids) or len(ids) not in (0, game.seats) or not all(isinstance(one, str) for one in ids):
        raise InputError(f"_strategies must be {game.seats} texts, not {shown(ids)}")
    payoffs = _read_payoffs(game, table, history)
    return HandRecord(count if hand is None else hand, room, names, history, payoffs, tuple(ids))


def _read_payoffs(game: Holdem, table: dict[str, Any], history: tuple[str, ...]) -> tuple[float, ...]:
    """Return what a hand says that the players won; where it says nothing, what the rules do."""
    field = next((name for name in ("_payoffs", "finishing_stacks") if name in table), None)
    if field is None:
        return payoffs_of(game, history)
    ends: Any = table[field]
    if not is_list(ends) or len(ends) != game.seats or not all(map(is_number, ends)):
        raise InputError(f"{field} must be {game.seats} numbers, not {shown(ends)}")
    starts = [0] * game.seats if field == "_payoffs" else game.betting.stacks
    return tuple(float(end - start) for start, end in zip(starts, ends, strict=True))


def _read_actions(game: Holdem, actions: Sequence[str]) -> tuple[str, ...]:
    """Return the history of a hand."""
    hands: dict[int, str] = {}
    events: list[str] = []
    betting = game.betting_after(())
    for text in actions:
        words = text.partition("#")[0].split()
        if not words or (words[1:2] == ["sm"] and len(words) == 2):
            continue
        if words[1:2] == ["sm"] and len(words) == 3 and is_count(words[0][1:]):
            _show(hands, int(words[0][1:]) - 1, words[2])
            continue
        if words[:2] == ["d", "dh"] and len(words) == 4 and is_count(words[2][1:]):
            hand = "" if words[3] == UNSEEN else words[3]
            require_hand(hand)
            hands[int(words[2][1:]) - 1] = hand
            continue
        if words[:2] == ["d", "db"] and len(words) == 3:
            event = words[2]
        elif words[0] != f"p{betting.to_act + 1}":
            raise InputError(f"action {shown(text)} is out of turn")
        elif words[1:] in (["f"], ["cc"]):
            event = words[1][0]
        elif len(words) == 3 and words[1] == "cbr" and is_count(words[2]):
            event = f"b{int(words[2]) + betting.round_stake}"
        else:
            raise InputError(f"action {shown(text)} is none of d dh, d db, f, cc, cbr and sm")
        betting = game.betting_next(betting, event)
        events.append(event)
    missing = [seat for seat in range(game.seats) if seat not in hands]
    if missing or len(hands) != game.seats:
        raise InputError(f"the hole cards must be those of {game.seats} players, not of {len(hands)}")
    return (*(hands[seat] for seat in range(game.seats)), *events)


def _show(hands: dict[int, str], seat: int, cards: str) -> None:
    """Note a hand that is shown, which may have been dealt unseen."""
    if cards == "-" or "?" in cards:
        return
    require_hand(cards)
    known = hands.get(seat, "")
    if known and set(split_cards(known)) != set(split_cards(cards)):
        raise InputError(f"p{seat + 1} shows {shown(cards)}, but was dealt {shown(known)}")
    hands[seat] = known or cards


def _toml(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value)
    if is_list(value):
        return f"[{', '.join(map(_toml, value))}]"
    return chips_text(value)
