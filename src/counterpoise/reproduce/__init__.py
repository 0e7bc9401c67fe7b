"""Published tables and figures, re-run: our numbers beside the published ones, and each claim with holds or not.

`EXPERIMENTS` maps ids to experiments; an experiment is one file here, made of races (`race`) and claims.
"""

from counterpoise.reproduce import (
    cfr_plus_rate,
    discounting,
    fictitious_play,
    first_order,
    goofspiel,
    leduc_benchmark,
    leduc_cfr_plus,
    three_actions,
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
    "cfr_plus_rate",
    "discounting",
    "experiment",
    "fictitious_play",
    "first_order",
    "goofspiel",
    "leduc_benchmark",
    "leduc_cfr_plus",
    "race",
    "three_actions",
]
