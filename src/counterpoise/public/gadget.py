"""The gadget at the root of a subgame, by which one player enters. `kernels.gadget` says what each kind does."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from counterpoise.public.game import FloatArray, PublicGame
from counterpoise.public.kernels.gadget import HEDGE, MARGIN, RESOLVE, STEP
from counterpoise.public.kernels.layouts import Gadget

__all__ = ["HEDGE", "MARGIN", "RESOLVE", "STEP", "Gadget", "build_gadget"]


def build_gadget(
    game: PublicGame,
    kind: np.uint64,
    chooser: int,
    *,
    alternative: FloatArray,
    spread: FloatArray,
    mass: FloatArray,
    entry: float,
) -> Gadget:
    """Return a gadget before its first iteration, from one number per hand of the chooser.

    `mass` is the part of the other's range that a hand can meet, `entry` the initial probability of entering; hands
    without mass stay out.
    """
    size = game.ranges.shape[1]

    def gather_rows(by_hand: FloatArray) -> NDArray[np.float32]:
        row = game.to_rows(chooser, 0, np.where(mass > 0, by_hand, 0.0))
        return np.append(row, np.zeros(size - len(row))).astype(np.float32)

    return Gadget(
        kind=kind,
        chooser=np.uint64(chooser),
        alternative=gather_rows(alternative),
        spread=gather_rows(spread),
        mass=gather_rows(mass / game.unit[1 - chooser]),
        entry=gather_rows(np.full(len(mass), entry)),
        average=np.zeros(size, dtype=np.float32),
        average_weight=np.zeros(1),
        regret=np.zeros((2, size), dtype=np.float32),
        sums=np.zeros((3, size)),
        seen=np.zeros(1),
    )
