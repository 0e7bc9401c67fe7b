"""Brown 2020, figure 4.9: abstractions that grow while they are solved."""

import pytest

from counterpoise.reproduce.brown.growth import FIXED, OURS, TRANSFER
from counterpoise.reproduce.harness.published import published

REFERENCE = published("growth")


def curves(report):
    """Exploitability by snapshot, 100,000 nodes and its doubles, of every run."""
    return {label: [p["exploitability"] for p in run["trace"]] for label, run in report.data["runs"].items()}


def check_fixed(report, snapshots):
    """CFR is deterministic: fixed abstractions differ from the reference by which nodes are counted."""
    for label in FIXED:
        reference = list(REFERENCE["exploitability"][label].values())[:snapshots]
        assert curves(report)[label][:snapshots] == pytest.approx(reference, rel=0.04), label


@pytest.mark.slow
def test_short_run(perform):
    """Four snapshots: the fixed abstractions are the reference's; what needs more is not judged."""
    report = perform("brown-4.9", nodes=800_000)
    assert [p["nodes_touched"] >= 100_000 * 2**k for k, p in enumerate(report.data["runs"][OURS]["trace"])] == [
        True
    ] * 4
    check_fixed(report, 4)
    assert report.data["runs"][OURS]["trace"][0]["size"] == REFERENCE["size"][OURS][100_000]
    assert report.claim("ahead-everywhere").holds is False  # recovery games are charged, and that pays later
    assert report.claim("small-and-low").holds is True
    assert report.claim("twice-worse").holds is True


def test_a_single_snapshot_leaves_trends_untested(perform):
    report = perform("brown-4.9", nodes=100_000)
    assert report.claim("branch-2-fixed-level-off").holds is None
    assert report.claim("transfer-bump").holds is None


@pytest.mark.long
def test_to_25_million_nodes(perform):
    """On the snapshots from 4 10^5 to 2.56 10^7 nodes."""
    report = perform("brown-4.9", nodes=25_600_000)
    check_fixed(report, 9)
    found = curves(report)
    best = [min(found[label][k] for label in FIXED) for k in range(9)]
    ahead = [found[OURS][k] < best[k] for k in range(2, 9)]
    assert sum(ahead) >= 5
    assert ahead[-1]
    assert found[OURS][8] < found[TRANSFER][8]
    assert found[OURS][8] < found["Recovery-2.0"][8]
    assert found[OURS][8] < 0.7 * found[OURS][5]
    for label in ("transfer-worse", "twice-worse", "transfer-discounts", "stronger-condition-helps", "small-and-low"):
        assert report.claim(label).holds is True, label
