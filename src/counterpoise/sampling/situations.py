"""Betting trees that follow one line to a *situation* and continue from there, with bets there that the menu lacks.

The nodes of the line have all actions of the menu, but what they lead to beside the line is left out: it is an end that
pays nothing. So a given strategy for the line reaches the situation with the right frequency of every hand, and
training below solves a subgame with an unsafe root (Brown 2020, sections 5.1, 6.4). Public histories are those of whole
hands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from counterpoise.betting.rules import CALL, FOLD, BetAction, Betting, BettingState
from counterpoise.betting.sizes import label
from counterpoise.games.base import TERMINAL, Action
from counterpoise.games.holdem import Holdem
from counterpoise.parameters import require
from counterpoise.sampling.betting_tree import BettingTree, NodeCollector


@dataclass(frozen=True)
class SituationRules:
    """A game in which the seat to act after `line` may only fold, check or call, or bet one of `bets`.

    A call is left out at the first action of the game (Brown 2020, section 6.4). After a bet of `controls` betting is
    coarse: one bet at each decision, that nearest to the pot.
    """

    game: Holdem
    line: tuple[Action, ...]
    """Actions in the first round."""
    bets: tuple[BetAction, ...]
    """Totals in chips, controls included, in order."""
    controls: tuple[BetAction, ...] = ()

    def __post_init__(self) -> None:
        state = self.state
        where = ":".join(self.line) or "the deal"
        require(state.to_act >= 0 and state.round == 0, f"nobody is to act in the first round after {where}")
        for total in self.bets:
            legal = state.max_raise > 0 and state.min_raise <= total <= state.max_raise
            require(legal, f"a bet after {where} must be {state.min_raise} to {state.max_raise} chips, not {total}")
        require(set(self.controls) <= set(self.bets), f"controls must be among the bets, not {self.controls}")

    @property
    def betting(self) -> Betting:
        """The rules of betting."""
        return self.game.betting

    @cached_property
    def state(self) -> BettingState:
        """The betting at the situation."""
        return self.game.betting_after(self.line)

    @cached_property
    def path(self) -> dict[BettingState, BetAction]:
        """The action of the line at each state before the situation."""
        states = [self.game.betting_after(self.line[:place]) for place in range(len(self.line))]
        return {
            state: next(one for one in self.game.menu(state) if label(one) == taken)
            for state, taken in zip(states, self.line, strict=True)
        }

    def menu(self, betting: BettingState) -> Sequence[BetAction]:
        """Return the actions that are listed at a decision."""
        if betting != self.state:
            return self.game.menu(betting)
        passive = [FOLD] * bool(betting.to_call) + [CALL] * bool(self.line)
        return (*passive, *self.bets)

    def coarse_menu(self, betting: BettingState) -> Sequence[BetAction]:
        """Return the actions of a decision after a control."""
        actions = self.game.menu(betting)
        raises = [one for one in actions if one > CALL]
        pot = self.betting.total_pot(betting) + betting.to_call
        kept = min(raises, key=lambda total: abs(total - betting.stake - pot), default=None)
        return tuple([one for one in actions if one <= CALL or one == kept])


class SituationTree(BettingTree):
    """The betting tree of a situation; see the module docstring."""

    def __init__(self, rules: SituationRules) -> None:
        super().__init__(rules.game, *_Collector(rules).collect(rules.betting.initial()))
        self.rules = rules

    def __reduce__(self) -> Any:
        return SituationTree, (self.rules,)

    @property
    def path(self) -> list[int]:
        """The nodes of the line, without the situation."""
        return [self.node_after(self.rules.line[:place]) for place in range(len(self.rules.line))]

    @property
    def situation(self) -> int:
        """The node of the situation."""
        return int(self.node_after(self.rules.line))


class _Coarse(BettingState):
    """A state after a control."""


class _Collector(NodeCollector):
    """Collects the nodes of a situation."""

    def __init__(self, rules: SituationRules) -> None:
        super().__init__(rules.game, menu=rules.menu)
        self.rules = rules

    def _expand(self, state: BettingState) -> tuple[Sequence[BetAction], list[BettingState]]:
        rules, apply = self.rules, self.game.betting.apply
        if isinstance(state, _Coarse):
            actions = rules.coarse_menu(state)
            return actions, [_Coarse(*self._next_asked(apply(state, action))) for action in actions]
        actions, following = super()._expand(state)
        if state in rules.path:
            taken = rules.path[state]
            pairs = zip(actions, following, strict=True)
            return actions, [after if action == taken else _left_out(after) for action, after in pairs]
        if state == rules.state:
            pairs = zip(actions, following, strict=True)
            return actions, [_Coarse(*after) if action in rules.controls else after for action, after in pairs]
        return actions, following

    def _row(self, state: BettingState) -> int:
        if state.live:
            return super()._row(state)
        if () not in self.rows:
            self.rows[()] = len(self.base)
            self.base.append([0.0] * self.game.players)
            self.live.append(0)
            self.pots.append([])
        return self.rows[()]


def _left_out(state: BettingState) -> BettingState:
    """Return an end that pays nothing, in place of a branch that is left out."""
    return state._replace(to_act=TERMINAL, live=())
