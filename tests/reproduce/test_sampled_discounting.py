"""Brown 2020, figures 3.6 and 3.7, shortened; parts with published endgames are skipped without COUNTERPOISE_DATA."""

import numpy as np
import pytest

from counterpoise.cards import Range, parse_cards
from counterpoise.errors import InputError
from counterpoise.progress import SilentProgress
from counterpoise.reproduce import EXPERIMENTS, Lab
from counterpoise.reproduce.brown.discounting import ALGORITHMS, INITIAL, LINEAR, PLUS, VANILLA, sample_endgame
from counterpoise.reproduce.harness.published import published
from counterpoise.spots.endgames import EndgameSpot, load_endgame

RIVER = published("sampled_discounting")["subgame"]
IDS = {3: "brown-3.6", 4: "brown-3.7"}


@pytest.fixture(scope="module")
def made_up():
    """A river of our own with few hands, so that it needs no files."""
    rng = np.random.default_rng(4)
    kept = [np.where(rng.random(1_326) < 0.05, rng.random(1_326), 0.0) for _ in range(2)]
    return EndgameSpot(3, tuple(parse_cards("2s 3h 9d Jc Ks")), 800, (Range(kept[0]), Range(kept[1])))


def test_all_runs_go_equally_far(made_up):
    """Same seeds for all algorithms: identical up to the end of the first period, apart from the floored one."""
    lab = Lab()
    found = sample_endgame(lab, made_up, [50_000, 100_000, 400_000], seeds=2, period=100_000)
    assert not lab.interrupted
    assert found.last == 400_000
    for mark in (50_000, 100_000):
        assert found[LINEAR, mark] == pytest.approx(found[VANILLA, mark], rel=1e-4)
        assert found[INITIAL, mark] == pytest.approx(found[VANILLA, mark], rel=1e-4)
    assert found[PLUS, 100_000] != pytest.approx(found[VANILLA, 100_000], rel=1e-3)
    first, second = found[VANILLA, 400_000]
    assert first != second
    for label in ALGORITHMS:
        assert found.mean(label, 400_000) < found.mean(label, 50_000)
    assert found.mean(LINEAR, 400_000) < found.mean(VANILLA, 400_000)


def test_a_budget_ends_all_runs_at_the_same_mark(made_up):
    notes, live = [], SilentProgress()
    live.note = notes.append
    marks = [20_000, 10**12]
    found = sample_endgame(Lab(live, seconds=1), made_up, marks, seeds=1, period=10_000)
    assert found.last == 20_000
    assert notes == ["the time allows 20,000 nodes for each of 4 runs"]


@pytest.mark.slow
@pytest.mark.parametrize("number", RIVER)
def test_the_end_of_the_first_period_is_that_of_the_reference(folder, number):
    """Ten million nodes, before any discount; runs of other seeds differ by about 2 %."""
    first = 10_000_000
    found = sample_endgame(Lab(), load_endgame(folder, number), [first], seeds=1, period=first)
    for label, figures in RIVER[number].items():
        assert found.mean(label, first) == pytest.approx(figures[first], rel=0.08)


@pytest.mark.long
def test_19_linear_beats_vanilla_and_the_floor_does_not(folder, tmp_path):
    """Subgame 3 after ten periods: linear at most 0.6 of vanilla, with floor and linear average at least 1.5 times.

    Periods of a million nodes; the experiment itself runs ten times as far with five runs.
    """
    report = EXPERIMENTS["brown-3.6"].run(
        SilentProgress(), tmp_path, folder, nodes=10_000_000, seeds=2, period=1_000_000
    )
    assert [claim.holds for claim in report.claims] == [True] * 4, report.claims
    assert "at 10,000,000 nodes" in report.claim("linear-better").detail
    runs = report.data["runs"]["subgame 3"]
    assert set(runs) == set(ALGORITHMS)
    assert [len(point["exploitability"]) for point in runs[VANILLA]] == [2] * 9
    assert [row[0] for row in report.tables[0].rows] == list(ALGORITHMS)
    assert report.figures[0].stat().st_size > 10_000


@pytest.mark.parametrize("number", IDS)
def test_registered(number):
    experiment = EXPERIMENTS[IDS[number]]
    assert experiment.source.endswith(f"figure 3.{number + 3}")
    with pytest.raises(InputError, match=r"name their folder with --data"):
        experiment.run(SilentProgress())
