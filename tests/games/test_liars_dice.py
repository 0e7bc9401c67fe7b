from math import factorial

import pytest

from counterpoise.games import load

from .lockstep import assert_same_game
from .walk import exploitability, outcome, play, tree


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "nodes", "infosets", "loss"),
    [
        ("liars_dice(faces=4)", 8_177, 1_024, 0.6550595),
        ("liars_dice(faces=5)", 51_176, 5_120, 0.72087),
        ("liars_dice(dice=2, faces=3)", 294_877, 24_576, 0.73900),
    ],
)
def test_sizes_and_uniform_exploitability(name, nodes, infosets, loss):
    """Sizes and the exploitability of uniform play; 2 x 3 has 6 merged rolls instead of 9."""
    game = tree(name)
    assert (game.nodes, len(game.infosets)) == (nodes, infosets)
    assert exploitability(game) == pytest.approx(loss, abs=1e-6 if name == "liars_dice(faces=4)" else 1e-5)


@pytest.mark.parametrize(
    ("line", "payoffs"),
    [
        (("3v3", "2-3", "liar"), (1, -1)),
        (("3v2", "2-3", "liar"), (-1, 1)),
        (("3v4", "2-3", "liar"), (1, -1)),  # the 4 is wild
        (("3v4", "2-4", "liar"), (-1, 1)),  # only wild dice match the wild face
        (("4v4", "2-4", "liar"), (1, -1)),
        (("1v2", "1-1", "1-2", "liar"), (-1, 1)),
        (("1v2", "1-1", "1-3", "liar"), (1, -1)),
    ],
)
def test_lines_of_play(line, payoffs):
    assert outcome(load("liars_dice(faces=4)"), *line) == payoffs


def test_actions_and_infosets():
    game = load("liars_dice(faces=3)")
    assert game.actions(play(game, "1v2")) == ("1-1", "1-2", "1-3", "2-1", "2-2", "2-3")
    assert game.actions(play(game, "1v2", "1-3")) == ("2-1", "2-2", "2-3", "liar")
    assert game.actions(play(game, "1v2", "2-3")) == ("liar",)
    assert game.infoset(play(game, "1v2", "1-3", "2-1")) == "1:1-3/2-1"
    by_face = load("liars_dice(faces=3, bidding_rule=reset_quantity)")
    assert by_face.actions(play(by_face, "1v2", "2-2")) == ("1-3", "2-3", "liar")


def test_doubles_are_half_as_likely():
    game = load("liars_dice(dice=2, faces=3)")
    rolls = dict(game.chance(game.initial()))
    assert rolls["11v12"] == pytest.approx(1 / 9 * 2 / 9)
    assert len(rolls) == 36


@pytest.mark.parametrize(
    ("dice", "faces", "rule"),
    [(1, 4, "reset_face"), (1, 3, "reset_quantity"), (2, 2, "reset_face")],
)
def test_same_game_as_openspiel(dice, faces, rule):
    """Brown's game is OpenSpiel's: the top face wild, a forced challenge after the top bid."""
    pyspiel = pytest.importorskip("pyspiel")
    game = load("liars_dice", dice=dice, faces=faces, bidding_rule=rule)
    bids = game.actions(play(game, game.chance(game.initial())[0][0]))

    def deal(label: str) -> tuple[list[int], int]:
        orders = 1
        for roll in label.split("v"):
            orders *= factorial(dice)
            for face in set(roll):
                orders //= factorial(roll.count(face))
        return [int(face) - 1 for face in label.replace("v", "")], orders

    compared = assert_same_game(
        game,
        pyspiel.load_game(f"liars_dice(numdice={dice},dice_sides={faces},bidding_rule={rule.replace('_', '-')})"),
        action=(*bids, "liar").index,
        deal=deal,
    )
    assert compared == tree(game.name).nodes
