"""How much the best response to a player wins, by the method that fits the game and the player."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.evaluation.best_response.betting import LimitBetting, refusal
from counterpoise.evaluation.best_response.elsewhere import WalkElsewhere
from counterpoise.evaluation.best_response.enumerated import profile_of_players
from counterpoise.evaluation.best_response.estimate import WalkEstimate, estimate_walk
from counterpoise.evaluation.best_response.ignoring_cards import answer_players_without_cards, boards_seen
from counterpoise.evaluation.best_response.kernels.rounds import respond
from counterpoise.evaluation.best_response.players import Players, ignores_cards
from counterpoise.evaluation.best_response.public_tree import ExtraBet, has_public_tree, tabulate_players
from counterpoise.evaluation.best_response.result import AgentBestResponse
from counterpoise.evaluation.best_response.sample import DealSample, draw_deals, judge_sample
from counterpoise.evaluation.best_response.walk import BestResponseWalk
from counterpoise.evaluation.best_response.whole_game import walk_whole_game
from counterpoise.games import Game
from counterpoise.games.base import game_name, least_histories
from counterpoise.games.holdem import Holdem, LimitHoldem
from counterpoise.games.known import KnownPlayer
from counterpoise.games.units import unit_of
from counterpoise.jobs import Clock, announce_compiling
from counterpoise.jobs.clock import own_cpu
from counterpoise.jobs.pieces import Work, available_threads
from counterpoise.jobs.processes import worker_count
from counterpoise.parameters import require_choice, require_whole
from counterpoise.progress import CancelToken, Progress, as_progress, cancel_on_interrupt
from counterpoise.tree import enumerate_game
from counterpoise.tree.evaluation import evaluate

FloatArray = NDArray[np.float64]
MOST_HISTORIES = 5e7
"""Games with more histories than this are not enumerated."""
COMPILE_SECONDS = 10.0
LONG = 30.0
"""Walks of more seconds than this are announced with an estimate."""


@dataclass(frozen=True)
class BestResponseValues:
    """What a method found, in the game's own unit: best responses by seat, and what the players win themselves.

    In limit hold'em the latter is 0 for both: together they win nothing, and rake is a loss to whoever pays it.
    """

    method: str
    best: FloatArray
    expected: FloatArray
    boards: int | None = None
    known_value: bool = True
    """Whether what the players win themselves was computed."""
    finished: float = 1.0
    earlier: tuple[float, float] = (0.0, 0.0)
    """Seconds and CPU seconds that earlier calls have spent on it."""
    flops: int | None = None
    """How many first deals were drawn, if the values are estimated from a sample."""
    half_width: float | None = None
    """Half the 95 % interval of the mean of `best` then."""


class WalkPlan(NamedTuple):
    """How first deals are walked through: kept in a file, by whom, and how many of them."""

    resume: str | os.PathLike[str] | None = None
    """The file that keeps the walk after each first deal, and from which it continues."""
    elsewhere: WalkElsewhere | None = None
    """Workers that share first deals in the place of threads."""
    flops: int | None = None
    """How many first deals are drawn for an estimate; None or all of them: the whole walk."""
    seed: int = 0
    """The seed with which they are drawn."""

    def refuse(self, reason: str) -> None:
        """Refuse what only a walk over all boards can use."""
        for name in ("resume", "flops"):
            if getattr(self, name) is not None:
                raise InputError(f"{name} must be left out here: {reason}")
        if self.elsewhere is not None:
            name = "processes" if isinstance(self.elsewhere.workers, int) else "cluster"
            raise InputError(f"{name} must be left out here: {reason}")

    def sample(self, walk: BestResponseWalk) -> DealSample | None:
        """Return the first deals that are drawn; None if all are walked."""
        if self.flops is None or self.flops == len(walk.deals):
            return None
        return draw_deals(walk, self.flops, self.seed)


WHOLE_WALK = WalkPlan()


def answer_players(
    game: Game,
    players: Sequence[KnownPlayer],
    name: str,
    *,
    threads: int | None = None,
    suits_alike: bool = True,
    plan: WalkPlan = WHOLE_WALK,
    extra_bets: set[ExtraBet] | None = None,
    progress: Progress | bool | None = None,
    cancel: CancelToken | None = None,
) -> AgentBestResponse:
    """Return what a best response wins against players of whom one sits at each seat, and is replaced in turn.

    `name` is what the result calls them. The `plan` is for walks over the boards of limit hold'em, in which deals that
    differ only by suits are walked once unless `suits_alike` is False. On a public tree the best response has the
    `extra_bets` besides the game's menu; bets that the players make are added to them.
    """
    threads = _check(threads, suits_alike)
    counted = own_cpu if plan.elsewhere is None else plan.elsewhere.cpu
    with Clock(cpu=counted) as clock, as_progress(progress) as display, cancel_on_interrupt(cancel) as token:
        display.begin(f"best response to {name} in {game_name(game)}")
        work = Work(threads, display, token)
        if not isinstance(game, LimitHoldem) or game.seats != 2:
            plan.refuse("the game is enumerated")
            found = _answer_on_tree(game, players, suits_alike, set() if extra_bets is None else extra_bets, work)
        elif ignores_cards((players[0], players[1])):
            plan.refuse(f"{name} ignores its cards, which takes a minute")
            found = _answer_without_cards(LimitBetting.of(game), (players[0], players[1]), work)
        else:
            walk = BestResponseWalk(LimitBetting.of(game), (players[0], players[1]), suits_alike)
            found = _walk(walk, name, work, plan)
    unit, scale = unit_of(game)
    best, expected = found.best * scale, found.expected * scale
    zero_sum = len(best) == 2 and abs(expected.sum()) < 1e-9 and not getattr(game, "rake", 0)
    bracketed = zero_sum and found.finished == 1 and found.flops is None
    return AgentBestResponse(
        game=game_name(game),
        agent=name,
        method=found.method,
        unit=unit,
        best_response_value=tuple(best.tolist()),
        value=tuple(expected.tolist()) if found.known_value else None,
        exploitability=float((best - expected).mean()),
        value_bracket=(-float(best[1]), float(best[0])) if bracketed else None,
        board_count=found.boards,
        seconds=found.earlier[0] + clock.seconds,
        cpu_seconds=found.earlier[1] + clock.cpu_seconds,
        interrupted=token.cancelled,
        finished=found.finished,
        flops=found.flops,
        half_width=None if found.half_width is None else found.half_width * scale,
    )


def estimate_answer(
    game: Game, players: Sequence[KnownPlayer], name: str, *, threads: int | None = None, suits_alike: bool = True
) -> WalkEstimate:
    """Return what the walk over the boards of limit hold'em against a player will cost on this machine."""
    threads = _check(threads, suits_alike)
    betting, pair = LimitBetting.of(game), (players[0], players[1])
    if ignores_cards(pair):
        raise InputError(f"{name} ignores its cards: that takes a minute at most and needs no estimate")
    return estimate_walk(BestResponseWalk(betting, pair, suits_alike), name, threads)


def _check(threads: int | None, suits_alike: bool) -> int:
    if threads is not None:
        require_whole("threads", threads, 1, 1024)
    require_choice("suits_alike", suits_alike, (True, False))
    return threads or available_threads()


def _answer_without_cards(betting: LimitBetting, players: Players, work: Work) -> BestResponseValues:
    best = answer_players_without_cards(betting, [players], work)[0]
    return BestResponseValues("hands alike", best, np.zeros(2), boards_seen(betting), known_value=False)


def _walk(walk: BestResponseWalk, name: str, work: Work, plan: WalkPlan) -> BestResponseValues:
    sample, elsewhere = plan.sample(walk), plan.elsewhere
    announce_compiling([respond], COMPILE_SECONDS, work.progress)
    estimate = estimate_walk(walk, name, work.threads if elsewhere is None else worker_count(elsewhere.workers))
    if sample is not None:
        estimate = estimate.of_deals(len(sample.numbers), len(walk.deals))
    if estimate.seconds > LONG:
        work.progress.note(f"this walk takes {estimate.sentence()}")
    found = walk_whole_game(walk, name, work, plan.resume, elsewhere, None if sample is None else sample.numbers)
    walked = len(walk.deals if sample is None else sample.numbers)
    best, half_width = np.full(2, np.nan) if found.values is None else found.values, None
    if sample is not None and found.iterations == walked:
        judged = judge_sample(walk, sample, found.state.early)
        best, half_width = judged.best, judged.half_width
    return BestResponseValues(
        "boards",
        best,
        np.zeros(2),
        estimate.board_count,
        known_value=False,
        finished=found.iterations / walked,
        earlier=found.state.spent_earlier,
        flops=None if sample is None else walked,
        half_width=half_width,
    )


def _answer_on_tree(
    game: Game, players: Sequence[KnownPlayer], suits_alike: bool, extra_bets: set[ExtraBet], work: Work
) -> BestResponseValues:
    if isinstance(game, Holdem) and has_public_tree(game):
        tabulated = tabulate_players(game, players, suits_alike, work.progress, work.cancel, extra_bets)
        extra_bets |= tabulated.extra_bets
        expected, best = tabulated.values()
        return BestResponseValues("public tree", best, expected, len(tabulated.game.board_nodes))
    if isinstance(game, Holdem) and least_histories(game) > MOST_HISTORIES:
        raise InputError(f"{game_name(game)}: {refusal(game)}")
    tree = enumerate_game(game, progress=work.progress, cancel=work.cancel)
    values = evaluate(tree, profile_of_players(tree, players))
    return BestResponseValues("enumeration", values.best, values.expected)
