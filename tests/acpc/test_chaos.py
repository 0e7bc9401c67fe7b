"""Dealer and clients over TCP through lines that are cut, stall and carry garbage: documented outcomes only."""

from __future__ import annotations

import select
import socket
import struct
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

import pytest

import counterpoise as cp
from counterpoise.acpc import ClientResult, DealerLimits, deal_match, play_at
from tests.acpc.peers import LOOPBACK, SECONDS

RESPONSE_SECONDS = 0.15
GARBAGE = (
    b"garbage\r\n",
    b"MATCHSTATE:0:0:::::\r\n",
    b"\x00\xff\xfe\r\n",
    b"x" * 9000 + b"\n",
    b"# comment\r\n",
    b"\r\n",
)
DOCUMENTED = (
    "the dealer vanished in the middle of hand ",
    "the dealer closed the connection before the first hand",
    "the dealer has sent nothing for ",
)


@dataclass
class Quick(cp.Agent):
    """Folds and goes all-in often, by a checksum of what it sees, so that hands are short."""

    def act(self, observation: cp.Observation) -> str:
        betting: Any = self.game.betting_after(observation.public)  # type: ignore[attr-defined]
        share = crc32(f"{observation.private}:{len(observation.public)}".encode()) % 100
        if betting.to_call and share < 55:
            return "f"
        return f"b{betting.max_raise}" if betting.max_raise and share > 75 else "c"


class Chaos:
    """A line between a client and a dealer on which things go wrong, by a seed."""

    def __init__(self, dealer_port: int, seed: int, per_line: float) -> None:
        self.server = socket.create_server((LOOPBACK, 0))
        self.port = self.server.getsockname()[1]
        self.done: Counter[str] = Counter()
        self._dealer_port, self._per_line = dealer_port, per_line
        self._random = Random(seed)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._over.set()
        self._thread.join(SECONDS)
        assert not self._thread.is_alive()
        self.server.close()

    def _serve(self) -> None:
        while not self._over.is_set():
            if select.select([self.server], [], [], 0.05)[0]:
                client, _ = self.server.accept()
                try:
                    self._carry(client)
                except OSError:
                    self.done["lost"] += 1
                finally:
                    client.close()

    def _carry(self, client: socket.socket) -> None:
        with socket.create_connection((LOOPBACK, self._dealer_port), timeout=SECONDS) as dealer:
            waiting = {client: b"", dealer: b""}
            for one in waiting:
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while not self._over.is_set():
                for one in select.select(list(waiting), [], [], 0.05)[0]:
                    piece = one.recv(65_536)
                    if not piece:
                        return
                    *lines, waiting[one] = (waiting[one] + piece).split(b"\n")
                    for line in lines:
                        other = dealer if one is client else client
                        if not self._pass(line + b"\n", other, to_dealer=one is client):
                            self._cut(client, dealer)
                            return

    def _pass(self, line: bytes, other: socket.socket, to_dealer: bool) -> bool:
        """Pass a line on, perhaps not as it was; return whether the line holds."""
        if self._random.random() >= self._per_line or line.startswith(b"VERSION"):
            other.sendall(line)
            return True
        what = self._random.choice(["cut", "cut in the middle", "stall", "garbage", "repeat", "swallow"])
        self.done[what] += 1
        if what == "cut in the middle":
            other.sendall(line[: len(line) // 2])
        if what.startswith("cut"):
            return False
        if what == "stall":
            time.sleep(1.5 * RESPONSE_SECONDS)
        if what == "garbage":
            wrong = self._random.choice(GARBAGE)
            other.sendall(wrong if to_dealer or not wrong.startswith(b"MATCHSTATE") else GARBAGE[0])
        if what != "swallow":
            other.sendall(line * (2 if what == "repeat" else 1))
        return True

    @staticmethod
    def _cut(*ends: socket.socket) -> None:
        for end in ends:  # reset, without a farewell
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            end.close()


def check_chaos(hands: int, seed: int, per_line: float, log: Path) -> Counter[str]:
    """Play a match over bad lines, check what must hold, and return what went wrong how often."""
    game = cp.load("no_limit_holdem(stack=50)")
    over = threading.Event()
    lines: list[Chaos] = []
    found: list[ClientResult] = []
    threads: list[threading.Thread] = []

    def keep_playing(line: Chaos) -> None:
        while not over.is_set():
            try:
                found.append(
                    play_at(
                        game, Quick(), LOOPBACK, line.port, connect_seconds=1.0, patience_seconds=5.0, progress=False
                    )
                )
            except cp.InputError as error:  # the match is over, and the line with it
                assert "cannot connect" in str(error)  # noqa: PT017

    def start(ports: list[int]) -> None:
        for place, port in enumerate(ports):
            lines.append(Chaos(port, 100 * seed + place, per_line))
            threads.append(threading.Thread(target=keep_playing, args=(lines[-1],), daemon=True))
            threads[-1].start()

    result = deal_match(
        game,
        hands,
        seed,
        ["ann", "bob"],
        ready=start,
        log=log,
        limits=DealerLimits(start_seconds=SECONDS, response_seconds=RESPONSE_SECONDS, rejoin_seconds=3.0),
        progress=False,
    )
    over.set()
    for line in lines:
        line.close()
    for thread in threads:
        thread.join(SECONDS)
        assert not thread.is_alive()
    assert result.finished, result.match.ended
    records = cp.read_log(log).records
    assert [record.hand for record in records] == list(range(hands))
    assert all(sum(record.payoffs) == 0 for record in records)
    for place, agent in enumerate(result.match.agents):
        won = sum(record.payoffs[record.agents.index(agent.name)] for record in records)
        assert won == pytest.approx(result.chips[place])
        assert agent.forfeits["illegal"] == 0
    for one in found:
        assert not one.ended or one.ended.startswith(DOCUMENTED), one.ended
        assert not any(one.forfeits.values())
    assert sum(one.hands for one in found) <= 2 * hands
    wrong: Counter[str] = sum((line.done for line in lines), Counter())
    for agent in result.match.agents:
        wrong.update({f"forfeit {kind}": count for kind, count in agent.forfeits.items()})
    return wrong


@pytest.mark.slow
def test_bad_lines(tmp_path: Path) -> None:
    check_chaos(80, 1, 0.02, tmp_path / "match.log")


@pytest.mark.long
def test_ten_thousand_hands_over_bad_lines(tmp_path: Path) -> None:
    """Kills, stalls and garbage: every hand is in the log once, and payoffs sum to 0."""
    wrong = check_chaos(10_000, 2, 0.003, tmp_path / "match.log")
    kinds = ("cut", "cut in the middle", "stall", "garbage", "repeat", "swallow", "forfeit error", "forfeit late")
    assert all(wrong[kind] >= 5 for kind in kinds), wrong
