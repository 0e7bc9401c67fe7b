"""The pages: a file each, its parts in a folder beside it.

`PAGES` lists them in the order of the menu; each has `register(server)`.
"""

from __future__ import annotations

from importlib import import_module

from fastapi import FastAPI
from nicegui import ui

from counterpoise.web.api import leave_to_api
from counterpoise.web.server import Server

PAGES = ("start", "spot", "solution", "play", "trainer", "lab", "library")
"""The modules of this folder that have pages."""


def add_pages(app: FastAPI, server: Server) -> None:
    """Register all pages and hang NiceGUI into the application."""
    for name in PAGES:
        import_module(f"counterpoise.web.pages.{name}").register(server)
    ui.run_with(
        app,
        title="Counterpoise",
        language="en-US",
        dark=None,  # as the system has it, until the user chooses
        show_welcome_message=False,
        tailwind=False,  # theme.css is all: its script would go over the whole page after every change
        reconnect_timeout=30.0,
    )
    leave_to_api(app)
