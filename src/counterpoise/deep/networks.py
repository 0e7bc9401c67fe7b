"""Networks: their shapes and weights, and their evaluation without any library of networks.

1. A **shape** says what a network is made of: which arrays of weights, how they begin, and its outputs for rows of
   inputs, twice: `outputs_of` in NumPy with compiled layers, which plays and makes data, and `traced_outputs` in JAX,
   which `fitting.py` differentiates. A test compares the two.
2. A **Network** is a shape and its weights, all float32. It is never changed: training makes a new one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from counterpoise.deep.kernels import layers
from counterpoise.parameters import is_list, require, require_choice, require_number, require_whole

FloatRows = NDArray[np.float32]
Weights = tuple[FloatRows, ...]
Activation = Literal["relu", "gelu"]
Normalisation = Literal["none", "layer", "last"]
KINDS = {"relu": layers.RELU, "gelu": layers.GELU}
BLOCK = 1024
"""Rows that go through all layers together: few enough to stay in the processor's cache."""
MOST_WIDTH = 65_536
MOST_LAYERS = 100
MOST_WEIGHTS = 2**28
"""Weights of a network at most: training holds several numbers for each."""
NO_ROWS = np.zeros((0, 0), dtype=np.float32)


class WeightPart(NamedTuple):
    """An array of weights, and how it begins: normally distributed around `level`."""

    name: str
    size: tuple[int, ...]
    deviation: float = 0.0
    level: float = 0.0


class Shape(Protocol):
    """What a network is made of; equal shapes are equal keys."""

    def __hash__(self) -> int: ...

    @property
    def inputs(self) -> int:
        """The number of inputs of a row."""
        ...

    @property
    def outputs(self) -> int:
        """The number of outputs of a row."""
        ...

    def parts(self) -> list[WeightPart]:
        """Return the arrays of weights."""
        ...

    def outputs_of(self, weights: Sequence[FloatRows], rows: FloatRows) -> FloatRows:
        """Return the outputs for rows of inputs."""
        ...

    def traced_outputs(self, weights: Sequence[Any], rows: Any) -> Any:
        """Return the outputs of JAX arrays."""
        ...

    def to_json(self) -> dict[str, Any]:
        """Return the fields and the kind of shape."""
        ...


@dataclass(frozen=True, kw_only=True)
class MlpShape:
    """A multi-layer perceptron.

    >>> sum(math.prod(part.size) for part in MlpShape(inputs=19, hidden=(256, 256), outputs=8).parts())
    72968
    """

    inputs: int
    hidden: tuple[int, ...]
    """The widths of the hidden layers."""
    outputs: int
    activation: Activation = "relu"
    normalisation: Normalisation = "none"
    """After which layers features are brought to mean 0 and variance 1 per row: none, every hidden layer, before its
    activation and with a learned scale and shift, or the last one, after it (Brown 2020, section 4.1)."""
    skips: bool = False
    """Whether a hidden layer as wide as its inputs adds them before its activation (Brown 2020, section 4.1)."""
    head_scale: float = 1.0
    """The factor on the initial weights of the last layer; near 0, initial outputs are near 0."""

    def __post_init__(self) -> None:
        require(is_list(self.hidden), f"hidden must be a list of widths, not {self.hidden!r}")
        for name, width in (("inputs", self.inputs), ("outputs", self.outputs), *(("hidden", k) for k in self.hidden)):
            require_whole(name, width, 1, MOST_WIDTH)
        require_choice("activation", self.activation, get_args(Activation))
        require_choice("normalisation", self.normalisation, get_args(Normalisation))
        require(isinstance(self.skips, bool), f"skips must be true or false, not {self.skips!r}")
        require_number("head_scale", self.head_scale, 0, 1000)
        require(len(self.hidden) <= MOST_LAYERS, f"hidden must be at most {MOST_LAYERS} widths, not {len(self.hidden)}")
        object.__setattr__(self, "hidden", tuple(self.hidden))
        require_weights(self)

    def parts(self) -> list[WeightPart]:
        """Return the arrays of weights, layer by layer."""
        found, width = [], self.inputs
        for k, wide in enumerate(self.hidden):
            found += [WeightPart(f"weights{k}", (width, wide), math.sqrt(2 / width)), WeightPart(f"bias{k}", (wide,))]
            if self.normalisation == "layer":
                found += [WeightPart(f"gain{k}", (wide,), level=1.0), WeightPart(f"offset{k}", (wide,))]
            width = wide
        head = self.head_scale / math.sqrt(width)
        return [*found, WeightPart("head", (width, self.outputs), head), WeightPart("head_bias", (self.outputs,))]

    def outputs_of(self, weights: Sequence[FloatRows], rows: FloatRows) -> FloatRows:
        """Return the outputs for rows of inputs."""
        return outputs_in_blocks(self._features, weights, rows)

    def _features(self, weights: Sequence[FloatRows], rows: FloatRows) -> FloatRows:
        kind, step = KINDS[self.activation], 4 if self.normalisation == "layer" else 2
        for k in range(len(self.hidden)):
            matrix, bias, *affine = weights[step * k : step * (k + 1)]
            skipped = rows if self.skips and matrix.shape[0] == matrix.shape[1] else NO_ROWS
            rows = rows @ matrix
            if affine:
                layers.normalise_and_activate(rows, bias, *affine, skipped, kind)
            else:
                layers.add_bias_and_activate(rows, bias, skipped, kind)
        if self.normalisation == "last" and self.hidden:
            layers.normalise(rows)
        return rows

    def traced_outputs(self, weights: Sequence[Any], rows: Any) -> Any:
        """Return the outputs of JAX arrays."""
        import jax

        activate = jax.nn.relu if self.activation == "relu" else jax.nn.gelu
        step = 4 if self.normalisation == "layer" else 2
        for k in range(len(self.hidden)):
            matrix, bias, *affine = weights[step * k : step * (k + 1)]
            skipped = rows if self.skips and matrix.shape[0] == matrix.shape[1] else 0.0
            rows = rows @ matrix + bias + skipped
            rows = activate(traced_normalised(rows) * affine[0] + affine[1] if affine else rows)
        if self.normalisation == "last" and self.hidden:
            rows = traced_normalised(rows)
        return rows @ weights[-2] + weights[-1]

    def to_json(self) -> dict[str, Any]:
        """Return the fields and the kind of shape."""
        return {"kind": "mlp", **asdict(self)}


def outputs_in_blocks(
    features: Callable[[Sequence[FloatRows], FloatRows], FloatRows], weights: Sequence[FloatRows], rows: FloatRows
) -> FloatRows:
    """Return the outputs of a linear head, the last two weights, on the features of rows, a block of them at a time."""
    found = np.empty((len(rows), len(weights[-1])), dtype=np.float32)
    for first in range(0, len(rows), BLOCK):
        np.matmul(features(weights, rows[first : first + BLOCK]), weights[-2], out=found[first:][:BLOCK])
    found += weights[-1]
    return found


def traced_normalised(rows: Any) -> Any:
    """Return rows of JAX arrays with mean 0 and variance 1, as `normalise` makes them."""
    import jax.numpy as jnp

    centred = rows - rows.mean(axis=-1, keepdims=True)
    return centred / jnp.sqrt((centred * centred).mean(axis=-1, keepdims=True) + layers.SMALL)


@dataclass(frozen=True, eq=False)
class Network:
    """A shape and its weights; `network(rows)` are its outputs."""

    shape: Shape
    weights: Weights

    def __call__(self, rows: FloatRows) -> FloatRows:
        """Return the outputs [row, output] for inputs [row, input]."""
        return self.shape.outputs_of(self.weights, rows)

    @property
    def weight_count(self) -> int:
        """The number of learned weights."""
        return sum(part.size for part in self.weights)

    def flat(self) -> FloatRows:
        """Return all weights as one vector."""
        return np.concatenate([part.ravel() for part in self.weights])

    def with_flat(self, vector: FloatRows) -> Network:
        """Return the network of this shape with the weights of a vector, which is copied."""
        return network_of(self.shape, vector)


def count_weights(shape: Shape) -> int:
    """Return the number of learned weights of a shape."""
    return sum(math.prod(part.size) for part in shape.parts())


def require_weights(shape: Shape) -> None:
    """Refuse a network of more weights than any machine trains."""
    count = count_weights(shape)
    require(count <= MOST_WEIGHTS, f"a network has at most {MOST_WEIGHTS:,} weights, not {count:,}: make it narrower")


def network_of(shape: Shape, vector: FloatRows) -> Network:
    """Return the network of a shape with the weights of a vector (see `Network.flat`), which is copied."""
    count = count_weights(shape)
    require(vector.size == count, f"{vector.size:,} weights are given for {count:,}")
    sizes = [part.size for part in shape.parts()]
    pieces = np.split(np.array(vector, dtype=np.float32), np.cumsum([math.prod(size) for size in sizes])[:-1])
    return Network(shape, tuple(piece.reshape(size) for piece, size in zip(pieces, sizes, strict=True)))


def zero_network(shape: Shape) -> Network:
    """Return the network of a shape whose outputs are 0."""
    return network_of(shape, np.zeros(count_weights(shape), dtype=np.float32))


def new_network(shape: Shape, random: np.random.Generator) -> Network:
    """Return a network with random weights."""
    return Network(
        shape,
        tuple(
            (part.level + part.deviation * random.standard_normal(part.size)).astype(np.float32)
            if part.deviation
            else np.full(part.size, part.level, dtype=np.float32)
            for part in shape.parts()
        ),
    )
