"""Values of pairs of hands after the flop: against the enumeration of a small deck by walks through public trees."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.agents.blueprint_strategy import BlueprintStrategy
from counterpoise.agents.subgames import open_subgame
from counterpoise.betting.sizes import label
from counterpoise.blueprint import Blueprint
from counterpoise.blueprint.blueprint import layout_of
from counterpoise.cards.deck import format_cards
from counterpoise.errors import InputError
from counterpoise.games.holdem import GameMenu
from counterpoise.games.known import public_cards
from counterpoise.games.moves import RAISE
from counterpoise.public import Cut, HoldemGame, Profile, PublicNode, build_holdem
from counterpoise.public.leaves import LeafMatrix
from counterpoise.sampling import build_betting_tree
from counterpoise.sampling.leaf_values.ends import action_probabilities, ends_after
from counterpoise.sampling.leaf_values.hands import HandValues
from counterpoise.sampling.lookup import board_lookup
from counterpoise.sampling.tables import biased_table
from counterpoise.search.continuations import biased
from counterpoise.search.dealt_leaves import BoardValues, DealtLeaves
from counterpoise.search.leaves import LeafTable
from counterpoise.search.public_belief import PublicBelief

GAME = "no_limit_holdem(ranks=4, stack=4, sizes=['100%', 'allin'])"
PUBLIC = ("c", "c", "AsKsQh")


@cache
def blueprint() -> Blueprint:
    """A strategy of random weights in which every action has some."""
    game: Any = cp.load(GAME)
    cards = cp.abstraction("IR-PHS-PHS", buckets=(10, 4, 4, 4), deck=game.deck, progress=False)
    tree = build_betting_tree(game)
    weights = np.random.default_rng(2).integers(1, 10, layout_of(tree, [cards]).size).astype(np.float32)
    return Blueprint(game, cards, weights, tree=tree)


@cache
def belief() -> PublicBelief:
    found = PublicBelief.start(blueprint().game, BlueprintStrategy(blueprint()))
    for event in PUBLIC:
        found = found.after(event)
    return found


@cache
def limited() -> HoldemGame:
    """The flop alone, in which seat 1 picks between two continuations."""
    rules = open_subgame(belief(), GameMenu(home=blueprint().game), cut=Cut(choices=(1, 2)))
    return build_holdem(replace(rules, isomorphism=False))


def leaves() -> list[PublicNode]:
    game = limited()
    nodes = [PublicNode(game, 0, ("leaf", place), game.first_deal) for place in range(len(game.street_trees[0].leaves))]
    return [node for node in nodes if node.kind == "value"]


@cache
def exact() -> list[LeafMatrix]:
    """The values of all leaves by walks through the whole rest of the game."""
    known = blueprint()
    rules: Any = open_subgame(belief(), GameMenu(home=known.game))
    whole = build_holdem(replace(rules, isomorphism=False))
    kept = Profile(whole)
    for node in whole.root.decisions_below():
        events = [format_cards(step, "") if isinstance(step, tuple) else label(step) for step in node.trail]
        rows = known.probabilities((*PUBLIC, *events)).table.T
        node.set_strategy(kept, whole.gather_from_deck(node.player, rows))
    table = LeafTable(whole, ([kept], [kept, biased(kept, "raise", 10.0)]))
    return table.matrices(limited(), leaves(), [node.leaf.picks for node in leaves()])


def dealt(boards: int) -> DealtLeaves:
    known, board = blueprint(), tuple(public_cards(PUBLIC))
    values = HandValues(known.tree, board_lookup(known.tree, known.abstractions, board), board, boards)
    more = biased_table(known.tree, known.layout, known.table, RAISE, 10.0)
    tables = [action_probabilities(known.tree, known.layout, one) for one in (known.table, more)]
    return DealtLeaves(BoardValues(known.tree, known.layout, (tables, tables), values), known.game, PUBLIC, (1, 2))


def found(boards: int) -> list[LeafMatrix]:
    return dealt(boards).matrices(limited(), leaves(), [node.leaf.picks for node in leaves()])


@pytest.mark.slow
def test_all_boards_give_the_exact_values() -> None:
    """Every pair of hands, leaf and continuation."""
    assert len(leaves()) >= 4
    for own, expected in zip(found(10_000), exact(), strict=True):
        for seat in range(2):
            np.testing.assert_allclose(own.values[seat], expected.values[seat], atol=0.01)


@pytest.mark.slow
def test_the_luck_of_drawn_boards_is_taken_out() -> None:
    """A third of the 156 boards: the mean error over the other's hands is a third of that of a plain mean."""

    def error(plainly: bool) -> float:
        leaf = dealt(52)
        leaf.board_values.values.every = plainly
        known = leaf.matrices(limited(), leaves(), [node.leaf.picks for node in leaves()])
        apart = [own.values[0] - expected.values[0] for own, expected in zip(known, exact(), strict=True)]
        return float(np.sqrt(np.mean(np.square(np.sum(apart, axis=2) / limited().pairs_apart.sum(axis=1)))))

    assert error(plainly=False) < error(plainly=True) / 3


def test_leaves_that_the_blueprint_lacks_are_worth_what_similar_ones_are() -> None:
    """A bet between two of the blueprint's stands between both, as a share of the pot."""
    leaf = dealt(6)
    own = {node.steps: leaf._nodes(node.steps) for node in leaves()}
    assert all(len(nodes) == 1 for nodes in own.values())
    assert len(leaf._nodes((340, 0))) == 2
    assert leaf._nodes((340, 0))[0] == own[300, 0][0]
    nearest = DealtLeaves(leaf.board_values, leaf.game, PUBLIC, (1, 2), "nearest")
    assert nearest._nodes((340, 0)) == own[300, 0]


def test_values_are_computed_once() -> None:
    leaf, asked = dealt(6), list[int]()
    values = leaf.board_values.values
    run = values.run

    def counted(below: Any, picks: Any) -> Any:
        asked.append(len(below.leaves))
        return run(below, picks)

    values.run = counted  # type: ignore[method-assign]
    picks = [node.leaf.picks for node in leaves()]
    first = leaf.matrices(limited(), leaves(), picks)
    again = leaf.matrices(limited(), leaves()[:1], picks[:1])
    assert len(asked) == 1
    np.testing.assert_array_equal(first[0].values[0], again[0].values[0])


def test_ends_are_counted() -> None:
    tree = blueprint().tree
    assert ends_after(tree, 0) == int((~tree.decisions).sum())


def test_wrong_tables_are_refused() -> None:
    known = blueprint()
    with pytest.raises(InputError, match="still to come"):
        HandValues(known.tree, None, (51, 50, 47, 43, 42), 1)  # type: ignore[arg-type]
    alike = build_holdem(open_subgame(belief(), GameMenu(home=known.game), cut=Cut(choices=(1, 2))))
    with pytest.raises(InputError, match="tell all hands apart"):
        dealt(6).matrices(alike, [], [])
