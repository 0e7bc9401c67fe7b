"""What a day's hands say about the holes of a blueprint."""

from __future__ import annotations

from pathlib import Path

import pytest

import counterpoise as cp
from counterpoise.abstraction.translation import midpoint
from counterpoise.blueprint.gaps import Bet, SizeGap, Trigger, first_round_bets, menu_sizes, most_common_bet, score_gaps
from counterpoise.logs import Heading, Log
from counterpoise.logs.record import HandRecord

GAME = cp.load("no_limit_holdem(ranks=6, stack=20, sizes=['50%', '100%', 'allin'])")


def test_gap_scores_and_midpoints() -> None:
    """Sizes 0.5 and 1, bets 0.6, 0.7, 0.9: 0.4; midpoints 0.7142857, 1/3, 1/7, 3/5."""
    assert {0.5, 1.0} < menu_sizes(GAME, ()).keys()
    bets = [Bet((), size) for size in (0.6, 0.7, 0.9)]
    (gap,) = score_gaps(bets, GAME)
    assert (gap.situation, gap.low, gap.high) == ((), 0.5, 1.0)
    assert gap.score == pytest.approx(0.4, abs=1e-12)
    assert gap.midpoint == pytest.approx(2.5 / 3.5, abs=1e-12)
    assert midpoint(0, 1) == pytest.approx(1 / 3)
    assert midpoint(0, 1 / 3) == pytest.approx(1 / 7)
    assert midpoint(1 / 3, 1) == pytest.approx(3 / 5)


def test_gaps_are_ranked_by_situation_and_narrowed_by_more_sizes() -> None:
    bets = [Bet((), 0.6), Bet((), 1.0), Bet((), 2.0), Bet(("b200",), 0.75), Bet(("b200",), 0.75)]
    gaps = score_gaps(bets, GAME)
    assert [(gap.situation, gap.low, gap.high) for gap in gaps] == [((), 1.0, 9.5), (("b200",), 0.5, 1), ((), 0.5, 1)]
    assert [gap.score for gap in gaps] == pytest.approx([1.0, 0.5, 0.1])  # a size of the menu has no distance
    narrowed = score_gaps(bets, GAME, {(): [2.0, 0.55]})
    assert narrowed == [gaps[1], SizeGap((), 0.55, 1.0, pytest.approx(0.05))]
    assert most_common_bet(bets) == Bet(("b200",), 0.75)
    assert most_common_bet([]) is None


def test_trigger() -> None:
    """7 bets of one size do not trigger, 8 do, one other size resets; situations are counted apart."""
    trigger, bet = Trigger(), Bet((), 0.75)
    for _ in range(7):
        trigger.add(bet)
        trigger.add(Bet(("b200",), 0.6))
    assert not trigger.holds(bet)
    trigger.add(Bet((), 0.7501))  # the same but for rounding to chips
    assert trigger.holds(bet)
    assert not trigger.holds(Bet(("b200",), 0.6))
    assert not trigger.holds(Bet((), 0.8))
    trigger.add(Bet((), 0.8))
    assert not trigger.holds(bet)
    for _ in range(7):
        trigger.add(bet)
    assert not trigger.holds(bet)
    trigger.add(bet)
    assert trigger.holds(bet)


def hand(*events: str) -> HandRecord:
    return HandRecord(0, 0, ("us", "them"), ("AsKs", "QhQd", *events), (0.0, 0.0))


def test_bets_of_opponents_in_the_first_round() -> None:
    """Sizes are shares of the pot after a call; earlier bets that the blueprint lacks count as the nearest it has."""
    table = cp.load("no_limit_holdem(ranks=6, stack=20, sizes=any)")
    records = [
        hand("b250", "c", "AhTs9c", "b400", "f"),  # seat 1 has the button
        hand("c", "b250", "b700", "f"),
        hand("b230", "b690", "b1150", "f"),
        hand("b210", "f"),
    ]
    bets = first_round_bets(Log(Heading(table.name), table, records), GAME, {"us"})
    assert [(bet.situation, round(bet.size, 6)) for bet in bets] == [
        ((), 0.75),
        (("c", "b300"), round(450 / 500, 6)),  # 250 chips are 0.75 of the pot, beyond the midpoint 0.714
        ((), 0.65),
        (("b200", "b600"), round(460 / 1380, 6)),
        ((), 0.55),
    ]
    every = first_round_bets(Log(Heading(table.name), table, records), GAME, ())
    assert len(every) == 7
    other = cp.load("no_limit_holdem(ranks=6, stack=30)")
    with pytest.raises(cp.InputError, match=r"the log is of .*stack=30.*, the blueprint of"):
        first_round_bets(Log(Heading(other.name), other, []), GAME, ())


def test_logs_of_matches_are_read(tmp_path: Path) -> None:
    log = tmp_path / "hands.log"
    cp.match(GAME, ["random", "always-call"], 40, seed=1, log=log, progress=False)
    read = cp.read_log(log)
    assert not first_round_bets(read, GAME, {"random"})
    assert score_gaps(first_round_bets(read, GAME, {"always-call"}), GAME) == []  # all of the menu
