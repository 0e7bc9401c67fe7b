"""Hands per second of a dealer with two trivial clients over TCP: ours, and the original one if it is there.

``python benchmarks/acpc.py [--original FOLDER]``: FOLDER has the compiled `dealer` of the competition. Both deal the
same game, heads-up limit hold'em, to the same two clients, which always call. CPU seconds are those of the dealer
process alone, without its start: the difference between a long and a short match. The last line is our client with
`always-call` at our dealer.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import counterpoise as cp
from counterpoise.acpc import format_game

SHORT = 50
CALLER = """
import socket, sys
file = socket.create_connection(("127.0.0.1", int(sys.argv[1]))).makefile("rwb", buffering=0)
file.write(b"VERSION:2.0.0\\r\\n")
for line in file:
    _, position, _, betting, _ = line.split(b":")
    rounds = betting.split(b"/")
    turn = (len(rounds[-1]) + (len(rounds) == 1)) % 2 == int(position)
    if turn and not (len(rounds) == 4 and len(rounds[3]) == 2):
        file.write(line.rstrip() + b":c\\r\\n")
"""


def play(dealer: Sequence[str], client: Sequence[str], folder: Path) -> tuple[float, float]:
    """Run a match; return the seconds between its first port and its end, and the CPU seconds of the dealer."""
    process = subprocess.Popen(dealer, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=folder)
    assert process.stdout is not None
    ports = process.stdout.readline().split()
    began = time.perf_counter()
    clients = [subprocess.Popen([*client, port], stdout=subprocess.DEVNULL, cwd=folder) for port in ports]
    process.stdout.read()
    _, _, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    for one in clients:
        one.wait()
    return seconds, usage.ru_utime + usage.ru_stime


def report(what: str, dealer: Sequence[str], client: Sequence[str], folder: Path, hands: int) -> None:
    """Print the hands per second of a dealer, by the clock and per CPU second."""
    best = [float("inf")] * 2
    for _ in range(3):
        runs = [
            play([word.replace("HANDS", str(count)) for word in dealer], client, folder) for count in (SHORT, hands)
        ]
        for place in range(2):
            best[place] = min(best[place], max(runs[1][place] - runs[0][place], 1e-9))
    rates = [(hands - SHORT) / seconds for seconds in best]
    print(f"{what:<60} {rates[0]:>10,.0f} per second {rates[1]:>10,.0f} per CPU second")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=3000)
    parser.add_argument("--original", type=Path, help="a folder with the competition's compiled dealer")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "holdem.game").write_text(format_game(cp.load("limit_holdem(blinds=[5, 10])")))  # type: ignore[arg-type]
        caller = [sys.executable, "-S", "-c", CALLER]
        ours = [sys.executable, "-m", "counterpoise", "acpc"]
        dealer = [*ours, "dealer", "holdem.game", "HANDS", "1", "a", "b", "--log", "ours.log"]
        report("our dealer, two callers", dealer, caller, folder, options.hands)
        if options.original is not None:
            program = str(options.original.resolve() / "dealer")
            other = [program, "original", "holdem.game", "HANDS", "1", "a", "b", "-q"]
            report("the original dealer, the same callers", other, caller, folder, options.hands)
        client = [*ours, "play", "always-call", "--game", "holdem.game", "127.0.0.1"]
        report("our dealer, our client twice", dealer, client, folder, options.hands)


if __name__ == "__main__":
    main()
