import pytest

from counterpoise.errors import InputError
from counterpoise.games import load

from .lockstep import assert_same_game
from .walk import exploitability, outcome, play, tree


@pytest.mark.parametrize(
    ("name", "nodes", "terminals", "infosets"),
    [
        ("leduc_poker", 1_936, 1_116, 288),
        ("leduc_poker(merge_suits=False)", 9_451, 5_520, 936),
        ("one_card_poker", 16_291, 9_594, 6 * 6 + 5 * 6 * 6 * 6),
    ],
)
def test_sizes(name, nodes, terminals, infosets):
    """Leduc with ranks and with cards, and with six ranks by the same formula."""
    game = tree(name)
    assert (game.nodes, game.terminals, len(game.infosets)) == (nodes, terminals, infosets)


@pytest.mark.slow
def test_leduc5_sizes_and_uniform_exploitability():
    """34,224 infosets; uniform play loses 8.4954129."""
    game = tree("leduc5")
    assert (game.nodes, game.terminals, len(game.infosets)) == (269_560, 177_684, 34_224)
    assert exploitability(game) == pytest.approx(8.4954129, abs=1e-6)


@pytest.mark.parametrize("name", ["leduc_poker", "leduc_poker(merge_suits=False)"])
def test_uniform_exploitability(name):
    """The exploitability of uniform play in both forms of the deck."""
    assert exploitability(tree(name)) == pytest.approx(2.3736111, abs=1e-6)


def test_ranks_are_drawn_with_the_weights_of_the_cards():
    deals = dict(load("leduc_poker").chance(load("leduc_poker").initial()))
    assert deals["KK"] == pytest.approx(2 / 6 * 1 / 5)
    assert deals["KJ"] == pytest.approx(2 / 6 * 2 / 5)
    game = load("leduc_poker")
    assert dict(game.chance(play(game, "KK", "c", "c"))) == {"J": 0.5, "Q": 0.5}
    assert dict(game.chance(play(game, "KJ", "c", "c"))) == {"J": 0.25, "Q": 0.5, "K": 0.25}


@pytest.mark.parametrize(
    ("line", "payoffs"),
    [
        (("KQ", "r", "f"), (1, -1)),
        (("KQ", "c", "r", "r", "f"), (3, -3)),
        (("KQ", "c", "c", "J", "c", "c"), (1, -1)),
        (("KQ", "r", "c", "Q", "c", "c"), (-3, 3)),
        (("QQ", "r", "r", "c", "K", "r", "r", "c"), (0, 0)),
        (("JK", "r", "r", "c", "J", "r", "r", "c"), (13, -13)),
        (("JK", "r", "r", "c", "J", "r", "r", "f"), (-9, 9)),
    ],
)
def test_lines_of_play(line, payoffs):
    """Ante 1, bets of 2 then 4, one raise: a pair beats a king, equal ranks split."""
    assert outcome(load("leduc_poker"), *line) == payoffs


def test_infosets_and_actions_read_well():
    game = load("leduc_poker")
    assert game.infoset(play(game, "QJ", "r", "c", "K", "c", "r")) == "Q:rc/K:cr"
    assert game.actions(play(game, "QJ")) == ("c", "r")
    assert game.actions(play(game, "QJ", "r")) == ("f", "c", "r")
    assert game.actions(play(game, "QJ", "r", "r")) == ("f", "c")
    cards = load("leduc_poker", merge_suits=False)
    assert cards.infoset(play(cards, "QsJh", "r", "c", "Kh")) == "Qs:rc/Kh:"


def test_leduc5_has_five_sizes_and_no_minimum_raise():
    game = load("leduc5")
    assert game.actions(play(game, "KQ", "r8")) == ("f", "c", "r0.5", "r1", "r2", "r4", "r8")
    assert outcome(game, "KQ", "r8", "r0.5", "c", "J", "r16", "r1", "c") == (26.5, -26.5)
    assert outcome(game, "JQ", "r8", "r8", "c", "Q", "r16", "r16", "c") == (-49, 49)
    assert game.infoset(play(game, "KQ", "r0.5", "c", "J", "c")) == "Q:r0.5c/J:c"


def test_pot_fractions_count_the_pot_after_the_call():
    """Antes 1 + 1; a pot bet makes it 3 each; a half-pot raise of the then 6 adds 3; and so on."""
    game = load("one_card_poker", ranks=3, fractions=[[0.5, 1], [1]], max_bets=[2, 1])
    assert outcome(game, "KQ", "r1", "f") == (1, -1)
    assert outcome(game, "KQ", "r1", "r0.5", "f") == (-3, 3)
    assert outcome(game, "KQ", "r1", "r0.5", "c", "J", "c", "c") == (6, -6)
    assert outcome(game, "KQ", "r1", "r0.5", "c", "J", "r", "c") == (18, -18)
    assert game.actions(play(game, "KQ", "c", "c", "J", "r")) == ("f", "c")
    assert game.actions(play(game, "KQ", "r0.5")) == ("f", "c", "r0.5", "r1")


def test_two_players_may_pair_the_board_with_three_suits():
    assert outcome(load("leduc_poker(suits=3)"), "QQ", "c", "c", "Q", "r", "c") == (0, 0)


def test_three_players():
    """Seat 2 folds to the bet; seat 1 pairs the board and beats the king; the first seat still in opens."""
    game = load("leduc_poker(players=3, ranks=4)")
    assert outcome(game, "KJQ", "r", "c", "f", "J", "c", "r", "c") == (-7, 8, -1)
    assert game.player(play(game, "KJQ", "c", "r", "r", "f", "c", "T")) == 1


@pytest.mark.parametrize(("players", "ranks"), [(3, 2), (4, 3), (6, 4)])
def test_up_to_six_players(players, ranks):
    """MPL(n, R, S) of agents 1.3: everybody antes, calls a bet and meets at a showdown that sums to zero."""
    game = load("leduc_poker", players=players, ranks=ranks)
    dealt = dict(game.chance(game.initial()))
    assert sum(dealt.values()) == pytest.approx(1)
    for deal in list(dealt)[:: len(dealt) // 20 + 1]:
        board, _ = game.chance(play(game, deal, *"c" * players))[0]
        won = outcome(game, deal, "r", *"c" * (players - 1), board, *"c" * players)
        assert sum(won) == pytest.approx(0)
        assert min(won) == -3
    with pytest.raises(InputError, match="from 2 to 6"):
        load("leduc_poker(players=7, ranks=5)")


def _spiel_cards(label: str) -> tuple[list[int], int]:
    ranks = "TJQK"
    return [2 * ranks.index(label[i]) + "sh".index(label[i + 1]) for i in range(0, len(label), 2)], 1


def test_same_game_as_openspiel_for_two():
    pyspiel = pytest.importorskip("pyspiel")
    compared = assert_same_game(
        load("leduc_poker(merge_suits=False)"),
        pyspiel.load_game("leduc_poker"),
        action="fcr".index,
        deal=lambda label: ([card - 2 for card in _spiel_cards(label)[0]], 1),
    )
    assert compared == 9_451


def test_same_game_as_openspiel_for_three():
    """All boards and all betting of six deals: no pair, and a pair between any two of the seats."""
    pyspiel = pytest.importorskip("pyspiel")
    deals = {"KsQsJs", "QhKsJs", "JsTsKh", "TsThKs", "KsTsTh", "QsJhQh"}
    compared = assert_same_game(
        load("leduc_poker(players=3, ranks=4, merge_suits=False)"),
        pyspiel.load_game("leduc_poker(players=3)"),
        action="fcr".index,
        deal=_spiel_cards,
        walk_deal=lambda label: len(label) == 2 or label in deals,
    )
    assert compared > 10_000
