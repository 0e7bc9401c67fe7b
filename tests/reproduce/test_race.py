import signal

import pytest

from counterpoise.progress import SilentProgress
from counterpoise.reproduce import NotMeasured, Race, Report, Setup, race
from counterpoise.reproduce.race import draw, log_spaced, measured, short, side_by_side

ALGORITHMS = {"CFR": "cfr", "CFR+": "cfr+"}


@pytest.fixture(scope="module")
def contest() -> Race:
    return race(Setup(SilentProgress()), Report("x", "X"), "kuhn_poker", ALGORITHMS, iterations=200, at=(150,))


def test_curves_are_measured_where_asked_and_evenly_on_a_log_scale(contest):
    iterations = [point.iteration for point in contest.trace("CFR")]
    assert iterations == sorted({*log_spaced(200), 150, 200})
    assert contest.at("CFR", 150) == contest.trace("CFR")[iterations.index(150)].exploitability


def test_log_spaced_reaches_its_ends():
    assert log_spaced(1000)[0] == 1
    assert log_spaced(1000)[-1] == 1000
    assert len([t for t in log_spaced(1000) if t >= 100]) == 11


def test_mean_lies_between_the_extremes_of_its_window(contest):
    window = [p.exploitability for p in contest.trace("CFR+") if 10 <= p.iteration <= 100]
    assert min(window) < contest.mean("CFR+", 10, 100) < max(window)


def test_histories_interpolate_between_measurements(contest):
    first, second = contest.trace("CFR")[10:12]
    assert contest.at_nodes("CFR", first.nodes_touched) == pytest.approx(first.exploitability)
    between = contest.at_nodes("CFR", (first.nodes_touched * second.nodes_touched) ** 0.5)
    assert between == pytest.approx((first.exploitability * second.exploitability) ** 0.5)


def test_what_was_not_measured_is_said_so(contest):
    for lookup in (
        lambda: contest.at("CFR", 160),
        lambda: contest.at("DCFR", 100),
        lambda: contest.at_nodes("CFR", 1e12),
        lambda: contest.mean("CFR", 100, 1000),
    ):
        with pytest.raises(NotMeasured):
            lookup()
    assert measured(contest.at, "CFR", 160) == "-"


def test_side_by_side_puts_two_iterations_in_a_table(contest):
    tables = side_by_side("Kuhn", contest, (10, 100, 200), {"CFR": (0.1, 0.2, 0.3), "LCFR": (1.0, 2.0, None)})
    assert [list(table.columns) for table in tables] == [
        ["algorithm", "T = 10", "reference", "T = 100", "reference"],
        ["algorithm", "T = 200", "reference"],
    ]
    assert tables[1].rows == [["CFR", short(contest.at("CFR", 200)), "0.3"], ["LCFR", "-", "-"]]


def test_ctrl_c_ends_the_race_and_keeps_what_was_measured(tmp_path):
    report = Report("x", "X")

    def press(label, solver, point):
        if point.iteration == 100:
            signal.raise_signal(signal.SIGINT)

    setup = Setup(SilentProgress(), tmp_path)
    contest = race(setup, report, "kuhn_poker", ALGORITHMS, iterations=100_000_000, callback=press)
    assert report.interrupted
    assert list(contest.runs) == ["CFR"]
    assert contest.at("CFR", 100) > 0
    assert not race(setup, report, "kuhn_poker", ALGORITHMS, iterations=10).runs
    draw(setup, report, "what there is", {"Kuhn": contest})
    assert report.figures[0].stat().st_size > 10_000


def test_short_numbers_keep_three_digits():
    assert [short(x) for x in (0.8886, 2.42e-4, -0.0856, 0.0, None)] == ["0.889", "2.42e-4", "-0.0856", "0", "-"]
