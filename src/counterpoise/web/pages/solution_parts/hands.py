"""The tab of hands: a row per hand with its strategy, EV, equity, made hand and draws, to be sorted and filtered."""

from __future__ import annotations

import asyncio

from counterpoise.cards import parse_cards
from counterpoise.cards.draws import nickname
from counterpoise.web.components.controls import note
from counterpoise.web.components.data_table import Cell, Column, DataTable
from counterpoise.web.components.range_grid import kind_of
from counterpoise.web.pages.solution_parts.reading import Shown
from counterpoise.web.pages.solution_parts.tabs import Page, QuietTab
from counterpoise.web.views.node import NodeView


class HandsTab(QuietTab):
    """All hands of the player to act."""

    def __init__(self, page: Page) -> None:
        self.hint = note()
        self.table = DataTable(
            "Hands of this decision",
            search="Hand",
            hint="Ah, KQ, QJs, set, flush, …",
            filters=("made", "draws"),
            row=self._open,
        )
        self.page = page

    async def show(self, shown: Shown) -> None:
        """Show a node."""
        if shown.node.hands is None:
            self.hint.set_text("A card is dealt here: choose one to go on.")
            self.table.set_visibility(False)
            return
        columns, rows = await asyncio.to_thread(hand_rows, shown.node, shown.state.hand)
        names = [hand_names(shown.node.board, str(row[0]), str(row[-2])) for row in rows]
        self.hint.set_text("")
        self.table.set_visibility(True)
        self.table.show(columns, rows, also=names)

    async def _open(self, hand: str) -> None:
        await self.page.go(hand=kind_of(hand))


def hand_rows(node: NodeView, kind: str = "") -> tuple[list[Column], list[list[Cell]]]:
    """Return columns and rows of a node's hands that arrive; with a kind, of its hands only."""
    hands = node.hands
    assert hands is not None
    columns = [Column("hand", "Hand", "text"), Column("weight", "Weight", "share")]
    columns += [Column(action.label, action.words.capitalize(), "share") for action in node.actions]
    figures = [list(hands.weight), *map(list, hands.strategy)]
    numbers = (Column("ev", "EV"), Column("equity", "Equity", "share"), Column("eqr", "EQR"))
    for column in numbers:
        values = getattr(hands, column.key)
        if values is not None:
            columns.append(column)
            figures.append(list(values))
    columns += [Column("made", "Made hand", "text"), Column("draws", "Draws", "text")]
    rows: list[list[Cell]] = []
    for k, hand in enumerate(hands.hands):
        if hands.weight[k] and (not kind or kind_of(hand) == kind):
            rows.append([hand, *(own[k] for own in figures), hands.made[k], ", ".join(hands.draws[k])])
    return columns, rows[::-1]  # high cards first


def hand_names(board: str, hand: str, made: str) -> list[str]:
    """Return the names by which players look for a hand: its kind, and the parts of what they call it on a board.

    >>> hand_names("Qs Jh 2h", "QdJd", "two pair"), hand_names("Qs Jh 2h", "AhQh", "pair")
    (['QJs'], ['AQs', 'top', 'pair'])
    """
    return [kind_of(hand), *nickname(parse_cards(board), parse_cards(hand), made).split()]
