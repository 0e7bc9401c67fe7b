"""Workers of a cluster of machines, by Ray.

1. `connect` starts or joins a cluster. Every worker is an actor that says from which sources it computes: one of
   another version of the package is refused, as its numbers might differ.
2. What all pieces need (`make`) is put once into Ray's object store, which sends it once to each machine.
3. `counterpoise.cluster.crew` hands pieces out and replaces workers that die.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Generator, Iterator
from typing import Any, Self, TypeVar

from numpy.typing import DTypeLike

from counterpoise.cluster.address import ClusterAddress, parse_address
from counterpoise.cluster.crew import Crew, last_line
from counterpoise.cluster.sharing import ClusterArray
from counterpoise.errors import InputError
from counterpoise.jobs.processes import check_picklable
from counterpoise.progress import CancelToken

Found = TypeVar("Found")
JOIN_SECONDS = 20.0
"""How long a running cluster may take to answer."""


def connect(where: str | ClusterAddress) -> Cluster:
    """Start workers on this machine (``local:N``) or join a running cluster (``HOST:PORT``); close it after use."""
    address = parse_address(where) if isinstance(where, str) else where
    ray = _import_ray()
    if ray.is_initialized():
        raise InputError("cluster: this process is connected to a cluster already; close that one first")
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR, "configure_logging": True}
    try:
        if address.workers is not None:
            ray.init(
                address="local",
                num_cpus=address.workers,
                include_dashboard=False,
                _node_ip_address="127.0.0.1",
                **options,
            )
        else:
            _require_listening(_as_ray_reads(ray, address.address), address.address)
            ray.init(address=address.address, **options)
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"cluster {_shown(address)} cannot be reached: {last_line(error)}") from None
    return Cluster(ray, address)


class Cluster:
    """Workers on one machine or many; stands wherever a number of processes may stand.

    >>> from counterpoise.cluster import connect
    >>> with connect("local:2") as cluster:  # doctest: +SKIP
    ...     cp.match("leduc_poker", ["random", "always-call"], 1000, processes=cluster)
    """

    def __init__(self, ray: Any, address: ClusterAddress) -> None:
        self._ray, self.address = ray, address
        self._cpu = 0.0
        self._lost = 0
        self._closed = False
        self._crew: Crew | None = None
        self._gcs = str(ray.get_runtime_context().gcs_address)

    @property
    def count(self) -> int:
        """How many pieces are at work at a time: one for each processor of the cluster."""
        if self.address.workers is not None:
            return self.address.workers
        return max(int(self._ray.cluster_resources().get("CPU", 1)), 1)

    def _present_count(self) -> int:
        """Return how many workers there should be now; refuse to wait for a cluster that is gone."""
        try:
            _require_listening(self._gcs, self._gcs)
        except InputError:
            raise InputError("the cluster has gone away; what was finished is kept") from None
        return self.count

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds that workers have spent on the pieces whose results were taken."""
        return self._cpu

    @property
    def lost(self) -> int:
        """How many workers have died and were replaced."""
        return self._lost

    def share(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> ClusterArray:
        """Return an array of zeros that pieces may read."""
        return ClusterArray(self._ray, shape, dtype)

    def map_in_order(
        self, make: Callable[[], Callable[..., Found]], plan: Iterator[tuple[Any, ...]], cancel: CancelToken
    ) -> Generator[Found, None, None]:
        """Yield what the function that `make` returns finds for the pieces of a plan, in its order."""
        if self._closed:
            raise InputError("cluster: the connection is closed")
        self._present_count()  # Ray would end this process where it meets a store that is gone
        if self._crew is None or self._crew.make != make:
            check_picklable(make)
            self._dismiss()
            self._crew = Crew(self._ray, make, self._present_count)
        crew = self._crew
        before = crew.cpu_seconds, crew.lost
        try:
            yield from crew.run(plan, cancel)
        finally:
            self._cpu += crew.cpu_seconds - before[0]
            self._lost += crew.lost - before[1]
            if crew.busy:  # stopped on the way: workers stay only between plans of the same work
                self._dismiss()

    def _dismiss(self) -> None:
        if self._crew is not None:
            self._crew.close()
            self._crew = None

    def close(self) -> None:
        """Leave the cluster; one that was started here ends."""
        if not self._closed:
            self._dismiss()
            self._closed = True
            self._ray.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _shown(address: ClusterAddress) -> str:
    return address.address or f"local:{address.workers}"


def _as_ray_reads(ray: Any, address: str) -> str:
    """Return an address as Ray takes it, which knows this machine by another address than 127.0.0.1."""
    host, _, port = address.rpartition(":")
    own = host.strip("[]") in ("localhost", "127.0.0.1", "::1")
    return f"{ray.util.get_node_ip_address()}:{port}" if own else address


def _require_listening(address: str, named: str) -> None:
    """Refuse an address at which nothing listens, before Ray waits for it, by the name that the user gave it."""
    import socket

    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=JOIN_SECONDS).close()
    except OSError as error:
        raise InputError(f"cluster {named} cannot be reached: {error.strerror or error}") from None


def _import_ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
        import ray.exceptions
    except ImportError:
        raise InputError('clusters need the extra "cluster": pip install "counterpoise[cluster]"') from None
    return ray
