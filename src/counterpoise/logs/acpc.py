"""Logs of the Annual Computer Poker Competition, protocol 2.0.0: ``STATE:hand:betting:cards:values:names``.

1. Betting has one string per round, with slashes between them: f folds, c checks or calls, r raises, in no-limit with
   the total that the player has then put in over the whole hand ("r300"). After an all-in the rounds that are dealt
   without betting are empty: "r20000c///".
2. Cards are the hole cards of all positions with bars between them, empty for a hand that was not seen, then the public
   cards of each round after slashes.
3. Values are the chips that each position won, names who sat there; position 0 is the first to act after the flop,
   which is seat 0 here.
4. ``SCORE:values:names`` ends a log. Lines that begin with # or ; are comments.
5. A player's own view of a match is read too: lines ``MATCHSTATE:position:hand:betting:cards``, of which the last of
   each hand counts. Without a heading that player is called "player", the others "opponent" by their place to its left.

Names have no colons and bars there: both are written as underscores, and the heading says what stood for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from counterpoise.betting.rules import CALL
from counterpoise.errors import InputError
from counterpoise.games.base import CHANCE, TERMINAL, Game
from counterpoise.games.events import ActionEvent, read_event
from counterpoise.games.holdem import Holdem, HoldemState
from counterpoise.logs.base import (
    Heading,
    LogFormat,
    ReadRecord,
    cards_of,
    chips_text,
    is_count,
    read_amount,
    require_hand,
    require_holdem,
)
from counterpoise.logs.record import TOLERANCE, HandRecord
from counterpoise.parameters import shown

_ACTION = re.compile(r"[fc]|r\d*")


class AcpcLog(LogFormat):
    """One line per hand."""

    def check_game(self, game: Game) -> None:
        """Refuse everything but hold'em."""
        require_holdem(game, "ACPC")

    def format_hand(self, game: Game, record: HandRecord, number: int) -> str:
        """Return the STATE line of a hand."""
        holdem = require_holdem(game, "ACPC")
        hands, events = cards_of(holdem, record.history)
        text = EventText(holdem)
        for event in events:
            text.add(event)
        values = "|".join(map(chips_text, record.payoffs))
        names = "|".join(map(plain_name, record.agents))
        return f"STATE:{number}:{text.betting}:{'|'.join(hands)}{text.board}:{values}:{names}\n"

    def format_end(self, names: Sequence[str], totals: Sequence[float]) -> str:
        """Return the SCORE line."""
        return f"SCORE:{'|'.join(map(chips_text, totals))}:{'|'.join(map(plain_name, names))}\n"

    def parse(self, text: str, game: Game, heading: Heading) -> Iterator[ReadRecord]:
        """Yield the hands of a log."""
        holdem = require_holdem(game, "ACPC")
        named = {plain_name(name): name for name in heading.agents}
        scores: dict[str, float] = {}
        hands = 0
        open_hand: int | None = None
        for line, content in enumerate(text.splitlines(), start=1):
            if not content.strip() or content[0] in "#;":
                continue
            try:
                if content.startswith("SCORE:"):
                    _check_score(content, scores, hands)
                    continue
                if content.startswith("MATCHSTATE:"):
                    number, seen = parse_view(content, holdem, heading)
                    if open_hand not in (None, number):
                        raise InputError(f"hand {open_hand} has no end")
                    open_hand = number if seen is None else None
                    if seen is None:
                        continue
                    record = seen
                else:
                    number, record = parse_state(content, holdem, heading.rooms, named)
            except InputError as error:
                raise InputError(f"line {line}: {error}") from None
            hands += 1
            for name, payoff in zip(record.agents, record.payoffs, strict=True):
                scores[plain_name(name)] = scores.get(plain_name(name), 0.0) + payoff
            yield ReadRecord(line, number, record)


def action_text(game: Holdem, event: ActionEvent) -> str:
    """Return an action in the words of ACPC: f, c, r, and in no-limit betting r300.

    >>> action_text(__import__("counterpoise").load("no_limit_holdem"), ActionEvent(300))
    'r300'
    """
    if event.bet <= CALL:
        return str(event)
    return "r" if game.betting.limit else f"r{event.bet}"


def plain_name(name: str) -> str:
    """Return a name as it stands in a log.

    >>> plain_name("strategy:my leduc.cpz")
    'strategy_my_leduc.cpz'
    """
    return re.sub(r"[:|\s]", "_", name)


def parse_state(
    content: str, game: Holdem, rooms: int = 1, named: dict[str, str] | None = None
) -> tuple[int, HandRecord]:
    """Return the number of the hand in a STATE line and its record.

    >>> game = __import__("counterpoise").load("limit_holdem")
    >>> parse_state("STATE:7:rf:AsKh|QdQc:-2|2:ann|bob", game)[1].history
    ('AsKh', 'QdQc', 'b4', 'f')
    """
    parts = content.strip().split(":")
    if len(parts) != 6 or parts[0] != "STATE" or not is_count(parts[1]):
        raise InputError(f"a hand reads STATE:hand:betting:cards:values:names, not {shown(content.strip())}")
    number = int(parts[1])
    names = parts[5].split("|")
    for what, found in (("values", parts[4].split("|")), ("names", names)):
        _require_seats(game, what, found)
    try:
        payoffs = tuple(map(read_amount, parts[4].split("|")))
    except ValueError:
        raise InputError(f"values must be numbers, not {shown(parts[4])}") from None
    history = read_history(game, parts[2], parts[3])[0]
    agents = tuple((named or {}).get(name, name) for name in names)
    return number, HandRecord(number // rooms, number % rooms, agents, history, payoffs)


def parse_view(content: str, game: Holdem, heading: Heading) -> tuple[int, HandRecord | None]:
    """Return the number of the hand in a MATCHSTATE line, and its record if the hand is over there.

    >>> game = __import__("counterpoise").load("limit_holdem")
    >>> parse_view("MATCHSTATE:1:7:rf:|QdQc", game, Heading(""))[1][2:5]
    (('opponent', 'player'), ('', 'QdQc', 'b4', 'f'), (-2.0, 2.0))
    """
    view = read_view(content, game)
    number = view.hand
    if game.player(view.state) != TERMINAL:
        return number, None
    names = heading.agents or view_names(game.seats)
    agents = tuple(names[(seat - view.position) % game.seats] for seat in range(game.seats))
    payoffs = tuple(map(float, game.payoffs(view.state)))
    return number, HandRecord(number // heading.rooms, number % heading.rooms, agents, view.history, payoffs)


class MatchState(NamedTuple):
    """What a MATCHSTATE line says: who is told, of which hand, what has happened, and the state by the rules."""

    position: int
    hand: int
    history: tuple[str, ...]
    state: HoldemState


def read_view(content: str, game: Holdem) -> MatchState:
    """Return what a MATCHSTATE line says, or raise `InputError` if it does not fit the game."""
    parts = content.strip().split(":")
    if len(parts) != 5 or not (is_count(parts[1]) and is_count(parts[2])) or int(parts[1]) >= game.seats:
        raise InputError(f"a view reads MATCHSTATE:position:hand:betting:cards, not {shown(content.strip())}")
    return MatchState(int(parts[1]), int(parts[2]), *read_history(game, parts[3], parts[4]))


def view_names(seats: int, own: str = "player") -> tuple[str, ...]:
    """Return what the players of a match are called in the view of one of them, who comes first.

    >>> view_names(3)
    ('player', 'opponent 1', 'opponent 2')
    """
    if seats == 2:
        return own, "opponent"
    return own, *[f"opponent {place}" for place in range(1, seats)]


def read_history(game: Holdem, betting: str, cards: str) -> tuple[tuple[str, ...], HoldemState]:
    """Return what the betting and the cards of a line say that has happened, and the state after it by the rules."""
    hole, *boards = cards.split("/")
    hands = hole.split("|")
    _require_seats(game, "hands", hands)
    for hand in hands:
        require_hand(hand)
    events, state = _read_events(game, hands, betting.split("/"), boards)
    return (*hands, *events), state


def _require_seats(game: Holdem, what: str, found: Sequence[str]) -> None:
    if len(found) != game.seats:
        raise InputError(f"there must be {game.seats} {what}, one for each seat, not {len(found)}")


class EventText:
    """The betting and the public cards of a hand in the words of ACPC, written event by event.

    >>> text = EventText(__import__("counterpoise").load("no_limit_holdem"))
    >>> for event in ("b300", "c", "QsJh2d", "c"):
    ...     text.add(event)
    >>> text.betting, text.board
    ('r300c/c', '/QsJh2d')
    """

    def __init__(self, game: Holdem) -> None:
        self.game, self.state = game, game.betting_after(())
        self.rounds, self._boards = [""], [""]

    def add(self, event: str) -> None:
        """Write one more event down, or raise `InputError` if the rules do not allow it."""
        before, self.state = self.state, self.game.betting_next(self.state, event)
        event = read_event(event)
        if isinstance(event, ActionEvent):
            self.rounds[-1] += action_text(self.game, event)
        else:
            self._boards.append(event)
            self.rounds.append("")
            return
        skipped = self.state.round - before.round  # rounds without cards of their own
        self.rounds += [""] * skipped
        self._boards += [""] * skipped

    @property
    def betting(self) -> str:
        """One string per round, with slashes between them."""
        return "/".join(self.rounds)

    @property
    def board(self) -> str:
        """The public cards of each round after a slash."""
        return "".join(f"/{cards}" for cards in self._boards[1:])


def _read_events(
    game: Holdem, hands: Sequence[str], rounds: Sequence[str], boards: Sequence[str]
) -> tuple[tuple[str, ...], HoldemState]:
    """Return what happened after the hole cards, played by the rules, and the state then."""
    if len(boards) != len(rounds) - 1:
        raise InputError(
            f"betting has {len(rounds)} rounds, so there must be {len(rounds) - 1} boards, not {len(boards)}"
        )
    state = game.initial()
    for hand in hands:
        state = game.next(state, hand)
    events: list[str] = []
    for round_, text in enumerate(rounds):
        if round_ and game.board[round_] if round_ < len(game.board) else round_:
            if game.player(state) != CHANCE:
                raise InputError(f"cards {shown(boards[round_ - 1])} are not due: the betting of the round is not over")
            state = game.next(state, boards[round_ - 1])
            events.append(boards[round_ - 1])
        if "".join(found := _ACTION.findall(text)) != text:
            raise InputError(f"betting {shown(text)} has other letters than f, c and r")
        for action in found:
            if game.player(state) in (CHANCE, TERMINAL):
                raise InputError(f"action {shown(action)} follows the end of the round")
            if action[0] == "r":
                if game.betting.limit and len(action) > 1:
                    raise InputError(f"action {shown(action)} has an amount, which limit betting has not")
                if action[1:] and not is_count(action[1:]):
                    raise InputError(f"action {shown(action)} has an amount of too many digits")
                total = state.betting.min_raise if game.betting.limit else int(action[1:] or 0)
                action = f"b{total}"
                if not total:
                    raise InputError("a raise is not legal there, or has no amount")
            state = game.next(state, action)
            events.append(action)
    return tuple(events), state


def _check_score(content: str, scores: dict[str, float], hands: int) -> None:
    """Refuse a SCORE line that is not the sum of the hands, whose values may be rounded to millionths."""
    parts = content.strip().split(":")
    try:
        values = list(map(read_amount, parts[1].split("|")))
        said = dict(zip(parts[2].split("|"), values, strict=True))
    except (ValueError, IndexError):
        raise InputError(f"a score reads SCORE:values:names, not {shown(content.strip())}") from None
    for name, value in said.items():
        if abs(scores.get(name, 0.0) - value) > TOLERANCE * max(1.0, abs(value), hands):
            summed = scores.get(name, 0.0)
            raise InputError(f"the score of {shown(name)[1:-1]} is {value:g}, but its hands sum to {summed:g}")
