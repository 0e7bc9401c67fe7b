import json
import re
import signal
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import numpy as np
import pytest

from counterpoise.errors import InputError
from counterpoise.progress import CancelToken, SilentProgress
from counterpoise.reproduce import EXPERIMENTS, Claim, Experiment, JudgedClaim, Lab, NotMeasured, Table, experiment
from counterpoise.reproduce.harness.basis import Basis, read_basis
from counterpoise.reproduce.harness.published import _plain, published
from counterpoise.reproduce.harness.racing import race, race_to_nodes
from counterpoise.reproduce.harness.report import Figures, beside, cell
from counterpoise.reproduce.harness.runs import Runs, RunSeries, by_iterations, convergence, log_spaced
from counterpoise.reproduce.harness.verdicts import (
    Interval,
    NotSettled,
    Reason,
    above,
    below,
    difference,
    inside,
    less_by_seed,
    mean_interval,
    settled,
    short,
)
from counterpoise.solvers import TracePoint, solve

ALGORITHMS = {"CFR": "cfr", "CFR+": "cfr+"}


def test_every_experiment_says_what_it_is_and_cites_its_source():
    assert len(EXPERIMENTS) >= 45
    for id, entry in EXPERIMENTS.items():
        assert entry.id == id
        assert re.fullmatch(r"[a-z0-9]+([-.][a-z0-9]+)*", id)
        assert len(entry.title) > 10
        assert re.match(r"(Brown|Johanson)( et al\.)? \d{4}, \w+ \d", entry.source)
        assert 0 < entry.seconds <= 600
        assert entry.function.__doc__


def test_an_unknown_id_gets_the_nearest_suggested():
    with pytest.raises(InputError, match=r"unknown experiment 'three-action': did you mean three-actions\?"):
        EXPERIMENTS["three-action"]


@pytest.mark.parametrize("body", ["brown.prunning:kinds", "brwn.pruning:kinds", "brown.pruning:kind", "brown.pruning"])
def test_a_body_that_does_not_exist_is_named_in_a_sentence(body):
    with pytest.raises(InputError, match=f"^x has the body '{body}', but reproduce has no such function$"):
        Experiment("x", "X", "Brown 2020, chapter 1", 1, body).run(SilentProgress())


CLAIMS = {
    "two": "two is more than one",
    "one": "one is more than two",
    "three": "never measured",
    "{place}-first": "the {place} is first",
}
UNJUDGED = "the body of the experiment yields no claim with this id"


SAME_GAME = Basis()


def perform(body, judged=SAME_GAME, **options):
    experiment = Experiment("x", "X", "Brown 2020, chapter 1", 1, body, claims=CLAIMS, judged=judged)
    return experiment.run(SilentProgress(), **options)


class TestBasis:
    """What a verdict is worth: on another game, of random runs, of figures that still move."""

    @staticmethod
    def judge(judged, *found):
        def body(lab):
            for key, one in zip(CLAIMS, found, strict=False):
                yield Claim(
                    key, one if callable(one) else lambda one=one: one, **({"place": "x"} if "{" in key else {})
                )

        return perform(body, judged).claims[: len(found)]

    def test_a_claim_that_fails_on_another_game_is_not_decided_unless_it_is_general(self):
        yes, no = (True, "2"), (False, "1")
        first, second = self.judge(Basis(another_game=True), yes, no)
        assert (first.holds, first.reason) == (True, "")
        assert (second.holds, second.here, second.reason) == (None, False, Reason.ANOTHER_GAME)
        assert second.told == "another game than the source's, our run does not show it: 1"
        general, printed = self.judge(Basis(another_game=True, general=("two",), printed=("one",)), no, no)
        assert general.holds is False
        assert printed.holds is False

    def test_random_figures_are_judged_by_an_interval_or_not_at_all(self):
        claims = self.judge(
            Basis(random=True, exact=("three",)), (True, "1 < 2"), below(Interval(1, 0.5, 4), 2), (True, "")
        )
        assert [(claim.holds, claim.reason) for claim in claims] == [
            (None, Reason.NO_INTERVAL),
            (True, ""),
            (True, ""),
        ]

    def test_an_interval_across_the_border_decides_nothing(self):
        (claim,) = self.judge(Basis(random=True), below(Interval(1, 0.5, 4), 1.2))
        assert (claim.holds, claim.here, claim.reason) == (None, None, Reason.ACROSS)
        assert claim.told == "the interval lies across the border: 1 ± 0.5 (4 seeds)"
        assert above(Interval(1, 0.5, 4), 1.6).holds is False
        assert [inside(Interval(1, 0.5, 4), 0, high).holds for high in (1.2, 2, 0.2)] == [None, True, False]

    def test_a_figure_that_doubling_the_work_still_moves_is_not_converged(self):
        (claim,) = self.judge(Basis(), lambda: (settled(1.1, 1.0, "CFR") < 2, ""))
        assert (claim.holds, claim.reason) == (None, Reason.UNSETTLED)
        assert claim.detail == "doubling the work of CFR moved 1.1 to 1, by 10 %"
        assert settled(1.019, 1.0, "CFR") == 1.0

    def test_a_run_is_settled_by_the_point_at_half_its_iterations(self):
        runs = Runs(
            "game", series={"a": RunSeries("a", [TracePoint(n, f, n, 0.0) for n, f in ((5, 3), (10, 2), (20, 1.99))])}
        )
        assert runs.settled("a") == 1.99
        with pytest.raises(NotSettled):
            runs.settled("a", 10)

    def test_student_and_pairs(self):
        """Against SciPy's own interval of the mean."""
        from scipy import stats

        values = [1.0, 1.5, 0.7, 2.2]
        found = mean_interval(values)
        low, high = stats.t.interval(0.95, 3, loc=np.mean(values), scale=stats.sem(values))
        assert (found.low, found.high) == pytest.approx((low, high))
        assert difference([2, 4], [1, 3]).half == 0
        assert less_by_seed({"a": [1, 2], "b": [2, 3]}.get, "a", "b").holds is True
        with pytest.raises(NotMeasured, match="an interval needs two seeds or more, not 1"):
            mean_interval([1.0])

    def test_a_field_that_no_basis_has_is_refused(self):
        with pytest.raises(InputError, match=r"declares judged.anothergame: did you mean another_game"):
            experiment("own", title="t", source="s", seconds=1, judged={"anothergame": True})(lambda lab: iter(()))
        assert "own" not in EXPERIMENTS


def test_a_claim_holds_does_not_hold_or_is_not_tested():
    figures = Figures({"one": 1, "two": 2}, missing="{} was stopped")

    def more(high, low):
        return figures[high] > figures[low], f"{figures[high]} and {figures[low]}"

    def body(lab):
        yield Claim("two", more, "two", "one")
        yield Claim("one", more, "one", "two")
        yield Claim("three", more, "three", "one")
        yield Claim("{place}-first", lambda: (True, ""), about="Leduc-5, CFR+", place="second")

    report = perform(body)
    assert report.claims[:4] == [
        JudgedClaim("two", "two is more than one", True, "2 and 1", "", True),
        JudgedClaim("one", "one is more than two", False, "1 and 2", "", False),
        JudgedClaim("three", "never measured", None, "three was stopped", Reason.NOT_MEASURED),
        JudgedClaim("leduc-5-cfr-plus-second-first", "Leduc-5, CFR+: the second is first", True, "", "", True),
    ]
    assert report.claim("one").holds is False


def test_a_claim_that_is_declared_but_not_yielded_is_listed_as_not_tested():
    def body(lab):
        yield Claim("two", lambda: (True, ""))

    report = perform(body)
    assert [(claim.id, claim.holds) for claim in report.claims] == [
        ("two", True),
        *((id, None) for id in list(CLAIMS)[1:]),
    ]
    assert report.claim("one") == JudgedClaim("one", "one is more than two", None, UNJUDGED, Reason.NOT_MEASURED)


def test_a_claim_that_is_yielded_but_not_declared_is_refused_in_a_sentence():
    def body(lab):
        yield Claim("four", lambda: (True, ""))

    declared = "two, one, three, {place}-first"
    with pytest.raises(InputError, match=f"^x yields the claim 'four', which it does not declare: .* {declared}$"):
        perform(body)


@pytest.mark.slow
def test_the_recipe_of_the_contributors_guide_runs_as_it_stands(monkeypatch, tmp_path):
    """The declaration, the figures and the body of docs/extending.md, put where it says."""
    guide = (Path(__file__).parents[2] / "docs" / "extending.md").read_text().split("## An experiment with claims")[1]
    blocks = [dedent(block) for block in re.findall(r"```(?:toml|py)\n(.*?)```", guide, re.DOTALL)]
    declaration, figures, body = blocks
    (entry,) = tomllib.loads(declaration).items()
    module = ModuleType("counterpoise.reproduce.brown.kuhn")
    exec(body, vars(module))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    known = {key: _plain(part) for key, part in tomllib.loads(figures).items()}
    monkeypatch.setattr(Lab, "published", lambda lab, name: {"kuhn": known}[name])
    experiment = Experiment(entry[0], **entry[1] | {"judged": read_basis(entry[0], entry[1]["judged"])})
    report = experiment.run(SilentProgress(), iterations=100)
    assert [(claim.id, claim.text) for claim in report.claims] == list(entry[1]["claims"].items())
    assert all(claim.holds for claim in report.claims)
    assert [table.columns for table in report.tables] == [
        ["algorithm", "T = 10", "reference", "T = 1,000", "reference"]
    ]
    assert report.tables[0].rows[0][3] == "-"  # not run that far
    assert len(experiment.run(SilentProgress(), tmp_path).figures) == 1


def test_ctrl_c_in_a_body_ends_it_and_keeps_what_it_has():
    def body(lab):
        yield Claim("two", lambda: (True, ""))
        raise KeyboardInterrupt

    report = perform(body)
    assert report.interrupted
    assert len(report.claims) == 1
    assert report.to_json()["interrupted"] is True
    assert "Stopped before the end" in report.notes[-1]


def test_what_follows_stoppable_work_is_still_declared():
    def body(lab):
        figures = Figures()
        with lab.stoppable():
            figures["first"] = 1.5
            raise KeyboardInterrupt
        with lab.stoppable():
            lab.begin("the second job")
            figures["second"] = 2.5
        yield Table("figures", ["name", "figure"], [[name, figures.get(name)] for name in ("first", "second")])

    report = perform(body)
    assert report.interrupted
    assert report.tables[0].rows == [["first", "1.5"], ["second", "-"]]


def test_a_token_cancels_an_experiment():
    token = CancelToken()

    def body(lab):
        runs = race(lab, "kuhn_poker", ALGORITHMS, iterations=10)
        token.cancel()
        late = race(lab, "kuhn_poker", ALGORITHMS, iterations=10)
        yield Table("runs", ["early", "late"], [[len(runs.series), len(late.series)]])

    report = perform(body, cancel=token)
    assert report.interrupted
    assert report.tables[0].rows == [["2", "0"]]


@pytest.mark.slow
def test_a_report_is_plain_json(tmp_path):
    report = EXPERIMENTS["johanson-9-leduc"].run(SilentProgress(), out=tmp_path / "new folder")
    answer = json.loads(json.dumps(report.to_json()))
    assert {
        "id",
        "title",
        "source",
        "basis",
        "interrupted",
        "tables",
        "data",
        "claims",
        "figures",
        "notes",
        "differences",
    } == set(answer)
    assert all(list(row) == table["columns"] for table in answer["tables"] for row in table["rows"])
    assert [path.exists() for path in report.figures] == [True]


def test_columns_of_a_table_have_different_names_in_json():
    table = Table("caption", ["", "T = 10", "reference", "T = 20", "reference", "", ""], [list("abcdefg")])
    columns = table.to_json()["columns"]
    assert columns[1:5] == ["T = 10", "T = 10, reference", "T = 20", "T = 20, reference"]
    assert len(set(columns)) == 7
    assert table.to_json()["rows"] == [dict(zip(columns, "abcdefg", strict=True))]


def test_figures_that_differ_from_their_reference_are_named_with_the_declared_cause():
    """The column headed "ours" is compared, whatever is between; what is nothing but rounding does not differ."""
    columns = ["variant", "ours", "iterations", "reference", "iterations"]
    rows = [["PCS", 1.0, 9, 1.05, 2], ["CS", 2.0, 9, 3.0, 2], ["exact", 1e-14, 9, 0.0, 2]]

    def body(lab):
        yield Table("Walks", columns, rows)
        yield Table("Sizes", ["game", "nodes", "reference"], [["a", 5, 7], ["b", 7, 7]])

    toy = Experiment("toy", "A toy", "nobody 2020", 1.0, body, differs="another machine.")
    assert toy.run(SilentProgress()).differences == [
        "Walks: CS (ours 2 for 3)",
        "Sizes: a (nodes 5 for 7)",
        "Why: another machine.",
    ]
    assert replace(toy, differs="").run(SilentProgress()).differences[-1] == "Why: no cause is known."
    rows[1][1] = 3.1
    assert toy.run(SilentProgress()).differences == ["Sizes: a (nodes 5 for 7)", "Why: another machine."]


def test_declared_causes_are_sentences():
    """A word that names no reason of the file would be shown as it is."""
    causes = [experiment.differs for experiment in EXPERIMENTS.values() if experiment.differs]
    assert len(causes) > 30
    assert all(cause.endswith(".") and " " in cause for cause in causes)


def test_published_figures():
    """A table with `at` is one mapping per row without what does not exist; keys that are numbers become numbers."""
    known = published("pruning")["Leduc"]
    assert known["CFR"] == {2.0: 0.0398, 4.0: 0.0236, 7.9: 0.0157}
    assert list(known["RM+, Total RBP"]) == [4.0, 7.9]
    assert published("warm_start")["published_t"][2_500] == 2_310


@pytest.fixture(scope="module")
def runs():
    return race(Lab(), "kuhn_poker", ALGORITHMS, iterations=200, at=(150,))


def test_curves_are_measured_where_asked_and_evenly_on_a_log_scale(runs):
    iterations = [point.iteration for point in runs.points("CFR")]
    assert iterations == sorted({*log_spaced(200), 150, 200})
    assert runs.at("CFR", 150) == runs.points("CFR")[iterations.index(150)].exploitability


def test_log_spaced_reaches_its_ends():
    assert log_spaced(1000)[0] == 1
    assert log_spaced(1000)[-1] == 1000
    assert len([t for t in log_spaced(1000) if t >= 100]) == 11


def test_mean_lies_between_the_extremes_of_its_window(runs):
    window = [p.exploitability for p in runs.points("CFR+") if 10 <= p.iteration <= 100]
    assert min(window) < runs.mean("CFR+", 10, 100) < max(window)


def test_histories_interpolate_between_measurements(runs):
    first, second = runs.points("CFR")[10:12]
    assert runs.at_nodes("CFR", first.nodes_touched) == pytest.approx(first.exploitability)
    between = runs.at_nodes("CFR", (first.nodes_touched * second.nodes_touched) ** 0.5)
    assert between == pytest.approx((first.exploitability * second.exploitability) ** 0.5)


def test_what_was_not_measured_is_said_so(runs):
    for lookup in (
        lambda: runs.at("CFR", 160),
        lambda: runs.at("DCFR", 100),
        lambda: runs.at_nodes("CFR", 1e12),
        lambda: runs.mean("CFR", 100, 1000),
    ):
        with pytest.raises(NotMeasured):
            lookup()
    assert cell(runs.at, "CFR", 160) is None


def test_two_iterations_in_a_table(runs):
    reference = {"CFR": {10: 0.1, 100: 0.2, 200: 0.3}, "LCFR": {10: 1.0, 100: 2.0}}
    tables = list(by_iterations("Kuhn", runs, reference))
    assert [table.columns for table in tables] == [
        ["algorithm", "T = 10", "reference", "T = 100", "reference"],
        ["algorithm", "T = 200", "reference"],
    ]
    assert tables[1].rows == [["CFR", short(runs.at("CFR", 200)), "0.3"], ["LCFR", "-", "-"]]
    (wide,) = beside("Kuhn", "run", ["CFR"], {10: "+10", 100: "+100"}, runs.at, reference, per_table=4)
    assert len(wide.columns) == 5


def test_ctrl_c_ends_the_race_and_keeps_what_was_measured(tmp_path):
    def press(label, solver, point):
        if point.iteration == 100:
            signal.raise_signal(signal.SIGINT)

    def body(lab):
        runs = race(lab, "kuhn_poker", ALGORITHMS, iterations=100_000_000, watch=press)
        assert lab.interrupted
        assert list(runs.series) == ["CFR"]
        assert runs.at("CFR", 100) > 0
        assert not race(lab, "kuhn_poker", ALGORITHMS, iterations=10).series
        yield convergence("what there is", {"Kuhn": runs})

    report = perform(body, out=tmp_path)
    assert report.interrupted
    assert report.figures[0].stat().st_size > 10_000


def test_ctrl_c_in_a_job_of_its_own_drops_what_that_has_found():
    """A solve without the lab's token is stopped like the experiment, and no claim is judged by its short run."""
    found = []

    def press(*_):
        signal.raise_signal(signal.SIGINT)

    def body(lab):
        with lab.stoppable():
            found.append(solve("kuhn_poker", "cfr+", iterations=10**9, progress=False, callback=press))
        assert lab.cancel.cancelled
        yield Claim("two", lambda: (bool(found), ""))

    report = perform(body)
    assert report.interrupted
    assert not found


def test_a_cut_run_that_a_body_does_not_notice_ends_the_experiment():
    def body(lab):
        run = solve("kuhn_poker", "cfr+", iterations=10**9, progress=False, cancel=lab.cancel, callback=press)
        yield Claim("two", lambda: (run.iterations == 10**9, ""))

    def press(*_):
        signal.raise_signal(signal.SIGINT)

    report = perform(body)
    assert report.interrupted
    assert not report.claims


def test_short_numbers_keep_three_digits():
    assert [short(x) for x in (0.8886, 2.42e-4, -0.0856, 0.0, None)] == ["0.889", "2.42e-4", "-0.0856", "0", "-"]


class TestSpeedUps:
    @pytest.fixture
    def runs(self):
        """One curve 1/n, one that is 1/n until 100 histories and 4/n afterwards."""
        runs = Runs("game")
        for label, factor in (("slow", 1.0), ("fast", 4.0)):
            points = [TracePoint(n, 1.0 / n, n, 0.0) for n in (1, 10, 100)]
            points += [TracePoint(n, 1.0 / (factor * n), n, 0.0) for n in (1_000, 10_000)]
            runs.series[label] = RunSeries(label, points)
        return runs

    def test_speed_up(self, runs):
        assert runs.work_to("slow", 1 / 30) == pytest.approx(30)
        assert runs.work_to("slow", 1 / 30, "iteration") == pytest.approx(30)
        assert runs.speed_up("slow", "fast", 1 / 8_000) == pytest.approx(4)
        assert runs.common_goal("slow", "fast") == 1e-4
        assert runs.speed_up("slow", "fast") == pytest.approx(4)
        assert runs.nodes_per_iteration("slow") == 1

    def test_what_was_not_reached(self, runs):
        with pytest.raises(NotMeasured, match="did not pass"):
            runs.work_to("slow", 1e-6)
        with pytest.raises(NotMeasured, match="was not run"):
            runs.speed_up("slow", "absent")


def test_race_stops_at_nodes_or_goal():
    lab = Lab()
    whole = race_to_nodes(lab, "kuhn_poker", {"a": "cfr"}, 11_000)
    early = race_to_nodes(lab, "kuhn_poker", {"a": "cfr"}, 11_000, goal=0.1)
    assert 11_000 <= whole.end("a").nodes_touched <= 13_000
    assert early.points("a")[-1].exploitability <= 0.1 < early.points("a")[-2].exploitability
    run = solve("kuhn_poker", "cfr", iterations=whole.end("a").iteration, progress=False)
    assert whole.end("a").exploitability == pytest.approx(run.nash_conv)
    kept = lab.data["runs"]["kuhn_poker"]["a"]["trace"][-1]["nash_conv"]
    assert kept == pytest.approx(early.end("a").exploitability)
