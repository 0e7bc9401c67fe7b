"""Leduc hold'em in public belief states: beliefs tell suits apart even if the game at the table does not.

Merging suits changes no value: a card of some rank is then any of its cards, drawn from those that are left.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from counterpoise.deep.rebel.beliefs import Floats
from counterpoise.deep.rebel.games import BeliefGame
from counterpoise.deep.rebel.rounds import round_beliefs
from counterpoise.deep.rebel.whole import WholeGame
from counterpoise.games.leduc import LeducPoker
from counterpoise.proportions import proportional
from counterpoise.tree import Strategy, enumerate_game


def leduc_beliefs(rules: LeducPoker) -> BeliefGame:
    """Return Leduc hold'em as a belief game, in rounds before and after the public card."""
    return round_beliefs(replace(rules, merge_suits=False))


def cards_of(name: str, cards: tuple[str, ...], other: str = "") -> list[int]:
    """Return the numbers of the cards that a card or a rank may stand for, without the card `other`.

    >>> cards_of("K", ("Ks", "Kh", "Qs"), "Ks"), cards_of("Qs", ("Ks", "Kh", "Qs"))
    ([1], [2])
    """
    return [number for number, card in enumerate(cards) if card.startswith(name) and card != other]


def leduc_strategy(rules: LeducPoker, whole: WholeGame, played: Floats) -> Strategy:
    """Return policies of the whole game, or sums of them by own reach [row, hand], as a strategy of the rule book.

    With merged suits it is the mean over the suits of the own and of the public card, which has the same values.
    """
    shown = 1 if rules.merge_suits else 2  # letters of a card's name
    cards = {card for deals in whole.game.deals.values() for card in deals.names}
    sums: dict[tuple[int, str], Floats] = {}
    menus: dict[tuple[int, str], tuple[str, ...]] = {}
    for decision in whole.decisions():
        line = "".join(f"/{step[:shown]}:" if step in cards else step for step in decision.path)
        rows = played[decision.rows]
        for hand, name in enumerate(whole.game.hand_names):
            if name not in decision.path:
                key = decision.actor, f"{name[:shown]}:{line}"
                sums[key] = sums.get(key, np.zeros(len(rows))) + rows[:, hand]
                menus[key] = decision.labels
    behaviour = {
        key: dict(zip(menus[key], proportional(row, row.sum(), 1 / len(row)).tolist(), strict=True))
        for key, row in sums.items()
    }
    return Strategy.from_mapping(enumerate_game(rules), behaviour)
