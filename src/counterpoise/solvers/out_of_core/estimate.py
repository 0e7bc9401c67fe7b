"""Estimate the disk, memory, time and, on many machines, money that a run takes, from measured constants."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from counterpoise.progress import duration
from counterpoise.solvers.out_of_core.partition import Partition
from counterpoise.store.json import JsonResult, plain_json

YEAR = 365.25 * 86400
KEPT_GENERATIONS = 2
"""Generations of blocks that a folder keeps."""


class Costs(NamedTuple):
    """CPU nanoseconds for each regret of both seats, and the bits of one on the disk.

    Measured in the first two rounds of 52 cards after 60 iterations, on an Intel Xeon core of 2.1 GHz that others used
    too.
    """

    update: float = 8.0
    """Walks that update either seat, regrets being in memory."""
    answer: float = 6.3
    """Walks that compute the best response of either seat."""
    decode: float = 6.3
    encode: float = 7.2
    bits: float = 3.6

    @property
    def iteration(self) -> float:
        """Nanoseconds of an iteration: the update of a seat reads the regrets of both and writes its own."""
        return self.update + 2 * self.decode + self.encode

    @property
    def measurement(self) -> float:
        """Nanoseconds of measuring exploitability once."""
        return self.answer + 2 * self.decode


MEASURED = Costs()


@dataclass(frozen=True)
class OutOfCoreEstimate(JsonResult):
    """What a run will take.

    >>> from counterpoise.games import load
    >>> found = estimate_out_of_core(Partition.of(load("limit_holdem(board=[0, 3])")))
    >>> found.information_sets, found.regrets, found.parts
    (90076792, 234196144, 61)
    """

    game: str
    information_sets: int
    regrets: int
    """Below the trunk."""
    parts: int
    part_megabytes: float
    """Memory of a part that is at work; each worker has one."""
    disk_mb: float
    """The megabytes on disk that two generations of both seats take."""
    cpu_seconds_per_iteration: float
    cpu_seconds_per_measurement: float
    workers: int

    @property
    def seconds_per_iteration(self) -> float:
        """Wall-clock seconds if every worker has a core of its own."""
        return self.cpu_seconds_per_iteration / min(self.workers, self.parts)

    def sentence(self) -> str:
        """Return the estimate in words."""
        return (
            f"{self.information_sets:,} information sets with {self.regrets:,} regrets in {self.parts:,} "
            f"part{'s' * (self.parts > 1)}: about "
            f"{size(self.disk_mb)} of disk, {size(self.part_megabytes * self.workers)} of memory and "
            f"{duration(self.seconds_per_iteration)} for an iteration by {self.workers} "
            f"process{'es' * (self.workers > 1)}, {duration(self.cpu_seconds_per_measurement / self.workers)} for a "
            "measurement"
        )

    def to_json(self) -> dict[str, Any]:
        """Return all figures in the types of JSON."""
        return {**super().to_json(), **plain_json({"seconds_per_iteration": self.seconds_per_iteration})}


def estimate_out_of_core(partition: Partition, workers: int = 1, costs: Costs = MEASURED) -> OutOfCoreEstimate:
    """Return the estimate of a run of a game in parts."""
    regrets = partition.regrets
    return OutOfCoreEstimate(
        game=partition.game.name,
        information_sets=partition.information_sets,
        regrets=regrets,
        parts=partition.parts,
        part_megabytes=partition.part_megabytes,
        disk_mb=KEPT_GENERATIONS * regrets * costs.bits / 8e6,
        cpu_seconds_per_iteration=regrets * costs.iteration / 1e9,
        cpu_seconds_per_measurement=regrets * costs.measurement / 1e9,
        workers=workers,
    )


def size(megabytes: float) -> str:
    """Return an amount of memory or disk as people say it.

    >>> size(3.21), size(1234.5), size(3.2e7)
    ('3.2 MB', '1.2 GB', '32 TB')
    """
    for unit in ("MB", "GB"):
        if megabytes < 1000:
            return f"{megabytes:,.2g} {unit}" if megabytes < 100 else f"{megabytes:,.0f} {unit}"
        megabytes /= 1000
    return f"{megabytes:,.2g} TB" if megabytes < 100 else f"{megabytes:,.0f} TB"


def free_megabytes(path: Path) -> float:
    """Return the free megabytes of the disk where a folder is or would be made."""
    there = next(one for one in (path, *path.parents) if one.exists())
    return shutil.disk_usage(there).free / 1e6


@dataclass(frozen=True)
class Projection:
    """The cost of iterations of a large game on many machines, where each seat's update is divided into jobs.

    Time is counted in rounds of jobs, so that more workers than jobs are of no use. Regrets stay on the disk of the
    machine that works with them; reach and values of the trunk's ends go over the head's network.
    """

    regrets: float
    jobs: int
    lines: int
    """Ends of the trunk on each board that has jobs; a job gets all of them."""
    hands: int
    iterations: int
    machines: int
    cores: int = 64
    """The cores of each machine."""
    price: float = 0.04
    """The price of a core for an hour, in dollars."""
    network: float = 1.25
    """Gigabytes that the head's network moves in a second."""
    costs: Costs = MEASURED

    @property
    def core_years(self) -> float:
        """CPU time."""
        return self.regrets * self.costs.iteration * self.iterations / 1e9 / YEAR

    @property
    def days(self) -> float:
        """Wall-clock time: the longer of whole rounds of jobs, one per worker at a time, and the head's network."""
        rounds = -(-self.jobs // (self.machines * self.cores))
        working = self.core_years * YEAR / self.jobs * rounds
        return max(working, self.iterations * self.network_gb / self.network) / 86400

    @property
    def disk_tb(self) -> float:
        """Disk of all machines, for the generations that are kept."""
        return KEPT_GENERATIONS * self.regrets * self.costs.bits / 8e12

    @property
    def disk_traffic(self) -> float:
        """Megabytes that a machine's disk reads and writes each second."""
        moved = 3 * self.regrets * self.costs.bits / 8e6 * self.iterations  # both seats' read twice, written once
        return moved / self.machines / (self.days * 86400)

    @property
    def network_gb(self) -> float:
        """Gigabytes that the head sends and receives in an iteration: reach in single, values in double precision."""
        return 2 * self.jobs * self.lines * self.hands * (4 + 8) / 1e9

    @property
    def memory_gb(self) -> float:
        """Gigabytes of memory of a machine's concurrent jobs, in single precision and compressed."""
        return 8 * self.regrets / self.jobs * min(self.cores, self.jobs) / 1e9

    @property
    def dollars(self) -> float:
        """The price of the cores while they are rented, idle ones included."""
        return self.days * 24 * self.machines * self.cores * self.price
