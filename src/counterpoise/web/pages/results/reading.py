"""What the page of a solution reads for a state, in a thread of its own: the node, and every step on the way to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from counterpoise.spots import Deal, Solution, SpotSearch
from counterpoise.web.pages.results.state import View
from counterpoise.web.server import Server
from counterpoise.web.solutions import OpenSolution
from counterpoise.web.views.node import NodeView, actions_of, view_node


@dataclass(frozen=True)
class Shown:
    """A state with what it shows."""

    state: View
    opened: OpenSolution
    node: NodeView
    steps: list[dict[str, Any]]
    """For the tree of lines."""

    @property
    def solved(self) -> Solution | SpotSearch:
        """The solution or search."""
        return self.opened.solved


def read(server: Server, state: View) -> Shown:
    """Return what a state shows; refused in a sentence if there is no such solution or node."""
    opened = server.solutions.open(state.name)
    with opened.look(state.node) as found:
        places = opened.solved.places(found.id)
        node = view_node(found, places)
    after = [place.id for place in places[1:]] + [""]
    return Shown(
        state, opened, node, [_step(opened, place.id, next) for place, next in zip(places, after, strict=True)]
    )


def _step(opened: OpenSolution, id: str, chosen: str) -> dict[str, Any]:
    with opened.look(id) as node:
        step = {"node": id, "player": node.player, "pot": node.pot, "chosen": chosen}
        if isinstance(node, Deal):
            return step | {"card": chosen.rpartition(":")[2], "options": []}
        actions = actions_of(node, values=False)
    options = [
        {
            "node": action.child,
            "label": action.label,
            "words": action.words,
            "colour": action.colour,
            "after": action.after,
            "frequency": action.frequency,
        }
        for action in actions
    ]
    return step | {"options": options}
