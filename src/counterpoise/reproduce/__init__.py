"""Published tables and figures, re-run: our numbers beside the published ones, and each claim decided or said why not.

`EXPERIMENTS` maps ids to experiments, as the file ``data/experiments.toml`` declares them. Their bodies live in a
folder per source (`brown`, `johanson`) and run on the `harness`; other people's figures are the other files of `data`.
"""

from counterpoise.reproduce.harness.experiment import EXPERIMENTS, Experiment, experiment
from counterpoise.reproduce.harness.report import Claim, JudgedClaim, Lab, Report, Table
from counterpoise.reproduce.harness.verdicts import NotMeasured

__all__ = ["EXPERIMENTS", "Claim", "Experiment", "JudgedClaim", "Lab", "NotMeasured", "Report", "Table", "experiment"]
