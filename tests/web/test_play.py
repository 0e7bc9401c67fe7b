"""Play through the API: a table in a process of its own, the record, the score, and what the opponents thought."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import counterpoise as cp
from counterpoise.agents.make import make_agent
from counterpoise.blueprint.shipped import SHIPPED
from counterpoise.errors import InputError
from counterpoise.games.base import Observation
from counterpoise.store import read_cpz, write_cpz
from counterpoise.web.library import Library
from counterpoise.web.pages.play_parts.setup import fits_table, offered_agents
from counterpoise.web.play.models import Answer, NewSession
from counterpoise.web.play.session import PlaySession
from counterpoise.web.play.sessions import Sessions
from counterpoise.web.play.table_view import read_answer
from counterpoise.web.play.thoughts import thoughts_of
from tests.web.conftest import SOLVED

WAIT = 30.0


def play_hand(session, choose):
    """Play a hand to its end; `choose` picks an action of the menu."""
    table = session.look(0, WAIT)
    while table.status not in ("hand over", "ended"):
        if table.status == "your turn":
            table = session.answer(Answer(action=choose(table)), WAIT)
        else:
            table = session.look(table.version, WAIT)
    return table


def passive(table):
    return next(menu.action for menu in table.menu if menu.action == "c")


def shown(cards):
    return f"{cards[:2]} {cards[2:]}"


def session_of(tmp_path, agents, game=None, **more):
    return PlaySession(NewSession(agents=agents, **more), game, agents, 1, tmp_path, tmp_path)


def test_hands_at_three_seats_are_recorded_as_they_were_played(tmp_path):
    session = session_of(tmp_path, ["always-call", "probe"], "no_limit_holdem(seats=3, stack=20)")
    for number in range(1, 4):
        table = play_hand(session, passive)
        assert (table.status, table.hands) == ("hand over", number)
        assert table.seats[table.your_seat].you
        assert sum(table.last.payoffs) == 0
        assert [line for line in table.story if line.startswith("you show")] == [f"you show {shown(table.cards)}"]
        assert len(table.board.split()) == 5 or any(seat.folded for seat in table.seats)
        if number < 3:
            session.next_hand(WAIT)
    session.leave()
    assert {row.your_seat for row in session.history()} == {0, 1, 2}  # one seat on from hand to hand
    for name in ("hands.jsonl", "hands.phhs"):
        log = cp.read_log(tmp_path / name)
        assert [record.payoffs for record in log.records] == [tuple(row.payoffs) for row in session.history()]
    total = sum(row.payoffs[row.your_seat] for row in session.history())
    assert session.view.total == total


def test_more_agents_than_seats_are_refused(tmp_path, api):
    with pytest.raises(cp.InputError, match="2 seats, one of them yours, and 2 agents do not fit: ask for more seats"):
        session_of(tmp_path, ["random", "probe"])
    assert session_of(tmp_path, ["random", "probe"], seats=3).game.players == 3
    detail = api.post("/play", json={"agents": ["random"] * 6}).json()["detail"]
    assert detail.startswith("agents: list should have at most 5 items, not ['random', ")


def test_answers_are_checked():
    game = cp.load("no_limit_holdem")
    seen = Observation(1, (), "AsKs", ("f", "c", "b300", "b20000"), "x")
    assert read_answer(game, seen, Answer(action="c")) == "c"
    assert read_answer(game, seen, Answer(amount=250)) == read_answer(game, seen, Answer(amount=" 2.5BB ")) == "b250"
    for wrong, sentence in (
        (Answer(), "either"),
        (Answer(action="c", amount=3), "either"),
        (Answer(action="b5"), "not possible"),
        (Answer(amount=150), "between 200 and 20,000"),
        (Answer(amount=10**8), "between 200 and 20,000"),
        (Answer(amount="f"), "'f' is no amount"),
    ):
        with pytest.raises(InputError, match=sentence):
            read_answer(game, seen, wrong)
    with pytest.raises(InputError, match="no amounts"):
        read_answer(cp.load("kuhn_poker"), Observation(0, (), "K", ("p", "b"), "K"), Answer(amount=1))


def test_what_a_solution_thought_and_what_your_actions_were_worth(tmp_path, solved, solved_bytes):
    file = tmp_path / "turn.cpz"
    file.write_bytes(solved_bytes)
    session = PlaySession(NewSession(agents=["spot:x"]), None, [f"spot:{file}"], 3, tmp_path, tmp_path)
    play_hand(session, passive)
    record, seat = session.records[0], session.seats[0]
    found = thoughts_of(session.game, session.tables[0], record, seat, 1)
    assert [thought.action for thought in found.decisions] == [
        step for step in record.history if step[:1] in "fcb" and len(step) < 5
    ]
    theirs = next(thought for thought in found.decisions if thought.seat != seat)
    node = solved.node(":".join(("r:0", *theirs.events[1:])))
    assert theirs.own == pytest.approx(node.strategy(theirs.hand), abs=1e-6)
    assert theirs.words["c"] in ("check", "call")
    for hand, row in theirs.strategy.items():
        assert row == pytest.approx(list(node.strategy(hand).values()), abs=1e-4)
    assert theirs.strategy.keys() == theirs.range.keys()
    weights = node.range(node.player)
    largest = max(weights.values())
    for hand, weight in theirs.range.items():
        assert weight == pytest.approx(weights[hand] / largest, abs=1e-3)
    yours = next(thought for thought in found.decisions if thought.seat == seat)
    node = solved.node(":".join(("r:0", *yours.events[1:])))
    assert yours.values == pytest.approx(node.action_evs(yours.hand))
    session.leave()


def test_score_by_aivat_is_that_of_the_judge(tmp_path):
    session = session_of(tmp_path, ["random"], "kuhn_poker")
    for number in range(6):
        play_hand(session, lambda table: table.menu[0].action)
        if number < 5:
            session.next_hand(WAIT)
    for judged_now in (2, 6):  # the hands that come later are judged on their own
        session.scorer.look(list(session.records)[:judged_now], 1.0)
        while session.scorer._busy:
            time.sleep(0.01)
    estimate, judged, missing = session.scorer.look(list(session.records), 1.0)
    expected = cp.judge(tmp_path / "hands.jsonl", known={"random": "random"}, progress=False)["you"]["aivat"]
    assert (judged, missing) == (6, None)
    assert estimate.mean == pytest.approx(expected.mean)
    assert estimate.ci95 == pytest.approx(expected.ci95)
    session.leave()


@pytest.mark.long
def test_session_through_the_api(api, shared):
    begun = api.post("/play", json={"agents": [f"spot:{SOLVED}"], "seed": 5}).json()
    id, table = begun["session"]["id"], begun["table"]
    for _ in range(100):
        if table["status"] == "hand over":
            break
        if table["status"] == "your turn":
            table = api.post(f"/play/{id}/act", json={"action": table["menu"][0]["action"]}).json()
        else:
            table = api.get(f"/play/{id}", params={"version": table["version"]}).json()
    assert table["status"] == "hand over"
    assert str(shared.library.root) not in str(table)  # no path of this machine
    assert api.get(f"/play/{id}/history").json()["hands"][0]["payoffs"] == table["last"]["payoffs"]
    assert api.get(f"/play/{id}/thoughts", params={"hand": 1}).json()["decisions"]
    assert api.get(f"/play/{id}/thoughts", params={"hand": 2}).status_code == 422
    assert api.get(f"/play/{id}/score").json()["hands"] == 1
    assert api.post(f"/play/{id}/act", json={"action": "c"}).status_code == 422
    assert not api.post(f"/play/{id}/leave").json()["open"]
    assert api.get(f"/play/{id}").status_code == 422
    kept = [one for one in api.get("/play").json()["sessions"] if one["id"] == id]
    assert kept[0]["hands"] == 1


@pytest.mark.parametrize(
    "agents",
    [
        ["human"],
        ["acpc:127.0.0.1:5000"],
        ["nonsense"],
        ["spot:/etc/passwd"],
        ["spot:../secret.cpz"],
        ["blueprint(file='/etc/passwd')"],
        ["blueprint(file=a.cpz)"],
        ["libratus(branches=a)"],
        ["polaris-2007(folder=a)"],
        [f"libratus:{SOLVED}(branches=a)"],
        ["strategy:solutions/none.cpz"],
    ],
)
def test_agents_that_may_not_sit_down(api, agents):
    answer = api.post("/play", json={"agents": agents})
    assert answer.status_code == (404 if "none.cpz" in agents[0] else 422)  # 404: there is no such file
    assert "\n" not in answer.json()["detail"]


@pytest.mark.long
def test_an_agent_with_a_folder_sits_down(server, tmp_path):
    """Folders of agents inside the library may be named, and are offered; nothing else is."""
    folder = server.library.root / "blueprints" / "mine"
    folder.mkdir()
    shutil.copy(SHIPPED, folder / "blueprint.cpz")
    (folder / "agent.txt").write_text("tartanian7\n")
    options, about = offered_agents(server)
    assert options["tartanian7:blueprints/mine"] == "tartanian7 of blueprints/mine"
    assert "tartanian7:blueprints/mine" in about
    assert not {"tartanian7", "spot"} & set(options)
    session, table = server.sessions.begin(NewSession(agents=["tartanian7:blueprints/mine"], seed=1))
    until = time.monotonic() + 120
    while table.status in ("starting", "thinking") and time.monotonic() < until:
        table = server.sessions.look(session.id, table.version)
    assert table.status == "your turn"
    assert "tartanian7" in " ".join(seat.name for seat in table.seats)
    server.sessions.leave(session.id)
    (folder / "seat-0.cpz").symlink_to(tmp_path)
    for wrong, sentence in (
        ("tartanian7:blueprints/mine", "leads out of the library"),
        ("tartanian7:blueprints/none", "no folder"),
        ("tartanian7:blueprints", "no folder"),
        ("tartanian7:jobs/x", "no folder"),
        ("tartanian7:../x", "a name in the library"),
        ("polaris-2007(folder=x)", "after a colon"),
        ("rebel:runs/none.cpz", "has no file"),
    ):
        with pytest.raises(InputError, match=sentence):
            server.sessions.begin(NewSession(agents=[wrong]))


@pytest.mark.parametrize(
    "table", [{"seats": 3}, {"game": "no_limit_holdem(seats=3)"}, {"game": "limit_holdem(seats=3, stack=50)"}]
)
def test_an_agent_for_fewer_seats_is_refused_before_anything_is_started(shared, table):
    before = len(shared.sessions.all())
    for name in ("pluribus", "blueprint", "libratus(jitter=0)", "rebel"):
        with pytest.raises(InputError, match=r"plays at tables of 2 seats, not 3: name a file"):
            shared.sessions.begin(NewSession(agents=["probe", name], **table))
        assert not fits_table(name.partition("(")[0], 3)
    with pytest.raises(
        InputError, match=r"spot:solutions/turn.cpz plays at tables of 2 seats, not 3: name another opponent"
    ):
        shared.sessions.begin(NewSession(agents=["spot:solutions/turn.cpz"], **table))
    assert len(shared.sessions.all()) == before
    assert fits_table("probe", 3)
    assert [fits_table("spot:solutions/turn.cpz", seats) for seats in (2, 3)] == [True, False]
    assert NewSession(agents=["pluribus"], game="no_limit_holdem(stack=50)").players == 2


def test_files_of_agents_may_have_brackets_in_their_names(shared, solved_bytes):
    path = shared.library.root / "uploads" / "turn (2).cpz"
    path.write_bytes(solved_bytes)
    for settings in ("", "(translation=nearest)"):
        named = shared.sessions._agent(f"spot:uploads/turn (2).cpz{settings}")
        assert named == f"spot:{path}{settings}"
        assert make_agent(named).file == str(path)


def test_networks_of_a_method_with_settings_are_offered(shared):
    from counterpoise.deep.files import Trained
    from counterpoise.deep.shipped import shipped_networks

    known = shipped_networks("rebel", "liars_dice(faces=4)")
    own = Trained(known.game, "rebel(updates=8)", known.networks, known.made, known.strategy)
    own.save(shared.library.root / "uploads" / "dice.cpz")
    leduc = shipped_networks("deep-cfr", "leduc_poker")
    leduc.save(shared.library.root / "uploads" / "leduc.cpz")
    assert {"rebel:uploads/dice.cpz", "strategy:uploads/leduc.cpz"} <= set(offered_agents(shared)[0])


SLOW = """
import json, sys, time
table = dict(version=1, status="your turn", game="g", unit="u", hand=1, your_seat=0, seats=[])
print(json.dumps({"answer": table}), flush=True)
for line in sys.stdin:
    time.sleep(60 if "score" in line else 0)
    print(json.dumps({"answer": table}), flush=True)
"""


def test_a_table_is_seen_while_its_process_answers_somebody_else(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "counterpoise.web.play.sessions.start_process",
        lambda *_: subprocess.Popen([sys.executable, "-c", SLOW], stdin=-1, stdout=-1, text=True),
    )
    monkeypatch.setattr("counterpoise.web.play.sessions.WAIT_SECONDS", 0.1)
    sessions = Sessions(Library(tmp_path))
    view, table = sessions.begin(NewSession(agents=["random"]))
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(sessions.score, view.id)
        while not sessions._open[view.id]._lock.locked():
            time.sleep(0.01)
        assert sessions.look(view.id) == table
        sessions.close()
        with pytest.raises(InputError, match="has ended"):
            asked.result(WAIT)
    assert not sessions.all()[0].open
    monkeypatch.setattr("counterpoise.web.play.sessions.free_memory_mb", lambda: 100.0)
    with pytest.raises(InputError, match="100 MB of memory are free"):
        sessions.begin(NewSession(agents=["random"]))


@pytest.mark.parametrize("game", ["{}/secret.efg", "openspiel:efg_game(filename={}/secret.efg)"])
def test_a_strategy_does_not_lead_to_files_outside_of_the_library(tmp_path, game):
    """The game of an uploaded run is whatever its header says."""
    (tmp_path / "secret.efg").write_text("secret")
    file = tmp_path / "run.cpz"
    cp.solve("matching_pennies", "cfr", iterations=1, progress=False).strategy.save(file)
    header, arrays = read_cpz(file)
    write_cpz(file, header["kind"], header | {"game": game.format(tmp_path)}, arrays)
    library = tmp_path / "library"
    library.mkdir()
    with pytest.raises(InputError, match="not in the library"):
        PlaySession(NewSession(agents=["strategy:x"]), None, [f"strategy:{file}"], 1, library, library)
