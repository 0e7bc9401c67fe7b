"""CFR-BR in an abstraction: exact and with trunks, of two and three rounds, percentile and k-means buckets."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.abstraction import abstraction
from counterpoise.errors import InputError
from counterpoise.public import build_dense
from counterpoise.public.mini_holdem import millibigblinds
from counterpoise.sampling.boards.walks import BoardWalks
from counterpoise.solvers import make_algorithm

from ...public.test_mini_holdem import mini

TWO, THREE = (2, 1), (1, 1, 1)
"""The most bets of each round."""


def table(name, buckets):
    return abstraction(name, buckets, deck=mini(3, TWO).deck, threads=1, progress=False)


def against_unabstracted(game, buckets, iterations=300):
    """What CFR+ of each seat in buckets against an opponent without loses to best responses, in mbb/g."""
    best = []
    for seat, pair in enumerate(((buckets, None), (None, buckets))):
        solver = make_algorithm("cfr+").on(game, buckets=pair)
        solver.step(iterations)
        best.append(solver.traverser.best_response_values(solver.result())[1 - seat])
    return millibigblinds(sum(best) / 2)


def reached(game, buckets, algorithm, iterations):
    solver = make_algorithm(algorithm).on(game, buckets=buckets, seed=1)
    solver.step(iterations)
    return millibigblinds(solver.exploitability())


@pytest.mark.parametrize(("bets", "trunk"), [((2, 2), 0), ((2, 2), 1), ((1, 1, 1), 0), ((1, 1, 1), 2)])
def test_16_without_buckets_an_iteration_is_that_of_the_public_tree(bets, trunk):
    """Another implementation, with street kernels and hands by themselves, finds the same answers and regrets [1e-3].

    Only where two answers are worth the same may rounding choose differently.
    """
    game = mini(3, bets)
    walks, streets = (
        make_algorithm(f"cfr-br(trunk={trunk})").on(game, **way) for way in ({"buckets": (None, None)}, {})
    )
    off = []
    for solver in (walks, streets):
        solver.step()
    profiles = walks.current, streets.current
    for number, tree in enumerate(game.street_trees):
        for board in np.flatnonzero(game.street_of == tree.street).tolist():
            node = game.board_nodes[board]
            for at, decision in enumerate(tree.decisions):
                hands = game.hands[decision.player][node.hands[decision.player]]
                alive = ~np.isin(hands, node.cards).any(axis=1)
                ours, theirs = (profile.strategy(number, at, board)[:, alive] for profile in profiles)
                off.append(np.abs(ours - theirs).max(axis=0))
    assert np.mean(np.concatenate(off) > 1e-3) < 0.005
    assert walks.exploitability("current") == pytest.approx(streets.exploitability("current"), rel=1e-4)


def test_16_the_average_is_better_than_the_iterates():
    """Exact CFR-BR with perfect recall: the average loses at most the mean of what its iterates lose [1e-6]."""
    game, buckets = mini(3, TWO), table("PR-KO-KO", (2, 2))
    solver = make_algorithm("cfr-br").on(game, buckets=buckets)
    lost = []
    for _ in range(25):
        lost.append(solver.losses("current"))
        solver.step()
    for seat, loss in solver.losses("average").items():
        assert loss <= np.mean([each[seat] for each in lost]) + 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("name", ["PR-PHS-PHS", "PR-KO-KO"])
def test_17_all_ways_lead_to_the_least_exploitable_strategy(name):
    """Exact CFR-BR, one with a trunk and drawn flops, and CFR against no abstraction [3 % or 1 mbb]."""
    game, buckets = mini(3, TWO), table(name, (2, 2))
    expected = against_unabstracted(game, buckets)
    for algorithm, iterations in (("cfr-br", 1_000), ("cfr-br(sampled=True)", 10_000)):
        assert reached(game, buckets, algorithm, iterations) == pytest.approx(expected, rel=0.03, abs=1.0), algorithm


@pytest.mark.slow
def test_17_three_rounds():
    """Trunks of one round (drawn flops, all turns) and of two (drawn turns) [3 % or 1 mbb]."""
    game, buckets = mini(3, THREE), table("PR-KO-KO", (2, 2, 2))
    expected = against_unabstracted(game, buckets, 200)
    for algorithm, iterations in (("cfr-br(sampled=True)", 10_000), ("cfr-br(sampled=True, trunk=1)", 2_000)):
        assert reached(game, buckets, algorithm, iterations) == pytest.approx(expected, rel=0.03, abs=1.0), algorithm


@pytest.mark.slow
def test_18_nothing_in_the_buckets_is_less_exploitable():
    """Neither 50 strategies at random nor CFR of both players in the buckets [2 mbb]; imperfect recall, too, here."""
    for name, counts in (("PR-PHS-PHS", (2, 2)), ("IR-C-KO", (3,))):
        game, buckets = mini(3, TWO), table(name, counts)
        found = reached(game, buckets, "cfr-br(sampled=True)", 6_000)
        run = cp.solve(game, "cfr", buckets=buckets, iterations=200, trace_at=[200], progress=False)
        walks, traverser = BoardWalks(game, buckets), make_algorithm("cfr").on(game).traverser
        rng = np.random.default_rng(0)
        random = [traverser.exploitability(walks.profile(rng.random(walks.entries) ** 4)) for _ in range(50)]
        assert found <= millibigblinds(min(run.exploitability, *random)) + 2


def test_seats_and_resuming():
    """A run of one seat is its half of the run of both; a restored solver continues bit for bit."""
    game, buckets = mini(3, TWO), table("PR-PHS-PHS", (2, 2))
    for settings in ("trunk=0", "trunk=2", "sampled=True", "sampled=True, trunk=2"):
        both, one, again = (
            make_algorithm(f"cfr-br({settings}{seat})").on(game, buckets=buckets, seed=4)
            for seat in ("", ", player=1", "")
        )
        both.step(6)
        one.step(6)
        assert one.losses()[1] == both.losses()[1]
        again.step(2)
        state = again.state()
        again.step(3)
        again.restore(state)
        again.step(4)
        assert again.exploitability() == both.exploitability()
        with pytest.raises(InputError, match="strategy of one seat"):
            one.exploitability()


def test_refusals():
    with pytest.raises(InputError, match="hold'em"):
        make_algorithm("cfr-br").on(build_dense("leduc_poker"), buckets=table("PR-PHS-PHS", (2, 2)))
    with pytest.raises(InputError, match="sampled must be False with tables of 16 bits"):
        make_algorithm("cfr-br(sampled=True)").on(mini(3, TWO), bits=16)


def test_the_kernel_that_runs_is_the_one_whose_compiling_is_announced():
    """On one drawn board and with answers on all boards: two kernels, one each."""
    from counterpoise.sampling.kernels.board_responder import walks_against_answers, walks_against_responder
    from counterpoise.solvers.matching.cfr_br import CFRBR
    from counterpoise.solvers.monte_carlo.cfr_br_sampled import SampledCfrBr

    game = mini(3, (2, 1))
    table = abstraction("PR-PHS-PHS", (2, 2), deck=game.deck, threads=1, progress=False)
    for sampled, kernel in ((True, walks_against_responder), (False, walks_against_answers)):
        assert SampledCfrBr(game, table, CFRBR(sampled=sampled)).kernels == (kernel,)
