"""The tree of lines: every step on the way to a node with what could be done there, each a click away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui.element import Element


class LinesTree(Element, component="lines_tree.js", dependencies=["counterpoise_cards.mjs"]):
    """The steps of a line; `go` gets the id of the node that is clicked."""

    def __init__(self, go: Callable[[str], Any]) -> None:
        super().__init__()
        self._props.update({"steps": [], "node": ""})
        self.on("go", lambda event: go(str(event.args)))

    def show(self, steps: list[dict[str, Any]], node: str) -> None:
        """Show the way to a node: per step its node, player, pot, options, and the option or card that was chosen."""
        with self._props.suspend_updates():
            self._props.update({"steps": steps, "node": node})
        self.update()
