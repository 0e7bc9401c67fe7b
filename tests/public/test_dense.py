"""Games of public actions as matrices over hands, against the same games enumerated history by history."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.errors import InputError
from counterpoise.games import CHANCE, TERMINAL
from counterpoise.public import Traverser, build_dense, histories
from counterpoise.search import ActionAbstraction
from counterpoise.solvers import make_algorithm
from counterpoise.tree import Strategy, enumerate_game, evaluate

from .helpers import Shaken

GAMES = [
    "kuhn_poker",
    "leduc_poker",
    "leduc_poker(ranks=5, suits=3)",
    "leduc_poker(merge_suits=False)",
    "liars_dice(dice=1, faces=3)",
    "liars_dice(dice=2, faces=2)",
]
ALGORITHMS = ["cfr", "cfr+", "lcfr", "dcfr", "pcfr+", "pdcfr+"]


@cache
def built(name, shaken=False):
    """Both representations of a game, and the largest payoff."""
    game = Shaken(name) if shaken else cp.load(name)
    tree = enumerate_game(game)
    return build_dense(game), tree, np.abs(tree.histories.payoffs).max()


def pair(name, algorithm, shaken=False):
    """Both representations of a game with a solver each, and the largest payoff."""
    game, tree, scale = built(name, shaken)
    settings = make_algorithm(algorithm)
    return game, tree, settings.on(game), settings.on(tree), scale


def undecided(solver, scale):
    """Positions of infosets whose positive regrets are so small that float32 may take them for none, or for some."""
    positions = np.zeros(solver.tree.table.size, dtype=bool)
    for low, high in zip(solver.tree.form.start, solver.tree.form.stop, strict=True):
        positions[low:high] = np.maximum(solver.regrets[low:high], 0).sum() < 1e-5 * scale
    return positions


def difference(one, other, ignored):
    return np.abs(np.where(ignored, 0, one - other)).max()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("name", GAMES)
def test_first_iterations(name, algorithm):
    """Current and average strategies are those of the enumerated game [1e-5], except where regrets tie."""
    game, tree, public, general, scale = pair(name, algorithm)
    before = np.zeros(tree.table.size, dtype=bool)
    for _ in range(2):
        public.step()
        general.step()
        tied = undecided(general, scale)
        assert difference(game.strategy(public.average).on(tree), general.average_profile(), before) < 1e-5
        assert (
            difference(game.strategy(public.learning.matched).on(tree), general.current_profile(), before | tied) < 1e-5
        )
        assert public.exploitability() == pytest.approx(
            evaluate(tree, general.average_profile()).exploitability, abs=1e-5 * scale
        )
        before |= tied


def rounded(tree, seed):
    """The same tree with payoffs that differ as much as those of float32 do."""
    noise = np.random.default_rng(seed).uniform(-1e-7, 1e-7, len(tree.form.values))
    return replace(tree, form=tree.form._replace(values=tree.form.values * (1 + noise)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "algorithm"), [*(("leduc_poker", one) for one in ALGORITHMS), *((game, "pdcfr+") for game in GAMES[2:])]
)
def test_later_iterations(name, algorithm):
    """Without ties, average strategies after 10 iterations [1e-3] and what they are worth after 10 [1e-5] and 50.

    Iterates amplify rounding: within 50 iterations payoffs changed in the seventh digit move exploitability by up to
    half in float64 too. So the last figure is compared with the range over such payoffs.
    """
    game, tree, public, general, scale = pair(name, algorithm, shaken=True)
    for solver in (public, general):
        solver.step(10)
    nowhere = np.zeros(tree.table.size, dtype=bool)
    assert difference(game.strategy(public.average).on(tree), general.average_profile(), nowhere) < 1e-3
    expected = evaluate(tree, general.average_profile())
    assert public.exploitability() == pytest.approx(expected.exploitability, abs=1e-5 * scale)
    np.testing.assert_allclose(public.values(), expected.expected, atol=1e-5 * scale)
    public.step(40)
    reached = []
    for seed in range(10):
        solver = make_algorithm(algorithm).on(rounded(tree, seed))
        solver.step(50)
        reached.append(evaluate(tree, solver.average_profile()).exploitability)
    margin = np.ptp(reached) + 1e-5 * scale
    assert min(reached) - margin < public.exploitability() < max(reached) + margin


@pytest.mark.parametrize("name", [*GAMES, "one_card_poker(ranks=4)", "coin_toss"])
def test_evaluates_any_strategy(name):
    """Values and best responses of uniform, random, half-pure and pure strategies [1e-5 of the largest payoff]."""
    game, tree, scale = built(name)
    traverser = Traverser(game)
    rng = np.random.default_rng(1)
    for sharpness in (None, 1.0, 0.05, 0.0):
        probabilities = Strategy.uniform(tree).probabilities
        if sharpness is not None:
            for low, high in zip(tree.form.start, tree.form.stop, strict=True):
                mixed = rng.dirichlet(np.full(high - low, max(sharpness, 0.01)))
                probabilities[low:high] = mixed if sharpness else np.eye(high - low)[mixed.argmax()]
        profile = game.profile(Strategy(tree.name, tree.table, probabilities))
        expected = evaluate(tree, probabilities)
        np.testing.assert_allclose(traverser.root_values(profile), expected.expected, atol=1e-5 * scale)
        np.testing.assert_allclose(traverser.best_response_values(profile), expected.best, atol=1e-5 * scale)
        assert traverser.exploitability(profile) == pytest.approx(expected.exploitability, abs=1e-5 * scale)
        assert np.abs(game.strategy(profile).on(tree) - probabilities).max() < 1e-6


def test_strategy_is_one_of_the_game(tmp_path):
    """It names infosets and actions as the enumerated game does, and measures, saves and loads like any other."""
    game, tree, _ = built("leduc_poker")
    solver = make_algorithm("cfr+").on(game)
    solver.step(200)
    strategy = game.strategy(solver.average)
    assert strategy.table.same_as(tree.table)
    assert strategy["K:rc/K:"]["r"] > 0.5
    assert cp.exploitability("leduc_poker", strategy) == pytest.approx(solver.exploitability(), abs=1e-6)
    strategy.save(tmp_path / "leduc.cpz")
    assert cp.load_strategy(tmp_path / "leduc.cpz") == strategy
    with pytest.raises(InputError, match=r"for leduc_poker: it does not know infoset .* of kuhn_poker"):
        built("kuhn_poker")[0].profile(strategy)


@pytest.mark.long
def test_liars_dice():
    """One die of six faces: 24,576 infosets in 2,048 decisions, 24 payoff matrices, and its known value."""
    game, tree, public, general, _ = pair("liars_dice(dice=1, faces=6)", "cfr+")
    assert game.table.same_as(tree.table)
    assert len(game.table) == 24_576
    assert len(game.street_trees[0].decisions) == 2_048
    assert len({leaf.number for leaf in game.street_trees[0].leaves}) <= 24
    for solver in (public, general):
        solver.step(100)
    assert public.exploitability() == pytest.approx(evaluate(tree, general.average_profile()).exploitability, abs=1e-6)
    public.step(900)
    assert public.values()[0] == pytest.approx(-0.02713, abs=1e-4)


class Cards:
    """A game for two with a private card each; the methods are overridden to break one condition at a time."""

    players = 2

    def initial(self):
        return ("deal",)

    def player(self, state):
        if len(state) == 1:
            return CHANCE
        return TERMINAL if len(state) == 4 else len(state) - 2

    def chance(self, state):
        return [("12", 0.5), ("21", 0.5)]

    def actions(self, state):
        return ("a", "b")

    def next(self, state, action):
        return (*state, action)

    def infoset(self, state):
        return f"{state[1][self.player(state)]}:{state[2:]}"

    def payoffs(self, state):
        first = (1 if state[1] == "21" else -1) * (2 if state[2] == state[3] else 1)
        return first, -first


class PrivateActions(Cards):
    def actions(self, state):
        return ("a", "b") if state[1] == "12" else ("a", "b", "c")


class HiddenAction(Cards):
    def infoset(self, state):
        return f"{state[1][self.player(state)]}"


class LateLook(Cards):
    def player(self, state):
        return CHANCE if len(state) == 1 else TERMINAL if len(state) == 4 else 0

    def infoset(self, state):
        return f"{state[1] if len(state) > 2 else ''}:{state[2:]}"


class UnevenSum(Cards):
    def payoffs(self, state):
        return 1.0, float(len(set(state)))


class Roll(Cards):
    """After the first action a die is rolled for all to see."""

    def player(self, state):
        return (CHANCE, 0, CHANCE, 1, TERMINAL)[len(state) - 1]

    def chance(self, state):
        return super().chance(state) if len(state) == 1 else [("x", 0.25), ("y", 0.75)]

    def infoset(self, state):
        return f"{state[1][self.player(state)]}:{state[2:]}"

    def payoffs(self, state):
        first, _ = super().payoffs((*state[:3], state[4]))
        return first * (3 if state[3] == "x" else 1), -first * (3 if state[3] == "x" else 1)


class HiddenRoll(Roll):
    def infoset(self, state):
        return f"{state[1][self.player(state)]}:{state[2:3]}"


class UnevenRoll(Roll):
    def actions(self, state):
        return ("a", "b", "c") if state[-1] == "x" else ("a", "b")


class ChosenRoll(Roll):
    def chance(self, state):
        return [("z", 1.0)] if state[-1] == "b" else super().chance(state)


def test_game_of_ones_own():
    """A class with the methods of a game is enough; a die rolled in public becomes two boards."""
    for rules in (Cards(), Roll()):
        game, tree = build_dense(rules), enumerate_game(rules)
        solver = make_algorithm("cfr+").on(game)
        solver.step(5)
        strategy = game.strategy(solver.average)
        assert solver.exploitability() == pytest.approx(cp.exploitability(rules, strategy), abs=1e-6)
        assert strategy.table.same_as(tree.table)


@pytest.mark.parametrize("algorithm", ["cfr", "cfr+"])
@pytest.mark.parametrize(
    "rules", ["matching_pennies", "rps_plus", HiddenAction(), "leduc_poker"], ids=["pennies", "rps", "cards", "leduc"]
)
def test_hidden_moves(rules, algorithm):
    """A player who sees nothing of the other's move has one decision after all of them, as in the enumerated game."""
    game, tree = build_dense(rules, hidden=True), enumerate_game(rules)
    solver = make_algorithm(algorithm).on(game)
    assert game.strategy(solver.average).table.same_as(tree.table)
    solver.step(30)
    run = cp.solve(rules, algorithm, iterations=30)
    strategy = game.strategy(solver.average)
    np.testing.assert_allclose(strategy.probabilities, run.strategy.probabilities, atol=1e-3)
    assert solver.exploitability() == pytest.approx(cp.exploitability(rules, strategy), abs=1e-6)


def test_hidden_moves_and_what_they_exclude():
    with pytest.raises(InputError, match="player 1 does not see all actions and later chance outcomes"):
        build_dense(HiddenRoll(), hidden=True)
    game = build_dense("rps_plus", hidden=True)
    with pytest.raises(InputError, match="cannot be warm started: moves may be hidden"):
        game.payoff_range(0, game.street_trees[0].leaves[0])


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        ("kuhn_poker(players=3)", "it has 3 players, not two"),
        ("matching_pennies", "player 1 does not see all actions and later chance outcomes"),
        (HiddenAction(), "player 1 does not see all actions and later chance outcomes"),
        (HiddenRoll(), "player 1 does not see all actions and later chance outcomes"),
        (PrivateActions(), "who acts or which actions there are depends on private information"),
        (LateLook(), "player 0 learns something private after its first decision"),
        (UnevenSum(), "its payoffs do not have the same sum at every end"),
        (UnevenRoll(), "the play after a chance event has not the same shape for all its outcomes"),
        (ChosenRoll(), "the outcomes of a chance event depend on the actions before it"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_refuses_other_games(game, reason):
    with pytest.raises(InputError, match=f"has no public tree: {reason}"):
        build_dense(game)


def test_large_games_are_refused_behind_views_too(monkeypatch):
    """A view that changes actions does not know how many histories are left; its private deals are counted."""
    with pytest.raises(InputError, match="no_limit_holdem is too large to enumerate"):
        build_dense("no_limit_holdem")
    monkeypatch.setattr(histories, "MAX_DEALS", 1000)
    with pytest.raises(
        InputError, match="no_limit_holdem without c has more than 1,000 private deals, too many to list"
    ):
        build_dense(ActionAbstraction("no_limit_holdem", ["c"]))
    assert build_dense(ActionAbstraction("leduc_poker", ["r"])).nodes
