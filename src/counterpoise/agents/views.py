"""Where play is in the newest strategy that an agent has: the state of the loop at the table.

A *plan* is a strategy of all seats from some public history on: a blueprint from the deal on, or the solution of a
subgame. A `View` follows real play with one. It knows what each seat has shown of its hand, its *range* (per hand of
the deck how likely the seat plays as it did, by the plan), and what the seat to act does with every hand. A view never
changes: `after` returns the next one.

Bets that the plan lacks are translated: the view then follows several *shadows*, places in the plan's own game,
each with the probability of the translations that led there and the reach of all seats along its own line. A seat's
behaviour is the mixture of what it does at the shadows, weighted by both; its range is their sum. No more than
`MOST_SHADOWS` are followed, the likeliest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.translation import Translation
from counterpoise.agents.shadows import CHECK_OR_CALL, BettingRules, all_in_for_less, believed, made
from counterpoise.betting.rules import BettingState
from counterpoise.betting.sizes import label, read_label
from counterpoise.games.base import CHANCE, Action
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import Behaviour, public_cards

if TYPE_CHECKING:
    from counterpoise.blueprint import Blueprint

FloatArray = NDArray[np.float64]
MOST_SHADOWS = 8
MOST_VIEWS = 256
"""Public histories whose views an agent remembers: those of the hands being played and judged."""
LEAST_RANGE = 1e-12
"""A seat whose range weighs less than this has played as the plan never would: any hand is believed then."""


class Plan(Protocol):
    """A strategy of all seats from a public history on."""

    @property
    def rules(self) -> BettingRules:
        """The betting of the plan's own game: its menu may be smaller than that of the table."""

    def behaviour(self, line: tuple[str, ...]) -> Behaviour:
        """Return what the seat to act does with every hand of the deck after a public history of the plan's game."""


@dataclass(frozen=True, eq=False)
class BlueprintPlan:
    """A blueprint as a plan."""

    blueprint: Blueprint

    @property
    def rules(self) -> Holdem:
        """The game of the blueprint."""
        return self.blueprint.game

    def behaviour(self, line: tuple[str, ...]) -> Behaviour:
        """Return what the seat to act does with every hand of the deck."""
        return self.blueprint.probabilities(line)


class PlanShadow(NamedTuple):
    """A place in a plan's own game: the betting and the public history there."""

    betting: BettingState
    line: tuple[str, ...]
    chance: float
    """How likely translations lead here."""
    reach: FloatArray
    """How likely each seat plays along the line with each hand of the deck, [seat, hand]."""


@dataclass(frozen=True, eq=False)
class View:
    """Where play is, as an agent sees it; see the module docstring."""

    game: Holdem
    """The game at the table."""
    plan: Plan
    public: tuple[str, ...]
    betting: BettingState
    """The betting at the table."""
    shadows: tuple[PlanShadow, ...]
    translation: Translation = "pseudo-harmonic"
    seat: int | None = None
    """The agent's own seat: what it did is known, and not translated. None: that of nobody."""

    @classmethod
    def start(
        cls,
        game: Holdem,
        plan: BlueprintPlan,
        translation: Translation = "pseudo-harmonic",
        seat: int | None = None,
    ) -> View:
        """Return the view of a plan for the whole game before anybody has acted."""
        betting = game.betting_after(())
        reach = np.ones((game.players, game.deck.hand_count))
        home = plan.rules.betting_after(()) if isinstance(plan.rules, Holdem) else betting  # its stacks may be larger
        return cls(game, plan, (), betting, (PlanShadow(home, (), 1.0, reach),), translation, seat)

    def follow(self, plan: Plan, ranges: FloatArray | None = None) -> View:
        """Return the view from which another plan is followed, one that begins here, with these ranges by default."""
        reach = self.ranges if ranges is None else ranges
        return replace(self, plan=plan, shadows=(PlanShadow(self.betting, self.public, 1.0, reach),))

    @property
    def exact(self) -> bool:
        """Whether the plan knows all bets since it began, so that nothing was translated."""
        return len(self.shadows) == 1 and self.shadows[0].line == self.public

    @cached_property
    def ranges(self) -> FloatArray:
        """How likely each seat plays as it did with each hand, [seat, hand]; 0 for hands that the board rules out.

        A seat that has played as the plan never would may have any hand.
        """
        found = sum(shadow.chance * shadow.reach for shadow in self.shadows)
        live = self.game.deck.live_hands(public_cards(self.public))
        ranges = np.where(live, found, 0.0)
        lost = ranges.sum(axis=1) < LEAST_RANGE
        ranges[lost] = live
        return np.asarray(ranges)

    def behaviour(self) -> Behaviour:
        """Return what the seat to act does with every hand, in actions of the table."""
        seat, table = self.betting.to_act, self._tables
        hands = self.game.deck.hand_count
        weight = [shadow.chance * shadow.reach[seat] for shadow in self.shadows]
        believed_in = np.sum(weight, axis=0) > 0
        found: dict[Action, FloatArray] = {}
        total = np.zeros(hands)
        for shadow, own, known in zip(self.shadows, weight, table, strict=True):
            share = np.where(believed_in, own, shadow.chance)  # a hand that never plays so believes in translations
            total += share
            if known is None:
                found[CHECK_OR_CALL] = found.get(CHECK_OR_CALL, np.zeros(hands)) + share
                continue
            for column, action in enumerate(known.actions):
                done = self._made(shadow, action)
                found[done] = found.get(done, np.zeros(hands)) + share * known.table[:, column]
        rows = np.stack(list(found.values()), axis=1)
        sums = rows.sum(axis=1, keepdims=True)
        rows = np.divide(rows, sums, out=np.zeros_like(rows), where=sums > 0)
        live = self.game.deck.live_hands(public_cards(self.public))
        return Behaviour(self.game.deck.hand_names, tuple(found), rows * live[:, None])

    def after(self, event: str) -> View:
        """Return the view after one more public event, following the same plan."""
        betting = self.game.betting_next(self.betting, event)
        if event[:1] not in ("f", "c", "b"):
            shadows = [self._dealt(shadow, event) for shadow in self.shadows]
        else:
            shadows = (self.betting.to_act == self.seat and self._moved(event)) or self._heard(event)
        return replace(self, public=(*self.public, event), betting=betting, shadows=_likeliest(shadows))

    @cached_property
    def _tables(self) -> list[Behaviour | None]:
        """What the seat to act does at each shadow; None where it does not act there."""
        acts = [shadow.betting.to_act == self.betting.to_act >= 0 for shadow in self.shadows]
        return [
            self.plan.behaviour(shadow.line) if own else None for shadow, own in zip(self.shadows, acts, strict=True)
        ]

    def _made(self, shadow: PlanShadow, action: Action) -> Action:
        return label(made(self.plan.rules, self.game, shadow.betting, self.betting, read_label(action)))

    def _heard(self, event: str) -> list[PlanShadow]:
        """Return where the shadows may be after an action of a seat that may not follow the plan."""
        pairs = zip(self.shadows, self._tables, strict=True)
        return [following for shadow, known in pairs for following in self._acted(shadow, known, event)]

    def _moved(self, event: str) -> list[PlanShadow]:
        """Return where the shadows may be after an action of the agent itself; nothing if it would never act so.

        At a shadow where it would act otherwise it has no reach any more (its range is what it plays).
        """
        own, found = self.betting.to_act, list[PlanShadow]()
        for shadow, known in zip(self.shadows, self._tables, strict=True):
            actions = [] if known is None else [one for one in known.actions if self._made(shadow, one) == event]
            if known is None and event == CHECK_OR_CALL:
                found.append(shadow)
            elif known is not None and actions:
                found += [self._took(shadow, known, action) for action in actions]
            else:
                gone = np.arange(len(shadow.reach)) == own
                found += [
                    one._replace(reach=np.where(gone[:, None], 0.0, one.reach))
                    for one in self._acted(shadow, known, event)
                ]
        return found if sum(float(one.chance * one.reach[own].sum()) for one in found) >= LEAST_RANGE else []

    def _took(self, shadow: PlanShadow, known: Behaviour, action: str, share: float = 1.0) -> PlanShadow:
        """Return where a shadow is after an action of its own game, which it takes with a share of its chance."""
        reach = shadow.reach.copy()
        reach[self.betting.to_act] *= known.table[:, known.actions.index(action)]
        return self._step(shadow._replace(chance=shadow.chance * share, reach=reach), action)

    def _acted(self, shadow: PlanShadow, known: Behaviour | None, event: str) -> list[PlanShadow]:
        """Return where a shadow may be after an action at the table."""
        if known is None:
            return [shadow]
        same = [action for action in known.actions if self._made(shadow, action) == event]
        likely = dict.fromkeys(same, 1.0)
        if not same or all_in_for_less(self.plan.rules, self.game, self.betting, event):
            likely = believed(self.plan.rules, self.game, shadow.betting, self.betting, event, self.translation)
        return [self._took(shadow, known, action, share) for action, share in likely.items() if share > 0]

    def _step(self, shadow: PlanShadow, event: str) -> PlanShadow:
        betting = self.plan.rules.betting_next(shadow.betting, event)
        return shadow._replace(betting=betting, line=(*shadow.line, event))

    def _dealt(self, shadow: PlanShadow, cards: str) -> PlanShadow:
        """Return where a shadow is after public cards; one whose round is not over sees everybody check or call."""
        while shadow.betting.to_act >= 0:
            shadow = self._step(shadow, CHECK_OR_CALL)
        return self._step(shadow, cards) if shadow.betting.to_act == CHANCE else shadow


def _likeliest(shadows: Sequence[PlanShadow]) -> tuple[PlanShadow, ...]:
    """Return the shadows that weigh most, in their order."""
    if len(shadows) <= MOST_SHADOWS:
        return tuple(shadows)
    weight = [shadow.chance * float(shadow.reach.sum(axis=1).prod()) for shadow in shadows]
    kept = sorted(np.argsort([-one for one in weight], kind="stable")[:MOST_SHADOWS].tolist())
    return tuple([shadows[place] for place in kept])
