"""Every defect that `check_game` looks for, in the smallest game that has it."""

import math
import sys
from fractions import Fraction

import numpy as np
import pytest

from counterpoise.errors import InputError
from counterpoise.games import CHANCE, GAMES, TERMINAL, check_game, load


class Pennies:
    """Matching pennies, by turns, with the first choice hidden; the model that the defects spoil."""

    players = 2
    name = "pennies"

    def initial(self):
        return ()

    def player(self, state):
        return len(state) if len(state) < 2 else TERMINAL

    def actions(self, state):
        return ("h", "t")

    def next(self, state, action):
        return (*state, action)

    def infoset(self, state):
        return "first" if not state else "second"

    def payoffs(self, state):
        return (1.0, -1.0) if state[0] == state[1] else (-1.0, 1.0)


class Coin(Pennies):
    """Chance turns a coin that only player 0 sees; player 1 guesses."""

    name = "coin"

    def player(self, state):
        return (CHANCE, 0, 1, TERMINAL)[len(state)]

    def chance(self, state):
        return [("H", 0.5), ("T", 0.5)]

    def infoset(self, state):
        return state[0] if len(state) == 1 else state[1]


def refusal(game, **settings) -> str:
    with pytest.raises(InputError) as caught:
        check_game(game, **settings)
    return str(caught.value)


class Peeking(Coin):
    """The guesser is shown the coin: a mistake of the rules that no rule of games forbids."""

    name = "peeking"

    def infoset(self, state):
        return "".join(state)


def test_it_promises_no_more_than_it_can() -> None:
    """A game that shows a seat too much passes, and neither the report nor the documentation says that it is sound."""
    told = str(check_game(Peeking()))
    assert told.startswith("peeking: no error found\n")
    for word in ("leak", "sound", "correct", "secret"):
        assert word not in told
    assert "more than it should know cannot be found out" in " ".join(check_game.__doc__.split())


def spoiled(base=Pennies, **methods):
    return type("Spoiled", (base,), methods)()


def test_a_sound_game_is_counted():
    report = check_game(Pennies())
    assert (report.nodes, report.terminals, report.chance_nodes, report.depth) == (7, 4, 0, 2)
    assert report.infosets == (1, 1)
    assert report.sum == "zero-sum"
    assert report.complete
    assert report.notes == ()
    assert str(report).splitlines() == [
        "pennies: no error found",
        "  players   2, zero-sum",
        "  nodes     7 (3 decisions, 0 chance, 4 terminal), depth 2",
        "  infosets  1 + 1",
    ]


def test_a_sound_game_with_chance_is_counted():
    report = check_game(Coin())
    assert (report.nodes, report.terminals, report.chance_nodes, report.depth) == (15, 8, 1, 3)
    assert report.infosets == (2, 2)


@pytest.mark.parametrize("name", sorted(GAMES))
def test_built_in_games(name):
    report = check_game(load(name), max_nodes=3000)
    assert sum(report.infosets) > 0


def test_whole_leduc():
    report = check_game(load("leduc_poker"))
    assert report.complete
    assert report.infosets == (144, 144)
    assert report.sum == "zero-sum"


@pytest.mark.parametrize("method", ["initial", "player", "actions", "next", "infoset", "payoffs"])
def test_missing_method(method):
    assert refusal(spoiled(**{method: None})) == f"pennies: method {method}() is missing"


def test_chance_is_only_needed_where_chance_acts():
    assert refusal(spoiled(Coin, chance=None)) == "coin, the root: method chance() is missing, but player() is CHANCE"


def test_class_instead_of_game():
    assert refusal(Pennies) == "check_game needs a game, not the class Pennies: write Pennies()"


@pytest.mark.parametrize("players", [0, -1, 2.0, True, "2", None])
def test_players(players):
    assert refusal(spoiled(players=players)) == (
        f"pennies: players must be a whole number of at least 1, not {players!r}"
    )


def test_numbers_of_numpy_are_numbers():
    check_game(
        spoiled(
            players=np.int64(2),
            player=lambda self, s: np.int8(len(s) if len(s) < 2 else TERMINAL),
            payoffs=lambda self, s: np.array([1.0, -1.0], dtype=np.float32),
        )
    )
    check_game(spoiled(payoffs=lambda self, s: (Fraction(1, 2), Fraction(-1, 2))))


def test_game_without_a_name_is_called_by_its_class():
    game = spoiled(name=None, players=0)
    assert refusal(game).startswith("Spoiled: players")


def test_player_out_of_range():
    assert refusal(spoiled(player=lambda self, s: 0 if not s else 2)) == (
        "pennies, the state after 'h': player() is 2, but must be a seat from 0 to 1, CHANCE (-1) or TERMINAL (-2)"
    )


def test_player_not_a_number():
    assert refusal(spoiled(player=lambda self, s: None)) == (
        "pennies, the root: player() must be a seat number, CHANCE or TERMINAL, not None"
    )


@pytest.mark.parametrize(
    ("actions", "sentence"),
    [
        ((), "actions() is empty, but the game is not over there"),
        (("h", "t", "h"), "actions() has 'h' more than once"),
        ((0, 1), "actions() must hold strings, not 0"),
        ("ht", "actions() must be a list or tuple of labels, not the string 'ht'"),
        (None, "actions() must be a list or tuple of labels, not None"),
    ],
)
def test_actions(actions, sentence):
    assert refusal(spoiled(actions=lambda self, s: actions)) == f"pennies, the root: {sentence}"


def test_method_that_raises():
    game = spoiled(infoset=lambda self, s: s[0])
    assert refusal(game) == "pennies, the root: infoset() raised IndexError: tuple index out of range"
    game = spoiled(next=lambda self, s, action: 1 / 0)
    assert refusal(game) == "pennies, the root: next(state, 'h') raised ZeroDivisionError: division by zero"


def test_actions_differ_within_an_infoset():
    game = spoiled(actions=lambda self, s: ("h", "t") if "t" not in s else ("t", "h"))
    assert refusal(game) == (
        "pennies, the state after 't': infoset 'second' of player 1 has the actions ['t', 'h'], "
        "but ['h', 't'] at the state after 'h'"
    )


@pytest.mark.parametrize("infoset", [None, 3, ("h",), b"h"])
def test_infoset_is_a_string(infoset):
    assert refusal(spoiled(infoset=lambda self, s: infoset)) == (
        f"pennies, the root: infoset() must be a string, not {infoset!r}"
    )


@pytest.mark.parametrize(
    ("chance", "sentence"),
    [
        ([], "chance() is empty, but the game is not over there"),
        ([("H", 0.5), ("H", 0.5)], "chance() has 'H' more than once"),
        ([("H", 0.5), (2, 0.5)], "chance() must hold strings, not 2"),
        ([("H", 0.5), ("T", 0.4)], "the probabilities of chance() sum to 0.9 instead of 1"),
        ([("H", 1.5), ("T", -0.5)], "the probability of 'T' is -0.5, but must be from 0 to 1"),
        ([("H", math.nan), ("T", 0.5)], "the probability of 'H' is nan, but must be from 0 to 1"),
        ([("H", "1")], "the probability of 'H' is '1', but must be from 0 to 1"),
        (["H", "T"], "chance() must be (outcome, probability) pairs, not ['H', 'T']"),
        (None, "chance() must be (outcome, probability) pairs, not None"),
    ],
)
def test_chance(chance, sentence):
    assert refusal(spoiled(Coin, chance=lambda self, s: chance)) == f"coin, the root: {sentence}"


def test_rounding_of_probabilities_is_forgiven():
    check_game(spoiled(Coin, chance=lambda self, s: [("H", 1 / 3), ("T", 2 / 3 + 1e-12)]))


def test_impossible_outcomes_are_noted():
    report = check_game(spoiled(Coin, chance=lambda self, s: [("H", 1.0), ("T", 0)]))
    assert report.notes == ("chance outcomes of probability 0: 1, the first leads to the state after 'T'",)
    assert "  note      chance outcomes of probability 0: 1" in str(report)


@pytest.mark.parametrize(
    ("payoffs", "sentence"),
    [
        ((1.0,), "payoffs() has 1 numbers, but the game has 2 players"),
        ((1.0, -1.0, 0.0), "payoffs() has 3 numbers, but the game has 2 players"),
        ((math.inf, -1.0), "payoffs() must be finite numbers, not inf"),
        ((1.0, math.nan), "payoffs() must be finite numbers, not nan"),
        ((1.0, "-1"), "payoffs() must be finite numbers, not '-1'"),
        (1.0, "payoffs() must be one number per player, not 1.0"),
    ],
)
def test_payoffs(payoffs, sentence):
    assert refusal(spoiled(payoffs=lambda self, s: payoffs)) == f"pennies, the state after 'h', 'h': {sentence}"


class Forgetful(Pennies):
    """Player 0 moves twice, but forgets its first action."""

    players = 1
    name = "forgetful"

    def player(self, state):
        return 0 if len(state) < 2 else TERMINAL

    def payoffs(self, state):
        return (0.0,)


def test_imperfect_recall():
    assert refusal(Forgetful()) == (
        "forgetful, the state after 't': player 0 has imperfect recall at infoset 'second': on the way it has "
        "played 't' at infoset 'first', but played 'h' at infoset 'first' at the state after 'h'"
    )


def test_absent_mindedness():
    assert refusal(spoiled(Forgetful, infoset=lambda self, s: "junction")) == (
        "forgetful, the state after 'h': player 0 has imperfect recall at infoset 'junction': on the way it has "
        "played 'h' at infoset 'junction', but made no further move at the root"
    )


def test_very_long_labels_are_shortened():
    sentence = refusal(spoiled(Forgetful, infoset=lambda self, s: "x" * 5000))
    assert "xxx ... xxx" in sentence
    assert len(sentence) < 1000


def test_long_labels_that_differ_in_the_middle_are_shown():
    """Player 0 forgets the coin, which only its first, very long label tells."""
    long = "x" * 500
    game = spoiled(
        Coin,
        player=lambda self, s: (CHANCE, 0, 0, TERMINAL)[len(s)],
        infoset=lambda self, s: long + s[0] + long if len(s) == 1 else s[1],
    )
    sentence = refusal(game)
    assert f"played 'h' at infoset '{long}T{long}', but played 'h' at infoset '{long}H{long}'" in sentence


def test_same_label_for_two_players_is_noted():
    report = check_game(spoiled(infoset=lambda self, s: ""))
    assert report.infosets == (1, 1)
    assert report.notes == (
        "labels that are infosets of more than one player: 1, such as ''; index a strategy by (player, label) there",
    )


def test_player_who_never_acts_is_noted():
    report = check_game(spoiled(players=3, payoffs=lambda self, s: (1, 1, -2)))
    assert report.notes == ("player 2 never acts",)


def test_kinds_of_sum():
    assert check_game(spoiled(payoffs=lambda self, s: (s.count("h"), 3 - s.count("h")))).sum == "constant-sum"
    assert check_game(spoiled(payoffs=lambda self, s: (s.count("h"), 0))).sum == "general-sum"
    big = spoiled(payoffs=lambda self, s: (1e9 / 3 + s.count("h"), -1e9 / 3 - s.count("h") + 1e-7))
    assert check_game(big).sum == "zero-sum"


def test_claim_of_zero_sum():
    assert check_game(spoiled(zero_sum=True)).sum == "zero-sum"
    assert check_game(spoiled(zero_sum=False)).sum == "zero-sum"
    assert refusal(spoiled(zero_sum=True, payoffs=lambda self, s: (1.0, 0.5))) == (
        "pennies, the state after 'h', 'h': the game claims zero_sum, but the payoffs [1.0, 0.5] sum to 1.5"
    )


class Board:
    """A state that can be changed, for the games below that wrongly do so."""

    def __init__(self, moves):
        self.moves = moves

    def __len__(self):
        return len(self.moves)

    def __getitem__(self, index):
        return self.moves[index]


def test_next_that_returns_the_same_state():
    def append(self, state, action):
        state.moves.append(action)
        return state

    game = spoiled(initial=lambda self: Board([]), next=append)
    assert refusal(game) == ("pennies, the root: next(state, 'h') returned the state it was given, so nothing happened")


def test_next_that_changes_the_state_it_was_given():
    def append(self, state, action):
        state.moves.append(action)
        return Board(list(state.moves))

    game = spoiled(initial=lambda self: Board([]), next=append)
    assert refusal(game) == "pennies, the root: next() changed the state it was given: return a new state instead"


def test_states_that_share_what_they_change():
    class Shared(Pennies):
        def __init__(self):
            self.last = None

        def next(self, state, action):
            self.last = action
            return (*state, action)

        def payoffs(self, state):
            return (1.0, -1.0) if self.last == "h" else (-1.0, 1.0)

    assert refusal(Shared()) == (
        "pennies, the state after 'h', 'h': it reads differently than when it was made, so next() of another state "
        "has changed it: states must not share what they change"
    )


def test_next_that_is_not_a_function_of_its_arguments():
    calls = iter(range(1000))
    game = spoiled(
        next=lambda self, s, action: (*s, action, next(calls)),
        player=lambda self, s: TERMINAL if s else 0,
        payoffs=lambda self, s: (s[1], 0),
    )
    assert refusal(game) == "pennies, the root: next(state, 'h') gives another state when it is called again"


class Chain(Pennies):
    """One action, again and again: deeper than Python's recursion limit, or without an end."""

    players = 1
    name = "chain"

    def __init__(self, length):
        self.length = length

    def initial(self):
        return 0

    def player(self, state):
        return 0 if state < self.length else TERMINAL

    def actions(self, state):
        return ("on",)

    def next(self, state, action):
        return state + 1

    def infoset(self, state):
        return str(state)

    def payoffs(self, state):
        return (0,)


def test_deep_game():
    length = 9 * sys.getrecursionlimit()
    assert check_game(Chain(length)).depth == length


def test_a_game_that_never_ends_is_refused():
    """As every solver refuses it, and long before a walk would fill the memory."""
    for playouts in (None, 3):
        with pytest.raises(InputError, match="does not end: a history has more than 10,000 moves"):
            check_game(Chain(math.inf), playouts=playouts)


def test_limit_of_nodes():
    report = check_game(Chain(math.inf), max_nodes=100)
    assert (report.nodes, report.complete, report.sum) == (100, False, "unknown")
    assert report.notes == ("only the first 100 nodes were checked: the game is larger, or never ends",)
    assert check_game(Pennies(), max_nodes=7).complete
    assert not check_game(Pennies(), max_nodes=6).complete


@pytest.mark.parametrize("limit", [0, -1, 1.5, True, "many"])
def test_wrong_limit_of_nodes(limit):
    assert refusal(Pennies(), max_nodes=limit) == (f"max_nodes must be a whole number of at least 1, not {limit!r}")


def test_long_paths_are_shortened():
    game = Chain(200)
    game.infoset = lambda state: str(state) if state < 150 else None
    assert refusal(game).endswith(", 'on', ...: infoset() must be a string, not None")
