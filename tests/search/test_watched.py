"""Every long search shows how far it is and can be cancelled."""

import pytest

import counterpoise as cp
from counterpoise import search
from counterpoise.errors import Cancelled
from counterpoise.progress import CancelToken, SilentProgress
from counterpoise.public import build_dense

from .blueprints import random_strategy

POKER = "one_card_poker(ranks=3, fractions=((0.5, 0.75), (0.5, 0.75)), max_bets=(1, 1))"


class Watcher(SilentProgress):
    """Keeps what is shown, and cancels after some of it."""

    def __init__(self, cancel=None, after=1):
        self.jobs, self.shown, self.open = [], [], 0
        self.cancel, self.after = cancel, after

    def __enter__(self):
        self.open += 1
        return self

    def __exit__(self, *error):
        self.open -= 1

    def begin(self, job):
        self.jobs.append(job)

    def show(self, fraction, figure):
        assert self.open
        self.shown.append((fraction, figure))
        if self.cancel is not None and len(self.shown) >= self.after:
            self.cancel.cancel()


@pytest.fixture(scope="module")
def pair():
    """The game, the one without bets of 3/4, and blueprints of both."""
    whole, small = search.build_pair(POKER, ["r0.75"])
    known = small.profile(cp.solve(small.rules, "cfr+", iterations=5, progress=False).strategy)
    return whole, known


@pytest.fixture(scope="module")
def leduc():
    """Leduc poker with a bad blueprint."""
    return search.SearchEverywhere("leduc_poker", random_strategy("leduc_poker", 3))


def without_result(pair, leduc):
    """The searches that have no result before their end."""
    plan, (whole, known) = search.SearchPlan(), pair
    return {
        "search_all": lambda **watched: leduc.search_all(plan, 5, **watched).losses,
        "best_with_trunk": lambda **watched: leduc.best_with_trunk(5, **watched).losses,
        "play_nested": lambda **watched: (
            search.play_nested(whole, known, 1, search.NestedSearch(iterations=5), **watched).strategy
        ),
        "play_one_shot": lambda **watched: whole.strategy(
            search.play_one_shot(whole, known, 1, iterations=5, **watched)
        ),
    }


NAMES = ["search_all", "best_with_trunk", "play_nested", "play_one_shot"]


@pytest.mark.parametrize("name", NAMES)
def test_watching_changes_nothing(pair, leduc, name):
    job, watcher = without_result(pair, leduc)[name], Watcher()
    assert job(progress=watcher, cancel=CancelToken()) == job()
    assert watcher.jobs
    assert watcher.shown
    assert watcher.open == 0


@pytest.mark.parametrize("name", NAMES)
def test_cancelled_on_the_way(pair, leduc, name):
    """It stops at once after it has shown something, long before its end."""
    job = without_result(pair, leduc)[name]
    whole = Watcher()
    job(progress=whole)
    cancel = CancelToken()
    stopped = Watcher(cancel)
    with pytest.raises(Cancelled):
        job(progress=stopped, cancel=cancel)
    assert len(stopped.shown) == 1 < len(whole.shown)
    assert stopped.open == 0


def test_a_cancelled_search_has_found_something():
    """It returns the strategies so far, which are those of as many iterations."""
    whole = build_dense("leduc_poker")
    part = search.subgame(whole, ("c", "c", "Q"), random_strategy("leduc_poker", 3), 0)
    cancel = CancelToken()
    watcher = Watcher(cancel, after=3)
    found = search.search_subgame(part, "unsafe", iterations=10**6, progress=watcher, cancel=cancel)
    assert 3 <= found.iterations < 10**6
    assert watcher.shown[-1][0] == found.iterations / 10**6
    again = search.search_subgame(part, "unsafe", iterations=found.iterations)
    assert again.strategy == found.strategy
    with pytest.raises(Cancelled):
        search.search_subgame(part, "unsafe", cancel=cancel)


def test_cancelled_continuations(pair):
    """There are those that were found by then."""
    whole, _ = pair
    blueprint = whole.profile(random_strategy(POKER, 1))
    cancel = CancelToken()
    found = search.self_generated(whole, blueprint, 0, 5, iterations=2, progress=Watcher(cancel, 2), cancel=cancel)
    assert found.leaves.counts == (1, 3)
    assert len(found.won) == 2
    assert found.won == search.self_generated(whole, blueprint, 0, 3, iterations=2).won


def test_answers_are_watched(pair):
    _, known = pair
    watcher = Watcher()
    found = search.answer(known.game.root, known, "r0.75", search.NestedSearch(iterations=5), progress=watcher)
    assert found.result.iterations == 5
    assert watcher.shown[-1] == (1.0, "5 of 5 iterations")
