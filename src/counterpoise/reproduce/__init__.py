"""Published tables and figures, re-run: our numbers beside the published ones, and each claim with holds or not.

`EXPERIMENTS` maps ids to experiments. Experiments live in a folder per source (`brown`, `johanson`) and declare their
runs, tables and claims on the `harness`; other people's figures are the files of `data`.
"""

from counterpoise.reproduce import brown, johanson
from counterpoise.reproduce.harness.experiment import EXPERIMENTS, Experiment, Lab, experiment
from counterpoise.reproduce.harness.report import Claim, Judged, NotMeasured, Report, Table

__all__ = [
    "EXPERIMENTS",
    "Claim",
    "Experiment",
    "Judged",
    "Lab",
    "NotMeasured",
    "Report",
    "Table",
    "brown",
    "experiment",
    "johanson",
]
