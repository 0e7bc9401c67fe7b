"""Purified blueprints in single bits."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.blueprint import Blueprint, PackedBlueprint, PackedChoices


@pytest.mark.slow
@pytest.mark.parametrize("first_round", [0, 1])
def test_purify_pack_unpack_is_exact(blueprint: Blueprint, first_round: int) -> None:
    """Unpacked choices are those of the purified blueprint, bit for bit, in log2 of the actions, rounded up."""
    packed = PackedChoices.of(blueprint, first_round)
    pure = blueprint.purified(first_round)
    assert packed.unpack().digest == pure.digest
    bits = 0
    tree = blueprint.tree
    for node in np.flatnonzero(tree.decisions & (tree.arrays.round >= first_round)).tolist():
        rows = len(blueprint.layout.block(tree, node, blueprint.table))
        bits += rows * math.ceil(math.log2(tree.arrays.actions[node]))
    assert packed.choice_bits == bits
    assert packed.bits.nbytes == math.ceil(bits / 8)
    assert packed.nbytes == packed.bits.nbytes + blueprint.layout.round_start[first_round]


def test_many_actions(lossless: cp.CardAbstraction) -> None:
    """Choices among three to nine actions, of random weights."""
    game = cp.load(
        "no_limit_holdem(board=[0, 3], ranks=8, suits=1, stack=9, sizes=['25%', '50%', '75%', '100%', '200%', 'allin'])"
    )
    uniform = Blueprint.uniform(game, lossless)
    weights = np.random.default_rng(1).random(uniform.layout.size).astype(np.float32)
    blueprint = Blueprint(game, lossless, weights, tree=uniform.tree)
    assert blueprint.tree.arrays.actions.max() > 4
    found = PackedChoices.of(blueprint)
    assert np.array_equal(found.unpack().table, blueprint.purified(1).table)
    assert found.nbytes < blueprint.purified(1).table.nbytes / 5


@pytest.mark.parametrize("first_round", [0, 1])
def test_a_packed_blueprint_plays_the_purified_one(blueprint: Blueprint, first_round: int) -> None:
    """Looked up bit by bit, every decision is that of the purified blueprint, exactly."""
    pure, packed = blueprint.purified(first_round), PackedBlueprint(PackedChoices.of(blueprint, first_round))
    for node in np.flatnonzero(blueprint.tree.decisions).tolist():
        assert np.array_equal(packed.block(node), pure.block(node))
    for public in ((), ("b4", "c", "AsKsQs", "c")):
        np.testing.assert_array_equal(packed.probabilities(public).table, pure.probabilities(public).table)
        assert packed.mixed(public, "9s8s") == pure.mixed(public, "9s8s")
    assert pickle.loads(pickle.dumps(packed)).digest == packed.digest == pure.digest
