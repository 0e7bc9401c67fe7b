"""Hold'em as a game: two private cards each, public cards street by street, limit or no-limit betting, 2 to 10 seats.

1. Chance deals two cards to one seat after another, then the public cards of each round in one event. An outcome is
   the cards from the highest to the lowest: "AsKh", "QsJh2d".
2. The betting is that of `counterpoise.betting.rules`: seat 0 acts first after the flop and the last seat is the
   button; heads-up the button posts the small blind. All amounts are chips.
3. Actions are labelled as in node ids: "f" folds, "c" checks or calls, "b300" bets or raises to 300 chips in all since
   the start of the hand, blinds and antes included.
4. After an all-in the public cards that are left are dealt without betting. The best five of a seat's two cards and the
   public cards win; side pots, split pots and rake are settled by the betting rules.
5. All seats see the actions and the public cards, and at a showdown the hands; a seat also sees its own two cards.
   Infosets read "AsKh:b300:c:QsJh2d:c".
6. A hand that was never seen, as in most records of hands that ended by a fold, is dealt as "". It takes no card from
   the deck, and there are no payoffs if it comes to a showdown.

Play may use any legal bet: `next` takes every total that the rules allow. `actions` lists those of the menu, so that
the game can be solved and sampled.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from counterpoise.betting.rules import CALL, FOLD, BetAction, Betting, BettingState, Rake
from counterpoise.betting.sizes import BetSizes, StreetSizes, label, parse_size
from counterpoise.cards.deck import Card, Deck, Ranking, format_card, parse_card, split_cards
from counterpoise.errors import InputError
from counterpoise.games.base import CHANCE, LONGEST_MENU, TERMINAL, Observation, RuleBook, register
from counterpoise.games.events import ActionEvent, PublicEvent, ShowEvent, read_action, read_event
from counterpoise.parameters import is_list, require, require_choice, require_whole, shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HOLE_CARDS = 2
ANY_SIZE = "any"
MOST_REMEMBERED = 20_000
"""Moments of the betting that a game remembers: lines of betting meet in the same ones again and again."""


class HoldemState(NamedTuple):
    """A moment of a hand."""

    betting: BettingState
    hands: tuple[str, ...] = ()  # of the seats that have their cards
    board: tuple[str, ...] = ()  # the public cards of each round so far, "" where a round has none
    events: tuple[PublicEvent, ...] = ()  # actions and public cards, in order
    due: int = HOLE_CARDS  # how many cards chance deals now, perhaps none


@dataclass(frozen=True)
class Holdem(RuleBook):
    """The common base of limit and no-limit hold'em; a subclass defines how much may be bet."""

    seats: int = 2
    stack: int = 200
    """The stack of every seat before antes and blinds, in big blinds."""
    stacks: tuple[int, ...] | None = None
    """The stack of each seat in chips, instead of `stack`."""
    blinds: tuple[int, int] = (1, 2)
    ante: int = 0
    board: tuple[int, ...] = (0, 3, 1, 1)
    """The number of public cards dealt before each betting round."""
    ranks: int = 13
    suits: int = 4
    ranking: Ranking = "standard"
    rake: float = 0
    """Per cent of the pot."""
    rake_cap: float | None = None
    """The most rake of a hand, in chips."""
    whole_chips: bool = False
    """Settle split pots and rake in whole chips, as at a table."""

    from_the_deal: ClassVar[bool] = True
    """Whether hands begin with the deal of all cards from a full deck, as logs of hold'em and betting trees have it."""
    instead = "use a smaller deck (ranks=4), fewer rounds (board=[0, 3]) or a smaller menu, or solve a spot of it"

    def __post_init__(self) -> None:
        name = self.registered_name
        require_whole(f"{name}: seats", self.seats, 2, 10)
        require_whole(f"{name}: stack", self.stack, 1, 10**9)
        self._build("deck")
        self._keep_list("stacks", "whole chips", optional=True)
        self._keep_list("blinds", "the small blind and the big blind")
        self._keep_list("board", "the public cards of each round")
        for blind in self.blinds:
            require_whole(f"{name}: blinds", blind, 0, 10**9)
        require(
            self.stacks is None or len(self.stacks) == self.seats,
            f"{name}: stacks must be one number for each of the {self.seats} seats, not {shown(self.stacks)}",
        )
        require(1 <= len(self.board) <= 10, f"{name}: board must have 1 to 10 rounds, not {len(self.board)}")
        for count in self.board:
            require_whole(f"{name}: board of a round", count, 0, 5)
        require(
            3 <= sum(self.board) <= 5,
            f"{name}: board must be 3 to 5 public cards in all, not {shown(self.board)}",
        )
        needed = HOLE_CARDS * self.seats + sum(self.board)
        require(
            needed <= self.deck.size,
            f"{name}: ranks x suits must be at least the {needed} cards that are dealt, not {self.deck.size}",
        )
        require_choice(f"{name}: whole_chips", self.whole_chips, (True, False))
        self._check_betting()
        self._build("betting")

    def _build(self, part: str) -> None:
        """Build the deck or the betting, whose refusals then name this game and its field."""
        try:
            getattr(self, part)
        except InputError as error:
            raise InputError(f"{self.registered_name}: {str(error).removeprefix(f'{part}: ')}") from None

    @abstractmethod
    def _check_betting(self) -> None:
        """Check the fields that say how much may be bet."""

    @property
    @abstractmethod
    def betting(self) -> Betting:
        """The rules of betting."""

    @abstractmethod
    def menu(self, betting: BettingState) -> Sequence[BetAction]:
        """Return the actions that are listed at a decision."""

    def __getstate__(self) -> dict[str, Any]:
        """Copies in other processes have the same parameters, and remember nothing."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def players(self) -> int:
        """Number of seats."""
        return self.seats

    @cached_property
    def deck(self) -> Deck:
        """The cards that are dealt from."""
        return Deck(ranks=self.ranks, suits=self.suits, ranking=self.ranking)

    @property
    def least_histories(self) -> float:
        """The number of ways to deal all cards, each of which is played in at least one way."""
        left, deals = self.deck.size, 1.0
        for count in (*(HOLE_CARDS,) * self.seats, *self.board):
            deals *= math.comb(left, count)
            left -= count
        return deals

    def initial(self) -> HoldemState:
        return self._start

    @cached_property
    def _start(self) -> HoldemState:
        return HoldemState(self.betting.initial())

    def player(self, state: HoldemState) -> int:
        return CHANCE if state.due else state.betting.to_act

    def actions(self, state: HoldemState) -> tuple[str, ...]:
        return self._labels(state.betting)

    def chance(self, state: HoldemState) -> list[tuple[str, float]]:
        deals = ["".join(cards) for cards in combinations(self._cards_left(state), state.due)]
        return [(deal, 1 / len(deals)) for deal in deals]

    def sample_chance(self, state: HoldemState, random: Random) -> str:
        """Draw the cards with one random number, which picks the same outcome as in the list of `chance`."""
        left, due = self._cards_left(state), state.due
        number = int(random.random() * math.comb(len(left), due))
        return "".join([left[place] for place in nth_combination(len(left), due, number)])

    def next(self, state: HoldemState, action: str) -> HoldemState:
        betting, hands, board, events, due = state
        if not due:
            event = read_action(action)
            return self._go_on(self._after(betting, event), hands, board, (*events, event))
        cards = self._read_cards(state, action, due)
        if len(hands) == self.seats:
            return self._go_on(self._dealt(betting), hands, (*board, cards), (*events, read_event(cards)))
        hands = (*hands, cards)
        if len(hands) < self.seats:
            return HoldemState(betting, hands, board, events)
        return self._go_on(betting, hands, board, events)

    def observation(self, state: HoldemState, seat: int) -> Observation:
        """Return what `seat` knows in `state`, with its actions and its infoset if it is to act."""
        events, hand = state.events, self.private(state, seat)
        if state.due or state.betting.to_act != seat:
            return Observation(seat, self.public(state), hand)
        return Observation(seat, events, hand, self._labels(state.betting), f"{hand}:{':'.join(events)}")

    def public(self, state: HoldemState) -> tuple[PublicEvent, ...]:
        live = state.betting.live
        if self.player(state) != TERMINAL or len(live) == 1:
            return state.events
        return (*state.events, *[ShowEvent(seat, state.hands[seat]) for seat in live if state.hands[seat]])

    def private(self, state: HoldemState, seat: int) -> str:
        return state.hands[seat] if seat < len(state.hands) else ""

    def payoffs(self, state: HoldemState) -> tuple[float, ...]:
        """Return the chips won or lost; they sum to 0 minus the rake."""
        strengths = None
        if unseen := self.unseen_at_showdown(state):
            raise InputError(f"{self.name}: the hand of seat {unseen[0]} was not seen, so its payoff is not known")
        if len(state.betting.live) > 1:
            strengths = _strengths(state.hands, "".join(state.board), self.ranking)
        return self.settle(state.betting, strengths)

    def settle(self, betting: BettingState, strengths: Sequence[int] | None = None) -> tuple[float, ...]:
        """Return the chips that each seat wins or loses when the betting is over, by the strengths of all seats."""
        return tuple([float(chips) for chips in self.betting.payoffs(betting, strengths)])

    def possible_hands(self, seat: int, cards: Sequence[Card]) -> NDArray[np.bool_]:
        """Return which hands of the deck a seat may hold, given the public cards."""
        return self.deck.live_hands(cards)

    def unseen_at_showdown(self, state: HoldemState) -> list[int]:
        """Return the seats that must show their cards for the pot and whose cards are not known."""
        live = state.betting.live
        return [seat for seat in live if not state.hands[seat]] if len(live) > 1 else []

    def betting_after(self, public: Sequence[str]) -> BettingState:
        """Return the betting after public events, which says what is owed and what may be raised."""
        state = self._skip_dealing(self.betting.initial())
        for event in public:
            state = self.betting_next(state, event)
        return state

    def betting_next(self, state: BettingState, event: str) -> BettingState:
        """Return the betting after one more public event."""
        event = read_event(event)
        if isinstance(event, ActionEvent):
            state = self.betting.apply(state, event.bet)
        elif state.to_act == CHANCE:
            state = self.betting.deal(state)
        return self._skip_dealing(state)

    def _skip_dealing(self, state: BettingState) -> BettingState:
        """Return the betting after the rounds that have no cards."""
        while state.to_act == CHANCE and not self.board[state.round + 1]:
            state = self.betting.deal(state)
        return state

    def _rounds_due(self, betting: BettingState) -> int:
        """Return the number of rounds whose public cards must be there before play continues."""
        if betting.to_act == TERMINAL:
            return len(self.board) if len(betting.live) > 1 else 0
        return betting.round + (2 if betting.to_act == CHANCE else 1)

    def _go_on(
        self, betting: BettingState, hands: tuple[str, ...], board: tuple[str, ...], events: tuple[PublicEvent, ...]
    ) -> HoldemState:
        """Return the moment at which cards are due or somebody acts, after the rounds that have no cards."""
        while len(board) < self._rounds_due(betting):
            if due := self.board[len(board)]:
                return HoldemState(betting, hands, board, events, due)
            betting, board = self._dealt(betting), (*board, "")
        return HoldemState(betting, hands, board, events, 0)

    def _dealt(self, betting: BettingState) -> BettingState:
        """Return the betting after the cards of a round, which change nothing in a run-out."""
        return self._after(betting, None) if betting.to_act == CHANCE else betting

    def _after(self, betting: BettingState, action: ActionEvent | None) -> BettingState:
        """Return the betting after an action, or after the cards of a round if there is none."""
        key, known = (betting, action), self._known_after
        if key not in known:
            if len(known) >= MOST_REMEMBERED:
                known.clear()
            rules = self.betting
            known[key] = rules.apply(betting, action.bet) if action else rules.deal(betting)
        return known[key]

    def _labels(self, betting: BettingState) -> tuple[str, ...]:
        """Return the actions of the menu."""
        known = self._known_labels
        if betting in known:
            return known[betting]
        found = tuple([label(action) for action in self.menu(betting)])
        if len(found) <= LONGEST_MENU:
            if len(known) >= MOST_REMEMBERED:
                known.clear()
            known[betting] = found
        return found

    @cached_property
    def _known_after(self) -> dict[tuple[BettingState, ActionEvent | None], BettingState]:
        return {}

    @cached_property
    def _known_labels(self) -> dict[BettingState, tuple[str, ...]]:
        return {}

    def _cards_left(self, state: HoldemState) -> list[str]:
        """Return the cards of the deck that are neither held nor on the board, highest first."""
        left = list(self._deck_cards)
        for place in sorted([self._place_of[card] for card in split_cards("".join((*state.hands, *state.board)))])[
            ::-1
        ]:
            del left[place]
        return left

    @cached_property
    def _deck_cards(self) -> tuple[str, ...]:
        return tuple([format_card(card) for card in reversed(self.deck.cards.tolist())])

    @cached_property
    def _place_of(self) -> dict[str, int]:
        return {card: place for place, card in enumerate(self._deck_cards)}

    def _read_cards(self, state: HoldemState, text: str, due: int) -> str:
        """Check the label of a deal, and return it with the highest card first; "" is a hand that was not seen."""
        if not text and len(state.hands) < self.seats:
            return ""
        cards, used = split_cards(text), "".join((*state.hands, *state.board))
        places = [self._place_of.get(card, -1) for card in cards if card not in used]
        if len(text) != 2 * due or len(set(places)) != due or -1 in places:
            raise InputError(f"{self.name}: {due} cards of those left in the deck are due, not {shown(text)}")
        return "".join([self._deck_cards[place] for place in sorted(places)])

    def _keep_list(self, field: str, content: str, optional: bool = False) -> None:
        value: Any = getattr(self, field)
        if optional and value is None:
            return
        require(is_list(value), f"{self.registered_name}: {field} must be a list of {content}, not {shown(value)}")
        object.__setattr__(self, field, tuple(value))

    def _per_round(self, field: str, low: int) -> tuple[int, ...]:
        """Return one whole number per round, of a field that may also be one number for all rounds."""
        value: Any = getattr(self, field)
        if is_list(value):
            object.__setattr__(self, field, tuple(value))
        values = tuple(value) if is_list(value) else (value,) * len(self.board)
        require(
            len(values) == len(self.board),
            f"{self.registered_name}: {field} must be one number, or one for each of the {len(self.board)} rounds,"
            f" not {shown(value)}",
        )
        for one in values:
            require_whole(f"{self.registered_name}: {field} of a round", one, low, 10**9)
        return values

    def _shared_rules(self) -> dict[str, Any]:
        """Return the fields of `Betting` that do not depend on how much may be bet."""
        stack = self.stack * max(self.blinds[1], 1) if len(self.blinds) == 2 else 1
        return {
            "stacks": self.stacks or (stack,) * self.seats,
            "blinds": self.blinds,
            "ante": self.ante,
            "rounds": len(self.board),
            "rake": Rake(self.rake, self.rake_cap),
            "whole_chips": self.whole_chips,
        }


@register("limit_holdem")
@dataclass(frozen=True)
class LimitHoldem(Holdem):
    """Fixed-limit Texas hold'em: blinds 1 and 2, bets of 2 then 4, four bets per round; unit: chips.

    `bets` is the size of the bets and raises of each round; by default the big blind in the first half of the rounds
    and twice as much in the others. `max_bets` caps the bets of a round, the big blind being the first of its round:
    one number, or one per round. `board=[0, 3]` ends on the flop: [2-4] hold'em, and with `max_bets=2` [2-1] hold'em
    (Johanson 2016, section 3.2.1), which solve on small decks: `limit_holdem(board=[0, 3], ranks=3)`. Infosets read
    "AsKh:b4:c:QsJh2d:c": own cards, then actions and public cards, "b4" being a bet or raise to 4 chips in all.
    """

    bets: tuple[int, ...] | None = None
    max_bets: int | tuple[int, ...] = 4

    def _check_betting(self) -> None:
        self._keep_list("bets", "the bet size of each round", optional=True)
        if self.bets is not None:
            self._per_round("bets", 1)
        self._per_round("max_bets", 0)

    @cached_property
    def betting(self) -> Betting:
        """The rules of betting."""
        rounds, small = len(self.board), max(self.blinds[-1], 1)
        bets = self.bets or tuple([small * (1 if 2 * number < rounds else 2) for number in range(rounds)])
        return Betting(**self._shared_rules(), limit=bets, max_bets=self._per_round("max_bets", 0))

    def menu(self, betting: BettingState) -> Sequence[BetAction]:
        return self.betting.actions(betting)


@register("no_limit_holdem")
@dataclass(frozen=True)
class NoLimitHoldem(Holdem):
    """No-limit Texas hold'em: blinds 50 and 100, stacks of 200 big blinds; unit: chips.

    `sizes` is the menu of bets and raises in the words of spots: "50%" (of the pot), "3x" (raises only), "20c" (chips),
    "e" (geometric), "allin"; one list for all rounds, or one list per round. By default the pot and all-in (OpenSpiel's
    "fcpa"); `sizes=any` lists every whole-chip total. `button_sizes` is the menu of the button if it has another one.
    Play is never bound to the menu. `max_bets` caps the bets of a round, `stacks` gives unequal stacks in chips. Short
    deck is `no_limit_holdem(ranks=9, ranking=short)`, flop hold'em (Brown 2020, section 5.1.8)
    `no_limit_holdem(board=[0, 3])`. Infosets read "AsKh:b300:c:QsJh2d:c": own cards, then actions and public cards,
    "b300" being a bet or raise to 300 chips in all.
    """

    blinds: tuple[int, int] = (50, 100)
    sizes: str | tuple[str, ...] | tuple[tuple[str, ...], ...] = ("100%", "allin")
    max_bets: int | tuple[int, ...] | None = None
    button_sizes: tuple[str, ...] | tuple[tuple[str, ...], ...] | None = None

    def _check_betting(self) -> None:
        if self.max_bets is not None:
            self._per_round("max_bets", 0)
        sizes: Any = self.sizes
        require(
            sizes == ANY_SIZE or is_list(sizes),
            f'{self.registered_name}: sizes must be a list such as ["50%", "allin"], or any, not {shown(sizes)}',
        )
        button: Any = self.button_sizes
        require(
            button is None or (is_list(button) and sizes != ANY_SIZE),
            f'{self.registered_name}: button_sizes must be a list such as ["50%", "allin"], beside a list of sizes, '
            f"not {shown(button)}",
        )
        for field, words in (("sizes", sizes), ("button_sizes", button)):
            if is_list(words):
                object.__setattr__(self, field, tuple(tuple(one) if is_list(one) else one for one in words))
        if sizes != ANY_SIZE:
            self.bet_sizes  # noqa: B018

    @cached_property
    def betting(self) -> Betting:
        """The rules of betting."""
        most = None if self.max_bets is None else self._per_round("max_bets", 0)
        return Betting(**self._shared_rules(), max_bets=most)

    def menu(self, betting: BettingState) -> Sequence[BetAction]:
        if self.sizes == ANY_SIZE:
            raises = range(betting.min_raise, betting.max_raise + 1) if betting.max_raise else ()
            return (*((FOLD, CALL) if betting.to_call else (CALL,)), *raises)
        return self.bet_sizes.actions(self.betting, betting)

    @cached_property
    def bet_sizes(self) -> BetSizes:
        """The sizes of the menu, round by round; not if every total is listed."""
        others = self._streets("sizes")
        button = others if self.button_sizes is None else self._streets("button_sizes")
        return BetSizes(tuple(zip(others, button, strict=True)))

    def _streets(self, field: str) -> list[StreetSizes]:
        """Return the sizes of each round that one of the fields has."""
        words, name = getattr(self, field), f"{self.registered_name}: {field}"
        given = words
        if not any(is_list(one) for one in words):
            words = (words,) * len(self.board)
        require(
            len(words) == len(self.board) and all(is_list(one) for one in words),
            f"{name} must be one list, or one list for each of the {len(self.board)} rounds, not {shown(given)}",
        )
        streets = []
        for own in words:
            raises = tuple([parse_size(word, name, raising=True) for word in own])
            streets.append(StreetSizes(bets=tuple([size for size in raises if size.kind != "x"]), raises=raises))
        return streets


@dataclass(frozen=True)
class GameMenu(BetSizes):
    """The bets that a game of hold'em lists."""

    streets: tuple[None, ...] = ()
    home: Holdem | None = None

    def _usual_actions(self, betting: Betting, state: BettingState) -> tuple[BetAction, ...]:
        assert self.home is not None
        return tuple(sorted(set(self.home.menu(state))))


def nth_combination(items: int, chosen: int, number: int) -> Sequence[int]:
    """Return one of the ways to choose from `items` places, counted as `itertools.combinations` lists them.

    >>> nth_combination(4, 2, 3), list(combinations(range(4), 2))[3]
    ((1, 2), (1, 2))
    """
    if chosen <= 3:
        return _combinations(items, chosen)[number]
    places, place = [], 0
    while chosen:
        behind = math.comb(items - place - 1, chosen - 1)  # those that have this place first
        if number < behind:
            places.append(place)
            chosen -= 1
        else:
            number -= behind
        place += 1
    return places


@lru_cache(maxsize=64)
def _combinations(items: int, chosen: int) -> tuple[tuple[int, ...], ...]:
    return tuple(combinations(range(items), chosen))


_card_number = lru_cache(maxsize=64)(parse_card)


@lru_cache(maxsize=2**16)
def _strengths(hands: tuple[str, ...], board: str, ranking: Ranking) -> tuple[int, ...]:
    """Return how strong each seat's best five cards are, -1 for hands that were not seen."""
    from counterpoise.cards.evaluator import evaluate

    rows = [[_card_number(card) for card in split_cards(hand + board)] for hand in hands if hand]
    found = iter(evaluate(rows, ranking).tolist())
    return tuple([next(found) if hand else -1 for hand in hands])
