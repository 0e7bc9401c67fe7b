"""All cards of a deck as buttons: a board picker, the next card of a line, or a heat map over cards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from nicegui.element import Element

RANKS = "AKQJT98765432"
ALL_CARDS = tuple(rank + suit for suit in "shdc" for rank in RANKS)


class CardGrid(Element, component="card_grid.js", dependencies=["counterpoise_cards.mjs"]):
    """Cards to pick; `pick` gets the card that is clicked, unless it is disabled."""

    def __init__(self, label: str, pick: Callable[[str], Any]) -> None:
        super().__init__()
        self._props.update(
            {
                "label": label,
                "chosen": [],
                "disabled": [],
                "values": None,
                "share": False,
                "ranks": RANKS,
            }
        )
        self.on("pick", lambda event: pick(str(event.args)))

    def show(
        self,
        *,
        chosen: Iterable[str] = (),
        disabled: Iterable[str] = (),
        values: Mapping[str, float | None] | None = None,
        share: bool = False,
        short: bool = False,
    ) -> None:
        """Show which cards are chosen, which cannot be, and a number for each; `share` writes it in per cent."""
        with self._props.suspend_updates():
            self._props.update(
                {
                    "chosen": list(chosen),
                    "disabled": list(disabled),
                    "values": None if values is None else dict(values),
                    "share": share,
                    "ranks": RANKS[: -len("5432")] if short else RANKS,
                }
            )
        self.update()
