"""The result of a match."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

from counterpoise.games.base import brief
from counterpoise.intervals import Tally
from counterpoise.jobs import JobResult
from counterpoise.progress import duration
from counterpoise.sequential import StopRule, half_width
from counterpoise.store.json import JsonResult, plain_json
from counterpoise.summaries import Summarised, Summary, make_frame, number

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class AgentResult:
    """The result of one agent; means and intervals are in the unit of the match."""

    name: str
    strategy_id: str
    mean: float
    """Per hand, over all seats and rooms."""
    ci95: float
    """Half the width of the 95 % interval of the mean, which with `stop` "valid" or "decided" holds at any time."""
    deviation: float
    """Standard deviation of a sample: a hand, or in a duplicate match the mean over all rooms of a deal."""
    seconds: float
    """Its own thinking; 0 where a compiled table played."""
    decisions: int
    forfeits: dict[str, int]
    """Hands it forfeited by raising an exception, by an illegal action, by being late."""
    first_fault: str
    """A sentence about its first fault."""
    aivat_mean: float | None = None
    """What it won per hand by AIVAT, without the luck of cards and of known agents; None if it was not asked for."""
    aivat_ci95: float | None = None
    aivat_deviation: float | None = None


@dataclass(frozen=True, kw_only=True)
class MatchResult(JobResult, JsonResult, Summarised):
    """A match; `unit` is "mbb" (thousandths of a big blind) where the game has a big blind, else the game's own."""

    game: str
    hands: int
    """Deals that were played."""
    resumed: int
    """The hands that an earlier run had played, whose time is not counted."""
    rooms: int
    """The number of times that each deal was played, with the agents in other seats."""
    duplicate: bool
    seed: int
    unit: str
    agents: list[AgentResult]
    reached: bool
    """Whether all hands were played, or the precision that was asked for was reached."""
    compiled: bool
    """Whether a compiled kernel played it, from tables of all agents."""
    log: str | None = None
    stop: str = "width"
    """The rule by which the match could end early."""
    ended: str = ""
    """Why it ended early; empty if it did not."""

    @property
    def hands_played(self) -> int:
        """Hands over all rooms."""
        return self.hands * self.rooms

    def summary(self) -> Summary:
        """Return one line per agent, the best first, with faults and remarks."""
        rooms = f" in {self.rooms} rooms" if self.duplicate else ""
        rows = [
            [
                agent.name,
                number(agent.mean, "+"),
                *(["-", "-"] if isnan(agent.ci95) else [f"± {number(agent.ci95)}", number(agent.deviation)]),
                duration(agent.seconds),
                f"{sum(agent.forfeits.values()):,}",
            ]
            for agent in sorted(self.agents, key=lambda one: -one.mean)
        ]
        sure = "95 %" if self.stop == "width" else "95 %, at any time"
        columns = ["agent", f"{self.unit} per hand", sure, "SD of a sample", "thinking", "forfeits"]
        notes = []
        for agent in self.agents:
            mean, half, spread = agent.aivat_mean, agent.aivat_ci95, agent.aivat_deviation
            if mean is not None and half is not None and spread is not None:
                figures = f"{number(mean, '+')} ± {number(half)} {self.unit} per hand, SD {number(spread)}"
                notes.append(f"  without luck (AIVAT): {agent.name} {figures}")
        played = (self.hands - self.resumed) * self.rooms
        rate = f", {played / self.cpu_seconds:,.0f} hands per CPU second" if played and self.cpu_seconds > 0 else ""
        notes.append(f"  {duration(self.seconds)} (CPU {duration(self.cpu_seconds)}){rate}")
        faults = [f"  {one.name} forfeited first because: {one.first_fault}" for one in self.agents if one.first_fault]
        title = f"{brief(self.game)} · {self.hands:,} deal{'s' * (self.hands != 1)}{rooms}"
        return Summary(title, (), columns, rows, range(1, 6), notes, faults)

    def to_frame(self) -> pandas.DataFrame:
        """Return one row per agent as a pandas table, means in the unit of the match."""
        names = [field.name for field in fields(AgentResult)]
        return make_frame(names, ([getattr(agent, name) for name in names] for agent in self.agents))

    def to_json(self) -> dict[str, Any]:
        """Return the figures in the types of JSON; `mbb_per_hand` is null in games without a big blind."""
        answer = {key: plain_json(value) for key, value in self.fields_in_order().items() if key != "agents"}
        agents = []
        for agent in self.agents:
            figures = dict(vars(agent))
            means = {"": figures.pop("mean"), "aivat_": figures.pop("aivat_mean")}
            for kind, mean in means.items():
                figures |= {f"{kind}mbb_per_hand": mean if self.unit == "mbb" else None, f"{kind}mean_per_hand": mean}
            agents.append(plain_json({"name": agent.name, **figures}))
        return answer | {"hands_played": self.hands_played, "agents": agents}


def running_text(names: tuple[str, ...], tallies: list[Tally], unit: str, scale: float, stop: StopRule) -> str:
    """Return the result of a match so far: the first agent's mean and interval, and the others' means."""
    first, *others = tallies
    half = scale * half_width(first, stop)
    width = f" ± {half:.2g}" if isfinite(half) else ""  # one deal has none
    text = f"{names[0]} {scale * first.mean:+.4g}{width} {unit}/hand"
    return text if len(others) == 1 else text + "".join(f", {scale * other.mean:+.3g}" for other in others)
