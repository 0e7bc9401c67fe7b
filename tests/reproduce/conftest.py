"""Experiments at a reduced size; each runs once, however many tests read its report."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from counterpoise.progress import SilentProgress
from counterpoise.reproduce import EXPERIMENTS, Report


@pytest.fixture(scope="session")
def perform() -> Callable[..., Report]:
    """Run an experiment by id, possibly smaller than as registered, and return its report."""
    reports: dict[str, Report] = {}

    def run(id: str, **sizes: Any) -> Report:
        key = f"{id} {sizes}"
        if key not in reports:
            reports[key] = EXPERIMENTS[id].run(SilentProgress(), **sizes)
        return reports[key]

    return run


@pytest.fixture(scope="session")
def curve() -> Callable[..., dict[int, float]]:
    """The exploitability of one run of a report by iteration."""

    def read(report: Report, game: str, label: str) -> dict[int, float]:
        trace = report.data["runs"][game][label]["trace"]
        return {point["iteration"]: point["exploitability"] for point in trace}

    return read


@pytest.fixture(scope="session")
def folder() -> Path:
    """The published endgames of Libratus, where COUNTERPOISE_DATA names them."""
    place = Path(os.environ.get("COUNTERPOISE_DATA", "/nonexistent"))
    if not (place / "subgame1.txt").is_file():
        pytest.skip("COUNTERPOISE_DATA names no folder with the Libratus endgames")
    return place
