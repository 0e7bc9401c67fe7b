"""The dealer: what every seat is told, how a match ends and goes on, and where programs sit down."""

from __future__ import annotations

import io
import socket
import threading
from pathlib import Path
from typing import Any

import pytest

import counterpoise as cp
from counterpoise.acpc import DealerLimits, ProgramAgent, deal_match, play_at
from counterpoise.logs.acpc import read_view
from counterpoise.play.session import play_session
from counterpoise.progress import CancelToken
from tests.acpc.peers import (
    LOOPBACK,
    SECONDS,
    Answer,
    Hashing,
    Program,
    call,
    check_log,
    deal_to,
    hand_of,
    is_turn,
    run_program,
)

LIMIT: Any = cp.load("limit_holdem(blinds=[5, 10])")
NO_LIMIT: Any = cp.load("no_limit_holdem")


def folding(line: str, program: Program) -> bytes:
    """Answer with a fold, free ones included."""
    return f"{line}:f\r\n".encode()


@pytest.mark.parametrize(
    "game", ["limit_holdem", "no_limit_holdem", "limit_holdem(seats=3)", "no_limit_holdem(seats=4)"]
)
def test_every_seat_is_told_of_every_event_and_no_more(game: str, tmp_path: Path) -> None:
    """Each seat gets a line after every event, and cards of others at a showdown only."""
    rules: Any = cp.load(game)
    agents = [Hashing().sit(rules, seat, None) for seat in range(rules.seats)]  # type: ignore[arg-type]

    def hashing(line: str, program: Program) -> bytes:
        view = read_view(line, rules)
        action = agents[view.position].act(rules.observation(view.state, view.position))
        words = action if action[0] in "fc" else "r" + ("" if rules.betting.limit else action[1:])
        return f"{line}:{words}\r\n".encode()

    log = tmp_path / "match.log"
    dealt = deal_to(rules, 12, [hashing] * rules.seats, log=log)
    records = check_log(log, 12)
    for place, told in enumerate(dealt.told):
        expected = []
        for record in records:
            seat = (place - record.hand) % rules.seats
            state = rules.initial()
            for step in record.history:
                if rules.player(state) >= 0:
                    expected.append((record.hand, seat, len(state.events)))
                state = rules.next(state, step)
            expected.append((record.hand, seat, len(state.events)))
        views = [read_view(line, rules) for line in told]
        assert [(view.hand, view.position, len(view.state.events)) for view in views] == expected
        for view in views:
            over, live = rules.player(view.state) == -2, view.state.betting.live
            for seat in range(rules.seats):
                shown = over and len(live) > 1 and seat in live
                assert bool(view.state.hands[seat]) == (seat == view.position or shown)
    assert dealt.result.finished
    assert all(vars(account) == dict.fromkeys(vars(account), 0) for account in dealt.result.seats)


def test_the_same_seed_deals_the_same_cards_to_exchanged_players(tmp_path: Path) -> None:
    logs = []
    for place, names in enumerate((["ann", "bob"], ["bob", "ann"])):
        log = tmp_path / f"{place}.log"
        answers: dict[str, Answer] = {"ann": call, "bob": folding}
        deal_to(LIMIT, 10, [answers[name] for name in names], log=log, seed=3)
        logs.append(check_log(log, 10))
    for one, other in zip(*logs, strict=True):
        assert one.history[:2] == other.history[:2]


def test_free_folds_and_raises_over_the_cap_become_calls(tmp_path: Path) -> None:
    """A fold where nothing is owed and a fifth bet are not played."""
    log = tmp_path / "match.log"

    def raising(line: str, program: Program) -> bytes:
        return f"{line}:r\r\n".encode()

    dealt = deal_to(LIMIT, 6, [raising, raising], log=log)
    assert all(record.history.count("b10") == 0 for record in check_log(log, 6))
    assert dealt.result.seats[0].invalid_actions > 0
    dealt = deal_to(LIMIT, 6, [folding, call], log=log)
    records = check_log(log, 6)
    assert dealt.result.seats[0].invalid_actions > 0
    assert any("f" not in record.history for record in records)  # it had nothing to fold to
    assert sum(dealt.result.match.agents[0].forfeits.values()) == 0


def test_the_end_can_be_asked_for_while_a_player_thinks(tmp_path: Path) -> None:
    cancel, log = CancelToken(), tmp_path / "match.log"

    def stopping(line: str, program: Program) -> bytes:
        if hand_of(line) == 2:
            cancel.cancel()
            return b""
        return call(line, program)

    dealt = deal_to(LIMIT, 100, [stopping, call], cancel=cancel, log=log)
    assert not dealt.result.finished
    assert dealt.result.match.ended == "stopped by Ctrl-C"
    check_log(log, 2)


def test_a_dealer_that_was_stopped_continues_with_the_next_hand(tmp_path: Path) -> None:
    log, resume, cancel = tmp_path / "match.log", tmp_path / "match.results", CancelToken()

    def stopping(line: str, program: Program) -> bytes:
        if hand_of(line) == 3:
            cancel.cancel()
            return b""
        return call(line, program)

    first = deal_to(LIMIT, 7, [stopping, call], cancel=cancel, log=log, resume=resume)
    second = deal_to(LIMIT, 7, [call, call], log=log, resume=resume)
    assert (first.result.match.hands, second.result.match.resumed) == (3, 3)
    assert hand_of(second.told[0][0]) == 3
    whole = tmp_path / "whole.log"
    deal_to(LIMIT, 7, [call, call], log=whole)
    assert [one.history for one in check_log(log, 7)] == [one.history for one in check_log(whole, 7)]


def test_a_program_plays_in_matches_with_other_agents(tmp_path: Path) -> None:
    """`acpc:HOST:PORT` is an agent; in a duplicate match every room has a program of its own."""
    log = tmp_path / "match.log"
    program: Any = cp.make_agent("acpc:127.0.0.1:0(response_seconds=20, called=them)")
    program.port.open()
    threads = [
        threading.Thread(target=run_program, args=(program.port.number, LIMIT, call), daemon=True) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    found = cp.match(LIMIT, [program, "probe"], 10, duplicate=True, log=log, progress=False)
    for thread in threads:
        thread.join(SECONDS)
        assert not thread.is_alive()
    assert [agent.name for agent in found.agents] == ["them", "probe"]
    same = cp.match(LIMIT, ["always-call", "probe"], 10, duplicate=True, progress=False)
    assert found.agents[0].mean == same.agents[0].mean
    assert found.hands_played == 20


def test_a_person_plays_against_programs() -> None:
    """`counterpoise play acpc:HOST:PORT`: with three seats two programs connect."""
    game: Any = cp.load("limit_holdem(seats=3)")
    program: Any = cp.make_agent("acpc:127.0.0.1:0")
    program.port.open()
    threads = [
        threading.Thread(target=run_program, args=(program.port.number, game, call), daemon=True) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    screen = io.StringIO()
    found = play_session(game, [program], hands=4, source=io.StringIO("c\n" * 100), out=screen)
    for thread in threads:
        thread.join(SECONDS)
        assert not thread.is_alive()
    assert found.hands == 4


def test_a_bridge_between_a_program_and_another_dealer(tmp_path: Path) -> None:
    """A program that plays here may play at any dealer: `acpc play acpc:HOST:PORT ...`."""
    program: Any = cp.make_agent("acpc:127.0.0.1:0")
    program.port.open()
    told: list[list[str]] = []

    def start(ports: list[int]) -> None:
        for target, words in (
            (lambda: told.append(run_program(program.port.number, LIMIT, call)), ()),
            (lambda: play_at(LIMIT, program, LOOPBACK, ports[0], progress=False), ()),
            (run_program, (ports[1], LIMIT, call)),
        ):
            threading.Thread(target=target, args=words, daemon=True).start()

    found = deal_match(LIMIT, 6, 1, ["a", "b"], ready=start, limits=DealerLimits(start_seconds=SECONDS), progress=False)
    assert found.finished
    assert not any(sum(agent.forfeits.values()) for agent in found.match.agents)


def test_our_client_plays_at_our_dealer(tmp_path: Path) -> None:
    """The match over TCP is the match at the table, hand by hand."""
    logs, results, threads = [tmp_path / "a.log", tmp_path / "b.log"], [], []

    def start(ports: list[int]) -> None:
        for port, log in zip(ports, logs, strict=True):
            options: dict[str, Any] = {"log": log, "progress": False}
            run = lambda port=port, options=options: results.append(  # noqa: E731
                play_at(NO_LIMIT, Hashing(), LOOPBACK, port, **options)
            )
            threads.append(threading.Thread(target=run, daemon=True))
            threads[-1].start()

    log = tmp_path / "match.jsonl"
    deal_match(
        NO_LIMIT, 40, 9, ["a", "b"], ready=start, log=log, limits=DealerLimits(start_seconds=SECONDS), progress=False
    )
    for thread in threads:
        thread.join(SECONDS)
    dealt = check_log(log, 40)
    table = tmp_path / "table.jsonl"
    cp.match(NO_LIMIT, [Hashing(), Hashing()], 40, seed=9, log=table, progress=False)
    assert [one.history for one in cp.read_log(table).records] == [one.history for one in dealt]
    assert [found.ended for found in results] == ["", ""]
    for own in (cp.read_log(path).records for path in logs):
        assert [one.payoffs for one in own] == [one.payoffs for one in dealt]
        assert any("" in one.history for one in own)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"names": ["a"]}, "names must be one for each of the 2 seats"),
        ({"ports": [1]}, "ports must be 2 numbers"),
        ({"ports": [5000, 5000]}, "ports must be different"),
        ({"ports": [5000, 70000]}, "ports must be a whole number from 0 to 65535"),
        ({"hands": 0}, "hands must be a whole number of at least 1"),
        ({"limits": {"response_seconds": 0}}, "response_seconds must be positive"),
        ({"limits": {"max_invalid": -1}}, "max_invalid must be a whole number of at least 0"),
        ({"limits": {"strict": 3}}, "strict must be True or False"),
        ({"limits": {"average_seconds": -1}}, "average_seconds must be a positive number"),
        ({"host": "no.such.host.invalid"}, "cannot listen at no.such.host.invalid:0"),
        ({"game": "leduc_poker"}, "ACPC is played here with hold'em"),
    ],
)
def test_wrong_settings_of_the_dealer(settings: dict[str, Any], sentence: str) -> None:
    options: dict[str, Any] = {"game": LIMIT, "hands": 1, "seed": 0, "names": ["a", "b"], **settings}
    with pytest.raises(cp.InputError, match=sentence):
        deal_match(**options | {"limits": DealerLimits(**options.get("limits", {}))}, progress=False)


def test_a_port_that_is_taken_and_wrong_addresses_are_refused() -> None:
    with socket.create_server((LOOPBACK, 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(cp.InputError, match=f"cannot listen at 127.0.0.1:{port}"):
            deal_match(LIMIT, 1, 0, ["a", "b"], ports=[port, 0], progress=False)
    for wrong in ("localhost", "localhost:", "localhost:70000", ":5", "localhost:x"):
        with pytest.raises(cp.InputError, match="acpc: address must be HOST:PORT"):
            cp.make_agent(f"acpc:{wrong}")
    with pytest.raises(cp.InputError, match="plays hold'em, not kuhn_poker"):
        cp.match("kuhn_poker", ["acpc:127.0.0.1:0", "random"], progress=False)
    with pytest.raises(cp.InputError, match="processes must be 1"):
        cp.match(LIMIT, ["acpc:127.0.0.1:0", "random"], processes=2, progress=False)
    for name in ("acpc:127.0.0.1:5000", "acpc:127.0.0.1:5000(strict=True)"):
        assert cp.make_agent(name).name == name
        assert cp.make_agent(name) == ProgramAgent(address="127.0.0.1:5000", strict="strict" in name)
    assert not is_turn(LIMIT, "MATCHSTATE:0:0::AsKh|")
