"""The hands of a decision as a coloured square: action mix, EV, equity or EQR, with the suits of a chosen kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nicegui import events, json
from nicegui.element import Element

from counterpoise.web.views.node import NodeView

COLOURS = {"actions": "Actions", "ev": "EV", "equity": "Equity", "eqr": "EQR"}
DIGITS = 5


class StrategyGrid(Element, component="strategy_grid.js", dependencies=["counterpoise_cards.mjs"]):
    """A square of hand kinds; `select` gets the kind that is clicked, `brushed` the kinds that are painted."""

    def __init__(
        self,
        select: Callable[[str], Any] | None = None,
        brushed: Callable[[list[str]], Any] | None = None,
    ) -> None:
        super().__init__()
        self._props.update(
            {
                "label": "Strategy",
                "data": json.dumps({"hands": [], "weight": [], "share": [], "strategy": [], "actions": []}),
                "colour": "actions",
                "selected": "",
            }
        )
        if select is not None:
            self.on("select", _calling(select))
        if brushed is not None:
            self.on("brushed", _calling(brushed))

    def show(self, view: NodeView, colour: str, selected: str) -> None:
        """Show the hands of a decision, coloured by one of `COLOURS`."""
        assert view.hands is not None
        hands = view.hands
        data = {
            "hands": hands.hands,
            "weight": _rounded(hands.weight),
            "share": hands.share,
            "strategy": [_rounded(column) for column in hands.strategy],
            "ev": None if hands.ev is None else _rounded(hands.ev),
            "equity": None if hands.equity is None else _rounded(hands.equity),
            "eqr": None if hands.eqr is None else _rounded(hands.eqr),
            "actions": [action.model_dump() for action in view.actions],
        }
        self.show_data(f"Strategy of {view.player} at {view.id}", data, colour, selected)

    def show_data(self, label: str, data: dict[str, Any], colour: str, selected: str) -> None:
        """Show columns of hands as `show` names them.

        They go to the browser as one text: NiceGUI watches every number of a list for changes, which takes longer than
        everything else.
        """
        with self._props.suspend_updates():
            self._props.update({"label": label, "data": json.dumps(data), "colour": colour, "selected": selected})
        self.update()

    def save_picture(self, title: str, file: str) -> None:
        """Let the browser save the square as it is shown, as a PNG."""
        self.run_method("picture", title, file)

    def paint_with(self, brush: int | None, locked: Sequence[str] = ()) -> None:
        """Let dragging paint with an action, by its place; None ends it. `locked` are the kinds with a mark."""
        with self._props.suspend_updates():
            self._props.update({"brush": brush, "locked": list(locked)})
        self.update()


def _rounded(numbers: Sequence[float | None]) -> list[float | None]:
    return [None if number is None else round(number, DIGITS) for number in numbers]


def _calling(handler: Callable[[Any], Any]) -> Callable[[events.GenericEventArguments], Any]:
    return lambda event: handler(event.args)
