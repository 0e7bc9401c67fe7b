"""Estimate the cost of the walk over all boards of a game: one board of each round is measured, and all are counted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb, prod
from typing import Any

import numpy as np

from counterpoise.cards import board_strengths, isomorphism
from counterpoise.evaluation.best_response.kernels.rounds import GroupedStrategy
from counterpoise.evaluation.best_response.players import RoundPlayer
from counterpoise.evaluation.best_response.walk import BestResponseWalk, Visit
from counterpoise.games.known import BoardPlay
from counterpoise.jobs.clock import least_cpu
from counterpoise.progress import duration
from counterpoise.store.json import JsonResult, plain_json

PUBLISHED_CPU_DAYS = 76.0
"""What the walk over limit hold'em of 52 cards took in 2011 (Johanson 2016, section 2.4.4: 24,570 parts of about 4.5
minutes).
"""
WHOLE_GAME = 2_554_656
"""The boards of limit hold'em of 52 cards, flop, turn and river in this order, up to suits."""
ASKED = 8
"""The number of decisions about which a player who answers one at a time is asked."""


@dataclass(frozen=True)
class WalkEstimate(JsonResult):
    """The time and memory of a walk on this machine, extrapolated from measurements."""

    game: str
    agent: str
    board_count: int
    """Boards of the last round that are walked through."""
    decisions: int
    """Public decisions of the player at which it is asked, on all boards."""
    line_by_line: bool
    """Whether it is asked one decision at a time, from Python."""
    walking_seconds: float
    """CPU time of the walk itself."""
    asking_seconds: float
    """CPU time of the player's answers."""
    threads: int

    @property
    def cpu_seconds(self) -> float:
        """CPU time in all."""
        return self.walking_seconds + self.asking_seconds

    @property
    def core_days(self) -> float:
        """Days of one core."""
        return self.cpu_seconds / 86400

    @property
    def seconds(self) -> float:
        """Time on the clock; answers from Python do not get faster by threads."""
        alone = self.asking_seconds if self.line_by_line else 0.0
        return max((self.cpu_seconds - alone) / self.threads, alone)

    def sentence(self) -> str:
        """Return the estimate in words, for the whole game beside what was published."""
        told = f"about {long_duration(self.seconds)} ({self.core_days:.2g} core-days) for {self.board_count:,} boards"
        if self.board_count == WHOLE_GAME:
            told += f"; it took {PUBLISHED_CPU_DAYS:.0f} CPU-days in 2011"
        if self.line_by_line:
            share = self.asking_seconds / max(self.cpu_seconds, 1e-9)
            told += f"; {share:.0%} of it are {self.decisions:,} questions one by one, since the agent has no"
            told += " play_on_boards"
        return told

    def of_deals(self, deals: int, whole: int) -> WalkEstimate:
        """Return the estimate for some of the first deals."""
        part = deals / whole
        return replace(
            self,
            board_count=round(self.board_count * part),
            decisions=round(self.decisions * part),
            walking_seconds=self.walking_seconds * part,
            asking_seconds=self.asking_seconds * part,
        )

    def to_json(self) -> dict[str, Any]:
        """Return all figures in the types of JSON."""
        more = {"cpu_seconds": self.cpu_seconds, "core_days": self.core_days, "seconds": self.seconds}
        return {**super().to_json(), **plain_json(more)}


def estimate_walk(walk: BestResponseWalk, name: str, threads: int) -> WalkEstimate:
    """Return what a walk will cost; takes a few boards' time, and compiles the kernels."""
    boards = boards_by_round(walk)
    slow = any(player.line_by_line for pair in walk.opponents[walk.first :] for player in pair)
    walking = asking = 0.0
    decisions = 0
    deck = walk.deck.cards[::-1].tolist()
    for number in range(walk.first, walk.last + 1):
        board = tuple(deck[: walk.betting.dealt[number]])
        count = boards[number]
        here = sum(player.decisions for player in walk.opponents[number])
        decisions += here * count
        asking += count * sum(_asking_seconds(player, board) for player in walk.opponents[number])
        walking += count * _walking_seconds(walk, number, board)
    game = walk.game.name
    return WalkEstimate(game, name, boards[-1], decisions, slow, walking, asking, threads)


def boards_by_round(walk: BestResponseWalk) -> list[int]:
    """Return how many boards of each round are walked through."""
    found = []
    for number in range(walk.last + 1):
        dealt = [count for count in walk.game.board[: number + 1] if count]
        if len(walk.symmetry) > 1 or walk.deck.suits == 1:
            found.append(isomorphism(dealt, walk.deck).size if dealt else 1)
        else:
            found.append(prod(comb(walk.deck.size - sum(dealt[:k]), count) for k, count in enumerate(dealt)))
    return found


def long_duration(seconds: float) -> str:
    """Return a time that may be days or years in words.

    >>> long_duration(3600 * 30), long_duration(86400 * 800)
    ('30 h 00 min', '2.2 years')
    """
    days = seconds / 86400
    if days > 365:
        return f"{days / 365.25:.2g} years"
    return f"{days:.1f} days" if days > 3 else duration(seconds)


def _asking_seconds(player: RoundPlayer, board: tuple[int, ...]) -> float:
    """Return the CPU time of a player's answers for all its decisions of a round on a board."""
    if not player.decisions:
        return 0.0
    if not player.line_by_line:
        player.plays(board)
        return least_cpu(lambda: player.plays(board))
    layout = player.layout
    lines = layout.lines(player.seat)
    some = [lines[k] for k in np.linspace(0, len(lines) - 1, min(ASKED, len(lines))).astype(int)]
    public = [layout.betting.public(line, board) for line in some]
    return least_cpu(lambda: [player.player.probabilities(one) for one in public]) * len(lines) / len(some)


def _walking_seconds(walk: BestResponseWalk, number: int, board: tuple[int, ...]) -> float:
    """Return the CPU time of both seats' best response in a round on a board, without what follows it."""
    full = number == walk.last
    strengths = board_strengths([board], deck=walk.deck)[0] if full else None
    scratch, later = walk.scratch(), np.zeros(0, walk.dtype) if full else walk.empty(number + 1)
    reach, out = walk.empty(number), walk.empty(number)
    reach += 1.0
    plays = [_uniform(player) if player.line_by_line else player.plays(board) for player in walk.opponents[number]]

    def visit() -> None:
        hands = walk.live_hands(board, strengths)
        for seat in range(2):
            at = Visit(number, seat, plays[seat], hands, reach)
            if not full:
                walk.descend_round(at, scratch, later)
            walk.respond_round(at, later, hands.place[None], scratch, out)

    visit()  # compiles
    return least_cpu(visit)


def _uniform(player: RoundPlayer) -> list[GroupedStrategy]:
    """Return uniform play, which takes the same time as any other."""
    menus = player.layout.menus(player.seat)
    table = np.zeros((len(menus), 1, max((len(menu) for menu in menus), default=0)))
    for number, menu in enumerate(menus):
        table[number, :, : len(menu)] = 1 / len(menu)
    group = np.zeros(player.layout.betting.game.deck.hand_count, dtype=np.int64)
    return player.as_kernels_read(BoardPlay(group, table))
