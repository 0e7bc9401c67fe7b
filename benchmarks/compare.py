"""CFR+ on one game by every peer: speed, exploitability, memory and how good the strategy is.

The peers take turns block by block, one process working at a time, so that a noisy minute hits all of them. A
block is the same number of iterations for everybody; whoever finishes one in less than `SHORT_BLOCK` CPU seconds
is timed on longer blocks in a second process. Rates are the best block, NashConv is read off between blocks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from peers import PEERS
from worker import PeerError, Worker

SHORT_BLOCK = 0.3
TIMED_BLOCK = 0.5
MEASURING = 0.3


@dataclass
class Result:
    """What one peer did on one game; CPU seconds and megabytes. `problem` says why there are no figures."""

    problem: str = ""
    infosets: int = 0
    load_seconds: float = math.nan
    rates: list[float] = field(default_factory=list)
    """Iterations per CPU second of each block."""
    nash_conv: dict[int, float] = field(default_factory=dict)
    """NashConv of the average strategy after so many iterations."""
    nash_conv_seconds: float = math.inf
    """CPU seconds of the cheapest NashConv."""
    imported: float = math.nan
    """Resident memory after importing, before the game."""
    growth_iterating: float = math.nan
    """Peak above that while loading the game and iterating."""
    growth_measuring: float = math.nan
    """The same with one exploitability computed as well."""
    peak: float = math.nan
    """Highest resident memory of the process, everything included."""


def compare(
    game: str,
    block: int,
    rounds: int,
    marks: Sequence[int],
    report: Callable[[str], None],
    peers: Sequence[str] = tuple(PEERS),
) -> dict[str, Result]:
    """Let `peers` run `rounds` blocks of `block` iterations each, measuring NashConv at the iterations `marks`."""
    results = {peer: Result() for peer in peers}
    contestants: dict[str, _Contestant] = {}
    try:
        for peer, result in results.items():
            report(f"{peer} loads the game")
            with _noting_problems(result):
                contestants[peer] = _Contestant(peer, game, result)
        for number in range(1, rounds + 1):
            for peer, contestant in contestants.items():
                if not results[peer].problem:
                    report(f"round {number} of {rounds}: {peer}")
                    with _noting_problems(results[peer]):
                        contestant.round(block, number * block, number * block in marks)
        for peer, contestant in contestants.items():
            if not results[peer].problem:
                with _noting_problems(results[peer]):
                    contestant.finish()
    finally:
        for contestant in contestants.values():
            contestant.close()
    return results


@contextmanager
def _noting_problems(result: Result) -> Iterator[None]:
    try:
        yield
    except PeerError as problem:
        result.problem = str(problem)


class _Contestant:
    def __init__(self, peer: str, game: str, result: Result) -> None:
        self.peer, self.game, self.result = peer, game, result
        self.stopwatch: Worker | None = None
        self.timed_block = 0
        self.worker = Worker(peer)
        self.result.imported = self.worker.started["resident"]
        self.result.load_seconds = self.worker.ask("load", game=game)["cpu"]

    def round(self, block: int, iterations: int, measure: bool) -> None:
        """Advance by a block, to `iterations` in total, and time it."""
        result = self.result
        answer = self.worker.ask("iterate", iterations=block)
        if math.isnan(result.growth_iterating):
            result.growth_iterating = answer["growth"]
        if measure:
            self._measure(iterations)
        if answer["cpu"] < SHORT_BLOCK and self.stopwatch is None:
            self.stopwatch = Worker(self.peer)
            self.stopwatch.ask("load", game=self.game)
            self.timed_block = math.ceil(block * TIMED_BLOCK / answer["cpu"])
        if self.stopwatch is None:
            result.rates.append(block / answer["cpu"])
        else:
            seconds = self.stopwatch.ask("iterate", iterations=self.timed_block)["cpu"]
            result.rates.append(self.timed_block / seconds)

    def _measure(self, iterations: int) -> None:
        result = self.result
        answer = self.worker.ask("nash_conv", calls=1)
        result.nash_conv[iterations] = answer["value"]
        if math.isnan(result.growth_measuring):
            result.growth_measuring, result.peak = answer["growth"], answer["peak"]
        calls = min(int(MEASURING / answer["cpu"]), 1000)
        seconds = self.worker.ask("nash_conv", calls=calls)["cpu"] if calls else answer["cpu"]
        result.nash_conv_seconds = min(result.nash_conv_seconds, seconds)

    def finish(self) -> None:
        self.result.infosets = self.worker.ask("infosets")["count"]

    def close(self) -> None:
        self.worker.close()
        if self.stopwatch is not None:
            self.stopwatch.close()
