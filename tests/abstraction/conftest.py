"""A deck of 20 cards with all four streets, and what is computed once for it."""

from __future__ import annotations

import numpy as np
import pytest

from counterpoise.abstraction.strength import HoldemCards, last_street_wins
from counterpoise.cards import Deck
from counterpoise.jobs.pieces import Work

SMALL = HoldemCards(Deck(ranks=5))


@pytest.fixture(scope="session")
def small() -> HoldemCards:
    return SMALL


@pytest.fixture(scope="session")
def wins(small: HoldemCards) -> np.ndarray:
    return last_street_wins(small, Work())


@pytest.fixture(scope="session")
def whole_deck_wins() -> np.ndarray:
    return last_street_wins(HoldemCards(), Work())


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("COUNTERPOISE_CACHE", str(tmp_path))
