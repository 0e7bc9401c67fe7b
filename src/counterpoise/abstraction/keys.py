"""What each step of a build depends on, in the types of JSON: steps with equal keys are computed once.

A street depends on the cards, on the settings that its method reads, on sample and seed, and on what it is built from:
opponent clusters (KO), the next street's buckets (KP), the street before (perfect recall) or public buckets. So another
number of buckets on the river leaves the flop alone with imperfect recall, and with perfect recall too.
"""

from __future__ import annotations

from typing import Any

from counterpoise.abstraction.config import AbstractionConfig
from counterpoise.abstraction.strength import HoldemCards

KMEANS = {"method", "buckets", "restarts", "iterations"}
SETTINGS = {
    "C": {"method"},
    "PHS": {"method", "buckets", "split", "feature", "cuts", "threshold"},
    "KE": KMEANS | {"bins", "centroid"},
    "KO": KMEANS,
    "KP": KMEANS,
}
"""The fields of a street that its method reads."""


def street_key(config: AbstractionConfig, street: int) -> list[Any]:
    """Return all that the buckets of a street depend on."""
    settings = config.streets[street]
    key = [street, _cards_key(config), settings.model_dump(mode="json", include=SETTINGS[settings.method])]
    if settings.method == "C":
        return key
    key += [config.sample, config.seed]
    if settings.method == "KO":
        key.append(clusters_key(config))
    if settings.method == "KP":
        key.append(street_key(config, street + 1))
    if config.groups(street) > 1:
        key.append(street_key(config, street - 1) if config.recall == "perfect" else public_key(config))
    return key


def clusters_key(config: AbstractionConfig) -> list[Any]:
    """Return all that the opponent clusters depend on: the cards, unless they are the published ones."""
    return ["published"] if published(config) else [_cards_key(config)]


def public_key(config: AbstractionConfig) -> list[Any]:
    """Return all that the public buckets of flops depend on."""
    return [_cards_key(config), config.public, config.seed]


def published(config: AbstractionConfig) -> bool:
    """Return whether the published opponent clusters serve: in the whole game, unless those of k-means are wanted."""
    return config.clusters == "published" and config.cards == HoldemCards()


def _cards_key(config: AbstractionConfig) -> list[Any]:
    return [config.deck.model_dump(mode="json"), len(config.streets)]
