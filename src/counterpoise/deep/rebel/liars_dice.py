"""Liar's Dice in public belief states: the public state is the last bid.

See Brown et al. 2020, section 6; Brown 2020, section 2.4.6.

With subgames of two actions, or to the end of the game, the first player acts at every root, so that the last bid is
all that matters. Rolls are told apart as multisets with their multinomial chances: with two dice of three faces there
are 6 (published networks tell 9 ordered rolls apart, which is the same game).
"""

from __future__ import annotations

import numpy as np

from counterpoise.deep.rebel.beliefs import Floats, HandPairs
from counterpoise.deep.rebel.games import BeliefGame, following_array
from counterpoise.deep.rebel.whole import WholeGame
from counterpoise.errors import InputError
from counterpoise.games.dice import rolls
from counterpoise.games.liars_dice import LiarsDice
from counterpoise.proportions import proportional
from counterpoise.public.batch_layout import BatchLayout
from counterpoise.public.bidding import bidding_states
from counterpoise.tree import InfosetTable, Strategy

MOST_BIDS = 16
"""More bids than this would make trees of too many histories."""


def liars_dice_beliefs(rules: LiarsDice, depth: int | None = 2) -> BeliefGame:
    """Return a game of Liar's Dice cut into subgames of `depth` actions, an even number, or not cut at all (None)."""
    if depth is not None and (depth < 2 or depth % 2):
        raise InputError(f"depth must be an even number of actions, 2 or more, not {depth!r}")
    return _beliefs(rules, depth, depth)


def two_level_dice(rules: LiarsDice) -> BeliefGame:
    """Return Liar's Dice with a trunk of two actions, after which subgames reach the end of the game."""
    return _beliefs(rules, 2, None)


def _beliefs(rules: LiarsDice, first: int | None, later: int | None) -> BeliefGame:
    """Return the game with these numbers of actions in the first subgame and in later ones."""
    ladder = rules.ladder(2 * rules.dice)
    bids = len(ladder.claims)
    if bids > MOST_BIDS:
        raise InputError(f"{rules.name} has {bids} bids: public belief states go up to {MOST_BIDS}")
    hands = tuple(hand for hand, _ in rolls(rules.dice, rules.face_names))
    chances = np.array([chance for _, chance in rolls(rules.dice, rules.face_names)])
    public = bidding_states(rules, hands, [first, *[later] * bids])
    last_bids = [
        [1 + ladder.places[tree.way_to(("leaf", leaf))[-1][1]] for leaf in leaves]
        for tree, leaves in zip(public.street_trees, BatchLayout(public).value_leaves, strict=True)
    ]
    return BeliefGame(
        name=rules.name,
        public=public,
        tree_of=np.arange(bids + 1),
        board_of=np.zeros(bids + 1, dtype=np.int64),
        following=following_array(last_bids),
        deals={},
        pairs=HandPairs(np.stack([chances, chances]), np.ones((len(hands), len(hands)), dtype=np.bool_)),
        features=np.eye(bids + 1)[:, 1:].copy(),
        unit=np.ones(bids + 1),
        hand_names=hands,
    )


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
