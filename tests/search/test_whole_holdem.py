"""Search after every flop of a small flop hold'em: three ranks, 12 cards, 66 hands, 20 kinds of flops."""

from itertools import combinations, permutations

import numpy as np
import pytest

from counterpoise.cards import Range, board_strengths
from counterpoise.errors import InputError
from counterpoise.games import TERMINAL
from counterpoise.public import HoldemTree, transfer
from counterpoise.public.buckets import Buckets
from counterpoise.public.mini_holdem import FlopHoldem
from counterpoise.public.sampling import Walks
from counterpoise.public.tables import Lock
from counterpoise.reproduce.brown.flop_search import make_blueprint
from counterpoise.search.play_holdem import ending
from counterpoise.search.whole import SearchPlan
from counterpoise.search.whole_holdem import ROOT, Flop, WholeHoldem, best_actions, copy_line, way_to
from counterpoise.solvers.public.solver import PublicSolver, public_schedule
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
    tree = GAME.tree()
    walks = Walks(tree)
    walks.judge(np.random.default_rng(seed).random(walks.entries))
    return WholeHoldem(tree, walks.buckets)


@pytest.fixture(scope="module")
def whole():
    return random_blueprint(0)


@pytest.fixture(scope="module")
def gathered():
    """A blueprint that was solved in an abstraction."""
    return make_blueprint(GAME, 6, 40)


def test_places(whole):
    """Every line after which there are chips behind, on every flop that no renaming of suits makes another."""
    cards = GAME.deck.cards.tolist()
    kinds = {
        min(tuple(sorted(card - card % 4 + suits[card % 4] for card in flop)) for suits in permutations(range(4)))
        for flop in combinations(cards, 3)
    }
    lines = sum(line.street == 1 for line in whole.tree.lines)
    assert len(whole.places) == lines * len(kinds)
    assert whole.branching(whole.places[0]) == len(kinds)


def test_the_blueprint_put_together_again(whole):
    """What is taken out of the whole tree and put back changes nothing."""
    profile = whole._fresh()
    for seat in range(2):
        for place in whole.places:
            found = whole.subgame(place, seat)
            copy_line(whole.tree, place, found.tree, ROOT, seat)
            whole._put(profile, place, seat, None)
    before, after = whole.judge(), whole.judge(profile)
    assert after.losses == pytest.approx(before.losses, rel=1e-6)
    assert before.exploitability == pytest.approx(whole.tree.exploitability(), rel=1e-6)
    assert before.exploitability == sum(before.losses) / 2


def brute_force(whole, place, player):
    """CBV of every hand of the deck at a root, by recursion over the betting with a matrix of pairs of hands."""
    tree, cards = whole.tree, whole.tree.tables_of[place.board].cards
    line, hands = tree.lines[place.line], tree.deck.hands
    alive = ~np.isin(hands, cards).any(axis=1)
    meet = (hands[:, None, :, None] != hands[None, :, None, :]).all(axis=(2, 3)) * np.outer(alive, alive)
    strength = board_strengths([cards], hands, tree.deck)[0].astype(int)
    ahead = np.sign(strength[:, None] - strength[None, :])
    reach = tree.by_deck(1 - player, tree.reaches(place.line, 0, cards)[1 - player])

    def value(state, node, other):
        if state.to_act == TERMINAL:
            if len(state.live) == 1:
                return meet @ other * GAME.betting.payoffs(state)[player]
            won = [GAME.betting.payoffs(state, (1, 0) if player == 0 else (0, 1))[player], 0.0]
            return (meet * ahead * won[0]) @ other
        decision = line.decisions[node]
        chosen = tree.by_deck(decision.player, tree.behaviour(place.line, node, cards))
        after = []
        for k, action in enumerate(decision.actions):
            kind, number = line.children[node, action]
            arriving = other if decision.player == player else other * chosen[k]
            after.append(value(GAME.betting.apply(state, action), number if kind == "decision" else -1, arriving))
        return np.max(after, axis=0) if decision.player == player else np.sum(after, axis=0)

    mass = meet @ reach
    return np.where(mass > 0, value(line.state, 0, reach) / np.where(mass > 0, mass, 1), np.nan)


@pytest.mark.parametrize("searcher", [0, 1])
@pytest.mark.parametrize("number", [3, 47])
def test_values_at_roots_by_brute_force(whole, number, searcher):
    place = whole.places[number]
    found = whole.subgame(place, searcher)
    expected = found.tree.in_rows(1 - searcher, 0, brute_force(whole, place, 1 - searcher))
    values = whole.root_values(place, searcher)
    np.testing.assert_allclose(values, expected, atol=0.01)  # chips, of 1,000
    assert np.isfinite(values).any()


@pytest.mark.slow
def test_hands_that_suits_make_alike_have_the_same_values(gathered):
    """On a flop of one rank the suit that is missing is special, the others are alike."""
    place = next(p for p in gathered.places if len({c // 4 for c in gathered.tree.tables_of[p.board].cards}) == 1)
    table, tree = gathered.tree.tables_of[place.board], gathered.subgame(place, 0).tree
    assert len(table.symmetry) == 6
    for estimate in (False, True):
        values = np.full(GAME.deck.hand_count, np.nan)
        rows = tree.in_rows(1, 0, np.arange(GAME.deck.hand_count))
        values[rows] = gathered.alternative(place, 0, SearchPlan(gifts="exact", estimate=estimate))
        for renamed in table.symmetry.hand_maps:
            np.testing.assert_allclose(values[renamed][rows], values[rows], atol=0.01)


def test_what_is_put_together_is_judged_as_without_isomorphism(whole):
    """The strategies found, spelled out for all 220 flops, are worth the same."""
    judged = whole.search_all(SearchPlan(method="resolve"), 20)
    everything = HoldemTree(
        (), whole.tree._given, whole.tree.betting, whole.tree.sizes, whole.tree.deck, deals=(3,), isomorphism=False
    )
    with whole._playing(judged.strategy):
        transfer(whole.tree, everything)
    assert len(everything.tables_of) == 221
    first, second = everything.best_response_values()
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


def test_6_no_gifts_at_scale_0(whole):
    """Reach search with gifts of scale 0 is maxmargin, bit for bit."""
    plain, scaled = (whole.search_all(plan, 10) for plan in (SearchPlan(), SearchPlan(gifts="exact", scale=0)))
    assert np.array_equal(plain.strategy.wide, scaled.strategy.wide)
    assert not np.array_equal(plain.strategy.wide, whole.blueprint.wide)


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
    """CBV(I, a): the best of them is what the tree's own best response has there."""
    tree, values = whole.tree, whole.best_responses[player].action_values
    mine = [n for n, decision in enumerate(tree.lines[0].decisions) if decision.player == player]
    assert sorted(values) == mine
    for number in mine:
        mass = tree.met_mass(player, tree.reaches(0, number, ())[1 - player])
        best = tree.best_values(player, 0, number, ()) / mass
        np.testing.assert_allclose(values[number].max(axis=0), best, atol=0.02)


def test_gifts_by_hand(gathered):
    """A raise to 300 is raised to 900 and called: who raised last could have folded the big blind instead."""
    before = gathered.tree.lines[0]
    ways = {place: way_to(before, gathered.tree.lines[place.line].path[1]) for place in gathered.places}
    bets = {
        place: [before.decisions[decision].actions[taken] for decision, taken in way] for place, way in ways.items()
    }
    place = next(place for place in gathered.places if bets[place] == [300, 900, 0])
    decision, taken = ways[place][1]
    values = gathered.best_responses[0].action_values[decision]
    np.testing.assert_allclose(values[0], -100, atol=0.01)
    expected = gathered.subgame(place, 1).tree.in_rows(0, 0, np.maximum(-100 - values[taken], 0))
    np.testing.assert_allclose(gathered.gifts(place, 1, "lower"), expected, atol=0.01)
    assert expected.max() > 100


def test_actions_that_end_the_game(whole):
    """To fold, and to call a bet of all chips; a check before the flop does not."""
    line = whole.tree.lines[0]
    for number, decision in enumerate(line.decisions):
        found = ending(line, number)
        for action, over in zip(decision.actions, found, strict=True):
            facing_all_in = all(other <= 0 for other in decision.actions)
            assert over == (action < 0 or (action == 0 and facing_all_in))


def test_7_best_with_the_trunk(whole):
    """No search is better than the solution with the blueprint's play before the flop, which it keeps."""
    best = whole.best_with_trunk(300)
    for number, decision in enumerate(whole.tree.lines[0].decisions):
        before, after = (
            whole.tree.strategy_in(store, 0, number, 0) for store in (whole.blueprint, best.strategy)
        )  # fmt: skip
        np.testing.assert_allclose(after, before, atol=1e-6, err_msg=str(decision))
    assert whole.judge().exploitability > best.exploitability
    for plan in (SearchPlan(method="unsafe"), SearchPlan()):
        found = whole.search_all(plan, 100)
        for seat in range(2):
            assert best.losses[seat] <= found.losses[seat] + 1
    assert np.array_equal(whole.tree.tables.average.wide, whole.blueprint.wide)


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
    fold = np.zeros((len(whole.tree.lines[0].decisions[0].actions), 66))
    fold[0] = 1
    whole.tree.set_average(0, 0, 0, fold)  # seat 1, the first to act
    whole = WholeHoldem(whole.tree)
    whole.places = whole.places[:3]
    judged = whole.search_all(SearchPlan(method=method), 10)
    assert np.isfinite(judged.strategy.wide).all()
    assert not np.array_equal(judged.strategy.wide, whole.blueprint.wide)
    with pytest.raises(InputError, match="seat 1 never gets to 0 0 on"):
        whole.search(whole.places[0], 1, SearchPlan(method=method))


class TestBestWithTrunk:
    """Whatever happens in it, the tree and its judge are as before."""

    def unchanged(self, act, says):
        whole = random_blueprint(1)
        tree, before = whole.tree, whole.judge().losses
        tree.set_locks([Lock(0, 0, 0, 5, (1.0, 0.0, 0.0, 0.0))])
        tables, flags, locked = tree.tables, tree.flat.locked.copy(), whole.judge().losses
        assert locked != before
        with pytest.raises(says):
            act(whole)
        assert tree.tables is tables
        assert np.array_equal(tree.flat.locked, flags)
        assert whole.judge().losses == locked
        tree.set_locks(())
        assert whole.judge().losses == before

    def test_a_name_that_is_wrong(self):
        self.unchanged(lambda whole: whole.best_with_trunk(5, "cfr-plus"), InputError)
        self.unchanged(lambda whole: whole.best_with_trunk(0), InputError)

    def test_a_user_who_stops_it(self, monkeypatch):
        def stop(solver, iterations):
            raise KeyboardInterrupt

        monkeypatch.setattr(PublicSolver, "step", stop)
        self.unchanged(lambda whole: whole.best_with_trunk(5), KeyboardInterrupt)


def test_the_blueprint_stays_what_it_was():
    """Subgames and values are those of the time when the game was made, whatever the tree does afterwards."""
    early, late = random_blueprint(1), random_blueprint(1)
    late.tree.iterate(public_schedule(make_algorithm("cfr+"), 0, 20))
    for searcher in range(2):
        for place in early.places[::19]:
            assert np.array_equal(early.root_values(place, searcher), late.root_values(place, searcher), equal_nan=True)
            one, other = (whole.gifts(place, searcher, "exact") for whole in (early, late))
            assert np.array_equal(one, other)
    early.places = late.places = early.places[:2]
    assert late.search_all(SearchPlan(), 5).losses == early.search_all(SearchPlan(), 5).losses
    assert late.best_with_trunk(5).losses == early.best_with_trunk(5).losses


@pytest.mark.slow
def test_ranges_that_are_not_all_hands():
    """Values by brute force, and safe search stays safe."""
    some = Range(np.r_[np.ones(40), np.zeros(26)], GAME.deck), Range(np.linspace(0.1, 1, 66), GAME.deck)
    tree = HoldemTree((), some, GAME.betting, GAME.sizes, GAME.deck, deals=(3,))
    tree.iterate(public_schedule(make_algorithm("cfr+"), 0, 3))
    whole = WholeHoldem(tree)
    for searcher in range(2):
        place = whole.places[3]
        found = whole.subgame(place, searcher)
        expected = found.tree.in_rows(1 - searcher, 0, brute_force(whole, place, 1 - searcher))
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
    for wrong in (Flop(99, 1), Flop(0, 0), Flop(1, 0)):
        with pytest.raises(InputError, match="no subgame begins at"):
            whole.search(wrong, 0, SearchPlan())
    with pytest.raises(InputError, match="these buckets are not of this tree"):
        WholeHoldem(whole.tree, Buckets(whole.buckets.of[:-1], whole.buckets.count))
    with pytest.raises(InputError, match="buckets"):
        WholeHoldem(whole.tree).search(whole.places[0], 0, SearchPlan(estimate=True), 1)
    with pytest.raises(InputError, match="whole game"):
        WholeHoldem(whole.subgame(whole.places[0], 0).tree)
