"""The result of a training: the blueprint, and how it was made."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from counterpoise.blueprint.blueprint import Blueprint
from counterpoise.blueprint.settings import TrainSettings
from counterpoise.jobs import IteratedResult


@dataclass
class Duel:
    """The winnings of the average strategy against that of the last checkpoint, in mbb per hand (chips without
    blinds)."""

    iteration: int
    won: float
    ci95: float


@dataclass(frozen=True, kw_only=True)
class Training(IteratedResult):
    """A trained blueprint and how it was made."""

    blueprint: Blueprint
    settings: TrainSettings
    nodes: int
    nodes_per_cpu_second: float
    """The speed of this run's walks alone, without saving, measuring, compiling and the table of buckets."""
    memory_mb: float
    """The largest memory of the process that was seen."""
    decisions_met: int
    table_mb: float
    whole_table_mb: float
    exploitability: float | None = None
    duels: list[Duel] = field(default_factory=list)
    checkpoint: Path | None = None

    def to_json(self) -> dict[str, Any]:
        """Return everything but the tables; exploitability only where it was computed."""
        found = {
            "game": self.blueprint.game.name,
            "method": self.settings.method,
            "settings": self.settings.to_json(),
            "iterations": self.iterations,
            "nodes": self.nodes,
            "nodes_per_cpu_second": self.nodes_per_cpu_second,
            "memory_mb": self.memory_mb,
            "table_mb": self.table_mb,
            "whole_table_mb": self.whole_table_mb,
            "decisions_met": self.decisions_met,
            "decisions": int(self.blueprint.tree.decisions.sum()),
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "interrupted": self.interrupted,
            "duels": [vars(one) for one in self.duels],
            "checkpoint": None if self.checkpoint is None else str(self.checkpoint),
            "unsaved": self.unsaved,
        }
        return found if self.exploitability is None else found | {"exploitability": self.exploitability}
