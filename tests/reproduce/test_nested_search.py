import pytest

from counterpoise.reproduce.brown.nested_search import CONTROL, MAPPING, NESTED
from counterpoise.reproduce.harness.published import published

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def report(perform):
    return perform("brown-5.4")


def test_13_nested_search_beats_translation(report):
    """All nested methods at most half, all safe ones at most a quarter as exploitable as translation.

    See Brown 2020, section 5.4.
    """
    means = {label: sum(pair) / 2 for label, pair in report.data["losses"].items()}
    for label, settings in NESTED.items():
        assert means[label] <= means[MAPPING] / (2 if settings.method == "unsafe" else 4)
    assert report.claim("nested-better").holds
    assert report.claim("safe-nested-better").holds


def test_13_near_an_independent_computation(report):
    means = {label: sum(pair) / 2 for label, pair in report.data["losses"].items()}
    for label, reference in published("nested_search")["reference"].items():
        assert means[label] == pytest.approx(reference, rel=0.1)
    assert report.data["losses"][MAPPING] == pytest.approx([5.4, 26.1], rel=0.01)


def test_nothing_is_better_than_the_exact_control(report):
    first, second = report.data["losses"][CONTROL]
    for label in NESTED:
        own = report.data["losses"][label]
        assert own[0] >= first - 1e-6
        assert own[1] >= second - 1e-6


def test_table_has_the_published_numbers(report):
    (table,) = report.tables
    shown = {row[0]: row[-1] for row in table.rows}
    assert {label for label, text in shown.items() if text != "-"} == set(published("nested_search")["published"])
    assert shown[MAPPING] == "1,465"
