"""How often lines of betting happen, whatever cards are dealt: one walk over the tree with the ranges that arrive."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from counterpoise.betting.rules import BetAction
from counterpoise.betting.sizes import label
from counterpoise.spots.node import Numbers, known_mass
from counterpoise.spots.paths import next_cards
from counterpoise.spots.solution import Solution
from counterpoise.upi.tree import FIRST


def line_frequencies(solution: Solution, only: Sequence[BetAction] | None = None) -> dict[str, float]:
    """Return how often each line of betting happens, from 0 to 1; with `only`, that line and what leads to it."""
    spot, game, stored = solution.spot, solution.game, solution.stored
    unseen = game.deck.size - len(spot.cards) - 4  # both players hold two cards
    total = solution.root.pair_mass
    found = defaultdict[str, float](float, {FIRST: 1.0})
    begin: tuple[Numbers, Numbers] = solution.root.reaches
    stack = [(FIRST, 0, solution.root.at, spot.cards, begin, 1.0 / total if total > 0 else 0.0)]
    while stack:
        line, depth, at, board, reaches, chance = stack.pop()
        if at.kind == "end" or (only is not None and depth == len(only)):
            continue
        if at.kind == "deal":
            each = chance / (unseen - (len(board) - len(spot.cards)))
            for card in next_cards(spot, board):
                apart = [reach * ~(hands == card).any(axis=1) for reach, hands in zip(reaches, game.hands, strict=True)]
                stack.append((line, depth, at.deal(card), (*board, card), (apart[0], apart[1]), each))
            continue
        seat = at.player
        taken = reaches[seat] * np.nan_to_num(at.strategy(stored.at(at)))
        pairs = taken @ known_mass(at, seat, reaches[1 - seat])
        for action, own, weight in zip(at.actions, taken, pairs.tolist(), strict=True):
            if only is None or action == only[depth]:
                after = f"{line}:{label(action)}"
                found[after] += chance * weight
                arriving = (own, reaches[1]) if seat == 0 else (reaches[0], own)
                stack.append((after, depth + 1, at.child(action), board, arriving, chance))
    return dict(found)
