"""Game files: the competition's own are read as our rules and written back; what cannot be played here is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import counterpoise as cp
from counterpoise.acpc import format_game, load_rules, parse_game

LIMIT_2 = """GAMEDEF
limit
numPlayers = 2
numRounds = 4
blind = 10 5
raiseSize = 10 10 20 20
firstPlayer = 2 1 1 1
maxRaises = 3 4 4 4
numSuits = 4
numRanks = 13
numHoleCards = 2
numBoardCards = 0 3 1 1
END GAMEDEF
"""
NO_LIMIT_2 = """GAMEDEF
nolimit
numPlayers = 2
numRounds = 4
stack = 20000 20000
blind = 100 50
firstPlayer = 2 1 1 1
numSuits = 4
numRanks = 13
numHoleCards = 2
numBoardCards = 0 3 1 1
END GAMEDEF
"""
LIMIT_3 = (
    LIMIT_2.replace("numPlayers = 2", "numPlayers = 3").replace("10 5\n", "5 10 0\n").replace("= 2 1 1", "= 3 1 1")
)
NO_LIMIT_3 = """GAMEDEF
nolimit
numPlayers = 3
numRounds = 4
stack = 20000 20000 20000
blind = 50 100 0
firstPlayer = 3 1 1 1
numSuits = 4
numRanks = 13
numHoleCards = 2
numBoardCards = 0 3 1 1
END GAMEDEF
"""


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (LIMIT_2, "limit_holdem(blinds=[5, 10])"),
        (NO_LIMIT_2, "no_limit_holdem"),
        (LIMIT_3, "limit_holdem(seats=3, blinds=[5, 10])"),
        (NO_LIMIT_3, "no_limit_holdem(seats=3)"),
    ],
)
def test_files_of_the_competition(text: str, name: str) -> None:
    """P1, pitfalls 27 and 28: 10 and 100 chips per big blind, and position 0 is the big blind of two."""
    game = parse_game(text)
    assert game == cp.load(name)
    assert format_game(game) == text
    if game.seats == 2:
        assert game.betting.initial().paid == (game.blinds[1], game.blinds[0])
        assert game.betting.initial().to_act == 1


@pytest.mark.parametrize(
    "name",
    [
        "limit_holdem",
        "limit_holdem(seats=10, max_bets=[3, 2, 5, 4], bets=[2, 4, 6, 8])",
        "limit_holdem(max_bets=[4, 1, 1, 1])",
        "limit_holdem(board=[0, 3], ranks=4, suits=3, max_bets=2)",
        "limit_holdem(seats=6, ante=3, stack=7)",
        "limit_holdem(blinds=[0, 0], ante=1)",
        "no_limit_holdem(seats=6, stack=50)",
        "no_limit_holdem(stacks=[300, 1750])",
        "no_limit_holdem(stacks=[1999, 1999, 1999], seats=3, max_bets=4)",
        "no_limit_holdem(blinds=[0, 0], stack=40)",
    ],
)
def test_rules_are_the_same_after_writing_and_reading(name: str) -> None:
    game: Any = cp.load(name)
    again = parse_game(format_game(game))
    assert (again.betting, again.deck, again.board) == (game.betting, game.deck, game.board)
    assert format_game(again) == format_game(game)


def test_spelling_does_not_matter() -> None:
    text = LIMIT_2.replace(" = ", " ").replace("numPlayers", "NUMPLAYERS").replace("limit", "Limit # fixed", 1)
    assert parse_game(f"# hold'em\n\n{text}whatever follows the end\n") == parse_game(LIMIT_2)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("numHoleCards = 2", "numHoleCards = 4", "numHoleCards must be 2, as in hold'em, not 4"),
        ("numPlayers = 2", "numPlayers = 11", "numPlayers must be 2 to 10, not 11"),
        ("numPlayers = 2\n", "", "numPlayers is missing"),
        ("numRounds = 4", "numRounds = 5", "numRounds must be 1 to 4, not 5"),
        (
            "firstPlayer = 2 1 1 1",
            "firstPlayer = 1 1 1 1",
            "firstPlayer must be 2 1 1 1 with these blinds, not 1 1 1 1",
        ),
        ("firstPlayer = 2 1 1 1", "", "firstPlayer must be 2 1 1 1 with these blinds, not 1 1 1 1"),
        ("blind = 10 5", "blind = 5 10", "blind must be a big and a small blind for two players"),
        ("blind = 10 5", "blind = 10", "blind must have 2 numbers, not 1"),
        ("blind = 10 5", "blind = 10 -5", "line 5: blind must be whole numbers of at least 0, not '10 -5'"),
        ("raiseSize = 10 10 20 20", "raiseSize = 10 10", "raiseSize must have 4 numbers, not 2"),
        ("raiseSize = 10 10 20 20", "", "raiseSize is missing"),
        ("raiseSize = 10 10 20 20", "raiseSize = 10 10 0 20", "raiseSize must be at least 1 in every round"),
        ("maxRaises = 3 4 4 4", "maxRaises = 3 0 4 4", "maxRaises must be at least 1 in every round"),
        ("numRanks = 13", "numRanks = 14", "ranks must be a whole number from 2 to 13, not 14"),
        ("numBoardCards = 0 3 1 1", "numBoardCards = 0 1 1 0", "board must be 3 to 5 public cards in all"),
        ("limit\n", "limit\nnolimit\n", "line 3: a game is limit or nolimit, not both"),
        ("numSuits = 4", "numSuits = 4\nnumSuits = 4", "line 10: numSuits is there twice"),
        ("numSuits = 4", "numSuit = 4", "line 9: unknown key 'numSuit': did you mean numSuits"),
        ("numSuits = 4", f"numSuits = {'4' * 500}", "line 9: numSuits must be whole numbers of at least 0"),
        ("numSuits = 4", "numSuits = 4 4", "line 9: numSuits must be one number"),
        ("blind = 10 5", "stack = 8 8\nblind = 10 5", "blind must be at most the stack of the player, not 10 of 8"),
    ],
)
def test_what_cannot_be_played_here_is_refused(old: str, new: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.game"
    assert old in LIMIT_2
    path.write_text(LIMIT_2.replace(old, new, 1))
    with pytest.raises(cp.InputError) as error:
        load_rules(path)
    assert str(error.value).startswith(f"{path}: ")
    assert sentence in str(error.value)


def test_antes_in_no_limit_and_unequal_stacks_of_many_are_refused() -> None:
    with pytest.raises(cp.InputError, match="no-limit games with antes are not played here"):
        parse_game(NO_LIMIT_3.replace("50 100 0", "60 110 10"))
    with pytest.raises(cp.InputError, match="stack must be the same for all of three or more players"):
        parse_game(NO_LIMIT_3.replace("20000 20000 20000", "20000 10000 20000"))


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("no_limit_holdem(ranks=9, ranking=short)", "the short ranking of hands"),
        ("no_limit_holdem(ante=5)", "antes in no-limit"),
        ("limit_holdem(ante=5)", "antes and blinds of two players"),
        ("no_limit_holdem(rake=5)", "rake"),
        ("no_limit_holdem(whole_chips=true)", "odd chips of split pots"),
        ("limit_holdem(max_bets=1)", "rounds without raises"),
        ("limit_holdem(board=[0, 3, 0, 0, 1])", "5 rounds"),
        ("no_limit_holdem(stacks=[300, 400, 500], seats=3)", "unequal stacks of three or more players"),
    ],
)
def test_rules_that_a_file_cannot_hold_are_refused(name: str, what: str) -> None:
    game: Any = cp.load(name)
    with pytest.raises(cp.InputError, match=f"a .game file cannot say {what}"):
        format_game(game)


def test_rules_are_loaded_by_file_or_by_name(tmp_path: Path) -> None:
    path = tmp_path / "holdem.game"
    path.write_text(NO_LIMIT_2)
    assert load_rules(path) == load_rules(str(path)) == load_rules("no_limit_holdem")
    with pytest.raises(cp.InputError, match="ACPC is played here with hold'em, not with leduc_poker"):
        load_rules("leduc_poker")
    with pytest.raises(cp.InputError, match="cannot read"):
        load_rules(tmp_path / "none.game")
