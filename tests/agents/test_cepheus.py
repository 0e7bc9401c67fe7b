"""Cepheus at the table: the strategies of a folder, judged by another code than that which found them."""

from __future__ import annotations

from pathlib import Path
from random import Random
from shutil import copytree

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.acpc.gamefile import format_game, parse_game
from counterpoise.agents import make_agent
from counterpoise.evaluation.best_response import best_response_to
from tests.solvers.out_of_core.small import SMALL, TURN, run, solved

CHIPS = SMALL.replace(")", ", blinds=[5, 10])")


def named(folder: Path) -> str:
    return f"cepheus:{folder}"


@pytest.mark.parametrize("game", [SMALL, pytest.param(TURN, marks=pytest.mark.slow)])
def test_its_exploitability_is_what_the_run_says(game):
    """The walk of best responses, in double precision, finds what the run finds in its own parts."""
    folder, found = solved(game)
    judged = best_response_to(game, named(folder), progress=False)
    assert judged.exploitability == pytest.approx(found.mbb_per_game, rel=1e-6)
    low, high = judged.value_bracket
    assert (-high, -low) == pytest.approx(found.value_bracket, rel=1e-6)


def test_suits_mean_nothing_to_it():
    """On all boards, not on one of each kind, it is worth the same: no hand is played otherwise in other suits."""
    folder, found = solved()
    judged = best_response_to(SMALL, named(folder), suits_alike=False, progress=False)
    assert judged.exploitability == pytest.approx(found.mbb_per_game, rel=1e-6)


def test_it_says_what_it_does_with_every_hand():
    folder, found = solved()
    rules = cp.load(SMALL)
    agent = make_agent(named(folder)).sit(rules, 1, Random(0))
    for kind, opening in found.first_round[""].items():
        before = agent.probabilities(())
        hands = [hand for hand in before.hands if kind in (hand[0] + hand[2], hand[::2] + "os"[hand[1] == hand[3]])]
        rows = [list(before.of_hand(hand).values()) for hand in hands]
        np.testing.assert_allclose(np.mean(rows, axis=0), list(opening.values()), atol=1e-6)
    public = ("b4", "c", "AsKhQd")
    after = agent.sit(rules, 0, Random(0)).probabilities(public)
    for hand, row in zip(after.hands, after.table, strict=True):
        blocked = bool({hand[:2], hand[2:]} & {"As", "Kh", "Qd"})
        assert row.sum() == pytest.approx(0 if blocked else 1)
    with pytest.raises(cp.InputError, match="seat 1 is not to act after b4:c:AsKhQd"):
        agent.probabilities(public)


def test_it_plays_matches_at_blinds_of_other_sizes():
    """The ACPC's chips are five times as many; AIVAT takes out luck, and processes change nothing."""
    folder, _ = solved()
    rules = parse_game(format_game(cp.load(CHIPS)))
    here, there = (
        cp.match(rules, [named(folder), "random"], 40, seed=1, aivat=True, block=20, processes=count, progress=False)
        for count in (1, 2)
    )
    assert here.agents[0].forfeits == {"error": 0, "illegal": 0, "late": 0}
    assert here.agents[0].aivat_ci95 < here.agents[0].ci95
    assert here.agents[0].aivat_mean == there.agents[0].aivat_mean
    agent = make_agent(named(folder)).sit(rules, 1, Random(0))
    assert agent.probabilities(()).actions == ("f", "c", "b20")
    with pytest.raises(cp.InputError, match="b21 is no bet of limit_holdem"):
        agent.probabilities(("b21",))


def test_it_keeps_to_the_update_that_it_has_opened(tmp_path):
    folder = tmp_path / "going"
    run(folder, 2)
    agent = make_agent(named(folder)).sit(cp.load(SMALL), 1, Random(0))
    before = agent.probabilities(("c", "c", "AsKhQd", "c")).table
    run(folder, 3)
    again = agent.sit(cp.load(SMALL), 1, Random(0))
    assert (again.probabilities(("c", "c", "AsKhQd", "c")).table == before).all()
    run(folder, 6)
    with pytest.raises(cp.InputError, match=r"has gone on since it was opened: open it again"):
        again.probabilities(("c", "c", "KsKhKd", "c"))  # in another part, which it has not read
    renewed = make_agent(named(folder)).sit(cp.load(SMALL), 1, Random(0))
    assert (renewed.probabilities(("c", "c", "AsKhQd", "c")).table != before).any()
    assert renewed.strategy_id != agent.strategy_id


def test_a_damaged_block_is_said(tmp_path):
    folder = tmp_path / "damaged"
    copytree(solved()[0], folder)
    agent = make_agent(named(folder)).sit(cp.load(SMALL), 1, Random(0))
    for path in folder.glob("*-00000006.regrets"):
        raw = bytearray(path.read_bytes())
        raw[-3] ^= 1
        path.write_bytes(raw)
    with pytest.raises(cp.InputError, match=r"part\d+-seat1-00000006.regrets is damaged: its checksum is wrong"):
        agent.probabilities(("c", "c", "AsKhQd", "c"))


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        ("leduc_poker", "it plays limit_holdem only"),
        ("limit_holdem", "it knows a deck of 12 cards, not 52"),
        (TURN, r"its rounds have 0, 3 new public cards, not 0, 3, 1"),
        ("limit_holdem(board=[0, 3], ranks=3)", "max_bets must be 2, 2, not 4, 4"),
        ("limit_holdem(board=[0, 3], ranks=3, max_bets=2, rake=5)", "it was solved without rake"),
        ("limit_holdem(board=[0, 3], ranks=3, max_bets=2, stack=3)", "stacks must be 400, 400, not 6, 6"),
        ("limit_holdem(board=[0, 3], ranks=3, max_bets=2, ante=1)", "ante must be 0, not 1"),
    ],
)
def test_other_games_are_refused(game, reason):
    with pytest.raises(
        cp.InputError, match=rf"cepheus:.* plays limit_holdem\(.*\), not {game.split('(')[0]}.*{reason}"
    ):
        make_agent(named(solved()[0])).sit(cp.load(game), 0, Random(0))


def test_folders_without_a_run_are_refused(tmp_path):
    for name, wrong in (
        ("cepheus", "name its folder after a colon, as in cepheus:flop_holdem"),
        (f"cepheus:{tmp_path}", "has no run of limit hold'em: solve GAME --out-of-core DIR makes one"),
        (f"cepheus:{tmp_path / 'none'}", "is no folder"),
    ):
        with pytest.raises(cp.InputError, match=wrong):
            make_agent(name)
