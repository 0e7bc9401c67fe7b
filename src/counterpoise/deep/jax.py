"""JAX, which trains networks: loaded when it is first needed, on one thread of the processor."""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager
from importlib.util import find_spec
from typing import Any

from counterpoise.errors import InputError

ONE_THREAD = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"


def require_jax() -> None:
    """Make JAX ready to be imported; say in a sentence which extra is missing if it is not installed.

    It runs on one thread, so that the same seed trains the same weights; parallel work is a matter of processes.
    """
    missing = [name for name in ("jax", "optax", "threadpoolctl") if find_spec(name) is None]
    if missing:
        raise InputError(
            f"training networks needs {' and '.join(missing)}, which the extra [deep] installs: "
            'pip install "counterpoise[deep]"'
        )
    if "jax" not in sys.modules:
        os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {ONE_THREAD}".strip()
        os.environ.setdefault("JAX_PLATFORMS", "cpu")


def one_blas_thread() -> AbstractContextManager[Any]:
    """Return a context in which NumPy multiplies matrices on one thread.

    The matrices of networks are small, so that further threads spin more than they compute: five times the CPU time.
    """
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[Any] = threadpool_limits(1, "blas")
    return limits
