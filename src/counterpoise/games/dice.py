"""The bidding that Liar's Dice and Bluff share: private dice, rising claims about all dice, a challenge.

A bid "2-5" claims that at least two of all the dice show a 5. Bids only rise; instead of bidding a player may
challenge the last bid (never as the first action, always after the highest bid). The highest face is wild: it
counts for every face, so a bid on the wild face itself is matched by wild dice only. Rolls are told apart as
multisets, drawn with their multinomial probabilities: "24" is a 2 and a 4 in either order.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import NamedTuple

from counterpoise.games.base import CHANCE, TERMINAL, RuleBook


class DiceState(NamedTuple):
    """A round in progress, or one that ended in `TERMINAL` with the payoff of the first seat."""

    to_act: int
    dice: tuple[int, int]  # dice in play per seat
    starter: int  # seat that makes the first bid of the round
    rolls: tuple[str, ...] = ()  # per seat, empty before the roll
    story: str = ""  # public history as infosets read: earlier rounds (shown in full), then this round's bids
    last: int = -1  # index of the last bid in the ladder
    payoff: float = 0.0
    earlier: tuple[str, ...] = ()  # public events of earlier rounds


class Ladder(NamedTuple):
    """All bids of a round, lowest first."""

    claims: tuple[tuple[int, str], ...]  # quantity and face
    places: dict[str, int]  # index of a bid by its name
    menus: tuple[tuple[str, ...], ...]  # legal actions after bid i; the last entry, reached as -1, before any


class DiceBidding(RuleBook):
    """Base of the dice rule books; a subclass says the faces, the dice and what follows a challenge."""

    players = 2
    challenge: str  # name of the action that challenges the last bid

    @property
    @abstractmethod
    def face_names(self) -> str:
        """One character per face, lowest first; the last one is wild."""

    @abstractmethod
    def ladder(self, total: int) -> Ladder:
        """Return the bids for `total` dice in play."""

    @abstractmethod
    def after_challenge(self, state: DiceState, winner: int) -> DiceState:
        """Return the state that follows when `winner` has won the round."""

    def player(self, state: DiceState) -> int:
        return state.to_act

    def chance(self, state: DiceState) -> list[tuple[str, float]]:
        first, second = (rolls(count, self.face_names) for count in state.dice)
        return [(f"{a}v{b}", p * q) for a, p in first for b, q in second]

    def actions(self, state: DiceState) -> tuple[str, ...]:
        return self.ladder(sum(state.dice)).menus[state.last]

    def next(self, state: DiceState, action: str) -> DiceState:
        to_act, dice, starter, rolled, story, last, _, earlier = state
        if to_act == CHANCE:
            first, _, second = action.partition("v")
            return DiceState(starter, dice, starter, (first, second), story, -1, 0.0, earlier)
        ladder = self.ladder(dice[0] + dice[1])
        if action == self.challenge:
            quantity, face = ladder.claims[last]
            shown = rolled[0] + rolled[1]
            wild = self.face_names[-1]
            matching = shown.count(face) + (shown.count(wild) if face != wild else 0)
            return self.after_challenge(state, 1 - to_act if matching >= quantity else to_act)
        story = f"{story}/{action}" if last >= 0 else story + action
        return DiceState(1 - to_act, dice, starter, rolled, story, ladder.places[action], 0.0, earlier)

    def infoset(self, state: DiceState) -> str:
        return f"{state.rolls[state.to_act]}:{state.story}"

    def public(self, state: DiceState) -> tuple[str, ...]:
        """Return the bids of each round, then the challenge and both rolls."""
        bids = state.story.rpartition(";")[2]
        end = (self.challenge, "v".join(state.rolls)) if state.to_act == TERMINAL else ()
        return (*state.earlier, *(bids.split("/") if bids else ()), *end)

    def private(self, state: DiceState, seat: int) -> str:
        return state.rolls[seat] if state.rolls else ""

    def payoffs(self, state: DiceState) -> tuple[float, float]:
        return (state.payoff, -state.payoff)


def finished(state: DiceState, payoff: float) -> DiceState:
    """Return the terminal state after `state` in which the first seat receives `payoff`."""
    return state._replace(to_act=TERMINAL, payoff=payoff)


@lru_cache
def rolls(dice: int, faces: str) -> tuple[tuple[str, float], ...]:
    """Return distinct rolls of some dice with their probabilities: a double of two dice is half as likely.

    >>> rolls(2, "12")
    (('11', 0.25), ('12', 0.5), ('22', 0.25))
    """
    outcomes = []
    for roll in combinations_with_replacement(faces, dice):
        orders = math.factorial(dice)
        for face in set(roll):
            orders //= math.factorial(roll.count(face))
        outcomes.append(("".join(roll), orders / len(faces) ** dice))
    return tuple(outcomes)


@lru_cache
def rising_bids(total: int, faces: str, challenge: str, face_first: bool = False) -> Ladder:
    """Return the ladder of bids on `total` dice, ordered by quantity then face, or by face then quantity."""
    claims = [(quantity, face) for quantity in range(1, total + 1) for face in faces]
    if face_first:
        claims.sort(key=lambda claim: faces.index(claim[1]))
    names = tuple(f"{quantity}-{face}" for quantity, face in claims)
    menus = [(*names[position:], challenge) for position in range(1, len(names) + 1)]
    return Ladder(tuple(claims), {name: i for i, name in enumerate(names)}, (*menus, names))
