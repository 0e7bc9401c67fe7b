"""`counterpoise match`, `play` and `agents`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import counterpoise as cp
from counterpoise.agents.human import read_bet
from counterpoise.cli import app
from counterpoise.games.holdem import Holdem
from counterpoise.play.session import SessionResult

KEYS = (
    "agents compiled cpu_seconds duplicate ended game hands hands_played interrupted log reached resumed rooms seconds "
    "seed stop unit"
)
AGENT = (
    "aivat_ci95 aivat_deviation aivat_mbb_per_hand aivat_mean_per_hand ci95 decisions deviation first_fault forfeits "
    "mbb_per_hand mean_per_hand name seconds strategy_id"
)


def test_match_json(ask: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    words = ["probe", "always-call", "--game", "limit_holdem", "--hands", 20, "--seed", 5, "--duplicate"]
    found = ask("match", *words, "--log", tmp_path / "m.log", "--resume", tmp_path / "m.results")
    assert sorted(found) == KEYS.split()
    assert [sorted(agent) for agent in found["agents"]] == [AGENT.split()] * 2
    assert (found["hands"], found["hands_played"], found["unit"]) == (20, 40, "mbb")
    first, second = found["agents"]
    assert (first["name"], first["mbb_per_hand"]) == ("probe", -second["mbb_per_hand"])
    assert len(cp.read_log(tmp_path / "m.log").records) == 40
    library = cp.match("limit_holdem", ["probe", "always-call"], 20, seed=5, duplicate=True, progress=False)
    assert library.to_json()["agents"][0]["mbb_per_hand"] == first["mbb_per_hand"]
    again = ask("match", *words, "--log", tmp_path / "m.log", "--resume", tmp_path / "m.results")
    assert again["agents"] == found["agents"]
    small = ask("match", "probe", "random", "--game", "leduc_poker", "--hands", 20)
    assert (small["unit"], small["agents"][0]["mbb_per_hand"]) == ("antes", None)


def test_match_for_people(call: Callable[..., Result]) -> None:
    result = call("match", "random", "probe", "--game", "kuhn_poker", "--hands", 30, "--precision", 0.0001)
    assert result.exit_code == 1
    assert "antes per hand" in result.stdout
    assert "the precision was not reached" in result.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["random", "--game", "kuhn_poker"], "the game has 2 seats, so it needs as many agents, not 1"),
        (["random", "prob"], "unknown agent 'prob': did you mean probe?"),
        (["random", "probe", "--hands", "0"], "--hands must be a whole number of at least 1, not 0"),
        (["random", "probe", "--decision-seconds", "0"], "--decision-seconds must be a positive number, not 0.0"),
        (["random", "probe", "--log", "x.txt"], "--log must name a file ending in .log, .phhs or .jsonl, not x.txt"),
        (["random", "probe", "--game", "liars_dice", "--log", "x.jsonl"], "probe plays games with checks and calls"),
        (["random", "strategy:none.cpz"], "none.cpz does not exist"),
        (["random", "probe", "--log", "a.log", "--resume", "a.log"], "--log and --resume both name a.log"),
    ],
)
def test_wrong_input(refuse: Callable[..., str], words: list[str], sentence: str) -> None:
    assert refuse("match", *words).startswith(sentence)


def test_agents_are_listed(ask: Callable[..., dict[str, Any]], call: Callable[..., Result]) -> None:
    listed = {entry["name"]: entry for entry in ask("agents")["agents"]}
    agents = "acpc always-call always-fold always-raise blueprint human implicit libratus probe random spot strategy"
    assert set(agents.split()) <= set(listed)
    assert all(entry["description"] for entry in listed.values())
    trained = listed["blueprint"]["trained"]
    assert trained.endswith("hands of external sampling, seed 0")
    assert listed["blueprint"]["measured"]["memory_mb"] > 0
    assert (listed["probe"]["trained"], listed["probe"]["measured"]) == ("", None)
    told = call("agents").stdout
    assert "strategy:leduc.cpz" in told
    assert trained in told
    assert listed["blueprint"]["measured"]["where"] in told


def sit(typed: str, *words: str) -> Result:
    return CliRunner().invoke(app, ["play", *words], input=typed, catch_exceptions=False, prog_name="counterpoise")


def test_play_from_a_pipe(tmp_path: Path) -> None:
    """Folds, amounts and words are understood, what is wrong is said, and leaving keeps the score."""
    log = tmp_path / "hands.phhs"
    typed = "f\nraise to\nb99999\n1000\n" + "c\n" * 3 + "f\n" * 3 + "help\nq\n"
    result = sit(typed, "always-call", "--game", "no_limit_holdem", "--seed", "1", "--log", str(log))
    assert result.exit_code == 0, result.output
    told = result.stdout
    assert "you cannot fold: nothing is owed, so check (c)" in told
    assert "'raise to' is no action" in told
    assert "you cannot raise to 99,999 chips: it must be between 200 and 20,000" in told
    assert "preflop: always-call: call, you: raise to 1000, always-call: call" in told
    assert "always-call shows" in told
    assert "  you show " in told
    assert "Hand 1: always-call has the button and the small blind of 50, you have the big blind of 100" in told
    assert "[c]heck, [r]aise to a total between 200 and 20,000 > " in told
    assert "[c]heck, [b]et between 100 and 19,000 > " in told
    assert "score: 1 hand: " in told
    assert "3bb to three big blinds" in told
    assert "the hand that was not finished does not count" in told
    records = cp.read_log(log).records
    assert told.strip().splitlines()[-1].startswith(f"{len(records)} hand")
    assert result.stdout == sit(typed, "always-call", "--seed", "1", "--log", str(log)).stdout


def test_amounts_as_players_say_them() -> None:
    """Amounts at the table are chips, big blinds, shares of the pot or multiples of a bet; none is guessed."""
    game = cp.load("no_limit_holdem(stack=20)")
    assert isinstance(game, Holdem)
    flop = game.betting_after(("b300", "c", "AsKsQh"))
    facing = game.betting_after(("b300", "c", "AsKsQh", "b700"))  # a bet of 400 into 600
    for betting, typed, total in (
        (flop, "3bb", 600),
        (flop, "bet 1.5 BB", 450),
        (flop, "b300", 600),
        (flop, "pot", 900),
        (flop, "half pot", 600),
        (flop, "300 chips", 600),
        (facing, "min", 1100),
        (flop, "1000%", 2000),
        (flop, "allin", 2000),
        (facing, "2.5x", 1300),
        (flop, "x", 0),
        (facing, "raise to 10bb", 1300),
        (facing, "r 50%", 1400),  # the call of 400 and half of the 1,400 after it
    ):
        assert read_bet(game, betting, typed.lower()) == total, typed
    for betting, typed, sentence in (
        (flop, "2.5x", "2.5x multiplies a bet, and nobody has bet in this round"),
        (flop, "1%", "you cannot bet 6 chips: it must be between 100 and 1,700"),
        (flop, "0.001bb", "0.001bb is no whole number of chips: a big blind is 100"),
        (flop, "1.2.3bb", "'1.2.3bb' is no number of big blinds"),
        (facing, "1.5x", "you cannot raise to 600 chips: it must be between 800 and 1,700"),
        (facing, "x", "you cannot check: 400 are to call"),
        (facing, "r", "say how much, such as b300, 3bb, 50% or allin"),
        (facing, "9" * 5000, "is no action"),
        (facing, "3 pots", "'3 pots' is no action: type f, c, an amount such as 300, 3bb, 50%"),
    ):
        with pytest.raises(cp.InputError, match=sentence):
            read_bet(game, betting, typed)
    spot = cp.load("holdem_spot")
    assert isinstance(spot, Holdem)
    with pytest.raises(cp.InputError, match="3bb counts big blinds, and this game has none"):
        read_bet(spot, spot.betting_after(()), "3bb")


def test_play_at_three_seats(tmp_path: Path) -> None:
    """Every hand tells what each seat won, as the log has it, and you are called you throughout."""
    log = tmp_path / "hands.phhs"
    game = "no_limit_holdem(seats=3, stack=50)"
    result = sit(
        "c\n" * 100, "random", "always-raise", "--game", game, "--seed", "3", "--hands", "3", "--log", str(log)
    )
    records = cp.read_log(log).records
    told = [line for line in result.stdout.splitlines() if line.startswith("  payoffs: ")]
    assert len(told) == len(records) == 3
    for line, record in zip(told, records, strict=True):
        parts = (part.rsplit(" ", 1) for part in line.removeprefix("  payoffs: ").split(", "))
        won = {name: float(chips.replace(",", "")) for name, chips in parts}
        assert set(won) == {"you", "random", "always-raise"}
        assert tuple(won.values()) == record.payoffs
    assert "human" not in result.stdout


def test_play_works_at_once() -> None:
    """Without a name the blueprint of the package sits down, in its own game, and answers any bet."""
    result = sit("c\n1234\n" + "c\n" * 6 + "q\n", "--seed", "1")
    assert result.exit_code == 0, result.output
    assert "blueprint has the button" in result.stdout
    assert "against blueprint" in result.stdout
    assert "stacks: you 19,900" in result.stdout
    small = sit("q\n", "--seed", "1", "--game", "no_limit_holdem(stack=50)").stdout
    assert small.count("blueprint was made for stacks of 20,000 chips") == 1


def test_scores_are_written_for_players() -> None:
    """Thousands have commas and nothing is in scientific notation."""
    game = ("no_limit_holdem", ["probe"])
    one = SessionResult(*game, 1, "mbb", 12_000.0, 12_000.0, None, 0)
    assert one.describe() == "1 hand: +12,000 mbb"
    many = SessionResult(*game, 40, "mbb", -1_000_000.0, -25_000.0, 130_812.4, 0)
    assert many.describe() == (
        "40 hands: -1,000,000 mbb, -25,000 ± 130,812 mbb per hand (95 %): cannot be told from luck"
    )
    few = SessionResult(*game, 2, "mbb", -1_000.0, -500.0, 0.0, 0)  # two hands that paid alike
    assert few.describe() == "2 hands: -1,000 mbb, -500 mbb per hand: too few hands to tell skill from luck"
    alike = SessionResult(*game, 40, "mbb", -20_000.0, -500.0, 0.0, 0)
    assert alike.describe() == "40 hands: -20,000 mbb, -500 mbb in every hand"
    three = sit("f\n", "random", "always-raise", "--game", "no_limit_holdem(seats=3, ante=5)", "--seed", "3")
    assert (
        "always-raise has the button, you have the small blind of 50, random has the big blind of 100, "
        "everybody antes 5" in three.stdout
    )


def test_play_small_games_as_json() -> None:
    result = sit("zz\np\nb\n" * 20, "random", "--game", "kuhn_poker", "--hands", "4", "--seed", "2", "--json")
    found = json.loads(result.stdout)
    assert (found["hands"], found["unit"], found["opponents"]) == (4, "antes", ["random"])
    assert "'zz' is no action here" in result.stderr
    assert found["ci95"] > 0
    assert "you act first, then random; everybody antes 1" in result.stderr
    assert "  p = check, b = bet 1 > " in result.stderr
    assert "  p = fold, b = call 1 > " in result.stderr
    nothing = sit("", "probe", "--game", "leduc_poker", "--seed", "0")
    assert nothing.stdout.endswith("no hand was finished\n")
    many = sit("", "probe", "random", "probe")
    assert many.exit_code == 2
    assert "has 2 seats, so one opponent, not 3" in many.stderr


def test_play_leduc_in_words() -> None:
    """Who did what, the public card, the pot and what the letters mean; words are understood too."""
    told = sit("check\n" + "c\n" * 3, "always-raise", "--game", "leduc_poker", "--hands", "1", "--seed", "3").stdout
    assert "  c = check, r = bet 2 > " in told
    assert "  round 1: you: check, always-raise: bet 2\n  you have J   pot 4\n" in told
    assert "  f = fold, c = call 2, r = raise by 2 > " in told
    assert "  round 1: you: check, always-raise: bet 2, you: call 2\n" in told
    assert "  round 2: you: check, always-raise: bet 4, you: call 4\n  you had J   public card K   pot 14\n" in told
    assert "  always-raise had " in told
    assert "score: 1 hand: -7 antes" in told or "score: 1 hand: +7 antes" in told


@pytest.mark.long
def test_a_killed_match_continues_with_the_same_hands(tmp_path: Path) -> None:
    """SIGKILL, at any moment and twice, loses and repeats no hand."""
    kept, log = tmp_path / "m.results", tmp_path / "m.jsonl"
    words = ["match", "probe", "random", "--game", "leduc_poker", "--hands", "1500", "--seed", "8", "--duplicate"]
    command = [sys.executable, "-c", "from counterpoise.cli import main; main()", *words, "--json"]
    for lines in (3, 9):
        process = subprocess.Popen([*command, "--log", str(log), "--resume", str(kept)], stdout=subprocess.DEVNULL)
        while not kept.exists() or kept.read_bytes().count(b"\n") < lines:
            time.sleep(0.005)
            assert process.poll() in (None, 0)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    done = subprocess.run([*command, "--log", str(log), "--resume", str(kept)], capture_output=True, check=True)
    found = json.loads(done.stdout)
    options: dict[str, Any] = {"seed": 8, "duplicate": True, "log": tmp_path / "whole.jsonl", "progress": False}
    whole = cp.match("leduc_poker", ["probe", "random"], 1500, **options)
    assert (found["hands"], found["agents"][0]["mean_per_hand"]) == (1500, whole.agents[0].mean)
    assert log.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_the_game_is_that_of_the_first_saved_strategy(ask: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    file = tmp_path / "kuhn.cpz"
    cp.solve("kuhn_poker", iterations=5, progress=False).save(file)
    assert ask("match", "random", f"strategy:{file}", "--hands", "20")["game"] == "kuhn_poker"
    assert ask("match", "random", "probe", "--hands", "5")["game"] == "no_limit_holdem"
    assert "kuhn_poker" in sit("q\n", f"strategy:{file}").stdout


def test_a_spot_brings_its_game(ask: Callable[..., dict[str, Any]], refuse: Callable[..., str], tmp_path: Path) -> None:
    spot = cp.Spot(board="Ks 7d 4c Jd 2s", pot=100, stack=50, oop="AA,KQs", ip="QQ,T9s", river={"bet": ["allin"]})
    cp.solve_spot(spot, iterations=50, progress=False).save(tmp_path / "river.cpz")
    spot.save(tmp_path / "river.toml")
    agent = f"spot:{tmp_path / 'river.cpz'}"
    found = ask("match", agent, "always-call", "--hands", 20, "--duplicate", "--log", tmp_path / "m.jsonl")
    assert found["game"].startswith("holdem_spot(")
    assert len(cp.read_log(tmp_path / "m.jsonl").records) == 40
    same = ask("match", agent, "always-call", "--hands", 20, "--duplicate", "--game", tmp_path / "river.toml")
    assert [one["mean_per_hand"] for one in same["agents"]] == [one["mean_per_hand"] for one in found["agents"]]
    assert "is for the spot" in refuse("match", agent, "random", "--game", "limit_holdem")
    assert "No such file" in refuse("match", "random", "random", "--game", tmp_path / "none.toml")


def test_rounds_without_bets_are_told_by_their_cards_alone() -> None:
    """After an all-in the cards follow, and a handful of hands proves nothing."""
    words = ("always-call", "--game", "no_limit_holdem(stack=5)", "--hands", "3", "--seed", "1")
    found = sit("allin\n" * 3, *words).stdout
    told = [line for line in found.splitlines() if line.startswith(("  flop", "  turn", "  river"))]
    assert len(told) == 9
    assert not any(":" in line for line in told)
    assert "too few hands to tell skill from luck" in found
    assert "more than luck" not in found


def test_a_match_that_was_kept_whole_says_so(call: Callable[..., Result], tmp_path: Path) -> None:
    words = ("match", "probe", "random", "--game", "kuhn_poker", "--hands", "100", "--resume", tmp_path / "m.results")
    assert "were kept" not in call(*words).stdout
    again = call(*words).stdout
    assert "100 of the deals were kept in" in again
    assert "hands per CPU second" not in again
