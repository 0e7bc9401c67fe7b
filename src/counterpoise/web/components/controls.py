"""Fields, buttons and choices: plain elements of the browser with a label each, so that keyboards and readers work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from html import escape
from typing import Any, Literal

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement

from counterpoise.cards import format_card, parse_cards

FieldKind = Literal["text", "number", "area", "select"]


class Field(Element, component="field.js"):
    """A labelled field of text or a choice; `edited` gets the new text shortly after the typing."""

    def __init__(
        self,
        label: str,
        value: str = "",
        edited: Callable[[str], Any] | None = None,
        *,
        kind: FieldKind = "text",
        hint: str = "",
        options: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self._edited = edited
        self._props.update({"label": label, "value": value, "shown": 0, "kind": kind, "hint": hint, "error": ""})
        self._props["options"] = [[key, words] for key, words in (options or {}).items()]
        self.on("edit", lambda event: self._take(str(event.args[0]), event.args[1]))

    @property
    def text(self) -> str:
        """What is in the field."""
        return str(self._props["value"])

    def show(self, text: str) -> None:
        """Put another text into the field."""
        if text != self.text:
            with self._props.suspend_updates():
                self._props["value"] = text
            self._props["shown"] += 1

    def complain(self, sentence: str = "") -> None:
        """Say below the field what is wrong with it, or nothing."""
        if sentence != self._props["error"]:
            self._props["error"] = sentence

    def choices(self, options: Mapping[str, str]) -> None:
        """Offer other choices."""
        self._props["options"] = [[key, words] for key, words in options.items()]

    def _take(self, text: str, shown: object) -> Any:
        with self._props.suspend_updates():  # the browser shows it already
            self._props["value"] = text
        if shown != self._props["shown"]:  # another text was on its way there
            self._props["shown"] += 1
        return self._edited(text) if self._edited is not None else None


def button(text: str, pressed: Callable[[], Any], *, main: bool = False) -> TextElement:
    """Add a button; the `main` one of a panel stands out."""
    made = TextElement(tag="button", text=text).classes("cp-button cp-button--main" if main else "cp-button")
    made.props("type=button").on("click", lambda _: pressed(), [])
    return made


def enable(element: Element, enabled: bool) -> None:
    """Let a button be pressed or not."""
    if enabled:
        element.props(remove="disabled")
    else:
        element.props("disabled")


def link_button(text: str, address: str, *, main: bool = False, download: str = "") -> ui.link:
    """Add a link that looks like a button; with `download` it saves a file of that name."""
    made = ui.link(text, address).classes("cp-button cp-button--main" if main else "cp-button")
    if download:
        made.props["download"] = download
    return made


def heading(text: str, level: int = 2) -> TextElement:
    """Add a heading."""
    return TextElement(tag=f"h{level}", text=text)


def note(text: str = "") -> TextElement:
    """Add a quiet sentence."""
    return TextElement(tag="p", text=text).classes("cp-note")


def complaint(text: str = "") -> TextElement:
    """Add a place for what is wrong, read aloud when it changes."""
    return TextElement(tag="p", text=text).classes("cp-error").props("role=alert")


def panel(title: str = "") -> Element:
    """Return a box, to be filled in a `with` block, with a heading if it has a title."""
    made = ui.element("section").classes("cp-panel")
    if title:
        with made:
            heading(title)
    return made


def row() -> Element:
    """Return a line of things that wraps."""
    return ui.element("div").classes("cp-row")


def figure(value: str, words: str) -> TextElement:
    """Add a number with what it is below it; the number is returned."""
    with ui.element("div").classes("cp-figure"):
        number = TextElement(tag="b", text=value)
        TextElement(tag="span", text=words)
    return number


class Choice(Element):
    """A few buttons of which one is pressed; `chosen` gets the key of the one that is clicked."""

    def __init__(self, label: str, options: Mapping[str, str], value: str, chosen: Callable[[str], Any]) -> None:
        super().__init__("div")
        self.classes("cp-choice").props("role=group")
        self._props["aria-label"] = label
        self._chosen, self._buttons = chosen, dict[str, TextElement]()
        self.offer(options, value)

    def offer(self, options: Mapping[str, str], value: str) -> None:
        """Offer other choices."""
        if list(options) != list(self._buttons):
            self.clear()
            with self:
                self._buttons = {key: button(words, partial(self._chosen, key)) for key, words in options.items()}
        self.show(value)

    def show(self, value: str) -> None:
        """Mark the choice that holds."""
        for key, made in self._buttons.items():
            made.props["aria-pressed"] = "true" if key == value else "false"


def board(cards: str, name: str = "Board") -> ui.html:
    """Add the cards of a board, such as "Qs Jh 2h", or others that `name` names."""
    signs = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
    found = [format_card(card) for card in parse_cards(cards)]  # nothing else gets into the page as it is
    shown = "".join(f'<span class="cp-card--{card[1]}">{card[0]}{signs[card[1]]}</span>' for card in found)
    label = f"{name} {' '.join(found)}"
    return ui.html(f'<span class="cp-board" role="img" aria-label="{escape(label)}">{shown}</span>', sanitize=False)
