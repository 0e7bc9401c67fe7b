"""Nested search that looks no further than the end of the betting round, in small games and in hold'em."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.public import FlopHoldem, Learning, Traverser, build_dense
from counterpoise.search.abstraction import ActionAbstraction, build_pair
from counterpoise.search.continuations import bias_approach
from counterpoise.search.leaves import LeafTable
from counterpoise.search.nested import play_nested
from counterpoise.search.nested_problem import continuation_values
from counterpoise.search.nested_settings import NestedSearch
from counterpoise.search.subgame import Subgame
from counterpoise.search.translation import translated
from counterpoise.solvers.public.solver import public_schedule
from counterpoise.solvers.run import make_algorithm
from tests.search.test_nested import HIDDEN, played_nested, poker, solved


def table(searcher, continuations, iterations=300):
    """Leaves from a solution of the game."""
    game = build_dense(poker())
    solution = game.profile(cp.solve(poker(), "cfr+", iterations=iterations, progress=False).strategy)
    others = bias_approach(solution, 10) if continuations == 4 else [solution]
    return LeafTable(game, [[solution], others] if searcher == 0 else [others, [solution]])


def limited(searcher, continuations, settings):
    """Depth-limited nested search, and what it loses at worst."""
    whole, small = build_pair(poker(), HIDDEN)
    play = play_nested(whole, small.profile(solved(poker())), searcher, settings, leaves=table(searcher, continuations))
    return play, cp.best_response(poker(), play.strategy, player=1 - searcher).value


def test_depth_limited_answers_are_as_good_with_enough_continuations():
    """Round by round with four continuations it is as good as to the end of the game."""
    settings = NestedSearch(method="resolve", iterations=300)
    four, worst = limited(1, 4, settings)
    whole = played_nested(
        poker(), HIDDEN, cp.solve(ActionAbstraction(poker(), HIDDEN), "cfr+", iterations=300).strategy, 1, settings
    )
    loss = cp.best_response(poker(), whole.strategy, player=0).value
    assert four.strategy.keys() == whole.strategy.keys()
    assert worst == pytest.approx(loss, abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("searcher", [0, 1])
@pytest.mark.parametrize(
    "method", [{"method": "maxmargin"}, {"method": "unsafe", "start": "before"}], ids=["maxmargin", "unsafe"]
)
def test_depth_limited_answers_everywhere(method, searcher):
    """At the same infosets as search to the end of the game, as good as that, and better than translation."""
    settings = NestedSearch(iterations=200, **method)
    play, worst = limited(searcher, 4, settings)
    small = cp.solve(ActionAbstraction(poker(), HIDDEN), "cfr+", iterations=300, progress=False).strategy
    whole = played_nested(poker(), HIDDEN, small, searcher, settings)
    assert play.strategy.keys() == whole.strategy.keys()
    loss, mapped = (
        cp.best_response(poker(), one, player=1 - searcher).value
        for one in (whole.strategy, translated(poker(), poker(sizes=(0.5, 1)), small, searcher))
    )
    assert worst == pytest.approx(loss, abs=1e-3)
    assert worst < mapped - 3e-3
    if method["method"] == "maxmargin":  # the hidden bet is worth hardly more than what the opponent had without it
        known = cp.best_response(ActionAbstraction(poker(), HIDDEN), small, player=1 - searcher).value
        assert worst <= known + 5e-3


def test_rounds_are_searched_one_by_one():
    """Once more on each board after the hidden bet than to the end of the game."""
    settings = NestedSearch(method="resolve", iterations=10)
    play, _ = limited(1, 4, settings)
    small = cp.solve(ActionAbstraction(poker(), HIDDEN), "cfr+", iterations=300, progress=False).strategy
    assert play.searches == played_nested(poker(), HIDDEN, small, 1, settings).searches + 3


def test_depth_limited_search_takes_no_gifts():
    with pytest.raises(cp.InputError, match="takes no gifts"):
        limited(0, 1, NestedSearch(gifts=True))


@pytest.mark.parametrize("continuations", [1, 4])
def test_continuations_leave_what_the_whole_game_would(continuations):
    """The largest of what each continuation gets on the board against the searcher's range and blueprint."""
    leaves = table(1, continuations, iterations=20)
    whole, history = leaves.whole, ("c", "r0.75", "c", "K")
    solution = leaves.continuations[1][0]
    node = whole.find(history)
    part = Subgame(whole.subtree(node, node.reach(solution)), 1, leaves=leaves)
    by_continuation = []
    for own in leaves.continuations[0]:
        joined = own.joined(solution)
        values = node.values(joined).node[0]
        by_continuation.append(part.conditional(_for_reach(node, joined, solution, values)))
    left = continuation_values(part)
    np.testing.assert_allclose(left, np.max(by_continuation, axis=0), atol=1e-5)
    if continuations > 1:
        assert (left > by_continuation[0] + 1e-2).any()
        assert len(set(np.argmax(by_continuation, axis=0))) > 1


def _for_reach(node, joined, solution, values):
    """The searcher plays its solution in both, so that its reach, and with it values against it, are the same."""
    np.testing.assert_array_equal(node.reach(joined)[1], node.reach(solution)[1])
    return values


@pytest.mark.long
@pytest.mark.parametrize("method", ["resolve", "maxmargin"])
def test_hold_em(method):
    """The flop after an unknown opening is searched by itself, and loses no more than search to the end of the game."""
    sizes, more = ("50%", "100%"), (("50%", "100%"), ("50%", "75%", "100%"))
    small = FlopHoldem(3, 200, sizes, sizes, (2, 1)).game()
    learning = Learning.fresh(small)
    Traverser(small).iterate(learning, public_schedule(make_algorithm("cfr+"), 0, 200))
    whole = FlopHoldem(3, 200, more, sizes, (2, 1)).game()
    full = Learning.fresh(whole)
    Traverser(whole).iterate(full, public_schedule(make_algorithm("cfr+"), 0, 200))
    leaves = LeafTable(whole, ([full.average], bias_approach(full.average)))
    settings = NestedSearch(method=method, iterations=200)
    plays = [play_nested(whole, learning.average, 0, settings, leaves=given) for given in (None, leaves)]
    losses = [Traverser(whole).best_response_values(play.profile)[1] for play in plays]
    assert plays[1].searches > 10 * plays[0].searches
    assert losses[1] == pytest.approx(losses[0], abs=5)  # chips; the big blind is 100
