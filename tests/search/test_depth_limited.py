"""Depth-limited subgames: RPS+ by its closed form, choices at the leaves, values of leaves (BROWN 5.2)."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.errors import InputError
from counterpoise.public import DenseTree
from counterpoise.search import search, subgame
from counterpoise.search.continuations import bias_approach, biased
from counterpoise.search.depth_limited import DepthLimited, depth_limited, private_hands
from counterpoise.search.leaves import LeafTable, follow, mapped, penalised, weakened
from counterpoise.search.subgame import private_deals, with_part
from counterpoise.tree import Strategy, enumerate_game

MOVES = {"R": 0.4, "P": 0.4, "S": 0.2}
POKER = "one_card_poker(ranks=3, fractions=[[0.5, 1], [0.5, 1]], max_bets=[1, 1])"


@pytest.fixture(scope="module")
def rps():
    tree = enumerate_game("rps_plus")
    return DenseTree(tree.game, hidden=True), Strategy.from_mapping(tree, {"P1": MOVES, "P2": MOVES})


@pytest.fixture(scope="module")
def poker():
    return DenseTree(POKER), cp.solve(POKER, "cfr+", iterations=100).strategy


def pot(state):
    return sum(state.paid)


def one_move(rps, others, iterations):
    whole, nash = rps
    limited = depth_limited(whole, (), nash, 0, LeafTable("rps_plus", [[nash], others]), depth=1)
    return limited, search(limited, "unsafe", iterations=iterations)


@pytest.mark.parametrize("biases", [False, True], ids=["three pure", "four biased"])
def test_3_rps_plus(rps, biases):
    """Checks 3 and 3c: (0.4, 0.4, 0.2) and value 0; a choice per history instead of per infoset would give -1."""
    _, nash = rps
    tree = enumerate_game("rps_plus")
    pure = [Strategy.from_mapping(tree, {"P2": {move: 1.0}}) for move in MOVES]
    others = bias_approach(nash, 10, tuple(MOVES), str) if biases else pure
    limited, result = one_move(rps, others, 4_000)
    np.testing.assert_allclose(list(result.strategy["P1"].values()), list(MOVES.values()), atol=5e-3)
    assert limited.tree.root_values()[0] == pytest.approx(0, abs=5e-3)
    assert result.best_values[0] == pytest.approx(0, abs=5e-3)


@pytest.mark.parametrize("iterations", [1, 2, 50])
def test_3b_one_continuation_says_nothing(rps, iterations):
    """Check 3b: against the equilibrium alone all actions are worth 0, and no regret ever arises."""
    limited, result = one_move(rps, [rps[1]], iterations)
    assert not limited.tree.tables.regrets.wide.any()
    assert result.best_values.tolist() == [0]


@pytest.mark.parametrize("searcher", [0, 1])
def test_all_continuations_are_enough(searcher):
    """Leaf values of an equilibrium against all pure continuations give its part above the leaves (DLS, proposition 1).

    In Kuhn poker one move deep (two for the second player) the opponent has at most one decision left behind each leaf,
    so that "always pass" and "always bet" are all there is. With the equilibrium alone the opponent wins more.
    """
    whole, tree = DenseTree("kuhn_poker"), enumerate_game("kuhn_poker")
    nash = cp.exact("kuhn_poker").strategy
    pure = [_only(tree, action) for action in range(2)]

    def opponent_wins(others):
        leaves = LeafTable("kuhn_poker", [[nash], others] if searcher == 0 else [others, [nash]])
        found = depth_limited(whole, (), nash, searcher, leaves, depth=1 + searcher)
        above = search(found, "unsafe", iterations=2_000).strategy
        return cp.best_response("kuhn_poker", with_part(nash, above, searcher), 1 - searcher).value

    value = (1 if searcher == 0 else -1) / 18
    assert opponent_wins(pure) == pytest.approx(value, abs=1e-3)
    assert opponent_wins([nash]) > value + 0.05


def test_choices_know_what_the_infoset_knows(poker):
    """One choice for each public leaf and own hand, whatever the other holds or picks (pitfall: per history)."""
    whole, blueprint = poker
    four = bias_approach(blueprint)
    limited = depth_limited(whole, (), blueprint, 1, LeafTable(POKER, [four, four]))
    labels = {
        seat: {key for player, key in limited.tree.table if player == seat and "goes on" in key} for seat in (0, 1)
    }
    leaves = ("c c", "c r0.5 c", "c r1 c", "r0.5 c", "r1 c")
    wanted = {f"hand {hand} after {leaf} goes on" for hand in range(3) for leaf in leaves}
    assert labels == {0: wanted, 1: wanted}


def test_leaves_are_worth_what_the_continuations_get(poker):
    """A table entry is the average over all ends below a history, summed by hand."""
    _, blueprint = poker
    raising = biased(blueprint, "raise")
    tree, table = enumerate_game(POKER), LeafTable(POKER, [[blueprint, raising], [blueprint]])
    game, path = tree.game, (private_deals(tree.game)[1].path, ("r0.5", "c"))

    def value(state):
        player = game.player(state)
        if player == -2:
            return np.array(game.payoffs(state))
        if player == -1:
            return sum(likely * value(game.next(state, name)) for name, likely in game.chance(state))
        chosen = (raising, blueprint)[player][player, game.infoset(state)]
        return sum(likely * value(game.next(state, action)) for action, likely in chosen.items())

    place = follow(tree, path[0] + path[1])
    np.testing.assert_allclose(table.values(path[0] + path[1])[1, 0], value(place.state), atol=1e-12)
    assert table.megabytes == pytest.approx(2 * tree.nodes * 2 * 8 / 1e6)


def test_20_a_depth_beyond_the_end_is_the_whole_game(poker):
    """Check 20: no leaf is reached, so that the solution is that of the whole game, bit for bit."""
    whole, blueprint = poker
    found = depth_limited(whole, (), blueprint, 1, LeafTable(POKER, [[blueprint]] * 2), depth=50)
    limited = search(found, "unsafe", iterations=50)
    full = search(subgame(whole, (), blueprint, 1), "unsafe", iterations=50)
    assert cp.exploitability(POKER, limited.strategy) == cp.exploitability(POKER, full.strategy)


def test_16_both_choose_with_one_continuation_of_the_searcher(poker):
    """Check 16: bit for bit the leaves at which only the opponent chooses; a copy of the same one changes no value."""
    whole, blueprint = poker
    four = bias_approach(blueprint)

    def solved(own):
        found = depth_limited(whole, (), blueprint, 1, LeafTable(POKER, [four, own]))
        search(found, "unsafe", iterations=300)
        return found.tree.root_values()[0], found.tree.exploitability()

    assert solved([blueprint]) == solved(four[:1])
    value, gap = solved([blueprint])
    again, other_gap = solved([blueprint, blueprint])
    assert again == pytest.approx(value, abs=gap + other_gap + 1e-6)


def test_both_choose_is_a_simultaneous_choice(poker):
    """Both see nothing of the other's pick: the value is that of an LP on the enumerated rules."""
    whole, blueprint = poker
    four = bias_approach(blueprint)
    leaves = LeafTable(POKER, [four, four])
    found = depth_limited(whole, (), blueprint, 1, leaves)
    search(found, "unsafe", iterations=1_000)
    value = cp.exact(DepthLimited(whole.game, whole.deals.hands, leaves)).value[0]
    assert found.tree.exploitability() < 5e-3
    assert found.tree.root_values()[0] == pytest.approx(value, abs=1e-2)


def test_15_weakening(poker):
    """Check 15: no continuation is worth more to a hand than the blueprint; where none was, nothing changes."""
    whole, blueprint = poker
    response = cp.best_response(POKER, blueprint, 0).strategy
    table = LeafTable(POKER, [[*bias_approach(blueprint), response], [blueprint]])
    weak = weakened(table, whole, blueprint, 0)
    tree, changed = enumerate_game(POKER), 0
    for public in (("c", "c"), ("r0.5", "c"), ("c", "r1", "c")):
        reach = _searchers_reach(tree, blueprint, public)
        for hand in range(3):
            deals = [deal.path for n, deal in enumerate(private_deals(tree.game)) if whole.deals.hands[0][n] == hand]
            weights = np.array([follow(tree, deal).chance * reach[deal] for deal in deals])
            before, after = (
                np.average([leaves.values(deal + public)[:, 0, 0] for deal in deals], axis=0, weights=weights)
                for leaves in (table, weak)
            )
            assert (after <= before[0] + 1e-9).all()
            np.testing.assert_allclose(after, np.minimum(before, before[0]), atol=1e-12)
            changed += int((before > before[0] + 1e-9).sum())
            for deal in deals:
                assert np.abs(weak.values(deal + public).sum(axis=-1)).max() < 1e-12
    assert changed > 0


def _searchers_reach(tree, strategy, public):
    game, reach = tree.game, {}
    for deal, state, _ in private_deals(game):
        own = 1.0
        for step in public:
            if game.player(state) == 1:
                own *= strategy[1, game.infoset(state)][step]
            state = game.next(state, step)
        reach[deal] = own
    return reach


def test_penalty(poker):
    """All but the blueprint cost the opponent a share of the pot, which the searcher gets."""
    whole, blueprint = poker
    table = LeafTable(POKER, [bias_approach(blueprint), [blueprint]])
    path = (*private_deals(whole.game)[0].path, "r1", "c")
    less = table.values(path) - penalised(table, whole.game, 0, pot, 0.05).values(path)
    np.testing.assert_allclose(less[:, 0, 0], [0, 0.3, 0.3, 0.3], atol=1e-12)  # the pot is 6
    np.testing.assert_allclose(less[..., 1], -less[..., 0], atol=1e-12)


def test_leaf_mapping(poker):
    """A leaf that the blueprint does not know is worth the mean share of the pot of the similar ones."""
    _, blueprint = poker
    table = LeafTable(POKER, [[blueprint]] * 2)
    game = cp.load("one_card_poker(ranks=3, fractions=[[0.5, 0.75, 1], [0.5, 1]], max_bets=[1, 1])")

    def similar(path):
        return [tuple(known if step == "r0.75" else step for step in path) for known in ("r0.5", "r1")]

    leaves = mapped(table, game, table.tree, similar, pot)
    deal = private_deals(game)[2].path
    half, whole_pot = (table.values((*deal, bet, "c")) for bet in ("r0.5", "r1"))
    np.testing.assert_allclose(leaves.values((*deal, "r0.75", "c")), 5 * (half / 4 + whole_pot / 6) / 2)
    np.testing.assert_allclose(leaves.values((*deal, "r1", "c")), whole_pot)


def test_leaves_without_values_are_refused(poker):
    whole, blueprint = poker
    table = LeafTable(POKER, [[blueprint]] * 2)
    rules = cp.load("one_card_poker(ranks=3, fractions=[[0.5, 0.75, 1], [0.5, 1]], max_bets=[1, 1])")
    with pytest.raises(InputError, match=r"no leaf values after '.* r0.75 c'"):
        depth_limited(whole, (), blueprint, 1, table, rules=rules)

    class Holes:
        counts = (1, 1)

        def values(self, path):
            return np.full((1, 1, 2), np.nan)

    with pytest.raises(InputError, match="no leaf values after"):
        depth_limited(whole, (), blueprint, 1, Holes())


@pytest.mark.parametrize("depth", [0, -1, True, 1.5])
def test_wrong_depths_are_refused(poker, depth):
    whole, blueprint = poker
    with pytest.raises(InputError, match="depth must be a whole number of at least 1 or None"):
        depth_limited(whole, (), blueprint, 1, LeafTable(POKER, [[blueprint]] * 2), depth)


def test_continuations_are_needed_for_every_seat(poker):
    _, blueprint = poker
    for given in ([[blueprint], []], [[blueprint]]):
        with pytest.raises(InputError, match="continuations must be 2 lists, one per seat"):
            LeafTable(POKER, given)


@pytest.mark.parametrize("seed", range(5))
def test_23_no_number_is_missing(poker, seed):
    """Check 23: random strategies with many zeros, random subgames and depths: all probabilities are numbers."""
    whole, _ = poker
    draws = np.random.default_rng(seed)
    tree = enumerate_game(POKER)
    mapping = {}
    for (player, label), actions in zip(tree.table, tree.table.actions, strict=True):
        weights = draws.random(len(actions)) * (draws.random(len(actions)) < 0.5)
        weights[draws.integers(len(actions))] += 1e-3
        mapping[player, label] = dict(zip(actions, weights / weights.sum(), strict=True))
    strategy = Strategy.from_mapping(tree, mapping)
    leaves = weakened(LeafTable(POKER, [bias_approach(strategy), [strategy]]), whole, strategy, 0)
    found = depth_limited(whole, ("c",), strategy, 1, leaves, depth=int(draws.integers(1, 5)))
    alternative = np.where(found.mass > 0, draws.normal(size=3), np.nan)
    result = search(found, ("resolve", "maxmargin")[seed % 2], alternative=alternative, iterations=20)
    assert np.isfinite(result.strategy.probabilities).all()
    assert np.isfinite(result.best_values[found.mass > 0]).all()


def test_three_players_choose_at_the_leaves():
    """Every player picks without seeing another's pick; with a single continuation the value is the blueprint's."""
    game = cp.load("kuhn_poker(players=3)")
    tree = enumerate_game(game)
    uniform = Strategy.uniform(tree)
    hands = private_hands(game)
    assert [len(set(own.tolist())) for own in hands] == [4, 4, 4]
    single = DepthLimited(game, hands, LeafTable(game, [[uniform]] * 3), depth=2)
    np.testing.assert_allclose(
        cp.expected_value(single, Strategy.uniform(enumerate_game(single))),
        cp.expected_value(game, uniform),
        atol=1e-12,
    )
    three = [uniform, *(_only(tree, action) for action in range(2))]
    choice = enumerate_game(DepthLimited(game, hands, LeafTable(game, [three] * 3), depth=2))
    picks = [
        actions for (_, label), actions in zip(choice.table, choice.table.actions, strict=True) if "goes on" in label
    ]
    assert picks == [tuple(f"continuation {k}" for k in range(3))] * (3 * 4 * 4)  # seats, cards, public leaves
    assert np.isfinite(cp.solve(choice.game, "cfr", iterations=50).strategy.probabilities).all()


def _only(tree, action):
    return Strategy.from_mapping(
        tree,
        {key: {actions[action]: 1.0} for key, actions in zip(tree.table, tree.table.actions, strict=True)},
    )


def test_private_hands_are_those_of_the_public_tree():
    for game in (POKER, "kuhn_poker", "leduc_poker"):
        for own, known in zip(private_hands(game), DenseTree(game).deals.hands, strict=True):
            pairs = set(zip(own.tolist(), known.tolist(), strict=True))
            assert len(pairs) == len(set(own.tolist())) == len(set(known.tolist()))


@pytest.mark.parametrize(("algorithm", "iterations"), [("lcfr", 500), ("linear-es-mccfr", 30_000)])
def test_any_algorithm_solves_it(poker, algorithm, iterations):
    """The rules with the choices at the leaves are a game like others, also for solvers that sample."""
    whole, blueprint = poker
    rules = DepthLimited(whole.game, whole.deals.hands, LeafTable(POKER, [bias_approach(blueprint), [blueprint]]))
    uniform = cp.exploitability(rules, Strategy.uniform(enumerate_game(rules)))
    assert cp.solve(rules, algorithm, iterations=iterations, seed=1).exploitability < uniform / 20
