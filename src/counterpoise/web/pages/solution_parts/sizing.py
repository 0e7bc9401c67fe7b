"""The tab of best sizes: let the library find the one or two bet sizes per street that win a player most."""

from __future__ import annotations

import asyncio

from nicegui import ui
from pydantic import ValidationError

from counterpoise.errors import InputError
from counterpoise.spots import Solution
from counterpoise.web.components.controls import Field, button, complaint, enable, note, row
from counterpoise.web.jobs.requests import OptimiseSizes
from counterpoise.web.pages.address import address
from counterpoise.web.pages.solution_parts.reading import Shown
from counterpoise.web.pages.solution_parts.tabs import Page, QuietTab


class SizesTab(QuietTab):
    """For whom, how many, and the button that searches."""

    def __init__(self, page: Page) -> None:
        self.page = page
        note("Finds the bet sizes with which one player wins most in the whole spot. It takes many solves.")
        with ui.element("div").classes("cp-fields cp-fields--wide"):
            self.count = Field("Sizes per street", "1", kind="select", options={"1": "one", "2": "two"})
            self.seat = Field(
                "Of", "", kind="select", options={"": "who gains more from bets", "oop": "OOP", "ip": "IP"}
            )
            self.target = Field("Target of each solve, % of the pot", "0.5", kind="number")
        self.problem = complaint()
        with row():
            self.button = button("Find the best sizes", self._find, main=True)

    async def show(self, shown: Shown) -> None:
        """Show whether sizes can be sought."""
        self.shown = shown
        enable(self.button, isinstance(shown.solved, Solution))

    async def _find(self) -> None:
        try:
            request = OptimiseSizes.model_validate(
                {
                    "spot": self.shown.solved.spot,
                    "count": int(self.count.text),
                    "seat": self.seat.text or None,
                    "target": self.target.text,
                }
            )
            name = f"best sizes of {self.shown.solved.spot.name or 'the spot'}"
            id = await asyncio.to_thread(self.page.server.jobs.submit, request, name)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            self.problem.set_text(f"{first['loc'][0]}: {first['msg'][:1].lower()}{first['msg'][1:]}")
            return
        except InputError as error:
            self.problem.set_text(str(error))
            return
        ui.navigate.to(address("/solution", {"name": id, "other": self.page.state.name}))
