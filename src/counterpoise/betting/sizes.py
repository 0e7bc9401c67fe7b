"""The bets that a spot allows, written as users write them, and the ids of the nodes they lead to.

A size is a word. In a bet it says how much to bet, in a raise how much to add to the call, except "3x":

| word | a bet of | a raise to |
|---|---|---|
| `"50%"` | half the pot | the call plus half the pot after the call |
| `"3x"` | not allowed: there is nothing to multiply | three times the bet faced (before the flop: the big blind) |
| `"20c"` | 20 chips | the call plus 20 chips |
| `"e"` | the share of the pot which, bet in every street left, is all-in on the river | the same after the call |
| `"2e"` | the same, all-in after two streets | the same after the call |
| `"allin"` | everything | everything |

1. Shares and multiples are computed exactly and rounded to the nearest chip, halves up.
2. A bet or raise below the legal minimum is lifted to it; one of the remaining stack or more is all-in. The
   remaining stack is the effective one: a bet that no opponent can call in full is cut to what one can.
3. Equal sizes merge. Three thresholds of other solvers are off unless given: `add_allin` (shares of the pot: add an
   all-in that is at most this large), `force_allin` (turn a bet into all-in if at most this share of the pot after a
   call would stay behind), `merge` (PioSOLVER's rule: of two sizes X > Y in pots, drop Y if
   (1 + X) / (1 + Y) <= 1 + threshold).
4. `donk` sizes serve for a bet into the seat that bet or raised last in the round before and is still to act;
   where none are given, the `bet` sizes do.

A node id is PioSOLVER's (UPI documentation, "Essentials"): `r:0:b50:c:8h:c:b250` = root; bet 50, call, 8h dealt,
check, bet 200 more. `f` is fold, `c` check or call, and the number after `b` is the **total** that the bettor has
put in since the root of the spot, over all streets: here 50 on the first street and 200 on the second.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple, Protocol, Self

from counterpoise.betting.rules import CALL, FOLD, BetAction, Betting, BettingState
from counterpoise.cards.deck import RANKS, SUITS, split_cards
from counterpoise.errors import InputError
from counterpoise.names import suggest
from counterpoise.parameters import is_amount, is_list, shown
from counterpoise.seats import CHANCE

STREETS = ("preflop", "flop", "turn", "river")
MOST_SIZES = 1000
"""The most sizes of a list, far more than any tree has room for."""
HOLDEM_CARDS = (0, 3, 1, 1)  # dealt to the board before each round

_NUMBER_SIZE = re.compile(r"(\d{1,12}(?:\.\d{1,12})?|\.\d{1,12})(%|x|c)", re.ASCII)
_GEOMETRIC_SIZE = re.compile(r"(\d{0,12})e", re.ASCII)
_RAISE_LABEL = re.compile(r"b([1-9]\d{0,11})", re.ASCII)
_GRAMMAR = '"50%" (of the pot), "3x" (the bet faced, raises only), "20c" (chips), "e" (geometric), "2e" or "allin"'


class BetSize(NamedTuple):
    """One size: its kind ("%", "x", "c", "e" or "allin") and its number as a fraction."""

    kind: str
    numerator: int = 0
    denominator: int = 1

    def total(self, betting: Betting, state: BettingState) -> int:
        """Return the total in chips to bet or raise to, before it is made legal."""
        kind, stake = self.kind, state.stake
        if kind == "%":
            return stake + self._of(betting.total_pot(state) + state.to_call)
        if kind == "x":
            return state.round_stake + self._of(stake - state.round_stake)
        if kind == "c":
            return stake + self.numerator
        if kind == "e":
            pot, behind = betting.total_pot(state) + state.to_call, betting.reachable(state) - stake
            streets = self.numerator or betting.rounds - state.round
            if streets == 1 or pot == 0:
                return stake + behind
            share = (math.pow(1 + 2 * behind / pot, 1 / streets) - 1) / 2
            return stake + _nearest(pot * share)
        return betting.stacks[state.to_act]

    def legal_total(self, betting: Betting, state: BettingState) -> int:
        """Return the total in chips to bet or raise to, lifted to the legal minimum or cut to all-in."""
        lowest, highest = _legal_totals(betting, state)
        return min(max(self.total(betting, state), lowest), highest)

    def _of(self, chips: int) -> int:
        return (2 * chips * self.numerator + self.denominator) // (2 * self.denominator)


def parse_size(word: object, field: str = "bet", raising: bool = False) -> BetSize:
    """Read one size; `field` (such as "turn.bet") is named when the word is wrong.

    >>> parse_size("50%")
    BetSize(kind='%', numerator=1, denominator=2)
    >>> parse_size("half pot", "turn.bet")
    Traceback (most recent call last):
        ...
    counterpoise.errors.InputError: turn.bet: 'half pot' is not a bet size: write "50%" (of the pot), "3x" \
(the bet faced, raises only), "20c" (chips), "e" (geometric), "2e" or "allin"
    """
    text = word.strip().lower() if isinstance(word, str) else ""
    if text == "allin":
        return BetSize("allin")
    if match := _GEOMETRIC_SIZE.fullmatch(text):
        if match[1] and not 1 <= int(match[1]) <= len(STREETS):
            raise InputError(f"{field}: {shown(word)} must count 1 to {len(STREETS)} streets")
        return BetSize("e", int(match[1] or 0))
    if match := _NUMBER_SIZE.fullmatch(text.removeprefix("-")):
        number, kind = Fraction(match[1]), match[2]
        if text.startswith("-") or number == 0:
            raise InputError(f"{field}: {shown(word)} must be above 0")
        if kind == "x" and not raising:
            raise InputError(
                f'{field}: {shown(word)} multiplies the bet faced, so it belongs to raises; write "50%" or "20c"'
            )
        if kind == "x" and number <= 1:
            raise InputError(f"{field}: {shown(word)} must be above 1x, since a raise is more than the bet it faces")
        if kind == "c" and number.denominator > 1:
            raise InputError(f"{field}: {shown(word)} must be a whole number of chips")
        number /= 100 if kind == "%" else 1
        return BetSize(kind, number.numerator, number.denominator)
    raise InputError(f"{field}: {shown(word)} is not a bet size: write {_GRAMMAR}")


@dataclass(frozen=True)
class StreetSizes:
    """The sizes of one player on one street."""

    bets: tuple[BetSize, ...] = ()
    raises: tuple[BetSize, ...] = ()
    donks: tuple[BetSize, ...] | None = None  # None: as `bets`


@dataclass(frozen=True)
class BetSizes:
    """The sizes of a whole spot: per round those out of position and those in position (the button).

    >>> sizes = BetSizes.read({"river": {"bet": ["33%", "75%", "150%", "allin"], "raise": ["60%", "allin"]}}, 3)
    >>> spot = Betting.spot(pot=240, stack=880, first_round=3)
    >>> sizes.menu(spot, spot.initial())
    {'c': 0, 'b79': 79, 'b180': 180, 'b360': 360, 'b880': 880}
    """

    streets: tuple[tuple[StreetSizes, StreetSizes] | None, ...]
    add_allin: float = 0
    force_allin: float = 0
    merge: float = 0
    extra: tuple[tuple[BettingState, BetAction], ...] = ()
    """More bets in single states."""

    def __post_init__(self) -> None:
        for name in ("add_allin", "force_allin", "merge"):
            value = getattr(self, name)
            if not is_amount(value):
                raise InputError(f"{name} must be a number, 0 or more (0: off), not {shown(value)}")

    @classmethod
    def read(
        cls,
        tables: Mapping[str, object],
        first_round: int = 0,
        rounds: int = len(STREETS),
        add_allin: float = 0,
        force_allin: float = 0,
        merge: float = 0,
    ) -> BetSizes:
        """Read the tables `preflop`, `flop`, `turn` and `river` of a spot file from `first_round` on.

        Each has lists `bet`, `raise` and `donk`; a missing `bet` or `raise` allows none. `bet` and `raise` may
        also be tables of two lists, `oop` and `ip`, one for each player.
        """
        streets: list[tuple[StreetSizes, StreetSizes] | None] = [None] * first_round
        for name in STREETS[first_round:rounds]:
            if name not in tables:
                raise InputError(f"{name} must be given: a table with lists bet and raise (empty lists: no bets)")
            streets.append(_read_street(name, tables[name]))
        return cls(tuple(streets), add_allin, force_allin, merge)

    def with_bet(self, state: BettingState, bet: BetAction) -> Self:
        """Return the sizes with one bet more in a state."""
        return replace(self, extra=(*self.extra, (state, bet)))

    def actions(self, betting: Betting, state: BettingState) -> tuple[BetAction, ...]:
        """Return what the seat to act may do in this spot: fold, check or call, then bets or raises, smallest first."""
        usual, more = self._usual_actions(betting, state), {bet for at, bet in self.extra if at == state}
        return tuple(sorted({*usual, *more})) if more else usual

    def _usual_actions(self, betting: Betting, state: BettingState) -> tuple[BetAction, ...]:
        """Return what `actions` returns without the extra bets."""
        passive = (FOLD, CALL) if state.to_call else (CALL,)
        if not state.max_raise:
            return passive
        lowest, highest = _legal_totals(betting, state)
        pot, stake = betting.total_pot(state) + state.to_call, state.stake
        totals = {min(max(size.total(betting, state), lowest), highest) for size in self.sizes_at(betting, state)}
        if self.force_allin:
            totals = {
                highest if highest - total <= _nearest(self.force_allin * (pot + 2 * (total - stake))) else total
                for total in totals
            }
        if highest - stake <= _nearest(self.add_allin * pot):
            totals.add(highest)
        kept: list[int] = []
        for total in sorted(totals, reverse=True):
            if not kept or pot + kept[-1] - stake > (pot + total - stake) * (1 + self.merge):
                kept.append(total)
        return (*passive, *reversed(kept))

    def menu(self, betting: Betting, state: BettingState) -> dict[str, BetAction]:
        """Return what `actions` returns by the labels of node ids, in the same order."""
        return {label(action): action for action in self.actions(betting, state)}

    def sizes_at(self, betting: Betting, state: BettingState) -> Sequence[BetSize]:
        """Return the sizes that are given for where the seat to act is, however many of them are legal."""
        players = self.streets[state.round] if state.round < len(self.streets) else None
        if players is None:
            raise InputError(f"no bet sizes are given for round {state.round} (0: before the flop)")
        sizes = players[state.to_act == betting.button]
        if state.bets:
            return sizes.raises
        if sizes.donks is not None and state.leader in state.waiting[1:]:
            return sizes.donks
        return sizes.bets


class BettingMenu(Protocol):
    """Says which actions a betting tree has: `BetSizes` do."""

    def actions(self, betting: Betting, state: BettingState) -> tuple[BetAction, ...]:
        """Return the actions of the seat to act."""
        ...


class EveryAction:
    """The menu of limit betting: all legal actions."""

    def actions(self, betting: Betting, state: BettingState) -> tuple[BetAction, ...]:
        """Return the legal actions of the seat to act."""
        return betting.actions(state)


def limit_sizes(rounds: int) -> BetSizes:
    """Return the sizes of limit betting, which leaves one legal size to which all are cut."""
    return BetSizes.read({street: {"bet": ["allin"], "raise": ["allin"]} for street in STREETS[:rounds]}, rounds=rounds)


class NodePath(NamedTuple):
    """A node found by its id: the way to it, and the betting before and after every step of it."""

    states: tuple[BettingState, ...]
    """From the root to the node: one more than there are steps."""
    steps: tuple[BetAction | str, ...]
    """Actions and dealt cards, in order."""

    @property
    def state(self) -> BettingState:
        """The betting at the node."""
        return self.states[-1]

    @property
    def cards(self) -> tuple[str, ...]:
        """The cards dealt since the root, one by one."""
        return tuple(split_cards("".join(step for step in self.steps if isinstance(step, str))))


def label(action: BetAction) -> str:
    """Return the action as node ids write it: "f", "c" or "b" with the total in chips.

    >>> [label(action) for action in (FOLD, CALL, 250)]
    ['f', 'c', 'b250']
    """
    return f"b{action}" if action > 0 else "c" if action == CALL else "f"


def read_label(text: str) -> BetAction:
    """Return the action that a label in node ids stands for.

    >>> [read_label(text) for text in ("f", "c", "b250")]
    [-1, 0, 250]
    """
    if text in ("f", "c"):
        return FOLD if text == "f" else CALL
    if match := _RAISE_LABEL.fullmatch(text):
        return int(match[1])
    raise InputError(f'{shown(text)} is no action: write "f", "c" or "b" and the total in chips')


def node_id(steps: Iterable[BetAction | str]) -> str:
    """Return the id of the node after actions and dealt cards.

    >>> node_id([50, CALL, "8h", CALL, 250])
    'r:0:b50:c:8h:c:b250'
    """
    return ":".join(("r:0", *[step if isinstance(step, str) else label(step) for step in steps]))


def read_node(
    betting: Betting, text: str, sizes: BetSizes | None = None, cards: Sequence[int] = HOLDEM_CARDS
) -> NodePath:
    """Return the node that an id names; with `sizes` every bet on the way must be one of the spot's.

    `cards` says how many are dealt before each round. After an all-in the run-out may be part of the id.

    >>> read_node(Betting.spot(pot=100, stack=400, first_round=2), "r:0:b50:c:8h:c").state.to_act
    1
    """
    tokens = text.strip().split(":")
    if tokens[:2] != ["r", "0"]:
        raise InputError(f"node {shown(text)} must start with r:0, the root of the spot")
    state = betting.initial()
    states, steps = [state], list[BetAction | str]()
    round_ = state.round
    for token in tokens[2:]:
        dealing = state.to_act == CHANCE or (state.to_act < 0 and round_ - state.round < betting.rounds_due(state))
        if dealing:
            round_ += 1
            _check_cards(text, token, cards[round_], steps)
            steps.append(token)
            if state.to_act == CHANCE:
                state = betting.deal(state)
            states.append(state)
            continue
        try:
            action = read_label(token)
        except InputError as error:
            raise InputError(f"node {shown(text)}: {error}") from None
        if sizes is not None and state.to_act >= 0 and action not in sizes.actions(betting, state):
            there = ", ".join(sizes.menu(betting, state))
            raise InputError(f"node {shown(text)}: {shown(token)} is not in the tree here, only {there}")
        try:
            state = betting.apply(state, action)
        except InputError as error:
            raise InputError(f"node {shown(text)}: {shown(token)} cannot follow: {error}") from None
        steps.append(action)
        states.append(state)
    return NodePath(tuple(states), tuple(steps))


def _legal_totals(betting: Betting, state: BettingState) -> tuple[int, int]:
    """Return the smallest and the largest total in chips that a bet or raise may be."""
    return state.min_raise, max(state.min_raise, min(state.max_raise, betting.reachable(state)))


def _nearest(chips: float) -> int:
    return math.floor(chips + 0.5)


def _check_cards(text: str, token: str, count: int, steps: Sequence[BetAction | str]) -> None:
    dealt = split_cards(token)
    if len(dealt) != count or any(len(card) < 2 or card[0] not in RANKS or card[1] not in SUITS for card in dealt):
        due = "a card such as 8h is" if count == 1 else f"{count} cards such as {'8hQsTd2c'[: 2 * count]} are"
        raise InputError(f"node {shown(text)}: {due} due where {shown(token)} stands")
    before = split_cards("".join(step for step in steps if isinstance(step, str)))
    for index, card in enumerate(dealt):
        if card in dealt[:index] or card in before:
            raise InputError(f"node {shown(text)}: {card} is dealt twice")


def _read_street(name: str, table: object) -> tuple[StreetSizes, StreetSizes]:
    if not isinstance(table, Mapping):
        raise InputError(f"{name} must be a table with lists bet, raise and donk, not {shown(table)}")
    known = ("bet", "raise", "donk")
    for key in table:
        if key not in known:
            raise InputError(f"{name} has no field {shown(key)}: {suggest(str(key), known)}")
    bets = _read_players(f"{name}.bet", table.get("bet", ()), raising=False)
    raises = _read_players(f"{name}.raise", table.get("raise", ()), raising=True)
    donks = _read_list(f"{name}.donk", table["donk"], raising=False) if "donk" in table else None
    return StreetSizes(bets[0], raises[0], donks), StreetSizes(bets[1], raises[1], donks)


def _read_players(field: str, value: object, raising: bool) -> tuple[tuple[BetSize, ...], tuple[BetSize, ...]]:
    if not isinstance(value, Mapping):
        both = _read_list(field, value, raising)
        return both, both
    if set(value) != {"oop", "ip"}:
        raise InputError(
            f"{field} must be a list of sizes, or a table with the lists oop and ip, not {shown(dict(value))}"
        )
    oop, ip = (_read_list(f"{field}.{player}", value[player], raising) for player in ("oop", "ip"))
    return oop, ip


def _read_list(field: str, value: object, raising: bool) -> tuple[BetSize, ...]:
    if not is_list(value):
        raise InputError(f'{field} must be a list of sizes such as ["50%", "allin"], not {shown(value)}')
    assert isinstance(value, list | tuple)
    if len(value) > MOST_SIZES:
        raise InputError(f"{field} must have at most {MOST_SIZES:,} sizes, not {len(value):,}")
    return tuple(parse_size(word, field, raising) for word in value)
