"""What the tests of belief subgames share: random policies, small belief games, and programmes that check them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linprog

from counterpoise.deep.rebel.beliefs import Floats, HandPairs, IntArray
from counterpoise.deep.rebel.games import BeliefGame, following_array
from counterpoise.deep.rebel.search import BeliefSolver, SearchSettings
from counterpoise.deep.rebel.solved_leaves import no_values
from counterpoise.deep.rebel.subgames import Subgames
from counterpoise.games.liars_dice import LiarsDice
from counterpoise.public.dense import DenseGame
from counterpoise.public.dense_boards import PrivateDeals, dense_boards
from counterpoise.public.game import game_arrays
from counterpoise.public.kernels.street import MATRIX, VALUE
from counterpoise.public.street_trees import Edge, Leaf, StreetDecision, StreetTree

Array = Floats


@dataclass(frozen=True)
class Choice:
    """A decision of a player, with what follows each of its actions."""

    actor: int
    after: tuple[Choice | After | End, ...]


@dataclass(frozen=True)
class After:
    """A public state at which the tree stops although the game goes on."""

    state: int


@dataclass(frozen=True)
class End:
    """The end of the game: the first player wins what a payoff matrix says."""

    matrix: int


def random_policy(game: BeliefGame, trees: IntArray, random: np.random.Generator) -> Array:
    """Return random policies for the rows of trees, [subgame, row, hand]."""
    found = np.zeros((len(trees), game.rows, game.hands))
    for g, tree in enumerate(trees):
        for decision in range(len(game.public.street_trees[tree].decisions)):
            rows = game.rows_of(int(tree), decision)
            weights = random.random((rows.stop - rows.start, game.hands)) ** 3
            found[g, rows] = weights / weights.sum(axis=0)
    return found


def root_vectors(subgames: Subgames, policy: Array, best: bool = False) -> Array:
    """Return counterfactual values at the roots of subgames that have been entered, [subgame, player, hand]."""
    numbers = subgames.numbers(policy)
    return np.stack([subgames.judged(numbers, player, best) for player in range(2)], axis=1)


def small_game(trees: tuple[Choice, ...], matrices: Array) -> BeliefGame:
    """Return a belief game of some trees, one per public state, with payoff matrices [matrix, hand, hand]."""
    hands, numbers = matrices.shape[1], np.arange(matrices.shape[1])
    pairs = [np.repeat(numbers, hands), np.tile(numbers, hands)]
    ends = [np.stack([won.reshape(1, -1), -won.reshape(1, -1)]) for won in matrices]
    deals, states = PrivateDeals(pairs, [np.ones((1, hands**2))], [ends]), len(trees)
    built = [_street_tree(tree) for tree in trees]
    boards, street_of = dense_boards([0], [{}], deals), np.zeros(1, dtype=np.int64)
    ranges = np.zeros((2, int(boards.stride.max())), dtype=np.float32)
    public = DenseGame(
        street_trees=tuple(tree for tree, _ in built),
        arrays=game_arrays([tree for tree, _ in built], boards, street_of),
        street_of=street_of,
        ranges=ranges,
        mass=1.0,
        rules=LiarsDice(),
        deals=deals,
        infosets=[],
        outcomes=[{}],
        payoff_sum=0.0,
        hidden=False,
        forced=True,
    )
    return BeliefGame(
        name="small",
        public=public,
        tree_of=np.arange(states),
        board_of=np.zeros(states, dtype=np.int64),
        following=following_array([after for _, after in built]),
        deals={},
        pairs=HandPairs(np.full((2, hands), 1 / hands), np.ones((hands, hands), dtype=np.bool_)),
        features=np.eye(states),
        unit=np.ones(states),
    )


def _street_tree(root: Choice) -> tuple[StreetTree, list[int]]:
    """Return a tree as a street tree, and the public states of its value leaves."""
    tree, rows, after = StreetTree(0, None, (-1, -1)), [1, 1], list[int]()
    stack: list[tuple[Choice | After | End, tuple[int, int], Edge | None]] = [(root, (0, 0), None)]
    while stack:
        node, at, edge = stack.pop()
        if isinstance(node, After):
            tree.add_leaf(edge, Leaf(int(VALUE), at, number=len(after)))
            after.append(node.state)
        elif isinstance(node, End):
            tree.add_leaf(edge, Leaf(int(MATRIX), at, number=node.matrix))
        else:
            here, actor, actions = len(tree.decisions), node.actor, tuple(f"a{k}" for k in range(len(node.after)))
            tree.join(edge, ("decision", here))
            tree.decisions.append(StreetDecision(actor, actions, at[actor], rows[actor]))
            for k in range(len(actions) - 1, -1, -1):
                row = rows[actor] + k
                stack.append((node.after[k], (row, at[1]) if actor == 0 else (at[0], row), (here, actions[k])))
            rows[actor] += len(actions)
    return tree, after


def signalling_game(actions: int, replies: int, hands: int, random: np.random.Generator) -> tuple[BeliefGame, Array]:
    """Return a game in which player 1 acts, player 2 sees it and replies, with random payoffs [action, reply, ...]."""
    payoff = random.normal(size=(actions, replies, hands, hands))
    after = tuple(Choice(1, tuple(End(a * replies + b) for b in range(replies))) for a in range(actions))
    return small_game((Choice(0, after),), payoff.reshape(-1, hands, hands)), payoff


def signalling_value(payoff: Array, beliefs: Array) -> float:
    """Return player 1's value of a signalling game at independent beliefs, by linear programming."""
    actions, replies, hands, _ = payoff.shape
    chances = np.outer(beliefs[0], beliefs[1])
    columns = hands * actions + hands * actions  # x[h1, a], then w[a, h2]
    rows, bounds = [], []
    for a in range(actions):
        for h2 in range(hands):
            for b in range(replies):
                row = np.zeros(columns)
                row[hands * actions + a * hands + h2] = 1
                row[[h1 * actions + a for h1 in range(hands)]] = -chances[:, h2] * payoff[a, b, :, h2]
                rows.append(row)
                bounds.append(0.0)
    sums = np.zeros((hands, columns))
    for h1 in range(hands):
        sums[h1, h1 * actions : (h1 + 1) * actions] = 1
    goal = np.concatenate([np.zeros(hands * actions), -np.ones(hands * actions)])
    limits = [(0, None)] * (hands * actions) + [(None, None)] * (hands * actions)
    found = linprog(goal, A_ub=rows, b_ub=bounds, A_eq=sums, b_eq=np.ones(hands), bounds=limits)
    assert found.fun is not None
    return -float(found.fun)


def exact_solver(game: BeliefGame, iterations: int, capacity: int = 1, **settings: Any) -> BeliefSolver:
    """Return a solver in double precision for subgames that reach the end of the game."""
    return BeliefSolver(game, no_values, SearchSettings(iterations=iterations, **settings), capacity, np.float64)
