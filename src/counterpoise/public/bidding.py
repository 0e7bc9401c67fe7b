"""One round of bidding on dice as a public game, built from its ladder of bids instead of history by history.

All bids are public and the dice never change, so the tree is that of the rising sequences of bids (2^k of them for k
bids), and a payoff depends on the last bid, the challenger and both rolls alone. `build_dense` finds the same game by
walking every roll through every sequence, which for Bluff(2,1) takes half an hour.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from counterpoise.errors import InputError
from counterpoise.games import TERMINAL, Game, as_game, game_name
from counterpoise.games.dice import DiceBidding, DiceState
from counterpoise.public.dense import DenseGame
from counterpoise.public.dense_boards import HandOf, PrivateDeals, dense_boards, every_hand
from counterpoise.public.game import FloatArray, game_arrays
from counterpoise.public.kernels.street import MATRIX, VALUE
from counterpoise.public.street_trees import Edge, Leaf, StreetDecision, StreetTree

MOST_BIDS = 20
"""The most bids of a tree, which doubles with every bid."""


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
    _refuse_many_bids(game_name(rules), len(ladder.claims))
    names = sorted({state.rolls[0] for state, _ in rolled}), sorted({state.rolls[1] for state, _ in rolled})
    hands = [np.array([names[seat].index(state.rolls[seat]) for state, _ in rolled]) for seat in range(2)]
    chances = np.array([chance for _, chance in rolled])
    tree = _tree(rules, start, _Bidding(-1, start.starter))
    return _game(rules, [tree], _deals(rules, hands, [state for state, _ in rolled], chances))


def bidding_states(game: Game | str, hands: Sequence[str], depths: Sequence[int | None]) -> DenseGame:
    """Return one round of dice from every last bid on, as street trees for belief states: none, the first bid, ...

    The first player acts at the beginning of each, and value leaves follow after its number of actions in `depths`.
    `hands` are the rolls in the order in which they are numbered. Payoffs are those of pairs of rolls, without their
    probabilities, and the one answer to the highest bid is a decision.
    """
    rules = as_game(game)
    if not isinstance(rules, DiceBidding):
        raise InputError(f"{game_name(rules)} is no game of bidding on dice")
    start = rules.initial()
    bids = len(rules.ladder(sum(start.dice)).claims)
    _refuse_many_bids(game_name(rules), bids)
    rolled = {state.rolls: state for state in (rules.next(start, name) for name, _ in rules.chance(start))}
    numbers = np.arange(len(hands))
    pairs = [np.repeat(numbers, len(hands)), np.tile(numbers, len(hands))]
    states = [rolled[hands[first], hands[second]] for first, second in zip(*pairs, strict=True)]
    bidding = [_Bidding(last, 0, depth, forced=True) for last, depth in zip(range(-1, bids), depths, strict=True)]
    trees = [_tree(rules, start, own) for own in bidding]
    return _game(rules, trees, _deals(rules, pairs, states, np.ones(len(states))))


class _Bidding(NamedTuple):
    """The beginning and end of a tree of bids: the last bid, the player to act, the number of actions, and whether
    the one answer to the highest bid is a decision."""

    last: int
    player: int
    depth: int | None = None
    forced: bool = False


def _refuse_many_bids(name: str, bids: int) -> None:
    if bids > MOST_BIDS:
        raise InputError(f"{name} has {bids} bids, and the most for a public tree is {MOST_BIDS}")


def _deals(rules: DiceBidding, hands: list[HandOf], rolled: list[DiceState], chances: FloatArray) -> PrivateDeals:
    """Return the pairs of rolls, by the hands of each, with their payoffs for each last bid and challenger."""
    bids = len(rules.ladder(sum(rolled[0].dice)).claims)
    ends = [_payoffs(rules, rolled, last, challenger, chances) for last in range(bids) for challenger in range(2)]
    return PrivateDeals(hands, [chances[None, :]], [ends])


def _game(rules: Game, trees: list[StreetTree], deals: PrivateDeals) -> DenseGame:
    """Return the game of trees of bids."""
    boards, street_of = dense_boards([0], [{}], deals), np.zeros(1, dtype=np.int64)
    return DenseGame(
        street_trees=tuple(trees),
        arrays=game_arrays(trees, boards, street_of),
        street_of=street_of,
        ranges=every_hand(boards),
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
    """Return both players' winnings, chance included, by deal when a player challenges the last bid."""
    found = np.zeros((2, 1, len(rolled)))
    for deal, state in enumerate(rolled):
        end = rules.next(state._replace(last=last, to_act=challenger), rules.challenge)
        if rules.player(end) != TERMINAL:
            raise InputError(
                f"{type(rules).__name__} goes on after a round: give what the rest is worth (continuation)"
            )
        found[:, 0, deal] = rules.payoffs(end)
    return found * chances


def _tree(rules: DiceBidding, start: DiceState, bidding: _Bidding) -> StreetTree:
    """Return a tree of bids, in which the highest bid is challenged at once unless that is to be a decision."""
    tree, rows, menus = StreetTree(0, None, (-1, -1)), [1, 1], rules.ladder(sum(start.dice)).menus
    stack: list[tuple[int, int, tuple[int, int], Edge | None, int]] = [(bidding.last, bidding.player, (0, 0), None, 0)]
    values = 0
    while stack:
        last, player, at, edge, taken = stack.pop()
        actions = menus[last]
        if taken == bidding.depth:
            tree.add_leaf(edge, Leaf(int(VALUE), at, number=values))
            values += 1
            continue
        if len(actions) == 1 and not bidding.forced:
            tree.add_leaf(edge, Leaf(int(MATRIX), at, number=2 * last + player))
            continue
        here = len(tree.decisions)
        tree.join(edge, ("decision", here))
        tree.decisions.append(StreetDecision(player, actions, at[player], rows[player]))
        for k in range(len(actions) - 1, -1, -1):
            row = rows[player] + k
            after = (row, at[1]) if player == 0 else (at[0], row)
            if actions[k] == rules.challenge:
                tree.add_leaf((here, actions[k]), Leaf(int(MATRIX), after, number=2 * last + player))
            else:
                stack.append((last + 1 + k, 1 - player, after, (here, actions[k]), taken + 1))
        rows[player] += len(actions)
    return tree
