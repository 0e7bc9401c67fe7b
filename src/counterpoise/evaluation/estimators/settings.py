"""Settings of judging hands; none of them may depend on the hands."""

from __future__ import annotations

from dataclasses import dataclass, field

from counterpoise.evaluation.estimators.baselines import SURROGATES, Surrogate, Thresholds
from counterpoise.evaluation.estimators.value_functions import GuessLike
from counterpoise.parameters import require_choice


@dataclass(frozen=True)
class JudgeSettings:
    """Settings of all estimators."""

    surrogates: tuple[Surrogate, ...] = SURROGATES
    """The values of a hand: money, and money minus luck by DIVAT and BC-DIVAT."""
    thresholds: Thresholds = field(default_factory=Thresholds)
    """DIVAT's betting policy."""
    partial: bool = False
    """Judge as if cards were hidden after a fold, even if the record has them."""
    guess: GuessLike = "own"
    """AIVAT's value function: see `counterpoise.evaluation.estimators.value_functions`; hold'em has one of its own."""

    def __post_init__(self) -> None:
        for kind in self.surrogates:
            require_choice("surrogates", kind, SURROGATES)
        require_choice("partial", self.partial, (True, False))
