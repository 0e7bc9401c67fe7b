"""A picture of the first decisions of a blueprint: what each kind of hand does before the flop."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import CALL
from counterpoise.betting.words import action_kind
from counterpoise.blueprint.blueprint import Blueprint
from counterpoise.cards.kinds import kinds_of_hands
from counterpoise.parameters import require
from counterpoise.plots.grid import GridAction, GridCell, GridPanel, action_colours, strategy_grids

PANELS = 4


def plot_first_decisions(blueprint: Blueprint, path: str | os.PathLike[str]) -> Path:
    """Draw the first decision and those that follow it, up to four; return the path of the file.

    A cell is as high as hands of its kind play to here; actions are side by side.
    """
    require(blueprint.tree.board_cards[0] == 0, "the grid is for games whose first decision is before the flop")
    lines = first_lines(blueprint)
    return strategy_grids([_panel(blueprint, line) for line in lines], path, title=blueprint.game.name)


def first_lines(blueprint: Blueprint) -> list[tuple[str, ...]]:
    """Return the first decision and those right after it in which cards are still due, bets before calls."""
    tree = blueprint.tree
    lines: list[tuple[str, ...]] = [()]
    after = list(zip(tree.children(0), tree.labels(0), strict=True))
    for child, action in sorted(after, key=lambda one: one[1].bet <= CALL):
        if tree.decisions[child] and tree.arrays.round[child] == 0 and len(lines) < PANELS:
            lines.append((action,))
    return lines


def _panel(blueprint: Blueprint, line: tuple[str, ...]) -> GridPanel:
    node = blueprint.decision_after(line)
    seat = int(blueprint.tree.arrays.player[node])
    known, reach = blueprint.probabilities(line), blueprint.reach(line, seat)
    kinds = [action_kind(int(blueprint.tree.action[child])) for child in blueprint.tree.children(node)]
    whole = known.table * reach[:, None]
    shares = (whole.sum(axis=0) / max(whole.sum(), 1e-300)).tolist()
    names = [_word(action) for action in known.actions]
    actions = [GridAction(*entry) for entry in zip(names, action_colours(kinds), shares, strict=True)]
    rows = [
        [_cell(name, members, known.table, reach) for name, members in row]
        for row in kinds_of_hands(blueprint.game.deck)
    ]
    where = " ".join(_word(action) for action in line) or "first decision"
    return GridPanel(f"{where}: seat {seat + 1} to act", rows, actions)


def _cell(name: str, members: NDArray[np.intp], table: NDArray[np.float64], reach: NDArray[np.float64]) -> GridCell:
    if not len(members) or not reach[members].any():
        return GridCell(name)
    own = reach[members] / reach[members].sum()
    return GridCell(name, float(reach[members].mean()), tuple((own @ table[members]).tolist()))


def _word(action: str) -> str:
    return {"f": "fold", "c": "call"}.get(action, f"to {action[1:]}")
