"""An evaluator that solves what follows each leaf: cut games have the values of whole ones (proof of the interface)."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.errors import InputError
from counterpoise.public import FlopHoldem, Learning, Traverser, build_dense
from counterpoise.search import search_subgame
from counterpoise.search.depth_limited import depth_limited
from counterpoise.search.leaves import counterpart
from counterpoise.search.solved_leaves import SolvedLeaves
from counterpoise.solvers.public.solver import public_schedule
from counterpoise.solvers.run import make_algorithm


@pytest.mark.parametrize(("game", "depth"), [("kuhn_poker", 1), ("kuhn_poker", 2), ("leduc_poker", None)])
def test_the_value_of_the_game(game, depth):
    """Solving the top of the game while its leaves are solved for the ranges of every traversal gives its value."""
    whole = build_dense(game)
    leaves = SolvedLeaves(whole, iterations=60)
    limited = depth_limited(whole.root, Learning.fresh(whole).average, 0, leaves, depth=depth)
    found = search_subgame(limited, "unsafe", iterations=40)
    value = cp.exact(game).value[0]
    traverser = Traverser(limited.game, leaves=leaves)
    assert traverser.root_values(found.average)[0] == pytest.approx(value, abs=0.03)


@pytest.mark.parametrize("depth", [None, 2])
def test_values_are_those_of_a_solved_rest(depth):
    """For the ranges of a solution the leaves are worth what they are in it, in hold'em and in Leduc."""
    for whole in (build_dense("leduc_poker"), FlopHoldem(3, 200, ("100%",), ("100%",), (2, 1)).game()):
        learning = Learning.fresh(whole)
        Traverser(whole).iterate(learning, public_schedule(make_algorithm("dcfr"), 0, 300))
        leaves = SolvedLeaves(whole, iterations=300, algorithm="dcfr")
        limited = depth_limited(whole.root, learning.average, 0, leaves, depth=depth).game
        played = Learning.fresh(limited).average
        for node in limited.root.decisions_below():
            node.set_strategy(played, counterpart(whole, node).strategy(learning.average))
        wanted = Traverser(whole).root_values(learning.average)
        found = Traverser(limited, leaves=leaves).root_values(played)
        scale = 1 if whole.name == "leduc_poker" else 100  # an ante, a big blind
        assert found == pytest.approx(wanted, abs=0.02 * scale)
        assert found.sum() == pytest.approx(0, abs=1e-4 * scale)


def test_the_same_ranges_have_the_same_values():
    whole = build_dense("leduc_poker")
    leaves = SolvedLeaves(whole, iterations=5)
    limited = depth_limited(whole.root, Learning.fresh(whole).average, 0, leaves)
    found = [Traverser(limited.game, leaves=leaves).hand_values(Learning.fresh(limited.game).average) for _ in range(2)]
    assert all(np.array_equal(one, other) for one, other in zip(*found, strict=True))


def test_wrong_algorithms_are_refused():
    with pytest.raises(InputError, match="leaves are solved by a variant of CFR, not fp"):
        SolvedLeaves(build_dense("kuhn_poker"), algorithm="fp")
    with pytest.raises(InputError, match="iterations"):
        SolvedLeaves(build_dense("kuhn_poker"), iterations=0)
