"""Settings of nested search: how actions of the opponent are answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from counterpoise.errors import InputError
from counterpoise.parameters import require_whole
from counterpoise.search.gadget import MethodName
from counterpoise.solvers.base import Algorithm, AtLeastZero, Settings, WholeFromOne


@dataclass(frozen=True, kw_only=True)
class NestedSearch(Settings):
    """How actions of the opponent are answered."""

    registered_name: ClassVar[str] = "nested search"
    source: ClassVar[str] = "Brown 2020, section 5.1.7"
    method: MethodName = "maxmargin"
    start: Literal["after", "before", "round"] = "after"
    """Where search starts: after the action, before it, or at the beginning of the betting round."""
    gifts: bool = False
    """Whether alternatives are raised by gifts (the lower bounds, from actions that end the game)."""
    expected: bool = False
    """Whether alternatives are what the strategies win against each other, not what a best response wins (Modicum)."""
    always: bool = False
    """Whether known actions are answered by search too."""
    spread: AtLeastZero = 0.0
    """Standard deviation of the alternatives of the distributional method, in the game's unit."""
    freeze: Literal["all_hands", "own_hand"] = "all_hands"
    """Whose earlier decisions stay frozen when search starts with the round: those of all hands, or of the hand that
    is held."""
    algorithm: str | Algorithm = "cfr+"
    iterations: WholeFromOne = 1000

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.method == "unsafe" and self.start == "after":
            raise InputError("unsafe nested search cannot start after an action: the ranges there are unknown")
        if self.method == "unsafe" and (self.gifts or self.expected):
            raise InputError("unsafe search has no alternatives: neither gifts nor expected values")
        if self.spread and self.method != "distributional":
            raise InputError(f"spread ({self.spread:g}) is for the method distributional, not for {self.method}")
        if self.one_hand and self.start != "round":
            raise InputError(
                f"freeze (own_hand) is for searches that start with the round, not {self.start} the action"
            )

    @property
    def one_hand(self) -> bool:
        """Whether a search is made for one hand of the searcher alone."""
        return self.freeze == "own_hand"


def require_hand(settings: NestedSearch, count: int, hand: Any) -> None:
    """Require the searcher's hand if only this one is frozen, and refuse it otherwise."""
    if not settings.one_hand:
        if hand is not None:
            raise InputError(f"hand ({hand!r}) is for searches that freeze the own hand only: set freeze to own_hand")
    elif hand is None:
        raise InputError("hand must be given, the number of the one that the searcher holds: freeze is own_hand")
    else:
        require_whole("hand", hand, 0, count - 1)
