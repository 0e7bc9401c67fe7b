"""The sampled solution of the rest of a hand as a range strategy, for any number of seats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from counterpoise.abstraction.boards import BOARD_CARDS
from counterpoise.agents.searching import LOGGER
from counterpoise.betting.rules import CALL, FOLD, BetAction, BettingState
from counterpoise.betting.sizes import BetSizes, label, read_label
from counterpoise.blueprint.blueprint import Blueprint, normalised
from counterpoise.cards.deck import format_cards
from counterpoise.games.base import CHANCE, Action
from counterpoise.games.holdem import Holdem, NoLimitHoldem
from counterpoise.games.known import Behaviour, public_cards
from counterpoise.kernels.compiling import needs_compiling
from counterpoise.sampling import NodeStrategy
from counterpoise.sampling.subtree import SubtreeSampling
from counterpoise.search.action_translation import CHECK_OR_CALL, ChipBets
from counterpoise.search.blueprint_nodes import blueprint_node_after
from counterpoise.search.sampled import SampledProblem, SampledSettings, search_sampled
from counterpoise.search.sampled_solution import SampledSolution


@dataclass(frozen=True)
class SampledBetting:
    """The betting of a search at the table: the table's rules with a menu of its own."""

    game: Holdem
    sizes: BetSizes
    most_bets: int
    """The number of bets and raises in a round after which only a fold and a call are left; the big blind counts."""

    def menu(self, betting: BettingState) -> Sequence[BetAction]:
        """Return the actions that are listed at a decision; in limit hold'em those of the game."""
        if not isinstance(self.game, NoLimitHoldem):
            return self.game.menu(betting)
        blind = betting.round == 0
        if betting.bets - blind >= self.most_bets:
            return (FOLD, CALL) if betting.to_call else (CALL,)
        return self.sizes.actions(self.game.betting, betting)


@dataclass(frozen=True, eq=False)
class SampledStrategy:
    """The strategies of all seats in a sampled solution: averages, or for the searcher, if asked, its last iteration.

    Hands that no walk has met, and rounds behind the leaves, follow the blueprint at the most similar line.
    """

    solution: SampledSolution
    bets: SampledBetting
    blueprint: Blueprint
    seat: int
    last_iterate: bool

    @property
    def game(self) -> Holdem:
        """The game at the table, whose betting the search has."""
        return self.bets.game

    def behaviour(self, line: tuple[str, ...]) -> Behaviour:
        """Return what the seat to act does with every hand of the deck."""
        found = self.solution
        if not found.knows(line):
            return self._followed(line, self._menu(line))
        own = self.last_iterate and found.seat(line) == self.seat
        known = found.current(line) if own else found.average(line)
        unmet = self.solution.game.deck.live_hands(public_cards(line)) & ~found.visited(line)
        if unmet.any():
            known.table[unmet] = self._followed(line, known.actions).table[unmet]
        return known

    def _menu(self, line: tuple[str, ...]) -> tuple[Action, ...]:
        return tuple([label(action) for action in self.bets.menu(self.game.betting_after(line))])

    def _followed(self, line: tuple[str, ...], actions: tuple[Action, ...]) -> Behaviour:
        """Return what the blueprint does at the most similar line, in the given actions, each by the nearest."""
        game, blueprint = self.game, self.blueprint
        real, at = game.betting_after(line), blueprint_node_after(blueprint.tree, game, line)
        live = game.deck.live_hands(public_cards(line))
        table = np.zeros((game.deck.hand_count, len(actions)))
        board = public_cards(line)
        if at.state.to_act != real.to_act or at.state.round != real.round or len(board) not in BOARD_CARDS:
            table[live, actions.index(label(CALL))] = 1.0
            return Behaviour(game.deck.hand_names, actions, table)
        own = blueprint.abstraction_of(real.to_act)
        rows = blueprint.layout.block(blueprint.tree, at.node, blueprint.table)[np.maximum(own.row(board), 0)]
        shares = normalised(rows)
        bets, listed = ChipBets(blueprint.game.betting, at.state), [read_label(action) for action in actions]
        for column, action in enumerate(blueprint.tree.labels(at.node)):
            made = bets.table_action(ChipBets(game.betting, real, listed), read_label(action))
            table[:, listed.index(made)] += shares[:, column]
        table[~live] = 0.0
        return Behaviour(game.deck.hand_names, actions, table)

    @cached_property
    def public(self) -> tuple[str, ...]:
        """The history at which the search began."""
        return self.solution.public


_COMPILED: set[tuple[object, ...]] = set()
"""The kinds of tables for which this process has compiled, or loaded, sampled searches."""


def compile_sampled(agent: str, game: Holdem, blueprint: Blueprint) -> None:
    """Compile what sampled searches need, and say so if it takes a while, so that no decision has to wait for it."""
    most = max(max(one.buckets) for one in blueprint.abstractions)
    kind = blueprint.table.dtype, blueprint.table.flags.writeable, most.bit_length() // 8, game.board
    if kind in _COMPILED:
        return
    if needs_compiling(SubtreeSampling.kernels):
        LOGGER.warning("%s: compiling its searches, about a minute; later runs load them", agent)
    # One hand from the flop on, or from the deal where there is no flop, in which everybody checks.
    public, state = list[str](), game.betting_after(())
    while state.round < min(1, len(game.board) - 1) and state.to_act in (CHANCE, *range(game.players)):
        dealt = format_cards(game.deck.cards[: game.board[1]].tolist(), separator="")
        public.append(dealt if state.to_act == CHANCE else CHECK_OR_CALL)
        state = game.betting_next(state, public[-1])
    if state.to_act >= 0:
        problem = SampledProblem(
            game=game,
            public=tuple(public),
            ranges=np.ones((game.players, game.deck.hand_count)),
            blueprint=blueprint.tree,
            strategy=NodeStrategy(blueprint.layout, blueprint.table, blueprint.abstractions),
            menu=lambda betting: (FOLD, CALL) if betting.to_call else (CALL,),
        )
        search_sampled(problem, SampledSettings(iterations=1))
        _COMPILED.add(kind)
