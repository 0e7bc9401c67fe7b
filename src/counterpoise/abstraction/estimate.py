"""What a build will take: CPU time, memory and disk, told before the work starts."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psutil

from counterpoise.abstraction.clusters import CLUSTERS
from counterpoise.abstraction.config import AbstractionConfig
from counterpoise.errors import InputError
from counterpoise.progress import duration, memory_size

if TYPE_CHECKING:
    from counterpoise.abstraction.cache import Cache

SECONDS_PER_STRENGTH = 30e-9
"""CPU seconds of the strength of one hand on one full board."""
SECONDS_PER_OCHS = 85e-9
"""CPU seconds of the strength of one hand on one full board against each of eight clusters."""
SECONDS_PER_FOLLOWER = 3e-9
"""CPU seconds of one full board after a hand on an earlier one."""
SECONDS_PER_NUMBER = 0.4e-9
"""CPU seconds of one number of a point in its distance to a centre."""
OVERHEAD = 8
"""Numbers that take as long as the rest of a distance."""
PASSES = 8
"""As many times all distances are computed in a run of k-means with bounds, seeds included."""
PROCESS = 3e8
"""Bytes of the program, its libraries and its small tables."""
OCHS_WIDTH = len(CLUSTERS)
KMEANS = ("KE", "KO", "KP")


@dataclass(frozen=True)
class BuildEstimate:
    """CPU seconds, bytes of memory at most, bytes on disk."""

    cpu_seconds: float
    memory: float
    disk: float

    def sentence(self) -> str:
        """Return the estimate for people."""
        return (
            f"about {duration(self.cpu_seconds)} of CPU time, {memory_size(self.memory)} of memory and at most "
            f"{memory_size(self.disk)} on disk"
        )


def estimate_build(config: AbstractionConfig) -> BuildEstimate:
    """Return what a build from nothing takes, from the numbers of boards, points and buckets."""
    cards, hands = config.cards, config.cards.deck.hand_count
    last = cards.boards(cards.last).size
    early_ochs = any(street.method == "KO" for street in config.streets[:-1])
    seconds, memory, disk, largest = last * hands * SECONDS_PER_STRENGTH, 2.0 * last * hands, 1e5, 0.0
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
        distances = 0.0
        if settings.method in KMEANS:
            distances = float(settings.restarts * PASSES * trained + points) * settings.buckets
        seconds += distances * (width + OVERHEAD) * SECONDS_PER_NUMBER
        if settings.method == "KP" and street + 1 == cards.last:  # rows of the last street, which are not stored
            memory += 2.0 * last * hands
            seconds += last * hands * width * (_width(config, cards.last) + OVERHEAD) * SECONDS_PER_NUMBER
        if 0 < street < cards.last and settings.method in ("PHS", "KE"):
            seconds += (points + trained) * cards.completions(street) * SECONDS_PER_FOLLOWER
        if street < cards.last:
            places = 4 if street == 2 and config.groups(street) > 1 else 1
            entries = cards.boards(street).size * hands * places
            memory += entries * (2 if config.buckets(street) < 2**15 else 4)
            disk += 2 * entries * (1 if config.buckets(street) < 2**8 else 2)  # a street, and its parts until then
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
        fits = int(config.sample * max(free / needed.memory, 0) / 1000) * 1000
        raise InputError(
            f"the build needs {memory_size(needed.memory)} of memory and {memory_size(free)} are free; "
            f"fewer buckets, or a sample of about {fits:,} points, would need less"
        )
    cache.prepare()
    room = shutil.disk_usage(cache.folder).free
    if needed.disk > room:
        raise InputError(
            f"the build needs {memory_size(needed.disk)} on disk and {memory_size(room)} are free in {cache.folder}; "
            "name another folder with COUNTERPOISE_CACHE, or ask for at most 254 buckets before the last street"
        )
