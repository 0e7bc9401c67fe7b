"""One round of bidding on dice as a public game, built from its ladder of bids instead of history by history.

All bids are public and the dice never change, so the tree is that of the rising sequences of bids (2^k of them for k
bids), and a payoff depends on the last bid, the challenger and both rolls alone. `build_dense` finds the same game by
walking every roll through every sequence, which for Bluff(2,1) takes half an hour.
"""

from __future__ import annotations

import numpy as np

from counterpoise.errors import InputError
from counterpoise.games import TERMINAL, Game, as_game, game_name
from counterpoise.games.dice import DiceBidding, DiceState
from counterpoise.public.dense import Deals, DenseGame, dense_boards
from counterpoise.public.game import FloatArray, game_arrays
from counterpoise.public.kernels.street import MATRIX
from counterpoise.public.street_trees import Decision, Edge, Leaf, StreetTree

MOST_BIDS = 20
"""The tree doubles with every bid."""


def build_bidding(game: Game | str) -> DenseGame:
    """Return the public game of one round of dice: Liar's Dice, or Bluff whose `continuation` ends it.

    Payoffs are the game's own. Information sets are not listed: strategies are read from profiles.

    >>> build_bidding("bluff")
    <DenseGame bluff: 6,143 public nodes, 1 streets>
    """
    rules = as_game(game)
    if not isinstance(rules, DiceBidding):
        raise InputError(f"{game_name(rules)} is no game of bidding on dice")
    start = rules.initial()
    rolled = [(rules.next(start, name), chance) for name, chance in rules.chance(start)]
    ladder = rules.ladder(sum(start.dice))
    bids = len(ladder.claims)
    if bids > MOST_BIDS:
        raise InputError(f"{game_name(rules)} has {bids} bids, and the most for a public tree is {MOST_BIDS}")
    names = sorted({state.rolls[0] for state, _ in rolled}), sorted({state.rolls[1] for state, _ in rolled})
    hands = [np.array([names[seat].index(state.rolls[seat]) for state, _ in rolled]) for seat in range(2)]
    chances = np.array([chance for _, chance in rolled])
    ends = [
        _payoffs(rules, [state for state, _ in rolled], last, challenger, chances)
        for last in range(bids)
        for challenger in range(2)
    ]
    deals = Deals(hands, [chances[None, :]], [ends])
    tree = _tree(rules, start, bids)
    boards, street_of = dense_boards([0], [{}], deals), np.zeros(1, dtype=np.int64)
    ranges = np.zeros((2, int(boards.stride.max())), dtype=np.float32)
    for player in range(2):
        ranges[player, : len(names[player])] = 1.0
    return DenseGame(
        street_trees=(tree,),
        arrays=game_arrays([tree], boards, street_of),
        street_of=street_of,
        ranges=ranges,
        mass=1.0,
        rules=rules,
        deals=deals,
        infosets=[],
        outcomes=[{}],
        payoff_sum=0.0,
        hidden=False,
        forced=False,
    )


def _payoffs(
    rules: DiceBidding, rolled: list[DiceState], last: int, challenger: int, chances: FloatArray
) -> FloatArray:
    """Return what both players win, chance included, by deal when a player challenges the last bid."""
    found = np.zeros((2, 1, len(rolled)))
    for deal, state in enumerate(rolled):
        end = rules.next(state._replace(last=last, to_act=challenger), rules.challenge)
        if rules.player(end) != TERMINAL:
            raise InputError(
                f"{type(rules).__name__} goes on after a round: give what the rest is worth (continuation)"
            )
        found[:, 0, deal] = rules.payoffs(end)
    return found * chances


def _tree(rules: DiceBidding, start: DiceState, bids: int) -> StreetTree:
    """Return the tree of bids; the one answer to the highest bid, a challenge, is no decision."""
    tree, rows, menus = StreetTree(0, None, (-1, -1)), [1, 1], rules.ladder(sum(start.dice)).menus
    stack: list[tuple[int, int, tuple[int, int], Edge | None]] = [(-1, start.starter, (0, 0), None)]
    while stack:
        last, player, at, edge = stack.pop()
        actions = menus[last]
        if len(actions) == 1:
            tree.add_leaf(edge, Leaf(int(MATRIX), at, number=2 * last + player))
            continue
        here = len(tree.decisions)
        tree.join(edge, ("decision", here))
        tree.decisions.append(Decision(player, actions, at[player], rows[player]))
        for k in range(len(actions) - 1, -1, -1):
            row = rows[player] + k
            after = (row, at[1]) if player == 0 else (at[0], row)
            if actions[k] == rules.challenge:
                tree.add_leaf((here, actions[k]), Leaf(int(MATRIX), after, number=2 * last + player))
            else:
                stack.append((last + 1 + k, 1 - player, after, (here, actions[k])))
        rows[player] += len(actions)
    return tree
