"""Simple betting policies by which luck is measured on enumerated games: advantage sums, DIVAT, BC-DIVAT.

See Zinkevich et al. 2006.

For any function Phi of histories the luck of a chance event is Phi after it minus the mean of Phi over all outcomes. A
payoff minus all luck on its path has the same mean, whoever plays. DIVAT's Phi is the value of a history if both
players bet by fixed thresholds from there on; BC-DIVAT's assumes a bet and a call in every remaining round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from counterpoise.errors import InputError
from counterpoise.evaluation.estimators.enumerated import EnumeratedHands
from counterpoise.evaluation.estimators.layers import FloatArray, IndexArray
from counterpoise.games.base import CHANCE, TERMINAL, game_name
from counterpoise.games.moves import FOLD, RAISE, SHARES, action_kinds, share_out
from counterpoise.parameters import is_list, is_number, require, shown

Surrogate = Literal["money", "divat", "bc-divat"]
"""The value of a hand: the payoff, or the payoff minus luck."""
Policy = Callable[[Sequence[int], int], tuple[float, float, float]]
"""How often to fold, call and raise, given the kinds of the actions and the information set."""
SURROGATES: tuple[Surrogate, ...] = ("money", "divat", "bc-divat")


@dataclass(frozen=True)
class Thresholds:
    """How strong a hand must be to bet, to raise, and not to fold to a bet, as shares of hands beaten, 0 to 1.

    One number for all rounds, or one for each. The source does not print those of DIVAT; any leave the estimate
    unbiased.
    """

    fold: float | tuple[float, ...] = 0.3
    """Below it a hand folds to a bet."""
    bet: float | tuple[float, ...] = 0.55
    """The strength from which on a hand bets."""
    raise_: float | tuple[float, ...] = 0.85
    """The strength from which on a hand raises a bet."""

    def __post_init__(self) -> None:
        for name in ("fold", "bet", "raise_"):
            value = getattr(self, name)
            if is_list(value):
                object.__setattr__(self, name, tuple(value))
            each = value if is_list(value) else [value]
            proper = len(each) > 0 and all(is_number(one) and 0 <= one <= 1 for one in each)
            require(
                proper, f"thresholds: {name} must be a share from 0 to 1, or one for each round, not {shown(value)}"
            )

    def at(self, round_: int) -> tuple[float, float, float]:
        """Return fold, bet and raise in a round, counted from 0; the last one given serves all later rounds."""
        fold, bet, raise_ = (
            own[min(round_, len(own) - 1)] if isinstance(own, tuple) else own
            for own in (self.fold, self.bet, self.raise_)
        )
        return fold, bet, raise_


def luck_so_far(hands: EnumeratedHands, phi: FloatArray) -> FloatArray:
    """Return the sum of all luck on the path to every history, by any function Phi of histories, one or more
    columns."""
    histories = hands.tree.histories
    table = phi if phi.ndim == 2 else phi[:, None]
    dealt = hands.mover == CHANCE
    mean = np.zeros_like(table)
    np.add.at(mean, histories.parent[dealt], histories.probability[dealt, None] * table[dealt])
    luck = np.zeros_like(table)
    for level in hands.levels[1:]:
        above = histories.parent[level]
        luck[level] = luck[above] + np.where(dealt[level, None], table[level] - mean[above], 0.0)
    return luck.reshape(phi.shape)


def bet_call_profile(hands: EnumeratedHands) -> FloatArray:
    """Return the flat profile in which every round has one bet, the smallest, and a call."""

    def choose(kinds: Sequence[int], infoset: int) -> tuple[float, float, float]:
        return SHARES["always-call"] if FOLD in kinds else SHARES["always-raise"]

    return _policy(hands, choose)


def threshold_profile(hands: EnumeratedHands, thresholds: Thresholds) -> FloatArray:
    """Return the flat profile that bets by thresholds on the strength of a hand."""
    strength, rounds = _strengths(hands), _rounds(hands)

    def choose(kinds: Sequence[int], infoset: int) -> tuple[float, float, float]:
        fold, bet, raise_ = thresholds.at(int(rounds[infoset]))
        own = strength[infoset]
        if FOLD not in kinds:
            return (0, 0, 1) if own >= bet else (0, 1, 0)
        if own >= raise_ and RAISE in kinds:
            return (0, 0, 1)
        return (0, 1, 0) if own >= fold else (1, 0, 0)

    return _policy(hands, choose)


def surrogate_luck(hands: EnumeratedHands, kind: Surrogate, thresholds: Thresholds) -> FloatArray:
    """Return the luck on the path to every history that a surrogate subtracts from the payoffs, [history, seat]."""
    if kind == "money":
        return np.zeros((hands.tree.nodes, hands.tree.players))
    profile = bet_call_profile(hands) if kind == "bc-divat" else threshold_profile(hands, thresholds)
    return luck_so_far(hands, hands.values(profile))


def allows_baselines(hands: EnumeratedHands) -> bool:
    """Return whether every decision of a game is to fold, call or raise, so that betting policies are defined."""
    return bool((hands.kinds[hands.mover >= 0] >= 0).all())


def _policy(hands: EnumeratedHands, choose: Policy) -> FloatArray:
    table = hands.tree.table
    flat = np.ones(table.size)
    for infoset, (start, actions, label) in enumerate(
        zip(table.start.tolist(), table.actions, table.labels, strict=True)
    ):
        kinds = action_kinds(hands.tree.game, label, actions)
        if kinds is None:
            raise InputError(f"{game_name(hands.tree.game)} has no bets and calls, which DIVAT goes by")
        flat[start : start + len(actions)] = share_out(choose(kinds, infoset), kinds)
    return flat


def _strengths(hands: EnumeratedHands) -> FloatArray:
    """Return how many hands every information set beats if all players call to the end, ties by half."""
    tree, histories = hands.tree, hands.tree.histories

    def choose(kinds: Sequence[int], infoset: int) -> tuple[float, float, float]:
        return (0, 1, 0)

    calls = _policy(hands, choose)
    shares = (1 + np.sign(histories.payoffs)) / 2
    value = hands.values(calls, shares)
    chance = hands.reach(np.where(hands.mover == CHANCE, histories.probability, 1.0))
    decisions = np.flatnonzero((histories.player != CHANCE) & (histories.player != TERMINAL))
    infoset, weight = histories.infoset[decisions], chance[decisions]
    own = value[decisions, histories.player[decisions]]
    total, mass = (np.bincount(infoset, each, len(tree.table)) for each in (weight * own, weight))
    return np.asarray(total / np.where(mass > 0, mass, 1))


def _rounds(hands: EnumeratedHands) -> IndexArray:
    """Return the betting round of every information set: how often chance has acted since the first decision."""
    histories = hands.tree.histories
    begun = np.zeros(hands.tree.nodes, dtype=np.bool_)
    rounds = np.zeros(hands.tree.nodes, dtype=np.int64)
    for level in hands.levels[1:]:
        above = histories.parent[level]
        begun[level] = begun[above] | (hands.mover[level] >= 0)
        rounds[level] = rounds[above] + (begun[above] & (hands.mover[level] == CHANCE))
    found = np.zeros(len(hands.tree.table), dtype=np.int64)
    decisions = np.flatnonzero(histories.player >= 0)
    found[histories.infoset[decisions]] = rounds[decisions]
    return found
