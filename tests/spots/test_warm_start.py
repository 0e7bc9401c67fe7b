"""Starting from an earlier solution of a spot: other bet sizes, locks, ranges; against the general tree."""

from functools import cache

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.errors import InputError
from counterpoise.public import Learning, Profile, Traverser, transfer
from counterpoise.public.warm_start import warm_start_arrays
from counterpoise.solvers import make_algorithm
from counterpoise.solvers.warm_start.warm_start import SubstituteValues
from counterpoise.spots.engine import build_game
from counterpoise.tree import Strategy, enumerate_game

from .conftest import RIVER, TURN
from .oracle import SpotGame, as_strategy

pytestmark = pytest.mark.slow  # traversals that fit regrets are compiled apart, for half a minute

FINE = RIVER | {"river": {"bet": ["40%", "50%", "allin"], "raise": ["60%", "allin"]}}
SUITS = {  # hearts and diamonds are alike
    "board": "Ks 7s 4c Jc",
    "pot": 100,
    "stack": 150,
    "oop": "AK,QJs,77",
    "ip": "KQ,JT,AA",
    "turn": {"bet": ["50%"]},
    "river": {"bet": ["50%"]},
}


@cache
def fine():
    return build_game(cp.Spot(**FINE))


def moved(profile, game, bits=32):
    """The strategies of a profile in another game."""
    found = Profile(game, bits)
    transfer(profile, found)
    return found


def substitute_values(game, average, arrays):
    """What regrets that fit an average strategy leave of both players' values."""
    learning = Learning.fresh(game)
    learning.average.copy_from(average)
    return Traverser(game).fit_regrets(arrays, learning)


@pytest.mark.slow
@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("spot", [RIVER, TURN], ids=["river", "turn"])
def test_substitute_values_are_those_of_the_general_tree(spot, squared):
    """Both players' values for several factors, all ranges of payoffs taken as equal [1e-4 of the pot]."""
    solution = cp.solve_spot(cp.Spot(**spot), iterations=15, progress=False, threads=1)
    game = SpotGame(solution.spot)
    general = enumerate_game(game)
    profile = Strategy.from_mapping(general, as_strategy(solution, game)).probabilities
    oracle, spread = SubstituteValues(general, profile, 1.0, squared), 200.0
    reach = oracle.reach**2 if squared else oracle.reach
    oracle.bound[:] = reach * spread**2 * (general.form.stop - general.form.start)
    prepared = warm_start_arrays(solution.game, squared)
    actions = np.float32(spread**2) * solution.game.arrays.trees.actions.astype(np.float32)
    for factor in (0.0, 1e-5, 1e-3, 0.1):
        oracle.excess(factor)
        expected = [oracle.arrays.action_values[general.form.first_sequence[player]] for player in range(2)]
        arrays = prepared._replace(spread=actions, factor=np.float32(factor))
        found = substitute_values(solution.game, solution.stored.average, arrays)
        np.testing.assert_allclose(found, expected, atol=0.01)


@pytest.mark.parametrize(
    ("node", "hand", "action"),
    [("r:0:c:b50", "AhKh", "f"), ("r:0:c", "KdQd", "c"), ("r:0:b50", "4d4s", "f"), ("r:0:b50", "4d4s", "c")],
)
def test_locks_stay(node, hand, action):
    """Through a transfer, in substitute values (with factor 0: best responses), and in the average that counts T."""
    rough = cp.solve_spot(cp.Spot(**RIVER), iterations=5, algorithm="cfr", progress=False, threads=1)
    game = build_game(cp.Spot(**RIVER, lock=[{"node": node, "strategy": {hand: {action: 1.0}}}]))
    traverser = Traverser(game)
    average = moved(rough.stored.average, game)
    entry, value = game.lock_arrays.entry, game.lock_arrays.value
    np.testing.assert_array_equal(average.numbers[entry], value)
    best, exploitability = traverser.best_response_values(average), traverser.exploitability(average)
    np.testing.assert_allclose(substitute_values(game, average, warm_start_arrays(game)), best, atol=1e-4)
    solver = make_algorithm("cfr").on(game)
    start = solver.warm_start(rough.stored.average, iterations=50)
    again = traverser.exploitability(moved(solver.average, game))
    for found in (start.exploitability, solver.exploitability(), again):
        assert found == pytest.approx(exploitability, rel=1e-4)
    for profile in solver.learning:
        np.testing.assert_array_equal(profile.numbers[entry], value)


@pytest.mark.parametrize("factor", [0.0, 1e-3, 1.0])
def test_who_is_told_everything_has_no_regret_to_substitute(factor):
    """The value of a player whose strategy is fixed everywhere is what it wins, even where that is the best action."""
    hands = RIVER["oop"].replace(":0.5", "").split(",")
    locks = [
        {"node": node, "strategy": {hand: {action: 1.0} for hand in hands}}
        for node, action in (("r:0", "c"), ("r:0:c:b50", "c"))
    ]
    game = build_game(cp.Spot(**RIVER | {"stack": 50, "river": {"bet": ["allin"]}}, lock=locks))
    solver = make_algorithm("cfr").on(game)
    solver.step(30)
    arrays = warm_start_arrays(game)._replace(factor=np.float32(factor))
    found = solver.traverser.fit_regrets(arrays, solver.learning)
    assert found[0] == pytest.approx(solver.values()[0], abs=1e-3)
    assert (found[1] < solver.traverser.best_response_values(solver.average)[1] - 1e-3) == (factor > 0)


def test_strategies_that_are_never_reached_are_kept(solved_river):
    """After a bet that only the new tree has, which gets no probability, the next strategy is the transferred one."""
    average = moved(solved_river.stored.average, fine())
    root = fine().root
    facing = root.child(40)
    raised = facing.child(facing.actions[-1])
    given = raised.strategy(average)
    assert (root.strategy(average)[root.actions.index(40)] == 0).all()
    assert np.abs(given - 0.5).max() > 0.2
    solver = make_algorithm("dcfr").on(fine())
    solver.warm_start(solved_river.stored.average, keep_direction=True)
    np.testing.assert_allclose(raised.strategy(solver.learning.matched), given, atol=2e-3)


def test_no_theorem_with_rake(solved_river):
    """What the house takes is not constant, so that the sum of values proves nothing."""
    covered = [
        make_algorithm("cfr").on(build_game(cp.Spot(**RIVER | rake))).warm_start(solved_river.stored.average).covered
        for rake in ({}, {"rake": {"percent": 5, "cap": 4}})
    ]
    assert covered == [True, False]


def test_the_same_spot_gets_the_same_strategies(solved_turn):
    """Every decision on every board; exploitability too."""
    game, source = build_game(solved_turn.spot), solved_turn.stored.average
    average = moved(source, game)
    exploitability = Traverser(solved_turn.game).exploitability(source)
    assert Traverser(game).exploitability(average) == pytest.approx(exploitability, abs=1e-4)
    decisions = list(game.root.decisions_below())
    for node in decisions:
        played = source.strategy(node.tree, node.at[1], node.board)
        np.testing.assert_allclose(average.strategy(node.tree, node.at[1], node.board), played, atol=1e-6)
    trees = game.street_trees
    assert len(decisions) == sum(len(tree.decisions) * int(game.boards_of[tree.street]) for tree in trees)


def test_bets_that_both_trees_have_keep_their_probability(solved_river):
    """A new bet gets nothing, and after it play goes on as after the nearest bet of the earlier tree."""
    before, after = solved_river.stored.average, moved(solved_river.stored.average, fine())
    root, new_root = solved_river.game.root, fine().root
    assert root.actions == (0, 50, 150)
    assert new_root.actions == (0, 40, 50, 150)
    old, new = root.strategy(before), new_root.strategy(after)
    np.testing.assert_allclose(new[[0, 2, 3]], old, atol=1e-6)
    assert (new[1] == 0).all()
    known, facing = root.child(50), new_root.child(40)
    assert facing.kind == "decision"
    assert known.actions == (-1, 0, 150)
    old, new = known.strategy(before), facing.strategy(after)
    np.testing.assert_allclose(new[[facing.actions.index(a) for a in known.actions]], old, atol=1e-6)


@pytest.mark.parametrize("bits", [32, 16])
def test_other_suits_and_bits(bits):
    """From a tree that treats two suits alike to one that does not, because it locks what a hand plays there anyway."""
    plain = cp.solve_spot(cp.Spot(**SUITS), iterations=30, progress=False, threads=1)
    played = plain.node("r:0:c:c:2h").strategy("7h7d")
    lock = [{"node": "r:0:c:c:2h", "strategy": {"7h7d": played}}]
    apart, alike = build_game(cp.Spot(**SUITS, lock=lock)), build_game(cp.Spot(**SUITS))
    assert apart.nodes > alike.nodes
    source = plain.stored.average
    earlier = Traverser(plain.game)
    for game, width in ((apart, 32), (alike, bits)):
        average, traverser = moved(source, game, width), Traverser(game)
        assert traverser.exploitability(average) == pytest.approx(earlier.exploitability(source), abs=0.01)
        np.testing.assert_allclose(traverser.root_values(average), earlier.root_values(source), atol=0.01)


@pytest.mark.parametrize(("algorithm", "ratio"), [("cfr", 0.4), ("dcfr(gamma=4)", 0.8)])
def test_better_than_cold_at_equal_work(algorithm, ratio, solved_river, tmp_path):
    """From a solution with fewer sizes: less exploitable at equal nodes touched, the warm start's own included."""
    solved_river.save(tmp_path / "river.cpz")
    spot = cp.Spot(**FINE)
    options = {"algorithm": algorithm, "progress": False, "threads": 1}
    warm = cp.solve_spot(spot, warm_start=tmp_path / "river.cpz", iterations=20, **options)
    cold = cp.solve_spot(spot, iterations=warm.nodes_touched // (2 * warm.nodes), **options)
    assert warm.exploitability_pct < ratio * cold.exploitability_pct
    assert warm.iterations == warm.trace[0].iteration + 20
    assert warm.trace[0].exploitability < 0.3 * cold.trace[0].exploitability


def test_a_solution_that_is_good_enough_is_kept(solved_river, tmp_path):
    """With the target reached nothing is left to do; otherwise it is reached, and the result can be resumed."""
    at_once = cp.solve_spot(solved_river.spot, warm_start=solved_river, target=0.05, progress=False, threads=1)
    assert len(at_once.trace) == 1
    assert at_once.reached
    further = cp.solve_spot(
        solved_river.spot, warm_start=solved_river, warm_iterations=50, target=0.005, progress=False, threads=1
    )
    assert further.reached
    assert further.trace[0].iteration == 50
    assert further.warm_iterations == 50
    further.save(tmp_path / "further.cpz")
    done = further.iterations - further.warm_iterations
    more = cp.solve_spot(resume=tmp_path / "further.cpz", iterations=done + 5, progress=False, threads=1)
    assert (more.iterations, more.warm_iterations) == (further.iterations + 5, 50)


def test_trace_counts_from_the_start(solved_river):
    """`trace_at` and `iterations` are those of this run."""
    found = cp.solve_spot(
        solved_river.spot, warm_start=solved_river, warm_iterations=40, iterations=7, trace_at=[2, 5], progress=False
    )
    assert [point.iteration for point in found.trace] == [40, 42, 45, 47]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"board": "Ks 7d 4c Jd 3s"}, "for another board: 'Ks 7d 4c Jd 2s', not 'Ks 7d 4c Jd 3s'"),
        ({"pot": 90}, "for another pot: 100, not 90"),
        ({"stack": 151}, "for another stack: 150, not 151"),
    ],
)
def test_other_spots_are_refused(solved_river, change, sentence):
    """A solution for other cards or chips says nothing about this one."""
    with pytest.raises(InputError, match=f"the solution to start from is {sentence}"):
        cp.solve_spot(cp.Spot(**RIVER | change), warm_start=solved_river)


def test_refusals(solved_river, solved_turn, tmp_path):
    """Two ways to begin, a number without its solution, and a file without rivers."""
    with pytest.raises(InputError, match="warm_start and resume exclude each other"):
        cp.solve_spot(warm_start=solved_river, resume=solved_river)
    with pytest.raises(InputError, match=r"warm_iterations \(5\) needs a warm_start"):
        cp.solve_spot(solved_river.spot, warm_iterations=5)
    with pytest.raises(InputError, match="iterations of a warm start must be"):
        cp.solve_spot(solved_river.spot, warm_start=solved_river, warm_iterations=0)
    solved_turn.save(tmp_path / "small.cpz", river=False)
    with pytest.raises(InputError, match="has no river strategies"):
        cp.solve_spot(solved_turn.spot, warm_start=tmp_path / "small.cpz")
