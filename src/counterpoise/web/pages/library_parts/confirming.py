"""Asking before something is deleted for good."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import ui

from counterpoise.web.components.controls import button, note, row


class DeleteButton:
    """A button that first asks, in a sentence, and calls `delete` when it is confirmed."""

    def __init__(self, words: str, question: str, delete: Callable[[], Awaitable[None]]) -> None:
        self._delete = delete
        self.ask_button = button(words, self._ask)
        with ui.element("div").classes("cp-confirm").props("role=alertdialog") as self.box:
            self.box.props["aria-label"] = words
            note(question)
            with row():
                button("Delete for good", self._confirm).classes("cp-button--danger")
                self.keep = button("Keep it", self._close)
        self._close()

    def _ask(self) -> None:
        self.ask_button.set_visibility(False)
        self.box.set_visibility(True)
        ui.run_javascript(f"document.getElementById('{self.keep.html_id}')?.focus()")

    def _close(self) -> None:
        self.box.set_visibility(False)
        self.ask_button.set_visibility(True)

    async def _confirm(self) -> None:
        await self._delete()
