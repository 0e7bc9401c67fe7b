"""The page of a spot: its editor, what solving it will take, and the button that solves it."""

from __future__ import annotations

import asyncio
from typing import Any

from nicegui import ui

from counterpoise.errors import InputError
from counterpoise.web.api.spots import read_spot
from counterpoise.web.components.controls import complaint, heading
from counterpoise.web.components.frame import frame, page
from counterpoise.web.pages.address import unpack
from counterpoise.web.pages.spot_parts.editor import Editor
from counterpoise.web.pages.spot_parts.form import FIELDS, Form, form_of
from counterpoise.web.pages.spot_parts.templates import FIRST, TITLES, template
from counterpoise.web.server import Server


def register(server: Server) -> None:
    """Register the editor at /spot: of a template, a file of the library, or the spot in the address."""

    @page("/spot")
    async def spot_page(template: str = "", name: str = "", spot: str = "") -> None:
        with frame("Spot", "spot"):
            try:
                form, locks = await asyncio.to_thread(_wanted, server, template, name, spot)
            except InputError as error:
                heading("Spot", 1)
                complaint(str(error))
                ui.link("Begin with the first template", "/spot")
                return
            await Editor(server, form, locks).start()


def _wanted(server: Server, chosen: str, name: str, packed: str) -> tuple[Form, list[Any]]:
    """Return the form that an address means, and the locked strategies of its spot."""
    if packed:
        state = unpack(packed)
        form, locks = (state.get("form"), state.get("lock") or []) if isinstance(state, dict) else (None, [])
        if not isinstance(form, dict) or not isinstance(locks, list):
            raise InputError("the address is damaged: copy the whole link")
        return dict.fromkeys(FIELDS, "") | {str(key): str(value) for key, value in form.items()}, locks
    if name:
        found = read_spot(server, name)
        return form_of(found), list(found.to_dict().get("lock", ()))
    if chosen and chosen not in TITLES:
        raise InputError(f"there is no template {chosen!r}: {', '.join(TITLES)}")
    return form_of(template(chosen or FIRST)), []
