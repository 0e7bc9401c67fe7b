"""`counterpoise acpc dealer` and `counterpoise acpc play`."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

import counterpoise as cp
from counterpoise.acpc import format_game, play_at
from tests.acpc.peers import LOOPBACK, SECONDS

FILE = "holdem.game"


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server((LOOPBACK, 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def play_in_threads(game: str, agents: list[str], ports: list[int]) -> list[threading.Thread]:
    threads = []
    for agent, port in zip(agents, ports, strict=True):
        options: dict[str, Any] = {"connect_seconds": SECONDS, "progress": False}
        thread = threading.Thread(target=play_at, args=(game, agent, LOOPBACK, port), kwargs=options, daemon=True)
        thread.start()
        threads.append(thread)
    return threads


def write_game() -> None:
    game: Any = cp.load("limit_holdem(blinds=[5, 10])")
    Path(FILE).write_text(format_game(game))


def test_a_dealer_for_programs(ask: Callable[..., dict[str, Any]]) -> None:
    write_game()
    ports = free_ports(2)
    threads = play_in_threads(FILE, ["probe", "always-call"], ports)
    words = ["--ports", ",".join(map(str, ports)), "--log", "m.log", "--start-timeout", SECONDS]
    found = ask("acpc", "dealer", FILE, 20, 5, "ann", "bob", *words)
    for thread in threads:
        thread.join(SECONDS)
    assert (found["hands"], found["game"], found["ended"]) == (20, "limit_holdem(blinds=[5, 10])", "")
    ann, bob = found["agents"]
    assert (ann["name"], ann["port"], ann["invalid_actions"], ann["lost"]) == ("ann", ports[0], 0, 0)
    assert ann["chips"] == -bob["chips"] == round(20 * ann["mbb_per_hand"] / 100, 6)
    lines = Path("m.log").read_text().splitlines()
    assert lines[-1] == found["score"]
    assert len(cp.read_log("m.log").records) == 20


def test_ports_first_and_the_score_last(call: Callable[..., Result]) -> None:
    ports = free_ports(3)
    game = "limit_holdem(seats=3)"
    threads = play_in_threads(game, ["probe", "random", "always-call"], ports)
    result = call(
        "acpc", "dealer", game, 6, 1, "a", "b", "c", "--ports", ",".join(map(str, ports)), "--start-timeout", SECONDS
    )
    for thread in threads:
        thread.join(SECONDS)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == " ".join(map(str, ports))
    assert re.fullmatch(r"SCORE:[-\d.]+\|[-\d.]+\|[-\d.]+:a\|b\|c", lines[-1])


def test_a_match_that_ends_early(call: Callable[..., Result]) -> None:
    result = call("acpc", "dealer", "limit_holdem", 6, 1, "a", "b", "--start-timeout", 0.1)
    assert result.exit_code == 1
    assert "error: the match ended after 0 hands: a: nobody connected to 127.0.0.1:" in result.stderr
    assert "Traceback" not in result.stderr
    (port,) = free_ports(1)
    server = socket.create_server((LOOPBACK, port))

    def vanish() -> None:
        connection, _ = server.accept()
        connection.sendall(b"MATCHSTATE:1:0::|AsKh\r\n")
        connection.recv(4096)
        connection.close()

    thread = threading.Thread(target=vanish, daemon=True)
    thread.start()
    result = call("acpc", "play", "probe", LOOPBACK, port, "--json")
    thread.join(SECONDS)
    server.close()
    assert result.exit_code == 1
    assert re.search(r"error: the dealer vanished in the middle of hand 0: .+", result.stderr)
    answer = json.loads(result.stdout)
    assert (answer["hands"], answer["mean"], answer["unfinished"]) == (0, None, 1)


def test_an_agent_at_a_dealer(call: Callable[..., Result]) -> None:
    (port,) = free_ports(1)
    server = socket.create_server((LOOPBACK, port))

    def deal() -> None:
        connection, _ = server.accept()
        connection.sendall(b"MATCHSTATE:0:0:r300f:AsKh|\r\n")
        connection.sendall(b"MATCHSTATE:1:1:r20000f:|7h2d\r\n")
        connection.recv(4096)
        connection.close()

    thread = threading.Thread(target=deal, daemon=True)
    thread.start()
    result = call("acpc", "play", "always-fold", LOOPBACK, port, "--log", "own.log")
    thread.join(SECONDS)
    server.close()
    assert result.exit_code == 0, result.stderr
    assert "2 hands, +0 ± " in result.stdout
    assert [record.payoffs for record in cp.read_log("own.log").records] == [(-100, 100), (-100, 100)]


def test_game_files_are_written_and_checked(ask: Callable[..., dict[str, Any]], call: Callable[..., Result]) -> None:
    name = "limit_holdem(blinds=[5, 10])"
    result = call("acpc", "game", name, "--out", FILE)
    assert result.stdout == f"{name} in {FILE}\n"
    found = ask("acpc", "game", FILE)
    assert (found["game"], found["definition"], found["out"]) == (name, Path(FILE).read_text(), None)
    assert call("acpc", "game", FILE).stdout == found["definition"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["acpc"], "acpc needs a second word: acpc dealer, acpc play, acpc game"),
        (["acpc", "serve"], "acpc needs a second word: acpc dealer, acpc play, acpc game"),
        (["acpc", "game", "kuhn_poker"], "ACPC is played here with hold'em, not with kuhn_poker"),
        (["acpc", "game", "no_limit_holdem(rake=5)"], "a .game file cannot say rake"),
        (["acpc", "game", "limit_holdem", "--out", "x.txt"], "--out must name a file ending in .game, not x.txt"),
        (["acpc", "dealer", "none.game", 1, 1, "a", "b"], "cannot read none.game: No such file"),
        (["acpc", "dealer", "limit_holdem", "x", 1, "a", "b"], "HANDS must be a whole number, not 'x'"),
        (["acpc", "dealer", "limit_holdem", 0, 1, "a", "b"], "hands must be a whole number of at least 1"),
        (["acpc", "dealer", "limit_holdem", 1, 1, "a"], "names must be one for each of the 2 seats"),
        (["acpc", "dealer", "limit_holdem", 1, 1, "a", "b", "--ports", "1"], "ports must be 2 numbers"),
        (["acpc", "dealer", "limit_holdem", 1, 1, "a", "b", "--ports", "1,x"], "--ports must be a whole number"),
        (
            ["acpc", "dealer", "limit_holdem", 1, 1, "a", "b", "--t-response", "0"],
            "--t-response must be positive, not 0.0",
        ),
        (["acpc", "dealer", "limit_holdem", 1, 1, "a", "b", "--log", "x.txt"], "--log must name a file ending in"),
        (["acpc", "dealer", "limit_holdem", 1, 1, "a", "b", "--t-per-hand", "0"], "--t-per-hand must be a positive"),
        (["acpc", "dealer", "limit_holdem", 1, 1, "a", "b", "--max-invalid", "-1"], "--max-invalid must be a whole"),
        (["acpc", "play", "probe", LOOPBACK, 1, "--patience", "0"], "--patience must be a positive number"),
        (["acpc", "play", "nobody", LOOPBACK, 1], "unknown agent 'nobody'"),
        (["acpc", "play", "probe", LOOPBACK, "x"], "PORT must be a whole number, not 'x'"),
        (["acpc", "play", "probe", LOOPBACK, 1, "--connect-timeout", 0.1], "cannot connect to 127.0.0.1:1: "),
        (["acpc", "play", "probe", LOOPBACK, 1, "--game", "kuhn_poker"], "ACPC is played here with hold'em"),
    ],
)
def test_wrong_input(refuse: Callable[..., str], words: list[object], sentence: str) -> None:
    assert sentence in refuse(*words)


@pytest.mark.long
def test_dealer_and_clients_are_programs_of_their_own(tmp_path: Path) -> None:
    """Three processes, as users start them."""
    command = [sys.executable, "-m", "counterpoise", "acpc"]
    log = tmp_path / "m.log"
    dealer = subprocess.Popen(
        [*command, "dealer", "no_limit_holdem", "30", "3", "a", "b", "--log", str(log), "--start-timeout", "60"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert dealer.stdout is not None
    ports = dealer.stdout.readline().split()
    players = [
        subprocess.Popen([*command, "play", agent, LOOPBACK, port, "--json"], stdout=subprocess.PIPE, text=True)
        for agent, port in zip(("probe", "random"), ports, strict=True)
    ]
    answers = [json.loads(player.communicate(timeout=120)[0]) for player in players]
    out, err = dealer.communicate(timeout=60)
    assert dealer.returncode == 0, err
    assert [player.returncode for player in players] == [0, 0]
    assert sum(answer["total"] for answer in answers) == 0
    assert out.splitlines()[-1].startswith("SCORE:")
    assert len(cp.read_log(log).records) == 30
