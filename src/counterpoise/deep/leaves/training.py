"""Train the networks of leaf values: one for each seat that picks, on examples by roll-outs.

See Brown et al. 2018, section 6.

Adam on minibatches with Huber's loss, the rate falling in a straight line to a twentieth. A share of the
examples is kept apart, and the loss is stated on those. They have hands, ends and roll-outs of their own, but no flops:
these are drawn with repetition, so that the same flop, or one that differs by its suits alone, is mostly among the
others too. Roll-outs are noisy and so is the loss: a network that knew every value would still have about the loss in
`noise`, found from how far the two halves of the roll-outs of an example differ.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.deep.fitting import Examples, FitSettings, Fitter
from counterpoise.deep.jax import require_jax
from counterpoise.deep.leaves.checkpoint import ExamplesFile
from counterpoise.deep.leaves.examples import PER_FLOP, LeafExamples, make_examples
from counterpoise.deep.leaves.features import FEATURES, PICKS
from counterpoise.deep.leaves.files import LeafNetworks
from counterpoise.deep.networks import MlpShape, Network, new_network
from counterpoise.errors import InputError
from counterpoise.parameters import require, require_number, require_whole
from counterpoise.progress import CancelToken, Progress, SilentProgress
from counterpoise.sampling.betting_tree import BettingTree
from counterpoise.sampling.tables import NodeStrategy

FloatRows = NDArray[np.float32]
STEPS_AT_ONCE = 32
LAST_RATE = 0.05
"""The last step's rate as a share of the first."""
LEAST_FLOPS = 10


@dataclass(frozen=True, kw_only=True)
class LeafTraining:
    """How networks of leaf values are trained; published: hidden (64, 64) in Brown et al. 2018, (256, 128, 128, 128) in
    Brown 2020.
    """

    examples: int = 200_000
    """Pairs of hands at ends of the flop's betting, for each picking seat; published: 180 million."""
    rollouts: int = 16
    """The number of roll-outs of each example."""
    hidden: tuple[int, ...] = (64, 64)
    """The widths of the hidden layers."""
    epochs: int = 20
    """The number of times that each example is seen."""
    batch: int = 512
    """Examples of a step."""
    learning_rate: float = 2e-3
    """Adam's first step; it falls to a twentieth."""
    kept_apart: float = 0.1
    """The share of draws of flops, with all their examples, on which the loss is measured."""
    factor: float = 10.0
    """The factor of the bias approach."""
    seed: int = 0

    def __post_init__(self) -> None:
        require_whole("examples", self.examples, LEAST_FLOPS * PER_FLOP, 10**9)
        require_whole("rollouts", self.rollouts, 2)
        require(self.rollouts % 2 == 0, f"rollouts must be an even number, two halves, not {self.rollouts}")
        require_whole("epochs", self.epochs)
        require_whole("batch", self.batch)
        require_number("learning_rate", self.learning_rate, 0, 10)
        require_number("kept_apart", self.kept_apart, 0.001, 0.9)
        require_number("factor", self.factor, 0)
        require_whole("seed", self.seed, 0, 2**31 - 1)
        object.__setattr__(self, "hidden", tuple(self.hidden))
        MlpShape(inputs=FEATURES, hidden=self.hidden, outputs=PICKS)


class Losses(NamedTuple):
    """Huber's loss in pots, the mean over outputs, on examples that were kept apart."""

    network: float
    zero: float
    """The loss if all values were 0."""
    noise: float
    """About the part that no network can learn."""


def train_leaf_networks(
    tree: BettingTree,
    strategy: NodeStrategy,
    blueprint: str,
    settings: LeafTraining | None = None,
    progress: Progress | None = None,
    cancel: CancelToken | None = None,
    checkpoint: Path | None = None,
) -> LeafNetworks | None:
    """Return the networks of both seats for a blueprint, whose digest is `blueprint`; None if it is cancelled.

    Examples are kept in the file `checkpoint`, if one is named, from which the next call continues.
    """
    require_jax()  # before minutes of roll-outs, not after them
    chosen, display = settings or LeafTraining(), progress or SilentProgress()
    display.begin("examples of leaf values, by roll-outs")
    made_by = {"blueprint": blueprint, "rollouts": chosen.rollouts, "factor": chosen.factor, "seed": chosen.seed}
    kept = None if checkpoint is None else ExamplesFile(checkpoint, made_by)
    examples = make_examples(
        tree,
        strategy,
        chosen.examples,
        chosen.rollouts,
        factor=chosen.factor,
        seed=chosen.seed,
        file=kept,
        progress=display,
        cancel=cancel,
    )
    found, losses = [], []
    for seat in range(2):
        display.begin(f"network of leaf values where seat {seat} picks")
        network = None if _stopped(cancel) else fit(examples, seat, chosen, display, cancel)
        if network is None:
            return None
        found.append(network)
        losses.append(measure(network, examples, seat, chosen))
        display.note(_said(seat, losses[-1]))
    made: dict[str, Any] = asdict(chosen) | {"hidden": list(chosen.hidden), "examples": examples.count}
    made["losses"] = [one._asdict() for one in losses]
    return LeafNetworks(tree.game.name, blueprint, (found[0], found[1]), made)


def fit(
    examples: LeafExamples,
    seat: int,
    settings: LeafTraining,
    progress: Progress | None = None,
    cancel: CancelToken | None = None,
) -> Network | None:
    """Return the network of a picking seat, fitted to the examples that are not kept apart; None if cancelled."""
    display, first = progress or SilentProgress(), kept_apart(examples, settings)
    inputs, targets = examples.inputs[seat][first:], examples.targets[seat][first:].mean(axis=1)
    random = np.random.default_rng([settings.seed, seat])
    shape = MlpShape(inputs=FEATURES, hidden=settings.hidden, outputs=PICKS)
    fitter = Fitter(new_network(shape, random), FitSettings(loss="huber", learning_rate=settings.learning_rate))
    batch = min(settings.batch, len(inputs))
    steps = max(settings.epochs * len(inputs) // batch, 1)
    rows = _Rows(len(inputs), random)
    for step in range(0, steps, STEPS_AT_ONCE):
        if _stopped(cancel):
            return None
        count = min(STEPS_AT_ONCE, steps - step)
        chosen = rows.draw(count * batch).reshape(count, batch)
        ones = np.ones((count, batch), dtype=np.float32)
        mask = np.ones((count, batch, PICKS), dtype=np.float32)
        rate = settings.learning_rate * (1 - (1 - LAST_RATE) * step / steps)
        loss = fitter.fit(Examples(inputs[chosen], targets[chosen], mask, ones), rate)
        display.show(step / steps, f"step {step:,} of {steps:,}, loss {loss:.4f} pots")
    return fitter.network


def measure(network: Network, examples: LeafExamples, seat: int, settings: LeafTraining) -> Losses:
    """Return the losses of a network on the examples that are kept apart."""
    first = kept_apart(examples, settings)
    halves = examples.targets[seat][:first].astype(np.float64)
    wanted = halves.mean(axis=1)
    return Losses(
        huber(network(examples.inputs[seat][:first]) - wanted),
        huber(wanted),
        huber((halves[:, 0] - halves[:, 1]) / 2),
    )


def huber(errors: NDArray[np.float64]) -> float:
    """Return the mean of Huber's loss: half the square of errors up to 1, beyond that linear."""
    size = np.abs(errors)
    return float(np.where(size <= 1, size**2 / 2, size - 0.5).mean())


def kept_apart(examples: LeafExamples, settings: LeafTraining) -> int:
    """Return how many examples, from the first on, are kept apart: whole draws of flops."""
    flops = examples.count // PER_FLOP
    if flops < LEAST_FLOPS:
        raise InputError(f"networks of leaf values need examples on {LEAST_FLOPS} flops or more, not on {flops}")
    return PER_FLOP * max(round(settings.kept_apart * flops), 1)


class _Rows:
    """Numbers of examples in a random order, each once before any comes again."""

    def __init__(self, count: int, random: np.random.Generator) -> None:
        self._count, self._random = count, random
        self._left = np.zeros(0, dtype=np.int64)

    def draw(self, count: int) -> NDArray[np.int64]:
        """Return the next numbers."""
        while len(self._left) < count:
            self._left = np.concatenate([self._left, self._random.permutation(self._count)])
        found, self._left = self._left[:count], self._left[count:]
        return found


def _said(seat: int, losses: Losses) -> str:
    return (
        f"seat {seat} picks: Huber loss {losses.network:.4f} pots on examples kept apart, of which about "
        f"{losses.noise:.4f} is noise of roll-outs; values of 0 have {losses.zero:.4f} (published: 0.03 and 0.02)"
    )


def _stopped(cancel: CancelToken | None) -> bool:
    return cancel is not None and cancel.cancelled
