"""Pictures of small games: the tree with a strategy, its reach and its regrets on it, for notebooks and files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.games import CHANCE, TERMINAL, Game, game_name
from counterpoise.parameters import require_whole
from counterpoise.plots.game_tree import DrawnNode, draw_game_tree, signed
from counterpoise.store import atomic_write, check_writable
from counterpoise.store.json import plain_json
from counterpoise.tree.enumerate import enumerate_game
from counterpoise.tree.evaluation import AnyStrategy, as_profile, evaluate
from counterpoise.tree.kernels.layouts import FloatArray
from counterpoise.tree.kernels.sequence_form import counterfactual_values, gradient, realisation_weights
from counterpoise.tree.strategy import Strategy
from counterpoise.tree.tree import Tree, depths

MOST_DRAWN = 400
"""Histories that a picture shows at most: about ten screens."""


class FoundStrategy(Protocol):
    """A run: a strategy and what found it."""

    @property
    def strategy(self) -> Strategy:
        """The strategy that was found."""
        ...

    @property
    def algorithm(self) -> str:
        """The name of what found it."""
        ...

    @property
    def iterations(self) -> int:
        """The number of iterations of the run."""
        ...


@dataclass(frozen=True)
class TreePicture:
    """A drawn game; a notebook shows it, `save` writes it as SVG. Reach, values and regrets are those of a strategy."""

    game: str
    histories: int
    """Histories of the whole game, drawn or not."""
    strategy: str | None
    """What the strategy is, in words; None if the rules alone are drawn."""
    exploitability: float | None
    """Exploitability of the strategy in the whole game, in its own unit."""
    nodes: list[DrawnNode] = field(repr=False)
    """The drawn histories in preorder."""

    @property
    def left_out(self) -> bool:
        """Whether the picture ends before the game does."""
        return len(self.nodes) < self.histories

    def _repr_svg_(self) -> str:
        """Return the picture as the text of an SVG file."""
        notes = []
        if self.strategy is not None:
            values = ", ".join(map(signed, self.nodes[0].values or ()))
            notes += [
                f"{self.strategy}: worth {values}, exploitability {self.exploitability:.4g}",
                "On an edge: action, probability (and width), counterfactual regret. Under a node: its reach.",
            ]
        return draw_game_tree(self.nodes, title=self.game, notes=notes)

    def to_json(self) -> dict[str, Any]:
        """Return the figures of all drawn histories in the types of JSON; players are numbered from 0, chance is -1."""
        answer = {name: getattr(self, name) for name in ("game", "histories", "strategy", "exploitability")}
        return {**answer, "nodes": [plain_json(asdict(node)) for node in self.nodes]}

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the picture to an SVG file; return its path."""
        target = check_picture(path)
        with atomic_write(target) as file:
            file.write(self._repr_svg_().encode())
        return target


def check_picture(path: str | os.PathLike[str]) -> Path:
    """Return the path if it names an SVG file that can be written, to be asked before long work starts."""
    if Path(path).suffix.lower() != ".svg":
        raise InputError(f"cannot draw {path}: the picture of a tree is an SVG, so the file name must end in .svg")
    return check_writable(path)


def draw_tree(
    game: Game | str,
    strategy: AnyStrategy | FoundStrategy | None = None,
    *,
    depth: int | None = None,
    regrets: FloatArray | None = None,
    caption: str = "",
) -> TreePicture:
    """Return a picture of a game, with a strategy on it if one is given, or a run that found one.

    `depth` leaves out what follows that many moves, those of chance counted: larger games are refused without it.
    Regrets are those of the strategy, v(I,a) - v(I) with counterfactual values (Brown 2020, section 2.3), unless
    `regrets` has others, such as the sums that a solver keeps (`solver.regrets`). `caption` names the strategy.
    """
    if depth is not None:
        require_whole("depth", depth)
    tree = enumerate_game(game)
    drawn = _chosen(tree, depth)
    if strategy is None:
        if regrets is not None:
            raise InputError("regrets need the strategy that they belong to")
        return TreePicture(game_name(tree.game), tree.nodes, None, None, _nodes(tree, drawn, None))
    if not isinstance(strategy, Mapping):
        caption = caption or f"{strategy.algorithm}, {strategy.iterations:,} iterations"
        strategy = strategy.strategy
    profile = as_profile(tree, strategy)
    figures = _Figures(tree, profile, regrets)
    exploitability = evaluate(tree, profile).exploitability
    return TreePicture(
        game_name(tree.game), tree.nodes, caption or "a strategy", exploitability, _nodes(tree, drawn, figures)
    )


def _chosen(tree: Tree, depth: int | None) -> list[int]:
    """Return the histories to draw, in preorder; refuse too many of them and say what fits."""
    level = depths(tree.histories.parent)
    shown = np.cumsum(np.bincount(level))
    wanted = len(shown) - 1 if depth is None else min(depth, len(shown) - 1)
    if shown[wanted] > MOST_DRAWN:
        fits = int(np.searchsorted(shown, MOST_DRAWN, side="right")) - 1
        reason = f"it has {shown[-1]:,} histories and a picture shows at most {MOST_DRAWN}"
        if not fits:
            raise InputError(f"{tree.name} cannot be drawn: {reason}, which its first move exceeds")
        raise InputError(f"depth must be at most {fits} for a picture of {tree.name} ({shown[fits]:,}): {reason}")
    order, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        order.append(node)
        if level[node] < wanted:
            first, count = int(tree.histories.first_child[node]), int(tree.histories.children[node])
            waiting.extend(range(first + count - 1, first - 1, -1))
    return order


class _Figures:
    """The figures of a profile at every history: probability of the last move, reach, values, regret of the last
    action."""

    def __init__(self, tree: Tree, profile: FloatArray, regrets: FloatArray | None) -> None:
        histories, level = tree.histories, depths(tree.histories.parent)
        above = histories.parent[1:]
        place = np.arange(1, tree.nodes) - histories.first_child[above]
        decided = np.flatnonzero(histories.player[above] >= 0)
        self.sequence = np.full(tree.nodes, -1)
        self.sequence[decided + 1] = tree.table.start[histories.infoset[above[decided]]] + place[decided]
        self.probability = np.where(self.sequence >= 0, profile[self.sequence], histories.probability)
        self.reach, self.values = np.ones(tree.nodes), np.zeros((tree.nodes, tree.players))
        ends = histories.player == TERMINAL
        self.values[ends] = histories.payoffs[histories.infoset[ends]]
        levels = [np.flatnonzero(level == number) for number in range(1, int(level.max(initial=0)) + 1)]
        for nodes in levels:
            self.reach[nodes] = self.reach[histories.parent[nodes]] * self.probability[nodes]
        for nodes in reversed(levels):
            np.add.at(self.values, histories.parent[nodes], self.probability[nodes, None] * self.values[nodes])
        self.regrets = counterfactual_regrets(tree, profile) if regrets is None else np.asarray(regrets)
        if self.regrets.shape != profile.shape:
            raise InputError(f"regrets of {tree.name} are {len(profile)} numbers, not an array of {self.regrets.shape}")

    def on(self, drawn: DrawnNode, node: int) -> DrawnNode:
        """Return a drawn node with the figures of its history."""
        sequence = int(self.sequence[node])
        return replace(
            drawn,
            probability=float(self.probability[node]) if node else None,
            regret=float(self.regrets[sequence]) if sequence >= 0 else None,
            reach=float(self.reach[node]),
            values=tuple(self.values[node].tolist()),
        )


def counterfactual_regrets(tree: Tree, profile: FloatArray) -> FloatArray:
    """Return v(I,a) - v(I) of every action under a flat profile, in the game's unit; 0 for empty sequences."""
    reach, values, infosets = np.empty_like(profile), np.empty_like(profile), np.empty(tree.infosets)
    for player in range(tree.players):
        realisation_weights(tree.form, player, profile, reach)
    for player in range(tree.players):
        gradient(tree.form, player, reach, values)
        counterfactual_values(tree.form, player, profile, values, infosets)
    regrets = np.zeros_like(profile)
    for infoset, (start, actions) in enumerate(zip(tree.table.start.tolist(), tree.table.actions, strict=True)):
        block = slice(start, start + len(actions))
        regrets[block] = values[block] - infosets[infoset]
    return regrets


def _nodes(tree: Tree, drawn: Sequence[int], figures: _Figures | None) -> list[DrawnNode]:
    """Return what the picture shows of each chosen history; names of moves come from the rules."""
    histories, game = tree.histories, tree.game
    place = {node: number for number, node in enumerate(drawn)}
    below = _counts_below(tree)
    states, moves, nodes = {0: game.initial()}, {0: ""}, []
    for node in drawn:
        player, first, parent = (
            int(numbers[node]) for numbers in (histories.player, histories.first_child, histories.parent)
        )
        if first in place:
            state = states.pop(node)
            names = [name for name, _ in game.chance(state)] if player == CHANCE else game.actions(state)
            for child, name in enumerate(names, first):
                states[child], moves[child] = game.next(state, name), str(name)
        values = histories.payoffs[histories.infoset[node]] if player == TERMINAL else None
        drawn_node = DrawnNode(
            parent=place.get(parent, -1),
            player=player,
            action=moves[node],
            infoset=tree.table.labels[histories.infoset[node]] if player >= 0 else "",
            probability=float(histories.probability[node]) if node and histories.player[parent] == CHANCE else None,
            regret=None,
            reach=None,
            values=None if values is None else tuple(values.tolist()),
            left_out=0 if first in place else int(below[node]),
        )
        nodes.append(drawn_node if figures is None else figures.on(drawn_node, node))
    return nodes


def _counts_below(tree: Tree) -> NDArray[np.int64]:
    """Return the number of histories below each one."""
    level, parent = depths(tree.histories.parent), tree.histories.parent
    below = np.zeros(tree.nodes, dtype=np.int64)
    for number in range(int(level.max(initial=0)), 0, -1):
        nodes = np.flatnonzero(level == number)
        np.add.at(below, parent[nodes], below[nodes] + 1)
    return below
