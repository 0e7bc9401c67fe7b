"""The headers of `.cpz` files, one model per kind: what a file must say before anything is built from it.

A header is validated when a file is read; what is wrong with it becomes one sentence that names the file and the field.
`Header.of` makes the header of a result.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from counterpoise.errors import InputError
from counterpoise.parameters import shown

Count = Annotated[int, Field(strict=True, ge=0, le=2**63 - 1)]
Finite = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Amount = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0)]
Positive = Annotated[float, Field(strict=True, allow_inf_nan=False, gt=0)]
Text = Annotated[str, Field(strict=True)]
Flag = Annotated[bool, Field(strict=True)]
MOST_NETWORKS = 100_000
"""Networks that a file holds."""


def _whole(value: Any) -> Any:
    """Refuse 32.0 and True, which equal numbers that are allowed."""
    if type(value) is not int:
        raise ValueError
    return value


Bits = Annotated[Literal[16, 32], BeforeValidator(_whole)]


class SavedTraceRow(NamedTuple):
    """One measurement of a run."""

    iteration: Count
    exploitability: Finite
    nodes_touched: Count
    seconds: Amount
    live_bytes: Count


class Header(BaseModel):
    """What headers of all kinds share: unknown fields are ignored, so that later versions may add some."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="ignore")
    what: ClassVar[str] = ""
    """What a file of some version is called in the sentence that refuses it."""
    version_field: ClassVar[str] = ""
    versions: ClassVar[tuple[int, ...]] = ()
    """The versions that this program reads, the newest last; of files without one, none."""

    @classmethod
    def read(cls, header: Mapping[str, Any], path: str | os.PathLike[str]) -> Self:
        """Return the validated header of a file; raise `InputError` if it is damaged or of an unknown version."""
        try:
            found = cls.model_validate(header)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field, value = ".".join(str(part) for part in first["loc"]), shown(first["input"])
            reason = f"{field} is missing" if first["type"] == "missing" else f"{field} cannot be {value}"
            raise InputError(f"{path} is damaged: its header is incomplete ({reason})") from None
        if cls.versions and (version := getattr(found, cls.version_field)) not in cls.versions:
            raise InputError(f"{path} {cls.what} of version {version}; this program reads up to {cls.versions[-1]}")
        return found

    @classmethod
    def of(cls, result: object, **others: Any) -> dict[str, Any]:
        """Return the header of a result: its attributes of the fields' names, and the `others`.

        Nothing is validated: a result is never lost because of what its header says.
        """
        names = [name for name in cls.model_fields if name not in others]
        return {name: getattr(result, name) for name in names} | others


class StrategyHeader(Header):
    """A strategy: of which game."""

    game: Text = ""


class WarmStartHeader(Header):
    """What a run started from, if from a strategy."""

    iterations: Count
    factor: Finite
    squared_reach: Flag
    exploitability: Finite
    substitute_sum: Finite
    proven: Flag
    covered: Flag
    bound: Finite
    nodes_touched: Count


class RunHeader(Header):
    """A run on a general game."""

    game: Text
    digest: Text
    algorithm: Text
    seed: Count
    value: tuple[Finite, ...]
    exploitability: Finite
    nash_conv: Finite
    iterations: Count
    nodes_touched: Count
    seconds: Amount
    cpu_seconds: Amount
    trace: list[SavedTraceRow]
    warm_start: WarmStartHeader | None = None
    target: Amount | None = None
    histories: Count | None = None
    memory_bytes: Count | None = None
    caveat: Text | None = None


class PlayerValues(Header):
    """A number for each player of a spot."""

    oop: Finite
    ip: Finite


class KnownPlayerValues(Header):
    """A number for each player of a spot; None where it is not known."""

    oop: Finite | None
    ip: Finite | None


class SpotRunHeader(Header):
    """What a solved spot and a search have in common."""

    spot: Any
    """The fields of the spot file, validated by `Spot`."""
    algorithm: Text
    bits: Bits
    digest: Any = None
    """The digest of the tree: tables of another tree, or without a digest, are refused when the tree has been built."""
    exploitability_pct: Finite
    iterations: Count
    nodes: Count
    nodes_touched: Count
    memory_mb: Amount
    seconds: Amount
    cpu_seconds: Amount
    reached: Flag
    interrupted: Flag
    trace: list[SavedTraceRow]
    warm_iterations: Count = 0


class SpotHeader(SpotRunHeader):
    """A solved spot."""

    river: Flag
    """False if the last street was left out."""
    ev: PlayerValues


class SearchedHandRow(NamedTuple):
    """A hand of the opponent in a search."""

    hand: Text
    weight: Amount
    met: Amount
    alternative: Finite
    gift: Amount
    value: Finite
    entry: Finite | None


class SearchHeader(SpotRunHeader):
    """What a search has found at a node of a solved spot."""

    node: Text
    facing: Text | None
    searcher: Text
    method: Text
    spread: Positive | None
    gifts: Text
    gift_scale: Amount
    sizes: dict[str, Any]
    hands: list[SearchedHandRow]
    cost: Amount
    cost_before: Amount | None
    frequencies_before: dict[str, Finite | None] | None
    ev_before: KnownPlayerValues
    ev_after: KnownPlayerValues
    target: Positive | None
    exploitability_pct: Amount


class MemberRow(Header):
    """One strategy of a portfolio."""

    name: Text
    method: Text
    agents: tuple[Text, ...]
    hands: Count
    exploitation: Finite
    exploitability: Finite


class PortfolioHeader(Header):
    """A portfolio: of which game, and its strategies."""

    game: Text
    members: list[MemberRow] = Field(min_length=1, max_length=900)


class AbstractionHeader(Header):
    """An abstraction of cards."""

    what = "is an abstraction"
    version_field, versions = "abstraction_version", (1,)
    abstraction_version: Count
    config: Any
    """Validated by `AbstractionConfig`."""
    objectives: list[Finite] = Field(max_length=4)
    filled: list[Count] = Field(max_length=4)


class AbstractionStepHeader(Header):
    """A finished step of building an abstraction: its name says all that it depends on."""


class AbstractedGameHeader(Header):
    """A game of hold'em and by which abstraction of cards it is seen."""

    game: Text
    tree: Text
    """The digest of the betting tree."""
    abstractions: list[dict[str, Any]] = Field(min_length=1, max_length=10)
    """The header of each abstraction, validated by `CardAbstraction`."""
    abstraction_digests: list[Text] = Field(max_length=10)


class BlueprintHeader(AbstractedGameHeader):
    """A blueprint: of which game, by which abstraction of cards."""

    what = "is a blueprint"
    version_field, versions = "blueprint_version", (1,)

    blueprint_version: Count
    made: dict[str, Any] = {}


class LeafValuesHeader(Header):
    """Values after the first betting round: of which blueprint, and for which pairs of continuations."""

    what = "has leaf values"
    version_field, versions = "leaf_values_version", (1,)

    leaf_values_version: Count
    game: Text
    blueprint: Text
    """The digest of the blueprint."""
    picks: list[tuple[Count, Count]] = Field(min_length=1, max_length=10_000)
    """The continuations of both seats for which each part of the array is."""
    made: dict[str, Any] = {}


class Spent(Header):
    """What a training has taken so far."""

    seconds: Amount
    cpu_seconds: Amount


class DuelRow(Header):
    """A match of a blueprint in training against an earlier state of it."""

    iteration: Count
    won: Finite
    ci95: Finite


class TrainingHeader(AbstractedGameHeader):
    """A checkpoint of a training."""

    what = "is a training"
    version_field, versions = "training_version", (1,)

    training_version: Count
    settings: dict[str, Any]
    """Validated by `TrainSettings`."""
    spent: Spent
    duels: list[DuelRow] = Field(default=[], max_length=1_000_000)


class BranchRow(Header):
    """One answer of the self-improver to a bet."""

    kind: Literal["defensive", "offensive"]
    line: tuple[Text, ...]
    total: Count
    """The bet, in chips."""
    control: Count | None
    tree: Text
    """The digest of the betting tree."""
    armed: Flag
    """Whether an offensive answer is used."""
    hands: Count


class BranchesHeader(Header):
    """Answers of the self-improver to bets that a blueprint lacks."""

    what = "has branches"
    version_field, versions = "branches_version", (1,)

    game: Text
    blueprint: Text
    """The digest of the blueprint."""
    branches_version: Count
    branches: list[BranchRow] = Field(max_length=900)


class NetworksHeader(Header):
    """Networks that were trained for a game."""

    what = "has networks"
    version_field, versions = "networks_version", (1, 2)

    networks_version: Count
    game: Text
    method: Text
    networks: dict[Text, dict[str, Any]] = Field(max_length=MOST_NETWORKS)
    """The shape of each, validated by its class."""
    made: dict[str, Any] = {}


class NetworkTrainingHeader(Header):
    """A checkpoint of networks that are being trained."""

    what = "is a training"
    version_field, versions = "training_version", (1,)

    training_version: Count
    game: Text
    method: Text
    seed: Count
    spent: Spent
    trace: list[SavedTraceRow]


class LeafExamplesHeader(Header):
    """Examples of leaf values that are being made: in which way."""

    made: dict[str, Any]


class WalkHeader(Header):
    """How far a walk over all boards is: of which game, against whom, and how many first deals are summed up."""

    game: Text
    agent: Text
    suits_alike: Flag
    deals: Count
    summed: Count
    seconds: Amount
    cpu_seconds: Amount


class TrunkHeader(Header):
    """The settings of a run out of core, how often each seat was updated, and what was measured on the way."""

    game: Text
    deals_per_part: Count
    scales: tuple[Amount, ...]
    generations: tuple[Count, Count]
    sizes: tuple[tuple[Count, Count, Count], tuple[Count, Count, Count]]
    seconds: Amount
    cpu_seconds: Amount
    trace: list[SavedTraceRow]


class GrowthRow(NamedTuple):
    """One measurement of an abstraction that grows."""

    nodes_touched: Count
    iterations: Count
    worth: Amount
    exploitability: Finite
    size: Count
    additions: Count
    seconds: Amount


class ChangeRow(NamedTuple):
    """A bet that was added to an abstraction, or removed from it."""

    history: Text
    iterations: Count
    nodes_touched: Count
    nodes: Annotated[int, Field(strict=True, ge=-(2**63), le=2**63 - 1)]
    weight: Amount


class GrowthHeader(Header):
    """A grown abstraction: the game, how it grew, and how far it is."""

    game: dict[str, Any]
    """Validated by `ContinuousLeduc`."""
    settings: dict[str, Any]
    """Validated by `Growth`."""
    sizes: tuple[Finite, ...] = Field(max_length=1000)
    mode: Literal["abstract", "hidden", "revealed", "deterministic"]
    live: Count
    iterations: Count
    nodes_touched: Count
    worth: Amount
    seconds: Amount
    cpu_seconds: Amount
    trace: list[GrowthRow]
    changes: list[ChangeRow]
