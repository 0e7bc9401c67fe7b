"""Values, best responses and CFR iterates agree with OpenSpiel's C++ to 1e-6, game by game."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.tree import Strategy, enumerate_game, evaluate

pyspiel = pytest.importorskip("pyspiel")

GAMES = [  # game, iterations compared
    ("matrix_rps", 50),
    ("kuhn_poker", 50),
    ("kuhn_poker(players=3)", 50),
    ("leduc_poker", 20),
    ("goofspiel(num_cards=4,imp_info=True,points_order=descending)", 20),
    ("dark_hex(num_rows=2,num_cols=2)", 20),
    pytest.param("tiny_bridge_2p", 4, marks=pytest.mark.slow),
    pytest.param("liars_dice", 3, marks=pytest.mark.slow),
]


def difference(strategy, policy, ignored=()):
    """Largest difference of a probability between our strategy and an OpenSpiel policy."""
    worst = 0.0
    for label, row in strategy.to_openspiel().policy_table().items():
        if label not in ignored:
            expected = dict(policy.get_state_policy(label))
            worst = max(worst, *(abs(probability - expected[action]) for action, probability in row))
    return worst


def tied(solver):
    """Infosets where all regrets are zero up to rounding: there rounding alone decides the next strategy."""
    form, table = solver.tree.form, solver.tree.table
    bounds = zip(table.labels, form.start, form.stop, strict=True)
    return {label for label, low, high in bounds if np.abs(solver.regrets[low:high]).max() < 1e-15}


@pytest.mark.parametrize(("name", "iterations"), GAMES)
def test_agreement(name, iterations):
    """Iterates of CFR and CFR+ (alternating, same order), and NashConv and values of their averages."""
    game, spiel = cp.from_openspiel(name), pyspiel.load_game_as_turn_based(name)
    tree = enumerate_game(game)
    for algorithm, reference in (("cfr", pyspiel.CFRSolver(spiel)), ("cfr+", pyspiel.CFRPlusSolver(spiel))):
        solver = cp.solver(game, algorithm)
        for _ in range(iterations):
            solver.step()
            reference.evaluate_and_update_policy()
        assert difference(solver.average, reference.average_policy()) < 1e-6
        assert difference(solver.current, reference.current_policy(), tied(solver)) < 1e-6
        values = evaluate(tree, solver.average_profile())
        policy = solver.average.to_openspiel()
        returns = pyspiel.expected_returns(spiel.new_initial_state(), policy, -1, False)
        assert values.expected == pytest.approx(returns, abs=1e-6)
        assert values.nash_conv == pytest.approx(pyspiel.nash_conv(spiel, policy, False), abs=1e-6)


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker", "goofspiel(num_cards=3,imp_info=True)"])
@pytest.mark.parametrize("player", [0, 1])
def test_best_response_values(name, player):
    """The best response to a random profile is worth what OpenSpiel's is."""
    game, spiel = cp.from_openspiel(name), pyspiel.load_game_as_turn_based(name)
    tree = enumerate_game(game)
    rng = np.random.default_rng(5)
    mapping = {}
    for key in Strategy.uniform(tree).table:
        actions = tree.table.actions[tree.table.find(key)]
        mapping[key] = dict(zip(actions, rng.dirichlet(np.ones(len(actions))), strict=True))
    strategy = Strategy.from_mapping(tree, mapping)
    policy = strategy.to_openspiel()  # OpenSpiel keeps only a pointer to it
    theirs = pyspiel.TabularBestResponse(spiel, player, policy)
    ours = cp.best_response(game, strategy, player).value
    assert ours == pytest.approx(theirs.value_from_state(spiel.new_initial_state()), abs=1e-9)


def test_built_in_games_equal_openspiel_where_both_exist():
    """Our rule books and OpenSpiel's give the same CFR exploitability after 30 iterations."""
    for ours, theirs in (
        ("kuhn_poker", "kuhn_poker"),
        ("kuhn_poker(players=3)", "kuhn_poker(players=3)"),
        ("leduc_poker", "leduc_poker"),
        ("liars_dice(dice=1, faces=4)", "liars_dice(dice_sides=4)"),
    ):
        a = cp.solve(ours, "cfr", iterations=30, progress=False)
        b = cp.solve(cp.from_openspiel(theirs), "cfr", iterations=30, progress=False)
        assert a.exploitability == pytest.approx(b.exploitability, abs=1e-9)
        assert a.value == pytest.approx(b.value, abs=1e-9)
