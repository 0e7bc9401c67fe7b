"""Public belief states: a public state with what everybody believes about both players' hands.

See Brown et al. 2020, section 4; Brown 2020, section 5.3.2.

Beliefs are one distribution over hands per player; a pair of hands is as likely as the product of both, if the two can
be dealt together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.deep.rebel.kernels.layouts import Floats, Payoffs
from counterpoise.deep.rebel.kernels.subgame import TINY


class BeliefState(NamedTuple):
    """A public belief state."""

    state: int
    """The public state by its number in the game."""
    beliefs: Floats
    """[player, hand], each summing to 1."""


def normalised(ranges: Floats, prior: Floats, live: NDArray[np.bool_] | None = None) -> Floats:
    """Return ranges [..., player, hand] scaled to sum to 1 per player, over the hands that public cards leave.

    A range without mass is one that no policy leads to: the prior over the possible hands stands for it (the zero-mass
    rule), so that beliefs are never undefined.
    """
    kept = np.asarray(ranges, dtype=np.float64)
    fallback = np.broadcast_to(np.asarray(prior, dtype=np.float64), kept.shape)
    if live is not None:
        kept, fallback = kept * live, fallback * live
    mass = kept.sum(axis=-1, keepdims=True)
    kept = np.where(mass > TINY, kept, fallback)
    return np.asarray(kept / kept.sum(axis=-1, keepdims=True))


def after_action(beliefs: Floats, actor: int, probability: Floats, payoffs: Payoffs) -> tuple[Floats, float]:
    """Return the beliefs after a public action, and its probability (the transition T of public belief states).

    `probability` is that of the action for each hand of the player who acts.
    """
    ranges = np.array(beliefs, dtype=np.float64)
    before = joint(ranges, payoffs)
    chance = float((before.sum(axis=1 - actor) * probability).sum())
    ranges[actor] *= probability
    return normalised(ranges, payoffs.prior), chance


def joint(beliefs: Floats, payoffs: Payoffs) -> Floats:
    """Return the probabilities of pairs of hands, [first player's hand, second player's hand]."""
    pairs = np.outer(beliefs[0], beliefs[1]) * payoffs.meet
    total = pairs.sum()
    if total <= TINY:
        pairs = np.outer(payoffs.prior[0], payoffs.prior[1]) * payoffs.meet
        total = pairs.sum()
    return np.asarray(pairs / total)


def met(beliefs: Floats, payoffs: Payoffs) -> Floats:
    """Return for each hand the mass of the opponent's hands that it can meet, [..., player, hand]."""
    others = np.asarray(beliefs, dtype=np.float64)[..., ::-1, :]
    if not payoffs.blocking:
        return np.broadcast_to(others.sum(axis=-1, keepdims=True), others.shape)
    return np.asarray(others @ payoffs.meet)


def quantised(policy: Floats) -> NDArray[np.uint8]:
    """Return probabilities in 8 bits, as the targets of a policy network are kept (Brown et al. 2020, appendix E)."""
    return np.asarray(np.rint(np.asarray(policy) * 255), dtype=np.uint8)


def unquantised(levels: NDArray[np.uint8], axis: int = 0) -> Floats:
    """Return the probabilities behind 8 bits, summing to 1 along the axis of actions."""
    shares = levels.astype(np.float64) / 255
    total = shares.sum(axis=axis, keepdims=True)
    return np.asarray(np.where(total > 0, shares / np.where(total > 0, total, 1), 1 / levels.shape[axis]))
