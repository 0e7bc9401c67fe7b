"""The trainer: questions that a number determines, what answers lose, and statistics."""

from __future__ import annotations

import pytest

from tests.web.conftest import SOLVED


def ask(api, number, **drill):
    return api.post("/trainer/question", json={"solution": SOLVED, "number": number, **drill}).json()


def test_question_depends_on_its_number_alone_and_tells_no_answer(api):
    questions = [ask(api, number) for number in range(6)]
    assert questions == [ask(api, number) for number in range(6)]
    assert len({(question["node"], question["hand"]) for question in questions}) > 1
    assert all(action["ev"] is None and action["frequency"] is None for one in questions for action in one["actions"])


def test_questions_of_a_kind(api):
    for player, street in (("oop", "turn"), ("ip", "river")):
        question = ask(api, 3, player=player, street=street)
        assert question["player"] == player
        assert len(question["board"].split()) == {"turn": 4, "river": 5}[street]
    refused = api.post("/trainer/question", json={"solution": SOLVED, "number": 1, "street": "flop"})
    assert refused.status_code == 422


def test_answers_lose_what_the_solution_says_and_are_remembered(api, solved):
    before = api.get("/trainer/statistics").json()["all"]
    question = ask(api, 1)
    worth = solved.node(question["node"]).action_evs(question["hand"])
    lost = 0.0
    for action, value in worth.items():
        verdict = api.post("/trainer/answer", json={"drill": question["drill"], "action": action}).json()
        assert verdict["lost"] == pytest.approx(max(worth.values()) - value)
        assert verdict["lost_pct"] == pytest.approx(100 * verdict["lost"] / question["pot"])
        assert verdict["ev"] == pytest.approx(worth)
        assert verdict["good"] == (verdict["lost_pct"] <= 0.5)
        lost += verdict["lost"]
    after = api.get("/trainer/statistics", params={"solution": SOLVED}).json()
    assert after["all"]["decisions"] == before["decisions"] + len(worth)
    assert after["all"]["lost"] == pytest.approx(before["lost"] + lost)
    assert sum(one["decisions"] for one in after["by_street"].values()) == after["all"]["decisions"]
    wrong = api.post("/trainer/answer", json={"drill": question["drill"], "action": "b77"})
    assert wrong.status_code == 422
