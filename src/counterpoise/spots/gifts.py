"""What the opponent has given up on its way to a node of a solved spot (Reach search, BROWN 5.1.3).

With a hand that could have done better by another action a than by the a' which led here, the opponent has made a
gift. At each of its decisions on the way, against the solution,

    g = max over a of CBV(hand, a) - CBV(hand, a')

where CBV(hand, a) is what the hand can win after action a if it plays as well as it can from there on. A new strategy
that lets a hand win so much more than before at the node does not make coming here worth its while, so the sum of the
gifts may be added to its alternative. Given in full after every card that may come, they are split rightly.

- `lower`: only actions that end the betting at once count besides a': a fold, a call on the river, a call of an all-in.
  No search elsewhere changes what they are worth, so the gifts stay right whatever else is searched.
- `exact`: all actions count. The spot is still no more exploitable than with the solution, but a search here may use up
  what a search in another branch has gained.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import numpy as np

from counterpoise.betting.rules import BetAction
from counterpoise.public import HoldemTree
from counterpoise.search.play_holdem import ending
from counterpoise.spots.node import Numbers, opponent_mass
from counterpoise.spots.paths import DEALING, Place

GiftKind = Literal["none", "lower", "exact"]


def path_gifts(tree: HoldemTree, places: Sequence[Place], opponent: int, kind: str) -> Numbers:
    """What each live hand of the opponent has given up on the way through `places`, conditional, in chips."""
    total = np.zeros(len(tree.hands[opponent]))
    for place, following in pairwise(places):
        if kind != "none" and place.decision != DEALING and place.state.to_act == opponent:
            total += _given_up(tree, place, following.steps[-1], opponent, kind)
    return total


def _given_up(tree: HoldemTree, place: Place, step: BetAction | str, opponent: int, kind: str) -> Numbers:
    line = tree.lines[place.line]
    actions = line.decisions[place.decision].actions
    taken = actions.index(step)
    counted = [
        number for number, ends in enumerate(ending(line, place.decision)) if number == taken or kind == "exact" or ends
    ]
    values = tree.best_action_values(place.line, place.decision, place.cards)
    searcher = tree.reaches(place.line, place.decision, place.cards)[1 - opponent]
    mass = opponent_mass(tree.hands[opponent], tree.hands[1 - opponent], searcher)
    lost = values[counted].max(axis=0) - values[taken]
    return np.where(mass > 0, lost / np.where(mass > 0, mass, 1.0), 0.0)
