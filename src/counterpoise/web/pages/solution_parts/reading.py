"""What the page of a solution reads for a state, in a thread of its own: the node, and every step on the way to it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from counterpoise.spots import Deal, Decision, Solution, SpotSearch
from counterpoise.web.pages.solution_parts.locks import locked_kinds, previewed
from counterpoise.web.pages.solution_parts.state import SolutionState
from counterpoise.web.server import Server
from counterpoise.web.solutions import OpenSolution
from counterpoise.web.views.node import NodeView, line_words, view_path


@dataclass(frozen=True)
class Shown:
    """A state with what it shows."""

    state: SolutionState
    opened: OpenSolution
    node: NodeView
    steps: list[dict[str, Any]]
    """For the tree of lines."""
    locked: list[str]
    """The kinds of hands with a lock at the node."""

    def line_words(self, id: str) -> str:
        """Return the way to a node in words."""
        return line_words(view_path(self.opened.node(id)))

    @property
    def solved(self) -> Solution | SpotSearch:
        """The solution or search."""
        return self.opened.solved

    @property
    def valued(self) -> bool:
        """Whether EV and equity are there."""
        return self.node.equity is not None

    def with_values(self) -> Shown:
        """Return the same with EV and equity, which take the most time."""
        node = self.opened.view(self.node.id)
        return replace(self, node=_with_locks(self.opened, node, self.state))


def read(server: Server, state: SolutionState) -> Shown:
    """Return what a state shows; refused in a sentence if there is no such solution or node.

    EV and equity are left out if they are not there at once and the square is not coloured by them.
    """
    opened = server.solutions.open(state.name)
    node = opened.view(state.node, values=state.colour != "actions" or opened.valued(state.node))
    ids = [crumb.node for crumb in node.path]
    after = [*ids[1:], ""]
    steps = [_step(opened, id, next) for id, next in zip(ids, after, strict=True)]
    at = opened.node(node.id)
    locked = locked_kinds(at, state.open_locks, state.unlocked_nodes) if isinstance(at, Decision) else []
    return Shown(state, opened, _with_locks(opened, node, state), steps, locked)


def _with_locks(opened: OpenSolution, view: NodeView, state: SolutionState) -> NodeView:
    """Return the view of a node; on the tab of locks, as it will be with those that are not solved yet."""
    node = opened.node(view.id)
    locks = state.open_locks if state.tab == "lock" else []
    return previewed(view, node, locks) if isinstance(node, Decision) else view


def _step(opened: OpenSolution, id: str, chosen: str) -> dict[str, Any]:
    node = opened.node(id)
    step = {"node": id, "player": node.player, "pot": node.pot, "chosen": chosen}
    if isinstance(node, Deal):
        return step | {"card": chosen.rpartition(":")[2], "options": []}
    options = [
        {
            "node": action.child,
            "label": action.label,
            "words": action.words,
            "colour": action.colour,
            "after": action.after,
            "frequency": action.frequency,
        }
        for action in opened.actions(id)
    ]
    return step | {"options": options}
