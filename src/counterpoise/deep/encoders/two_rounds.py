"""Leduc and its relatives: own card, public card, and every action of both rounds in a slot of its own.

Leduc has 31 numbers: 3 for the own rank, 4 for the public rank (the first says that there is none), and 8 slots, 4 for
each round, with one number each for fold, call and raise. Where suits are told apart each card has its suit too, and
where bets have several sizes each size is an action of its own.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from counterpoise.games.cards import SUITS, top_ranks
from counterpoise.games.two_round_poker import TwoRoundPoker
from counterpoise.tree.tree import InfosetTable

_ACTION = re.compile(r"f|c|r[0-9.]*")


def encode_two_rounds(game: TwoRoundPoker, table: InfosetTable) -> NDArray[np.float32]:
    """Return the encodings of all infosets."""
    read = [_read(label) for label in table.labels]
    slots = max((len(betting) for *_, bets in read for betting in bets), default=0)
    words = sorted({word for *_, bets in read for betting in bets for word in betting} | {"f", "c"})
    ranks, suits = top_ranks(game.ranks), "" if game.merge_suits else SUITS[: game.suits]
    card = len(ranks) + len(suits)
    seat = game.players if game.players > 2 else 0
    inputs = np.zeros((len(read), 2 * card + 1 + 2 * slots * len(words) + seat), dtype=np.float32)
    for row, (own, public, bets) in zip(inputs, read, strict=True):
        for at, name in ((0, own), (card + 1, public)):
            if name:
                row[at + ranks.index(name[0])] = 1
                if suits:
                    row[at + len(ranks) + suits.index(name[1])] = 1
        row[card] = not public
        for number, betting in enumerate(bets):
            for slot, word in enumerate(betting):
                row[2 * card + 1 + (number * slots + slot) * len(words) + words.index(word)] = 1
    if seat:  # with two players the number of actions says who acts
        inputs[np.arange(len(inputs)), inputs.shape[1] - seat + table.owner] = 1
    return inputs


def _read(label: str) -> tuple[str, str, tuple[list[str], list[str]]]:
    """Return own card, public card and the actions of both rounds of a label such as "Q:rc/K:c"."""
    own, _, rest = label.partition(":")
    first, _, second = rest.partition("/")
    public, _, later = second.partition(":")
    return own, public, (_ACTION.findall(first), _ACTION.findall(later))
