"""Chapter 9 of Johanson 2016: the printed arithmetic, and a small deck by the program for large games."""

import pytest


def test_the_printed_arithmetic_holds(perform):
    report = perform("johanson-9-arithmetic")
    assert all(claim.holds for claim in report.claims)
    assert report.data["counted"]["subgames after the flop's betting"] == 110_565
    assert report.data["counted"]["decision states"] == pytest.approx(3.16207e17, rel=1e-5)


@pytest.mark.slow
def test_current_strategies_become_better(perform):
    report = perform("johanson-9.3", iterations=30)
    assert report.claim("bounds").holds
    trace = dict(report.data["trace"])
    assert trace[30] < trace[10] / 2


@pytest.mark.slow
def test_first_decisions_have_a_row_for_each_kind_of_hand(perform):
    report = perform("johanson-9.4", iterations=10)
    assert [len(table.rows) for table in report.tables] == [25, 25]
    grids = report.data["first_round"]
    assert {sum(row.values()) == pytest.approx(1) for row in grids["b4"].values()} == {True}
    assert report.claim("limps").holds is None  # the deck is another one: it cannot refute
