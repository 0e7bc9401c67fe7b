"""Table 5.7 and figures 5.9, 5.11 and 5.12 in very small: everything runs and every claim is judged."""

from __future__ import annotations

from dataclasses import replace

import pytest

from counterpoise.deep.rebel.settings import TURN_HOLDEM
from counterpoise.reproduce import EXPERIMENTS
from counterpoise.reproduce.brown.solved_leaves import AGAIN, CFR_D, DICE, LEDUC, SOUND

TINY = replace(
    TURN_HOLDEM,
    hidden=(8,),
    between=16,
    batch=16,
    draws=1,
    self_play=replace(TURN_HOLDEM.self_play, games=1, leaves=4, endgame_iterations=2),
)


@pytest.mark.long
def test_fictitious_play_on_the_turn(perform):
    """FLOP is between linear FP and linear CFR, whose figures are those of an independent program."""
    report = perform("brown-5.11", iterations=64)
    assert report.claim("flop-beats-linear-fp").holds
    assert report.claim("flop-behind-linear-cfr").holds
    rows = {row[0]: row for row in report.tables[0].rows}
    assert float(rows["linear CFR"][1]) == pytest.approx(float(rows["linear CFR"][2]), rel=0.03)


@pytest.mark.long
def test_search_with_solved_leaves(perform, curve):
    """CFR-D and the sound CFR-AVG are within 10 % of an independent program on Liar's Dice, and in its order."""
    report = perform("brown-5.12", games=(DICE,), last=64)
    assert report.claim("liar-s-dice-1x3-sound-worse").holds
    assert curve(report, DICE, CFR_D)[64] == pytest.approx(0.018, rel=0.1)
    assert curve(report, DICE, SOUND)[64] == pytest.approx(0.0425, rel=0.1)
    assert set(AGAIN.values()) <= set(report.data["runs"][DICE])


@pytest.mark.long
def test_solved_leaves_of_every_game(perform):
    report = perform("brown-5.12", last=16, inner=2)
    assert all(claim.holds is not None for claim in report.claims)
    assert {claim.id.removeprefix("leduc-") for claim in report.claims if claim.id.startswith(LEDUC.lower())} == set(
        EXPERIMENTS["brown-5.12"].claims
    )


@pytest.mark.long
@pytest.mark.parametrize(
    ("id", "sizes"),
    [
        ("brown-5.7-rebel", {"dice": ("1x4",), "updates": 4, "width": 8, "play_throughs": 2, "seconds": 1}),
        ("brown-5.9", {"examples": 32, "marks": (16, 17), "solved": 1, "play_throughs": 1, "settings": TINY}),
    ],
)
def test_all_claims_are_judged(perform, id, sizes):
    report = perform(id, **sizes)
    judged = {claim.id for claim in report.claims if claim.holds is not None}
    # solved values are compared after 16 iterations, which take longer than a test
    assert judged == set(EXPERIMENTS[id].claims) - ({"solved-best"} if id == "brown-5.9" else set())
