"""Liar's Dice in public belief states: the public state is the last bid.

See Brown et al. 2020, section 6; Brown 2020, section 2.4.6.

With subgames of two actions, or to the end of the game, the first player acts at every root, so that the last bid says
everything. Rolls are told apart as multisets with their multinomial chances: with two dice of three faces there are 6
(published networks tell 9 ordered rolls apart, which is the same game).
"""

from __future__ import annotations

import numpy as np

from counterpoise.deep.rebel.games import BeliefGame
from counterpoise.deep.rebel.kernels.layouts import Floats, Payoffs
from counterpoise.deep.rebel.trees import Choice, End, Leaf, Tree
from counterpoise.deep.rebel.whole import WholeGame
from counterpoise.errors import InputError
from counterpoise.games.dice import Ladder, rolls
from counterpoise.games.liars_dice import LiarsDice
from counterpoise.tree import InfosetTable, Strategy
from counterpoise.tree.strategy import proportional

MOST_BIDS = 16
"""More bids than this would make trees of too many histories."""


def liars_dice_beliefs(rules: LiarsDice, depth: int | None = 2, dtype: type = np.float32) -> BeliefGame:
    """Return a game of Liar's Dice cut into subgames of `depth` actions, an even number, or not cut at all (None)."""
    if depth is not None and (depth < 2 or depth % 2):
        raise InputError(f"depth must be an even number of actions, 2 or more, not {depth!r}")
    ladder = rules.ladder(2 * rules.dice)
    bids = len(ladder.claims)
    if bids > MOST_BIDS:
        raise InputError(f"{rules.name} has {bids} bids: public belief states go up to {MOST_BIDS}")
    chances = np.array([chance for _, chance in rolls(rules.dice, rules.face_names)])
    hands = [hand for hand, _ in rolls(rules.dice, rules.face_names)]
    won = np.stack([_won(rules, ladder, bid, hands) for bid in range(bids)])
    payoffs = Payoffs(
        np.stack([won.transpose(0, 2, 1), -won]).astype(dtype),
        np.ones((len(hands), len(hands)), dtype=dtype),
        False,
        np.stack([chances, chances]).astype(dtype),
    )
    trees = []
    for state in range(bids + 1):
        tree = _tree(ladder, state - 1, 0, depth)
        assert isinstance(tree, Choice)
        trees.append(tree)
    return BeliefGame(
        name=rules.name,
        trees=tuple(trees),
        tree_of=np.arange(bids + 1),
        deals={},
        payoffs=payoffs,
        features=np.eye(bids + 1, dtype=dtype)[:, 1:].copy(),
        unit=np.ones(bids + 1, dtype=dtype),
        hand_names=tuple(hands),
    )


def _tree(ladder: Ladder, last: int, actor: int, depth: int | None) -> Tree:
    """What follows a bid: higher bids in their order, then the challenge; a leaf where the depth ends."""
    if depth == 0:
        return Leaf(last + 1)
    left = None if depth is None else depth - 1
    after = [_tree(ladder, bid, 1 - actor, left) for bid in range(last + 1, len(ladder.claims))]
    if last >= 0:
        after.append(End(last, 1.0 if actor == 1 else -1.0))
    return Choice(actor, tuple(after), ladder.menus[last])


def _won(rules: LiarsDice, ladder: Ladder, bid: int, hands: list[str]) -> np.ndarray:
    """Return 1 where a bid holds and -1 where not, by both players' rolls."""
    quantity, face = ladder.claims[bid]
    wild = rules.face_names[-1]
    matching = np.array([sum(die in (face, wild) for die in hand) for hand in hands])
    return np.where(matching[:, None] + matching >= quantity, 1.0, -1.0)


def dice_strategy(rules: LiarsDice, whole: WholeGame, played: Floats) -> Strategy:
    """Return policies of the whole game, or sums of them [row, hand], as a strategy of the rule book."""
    names = [hand for hand, _ in rolls(rules.dice, rules.face_names)]
    owners, labels, menus, shares = [], [], [], []
    for actor in range(2):
        shares.append(np.ones(1))  # the empty sequence
        for decision in whole.decisions():
            if decision.actor != actor:
                continue
            rows = played[decision.rows]
            behaviour = proportional(rows, rows.sum(axis=0), 1 / len(rows))
            for hand, name in enumerate(names):
                owners.append(actor)
                labels.append(f"{name}:{'/'.join(decision.path)}")
                menus.append(decision.labels)
                shares.append(behaviour[:, hand])
    table = InfosetTable(2, np.array(owners, dtype=np.int8), labels, menus)
    return Strategy(rules.name, table, np.concatenate(shares))
