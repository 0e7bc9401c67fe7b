"""Published tables and figures, re-run: our numbers beside the published ones, and each claim with holds or not.

`EXPERIMENTS` maps ids to experiments; an experiment is one file here, made of races (`race`) and claims.
"""

from counterpoise.reproduce import (
    cfr_br_mini,
    cfr_plus_rate,
    chance_sampling,
    coarse_to_fine,
    discounting,
    fictitious_play,
    first_order,
    goofspiel,
    leduc_benchmark,
    leduc_cfr_plus,
    pruning,
    pruning_size,
    pruning_space,
    regret_free,
    sampled_discounting,
    three_actions,
    thresholding,
    warm_start,
)
from counterpoise.reproduce.base import (
    EXPERIMENTS,
    Claim,
    Experiment,
    NotMeasured,
    Report,
    Setup,
    Table,
    experiment,
)
from counterpoise.reproduce.race import Race, race

__all__ = [
    "EXPERIMENTS",
    "Claim",
    "Experiment",
    "NotMeasured",
    "Race",
    "Report",
    "Setup",
    "Table",
    "cfr_br_mini",
    "cfr_plus_rate",
    "chance_sampling",
    "coarse_to_fine",
    "discounting",
    "experiment",
    "fictitious_play",
    "first_order",
    "goofspiel",
    "leduc_benchmark",
    "leduc_cfr_plus",
    "pruning",
    "pruning_size",
    "pruning_space",
    "race",
    "regret_free",
    "sampled_discounting",
    "three_actions",
    "thresholding",
    "warm_start",
]
