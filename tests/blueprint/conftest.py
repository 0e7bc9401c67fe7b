"""A game small enough to enumerate, solved, and the same strategy as a blueprint with a bucket for every hand."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import counterpoise as cp
from counterpoise.abstraction import CardAbstraction
from counterpoise.agents import make_agent
from counterpoise.blueprint import Blueprint

SMALL = "limit_holdem(board=[0, 3], ranks=8, suits=1, max_bets=2)"
"""With one suit nothing is alike, so that a bucket for every hand is the game itself."""


@pytest.fixture(scope="session")
def small() -> Any:
    return cp.load(SMALL)


@pytest.fixture(scope="session")
def solved() -> cp.Run:
    return cp.solve(SMALL, iterations=100, progress=False)


@pytest.fixture(scope="session")
def lossless(small: Any, tmp_path_factory: pytest.TempPathFactory) -> CardAbstraction:
    """Every hand has its own bucket on every board."""
    from counterpoise.abstraction.strength import HoldemCards

    cards = HoldemCards(small.deck, 2)
    sizes = [cards.classes(street) for street in range(2)]
    return cp.abstraction("IR-C-C", buckets=sizes, deck=small.deck, cache=tmp_path_factory.mktemp("c"), progress=False)


@pytest.fixture(scope="session")
def coarse(small: Any, tmp_path_factory: pytest.TempPathFactory) -> CardAbstraction:
    """Three buckets before the flop and five on it."""
    folder = tmp_path_factory.mktemp("coarse")
    return cp.abstraction("IR-PHS-PHS", buckets=(3, 5), deck=small.deck, cache=folder, progress=False)


@pytest.fixture(scope="session")
def players(solved: cp.Run, small: Any) -> list[Any]:
    return [make_agent(solved).sit(small, seat, Random(0)) for seat in range(2)]


@pytest.fixture(scope="session")
def blueprint(small: Any, lossless: CardAbstraction, players: list[Any]) -> Blueprint:
    return Blueprint.from_players(small, lossless, players)


@pytest.fixture(scope="session")
def few_buckets(tmp_path_factory: pytest.TempPathFactory) -> CardAbstraction:
    """Few buckets for 24 cards and four rounds."""
    folder, deck = tmp_path_factory.mktemp("few"), cp.load("no_limit_holdem(ranks=6)").deck
    return cp.abstraction("IR-PHS-PHS", buckets=(12, 8, 8, 8), deck=deck, cache=folder, progress=False)
