"""Reading the published endgames of Libratus; the files themselves where COUNTERPOISE_DATA names them."""

import os
from pathlib import Path

import numpy as np
import pytest

from counterpoise.errors import InputError
from counterpoise.spots.endgames import load_endgame, read_endgame


@pytest.fixture(scope="module")
def folder():
    place = Path(os.environ.get("COUNTERPOISE_DATA", "/nonexistent"))
    if not (place / "subgame1.txt").is_file():
        pytest.skip("COUNTERPOISE_DATA names no folder with the Libratus endgames")
    return place


class TestPublishedFiles:
    @pytest.mark.parametrize(
        ("number", "hands", "mass"),
        [(1, (828, 965), 206_885), (2, (855, 405), 1_204.8), (3, (1_033, 1_059), 84_775), (4, (705, 982), 594.67)],
    )
    def test_hands_and_weight_of_all_pairs(self, folder, number, hands, mass):
        game = load_endgame(folder, number).game()
        assert tuple(len(own) for own in game.hands) == hands
        assert game.pair_mass == pytest.approx(mass, rel=1e-5)

    @pytest.mark.parametrize(("number", "pot", "cards"), [(1, 500, 4), (2, 4_780, 4), (3, 500, 5), (4, 3_750, 5)])
    def test_pot_and_board(self, folder, number, pot, cards):
        endgame = load_endgame(folder, number)
        assert (endgame.pot, len(endgame.board)) == (pot, cards)
        assert endgame.betting.stacks == (20_000 - pot // 2,) * 2


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
