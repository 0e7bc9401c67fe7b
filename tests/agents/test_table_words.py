"""Games that are not poker in words, and a session of each at the terminal."""

import io
import itertools

import pytest

import counterpoise as cp
from counterpoise.agents.table_words import Words, who_did
from counterpoise.games import CHANCE, GAMES, load
from counterpoise.play.session import play_session


def words(game, seat=0):
    return Words(load(game) if isinstance(game, str) else game, seat, lambda k: "you" if k == seat else f"seat {k}")


def seen(game, seat, *line):
    state = game.initial()
    for step in line:
        state = game.next(state, step)
    return game.observation(state, seat)


def test_goofspiel():
    game = load("goofspiel")
    told = words(game).table(seen(game, 0, "4", "4", "1", "5"))
    assert told == [
        "  prize 1: you 4, seat 1 4: split",
        "  prize 2: you 1, seat 1 5: seat 1 takes it",
        "  prize 3 is up   your cards 2 3 5   points: you 0.5, seat 1 2.5",
    ]
    hidden = load("goofspiel(cards=3, order=random, reveal=False)")
    at = seen(hidden, 1, "2", "3", "1", "3")
    assert words(hidden, 1).table(at) == [
        "  prize 2: you bid 1: seat 0 takes it",
        "  prize 3 is up   your cards 2 3   points: seat 0 2, you 0",
    ]
    over = words("goofspiel(cards=2)").table(seen(load("goofspiel(cards=2)"), 0, "1", "2", "2", "1"), over=True)
    assert over == ["  prize 1: you 1, seat 1 2: seat 1 takes it", "  prize 2: you 2, seat 1 1: you take it"]


def test_dice_of_several_rounds():
    """The winner of a round starts the next one, and is named as who bids first in it."""
    game = load("bluff(dice=[2, 1])")
    line = ("13v2", "2-3", "bluff", "1v5", "1-1", "1-5")
    told = words(game).table(seen(game, 0, *line))
    assert told[0] == "  you: 2-3 (two 3s), seat 1 calls bluff: you had 1 3, seat 1 had 2"
    starter = game.player(seen_state(game, *line[:4]))
    order = ["you", "seat 1"] if starter == 0 else ["seat 1", "you"]
    assert told[1] == f"  bids: {order[0]}: 1-1 (one 1), {order[1]}: 1-5 (one 5)"
    assert told[2] == "  your dice 1"
    assert words(game).prompt(seen(load("bluff"), 0, "1v2")) == "bid 1-1 (one 1) up to 2-* (two *s)"


def seen_state(game, *line):
    state = game.initial()
    for step in line:
        state = game.next(state, step)
    return state


def test_one_choice():
    game = load("matching_pennies")
    assert words(game, 1).table(seen(game, 1, "heads")) == [
        "  you \\ seat 0  heads  tails",
        "         heads     -1     +1",
        "         tails     +1     -1",
    ]
    assert words(game, 1).table(seen(game, 1, "heads", "tails"), over=True) == ["  seat 0: heads, you: tails"]


def test_who_did_what():
    assert who_did(load("coin_toss_two_subgames"), ("play", "S2", "tails")) == [0, CHANCE, 1]
    assert who_did(load("leduc_poker"), ("c", "r", "c", "K")) == [0, 1, 0, CHANCE]
    assert who_did(load("coin_toss"), ("never", "seen")) == [None, None]
    game = load("coin_toss")
    assert words(game, 1).table(seen(game, 1, "heads", "play")) == ["  seat 0: play"]


@pytest.mark.parametrize("name", [name for name in GAMES if load(name).players > 1])
def test_every_game_can_be_played(name):
    """Whoever types the first thing that is offered, or q, gets through hands of every game of the registry."""
    game = load(name)
    labels = ["c", "p", "1", "2", "3", "4", "5", "1-1", "bluff", "liar", "heads", "R", "r1", "c1", "0", "sell", "play"]
    out = io.StringIO()
    source = io.StringIO("\n".join(itertools.islice(itertools.cycle(labels), 400)) + "\n")
    found = play_session(game, ["random"], hands=2, seed=1, source=source, out=out)
    told = out.getvalue()
    assert found.hands == 2
    assert "you win" in told or "you lose" in told or "you break even" in told
    assert "nothing" not in told


def test_a_game_for_one_is_refused():
    with pytest.raises(cp.InputError, match="is for one player"):
        play_session("three_action_bandit", ["random"])
