"""Keywords of the training of blueprints, explained once."""

from typing import Annotated, TypedDict

from counterpoise.betting.tilt import PayoffTilt
from counterpoise.blueprint.settings import Discount, Method
from counterpoise.jobs import TrainingKeywords
from counterpoise.sampling.external import SkippedActions


class SettingKeywords(TypedDict, total=False):
    """The fields of `TrainSettings`, which explains them at length."""

    method: Annotated[Method | None, "external, vector or clusters: what a walk draws; by default external"]
    discount: Annotated[Discount | None, "linear or none; by default linear"]
    period: Annotated[int | None, "how many iterations pass between two discounts"]
    skipping: Annotated[SkippedActions | None, "which own actions external sampling leaves out; by default none"]
    batch: Annotated[int | None, "how many hands are walked before the tables change"]
    seed: Annotated[int | None, "of the random generator; by default 0"]
    tilt: Annotated[PayoffTilt | None, "by how many per cent payoffs grow while regrets are trained; by default 0"]


class BlueprintKeywords(TrainingKeywords, SettingKeywords, total=False):
    """When a training ends, who looks on, where its files are kept, and its settings."""
