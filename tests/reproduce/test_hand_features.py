"""Johanson 2016, table 5.2 and figures 5.2 and 5.3: sizes of abstractions, and what makes hands alike."""

import pytest

from counterpoise.reproduce.harness.published import published

SIZES, HISTOGRAMS, OCHS = "johanson-5.2-sizes", "johanson-5.2-histograms", "johanson-5.3-ochs"


def test_misprints_are_named(perform) -> None:
    """Every figure of table 5.2 is right but the second round of two columns and their totals."""
    report = perform(SIZES)
    wrong = report.claim("printed-right")
    assert wrong.holds is False
    assert wrong.detail.count("700 should be 7,000") == wrong.detail.count("57,337,080") == 2
    false = {claim.id for claim in report.claims if not claim.holds}
    assert false == {"printed-right", "exchange", "recall-forbids", "nesting"}


@pytest.mark.parametrize("key", ["shapes-differ", "emd-merges-rows"])
def test_histograms_merge_hands_of_the_same_shape(perform, key: str) -> None:
    """What figure 5.2 says of shapes holds on the turn already."""
    assert perform(HISTOGRAMS, streets=3).claim(key).holds


@pytest.mark.long
def test_all_claims_and_figures_of_the_whole_game(perform) -> None:
    """On all rivers every claim of figure 5.2 holds, and every distance is the reference's to four digits."""
    report = perform(HISTOGRAMS)
    assert all(claim.holds for claim in report.claims)
    known = published("hand_features")["hands"]
    for name, own in report.data["hands"].items():
        assert own["E[HS]"] == pytest.approx(known[name]["mean"], abs=1e-5)
    for row in report.tables[1].to_json()["rows"]:
        if row["EMD, reference"] != "-":
            assert float(row["EMD"]) == pytest.approx(float(row["EMD, reference"]), abs=6e-4)


@pytest.mark.slow
def test_vectors_tell_more_than_expected_strength(perform) -> None:
    """The claims of figure 5.3 hold on the turn already, and each vector has eight chances of winning."""
    report = perform(OCHS, streets=3)
    assert all(claim.holds for claim in report.claims)
    assert all(len(vector) == 8 and 0 < min(vector) < max(vector) < 1 for vector in report.data["OCHS"].values())
