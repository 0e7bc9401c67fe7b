"""What the API says of a solution is what the Python API says."""

from __future__ import annotations

import asyncio
import csv
import io
import re
import tomllib

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.cards import STANDARD_DECK, parse_cards
from counterpoise.cards.draws import GUTSHOT, OPEN_ENDED, describe_hands
from tests.web.conftest import SOLVED, TURN

NODES = ["r:0", "r:0:c", "r:0:b50", "r:0:c:c:2s", "r:0:b50:c:Ah"]


def close(first, second):
    np.testing.assert_allclose(np.array(first, dtype=float), np.array(second, dtype=float), atol=1e-9)


@pytest.mark.parametrize("id", NODES)
def test_node_is_that_of_the_library(api, solved, id):
    view = api.get("/solutions/node", params={"name": SOLVED, "node": id}).json()
    node = solved.node(id)
    assert (view["id"], view["board"], view["player"], view["pot"]) == (id, node.board, node.player, node.pot)
    assert [action["label"] for action in view["actions"]] == list(node.actions)
    assert [action["words"] for action in view["actions"]] == list(node.action_names)
    close([action["frequency"] for action in view["actions"]], list(node.frequencies.values()))
    close([action["ev"] for action in view["actions"]], list(node.action_evs().values()))
    for player in ("oop", "ip"):
        close(view["ev"][player], node.ev(player=player))
        close(view["equity"][player], node.equity(player=player))
        ranges = view["ranges"][player]
        expected = node.range(player)
        assert ranges["hands"] == list(expected)
        close(ranges["weight"], list(expected.values()))
    rows = node.rows()
    hands = view["hands"]
    assert hands["hands"] == [row["hand"] for row in rows]
    for place, action in enumerate(node.actions):
        close(hands["strategy"][place], [row[action] for row in rows])
        close(hands["action_ev"][place], [row[f"ev {action}"] for row in rows])
    close(hands["ev"], [row["ev"] for row in rows])
    close(hands["equity"], [row["equity"] for row in rows])
    for equity, ev, share in zip(hands["equity"], hands["ev"], hands["eqr"], strict=True):
        assert share is None if not equity else share == pytest.approx(ev / (equity * node.pot))
    assert view["path"][-1]["node"] == id


def test_strategy_without_values(api):
    view = api.get("/solutions/node", params={"name": SOLVED, "node": "r:0", "values": False}).json()
    assert view["ev"] is None
    assert view["hands"]["ev"] is None
    close(np.sum(view["hands"]["strategy"], axis=0), np.ones(len(view["hands"]["hands"])))


def test_lines_lead_through_the_tree(api, solved):
    root = api.get("/solutions/lines", params={"name": SOLVED}).json()
    assert [child["node"] for child in root["children"]] == solved.root.children()
    deal = api.get("/solutions/lines", params={"name": SOLVED, "node": "r:0:c:c"}).json()
    assert deal["player"] == "chance"
    assert [child["label"] for child in deal["children"]] == solved.node("r:0:c:c").cards
    faced = api.get("/solutions/lines", params={"name": SOLVED, "node": "r:0:b50"}).json()
    after = {child["label"]: child["after"] for child in faced["children"]}
    assert after["f"] == "end"
    assert after["c"] == "deal"


def test_cards_equity_and_blockers(api, solved):
    report = api.get("/solutions/cards", params={"name": SOLVED, "node": "r:0:c:c"}).json()
    expected = solved.node("r:0:c:c").over_cards()
    assert [row["card"] for row in report["rows"]] == [row.card for row in expected.rows]
    close([row["ev"]["oop"] for row in report["rows"]], [row.ev["oop"] for row in expected.rows])
    equity = api.get("/solutions/equity", params={"name": SOLVED}).json()
    for player in ("oop", "ip"):
        curve = equity[player]
        assert curve["equity"] == sorted(curve["equity"])
        assert curve["share"][-1] == pytest.approx(1)
        steps = np.diff([0, *curve["share"]])
        assert steps @ curve["equity"] == pytest.approx(solved.root.equity(player=player))
    table = api.get("/solutions/blockers", params={"name": SOLVED}).json()
    row = next(row for row in table["rows"] if row["card"] == "Kh")
    close(list(row["frequencies"].values()), list(solved.root.strategy("AhKh").values()))  # the only hand with it
    assert row["ev"] == pytest.approx(solved.root.ev("AhKh"))
    assert row["opponent_share"] == 0
    total = sum(one["share"] for one in table["rows"])
    assert total == pytest.approx(2)  # every hand has two cards


def test_comparison_with_itself_and_with_another(api, solved, shared):
    same = api.get("/solutions/compare", params={"first": SOLVED, "second": SOLVED}).json()
    assert same["mean_distance"] == 0
    assert set(same["ev_difference"]) <= {0.0, None}
    rough = cp.solve_spot(cp.Spot(**TURN | {"turn": {"bet": ["100%"]}}), iterations=5, progress=False, threads=1)
    rough.save(shared.library.root / "solutions" / "rough.cpz")
    other = api.get("/solutions/compare", params={"first": SOLVED, "second": "solutions/rough.cpz"}).json()
    hand = other["hands"].index("AhKh")
    bets = solved.root.strategy("AhKh")["b50"], rough.root.strategy("AhKh")["b100"]
    checks = solved.root.strategy("AhKh")["c"] - rough.root.strategy("AhKh")["c"]
    assert other["distance"][hand] == pytest.approx((sum(bets) + abs(checks)) / 2)
    assert other["ev_difference"][hand] == pytest.approx(rough.root.ev("AhKh") - solved.root.ev("AhKh"))


def test_exports_read_back(api, solved, solved_bytes):
    def export(**params):
        answer = api.get("/solutions/export", params={"name": SOLVED, **params})
        assert answer.status_code == 200
        return answer.content

    rows = list(csv.DictReader(io.StringIO(export(format="csv", node="r:0:c").decode())))
    assert [row["hand"] for row in rows] == [row["hand"] for row in solved.node("r:0:c").rows()]
    assert float(rows[0]["ev"]) == pytest.approx(solved.node("r:0:c").rows()[0]["ev"])
    assert cp.Spot.from_dict(tomllib.loads(export(format="toml").decode())) == solved.spot
    assert export(format="cpz") == solved_bytes
    cards = list(csv.DictReader(io.StringIO(export(format="csv", node="r:0:c:c", cards=True).decode())))
    assert len(cards) == 48
    refused = api.get("/solutions/export", params={"name": SOLVED, "format": "csv", "node": "r:0:c:c"})
    assert refused.status_code == 422


@pytest.mark.slow
def test_picture(api):
    picture = api.get("/solutions/export", params={"name": SOLVED, "format": "png"})
    assert picture.content.startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("path", "params", "sentence"),
    [
        ("/solutions/node", {"name": SOLVED, "node": "r:0:b77"}, "b77"),
        ("/solutions/node", {"name": SOLVED, "node": "nonsense"}, "nonsense"),
        ("/solutions/node", {"name": SOLVED, "node": "r:0:c:c:Ks"}, "Ks"),
        ("/solutions/blockers", {"name": SOLVED, "node": "r:0:c:c"}, "deals a card"),
        ("/solutions/node", {"name": "spots/turn.toml"}, "cpz"),
        ("/solutions/node", {"name": "no-such-job"}, "no file"),
        ("/runs/strategy", {"name": SOLVED}, "spot"),
        ("/jobs/none", {}, "no job"),
    ],
)
def test_refusals_are_sentences(api, path, params, sentence):
    answer = api.get(path, params=params)
    detail = answer.json()["detail"]
    assert sentence in detail
    assert answer.status_code == (404 if "the library has no file" in detail else 422)
    assert "\n" not in detail


def test_spots_in_and_out(api, solved):
    text = solved.spot.to_toml()
    read = api.post("/spots/read", json={"toml": text}).json()
    assert read["spot"] == solved.spot.to_dict()
    assert read["toml"] == text
    assert read["street"] == "turn"
    assert api.post("/spots/check", json=read["spot"]).json() == read
    assert api.get("/spots/file", params={"name": SOLVED}).json() == read
    saved = api.post("/spots/save", json={"spot": read["spot"], "name": "kept"}).json()
    assert api.get("/spots/file", params={"name": saved["name"]}).json()["spot"] == read["spot"]
    for bad in ({"toml": "board ="}, {"toml": "board = 'Ks'"}):
        assert api.post("/spots/read", json=bad).status_code == 422
    wrong = api.post("/spots/check", json=read["spot"] | {"pot": -1})
    assert wrong.status_code == 422
    assert "pot must be a whole number" in wrong.json()["detail"]


@pytest.mark.parametrize("id", ["r:0:c:c", "r:0:b50:c"])
def test_a_deal_is_worth_the_mean_of_its_cards(api, solved, id):
    view = api.get("/solutions/node", params={"name": SOLVED, "node": id}).json()
    rows = solved.node(id).over_cards().rows
    for player in ("oop", "ip"):
        assert view["ev"][player] == pytest.approx(sum(row.probability * row.ev[player] for row in rows), abs=1e-5)
    assert sum(view["ev"].values()) == pytest.approx(view["pot"], abs=1e-4)


@pytest.mark.parametrize(
    ("address", "body"),
    [
        ("/spots/check", TURN),
        ("/spots/estimate", {"spot": TURN}),
        ("/spots/save", {"spot": TURN, "name": "checked"}),
        ("/jobs", {"request": {"kind": "solve-spot", "spot": TURN, "algorithm": "none of ours"}}),
        ("/jobs", {"request": {"kind": "optimise-sizes", "spot": TURN, "algorithm": "none of ours"}}),
    ],
)
def test_spots_are_checked_outside_of_the_event_loop_which_serves_others_meanwhile(api, monkeypatch, address, body):
    inside = []

    def check(spot):
        try:
            inside.append(asyncio.get_running_loop() is not None)
        except RuntimeError:  # a thread without a loop
            inside.append(False)

    monkeypatch.setattr(cp.Spot, "_check", check)
    answer = api.post(address, json=body)
    assert answer.status_code in (200, 201, 422), answer.text
    assert inside
    assert not any(inside)
    needed = next(name for name in ("pot", "spot", "request") if name in body)
    wrong = api.post(address, json={name: value for name, value in body.items() if name != needed})
    assert wrong.status_code == 422
    assert wrong.json()["detail"].startswith(f"{needed} must be given")


def test_estimate_is_that_of_the_library(api, solved, shared):
    found = api.post("/spots/estimate", json={"spot": TURN, "target": 0.3}).json()
    expected = cp.estimate(solved.spot, target=0.3, memory_mb=shared.jobs.memory_mb)
    assert found["nodes"] == expected.nodes
    assert found["memory_mb"] == {str(bits): size for bits, size in expected.memory_mb.items()}
    sizes = {"bet": ["50%", "100%"], "raise": ["60%"]}
    streets = {"flop": sizes, "turn": sizes, "river": sizes}
    large = TURN | streets | {"board": "Ks 7d 4c", "stack": 1000, "oop": "22+,A2+,K8+", "ip": "22+,A2+,K8+"}
    refused = api.post("/spots/estimate", json={"spot": large})
    assert refused.status_code == 422
    assert re.search("of memory .* leave out", refused.json()["detail"])


def test_locks_are_solved_again_from_the_solution(api, shared, monkeypatch):
    monkeypatch.setattr(shared.jobs, "_start_waiting", lambda: None)
    lock = {"node": "r:0:b50", "strategy": {"KdQd": {"fold": 1.0}}}
    body = {"solution": SOLVED, "locks": [lock], "target": 0.7}
    state = api.post("/solutions/lock", json=body).json()
    request = shared.jobs.state(state["id"]).request
    assert request.spot == cp.Spot(**TURN).with_locks([lock])
    assert (request.warm_start, request.target) == (SOLVED, 0.7)
    wrong = api.post("/solutions/lock", json=body | {"locks": [lock | {"strategy": {"KdQd": {"fold": 0.5}}}]})
    assert wrong.status_code == 422
    assert "sum to 1" in wrong.json()["detail"]


def test_events_come_over_the_websocket(api, shared, monkeypatch):
    monkeypatch.setattr(shared.jobs, "_start_waiting", lambda: None)
    host = {"Host": "127.0.0.1:8642"}
    with api.websocket_connect("/api/v1/events", headers=host) as socket:
        known = {state.id for state in shared.jobs.list()}
        assert {socket.receive_json()["job"] for _ in known} == known
        id = api.post("/jobs", json={"request": {"kind": "solve-spot", "spot": TURN}, "name": "heard"}).json()["id"]
        event = socket.receive_json()
        assert (event["kind"], event["job"], event["state"]["name"]) == ("state", id, "heard")
        api.post(f"/jobs/{id}/stop")
        assert socket.receive_json()["state"]["status"] == "stopped"
    with api.websocket_connect(f"/api/v1/events?job={id}", headers=host) as socket:
        assert socket.receive_json()["job"] == id
    assert api.delete(f"/jobs/{id}", params={"confirm": "no"}).status_code == 422
    assert api.delete(f"/jobs/{id}", params={"confirm": id}).status_code == 200


def test_strategy_of_a_run_by_information_set(api, shared):
    run = cp.solve("kuhn_poker", "cfr+", iterations=20, progress=False)
    run.save(shared.library.root / "runs" / "kuhn.cpz")
    page = api.get("/runs/strategy", params={"name": "runs/kuhn.cpz", "text": "K", "count": 2}).json()
    assert page["total"] == sum("K" in name for _, name in run.strategy.table)
    assert len(page["rows"]) == 2
    for row in page["rows"]:
        assert row["strategy"] == run.strategy[(row["player"], row["infoset"])]


def test_catalogues_name_what_there_is(api):
    found = api.get("/catalogues").json()
    assert "leduc_poker" in [one["name"] for one in found["games"]]
    assert "cfr+" in [one["name"] for one in found["algorithms"]]
    agents = [one["name"] for one in found["agents"]]
    assert "blueprint" in agents
    assert not {"human", "acpc"} & set(agents)


def test_page_of_the_api_loads_nothing_from_elsewhere(api):
    page = api.get("/docs").text
    assert "/api/v1/solutions/node" in page
    assert not any(word in page for word in ("https://", "http://", "<script", "@import"))


def test_hands_in_words():
    def words(board, hand):
        return describe_hands(parse_cards(board), [parse_cards(hand)])[0]

    assert words("Qs Jh 2h 8d", "Ah Kh") == ("high card", ("flush draw", GUTSHOT))
    assert words("Qs Jh 2h 8d", "Ts 9s") == ("straight", ())
    assert words("Qs Jh 2h", "Ts 9s").draws == (OPEN_ENDED,)
    assert words("3s 4h 5d", "As Kd").draws == (GUTSHOT,)  # the ace below the deuce
    assert words("Qs Jh 2h 8d 3c", "Ah Kh") == ("high card", ())
    assert words("Qh Jh 2h", "Ah 3h") == ("flush", ())
    assert words("Qh Jh 2h 8h", "As Kd").draws == (GUTSHOT,)  # the flush draw is the board's
    assert len(describe_hands(parse_cards("Qs Jh 2h"), STANDARD_DECK.hands)) == 1326
