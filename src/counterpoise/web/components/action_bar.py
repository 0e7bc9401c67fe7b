"""What may be done now, by mouse or by keys: f, c, r and an amount, numbers in other games, n for what is next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nicegui.element import Element


class ActionBar(Element, component="action_bar.js"):
    """Buttons of actions; `act` gets the label of one, `amount` the text of an amount, `go_on` is called for the next.

    Its keys work wherever the focus is, but in fields of text.
    """

    def __init__(
        self,
        label: str,
        act: Callable[[str], Any],
        go_on: Callable[[], Any],
        amount: Callable[[str], Any] | None = None,
    ) -> None:
        super().__init__()
        self._props.update({"label": label, "menu": [], "main": "", "next": "", "amountLabel": "", "amountWords": ""})
        self.on("act", lambda event: act(str(event.args)))
        self.on("next", lambda _: go_on(), [])
        if amount is not None:
            self.on("amount", lambda event: amount(str(event.args)))

    def show(
        self,
        menu: Sequence[tuple[str, str]] = (),
        *,
        next: str = "",
        amounts: tuple[int, int] | None = None,
        amount_words: str = "Raise",
    ) -> None:
        """Offer actions by label and words, an amount between two, and what is next; nothing of it by default."""
        with self._props.suspend_updates():
            self._props.update(
                {
                    "menu": [{"action": action, "words": words[:1].upper() + words[1:]} for action, words in menu],
                    "next": next,
                    "least": None if amounts is None else amounts[0],
                    "most": None if amounts is None else amounts[1],
                    "amountLabel": f"{amount_words} to, chips",
                    "amountWords": amount_words,
                }
            )
        self.update()
