"""BROWN figures 3.1 to 3.4. What needs the published endgames is skipped where COUNTERPOISE_DATA does not name them."""

import os
from pathlib import Path

import numpy as np
import pytest

from counterpoise.errors import InputError
from counterpoise.progress import SilentProgress
from counterpoise.reproduce import EXPERIMENTS, Report, Setup
from counterpoise.reproduce.discounting import (
    RIVER_AT,
    SUBGAME_1,
    SUBGAME_1_AT,
    SUBGAME_2,
    SUBGAME_2_AT,
    SUBGAME_3,
    SUBGAME_4,
    subgame3,
    subgame4,
)
from counterpoise.reproduce.endgames import load_endgame, read_endgame, run_endgame
from counterpoise.reproduce.variants import CFR, CFR_PLUS, CFR_PLUS_QUADRATIC, DCFR, LCFR, LCFR_PLUS, VARIANTS

IDS = {1: "brown-3.1-subgame-1", 2: "brown-3.2-subgame-2", 3: "brown-3.3-subgame-3", 4: "brown-3.4-subgame-4"}
RIVER = {3: SUBGAME_3, 4: SUBGAME_4}


@pytest.fixture(scope="session")
def folder():
    place = Path(os.environ.get("COUNTERPOISE_DATA", "/nonexistent"))
    if not (place / "subgame1.txt").is_file():
        pytest.skip("COUNTERPOISE_DATA names no folder with the Libratus endgames")
    return place


@pytest.fixture(scope="module")
def rivers(folder):
    """Exploitability in mbb/g of all variants on both river endgames: [number][label][iteration].

    Medians of three runs that differ in rounding: a single curve may jump by half for a few iterations.
    """
    marks = (1, 10, 100, 512, 1_000)
    found = {}
    for number, reference in RIVER.items():
        endgame = load_endgame(folder, number)
        trees = [other.tree() for other in (endgame, endgame.nudged(1), endgame.nudged(2))]
        found[number] = {
            label: _median([run_endgame(tree, VARIANTS[label], marks) for tree in trees]) for label in reference
        }
    return found


def _median(runs):
    curves = [_curve(run) for run in runs]
    return {t: float(np.median([curve[t] for curve in curves])) for t in curves[0]}


def _curve(run):
    return {point.iteration: point.exploitability for point in run.trace}


def _reference(number, label, iteration):
    return RIVER[number][label][RIVER_AT.index(iteration)]


class TestPublishedFiles:
    @pytest.mark.parametrize(
        ("number", "hands", "mass"),
        [(1, (828, 965), 206_885), (2, (855, 405), 1_204.8), (3, (1_033, 1_059), 84_775), (4, (705, 982), 594.67)],
    )
    def test_hands_and_weight_of_all_pairs(self, folder, number, hands, mass):
        tree = load_endgame(folder, number).tree()
        assert tuple(len(own) for own in tree.hands) == hands
        assert tree.pair_mass == pytest.approx(mass, rel=1e-5)

    @pytest.mark.parametrize(("number", "pot", "cards"), [(1, 500, 4), (2, 4_780, 4), (3, 500, 5), (4, 3_750, 5)])
    def test_pot_and_board(self, folder, number, pot, cards):
        endgame = load_endgame(folder, number)
        assert (endgame.pot, len(endgame.board)) == (pot, cards)
        assert endgame.betting.stacks == (20_000 - pot // 2,) * 2


class TestRiverEndgames:
    """Check 15 on subgames 3 and 4."""

    @pytest.mark.parametrize("number", RIVER)
    def test_the_first_iteration_is_uniform(self, rivers, number):
        for label, found in rivers[number].items():
            assert found[1] == pytest.approx(_reference(number, label, 1), rel=0.001)

    @pytest.mark.parametrize("label", SUBGAME_3)
    @pytest.mark.parametrize("number", RIVER)
    def test_ten_iterations_are_those_of_the_reference(self, rivers, number, label):
        assert rivers[number][label][10] == pytest.approx(_reference(number, label, 10), rel=0.01)

    @pytest.mark.parametrize("iteration", [100, 1_000])
    @pytest.mark.parametrize("label", [CFR, CFR_PLUS, CFR_PLUS_QUADRATIC])
    @pytest.mark.parametrize("number", RIVER)
    def test_cfr_and_cfr_plus_stay_with_the_reference(self, rivers, number, label, iteration):
        assert rivers[number][label][iteration] == pytest.approx(_reference(number, label, iteration), rel=0.05)

    @pytest.mark.parametrize("label", [LCFR, DCFR])
    @pytest.mark.parametrize("number", RIVER)
    def test_discounting_in_single_precision_is_within_a_fifth(self, rivers, number, label):
        """Rounding decides here: matrices in double precision give 3.10 and 6.21, then 5.52 and 2.23."""
        assert rivers[number][label][1_000] == pytest.approx(_reference(number, label, 1_000), rel=0.2)

    def test_order_on_subgame_3(self, rivers):
        found = rivers[3]
        assert found[CFR_PLUS_QUADRATIC][1_000] >= 2 * found[DCFR][1_000]
        assert found[DCFR][1_000] >= 1.5 * found[LCFR][1_000]
        assert found[LCFR_PLUS][512] >= 5 * found[LCFR][512]

    def test_order_on_subgame_4(self, rivers):
        found = rivers[4]
        assert found[CFR_PLUS_QUADRATIC][1_000] >= 1.4 * found[DCFR][1_000]
        assert found[LCFR][1_000] > found[DCFR][1_000]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "at", "reference"), [(1, SUBGAME_1_AT, SUBGAME_1), (2, SUBGAME_2_AT, SUBGAME_2)], ids=["1", "2"]
)
def test_turn_endgames(folder, number, at, reference):
    """Check 15: figures within 5 %; after 64 iterations LCFR is far ahead on subgame 1 and behind on subgame 2.

    The last figure of a curve has 10 %: the order of float32 sums alone has moved it by 6 %.
    """
    at = at[:-1] if number == 2 else at
    tree = load_endgame(folder, number).tree()
    found = {label: _curve(run_endgame(tree, VARIANTS[label], at)) for label in (CFR_PLUS_QUADRATIC, LCFR)}
    for label, curve in found.items():
        assert curve[1] == pytest.approx(reference[label][0], rel=0.001)
        *early, late = zip(curve.values(), reference[label], strict=False)
        assert [ours for ours, _ in early] == pytest.approx([theirs for _, theirs in early], rel=0.05)
        assert late[0] == pytest.approx(late[1], rel=0.1)
    ahead = found[LCFR][64] / found[CFR_PLUS_QUADRATIC][64]
    assert ahead <= 0.7 if number == 1 else ahead > 1


class TestExperiments:
    def test_all_four_figures_are_registered(self):
        for number, id in IDS.items():
            assert EXPERIMENTS[id].source.endswith(f"figure 3.{number}")

    def test_report_of_subgame_4(self, folder, tmp_path):
        report = Report("test", "a test")
        subgame4(Setup(SilentProgress(), tmp_path, folder), report, iterations=200)
        verdicts = {claim.text.split(" (")[0]: claim.holds for claim in report.claims}
        assert verdicts["DCFR matches or outperforms quadratic CFR+"]
        assert verdicts["LCFR+ is worse than LCFR and CFR+"]
        assert verdicts["LCFR does not excel where mistakes are less severe: DCFR is better"]
        assert verdicts["Asymptotically LCFR does worse than quadratic CFR+"] is None, "needs a longer run"
        assert set(report.data["runs"]["subgame 4"]) == set(SUBGAME_4)
        assert set(report.data["rounding"]) == set(SUBGAME_4)
        assert report.figures[0].stat().st_size > 10_000

    def test_a_budget_shortens_the_curves_equally(self, folder):
        report, notes = Report("test", "a test"), []
        live = SilentProgress()
        live.note = notes.append
        subgame3(Setup(live, None, folder, seconds=1), report)
        lengths = {run["iterations"] for run in report.data["runs"]["subgame 3"].values()}
        assert len(lengths) == 1
        assert 10 <= lengths.pop() < 32_768
        assert "ms per iteration: 8 variants to T = " in notes[0]

    @pytest.mark.parametrize("id", IDS.values())
    def test_without_data_one_sentence_says_where_they_are(self, id):
        with pytest.raises(
            InputError, match=r"published at https://\S+: download them and name their folder with --data"
        ):
            EXPERIMENTS[id].run(SilentProgress())

    def test_a_folder_without_the_files(self, tmp_path):
        with pytest.raises(InputError, match=r"cannot read \S*subgame3.txt \(No such file or directory\)"):
            EXPERIMENTS[IDS[3]].run(SilentProgress(), data=tmp_path)


REACH = " ".join(f"{weight:.4f}" for weight in np.random.default_rng(1).random(2_652))
LINES = {"-round": "4", "-board": "2s3h4d5cKs", "-pot": "800", "-reach": REACH}


class TestReader:
    """A made-up endgame, whole and with one thing wrong at a time."""

    @staticmethod
    def write(place, lines):
        path = place / "subgame3.txt"
        path.write_text("".join(f"{key} {value}\n" for key, value in lines.items()))
        return path

    def test_whole(self, tmp_path):
        endgame = read_endgame(self.write(tmp_path, LINES), 3)
        assert endgame.name == "subgame 3"
        assert (endgame.pot, endgame.betting.stacks) == (800, (19_600, 19_600))
        expected = np.array(REACH.split(), dtype=float).reshape(2, 1_326)
        assert [own.weights.tolist() for own in endgame.ranges] == expected.tolist()

    def test_a_nudge_is_one_of_single_precision(self, tmp_path):
        endgame = read_endgame(self.write(tmp_path, LINES), 3)
        for own, other in zip(endgame.ranges, endgame.nudged(1).ranges, strict=True):
            assert own != other
            np.testing.assert_allclose(other.weights, own.weights, rtol=3e-7)

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"-round": "2"}, r"line 1: -round must be 3 \(turn\) or 4 \(river\), not '2'"),
            ({"-board": "2s3h4d5c"}, r"line 2: -board must have 5 cards in round 4, not 4"),
            ({"-board": "2s3h4d5cXs"}, r"line 2: -board: 'Xs' is not a card"),
            ({"-board": "2s3h4d5c2s"}, r"line 2: -board: card 2s is repeated"),
            ({"-pot": "801"}, r"line 3: -pot must be an even number of dollars from 2 to 39,998, not '801'"),
            ({"-pot": "many"}, r"line 3: -pot must be .* not 'many'"),
            ({"-reach": "0.5 0.5"}, r"line 4: -reach must have 2,652 numbers, not 2"),
            (
                {"-reach": REACH[:-6] + "1.5000"},
                r"line 4: -reach, number 2,652 of 2,652, must be from 0 to 1, not '1.5",
            ),
            ({"-reach": "nan" + REACH[6:]}, r"line 4: -reach, number 1 of 2,652, must be from 0 to 1, not 'nan'"),
            ({"-reach": "0 " * 1_326 + "1 " * 1_326}, r"line 4: -reach gives the player out of position no hand"),
            ({"-stack": "5"}, r"line 5: a line must begin with -round, -board, -pot or -reach, not '-stack'"),
        ],
    )
    def test_one_thing_wrong(self, tmp_path, change, message):
        with pytest.raises(InputError, match=rf"subgame3.txt, {message}") as caught:
            read_endgame(self.write(tmp_path, LINES | change), 3)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 300

    def test_missing_and_repeated_fields(self, tmp_path):
        path = self.write(tmp_path, {key: value for key, value in LINES.items() if key != "-pot"})
        with pytest.raises(InputError, match=r"subgame3.txt: the field -pot is missing"):
            read_endgame(path, 3)
        path.write_text("-round 4\n-round 4\n")
        with pytest.raises(InputError, match=r"line 2: -round is given twice"):
            read_endgame(path, 3)

    def test_no_text(self, tmp_path):
        path = tmp_path / "subgame1.txt"
        path.write_bytes(b"\xff\x00")
        with pytest.raises(InputError, match=r"subgame1.txt is not a text file of the Libratus endgames"):
            read_endgame(path, 1)
