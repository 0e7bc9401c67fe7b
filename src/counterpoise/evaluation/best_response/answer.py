"""How much the best response to a player wins, by the method that fits the game and the player."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.work import Work, available_threads
from counterpoise.errors import InputError
from counterpoise.evaluation.best_response.betting import LimitBetting, refusal
from counterpoise.evaluation.best_response.enumerated import profile_of_players
from counterpoise.evaluation.best_response.ignoring_cards import answer_players_without_cards, boards_seen
from counterpoise.evaluation.best_response.players import Players, ignores_cards
from counterpoise.evaluation.best_response.result import AgentBestResponse
from counterpoise.games import Game
from counterpoise.games.base import game_name, least_histories
from counterpoise.games.holdem import Holdem, LimitHoldem
from counterpoise.games.known import KnownPlayer
from counterpoise.games.units import unit_of
from counterpoise.parameters import require_whole
from counterpoise.progress import CancelToken, Progress, as_progress, cancel_on_interrupt
from counterpoise.tree import enumerate_game
from counterpoise.tree.evaluation import evaluate

FloatArray = NDArray[np.float64]
MOST_HISTORIES = 5e7
"""Games with more ways to deal and play are not enumerated."""


@dataclass(frozen=True)
class Found:
    """What a method found, in the game's own unit: best responses by seat, and what the players win themselves.

    In limit hold'em the latter is 0 for both: together they win nothing, and rake is a loss to anybody.
    """

    method: str
    best: FloatArray
    expected: FloatArray
    boards: int | None = None
    finished: float = 1.0


def answer_players(
    game: Game,
    players: Sequence[KnownPlayer],
    name: str,
    *,
    threads: int | None = None,
    progress: Progress | bool | None = None,
    cancel: CancelToken | None = None,
) -> AgentBestResponse:
    """Return what a best response wins against players of whom one sits at each seat, and is replaced in turn.

    `name` is what the result calls them.
    """
    if threads is not None:
        require_whole("threads", threads, 1, 1024)
    display, begun, cpu = as_progress(progress), time.perf_counter(), time.process_time()
    with display, cancel_on_interrupt(cancel) as token:
        display.begin(f"best response to {name} in {game_name(game)}")
        work = Work(threads or available_threads(), display, token)
        if isinstance(game, LimitHoldem) and game.seats == 2 and ignores_cards((players[0], players[1])):
            found = _answer_in_limit_holdem(LimitBetting.of(game), (players[0], players[1]), work)
        else:
            found = _answer_on_tree(game, players, display, token)
    unit, scale = unit_of(game)
    best, expected = found.best * scale, found.expected * scale
    zero_sum = len(best) == 2 and abs(expected.sum()) < 1e-9 and not getattr(game, "rake", 0)
    return AgentBestResponse(
        game=game_name(game),
        agent=name,
        method=found.method,
        unit=unit,
        best_response_value=tuple(best.tolist()),
        exploitability=float((best - expected).mean()),
        value_bracket=(-float(best[1]), float(best[0])) if zero_sum else None,
        boards=found.boards,
        seconds=time.perf_counter() - begun,
        cpu_seconds=time.process_time() - cpu,
        interrupted=token.cancelled,
        finished=found.finished,
    )


def _answer_in_limit_holdem(betting: LimitBetting, players: Players, work: Work) -> Found:
    best = answer_players_without_cards(betting, [players], work)[0]
    return Found("hands alike", best, np.zeros(2), boards_seen(betting))


def _answer_on_tree(game: Game, players: Sequence[KnownPlayer], progress: Progress, cancel: CancelToken) -> Found:
    if isinstance(game, Holdem) and least_histories(game) > MOST_HISTORIES:
        raise InputError(f"{game_name(game)}: {refusal(game)}")
    tree = enumerate_game(game, progress=progress, cancel=cancel)
    values = evaluate(tree, profile_of_players(tree, players))
    return Found("enumeration", values.best, values.expected)
