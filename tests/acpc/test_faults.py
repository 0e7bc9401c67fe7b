"""A documented outcome (docs/acpc.md) for everything that programs do wrong, and no hand lost or counted twice."""

from __future__ import annotations

import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import counterpoise as cp
from counterpoise.acpc import DealerLimits, deal_match
from counterpoise.acpc.connection import listen
from counterpoise.acpc.seat import MOST_IGNORED
from tests.acpc.peers import (
    LOOPBACK,
    SECONDS,
    Answer,
    Program,
    call,
    check_log,
    deal_to,
    hand_of,
    run_program,
)

LIMIT: Any = cp.load("limit_holdem(blinds=[5, 10])")


def spoil(wrong: bytes) -> Answer:
    """Return a program that sends something wrong before its answers."""

    def answer(line: str, program: Program) -> bytes:
        return wrong + call(line, program)

    return answer


@pytest.mark.parametrize(
    "wrong",
    [
        b"hello\r\n",
        b"MATCHSTATE:0:999::AsKh|:f\r\n",
        b"\xff\xfe\x00\r\n",
        b"\n\n\r\n",
        b"x" * 100_000 + b"\n",
        b"VERSION:2.0.0\r\n",
    ],
    ids=["malformed", "old state", "binary", "empty", "oversized", "version again"],
)
def test_lines_that_are_no_answer_are_ignored(wrong: bytes, tmp_path: Path) -> None:
    log = tmp_path / "match.log"
    dealt = deal_to(LIMIT, 4, [spoil(wrong), call], log=log)
    check_log(log, 4)
    bad, good = dealt.result.seats
    assert bad.ignored_lines >= 4
    assert good.ignored_lines == 0
    assert not any(sum(agent.forfeits.values()) for agent in dealt.result.match.agents)


def test_comments_are_ignored_without_a_count(tmp_path: Path) -> None:
    dealt = deal_to(LIMIT, 3, [spoil(b"# thinking\r\n; gui\r\n"), call])
    assert dealt.result.seats[0].ignored_lines == 0


def test_an_action_that_cannot_be_read_becomes_a_call(tmp_path: Path) -> None:
    log = tmp_path / "match.log"

    def mumbling(line: str, program: Program) -> bytes:
        return f"{line}:what?\r\n".encode()

    dealt = deal_to(LIMIT, 3, [mumbling, call], log=log)
    assert all(set(record.history[2:]) & {"f"} == set() for record in check_log(log, 3))
    assert dealt.result.seats[0].invalid_actions == 12
    dealt = deal_to(LIMIT, 3, [mumbling, call], log=log, max_invalid=5)  # then they forfeit
    check_log(log, 3)
    assert dealt.result.match.agents[0].forfeits["error"] >= 1
    assert "more than 5 invalid actions, the last 'what?'" in dealt.result.match.agents[0].first_fault


def test_a_flood_forfeits_the_hand(tmp_path: Path) -> None:
    log = tmp_path / "match.log"

    def flooding(line: str, program: Program) -> bytes:
        return b"flood\n" * MOST_IGNORED if hand_of(line) == 1 else call(line, program)

    dealt = deal_to(LIMIT, 4, [flooding, call], log=log)
    check_log(log, 4)
    agent = dealt.result.match.agents[0]
    assert agent.forfeits == {"error": 1, "illegal": 0, "late": 0}
    assert "1000 lines that are no answer" in agent.first_fault


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"response_seconds": 0.5}, "within the 0.5 s for a decision"),
        ({"hand_seconds": 0.5}, "within the 0.5 s for a hand"),
    ],
)
def test_a_late_player_forfeits_the_hand_and_plays_on(limits: dict[str, float], words: str, tmp_path: Path) -> None:
    log = tmp_path / "match.log"

    def slow(line: str, program: Program) -> bytes:
        if hand_of(line) == 1:
            time.sleep(0.8)  # the answer comes late and is to an old state then
        return call(line, program)

    dealt = deal_to(LIMIT, 5, [slow, call], log=log, **limits)
    records = check_log(log, 5)
    agent = dealt.result.match.agents[0]
    assert 1 <= agent.forfeits["late"] < 5
    assert words in agent.first_fault
    assert len(records[1].history) < 13 or "f" not in records[1].history  # it folded where it could
    assert dealt.result.finished
    assert dealt.result.seats[0].lost == 0


def test_the_average_time_is_that_of_the_whole_match(tmp_path: Path) -> None:
    log = tmp_path / "match.log"

    def slow(line: str, program: Program) -> bytes:
        time.sleep(0.1)
        return call(line, program)

    dealt = deal_to(LIMIT, 6, [slow, call], log=log, average_seconds=0.05)
    check_log(log, 6)
    agent = dealt.result.match.agents[0]
    assert agent.forfeits["late"] >= 4  # 0.3 s for all of it
    assert "for the match" in agent.first_fault


def test_there_may_be_no_limits_of_time() -> None:
    dealt = deal_to(LIMIT, 3, [call, call], response_seconds=None, hand_seconds=None, average_seconds=None)
    assert dealt.result.finished
    assert not any(sum(agent.forfeits.values()) for agent in dealt.result.match.agents)


def silent_after(hand: int) -> Answer:
    """Return a program that says nothing from a hand on, but stays."""

    def answer(line: str, program: Program) -> bytes:
        return b"" if hand_of(line) >= hand else call(line, program)

    return answer


def dying_in(hand: int) -> Answer:
    """Return a program that ends in the middle of a hand."""

    def answer(line: str, program: Program) -> bytes | None:
        return None if hand_of(line) >= hand else call(line, program)

    return answer


def half_closing(line: str, program: Program) -> bytes:
    """Say nothing more in hand 2, but go on listening."""
    if hand_of(line) < 2:
        return call(line, program)
    program.socket.shutdown(socket.SHUT_WR)
    return b""


@pytest.mark.parametrize(
    ("answer", "fault", "words"),
    [
        (silent_after(2), "late", "it did not answer within the 1 s for a decision"),
        (dying_in(2), "error", "the program is gone"),
        (half_closing, "error", "the program is gone: it closed the connection"),
    ],
    ids=["stalls", "dies", "half-closes"],
)
@pytest.mark.parametrize("strict", [False, True])
def test_players_that_stall_or_die(answer: Answer, fault: str, words: str, strict: bool, tmp_path: Path) -> None:
    """Hands are forfeited and the match goes on; strictly, it ends and has lost no finished hand."""
    log = tmp_path / "match.log"
    seconds = 1.0 if fault == "late" else SECONDS
    dealt = deal_to(LIMIT, 3, [answer, call], log=log, response_seconds=seconds, strict=strict)
    if strict:
        assert not dealt.result.finished
        assert dealt.result.match.hands == 2
        assert words in dealt.result.match.ended
        assert dealt.result.match.ended.startswith("p1: ")
        check_log(log, 2)
        assert "SCORE" not in log.read_text()
        return
    assert dealt.result.finished
    check_log(log, 3)
    agent = dealt.result.match.agents[0]
    assert agent.forfeits[fault] == 1
    assert words in agent.first_fault
    assert dealt.result.seats[0].lost == (fault == "error")


def test_a_player_that_does_not_read_is_lost(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is late until there is no room for what it is told; then its connection is closed."""
    log, over = tmp_path / "match.log", threading.Event()
    monkeypatch.setattr("counterpoise.acpc.seat.SEND_SECONDS", 0.1)

    def listen_with_little_room(*where: Any) -> socket.socket:
        server = listen(*where)
        server.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2048)
        return server

    monkeypatch.setattr("counterpoise.acpc.seat.listen", listen_with_little_room)

    def deaf(port: int) -> None:
        with socket.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            connection.connect((LOOPBACK, port))
            connection.sendall(b"VERSION:2.0.0\r\n")
            over.wait(SECONDS)

    def start(ports: list[int]) -> None:
        threading.Thread(target=deaf, args=(ports[0],), daemon=True).start()
        threading.Thread(target=run_program, args=(ports[1], LIMIT, call), daemon=True).start()

    found = deal_match(
        LIMIT,
        200,
        1,
        ["a", "b"],
        ready=start,
        log=log,
        limits=DealerLimits(start_seconds=SECONDS, response_seconds=0.01),
        progress=False,
    )
    over.set()
    check_log(log, 200)
    assert found.finished
    assert found.seats[0].lost == 1
    forfeits = found.match.agents[0].forfeits
    assert forfeits["late"] > 0
    assert forfeits["error"] > 0


def test_the_match_ends_when_nobody_is_left(tmp_path: Path) -> None:
    log = tmp_path / "match.log"
    dealt = deal_to(LIMIT, 1000, [dying_in(3), dying_in(5)], log=log)
    assert not dealt.result.finished
    assert dealt.result.match.ended == "no player is connected any more"
    check_log(log, dealt.result.match.hands)
    assert 5 <= dealt.result.match.hands <= 7


def test_a_player_that_died_may_come_back(tmp_path: Path) -> None:
    log, back = tmp_path / "match.log", []

    def start(ports: list[int]) -> None:
        def dies_and_returns() -> None:
            run_program(ports[0], LIMIT, dying_in(2))
            back.append(run_program(ports[0], LIMIT, call))

        threading.Thread(target=dies_and_returns, daemon=True).start()
        threading.Thread(target=run_program, args=(ports[1], LIMIT, call), daemon=True).start()

    found = deal_match(
        LIMIT,
        8,
        1,
        ["a", "b"],
        ready=start,
        log=log,
        limits=DealerLimits(rejoin_seconds=SECONDS, start_seconds=SECONDS),
        progress=False,
    )
    check_log(log, 8)
    assert found.finished
    assert found.seats[0].lost == 1
    assert found.match.agents[0].forfeits["error"] == 1
    assert hand_of(back[0][0]) == 3


@pytest.mark.parametrize(
    ("greeting", "words"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", "# this dealer speaks VERSION:2.0.0"),
        (b"VERSION:1.0.0\r\n", "# this dealer speaks VERSION:2.0.0"),
        (b"VERSION:2.1.0\r\n", "# this dealer speaks VERSION:2.0.0"),
        (b"x" * 10_000 + b"\r\n", "# this dealer speaks VERSION:2.0.0"),
    ],
    ids=["garbage", "old version", "newer version", "oversized"],
)
def test_connections_that_begin_wrongly_are_turned_away(greeting: bytes, words: str) -> None:
    told: list[str] = []

    def start(ports: list[int]) -> None:
        stranger = Program(ports[0], greeting)

        def rest() -> None:
            told.append(stranger.line())
            stranger.close()
            run_program(ports[0], LIMIT, call, b"# hello\r\nVERSION:2.0.0\r\n")

        threading.Thread(target=rest, daemon=True).start()
        threading.Thread(target=run_program, args=(ports[1], LIMIT, call), daemon=True).start()

    found = deal_match(LIMIT, 3, 1, ["a", "b"], ready=start, limits=DealerLimits(start_seconds=SECONDS), progress=False)
    assert found.finished
    assert found.seats[0].refused == 1
    assert told == [words]


def test_a_connection_that_says_nothing_is_turned_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("counterpoise.acpc.seat.VERSION_SECONDS", 0.1)
    told: list[str] = []

    def start(ports: list[int]) -> None:
        silent = Program(ports[0], b"")

        def rest() -> None:
            told.append(silent.line())
            silent.close()
            run_program(ports[0], LIMIT, call)

        threading.Thread(target=rest, daemon=True).start()
        threading.Thread(target=run_program, args=(ports[1], LIMIT, call), daemon=True).start()

    found = deal_match(LIMIT, 2, 1, ["a", "b"], ready=start, limits=DealerLimits(start_seconds=SECONDS), progress=False)
    assert found.finished
    assert told == ["# no version was said"]


def test_a_second_connection_to_a_port_is_turned_away() -> None:
    told: list[str] = []

    def start(ports: list[int]) -> None:
        second_came = threading.Event()

        def patient(line: str, program: Program) -> bytes:
            if hand_of(line) == 1:
                assert second_came.wait(SECONDS)
            return call(line, program)

        def second() -> None:
            program = Program(ports[0])
            second_came.set()
            told.append(program.line())
            program.close()

        def first(line: str, program: Program) -> bytes:
            if hand_of(line) == 1 and not second_came.is_set():
                threading.Thread(target=second, daemon=True).start()
            return patient(line, program)

        threading.Thread(target=run_program, args=(ports[0], LIMIT, first), daemon=True).start()
        threading.Thread(target=run_program, args=(ports[1], LIMIT, patient), daemon=True).start()

    found = deal_match(LIMIT, 5, 1, ["a", "b"], ready=start, limits=DealerLimits(start_seconds=SECONDS), progress=False)
    assert found.finished
    assert found.seats[0].refused == 1
    assert found.seats[0].lost == 0
    assert told == ["# this seat is taken"]


def test_a_match_without_players_does_not_begin(tmp_path: Path) -> None:
    log = tmp_path / "match.log"
    found = deal_match(LIMIT, 3, 1, ["a", "b"], log=log, limits=DealerLimits(start_seconds=0.1), progress=False)
    assert not found.finished
    assert found.match.hands == 0
    assert found.match.ended.startswith("a: nobody connected to 127.0.0.1:")


def test_strangers_do_not_hold_up_a_match(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hand asks the first connection to a seat that is empty, however many wait."""
    monkeypatch.setattr("counterpoise.acpc.seat.VERSION_SECONDS", 0.05)
    strangers: list[Program] = []

    def start(ports: list[int]) -> None:
        def stays(line: str, program: Program) -> bytes:
            time.sleep(0.2 if hand_of(line) == 1 else 0.0)  # so that the others are there before the next hand
            return call(line, program)

        def leaves(line: str, program: Program) -> bytes | None:
            if hand_of(line) == 0:
                return call(line, program)
            strangers.extend(Program(ports[1], b"") for _ in range(5))
            return None

        threading.Thread(target=run_program, args=(ports[0], LIMIT, stays), daemon=True).start()
        threading.Thread(target=run_program, args=(ports[1], LIMIT, leaves), daemon=True).start()

    found = deal_match(LIMIT, 4, 1, ["a", "b"], ready=start, limits=DealerLimits(start_seconds=SECONDS), progress=False)
    for stranger in strangers:
        stranger.close()
    assert found.finished
    assert found.seats[1].refused == 2  # one in each of the hands 2 and 3
