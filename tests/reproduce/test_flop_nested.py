import pytest

from counterpoise.progress import SilentProgress
from counterpoise.reproduce import EXPERIMENTS
from counterpoise.reproduce.brown.nested_search import FLOP_CONTROL, FULL, LACKING, MAPPING, METHODS, flop_game
from counterpoise.reproduce.harness.published import published

PUBLISHED = published("nested_search")["published"]
SMALL = {"ranks": 2, "iterations": 100, "search_iterations": 30, "max_bets": (2, 2)}
FLOPS = 6  # up to suits, of 8 cards


@pytest.fixture(scope="module")
def report(perform):
    return perform("brown-5.4-flop", **SMALL)


@pytest.mark.long
def test_all_published_methods_are_measured(report):
    """Both seats; one search before the flop and three on each flop of each of six lines."""
    assert set(PUBLISHED) == {MAPPING, *METHODS}
    assert set(report.data["losses"]) == {FULL, FLOP_CONTROL, *PUBLISHED}
    assert all(len(pair) == 2 for pair in report.data["losses"].values())
    assert set(report.data["searches"].values()) == {2 * (1 + 6 * 3 * FLOPS)}
    (table,) = report.tables
    assert {row[0]: row[-1] for row in table.rows}[MAPPING] == "1,465"
    assert all(claim.holds is not None for claim in report.claims)


@pytest.mark.long
def test_figures_are_those_of_best_responses(report):
    """The whole game's row sums up to its exploitability; nobody does better than to lose nothing.

    The losses of both seats together cannot be negative, whatever the solved game is worth; those of one seat are
    compared with a value that is right up to the sum of what both seats of the solution lose.
    """
    data = report.data
    assert sum(data["losses"][FULL]) == pytest.approx(2 * data["floors"][FULL], rel=1e-3)
    assert sum(data["value"]) == pytest.approx(0, abs=1e-3)
    for pair in data["losses"].values():
        assert sum(pair) >= -1e-3
        assert min(pair) >= -sum(data["losses"][FULL])


def test_betting_is_that_of_the_source():
    """One bet before the flop, three on it, never all-in; only the opponent of the searcher has 3/4."""
    game = flop_game(LACKING[0], 2)
    first = game.root
    raised = first.child(250)
    assert [node.actions for node in (first, first.child(0), first.child(0).child(200))] == [
        (-1, 0, 200, 250, 300),
        (0, 200, 300),
        (-1, 0),
    ]
    flop = next(raised.child(0).deals())
    assert (flop.player, len(flop.actions)) == (0, 3)
    trees = game.street_trees
    most = max(action for tree in trees for node in tree.decisions for action in node.actions)
    assert 300 * (1 + 2 + 6 + 18) / 3 < most < game.betting.stacks[0]
    assert max(tree.state.bets for tree in trees[1:]) == 0


class Impatient(SilentProgress):
    """A user who stops the run at the first search of the last method."""

    def begin(self, job):
        if job == METHODS[2]:
            raise KeyboardInterrupt
        super().begin(job)


@pytest.mark.slow
def test_what_was_measured_stays():
    report = EXPERIMENTS["brown-5.4-flop"].run(Impatient(), **SMALL | {"iterations": 5, "search_iterations": 2})
    assert report.interrupted
    assert set(report.data["losses"]) == {FULL, MAPPING, *METHODS[:2]}
    assert {row[0]: row[4] for row in report.tables[0].rows}[MAPPING] == "-"  # no control to compare with
    for id in ("gifts-do-not-hurt", "reach-better-than-unsafe", "inexpensive-better"):
        assert report.claim(id).holds is None
