"""Gambit files: what is read, what is refused and where, and that every game survives being written."""

import contextlib
import math
import os
import sys
import threading
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from counterpoise.errors import InputError
from counterpoise.games import CHANCE, GAMES, TERMINAL, check_game, load
from counterpoise.games.efg import from_efg, to_efg, write_efg
from counterpoise.games.efg_parser import parse_efg

SAMPLES = Path(__file__).parent / "efg"

DUEL = 'EFG 2 R "duel" { "A" "B" }\np "" 1 1 "draw" { "yes" "no" } 0\nt "" 1 "" { 1, -1 }\nt "" 0\n'


def picture(game):
    """The whole game as nested tuples: who, what is known, what is possible, what is paid."""

    def node(state):
        player = game.player(state)
        if player == TERMINAL:
            return tuple(float(payoff) for payoff in game.payoffs(state))
        if player == CHANCE:
            return tuple((label, chance, node(game.next(state, label))) for label, chance in game.chance(state))
        children = tuple((label, node(game.next(state, label))) for label in game.actions(state))
        return player, game.infoset(state), children

    return game.players, node(game.initial())


def refusal(text: str) -> str:
    with pytest.raises(InputError) as caught:
        from_efg(text)
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix("the .efg text, ")


def test_two_stages():
    game = from_efg(SAMPLES / "two_stages.efg")
    assert game.title == 'Two "stages" of matching'
    assert game.comment == "Each stage pays at once,\nso the payoffs of a path add up."
    assert game.player_names == ("Row", "Column")
    assert game.name == str(SAMPLES / "two_stages.efg")
    high = (
        0,
        "stake#1",
        (
            (
                "in",
                (
                    1,
                    "reply",
                    (
                        ("match", (-0.5, 0.5)),
                        ("miss", (0, "again#7", (("match", (-0.25, 0.25)), ("miss", (1.0, -1.0))))),
                    ),
                ),
            ),
            ("out", (0.5, -0.5)),
        ),
    )
    low = (
        0,
        "stake#2",
        (
            (
                "in",
                (
                    1,
                    "reply",
                    (
                        ("match", (-0.5, 0.5)),
                        ("miss", (0, "again#8", (("match", (10.75, -10.75)), ("miss", (0.75, -0.75))))),
                    ),
                ),
            ),
            ("out", (0.75, -0.75)),
        ),
    )
    assert picture(game) == (2, (("high", 2 / 3, high), ("low", 1 / 3, low)))
    assert check_game(game).infosets == (4, 1)


def test_unnamed_things_stay_different():
    game = from_efg(SAMPLES / "unnamed.efg")
    assert game.actions(0) == ("#1", "#2")
    assert [game.infoset(state) for state in (0, 1, 4, 6, 7)] == ["#1", "#5", "", "#6", "#9"]
    assert game.actions(1) == ("a#1", "a#2#", "a#2")
    assert game.payoffs(8) == (1.0, 2.0, 3.0)
    assert check_game(game).infosets == (2, 2, 1)


def test_text_instead_of_a_path():
    game = from_efg(DUEL)
    assert game.name == '"duel" (.efg text)'
    assert repr(game) == '<EfgGame "duel" (.efg text): 2 players, 3 nodes>'
    assert picture(game) == (2, (0, "draw", (("yes", (1.0, -1.0)), ("no", (0.0, 0.0)))))
    assert picture(from_efg(" ".join(DUEL.split()))) == picture(game)
    assert picture(from_efg("\ufeff" + DUEL.replace("\n", "\r\n"))) == picture(game)


@pytest.mark.parametrize(
    ("number", "value"),
    [
        ("3", 3.0),
        ("-3", -3.0),
        ("+3", 3.0),
        ("1/3", 1 / 3),
        ("-22/7", -22 / 7),
        ("0.1", 0.1),
        (".5", 0.5),
        ("-.5", -0.5),
        ("5.", 5.0),
        ("1e3", 1000.0),
        ("1.5E-3", 0.0015),
        ("-2.5e+2", -250.0),
        ("0.1000000000000000055511151231257827", 0.1),
    ],
)
def test_numbers(number, value):
    game = from_efg(f'EFG 2 R "" {{ "A" }} t "" 1 "" {{ {number} }}')
    assert game.payoffs(0) == (value,)


def test_payoffs_on_a_path_are_added_exactly():
    game = from_efg('EFG 2 R "" { "A" } p "" 1 1 "" { "a" } 1 "" { 0.1 } t "" 2 "" { 0.2 }')
    assert game.payoffs(1) == (0.3,)


@pytest.mark.parametrize(
    ("written", "label"),
    [
        (r"say \"hi\"", 'say "hi"'),
        (r"C:\temp", r"C:\temp"),
        (r"back\\slash", r"back\slash"),
        (r"two\nlines", "two\nlines"),
        (r"\x41\u00e9\U0001f0a1", "Aé\U0001f0a1"),
        (r"\U00ffffff", r"\U00ffffff"),
        ("real\nline", "real\nline"),
    ],
)
def test_labels(written, label):
    game = from_efg(f'EFG 2 R "" {{ "A" }}\np "" 1 1 "{written}" {{ "go" }} 0 t "" 0')
    assert game.infoset(0) == label


HEAD = 'EFG 2 R "" { "A" "B" }\n'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("\n", "line 2, column 1: expected EFG, found the end"),
        ("GAME\n", "line 1, column 1: expected EFG, found GAME"),
        (
            'NFG 1 R "" { "A" }\n',
            "line 1, column 1: this is a game in strategic form (.nfg), expected one in extensive form (.efg)",
        ),
        ('EFG 3 R "" { "A" }', "line 1, column 5: expected the format version 2, found 3"),
        ('EFG 2 Q "" { "A" }', "line 1, column 7: expected R, found Q"),
        ('EFG 2 R { "A" }', "line 1, column 9: expected the title in quotes, found {"),
        ('EFG 2 R "" "A"', 'line 1, column 12: expected { before the names of the players, found "A"'),
        ('EFG 2 R "" { }', "line 1, column 14: expected the name of a player in quotes, found }"),
        ('EFG 2 R "" { "A", }', "line 1, column 17: expected the name of a player in quotes, or }, found ,"),
        (HEAD, "line 2, column 1: expected the root, a node (c, p or t), found the end"),
        (HEAD + "x", "line 2, column 1: expected the root, a node (c, p or t), found x"),
        (HEAD + '"comment" 5', "line 2, column 11: expected the root, a node (c, p or t), found 5"),
        (HEAD + "t 1", "line 2, column 3: expected the name of the node in quotes, found 1"),
        (
            HEAD + 't "" 1.5',
            "line 2, column 6: expected the number of the outcome (0 for none), a whole number, found 1.5",
        ),
        (
            HEAD + 't "open',
            "line 2, column 3: expected the name of the node in quotes, found a string without its closing quote",
        ),
        (
            HEAD + 't "" 1',
            "line 2, column 7: expected { and the payoffs of outcome 1, which appears here for the first time, "
            "found the end",
        ),
        (HEAD + 't "" 1 "" { 1 }', "line 2, column 11: outcome 1 has 1 payoffs, but the game has 2 players"),
        (HEAD + 't "" 1 "" { 1, 2, 3 }', "line 2, column 11: outcome 1 has 3 payoffs, but the game has 2 players"),
        (HEAD + 't "" 1 "" { }', "line 2, column 11: outcome 1 has 0 payoffs, but the game has 2 players"),
        (HEAD + 't "" 1 "" { 1, x }', "line 2, column 16: expected a payoff, or }, found x"),
        (HEAD + 't "" 1 "" { 1 1/0 }', "line 2, column 15: the number 1/0 divides by 0"),
        (HEAD + 't "" 1 "" { 1 12abc }', "line 2, column 15: expected a payoff, or }, found 12abc"),
        (HEAD + 't "" 1 "" { 1 1e400 }', "line 2, column 15: the number 1e400 is too long or too large"),
        (HEAD + 't "" 1 "" { 1 1e999999999 }', "line 2, column 15: the number 1e999999999 is too long or too large"),
        (HEAD + 't "" 1 "" { inf 1 }', "line 2, column 13: expected a payoff, found inf"),
        (HEAD + 't "" 0 "" { 1 1 }', "line 2, column 8: outcome 0 means no outcome, so it has no name and no payoffs"),
        (HEAD + 't "" 0 t "" 0', "line 2, column 8: expected the end, since every action has its node, found t"),
        (HEAD + 'p "" 3 1 "" { "a" } 0', "line 2, column 6: player 3 does not exist: the players are 1 to 2"),
        (HEAD + 'p "" 0 1 "" { "a" } 0', "line 2, column 6: player 0 does not exist: the players are 1 to 2"),
        (HEAD + 'p "" "A" 1', 'line 2, column 6: expected the number of a player, a whole number, found "A"'),
        (HEAD + 'p "" 1 -1', "line 2, column 8: expected the number of the information set, a whole number, found -1"),
        (
            HEAD + 'p "" 1 1 0',
            "line 2, column 10: expected { and the actions of information set 1 of player 1, which appears here for "
            "the first time, found 0",
        ),
        (HEAD + 'p "" 1 1 "" { } 0', "line 2, column 15: expected the name of an action in quotes, found }"),
        (HEAD + 'p "" 1 1 "" { "a" 1', "line 2, column 19: expected the name of an action in quotes, or }, found 1"),
        (
            HEAD + 'p "" 1 1 "" { "a" "b" } 0\nt "" 0\n',
            "line 4, column 1: expected a node (c, p or t) for action 'b', found the end",
        ),
        (
            HEAD + 'p "" 1 1 "" { "a" "b" } 0\nt "" 0\np "" 1 1 "" { "a" } 0\nt "" 0',
            "line 4, column 13: information set 1 of player 1 has 1 actions here, but 2 where it first appears",
        ),
        (
            HEAD + 'p "" 1 1 "" { "a" "b" } 0\nt "" 0\np "" 1 1 "" { "b" "a" } 0\nt "" 0',
            "line 4, column 13: information set 1 of player 1 has other actions here than where it first appears",
        ),
        (
            HEAD + 'p "" 1 1 "x" { "a" "b" } 0\nt "" 0\np "" 1 1 "y" { "a" "b" } 0\nt "" 0',
            "line 4, column 10: information set 1 of player 1 has the name 'y' here, but 'x' where it first appears",
        ),
        (
            HEAD + 'c "" 1 "" { "a" 0.5 "b" 0.4 } 0',
            "line 2, column 11: the probabilities of chance event 1 sum to 0.9 instead of 1",
        ),
        (HEAD + 'c "" 1 "" { "a" 1.5 "b" -0.5 } 0', "line 2, column 25: the probability of 'b' is negative"),
        (HEAD + 'c "" 1 "" { "a" "b" } 0', 'line 2, column 17: expected the probability of the action, found "b"'),
        (
            HEAD + 'c "" 1 "" { "a" 1/2 "b" 1/2 } 0\nt "" 0\nc "" 1 "" { "a" 1/3 "b" 2/3 } 0',
            "line 4, column 11: chance event 1 has other probabilities here than where it first appears",
        ),
        (
            HEAD + 'p "" 1 1 "" { "a" "b" } 0 t "" 1 "x" { 1 2 } t "" 1 "x" { 1 3 }',
            "line 2, column 57: outcome 1 has other payoffs here than where it first appears",
        ),
        (
            HEAD + 'p "" 1 1 "" { "a" "b" } 0 t "" 1 "x" { 1 2 } t "" 1 "y" { 1 2 }',
            "line 2, column 53: outcome 1 has the name 'y' here, but 'x' where it first appears",
        ),
        (
            HEAD + 'p "" 1 1 "" { "a" } 1 "" { 1.7e308 0 } t "" 1',
            "line 2, column 46: the payoffs on the path up to here add up to more than a float can hold",
        ),
        (HEAD + "\0", r"line 2, column 1: expected the root, a node (c, p or t), found '\x00'"),
    ],
)
def test_refusals(text, sentence):
    assert refusal(text) == sentence


def test_rounded_probabilities():
    text = HEAD + 'c "" 1 "" { "a" 0.3333333333 "b" 0.3333333333 "c" LAST } 0 t "" 0 t "" 0 t "" 0'
    for last in ("0.3333333334", "0.3333333333"):
        assert from_efg(text.replace("LAST", last)).chance(0)[2] == ("c", float(last))
    assert "sum to" in refusal(text.replace("LAST", "0.333333"))


def test_refusal_names_the_file(tmp_path):
    path = tmp_path / "broken.efg"
    path.write_text(HEAD + 't "" x')
    with pytest.raises(InputError) as caught:
        from_efg(path)
    assert str(caught.value) == (
        f"{path}, line 2, column 6: expected the number of the outcome (0 for none), a whole number, found x"
    )


def test_unreadable_files(tmp_path, monkeypatch):
    def refused(source):
        with pytest.raises(InputError) as caught:
            from_efg(source)
        return str(caught.value)

    missing = tmp_path / "missing.efg"
    assert refused(missing) == f"{missing} does not exist"
    assert refused("missing.efg") == "missing.efg does not exist"
    assert refused(tmp_path) == f"{str(tmp_path)!r} is a folder, not an .efg file"
    assert refused("") == "'' is a folder, not an .efg file"
    (tmp_path / "latin.efg").write_bytes(b'EFG 2 R "caf\xe9"')
    assert refused(tmp_path / "latin.efg").endswith("is not text in UTF-8: byte 12 cannot be read")
    (tmp_path / "empty.efg").write_bytes(b"")
    assert refused(tmp_path / "empty.efg").endswith("line 1, column 1: expected EFG, found the end")
    assert "cannot read" in refused("x" * 5000)
    assert "cannot read" in refused("nul\0.efg")
    assert "cannot read" in refused(7)
    monkeypatch.setattr("counterpoise.games.efg.MAX_FILE_BYTES", 2**20)
    (tmp_path / "large.efg").write_bytes(b" " * (2**20 + 1))
    assert refused(tmp_path / "large.efg").endswith("is larger than the 1 MB that are read at most")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.efg")
    with pytest.raises(InputError, match="is not an ordinary file"):
        from_efg(tmp_path / "pipe.efg")


@pytest.mark.slow
@given(st.integers(0, 2**32), st.integers(0, 40), st.text(max_size=3))
@settings(max_examples=200, deadline=None)
def test_damaged_text_is_refused_or_a_game(place, cut, insertion):
    """Whatever is done to a good file, the answer is a game or one sentence."""
    text = (SAMPLES / "two_stages.efg").read_text()
    place %= len(text)
    damaged = text[:place] + insertion + text[place + cut :]
    with contextlib.suppress(InputError):
        game = parse_efg(damaged, "damaged")
        assert len(game.moves) == len(game.children)


def test_unclosed_string_is_refused_quickly():
    with pytest.raises(InputError, match="without its closing quote"):
        parse_efg('EFG 2 R "' + "a\\\\" * 200_000, "text")


@pytest.mark.slow
def test_deep_file():
    depth = 3 * sys.getrecursionlimit()
    nodes = "".join(f'p "" 1 {k} "{k}" {{ "on" }} 0\n' for k in range(1, depth + 1))
    game = from_efg(f'EFG 2 R "" {{ "A" }}\n{nodes}t "" 0\n')
    assert check_game(game).depth == depth
    again = from_efg(to_efg(game))
    assert check_game(again).depth == depth


# Writing.


SMALLER = {  # what stands here for a game whose default is too large to write and read again quickly
    "bluff": "liars_dice(faces=3, bidding_rule=reset_quantity)",
    "goofspiel": "goofspiel(cards=3, order=random)",
    "leduc5": "leduc_poker(ranks=2, players=3)",
    "liars_dice": "liars_dice(faces=3)",
    "limit_holdem": "limit_holdem(max_bets=1, board=[0, 3], ranks=7, suits=1)",
    "no_limit_holdem": "no_limit_holdem(stack=2, board=[0, 3], ranks=7, suits=1)",
    "mini_turn_holdem": "mini_turn_holdem(cards='7d9hJsKd8s', oop='AhQh', ip='QsTs', stack=2000)",
    "one_card_poker": "one_card_poker(ranks=2)",
    "turn_holdem": "turn_holdem(cards='3s7hTdKs2c', oop='AA', ip='QJs', stack=2000)",
}


@pytest.mark.parametrize("name", [*(SMALLER.get(name, name) for name in GAMES), "kuhn_poker(players=3)"])
def test_built_in_games_survive(name):
    game = load(name)
    again = from_efg(to_efg(game))
    assert picture(again) == picture(game)
    assert again.title == game.name == load(name).name


def test_a_game_that_says_it_is_large_is_refused_at_once():
    with pytest.raises(InputError, match=r"limit_holdem is too large to enumerate, with at least 5.6e\+13 histories"):
        to_efg(load("limit_holdem"))


def test_kuhn_as_written():
    assert to_efg(load("kuhn_poker")).splitlines()[:8] == [
        'EFG 2 R "kuhn_poker" { "Player 1" "Player 2" }',
        '""',
        "",
        'c "" 1 "" { "JQ" 1/6 "JK" 1/6 "QJ" 1/6 "QK" 1/6 "KJ" 1/6 "KQ" 1/6 } 0',
        'p "" 1 1 "J:" { "p" "b" } 0',
        'p "" 2 1 "Q:p" { "p" "b" } 0',
        't "" 1 "(-1, 1)" { -1, 1 }',
        'p "" 1 2 "J:pb" { "p" "b" } 0',
    ]


@pytest.mark.parametrize("name", ["two_stages", "unnamed"])
def test_samples_survive(name):
    game = from_efg(SAMPLES / f"{name}.efg")
    again = from_efg(to_efg(game))
    assert picture(again) == picture(game)
    assert (again.comment, again.player_names) == (game.comment, game.player_names)


class Drawn:
    """A game of nested tuples: (player, infoset, {label: subtree}), ("chance", [(label, p, subtree)]), payoffs."""

    def __init__(self, players, root):
        self.players, self.root = players, root

    def initial(self):
        return self.root

    def player(self, state):
        return TERMINAL if isinstance(state, list) else CHANCE if state[0] == "chance" else state[0]

    def chance(self, state):
        return [(label, chance) for label, chance, _ in state[1]]

    def actions(self, state):
        return tuple(state[2])

    def next(self, state, action):
        return {label: child for label, _, child in state[1]}[action] if state[0] == "chance" else state[2][action]

    def infoset(self, state):
        return state[1]

    def payoffs(self, state):
        return state


LABELS = st.text(max_size=4) | st.sampled_from(['"', "\\", "a\\", '\\"', "  ", " a", "a ", "\n", "\\n", "\r\n", "#1"])
FLOATS = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([1 / 3, 0.1, -0.0, 5e-324, 1e22, -1e-5])


def chances(weights):
    total = sum(weights)
    return [weight / total for weight in weights]


@st.composite
def drawn_games(draw):
    players = draw(st.integers(1, 3))
    # Every infoset label has one list of actions, as the protocol demands.
    infosets = draw(
        st.lists(
            st.tuples(st.integers(0, players - 1), LABELS, st.lists(LABELS, min_size=1, max_size=3, unique=True)),
            min_size=1,
            max_size=4,
            unique_by=lambda entry: entry[:2],
        )
    )

    def subtree(depth):
        kind = draw(st.sampled_from(["end", "chance", "player"])) if depth else "end"
        if kind == "end":
            return draw(st.lists(FLOATS, min_size=players, max_size=players))
        if kind == "chance":
            labels = draw(st.lists(LABELS, min_size=1, max_size=4, unique=True))
            weights = draw(st.lists(st.floats(1e-6, 1), min_size=len(labels), max_size=len(labels)))
            return "chance", [(a, p, subtree(depth - 1)) for a, p in zip(labels, chances(weights), strict=True)]
        player, label, actions = draw(st.sampled_from(infosets))
        return player, label, {action: subtree(depth - 1) for action in actions}

    return Drawn(players, subtree(3))


@pytest.mark.slow
@given(drawn_games())
@settings(max_examples=100, deadline=None)
def test_any_game_survives(game):
    text = to_efg(game)
    assert picture(from_efg(text)) == picture(game)
    assert text.isascii()


@given(st.lists(st.floats(1e-12, 1), min_size=1, max_size=12))
@settings(max_examples=200, deadline=None)
def test_written_chances_round_to_the_floats(weights):
    """And they sum to 1 exactly, unless the floats are too far from that."""
    floats = chances(weights)
    game = Drawn(1, ("chance", [(str(k), chance, [0.0]) for k, chance in enumerate(floats)]))
    [move, *_] = parse_efg(to_efg(game), "text").moves
    assert [float(fraction) for fraction in move.probabilities] == floats
    reachable = sum(Fraction(math.ulp(chance)) for chance in floats) / 5
    if abs(sum(map(Fraction, floats)) - 1) <= reachable:
        assert sum(move.probabilities) == 1


def test_openspiel_reads_what_is_written():
    pyspiel = pytest.importorskip("pyspiel")
    game = load("kuhn_poker(players=3)")
    spiel = pyspiel.load_efg_game(to_efg(game))
    policy = pyspiel.UniformRandomPolicy(spiel)
    assert len(policy.policy_table()) == sum(check_game(game).infosets)
    expected = pyspiel.expected_returns(spiel.new_initial_state(), policy, -1, True)
    assert expected == pytest.approx([0.234375, -0.046875, -0.1875], abs=1e-12)


def test_write_and_read(tmp_path):
    path = tmp_path / "kuhn.efg"
    path.write_text("what was here before")
    write_efg(load("kuhn_poker"), path)
    assert path.read_text() == to_efg(load("kuhn_poker"))
    assert picture(from_efg(path)) == picture(load("kuhn_poker"))
    assert [file.name for file in tmp_path.iterdir()] == ["kuhn.efg"]
    threads = [threading.Thread(target=write_efg, args=(load("kuhn_poker"), path)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [file.name for file in tmp_path.iterdir()] == ["kuhn.efg"]


def test_unwritable_paths(tmp_path, monkeypatch):
    game = load("kuhn_poker")
    with pytest.raises(InputError, match=r"cannot write .*: the folder .* does not exist"):
        write_efg(game, tmp_path / "no" / "kuhn.efg")
    with pytest.raises(InputError, match=r"cannot write .*: it is a folder"):
        write_efg(game, tmp_path)

    def full(*arguments):
        raise OSError(28, "No space left on device")

    path = tmp_path / "kuhn.efg"
    path.write_text("old")
    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(InputError) as caught:
        write_efg(game, path)
    assert str(caught.value) == f"cannot write {path}: No space left on device"
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["kuhn.efg"]


@pytest.mark.parametrize(
    ("root", "sentence"),
    [
        ([1.0], "Drawn: payoffs must be 2 finite numbers, not [1.0]"),
        ([1.0, math.inf], "Drawn: payoffs must be 2 finite numbers, not [1.0, inf]"),
        (("chance", []), "Drawn: a state that is not terminal has no actions"),
        ((0, "x", {}), "Drawn: a state that is not terminal has no actions"),
        (
            (0, "x", {"a": (1, "y", {"b": [0, 0]}), "b": (1, "y", {"c": [0, 0]})}),
            "Drawn: infoset 'y' of player 1 has the actions ['b'] in one state and ['c'] in another",
        ),
    ],
)
def test_unsound_games_are_not_written(root, sentence):
    with pytest.raises(InputError) as caught:
        to_efg(Drawn(2, root))
    assert str(caught.value) == sentence


def test_games_that_are_too_large_are_not_written():
    with pytest.raises(InputError) as caught:
        to_efg(load("kuhn_poker"), max_nodes=54)
    assert str(caught.value) == "kuhn_poker has more than max_nodes = 54 nodes, so it is not written"
    to_efg(load("kuhn_poker"), max_nodes=55)
