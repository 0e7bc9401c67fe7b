"""Solve the rest of a hand of hold'em by sampling, for two to ten seats (Brown 2020, section 6.6).

Linear Monte Carlo CFR with external sampling on a subtree that begins with the present betting round or later, stops at
the end of that round or at the end of the hand, and at its leaves lets every remaining seat pick a continuation of the
blueprint. With two seats and no leaves this converges to an equilibrium of the subgame with the given ranges (unsafe
search); with more seats nothing is proven.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.boards import BOARD_CARDS
from counterpoise.abstraction.table import CardAbstraction
from counterpoise.betting.rules import BetAction, BettingState
from counterpoise.betting.sizes import read_label
from counterpoise.cards import Deck
from counterpoise.errors import InputError
from counterpoise.games.base import Action
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import Behaviour, public_cards
from counterpoise.jobs import Clock, Driver, JobHistory, JobResult, Limits, LinearBlocks, UnmeasuredJob
from counterpoise.parameters import require, require_choice, require_number, require_whole
from counterpoise.progress import SilentProgress
from counterpoise.sampling.betting_tree import BettingTree
from counterpoise.sampling.lookup import board_lookup, bucket_lookup
from counterpoise.sampling.subtree import (
    MOST_NODES,
    Continuations,
    Subtree,
    SubtreeSampling,
    build_subtree,
    range_cards,
    subtree_layout,
)
from counterpoise.sampling.tables import NodeStrategy
from counterpoise.search.blueprint_nodes import blueprint_node_after, leaf_blueprint_nodes
from counterpoise.search.sampled_solution import SampledSolution
from counterpoise.seats import CHANCE

FloatArray = NDArray[np.float64]
Depth = Literal["round", "game"]
BLOCKS = 100
"""Steps of linear discount in a solve."""
PILOT = 50
"""Hands by which the work of a hand is measured."""
LEAST_NODES = 40
"""The least number of betting nodes that a hand counts as: to deal one from ranges that hardly fit together takes
about as long."""
TRIALS = 20_000
LEAST_DEALT = 0.001
"""The least share of deals from the ranges without a common card: walks redraw until there is none, at most 100,000
times."""


def biases(factor: float) -> FloatArray:
    """Return the four continuations of the bias approach: the blueprint, and with folds, calls or raises more.

    See Brown 2020, section 5.2.

    >>> biases(10.0).tolist()
    [[1.0, 1.0, 1.0], [10.0, 1.0, 1.0], [1.0, 10.0, 1.0], [1.0, 1.0, 10.0]]
    """
    return np.vstack([np.ones(3), np.where(np.eye(3) > 0, factor, 1.0)])


@dataclass(frozen=True, kw_only=True, eq=False)
class SampledProblem:
    """The rest of a hand that is to be solved."""

    game: Holdem
    """The rules of the table; its menu is that of the subtree unless `menu` is given."""
    public: tuple[str, ...]
    """The real public history up to the root, where a seat is to act."""
    ranges: FloatArray
    """The probability of each hand of the deck for each seat, [seat, hand]; rows of folded seats are ignored."""
    blueprint: BettingTree | None = None
    """The betting tree of the blueprint, for leaves."""
    strategy: NodeStrategy | None = None
    """The blueprint's table, for leaves."""
    abstraction: CardAbstraction | None = None
    """The buckets of rounds after the root's, inside the subtree; by default the blueprint's."""
    menu: Callable[[BettingState], Sequence[BetAction]] | None = None
    """The actions of a decision instead of the game's menu."""
    played: tuple[Action, ...] = ()
    """What was really done from the root on: these actions are in the tree even if the menu lacks them."""
    extra: Mapping[BettingState, Sequence[BetAction]] = field(default_factory=dict)
    """More actions at some states."""
    frozen: Mapping[tuple[str, ...], Behaviour] = field(default_factory=dict)
    """By public history the strategy of a seat at its decisions so far, which is not learned again."""
    frozen_hand: int | None = None
    """Freeze the strategy of this hand only; None: of all hands."""
    depth: Depth = "round"
    """Stop at the end of the root's betting round, or extend the tree to the end of the hand."""
    most_raises: int | None = None
    """With three live seats or more also stop after this many bets and raises from the root on (2 outside the text)."""
    most_nodes: int = MOST_NODES
    """The most betting nodes; a larger tree is refused."""
    most_entries: int = 100_000_000
    """Decisions x hands or buckets x actions at most, eight bytes each."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SampledSettings:
    """How a problem is solved."""

    iterations: int = 20_000
    """Dealt hands, each walked for every seat; the most of them if `nodes` is given."""
    nodes: int | None = None
    """About how many betting nodes are touched; the number of hands follows from what the first ones take.

    In the smallest trees there are fewer, as dealing takes most of the time there."""
    factors: FloatArray = field(default_factory=lambda: biases(10.0))
    """The continuations at leaves: factors on the blueprint's folds, calls and raises, [continuation, 3]."""
    picks: tuple[int, ...] | int | None = None
    """The number of continuations that each seat, or every seat, chooses from; 1: the first alone; None: all."""
    rollouts: int = 3
    """How often the rest is played in a visit of a leaf."""
    penalty: float = 0.0
    """The share of the pot that any continuation but the first costs the seat that picks it (Brown et al. 2018, section
    4)."""
    linear: bool = True
    """Multiply regrets and averages by n/(n+1) after the n-th of 100 blocks (Linear MCCFR)."""
    batch: int | None = None
    """Hands that are walked before the tables change; by default 1 in small trees."""
    seed: int = 0
    threads: int = 1
    seconds: float | None = None
    """Stop after this many seconds, between blocks: a safety net, since results then depend on the machine."""

    def __post_init__(self) -> None:
        require_whole("iterations", self.iterations, 1)
        require_whole("rollouts", self.rollouts, 1)
        require_whole("seed", self.seed, 0)
        require_whole("threads", self.threads, 1)
        require_number("penalty", self.penalty, 0)
        shape = np.shape(self.factors)
        require(
            len(shape) == 2 and shape[1] == 3 and shape[0] > 0 and bool((np.asarray(self.factors) >= 0).all()),
            f"factors must be three numbers of at least 0 for each continuation, not of shape {shape}",
        )

    def picks_of(self, players: int) -> tuple[int, ...]:
        """Return the number of continuations each seat chooses from."""
        most = len(self.factors)
        given = most if self.picks is None else self.picks
        counts = (given,) * players if isinstance(given, int) else tuple(given)
        require(
            len(counts) == players and all(1 <= count <= most for count in counts),
            f"picks must be a number from 1 to {most} for each of {players} seats, not {self.picks!r}",
        )
        return counts


def search_sampled(problem: SampledProblem, settings: SampledSettings | None = None) -> SampledSolution:
    """Solve the rest of a hand and return the strategies of all seats in it."""
    settings, clock = settings or SampledSettings(), Clock()
    clock.start()
    game, board = problem.game, tuple(public_cards(problem.public))
    tree = _tree(problem, settings)
    ranges = _live_ranges(problem, tree, board)
    abstractions = _abstractions(problem, tree)
    layout = subtree_layout(tree, _bucket_counts(tree, abstractions))
    require(
        layout.size <= problem.most_entries,
        f"the subtree has tables of {layout.size:,} entries, and {problem.most_entries:,} are allowed: cut its menu",
    )
    cards = _lookup(problem.blueprint or tree, abstractions, board)
    frozen = _frozen(problem, tree)
    sampling = SubtreeSampling(
        tree,
        layout,
        range_cards(cards, tree, ranges, board),
        _continuations(problem, settings, tree).arrays(tree),
        frozen,
        batch=settings.batch,
        seed=settings.seed,
        threads=settings.threads,
    )
    wanted = _iterate(sampling, settings)
    return SampledSolution(
        game=game,
        public=problem.public,
        tree=tree,
        layout=layout,
        abstractions=abstractions,
        root_ranges=ranges,
        averages=sampling.averages(),
        regrets=sampling.regrets(),
        frozen=frozen,
        iterations=sampling.iteration,
        nodes_touched=sampling.nodes_touched,
        seconds=clock.seconds,
        cut_short=sampling.iteration < wanted,
    )


def _iterate(sampling: SubtreeSampling, settings: SampledSettings) -> int:
    """Walk in blocks and return the number of hands that were asked for."""
    wanted = settings.iterations
    pilot = PILOT if settings.nodes is not None else 1
    sampling.run(-(-min(pilot, wanted) // sampling.batch) * sampling.batch)  # what comes before may be compiling
    if settings.nodes is not None:
        each = max(sampling.nodes_touched / sampling.iteration, LEAST_NODES)
        wanted = int(min(max(settings.nodes / each, sampling.iteration), wanted))
    blocks = LinearBlocks(-(-wanted // (BLOCKS * sampling.batch)) * sampling.batch, start=sampling.iteration)
    limits = Limits(wanted, seconds=None if settings.seconds is None else max(settings.seconds, 1e-9))
    job = SamplingJob(sampling, blocks, settings.linear)
    Driver(job, limits, SilentProgress(), catch_interrupts=False).run()
    return wanted


class SamplingJob(UnmeasuredJob[JobResult]):
    """The walks of a search, a block at a time; before each but the first, earlier ones are discounted."""

    batch_seconds = None

    def __init__(self, sampling: SubtreeSampling, blocks: LinearBlocks, linear: bool) -> None:
        self.sampling, self.blocks, self.linear, self.grain = sampling, blocks, linear, blocks.size

    @property
    def iteration(self) -> int:
        """Hands so far."""
        return self.sampling.iteration

    def step(self, iterations: int) -> None:
        """Walk a block, or what is left, in whole batches."""
        sampling = self.sampling
        if self.linear and (factor := self.blocks.factor_at(sampling.iteration)) < 1.0:
            sampling.discount(factor)
        sampling.run(-(-iterations // sampling.batch) * sampling.batch)

    def state(self) -> Any:
        """Return the tables and counters of the walks."""
        return self.sampling.arrays()

    def restore(self, state: Any) -> None:
        """Continue from what `state` returned."""
        self.sampling.restore(state)

    def result(self, measured: None, history: JobHistory) -> JobResult:
        """Return what the walks took."""
        return JobResult(**history.spent)


def _tree(problem: SampledProblem, settings: SampledSettings) -> Subtree:
    game, root = problem.game, problem.game.betting_after(problem.public)
    require_choice("depth", problem.depth, get_args(Depth))
    require(root.to_act >= 0, f"nobody is to act after {':'.join(problem.public) or 'the deal'}")
    extra: dict[BettingState, list[BetAction]] = {state: list(more) for state, more in problem.extra.items()}
    state, line = root, {root}
    for event in problem.played:
        extra.setdefault(state, []).append(read_label(event))
        state = game.betting_next(state, event)
        line.add(state)
    for public, behaviour in problem.frozen.items():
        known = extra.setdefault(game.betting_after(public), [])
        known += [read_label(action) for action in behaviour.actions]
    most = problem.most_raises if len(root.live) > 2 else None

    def stop(after: BettingState) -> bool:
        if after.to_act == CHANCE:
            return True
        return most is not None and after.bets - root.bets >= most and after not in line

    last = root.round == len(game.board) - 1
    stopping = None if problem.depth == "game" or last else stop
    return build_subtree(
        game,
        root,
        menu=problem.menu,
        extra=extra,
        stop=stopping,
        picks=settings.picks_of(game.players),
        most_nodes=problem.most_nodes,
    )


def _live_ranges(problem: SampledProblem, tree: Subtree, board: tuple[int, ...]) -> FloatArray:
    """Return the ranges without hands that the board rules out; refuse those that cannot be dealt."""
    game, ranges = problem.game, np.asarray(problem.ranges, dtype=np.float64)
    shape = (game.players, game.deck.hand_count)
    require(ranges.shape == shape, f"ranges must have the shape {shape}, [seat, hand], not {ranges.shape}")
    require(bool(np.isfinite(ranges).all() and (ranges >= 0).all()), "ranges must be numbers of at least 0")
    ranges = np.where(game.deck.live_hands(list(board)), ranges, 0.0)
    for seat in tree.root.live:
        require(bool(ranges[seat].any()), f"the range of seat {seat} is empty on this board")
    if _share_dealt(ranges[list(tree.root.live)], game.deck) < LEAST_DEALT:
        raise InputError("the ranges cannot be dealt together: their hands share cards")
    return ranges


def _share_dealt(ranges: FloatArray, deck: Deck) -> float:
    """Return the share of deals from ranges, [seat, hand], without a common card, estimated from a fixed sample."""
    cards = (np.uint64(1) << deck.hands.astype(np.uint64)).sum(axis=1, dtype=np.uint64)
    taken, fits = np.zeros(TRIALS, dtype=np.uint64), np.ones(TRIALS, dtype=np.bool_)
    draws = np.random.default_rng(0).random((len(ranges), TRIALS))
    for own, draw in zip(ranges, draws, strict=True):
        edges = np.cumsum(own)
        hands = cards[np.searchsorted(edges[:-1], draw * edges[-1], side="right")]
        fits &= (taken & hands) == 0
        taken |= hands
    return float(fits.mean())


def _abstractions(problem: SampledProblem, tree: Subtree) -> tuple[CardAbstraction, ...]:
    """Return the buckets of later rounds: the blueprint's where the tree has leaves, else those of the problem."""
    if tree.leaves:
        require(
            problem.blueprint is not None and problem.strategy is not None,
            "a tree that stops before the end of the hand needs a blueprint, with tree and strategy, to go on",
        )
    elif problem.abstraction is not None:
        return (problem.abstraction,)
    if problem.strategy is None:
        require(
            tree.root.round == len(problem.game.board) - 1,
            "rounds after the first of the subtree need an abstraction, or a blueprint that has one",
        )
        return ()
    return problem.strategy.abstractions


def _bucket_counts(tree: Subtree, abstractions: Sequence[CardAbstraction]) -> Any:
    if not abstractions:
        return [1] * tree.rounds
    counts = [[one.buckets[BOARD_CARDS.index(cards)] for cards in tree.board_cards] for one in abstractions]
    return counts if len(counts) > 1 else counts[0]


def _lookup(tree: BettingTree, abstractions: tuple[CardAbstraction, ...], board: tuple[int, ...]) -> Any:
    if board or not abstractions:
        return board_lookup(tree, abstractions, board)
    return _whole_lookup(tree, abstractions)


_whole_lookup = lru_cache(maxsize=2)(bucket_lookup)


def prepare_lookup(tree: BettingTree, abstractions: tuple[CardAbstraction, ...]) -> None:
    """Look up the buckets of all boards, which searches before the flop need; with 52 cards this takes some seconds."""
    _whole_lookup(tree, abstractions)


def _continuations(problem: SampledProblem, settings: SampledSettings, tree: Subtree) -> Continuations:
    factors = np.ascontiguousarray(settings.factors, dtype=np.float64)
    blueprint, strategy = problem.blueprint, problem.strategy
    if not tree.leaves or blueprint is None or strategy is None:
        kind = np.float32 if strategy is None else strategy.table.dtype  # so that nothing is compiled for it
        nothing = NodeStrategy(subtree_layout(tree, [1] * tree.rounds), np.zeros(0, dtype=kind), ())
        return Continuations(tree, nothing, [], factors, settings.rollouts)
    nodes = leaf_blueprint_nodes(blueprint, blueprint_node_after(blueprint, problem.game, problem.public), tree)
    return Continuations(blueprint, strategy, nodes, factors, settings.rollouts, settings.penalty)


def _frozen(problem: SampledProblem, tree: Subtree) -> dict[int, FloatArray]:
    """Return the strategies of frozen decisions, [hand, action of the tree], by node."""
    found = {}
    for public, behaviour in problem.frozen.items():
        require(
            public[: len(problem.public)] == problem.public,
            f"the frozen decision after {':'.join(public)} is not in the subtree",
        )
        node = tree.node_after(public[len(problem.public) :])
        labels = tree.labels(node)
        table = np.zeros((len(behaviour.table), len(labels)))
        for place, action in enumerate(behaviour.actions):
            table[:, labels.index(action)] = behaviour.table[:, place]
        if problem.frozen_hand is not None:
            table[np.arange(len(table)) != problem.frozen_hand] = 0.0
        found[node] = table
    return found
