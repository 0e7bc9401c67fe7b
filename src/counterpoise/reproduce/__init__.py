"""Published tables and figures, re-run: our numbers beside the published ones, and each claim with holds or not.

`EXPERIMENTS` maps ids to experiments, as the file ``data/experiments.toml`` declares them. Their bodies live in a
folder per source (`brown`, `johanson`) and run on the `harness`; other people's figures are the other files of `data`.
"""

from counterpoise.reproduce.harness.experiment import EXPERIMENTS, Experiment
from counterpoise.reproduce.harness.report import Claim, JudgedClaim, Lab, NotMeasured, Report, Table

__all__ = ["EXPERIMENTS", "Claim", "Experiment", "JudgedClaim", "Lab", "NotMeasured", "Report", "Table"]
