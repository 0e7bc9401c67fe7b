"""Figure 5.8 of Brown 2020 in flop hold'em, on twelve cards."""

import numpy as np
import pytest

from counterpoise.progress import SilentProgress
from counterpoise.reproduce import EXPERIMENTS
from counterpoise.reproduce.brown.depth_limited import BIAS, FLOP_TOO, FULL, TRANSLATION
from counterpoise.reproduce.brown.openings import FlopOpeningBench
from counterpoise.search import LeafTable
from counterpoise.search.leaves import pot_of
from counterpoise.solvers.public.solver import PublicSolver
from counterpoise.solvers.run import make_algorithm


@pytest.fixture(scope="module")
def report(perform):
    return perform("brown-5.8-flop", ranks=3, counts=(1, 8), iterations=500)


@pytest.fixture(scope="module")
def bench():
    return FlopOpeningBench.of_ranks(3, 100)


class Impatient(SilentProgress):
    """A user who stops the run at a job, or at the first answer by search."""

    def __init__(self, job):
        self.job = job

    def begin(self, job):
        if job == self.job:
            raise KeyboardInterrupt
        super().begin(job)

    def show(self, share, text=""):
        if text == self.job:
            raise KeyboardInterrupt
        super().show(share, text)


def stopped(job):
    report = EXPERIMENTS["brown-5.8-flop"].run(Impatient(job), ranks=3, counts=(1, 2), iterations=20)
    assert report.interrupted
    return report


@pytest.mark.slow
def test_what_was_measured_stays():
    report = stopped("K = 2")
    assert list(report.data["gains"]) == [FLOP_TOO, TRANSLATION, "1"]
    assert [row[0] for row in report.tables[0].rows] == [FLOP_TOO, TRANSLATION, "K = 1"]
    assert len(report.tables) == 2
    assert report.claim("one-value-worse").holds is not None
    assert report.claim("2-better-than-one").holds is None
    assert report.claim("full-depth-larger").holds


@pytest.mark.parametrize("job", ["blueprint", "the opening in the blueprint", "answers"])
def test_stopped_before_anything_was_answered(job):
    report = stopped(job)
    assert "gains" not in report.data
    assert len(report.tables) == (0 if job == "blueprint" else 1)
    assert report.claim("2-better-than-one").holds is None


@pytest.mark.long
def test_14_answers(report):
    """One value per leaf is worse than translation, with eight the opening gains nothing that is measured."""
    gains = report.data["gains"]
    assert list(gains) == [FLOP_TOO, TRANSLATION, "1", "8", BIAS, FULL]
    for method in range(2):
        one, eight, full = (gains[label][method] for label in ("1", "8", FULL))
        assert one["gain"] - one["error"] > gains[FLOP_TOO][method]["gain"] + 1
        assert eight["gain"] < 0.3
        assert full["gain"] < 0.3
    assert report.claim("one-value-worse").holds
    assert report.claim("8-better-than-one").holds
    assert report.claim("sixteen-close").holds is None  # not run


@pytest.mark.long
def test_sizes(report):
    """A hundredth of the nodes is left when the flop is cut off, and less of the hands times actions."""
    for part in (report.data["nodes"], report.data["entries"]):
        assert part["single"] < part["limited"]
        assert part["full"] > 50 * part["limited"]


@pytest.mark.long
def test_best_responses_win_less_and_less(report):
    """What is generated last wins about what a best response wins against the blueprint."""
    won = report.data["won"]
    assert won[0] > won[-1] + 20
    assert won[-1] == pytest.approx(report.data["value"], abs=5)


def test_leaves_after_the_opening(bench):
    """Their values are the mean of those after the bets of half the pot and of the pot, as shares of the pot."""
    game, blueprint = bench.solved.game, bench.blueprint
    leaves = LeafTable(game, ([blueprint], [blueprint]))
    limited = bench.limited(leaves)
    called = limited.game.root.child(0)  # opened and called
    known = [game.root.child(total).child(0) for total in (200, 300)]
    first, second = (leaves.matrix(node, (0, 0)).values[0] / pot_of(node) for node in known)
    assert bench.opening == 250
    assert [pot_of(node) for node in (called, *known)] == [500, 400, 600]
    (found,) = limited.leaves.matrices(limited.game, [called], [(0, 0)])
    np.testing.assert_allclose(found.values[0], 500 * (first + second) / 2)
    assert limited.game.root.player == bench.searcher


@pytest.mark.slow
def test_12_a_known_opening_gains_nothing(bench):
    """After an opening that the blueprint knows its own answer leaves the opponent no more than it had, while
    to fold always gives it the blinds."""
    root = bench.solved.game.root
    bet = min(action for action in root.actions if action > 0)
    known = FlopOpeningBench(bench.solved, 1_000, size=0.5)
    assert known.opening == bet
    answer = {}
    for node in known.full.root.decisions_below():
        if node.player == bench.searcher and node.tree == 0:
            own = root.child(bet).follow(node.steps).strategy(bench.blueprint)
            answer[node.steps] = known.full.from_hands_of(root.game, bench.searcher, own)
    assert known.gain(answer).gain < 0.1
    fold = {steps: np.eye(len(rows))[:, :1] * np.ones(rows.shape[1]) for steps, rows in answer.items()}
    assert known.gain(fold).gain > 500


def test_locked_answers_stay(bench):
    """The answer that is judged is the one that was given."""
    answer, _ = bench.translated()
    game = bench.full.with_locks(bench.locks(answer))
    solver = PublicSolver(make_algorithm("cfr+"), game)
    solver.step(20)
    for steps, rows in answer.items():
        assert game.root.follow(steps).strategy(solver.average) == pytest.approx(rows, abs=1e-6)
    assert game.root.child(game.root.actions[-1]).player == bench.opponent
