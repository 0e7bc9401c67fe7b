"""Search after every flop of a small flop hold'em: three ranks, 12 cards, 66 hands, 20 kinds of flops."""

from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pytest

from counterpoise.abstraction import abstraction
from counterpoise.cards import Range, board_strengths
from counterpoise.errors import InputError
from counterpoise.games import TERMINAL
from counterpoise.public import HoldemRules, Profile, Traverser, build_holdem, transfer
from counterpoise.public.buckets import Buckets
from counterpoise.public.mini_holdem import FlopHoldem
from counterpoise.sampling.boards.walks import BoardWalks
from counterpoise.search.alternatives import best_actions, conditional_at
from counterpoise.search.everywhere import SearchEverywhere, SearchPlan
from counterpoise.search.gifts import branching
from counterpoise.search.subgame_strategies import write_part
from counterpoise.solvers.matching.cfr_plus import CFRPlus
from counterpoise.solvers.public.bucket_solver import FullBucketSolver
from counterpoise.solvers.public.solver import PublicSolver
from counterpoise.solvers.run import make_algorithm

GAME = FlopHoldem(ranks=3, stack=10)
SAFE = {
    "resolve": SearchPlan(method="resolve"),
    "maxmargin": SearchPlan(),
    "lower gifts": SearchPlan(gifts="lower"),
    "exact gifts": SearchPlan(method="resolve", gifts="exact"),
}


def random_blueprint(seed):
    """Strategies at random, the same for hands that suits make alike."""
    game = GAME.game()
    walks = BoardWalks(game)
    profile = walks.profile(np.random.default_rng(seed).random(walks.entries))
    return SearchEverywhere(game, profile, alike=walks.buckets)


@pytest.fixture(scope="module")
def whole():
    return random_blueprint(0)


@pytest.fixture(scope="module")
def gathered():
    """A blueprint that was solved in an abstraction."""
    game = GAME.game()
    buckets = abstraction("IR-C-PHS", (6,), deck=game.deck, threads=1, progress=False)
    solver = FullBucketSolver(CFRPlus(), game, buckets)
    solver.step(40)
    return SearchEverywhere(game, solver.average, alike=buckets)


def test_places(whole):
    """Every line after which there are chips behind, on every flop that no renaming of suits makes another."""
    cards = GAME.deck.cards.tolist()
    kinds = {
        min(tuple(sorted(card - card % 4 + suits[card % 4] for card in flop)) for suits in permutations(range(4)))
        for flop in combinations(cards, 3)
    }
    ways = sum(tree.street == 1 for tree in whole.game.street_trees)
    assert len(whole.places) == ways * len(kinds)
    assert branching(whole.places[0]) == len(kinds)


def test_the_blueprint_put_together_again(whole):
    """What is taken out of the whole tree and put back changes nothing."""
    profile = Profile(whole.game)
    for place in whole.places:
        part = whole.subgame(place, 0).game
        copied = Profile(part)
        for node in part.root.decisions_below():
            mirror = place.follow(node.steps)
            node.set_strategy(copied, part.from_hands_of(whole.game, node.player, mirror.strategy(whole.blueprint)))
        for seat in range(2):
            write_part(profile, place, copied, seat)
    for node in whole.game.root.decisions_below():
        if not node.dealt:
            node.set_strategy(profile, node.strategy(whole.blueprint))
    before, after = whole.judge(), whole.judge(profile)
    assert after.losses == pytest.approx(before.losses, rel=1e-6)
    assert before.exploitability == pytest.approx(Traverser(whole.game).exploitability(whole.blueprint), rel=1e-6)
    assert before.exploitability == sum(before.losses) / 2


def brute_force(whole, place, player):
    """CBV of every hand of the deck at a root, by recursion over the betting with a matrix of pairs of hands."""
    game, cards = whole.game, place.dealt
    hands = game.deck.hands
    alive = ~np.isin(hands, cards).any(axis=1)
    meet = (hands[:, None, :, None] != hands[None, :, None, :]).all(axis=(2, 3)) * np.outer(alive, alive)
    strength = board_strengths([cards], hands, game.deck)[0].astype(int)
    ahead = np.sign(strength[:, None] - strength[None, :])
    reach = game.scatter_to_deck(1 - player, place.reach(whole.blueprint)[1 - player])

    def value(node, other):
        state = node.state
        if state.to_act == TERMINAL:
            if len(state.live) == 1:
                return meet @ other * GAME.betting.payoffs(state)[player]
            won = GAME.betting.payoffs(state, (1, 0) if player == 0 else (0, 1))[player]
            return (meet * ahead * won) @ other
        chosen = game.scatter_to_deck(node.player, node.strategy(whole.blueprint))
        after = [
            value(child, other if node.player == player else other * row)
            for (_, child), row in zip(node.children(), chosen, strict=True)
        ]
        return np.max(after, axis=0) if node.player == player else np.sum(after, axis=0)

    mass = meet @ reach
    return np.where(mass > 0, value(place, reach) / np.where(mass > 0, mass, 1), np.nan)


@pytest.mark.parametrize("searcher", [0, 1])
@pytest.mark.parametrize("number", [3, 47])
def test_values_at_roots_by_brute_force(whole, number, searcher):
    place = whole.places[number]
    found = whole.subgame(place, searcher)
    expected = found.game.gather_from_deck(1 - searcher, brute_force(whole, place, 1 - searcher))
    values = whole.root_values(place, searcher)
    np.testing.assert_allclose(values, expected, atol=0.01)  # chips, of 1,000
    assert np.isfinite(values).any()


@pytest.mark.slow
def test_hands_that_suits_make_alike_have_the_same_values(gathered):
    """On a flop of one rank the suit that is missing is special, the others are alike."""
    place = next(place for place in gathered.places if len({card // 4 for card in place.dealt}) == 1)
    symmetry, game = gathered.game.board_nodes[place.board].symmetry, gathered.subgame(place, 0).game
    assert len(symmetry) == 6
    for estimate in (False, True):
        values = np.full(GAME.deck.hand_count, np.nan)
        rows = game.hand_numbers[1]
        values[rows] = gathered.alternative(place, 0, SearchPlan(gifts="exact", estimate=estimate))
        for renamed in symmetry.hand_maps:
            np.testing.assert_allclose(values[renamed][rows], values[rows], atol=0.01)


@pytest.mark.slow
def test_what_is_put_together_is_judged_as_without_isomorphism(whole):
    """The strategies found, spelled out for all 220 flops, are worth the same."""
    judged = whole.search_all(SearchPlan(method="resolve"), 20)
    everything = build_holdem(replace(whole.game.rules, isomorphism=False))
    spelled = Profile(everything)
    transfer(judged.profile, spelled)
    assert len(everything.board_nodes) == 221
    first, second = Traverser(everything).best_response_values(spelled)
    assert judged.losses == pytest.approx((second, first), rel=1e-4)


@pytest.mark.parametrize("plan", list(SAFE.values()), ids=list(SAFE))
def test_4_safe_search_on_a_random_blueprint(whole, plan):
    """Neither seat loses more than with the blueprint, but for what the solver leaves."""
    before, after = whole.judge(), whole.search_all(plan, 150)
    for seat in range(2):
        assert after.losses[seat] <= before.losses[seat] + 1
    assert after.exploitability < 0.9 * before.exploitability  # on the flop there is much to gain


@pytest.mark.parametrize("searcher", [0, 1])
def test_4_no_hand_gains_by_entering(whole, searcher):
    """Resolve against the blueprint: hand by hand no more than the alternative, on some flops."""
    for place in whole.places[::23]:
        result = whole.search(place, searcher, SearchPlan(method="resolve"), 1_500)
        assert np.nanmin(result.margins) > -2  # chips


@pytest.mark.slow
def test_6_no_gifts_at_scale_0(whole):
    """Reach search with gifts of scale 0 is maxmargin, bit for bit."""
    plain, scaled = (whole.search_all(plan, 10) for plan in (SearchPlan(), SearchPlan(gifts="exact", scale=0)))
    assert np.array_equal(plain.profile.numbers, scaled.profile.numbers)
    assert not np.array_equal(plain.profile.numbers, whole.blueprint.numbers)


@pytest.mark.parametrize("searcher", [0, 1])
def test_6_gifts_are_not_negative_and_the_bound_is_a_bound(gathered, searcher):
    some = 0
    for place in gathered.places[::3]:
        for estimate in (False, True):
            lower, exact = (gathered.gifts(place, searcher, kind, estimate) for kind in ("lower", "exact"))
            assert (lower >= 0).all()
            assert (exact >= lower).all()
            some += (exact > lower).sum() * (lower > 0).any()
        assert (gathered.gifts(place, searcher, "none") == 0).all()
    assert some > 0


@pytest.mark.parametrize("player", [0, 1])
def test_values_of_actions_before_the_flop(whole, player):
    """CBV(I, a): the best of them is what the best response of the whole game has there."""
    response = Traverser(whole.game).best_response(player, whole.blueprint)
    for node in whole.game.root.decisions_below():
        if node.player == player and not node.dealt:
            best = conditional_at(node, player, whole.blueprint, node.best_action_values(whole.blueprint)).max(axis=0)
            played = conditional_at(node, player, whole.blueprint, node.values(response).node[player])
            np.testing.assert_allclose(played, best, atol=0.02)


def test_gifts_by_hand(gathered):
    """A raise to 300 is raised to 900 and called: who raised last could have folded the big blind instead."""
    place = next(place for place in gathered.places if place.steps == (300, 900, 0))
    raised = place.path()[1]
    assert raised.steps == (300,)
    values = conditional_at(raised, 0, gathered.blueprint, raised.best_action_values(gathered.blueprint))
    np.testing.assert_allclose(values[0], -100, atol=0.01)
    taken = values[raised.actions.index(900)]
    expected = gathered.subgame(place, 1).game.from_hands_of(gathered.game, 0, np.maximum(-100 - taken, 0))
    np.testing.assert_allclose(gathered.gifts(place, 1, "lower"), expected, atol=0.01)
    assert expected.max() > 100


def test_actions_that_end_the_game(whole):
    """To fold, and to call a bet of all chips; a check before the flop does not."""
    for node in whole.game.root.decisions_below():
        if not node.dealt:
            facing_all_in = all(other <= 0 for other in node.actions)
            for action, over in zip(node.actions, node.ends_at_once(), strict=True):
                assert over == (action < 0 or (action == 0 and facing_all_in))


@pytest.mark.slow
def test_7_best_with_the_trunk(whole):
    """No search is better than the solution with the blueprint's play before the flop, which it keeps."""
    best = whole.best_with_trunk(300)
    for node in whole.game.root.decisions_below():
        if not node.dealt:
            before, after = (node.strategy(profile) for profile in (whole.blueprint, best.profile))
            np.testing.assert_allclose(after, before, atol=1e-6, err_msg=repr(node))
    assert whole.judge().exploitability > best.exploitability
    for plan in (SearchPlan(method="unsafe"), SearchPlan()):
        found = whole.search_all(plan, 100)
        for seat in range(2):
            assert best.losses[seat] <= found.losses[seat] + 1


def test_buckets_of_one_are_no_abstraction(whole):
    for searcher in range(2):
        for place in whole.places[::17]:
            np.testing.assert_allclose(
                whole.root_values(place, searcher, True), whole.root_values(place, searcher), atol=0.01
            )


def test_held_to_buckets_nobody_gets_more(gathered):
    """An estimate is at most CBV, and less for somebody."""
    less = 0
    for searcher in range(2):
        for place in gathered.places:
            held, free = (gathered.root_values(place, searcher, estimate) for estimate in (True, False))
            known = np.isfinite(free)
            assert (held[known] <= free[known] + 0.01).all()
            less += (held[known] < free[known] - 1).sum()
    assert less > 0


def test_a_group_takes_one_action():
    values = np.array([[1.0, 2.0, 0.0, 5.0], [2.0, 0.0, 1.0, 4.0]])
    assert best_actions(values, np.arange(4)).tolist() == [[0, 1, 0, 1], [1, 0, 1, 0]]
    values[1, 2] = 3.0  # sums 3 and 2 in the first group, 5 and 7 in the second
    assert best_actions(values, np.array([0, 0, 1, 1])).tolist() == [[1, 1, 0, 0], [0, 0, 1, 1]]


@pytest.mark.parametrize("method", ["unsafe", "resolve", "maxmargin", "distributional"])
def test_23_places_that_nobody_reaches(method):
    """A seat that folds everything is never there; the other one still searches, and unsafe search too."""
    whole = random_blueprint(2)
    fold = np.zeros((len(whole.game.root.actions), 66))
    fold[0] = 1
    whole.game.root.set_strategy(whole.blueprint, fold)  # seat 1, the first to act
    whole = SearchEverywhere(whole.game, whole.blueprint, whole.places[:3])
    judged = whole.search_all(SearchPlan(method=method), 10)
    assert np.isfinite(judged.profile.numbers).all()
    assert not np.array_equal(judged.profile.numbers, whole.blueprint.numbers)
    with pytest.raises(InputError, match="seat 1 never gets to 0 0 on"):
        whole.search(whole.places[0], 1, SearchPlan(method=method))


def test_wrong_names_for_the_best_with_the_trunk(whole):
    for wrong in ((5, "cfr-plus"), (0, "cfr+")):
        with pytest.raises(InputError):
            whole.best_with_trunk(*wrong)


def test_the_blueprint_stays_what_it_was():
    """Subgames and values are those of the time when the game was made, whatever becomes of the profile afterwards."""
    solver = PublicSolver(make_algorithm("cfr+"), GAME.game())
    solver.step(3)
    early = SearchEverywhere(solver.game, solver.average)
    place = early.places[19]
    values, before = early.root_values(place, 0), early.judge().losses
    solver.step(20)
    late = SearchEverywhere(solver.game, early.blueprint)
    assert np.array_equal(late.root_values(place, 0), values, equal_nan=True)
    assert early.judge().losses == late.judge().losses == before
    assert SearchEverywhere(solver.game, solver.average).judge().losses != before


@pytest.mark.long
def test_ranges_that_are_not_all_hands():
    """Values by brute force, and safe search stays safe."""
    some = Range(np.r_[np.ones(40), np.zeros(26)], GAME.deck), Range(np.linspace(0.1, 1, 66), GAME.deck)
    solver = PublicSolver(
        make_algorithm("cfr+"), build_holdem(HoldemRules((), some, GAME.betting, GAME.sizes, GAME.deck, deals=(3,)))
    )
    solver.step(3)
    whole = SearchEverywhere(solver.game, solver.average)
    for searcher in range(2):
        place = whole.places[3]
        found = whole.subgame(place, searcher)
        expected = found.game.gather_from_deck(1 - searcher, brute_force(whole, place, 1 - searcher))
        known = found.mass > 0
        np.testing.assert_allclose(whole.root_values(place, searcher)[known], expected[known], atol=0.02)
        assert (whole.gifts(place, searcher, "exact") >= 0).all()
    before, after = whole.judge(), whole.search_all(SearchPlan(method="resolve", gifts="lower"), 150)
    for seat in range(2):
        assert after.losses[seat] <= before.losses[seat] + 1
    assert after.exploitability < before.exploitability


def test_wrong_input(whole):
    for wrong in (2, -1, True):
        with pytest.raises(InputError, match="searcher must be seat 0 or 1, not "):
            whole.subgame(whole.places[0], wrong)
    for wrong in (whole.game.root, whole.places[0].child(0), ("c", "c")):
        with pytest.raises(InputError, match="no subgame begins at"):
            whole.search(wrong, 0, SearchPlan())
    with pytest.raises(InputError, match="these buckets are for another game"):
        SearchEverywhere(whole.game, whole.blueprint, alike=Buckets(np.zeros(7, np.uint32), np.ones((2, 2), int)))
    with pytest.raises(InputError, match="buckets"):
        SearchEverywhere(whole.game, whole.blueprint).search(whole.places[0], 0, SearchPlan(estimate=True), 1)
    part = whole.subgame(whole.places[0], 0).game
    with pytest.raises(InputError, match="no public chance event"):
        SearchEverywhere(part, Profile(part))
