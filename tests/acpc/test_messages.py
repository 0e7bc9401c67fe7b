"""What is told, what is answered, and what becomes of wrong answers."""

from __future__ import annotations

from typing import Any

import pytest

import counterpoise as cp
from counterpoise.acpc.messages import ProtocolNotes, SeatView, read_answer, read_version, repair
from counterpoise.games.base import Observation
from counterpoise.logs.acpc import read_view
from counterpoise.logs.record import replay
from counterpoise.play.table import MatchTable
from tests.acpc.peers import Hashing

GAMES = ["limit_holdem", "no_limit_holdem", "limit_holdem(seats=6)", "no_limit_holdem(seats=6)"]
# From the examples of the published protocol: a hand of two and one of three players, as one of them is told of it.
LIMIT_HAND = (
    0,
    0,
    "TdAs",
    ("b4", "b6", "c", "2c8c3h", "b8", "c", "9c", "c", "b12", "c", "Kh", "c", "b16", "c", "seat 1 shows 8hTc"),
    {
        0: "MATCHSTATE:0:0::TdAs|",
        1: "MATCHSTATE:0:0:r:TdAs|",
        2: "MATCHSTATE:0:0:rr:TdAs|",
        4: "MATCHSTATE:0:0:rrc/:TdAs|/2c8c3h",
        7: "MATCHSTATE:0:0:rrc/rc/:TdAs|/2c8c3h/9c",
        9: "MATCHSTATE:0:0:rrc/rc/cr:TdAs|/2c8c3h/9c",
        15: "MATCHSTATE:0:0:rrc/rc/crc/crc:TdAs|8hTc/2c8c3h/9c/Kh",
    },
)
NO_LIMIT_HAND = (
    1,
    31,
    "JdTc",
    ("b300", "b900", "c", "6dJc9c", "b1800", "b3600", "b9000", "c", "Kh", "b20000", "c", "Qc", "seat 0 shows KsJs"),
    {
        1: "MATCHSTATE:1:31:r300:|JdTc",
        4: "MATCHSTATE:1:31:r300r900c/:|JdTc/6dJc9c",
        10: "MATCHSTATE:1:31:r300r900c/r1800r3600r9000c/r20000:|JdTc/6dJc9c/Kh",
        13: "MATCHSTATE:1:31:r300r900c/r1800r3600r9000c/r20000c/:KsJs|JdTc/6dJc9c/Kh/Qc",
    },
)


@pytest.mark.parametrize(("name", "hand"), [("limit_holdem", LIMIT_HAND), ("no_limit_holdem", NO_LIMIT_HAND)])
def test_lines_of_the_published_examples(name: str, hand: Any) -> None:
    """P1, pitfalls 28 and 29: positions, cards of others at a showdown only, and totals over the whole hand."""
    position, number, private, events, lines = hand
    view = SeatView(cp.load(name), position)  # type: ignore[arg-type]
    for count, line in lines.items():
        assert view.line(number, Observation(position, events[:count], private)) == line


@pytest.mark.parametrize("name", GAMES)
def test_lines_say_what_has_happened_and_no_more(name: str) -> None:
    """Every line that any seat is told is read back as the events and cards that the seat has seen."""
    game: Any = cp.load(name)
    table = MatchTable(game, [Hashing()] * game.seats, [f"p{seat}" for seat in range(game.seats)], seed=4)
    notes = ProtocolNotes(game)
    for hand in range(8):
        record = table.play(hand)
        for seat in range(game.seats):
            view = SeatView(game, seat, notes)
            for state, step in replay(game, record.history):
                if game.player(state) < 0 and step:
                    continue
                line = view.line(hand, game.observation(state, seat))
                told = read_view(line, game)
                live = state.betting.live if not step and len(state.betting.live) > 1 else ()
                hands = tuple(hand if one in (seat, *live) else "" for one, hand in enumerate(state.hands))
                assert (told.position, told.hand, told.state) == (seat, hand, state._replace(hands=hands))


def test_an_answer_belongs_to_what_was_asked() -> None:
    asked = "MATCHSTATE:0:7:rrc/r:TdAs|/2c8c3h"
    assert read_answer(f"{asked}:r", asked) == "r"
    assert read_answer(asked, asked) == ""
    assert read_answer("matchstate:0:7:rrcr:tdas2c8c3h:r300", asked) == "r300"
    for other in (
        "MATCHSTATE:0:6:rrc/r:TdAs|/2c8c3h:c",
        "MATCHSTATE:1:7:rrc/r:TdAs|/2c8c3h:c",
        "MATCHSTATE:0:7:rrc/:TdAs|/2c8c3h:c",
        "MATCHSTATE:0:7:rrc/r:TdAd|/2c8c3h:c",
        "MATCHSTATE:0:7:rrc/r:TdAs|/2c8c3s:c",
        "GET / HTTP/1.1",
        "",
        ":::::",
    ):
        assert read_answer(other, asked) is None


@pytest.mark.parametrize(
    ("history", "text", "action", "invalid"),
    [
        ((), "c", "c", False),
        ((), "k", "c", False),
        ((), "f", "f", False),
        ((), "F\r", "f", False),
        ((), "r300", "b300", False),
        ((), "b300", "b300", False),
        ((), "r150", "b200", False),  # too small: the smallest raise
        ((), "r999999999999", "b20000", False),  # too large: all-in
        ((), "r-5", "b200", False),
        ((), "r", "c", True),
        ((), "rx", "c", True),
        ((), "", "c", True),
        ((), "x", "c", True),
        ((), "300", "c", True),
        (("c", "c", "QsJh2d"), "f", "c", True),  # a free fold
        (("c", "c", "QsJh2d"), "r1", "b200", False),
        (("b20000",), "r20000", "c", True),  # nothing left to raise
    ],
)
def test_wrong_actions_become_calls_or_the_nearest_raise(
    history: tuple[str, ...], text: str, action: str, invalid: bool
) -> None:
    game: Any = cp.load("no_limit_holdem")
    assert repair(text, game.betting_after(history), limit=False) == (action, invalid)


def test_limit_raises_above_the_cap_become_calls() -> None:
    game: Any = cp.load("limit_holdem")
    assert repair("r", game.betting_after(("b4", "b6")), limit=True) == ("b8", False)
    assert repair("r", game.betting_after(("b4", "b6", "b8")), limit=True) == ("c", True)


def test_a_round_has_room_for_64_actions() -> None:
    game: Any = cp.load("no_limit_holdem(stack=1000)")
    view = SeatView(game, 0)
    events = tuple(f"b{200 + 100 * step}" for step in range(62))
    view.line(0, Observation(0, events, "AsKh"))
    assert not view.notes.crowded
    view.line(0, Observation(0, (*events, "b6400"), "AsKh"))
    assert view.notes.crowded
    assert repair("r9000", view.notes.state, limit=False, crowded=True) == ("c", True)


def test_versions() -> None:
    assert read_version("VERSION:2.0.0") == (2, 0, 0)
    assert read_version("VERSION:1.0.0") == (1, 0, 0)
    for wrong in ("version:2.0.0", "VERSION:2.0", "VERSION:x", "", f"VERSION:{'2' * 99}.0.0"):
        assert read_version(wrong) is None
