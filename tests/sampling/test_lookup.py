"""The table of buckets that walks read, against the rows of the abstraction it was made from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.errors import InputError
from counterpoise.sampling import build_betting_tree
from counterpoise.sampling.kernels.dealing import locate
from counterpoise.sampling.lookup import bucket_lookup, dealt_hand, lookup_bytes

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


def test_a_table_that_does_not_fit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What would not fit in memory is refused before a row is computed, with both figures."""

    class Machine:
        available = 0

    game: Any = cp.load("no_limit_holdem", ranks=4, stack=2, board=(0, 3))
    made = cp.abstraction("PR-PHS-PHS", (4, 3), deck=game.deck, progress=False, cache=tmp_path)
    tree = build_betting_tree(game)
    bucket_lookup(tree, [made])
    monkeypatch.setattr("psutil.virtual_memory", Machine)
    Machine.available = lookup_bytes(tree, [made])
    with pytest.raises(InputError, match=r"the table of buckets of .* would take .*B, and .*B are free"):
        bucket_lookup(tree, [made])
