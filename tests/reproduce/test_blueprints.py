"""Brown 2020, sections 6.3, 6.4 and 6.6, shortened: what training saves, figure 6.1, limps and donk bets, and Leduc."""

import pytest

from counterpoise.progress import SilentProgress
from counterpoise.reproduce import EXPERIMENTS
from counterpoise.reproduce.brown.blueprints import by_hand, rbs, variants

TWO = "no_limit_holdem(ranks=4, stack=8)"
THREE = "no_limit_holdem(seats=3, ranks=4, stack=10)"
SMALL = {"hands": 10_000, "fixed_hands": 40_000, "deals": 20_000, "seeds": 1}


@pytest.mark.long
@pytest.mark.parametrize(("id", "game"), [("brown-6-hunl24", TWO), ("brown-6-6max24", THREE)])
def test_what_training_saves(perform, id, game):
    """All claims are judged, losses fall, skipping visits no more nodes, lazy tables are within whole ones."""
    report = perform(id, game=game, **SMALL, thresholds=(100, 1), period=100)
    runs = report.data["runs"][game]
    assert list(runs) == list(variants((100, 1)))
    for label, run in runs.items():
        trace = run["trace"]
        losses = [point["mbb lost to the fixed blueprint"] for point in trace]
        assert losses[-1] < losses[0] / 2, label
        assert trace[-1]["iteration"] == SMALL["hands"]
        assert run["table_mb"] <= run["whole_table_mb"]
        assert run["decisions_met"] <= run["decisions"]
    nodes = {label: run["trace"][-1]["nodes_touched"] for label, run in runs.items()}
    assert nodes[rbs(1)] < nodes["plain"]
    assert nodes[by_hand(1)] < nodes["linear"]
    assert report.claim("visits-fall").holds is True
    assert report.claim("lazy-half").holds is not None
    assert {claim.id for claim in report.claims} == set(EXPERIMENTS[id].claims)
    assert len(report.tables) == 2


@pytest.mark.slow
def test_figure_6_1(tmp_path):
    """Runs that skip in the second half only are plain until then; a figure is drawn."""
    report = EXPERIMENTS["brown-6.1"].run(SilentProgress(), tmp_path, game=TWO, **SMALL, threshold=1)
    runs = report.data["runs"][TWO]
    plain, late = (runs[label]["trace"] for label in ("plain", f"{rbs(1)}, second half"))
    middle = [k for k, point in enumerate(plain) if point["iteration"] <= SMALL["hands"] // 2][-1]
    assert plain[middle]["nodes_touched"] == late[middle]["nodes_touched"]
    assert plain[-1]["nodes_touched"] > late[-1]["nodes_touched"]
    assert report.claim("rbs-ahead").holds is not None
    assert report.figures[0].stat().st_size > 10_000


@pytest.mark.slow
def test_limps_and_donk_bets(perform):
    """Shares by snapshot, of the small blind apart from the other seats."""
    report = perform("brown-6.6-habits", game=THREE, hands=16_000, snapshots=3, deals=10_000, period=None)
    found = report.data["snapshots"]
    assert [one["hands"] for one in found] == [4_000, 8_000, 16_000]
    assert all(0 < one["limps_of_others"] < 1 and 0 < one["donk_bets"] < 1 for one in found)
    assert all(claim.holds is not None for claim in report.claims)


@pytest.mark.slow
def test_leduc(perform):
    """Linear weights are ahead at 1,000 iterations over ten seeds; small thresholds freeze."""
    report = perform("brown-6-leduc", iterations=1_000, seeds=10)
    assert report.claim("linear-early").holds
    assert report.claim("freezes").holds is not None
    figures = report.data["milli_chips"]
    assert figures["linear, 1000"] == pytest.approx(468, rel=0.45)
    assert figures["external sampling, 1000"] == pytest.approx(630, rel=0.5)
