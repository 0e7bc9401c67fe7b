import pytest

from counterpoise.games import load

from .lockstep import assert_same_game
from .walk import exploitability, outcome, tree


def test_sizes():
    """55 nodes, 30 terminals, 12 infosets."""
    kuhn = tree("kuhn_poker")
    assert (kuhn.nodes, kuhn.terminals, len(kuhn.infosets)) == (55, 30, 12)


def test_uniform_exploitability():
    """The exploitability of uniform play."""
    assert exploitability(tree("kuhn_poker")) == pytest.approx(0.4583333, abs=1e-6)


@pytest.mark.parametrize(
    ("line", "payoffs"),
    [
        (("KQ", "p", "p"), (1, -1)),
        (("JQ", "b", "p"), (1, -1)),
        (("JQ", "b", "b"), (-2, 2)),
        (("QJ", "p", "b", "p"), (-1, 1)),
        (("QJ", "p", "b", "b"), (2, -2)),
    ],
)
def test_lines_of_play(line, payoffs):
    assert outcome(load("kuhn_poker"), *line) == payoffs


def test_three_players_share_nothing():
    """First checks, second bets, third folds, first calls and loses: the folder loses the ante only."""
    assert outcome(load("kuhn_poker(players=3)"), "JQT", "p", "b", "p", "b") == (-2, 3, -1)


@pytest.mark.parametrize("players", [2, 3])
def test_same_game_as_openspiel(players):
    pyspiel = pytest.importorskip("pyspiel")
    game = load("kuhn_poker", players=players)
    ranks = "TJQK"[-players - 1 :]
    compared = assert_same_game(
        game,
        pyspiel.load_game(f"kuhn_poker(players={players})"),
        action="pb".index,
        deal=lambda cards: ([ranks.index(card) for card in cards], 1),
    )
    assert compared == {2: 55, 3: 601}[players]
