"""Matches between tables of probabilities, dealt by a compiled kernel over the enumerated game.

It plays the hands of `TableDealer`, from the same random numbers. Deals of hold'em are equally likely: there a table
counts outcomes and the kernel adds up their probabilities, so that a number within rounding of the border between two
outcomes, one in about 10^13, may fall to either side.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from counterpoise.agents.base import Agent
from counterpoise.agents.strategy import StrategyAgent
from counterpoise.games.base import CHANCE, TERMINAL, game_name
from counterpoise.kernels.compiling import needs_compiling
from counterpoise.play.blocks import Block, Setup
from counterpoise.play.chance import seed_start
from counterpoise.play.kernels.deal import DealTree, Score, play_deals
from counterpoise.play.rules import FAULTS
from counterpoise.progress import Progress
from counterpoise.tree import Tree, enumerate_game

FEWEST_HANDS = 5_000
"""Hands below which enumerating the game is not worth while."""


def compiled_dealer(setup: Setup, hands: int, progress: Progress) -> CompiledDealer | None:
    """Return a dealer that plays by a kernel, None if tables must be asked or the match is short.

    Some agent must follow a saved strategy for this game, which was enumerated to find it, and all must be tables.
    """
    name = game_name(setup.game)
    saved = any(isinstance(agent, StrategyAgent) and agent.strategy.game == name for agent in setup.agents)
    known = all(type(agent).tabulate is not Agent.tabulate for agent in setup.agents)
    if setup.log is not None or setup.rules.timed or not saved or not known or hands * setup.rooms < FEWEST_HANDS:
        return None
    progress.begin(f"enumerating {name}")
    tree = enumerate_game(setup.game, progress=progress)
    tables = [agent.tabulate(tree) for agent in setup.agents]
    if any(table is None for table in tables):
        return None
    if needs_compiling([play_deals]):
        progress.note("compiling the kernel of matches, once: some seconds")
    return CompiledDealer(setup, tree, np.array(tables))


class CompiledDealer:
    """Plays blocks by a kernel."""

    def __init__(self, setup: Setup, tree: Tree, strategies: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> None:
        self._setup, self._strategies = setup, np.ascontiguousarray(strategies)
        self._tree = _deal_tree(tree)
        self._seatings = np.array(setup.seatings, dtype=np.uint32)
        self._seed = np.uint64(seed_start(setup.seed))

    def play(self, first: int, deals: int, out_of_time: Sequence[bool]) -> Block:
        """Play the deals from `first` on in all rooms."""
        players = len(self._setup.agents)
        score = Score(np.zeros(players), np.zeros(players), np.zeros(2 * players, dtype=np.int64), np.zeros(players))
        play_deals(self._tree, self._strategies, self._seatings, self._setup.duplicate, self._seed, first, deals, score)
        return Block(
            first,
            deals,
            score.total.tolist(),
            score.squares.tolist(),
            [0.0] * players,
            score.decisions[:players].tolist(),
            [[0] * len(FAULTS) for _ in range(players)],
            [""] * players,
        )


def _deal_tree(tree: Tree) -> DealTree:
    """Return the histories of a game in the layout of the kernel."""
    histories, start = tree.histories, tree.form.start.astype(np.uint32)
    decisions = (histories.player != CHANCE) & (histories.player != TERMINAL)
    block = histories.infoset.astype(np.int64)
    block[decisions] = start[block[decisions]]
    cumulative = np.zeros(len(histories.parent))
    for node in np.flatnonzero(histories.player == CHANCE):
        first = histories.first_child[node]
        children = slice(first, first + histories.children[node])
        cumulative[children] = np.cumsum(histories.probability[children])
    return DealTree(
        histories.player,
        histories.first_child.astype(np.uint32),
        histories.children.astype(np.uint32),
        block.astype(np.uint32),
        cumulative,
        np.ascontiguousarray(histories.payoffs),
    )
