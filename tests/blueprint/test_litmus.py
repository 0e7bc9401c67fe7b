"""Litmus tests hold for a strategy that is sensible and fail for one that is not; grids are drawn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.abstraction import CardAbstraction
from counterpoise.blueprint import Blueprint
from counterpoise.blueprint.litmus import litmus_tests
from counterpoise.blueprint.picture import first_lines, plot_first_decisions
from counterpoise.games.holdem import Holdem
from counterpoise.sampling import build_betting_tree

GAME = "limit_holdem(board=[0, 3], ranks=5, max_bets=2)"


@pytest.fixture(scope="module")
def game() -> Holdem:
    loaded = cp.load(GAME)
    assert isinstance(loaded, Holdem)
    return loaded


@pytest.fixture(scope="module")
def cards(game: Holdem, tmp_path_factory: pytest.TempPathFactory) -> CardAbstraction:
    folder = tmp_path_factory.mktemp("litmus")
    return cp.abstraction("IR-PHS-PHS", buckets=(25, 20), deck=game.deck, cache=folder, progress=False)


def made(game: Holdem, cards: CardAbstraction, fold: float) -> Blueprint:
    """Return a blueprint that folds to every bet with a probability and else calls and bets equally often."""
    tree = build_betting_tree(game)
    found = Blueprint.uniform(game, cards)
    table = np.zeros(found.layout.size, dtype=np.float32)
    for node in np.flatnonzero(tree.decisions).tolist():
        labels = tree.labels(node)
        block = found.layout.block(tree, node, table)
        block[:] = (1 - fold) / (len(labels) - 1) if "f" in labels else 1 / len(labels)
        if "f" in labels:
            block[:, labels.index("f")] = fold
    return Blueprint(game, cards, table)


@pytest.mark.slow
def test_folding_aces_and_nuts_is_found(game: Holdem, cards: CardAbstraction) -> None:
    """A player who never folds passes; one who folds a tenth of everything fails by exactly that tenth."""
    assert [one.passed for one in litmus_tests(made(game, cards, 0.0))] == [True, True, True]
    aces, nuts, order = litmus_tests(made(game, cards, 0.1))
    assert (aces.passed, nuts.passed, order.passed) == (False, False, True)
    assert aces.figure == pytest.approx(0.1, abs=1e-6)
    assert nuts.figure == pytest.approx(0.1, abs=1e-6)


def test_calling_weak_hands_only_is_found(game: Holdem, cards: CardAbstraction) -> None:
    """A player who calls with the weaker half and folds the stronger one is out of order nearly everywhere."""
    blueprint = made(game, cards, 0.0)
    tree = blueprint.tree
    for node in np.flatnonzero(tree.decisions & (tree.arrays.round == 1)).tolist():
        labels = tree.labels(node)
        if "f" in labels:
            block = blueprint.layout.block(tree, node, blueprint.table)
            block[10:] = 0
            block[10:, labels.index("f")] = 1
    *_, nuts, order = litmus_tests(blueprint)
    assert not order.passed
    assert order.figure > 0.3
    assert not nuts.passed


def test_packed_probabilities_are_judged_as_the_sums_of_a_training(game: Holdem, cards: CardAbstraction) -> None:
    """A table that says how often training came somewhere, and one that does not, differ by their rounding only."""
    trained = cp.train(game, cards, iterations=3000, progress=False).blueprint
    for own, packed in zip(litmus_tests(trained), litmus_tests(trained.packed()), strict=True):
        assert (own.decisions > 0, own.passed) == (packed.decisions > 0, packed.passed)
        assert own.figure == pytest.approx(packed.figure, abs=0.01)


def test_blueprint_without_decisions_of_the_kind(game: Holdem, cards: CardAbstraction) -> None:
    """Where nothing was ever reached a test says nothing."""
    assert [one.passed for one in litmus_tests(Blueprint.uniform(game, cards))] == [None, None, None]
    assert litmus_tests(made(game, cards, 0.0))[0].to_json()["decisions"] > 0


@pytest.mark.slow
def test_grid_of_first_decisions(game: Holdem, cards: CardAbstraction, tmp_path: Path) -> None:
    """The picture has the first decision and those after each of its actions."""
    blueprint = made(game, cards, 0.25)
    assert first_lines(blueprint)[0] == ()
    assert all(len(line) == 1 for line in first_lines(blueprint)[1:])
    path = plot_first_decisions(blueprint, tmp_path / "grid.svg")
    drawn = path.read_text()
    assert "AKs" in drawn
    assert "25.0 %" in drawn or "first decision" in drawn
