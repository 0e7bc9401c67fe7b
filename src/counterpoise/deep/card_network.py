"""The network of Brown 2020, section 4.1.5 for hold'em: a branch for cards, one for bets, and layers that join them.

1. Every card is the sum of three embeddings, of its rank, its suit and the card itself; those of a group (own cards,
   flop, turn, river) are added up. Inputs count ranks, suits and cards per group, so this is a matrix for each group;
   cards that were not dealt add nothing.
2. Three layers for cards, two for bets; both together three more. A layer is ReLU(A x + b), plus x where both are
   equally wide.
3. The last features are normalised to mean 0 and variance 1, then come the outputs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from counterpoise.deep.kernels import layers
from counterpoise.deep.networks import (
    MOST_WIDTH,
    NO_ROWS,
    FloatRows,
    WeightPart,
    outputs_in_blocks,
    require_weights,
    traced_normalised,
)
from counterpoise.parameters import require_number, require_whole

CARD_LAYERS, BET_LAYERS, JOINT_LAYERS = 3, 2, 3


@dataclass(frozen=True, kw_only=True)
class CardShape:
    """A network with a branch for cards and a branch for bets, all layers equally wide.

    >>> shape = CardShape(groups=2, card_inputs=69, bet_inputs=24, outputs=3, width=64)
    >>> sum(math.prod(part.size) for part in shape.parts())
    47939
    """

    groups: int
    """Groups of cards."""
    card_inputs: int
    """Numbers of each group: ranks, suits, cards."""
    bet_inputs: int
    """Numbers of the betting."""
    outputs: int
    width: int = 64
    head_scale: float = 0.0
    """The factor on the initial weights of the last layer; with 0, initial outputs are 0."""

    def __post_init__(self) -> None:
        for name in ("groups", "card_inputs", "bet_inputs", "outputs", "width"):
            require_whole(name, getattr(self, name), 1, MOST_WIDTH)
        require_number("head_scale", self.head_scale, 0, 1000)
        require_weights(self)

    @property
    def inputs(self) -> int:
        """The number of inputs of a row."""
        return self.groups * self.card_inputs + self.bet_inputs

    def parts(self) -> list[WeightPart]:
        """Return the arrays of weights: embeddings, then layer by layer."""
        width = self.width
        found = [WeightPart(f"embedding{k}", (self.card_inputs, width), math.sqrt(1 / 3)) for k in range(self.groups)]
        branches = (
            ("card", self.groups * width, CARD_LAYERS),
            ("bet", self.bet_inputs, BET_LAYERS),
            ("joint", 2 * width, JOINT_LAYERS),
        )
        for name, first, count in branches:
            for k in range(count):
                wide = width if k else first
                found += [
                    WeightPart(f"{name}{k}", (wide, width), math.sqrt(2 / wide)),
                    WeightPart(f"{name}_bias{k}", (width,)),
                ]
        head = self.head_scale / math.sqrt(width)
        return [*found, WeightPart("head", (width, self.outputs), head), WeightPart("head_bias", (self.outputs,))]

    def outputs_of(self, weights: Sequence[FloatRows], rows: FloatRows) -> FloatRows:
        """Return the outputs for rows of inputs."""
        return outputs_in_blocks(self._features, weights, rows)

    def _features(self, weights: Sequence[FloatRows], rows: FloatRows) -> FloatRows:
        at, size = self.groups, self.card_inputs
        cards = np.concatenate([rows[:, k * size : (k + 1) * size] @ weights[k] for k in range(at)], axis=1)
        cards, at = _layers(cards, weights, at, CARD_LAYERS)
        bets, at = _layers(np.ascontiguousarray(rows[:, self.groups * size :]), weights, at, BET_LAYERS)
        joint, _ = _layers(np.concatenate([cards, bets], axis=1), weights, at, JOINT_LAYERS)
        layers.normalise(joint)
        return joint

    def traced_outputs(self, weights: Sequence[Any], rows: Any) -> Any:
        """Return the outputs of JAX arrays."""
        import jax
        import jax.numpy as jnp

        def branch(features: Any, at: int, count: int) -> tuple[Any, int]:
            for k in range(count):
                matrix, bias = weights[at + 2 * k], weights[at + 2 * k + 1]
                skipped = features if matrix.shape[0] == matrix.shape[1] else 0.0
                features = jax.nn.relu(features @ matrix + bias + skipped)
            return features, at + 2 * count

        at, size = self.groups, self.card_inputs
        cards = jnp.concatenate([rows[:, k * size : (k + 1) * size] @ weights[k] for k in range(at)], axis=1)
        cards, at = branch(cards, at, CARD_LAYERS)
        bets, at = branch(rows[:, self.groups * size :], at, BET_LAYERS)
        joint, _ = branch(jnp.concatenate([cards, bets], axis=1), at, JOINT_LAYERS)
        return traced_normalised(joint) @ weights[-2] + weights[-1]

    def to_json(self) -> dict[str, Any]:
        """Return the fields and the kind of shape."""
        return {"kind": "cards", **asdict(self)}


def _layers(rows: FloatRows, weights: Sequence[FloatRows], at: int, count: int) -> tuple[FloatRows, int]:
    """Return the features after some layers, and where the next weights are."""
    for k in range(count):
        matrix, bias = weights[at + 2 * k], weights[at + 2 * k + 1]
        skipped = rows if matrix.shape[0] == matrix.shape[1] else NO_ROWS
        rows = rows @ matrix
        layers.add_bias_and_activate(rows, bias, skipped, layers.RELU)
    return rows, at + 2 * count
