"""Keywords of the training of blueprints, explained once."""

from typing import Annotated, TypedDict

from counterpoise.betting.tilt import PayoffTilt
from counterpoise.blueprint.settings import Discount, Method
from counterpoise.jobs import TrainingKeywords
from counterpoise.sampling.external import SkippedActions


class SettingKeywords(TypedDict, total=False):
    """The fields of `TrainSettings`, which explains them at length."""

    method: Annotated[Method | None, "external, vector, clusters or cfr-br; by default external"]
    discount: Annotated[Discount | None, "linear or none; by default linear"]
    period: Annotated[int | None, "the number of iterations of a block, after which the discount is applied"]
    skipping: Annotated[SkippedActions | None, "the own actions that sampling leaves out; by default none"]
    trunk: Annotated[int | None, "the rounds in which the responder of cfr-br learns; by default 2"]
    batch: Annotated[int | None, "the number of hands between two updates of the tables"]
    seed: Annotated[int | None, "of the random generator; by default 0"]
    tilt: Annotated[PayoffTilt | None, "the per cent by which payoffs grow while regrets are trained; by default 0"]


class BlueprintKeywords(TrainingKeywords, SettingKeywords, total=False):
    """When a training ends, who looks on, where its files are kept, and its settings."""
