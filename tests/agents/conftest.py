"""Blueprints for agents that search, on decks of 24 cards: one filled at random, one trained for a second."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.abstraction import CardAbstraction
from counterpoise.blueprint import Blueprint
from counterpoise.cards import Deck

HUNL_24 = "no_limit_holdem(ranks=6, stack=20)"


@pytest.fixture(scope="session")
def few_buckets(tmp_path_factory: pytest.TempPathFactory) -> CardAbstraction:
    folder = tmp_path_factory.mktemp("abstraction")
    return cp.abstraction("IR-PHS-PHS", buckets=(6, 5, 5, 5), deck=Deck(ranks=6), cache=folder, progress=False)


@pytest.fixture(scope="session")
def random_blueprint(few_buckets: CardAbstraction) -> Blueprint:
    game: Any = cp.load(HUNL_24)
    uniform = Blueprint.uniform(game, few_buckets)
    weights = np.random.default_rng(0).random(len(uniform.table)).astype(np.float32)
    return Blueprint(game, few_buckets, weights)


@pytest.fixture(scope="session")
def trained_file(few_buckets: CardAbstraction, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A blueprint that has seen 20,000 hands."""
    found = cp.train(HUNL_24, abstraction=few_buckets, iterations=20_000, threads=1, progress=False)
    file = tmp_path_factory.mktemp("blueprint") / "small.cpz"
    found.blueprint.save(file)
    return file
