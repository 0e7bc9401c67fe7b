import pytest

from counterpoise.games import CHANCE, TERMINAL, load

from .walk import outcome, play

STAR = str.maketrans("6", "*")


def test_bluff_1_1_is_liars_dice_with_a_star():
    """24,576 infosets: one round of one die each, the star in place of the six.

    Follows two deals of every roll of either seat: equal dice, and the second one face above the first.
    """
    ours, twin = load("bluff"), load("liars_dice")
    states = [(ours.initial(), twin.initial())]
    infosets = set()
    while states:
        ours_now, twin_now = states.pop()
        player = ours.player(ours_now)
        assert player == twin.player(twin_now)
        if player == TERMINAL:
            assert ours.payoffs(ours_now) == twin.payoffs(twin_now)
            continue
        if player == CHANCE:
            labels = [f"{face}v{other}" for face in range(1, 7) for other in (face, face % 6 + 1)]
            assert [p for _, p in ours.chance(ours_now)] == [p for _, p in twin.chance(twin_now)]
        else:
            labels = twin.actions(twin_now)
            infosets.add(ours.infoset(ours_now))
            assert ours.infoset(ours_now) == twin.infoset(twin_now).translate(STAR)
        for label in labels:
            same = "bluff" if label == "liar" else label.translate(STAR)
            states.append((ours.next(ours_now, same), twin.next(twin_now, label)))
    assert len(infosets) == 24_576


def test_two_dice_against_one_roll_and_bid():
    game = load("bluff(dice=[2, 1], continuation=-0.02713)")
    rolls = dict(game.chance(game.initial()))
    assert len(rolls) == 21 * 6
    assert rolls["11v*"] == pytest.approx(1 / 36 * 1 / 6)
    assert rolls["1*v5"] == pytest.approx(2 / 36 * 1 / 6)
    bids = game.actions(play(game, "1*v5"))
    assert len(bids) == 6 * 3
    assert bids[4:8] == ("1-5", "1-*", "2-1", "2-2")
    assert game.actions(play(game, "1*v5", "3-5")) == ("3-*", "bluff")
    assert game.actions(play(game, "1*v5", "3-*")) == ("bluff",)
    assert game.infoset(play(game, "1*v5", "1-2", "2-*")) == "1*:1-2/2-*"
    assert game.infoset(play(game, "1*v5", "1-2")) == "5:1-2"


@pytest.mark.parametrize(
    ("line", "payoff"),
    [
        (("1*v5", "2-5", "bluff"), 1.0),  # star and 5: the bid holds, the only die of seat 2 is gone
        (("1*v5", "3-5", "bluff"), 0.02713),  # it does not: (1, 1) follows and seat 2 starts it
        (("1*v5", "1-5", "2-1", "bluff"), 0.02713),  # 1 and star hold seat 2's bid
        (("1*v5", "1-5", "2-2", "bluff"), 1.0),
        (("1*v*", "2-*", "bluff"), 1.0),
        (("15v*", "2-*", "bluff"), 0.02713),  # a star bid is matched by stars only
    ],
)
def test_chained_by_value(line, payoff):
    """The starter wins the match or sits in Bluff(1,1) as the second, worth -v11 = 0.02713 to it."""
    game = load("bluff(dice=[2, 1], continuation=-0.02713)")
    assert outcome(game, *line) == (pytest.approx(payoff), pytest.approx(-payoff))


def test_bluff_2_2_is_one_round_scaled():
    """Every leaf of Bluff(2,2) pays plus or minus v21, the value of Bluff(2,1) to the two-dice starter."""
    game = load("bluff(dice=[2, 2], continuation=0.6165)")
    assert outcome(game, "11v23", "2-1", "bluff") == (0.6165, -0.6165)
    assert outcome(game, "11v23", "3-1", "bluff") == (-0.6165, 0.6165)


def test_a_pair_gives_the_value_to_either_winner():
    game = load("bluff(dice=[3, 2], continuation=[0.9, 0.1])")
    assert outcome(game, "111v22", "3-1", "bluff") == (0.9, -0.9)
    assert outcome(game, "111v22", "4-1", "bluff") == (-0.1, 0.1)


def test_whole_match_in_the_tree():
    """Without a value the loser of the round drops a die, the winner starts, and both remember what was shown."""
    game = load("bluff(dice=[2, 1])")
    second_round = play(game, "1*v5", "3-5", "bluff")
    assert game.player(second_round) == CHANCE
    assert len(game.chance(second_round)) == 36
    state = play(game, "1*v5", "3-5", "bluff", "4v2")
    assert game.player(state) == 1
    assert game.infoset(state) == "2:1*v5:3-5;"
    assert len(game.actions(state)) == 12
    assert game.infoset(play(game, "1*v5", "3-5", "bluff", "4v2", "1-2")) == "4:1*v5:3-5;1-2"
    assert outcome(game, "1*v5", "3-5", "bluff", "4v2", "1-2", "bluff") == (-1, 1)
    assert outcome(game, "1*v5", "3-5", "bluff", "4v2", "2-2", "bluff") == (1, -1)
