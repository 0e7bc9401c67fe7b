"""What all tests share."""

import hypothesis
import pytest

hypothesis.settings.register_profile("untimed", deadline=None)  # no test asserts a wall-clock time
hypothesis.settings.load_profile("untimed")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark long tests as slow, which `make test` leaves to `make test-long`, and those that walk pages as such."""
    for item in items:
        if "browser" in item.path.parts:
            item.add_marker("browser")
        if item.get_closest_marker("long") or "rebel" in item.path.parts:  # its kernels are compiled for long
            item.add_marker("slow")
