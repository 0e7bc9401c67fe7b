"""What a seat sees in games other than poker, in words: Goofspiel, dice, games of one choice, and any other.

Who did what is found by replaying the public events: dice of finished rounds are public, and in other games some path
through the rules that shows the same events is followed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from counterpoise.agents.small_poker import figure
from counterpoise.games.base import CHANCE, TERMINAL, Action, Game, Observation, is_observed
from counterpoise.games.dice import DiceBidding
from counterpoise.games.goofspiel import CARDS, Goofspiel
from counterpoise.games.matrix import OneShot

NAMED = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
MOST_STATES = 20_000
"""The most states that are tried to find out who did what in a game without words of its own."""
MOST_CELLS = 36
"""The most payoffs that are shown before a choice."""


@dataclass(frozen=True)
class Words:
    """A game in words for one seat; `name_of` names a seat, "you" for this one."""

    game: Game
    seat: int
    name_of: Callable[[int], str]

    def opening(self) -> str:
        """Return who sits where, and what the aim of the game is."""
        game, place = self.game, f"you are player {self.seat + 1} of {self.game.players}"
        if isinstance(game, Goofspiel):
            bids = "the higher card takes the prize, equal cards split it"
            prizes = f"prizes in {game.order} order"
            return f"{place}; both bid the cards 1 to {CARDS[game.cards - 1]} for {prizes}: {bids}"
        if isinstance(game, DiceBidding):
            wild = f"{game.face_names[-1]} is wild"
            return f"{place}; faces {' '.join(game.face_names)}, {wild}; a bid 2-3 says: at least two 3s on all dice"
        if isinstance(game, OneShot):
            return f"{place}; everybody chooses once, unseen by the others"
        return place

    def table(self, seen: Observation, over: bool = False) -> list[str]:
        """Return what the seat has seen, line by line; `over` at the end of the game."""
        if isinstance(self.game, Goofspiel):
            return self._goofspiel(self.game, seen, over)
        if isinstance(self.game, DiceBidding):
            return self._dice(self.game, seen, over)
        if isinstance(self.game, OneShot):
            return self._choices_made(seen) if over else self._payoff_table(self.game)
        return self._any(seen, over)

    def prompt(self, seen: Observation) -> str:
        """Return what may be typed."""
        if isinstance(self.game, DiceBidding):
            bids = [action for action in seen.actions if action != self.game.challenge]
            told = [f"bid {bids[0]} ({_bid(bids[0])})"] if bids else []
            told += [f"up to {bids[-1]} ({_bid(bids[-1])})"] if len(bids) > 1 else []
            last = (
                [f"or {self.game.challenge}" if bids else self.game.challenge] if len(bids) < len(seen.actions) else []
            )
            return " ".join([*told, *last])
        return ", ".join(seen.actions)

    def _goofspiel(self, game: Goofspiel, seen: Observation, over: bool) -> list[str]:
        events = list(seen.public)
        prizes = CARDS[: game.cards] if game.order == "ascending" else CARDS[: game.cards][::-1]
        hidden, left = list(seen.private), list(CARDS[: game.cards])
        lines, points, number = list[str](), [0.0] * game.players, 0
        while events:
            prize = events.pop(0) if game.order == "random" else prizes[number]
            if not events:
                return [*lines, self._prize(prize, left, points)]
            result, number = events.pop(0), number + 1
            if "v" in result:
                bids = result.split("v")
                told = ", ".join(f"{self.name_of(seat)} {bid}" for seat, bid in enumerate(bids))
                own, best = bids[self.seat], max(bids, key=CARDS.index)
                winners = [seat for seat, bid in enumerate(bids) if bid == best]
            else:
                own = hidden.pop(0)
                told = f"you bid {own}"
                winners = [0, 1] if result == "draw" else [int(result[1]) - 1]
            left.remove(own)
            for seat in winners:
                points[seat] += (CARDS.index(prize) + 1) / len(winners)
            who = "split" if len(winners) > 1 else f"{self.name_of(winners[0])} {self._verb(winners[0], 'take')} it"
            lines.append(f"  prize {prize}: {told}: {who}")
        if over or number >= game.cards:
            return lines
        return [*lines, self._prize(prizes[number], left, points)]

    def _prize(self, prize: str, left: Sequence[str], points: Sequence[float]) -> str:
        score = ", ".join(f"{self.name_of(seat)} {figure(own)}" for seat, own in enumerate(points))
        return f"  prize {prize} is up   your cards {' '.join(left)}   points: {score}"

    def _dice(self, game: DiceBidding, seen: Observation, over: bool) -> list[str]:
        lines, words = [], list[str]()
        for seat, event in self._dice_moves(game, seen):
            if seat == CHANCE:
                rolls = event.split("v")
                shown = ", ".join(f"{self.name_of(k)} had {' '.join(roll)}" for k, roll in enumerate(rolls))
                lines.append(f"  {', '.join(words)}: {shown}")
                words = []
            elif event == game.challenge:
                words.append(f"{self.name_of(seat)} {self._verb(seat, 'call')} {event}")
            else:
                words.append(f"{self.name_of(seat)}: {event} ({_bid(event)})")
        if words:
            lines.append(f"  bids: {', '.join(words)}")
        return lines if over else [*lines, f"  your dice {' '.join(seen.private)}"]

    def _dice_moves(self, game: DiceBidding, seen: Observation) -> Iterator[tuple[int, str]]:
        """Yield who made each bid and challenge, and after it the dice of both as an event of chance."""
        rules: Any = game
        state = rules.initial()
        events = list(seen.public)
        while events:
            if game.player(state) == CHANCE:
                rolls = next((event for event in events if "v" in event), game.chance(state)[0][0])
                state = game.next(state, rolls)
            seat, event = game.player(state), events.pop(0)
            yield seat, event
            state = game.next(state, event)
            if event == game.challenge and events:
                yield CHANCE, events.pop(0)

    def _choices_made(self, seen: Observation) -> list[str]:
        return ["  " + ", ".join(f"{self.name_of(seat)}: {choice}" for seat, choice in enumerate(seen.public))]

    def _payoff_table(self, game: OneShot) -> list[str]:
        """Return what this seat wins, a row for each of its choices, in small games of two."""
        if game.players != 2:
            return []
        own, other = game.choices(self.seat), game.choices(1 - self.seat)
        if len(own) * len(other) > MOST_CELLS:
            return []
        cells = [["you \\ " + self.name_of(1 - self.seat), *other]]
        for mine in own:
            pairs = [(mine, one) if self.seat == 0 else (one, mine) for one in other]
            cells.append([mine, *(figure(game.payoffs(pair)[self.seat], "+") for pair in pairs)])  # type: ignore[attr-defined]
        widths = [max(len(row[k]) for row in cells) for k in range(len(cells[0]))]
        return ["  " + "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in cells]

    def _any(self, seen: Observation, over: bool) -> list[str]:
        """Return what happened in any game, with who did it where that can be found out."""
        if not is_observed(self.game):
            return [] if over or not seen.infoset else [f"  you know: {seen.infoset}"]
        movers = who_did(self.game, seen.public)
        told = [
            event if seat is None else f"{'chance' if seat == CHANCE else self.name_of(seat)}: {event}"
            for seat, event in zip(movers, seen.public, strict=True)
        ]
        own = f"you {'had' if over else 'have'} {seen.private}" if seen.private else ""
        return [f"  {line}" for line in (", ".join(told), own) if line]

    def _verb(self, seat: int, verb: str) -> str:
        return verb if seat == self.seat else f"{verb}s"


def who_did(game: Any, public: Sequence[str]) -> list[int | None]:
    """Return who caused each public event: a seat or chance; None for all if that is not found within bounds.

    >>> from counterpoise.games import load
    >>> who_did(load("coin_toss"), ("play", "heads"))
    [0, 1]
    """
    stack: list[tuple[Any, list[int | None]]] = [(game.initial(), [])]
    tried = 0
    while stack and tried < MOST_STATES:
        state, movers = stack.pop()
        tried += 1
        if len(movers) == len(public):
            return movers
        seat = game.player(state)
        if seat == TERMINAL:
            continue
        steps = [one for one, _ in game.chance(state)] if seat == CHANCE else list(game.actions(state))
        for step in reversed(steps):
            after = game.next(state, step)
            events = tuple(game.public(after))
            if events == tuple(public[: len(events)]):
                stack.append((after, [*movers, *[seat] * (len(events) - len(movers))]))
    return [None] * len(public)


def _bid(bid: Action) -> str:
    """Return a bid in words.

    >>> _bid("2-5"), _bid("1-*")
    ('two 5s', 'one *')
    """
    quantity, _, face = bid.partition("-")
    count = int(quantity)
    named = NAMED[count] if count < len(NAMED) else quantity
    return f"{named} {face}{'s' if count > 1 else ''}"
