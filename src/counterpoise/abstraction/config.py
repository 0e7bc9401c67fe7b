"""What an abstraction is made of: the names of Johanson 2016, or a TOML file for anything else.

``<PR|IR>-<early>-<last>`` or one code per street: C canonical, PHS percentile E[HS^2] (``5x2``: cut again by E[HS]),
KE k-means with earth mover's distance on histograms of final strength, KO k-means on opponent cluster hand strength,
KP k-means on shares of the next street's buckets (potential-aware).
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from counterpoise.abstraction.boards import STREETS
from counterpoise.abstraction.kmeans import Centroid, KMeans
from counterpoise.abstraction.percentile import Cutter
from counterpoise.abstraction.strength import HoldemCards
from counterpoise.cards import Deck
from counterpoise.errors import InputError
from counterpoise.names import suggest
from counterpoise.parameters import either, is_list, require, shown
from counterpoise.store.files import read_text

Code = Literal["C", "PHS", "KE", "KO", "KP"]
CODES = ("C", "PHS", "KE", "KO", "KP")
BINS = 50
"""Bins of a histogram of final hand strength; the sources give no number."""
PUBLISHED_CLUSTERS = 8
"""Clusters of starting hands against which OCHS measures a hand; `clusters.py` lists their hands."""
MOST_GROUPS = 20_000
MOST_BYTES = 2**20
MOST = 2**31 - 1
Count = Annotated[int, Field(strict=True, ge=1, le=MOST)]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class StreetConfig(_Strict):
    """How the hands of one street are put into buckets; with groups, `buckets` is per group."""

    method: Code
    buckets: Count = 1
    split: Count = 1
    """PHS: each bucket is cut into this many by E[HS]."""
    feature: Literal["ehs", "ehs2"] = "ehs2"
    """PHS: the number that is cut."""
    cuts: tuple[float, ...] | None = None
    """PHS: an expert's cut points, instead of percentiles."""
    threshold: float | None = Field(default=None, gt=0)
    """PHS: neighbours that differ by less share a bucket; `buckets` is the most there may be."""
    bins: int = Field(default=BINS, strict=True, ge=2, le=1000)
    """KE: bins of a histogram."""
    centroid: Centroid = "mean"
    """KE: the mean or the median cumulative histogram."""
    restarts: Count = 3
    iterations: Count = 100

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.cuts is not None and (len(self.cuts) >= self.buckets or list(self.cuts) != sorted(set(self.cuts))):
            raise ValueError("cuts must rise and be fewer than buckets")
        if self.centroid == "median" and self.method != "KE":
            raise ValueError("centroid median is for KE only")
        return self

    @property
    def per_group(self) -> int:
        """Buckets of a group in all."""
        return self.buckets * self.split

    def cutter(self) -> Cutter:
        """Return how PHS cuts."""
        columns = (0, 1) if self.feature == "ehs" else (1, 0)
        return Cutter(self.buckets, self.split, columns, self.cuts, self.threshold)

    def kmeans(self, seed: int) -> KMeans:
        """Return the settings of KE, KO and KP."""
        metric: Literal["emd", "l2"] = "emd" if self.method == "KE" else "l2"
        return KMeans(self.buckets, metric, self.centroid, self.restarts, self.iterations, seed=seed)


class DeckConfig(_Strict):
    """The deck that is played with."""

    ranks: int = 13
    suits: int = 4
    ranking: Literal["standard", "short"] = "standard"


class AbstractionConfig(_Strict):
    """A whole abstraction."""

    recall: Literal["perfect", "imperfect"] = "imperfect"
    streets: tuple[StreetConfig, ...] = Field(min_length=2, max_length=4)
    deck: DeckConfig = DeckConfig()
    public: int | None = Field(default=None, strict=True, ge=1)
    """Public buckets of flops: hands are clustered inside each, and never leave it (Tartanian7)."""
    clusters: Literal["published", "kmeans"] = "published"
    """KO: the published clusters of starting hands (of 52 cards), or those of k-means."""
    sample: int = Field(default=1_000_000, strict=True, ge=1000)
    """Most points that centres are computed from; every hand is then given to its nearest centre."""
    seed: int = Field(default=0, strict=True, ge=0)

    @property
    def cards(self) -> HoldemCards:
        """The deck and the number of streets."""
        return HoldemCards(Deck(self.deck.ranks, self.deck.suits, self.deck.ranking), len(self.streets))

    def groups(self, street: int) -> int:
        """Return how many groups a street's hands are parted into before they are clustered."""
        if self.streets[street].method == "C" or street == 0:
            return 1
        return self.buckets(street - 1) if self.recall == "perfect" else self.public or 1

    def buckets(self, street: int) -> int:
        """Return how many buckets a street has in all."""
        if self.streets[street].method == "C":
            return self.cards.classes(street)
        return self.groups(street) * self.streets[street].per_group

    def check(self) -> Self:
        """Refuse what cannot be built, in one sentence."""
        cards = self.cards
        for street, (name, settings) in enumerate(zip(cards.names, self.streets, strict=True)):
            classes = cards.unordered_classes(street)
            if settings.method != "C" and settings.per_group > classes:
                raise InputError(
                    f"buckets of the {name} must be at most {classes:,}, its number of different hands, "
                    f"not {settings.per_group:,}"
                )
            if settings.method == "KP" and (
                street == cards.last or self.groups(street) > 1 or self.groups(street + 1) > 1
            ):
                raise InputError(f"{name}: KP needs a street after it, imperfect recall and no public buckets")
            if settings.method == "KP" and self.streets[street + 1].method == "C" and street > 0:
                raise InputError(f"{name}: KP needs buckets on the next street, not canonical hands")
            if settings.method == "KP" and self.buckets(street + 1) > 65_534:
                raise InputError(f"{name}: KP needs at most 65,534 buckets on the next street")
            if settings.method == "C" and self.public and street > 0:
                raise InputError(f"{name}: public buckets and canonical hands exclude each other")
            if self.groups(street) > MOST_GROUPS:
                raise InputError(
                    f"{name}: perfect recall of {self.groups(street):,} buckets; at most {MOST_GROUPS:,} are allowed"
                )
        if self.public and self.recall == "perfect":
            raise InputError("public buckets and perfect recall exclude each other")
        if self.public and self.public > cards.boards(1).size:
            raise InputError(f"public buckets must be at most {cards.boards(1).size:,}, the number of different flops")
        return self


def parse_name(
    name: str, buckets: Sequence[int | str] = (), deck: Deck | None = None, **settings: Any
) -> AbstractionConfig:
    """Return what a name such as ``"IR-KE-KO"`` with its numbers of buckets stands for.

    There is one number per street, or one per street that is not canonical; ``"5x2"`` cuts PHS twice. With two or three
    numbers a name of two codes ends on the flop or the turn.

    >>> parse_name("IR-C-C-KE-KO", (200, 100)).streets[2].buckets
    200
    >>> parse_name("IR-KX-KO", (1, 1, 1, 1))
    Traceback (most recent call last):
    counterpoise.errors.InputError: 'IR-KX-KO' names no abstraction: write PR or IR, then C, PHS, KE, KO or KP for the \
early streets and the last (IR-KE-KO) or for each street (IR-C-C-KE-KO)
    """
    require(is_list(buckets), f"buckets must be a list of numbers, one per street, not {shown(buckets)}")
    require(deck is None or isinstance(deck, Deck), f"deck must be a Deck, such as Deck(ranks=6), not {shown(deck)}")
    recall, *codes = name.upper().split("-")
    if recall not in ("PR", "IR") or len(codes) < 2 or len(codes) > 4 or any(code not in CODES for code in codes):
        raise InputError(
            f"{shown(name)} names no abstraction: write PR or IR, then C, PHS, KE, KO or KP for the early streets "
            "and the last (IR-KE-KO) or for each street (IR-C-C-KE-KO)"
        )
    numbers = list(buckets)
    if len(codes) == 2 and len(numbers) > 2:
        codes = [codes[0]] * (len(numbers) - 1) + [codes[1]]
    elif len(codes) == 2 and not numbers:
        codes = [codes[0]] * 3 + [codes[1]]
    lossy = [code for code in codes if code != "C"]
    if len(numbers) not in (len(codes), len(lossy)):
        raise InputError(f"buckets must be {len(codes)} numbers for {name}, one per street, not {len(numbers)}")
    deck = deck or Deck()
    cards = HoldemCards(deck, len(codes))
    if len(numbers) == len(lossy):
        left = iter(numbers)
        numbers = [cards.classes(street) if code == "C" else next(left) for street, code in enumerate(codes)]
    for street, (code, number) in enumerate(zip(codes, numbers, strict=True)):
        if code == "C" and str(number) != str(cards.classes(street)):
            raise InputError(
                f"buckets of the {STREETS[street]} must be {cards.classes(street)} or left out, as C gives each "
                "different hand its own"
            )
    chosen = {"ranks": deck.ranks, "suits": deck.suits, "ranking": deck.ranking}
    streets = [_street(code, number) for code, number in zip(codes, numbers, strict=True)]
    if streets[0].get("buckets") == cards.classes(0) and streets[0].get("split", 1) == 1:
        streets[0] = {"method": "C"}  # as many buckets as hands before the flop
    recalled = "perfect" if recall == "PR" else "imperfect"
    return _validated({"recall": recalled, "streets": streets, "deck": chosen, **settings}, name)


def read_config(path: str | os.PathLike[str]) -> AbstractionConfig:
    """Return the abstraction that a TOML file describes; what is wrong with it is one sentence."""
    file = Path(path)
    text = read_text(file, "a description of an abstraction", MOST_BYTES)
    try:
        content = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # no TOML, or nested without end
        raise InputError(f"{file} is not TOML: {error}") from None
    return _validated(content, str(file))


def _street(code: str, number: int | str) -> dict[str, Any]:
    if code == "C":
        return {"method": code}
    parts = str(number).lower().split("x")
    if len(parts) > 2 or not all(part.strip().isdecimal() for part in parts):
        raise InputError(f"buckets must be whole numbers such as 200, or 5x2, not {shown(number)}")
    if len(parts) == 2 and code != "PHS":
        raise InputError(f"buckets {shown(number)}: only PHS is cut twice, not {code}")
    return {"method": code, "buckets": int(parts[0]), "split": int(parts[-1]) if len(parts) == 2 else 1}


def _validated(content: dict[str, Any], source: str) -> AbstractionConfig:
    try:
        return AbstractionConfig.model_validate(content).check()
    except ValidationError as error:
        raise InputError(f"{source}: {_sentence(error)}") from None


_NUMBER = f"a whole number from 1 to {MOST:,}"
_ALLOWED = {
    "recall": "perfect or imperfect",
    "streets": "a list of two to four tables, one per street",
    "public": "a whole number of at least 1",
    "clusters": "published or kmeans",
    "sample": "a whole number of at least 1,000",
    "seed": "a whole number of at least 0",
    "deck": "a table with ranks, suits or ranking",
    "deck.ranks": "a whole number from 2 to 13",
    "deck.suits": "a whole number from 1 to 4",
    "deck.ranking": "standard or short",
    "streets.method": either(CODES),
    "streets.buckets": _NUMBER,
    "streets.split": _NUMBER,
    "streets.feature": "ehs or ehs2",
    "streets.cuts": "a list of numbers",
    "streets.threshold": "a number above 0",
    "streets.bins": "a whole number from 2 to 1,000",
    "streets.centroid": "mean or median",
    "streets.restarts": _NUMBER,
    "streets.iterations": _NUMBER,
}


def _sentence(error: ValidationError) -> str:
    """Return the first thing that is wrong, an unknown field before all others, and what is allowed."""
    found = error.errors(include_url=False)
    first = next((problem for problem in found if problem["type"] == "extra_forbidden"), found[0])
    place, numbers = ([part for part in first["loc"] if isinstance(part, kind)] for kind in (str, int))
    owner = f"the {STREETS[int(numbers[0])]}" if numbers else "deck" if len(place) > 1 else ""
    if first["type"] == "extra_forbidden":
        model = StreetConfig if numbers else DeckConfig if owner else AbstractionConfig
        name = str(place[-1])
        return f"{owner or 'an abstraction'} has no field {shown(name)}: {suggest(name, model.model_fields)}"
    if first["type"] == "value_error":
        return f"{owner}: {first['msg'].removeprefix('Value error, ')}"
    allowed = "a table" if numbers and len(place) == 1 else _ALLOWED[".".join(map(str, place))]
    field = f"{place[-1]} of {owner}" if len(place) > 1 else owner or place[0]
    given = "" if first["type"] == "missing" else f", not {shown(first['input'])}"
    return f"{field} must be {'given: ' if not given else ''}{allowed}{given}"
