"""The 13 x 13 grid of hand kinds: plain text, coloured text, or a picture."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from rich.text import Text

from counterpoise.betting.words import action_kind
from counterpoise.cards import RANKS
from counterpoise.cards.kinds import kinds_of_hands
from counterpoise.plots.grid import ActionKind, GridAction, GridCell, action_colours, hand_grid

if TYPE_CHECKING:
    from counterpoise.spots.node import Decision

WIDTH = 5
"""Characters of a cell: each stands for a fifth of the hands of that kind."""


@dataclass(frozen=True)
class Grid:
    """The frequency of each action by kind of hand; prints as text, and in colour with rich."""

    title: str
    rows: list[list[GridCell]]
    actions: list[GridAction]
    symbols: tuple[str, ...]

    def __str__(self) -> str:
        return self.text(colours=False).plain

    def __rich__(self) -> Text:
        return self.text(colours=True)

    def text(self, colours: bool) -> Text:
        """Return the grid with a legend; cells carry the names of the hands in colour, the actions in plain text."""
        out = Text()
        ranks = RANKS[::-1][: len(self.rows)]
        out.append(f"{self.title}\n\n")
        out.append("   " + " ".join(rank.center(WIDTH) for rank in ranks).rstrip() + "\n")
        for rank, row in zip(ranks, self.rows, strict=True):
            out.append(f"{rank}  ")
            for cell in row:
                self._append(out, cell, colours)
                out.append(" ")
            out.rstrip()
            out.append("\n")
        out.append("\n")
        for action, symbol in zip(self.actions, self.symbols, strict=True):
            name = f" {action.name} " if colours else f"{symbol} = {action.name}"
            out.append(name, f"black on {action.colour}" if colours else "")
            out.append(f" {100 * action.share:.1f} %   ")
        out.rstrip()
        out.append(
            "\nrows and columns are ranks: pairs on the diagonal, suited above it, offsuit below; . = not in range"
        )
        return out

    def draw(self, path: str | os.PathLike[str]) -> Path:
        """Draw the actions and the values in chips into a file; return its path."""
        return hand_grid(self.rows, self.actions, path, title=self.title, value_label="EV in chips")

    def _append(self, out: Text, cell: GridCell, colours: bool) -> None:
        if cell.weight <= 0:
            out.append(cell.name.center(WIDTH) if colours else ".".center(WIDTH), "dim" if colours else "")
            return
        letters = cell.name.center(WIDTH)
        for letter, place in zip(letters, _fifths(cell.shares), strict=True):
            if colours:
                out.append(letter, f"black on {self.actions[place].colour}")
            else:
                out.append(self.symbols[place])


def make_grid(node: Decision) -> Grid:
    """Return the grid of the hands of the player who acts at a node."""
    deck, seat = node.spot.card_deck, node.place.state.to_act
    weights = node.weights(seat)
    kinds = [action_kind(action) for action in node.raw_actions]
    shares = (node.probabilities @ weights / weights.sum()).tolist()
    actions = [GridAction(*entry) for entry in zip(node.action_names, action_colours(kinds), shares, strict=True)]
    number = np.full(deck.hand_count, -1)
    low, high = node.game.hands[seat].T
    number[deck.hand_table[low, high]] = np.arange(len(low))
    possible = deck.live_hands(node.place.cards)
    rows = [
        [_cell(name, number[members[possible[members]]], node, seat) for name, members in row]
        for row in kinds_of_hands(deck)
    ]
    title = f"{node.id}   {node.board}   {node.player.upper()} to act, pot {node.pot:,}"
    return Grid(title + ("" if node.reached else "   (never reached)"), rows, actions, tuple(_symbols(kinds)))


def _cell(name: str, left: NDArray[np.intp], node: Decision, seat: int) -> GridCell:
    """Return the cell of the hands that the board leaves, given by their numbers in the range of the player, -1
    outside."""
    reach = node.reaches[seat]
    held = left[(left >= 0) & (reach[left] > 0)]
    if not len(held):
        return GridCell(name)
    weight, worth = float(reach[held].sum()), node.evs[seat][held]
    own, known = reach[held] / weight, np.isfinite(worth)
    value = float(own[known] @ worth[known] / own[known].sum()) if known.any() else float("nan")
    return GridCell(name, weight / len(left), tuple((node.probabilities[:, held] @ own).tolist()), value)


def _symbols(kinds: Sequence[ActionKind]) -> Iterator[str]:
    bets = 0
    for kind in kinds:
        bets += kind == "bet"
        yield {"fold": "f", "passive": "c", "bet": "123456789"[min(bets, 9) - 1]}[kind]


def _fifths(shares: Sequence[float]) -> list[int]:
    """Return the action of each character of a cell: shares rounded so that they fill it (largest remainder)."""
    exact = WIDTH * np.asarray(shares, dtype=np.float64)
    counts = np.floor(exact + 1e-9).astype(int)
    for place in np.argsort(counts - exact, kind="stable")[: WIDTH - int(counts.sum())]:
        counts[place] += 1
    return [place for place, count in enumerate(counts) for _ in range(count)]
