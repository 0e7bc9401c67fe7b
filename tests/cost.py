"""What tests cost: CPU seconds of each test, its child processes included, and of each kernel that was compiled for it.

``pytest -p tests.cost tests/solvers``, in one process, prints the dearest ones at the end. Compiling in child processes
counts as time of the child.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from typing import Any

import pytest
from numba.core import event

SHOWN = 40

seconds: Counter[str] = Counter()
compiling: Counter[str] = Counter()
kernels: Counter[str] = Counter()


class Compilations(event.Listener):  # type: ignore[misc]
    """Adds the time of every compilation, less that of the kernels compiled meanwhile, to its kernel and its test."""

    def __init__(self) -> None:
        self.under_way: list[tuple[float, float]] = []

    def on_start(self, event: Any) -> None:
        """Start the clock of a kernel."""
        self.under_way.append((time.thread_time(), 0.0))

    def on_end(self, event: Any) -> None:
        """Stop it."""
        began, others = self.under_way.pop()
        whole = time.thread_time() - began
        if self.under_way:
            above, before = self.under_way[-1]
            self.under_way[-1] = above, before + whole
        function = event.data["dispatcher"].py_func
        kernels[f"{function.__module__}.{function.__name__}"] += whole - others
        compiling[os.environ.get("PYTEST_CURRENT_TEST", "collection").rpartition(" ")[0]] += whole - others


event.register("numba:compile", Compilations())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Any:
    """Take the time of a test, its fixtures included."""
    before = os.times()
    result = yield
    seconds[item.nodeid] += sum(now - then for now, then in zip(os.times()[:4], before[:4], strict=True))
    return result


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the sums and the dearest tests and kernels."""
    whole, compiled = sum(seconds.values()), sum(kernels.values())
    terminalreporter.section(f"{whole:.0f} CPU seconds in {len(seconds)} tests, {compiled:.0f} of them compile")
    for name, spent in seconds.most_common(SHOWN):
        terminalreporter.line(f"{spent:8.2f} ({compiling[name]:.2f} compiling) {name}")
    terminalreporter.section("kernels by the time that they compile")
    for name, spent in kernels.most_common(SHOWN):
        terminalreporter.line(f"{spent:8.2f} {name}")
