"""What all tests share."""

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests are slow too, so that ``-m "not slow"`` leaves both out; those in a browser can be chosen."""
    for item in items:
        if "browser" in item.path.parts:
            item.add_marker("browser")
        if item.get_closest_marker("long"):
            item.add_marker("slow")
