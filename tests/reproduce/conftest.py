from collections.abc import Callable
from typing import Any

import pytest

from counterpoise.progress import SilentProgress
from counterpoise.reproduce import Report, Setup


@pytest.fixture(scope="session")
def perform() -> Callable[..., Report]:
    """Run the body of an experiment, possibly smaller than as registered, and give its report."""

    def run(body: Callable[..., None], **options: Any) -> Report:
        report = Report("test", "a test")
        body(Setup(SilentProgress()), report, **options)
        return report

    return run


@pytest.fixture(scope="session")
def curve() -> Callable[..., dict[int, float]]:
    """The exploitability of one run of a report by iteration."""

    def read(report: Report, game: str, label: str) -> dict[int, float]:
        trace = report.data["runs"][game][label]["trace"]
        return {point["iteration"]: point["exploitability"] for point in trace}

    return read
