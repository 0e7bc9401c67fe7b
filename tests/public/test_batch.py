"""Batches of belief states: every state comes out as a traversal of its own would have it."""

import numpy as np
import pytest

from counterpoise.betting.rules import Betting
from counterpoise.betting.sizes import BetSizes
from counterpoise.cards import Deck, Range
from counterpoise.errors import InputError
from counterpoise.public import (
    BatchTraverser,
    Cut,
    HoldemRules,
    Learning,
    Lock,
    Traverser,
    build_dense,
    build_holdem,
)
from counterpoise.solvers.public.solver import public_schedule
from counterpoise.solvers.run import make_algorithm
from counterpoise.tree import enumerate_game

pytestmark = pytest.mark.slow  # traversals of batches are compiled apart, for half a minute


def schedule(iterations, algorithm="lcfr"):
    return public_schedule(make_algorithm(algorithm), 0, iterations)


def small_turn(cut=None):
    """Hold'em with twelve cards on the turn, ranges of all hands with different weights, suits told apart."""
    deck = Deck(ranks=3)
    random = np.random.default_rng(1)
    ranges = tuple(Range(random.uniform(0.1, 1, deck.hand_count), deck) for _ in range(2))
    table = {"bet": ["100%"], "raise": ["allin"]}
    sizes = BetSizes.read({"turn": table, "river": table}, first_round=2)
    board = (*deck.cards.tolist()[:3], deck.cards.tolist()[5])
    betting = Betting.spot(pot=10, stack=40, first_round=2)
    return build_holdem(HoldemRules(board, ranges, betting, sizes, deck, isomorphism=False, cut=cut))


GAMES = {
    "leduc": lambda: build_dense("leduc_poker"),
    "liar's dice": lambda: build_dense("liars_dice(dice=1, faces=3)"),
    "turn": small_turn,
}


def some_states(game, street, count, seed=0):
    """Street trees, boards and random ranges."""
    random = np.random.default_rng(seed)
    trees = [number for number, tree in enumerate(game.street_trees) if tree.street == street]
    boards = np.flatnonzero(game.street_of == street)
    reach = tuple(random.random((count, hands)) * (random.random((count, hands)) < 0.9) for hands in game.hand_counts)
    return random.choice(trees, count), random.choice(boards, count), reach


def rows_of(batch, state):
    """What arrives of both players, by row of the board, as a traverser takes it."""
    return np.ascontiguousarray(batch.states.reach[state]).astype(np.float32)


class Curved:
    """Values that depend on both players' reach, and not linearly; it counts how often it is asked."""

    def __init__(self, game):
        random = np.random.default_rng(7)
        leaves = 1 + max(len(tree.leaves) for tree in game.street_trees)
        self.weights = [random.normal(size=(leaves, sum(game.hand_counts), hands)) for hands in game.hand_counts]
        self.asked = []

    def values(self, batch):
        self.asked.append(batch)
        numbers = [node.at[1] for node in batch.leaves]
        both = np.concatenate(batch.reach, axis=1)
        return tuple(np.tanh(np.einsum("lh,lhk->lk", both, own[numbers])) for own in self.weights)


@pytest.mark.parametrize(("name", "street"), [("leduc", 1), ("liar's dice", 0), ("turn", 1)])
def test_every_state_is_iterated_as_alone(name, street):
    game = GAMES[name]()
    trees, boards, reach = some_states(game, street, 7)
    traverser, alone = BatchTraverser(game), Traverser(game)
    batch = traverser.batch(trees, boards, reach)
    learning = traverser.learning(batch)
    traverser.iterate(batch, learning, schedule(12))
    for state, (tree, board) in enumerate(zip(trees.tolist(), boards.tolist(), strict=True)):
        single = Learning.fresh(game)
        alone.iterate_below(tree, board, rows_of(batch, state), single, schedule(12), every_hand=True)
        for player in range(2):
            stride = int(game.boards.stride[player, board])
            entries, rows = game.stored_on(player, tree, board)
            shape = (rows.stop - rows.start, stride)
            for profile, numbers in ((single.regrets, learning.regrets), (single.average, learning.average)):
                own = traverser.layout.of_player(numbers, player)[state, : shape[0], :stride]
                np.testing.assert_array_equal(own, profile.store.wide[entries].reshape(shape))


@pytest.mark.parametrize("cut", [Cut(), Cut(depth=2)])
def test_leaves_of_all_states_are_valued_at_once(cut):
    """States with ranges of their own come out as games with these ranges, deals or a cut being their leaves."""
    game = small_turn(cut)
    _, _, reach = some_states(game, 0, 3)
    curved = Curved(game)
    traverser = BatchTraverser(game, curved)
    batch = traverser.batch([0] * 3, [0] * 3, reach)
    learning = traverser.learning(batch)
    traverser.iterate(batch, learning, schedule(5))
    assert len(curved.asked) == 10
    asked = curved.asked[0]
    assert len(asked.leaves) == len(asked.states) == 3 * game.value_leaves
    assert asked.player == 0
    found = [traverser.strategies(batch, learning.average, player) for player in range(2)]
    for state in range(3):
        part = game.with_ranges({player: reach[player][state] for player in range(2)})
        single = Learning.fresh(part)
        Traverser(part, leaves=Curved(game)).iterate(single, schedule(5))
        tree = part.street_trees[0]
        for number, decision in enumerate(tree.decisions):
            rows = slice(decision.first_row - 1, decision.first_row - 1 + len(decision.actions))
            arrives = reach[decision.player][state] > 0  # others have no average in a single game
            expected = single.average.strategy(0, number, 0)
            np.testing.assert_allclose(found[decision.player][state, rows][:, arrives], expected[:, arrives], atol=2e-3)


def test_means_of_values_and_values_of_leaves_that_are_given():
    """Means over iterations are kept by the visits; values that are asked for beforehand lead to the same updates."""
    game = small_turn()
    _, _, reach = some_states(game, 0, 3)
    traverser = BatchTraverser(game, Curved(game))
    batch = traverser.batch([0] * 3, [0] * 3, reach)
    asked, given = traverser.learning(batch), traverser.learning(batch)
    means, kept = traverser.root_rows(batch, 0), []
    for t in range(1, 5):
        leaf_values = traverser.leaf_values(batch, given.matched, 0)
        kept.append(traverser.update(batch, given, schedule(4), 0, t - 1, leaf_values))
        found = traverser.update(batch, asked, schedule(4), 0, t - 1, means=(means, 1 / t))
        np.testing.assert_array_equal(asked.regrets, given.regrets)
        np.testing.assert_allclose(found, np.mean(kept, axis=0), atol=1e-5)
    by_hand = np.zeros((3, traverser.layout.slots, game.hand_counts[1]))
    by_hand[:, 1] = np.arange(game.hand_counts[1])
    rows = traverser.leaf_rows(batch, 1, by_hand)
    np.testing.assert_array_equal(traverser.layout.to_hands(1, batch.boards, rows), by_hand)


def test_deals_are_value_leaves():
    whole, cut = small_turn(), small_turn(Cut())
    _, _, reach = some_states(cut, 0, 4)
    averages = []
    for game in (whole, cut):
        traverser = BatchTraverser(game, Curved(cut))
        batch = traverser.batch([0] * 4, [0] * 4, reach)
        learning = traverser.learning(batch)
        traverser.iterate(batch, learning, schedule(6))
        averages.append(traverser.layout.of_player(learning.average, 0)[:, : cut.arrays.trees.rows[0, 0] - 1])
    np.testing.assert_array_equal(*(average[:, :, : cut.hand_counts[0]] for average in averages))


def test_states_stop_at_iterations_of_their_own():
    game = build_dense("liars_dice(dice=1, faces=3)")
    traverser = BatchTraverser(game)
    reach = tuple(np.random.default_rng(3).random((3, hands)) for hands in game.hand_counts)
    batch = traverser.batch([0] * 3, [0] * 3, reach)
    stops = np.array([1, 9, 5])
    stopped = traverser.iterate(batch, traverser.learning(batch), schedule(9), stops)
    assert not stopped.played[0].any()  # the first iteration plays uniform strategies
    for state, stop in enumerate(stops):
        alone = traverser.batch([0], [0], tuple(own[state : state + 1] for own in reach))
        learning = traverser.learning(alone)
        last = traverser.iterate(alone, learning, schedule(int(stop)))
        np.testing.assert_array_equal(stopped.played[state], last.played[0])
        np.testing.assert_array_equal(stopped.average[state], learning.average[0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values_and_best_responses(dtype):
    """One profile's values sum to 0, a best response is worth what it says, and no strategy is worth more."""
    game = build_dense("liars_dice(dice=1, faces=3)")
    traverser = BatchTraverser(game, dtype=dtype)
    reach = tuple(np.random.default_rng(4).random((5, hands)) for hands in game.hand_counts)
    batch = traverser.batch([0] * 5, [0] * 5, reach)
    learning = traverser.learning(batch)
    traverser.iterate(batch, learning, schedule(4))
    own = [traverser.values(batch, learning.average, player) for player in range(2)]
    tolerance = 1e-6 if dtype is np.float32 else 1e-14
    np.testing.assert_allclose(sum((own[p] * reach[p]).sum(axis=1) for p in range(2)), 0, atol=tolerance)
    for player in range(2):
        best = traverser.values(batch, learning.average, player, best=True)
        answer = learning.average.copy()
        np.testing.assert_allclose(traverser.respond(batch, answer, player), best, atol=tolerance)
        np.testing.assert_allclose(traverser.values(batch, answer, player), best, atol=tolerance)
        assert (best >= own[player] - tolerance).all()
        chosen = traverser.strategies(batch, answer, player)
        assert set(np.unique(chosen)) == {0, 1}
        again = traverser.profile(batch)
        traverser.set_strategies(batch, again, player, chosen)
        np.testing.assert_array_equal(traverser.strategies(batch, again, player), chosen)


def test_vectors_of_hands_are_information_sets_one_by_one():
    """CFR+ of Kuhn in double precision, all hands at once and infoset by infoset: the same regrets."""
    game, single = build_dense("kuhn_poker"), make_algorithm("cfr+").on(enumerate_game("kuhn_poker"))
    traverser = BatchTraverser(game, dtype=np.float64)
    batch = traverser.batch([0], [0], tuple(np.ones((1, hands)) for hands in game.hand_counts))
    learning = traverser.learning(batch)
    traverser.iterate(batch, learning, schedule(200, "cfr+"))
    single.step(200)
    numbers, table = np.zeros(game.entries), single.tree.table
    for player in range(2):
        entries, rows = game.stored_on(player, 0, 0)
        stride = int(game.boards.stride[player, 0])
        own = traverser.layout.of_player(learning.regrets, player)[0, : rows.stop - rows.start, :stride]
        numbers[entries] = own.ravel()
    found = np.maximum(game.by_infoset(numbers), 0)
    expected = np.zeros_like(found)
    for key, actions in zip(game.table, game.table.actions, strict=True):
        here, there = (own.start[own.find(key)] for own in (game.table, table))
        expected[here : here + len(actions)] = single.regrets[there : there + len(actions)]
    np.testing.assert_allclose(found / found.max(), expected / expected.max(), rtol=0, atol=1e-10)


def test_reach_is_the_product_of_own_actions():
    game = small_turn()
    trees, boards, reach = some_states(game, 1, 4)
    traverser = BatchTraverser(game)
    batch = traverser.batch(trees, boards, reach)
    learning = traverser.learning(batch)
    traverser.iterate(batch, learning, schedule(3))
    for player in range(2):
        np.testing.assert_array_equal(batch.reach(player), traverser.reach(batch, learning.average, player)[:, 0])
        found = traverser.reach(batch, learning.average, player)
        shares = traverser.strategies(batch, learning.average, player)
        for state, tree in enumerate(trees):
            for decision in game.street_trees[tree].decisions:
                if decision.player == player:
                    for row in range(decision.first_row, decision.first_row + len(decision.actions)):
                        expected = found[state, decision.parent_row] * shares[state, row - 1]
                        np.testing.assert_allclose(found[state, row], expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    ("trees", "boards", "hands", "told"),
    [
        ([0], [0, 0], 1, "two lists of the same length"),
        ([9], [0], 1, "has street trees 0 to"),
        ([0], [99], 1, "has boards 0 to"),
        ([0], [1], 1, "on a board of its street"),
        ([0], [0], 2, "the reach of player 0 must be numbers from 0 on"),
    ],
)
def test_wrong_states_are_refused(trees, boards, hands, told):
    game = GAMES["leduc"]()
    reach = tuple(np.ones((hands, count)) for count in game.hand_counts)
    with pytest.raises(InputError, match=told):
        BatchTraverser(game, Curved(game)).batch(trees, boards, reach)


def test_what_batches_do_not_know_is_refused():
    game = GAMES["leduc"]()
    traverser = BatchTraverser(game)
    batch = traverser.batch([0], [0], tuple(np.ones((1, hands)) for hands in game.hand_counts))
    with pytest.raises(InputError, match="say what they are worth"):
        traverser.iterate(batch, traverser.learning(batch), schedule(1))
    with pytest.raises(InputError, match="from 1 to 2, not"):
        traverser.iterate(batch, traverser.learning(batch), schedule(2), np.array([3]))
    with pytest.raises(InputError, match="must have"):
        traverser.values(batch, np.zeros((1, 2), dtype=np.float32), 0, leaf_values=np.zeros((1, 5, 8)))
    with pytest.raises(InputError, match="has not"):
        BatchTraverser(game, leaves=3)
    with pytest.raises(InputError, match="computed in float32"):
        BatchTraverser(small_turn(), dtype=np.float64)
    with pytest.raises(InputError, match="locked strategies"):
        BatchTraverser(game.with_locks([Lock(0, 0, 0, 0, (1.0, 0.0))]))
