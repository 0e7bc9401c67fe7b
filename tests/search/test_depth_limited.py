"""Depth-limited subgames: RPS+ in closed form, choices at the leaves, values of leaves (Brown 2020, section 5.2)."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.errors import InputError
from counterpoise.public import LeafBatch, build_dense
from counterpoise.public.histories import private_deals
from counterpoise.public.leaves import ValueLeaves
from counterpoise.search import search_subgame, subgame
from counterpoise.search.continuations import bias_approach, biased
from counterpoise.search.depth_limited import depth_limited
from counterpoise.search.leaves import LeafTable, SimilarLeaves, penalised, same_ranks, weakened
from counterpoise.search.limited_rules import HistoryTable, LimitedRules, private_hands
from counterpoise.search.solver import SearchSolver
from counterpoise.search.subgame_strategies import with_part
from counterpoise.solvers.base import make_algorithm
from counterpoise.tree import Strategy, enumerate_game

MOVES = {"R": 0.4, "P": 0.4, "S": 0.2}
POKER = "one_card_poker(ranks=3, fractions=[[0.5, 1], [0.5, 1]], max_bets=[1, 1])"
WIDER = "one_card_poker(ranks=3, fractions=[[0.5, 0.75, 1], [0.5, 1]], max_bets=[1, 1])"


@pytest.fixture(scope="module")
def rps():
    tree = enumerate_game("rps_plus")
    return build_dense(tree.game, hidden=True), Strategy.from_mapping(tree, {"P1": MOVES, "P2": MOVES})


@pytest.fixture(scope="module")
def poker():
    whole = build_dense(POKER)
    return whole, whole.profile(cp.solve(POKER, "cfr+", iterations=100).strategy)


def pot(node):
    """Ante and bets of both players: who calls a bet of a share of the pot pays as much."""
    middle = 2.0
    for step in node.game.history(node):
        middle *= 1 + 2 * float(step[1:]) if step[0] == "r" else 1
    return middle


def one_move(rps, others, iterations):
    whole, nash = rps
    leaves = HistoryTable("rps_plus", [[nash], others])
    limited = depth_limited(whole.root, whole.profile(nash), 0, leaves, depth=1, hidden=True)
    return limited, search_subgame(limited, "unsafe", iterations=iterations)


def batch_of(limited, seat, reach):
    """All leaves of a cut game, where one seat arrives with a given reach and the other with every hand."""
    leaves = ValueLeaves(limited.game, limited.leaves)
    arriving = [np.ones((len(leaves.nodes), count)) for count in limited.game.hand_counts]
    arriving[seat] = arriving[seat] * reach
    return LeafBatch(limited.game, leaves.nodes, leaves.picks, tuple(arriving))


@pytest.mark.parametrize("biases", [False, True], ids=["three pure", "four biased"])
def test_3_rps_plus(rps, biases):
    """(0.4, 0.4, 0.2) and value 0; a choice per history instead of per infoset would give -1."""
    _, nash = rps
    tree = enumerate_game("rps_plus")
    pure = [Strategy.from_mapping(tree, {"P2": {move: 1.0}}) for move in MOVES]
    whole = rps[0]
    four = [whole.strategy(one) for one in bias_approach(whole.profile(nash), 10, tuple(MOVES), str)]
    _, result = one_move(rps, four if biases else pure, 4_000)
    np.testing.assert_allclose(list(result.strategy["P1"].values()), list(MOVES.values()), atol=5e-3)
    assert result.values[0] == pytest.approx(0, abs=5e-3)
    assert result.best_values[0] == pytest.approx(0, abs=5e-3)


@pytest.mark.parametrize("iterations", [1, 2, 50])
def test_3b_one_continuation_says_nothing(rps, iterations):
    """Against the equilibrium alone all actions are worth 0, and no regret ever arises."""
    limited, result = one_move(rps, [rps[1]], iterations)
    solver = SearchSolver(make_algorithm("cfr+"), limited, None)
    solver.step(iterations)
    assert not solver.learning.regrets.numbers.any()
    assert result.best_values.tolist() == [0]


@pytest.mark.parametrize("searcher", [0, 1])
def test_all_continuations_are_enough(searcher):
    """Leaf values of an equilibrium against all pure continuations give its part above the leaves (Brown et al. 2018,
    proposition 1).

    In Kuhn poker one move deep (two for the second player) the opponent has at most one decision left behind each leaf,
    so that "always pass" and "always bet" are all there is. With the equilibrium alone the opponent wins more.
    """
    whole, tree = build_dense("kuhn_poker"), enumerate_game("kuhn_poker")
    nash = cp.exact("kuhn_poker").strategy
    pure = [_only(tree, action) for action in range(2)]

    def opponent_wins(others):
        leaves = LeafTable(whole, [[nash], others] if searcher == 0 else [others, [nash]])
        found = depth_limited(whole.root, whole.profile(nash), searcher, leaves, depth=1 + searcher)
        above = search_subgame(found, "unsafe", iterations=2_000).strategy
        return cp.best_response("kuhn_poker", with_part(nash, above, searcher), 1 - searcher).value

    value = (1 if searcher == 0 else -1) / 18
    assert opponent_wins(pure) == pytest.approx(value, abs=1e-3)
    assert opponent_wins([nash]) > value + 0.05


def test_choices_know_what_the_infoset_knows(poker):
    """One choice for each public leaf and own hand, whatever the other holds or picks, never one for each history."""
    whole, blueprint = poker
    four = bias_approach(blueprint)
    limited = depth_limited(whole.root, blueprint, 1, LeafTable(whole, [four, four])).game
    choices = [node for node in limited.root.decisions_below() if node.decision.choice]
    leaves = {("c", "c"), ("c", "r0.5", "c"), ("c", "r1", "c"), ("r0.5", "c"), ("r1", "c")}
    assert {(node.player, node.steps) for node in choices} == {(seat, leaf) for seat in (0, 1) for leaf in leaves}
    assert len(limited.street_trees[0].decisions) == 3 + 3 + 2 * len(leaves)


def test_leaves_are_worth_what_the_continuations_get(poker):
    """A table entry is the average over all ends below a history, summed by hand."""
    whole, profile = poker
    blueprint = whole.strategy(profile)
    raising = whole.strategy(biased(profile, "raise"))
    tree, table = enumerate_game(POKER), HistoryTable(POKER, [[blueprint, raising], [blueprint]])
    game, path = tree.game, (private_deals(tree.game)[1], ("r0.5", "c"))

    def value(state):
        player = game.player(state)
        if player == -2:
            return np.array(game.payoffs(state))
        if player == -1:
            return sum(likely * value(game.next(state, name)) for name, likely in game.chance(state))
        chosen = (raising, blueprint)[player][player, game.infoset(state)]
        return sum(likely * value(game.next(state, action)) for action, likely in chosen.items())

    state = path[0].state
    for step in path[1]:
        state = game.next(state, step)
    np.testing.assert_allclose(table.history_values(path[0].path + path[1])[1, 0], value(state), atol=1e-12)
    assert table.megabytes == pytest.approx(2 * tree.nodes * 2 * 8 / 1e6)


@pytest.mark.parametrize("depth", [None, 2, 3, 4])
@pytest.mark.parametrize("game", [POKER, "leduc_poker", "kuhn_poker"])
def test_tables_of_public_games_and_of_histories_agree(game, depth):
    """By traversals of the public game in float32, and by the enumerated game in float64: the same matrices."""
    whole = build_dense(game)
    profile = whole.profile(cp.solve(game, "cfr+", iterations=20).strategy)
    lists = [[profile, biased(profile, "raise")], [profile, biased(profile, "call")]]
    by_history = HistoryTable(game, [[whole.strategy(one) for one in own] for own in lists])
    limited = depth_limited(whole.root, profile, 0, LeafTable(whole, lists), depth=depth)
    leaves = ValueLeaves(limited.game, limited.leaves)
    pairs = zip(
        limited.leaves.matrices(limited.game, leaves.nodes, leaves.picks),
        by_history.matrices(limited.game, leaves.nodes, leaves.picks),
        strict=True,
    )
    for one, other in pairs:
        for seat in range(2):
            np.testing.assert_allclose(one.values[seat], other.values[seat], atol=1e-6)


def test_20_a_depth_beyond_the_end_is_the_whole_game(poker):
    """No leaf is reached, so that the solution is that of the whole game, bit for bit."""
    whole, blueprint = poker
    found = depth_limited(whole.root, blueprint, 1, LeafTable(whole, [[blueprint]] * 2), depth=50)
    limited = search_subgame(found, "unsafe", iterations=50)
    full = search_subgame(subgame(whole, (), whole.strategy(blueprint), 1), "unsafe", iterations=50)
    assert cp.exploitability(POKER, limited.strategy) == cp.exploitability(POKER, full.strategy)


def test_16_both_choose_with_one_continuation_of_the_searcher(poker):
    """Bit for bit the leaves at which only the opponent chooses; a copy of the same one changes no value."""
    whole, blueprint = poker
    four = bias_approach(blueprint)

    def solved(own):
        found = depth_limited(whole.root, blueprint, 1, LeafTable(whole, [four, own]))
        solver = SearchSolver(make_algorithm("cfr+"), found, None)
        solver.step(300)
        return solver.values()[0], solver.exploitability()

    assert solved([blueprint]) == solved(four[:1])
    value, gap = solved([blueprint])
    again, other_gap = solved([blueprint, blueprint])
    assert again == pytest.approx(value, abs=gap + other_gap + 1e-6)


def test_both_choose_is_a_simultaneous_choice(poker):
    """Both see nothing of the other's pick: the value is that of an LP on the enumerated rules."""
    whole, blueprint = poker
    four = bias_approach(blueprint)
    found = depth_limited(whole.root, blueprint, 1, LeafTable(whole, [four, four]))
    solver = SearchSolver(make_algorithm("cfr+"), found, None)
    solver.step(1_000)
    rules = [whole.strategy(one) for one in four]
    value = cp.exact(LimitedRules(whole.rules, whole.deals.hands, HistoryTable(POKER, [rules, rules]))).value[0]
    assert solver.exploitability() < 5e-3
    assert solver.values()[0] == pytest.approx(value, abs=1e-2)


@pytest.mark.parametrize("depth", [None, 1, 2, 3])
def test_cut_games_are_the_rules_to_that_depth(poker, depth):
    """The public game that was cut and that of the rules with picks as actions: the same iterates."""
    whole, blueprint = poker
    lists = [bias_approach(blueprint)[:3], [blueprint, biased(blueprint, "raise")]]
    by_history = HistoryTable(POKER, [[whole.strategy(one) for one in own] for own in lists])
    rules = LimitedRules(whole.rules, whole.deals.hands, by_history, depth)
    spelled = subgame(build_dense(rules, whole.deals.hands, hidden=True), (), _uniform(rules), 1, hidden=True)
    limited = depth_limited(whole.root, blueprint, 1, by_history, depth=depth)
    one, other = (search_subgame(part, "unsafe", iterations=30) for part in (spelled, limited))
    np.testing.assert_allclose(one.values, other.values, atol=1e-6)
    np.testing.assert_allclose(one.best_values, other.best_values, atol=1e-6)


def _uniform(rules):
    return Strategy.uniform(enumerate_game(rules))


def test_15_weakening(poker):
    """No continuation is worth more to a hand than the blueprint; where none was, nothing changes."""
    whole, blueprint = poker
    response = whole.profile(cp.best_response(POKER, whole.strategy(blueprint), 0).strategy)
    table = LeafTable(whole, [[*bias_approach(blueprint), response], [blueprint]])
    limited = depth_limited(whole.root, blueprint, 1, table)
    weak = weakened(table, 0, blueprint)
    nodes, picks = (lambda found: (found.nodes, found.picks))(ValueLeaves(limited.game, table))
    arriving = [np.stack([node.reach(_above(blueprint, limited.game))[seat] for node in nodes]) for seat in range(2)]
    batch = LeafBatch(limited.game, nodes, picks, tuple(arriving))
    before, after = table.values(batch), weak.values(batch)
    changed = 0
    for number, (node, picked) in enumerate(zip(nodes, picks, strict=True)):
        mass = node.mass(0, arriving[1][number])
        assert (mass > 0).any()
        base = next(n for n, other in enumerate(nodes) if other.steps == node.steps and picks[n] == (0, 0))
        np.testing.assert_allclose(after[0][number], np.minimum(before[0][number], before[0][base]), atol=1e-6)
        changed += int((before[0][number] > before[0][base] + 1e-6).sum())
        won = [float(arriving[seat][number] @ after[seat][number]) for seat in range(2)]
        assert sum(won) == pytest.approx(0, abs=1e-6)
        assert picked[1] == 0
    assert changed > 0
    for seat in range(2):
        matrices = weak.matrices(limited.game, nodes, picks)
        np.testing.assert_allclose(
            [matrix.values[seat] @ reach for matrix, reach in zip(matrices, arriving[1 - seat], strict=True)],
            after[seat],
            atol=1e-6,
        )


def _above(blueprint, limited):
    """The blueprint above the leaves, everybody picking it there."""
    found = blueprint.__class__(limited)
    for node in limited.root.decisions_below():
        rows = np.zeros((len(node.actions), limited.hand_counts[node.player]))
        rows[:] = 1  # reach of leaves is then a share of that above the choice, the same for all picks
        if not node.decision.choice:
            rows = blueprint.game.find(limited.history(node)).strategy(blueprint)
        node.set_strategy(found, rows)
    return found


@pytest.mark.parametrize("seat", [0, 1])
def test_penalty(poker, seat):
    """All but the blueprint cost the opponent a share of the pot, which the searcher gets."""
    whole, blueprint = poker
    lists = [bias_approach(blueprint), [blueprint]] if seat == 0 else [[blueprint], bias_approach(blueprint)]
    table = LeafTable(whole, lists)
    limited = depth_limited(whole.root, blueprint, 1 - seat, table)
    fined = penalised(table, seat, 0.05, pot)
    batch = batch_of(limited, 1 - seat, np.array([0.2, 0.5, 1.0]))
    before, after = table.values(batch), fined.values(batch)
    for number, (node, picked) in enumerate(zip(batch.leaves, batch.picks, strict=True)):
        paid = 0.05 * pot(node) if picked[seat] else 0.0
        mass = [node.mass(player, batch.reach[1 - player][number]) for player in range(2)]
        np.testing.assert_allclose(before[seat][number] - after[seat][number], paid * mass[seat], atol=1e-12)
        np.testing.assert_allclose(
            after[1 - seat][number] - before[1 - seat][number], paid * mass[1 - seat], atol=1e-12
        )
    assert pot(next(node for node in batch.leaves if node.steps == ("r1", "c"))) == 6
    for player in range(2):
        matrices = fined.matrices(limited.game, batch.leaves, batch.picks)
        np.testing.assert_allclose(
            [matrix.values[player] @ reach for matrix, reach in zip(matrices, batch.reach[1 - player], strict=True)],
            after[player],
            atol=1e-12,
        )
    with pytest.raises(InputError, match="share must be a number of at least 0"):
        penalised(table, seat, -1, pot)


def test_similar_leaves(poker):
    """A leaf that the blueprint does not know is worth the mean share of the pot of the similar ones."""
    whole, blueprint = poker
    table = LeafTable(whole, [[blueprint]] * 2)
    wider = build_dense(WIDER)
    known = [whole.find([bet]) for bet in ("r0.5", "r1")]
    leaves = SimilarLeaves(table, lambda leaf: [same_ranks(leaf, start) for start in known], pot)
    limited = depth_limited(wider.root, wider.profile(_uniform(wider.rules)), 1, leaves, after="r0.75")
    (leaf,) = ValueLeaves(limited.game, leaves).nodes
    (matrix,) = leaves.matrices(limited.game, [leaf], [(0, 0)])
    half, whole_pot = (table.matrix(whole.find([bet, "c"]), (0, 0)) for bet in ("r0.5", "r1"))
    batch = batch_of(limited, 0, np.array([0.2, 0.5, 1.0]))
    for seat in range(2):
        wanted = 5 * (half.values[seat] / 4 + whole_pot.values[seat] / 6) / 2
        np.testing.assert_allclose(matrix.values[seat], wanted)
        np.testing.assert_allclose(leaves.values(batch)[seat][0], wanted @ batch.reach[1 - seat][0])


def test_leaves_without_values_are_refused(poker):
    whole, blueprint = poker
    table, wider = LeafTable(whole, [[blueprint]] * 2), build_dense(WIDER)
    limited = depth_limited(wider.root, wider.profile(_uniform(wider.rules)), 1, table)
    with pytest.raises(InputError, match=r"no leaf values after 'c r0.75 c'"):
        search_subgame(limited, "unsafe", iterations=1)
    with pytest.raises(InputError, match="no leaf values after"):
        HistoryTable(POKER, [[whole.strategy(blueprint)]] * 2).history_values(("KQ", "r0.75", "c"))

    class Holes:
        def values(self, batch):
            return batch.reach[0] * np.nan, batch.reach[1]

    with pytest.raises(InputError, match="numbers that are not finite"):
        search_subgame(depth_limited(whole.root, blueprint, 1, Holes()), "unsafe", iterations=1)


@pytest.mark.parametrize("depth", [0, -1, True, 1.5])
def test_wrong_depths_are_refused(poker, depth):
    whole, blueprint = poker
    with pytest.raises(InputError, match="depth must be a whole number of at least 1"):
        depth_limited(whole.root, blueprint, 1, LeafTable(whole, [[blueprint]] * 2), depth=depth)


def test_continuations_are_needed_for_every_seat(poker):
    whole, blueprint = poker
    for given in ([[blueprint], []], [[blueprint]]):
        with pytest.raises(InputError, match="continuations must be 2 lists, one per seat"):
            LeafTable(whole, given)
        with pytest.raises(InputError, match="continuations must be 2 lists, one per seat"):
            HistoryTable(POKER, given)


def test_a_strategy_serves_as_a_profile_and_other_things_are_refused():
    whole, equilibrium = build_dense("kuhn_poker"), cp.solve("kuhn_poker", "cfr+", iterations=20).strategy
    leaves = LeafTable(whole, ([equilibrium], [equilibrium]))
    as_profile, as_strategy = (
        depth_limited(whole.root, kind, 0, leaves, depth=1).game.ranges
        for kind in (whole.profile(equilibrium), equilibrium)
    )
    for one, other in zip(as_profile, as_strategy, strict=True):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(InputError, match="node must be a PublicNode"):
        depth_limited(["c"], equilibrium, 0, leaves)
    with pytest.raises(InputError, match="continuations must be 2 lists, one per seat"):
        LeafTable(whole, equilibrium)
    with pytest.raises(InputError, match=r"write LeafTable\(\) instead of LeafTable"):
        ValueLeaves(whole, LeafTable)


def test_wrong_continuations_are_refused(poker):
    whole, blueprint = poker
    with pytest.raises(InputError, match="a strategy must be a profile of"):
        LeafTable(build_dense(POKER), [[blueprint]] * 2)
    limited = depth_limited(whole.root, blueprint, 1, LeafTable(whole, [[blueprint]] * 2)).game
    with pytest.raises(InputError, match="stops at value leaves itself"):
        LeafTable(limited, [[blueprint]] * 2)
    with pytest.raises(InputError, match="hidden moves"):
        LeafTable(build_dense("rps_plus", hidden=True), [[], []])


@pytest.mark.parametrize("seed", range(5))
def test_23_no_number_is_missing(poker, seed):
    """Random strategies with many zeros, random subgames and depths: all probabilities are numbers."""
    whole, _ = poker
    draws = np.random.default_rng(seed)
    tree = enumerate_game(POKER)
    mapping = {}
    for (player, label), actions in zip(tree.table, tree.table.actions, strict=True):
        weights = draws.random(len(actions)) * (draws.random(len(actions)) < 0.5)
        weights[draws.integers(len(actions))] += 1e-3
        mapping[player, label] = dict(zip(actions, weights / weights.sum(), strict=True))
    strategy = whole.profile(Strategy.from_mapping(tree, mapping))
    leaves = weakened(LeafTable(whole, [bias_approach(strategy), [strategy]]), 0, strategy)
    found = depth_limited(whole.find(["c"]), strategy, 1, leaves, depth=int(draws.integers(1, 5)))
    alternative = np.where(found.mass > 0, draws.normal(size=3), np.nan)
    result = search_subgame(found, ("resolve", "maxmargin")[seed % 2], alternative=alternative, iterations=20)
    assert np.isfinite(result.strategy.probabilities).all()
    assert np.isfinite(result.best_values[found.mass > 0]).all()


def test_three_players_choose_at_the_leaves():
    """Every player picks without seeing another's pick; with a single continuation the value is the blueprint's."""
    game = cp.load("kuhn_poker(players=3)")
    tree = enumerate_game(game)
    uniform = Strategy.uniform(tree)
    hands = private_hands(game)
    assert [len(set(own.tolist())) for own in hands] == [4, 4, 4]
    single = LimitedRules(game, hands, HistoryTable(game, [[uniform]] * 3), depth=2)
    np.testing.assert_allclose(
        cp.expected_value(single, Strategy.uniform(enumerate_game(single))),
        cp.expected_value(game, uniform),
        atol=1e-12,
    )
    three = [uniform, *(_only(tree, action) for action in range(2))]
    choice = enumerate_game(LimitedRules(game, hands, HistoryTable(game, [three] * 3), depth=2))
    picks = [
        actions
        for (_, label), actions in zip(choice.table, choice.table.actions, strict=True)
        if "at the leaf" in label
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
        for own, known in zip(private_hands(game), build_dense(game).deals.hands, strict=True):
            pairs = set(zip(own.tolist(), known.tolist(), strict=True))
            assert len(pairs) == len(set(own.tolist())) == len(set(known.tolist()))


@pytest.mark.parametrize(("algorithm", "iterations"), [("lcfr", 500), ("linear-es-mccfr", 30_000)])
def test_any_algorithm_solves_it(poker, algorithm, iterations):
    """The rules with the choices at the leaves are a game like others, also for solvers that sample."""
    whole, blueprint = poker
    four = [whole.strategy(one) for one in bias_approach(blueprint)]
    rules = LimitedRules(whole.rules, whole.deals.hands, HistoryTable(POKER, [four, four[:1]]))
    uniform = cp.exploitability(rules, Strategy.uniform(enumerate_game(rules)))
    assert cp.solve(rules, algorithm, iterations=iterations, seed=1).exploitability < uniform / 20
