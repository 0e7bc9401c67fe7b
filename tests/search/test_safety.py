"""What safe search promises, on random blueprints, and where unsafe search breaks it (Brown 2020, section 5.1)."""

import math
from functools import cache

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.games import CHANCE, TERMINAL
from counterpoise.public import build_dense
from counterpoise.search import search_subgame, subgame, write_part
from counterpoise.search.everywhere import SearchEverywhere, SearchPlan
from counterpoise.search.subgame import Subgame
from counterpoise.tree import Strategy, enumerate_game
from tests.search.blueprints import noisy_solution, random_strategy
from tests.search.oracle import respond

GAMES = (
    "leduc_poker",
    "one_card_poker(ranks=3)",
    "one_card_poker(ranks=4,fractions=[[0.5,1],[1]],max_bets=[1,1])",
)
SAFE = {
    "resolve": SearchPlan(method="resolve"),
    "maxmargin": SearchPlan(),
    "reach-resolve": SearchPlan(method="resolve", gifts="exact"),
    "reach, lower": SearchPlan(gifts="lower"),
    "reach, exact": SearchPlan(gifts="exact"),
}


@cache
def on_random(game, seed):
    """A game with a random blueprint, whose subgames all methods may use."""
    return SearchEverywhere(game, random_strategy(game, seed))


def check_safe(whole, plan, iterations, error):
    """No hand of the opponent gains more than the solver's error anywhere, so neither does its best response."""
    profile, worst = whole.blueprint.copy(), [0.0, 0.0]
    for searcher in range(2):
        for history in whole.places:
            found = whole.search(history, searcher, plan, iterations)
            worst[searcher] = max(worst[searcher], -float(np.nanmin(found.margins)))
            write_part(profile, history, found.average, searcher)
    before, after = whole.judge().losses, whole.judge(profile).losses
    assert max(worst) <= error
    for seat in range(2):
        assert after[seat] <= before[seat] + worst[seat] + 1e-4
    return before, after


@pytest.mark.slow
@pytest.mark.parametrize("plan", SAFE.values(), ids=SAFE)
@pytest.mark.parametrize("game", GAMES)
def test_4_safe_search_on_random_blueprints(game, plan):
    for seed in range(2):
        before, after = check_safe(on_random(game, seed), plan, 1_500, error=0.03)
        assert sum(after) < sum(before)


@pytest.mark.slow
@pytest.mark.parametrize("plan", SAFE.values(), ids=SAFE)
def test_4_safe_search_on_a_good_blueprint(plan):
    """Where there is little to gain there is still nothing to lose."""
    game = GAMES[1]
    check_safe(SearchEverywhere(game, noisy_solution(game, 3, noise=0.01)), plan, 4_000, error=0.01)


def test_4_safe_search_in_the_middle_of_a_round():
    """Subgames need not begin with a card: Kuhn poker after the first action."""
    whole = SearchEverywhere("kuhn_poker", random_strategy("kuhn_poker", 1), [("p",), ("b",)])
    for plan in SAFE.values():
        check_safe(whole, plan, 2_000, error=2e-3)


def test_1_unsafe_search_with_an_exact_trunk():
    """P1 plays both coins equally often, which is optimal; guessing heads is then as good as tails, and far worse."""
    tree = enumerate_game("coin_toss")
    mapping = {"P1:heads": {"sell": 0.4, "play": 0.6}, "P1:tails": {"sell": 0.4, "play": 0.6}}
    blueprint = Strategy.from_mapping(tree, mapping)
    assert cp.best_response("coin_toss", blueprint, player=1).value == pytest.approx(0)
    found = subgame(build_dense("coin_toss"), ["play"], blueprint, searcher=1)
    reach = found.game.reach_at_root(0) * found.mass
    worth, losses = {}, {}
    for name, guess in {"heads": (1, 0, 0), "tails": (0, 1, 0), "both": (0.5, 0.5, 0), "forfeit": (0, 0, 1)}.items():
        chosen = {"P2:play": dict(zip(("heads", "tails", "forfeit"), guess, strict=True))}
        played = found.dense.profile(Strategy.from_mapping(tree, chosen))
        worth[name] = -float(reach @ found.root_values(played)) / reach.sum()
        losses[name] = cp.best_response("coin_toss", chosen, player=0).value
    assert worth == pytest.approx({"heads": 0, "tails": 0, "both": 0, "forfeit": -1}, abs=1e-6)
    assert losses == pytest.approx({"heads": 0.75, "tails": 0.25, "both": 0.25, "forfeit": 1}, abs=1e-9)


@pytest.mark.slow
def test_6_what_a_reached_infoset_gains():
    """Brown 2020, theorem 20: exp(all searched) <= exp(S as in the blueprint) - N(I) M_r(I) for every I that is
    reached.
    """
    game, searcher, plan = "one_card_poker", 1, SearchPlan(gifts="lower")
    whole = SearchEverywhere(game, noisy_solution(game, 0, noise=0.1))
    results = {place: whole.search(place, searcher, plan, 400) for place in whole.places}

    def put_together(left_out=None):
        profile = whole.blueprint.copy()
        for place, result in results.items():
            if place is not left_out:
                write_part(profile, place, result.average, searcher)
        return profile

    after = whole.judge(put_together())
    response = whole.game.profile(respond(enumerate_game(game), after.strategy, 1 - searcher).strategy)
    tested = gained = 0
    for history, result in results.items():
        found = whole.subgame(history, searcher)
        margins = whole.root_values(history, searcher) - result.best_values
        assert (result.margins >= margins - 1e-6).all()  # reach margins are at least the margins
        without = whole.judge(put_together(history)).losses[searcher]
        for hand in np.flatnonzero((history.reach(response)[1 - searcher] > 0) & (found.mass > 0)):
            bound = without - found.mass[hand] * result.margins[hand]
            assert after.losses[searcher] <= bound + 1e-5
            tested, gained = tested + 1, gained + (result.margins[hand] > 0.01)
    assert tested > 20
    assert gained > 10


PAYOFFS = {"A": (0.99, 9.99), "B": (1.01, 0.0)}


class Toy:
    """Two hands of the opponent; the searcher takes A or B, and that is all."""

    players = 2

    def initial(self):
        return ()

    def player(self, state):
        return (CHANCE, 1, TERMINAL)[len(state)]

    def chance(self, state):
        return [("first", 0.5), ("second", 0.5)]

    def actions(self, state):
        return ("A", "B")

    def next(self, state, action):
        return (*state, action)

    def infoset(self, state):
        return "searcher"

    def payoffs(self, state):
        value = PAYOFFS[state[1]][("first", "second").index(state[0])]
        return (value, -value)


ALTERNATIVE, SPREAD = np.array([1.0, 10.0]), np.array([0.0, 1.0])


def toy(method, **options):
    tree = build_dense(Toy(), [np.array([0, 1]), np.array([0, 0])])
    result = search_subgame(Subgame(tree, 1), method, alternative=ALTERNATIVE, **options)
    return result, result.strategy[1, "searcher"]["B"]


def penalty(weight):
    """F of Brown 2020, section 5.1.7 for a weight of B: the sum over both hands of E max(X, V)."""
    values = (1 - weight) * np.array(PAYOFFS["A"]) + weight * np.array(PAYOFFS["B"])
    total = 0.0
    for value, mean, spread in zip(values, ALTERNATIVE, SPREAD, strict=True):
        if spread == 0:
            total += max(value, mean)
            continue
        u = (value - mean) / spread
        below, density = 0.5 * math.erfc(-u / math.sqrt(2)), math.exp(-u * u / 2) / math.sqrt(2 * math.pi)
        total += value * below + mean * (1 - below) + spread * density
    return total


def test_8_the_penalty_of_the_toy():
    assert [penalty(w) for w in (0, 1, 0.5)] == pytest.approx([11.394, 11.010, 11.000], abs=1e-3)


def test_8_maxmargin_takes_a_in_the_toy():
    result, weight = toy("maxmargin", iterations=20_000)
    assert weight < 0.02
    np.testing.assert_allclose(result.margins, 0.01, atol=2e-3)


def test_8_resolve_keeps_the_first_hand_in_the_toy():
    _, weight = toy("resolve", iterations=20_000)
    assert weight <= 0.5 + 0.02


@pytest.mark.parametrize(("rule", "iterations", "error"), [("step", 20_000, 0.02), ("hedge", 200_000, 0.02)])
def test_8_distributional_takes_half_in_the_toy(rule, iterations, error):
    """Hedge is slow here, as the penalty is all but flat on the left of one half."""
    _, weight = toy("distributional", spread=SPREAD, rule=rule, iterations=iterations)
    assert weight == pytest.approx(0.5, abs=error)
    assert penalty(weight) == pytest.approx(11, abs=1e-4)


@pytest.mark.parametrize("rule", ["step", "hedge"])
@pytest.mark.parametrize(("history", "searcher"), [(("c", "c", "Q"), 0), (("r", "c", "K"), 1)], ids=["0", "1"])
def test_8_limits_of_the_spread(history, searcher, rule):
    """With a boundless spread every hand comes in half the time; without one the alternatives bind as in resolving."""
    game = GAMES[1]
    whole = SearchEverywhere(game, random_strategy(game, 2), [history])
    part, alternative = whole.subgame(history, searcher), whole.alternative(history, searcher, SearchPlan())
    wide = search_subgame(part, "distributional", alternative=alternative, spread=1e9, rule=rule, iterations=500)
    flat = part.with_ranges({part.opponent: np.ones(len(part.mass))})
    plain = search_subgame(flat, "unsafe", iterations=500)
    np.testing.assert_allclose(wide.entry, 0.5, atol=0.01)
    assert flat.mass @ wide.best_values == pytest.approx(flat.mass @ plain.best_values, abs=2e-3 * flat.mass.sum())
    tight = search_subgame(part, "distributional", alternative=alternative, spread=1e-9, rule=rule, iterations=4_000)
    assert tight.margins.min() >= -0.01


@pytest.mark.parametrize("method", ["resolve", "maxmargin", "distributional"])
@pytest.mark.parametrize("searcher", [0, 1])
def test_4_safe_search_makes_no_use_of_the_opponents_range(method, searcher):
    """Whatever the blueprint says about the opponent, even that it never arrives: the same result, bit for bit."""
    game, history = GAMES[1], ("c", "r", "c", "Q")
    whole = SearchEverywhere(game, random_strategy(game, 4), [history])
    part, alternative = whole.subgame(history, searcher), whole.alternative(history, searcher, SearchPlan())
    spread = 0.3 if method == "distributional" else 0.0
    expected = search_subgame(part, method, alternative=alternative, spread=spread, iterations=40)
    for range_ in (np.zeros(3), np.ones(3), np.array([0.0, 0.9, 0.1])):
        other = part.with_ranges({part.opponent: range_})
        result = search_subgame(other, method, alternative=alternative, spread=spread, iterations=40)
        assert result.strategy == expected.strategy
        for name in ("values", "best_values", "entry"):
            np.testing.assert_array_equal(getattr(result, name), getattr(expected, name))


def test_other_ranges_make_another_subgame():
    """What a hand meets is of the new ranges; the subgame that they come from stays as it was."""
    part = subgame(build_dense("kuhn_poker"), ["p"], Strategy.uniform(enumerate_game("kuhn_poker")), 1)
    before, mass = part.game.ranges.copy(), part.mass.copy()
    np.testing.assert_allclose(mass, [1 / 3] * 3)
    queens = part.with_ranges({0: np.array([0, 1, 0]), 1: np.array([1, 0, 0])})  # the second player's first is a queen
    np.testing.assert_allclose(queens.mass, [1 / 6, 0, 1 / 6])
    assert part.expected
    assert not queens.expected  # two queens never meet
    anybody = queens.with_full_opponent_range_if_empty()
    np.testing.assert_array_equal(anybody.game.ranges[:, :3], [[1, 1, 1], [1, 0, 0]])
    np.testing.assert_array_equal(anybody.mass, queens.mass)
    assert part.with_full_opponent_range_if_empty() is part
    np.testing.assert_array_equal(part.game.ranges, before)
    np.testing.assert_array_equal(part.mass, mass)


@pytest.mark.parametrize("searcher", [0, 1])
def test_the_chooser_has_a_strategy_from_the_first_iteration(searcher):
    """Probabilities of entering add up to 1 whoever searches."""
    whole, uniform = build_dense("kuhn_poker"), Strategy.uniform(enumerate_game("kuhn_poker"))
    for history in (["p"], ["b"]):
        part = subgame(whole, history, uniform, searcher)
        result = search_subgame(part, "maxmargin", alternative=np.zeros(len(part.mass)), iterations=1)
        assert result.entry is not None
        assert result.entry.sum() == pytest.approx(1, abs=1e-6)


def test_a_search_forgets_the_one_before():
    whole, uniform = build_dense("kuhn_poker"), Strategy.uniform(enumerate_game("kuhn_poker"))
    part = subgame(whole, ["p"], uniform, 1)
    zeros = np.zeros(len(part.mass))
    once, _, again = (
        search_subgame(part, method, alternative=zeros, algorithm="pcfr+", iterations=7).strategy.probabilities
        for method in ("resolve", "unsafe", "resolve")
    )
    np.testing.assert_array_equal(again, once)


@pytest.mark.parametrize("method", ["resolve", "maxmargin"])
def test_hands_that_hardly_meet_anything_do_no_harm(method):
    """Reach of 1e-40 is nothing in float32; the hands that do arrive stay within their alternatives."""
    game = "kuhn_poker"
    rarely = {"p": 1e-40, "b": 1.0}
    blueprint = Strategy.from_mapping(enumerate_game(game), {"J:": rarely, "Q:": rarely, "K:": {"p": 1.0, "b": 0.0}})
    part = subgame(build_dense(game), ["p"], blueprint, 0)
    alternative = part.root_values(part.dense.profile(blueprint), best=True)
    result = search_subgame(part, method, alternative=alternative, iterations=2000)
    met = part.mass > 0
    assert (result.margins[met] >= -0.02).all()


def test_cards_that_a_board_takes_away():
    """With suits told apart some deals cannot come with the board; search and gifts go on without them."""
    game = "leduc_poker(merge_suits=False)"
    blueprint = Strategy.uniform(enumerate_game(game))
    whole = SearchEverywhere(game, blueprint, [("c", "c", "Qs", "r")])
    result = whole.search(("c", "c", "Qs", "r"), 0, SearchPlan(gifts="lower"), iterations=50)
    assert np.isfinite(result.margins[np.isfinite(result.alternative)]).all()
