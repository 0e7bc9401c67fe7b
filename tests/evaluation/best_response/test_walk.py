"""Best responses to players of limit hold'em who look at their cards: enumerated trees, published figures, stops."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from copy import deepcopy
from functools import partial
from random import Random

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.evaluation.best_response.agents import _same_pair
from counterpoise.evaluation.best_response.answer import WalkPlan, answer_players
from counterpoise.evaluation.best_response.betting import LimitBetting
from counterpoise.evaluation.best_response.elsewhere import WalkElsewhere
from counterpoise.evaluation.best_response.enumerated import profile_of_players
from counterpoise.evaluation.best_response.estimate import WHOLE_GAME, estimate_walk
from counterpoise.evaluation.best_response.walk import BestResponseWalk
from counterpoise.evaluation.best_response.whole_game import WalkJob, WalkState, walk_whole_game
from counterpoise.jobs import Driver, Limits
from counterpoise.jobs.pieces import Work
from counterpoise.progress import SilentProgress
from counterpoise.store.cpz import read_header
from counterpoise.tree.evaluation import evaluate

from .players import Alike, Moody, OnBoards, Suited

SMALL = "limit_holdem(board=[0, 3], ranks=4, suits=2, max_bets=2)"


def seated(game, kind=Moody, wrap=None):
    rules = cp.load(game)
    players = [kind().sit(rules, seat, Random(0)) for seat in range(2)]
    return rules, players if wrap is None else [wrap(player) for player in players]


def answered(game, kind=Moody, wrap=None, **settings):
    rules, players = seated(game, kind, wrap)
    plan = WalkPlan(**{name: settings.pop(name) for name in WalkPlan._fields if name in settings})
    return answer_players(rules, players, "test", progress=settings.pop("progress", False), plan=plan, **settings)


@pytest.mark.parametrize(
    "fields",
    [
        "board=[0, 3], ranks=4, suits=2, max_bets=[2, 1]",
        "board=[3, 1], ranks=4, suits=2, max_bets=1",
        "board=[0, 0, 3], ranks=4, suits=2, max_bets=[1, 1, 1]",
        "board=[0, 3, 1], ranks=4, suits=2, stack=2, max_bets=[2, 1, 1]",
        "board=[0, 4], ranks=4, suits=2, rake=5, rake_cap=1, max_bets=[2, 1]",
        pytest.param("board=[0, 2, 1, 1], ranks=8, suits=1, max_bets=[1, 0, 0, 1]", marks=pytest.mark.long),
        pytest.param("board=[0, 3, 1], ranks=3, suits=3, max_bets=[1, 1, 0]", marks=pytest.mark.slow),
        pytest.param("ranks=3, suits=3, max_bets=[1, 0, 0, 1]", marks=pytest.mark.long),
    ],
)
def test_like_the_enumerated_tree(fields):
    game = f"limit_holdem({fields})"
    _, players = seated(game)
    tree = cp.enumerate_game(game)
    best = evaluate(tree, profile_of_players(tree, players)).best
    for suits_alike in (True, False):
        found = answered(game, suits_alike=suits_alike)
        np.testing.assert_allclose(found.best_response_value, best * 500, rtol=0, atol=1e-9)
        assert found.method == "boards"


@pytest.mark.long
def test_like_the_best_response_of_a_strategy():
    """[2-4] hold'em of nine cards against the best response to a `Strategy`."""
    game = "limit_holdem(board=[0, 3], ranks=3, suits=3, max_bets=[2, 1])"
    tree = cp.enumerate_game(game)
    _, players = seated(game)
    strategy = cp.Strategy(tree.name, tree.table, profile_of_players(tree, players))
    best = [cp.best_response(game, strategy, seat).value * 500 for seat in range(2)]
    np.testing.assert_allclose(answered(game).best_response_value, best, rtol=0, atol=1e-9)


@pytest.mark.long
def test_two_rounds_of_52_cards():
    """The walk finds what the shortcut for players without cards finds, on all 1,755 flops."""
    rules = cp.load("limit_holdem(board=[0, 3])")
    for name, published in (("always-call", 645.472), ("always-raise", 2072.281)):
        players = [Alike(name, rules, seat) for seat in range(2)]
        found = answer_players(rules, players, name, progress=False)
        np.testing.assert_allclose(found.best_response_value, published, atol=1e-3)
        short = cp.best_response_to(rules, name, progress=False)
        np.testing.assert_allclose(found.best_response_value, short.best_response_value, rtol=0, atol=1e-9)
        assert (found.method, short.method) == ("boards", "hands alike")


def test_bracket_of_the_value():
    """The value of the game lies between what best responses in the two seats win."""
    game = "limit_holdem(board=[0, 3], ranks=4, suits=2, max_bets=1)"
    found = answered(game)
    low, high = found.value_bracket
    assert high - low == pytest.approx(2 * found.exploitability)
    assert low <= cp.exact(game).value[0] * 500 <= high


@pytest.mark.slow
def test_answers_for_many_lines_at_once_are_the_same():
    np.testing.assert_array_equal(
        answered(SMALL, wrap=OnBoards).best_response_value, answered(SMALL).best_response_value
    )


@pytest.mark.long
def test_float32_like_float64():
    """Rows of float32, as walks over many boards have them, change less than a hundred-thousandth."""
    game = "limit_holdem(board=[0, 3, 1], ranks=4, suits=2, max_bets=[2, 1, 1])"
    rules, players = seated(game)
    values = []
    for dtype in (np.float32, np.float64):
        walk = BestResponseWalk(LimitBetting.of(rules), tuple(players), dtype=dtype)
        values.append(walk_whole_game(walk, "test", Work(1)).values)
    np.testing.assert_allclose(*values, rtol=1e-5, atol=0)
    assert (values[0] != values[1]).any()


@pytest.mark.slow
def test_threads_change_nothing():
    one, two = (answered(SMALL, threads=threads).best_response_value for threads in (1, 2))
    assert one == two


@pytest.mark.slow
def test_processes_change_nothing():
    """Each process makes the players for itself."""
    one = answered(SMALL)
    two = answered(SMALL, elsewhere=WalkElsewhere(2, partial(seated, SMALL)))
    assert one.best_response_value == two.best_response_value
    assert one.method == two.method == "boards"


def test_workers_refuse_another_agent():
    """A worker on a machine where the file of that name has other contents must not walk."""
    game = cp.load(SMALL)
    rules, players = _same_pair(game, "always-call", "always-call")
    assert (rules, len(players)) == (game, 2)
    with pytest.raises(cp.InputError, match=r"'always-call' is another one on .*: always-call, not strategy:x.cpz@12"):
        _same_pair(game, "always-call", "strategy:x.cpz@12")


class Stopping(SilentProgress):
    """Cancels after some first deals."""

    def __init__(self, after):
        self.after, self.cancel = after, cp.CancelToken()

    def show(self, fraction, figure):
        self.after -= 1
        if self.after == 0:
            self.cancel.cancel()


@pytest.mark.slow
def test_a_stopped_walk_continues_to_the_same_figure(tmp_path):
    file, whole = tmp_path / "walk.cpz", answered(SMALL)
    shares = []
    for _ in range(10):
        progress = Stopping(7)
        found = answered(SMALL, progress=progress, cancel=progress.cancel, resume=file, threads=2)
        shares.append(found.finished)
        if found.finished == 1:
            break
        assert found.interrupted
        assert np.isnan(found.exploitability)
        assert found.value_bracket is None
        assert found.to_json()["mbb_per_game"] is None
    assert len(shares) > 2
    assert shares == sorted(shares)
    assert found.best_response_value == whole.best_response_value
    assert answered(SMALL, resume=file).best_response_value == whole.best_response_value


@pytest.mark.slow
def test_a_killed_walk_continues_to_the_same_figure(tmp_path):
    """The process dies in the middle, without a chance to save; what was kept is continued."""
    file = tmp_path / "walk.cpz"
    code = (
        "import os, signal\n"
        "from counterpoise.evaluation.best_response import whole_game\n"
        "from counterpoise.progress import SilentProgress\n"
        "from tests.evaluation.best_response.test_walk import SMALL, answered\n"
        "class Dying(SilentProgress):\n"
        "    def show(self, fraction, figure):\n"
        "        if fraction > 0.5:\n"
        "            os.kill(os.getpid(), signal.SIGKILL)\n"
        "whole_game.SAVE_EVERY = 0\n"
        f"answered(SMALL, progress=Dying(), resume={str(file)!r}, threads=2)\n"
    )
    died = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert died.returncode == -signal.SIGKILL, died.stderr
    begun = int(read_header(file)["summed"])
    assert 0 < begun < 28
    assert answered(SMALL, resume=file).best_response_value == answered(SMALL).best_response_value
    assert read_header(file)["summed"] == 28


@pytest.mark.slow
def test_files_of_other_walks_are_refused(tmp_path):
    file = tmp_path / "walk.cpz"
    answered(SMALL, resume=file)
    with pytest.raises(cp.InputError, match="is of another walk: its game is"):
        answered("limit_holdem(board=[0, 3], ranks=4, suits=2, max_bets=1)", resume=file)
    with pytest.raises(cp.InputError, match="is of another walk: its suits_alike is True"):
        answered(SMALL, resume=file, suits_alike=False)
    file.write_bytes(file.read_bytes()[:200])
    with pytest.raises(cp.InputError, match=r"is not a whole \.cpz file"):
        answered(SMALL, resume=file)


@pytest.mark.slow
def test_who_treats_suits_differently_is_refused():
    with pytest.raises(cp.InputError, match="treats suits differently before the public cards"):
        answered(SMALL, Suited)
    tree = cp.enumerate_game(SMALL)
    _, players = seated(SMALL, Suited)
    best = evaluate(tree, profile_of_players(tree, players)).best
    found = answered(SMALL, Suited, suits_alike=False)
    np.testing.assert_allclose(found.best_response_value, best * 500, rtol=0, atol=1e-9)


def test_what_is_no_probability_is_refused():
    class Wrong(Alike):
        def play_on_boards(self, lines):
            play = super().play_on_boards(lines)
            return lambda board: play(board)._replace(table=2 * play(board).table)

    rules = cp.load(SMALL)
    with pytest.raises(cp.InputError, match="always-call: probabilities must be at least 0 and sum to 1"):
        answer_players(rules, [Wrong("always-call", rules, seat) for seat in range(2)], "wrong", progress=False)


def test_a_walk_continues_from_a_state_that_was_sent():
    rules = cp.load(SMALL)
    walk = BestResponseWalk(LimitBetting.of(rules), tuple(Alike("always-call", rules, seat) for seat in range(2)))
    whole = walk_whole_game(walk, "always-call", Work(1))
    zeros = WalkState(walk.no_sums())
    begun = WalkJob(walk, "always-call", deepcopy(zeros), Work(1))
    for _ in range(3):
        begun.step(1)
    sent = pickle.loads(pickle.dumps(begun.state()))
    assert sent.done == 3
    job = WalkJob(walk, "always-call", zeros, Work(1))
    job.restore(sent)
    found = Driver(job, Limits(iterations=len(walk.deals)), SilentProgress()).run()
    assert found.values.tobytes() == whole.values.tobytes()


@pytest.mark.slow
def test_estimate_of_the_whole_game():
    """The boards of the whole game are counted, and the cost of a board is measured."""
    rules = cp.load("limit_holdem")
    walk = BestResponseWalk(LimitBetting.of(rules), tuple(Alike("always-call", rules, seat) for seat in range(2)))
    found = estimate_walk(walk, "always-call", threads=2)
    assert found.board_count == WHOLE_GAME
    assert found.decisions == 70 * 1755 + 630 * 63_193 + 5670 * WHOLE_GAME
    assert 0 < found.core_days < 76
    assert "it took 76 CPU-days in 2011" in found.sentence()
    assert found.to_json()["core_days"] == found.core_days


def test_estimate_of_an_agent_that_answers_line_by_line():
    found = cp.estimate_best_response(SMALL, Moody(), threads=1)
    assert found.line_by_line
    assert found.asking_seconds > found.walking_seconds
    assert "questions one by one" in found.sentence()
    with pytest.raises(cp.InputError, match="ignores its cards"):
        cp.estimate_best_response(SMALL, "probe")


@pytest.mark.long
def test_without_the_compiler():
    """The walk and the shortcut find the same where Numba's compiler is switched off."""
    code = (
        "import counterpoise as cp\n"
        "from tests.evaluation.best_response.test_walk import answered\n"
        "game = 'limit_holdem(board=[0, 3], ranks=4, suits=2, max_bets=1)'\n"
        "print(*answered(game).best_response_value, *cp.best_response_to(game, 'probe').best_response_value)\n"
    )
    values = []
    for off in ("0", "1"):
        environment = os.environ | {"NUMBA_DISABLE_JIT": off}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
        values.append([float(word) for word in done.stdout.split()])
    np.testing.assert_allclose(values[0], values[1], rtol=0, atol=1e-9)


@pytest.mark.long
def test_four_rounds_of_twelve_cards():
    """The whole betting of limit hold'em, 638 street trees, on all boards of 12 cards: what the shortcut finds."""
    rules = cp.load("limit_holdem(ranks=3)")
    found = answer_players(rules, [Alike("always-raise", rules, seat) for seat in range(2)], "raise", progress=False)
    short = cp.best_response_to(rules, "always-raise", progress=False)
    np.testing.assert_allclose(found.best_response_value, short.best_response_value, rtol=0, atol=1e-9)
    assert (found.method, found.board_count, short.method) == ("boards", 786, "hands alike")
