"""Numbers moved between games with other bet sizes, and how often actions are taken."""

from __future__ import annotations

import pytest

import counterpoise as cp
from counterpoise.public import Profile, Traverser, build_holdem, copy_profile, transfer
from counterpoise.solvers import make_algorithm
from counterpoise.spots.engine import build_game
from counterpoise.spots.sizes.tables import with_bets

SPOT = cp.Spot(
    board="Ks 7d 4c Jd",
    pot=100,
    stack=300,
    oop="AhKh,9d8d,7c7s:0.5,QhTh",
    ip="KdQd,JhTh:0.75,AdQc,5h5c",
    turn={"bet": ["50%"], "raise": ["60%"]},
    river={"bet": ["50%"], "raise": ["60%"]},
)


@pytest.fixture(scope="module")
def solver():
    solver = make_algorithm("dcfr").on(build_game(SPOT))
    solver.step(30)
    return solver


def other_game(solver, turn, river):
    spot = with_bets(SPOT, 1, {"turn": turn, "river": river})
    return build_holdem(spot.rules, share_boards_with=solver.game)


@pytest.mark.parametrize("sizes", [(["60%"], ["50%"]), (["20%"], ["50%"]), (["50%"], ["25%"])])
def test_strategies_are_those_of_the_walk_decision_by_decision(solver, sizes):
    """`transfer` walks both trees decision by decision and board by board: with one bet everywhere they must agree."""
    game = other_game(solver, *sizes)
    by_walk = Profile(game)
    transfer(solver.average, by_walk)
    carried = copy_profile(solver.average, game)
    ours, theirs = (Traverser(game).root_values(profile) for profile in (carried, by_walk))
    assert ours == pytest.approx(theirs, abs=1e-3)
    assert carried.strategy(0, 0, 0) == pytest.approx(by_walk.strategy(0, 0, 0), abs=1e-6)


def test_what_is_lost_leaves_the_other_actions_in_proportion(solver):
    """In position cannot bet the turn any more, so that checking, its only action, is certain; the river stays."""
    game = other_game(solver, [], ["50%"])
    carried = copy_profile(solver.average, game)
    place = game.street_trees[0].children[0, 0]
    assert place[0] == "decision"
    assert game.street_trees[0].decisions[place[1]].actions == (0,)
    assert carried.strategy(0, 0, 0) == pytest.approx(solver.average.strategy(0, 0, 0))


def test_games_of_one_shape_share_their_numbers(solver):
    assert copy_profile(solver.average, other_game(solver, ["51%"], ["50%"])).store is solver.average.store


def test_sixteen_bits_carry_their_scales():
    solver = make_algorithm("dcfr").on(build_game(SPOT), bits=16)
    solver.step(30)
    game = other_game(solver, ["20%"], ["100%"])
    by_walk = Profile(game, 16)
    transfer(solver.average, by_walk)
    ours, theirs = (Traverser(game).root_values(profile) for profile in (copy_profile(solver.average, game), by_walk))
    assert ours == pytest.approx(theirs, abs=0.02)


def test_other_boards_are_refused(solver):
    with pytest.raises(cp.InputError, match="share their boards"):
        copy_profile(solver.average, build_game(SPOT))


@pytest.mark.parametrize("size", ["55%", "120%"])
def test_after_a_move_the_past_saves_iterations(size):
    solver = make_algorithm("dcfr(gamma=4)").on(build_game(SPOT))
    solver.step(200)
    game = other_game(solver, [size], [size])
    fresh = make_algorithm("dcfr(gamma=4)").on(game)
    fresh.step(30)
    carried = solver.carry_to(game, 20)
    carried.step(30)
    assert carried.exploitability() < 0.6 * fresh.exploitability()


def test_averages_and_iterations_get_one_weight():
    solver = make_algorithm("dcfr(gamma=4)").on(build_game(SPOT))
    solver.step(100)
    before = {name: array.copy() for name, array in solver.arrays().items()}
    carried = solver.carry_to(solver.game, 25)
    for name, array in carried.arrays().items():
        weight = 0.25 if name.startswith("average") else 1.0
        assert array == pytest.approx(weight * before[name]), name
    assert carried.iteration == 25
