"""Nested search that looks no further than the end of the betting round."""

import numpy as np
import pytest
from counterpoise.search.nested_depth_limited import DepthLimitedNest

import counterpoise as cp
from counterpoise.search.abstraction import ActionAbstraction
from counterpoise.search.continuations import bias_approach
from counterpoise.search.leaves import LeafTable
from counterpoise.search.nested import NestedSearch
from counterpoise.search.subgame import subgame
from counterpoise.search.translation import translated
from tests.search.test_nested import HIDDEN, played_nested, poker, solved


def limited(searcher, continuations, settings):
    """Depth-limited nested search with leaves from a solution of the game, and what it loses at worst."""
    game = poker()
    solution = cp.solve(game, "cfr+", iterations=300, progress=False).strategy
    others = bias_approach(solution, 10) if continuations == 4 else [solution]
    picks = [[solution], others] if searcher == 0 else [others, [solution]]
    nest = DepthLimitedNest(game, HIDDEN, searcher, LeafTable(game, picks), settings)
    play = nest.everywhere(solved(game))
    return play, cp.best_response(game, play.strategy, player=1 - searcher).value


def test_depth_limited_answers_are_as_good_with_enough_continuations():
    """Round by round with four continuations it is as good as to the end of the game."""
    settings = NestedSearch(method="resolve", iterations=300)
    four, worst = limited(1, 4, settings)
    whole = played_nested(
        poker(), HIDDEN, cp.solve(ActionAbstraction(poker(), HIDDEN), "cfr+", iterations=300).strategy, 1, settings
    )
    loss = cp.best_response(poker(), whole.strategy, player=0).value
    assert four.strategy.keys() == whole.strategy.keys()
    assert four.searches == whole.searches + 3  # once more on each board after the hidden bet
    assert worst == pytest.approx(loss, abs=1e-3)


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
    assert play.searches == whole.searches + 3
    loss, mapped = (
        cp.best_response(poker(), one, player=1 - searcher).value
        for one in (whole.strategy, translated(poker(), poker(sizes=(0.5, 1)), small, searcher))
    )
    assert worst == pytest.approx(loss, abs=1e-3)
    assert worst < mapped - 3e-3
    if method["method"] == "maxmargin":  # the hidden bet is worth hardly more than what the opponent had without it
        known = cp.best_response(ActionAbstraction(poker(), HIDDEN), small, player=1 - searcher).value
        assert worst <= known + 5e-3


def test_depth_limited_search_takes_no_gifts():
    with pytest.raises(cp.InputError, match="takes no gifts"):
        limited(0, 1, NestedSearch(gifts=True))


def test_continuations_leave_what_the_whole_game_would():
    """With the blueprint as the only continuation: its own values on the board, hand by hand."""
    game, history = poker(), ("c", "r0.75", "c", "K")
    solution = cp.solve(game, "cfr+", iterations=100, progress=False).strategy
    nest = DepthLimitedNest(game, HIDDEN, 1, LeafTable(game, [[solution], [solution]]))
    current = {key: solution[key] for key in solution.table}
    found = nest.subgame(history, history, current)
    left = nest.left_by(found, history)
    exact = subgame(nest.whole, history, current, 1, game)
    exact.play(current)
    np.testing.assert_allclose(left, exact.values(), atol=1e-5)


def test_the_best_continuation_is_left_to_each_hand():
    """The largest of what each continuation gets on the board against the searcher's range and blueprint."""
    game, history = poker(), ("c", "r0.75", "c", "K")
    solution = cp.solve(game, "cfr+", iterations=20, progress=False).strategy
    four = bias_approach(solution, 10)
    nest = DepthLimitedNest(game, HIDDEN, 1, LeafTable(game, [four, [solution]]))
    current = {key: solution[key] for key in solution.table}
    left = nest.left_by(nest.subgame(history, history, current), history)
    exact = subgame(nest.whole, history, current, 1, game)
    by_continuation = []
    for continuation in four:
        exact.play({key: (continuation if key[0] == 0 else solution)[key] for key in solution.table})
        by_continuation.append(exact.values())
    np.testing.assert_allclose(left, np.max(by_continuation, axis=0), atol=1e-5)
    assert (left > by_continuation[0] + 1e-2).any()
    assert len(set(np.argmax(by_continuation, axis=0))) > 1
