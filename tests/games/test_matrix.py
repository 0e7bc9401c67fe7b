import numpy as np
import pytest

from counterpoise.errors import InputError
from counterpoise.games import load

from .walk import best_response, exploitability, grow, outcome, tree


def test_rps_plus_equilibrium():
    """(0.4, 0.4, 0.2) is unexploitable, pure strategies lose 1, 2 and 2."""
    game = tree("rps_plus")
    assert exploitability(game, lambda infoset, labels: (0.4, 0.4, 0.2)) == pytest.approx(0, abs=1e-12)
    worst = [best_response(game, 1, lambda infoset, labels, own=own: np.eye(3)[own]) for own in range(3)]
    assert worst == [1, 2, 2]


@pytest.mark.parametrize(
    ("name", "line", "payoffs"),
    [
        ("rps_plus", "RS", (2, -2)),
        ("rps_plus", "RP", (-1, 1)),
        ("rps_plus", "SP", (2, -2)),
        ("rock_paper_scissors", "SP", (1, -1)),
        ("rock_paper_scissors", "RR", (0, 0)),
        ("matching_pennies", ("heads", "heads"), (1, -1)),
        ("matching_pennies", ("heads", "tails"), (-1, 1)),
        ("matrix", ("r1", "c2"), (0.9, -0.9)),
        ("matrix", ("r2", "c1"), (-0.7, 0.7)),
    ],
)
def test_lines_of_play(name, line, payoffs):
    assert outcome(load(name), *line) == payoffs


def test_default_matrix_value():
    """Its equilibrium leaves both players with 163/180."""
    game = tree("matrix")
    row, column = (17 / 18, 1 / 18), (1 / 18, 17 / 18)
    policy = {"P1": row, "P2": column}
    assert best_response(game, 0, lambda infoset, labels: policy[infoset]) == pytest.approx(163 / 180)
    assert best_response(game, 1, lambda infoset, labels: policy[infoset]) == pytest.approx(-163 / 180)


def test_bimatrix():
    """The prisoner's dilemma: each has its own matrix."""
    game = load("matrix(row_payoffs=[[-1, -3], [0, -2]], column_payoffs=[[-1, 0], [-3, -2]])")
    assert outcome(game, "r1", "c2") == (-3, 0)
    assert outcome(game, "r2", "c2") == (-2, -2)
    assert grow(game, constant_sum=False).nodes == 1 + 2 + 4


def test_arrays_are_welcome_and_round_trip():
    payoffs = np.random.default_rng(0).uniform(-1, 1, (3, 2))
    game = load("matrix", row_payoffs=payoffs)
    assert outcome(game, "r3", "c1")[0] == payoffs[2, 0]
    assert load(game.name) == game


def test_bandit_has_one_player():
    game = load("three_action_bandit")
    assert game.players == 1
    assert [outcome(game, action)[0] for action in ("a1", "a2", "a3")] == [0, 1, -1_000_000]
    assert set(tree("three_action_bandit", constant_sum=False).infosets) == {"P1"}


@pytest.mark.parametrize(
    "parameters",
    [
        {"row_payoffs": []},
        {"row_payoffs": [[1, 2], [3]]},
        {"row_payoffs": [["a", 1]]},
        {"row_payoffs": 3},
        {"column_payoffs": [[1, 2]]},
    ],
)
def test_bad_matrices(parameters):
    field = next(iter(parameters))
    with pytest.raises(InputError, match=f"^matrix: {field} must be .*, not .*"):
        load("matrix", **parameters)
