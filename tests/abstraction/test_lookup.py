"""Buckets of single hands against the rows of whole boards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.abstraction import CardAbstraction
from counterpoise.cards import Deck

SMALL: dict[str, Any] = {"deck": Deck(ranks=5), "sample": 4000, "progress": False}
TABLES: dict[str, dict[str, Any]] = {
    "IR-KE-KO": {"buckets": (25, 12, 12, 12)},
    "IR-KO-KE": {"buckets": (6, 8, 8, 8)},
    "IR-KP-PHS": {"buckets": (5, 9, 9, "3x2")},
    "PR-PHS-PHS": {"buckets": ("5x2", 2, 3, 2)},
    "PR-KE-KO": {"buckets": (4, 3, 3, 3)},
    "IR-C-C": {"buckets": ()},
    "IR-C-KO": {"buckets": (30,)},
    "IR-KE-PHS": {"buckets": (4, 5, 5, 5), "public": 3},
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, CardAbstraction]:
    folder = tmp_path_factory.mktemp("cache")
    return {name: cp.abstraction(name, cache=folder, **SMALL, **more) for name, more in TABLES.items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_single_hands_have_the_buckets_of_rows(tables: dict[str, CardAbstraction], name: str) -> None:
    table, generator = tables[name], np.random.default_rng(1)
    for count in (0, 3, 4, 5)[: table.cards.streets]:
        boards = np.array([generator.choice(table.deck.cards, count, replace=False) for _ in range(40)], dtype=np.uint8)
        rows = [table.row(board.tolist()) for board in boards]
        at = [(board, hand) for board, row in enumerate(rows) for hand in generator.choice(np.flatnonzero(row >= 0), 9)]
        numbers, hands = np.array(at).T
        found = table.hand_buckets(hands, boards[numbers])
        assert found.tolist() == [int(rows[board][hand]) for board, hand in at]
        assert table.bucket(int(hands[0]), boards[0].tolist()) == found[0]
