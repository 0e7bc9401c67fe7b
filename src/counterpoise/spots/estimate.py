"""Estimate the nodes, memory and CPU time of a spot before anything is allocated, and what to cut if it does not
fit."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from counterpoise.betting.sizes import STREETS, BetSizes
from counterpoise.betting.tree_count import BettingCount, count_betting
from counterpoise.errors import InputError
from counterpoise.public import TreeSize
from counterpoise.solvers import Algorithm
from counterpoise.spots.engine import settings_of
from counterpoise.spots.spot import Spot
from counterpoise.store.json import JsonResult

SECONDS_PER_WORK, SECONDS_PER_NODE = 1.3e-9, 2.5e-7
"""CPU seconds of one iteration: per node and hand, and per node."""
FLOP_FACTOR = 1.2
"""The factor by which trees of three streets are slower, since their tables fit no cache."""
MEASURING = 1.1
"""The factor for a measurement every ten iterations."""
USABLE = 0.9
"""The share of free memory that a tree may take."""
MOST_ACTIONS = 200_000
"""Actions of the betting tree up to which it is sized exactly, suits that are alike counted once."""
MOST_CUTS, ADVICE_SECONDS = 8, 3.0
"""The most sizes that are advised to be left out, and the CPU seconds that the advice may take."""
LONG_LIST = 12
"""The number of sizes beyond which cutting a whole list is advised, since one size less saves next to nothing."""

DEFAULT_TARGET = 0.5
"""The target unless another limit is set, in per cent of the pot."""


@dataclass(frozen=True)
class Estimate(JsonResult):
    """The size of a spot's tree and what solving it to `target` per cent of the pot is expected to take."""

    name: str
    """The name of the spot."""
    nodes: int
    """Decisions and ends of the hand, every board counted."""
    memory_mb: dict[int, float]
    """The memory of the tables by bits per number, 32 or 16."""
    available_mb: float
    bits: int
    """Bits per number of a solve: 32 if they fit, else 16."""
    target: float
    iterations: int
    cpu_seconds: float


def estimate(
    spot: Spot | str | os.PathLike[str],
    *,
    target: float = DEFAULT_TARGET,
    bits: int | None = None,
    memory_mb: float | None = None,
    algorithm: str | Algorithm | None = None,
) -> Estimate:
    """Return size, memory and expected time of a spot; refused, with what to cut, if it does not fit into memory.

    `memory_mb` caps what may be used; by default nine tenths of what is free. Algorithms differ in how many tables they
    need: `Algorithm.public_tables`.
    """
    if bits not in (None, 16, 32):
        raise InputError(f"bits must be 16 or 32, not {bits!r}")
    settings = settings_of(algorithm)
    if bits is not None:
        settings.require_usual_bits(bits)
    found = spot if isinstance(spot, Spot) else Spot.load(spot)
    available = free_memory_mb() if memory_mb is None else _checked("memory_mb", memory_mb)
    iterations = max(10, math.ceil(100 * (DEFAULT_TARGET / _checked("target", target)) ** 0.7))
    count = count_betting(found.betting, found.sizes)
    nodes, memory, work = _rough(found, count, settings.public_tables)
    if count.actions.sum() <= MOST_ACTIONS:
        size = found.rules.size()
        nodes, memory, work = int(size.nodes), table_megabytes(size, settings.public_tables), float(size.work)
    possible = (32,) if found.locks else settings.public_bits  # 16 bits could not keep what is locked
    memory |= {choice: memory[32] for choice in memory if choice not in settings.public_bits}
    fitting = [choice for choice in (possible if bits is None else (bits,)) if memory[choice] <= available]
    if not fitting:
        raise InputError(_too_large(found, count, memory, bits or possible[-1], available, 16 in possible))
    once = (SECONDS_PER_WORK * work + SECONDS_PER_NODE * nodes) * (FLOP_FACTOR if found.first_round == 1 else 1.0)
    seconds = MEASURING * iterations * once
    return Estimate(found.name, nodes, memory, available, fitting[0], target, iterations, seconds)


def free_memory_mb() -> float:
    """Return the megabytes that a tree may take: most of what is free, or what a limit on these processes leaves."""
    free = float(psutil.virtual_memory().available)
    group = Path("/sys/fs/cgroup")
    try:
        limit = float((group / "memory.max").read_text())
        free = min(free, limit - float((group / "memory.current").read_text()))
    except (OSError, ValueError):  # no such limit
        pass
    return USABLE * max(free, 0.0) / 1e6


def _checked(name: str, value: float) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (number and value > 0 and math.isfinite(value)):
        raise InputError(f"{name} must be a positive number, not {value!r}")
    return float(value)


def table_megabytes(size: TreeSize, tables: int) -> dict[int, float]:
    """Return the megabytes of a tree and of a number of tables (see `Algorithm.public_tables`), by bits per number."""
    memory = {choice: float(mb) for choice, mb in size.megabytes.items()}
    # Both sizes count two tables and the same rest, so that their difference tells what the 16-bit scales take.
    wide, more = 4 * size.entries / 1e6, tables - 2
    return {32: memory[32] + more * wide, 16: memory[16] + more * (wide - (memory[32] - memory[16]) / 2)}


def _rough(spot: Spot, count: BettingCount, tables: int = 2) -> tuple[int, dict[int, float], float]:
    """Return nodes, megabytes and work without suit isomorphism."""
    live = [own.count for own in spot.ranges]
    boards = [0.0] * len(STREETS)
    boards[spot.first_round] = 1.0
    for street in range(spot.first_round + 1, len(STREETS)):
        boards[street] = boards[street - 1] * (spot.card_deck.size - 2 - street)
    nodes = float(count.nodes @ boards)
    entries = sum(float(count.actions[:, player] @ boards) * live[player] for player in range(2))
    return int(nodes), {bits: tables * bits / 8 * entries / 1e6 for bits in (32, 16)}, nodes * sum(live)


def _too_large(
    spot: Spot, count: BettingCount, memory: Mapping[int, float], bits: int, available: float, halvable: bool
) -> str:
    halved = ""
    if bits == 32 and halvable:
        halved = f" (16 bits would need {_amount(memory[16])}{' and fit' if memory[16] <= available else ''})"
    return (
        f"{spot.name or 'the spot'} needs {_amount(memory[bits])} of memory with {bits} bits{halved}, and "
        f"{_amount(available)} may be used: {_advice(spot, count, memory[bits], bits, available)}"
    )


def _advice(spot: Spot, count: BettingCount, needed: float, bits: int, available: float) -> str:
    """Return the sizes to leave out, always the one that saves most, until the tree fits."""
    if spot.has_lines:
        return "leave out some of its lines"
    lists = _lists(spot.size_tables, spot.first_round)
    length, name = max(((len(own), name) for name, own in lists), default=(0, ""))
    if length > LONG_LIST:
        return f"leave out most of the {length} sizes of {name}"
    scale = needed / _rough(spot, count)[1][bits]
    tables: dict[str, Any] = deepcopy(spot.size_tables)
    cut: list[str] = []
    until = time.thread_time() + ADVICE_SECONDS
    while needed > available and len(cut) < MOST_CUTS and time.thread_time() < until:
        smaller: list[tuple[float, str, dict[str, Any]]] = []
        for name, rest in _without_one(tables, spot.first_round):
            if smaller and time.thread_time() > until:
                break
            left = count_betting(spot.betting, BetSizes.read(rest, spot.first_round))
            smaller.append((scale * _rough(spot, left)[1][bits], name, rest))
        if not smaller:
            break
        needed, name, tables = min(smaller, key=lambda option: option[:2])
        cut.append(name)
    listed = ", ".join(cut[:-1]) + " and " * (len(cut) > 1) + cut[-1] if cut else "every bet"
    if needed > available:
        return f"even without {listed} it would need about {_amount(needed)}"
    return f"leave out {listed}, and it needs about {_amount(needed)}"


def _lists(tables: Mapping[str, Any], first_round: int) -> Iterator[tuple[str, list[str]]]:
    """Yield every list of sizes with its name, such as turn.bet or river.raise.ip."""
    for street in STREETS[first_round:]:
        for key, words in tables[street].items():
            for player, own in words.items() if isinstance(words, Mapping) else (("", words),):
                yield f"{street}.{key}{f'.{player}' if player else ''}", own


def _without_one(tables: Mapping[str, Any], first_round: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the tables with one size left out, each in turn, and the name of that size."""
    for number, (name, own) in enumerate(_lists(tables, first_round)):
        for place, word in enumerate(own):
            rest = deepcopy(dict(tables))
            del [*_lists(rest, first_round)][number][1][place]
            yield f'{name} "{word}"', rest


def _amount(megabytes: float) -> str:
    if megabytes >= 1e6:
        return f"{megabytes / 1e6:,.3g} TB"
    return f"{megabytes / 1e3:.1f} GB" if megabytes >= 1e3 else f"{megabytes:.3g} MB"
