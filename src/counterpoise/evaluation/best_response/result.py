"""The result of a best response to a player."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from counterpoise.jobs import JobResult
from counterpoise.store.json import JsonResult, plain_json


@dataclass(frozen=True, kw_only=True)
class AgentBestResponse(JobResult, JsonResult):
    """The most that can be won from a player who sits in all seats but one; all values are in `unit`."""

    game: str
    agent: str
    method: str
    """How it was computed: "hands alike" (the player ignores its cards), "boards", "public tree" or "enumeration"."""
    unit: str
    """"mbb" (thousandths of a big blind) where the game has a big blind, else the game's own."""
    best_response_value: tuple[float, ...]
    """What the best response wins per game, by its seat."""
    exploitability: float
    """The mean over the seats of what the best response wins beyond what the players win among themselves."""
    value_bracket: tuple[float, float] | None
    """Bounds on the value of the game to seat 0, for two players and zero sum."""
    board_count: int | None
    """Public boards that were looked at, counting those that differ by suits once."""
    value: tuple[float, ...] | None = None
    """What the players win among themselves, by seat; None where that is not computed, as in limit hold'em."""
    finished: float = 1.0
    """The share of the work that is done; values are complete at 1."""
    flops: int | None = None
    """How many first deals were drawn if the values are estimated from a sample; None if they are exact."""
    half_width: float | None = None
    """Half the 95 % interval of `exploitability` then."""

    @property
    def mbb_per_game(self) -> float | None:
        """Exploitability in thousandths of a big blind per game; None in games without one."""
        return self.exploitability if self.unit == "mbb" else None

    def to_json(self) -> dict[str, Any]:
        """Return the figures in the types of JSON; `mbb_per_game` is null in games without a big blind."""
        return {**super().to_json(), "mbb_per_game": plain_json(self.mbb_per_game)}
