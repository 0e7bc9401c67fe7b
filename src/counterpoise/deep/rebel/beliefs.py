"""Public belief states: a public state with the common beliefs about both players' hands.

See Brown et al. 2020, section 4; Brown 2020, section 5.3.2.

Beliefs are one distribution over hands per player; the probability of a pair of hands that can be dealt together is
proportional to their product.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.deep.rebel.kernels.questions import TINY
from counterpoise.proportions import proportional

IntArray = NDArray[np.int64]
Floats = NDArray[Any]
"""float32 where a network answers, float64 where identities are checked."""


class BeliefState(NamedTuple):
    """A public belief state."""

    state: int
    """The public state by its number in the game."""
    beliefs: Floats
    """[player, hand], each summing to 1."""


@dataclass(frozen=True, eq=False)
class HandPairs:
    """The hands that players may hold before any action, and which of them can be dealt together."""

    prior: Floats
    """[player, hand]: chances of hands, used for beliefs that have no mass."""
    meet: NDArray[np.bool_]
    """[hand, hand]: whether both can be dealt together."""
    cards: Floats | None = None
    """[hand, card]: 1 for each of the two cards of a hand of hold'em, where two hands meet if they share none."""

    @cached_property
    def blocking(self) -> bool:
        """Whether any two hands cannot meet."""
        return not self.meet.all()

    def met(self, ranges: Floats) -> Floats:
        """Return, for each hand, the mass of a range [..., hand] of the other's hands that it can meet."""
        weights = np.asarray(ranges, dtype=np.float64)
        total = weights.sum(axis=-1, keepdims=True)
        if not self.blocking:
            return np.broadcast_to(total, weights.shape)
        if self.cards is None:
            return np.asarray(weights @ self.meet)
        # Hands of one shared card are taken away once, the hand itself twice and given back once.
        return np.asarray(np.maximum(total - weights @ self.cards @ self.cards.T + weights, 0.0))

    def joint(self, beliefs: Floats) -> Floats:
        """Return the probabilities of pairs of hands, [first player's hand, second player's hand]."""
        pairs = np.outer(beliefs[0], beliefs[1]) * self.meet
        total = pairs.sum()
        if total <= TINY:
            pairs = np.outer(self.prior[0], self.prior[1]) * self.meet
            total = pairs.sum()
        return np.asarray(pairs / total)


def normalised(ranges: Floats, prior: Floats, live: NDArray[np.bool_] | None = None) -> Floats:
    """Return ranges [..., player, hand] scaled to sum to 1 per player, over the hands that public cards leave.

    A range without mass, to which no policy leads, is replaced by the prior over the possible hands (the zero-mass
    rule), so that beliefs are always defined.
    """
    kept = np.asarray(ranges, dtype=np.float64)
    fallback = np.broadcast_to(np.asarray(prior, dtype=np.float64), kept.shape)
    if live is not None:
        kept, fallback = kept * live, fallback * live
    mass = kept.sum(axis=-1, keepdims=True)
    kept = np.where(mass > TINY, kept, fallback)
    return np.asarray(kept / kept.sum(axis=-1, keepdims=True))


def after_action(beliefs: Floats, actor: int, probability: Floats, pairs: HandPairs) -> tuple[Floats, float]:
    """Return the beliefs after a public action, and its probability (the transition T of public belief states).

    `probability` is that of the action for each hand of the player who acts.
    """
    ranges = np.array(beliefs, dtype=np.float64)
    before = pairs.joint(ranges)
    chance = float((before.sum(axis=1 - actor) * probability).sum())
    ranges[actor] *= probability
    return normalised(ranges, pairs.prior), chance


def met(beliefs: Floats, pairs: HandPairs) -> Floats:
    """Return for each hand the mass of the opponent's hands that it can meet, [..., player, hand]."""
    return pairs.met(np.asarray(beliefs)[..., ::-1, :])


def conditional(won: Floats, beliefs: Floats, pairs: HandPairs) -> Floats:
    """Return counterfactual values over the mass that each hand can meet, [..., player, hand]; 0 where it is 0."""
    mass = met(beliefs, pairs)
    return np.asarray(np.where(mass > 0, won / np.where(mass > 0, mass, 1), 0))


def quantised(policy: Floats) -> NDArray[np.uint8]:
    """Return probabilities in 8 bits, as the targets of a policy network are kept (Brown et al. 2020, appendix E)."""
    return np.asarray(np.rint(np.asarray(policy) * 255), dtype=np.uint8)


def unquantised(levels: NDArray[np.uint8], axis: int = 0) -> Floats:
    """Return the probabilities behind 8 bits, summing to 1 along the axis of actions."""
    shares = levels.astype(np.float64) / 255
    total = shares.sum(axis=axis, keepdims=True)
    return proportional(shares, total, 1 / levels.shape[axis])
