"""A hold'em situation for two as a game: a board, a pot, two ranges, and the betting that is left."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from counterpoise.betting.rules import BetAction, Betting, BettingState, Rake
from counterpoise.betting.sizes import STREETS, BetSizes
from counterpoise.cards.deck import Card, format_cards, parse_cards
from counterpoise.errors import InputError
from counterpoise.games.base import register
from counterpoise.games.events import DealEvent
from counterpoise.games.holdem import Holdem, HoldemState
from counterpoise.parameters import require, require_whole, shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from counterpoise.cards.ranges import Range

ANY_STREET = {"bet": ["100%", "allin"], "raise": ["100%", "allin"]}


class HandChoices(NamedTuple):
    """Hands that chance may deal to a seat, their probabilities, and the running sums of these."""

    hands: tuple[str, ...]
    chances: tuple[float, ...]
    sums: tuple[float, ...]


@register("holdem_spot")
@dataclass(frozen=True)
class HoldemSpot(Holdem):
    """Two players on a flop, turn or river with a pot and a range of hands each; unit: chips.

    `cards` is the board, `oop` and `ip` are ranges as in spot files ("TT+,AKs:0.5"), `pot` the chips in the middle and
    `stack` those behind. Hands are dealt by their weights, pairs with a common card never; seat 0 is out of position.
    Half of the pot counts as each player's own, so that payoffs sum to 0 (less the rake). `sizes` is the menu by street
    as in spot files, {"river": {"bet": ["75%"], "raise": ["allin"]}}; the pot and all-in unless given. Play is never
    bound to it. Files are games too: `turn.toml`, and a solution `turn.cpz`. Infosets read "AsKh:Ks7d4cJd2s:c:b75": own
    cards, the board, then actions and cards.
    """

    stack: int = 100
    blinds: tuple[int, int] = (0, 0)
    cards: str = "Ks7d4cJd2s"
    oop: str = "AA,KQs,JTs"
    ip: str = "QQ,KJs,T9s"
    pot: int = 100
    min_bet: int = 1
    sizes: Any = None

    from_the_deal = False
    instead = "solve it as a spot: counterpoise spot FILE"

    def __hash__(self) -> int:
        return hash(self.name)

    def _check_betting(self) -> None:
        name = self.registered_name
        for field, only in (("seats", 2), ("ante", 0), ("blinds", (0, 0)), ("board", (0, 3, 1, 1)), ("stacks", None)):
            require(getattr(self, field) == only, f"{name}: {field} must be left out: a spot begins after the blinds")
        for field in ("pot", "min_bet"):
            require_whole(f"{name}: {field}", getattr(self, field), 1, 10**9)
        require(
            isinstance(self.cards, str), f'{name}: cards must be a text such as "Qs Jh 2h", not {shown(self.cards)}'
        )
        require(
            3 <= len(self.board_cards) <= 5, f"{name}: cards must be a board of 3 to 5, not {len(self.board_cards)}"
        )
        for field in ("oop", "ip"):
            require(
                isinstance(getattr(self, field), str),
                f'{name}: {field} must be a range in words, such as "TT+,AKs:0.5", not {shown(getattr(self, field))}',
            )
        require(
            self.sizes is None or isinstance(self.sizes, dict),
            f'{name}: sizes must be a table such as {{"river": {{"bet": ["75%"]}}}}, not {shown(self.sizes)}',
        )
        self.bet_sizes  # noqa: B018
        require(bool(self._meeting.any()), f"{name}: oop and ip have no two hands that can meet on this board")

    @cached_property
    def board_cards(self) -> tuple[Card, ...]:
        """The board at the beginning."""
        return tuple(parse_cards(self.cards, self.deck))

    @property
    def first_round(self) -> int:
        """The street that the board is on: 1 flop, 2 turn, 3 river."""
        return len(self.board_cards) - 2

    @cached_property
    def ranges(self) -> tuple[Range, Range]:
        """Both players' hands that the board leaves, out of position first."""
        from counterpoise.cards.ranges import Range

        first, second = (Range.from_string(text, self.deck).live(self.board_cards) for text in (self.oop, self.ip))
        return first, second

    @cached_property
    def betting(self) -> Betting:
        """The rules of betting."""
        rake = Rake(self.rake, self.rake_cap)
        return Betting.spot(self.pot, self.stack, self.first_round, self.min_bet, rake)

    def menu(self, betting: BettingState) -> Sequence[BetAction]:
        return self.bet_sizes.actions(self.betting, betting)

    @cached_property
    def bet_sizes(self) -> BetSizes:
        """The bets on the menu of each street."""
        streets = STREETS[self.first_round :]
        return BetSizes.read(dict.fromkeys(streets, ANY_STREET) if self.sizes is None else self.sizes, self.first_round)

    @property
    def least_histories(self) -> float:
        """The number of ways to deal all cards, each of which is played in at least one way."""
        deals, left = float(self._meeting.sum()), self.deck.size - len(self.board_cards) - 4
        for _ in range(5 - len(self.board_cards)):
            deals *= left
            left -= 1
        return deals

    def initial(self) -> HoldemState:
        text = format_cards(self.board_cards, "")
        rounds = ("", *(part for part in (text[:6], text[6:8], text[8:10]) if part))
        return HoldemState(self.betting.initial(), board=rounds, events=(DealEvent(text),))

    def chance(self, state: HoldemState) -> list[tuple[str, float]]:
        if len(state.hands) == self.seats:
            return super().chance(state)
        deal = self._hands_after(state.hands)
        return list(zip(deal.hands, deal.chances, strict=True))

    def sample_chance(self, state: HoldemState, random: Random) -> str:
        """Draw the cards with one random number, which picks the same outcome as in the list of `chance`."""
        if len(state.hands) == self.seats:
            return super().sample_chance(state, random)
        deal = self._hands_after(state.hands)
        return deal.hands[min(bisect_right(deal.sums, random.random()), len(deal.hands) - 1)]

    def settle(self, betting: BettingState, strengths: Sequence[int] | None = None) -> tuple[float, ...]:
        """Return the chips that each seat wins or loses, half of the pot being its own."""
        return tuple([chips - self.pot / 2 for chips in super().settle(betting, strengths)])

    def possible_hands(self, seat: int, cards: Sequence[Card]) -> NDArray[np.bool_]:
        """Return which hands of the deck a seat may hold: those of its range that the public cards leave."""
        import numpy as np

        met = self._meeting.any(axis=1 - seat)
        return np.asarray(met & self.deck.live_hands(cards))

    def _read_cards(self, state: HoldemState, text: str, due: int) -> str:
        cards = super()._read_cards(state, text, due)
        if len(state.hands) < self.seats and cards:
            seat = len(state.hands)
            if not self.ranges[seat].weights[self._hand_numbers[cards]]:
                raise InputError(f"{self.name}: {cards} is not in the range of {('oop', 'ip')[seat]}")
        return cards

    @cached_property
    def _hand_numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.deck.hand_names)}

    @cached_property
    def _meeting(self) -> NDArray[np.bool_]:
        """Which pairs of the deck's hands may be dealt, [hand of seat 0, hand of seat 1]."""
        import numpy as np

        from counterpoise.cards import disjoint_hands

        first, second = (own.weights > 0 for own in self.ranges)
        return np.asarray(np.outer(first, second) & disjoint_hands(self.deck.hands, self.deck.hands))

    @cached_property
    def _next_hands(self) -> dict[tuple[str, ...], HandChoices]:
        """What chance may deal to the next seat, by the hands before; filled when it is asked for."""
        return {}

    def _hands_after(self, hands: tuple[str, ...]) -> HandChoices:
        """Return the hands of the next seat: by their weights, and the first by what they can meet too."""
        if hands not in self._next_hands:
            first, second = (own.weights for own in self.ranges)
            if not hands:
                weights = first * (self._meeting @ second)
            elif not hands[0]:  # it was not seen
                weights = second * (first @ self._meeting)
            else:
                weights = second * self._meeting[self._hand_numbers[hands[0]]]
            kept, total = weights.nonzero()[0], float(weights.sum())
            chances = [float(weights[hand]) / total for hand in kept]
            names = self.deck.hand_names
            self._next_hands[hands] = HandChoices(
                tuple([names[hand] for hand in kept]), tuple(chances), tuple(accumulate(chances))
            )
        return self._next_hands[hands]
