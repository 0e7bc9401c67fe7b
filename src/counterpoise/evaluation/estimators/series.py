"""Estimates hand by hand, their mean with its interval, and warnings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from counterpoise.evaluation.estimators.layers import FloatArray, IndexArray
from counterpoise.evaluation.estimators.statistics import bootstrap, effective_samples
from counterpoise.intervals import NORMAL, Tally
from counterpoise.store.json import JsonResult, plain_json

DROPPED = 0.01
"""The share of evaluated mass that must be missing, beyond chance, for a warning."""


@dataclass(frozen=True)
class AgentEstimate(JsonResult):
    """An agent's mean per hand by one estimator, in the unit of the series; a sample is a deal with all its rooms."""

    name: str
    title: str
    mean: float
    sd: float
    """Standard deviation of a sample."""
    ci95: float
    """Half the width of the 95 % interval of the mean."""
    n: int
    """Samples."""
    hands: int
    biased: bool
    """Whether it is biased by construction."""
    notes: tuple[str, ...] = ()
    effective: float | None = None
    """Effective sample size of importance weights, (sum w)^2 / sum w^2."""
    dropped: float | None = None
    """The approximate share of the evaluated strategy's play that the played one never shows: 1 minus the mean
    weight."""
    bootstrap: tuple[float, float] | None = None
    """The 95 % interval of the mean by resampling, which heavy tails need."""


@dataclass(frozen=True, eq=False)
class Series:
    """One estimator's values, in the game's unit, one for each hand."""

    name: str
    title: str
    hand: IndexArray
    """The deal of each value."""
    room: IndexArray
    values: FloatArray
    """nan where the estimator has no value."""
    weights: FloatArray | None = None
    """Importance weights, where the evaluated strategy is not the one that was played."""
    biased: bool = False
    notes: tuple[str, ...] = ()
    absent: int = 0
    """The number of other hands of the agent, for which the estimator has no value."""

    def by_deal(self) -> tuple[IndexArray, FloatArray]:
        """Return the deals and the mean over the rooms of each, in the order of the deals."""
        told = ~np.isnan(self.values)
        deals, place = np.unique(self.hand[told], return_inverse=True)
        return deals, np.bincount(place, self.values[told]) / np.maximum(np.bincount(place), 1)

    def running(self) -> tuple[IndexArray, FloatArray, FloatArray]:
        """Return numbers of deals 1, 2, ..., the mean after each and half the width of its 95 % interval (normal)."""
        _, values = self.by_deal()
        count = np.arange(1, len(values) + 1)
        mean = np.cumsum(values) / count
        centred = values - (mean[-1] if len(values) else 0.0)
        spread = np.cumsum(centred**2) - count * (np.cumsum(centred) / count) ** 2
        with np.errstate(invalid="ignore", divide="ignore"):
            half = NORMAL * np.sqrt(np.maximum(spread, 0) / (count - 1) / count)
        return count, mean, half

    def minus(self, other: Series) -> Series:
        """Return the paired differences to another estimator on the same hands, which tell a bias well."""
        mine = {key: place for place, key in enumerate(zip(self.hand.tolist(), self.room.tolist(), strict=True))}
        keys = zip(other.hand.tolist(), other.room.tolist(), strict=True)
        pairs = [(mine[key], place) for place, key in enumerate(keys) if key in mine]
        first, second = (np.array([pair[k] for pair in pairs], dtype=np.int64) for k in (0, 1))
        return Series(
            f"{self.name} - {other.name}",
            f"{self.title} minus {other.title}",
            self.hand[first],
            self.room[first],
            self.values[first] - other.values[second],
        )

    def estimate(self, scale: float = 1.0, seed: int = 0) -> AgentEstimate:
        """Return mean, deviation and interval over deals, each value times `scale`."""
        _, values = self.by_deal()
        values = scale * values
        tally = Tally(len(values), float(values.sum()), 0.0)
        if len(values):  # squares from the mean on, so that nothing cancels
            tally.squares = float(((values - tally.mean) ** 2).sum()) + tally.total**2 / len(values)
        notes, extra = list(self.notes), dict[str, Any]()
        if (silent := int(np.isnan(self.values).sum())) > 0:
            notes.append(f"left out {silent:,} hands that the known strategies cannot have played")
        if self.absent:
            notes.append(f"left out {self.absent:,} hands whose strategy or cards are not known")
        if self.weights is not None:
            extra = _weighing(self.weights[~np.isnan(self.weights)], notes)
            extra["bootstrap"] = bootstrap(values, seed=seed) if len(values) > 1 else None
        return AgentEstimate(
            self.name,
            self.title,
            tally.mean,
            tally.deviation,
            tally.ci95,
            tally.count,
            len(self.values) - silent,
            self.biased,
            tuple(notes),
            **extra,
        )


@dataclass(frozen=True, eq=False)
class Estimates:
    """The estimates of one agent by all estimators, by name."""

    agent: str
    game: str
    unit: str
    scale: float
    """The number of `unit` in one unit of the game's payoffs, in which the series are."""
    series: Mapping[str, Series]
    missing: Mapping[str, str] = field(default_factory=dict)
    """Why other estimators have no value, by name."""

    def __getitem__(self, name: str) -> AgentEstimate:
        """Return the estimate of one name, in `unit` per hand."""
        return self.series[name].estimate(self.scale)

    def __iter__(self) -> Any:
        return iter(self.series)

    def to_json(self) -> dict[str, Any]:
        """Return all estimates in the types of JSON."""
        return {
            "agent": self.agent,
            "game": self.game,
            "unit": self.unit,
            "estimates": [plain_json(self[name].to_json()) for name in self.series],
            "missing": dict(self.missing),
        }


def join_series(parts: Sequence[Mapping[str, Series]]) -> dict[str, Series]:
    """Return the series of all hands from those of their parts."""
    total = sum(max(len(one.values) + one.absent for one in part.values()) for part in parts if part)
    found = {}
    for name in dict.fromkeys(name for part in parts for name in part):
        own = [part[name] for part in parts if name in part]
        hand, room, values = (np.concatenate([getattr(one, key) for one in own]) for key in ("hand", "room", "values"))
        weights = [np.full(len(one.values), np.nan) if one.weights is None else one.weights for one in own]
        notes = dict.fromkeys(note for one in own for note in one.notes)
        found[name] = Series(
            name,
            own[0].title,
            hand,
            room,
            values,
            None if all(one.weights is None for one in own) else np.concatenate(weights),
            any(one.biased for one in own),
            tuple(notes),
            total - len(values),
        )
    return found


def _weighing(weights: FloatArray, notes: list[str]) -> dict[str, Any]:
    """Return the effective sample size and the dropped share of importance weights, and note what is wrong with
    them."""
    if not len(weights):
        return {}
    total, squares = float(weights.sum()), float((weights**2).sum())
    effective = effective_samples(weights)
    dropped = 1 - total / len(weights)
    error = math.sqrt(max(squares / len(weights) - (total / len(weights)) ** 2, 0.0) / len(weights))
    if effective < len(weights) / 10:
        notes.append(f"{len(weights):,} hands count as {effective:,.0f}: rare hands with large weights decide")
    if dropped > max(DROPPED, 3 * error):
        notes.append(f"biased: about {dropped:.1%} of the evaluated play was never shown by the strategy that played")
    return {"effective": effective, "dropped": dropped}
