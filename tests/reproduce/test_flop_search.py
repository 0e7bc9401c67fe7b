"""Safe search in flop hold'em, on a deck of 12 cards."""

import numpy as np
import pytest

from counterpoise.abstraction.strength import board_wins
from counterpoise.public import FlopHoldem
from counterpoise.public.buckets import gather, lossless
from counterpoise.reproduce.brown.safe_search import (
    BEST,
    FLOP_PLANS,
    GAME,
    MAXMARGIN,
    RESOLVE,
    TRUNK,
    FlopBench,
    flop_abstraction,
)
from counterpoise.reproduce.harness.published import published

SMALL = FlopHoldem(ranks=3, stack=10)


@pytest.fixture(scope="module")
def report(perform):
    return perform("brown-5.1-flop", game=SMALL, buckets=(3,), blueprint_iterations=40, iterations=40)


@pytest.mark.long
def test_all_methods_for_every_number_of_buckets(report):
    assert list(report.data) == ["3 buckets"]
    for column in report.data.values():
        assert list(column["mean"]) == [TRUNK, *FLOP_PLANS, BEST]
        for row, (first, second) in column["seats"].items():
            assert column["mean"][row] == pytest.approx((first + second) / 2)
            assert min(first, second) > -column["floor"]  # above the value of the game
    assert set(published("safe_search")["published"]) <= {TRUNK, *FLOP_PLANS}
    assert [row[0] for row in report.tables[0].rows] == [TRUNK, BEST, *FLOP_PLANS]


@pytest.mark.long
def test_10_what_theory_promises_holds(report):
    """Safe methods are no more exploitable than the trunk, and gifts that are split do not hurt."""
    assert report.claim("3-buckets-safe").holds
    assert report.claim("3-buckets-gifts-do-not-hurt").holds
    for column in report.data.values():
        mean = column["mean"]
        assert max(mean[RESOLVE], mean[MAXMARGIN]) < 0.9 * mean[TRUNK]


def test_finer_buckets_make_better_blueprints():
    coarse, fine = (FlopBench(SMALL, buckets, 40, 0).blueprint().judge().exploitability for buckets in (3, 12))
    assert fine < coarse


def test_stopped_early(perform, monkeypatch):
    """What was measured until Ctrl-C is reported."""
    from counterpoise.search import SearchEverywhere

    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(SearchEverywhere, "search_all", stop)
    stopped = perform("brown-5.1-flop", game=SMALL, buckets=(3,), blueprint_iterations=5, iterations=5)
    assert stopped.interrupted
    assert list(stopped.data["3 buckets"]["mean"]) == [TRUNK]
    assert all(claim.holds is None for claim in stopped.claims)


@pytest.mark.long
def test_scales_of_gifts(perform):
    """With gifts of any scale but 0 the strategies change; with far too large ones they get worse than without."""
    report = perform("brown-5.7-flop", game=SMALL, buckets=3, blueprint_iterations=40, iterations=20)
    lower, exact = report.data["lower"], report.data["exact"]
    assert lower["0"] == exact["0"]
    assert len({*exact.values()}) == len(exact)
    assert exact["100000"] > exact["0"]
    assert [row[0] for row in report.tables[0].rows][:3] == ["0", "1", "10"]
    assert len(report.claims) == 4


def test_buckets_of_the_flop():
    """200 buckets of about equal shares in order of strength, hands that suits make alike together."""
    game = GAME.game()
    table = flop_abstraction(game.deck, 200)
    classes, buckets = lossless(game), gather(game, table)
    assert buckets.count.tolist() == [[36, 200]] * 2
    strength, mass = np.zeros(21_150), np.zeros(21_150)
    of = np.full(len(mass), -1)
    for board in np.flatnonzero(game.street_of == 1):
        first, held = int(game.boards.begin[0, board]), int(game.boards.held[0, board])
        own, same = (each.bucket_of_hand[first : first + held] for each in (buckets, classes))
        assert ((of[same] == own) | (of[same] < 0)).all()
        of[same] = own
        node = game.board_nodes[board]
        strength[same] = board_wins(table.cards, node.cards)[node.hands[0]]
        np.add.at(mass, same, len(node.images) / (2024 * held))
    assert (of >= 0).all()
    assert mass.sum() == pytest.approx(1)
    shares = np.bincount(of, mass, 200)
    assert shares.min() > 0
    assert np.median(shares) == pytest.approx(1 / 200, rel=0.1)
    lowest, highest = (np.array([f(strength[of == bucket]) for bucket in range(200)]) for f in (np.min, np.max))
    assert (highest[:-1] <= lowest[1:] + 1e-9).all()
