"""Spots whose bets are listed line by line: the same game as the sizes that make these lines, in files too."""

import tomllib

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.betting.sizes import BetSizes
from counterpoise.errors import InputError
from counterpoise.spots.engine import build_game
from counterpoise.spots.solve import unsolved
from tests.betting.test_lines import lines_of
from tests.spots.conftest import TURN

FIELDS = {"board": "Qs Jh 2h 8d 3c", "pot": 90, "stack": 400, "oop": "TT+,AK", "ip": "22+,A5s:0.5"}
LINES = [[0, 0], [50, 150, 400], [0, 50]]


def test_a_spot_of_lines_is_the_game_of_the_sizes_that_make_them():
    sizes = cp.Spot(**TURN)
    fields = {key: value for key, value in TURN.items() if key not in ("flop", "turn", "river")}
    listed = lines_of(sizes.betting, BetSizes.read(sizes.size_tables, sizes.first_round))
    spot = cp.Spot(**fields, lines=[list(line) for line in listed])
    assert build_game(spot).digest == build_game(sizes).digest
    assert spot.rules.size() == sizes.rules.size()


def test_files_keep_lines(tmp_path):
    spot = cp.Spot(**FIELDS, lines=LINES, forced=[[0, 50]])
    assert cp.Spot.from_dict(tomllib.loads(spot.to_toml())) == spot
    solution = cp.solve_spot(spot, iterations=20, threads=1, progress=False)
    solution.save(tmp_path / "lines.cpz")
    again = cp.load_solution(tmp_path / "lines.cpz")
    assert again.spot == spot
    assert again.node("r:0:c").actions == ("b50",)
    assert np.array_equal(again.root.probabilities, solution.root.probabilities)


def test_what_needs_sizes_is_refused():
    spot = cp.Spot(**FIELDS, lines=LINES)
    for ask in (cp.optimise_sizes, lambda one: cp.simplify_sizes(one, 1.0)):
        with pytest.raises(InputError, match="lists lines instead"):
            ask(spot)
    with pytest.raises(InputError, match="lines and river exclude each other"):
        cp.Spot(**FIELDS, lines=LINES, river={"bet": ["50%"]})
    with pytest.raises(InputError, match="lines must be at most 100,000 lists"):
        cp.Spot(**FIELDS, lines=[[0, -1]])
    with pytest.raises(InputError, match=r"needs .* leave out some of its lines"):
        cp.estimate(spot, memory_mb=1e-3)


def test_a_spot_before_its_first_iteration_is_solved_on_in_place():
    spot = cp.Spot(**FIELDS, lines=LINES)
    start = unsolved(spot, threads=1)
    assert start.iterations == 0
    assert start.root.strategy("AcAd") == {"c": 0.5, "b50": 0.5}
    tables = start.solver.average.store.wide
    found = cp.solve_spot(resume=start, in_place=True, iterations=50, threads=1, progress=False)
    assert found.solver.average.store.wide is tables
    other = cp.solve_spot(spot, iterations=50, threads=1, progress=False)
    assert np.array_equal(other.root.probabilities, found.root.probabilities)
    with pytest.raises(InputError, match="in_place needs a solution to resume"):
        cp.solve_spot(spot, in_place=True)
