"""Exact bytes that were exchanged with the competition's own dealer and its example player, replayed.

`original-dealer-*`: what the original dealer sent and the `Hashing` agent answered through our client, and the dealer's
log. `original-player-*`: what the original players answered to our dealer, and our log. `original-dealer-answers`:
strange answers to the original dealer, each with the state that was asked and the one that it told next.
"""

from __future__ import annotations

import json
import socket
import threading
from pathlib import Path
from typing import Any

import pytest

import counterpoise as cp
from counterpoise.acpc import deal_match, parse_game, play_at
from counterpoise.acpc.messages import SeatView, read_answer, repair
from counterpoise.logs.acpc import parse_state, read_view
from counterpoise.logs.record import check_record
from tests.acpc.peers import LOOPBACK, SECONDS, Hashing

FOLDER = Path(__file__).parent / "transcripts"
GAMES = ("limit-2", "limit-3", "no-limit-2", "no-limit-3")


def load(kind: str, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / f"{kind}-{name}.json").read_text())
    return found


@pytest.mark.parametrize("name", GAMES)
def test_our_client_answers_the_original_dealer_as_recorded(name: str, tmp_path: Path) -> None:
    script = load("original-dealer", name)
    server = socket.create_server((LOOPBACK, 0))
    heard: list[tuple[str, str]] = []

    def deal() -> None:
        connection, _ = server.accept()
        connection.settimeout(SECONDS)
        for who, text in script["exchange"]:
            if who == "dealer":
                connection.sendall(text.encode())
                continue
            said = b""
            while len(said) < len(text):
                piece = connection.recv(4096)
                if not piece:
                    break
                said += piece
            heard.append((said.decode(), text))
        connection.close()

    thread = threading.Thread(target=deal, daemon=True)
    thread.start()
    log, game = tmp_path / "mine.log", parse_game(script["game"])
    found = play_at(game, Hashing(), LOOPBACK, server.getsockname()[1], log=log, progress=False)
    thread.join(SECONDS)
    server.close()
    assert heard
    assert all(said == recorded for said, recorded in heard)
    assert (found.total, found.ended, found.ignored_lines) == (script["total"], "", 0)
    own = cp.read_log(log).records
    lines = [line for line in script["log"] if line.startswith("STATE")]
    assert len(own) == len(lines) == found.hands
    for record, line in zip(own, lines, strict=True):  # the dealer's log has the cards that the client has not seen
        whole = parse_state(line, game)[1]
        check_record(game, whole)
        assert record.payoffs == pytest.approx(whole.payoffs, abs=1e-6)
        assert record.history[game.seats :] == whole.history[game.seats :]
        pairs = zip(record.history, whole.history, strict=True)
        assert all(seen in ("", true) for seen, true in pairs)


@pytest.mark.parametrize("name", GAMES)
def test_original_players_drive_our_dealer_to_the_recorded_log(name: str, tmp_path: Path) -> None:
    script = load("original-player", name)
    heard: list[tuple[str, str]] = []
    threads = []

    def play(port: int, exchange: list[tuple[str, str]]) -> None:
        with socket.create_connection((LOOPBACK, port), timeout=SECONDS) as connection:
            for who, text in exchange:
                if who == "player":
                    connection.sendall(text.encode())
                    continue
                told = b""
                while len(told) < len(text):
                    piece = connection.recv(len(text) - len(told))
                    if not piece:
                        break
                    told += piece
                heard.append((told.decode(), text))

    def start(ports: list[int]) -> None:
        for port, exchange in zip(ports, script["exchanges"], strict=True):
            threads.append(threading.Thread(target=play, args=(port, exchange), daemon=True))
            threads[-1].start()

    log = tmp_path / "match.log"
    names = [f"p{place + 1}" for place in range(len(script["exchanges"]))]
    game = parse_game(script["game"])
    found = deal_match(game, script["hands"], script["seed"], names, ready=start, log=log, progress=False)
    for thread in threads:
        thread.join(SECONDS)
    assert heard
    assert all(told == recorded for told, recorded in heard)
    assert found.finished
    assert found.score == script["log"][-1]
    assert [line for line in log.read_text().splitlines() if line[0] != "#"] == script["log"]
    assert all(vars(seat) == dict.fromkeys(vars(seat), 0) for seat in found.seats)


def test_strange_answers_become_what_the_original_dealer_makes_of_them() -> None:
    tried = 0
    for part in json.loads((FOLDER / "original-dealer-answers.json").read_text()):
        game = parse_game(part["game"])
        for asked, text, told in part["answers"]:
            before, after = read_view(asked, game), read_view(told, game)
            view = SeatView(game, before.position)
            line = view.line(
                before.hand, game.observation(before.state, before.position)
            )  # with the highest card first
            assert line.split(":")[:4] == asked.split(":")[:4]
            answer = read_answer(f"{asked}:{text}", asked)
            assert answer is not None
            action = repair(answer, view.notes.state, game.betting.limit is not None, view.notes.crowded).action
            assert action == after.history[len(before.history)], (asked, text)
            tried += 1
    assert tried > 400
