"""Goofspiel, the game of pure strategy, for two players (BROWN 2.4.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from counterpoise.games.base import CHANCE, TERMINAL, RuleBook, register
from counterpoise.parameters import require_choice, require_whole

CARDS = "123456789TJQK"
_VALUE = {card: value for value, card in enumerate(CARDS, start=1)}


class _State(NamedTuple):
    to_act: int
    hands: tuple[str, str]
    prizes: str  # not yet turned up
    prize: str = ""  # the one bid for, empty while chance turns it up
    bid: str = ""  # of the first seat, hidden until the second has bid
    stories: tuple[str, str] = ("P1:", "P2:")  # finished rounds as each seat saw them
    lead: int = 0  # points of the first seat minus points of the second
    events: tuple[str, ...] = ()  # what both have seen: prizes in random order, then bids or who won
    spent: tuple[str, str] = ("", "")  # the bids of each seat so far, kept only where they stay hidden


@register("goofspiel")
@dataclass(frozen=True)
class Goofspiel(RuleBook):
    """Both players bid their cards 1..N for prizes 1..N; unit: points, own minus the opponent's.

    Every round one prize is up, both bid a card unseen, the higher bid takes the prize and equal bids split
    it. `order` says how prizes come: ascending (BROWN), descending, or random, one by one as chance has it.
    Bids are shown after each round; with `reveal=False` players learn only who won. The last bid is forced
    but still made. The value is 0.

    Cards above 9 are T, J, Q, K. Infosets read "P2:32/14": seat, then own and the opponent's card of every
    round; "P2:3w/1l" with hidden bids (w, l, d: won, lost, drawn). In random order every round starts with
    its prize and the prize now up stands last: "P2:232/314/1".
    """

    cards: int = 5
    order: str = "ascending"
    reveal: bool = True

    players = 2

    def __post_init__(self) -> None:
        require_whole("goofspiel: cards", self.cards, 1, len(CARDS))
        require_choice("goofspiel: order", self.order, ("ascending", "descending", "random"))
        require_choice("goofspiel: reveal", self.reveal, (True, False))

    def initial(self) -> _State:
        hand = CARDS[: self.cards]
        prizes = hand[::-1] if self.order == "descending" else hand
        return self._next_round(_State(0, (hand, hand), prizes))

    def player(self, state: _State) -> int:
        return state.to_act

    def chance(self, state: _State) -> list[tuple[str, float]]:
        return [(prize, 1 / len(state.prizes)) for prize in state.prizes]

    def actions(self, state: _State) -> tuple[str, ...]:
        return tuple(state.hands[state.to_act])

    def next(self, state: _State, action: str) -> _State:
        if state.to_act == CHANCE:
            stories, left = self._add_to_stories(state, (action, action)), state.prizes.replace(action, "")
            events = (*state.events, action)
            return state._replace(to_act=0, prizes=left, prize=action, stories=stories, events=events)
        if state.to_act == 0:
            return state._replace(to_act=1, bid=action)
        ours, theirs = state.bid, action
        result = (_VALUE[ours] > _VALUE[theirs]) - (_VALUE[ours] < _VALUE[theirs])
        if self.reveal:
            saw, event, spent = (ours + theirs, theirs + ours), f"{ours}v{theirs}", state.spent
        else:
            saw, event = (ours + "dwl"[result], theirs + "dlw"[result]), ("draw", "P1 wins", "P2 wins")[result]
            spent = (state.spent[0] + ours, state.spent[1] + theirs)
        if self.order == "random":
            stories = (state.stories[0] + saw[0], state.stories[1] + saw[1])
        else:
            stories = self._add_to_stories(state, saw)
        return self._next_round(
            state._replace(
                hands=(state.hands[0].replace(ours, ""), state.hands[1].replace(theirs, "")),
                stories=stories,
                lead=state.lead + result * _VALUE[state.prize],
                events=(*state.events, event),
                spent=spent,
            )
        )

    def infoset(self, state: _State) -> str:
        return state.stories[state.to_act]

    def public(self, state: _State) -> tuple[str, ...]:
        return state.events

    def private(self, state: _State, seat: int) -> str:
        """Return the bids that the other seat has not seen."""
        return state.spent[seat] + (state.bid if seat == 0 else "")

    def payoffs(self, state: _State) -> tuple[float, float]:
        return (float(state.lead), float(-state.lead))

    def _next_round(self, state: _State) -> _State:
        if not state.prizes:
            return state._replace(to_act=TERMINAL, prize="", bid="")
        if self.order == "random":
            return state._replace(to_act=CHANCE, prize="", bid="")
        return state._replace(to_act=0, prizes=state.prizes[1:], prize=state.prizes[0], bid="")

    @staticmethod
    def _add_to_stories(state: _State, seen: tuple[str, str]) -> tuple[str, str]:
        """Return both stories with what each seat saw of a new round."""
        first, second = (
            story + text if story[-1] == ":" else f"{story}/{text}"
            for story, text in zip(state.stories, seen, strict=True)
        )
        return first, second
