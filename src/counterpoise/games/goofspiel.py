"""Goofspiel, the game of pure strategy, for two players (Brown 2020, section 2.4.5)."""

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
    prize: str  # the one bid for, empty while chance turns it up
    bid: str  # of the first seat, hidden until the second has bid
    stories: tuple[str, str]  # finished rounds as each seat saw them
    lead: int  # points of the first seat minus points of the second
    events: tuple[str, ...]  # what both have seen: prizes in random order, then bids or who won
    spent: tuple[str, str]  # the bids of each seat so far, kept only where they stay hidden


@register("goofspiel")
@dataclass(frozen=True)
class Goofspiel(RuleBook):
    """Both players bid their cards 1..N for prizes 1..N; unit: points, own minus the opponent's.

    Every round one prize is up, both bid a card unseen, the higher bid takes the prize and equal bids split
    it. `order` says how prizes come: ascending (Brown 2020), descending, or random, one by one as chance has it.
    Bids are shown after each round; with `reveal=False` players learn only who won. The last bid is forced
    but still made. The value is 0.

    Cards above 9 are T, J, Q, K. Infosets read "P2:32/14": seat, then own and the opponent's card of every
    round; "P2:3w/1l" with hidden bids (w, l, d: won, lost, drawn). In random order every round starts with
    its prize and the prize now up stands last: "P2:232/314/1".
    """

    cards: int = 5
    """Cards of each player, and prizes."""
    order: str = "ascending"
    """How the prizes come: ascending, descending or random."""
    reveal: bool = True
    """Whether both see what the other has bid, or only who won the prize."""

    players = 2

    def __post_init__(self) -> None:
        require_whole("goofspiel: cards", self.cards, 1, len(CARDS))
        require_choice("goofspiel: order", self.order, ("ascending", "descending", "random"))
        require_choice("goofspiel: reveal", self.reveal, (True, False))

    def initial(self) -> _State:
        hand = CARDS[: self.cards]
        prizes = hand[::-1] if self.order == "descending" else hand
        return self._next_round((hand, hand), prizes, ("P1:", "P2:"), 0, (), ("", ""))

    def player(self, state: _State) -> int:
        return state.to_act

    def chance(self, state: _State) -> list[tuple[str, float]]:
        return [(prize, 1 / len(state.prizes)) for prize in state.prizes]

    def actions(self, state: _State) -> tuple[str, ...]:
        return tuple(state.hands[state.to_act])

    def next(self, state: _State, action: str) -> _State:
        to_act, hands, prizes, prize, bid, stories, lead, events, spent = state
        if to_act == CHANCE:
            seen = (_add_round(stories[0], action), _add_round(stories[1], action))
            return _State(0, hands, prizes.replace(action, ""), action, "", seen, lead, (*events, action), spent)
        if to_act == 0:
            return _State(1, hands, prizes, prize, action, stories, lead, events, spent)
        result = (_VALUE[bid] > _VALUE[action]) - (_VALUE[bid] < _VALUE[action])
        if self.reveal:
            saw, event = (bid + action, action + bid), f"{bid}v{action}"
        else:
            saw, event = (bid + "dwl"[result], action + "dlw"[result]), ("draw", "P1 wins", "P2 wins")[result]
            spent = (spent[0] + bid, spent[1] + action)
        if self.order == "random":
            stories = (stories[0] + saw[0], stories[1] + saw[1])
        else:
            stories = (_add_round(stories[0], saw[0]), _add_round(stories[1], saw[1]))
        left = (hands[0].replace(bid, ""), hands[1].replace(action, ""))
        return self._next_round(left, prizes, stories, lead + result * _VALUE[prize], (*events, event), spent)

    def infoset(self, state: _State) -> str:
        return state.stories[state.to_act]

    def public(self, state: _State) -> tuple[str, ...]:
        return state.events

    def private(self, state: _State, seat: int) -> str:
        """Return the bids that the other seat has not seen."""
        return state.spent[seat] + (state.bid if seat == 0 else "")

    def payoffs(self, state: _State) -> tuple[float, float]:
        return (float(state.lead), float(-state.lead))

    def _next_round(
        self,
        hands: tuple[str, str],
        prizes: str,
        stories: tuple[str, str],
        lead: int,
        events: tuple[str, ...],
        spent: tuple[str, str],
    ) -> _State:
        to_act, prize = 0, ""
        if not prizes:
            to_act = TERMINAL
        elif self.order == "random":
            to_act = CHANCE
        else:
            prize, prizes = prizes[0], prizes[1:]
        return _State(to_act, hands, prizes, prize, "", stories, lead, events, spent)


def _add_round(story: str, text: str) -> str:
    return story + text if story[-1] == ":" else f"{story}/{text}"
