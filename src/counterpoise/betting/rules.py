"""Limit and no-limit betting for two to ten seats, without cards.

`Betting` holds the rules of one hand and is itself stateless; `BettingState` is an immutable moment of it.

1. Seats are numbered in the order in which they act after the flop: seat 0 first, the button last (another
   seat may be the `button`). Three or more seats: the small blind is the seat after the button, then the big
   blind. Heads-up the button posts the small blind, acts first before the flop and last afterwards.
2. Every amount is in whole chips and **total**: what a seat has put in since the start of the hand or spot,
   antes and blinds included. "Raise to 300" means that the seat will have put in 300 in all.
3. An action is one number: `FOLD`, `CALL` (a check when nothing is owed), or the total to bet or raise to.
   Folding is legal only when something is owed.
4. No-limit: the first bet of a round is at least `min_bet` (the big blind), a raise at least the last full bet
   or raise of the round on top of the call, a bet or raise at most the stack; all-in is always enough. Limit:
   the round's size on top of the call, or all-in for less. `max_bets` caps bets and raises of a round; the big
   blind counts as the first, an all-in for less as one.
5. A seat that has acted in this round may raise again only when it owes a full raise or more, so an all-in
   below a full raise does not reopen the betting, while several of them may together (Tournament Directors
   Association, rule "reopening the bet").
6. With a big blind too short to post it all, the others still owe the full big blind, as far as an opponent
   can match it.
7. A seat that could only check is not asked. A round is over when nobody is left to ask; the hand is over when
   one seat is left, after the last round, or when at most one seat has chips left (an all-in run-out: the
   remaining cards are dealt without betting).
8. Chips that nobody called go back. The rest forms the main pot and the side pots; the best hand of those who
   paid for a pot takes it. Rake is a percentage of each pot, main pot first, until the cap is reached.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from counterpoise.errors import InputError
from counterpoise.parameters import is_amount, is_list, require, require_choice, require_number, require_whole, shown
from counterpoise.seats import CHANCE, TERMINAL

BetAction = int  # `FOLD`, `CALL` or the total to bet or raise to
FOLD: BetAction = -1
CALL: BetAction = 0

NOBODY = -1
_MANY = 10**15  # chips; more than any stack


class BettingState(NamedTuple):
    """A moment of the betting; `to_call`, `min_raise` and `max_raise` say what is legal. Unit: chips."""

    round: int  # 0 before the flop
    to_act: int  # a seat, CHANCE when the next cards are due, TERMINAL when the betting of the hand is over
    to_call: int  # what the seat to act must add to stay in; 0: it may check
    min_raise: int  # smallest and largest total to bet or raise to; both 0: no bet or raise is legal
    max_raise: int
    paid: tuple[int, ...]  # per seat, since the start
    live: tuple[int, ...]  # seats that have not folded
    stake: int  # the total that a seat must have paid to stay in
    round_stake: int  # the stake at the start of this round; paid - round_stake was paid in this round
    raise_by: int  # the last full bet or raise of this round, the least by which to raise
    bets: int  # bets and raises of this round, the big blind included
    aggressor: int  # seat of this round's last bet or raise, or NOBODY
    leader: int  # seat of the last bet or raise of the round before, or NOBODY
    waiting: tuple[int, ...]  # seats that must act before the round is over, in order
    acted: tuple[int, ...]  # seats that have acted in this round
    line: int = 0  # where the betting is in a tree of explicit lines (`betting/lines.py`); 0 without one, or off it


class Pot(NamedTuple):
    """A main or side pot in chips and the seats that can win it."""

    amount: int
    seats: tuple[int, ...]


@dataclass(frozen=True)
class Rake:
    """`percent` of the pot, at most `cap` chips per hand (None: no cap).

    With `no_flop_no_drop` a hand that ends before the flop pays none. Chips that nobody called are not raked.
    """

    percent: float = 0
    cap: float | None = None
    no_flop_no_drop: bool = False

    def __post_init__(self) -> None:
        require_number("rake.percent", self.percent, 0, 100)
        require(
            self.cap is None or is_amount(self.cap),
            f"rake.cap must be a number of chips, 0 or more, not {shown(self.cap)}",
        )
        require(
            self.cap != 0 or self.percent == 0,
            f"rake.cap must be above 0 when rake.percent is {shown(self.percent)} (leave it out for no cap), not 0",
        )


NO_RAKE = Rake()


@dataclass(frozen=True)
class Betting:
    """The rules of one hand or of a spot inside it; unit: chips.

    `stacks` is what each seat has before antes and blinds, in a spot what it has behind. A spot starts in
    `first_round` with a `pot` that belongs to nobody. `limit` lists the bet size of each round in limit poker
    and is None in no-limit; `max_bets` caps the bets of each round. With `whole_chips` ties and rake are settled
    as at a table: rake rounded down, odd chips of a split pot to its first winner after the button. Without it
    they are exact, as solvers need them.

    >>> limit_holdem = Betting((1000, 1000), blinds=(1, 2), limit=(2, 2, 4, 4), max_bets=(4, 4, 4, 4))
    >>> state = limit_holdem.initial()
    >>> state.to_act, state.to_call, state.min_raise, state.max_raise
    (1, 1, 4, 4)
    >>> limit_holdem.apply(state, 6)
    Traceback (most recent call last):
        ...
    counterpoise.errors.InputError: seat 1 cannot raise to 6 chips: it may raise to 4
    """

    stacks: tuple[int, ...]
    blinds: tuple[int, int] = (0, 0)  # small, big
    ante: int = 0  # from every seat
    pot: int = 0  # chips in the middle before anybody acts, contested by all seats
    rounds: int = 4
    first_round: int = 0
    button: int = -1  # a seat; -1: the last
    min_bet: int | None = None  # None: the big blind, or one chip without blinds
    limit: tuple[int, ...] | None = None
    max_bets: tuple[int, ...] | None = None
    rake: Rake = NO_RAKE
    whole_chips: bool = False

    def __post_init__(self) -> None:
        for name in ("stacks", "blinds", "limit", "max_bets"):
            value = getattr(self, name)
            require(
                value is None or is_list(value), f"betting: {name} must be a list of whole chips, not {shown(value)}"
            )
            object.__setattr__(self, name, value if value is None else tuple(value))
        self._check()
        object.__setattr__(self, "button", self.button % len(self.stacks))

    @classmethod
    def spot(cls, pot: int, stack: int, first_round: int, min_bet: int = 1, rake: Rake = NO_RAKE) -> Betting:
        """Return the rules of a spot: two seats with `stack` behind, `pot` in the middle, seat 0 out of position."""
        return cls((stack, stack), pot=pot, first_round=first_round, min_bet=min_bet, rake=rake)

    @property
    def players(self) -> int:
        """Number of seats."""
        return len(self.stacks)

    def initial(self) -> BettingState:
        """Return the state after antes and blinds."""
        paid = [min(self.ante, stack) for stack in self.stacks]
        last = self.button
        if self.blinds[1]:
            first = (self.button + (self.players > 2)) % self.players
            last = (first + 1) % self.players
            for seat, blind in zip((first, last), self.blinds, strict=True):
                paid[seat] = min(self.stacks[seat], paid[seat] + blind)
        everybody = tuple(range(self.players))
        return self._ask(
            self.first_round,
            tuple(paid),
            everybody,
            (self.ante + self.blinds[1], self.ante, self._opening_bet(self.first_round)),
            waiting=self._able((*self._after[last], last), everybody, paid),
            bets=1 if self.blinds[1] else 0,
        )

    def actions(self, state: BettingState) -> tuple[BetAction, ...]:
        """Return fold, call (check) and the smallest and the largest bet or raise: in limit all legal actions."""
        passive = (FOLD, CALL) if state.to_call else (CALL,)
        if not state.max_raise:
            return passive
        return (*passive, *sorted({state.min_raise, state.max_raise}))

    def apply(self, state: BettingState, action: BetAction) -> BettingState:
        """Return the state after the seat to act folds, calls (checks), or bets or raises to `action` chips."""
        seat, to_call, stake, raise_by = state.to_act, state.to_call, state.stake, state.raise_by
        paid, live, waiting, acted = state.paid, state.live, state.waiting, state.acted
        bets, aggressor, before = state.bets, state.aggressor, state.round_stake
        if action > 0 and state.min_raise <= action <= state.max_raise:
            paid = (*paid[:seat], action, *paid[seat + 1 :])
            raise_by = max(raise_by, action - stake)
            stake, bets, aggressor = action, bets + 1, seat
            waiting = self._able(self._after[seat], live, paid)
        elif action == CALL and seat >= 0:
            paid = (*paid[:seat], paid[seat] + to_call, *paid[seat + 1 :])
            waiting = waiting[1:]
        elif action == FOLD and to_call:
            live = tuple([other for other in live if other != seat])
            waiting = waiting[1:]
        else:
            raise InputError(self._refusal(state, action))
        if seat not in acted:
            acted = (*acted, seat)
        stakes = stake, before, raise_by
        return self._ask(state.round, paid, live, stakes, waiting, bets, aggressor, state.leader, acted)

    def deal(self, state: BettingState) -> BettingState:
        """Return the start of the next round, once its cards are dealt."""
        require(state.to_act == CHANCE, "no cards are due: the round is not over, or the hand is")
        return self._ask(
            state.round + 1,
            state.paid,
            state.live,
            (state.stake, state.stake, self._opening_bet(state.round + 1)),
            waiting=self._able(self.table_order, state.live, state.paid),
            leader=state.aggressor,
        )

    def total_pot(self, state: BettingState) -> int:
        """Return all chips in the middle, bets of this round included."""
        return self.pot + sum(state.paid)

    def behind(self, state: BettingState, seat: int) -> int:
        """Return chips that `seat` has left."""
        return self.stacks[seat] - state.paid[seat]

    def reachable(self, state: BettingState) -> int:
        """Return the largest total that the seat to act can put in and some opponent can match."""
        seat = state.to_act
        return min(self.stacks[seat], max([self.stacks[other] for other in state.live if other != seat]))

    def rounds_due(self, state: BettingState) -> int:
        """Return the rounds whose cards must still be dealt before the showdown of a finished hand (all-in run-out)."""
        if state.to_act != TERMINAL or len(state.live) == 1:
            return 0
        return self.rounds - 1 - state.round

    def uncalled(self, state: BettingState) -> tuple[int, int]:
        """Return the seat that has put in most, and how many of its chips are not called."""
        most = max(state.paid)
        seat = state.paid.index(most)
        return seat, most - max([paid for other, paid in enumerate(state.paid) if other != seat])

    def pots(self, state: BettingState) -> list[Pot]:
        """Return main pot and side pots if the hand ended now, without the uncalled chips and before rake."""
        paid = list(state.paid)
        seat, back = self.uncalled(state)
        paid[seat] -= back
        pots, below, amount = [], 0, self.pot
        for level in sorted({paid[seat] for seat in state.live}):
            amount += sum([min(chips, level) - min(chips, below) for chips in paid])
            if amount:
                pots.append(Pot(amount, tuple([seat for seat in state.live if paid[seat] >= level])))
            below, amount = level, 0
        return pots

    def payoffs(self, state: BettingState, strengths: Sequence[Any] | None = None) -> tuple[float, ...]:
        """Return what each seat wins from the pots minus what it has put in, in chips; they sum to `pot` - rake.

        `strengths` has one comparable value per seat, higher wins; folded seats' values are not looked at, and
        none is needed when one seat is left. In a spot with an evenly paid pot subtract `pot / 2` from both
        seats to get the zero-sum form.
        """
        require(state.to_act == TERMINAL, "payoffs are known only when the hand is over")
        live = state.live
        require(
            len(live) == 1 or (strengths is not None and len(strengths) == self.players),
            f"a showdown needs the strengths of all {self.players} seats",
        )
        wins, pots = self.awards(state)
        for amount, seats in pots:
            winners = seats
            if len(seats) > 1:
                assert strengths is not None
                best = max([strengths[seat] for seat in seats])
                winners = tuple([seat for seat in self.table_order if seat in seats and strengths[seat] == best])
            share = self._whole(amount / len(winners))
            for seat in winners:
                wins[seat] += share
            wins[winners[0]] += amount - share * len(winners) if self.whole_chips else 0
        return tuple(wins)

    def awards(self, state: BettingState) -> tuple[list[float], list[tuple[float, tuple[int, ...]]]]:
        """Return what each seat has lost before pots are awarded, uncalled chips back, and pots without rake."""
        seat, back = self.uncalled(state)
        wins: list[float] = [-paid for paid in state.paid]
        wins[seat] += back
        rake_left, pots = self._rake_cap(state), []
        for amount, seats in self.pots(state):
            rake = min(self._whole(amount * self.rake.percent / 100), rake_left)
            rake_left -= rake
            pots.append((amount - rake, seats))
        return wins, pots

    def _ask(
        self,
        round_: int,
        paid: tuple[int, ...],
        live: tuple[int, ...],
        stakes: tuple[int, int, int],
        waiting: tuple[int, ...],
        bets: int = 0,
        aggressor: int = NOBODY,
        leader: int = NOBODY,
        acted: tuple[int, ...] = (),
    ) -> BettingState:
        """Return the state in which the first of `waiting` that has a choice is to act, or the end of the round.

        `stakes` are the stake, that at the start of the round, and the least by which to raise.
        """
        stacks = self.stacks
        stake, _, raise_by = stakes
        after = TERMINAL
        to_call = min_raise = max_raise = 0
        if len(live) > 1:
            may_bet = bets < self._max_bets[round_]
            while waiting:
                seat = waiting[0]
                own, already = stacks[seat], paid[seat]
                opponents = max([stacks[other] for other in live if other != seat])
                to_call = max(min(stake, own, opponents) - already, 0)
                if may_bet and stake < own and stake < opponents and (seat not in acted or stake - already >= raise_by):
                    min_raise = min(own, stake + raise_by)
                    max_raise = min_raise if self.limit else own
                if to_call or max_raise:
                    break
                waiting = waiting[1:]
            if waiting:
                after = waiting[0]
            elif round_ < self.rounds - 1 and sum([stacks[seat] > paid[seat] for seat in live]) > 1:
                after = CHANCE
        legal = to_call, min_raise, max_raise
        return BettingState(round_, after, *legal, paid, live, *stakes, bets, aggressor, leader, waiting, acted)

    def _able(self, seats: Sequence[int], live: tuple[int, ...], paid: Sequence[int]) -> tuple[int, ...]:
        """Return those of `seats` that are still in and have chips."""
        return tuple([seat for seat in seats if seat in live and self.stacks[seat] > paid[seat]])

    def _opening_bet(self, round_: int) -> int:
        if self.limit:
            return self.limit[round_]
        return max(self.blinds[1], 1) if self.min_bet is None else self.min_bet

    def _refusal(self, state: BettingState, action: BetAction) -> str:
        seat, low, high = state.to_act, state.min_raise, state.max_raise
        if seat < 0:
            return "nobody is to act: " + ("cards are due" if seat == CHANCE else "the hand is over")
        if action == FOLD:
            return f"seat {seat} cannot fold: nothing is owed, it may check"
        if action < 0:
            return f"{shown(action)} is no action: use FOLD, CALL or the total to bet or raise to"
        verb = "raise" if state.bets else "bet"
        allowed = f"it may {verb} to {low}" + (f" to {high}" if high > low else "")
        return f"seat {seat} cannot {verb} to {shown(action)} chips: {allowed if high else f'no {verb} is legal'}"

    def _rake_cap(self, state: BettingState) -> float:
        if self.rake.no_flop_no_drop and state.round == 0 and len(state.live) == 1:
            return 0
        return _MANY if self.rake.cap is None else self._whole(self.rake.cap)

    def _whole(self, chips: float) -> float:
        return int(chips + 1e-9) if self.whole_chips else chips

    @cached_property
    def _after(self) -> tuple[tuple[int, ...], ...]:
        """The other seats of each seat, in table order from the next one."""
        seats = tuple(range(self.players))
        return tuple(seats[seat + 1 :] + seats[:seat] for seat in seats)

    @cached_property
    def table_order(self) -> tuple[int, ...]:
        """The seats from the first after the button to the button."""
        return (*self._after[self.button], self.button)

    @cached_property
    def _max_bets(self) -> tuple[int, ...]:
        return self.max_bets or (_MANY,) * self.rounds

    def _check(self) -> None:
        seats = len(self.stacks)
        require(2 <= seats <= 10, f"betting: stacks must have 2 to 10 seats, not {seats}")
        require_whole("betting: rounds", self.rounds, 1, 10)
        require_whole("betting: first_round", self.first_round, 0, self.rounds - 1)
        for stack in self.stacks:
            require_whole("betting: stacks of a seat", stack, 0 if self.first_round else 1, _MANY)
        require(
            len(self.blinds) == 2, f"betting: blinds must be two, the small and the big one, not {shown(self.blinds)}"
        )
        for blind in self.blinds:
            require_whole("betting: blinds", blind, 0, _MANY)
        require(
            self.blinds[0] <= self.blinds[1],
            f"betting: blinds must be the small one, then the big one, not {shown(self.blinds)}",
        )
        require_whole("betting: ante", self.ante, 0, _MANY)
        require(
            not self.first_round or not (self.ante or self.blinds[1]),
            f"betting: first_round must be 0 in a hand with blinds or an ante, not {self.first_round}"
            " (a spot has a pot instead)",
        )
        require_whole("betting: pot", self.pot, 0, _MANY)
        require_whole("betting: button", self.button, -1, seats - 1)
        if self.min_bet is not None:
            require_whole("betting: min_bet", self.min_bet, 1, _MANY)
            require(self.limit is None, "betting: min_bet is for no-limit; limit gives the bets of each round")
        for name, low in (("limit", 1), ("max_bets", 0)):
            values = getattr(self, name)
            if values is None:
                continue
            require(
                len(values) == self.rounds,
                f"betting: {name} must have one number per round ({self.rounds}), not {shown(values)}",
            )
            for value in values:
                require_whole(f"betting: {name} of a round", value, low, _MANY)
        require(isinstance(self.rake, Rake), f"betting: rake must be a Rake, not {shown(self.rake)}")
        require_choice("betting: whole_chips", self.whole_chips, (True, False))
