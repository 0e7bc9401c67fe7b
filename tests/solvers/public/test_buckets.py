"""Solving in an abstraction: every algorithm, one call, and its two exploitabilities."""

from functools import cache

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.betting.rules import Betting
from counterpoise.betting.sizes import BetSizes
from counterpoise.cards import Deck, Range, parse_cards
from counterpoise.errors import InputError
from counterpoise.public import HoldemRules, build_dense, build_holdem, mini_holdem
from counterpoise.sampling.boards.best_response import abstract_best_response
from counterpoise.sampling.boards.walks import BoardWalks

GAME = cache(lambda: mini_holdem(3, (2, 1)))


@cache
def table(name="PR-PHS-PHS", buckets=(2, 2)):
    return cp.abstraction(name, buckets, deck=Deck(ranks=3), threads=1, progress=False)


ALGORITHMS = ["cfr", "cfr+", "dcfr", "pcs", "ops", "sps", "cs-mccfr", "es-mccfr", "cfr-br", "cfr-br(sampled=True)"]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_one_call_for_every_algorithm(algorithm):
    """Hands of a bucket are played alike, and the exploitability is that of the real game."""
    run = cp.solve(GAME(), algorithm, buckets=table(), iterations=30, seed=1, progress=False)
    assert run.game == "mini_holdem(3, (2, 1))"
    assert run.infosets == BoardWalks(GAME(), table()).infosets
    assert run.perfect_recall
    assert run.caveat == ""
    assert run.exploitability > 0.05
    assert run.to_json()["iterations"] == 30 == run.trace[-1].iteration
    walks = BoardWalks(GAME(), table())
    found, count = run.profile.numbers.astype(float), np.zeros(walks.entries)
    source = walks.expand_to_hands(np.arange(walks.entries, dtype=float)).astype(int)
    count[source] = found  # of each bucket one hand
    np.testing.assert_array_equal(found, count[source])


@pytest.mark.parametrize("algorithm", ["cfr+", "pcs", "es-mccfr"])
def test_without_abstraction_both_exploitabilities_are_one(algorithm):
    """A responder who sees lossless buckets sees everything: an exact best response is the oracle [float32]."""
    solver = cp.make_algorithm(algorithm).on(GAME(), buckets=(None, None))
    solver.step(20)
    assert solver.abstract_exploitability() == pytest.approx(solver.exploitability(), abs=1e-5)


def test_the_abstract_game_is_solved_and_the_real_one_is_not():
    """CFR+ on all boards: inside the abstraction nothing is left to win, outside there is."""
    run = cp.solve(GAME(), "cfr+", buckets=table(), iterations=300, progress=False)
    assert run.abstract_exploitability < 0.01 < 0.2 < run.exploitability
    walks = BoardWalks(GAME(), table())
    with pytest.raises(InputError, match="tell those of earlier streets"):
        abstract_best_response(BoardWalks(GAME(), table("IR-C-PHS", (3,))), 0, np.zeros(walks.entries))


def test_external_sampling_draws_every_deal_of_merged_suits():
    """With suits merged or told apart external sampling solves the same game: about equally good, the same value."""
    found = [
        cp.solve(
            mini_holdem(3, (2, 1), isomorphism=merged),
            "es-mccfr",
            buckets=table(),
            iterations=60_000,
            seed=2,
            progress=False,
            trace_at=[60_000],
        )
        for merged in (True, False)
    ]
    exact = cp.solve(GAME(), "cfr+", buckets=table(), iterations=300, progress=False)
    for run in found:
        assert run.abstract_exploitability < 0.05
        assert run.value[0] == pytest.approx(exact.value[0], abs=0.02)


def test_a_spot_in_an_abstraction():
    """A turn of a small deck with every hand: perfect recall from the turn on."""
    deck, cards = Deck(ranks=6), tuple(parse_cards("Ts Jd Qc 9h"))
    sizes = BetSizes.read({street: {"bet": ["100%"], "raise": ["allin"]} for street in ("turn", "river")}, 2)
    ranges = Range(np.ones(deck.hand_count), deck), Range(np.ones(deck.hand_count), deck)
    game = build_holdem(HoldemRules(cards, ranges, Betting.spot(10, 30, 2), sizes, deck))
    alike = cp.abstraction("PR-PHS-PHS", (2, 2, 2, 2), deck=deck, threads=1, progress=False, sample=20_000)
    for algorithm, iterations, least in (("cfr+", 100, 0.1), ("es-mccfr", 60_000, 0.4)):
        run = cp.solve(game, algorithm, buckets=alike, iterations=iterations, progress=False, trace_at=[iterations])
        assert run.abstract_exploitability < least < run.exploitability


def test_a_spot_with_weighted_hands():
    """External sampling draws hands by their weights; what is won inside the abstraction is then not known."""
    deck, cards = Deck(ranks=6), tuple(parse_cards("Ts Jd Qc 9h Ah"))
    sizes = BetSizes.read({"river": {"bet": ["100%"]}}, 3)
    ranges = Range.from_string("KK,TT:0.5,A9", deck), Range.from_string("QQ,KT:0.25", deck)
    game = build_holdem(HoldemRules(cards, ranges, Betting.spot(10, 30, 3), sizes, deck))
    alike = cp.abstraction("PR-PHS-PHS", (2, 2, 2, 2), deck=deck, threads=1, progress=False, sample=20_000)
    run = cp.solve(game, "es-mccfr", buckets=alike, iterations=1_000, progress=False, trace_at=[1_000])
    assert run.abstract_exploitability is None
    with pytest.raises(InputError, match="every hand has weight 1"):
        cp.solve(game, "cfr", buckets=alike, progress=False)


def test_refusals():
    with pytest.raises(InputError, match="buckets are for public games of hands"):
        cp.solve("kuhn_poker", "cfr", buckets=table(), progress=False)
    with pytest.raises(InputError, match="hedge does not run with buckets: it has a row of numbers for every hand"):
        cp.solve(GAME(), "hedge", buckets=table(), progress=False)
    with pytest.raises(InputError, match=r"pcfr\+ does not run with buckets"):
        cp.solve(GAME(), "pcfr+", buckets=table(), progress=False)
    with pytest.raises(InputError, match="resume is for games by name"):
        cp.solve(GAME(), "cfr", resume="somewhere.cpz", progress=False)
    with pytest.raises(InputError, match="threads are for public games of hands"):
        cp.solve("kuhn_poker", "cfr", threads=2, progress=False)
    with pytest.raises(InputError, match="threads must be a whole number of at least 1, not 0"):
        cp.solve(GAME(), "cfr", threads=0, progress=False)
    with pytest.raises(InputError, match="warm_iterations is for games by name"):
        cp.solve(GAME(), "cfr", warm_iterations=5, progress=False)
    with pytest.raises(InputError, match="leave out bits"):
        cp.make_algorithm("cfr").on(GAME(), buckets=table(), bits=16)


def test_public_games_without_buckets():
    run = cp.solve(build_dense("leduc_poker"), "cfr+", iterations=100, progress=False)
    again = cp.solve(build_dense("leduc_poker"), "cfr+", iterations=100, threads=1, progress=False)
    assert again.exploitability == run.exploitability
    assert run.exploitability < 0.1
    assert run.infosets is run.abstract_exploitability is None
