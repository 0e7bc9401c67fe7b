"""What a build will take: CPU time, memory and disk, told before the work starts."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psutil

from counterpoise.abstraction.config import AbstractionConfig
from counterpoise.errors import InputError
from counterpoise.progress import duration, memory_size

if TYPE_CHECKING:
    from counterpoise.abstraction.cache import Cache

SECONDS_PER_BOARD = 40e-6
SECONDS_PER_FOLLOWER = 3e-9
SECONDS_PER_COMPONENT = 0.4e-9
"""Of distances, per component of a point and a centre; measured on one core."""
PASSES = 4
"""As many times all distances are computed in a run of k-means with bounds, seeds included."""


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
    seconds, memory, disk = last * SECONDS_PER_BOARD * hands / 1326, 2.0 * last * hands, 1e5
    largest = 0.0
    for street, settings in enumerate(config.streets):
        size = cards.boards(street).size
        width = {"PHS": 2, "KE": settings.bins, "KO": 8, "KP": 0, "C": 0}[settings.method]
        if settings.method == "KP":
            width = config.buckets(street + 1)
        points = size * hands if street < cards.last else config.sample
        trained = min(points, config.sample) if settings.method != "PHS" else points
        if settings.method in ("KE", "KO", "KP"):
            passes = settings.restarts * PASSES * trained + (points if street < cards.last else 0)
            seconds += passes * (width + 8) * settings.buckets * SECONDS_PER_COMPONENT
            if settings.method == "KO" and street < cards.last:
                memory += 32.0 * cards.boards(cards.last - 1).size * hands
                seconds += cards.boards(cards.last - 1).size * cards.deck.size * SECONDS_PER_BOARD
        if street < cards.last:
            places = 4 if street == 2 and config.groups(street) > 1 else 1
            item = 2 if config.buckets(street) < 2**15 else 4
            memory += size * hands * places * item
            disk += 2 * size * hands * places * item / (1 if config.buckets(street) > 255 else 2)
            seconds += size * hands * cards.completions(street) * SECONDS_PER_FOLLOWER if street else 1.0
        largest = max(largest, trained * (8 * width + settings.buckets / 4 + 40))
    return BuildEstimate(seconds, memory + largest + 3e8, disk)


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
