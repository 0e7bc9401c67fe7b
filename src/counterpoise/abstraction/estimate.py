"""What a build will take: CPU time, memory and disk, told before the work starts."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from math import log2
from typing import TYPE_CHECKING

import psutil

from counterpoise.abstraction.clusters import CLUSTERS
from counterpoise.abstraction.config import AbstractionConfig
from counterpoise.errors import InputError
from counterpoise.progress import duration, memory_size

if TYPE_CHECKING:
    from counterpoise.abstraction.cache import Cache

# Speeds are those of the build of 52 cards into 169 / 200 / 200 / 200 buckets in docs/abstraction.md.
BASIS = "from the numbers of boards, hands and buckets, and speeds measured on one core of an AMD EPYC server"
SECONDS_PER_STRENGTH = 35e-9
"""CPU seconds of the strength of one hand on one full board."""
SECONDS_PER_OCHS = 85e-9
"""CPU seconds of the strength of one hand on one full board against each of eight clusters."""
SECONDS_PER_FOLLOWER = 5e-9
"""CPU seconds of one full board after a hand on an earlier one."""
SECONDS_PER_CLUSTERED = 65e-9
"""CPU seconds of a point and a centre in one run of k-means, all its iterations and seeds included."""
SECONDS_PER_CLUSTERED_NUMBER = 0.4e-9
"""CPU seconds that each number of the point adds to that."""
SECONDS_PER_NUMBER = 0.1e-9
"""CPU seconds of one number of a point in its distance to a centre."""
SAMPLING = 40
"""Bytes of memory for each hand on each board of an early street while points are drawn."""
COMPRESSED = 0.3
"""The share of the bits of bucket numbers that is left on disk."""
PROCESS = 2.5e8
"""Bytes of the program, its libraries and its small tables."""
OCHS_WIDTH = len(CLUSTERS)
KMEANS = ("KE", "KO", "KP")


@dataclass(frozen=True)
class BuildEstimate:
    """CPU seconds without start-up, bytes of memory at most, bytes that the cache holds at most while it is built."""

    cpu_seconds: float
    memory: float
    disk: float

    def sentence(self) -> str:
        """Return the estimate for people, and what it is based on."""
        return (
            f"about {duration(self.cpu_seconds)} of CPU time, {memory_size(self.memory)} of memory and "
            f"{memory_size(self.disk)} on disk for finished steps ({BASIS})"
        )


def estimate_build(config: AbstractionConfig) -> BuildEstimate:
    """Return what a build from nothing takes, from the numbers of boards, points and buckets."""
    cards, hands = config.cards, config.cards.deck.hand_count
    last = cards.boards(cards.last).size
    early_ochs = any(street.method == "KO" for street in config.streets[:-1])
    seconds, memory, disk, largest = last * hands * SECONDS_PER_STRENGTH, 2.0 * last * hands, 2e4, 0.0
    if early_ochs:
        boards = cards.boards(cards.last - 1).size
        memory += 4.0 * boards * hands * OCHS_WIDTH
        seconds += boards * cards.deck.size * hands * SECONDS_PER_OCHS
    if config.streets[-1].method == "KO":
        seconds += last * hands * SECONDS_PER_OCHS
    for street, settings in enumerate(config.streets):
        width = _width(config, street)
        points = cards.unordered_classes(street) if street < cards.last else 0  # that get a bucket in a stored row
        trained = points if settings.method == "PHS" else min(points or config.sample, config.sample)
        if settings.method in KMEANS:
            each = SECONDS_PER_CLUSTERED + width * SECONDS_PER_CLUSTERED_NUMBER
            seconds += settings.restarts * float(trained) * settings.buckets * each
            seconds += float(points) * settings.buckets * width * SECONDS_PER_NUMBER
        if settings.method == "KP" and street + 1 == cards.last:  # rows of the last street, which are not stored
            memory += 2.0 * last * hands
            seconds += last * hands * width * _width(config, cards.last) * SECONDS_PER_NUMBER
            if config.streets[-1].method == "KO":
                seconds += last * hands * SECONDS_PER_OCHS
        if 0 < street < cards.last and settings.method in ("PHS", "KE"):
            seconds += (points + trained) * cards.completions(street) * SECONDS_PER_FOLLOWER
        if street < cards.last:
            places = 4 if street == 2 and config.groups(street) > 1 else 1
            entries = cards.boards(street).size * hands * places
            memory += entries * (2 if config.buckets(street) < 2**15 else 4)
            disk += (
                2 * entries * log2(config.buckets(street) + 1) / 8 * COMPRESSED
            )  # a street, and its parts until then
            largest = max(largest, SAMPLING * cards.boards(street).size * hands)
        largest = max(largest, trained * (8 * width + settings.buckets / 4 + 40))
    return BuildEstimate(seconds, memory + largest + PROCESS, disk)


def _width(config: AbstractionConfig, street: int) -> int:
    """Return of how many numbers a point of the street consists."""
    settings = config.streets[street]
    if settings.method == "KP":
        return config.buckets(street + 1)
    return {"PHS": 2, "KE": settings.bins, "KO": OCHS_WIDTH, "C": 0}[settings.method]


def check_resources(config: AbstractionConfig, cache: Cache) -> None:
    """Refuse, before any work, a build for which memory or disk do not suffice, and say what would fit."""
    needed = estimate_build(config)
    free = psutil.virtual_memory().available
    if needed.memory > free:
        raise InputError(
            f"the build needs {memory_size(needed.memory)} of memory and {memory_size(free)} are free; "
            f"{_what_fits(config, lambda other: other.memory <= free)}"
        )
    cache.prepare()
    room = shutil.disk_usage(cache.folder).free
    if needed.disk > room:
        raise InputError(
            f"the build needs {memory_size(needed.disk)} on disk and {memory_size(room)} are free in {cache.folder}; "
            f"name another folder with COUNTERPOISE_CACHE ({_what_fits(config, lambda other: other.disk <= room)})"
        )


def _what_fits(config: AbstractionConfig, fits: Callable[[BuildEstimate], bool]) -> str:
    """Return which smaller sample or, where none suffices, how many buckets on each street would fit."""
    most = max(street.buckets for street in config.streets)
    for sample in (config.sample >> shift for shift in range(1, 20)):
        if sample >= max(1000, most) and fits(estimate_build(config.model_copy(update={"sample": sample}))):
            return f"a sample of {sample:,} points would fit"
    while (most := most // 2) > 0:
        streets = tuple(street.model_copy(update={"buckets": min(street.buckets, most)}) for street in config.streets)
        if fits(estimate_build(config.model_copy(update={"streets": streets}))):
            return f"at most {most:,} buckets on each street would fit"
    return "a smaller deck would need less"
