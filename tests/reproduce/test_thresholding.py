import pytest

from counterpoise.reproduce.thresholding import EGT_C, EGT_REFERENCE, aggressiveness, thresholding

pytestmark = pytest.mark.xdist_group("thresholding")  # one worker runs each report once


@pytest.fixture(scope="module")
def figure_16(perform):
    return perform(thresholding, leduc_nodes=4e6, leduc5_nodes=1e6)


@pytest.fixture(scope="module")
def figure_17(perform):
    return perform(aggressiveness, leduc_nodes=6e6, leduc5_nodes=1e6)


def verdict(report, text):
    return next(claim for claim in report.claims if text in claim.text)


def test_egt_on_leduc(figure_17):
    """Nodes within 0.5 %, exploitability within 10 % of an independent computation, after 1,000 steps."""
    rows = {row[0]: row for row in figure_17.tables[0].rows}
    for c in EGT_C[:-1]:
        exploitability, millions = EGT_REFERENCE[c]
        assert float(rows[f"{c:g}"][3]) == pytest.approx(millions, rel=0.005)
        assert float(rows[f"{c:g}"][1]) == pytest.approx(exploitability, rel=0.1)


def test_aggressiveness(figure_17):
    """BROWN figure 3.17: d hardly matters to Hedge, and thresholding helps."""
    plain = figure_17.data["runs"]["Hedge, Leduc"]["plain"]["trace"][-1]
    for d in ("0.1", "0.5", "1"):
        cut = figure_17.data["runs"]["Hedge, Leduc"][f"d = {d}"]["trace"][-1]
        assert cut["iteration"] > plain["iteration"]
        assert cut["nash_conv"] < plain["nash_conv"]


def test_hedge_gains_on_leduc(figure_16):
    """Thresholding saves histories, and RBP more of them."""
    table = next(table for table in figure_16.tables if "as a share" in table.caption)
    shares = {(row[0], row[1]): float(row[5]) for row in table.rows}
    assert shares["Hedge", "Hedge, thresholded, RBP"] < shares["Hedge", "Hedge, thresholded"] < 0.8
    gains = {(row[0], row[1]): float(row[2]) for row in table.rows}
    assert gains["Hedge", "Hedge, thresholded, RBP"] > 1.2


def test_what_needs_a_longer_run_is_not_claimed(figure_16):
    """What a run of a few iterations cannot show stays open or is found wrong, beside the figure that says so."""
    far = [claim for claim in figure_16.claims if claim.text.startswith("Leduc-5: thresholding and")]
    assert len(far) == 1
    assert far[0].holds is False
    ratio = float(far[0].detail.split()[0])
    assert 0 < ratio < 7
    same = verdict(figure_16, "Leduc: thresholding does not change regret matching")
    assert same.holds is True
    assert float(same.detail.split()[0]) == pytest.approx(1, abs=0.05)
