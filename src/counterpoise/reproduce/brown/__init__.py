"""Experiments of BROWN: variants of CFR, warm starts, pruning, first-order methods, fictitious play and search."""

from counterpoise.reproduce.brown import (
    cfr_plus_rate,
    coarse_to_fine,
    discounting,
    fictitious_play,
    first_order,
    goofspiel,
    leduc_benchmark,
    pruning,
    pruning_size,
    pruning_space,
    regret_free,
    sampled_discounting,
    three_actions,
    thresholding,
    warm_start,
)

__all__ = [
    "cfr_plus_rate",
    "coarse_to_fine",
    "discounting",
    "fictitious_play",
    "first_order",
    "goofspiel",
    "leduc_benchmark",
    "pruning",
    "pruning_size",
    "pruning_space",
    "regret_free",
    "sampled_discounting",
    "three_actions",
    "thresholding",
    "warm_start",
]
