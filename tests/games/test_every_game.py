import random
import re

import pytest

from counterpoise.errors import InputError
from counterpoise.games import CHANCE, GAMES, TERMINAL, Game, draw_chance, load

from .walk import grow

# In test_leduc.py, as the twin of liars_dice in test_bluff.py, and in test_holdem.py.
WALKED_ELSEWHERE = {"leduc5", "bluff", "limit_holdem", "no_limit_holdem", "turn_holdem", "mini_turn_holdem"}
SMALL = {"liars_dice": "liars_dice(faces=3)", "goofspiel": "goofspiel(cards=3)"}
GENERAL_SUM = {"three_action_bandit"}

VARIANTS = [
    "kuhn_poker(players=3)",
    "leduc_poker(players=3, merge_suits=False)",
    "leduc_poker(ranks=4, suits=3, bets=[1, 3], max_raises=3)",
    "one_card_poker(ranks=3, fractions=[[0.5, 1], [2]], max_bets=[1, 2])",
    "goofspiel(cards=4, order=random, reveal=False)",
    "goofspiel(order=descending)",
    "liars_dice(dice=2, faces=3, bidding_rule=reset_quantity)",
    "bluff(dice=[2, 1])",
    "bluff(dice=[2, 2], continuation=0.6165)",
    "bluff(dice=[3, 2], continuation=[0.5, -0.25])",
    "coin_toss(variant=mirror)",
    "matrix(row_payoffs=[[1, 0], [0, 2]], column_payoffs=[[0.5, 1], [1, 0]])",
    "lemonade_stand(players=4, spots=6, scoring=customers)",
]


@pytest.mark.parametrize("name", sorted(set(GAMES) - WALKED_ELSEWHERE))
def test_protocol(name):
    """Labels, chance sums, equal actions within an infoset, perfect recall, zero-sum payoffs, at every node."""
    tree = grow(load(SMALL.get(name, name)), constant_sum=name not in GENERAL_SUM)
    assert tree.nodes > tree.terminals > 0


@pytest.mark.parametrize("name", [*GAMES, *VARIANTS])
def test_name_loads_the_same_game(name):
    game = load(name)
    assert isinstance(game, Game)
    assert str(game) == game.name
    again = load(game.name)
    assert again == game
    assert hash(again) == hash(game)
    assert again.name == game.name == name


@pytest.mark.parametrize("name", [*GAMES, *VARIANTS])
def test_random_play_ends(name):
    game, rng = load(name), random.Random(7)
    for _ in range(30):
        state = game.initial()
        while (player := game.player(state)) != TERMINAL:
            label = draw_chance(game, state, rng) if player == CHANCE else rng.choice(game.actions(state))
            state = game.next(state, label)
        payoffs = game.payoffs(state)
        assert len(payoffs) == game.players


@pytest.mark.parametrize("name", list(GAMES))
def test_docstrings_are_for_readers(name):
    """Every rule book says in its first line what the game is, and how its infosets read."""
    text = GAMES[name].__doc__
    assert text
    assert "nfoset" in text


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("kuhn_poker", "players", 1),
        ("kuhn_poker", "players", 2.5),
        ("leduc_poker", "ranks", 14),
        ("leduc_poker", "suits", 0),
        ("leduc_poker", "suits", True),
        ("leduc_poker", "bets", [2]),
        ("leduc_poker", "bets", [2, -4]),
        ("leduc_poker", "bets", 2),
        ("leduc_poker", "max_raises", -1),
        ("leduc_poker", "players", 1),
        ("leduc_poker", "merge_suits", "no"),
        ("one_card_poker", "ranks", 1),
        ("one_card_poker", "fractions", [[1]]),
        ("one_card_poker", "fractions", [[1], []]),
        ("one_card_poker", "fractions", [[1, 1], [1]]),
        ("one_card_poker", "max_bets", 2),
        ("one_card_poker", "max_bets", [2, "x"]),
        ("goofspiel", "cards", 0),
        ("goofspiel", "order", "shuffled"),
        ("goofspiel", "reveal", 1),
        ("liars_dice", "dice", 0),
        ("liars_dice", "faces", 10),
        ("liars_dice", "bidding_rule", "brown"),
        ("bluff", "dice", [1]),
        ("bluff", "dice", [0, 1]),
        ("bluff", "continuation", 0.5),
        ("coin_toss", "variant", "edge"),
        ("lemonade_stand", "players", 1),
        ("lemonade_stand", "spots", 1),
        ("lemonade_stand", "scoring", "nearest"),
    ],
)
def test_wrong_parameters_are_named(name, field, value):
    """One sentence: the game, the field, what is allowed, and the value given."""
    with pytest.raises(InputError) as caught:
        load(name, **{field: value})
    sentence = str(caught.value)
    assert re.match(rf"{name}: {field}( of a \w+)? must be .+, not ", sentence)
    assert any(repr(given) in sentence for given in ([value, *value] if isinstance(value, list) else [value]))
    assert "\n" not in sentence


@pytest.mark.parametrize(
    ("parameters", "hint"),
    [
        ({"dice": [2, 1], "continuation": 2}, "from -1 to 1"),
        ({"dice": [2, 1], "continuation": [0.5, 0.5]}, "a pair if both seats have two or more dice"),
        ({"dice": [2, 2], "continuation": [0.5]}, "a pair if both seats have two or more dice"),
        ({"dice": [2, 2], "continuation": "half"}, "from -1 to 1"),
    ],
)
def test_continuation_of_bluff(parameters, hint):
    with pytest.raises(InputError, match=f"^bluff: continuation m.* {hint}"):
        load("bluff", **parameters)


def test_a_deck_must_serve_every_seat():
    with pytest.raises(InputError, match="players must be fewer than the 4 cards"):
        load("leduc_poker(ranks=2, players=4)")
