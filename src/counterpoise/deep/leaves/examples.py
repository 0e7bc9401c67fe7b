"""Examples of leaf values: flops, pairs of hands and ends of the flop's betting, valued by roll-outs.

1. A flop is drawn, all equally likely, and on it `PER_FLOP` pairs of hands, all equally likely.
2. For each pair an end of the betting is drawn by a walk through the first two rounds of the blueprint's tree that
   takes all actions but folds and those after which nobody can bet on the flop or the turn with equal chances: short
   lines are met more often than the many long ones, and no end is left out.
3. `PairRollouts` values it: what the picking seat wins by each of its continuations, as a share of the pot.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import BettingState
from counterpoise.deep.leaves.features import FEATURES, PICKS, FlopCards, betting_features
from counterpoise.errors import InputError
from counterpoise.jobs import Driver, IteratedResult, JobHistory, Limits, Output, UnmeasuredJob
from counterpoise.parameters import require_whole
from counterpoise.progress import CancelToken, Progress, SilentProgress
from counterpoise.sampling.betting_tree import BettingTree
from counterpoise.sampling.leaf_values.rollouts import PairRollouts, one_seat_picks
from counterpoise.sampling.lookup import bucket_lookup
from counterpoise.sampling.tables import NodeStrategy
from counterpoise.search.sampled import biases
from counterpoise.seats import CHANCE

if TYPE_CHECKING:
    from counterpoise.deep.leaves.checkpoint import ExamplesFile

FloatRows = NDArray[np.float32]
PER_FLOP = 64
"""Examples on one flop: its hands are described once."""
EVERY = 120.0
"""Seconds between two times that examples are written."""


@dataclass(frozen=True, eq=False)
class LeafExamples:
    """Examples of both picking seats, row by row of the same pair of hands at the same end."""

    inputs: tuple[FloatRows, FloatRows]
    """[example, 34] for seat 0 and for seat 1, each seen as the one that picks."""
    targets: tuple[FloatRows, FloatRows]
    """[example, half, 4]: what the picking seat wins in pots by each continuation, as means of halves of roll-outs."""

    @property
    def count(self) -> int:
        """The number of examples for each seat."""
        return len(self.inputs[0])


def make_examples(
    tree: BettingTree,
    strategy: NodeStrategy,
    count: int,
    rollouts: int,
    *,
    factor: float = 10.0,
    seed: int = 0,
    file: ExamplesFile | None = None,
    progress: Progress | None = None,
    cancel: CancelToken | None = None,
) -> LeafExamples:
    """Return examples for a blueprint, a multiple of `PER_FLOP` of at least `count`; the same for the same seed.

    `rollouts` is the number of roll-outs of each, `factor` that of the bias approach. The `file` keeps those so far,
    and is continued. If it is cancelled the examples of the flops so far are returned.
    """
    require_whole("count", count)
    flops = -(-count // PER_FLOP)
    cards = bucket_lookup(tree, strategy.abstractions)
    player = PairRollouts(tree, strategy, cards, biases(factor), one_seat_picks(PICKS), seed=seed)
    job = ExamplesJob(tree, player, flops, rollouts, seed, file)
    output = None if file is None else Output(file.path, EVERY)
    limits, display = Limits(iterations=flops), progress or SilentProgress()
    return Driver(job, limits, display, cancel=cancel, output=output, catch_interrupts=False).run().examples


@dataclass(frozen=True, kw_only=True)
class MadeExamples(IteratedResult):
    """Examples, and what they took; iterations are flops."""

    examples: LeafExamples


class ExamplesJob(UnmeasuredJob[MadeExamples]):
    """Examples flop by flop; each depends on the seed and on its number alone."""

    batch_seconds = None
    show_seconds = 0.5

    def __init__(
        self,
        tree: BettingTree,
        player: PairRollouts,
        flops: int,
        rollouts: int,
        seed: int,
        file: ExamplesFile | None = None,
    ) -> None:
        self.tree, self.player, self.flops = tree, player, flops
        self.rollouts, self.seed, self.file = rollouts, seed, file
        self._chances, self._described = _end_chances(tree, player.ends), _Described(tree, player.ends)
        self._inputs = [np.empty((flops, PER_FLOP, FEATURES), dtype=np.float32) for _ in range(2)]
        self._targets = [np.empty((flops, PER_FLOP, 2, PICKS), dtype=np.float32) for _ in range(2)]
        self._done = 0
        if file is not None and (earlier := file.read()) is not None:
            self.restore(earlier)

    @property
    def iteration(self) -> int:
        """Flops so far."""
        return self._done

    def step(self, iterations: int) -> None:
        """Make the examples of the next flop."""
        tree, number, described = self.tree, self._done, self._described
        random = np.random.default_rng([self.seed, number])
        flop, hands = _deal(tree, random)
        ends = random.choice(len(self._chances), PER_FLOP, p=self._chances)
        known = FlopCards(tree.game.deck, flop, tree.board_cards[-1] - 3)
        shown = tree.game.deck.hands[hands]
        boards = np.tile(np.array(flop, dtype=np.uint8), (PER_FLOP, 1))
        won = self.player.run(ends, boards, shown, self.rollouts, number * PER_FLOP)
        shares, pairs = won / described.pots[ends, None, None], known.pairs(hands[:, 0], hands[:, 1])
        for seat, sign in enumerate((1, -1)):
            own, other = hands[:, seat], hands[:, 1 - seat]
            self._inputs[seat][number] = known.rows(own, other, described.betting[seat][ends], sign * pairs)
            self._targets[seat][number] = sign * shares[:, :, _own_picks(seat)]
        self._done += 1

    def state(self) -> LeafExamples:
        """Return the examples so far."""
        first, second = (part[: self._done].reshape(-1, FEATURES) for part in self._inputs)
        wins = [part[: self._done].reshape(-1, 2, PICKS) for part in self._targets]
        return LeafExamples((first, second), (wins[0], wins[1]))

    def restore(self, state: LeafExamples) -> None:
        """Continue after examples that were made in the same way."""
        self._done = done = min(state.count // PER_FLOP, self.flops)
        for seat in range(2):
            self._inputs[seat][:done] = state.inputs[seat][: done * PER_FLOP].reshape(done, PER_FLOP, FEATURES)
            self._targets[seat][:done] = state.targets[seat][: done * PER_FLOP].reshape(done, PER_FLOP, 2, PICKS)

    def figure(self, latest: None) -> str:
        """Return how many examples there are."""
        return f"{self._done * PER_FLOP:,} of {self.flops * PER_FLOP:,} examples"

    def save(self, result: MadeExamples, path: str | os.PathLike[str]) -> None:
        """Write the examples so far."""
        assert self.file is not None
        self.file.write(result.examples)

    def result(self, measured: None, history: JobHistory) -> MadeExamples:
        """Return the examples so far."""
        return MadeExamples(examples=self.state(), iterations=self._done, **history.outcome)


def _own_picks(seat: int) -> list[int]:
    """Return where the pairs of continuations are in which a seat picks, in the order of its continuations."""
    found = one_seat_picks(PICKS)
    return [found.index((k, 0) if seat == 0 else (0, k)) for k in range(PICKS)]


def _deal(tree: BettingTree, random: np.random.Generator) -> tuple[tuple[int, ...], NDArray[np.int64]]:
    """Return a flop and pairs of hands on it, [pair, seat], that share no card."""
    deck = tree.game.deck
    flop = tuple(sorted(random.choice(deck.cards, 3, replace=False).tolist()))
    left = np.array([card for card in deck.cards.tolist() if card not in flop])
    four = np.argsort(random.random((PER_FLOP, len(left))), axis=1)[:, :4]
    cards = left[four].reshape(PER_FLOP, 2, 2)
    return flop, deck.hand_table[cards[..., 0], cards[..., 1]].astype(np.int64)


def _end_chances(tree: BettingTree, ends: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return how likely the walk of the module docstring leads to each end."""
    wanted = np.zeros(tree.nodes, dtype=np.bool_)
    wanted[ends] = True
    parent = tree.parent.astype(np.int64)
    rounds = tree.arrays.round
    leads = wanted.copy()  # whether an end is below a node
    for node in range(tree.nodes - 1, 0, -1):  # children come after their parents
        leads[parent[node]] |= leads[node]
    if not len(ends):
        raise InputError(f"{tree.game.name} has no end of the flop's betting after which there is more to bet")
    chance = np.zeros(tree.nodes)
    chance[0] = 1.0
    for node in np.flatnonzero(leads & (rounds < 2)).tolist():
        below = [child for child in tree.children(node) if leads[child]]
        chance[below] = chance[node] / len(below)
    return np.asarray(chance[ends] / chance[ends].sum())


class _Described:
    """The betting at the ends: pots in chips and the features for both seats."""

    def __init__(self, tree: BettingTree, ends: NDArray[np.int64]) -> None:
        betting = tree.game.betting
        states = [state_after(tree, int(node)) for node in ends]
        self.pots = np.array([float(betting.total_pot(state)) for state in states])
        self.betting = [np.stack([betting_features(betting, state, seat) for state in states]) for seat in range(2)]


def state_after(tree: BettingTree, node: int) -> BettingState:
    """Return the betting at the end of the round that leads to a node, before the next cards."""
    betting = tree.game.betting
    state = betting.initial()
    for action in tree.line(node):
        while state.to_act == CHANCE:
            state = betting.deal(state)
        state = betting.apply(state, action.bet)
    return state
