"""Tournament scoring: total bankroll, instant run-off, intervals of totals."""

import math

import pytest

from counterpoise.errors import InputError
from counterpoise.evaluation.tournament import CrossTable
from counterpoise.intervals import Tally

NAMES = ("steady", "bully", "prey")
VALUES = [[0, 5, 20], [-5, 0, 100], [-20, -100, 0]]
"""The bully wins most in total, the steady one from each."""


def test_bankroll_and_runoff_disagree():
    """The bully leads by bankroll; without its prey it loses to the steady one."""
    table = CrossTable(NAMES, VALUES)
    assert [one.name for one in table.total_bankroll()] == ["bully", "steady", "prey"]
    assert table.total_bankroll()[0].mean == 47.5
    rounds = table.instant_runoff()
    assert [one.dropped for one in rounds] == ["prey", "bully", "steady"]
    assert table.runoff_ranking() == ("steady", "bully", "prey")
    assert [one.mean for one in rounds[1].standings] == [5, -5]


def test_intervals_of_totals_and_differences():
    """Cells are independent, but what one of two wins from the other counts twice in their difference."""
    table = CrossTable(NAMES, VALUES, [[0, 3, 4], [3, 0, 4], [4, 4, 0]])
    assert table.total("steady") == (12.5, math.hypot(3, 4) / 2)
    gap, width = table.difference("bully", "steady")
    assert gap == 35
    assert width == pytest.approx(math.hypot(6, 4, 4) / 2)
    close = CrossTable(NAMES, VALUES, [[0, 50, 50], [50, 0, 50], [50, 50, 0]])
    assert [one.tied for one in close.total_bankroll()] == [True, False, False]
    assert [one.tied for one in table.total_bankroll()] == [False, False, False]


def test_difference_is_right_by_simulation():
    """The interval of a difference of totals has the width that simulated tables have."""
    import numpy as np

    draws = np.random.default_rng(1)
    cells = draws.normal(0, 1, (20_000, 3))  # a-b, a-c, b-c with standard deviation 1
    gaps = (cells[:, 0] + cells[:, 1]) / 2 - (-cells[:, 0] + cells[:, 2]) / 2
    table = CrossTable(("a", "b", "c"), [[0] * 3] * 3, [[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    assert table.difference("a", "b")[1] == pytest.approx(gaps.std(), rel=0.02)


def test_table_of_tallies():
    """One order of a pair is enough; agents that never met have no cell."""
    table = CrossTable.of_tallies({("a", "b"): Tally.of([1, 3]), ("c", "b"): Tally.of([5, 5])}, scale=10)
    assert table.names == ("a", "b", "c")
    assert table.values[0][1] == 20
    assert table.values[1][0] == -20
    assert math.isnan(table.values[0][2])
    assert table.total("b")[0] == -35
    assert table.cells()[1][0][3] == "-"


def test_wrong_tables_are_refused():
    """Names differ and tables are square."""
    with pytest.raises(InputError, match="names must differ"):
        CrossTable(("a", "a"), [[0, 0], [0, 0]])
    with pytest.raises(InputError, match="values must be a table of 2 rows and columns"):
        CrossTable(("a", "b"), [[0, 0]])
