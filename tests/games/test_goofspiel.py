import pytest

from counterpoise.games import load

from .lockstep import assert_same_game
from .walk import exploitability, outcome, play, tree


@pytest.mark.parametrize(
    ("name", "nodes", "terminals", "infosets"),
    [
        ("goofspiel", 55_731, 14_400, 36_852),
        ("goofspiel(cards=4)", 2_229, 576, 1_474),
        ("goofspiel(cards=3)", 139, 36, 92),
        ("goofspiel(order=descending)", 55_731, 14_400, 36_852),
        ("goofspiel(reveal=False)", 55_731, 14_400, 9_948),
    ],
)
def test_sizes(name, nodes, terminals, infosets):
    """Sizes; the forced last bids count."""
    game = tree(name)
    assert (game.nodes, game.terminals, len(game.infosets)) == (nodes, terminals, infosets)


@pytest.mark.parametrize(("cards", "loss"), [(5, 4.0), (4, 2.5)])
def test_uniform_exploitability(cards, loss):
    """The exploitability of uniform play."""
    assert exploitability(tree(f"goofspiel(cards={cards})")) == pytest.approx(loss, abs=1e-6)


def test_random_order_turns_prizes_up_one_by_one():
    game = load("goofspiel(cards=3, order=random)")
    assert dict(game.chance(game.initial())) == dict.fromkeys("123", pytest.approx(1 / 3))
    assert dict(game.chance(play(game, "3", "2", "1"))) == {"1": 0.5, "2": 0.5}
    assert tree("goofspiel(cards=3, order=random)").terminals == 6 * 36


@pytest.mark.parametrize(
    ("order", "bids", "lead"),
    [
        ("ascending", "13 31 22", 1),  # -1 + 2 + 0
        ("ascending", "31 13 22", -1),
        ("descending", "13 31 22", -1),  # -3 + 2 + 0
        ("ascending", "11 22 33", 0),
    ],
)
def test_lines_of_play(order, bids, lead):
    """The higher bid takes the prize, equal bids split it."""
    game = load("goofspiel", cards=3, order=order)
    assert outcome(game, *bids.replace(" ", "")) == (lead, -lead)


def test_cards_above_nine_compare_by_value():
    game = load("goofspiel(cards=13)")
    assert game.player(play(game, "T", "9")) == 0
    assert play(game, "T", "9", "Q", "K").lead == 1 - 2


def test_infosets_show_what_the_seat_has_seen():
    line = ("3", "2", "1", "3")
    shown, hidden = load("goofspiel(cards=4)"), load("goofspiel(cards=4, reveal=False)")
    assert shown.infoset(play(shown, *line)) == "P1:32/13"
    assert shown.infoset(play(shown, *line, "2")) == "P2:23/31"
    assert hidden.infoset(play(hidden, *line)) == "P1:3w/1l"
    assert hidden.infoset(play(hidden, *line, "2")) == "P2:2l/3w"
    assert hidden.infoset(play(hidden, "3", "3")) == "P1:3d"
    chance = load("goofspiel(cards=4, order=random)")
    assert chance.infoset(play(chance, "2", "3", "2", "4", "1", "3", "1", "2")) == "P2:223/431/1"


@pytest.mark.parametrize("reveal", [True, False])
@pytest.mark.parametrize(("cards", "order"), [(4, "ascending"), (4, "descending"), (3, "random")])
def test_same_game_as_openspiel(cards, order, reveal):
    """OpenSpiel plays the last round by itself and pays the distance from the mean: half the difference.

    With bids revealed its infosets forget the order of the bids, so only rules and payoffs are compared.
    """
    pyspiel = pytest.importorskip("pyspiel")
    game = load("goofspiel", cards=cards, order=order, reveal=reveal)
    settings = f"num_cards={cards},points_order={order},imp_info={not reveal},returns_type=point_difference"
    compared = assert_same_game(
        game,
        pyspiel.load_game(f"turn_based_simultaneous_game(game=goofspiel({settings}))"),
        action=lambda label: int(label) - 1,
        deal=lambda label: ([int(label) - 1], 1),
        scale=2.0,
        compare_infosets=not reveal,
    )
    assert compared == tree(game.name).nodes
