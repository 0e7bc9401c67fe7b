"""The other side of the socket in tests: an agent that always answers alike, and programs that do as they are told."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any
from zlib import crc32

import counterpoise as cp
from counterpoise.acpc import DealerLimits, DealerResult, deal_match

LOOPBACK = "127.0.0.1"
SECONDS = 20.0
"""How long anything in these tests may take at most."""


@dataclass
class Hashing(cp.Agent):
    """Acts by a checksum of what it sees: always alike, and in many ways."""

    def act(self, observation: cp.Observation) -> str:
        betting: Any = self.game.betting_after(observation.public)  # type: ignore[attr-defined]
        number = crc32(f"{observation.private}:{':'.join(observation.public)}".encode())
        share, size = number % 100, number // 100
        if betting.to_call and share < 15:
            return "f"
        if betting.max_raise and share > 60:
            low, high = betting.min_raise, betting.max_raise
            return f"b{[low, low + size % (high - low + 1), high][size % 3]}"
        return "c"


class Program:
    """A connection to a dealer, on which tests write what they like."""

    def __init__(self, port: int, greeting: bytes = b"VERSION:2.0.0\r\n") -> None:
        self.socket = socket.create_connection((LOOPBACK, port), timeout=SECONDS)
        self.file = self.socket.makefile("rb")
        self.socket.sendall(greeting)

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def line(self) -> str:
        """Return the next line, "" at the end."""
        return self.file.readline().decode().strip()

    def close(self) -> None:
        self.file.close()
        self.socket.close()


def is_turn(game: Any, line: str) -> bool:
    """Whether the player who is told the line is to act."""
    from counterpoise.logs.acpc import read_view

    view = read_view(line, game)
    return bool(game.player(view.state) == view.position)


Answer = Callable[[str, Program], bytes | None]
"""What a program sends when it is its turn; None ends it."""


def call(line: str, program: Program) -> bytes:
    """Answer with a call."""
    return f"{line}:c\r\n".encode()


def run_program(port: int, game: Any, answer: Answer, greeting: bytes = b"VERSION:2.0.0\r\n") -> list[str]:
    """Play until the dealer or the program ends; return the lines that were told."""
    told = []
    program = Program(port, greeting)
    try:
        while line := program.line():
            told.append(line)
            if line.startswith("#") or not is_turn(game, line):
                continue
            said = answer(line, program)
            if said is None:
                break
            program.send(said)
    except OSError:
        pass
    finally:
        program.close()
    return told


@dataclass
class Dealt:
    """What a match of programs came to."""

    result: DealerResult
    told: list[list[str]]
    """The lines that each program was told."""


def deal_to(game: Any, hands: int, answers: list[Answer], **settings: Any) -> Dealt:
    """Deal a match to programs that answer as they are told, in threads of their own."""
    told: list[list[str]] = [[] for _ in answers]
    threads: list[threading.Thread] = []

    def run(place: int, port: int) -> None:
        told[place] += run_program(port, game, answers[place])

    def start(ports: list[int]) -> None:
        for place, port in enumerate(ports):
            threads.append(threading.Thread(target=run, args=(place, port), daemon=True))
            threads[-1].start()

    names = [one.name for one in fields(DealerLimits)]
    limits = {name: settings.pop(name) for name in names if name in settings}
    limits = {"start_seconds": SECONDS, "response_seconds": SECONDS} | limits
    options = {"seed": 1, "progress": False, "ready": start, "limits": DealerLimits(**limits)} | settings
    seed = options.pop("seed")
    names = [f"p{place + 1}" for place in range(len(answers))]
    result = deal_match(game, hands, seed, names, **options)
    for thread in threads:
        thread.join(SECONDS)
        assert not thread.is_alive()
    return Dealt(result, told)


def hand_of(line: str) -> int:
    return int(line.split(":")[2])


def check_log(path: Path, hands: int, game: Any = None) -> list[cp.HandRecord]:
    """Return the hands of a log, each there exactly once with payoffs by the rules that sum to 0."""
    records = cp.read_log(path, game).records
    assert [record.hand for record in records] == list(range(hands))
    assert all(abs(sum(record.payoffs)) < 1e-6 for record in records)
    return records
