"""Games that say what is seen: the shipped rule books, defects that `check_game` finds, chance that is drawn."""

import random

import pytest

from counterpoise.errors import InputError
from counterpoise.games import (
    CHANCE,
    GAMES,
    TERMINAL,
    Observation,
    ObservedGame,
    ObservedRules,
    check_game,
    draw_chance,
    is_observed,
    load,
)
from counterpoise.public import build_dense

PUBLIC_ACTIONS = [
    "kuhn_poker",
    "leduc_poker",
    "leduc_poker(ranks=4, suits=3, bets=[1, 3], max_raises=3)",
    "leduc_poker(merge_suits=False)",
    "one_card_poker(ranks=3, fractions=[[0.5, 1], [2]], max_bets=[1, 2])",
    "coin_toss",
    "coin_toss_two_subgames",
    "liars_dice(faces=3)",
    "liars_dice(dice=2, faces=2, bidding_rule=reset_quantity)",
    "bluff",
    "limit_holdem(ranks=7, suits=1, board=[0, 3], max_bets=2)",
    "no_limit_holdem(ranks=7, suits=1, board=[0, 3], stack=4)",
]


class Cut(ObservedRules):
    """One of two cards to each of two players, by one deal; the first says high or low, the second believes or not."""

    players = 2
    name = "cut"

    def initial(self):
        return ()

    def player(self, state):
        return (CHANCE, 0, 1, TERMINAL)[len(state)]

    def chance(self, state):
        return [("ab", 0.5), ("ba", 0.5)]

    def actions(self, state):
        return ("high", "low") if len(state) == 1 else ("yes", "no")

    def next(self, state, action):
        return (*state, action)

    def public(self, state):
        return state[1:]

    def private(self, state, seat):
        return state[0][seat] if state else ""

    def payoffs(self, state):
        return (1.0, -1.0) if state[2] == "no" else (-1.0, 1.0)


def spoiled(**methods):
    return type("Spoiled", (Cut,), methods)()


def refusal(game) -> str:
    with pytest.raises(InputError) as error:
        check_game(game)
    return str(error.value)


def walk(game, state=None):
    """All states of a game."""
    stack = [game.initial() if state is None else state]
    while stack:
        state = stack.pop()
        yield state
        player = game.player(state)
        if player != TERMINAL:
            labels = [label for label, _ in game.chance(state)] if player == CHANCE else game.actions(state)
            stack += [game.next(state, label) for label in labels]


@pytest.mark.parametrize("name", sorted(GAMES))
def test_every_rule_book_is_observed(name):
    game = load(name)
    assert is_observed(game)
    assert isinstance(game, ObservedGame)


def test_infoset_and_observation_follow_from_public_and_private():
    game = Cut()
    assert check_game(game).infosets == (2, 4)
    state = game.next(game.next((), "ab"), "low")
    assert game.infoset(state) == "b:low"
    assert game.observation(state, 1) == Observation(1, ("low",), "b", ("yes", "no"), "b:low")
    assert game.observation(state, 0) == Observation(0, ("low",), "a", (), "")


def test_what_is_seen_in_leduc():
    game = load("leduc_poker")
    state = game.initial()
    for action in ("QK", "r", "c", "Q", "c"):
        state = game.next(state, action)
    assert game.infoset(state) == "K:rc/Q:c"
    assert game.observation(state, 0) == Observation(0, ("r", "c", "Q", "c"), "Q")
    assert game.observation(state, 1) == Observation(1, ("r", "c", "Q", "c"), "K", ("c", "r"), "K:rc/Q:c")


def test_what_is_seen_in_two_rounds_of_bluff():
    game = load("bluff(dice=[2, 1])")
    state = game.initial()
    for action in ("2*v4", "2-5", "bluff"):
        state = game.next(state, action)
    assert (game.public(state), game.private(state, 0)) == (("2-5", "bluff", "2*v4"), "")
    state = game.next(game.next(state, "5v3"), "1-1")
    assert game.infoset(state) == "5:2*v4:2-5;1-1", "the winner of the round started the next"
    assert (game.public(state), game.private(state, 0)) == (("2-5", "bluff", "2*v4", "1-1"), "5")


def test_what_is_seen_in_goofspiel():
    state, game = None, load("goofspiel(cards=3, order=random, reveal=False)")
    state = game.initial()
    for action in ("2", "3", "1", "1", "2"):
        state = game.next(state, action)
    assert [game.private(state, seat) for seat in (0, 1)] == ["32", "1"]
    assert game.public(state) == ("2", "P1 wins", "1")


@pytest.mark.parametrize("name", PUBLIC_ACTIONS)
def test_private_strings_are_the_hands_of_the_public_tree(name):
    """The hands that a public tree finds from infosets alone are those that the game says are private."""
    game = load(name)
    deals, stack = [], [game.initial()]
    while stack:
        state = stack.pop()
        if game.player(state) == CHANCE:
            stack += [game.next(state, outcome) for outcome, _ in reversed(game.chance(state))]
        else:
            deals.append(state)
    for seat, hands in enumerate(build_dense(game).deals.hands):
        private = [game.private(state, seat) for state in deals]
        pairs = set(zip(hands.tolist(), private, strict=True))
        assert len(pairs) == len(set(private)) == len(set(hands.tolist()))


@pytest.mark.parametrize("name", ["kuhn_poker(players=3)", "liars_dice(faces=2)", "goofspiel(cards=3)", "rps_plus"])
def test_nobody_sees_more_than_before_without_an_event(name):
    """Public events only grow, and observations of all seats are made in every state."""
    game = load(name)
    for state in walk(game):
        for seat in range(game.players):
            seen = game.observation(state, seat)
            assert seen[:3] == (seat, game.public(state), game.private(state, seat))
            assert bool(seen.actions) == (game.player(state) == seat)


@pytest.mark.parametrize(
    ("methods", "sentence"),
    [
        ({"public": lambda self, s: list(s[1:])}, "cut, the root: public() must be a tuple of strings, not []"),
        ({"private": lambda self, s, seat: seat}, "cut, the root: private(state, 0) must be a string, not 0"),
        (
            {"public": lambda self, s: s[-1:]},
            "cut, the state after 'ab', 'high': public() is ('high',), but was ('ab',)",
        ),
        (
            {"infoset": lambda self, s: str(s)},
            "cut, the state after 'ba', 'high': player 1 observes the same as at",
        ),
        (
            {"infoset": lambda self, s: "me"},
            "cut, the state after 'ab', 'low': infoset 'me' of player 1 has the observation (('low',), 'b'), but",
        ),
        (
            {"private": lambda self, s, seat: s[0][seat] if len(s) == 1 else ""},
            "cut, the state after 'ba', 'high': player 0 forgets what it has observed",
        ),
        (
            {"observation": lambda self, s, seat: Observation(seat, (), "")},
            "cut, the state after 'ab': observation(state, 0) is Observation(",
        ),
    ],
)
def test_defects_of_observations(methods, sentence):
    game = spoiled(**methods)
    if "infoset" in methods and sentence.startswith("cut, the state after 'ba', 'high': player 1"):
        game = spoiled(private=lambda self, s, seat: s[0][0] if s and seat == 0 else "", **methods)
    assert refusal(game).startswith(sentence)


def test_a_game_without_observations_is_checked_as_before():
    plain = type("Plain", (), {name: vars(Cut).get(name) for name in vars(Cut) if name not in ("public", "private")})
    plain.infoset = lambda self, state: f"{len(state)}:{state[0][len(state) - 1]}:{state[1:]}"
    plain.__init__ = object.__init__
    assert not is_observed(plain())
    assert check_game(plain()).infosets == (2, 4)


class Large(Cut):
    """The same game, which says that it is large and cannot list its deals without complaint."""

    least_histories = 1e12
    listed = 0

    def chance(self, state):
        type(self).listed += 1
        return super().chance(state)

    def sample_chance(self, state, random):
        return random.choice(["ab", "ba"])


def test_a_large_game_is_checked_along_random_playouts():
    Large.listed = 0
    report = check_game(Large())
    assert report.terminals == 1000
    assert report.infosets == (2, 4)
    assert not report.complete
    assert report.notes == ("only 1,000 random playouts were checked: the game has at least 1e+12 histories",)
    assert Large.listed == 20, "the outcomes of few chance nodes are listed"


def test_playouts_on_request_find_the_same_defects():
    assert check_game(load("leduc_poker"), playouts=50, seed=3).terminals == 50
    with pytest.raises(InputError, match="forgets what it has observed"):
        check_game(spoiled(private=lambda self, s, seat: s[0][seat] if len(s) == 1 else ""), playouts=100)
    with pytest.raises(InputError, match="next\\(\\) changed the state"):
        check_game(Changing(), playouts=3)
    wrong = type("Wrong", (Large,), {"sample_chance": lambda self, state, random: "aa"})
    with pytest.raises(InputError, match="sample_chance\\(\\) drew 'aa', which chance\\(\\) does not list"):
        check_game(wrong())
    with pytest.raises(InputError, match="playouts must be a whole number of at least 1, not 0"):
        check_game(Cut(), playouts=0)


class Changing(Cut):
    """States are lists that `next` changes."""

    public = None

    def initial(self):
        return []

    def infoset(self, state):
        return "any"

    def next(self, state, action):
        state.append(action)
        return list(state)


def test_drawing_from_chance():
    chance = random.Random(1)
    drawn = [draw_chance(load("coin_toss"), (), chance) for _ in range(2000)]
    assert drawn.count("heads") == pytest.approx(1000, abs=100)
    assert {draw_chance(Large(), (), chance) for _ in range(50)} == {"ab", "ba"}
