"""Every algorithm that may be named on spots: what it needs, and what is refused in the words of a player."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.solvers import ALGORITHMS
from counterpoise.spots.engine import build_game, make_solver, settings_of
from tests.spots.conftest import RIVER, TURN

SETTINGS = {"hedge": "hedge(rate=theory)"}
"""Those whose defaults are for enumerated games."""
NAMES = [SETTINGS.get(name, name) for name in ALGORITHMS if "public" in ALGORITHMS[name].representations()]
COMPUTED = ["cfr-br(output=current)", "pcs(output=current)"]
"""Some whose result is not the average."""
WIDE = TURN | {
    "oop": "22+,A2s+,KTs+,QTs+,JTs,ATo+",
    "ip": "22+,A2s+,K9s+,QTs+,JTs,T9s,AJo+",
    "turn": {"bet": ["50%", "100%"], "raise": ["60%"]},
    "river": {"bet": ["50%", "100%"], "raise": ["60%"]},
}
PLAIN = TURN | {"oop": "AhKh,9d8d,7c7s", "ip": "KdQd,JhTh,AdQc"}
"""A spot that all of them take: walks on full boards need hands of weight 1."""
LOCKED = RIVER | {"lock": [{"node": "r:0", "strategy": {"random": {"c": 1.0}}}]}


def most_memory(spot, algorithm):
    """The most megabytes that a solver takes, iterating and measuring, as Python hands them out."""
    solver = make_solver(settings_of(algorithm), build_game(spot), 1, 32)
    solver.prepare()
    solver.step()  # some kernels load in the first iteration
    del solver
    game = build_game(spot)
    tracemalloc.start()
    try:
        solver = make_solver(settings_of(algorithm), game, 1, 32)
        solver.step(2)
        solver.exploitability()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_estimates_know_how_many_tables_an_algorithm_has():
    """What it takes more than another is told to half a table, whatever else it keeps by hand and board."""
    spot = cp.Spot(**WIDE)
    least, told_least = most_memory(spot, "dcfr"), cp.estimate(spot, algorithm="dcfr").memory_mb[32]
    table = cp.estimate(spot, algorithm="pcfr+").memory_mb[32] - told_least
    assert told_least == pytest.approx(least, abs=table / 2)
    for algorithm in [*NAMES, *COMPUTED, "fp(updates=simultaneous)"]:
        more, told = most_memory(spot, algorithm) - least, cp.estimate(spot, algorithm=algorithm).memory_mb[32]
        assert told - told_least == pytest.approx(more, abs=table / 2), algorithm


def test_tables_of_one_width():
    """Algorithms whose tables are of double precision have no 16 bits to fall back on."""
    spot = cp.Spot(**TURN)
    found = cp.estimate(spot, algorithm="pcs")
    assert found.memory_mb[16] == found.memory_mb[32] > 2 * cp.estimate(spot).memory_mb[32]
    for algorithm in ("pcs", "es-mccfr"):
        with pytest.raises(cp.InputError, match="bits must be 32, not 16"):
            cp.estimate(spot, algorithm=algorithm, bits=16)
        with pytest.raises(cp.InputError, match=r"with 32 bits, and 1e-05 MB may be used"):
            cp.estimate(spot, algorithm=algorithm, memory_mb=1e-5)


@pytest.mark.parametrize(
    ("algorithm", "spot", "words"),
    [
        ("egt", RIVER, r"^egt does not run on spots: name one of .*cfr-br.*dcfr.*flop.*pcs"),
        ("cfr+/rbp", RIVER, r"^cfr\+/rbp\S* does not run on spots: name one of"),
        ("cfr-br(player=0)", RIVER, r"finds the strategy of one player, and a spot is solved for both: use cfr-br"),
        ("es-mccfr", LOCKED, "does not keep to locked strategies: use a variant of CFR"),
        ("pcs", LOCKED, "does not keep to locked strategies: use a variant of CFR"),
        ("pcs", TURN, "need ranges in which every hand has weight 1"),
        ("hedge", RIVER, r"hedge\(rate=theory\) takes the range of payoffs instead"),
    ],
)
def test_what_a_spot_cannot_have(algorithm, spot, words, monkeypatch):
    """Refused before the first iteration."""
    monkeypatch.setattr("counterpoise.solvers.solver_job.Driver", None)
    with pytest.raises(cp.InputError, match=words):
        cp.solve_spot(cp.Spot(**spot), algorithm=algorithm, iterations=1, progress=False)


def test_searching_takes_a_variant_of_cfr(solved_river):
    for algorithm in ("pcs", "hedge(rate=theory)", "fp"):
        with pytest.raises(cp.InputError, match="cannot search: name a variant of CFR with regret matching"):
            cp.search_spot(solved_river, "r:0:c", algorithm=algorithm, iterations=1, progress=False)


@pytest.mark.parametrize("algorithm", [*NAMES, *COMPUTED])
def test_rivers_that_were_left_out(algorithm, tmp_path):
    """Whatever solved the earlier streets, their strategies are those that were found, and rivers can be looked at."""
    path = tmp_path / "small.cpz"
    solution = cp.solve_spot(
        cp.Spot(**PLAIN),
        algorithm=algorithm,
        iterations=12,
        threads=1,
        checkpoint=path,
        save_river=False,
        progress=False,
    )
    found = cp.load_solution(path)
    assert not found.whole
    assert found.ev == solution.ev
    for id in ("r:0", "r:0:c", "r:0:b50"):
        np.testing.assert_array_equal(found.node(id).probabilities, solution.node(id).probabilities)
    river = found.node("r:0:c:c:2h")
    np.testing.assert_allclose(river.probabilities[:, river.live[0]].sum(axis=0), 1, atol=1e-6)
