"""What models from data are worth in Leduc, in thousandths of an ante."""

import pytest

from counterpoise.exploit import counter_strategy
from counterpoise.reproduce.harness.report import Lab
from counterpoise.reproduce.johanson.opponents import FEW, GAME, PROBE, OpponentStudy
from counterpoise.tree import evaluate

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def figure_1(perform):
    return perform("johanson-6.1", grid=(0.5, 0.7, 0.9, 0.97))


@pytest.fixture(scope="module")
def figure_2(perform):
    return perform("johanson-6.2", grid=(0.5, 0.7, 0.9, 0.97, 0.99))


def test_five_seeds():
    """At 0.93 with 1,000 games RNR wins less than an equilibrium from the true opponent, 0-10 Linear more than 50."""
    for seed in range(5):
        opponents = OpponentStudy(Lab(), 400, seed)
        model, truth = opponents.model((FEW, PROBE)), opponents.true_opponent
        rnr, dbr = (
            counter_strategy(GAME, model, method, truth=truth, iterations=400, progress=False)
            for method in ("rnr(p=0.93)", "dbr(p=0.93)")
        )
        assert rnr.true_exploitation < 0.027
        assert dbr.true_exploitation > 0.05
        assert dbr.exploitability < 0.2
    assert evaluate(opponents.tree, truth.profile).exploitability == pytest.approx(0.1655, abs=0.002)


def test_confidence_functions(figure_2):
    """1-Step at 0.97 wins less than an equilibrium's 27, the other three more at every Pmax."""
    found = figure_2.data["figures"]
    assert found["1,000 games against Probe, 1-Step, 0"]["true"] == pytest.approx(27.2, abs=2)
    assert found["1,000 games against Probe, 1-Step, 0.97"]["true"] < 27
    for name in ("10-Step", "0-10 Linear", "1-Curve"):
        for p in (0.5, 0.7, 0.9, 0.97, 0.99):
            assert found[f"1,000 games against Probe, {name}, {p}"]["true"] > 27


def test_self_play(figure_1, figure_2):
    """With 100,000 games of self-play RNR wins at most 80 at 0.97, 0-10 Linear at least 130."""
    key = "100,000 games against itself, {}, 0.97"
    assert figure_1.data["figures"][key.format("RNR")]["true"] <= 80
    assert figure_2.data["figures"][key.format("0-10 Linear")]["true"] >= 130


def test_claims(figure_1, figure_2):
    """Every claim of the figures shows in Leduc; that DBR beats RNR on its own ground does not, nor could it."""
    assert all(claim.holds for claim in figure_1.claims)
    assert [claim.id for claim in figure_2.claims if not claim.holds] == ["ahead-of-rnr"]


def test_plenty_of_data_is_like_the_reference(figure_1, figure_2):
    """With 100,000 games against Probe seeds hardly matter, for either method."""
    for found, method, reference in (
        (figure_1, "RNR", {0.5: (12, 54, 56), 0.7: (107, 109, 116)}),
        (figure_2, "0-10 Linear", {0.5: (42, 51, 51), 0.7: (111, 85, 88)}),
    ):
        for p, figures in reference.items():
            own = found.data["figures"][f"100,000 games against Probe, {method}, {p}"]
            assert (own["risk"], own["true"], own["model"]) == pytest.approx(figures, abs=6)
    assert len(figure_1.tables[0].rows) == 20
