"""Logs: what is written is read back as it was, PokerKit replays it, and what is wrong is named by its line."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import counterpoise as cp
from counterpoise.logs import AcpcLog, Heading, JsonLog, PhhLog
from counterpoise.logs.acpc import parse_state
from counterpoise.logs.record import check_record
from counterpoise.play.table import Table

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
    table = Table(game, [Wild() for _ in names], [name.replace(" ", "-") for name in names], seed=1)
    hands = [table.play(hand) for hand in range(count)]
    assert not any(account.first_fault for account in table.accounts)
    return hands


def check_round_trip(name: str, count: int) -> None:
    game = cp.load(name)
    forms = [AcpcLog(), PhhLog(), JsonLog()]
    for record in wild_hands(game, count):
        check_record(game, record)
        for form in forms:
            text = form.format_hand(game, record, record.hand)
            (found,) = form.parse(text, game, Heading(name))
            assert (found.number, found.record) == (record.hand, record)
            assert form.format_hand(game, found.record, found.number) == text


def check_replay(name: str, count: int) -> None:
    pokerkit = pytest.importorskip("pokerkit")
    game = cp.load(name)
    for record in wild_hands(game, count):
        text = PhhLog().format_hand(game, record, record.hand)
        (history,) = pokerkit.HandHistory.loads_all(text, divmod=lambda pot, winners: (Fraction(pot) / winners, 0))
        *_, end = history
        assert not end.status
        assert [float(payoff) for payoff in end.payoffs] == pytest.approx(record.payoffs, abs=1e-9)


@pytest.mark.parametrize("name", GAMES)
def test_d5_round_trip(name: str) -> None:
    """D5, D6: parse and print are the identity in all forms, and payoffs are those of the rules."""
    check_round_trip(name, 40)


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_d5_round_trip_of_a_thousand_hands(name: str) -> None:
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
def test_d5_lines_of_the_competition(name: str, lines: list[str]) -> None:
    """D5: limit, no-limit, folds, all-ins; the cards stay as they are written."""
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
def test_d6_what_is_wrong_is_named_by_its_line(old: str, new: str, sentence: str, tmp_path: Path) -> None:
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
