import json
import re

import pytest

from counterpoise.errors import InputError
from counterpoise.progress import SilentProgress
from counterpoise.reproduce import EXPERIMENTS, Claim, Experiment, NotMeasured, Report, Setup


def test_every_experiment_says_what_it_is_and_cites_its_source():
    assert len(EXPERIMENTS) >= 8
    for id, entry in EXPERIMENTS.items():
        assert entry.id == id
        assert re.fullmatch(r"[a-z0-9]+([-.][a-z0-9]+)*", id)
        assert len(entry.title) > 10
        assert re.match(r"(BROWN|JOHANSON|REBEL) \d", entry.source)
        assert 0 < entry.seconds < 600
        assert entry.body.__doc__


def test_an_experiment_takes_minutes():
    assert all(0 < entry.seconds <= 600 for entry in EXPERIMENTS.values())


def test_an_unknown_id_gets_the_nearest_suggested():
    with pytest.raises(InputError, match=r"unknown experiment 'three-action': did you mean three-actions\?"):
        EXPERIMENTS["three-action"]


def test_judge_reports_holds_does_not_hold_and_not_tested():
    report = Report("x", "X")
    report.judge("two is more than one", lambda: (2 > 1, "2 and 1"))
    report.judge("one is more than two", lambda: (1 > 2, "1 and 2"))

    def missing() -> tuple[bool, str]:
        raise NotMeasured("stopped before iteration 5")

    report.judge("never measured", missing)
    assert report.claims == [
        Claim("two is more than one", True, "2 and 1"),
        Claim("one is more than two", False, "1 and 2"),
        Claim("never measured", None, "stopped before iteration 5"),
    ]


def test_ctrl_c_in_a_body_ends_it_and_keeps_what_it_has():
    def body(setup: Setup, report: Report) -> None:
        report.judge("first", lambda: (True, ""))
        raise KeyboardInterrupt

    report = Experiment("x", "X", "BROWN 1", 1, body).run(SilentProgress())
    assert report.interrupted
    assert len(report.claims) == 1
    assert report.to_json()["interrupted"] is True
    assert "Stopped before the end" in report.notes[-1]


def test_a_report_is_plain_json(tmp_path):
    report = EXPERIMENTS["johanson-9-leduc"].run(SilentProgress(), out=tmp_path / "new folder")
    answer = json.loads(json.dumps(report.to_json()))
    assert {"id", "title", "source", "interrupted", "tables", "data", "claims", "figures", "notes"} == set(answer)
    assert all(len(row) == len(table["columns"]) for table in answer["tables"] for row in table["rows"])
    assert [path.exists() for path in report.figures] == [True]
