"""The table of buckets that walks read, against the rows of the abstraction it was made from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.sampling import build_betting_tree
from counterpoise.sampling.kernels.dealing import locate
from counterpoise.sampling.lookup import bucket_lookup, dealt_hand

KINDS = {
    "IR-PHS-PHS": {"public": 3},
    "PR-PHS-PHS": {},
    "IR-KE-KE": {"public": 2},
    "IR-KE-KO": {"public": 2, "clusters": "kmeans"},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("board", [(0, 3), (0, 3, 1), (0, 3, 1, 1)])
def test_buckets_inside_groups(name: str, board: tuple[int, ...], tmp_path: Path) -> None:
    """Buckets inside earlier buckets or public clusters are those of `row` on any board, in any order of its cards."""
    game: Any = cp.load("no_limit_holdem", ranks=4, stack=2, board=board)
    tree, deck, sizes = build_betting_tree(game), game.deck, (4, 3, 3, 3)[: len(board)]
    made = cp.abstraction(name, sizes, deck=deck, progress=False, cache=tmp_path, **KINDS[name])
    cards, dealt = bucket_lookup(tree, [made]), dealt_hand(tree)
    random = np.random.default_rng(0)
    for _ in range(50):
        drawn = random.permutation(deck.cards)[:5]
        dealt.board[0] = drawn
        for number, count in enumerate(tree.board_cards):
            at, renaming = locate(cards, number, dealt)
            first = int(cards.first_row[0, number]) + at * deck.hand_count
            found = cards.rows[first + cards.hand_maps[renaming].astype(np.int64)].astype(np.int64)
            expected = made.row(drawn[:count].tolist())
            assert (found == expected)[expected >= 0].all()
