"""Endgame solving once, with translation: how search was done before nested search (Claudico; BROWN 5.1).

The player follows a blueprint by action translation. When the last round begins it solves what is left of the game
once, in the abstraction but with the real pot, from the ranges that its shadows give to both players (unsafe search).
Actions in the last round that the abstraction lacks are translated again, now into those of the endgame.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from counterpoise.games import Game, as_game
from counterpoise.public import DenseTree
from counterpoise.search.abstraction import ActionAbstraction
from counterpoise.search.search import search
from counterpoise.search.subgame import AfterHistory, FloatArray, Subgame, deals
from counterpoise.search.translation import Behaviour, Translation, Translator, translated
from counterpoise.search.whole import after_chance
from counterpoise.solvers.base import Algorithm
from counterpoise.tree import Strategy


def play_one_shot(
    game: Game | str,
    hidden: Iterable[str],
    blueprint: Strategy,
    player: int,
    translation: Translation = "pseudo-harmonic",
    *,
    algorithm: str | Algorithm = "cfr+",
    iterations: int = 1000,
) -> Behaviour:
    """What the player does everywhere in `game`, whose last round begins with its only public chance event.

    `blueprint` is a strategy for ``ActionAbstraction(game, hidden)``, or for any game with the same infosets.
    """
    rules, hidden = as_game(game), frozenset(hidden)
    small = ActionAbstraction(rules, hidden)
    whole = DenseTree(small)
    translator = Translator(rules, small, blueprint, player, translation)
    found = translated(rules, small, blueprint, player, translation)
    for history in after_chance(rules):
        endgame = ActionAbstraction(rules, hidden, history)
        tree = DenseTree(AfterHistory(endgame, history), whole.deals.hands)
        ranges = dict(enumerate(believed(translator, whole, history)))
        problem = Subgame(tree, player, history).with_ranges(ranges).believing_in_all_hands()
        if not problem.expected:
            continue  # the player never gets here, and goes on by translation
        solved = search(problem, "unsafe", algorithm=algorithm, iterations=iterations).strategy
        found |= translated(AfterHistory(rules, history), AfterHistory(endgame, history), solved, player, translation)
    return found


def believed(translator: Translator, whole: DenseTree, history: tuple[str, ...]) -> list[FloatArray]:
    """Both players' ranges after a real public history: own reach, and the other's in the shadows, by hand."""
    ranges = [np.zeros(int(hands.max()) + 1) for hands in whole.deals.hands]
    starts = zip(deals(translator.game), deals(translator.small), strict=True)
    for deal, (state, shadow) in enumerate(starts):
        shadows = translator.follow(state, shadow, history)
        own = sum(one.chance * one.reach for one in shadows)
        other = sum(one.chance * one.other for one in shadows)
        for seat, reach in ((translator.player, own), (1 - translator.player, other)):
            hand = whole.deals.hands[seat][deal]
            ranges[seat][hand] = max(ranges[seat][hand], reach)
    return ranges
