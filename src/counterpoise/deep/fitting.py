"""Fit the weights of a network to examples: Adam on minibatches, many steps in one compiled call.

A `Fitter` owns the weights and the state of the optimiser while they change. The caller chooses the rows of
minibatches, so that the same numbers give the same weights; JAX only computes. A value that is not a number stops the
fit with the last good weights in place (`Diverged`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from counterpoise.deep.jax import require_jax
from counterpoise.deep.networks import FloatRows, Network, Shape
from counterpoise.deep.restoring import checked, restored_counters
from counterpoise.errors import Diverged
from counterpoise.parameters import require_choice, require_number

Loss = Literal["mse", "huber", "softmax-mse", "cross-entropy"]
STEPS = 32
"""Steps of one compiled call; what remains is done in calls of one step."""


class Examples(NamedTuple):
    """Rows of examples; in front of the row there may be the number of the step."""

    inputs: FloatRows
    """[row, input]."""
    targets: FloatRows
    """[row, output]."""
    mask: FloatRows
    """[row, output]: 1 where an output counts, 0 where it does not."""
    weights: FloatRows
    """[row]: the weight of a row; 1 on average."""


@dataclass(frozen=True, kw_only=True)
class FitSettings:
    """How weights follow the gradient."""

    loss: Loss = "mse"
    """What is minimised, as a mean over rows: squared errors summed over the outputs that count; Huber's, averaged over
    them; squared errors of the probabilities that are the softmax of the outputs; or their cross-entropy."""
    learning_rate: float = 1e-3
    """Adam's step."""
    clip: float = 1.0
    """A longer gradient is cut to this norm; 0: never."""

    def __post_init__(self) -> None:
        require_choice("loss", self.loss, get_args(Loss))
        require_number("learning_rate", self.learning_rate, 0, 10)
        require_number("clip", self.clip, 0)


class Fitter:
    """The weights of a network while they are fitted."""

    def __init__(self, network: Network, settings: FitSettings | None = None) -> None:
        self.settings = settings or FitSettings()
        self.shape = network.shape
        self._program = _program(network.shape, self.settings.loss, self.settings.clip)
        self.start(network)

    def start(self, network: Network) -> None:
        """Begin from a network, with a new state of the optimiser."""
        self._weights: tuple[Any, ...] = tuple(network.weights)
        self._optimiser = self._program.begin(self._weights)
        self.steps = 0

    @property
    def network(self) -> Network:
        """The network as it is now."""
        return Network(self.shape, tuple(np.array(part, dtype=np.float32) for part in self._weights))

    def fit(self, batches: Examples, rate: float | None = None) -> float:
        """Take a step for each minibatch of `batches` [step, row, ...] and return the mean loss."""
        losses, first = [], 0
        while first < len(batches.inputs):
            last = first + (STEPS if first + STEPS <= len(batches.inputs) else 1)
            losses.append(self._advance(Examples(*(part[first:last] for part in batches)), rate))
            first = last
        return float(np.concatenate(losses).mean())

    def fit_repeatedly(self, examples: Examples, steps: int, rate: float | None = None) -> float:
        """Take steps that all see the same rows, and return the mean loss."""
        once = Examples(*(part[None] for part in examples))
        losses = [self._advance(once, rate, repeat=STEPS) for _ in range(steps // STEPS)]
        losses += [self._advance(once, rate) for _ in range(steps % STEPS)]
        return float(np.concatenate(losses).mean())

    def fit_drawn(self, draw: Callable[[int], Examples], steps: int, rate: float | None = None) -> float:
        """Take steps on minibatches that ``draw(steps)`` returns a few at a time, and return the mean loss."""
        total, done = 0.0, 0
        while done < steps:
            count = min(STEPS, steps - done)
            total += self.fit(draw(count), rate) * count
            done += count
        return total / max(steps, 1)

    def _advance(self, batches: Examples, rate: float | None, repeat: int = 1) -> NDArray[np.float32]:
        step = np.float32(self.settings.learning_rate if rate is None else rate)
        weights, optimiser, losses = self._program.advance(self._weights, self._optimiser, batches, step, repeat)
        found = np.asarray(losses)
        if not (np.isfinite(found).all() and all(np.isfinite(np.asarray(part)).all() for part in weights)):
            raise Diverged(f"training diverged after {self.steps:,} steps: the loss is not a number any more")
        self._weights, self._optimiser = weights, optimiser
        self.steps += len(found)
        return found

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the weights and the state of the optimiser."""
        found = {f"weights{k}": np.asarray(part) for k, part in enumerate(self._weights)}
        found |= {f"optimiser{k}": np.asarray(part) for k, part in enumerate(self._program.leaves(self._optimiser))}
        return found | {"steps": np.array(self.steps)}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Continue from what `state` returned."""
        parts, leaves = self.shape.parts(), self._program.leaves(self._optimiser)
        weights = tuple(checked(arrays, f"weights{k}", part.size, np.float32) for k, part in enumerate(parts))
        found = [checked(arrays, f"optimiser{k}", leaf.shape, leaf.dtype) for k, leaf in enumerate(leaves)]
        (self.steps,) = restored_counters(arrays, "steps", 1)
        self._weights, self._optimiser = weights, self._program.whole(self._optimiser, found)


class Program(NamedTuple):
    """Compiled functions for networks of one shape."""

    begin: Callable[..., Any]
    advance: Callable[..., Any]
    leaves: Callable[..., Any]
    whole: Callable[..., Any]


@lru_cache(maxsize=16)
def _program(shape: Shape, loss: Loss, clip: float) -> Program:
    require_jax()
    import jax
    import optax

    measure = _losses(loss)
    adam = optax.scale_by_adam()
    rule = optax.chain(optax.clip_by_global_norm(clip), adam) if clip else adam

    def step(rate: Any, state: Any, batch: Any) -> Any:
        weights, optimiser = state

        def mean_loss(candidate: Any) -> Any:
            rows = measure(shape.traced_outputs(candidate, batch.inputs), batch.targets, batch.mask)
            return (rows * batch.weights).mean()

        found, gradient = jax.value_and_grad(mean_loss)(weights)
        change, optimiser = rule.update(gradient, optimiser)
        return (tuple(w - rate * c for w, c in zip(weights, change, strict=True)), optimiser), found

    def advance(weights: Any, optimiser: Any, batches: Any, rate: Any, repeat: int) -> Any:
        def one(state: Any, batch: Any) -> Any:
            return step(rate, state, batch)

        if repeat > 1:
            only = Examples(*(part[0] for part in batches))
            state, losses = jax.lax.scan(lambda state, _: one(state, only), (weights, optimiser), length=repeat)
        else:
            state, losses = jax.lax.scan(one, (weights, optimiser), batches)
        return *state, losses

    def whole(like: Any, leaves: Any) -> Any:
        return jax.tree.unflatten(jax.tree.structure(like), leaves)

    return Program(jax.jit(rule.init), jax.jit(advance, static_argnums=4), jax.tree.leaves, whole)


def _losses(kind: Loss) -> Callable[[Any, Any, Any], Any]:
    """Return a function of outputs, targets and mask [row, output] with the loss of each row."""
    import jax
    import jax.numpy as jnp
    import optax

    def shares(outputs: Any, mask: Any) -> Any:
        return jnp.where(mask > 0, outputs, -1e30)

    def squared(outputs: Any, targets: Any, mask: Any) -> Any:
        return (mask * (outputs - targets) ** 2).sum(axis=-1)

    def huber(outputs: Any, targets: Any, mask: Any) -> Any:
        return (mask * optax.losses.huber_loss(outputs, targets)).sum(axis=-1) / jnp.maximum(mask.sum(axis=-1), 1.0)

    def softmax(outputs: Any, targets: Any, mask: Any) -> Any:
        return squared(jax.nn.softmax(shares(outputs, mask)), targets, mask)

    def cross_entropy(outputs: Any, targets: Any, mask: Any) -> Any:
        logs = jax.nn.log_softmax(shares(outputs, mask))
        return -(targets * jnp.where(mask > 0, logs, 0.0)).sum(axis=-1)

    return {"mse": squared, "huber": huber, "softmax-mse": softmax, "cross-entropy": cross_entropy}[kind]
