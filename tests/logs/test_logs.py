"""Logs: what is written is read back as it was, PokerKit replays it, and what is wrong is named by its line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import counterpoise as cp
from counterpoise.logs import AcpcLog, Heading, JsonLog, PhhLog
from counterpoise.logs.acpc import parse_state
from counterpoise.logs.record import check_record, payoffs_of, replay
from counterpoise.play.table import MatchTable

GAMES = ["limit_holdem", "no_limit_holdem", "limit_holdem(seats=6)", "no_limit_holdem(seats=6)"]


@dataclass
class Wild(cp.Agent):
    """Bets any legal amount."""

    def act(self, observation: cp.Observation) -> str:
        betting, draw = self.game.betting_after(observation.public), self.random  # type: ignore[attr-defined]
        share = draw.random()
        if betting.to_call and share < 0.12:
            return "f"
        if betting.max_raise and share > 0.7:
            low, high = betting.min_raise, betting.max_raise
            return f"b{draw.choice([low, draw.randint(low, high), high])}"
        return "c"


def wild_hands(game: Any, count: int) -> list[cp.HandRecord]:
    names = [f"agent {seat}" for seat in range(game.players)]
    table = MatchTable(game, [Wild() for _ in names], [name.replace(" ", "-") for name in names], seed=1)
    hands = [table.play(hand) for hand in range(count)]
    assert not any(account.first_fault for account in table.accounts)
    return hands


def seen_by(game: Any, record: cp.HandRecord, seat: int) -> cp.HandRecord:
    """Return a record as the player at one seat has seen it: hands that were folded are missing, but its own."""
    *_, (end, _) = replay(game, record.history)
    shown = end.betting.live if len(end.betting.live) > 1 else ()
    hands = [hand if one in (seat, *shown) else "" for one, hand in enumerate(record.history[: game.seats])]
    return record._replace(history=(*hands, *record.history[game.seats :]))


def check_round_trip(name: str, count: int) -> None:
    game: Any = cp.load(name)
    forms = [AcpcLog(), PhhLog(), JsonLog()]
    hands = wild_hands(game, count)
    assert any("" in seen_by(game, record, 0).history for record in hands)
    seen = [seen_by(game, whole, whole.hand % game.seats) for whole in hands[::4]]
    for record in (*hands, *seen):
        check_record(game, record)
        for form in forms:
            text = form.format_hand(game, record, record.hand)
            (found,) = form.parse(text, game, Heading(name))
            assert (found.number, found.record) == (record.hand, record)
            assert form.format_hand(game, found.record, found.number) == text


def check_replay(name: str, count: int) -> None:
    pokerkit = pytest.importorskip("pokerkit")
    game: Any = cp.load(name)
    for record in wild_hands(game, count):
        record = seen_by(game, record, 0) if record.hand % 2 else record  # every other hand without folded cards
        text = PhhLog().format_hand(game, record, record.hand)
        (history,) = pokerkit.HandHistory.loads_all(text, divmod=lambda pot, winners: (Fraction(pot) / winners, 0))
        *_, end = history
        assert not end.status
        assert [float(payoff) for payoff in end.payoffs] == pytest.approx(record.payoffs, abs=1e-9)


@pytest.mark.parametrize("name", GAMES)
def test_round_trip(name: str) -> None:
    """Parse and print are the identity in all forms, and payoffs are those of the rules."""
    check_round_trip(name, 40)


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_round_trip_of_a_thousand_hands(name: str) -> None:
    check_round_trip(name, 1000)


@pytest.mark.parametrize(
    "name", [*GAMES, "no_limit_holdem(stacks=[300, 1500, 700, 20000, 450, 900], seats=6, ante=20)"]
)
def test_pokerkit_replays_hands_to_the_same_payoffs(name: str) -> None:
    check_replay(name, 15)


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_pokerkit_replays_a_thousand_hands_to_the_same_payoffs(name: str) -> None:
    check_replay(name, 1000)


# Lines as the competition's dealer writes them, cards in the order in which they were dealt.
LIMIT_LINES = [
    "STATE:0:rrc/rc/cc/rf:TdAs|7hKd/2c8c3h/9d/5s:8|-8:ann|bob",
    "STATE:1:f:2c3d|AhAd:1|-1:bob|ann",
    "STATE:2:cc/cc/cc/cc:Td9s|Th9c/2c8c3h/4d/Ks:0|0:ann|bob",
]
NO_LIMIT_LINES = [
    "STATE:0:r300c/r900r20000c//:5dAs|AcKh/5sQd2c/9d/Kc:-20000|20000:ann|bob",
    "STATE:1:r20000c///:QdQc|AsKh/2c8c3h/4d/9s:20000|-20000:bob|ann",
    "STATE:2:cr200f:2c3d|AhAd:100|-100:ann|bob",
]


@pytest.mark.parametrize(("name", "lines"), [("limit_holdem", LIMIT_LINES), ("no_limit_holdem", NO_LIMIT_LINES)])
def test_lines_of_the_competition(name: str, lines: list[str]) -> None:
    """Limit, no-limit, folds, all-ins; the cards stay as they are written."""
    game: Any = cp.load(name)
    for line in lines:
        number, record = parse_state(line, game)
        check_record(game, record)
        assert AcpcLog().format_hand(game, record, number) == f"{line}\n"


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("STATE:1:", "STATE:2:", "line 3: hand 1 is missing"),
        ("STATE:1:", "STATE:0:", "line 3: hand 0 is there twice"),
        ("AhAd:1|-1", "AhAd:1|-2", "line 3: the payoffs are 1|-2, which do not sum to 0; the rules say 1|-1"),
        ("AhAd:1|-1", "AhAd:2|-2", "line 3: the payoffs are 2|-2; the rules say 1|-1"),
        ("AhAd:1", "Ah3d:1", "line 3: limit_holdem: 2 cards of those left in the deck are due, not 'Ah3d'"),
        ("AhAd:1", "AhXd:1", "line 3: limit_holdem: 2 cards of those left in the deck are due, not 'AhXd'"),
        ("1:f:", "1:x:", "line 3: betting 'x' has other letters than f, c and r"),
        ("1:f:", "1:rrrrrf:", "line 3: a raise is not legal there"),
        ("1:f:", "1:cf:", "line 3: seat 0 cannot fold: nothing is owed"),
        ("1:f:", "1:c:", "line 3: the hand has no end"),
        ("|ann\nSTATE:2", "\nSTATE:2", "line 3: there must be 2 names, one for each seat, not 1"),
        ("STATE:1:f", "STATE:1", "line 3: a hand reads STATE:hand:betting:cards:values:names"),
        ("AhAd:1|-1", "AhAd:nan|-1", "line 3: values must be numbers, not 'nan|-1'"),
        ("STATE:1:", f"STATE:{'1' * 5000}:", "line 3: a hand reads STATE:hand:betting:cards:values:names"),
        ("SCORE:7", "SCORE:nan", "line 5: a score reads SCORE:values:names"),
        ("SCORE:7", "SCORE:8", "line 5: the score of ann is 8, but its hands sum to 7"),
    ],
)
def test_what_is_wrong_is_named_by_its_line(old: str, new: str, sentence: str, tmp_path: Path) -> None:
    text = "\n".join(["# a comment", *LIMIT_LINES, "SCORE:7|-7:ann|bob", ""])
    path = tmp_path / "match.log"
    path.write_text(text)
    assert len(cp.read_log(path, "limit_holdem").records) == 3
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(cp.InputError) as error:
        cp.read_log(path, "limit_holdem")
    assert str(error.value).startswith(f"{path}, {sentence}")


@pytest.mark.parametrize("ending", ["log", "phhs", "jsonl"])
def test_a_match_is_read_back(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"match.{ending}"
    found = cp.match("no_limit_holdem", ["probe", "random"], 12, duplicate=True, seed=4, log=path, progress=False)
    log = cp.read_log(path)
    assert (log.heading.rooms, log.heading.seed, log.heading.agents) == (2, 4, ("probe", "random"))
    assert [(record.hand, record.room) for record in log.records] == [(n // 2, n % 2) for n in range(24)]
    won = sum(record.payoffs[record.agents.index("probe")] for record in log.records)
    assert found.agents[0].mean == pytest.approx(won / 24 * 10)
    lines = path.read_text()
    path.write_text(lines.replace(log.records[4].history[0], "ZsZh"))
    with pytest.raises(cp.InputError, match=r"line \d+: "):
        cp.read_log(path)


def test_payoffs_that_are_no_number_are_refused() -> None:
    game: Any = cp.load("limit_holdem")
    record = parse_state(LIMIT_LINES[0], game)[1]
    with pytest.raises(cp.InputError, match="the payoffs are nan"):
        check_record(game, record._replace(payoffs=(float("nan"), -8.0)))


@pytest.mark.parametrize(
    ("ending", "old", "new", "sentence"),
    [
        (".jsonl", '"rooms": 2', '"rooms": 0', "line 1: rooms must be a whole number of at least 1, not 0"),
        (".log", '"rooms": 2', '"rooms": "x"', "line 1: rooms must be a whole number of at least 1, not 'x'"),
        (".log", '"seed": 0', '"seed": null', "line 1: seed must be a whole number of at least 0, not None"),
        (".log", '"game": "n', '"game": 5, "n": "', "line 1: game must be a text, not 5"),
        (".log", '"agents": ["always-raise"', '"agents": [5', "line 1: agents must be a list of texts"),
        (".log", "r300", "r" + "3" * 5000, "line 2: "),
        (".phhs", "[1]", f"[{'1' * 5000}]", "line 2: "),
        (".phhs", "hand = 0", f"hand = {'1' * 5000}", "line 2: hand 1 is no TOML: "),
        (".phhs", "cbr 300", f"cbr {'3' * 5000}", "line 2: "),
        (".phhs", "dh p1 ", f"dh p{'1' * 5000} ", "line 2: "),
        (".jsonl", '"b300"', f'"b{"3" * 5000}"', "line 2: "),
        (".jsonl", '"b300"', "[" * 100_000, "line 2: "),
        (".jsonl", '"agents": ', '"agents": ' + "[" * 100_000, "line 1: "),
        (".log", '"agents": ', '"agents": ' + "[" * 100_000, "line 1: "),
        (".phhs", "hand = 0", f"hand = {'[' * 5000}", "line 2: hand 1 is no TOML: "),
        (".log", "STATE:1:", "STATE:\u0661:", "line 3: a hand reads STATE:"),
    ],
)
def test_wrong_headings_and_endless_numbers(ending: str, old: str, new: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / f"hands{ending}"
    cp.match("no_limit_holdem", ["always-raise", "probe"], 2, duplicate=True, log=path, progress=False)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(cp.InputError) as error:
        cp.read_log(path)
    assert sentence in str(error.value)
    assert len(str(error.value)) < 400


def test_a_log_that_ends_at_the_precision_has_a_score_and_needs_its_first_hand(tmp_path: Path) -> None:
    path = tmp_path / "hands.log"
    options: dict[str, Any] = {"precision": 10_000, "log": path, "progress": False}
    assert cp.match("limit_holdem", ["probe", "random"], 1000, **options).hands == 100
    lines = path.read_text().splitlines(keepends=True)
    assert lines[-1].startswith("SCORE:")
    assert len(cp.read_log(path).records) == 100
    path.write_text("".join(lines[:-3]))  # as Ctrl-C leaves it
    assert len(cp.read_log(path).records) == 98
    path.write_text("".join([lines[0], *lines[3:]]))
    with pytest.raises(cp.InputError, match="line 2: hand 0 is missing"):
        cp.read_log(path)


def test_hands_that_pokerkit_writes_are_read(tmp_path: Path) -> None:
    """Without numbers, names and payoffs, which then follow from the rules."""
    pokerkit = pytest.importorskip("pokerkit")
    game: Any = cp.load("no_limit_holdem")
    records = wild_hands(game, 3)
    text = "".join(PhhLog().format_hand(game, record, record.hand) for record in records)
    histories = list(pokerkit.HandHistory.loads_all(text))
    for history in histories:
        history.hand = history.players = history.finishing_stacks = None
        history.user_defined_fields.clear()
    path = tmp_path / "theirs.phhs"
    path.write_text(pokerkit.HandHistory.dumps_all(histories))
    found = cp.read_log(path, game).records
    assert [(one.hand, one.history, one.payoffs) for one in found] == [(r.hand, r.history, r.payoffs) for r in records]
    path.write_text(path.read_text().replace("cc", "xx", 1))
    with pytest.raises(cp.InputError, match=r"line \d+: action 'p1 xx' is none of"):
        cp.read_log(path, game)


def test_games_that_a_form_lacks_are_refused() -> None:
    for game in ("no_limit_holdem(board=[0, 3])", "limit_holdem(ranks=9, ranking=short)"):
        with pytest.raises(cp.InputError, match="PHH has no"):
            PhhLog().check_game(cp.load(game))
    PhhLog().check_game(cp.load("no_limit_holdem(ranks=9, ranking=short)"))


def test_logs_of_matches_are_data_for_models_of_opponents(tmp_path: Path) -> None:
    """`exploit` reads the logs of matches, and its own logs are read here."""
    from counterpoise.exploit import play_hands, read_hands

    path, tree = tmp_path / "hands.jsonl", cp.enumerate_game("leduc_poker")
    cp.match("leduc_poker", ["probe", "random"], 30, duplicate=True, log=path, progress=False)
    read = read_hands(path, tree)
    assert (len(read), read.agents) == (60, ["probe", "random"])
    play_hands(tree, {"a": cp.Strategy.uniform(tree).probabilities}, 20).write(path, tree)
    assert [record.hand for record in cp.read_log(path).records] == list(range(20))
    path.write_text(path.read_text().replace('"agents": ["a", "a"]', '"agents": "a"', 1))
    with pytest.raises(cp.InputError, match="line 2: agents must be a list of texts"):
        cp.read_log(path)


def test_small_holdem_in_acpc_form(tmp_path: Path) -> None:
    path = tmp_path / "small.log"
    cp.match("limit_holdem(board=[0, 3], ranks=4)", ["probe", "random"], 20, log=path, progress=False)
    assert len(cp.read_log(path).records) == 20


UNSEEN_LINES = [
    ("limit_holdem", "STATE:0:rrc/rc/cc/rf:TdAs|/2c8c3h/9d/5s:8|-8:ann|bob"),
    ("limit_holdem", "STATE:0:f:|:1|-1:ann|bob"),
    ("no_limit_holdem(seats=3)", "STATE:5:ff:||:-50|50|0:a|b|c"),
    ("limit_holdem", "STATE:2:cc/cc/cc/cc:Td9s|/2c8c3h/4d/Ks:-2|2:ann|bob"),
]


@pytest.mark.parametrize(("name", "line"), UNSEEN_LINES)
def test_hands_that_were_not_seen(name: str, line: str) -> None:
    """Unseen cards are empty, and all that can be checked is checked."""
    game: Any = cp.load(name)
    number, record = parse_state(line, game)
    check_record(game, record)
    assert AcpcLog().format_hand(game, record, number) == f"{line}\n"
    for form in (PhhLog(), JsonLog()):
        (found,) = form.parse(form.format_hand(game, record, number), game, Heading(name))
        assert found.record == record


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("STATE:0:f:|AsAh:2|-2:ann|bob", "the payoffs are 2|-2; the rules say 1|-1"),
        ("STATE:0:rf:|AsAs:-2|2:ann|bob", "2 cards of those left in the deck are due, not 'AsAs'"),
        ("STATE:0:cc/cc/cc/cc:|AsAh/2c8cAs/4d/Ks:-2|2:ann|bob", "3 cards of those left in the deck are due"),
        ("STATE:0:cc/cc/cc/cc:|AsAh/2c8c3s/4d/Ks:-2|3:ann|bob", "the payoffs -2|3 do not sum to 0"),
        ("STATE:0:cc/cc/cc/cc:|AsAh/2c8c3s/4d/Ks:-3|3:ann|bob", "seat 0 can have won -2 to 2 chips, not -3"),
        ("STATE:0:cc/cc/cc/cf:|AsAh/2c8c3s/4d/Ks:-2|2:ann|bob", "seat 1 cannot fold: nothing is owed"),
        ("STATE:0:f:A|AsAh:1|-1:ann|bob", "a hand must be 2 cards, not 'A'"),
    ],
)
def test_wrong_hands_that_were_not_seen(line: str, sentence: str) -> None:
    game: Any = cp.load("limit_holdem")
    with pytest.raises(cp.InputError, match=re.escape(sentence)):
        check_record(game, parse_state(line, game)[1])


def test_a_showdown_with_an_unseen_hand_has_no_payoffs() -> None:
    game: Any = cp.load("limit_holdem")
    history = ("AsAh", "", "c", "c", "2c8c3s", "c", "c", "4d", "c", "c", "Ks", "c", "c")
    with pytest.raises(cp.InputError, match="the hand of seat 1 was not seen"):
        payoffs_of(game, history)


VIEW = """# the view of one player, who sits at position 1 and then at position 0
MATCHSTATE:1:0::|QdQc
MATCHSTATE:1:0:r:|QdQc
MATCHSTATE:1:0:rf:|QdQc
MATCHSTATE:0:1::AsKh|
MATCHSTATE:0:1:c:AsKh|
MATCHSTATE:0:1:cc/:AsKh|/2c8c3h
MATCHSTATE:0:1:cc/cc/cc/cc:AsKh|QsJs/2c8c3h/4d/9s
MATCHSTATE:1:2::|7h2d
"""


def test_the_view_of_a_player_is_read(tmp_path: Path) -> None:
    path = tmp_path / "view.log"
    path.write_text(VIEW)
    first, second = cp.read_log(path, "limit_holdem").records
    assert (first.hand, first.agents, first.payoffs) == (0, ("opponent", "player"), (-2, 2))
    assert first.history == ("", "QdQc", "b4", "f")
    assert (second.agents, second.payoffs) == (("player", "opponent"), (2, -2))
    path.write_text(VIEW.replace("MATCHSTATE:1:0:rf:|QdQc\n", ""))
    with pytest.raises(cp.InputError, match="line 4: hand 0 has no end"):
        cp.read_log(path, "limit_holdem")


def test_pitfall_17_hands_say_which_strategies_were_followed(tmp_path: Path) -> None:
    game: Any = cp.load("limit_holdem")
    (record,) = wild_hands(game, 1)
    record = record._replace(strategies=("a.cpz", "b.cpz"))
    for form in (PhhLog(), JsonLog()):
        (found,) = form.parse(form.format_hand(game, record, 0), game, Heading(""))
        assert found.record == record

    @dataclass
    class Switching(Wild):
        switches = True

        @property
        def strategy_id(self) -> str:
            return f"strategy {self.random.randrange(100)}"

    table = MatchTable(game, [Switching(), Wild()], ["a", "b"])
    ids = [table.play(hand).strategies for hand in range(5)]
    assert len(set(ids)) > 1
    assert {own[1] for own in ids} == {"Wild"}
    path = tmp_path / "hands.jsonl"
    path.write_text(JsonLog().format_hand(game, record, 0).replace('["a.cpz", ', "["))
    with pytest.raises(cp.InputError, match="line 1: strategies must be 2 ids"):
        cp.read_log(path, game)


def test_shown_cards_fill_unseen_ones_and_must_be_those_dealt(tmp_path: Path) -> None:
    game: Any = cp.load("limit_holdem")
    record = parse_state(LIMIT_LINES[2], game)[1]
    text = PhhLog().format_hand(game, record, 0)
    dealt = f"dh p1 {record.history[0]}"
    (found,) = PhhLog().parse(text.replace(dealt, "dh p1 ????"), game, Heading(""))
    assert found.record == record
    with pytest.raises(cp.InputError, match="line 1: p1 shows 'Td9s', but was dealt 'AsAh'"):
        list(PhhLog().parse(text.replace(dealt, "dh p1 AsAh"), game, Heading("")))
