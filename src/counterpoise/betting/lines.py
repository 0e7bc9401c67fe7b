"""Bets as an explicit list of lines: what may be bet depends on all that was done before, not on pot and stack alone.

A line lists, action by action, the **total** that the seat to act has put in since the root of the spot once it has
acted: `(0, 50, 150, 150, 150, 400)` is check, bet 50, raise to 150, call, and on the next street check, bet 250 more.
Checks and calls repeat what must be paid to stay in; streets are not marked, because they end when both have paid
alike. These are the lines of `add_line` in PioSOLVER's protocol.

1. The bets of a node are those that some line makes there. Checking, calling and folding are always possible, and
   beyond the end of a line they are all that is.
2. A *forced* line makes its last action the only one at its node.
3. Bets must be legal: `betting/rules.py` says what a bet or raise must be at least and at most.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property

from counterpoise.betting.rules import CALL, FOLD, BetAction, Betting, BettingState
from counterpoise.betting.sizes import BetSize, BetSizes
from counterpoise.errors import InputError
from counterpoise.seats import CHANCE

Line = tuple[int, ...]

OFF, ROOT = 0, 1
"""Nodes of the tree of lines: where none leads, and where all begin."""


@dataclass(frozen=True)
class LineBetting(Betting):
    """The betting of a spot whose bets are listed line by line; its states know where in the lines they are.

    >>> betting = LineBetting((400, 400), pot=100, first_round=3, lines=((50, 150), (0, 75)))
    >>> state = betting.initial()
    >>> LINE_SIZES.menu(betting, state), LINE_SIZES.menu(betting, betting.apply(state, 50))
    ({'c': 0, 'b50': 50}, {'f': -1, 'c': 0, 'b150': 150})
    """

    lines: tuple[Line, ...] = ()
    forced: tuple[Line, ...] = ()

    @classmethod
    def of(cls, betting: Betting, lines: Sequence[Sequence[int]], forced: Sequence[Sequence[int]] = ()) -> LineBetting:
        """Return betting by the same rules with lines."""
        own = {field.name: getattr(betting, field.name) for field in fields(Betting)}
        return cls(**own, lines=tuple(map(tuple, lines)), forced=tuple(map(tuple, forced)))

    def initial(self) -> BettingState:
        """Return the first state, at the root of the lines."""
        return super().initial()._replace(line=ROOT)

    def apply(self, state: BettingState, action: BetAction) -> BettingState:
        """Return the state after an action, on the lines or off them."""
        return super().apply(state, action)._replace(line=self._next[state.line].get(action, OFF))

    def deal(self, state: BettingState) -> BettingState:
        """Return the start of the next round, at the same place of the lines."""
        return super().deal(state)._replace(line=state.line)

    def actions_in(self, state: BettingState) -> tuple[BetAction, ...]:
        """Return what the lines let the seat to act do: fold, check or call, then bets, smallest first."""
        if state.line in self._only:
            return (self._only[state.line],)
        passive = (FOLD, CALL) if state.to_call else (CALL,)
        return (*passive, *sorted(action for action in self._next[state.line] if action > 0))

    @cached_property
    def _tree(self) -> tuple[list[dict[BetAction, int]], dict[int, BetAction]]:
        """The node after each action of each node, and the only action of nodes that are forced."""
        following: list[dict[BetAction, int]] = [{}, {}]
        only: dict[int, BetAction] = {}
        for line in (*self.lines, *self.forced):
            at, before, last = ROOT, OFF, CALL
            for action in self.read_line(line):
                before, last = at, action
                if action not in following[at]:
                    following[at][action] = len(following)
                    following.append({})
                at = following[at][action]
            if line in self._forced and only.setdefault(before, last) != last:
                raise InputError(f"line {written(line)}: another action is forced at its last node already")
        return following, only

    @property
    def _next(self) -> list[dict[BetAction, int]]:
        return self._tree[0]

    @property
    def _only(self) -> dict[int, BetAction]:
        return self._tree[1]

    @cached_property
    def _forced(self) -> frozenset[Line]:
        return frozenset(self.forced)

    def read_line(self, line: Sequence[int]) -> Iterator[BetAction]:
        """Yield the actions of a line; refused where an amount is no legal action."""
        state = super().initial()
        for total in line:
            while state.to_act == CHANCE:
                state = super().deal(state)
            if state.to_act < 0:
                raise InputError(f"line {written(line)}: the hand is over before its last amount")
            to_stay = state.paid[state.to_act] + state.to_call
            if total < to_stay:
                raise InputError(f"line {written(line)}: {total} is less than the {to_stay} that must be paid by then")
            action = CALL if total == to_stay else total
            try:
                state = super().apply(state, action)
            except InputError as error:
                raise InputError(f"line {written(line)}: {error}") from None
            yield action


@dataclass(frozen=True)
class LineSizes(BetSizes):
    """The bets of a `LineBetting`, as the menu that builders of trees ask."""

    def _usual_actions(self, betting: Betting, state: BettingState) -> tuple[BetAction, ...]:
        """Return what the lines let the seat to act do."""
        assert isinstance(betting, LineBetting)
        return betting.actions_in(state)

    def sizes_at(self, betting: Betting, state: BettingState) -> Sequence[BetSize]:
        """Return no sizes: lines name their bets in chips."""
        return ()


LINE_SIZES = LineSizes(())


def written(line: Sequence[int]) -> str:
    """Return a line for a message: its amounts, the middle left out if there are many.

    >>> written((0, 50, 150))
    '0 50 150'
    """
    amounts = [str(total) for total in line]
    return " ".join(amounts if len(amounts) <= 16 else [*amounts[:8], "...", *amounts[-7:]])
