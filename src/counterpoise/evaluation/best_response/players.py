"""The questions that a best response asks the players it answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.evaluation.best_response.betting import LimitBetting
from counterpoise.evaluation.best_response.kernels.rounds import Floats, GroupedStrategy
from counterpoise.evaluation.best_response.layout import RoundLayout
from counterpoise.games.known import Behaviour, BoardPlay, KnownPlayer, PlaysOnBoards

FloatArray = NDArray[np.float64]
Players = tuple[KnownPlayer, KnownPlayer]
"""The player that is answered, at each of the two seats."""
SUM_TOLERANCE = 1e-6


def ignores_cards(players: Players) -> bool:
    """Return whether a player says that its play does not depend on any card."""
    return all(bool(getattr(player, "ignores_cards", False)) for player in players)


def shared_play(betting: LimitBetting, player: KnownPlayer, tree: int, decision: int) -> FloatArray:
    """Return the probabilities of the actions at a decision of a player who ignores cards; refuse one who does not."""
    board = betting.game.deck.cards[::-1][: betting.dealt[betting.trees[tree].street]].tolist()
    public = betting.public(betting.line(tree, ("decision", decision)), board)
    found = player.probabilities(public)
    table = by_menu(player, found, betting.menu(betting.trees[tree].decisions[decision]))
    live = table[betting.game.deck.live_hands(board)]
    if (live != live[0]).any():
        raise InputError(
            f"{player} says that it ignores its cards, but plays hands differently after {':'.join(public)}"
        )
    return np.asarray(live[0])


def by_menu(player: KnownPlayer, behaviour: Behaviour, menu: Sequence[str]) -> FloatArray:
    """Return a player's strategy by hand and by action of the menu; refuse actions that the menu lacks."""
    table = np.zeros((len(behaviour.hands), len(menu)))
    for column, action in enumerate(behaviour.actions):
        if action in menu:
            table[:, menu.index(action)] = behaviour.table[:, column]
        elif behaviour.table[:, column].any():
            raise InputError(f"{player} plays {action}, which is not legal: {', '.join(menu)} are")
    return table


class RoundPlayer:
    """One player's strategy in all lines of a round, board by board, as kernels read it."""

    def __init__(self, player: KnownPlayer, layout: RoundLayout, seat: int) -> None:
        self.player, self.layout, self.seat = player, layout, seat
        self.decisions = len(layout.menus(seat))
        many = None
        if self.decisions and hasattr(player, "play_on_boards"):
            many = cast(PlaysOnBoards, player).play_on_boards(layout.lines(seat))
        self.line_by_line = many is None and self.decisions > 0
        """Whether the player must be asked decision by decision."""
        self._ask: Callable[[tuple[int, ...]], BoardPlay] = many or _AskedLineByLine(player, layout, seat)
        self._seen: tuple[FloatArray, list[Floats]] | None = None

    def plays(self, board: tuple[int, ...]) -> list[GroupedStrategy]:
        """Return the player's strategy on a board, for each shape of the round's trees."""
        found = self.on_board(board)
        if self._seen is None or self._seen[0] is not found.table:
            self._check(found, board)
        return self.as_kernels_read(found)

    def as_kernels_read(self, found: BoardPlay) -> list[GroupedStrategy]:
        """Return a strategy as kernels read it, for each shape; a table that was converted last time is reused."""
        seen = self._seen
        if seen is None or seen[0] is not found.table:
            seen = self._seen = found.table, self.layout.tables(self.seat, found)
        group = np.maximum(found.group, 0).astype(np.uint64)
        return [GroupedStrategy(group, np.uint64(found.table.shape[1]), table) for table in seen[1]]

    def on_board(self, board: tuple[int, ...]) -> BoardPlay:
        """Return the strategy that the player reports on a board."""
        if self.decisions:
            return self._ask(board)
        return BoardPlay(np.zeros(self.layout.betting.game.deck.hand_count, dtype=np.int64), np.zeros((0, 1, 0)))

    def plays_alike(
        self, board: tuple[int, ...], other: tuple[int, ...], hand_map: NDArray[np.uint16], tolerance: float = 1e-12
    ) -> bool:
        """Return whether every hand is played on `board` as its image under `hand_map` is played on `other`."""
        here, there = self.on_board(board), self.on_board(other)
        live = self.layout.betting.game.deck.live_hands(board)
        groups, renamed = here.group[live], there.group[hand_map[live]]
        if here.table is there.table and (groups == renamed).all():
            return True
        return bool((np.abs(here.table[:, groups] - there.table[:, renamed]) <= tolerance).all())

    def _check(self, found: BoardPlay, board: tuple[int, ...]) -> None:
        """Refuse tables of the wrong size and rows that are no probabilities."""
        if len(found.table) != self.decisions:
            raise InputError(f"{self.player} answers for {len(found.table)} decisions, not for {self.decisions}")
        sums = found.table.sum(axis=2)
        live = np.unique(found.group[self.layout.betting.game.deck.live_hands(board)])
        if (found.table < 0).any() or not (np.abs(sums[:, live] - 1) <= SUM_TOLERANCE).all():
            raise InputError(f"{self.player}: probabilities must be at least 0 and sum to 1")


@dataclass(frozen=True)
class _AskedLineByLine:
    """A player that only answers one public history at a time: slow but correct."""

    player: KnownPlayer
    layout: RoundLayout
    seat: int

    def __call__(self, board: tuple[int, ...]) -> BoardPlay:
        betting = self.layout.betting
        menus, lines = self.layout.menus(self.seat), self.layout.lines(self.seat)
        hands = betting.game.deck.hand_count
        table = np.zeros((len(lines), hands, max(len(menu) for menu in menus)))
        for number, (line, menu) in enumerate(zip(lines, menus, strict=True)):
            found = self.player.probabilities(betting.public(line, board))
            table[number, :, : len(menu)] = by_menu(self.player, found, menu)
        return BoardPlay(np.arange(hands), table)
