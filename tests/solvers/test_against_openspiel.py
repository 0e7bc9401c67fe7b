"""Values, best responses and CFR iterates agree with OpenSpiel's C++ to 1e-6, game by game."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.solvers import make_algorithm
from counterpoise.tree import Strategy, enumerate_game, evaluate

pyspiel = pytest.importorskip("pyspiel")

GAMES = [  # game, iterations compared
    ("matrix_rps", 50),
    ("kuhn_poker", 50),
    ("kuhn_poker(players=3)", 50),
    ("leduc_poker", 20),
    ("goofspiel(num_cards=4,imp_info=True,points_order=descending)", 20),
    ("dark_hex(num_rows=2,num_cols=2)", 20),
    ("first_sealed_auction", 20),
    pytest.param("tiny_bridge_2p", 4, marks=pytest.mark.long),
    pytest.param("liars_dice", 3, marks=pytest.mark.long),
]


def positions(tree):
    """OpenSpiel's action numbers in every infoset, each with its position in our arrays."""
    numbered = Strategy(tree.name, tree.table, np.arange(tree.table.size) / tree.table.size)
    table = numbered.to_openspiel().policy_table()
    return {label: [(a, round(p * tree.table.size)) for a, p in row] for label, row in table.items()}


def difference(where, profile, policy, ignored=()):
    """Largest difference of a probability between our profile and an OpenSpiel policy."""
    worst = 0.0
    for label, row in where.items():
        if label not in ignored:
            expected = dict(policy.get_state_policy(label))
            assert len(expected) == len(row)
            worst = max(worst, *(abs(profile[position] - expected[action]) for action, position in row))
    return worst


def tied(solver):
    """Infosets where all regrets are zero up to rounding: there rounding alone decides the next strategy."""
    form, table = solver.tree.form, solver.tree.table
    bounds = zip(table.labels, form.start, form.stop, strict=True)
    return {label for label, low, high in bounds if np.abs(solver.regrets[low:high]).max() < 1e-15}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "iterations"), GAMES)
def test_agreement(name, iterations):
    """Iterates and averages of CFR and CFR+ (alternating, same order) on the way, not only at the end.

    Of the last average: values, every player's best-response value and NashConv (of CFR only in the largest game).
    """
    game, spiel = cp.from_openspiel(name), pyspiel.load_game_as_turn_based(name)
    tree = enumerate_game(game)
    where = positions(tree)
    assert sorted(position for row in where.values() for _, position in row) == [
        position for low, high in zip(tree.form.start, tree.form.stop, strict=True) for position in range(low, high)
    ]
    for algorithm, reference in (("cfr", pyspiel.CFRSolver(spiel)), ("cfr+", pyspiel.CFRPlusSolver(spiel))):
        solver = make_algorithm(algorithm).on(tree)
        for t in range(1, iterations + 1):
            solver.step()
            reference.evaluate_and_update_policy()
            if t in (1, 2, iterations // 2, iterations):
                assert difference(where, solver.average_profile(), reference.average_policy()) < 1e-6
                assert difference(where, solver.current_profile(), reference.current_policy(), tied(solver)) < 1e-6
        profile = solver.average_profile()
        policy = pyspiel.TabularPolicy({label: [(a, profile[p]) for a, p in row] for label, row in where.items()})
        values = evaluate(tree, profile)
        returns = pyspiel.expected_returns(spiel.new_initial_state(), policy, -1, False)
        assert values.expected == pytest.approx(returns, abs=1e-6)
        if name == "liars_dice" and algorithm == "cfr+":
            continue
        best = [  # OpenSpiel keeps only a pointer to the policy: it must live on
            pyspiel.TabularBestResponse(spiel, player, policy).value_from_state(spiel.new_initial_state())
            for player in range(tree.players)
        ]
        assert values.best == pytest.approx(best, abs=1e-6)
        assert values.nash_conv == pytest.approx(sum(best) - sum(returns), abs=1e-6)
        if tree.nodes < 100_000:
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
