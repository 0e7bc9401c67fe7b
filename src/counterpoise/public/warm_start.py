"""Regrets that fit a given average strategy: the arrays of a traversal in mode `WARM_START`.

See Brown 2020, section 3.2.

Bottom-up over a player's nodes, against the opponent's average strategy, the value v'(I) of a node for a hand is the
one with ``sum_a max(v'(I,a) - v'(I), 0)^2 = factor * pi(I) * Delta(I)^2 * |A(I)| / T`` and the regret of an action
v'(I,a) - v'(I), times the weight of T iterations. Here

1. pi(I), the reach of chance and of the opponent, is the mass of the opponent's hands that the hand can meet at the
   node, times the probabilities of the hand and of the board; both sides are taken in the units of the rows, which
   leave those two out;
2. Delta(I) is the range of the payoffs of all leaves below the node, whatever the hands: a bound, since a given hand
   may not reach them all.

In an equilibrium the actions that a hand mixes have equal values, so that these regrets say little about the mixture.
Regrets that *keep the direction* have the same length, or a multiple of it, but are proportional to the strategy, for
actions that it plays at least once in a thousand; the other actions keep their negative regrets. The next strategy is
then the given one. This variant is ours, without a theorem.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from counterpoise.public.game import PublicGame
from counterpoise.public.kernels.layouts import WarmStartArrays
from counterpoise.public.kernels.street import DEAL


def warm_start_arrays(game: PublicGame, squared_reach: bool = False) -> WarmStartArrays:
    """Return the arrays that depend on the game, with factors of 0. `squared_reach` puts pi^2 in place of pi."""
    met_row, spread = _nodes(game)
    meeting, chances = game.meeting_chances
    unlikely = np.zeros(0, dtype=np.float32) if squared_reach else _unlikely(game)
    return WarmStartArrays(met_row, spread, unlikely, meeting, chances, *(np.float32(0),) * 4)


def _nodes(game: PublicGame) -> tuple[NDArray[np.uint64], NDArray[np.float32]]:
    """Return the opponent's row before each node, and Delta^2 |A|; player by player, as in `StreetArrays`."""
    nodes: list[tuple[int, int, int, int, float]] = []  # player, street tree, decision, row, Delta^2 |A|
    below = np.zeros((len(game.street_trees), 2, 2))  # least and most that each player may win in a street tree
    for number in range(len(game.street_trees) - 1, -1, -1):
        tree = game.street_trees[number]
        ranges = np.zeros((len(tree.decisions), 2, 2))
        for place in range(len(tree.decisions) - 1, -1, -1):
            decision, ends = tree.decisions[place], []
            for action in decision.actions:
                kind, child = tree.children[place, action]
                leaf = tree.leaves[child] if kind == "leaf" else None
                if leaf is None:
                    ends.append(ranges[child])
                else:
                    ends.append(below[leaf.tree] if leaf.kind == DEAL else game.payoff_range(tree.street, leaf))
            ranges[place] = np.stack([np.min(ends, axis=0)[0], np.max(ends, axis=0)[1]])
            width = float(ranges[place, 1, decision.player] - ranges[place, 0, decision.player])
            met = tree.row_before(("decision", place), 1 - decision.player)
            nodes.append((decision.player, number, place, met, width**2 * len(decision.actions)))
        below[number] = ranges[0] if len(ranges) else 0
    nodes.sort()
    return np.array([node[3] for node in nodes], np.uint64), np.array([node[4] for node in nodes], np.float32)


def _unlikely(game: PublicGame) -> NDArray[np.float32]:
    """Return 1 / probability of each hand and board, in the units of the rows; 0 if it never happens."""
    boards = game.boards
    found = np.zeros(len(boards.card_a))
    board_chance = np.zeros(boards.held.shape[1])
    board_chance[0] = 1 / game.mass
    weights = [[np.zeros(0)] * len(board_chance) for _ in range(2)]
    for player in range(2):
        weights[player][0] = game.ranges[player, : int(boards.stride[player, 0])].astype(np.float64)
    for above in range(len(board_chance)):
        for edge in range(int(boards.child_start[above]), int(boards.child_start[above + 1])):
            child = int(boards.child[edge])
            board_chance[child] = board_chance[above] * float(boards.child_weight[edge])
            for player in range(2):
                begin, stride = int(boards.begin[player, child]), int(boards.stride[player, child])
                weights[player][child] = weights[player][above][boards.parent_hand[begin : begin + stride]]
        for player in range(2):
            begin, stride = int(boards.begin[player, above]), int(boards.stride[player, above])
            likely = weights[player][above] * board_chance[above]
            found[begin : begin + stride] = np.where(likely > 0, 1 / np.where(likely > 0, likely, 1), 0)
    return found.astype(np.float32)
