"""The algorithms inside a subgame."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from counterpoise.deep.rebel.beliefs import IntArray
from counterpoise.deep.rebel.liars_dice import liars_dice_beliefs
from counterpoise.deep.rebel.search import BeliefSolver, SearchSettings
from counterpoise.deep.rebel.selfplay import SelfPlay, SelfPlaySettings
from counterpoise.deep.rebel.values import TableValues
from counterpoise.deep.rebel.whole import WholeGame
from counterpoise.errors import InputError
from counterpoise.games.liars_dice import LiarsDice
from counterpoise.public import BatchLearning, UpdateSchedule
from counterpoise.solvers.run import make_algorithm
from counterpoise.tree import enumerate_game

from .helpers import After, Array, Choice, End, exact_solver, root_vectors, small_game

DICE = {name: LiarsDice(dice=int(name[0]), faces=int(name[2])) for name in ("1x3", "1x4", "1x5", "1x6", "2x3")}


def solved(name: str, iterations: int, **settings: Any) -> BeliefSolver:
    game = liars_dice_beliefs(DICE[name], None)
    found = exact_solver(game, iterations, **settings)
    found.solve(np.array([0]), game.prior[None])
    return found


def exploitability(found: BeliefSolver) -> float:
    best = root_vectors(found, found.average(), best=True)[0]
    return float((best * found.game.prior).sum() / 2)


class Weighted(BeliefSolver):
    """Linear CFR that weights new numbers by t instead of fading old ones by (t - 1) / t, in sums of more digits."""

    def begin(self, states: IntArray, beliefs: Array) -> None:
        super().begin(states, beliefs)
        self.sums = [np.zeros_like(numbers, dtype=np.longdouble) for numbers in self.learning[::2]]

    def update(self, player: int) -> None:
        one = np.ones(1)
        gained = BatchLearning(
            np.zeros_like(self.learning.regrets), self.learning.matched, self.traverser.profile(self.batch)
        )
        values = self.traverser.update(self.batch, gained, UpdateSchedule(one, one, one), player)
        self._learn_values(player, values)
        for total, own, kept in zip(self.sums, gained[::2], self.learning[::2], strict=True):
            total += self.iteration * own
            kept[...] = total


def test_linear_weights_are_fading() -> None:
    """Weights t and factors (t - 1) / t give the same policies, regrets and values.

    Beliefs are those of no symmetric game, in which rounding would choose between equal actions.
    """
    plain = exact_solver(liars_dice_beliefs(DICE["1x3"], None), 50)
    weighted = Weighted(plain.game, plain.values, plain.settings, 1, np.float64)
    beliefs = np.random.default_rng(0).dirichlet(np.ones(plain.game.hands), (1, 2))
    for found in (plain, weighted):
        found.solve(np.array([0]), beliefs)
    assert weighted.average() == pytest.approx(plain.average(), abs=1e-9)
    assert weighted.root_values() == pytest.approx(plain.root_values(), abs=1e-12)
    assert plain.learning.regrets * 50 == pytest.approx(weighted.learning.regrets, abs=1e-6)
    weights = np.arange(1, 51)
    assert 2 / (weights + 1) == pytest.approx([plain.settings.share(int(t)) for t in weights])


def test_a_drawn_iteration_is_the_equilibrium_only_on_average() -> None:
    """In rock, paper, scissors with double stakes iterates are far from (0.4, 0.4, 0.2), their mean is near.

    The mean is over 2,000 iterations, by their weights; single ones are looked at up to the 300th.
    """
    solver = make_algorithm("lcfr").on(enumerate_game("rps_plus"))
    equilibrium, far = [0.4, 0.4, 0.2], []
    for _ in range(300):
        far.append(float(np.abs(solver.current.probabilities[1:4] - equilibrium).max()))
        solver.step()
    solver.step(1700)
    assert solver.average.probabilities[1:4] == pytest.approx(equilibrium, abs=0.01)
    assert max(far[50:]) > 0.05


def test_without_value_leaves_all_forms_of_cfr_are_one() -> None:
    """Where a subgame reaches the end of the game CFR-AVG has the iterates of CFR-D."""
    game = liars_dice_beliefs(DICE["1x3"], None)
    pair = [exact_solver(game, 1, algorithm=name, alternating=False) for name in ("cfr-d", "cfr-avg")]
    for found in pair:
        found.begin(np.array([0]), game.prior[None])
    for _ in range(30):
        for found in pair:
            found.step()
        policies = [found.policies(found.learning.matched) for found in pair]
        assert policies[0] == pytest.approx(policies[1], abs=1e-9)


def test_differences_of_average_values_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The values that the modified CFR-AVG uses sum, by their weights, to what the last average is worth."""
    game = liars_dice_beliefs(DICE["1x3"], 2)
    random = np.random.default_rng(1)
    weights = random.normal(size=(game.inputs, game.outputs))
    found = BeliefSolver(game, lambda x, s: np.tanh(x @ weights), SearchSettings(algorithm="cfr-avg"), 1, np.float64)
    found.begin(np.array([0]), game.prior[None])
    sums: list[Any] = [0.0, 0.0]
    update = found.traverser.update

    def watched(batch: Any, learning: Any, schedule: Any, player: int, t: int, leaf_values: Array, means: Any) -> Array:
        sums[player] = sums[player] + found.iteration * leaf_values
        return update(batch, learning, schedule, player, t, leaf_values, means)

    monkeypatch.setattr(found.traverser, "update", watched)
    for _ in range(20):
        found.step()
    for player in range(2):
        assert np.abs(sums[player]).max() > 1
        assert sums[player] == pytest.approx(210 * np.asarray(found.before[player]), abs=1e-6)


def test_flop_counts_the_last_response_twice() -> None:
    """Sums with one more last response are t/(t+2) of the average and 2/(t+2) of it, and near best responses."""
    game = liars_dice_beliefs(DICE["1x3"], None)
    found = exact_solver(game, 1, algorithm="flop", alternating=False)
    found.begin(np.array([0]), game.prior[None])
    for t in range(1, 40):
        if t > 1:
            total, extra = found.learning.average, found.extra
            through = t * (t - 1) / 2
            mixed = t / (t + 2) * total / through + 2 / (t + 2) * extra / (t - 1)
            assert (total + extra) / (through + t - 1) == pytest.approx(mixed, abs=1e-12)
        average = found.average()
        found.step()
        for player in range(2):
            against, rows = average.copy(), game.rows_of_player[player]
            against[:, rows] = found.policies(found.learning.matched)[:, rows]
            prior = game.prior[player]
            response = (root_vectors(found, against)[0, player] * prior).sum()
            best = (root_vectors(found, average, best=True)[0, player] * prior).sum()
            assert best - response < 2 * 2 / (t + 2) + 1e-12


@pytest.mark.parametrize(
    ("name", "low", "high", "linear_fp"),
    [
        ("1x4", 0.0003, 0.0008, 0.0118),
        ("1x5", 0.0010, 0.0017, 0.0199),
        pytest.param("1x6", 0.0015, 0.0024, 0.0369, marks=pytest.mark.slow),
        pytest.param("2x3", 0.0014, 0.0022, 0.0563, marks=pytest.mark.slow),
    ],
)
def test_whole_games_by_1024_updates(name: str, low: float, high: float, linear_fp: float) -> None:
    """1,024 updates of one player, as in table 5.7 of Brown 2020: linear CFR, and linear fictitious play."""
    assert low <= exploitability(solved(name, 512)) <= high
    assert exploitability(solved(name, 512, algorithm="linear-fp")) == pytest.approx(linear_fp, rel=0.25)


@pytest.mark.parametrize(("iterations", "factor"), [(256, 1.0), (1024, 1.5)])
@pytest.mark.parametrize("name", ["1x4", "1x5"])
def test_order_of_fictitious_play_and_cfr(name: str, iterations: int, factor: float) -> None:
    """FLOP beats linear FP, linear CFR beats FLOP by twice, and alternating updates beat simultaneous ones.

    FLOP is 1.5 times better after the 1,024 iterations of the table that asks for it, in both modes. After 256 it is
    ahead as well, by 1.3 (1x4) and 1.9 times (1x5) with alternating updates.
    """

    def after(algorithm: str, alternating: bool = True) -> float:
        return exploitability(solved(name, iterations, algorithm=algorithm, alternating=alternating))

    flop, together = after("flop"), after("flop", alternating=False)
    linear, linear_together = after("linear-fp"), after("linear-fp", alternating=False)
    assert factor * flop < linear
    assert factor * together < linear_together
    assert after("cfr-d") * 2 <= flop
    assert flop < together
    assert linear < linear_together


@pytest.mark.long
@pytest.mark.parametrize(
    ("algorithm", "iterations", "batches", "within"), [("linear-fp", 300, 20, 1e-4), ("cfr-d", 500, 12, 0.02)]
)
def test_perfect_information_is_minimax(algorithm: Any, iterations: int, batches: int, within: float) -> None:
    """With one hand each and a table for values, self-play finds the minimax values of random trees.

    A best response is minimax, but the values are means over iterations: with linear weights the first one, against
    uniform play, keeps a share of 2 / (T (T + 1)), and CFR leaves a bad action bit by bit.
    """
    random = np.random.default_rng(2)
    payoffs = random.normal(size=(3, 3, 3))
    ends = payoffs.reshape(27, 1, 1)
    trees = [Choice(0, tuple(After(1 + a) for a in range(3)))]
    trees += [Choice(1, tuple(After(4 + 3 * a + b) for b in range(3))) for a in range(3)]
    trees += [Choice(0, tuple(End(9 * a + 3 * b + c) for c in range(3))) for a in range(3) for b in range(3)]
    game = small_game(tuple(trees), ends)
    table = TableValues(game)
    settings = SelfPlaySettings(games=8, exploration=1.0)
    search = SearchSettings(algorithm=algorithm, iterations=iterations)
    play = SelfPlay(game, table, search, settings, seed=3, dtype=np.float64)
    for _ in range(batches):
        table.learn(play.play())
    value = payoffs.max(axis=2).min(axis=1).max()
    root = play.solver.solve(np.array([0]), game.prior[None]).values
    assert len(table.known) == 12  # all but the start of the game, which no search asks about
    assert root.ravel() == pytest.approx([value, -value], abs=within)


class BetweenUpdates(BeliefSolver):
    """CFR-D from whose every update, not only every second one, play may go on: `drawn` counts updates."""

    def draw(self, random: np.random.Generator, count: int) -> IntArray:
        return random.integers(1, 2 * self.settings.iterations + 1, count)

    def _keep(self, subgame: IntArray, wanted: IntArray, kept: list[Array], before: bool) -> None:
        self.subgame, self.wanted, self.kept = subgame, wanted, kept
        if before:
            self.keep(2 * self.iteration + 1)

    def update(self, player: int) -> None:
        super().update(player)
        if player == 0:
            self.keep(2 * self.iteration)

    def keep(self, number: int) -> None:
        here = np.flatnonzero(self.wanted == number)
        for kept in self.kept:
            kept[here] = self.learning.matched[self.subgame[here]]


@pytest.mark.parametrize("alternating", [True, False])
def test_a_dictionary_learns_what_recursion_finds(alternating: bool) -> None:
    """Brown 2020, theorem 25: entries of the dictionary become those of CFR-D that is called at every leaf.

    With alternating updates the second player's leaves are valued at policies between two iterations: play must go on
    from there too, or the dictionary never hears of them.
    """
    game = liars_dice_beliefs(LiarsDice(faces=2), 2)
    search = SearchSettings(iterations=4, linear=False, alternating=alternating)
    table = TableValues(game)
    play = SelfPlay(game, table, search, SelfPlaySettings(games=10), seed=1, dtype=np.float64)
    if alternating:
        play.solver = BetweenUpdates(game, table, search, 10, np.float64)
    still = 0
    while still < 1000:
        before = play.games
        still = 0 if table.learn(play.play()) > 1e-12 else still + play.games - before

    def recursion(inputs: Array, states: IntArray) -> Array:
        found = []
        for state, beliefs in zip(states, game.decode(inputs), strict=True):
            solver = BeliefSolver(game, recursion, search, 1, np.float64)
            found.append(solver.solve(np.array([state]), beliefs[None]).values.ravel())
        return np.array(found)

    assert len(table.known) > 10
    for (state, beliefs), found in list(table.known.items())[:40]:
        shares = np.frombuffer(beliefs).reshape(1, -1)
        asked = game.encode(np.array([state]), shares.reshape(1, 2, 2)).astype(np.float64)
        asked[:, -4:] = shares
        assert recursion(asked, np.array([state]))[0] == pytest.approx(found, abs=1e-9)


SIZES = {"1x4": (0.65506, 128, 28), "1x5": (0.72087, 512, 45), "1x6": (0.78074, 2048, 66), "2x3": (0.73900, 2048, 66)}
"""Per game the exploitability of uniform play, the histories at which subgames begin, the leaves of the first one."""


@pytest.mark.parametrize("name", SIZES)
def test_sizes_and_uniform_play(name: str) -> None:
    """Sizes of Liar's Dice and the exploitability of uniform play, exactly."""
    uniform, histories, leaves = SIZES[name]
    game = liars_dice_beliefs(DICE[name])
    whole = WholeGame(game)
    assert len(whole.states) == histories
    assert sum(1 for _ in whole.decisions()) == 2 * histories
    assert game.leaves_of[0] == leaves
    assert whole.exploitability(whole.new_table()) == pytest.approx(uniform, abs=1e-5)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "value", "within"),
    [("1x4", 1 / 16, 3e-5), ("1x5", 1 / 125, 3e-5), ("1x6", -0.0271, 1e-4), ("2x3", 5 / 81, 3e-5)],
)
def test_game_values(name: str, value: float, within: float) -> None:
    """What Liar's Dice is worth to the first player, by 1,024 iterations of DCFR on the whole game."""
    solver = make_algorithm("dcfr").on(enumerate_game(DICE[name]))
    solver.step(1024)
    assert solver.values()[0] == pytest.approx(value, abs=within)
    assert solver.exploitability() < 1e-4


@pytest.mark.parametrize("algorithm", ["cfr-d", "cfr-avg", "flop"])
def test_equal_roots_are_solved_once(algorithm: Any) -> None:
    """Public belief states that stand in a batch more than once are solved once, with the result of each by itself."""
    game = liars_dice_beliefs(DICE["1x4"], 2)

    def values(inputs: Array, states: IntArray) -> Array:
        return np.cos(inputs[:, -game.outputs :] * (1 + states[:, None]))

    search = SearchSettings(algorithm=algorithm, iterations=12)
    prior = game.prior
    other = np.array([[0.1, 0.2, 0.3, 0.4], [0.4, 0.1, 0.1, 0.4]])
    states, beliefs = np.array([0, 3, 0, 0, 3]), np.stack([prior, other, prior, prior, prior])
    drawn = np.array([2, 5, 12, 7, 1])
    together = BeliefSolver(game, values, search, 5, np.float64)
    found = together.solve(states, beliefs, drawn)
    assert together.solved == 3
    averages = together.average()
    for k in range(5):
        alone = BeliefSolver(game, values, search, 1, np.float64)
        expected = alone.solve(states[k : k + 1], beliefs[k : k + 1], drawn[k : k + 1])
        rows = game.rows_in[game.tree_of[states[k]]]
        assert found.played[k, rows] == pytest.approx(expected.played[0, rows], abs=1e-12)
        assert found.believed[k, rows] == pytest.approx(expected.believed[0, rows], abs=1e-12)
        assert found.values[k] == pytest.approx(expected.values[0], abs=1e-12)
        assert averages[k, rows] == pytest.approx(alone.average()[0, rows], abs=1e-12)
        assert together.beliefs[k] == pytest.approx(beliefs[k])
    with pytest.raises(InputError, match="at most 5 subgames at a time, not 6"):
        together.solve(np.zeros(6, dtype=np.int64), np.tile(prior, (6, 1, 1)))
