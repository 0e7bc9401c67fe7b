"""Runs on abstractions of continuous Leduc that several tests look at."""

import pytest

from counterpoise.solvers.saef import GrowingCFR

BRANCH = {2: (0.01, 1), 3: (0.01, 1 / 3, 1), 5: (0.01, 1 / 7, 1 / 3, 3 / 5, 1)}
"""The sizes of the source's fixed abstractions: new ones are midpoints of their neighbours, from 0 on."""


@pytest.fixture(scope="session")
def branch2():
    """Branch-2 after 300 iterations."""
    cfr = GrowingCFR()
    cfr.step(300)
    return cfr


@pytest.fixture(scope="session")
def branch3():
    """Branch-3 after 60 iterations."""
    cfr = GrowingCFR(sizes=BRANCH[3])
    cfr.step(60)
    return cfr
