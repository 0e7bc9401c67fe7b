"""Matches between tables of probabilities, dealt by a compiled kernel over the enumerated game.

It plays the hands of `TableDealer`, from the same random numbers. Deals of hold'em are equally likely: there a table
counts outcomes and the kernel adds up their probabilities, so that a number within rounding of the border between two
outcomes, one in about 10^13, may fall to either side.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from counterpoise.agents.base import Agent
from counterpoise.agents.strategy import StrategyAgent
from counterpoise.games.base import CHANCE, TERMINAL, game_name, is_observed
from counterpoise.jobs import announce_compiling
from counterpoise.play.blocks import Dealer, MatchBlock, MatchSetup
from counterpoise.play.chance import seed_start
from counterpoise.play.compiled_holdem import holdem_dealer
from counterpoise.play.kernels.deal import DealTree, Score, play_deals
from counterpoise.play.rules import FAULTS
from counterpoise.progress import Progress
from counterpoise.tree import Tree, enumerate_game

COMPILE_SECONDS = 5.0
MOST_ADJUSTED = 200_000
"""The most histories of a game for which AIVAT is computed by default; its table of all ends takes some seconds
then."""
FEWEST_HANDS = 5_000
"""The least number of hands for which preparing tables and kernels pays off."""


def compiled_dealer(setup: MatchSetup, hands: int, progress: Progress, aivat: bool = True) -> Dealer | None:
    """Return a dealer that plays by a kernel, None if agents must be asked or the match is short.

    All agents must be tables, of hold'em by betting node and bucket (`holdem_dealer`), or of an enumerated game, for
    which some agent must follow a saved strategy: the game was enumerated to find it.
    """
    if setup.log is not None or setup.rules.timed or hands * setup.rooms < FEWEST_HANDS:
        return None
    if any(_follows(agent) for agent in setup.agents):
        return None
    if all(type(agent).betting_table is not Agent.betting_table for agent in setup.agents):
        return None if setup.aivat is not None else holdem_dealer(setup, progress)
    name = game_name(setup.game)
    saved = any(isinstance(agent, StrategyAgent) and agent.table_game == name for agent in setup.agents)
    known = all(type(agent).tabulate is not Agent.tabulate for agent in setup.agents)
    if not saved or not known:
        return None
    progress.begin(f"enumerating {name}")
    tree = enumerate_game(setup.game, progress=progress)
    tables = [agent.tabulate(tree) for agent in setup.agents]
    if any(table is None for table in tables):
        return None
    announce_compiling([play_deals], COMPILE_SECONDS, progress)
    adjusted = None
    if aivat and (setup.aivat is not None or (tree.nodes <= MOST_ADJUSTED and is_observed(setup.game))):
        progress.begin("AIVAT of all ends")
        adjusted = _adjusted(setup, tree, np.array(tables))
    return CompiledDealer(setup, tree, np.array(tables), adjusted)


def _follows(agent: Agent) -> bool:
    """Return whether an agent watches hands, or changes from hand to hand."""
    kind = type(agent)
    told = any(getattr(kind, name) is not getattr(Agent, name) for name in ("new_hand", "watch", "hand_over"))
    return agent.learns or agent.switches or told


class CompiledDealer:
    """Plays blocks by a kernel."""

    def __init__(
        self,
        setup: MatchSetup,
        tree: Tree,
        strategies: NDArray[np.float64],
        adjusted: NDArray[np.float64] | None = None,
    ) -> None:
        self._setup, self._strategies = setup, np.ascontiguousarray(strategies)
        self._adjusted = adjusted
        self._tree = _deal_tree(tree)
        self._seatings = np.array(setup.seatings, dtype=np.uint32)
        self._seed = np.uint64(seed_start(setup.seed))

    def play(self, first: int, deals: int, out_of_time: Sequence[bool]) -> MatchBlock:
        """Play the deals from `first` on in all rooms."""
        players = len(self._setup.agents)
        adjusted = np.empty((0, 0, players)) if self._adjusted is None else self._adjusted
        sums = [np.zeros((2, players)) for _ in range(3)]
        score = Score(sums[0], sums[1], np.zeros(2 * players, dtype=np.int64), sums[2], adjusted)
        play_deals(self._tree, self._strategies, self._seatings, self._setup.duplicate, self._seed, first, deals, score)
        return MatchBlock(
            first,
            deals,
            score.total[0].tolist(),
            score.squares[0].tolist(),
            [0.0] * players,
            score.decisions[:players].tolist(),
            [[0] * len(FAULTS) for _ in range(players)],
            [""] * players,
            aivat=None if self._adjusted is None else [score.total[1].tolist(), score.squares[1].tolist()],
        )


def _adjusted(setup: MatchSetup, tree: Tree, strategies: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what each seat won without luck at every end, for every seating, [seating, end, seat]."""
    from counterpoise.evaluation.estimators.aivat import profile_tables

    first = tree.form.first_sequence.astype(np.int64)
    owner = np.repeat(np.arange(tree.players), np.diff(first))
    profiles = [strategies[np.array(seating)[owner], np.arange(len(owner))] for seating in setup.seatings]
    return profile_tables(tree, profiles, "own" if setup.aivat is None else setup.aivat)


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
