"""The client in one file: every call of it is answered, and answers are the records of the API."""

from __future__ import annotations

import inspect

import pytest

import counterpoise as cp
from counterpoise.web.client import ApiError, Client
from tests.web.conftest import SOLVED, TURN


@pytest.fixture
def client(api):
    made = Client()
    made._http.close()
    made._http = api
    return made


def test_spots_and_solutions(client, solved):
    spot = cp.Spot(**TURN)
    assert client.read_spot(spot.to_toml()).spot == client.spot(SOLVED).spot == spot.to_dict()
    assert client.save_spot(spot, "mine").name == "spots/mine.toml"
    assert client.estimate(spot, target=1.0).nodes == cp.estimate(spot).nodes
    assert client.figures(SOLVED).figures["ev"] == solved.ev
    assert [action.label for action in client.node(SOLVED).actions] == list(solved.root.actions)
    assert client.node(SOLVED, values=False).ev is None
    assert [line.node for line in client.lines(SOLVED).children] == solved.root.children()
    assert len(client.cards(SOLVED, "r:0:c:c").rows) == len(solved.node("r:0:c:c").over_cards().rows)
    assert client.equity(SOLVED).oop.share[-1] == pytest.approx(1)
    assert client.blockers(SOLVED).player == "oop"
    assert client.compare(SOLVED, SOLVED).mean_distance == 0
    assert client.export(SOLVED, "toml").decode() == spot.to_toml()


@pytest.mark.slow
def test_library_and_catalogues(client, solved_bytes):
    entry = client.upload("a.cpz", solved_bytes)
    assert client.download(entry.name) == solved_bytes
    assert client.tag(entry.name, ["x"]).tags == ["x"]
    renamed = client.rename(entry.name, "solutions/b.cpz")
    copied = client.copy(renamed.name, "solutions/c.cpz")
    assert {one.name for one in client.library(kind="solution")} == {SOLVED, renamed.name, copied.name}
    for one in (renamed, copied):
        client.delete(one.name)
    with pytest.raises(ApiError, match="no file") as refused:
        client.download(copied.name)
    assert refused.value.status == 404
    assert "kuhn_poker" in [game["name"] for game in client.catalogues().games]


def test_jobs(client, shared, monkeypatch):
    monkeypatch.setattr(shared.jobs, "_start_waiting", lambda: None)
    lock = {"node": "r:0:b50", "strategy": {"KdQd": {"fold": 1.0}}}
    for submit in (
        lambda: client.solve(TURN, target=1.0),
        lambda: client.search(SOLVED, "r:0:c", method="maxmargin"),
        lambda: client.race("kuhn_poker", ["cfr", "cfr+"], iterations=5),
        lambda: client.optimise_sizes(TURN, seat="oop"),
        lambda: client.lock(SOLVED, [lock]),
    ):
        state = submit()
        assert client.job(state.id).status == "queued"
        assert state.id in [one.id for one in client.jobs()]
        assert client.stop(state.id).status == "stopped"
        assert client.wait(state.id, 1.0).resumable
        assert client.resume(state.id, target=2.0).request.target == 2.0
        client.stop(state.id)
        client.delete_job(state.id)
    assert client.jobs() == []


def test_trainer(client):
    question = client.question(SOLVED, 4, player="ip")
    verdict = client.answer(question, question.actions[0].label)
    assert verdict.lost >= 0
    assert client.statistics().all.decisions == 1


def test_every_call_says_what_it_answers():
    for name, call in inspect.getmembers(Client, inspect.isfunction):
        if not name.startswith("_"):
            assert inspect.signature(call).return_annotation not in ("Any", inspect.Signature.empty), name
