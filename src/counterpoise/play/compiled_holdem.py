"""Matches of whole hold'em between tables by betting node and bucket, dealt by compiled kernels.

It plays the hands of `TableDealer`, from the same random numbers: cards, actions and payoffs are the same hand by hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.table import CardAbstraction
from counterpoise.cards import strength_tables
from counterpoise.cards.kernels.evaluator import evaluate
from counterpoise.errors import InputError
from counterpoise.games.holdem import HOLE_CARDS, Holdem
from counterpoise.jobs import announce_compiling
from counterpoise.play.blocks import MatchBlock, MatchSetup
from counterpoise.play.chance import seed_start
from counterpoise.play.kernels.holdem import AgentTable, Dealt, HandScore, Pack, Rooms, deal_cards, play_hands
from counterpoise.play.rules import FAULTS
from counterpoise.progress import Progress
from counterpoise.sampling import BettingTree, NodeStrategy, build_betting_tree

COMPILE_SECONDS = 5.0
FEW_NODES = 200_000
"""The most nodes of a betting tree that is built for agents that have none of their own."""
DEALS_AT_ONCE = 5_000
"""The number of deals whose cards, buckets and strengths are held at a time."""


def holdem_dealer(setup: MatchSetup, progress: Progress) -> HoldemDealer | None:
    """Return a dealer that plays by kernels; None if some agent is not a table over the game's betting tree."""
    game = setup.game
    if not isinstance(game, Holdem):
        return None
    own = [tree for agent in setup.agents if (tree := agent.betting_tree()) is not None and tree.game == game]
    progress.begin(f"betting tree of {game.name}")
    try:
        tree = own[0] if own else build_betting_tree(game, FEW_NODES, progress)
    except InputError:  # it is too large
        return None
    strategies = [agent.betting_table(tree) for agent in setup.agents]
    found = [one for one in strategies if one is not None]
    if len(found) < len(strategies):
        return None
    announce_compiling([play_hands], COMPILE_SECONDS, progress)
    return HoldemDealer(setup, tree, found)


class HoldemDealer:
    """Plays blocks by kernels."""

    def __init__(self, setup: MatchSetup, tree: BettingTree, strategies: Sequence[NodeStrategy]) -> None:
        self._setup, self._tree, self._game = setup, tree, tree.game
        self._seed = np.uint64(seed_start(setup.seed))
        self._tables = tuple([_table(strategy) for strategy in strategies])
        self._abstractions: list[CardAbstraction] = []
        cards_of = np.full((len(strategies), tree.players), -1, dtype=np.int64)
        for agent, strategy in enumerate(strategies):
            for seat in range(tree.players if strategy.abstractions else 0):
                cards_of[agent, seat] = self._number(
                    strategy.abstractions[seat if len(strategy.abstractions) > 1 else 0]
                )
        seatings = np.array(setup.seatings, dtype=np.uint32)
        self._rooms = Rooms(tree.arrays, tree.ends, seatings, setup.duplicate, cards_of)
        deck = self._game.deck
        counts = [HOLE_CARDS] * tree.players + [count for count in self._game.board if count]
        choose = [[comb(n, k) for k in range(6)] for n in range(deck.size + 1)]
        self._pack = Pack(deck.cards[::-1].copy(), np.array(counts, dtype=np.int64), np.array(choose, dtype=np.int64))

    def play(self, first: int, deals: int, out_of_time: Sequence[bool]) -> MatchBlock:
        """Play the deals from `first` on in all rooms."""
        players = self._tree.players
        sums = [np.zeros(players) for _ in range(4)]
        score = HandScore(
            sums[0], sums[1], np.zeros(players, dtype=np.int64), sums[2], sums[3], np.zeros(players, dtype=np.int64)
        )
        for begin in range(first, first + deals, DEALS_AT_ONCE):
            dealt = self._deal(begin, min(DEALS_AT_ONCE, first + deals - begin))
            play_hands(self._rooms, self._tables, dealt, self._seed, score)
        return MatchBlock(
            first,
            deals,
            score.total.tolist(),
            score.squares.tolist(),
            [0.0] * players,
            score.decisions.tolist(),
            [[0] * len(FAULTS) for _ in range(players)],
            [""] * players,
        )

    def _deal(self, first: int, deals: int) -> Dealt:
        """Return deals with the buckets and the strength of every seat's hand."""
        tree, deck, seats = self._tree, self._game.deck, self._tree.players
        cards = np.empty((deals, int(self._pack.counts.sum())), dtype=np.uint8)
        deal_cards(self._pack, self._seed, first, cards)
        held = cards[:, : HOLE_CARDS * seats].reshape(deals * seats, HOLE_CARDS)
        board = np.repeat(cards[:, HOLE_CARDS * seats :], seats, axis=0)
        strengths = np.empty(len(held), dtype=np.uint16)
        evaluate(np.concatenate([held, board], axis=1), strength_tables(deck.ranking), strengths)
        hands = deck.hand_table[held[:, 0], held[:, 1]].astype(np.int64)
        buckets = np.empty((len(self._abstractions), deals, seats, tree.rounds), dtype=np.int32)
        for number, abstraction in enumerate(self._abstractions):
            for round_, count in enumerate(tree.board_cards):
                found = abstraction.hand_buckets(hands, np.ascontiguousarray(board[:, :count]))
                buckets[number, :, :, round_] = found.reshape(deals, seats)
        return Dealt(first, buckets, strengths.reshape(deals, seats))

    def _number(self, abstraction: CardAbstraction) -> int:
        """Return the number of an abstraction among those that differ."""
        for number, known in enumerate(self._abstractions):
            if known is abstraction or known.digest == abstraction.digest:
                return number
        self._abstractions.append(abstraction)
        return len(self._abstractions) - 1


def _table(strategy: NodeStrategy) -> AgentTable:
    """Return a strategy in the layout of the kernel."""
    start, table = strategy.layout.start, strategy.table
    nothing: NDArray[np.uint8] = np.zeros(0, dtype=np.uint8)
    if table.dtype == np.uint8:
        return AgentTable(start, np.ascontiguousarray(table), nothing.astype(np.float32))
    return AgentTable(start, nothing, np.ascontiguousarray(table, dtype=np.float32))
