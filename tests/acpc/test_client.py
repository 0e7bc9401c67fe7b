"""The client: what it answers, and how it ends when a dealer vanishes, sends garbage, repeats or leaves out states."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import counterpoise as cp
from counterpoise.acpc import ClientResult, client, play_at
from counterpoise.acpc.client import MOST_GARBAGE
from counterpoise.progress import CancelToken
from tests.acpc.peers import LOOPBACK, SECONDS

FIRST = ["MATCHSTATE:0:0::TdAs|", "MATCHSTATE:0:0:c:TdAs|", "MATCHSTATE:0:0:cc/:TdAs|/2c8c3h"]
FOLDED = "MATCHSTATE:0:0:cc/cr:TdAs|/2c8c3h"
TURN, RIVER = "MATCHSTATE:0:0:cc/crc/:TdAs|/2c8c3h/9c", "MATCHSTATE:0:0:cc/crc/cc/:TdAs|/2c8c3h/9c/Kh"
OVER = "MATCHSTATE:0:0:cc/crf:TdAs|/2c8c3h"
SECOND = ["MATCHSTATE:1:1::|7h2d", "MATCHSTATE:1:1:f:|7h2d"]


class FakeDealer:
    """A dealer that sends what tests write, in a thread of its own."""

    def __init__(self, script: Callable[[FakeDealer], None]) -> None:
        self.server = socket.create_server((LOOPBACK, 0))
        self.port = self.server.getsockname()[1]
        self.heard: list[str] = []
        self._script = script
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self.socket, _ = self.server.accept()
        self.socket.settimeout(SECONDS)
        self._file = self.socket.makefile("rb")
        assert self.read() == "VERSION:2.0.0"
        self._script(self)
        self._file.close()
        self.socket.close()

    def tell(self, *lines: str) -> None:
        for line in lines:
            self.socket.sendall(f"{line}\r\n".encode())

    def read(self) -> str:
        line = self._file.readline()
        assert line.endswith(b"\r\n") or not line
        return line.decode().strip()

    def ask(self, line: str) -> None:
        """Send a state and keep the answer."""
        self.tell(line)
        self.heard.append(self.read())

    def finish(self) -> None:
        self._thread.join(SECONDS)
        assert not self._thread.is_alive()
        self.server.close()


def meet(
    script: Callable[[FakeDealer], None], agent: Any = "always-call", game: str = "limit_holdem", **settings: Any
) -> tuple[ClientResult, list[str]]:
    dealer = FakeDealer(script)
    found = play_at(game, agent, LOOPBACK, dealer.port, **{"progress": False, "patience_seconds": SECONDS, **settings})
    dealer.finish()
    return found, dealer.heard


def whole_hand(dealer: FakeDealer) -> None:
    dealer.tell(FIRST[0])
    dealer.ask(FIRST[1])
    dealer.ask(FIRST[2])
    dealer.tell("MATCHSTATE:0:0:cc/c:TdAs|/2c8c3h")
    dealer.ask(FOLDED)
    dealer.ask(TURN)
    dealer.ask(RIVER)
    dealer.tell("MATCHSTATE:0:0:cc/crc/cc/cc:TdAs|8hTc/2c8c3h/9c/Kh")


def test_a_hand_is_played_and_written_down_as_it_was_seen(tmp_path: Path) -> None:
    log = tmp_path / "own.log"

    def script(dealer: FakeDealer) -> None:
        whole_hand(dealer)
        dealer.tell("# a comment", "; another", SECOND[0])
        dealer.heard.append(dealer.read())
        dealer.ask("MATCHSTATE:1:1:cr:|7h2d")
        dealer.tell("MATCHSTATE:1:1:crc/:|7h2d/AsKsQs", "MATCHSTATE:1:1:crc/rf:|7h2d/AsKsQs")

    found, heard = meet(script, log=log)
    assert heard == [
        f"{line}:c" for line in (FIRST[1], FIRST[2], FOLDED, TURN, RIVER, SECOND[0], "MATCHSTATE:1:1:cr:|7h2d")
    ]
    assert (found.hands, found.ended, found.ignored_lines, found.unfinished) == (2, "", 0, 0)
    first, second = cp.read_log(log).records
    assert (first.agents, first.payoffs) == (("always-call", "opponent"), (-4.0, 4.0))
    assert second.history == ("", "7h2d", "c", "b4", "c", "AsKsQs", "b6", "f")
    assert second.agents == ("opponent", "always-call")
    assert found.total == 1000 / 2 * (first.payoffs[0] + second.payoffs[1])


def test_no_limit_raises_are_told_as_totals() -> None:
    """The number after `r` is what the player has put into the pot over the whole hand."""

    def script(dealer: FakeDealer) -> None:
        dealer.ask("MATCHSTATE:1:0::|AsKh")
        dealer.ask("MATCHSTATE:1:0:r300c/c:|AsKh/2c8c3h")

    _, heard = meet(script, agent="always-raise", game="no_limit_holdem")
    assert heard == ["MATCHSTATE:1:0::|AsKh:r300", "MATCHSTATE:1:0:r300c/c:|AsKh/2c8c3h:r900"]


def test_states_that_are_repeated_or_left_out_do_no_harm() -> None:
    def script(dealer: FakeDealer) -> None:
        for _ in range(3):
            dealer.ask(FIRST[1])
        dealer.tell(OVER, OVER, FIRST[1], OVER)  # the hand is over: nothing more is answered
        dealer.ask("MATCHSTATE:1:5:cr:|7h2d")  # a hand of which the beginning was not told
        dealer.tell(SECOND[1])  # another one before its end

    found, heard = meet(script, agent="random", seed=3)
    assert len(set(heard[:3])) == 1
    assert len(heard) == 4
    assert (found.hands, found.unfinished, found.ended) == (2, 1, "")


class Slow(cp.Agent):
    """Thinks for longer than some dealers wait."""

    def act(self, observation: Any) -> str:
        time.sleep(0.05)
        return "c"


def test_a_dealer_that_does_not_wait_for_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """That the agent has thought for long is said, since it may be out of time."""
    monkeypatch.setattr(client, "LONG_THOUGHT", 0.05)
    found, _ = meet(lambda dealer: dealer.ask(FIRST[1]), agent=Slow())
    assert "the dealer closed the connection after Slow had thought for 0.1 s, in the middle of hand 0" in found.ended


@pytest.mark.parametrize(
    ("script", "sentence", "hands"),
    [
        (lambda dealer: dealer.tell(*FIRST[:1]), "the dealer vanished in the middle of hand 0", 0),
        (lambda dealer: None, "the dealer closed the connection before the first hand", 0),
        (
            lambda dealer: dealer.tell(*["garbage"] * MOST_GARBAGE),
            f"the dealer sent {MOST_GARBAGE} lines that are no states",
            0,
        ),
        (lambda dealer: dealer.tell(OVER, "MATCHSTATE:0:1:rrrrrr:AsKh|"), "a raise is not legal there", 1),
        (lambda dealer: dealer.tell("MATCHSTATE:0:1::AsKh||"), "there must be 2 hands, one for each seat, not 3", 0),
        (lambda dealer: dealer.tell("MATCHSTATE:7:1::AsKh|"), "a view reads MATCHSTATE:position:hand", 0),
        (lambda dealer: dealer.tell("MATCHSTATE:0:1::AsAs|"), "2 cards of those left in the deck are due", 0),
        (lambda dealer: dealer.tell("MATCHSTATE:0:1:r500:AsKh|"), "has an amount, which limit betting has not", 0),
        (lambda dealer: dealer.tell(FIRST[0], "MATCHSTATE:1:0::TdAs|"), "moved this player to position 1", 0),
        (
            lambda dealer: dealer.tell("MATCHSTATE:0:0:cc/cc/cc/cc:TdAs|/2c8c3h/9c/Kh"),
            "the hand of seat 1 was not seen",
            0,
        ),
    ],
)
def test_a_dealer_that_goes_wrong_is_left_with_one_sentence(
    script: Callable[[FakeDealer], None], sentence: str, hands: int, tmp_path: Path
) -> None:
    log = tmp_path / "own.log"
    found, _ = meet(script, log=log)
    assert sentence in found.ended
    assert "\n" not in found.ended
    assert found.hands == hands == len(cp.read_log(log).records)


def test_garbage_between_states_is_ignored_and_kept_small() -> None:
    def script(dealer: FakeDealer) -> None:
        dealer.tell("hello", "", "x" * 1_000_000, "\x00\xff")
        dealer.ask(FIRST[1])
        dealer.tell(OVER)

    found, heard = meet(script)
    assert heard == [f"{FIRST[1]}:c"]
    assert (found.ended, found.ignored_lines, found.hands) == ("", 4, 1)


def test_a_dealer_that_is_silent_is_left() -> None:
    def script(dealer: FakeDealer) -> None:
        dealer.tell(OVER)
        assert dealer.read() == ""  # the client has gone

    found, _ = meet(script, patience_seconds=0.2)
    assert found.ended == "the dealer has sent nothing for 0.2 s"
    assert found.hands == 1


def test_the_number_of_hands_is_expected() -> None:
    found, _ = meet(lambda dealer: dealer.tell(OVER), hands=3)
    assert found.ended == "the dealer ended the match after 1 of 3 hands"
    found, _ = meet(lambda dealer: dealer.tell(OVER, SECOND[1]), hands=1)
    assert (found.ended, found.hands) == ("", 1)


def test_an_agent_that_fails_forfeits_the_hand() -> None:
    class Failing(cp.Agent):
        def act(self, observation: cp.Observation) -> str:
            raise RuntimeError("out of ideas")

    class Illegal(cp.Agent):
        def act(self, observation: cp.Observation) -> str:
            return "b1000000"

    def script(dealer: FakeDealer) -> None:
        dealer.ask("MATCHSTATE:1:0::|AsKh")  # it owes half a blind: it folds
        dealer.ask("MATCHSTATE:0:1:c:AsKh|")  # it owes nothing: it checks
        dealer.tell("MATCHSTATE:0:1:crf:AsKh|")

    for agent, fault in ((Failing(), "error"), (Illegal(), "illegal")):
        found, heard = meet(script, agent=agent)
        assert [line[-1] for line in heard] == ["f", "c"]
        assert found.forfeits[fault] == 2
        assert found.first_fault


def test_the_end_can_be_asked_for() -> None:
    cancel = CancelToken()

    def script(dealer: FakeDealer) -> None:
        dealer.tell(OVER)
        cancel.cancel()
        with suppress(ConnectionResetError):
            dealer.read()

    found, _ = meet(script, cancel=cancel)
    assert found.ended == "stopped by Ctrl-C"
    assert found.hands <= 1


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"port": 0}, "port must be a whole number from 1 to 65535, not 0"),
        ({"hands": 0}, "hands must be a whole number of at least 1"),
        ({"patience_seconds": 0}, "patience_seconds must be a positive number"),
        ({"game": "leduc_poker"}, "ACPC is played here with hold'em"),
        ({"agent": "nobody"}, "unknown agent 'nobody'"),
        ({"host": "no.such.host.invalid"}, "cannot connect to no.such.host.invalid:1"),
        ({}, "cannot connect to 127.0.0.1:1: "),
        ({"log": "own.txt"}, "log must name a file ending in"),
    ],
)
def test_wrong_settings_of_the_client(settings: dict[str, Any], sentence: str) -> None:
    options: dict[str, Any] = {"game": "limit_holdem", "agent": "random", "host": LOOPBACK, "port": 1, **settings}
    with pytest.raises(cp.InputError, match=sentence):
        play_at(**options, connect_seconds=0.1, progress=False)


def test_a_dealer_that_starts_later_is_waited_for() -> None:
    with socket.create_server((LOOPBACK, 0)) as taken:
        port = taken.getsockname()[1]
    dealers: list[socket.socket] = []

    def open_later() -> None:
        server = socket.create_server((LOOPBACK, port))
        dealers.append(server)
        connection, _ = server.accept()
        connection.sendall(f"{OVER}\r\n".encode())
        connection.recv(100)
        connection.close()

    timer = threading.Timer(0.3, open_later)
    timer.start()
    found = play_at("limit_holdem", "random", LOOPBACK, port, connect_seconds=SECONDS, progress=False)
    timer.join(SECONDS)
    dealers[0].close()
    assert found.hands == 1
