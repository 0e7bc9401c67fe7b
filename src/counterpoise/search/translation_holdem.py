"""Action translation in hold'em: bets that a blueprint does not know are taken for its own bets (see `translation`).

The player is in the blueprint's tree only as a *shadow* of where it really is. After a bet of x of the pot its shadow
has seen one of the two neighbouring bets, at random; so there are several shadows, each with the probability of the
translations that led there and, hand by hand, with the player's own reach on its way. At a real decision a hand plays
the mixture of what it plays at its shadows, weighted by both, and a shadow's bet is made as the same share of the real
pot, or the nearest there is; all-in stays all-in. Bets are whole chips: two bets are of the same share if they would be
without the rounding to chips in their two pots. That is the exact strategy of the player, whose exploitability a best
response tells.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterpoise.betting.rules import CALL, FOLD, BetAction, Betting, BettingState
from counterpoise.parameters import require_seat
from counterpoise.public import HoldemTree
from counterpoise.public.kernels.street import DEAL
from counterpoise.public.lines import Leaf
from counterpoise.search.play_holdem import Place, play_everywhere, require_same_game
from counterpoise.search.subgame import FloatArray
from counterpoise.search.translation import Translation, translate


def pot_share(betting: Betting, state: BettingState, action: BetAction) -> float:
    """A bet as a share of the pot after a call; 0 for a check or call.

    >>> betting = Betting((1000, 1000), blinds=(50, 100))
    >>> pot_share(betting, betting.initial(), 250)
    0.75
    """
    if action == CALL:
        return 0.0
    return (action - state.stake) / _pot(betting, state)


class HoldemShadow(NamedTuple):
    """Where the player may believe to be in the blueprint's tree: a decision, or the end of a round or of the hand."""

    at: Place | Leaf
    chance: float
    """How likely translations lead there."""
    reach: FloatArray
    """The player's own reach, by hand of the deck."""


def play_translated_holdem(
    whole: HoldemTree, blueprint: HoldemTree, player: int, translation: Translation = "pseudo-harmonic"
) -> None:
    """Make the averages of `whole` what a player does there who plays a blueprint by translation.

    `blueprint` is a solved tree of the same game in which both have those of the bets that the player has in `whole`.
    Where an answer of a shadow is not possible, or the real bet was none to it, the player calls.
    """
    require_seat("player", player)
    require_same_game(whole, blueprint)
    first = HoldemShadow(Place(blueprint, 0, 0, blueprint.board), 1.0, np.ones(blueprint.deck.hand_count))
    play_everywhere(whole, player, HoldemTranslator(blueprint, player, translation), [first])


class HoldemTranslator:
    """A player at work who follows a blueprint by translation."""

    def __init__(self, blueprint: HoldemTree, player: int, translation: Translation = "pseudo-harmonic") -> None:
        self.blueprint, self.player, self.translation = blueprint, player, translation

    def strategy(self, at: Place, view: list[HoldemShadow]) -> FloatArray:
        """The mixture of what the shadows do."""
        reach = np.sum([shadow.chance * shadow.reach for shadow in view], axis=0)
        never = ~(reach > 0)  # then believe in the translations alone
        mixed = np.zeros((len(at.node.actions), len(never)))
        for shadow in view:
            believed = shadow._replace(reach=np.where(never, 1.0, shadow.reach))
            for made, following in self._answers(at, believed):
                mixed[at.node.actions.index(made)] += shadow.chance * following.reach
        total = mixed.sum(axis=0)
        return mixed / np.where(total > 0, total, 1.0)

    def after(self, at: Place, view: list[HoldemShadow], action: BetAction) -> list[HoldemShadow]:
        """The shadows after a real action."""
        follow = self._moved if at.node.player == self.player else self._heard
        return [following for shadow in view for following in follow(at, shadow, action)]

    def dealt(self, view: list[HoldemShadow], cards: tuple[int, ...]) -> list[HoldemShadow]:
        """The shadows on the next board, everybody having called; a hand that is over for a shadow stays over."""
        found = []
        for shadow in view:
            end = shadow.at
            while isinstance(end, Place):
                end = end.after(CALL)
            if end.kind == DEAL:
                shadow = shadow._replace(at=Place(self.blueprint, end.line, 0, cards))
            found.append(shadow)
        return found

    def _answers(self, at: Place, shadow: HoldemShadow) -> list[tuple[BetAction, HoldemShadow]]:
        """What the player may really do because of a shadow, and the shadow after that."""
        if not isinstance(shadow.at, Place) or shadow.at.node.player != self.player:
            return [(CALL, shadow)]
        return [
            (_made(at, shadow.at, action), shadow._replace(at=shadow.at.after(action), reach=shadow.reach * row))
            for action, row in zip(shadow.at.node.actions, shadow.at.strategy, strict=True)
        ]

    def _moved(self, at: Place, shadow: HoldemShadow, action: BetAction) -> list[HoldemShadow]:
        """Where a shadow is after the player's own action, or where it was if it would not have acted so."""
        found = [following for made, following in self._answers(at, shadow) if made == action]
        return found or [shadow._replace(reach=np.zeros_like(shadow.reach))]

    def _heard(self, at: Place, shadow: HoldemShadow, action: BetAction) -> list[HoldemShadow]:
        """Where a shadow is after an action of the opponent, translated."""
        if not isinstance(shadow.at, Place) or shadow.at.node.player == self.player:
            return [shadow]
        if action == FOLD:
            return [shadow._replace(at=shadow.at.after(FOLD))]
        betting, state = self.blueprint.betting, shadow.at.state
        sizes = {pot_share(betting, state, known): known for known in shadow.at.node.actions if known != FOLD}
        share = pot_share(at.tree.betting, at.state, action)
        nearest = min(sizes, key=lambda size: abs(size - share))
        rounding = 0.5 / _pot(at.tree.betting, at.state) + 0.5 / _pot(betting, state)
        alike = action > CALL and sizes[nearest] > CALL and abs(nearest - share) <= rounding
        taken = translate(nearest if alike else share, sizes, self.translation)
        return [
            shadow._replace(at=shadow.at.after(sizes[size]), chance=shadow.chance * likely)
            for size, likely in taken.items()
        ]


def _made(at: Place, shadow: Place, action: BetAction) -> BetAction:
    """The real action that a shadow's stands for: all-in for all-in, else the bet of the nearest share of the pot."""
    bets = [bet for bet in at.node.actions if bet > CALL]
    if action <= CALL or not bets:
        return action if action in at.node.actions else CALL
    if action == _all_in(shadow) and _all_in(at) in bets:
        return _all_in(at)
    share = pot_share(shadow.tree.betting, shadow.state, action)
    return min(bets, key=lambda bet: abs(pot_share(at.tree.betting, at.state, bet) - share))


def _all_in(at: Place) -> BetAction:
    """The largest bet that the opponent can call, or the smallest allowed if that is more."""
    return max(at.state.min_raise, min(at.state.max_raise, at.tree.betting.reachable(at.state)))


def _pot(betting: Betting, state: BettingState) -> int:
    """After a call."""
    return betting.total_pot(state) + state.to_call
