"""The tab of safe search: solve this node again with other sizes, or after a bet that the solution does not know."""

from __future__ import annotations

import asyncio
from typing import Any, get_args

from nicegui import ui
from pydantic import ValidationError

from counterpoise.betting.sizes import STREETS
from counterpoise.errors import InputError
from counterpoise.search.gadget import MethodName
from counterpoise.web.components.controls import Field, button, complaint, enable, note, row
from counterpoise.web.jobs.requests import SearchNode
from counterpoise.web.pages.address import address
from counterpoise.web.pages.solution_parts.reading import Shown
from counterpoise.web.pages.solution_parts.tabs import Page, QuietTab
from counterpoise.web.pages.spot_parts.form import sizes_in
from counterpoise.web.views.node import line_words

LONGEST_TITLE = 200
METHODS = {
    "resolve": "resolve: no hand may win more than before",
    "maxmargin": "maxmargin: as much less as possible for every hand",
    "reach-maxmargin": "reach-maxmargin: the same, gifts counted",
    "unsafe": "unsafe: trust the range of the solution",
}


class SearchTab(QuietTab):
    """What to search for, and the button that does."""

    def __init__(self, page: Page) -> None:
        methods = {name: METHODS.get(name, name) for name in get_args(MethodName)}
        self.page = page
        note("Solve this decision again, safely: what the other player can win does not grow.")
        with ui.element("div").classes("cp-fields cp-fields--wide"):
            self.searcher = Field("For", "", kind="select", options={"": "who acts", "oop": "OOP", "ip": "IP"})
            self.facing = Field("After a bet to, chips (not in the solution)", "", kind="number", hint="none")
            self.method = Field("Method", "resolve", kind="select", options=methods)
            self.target = Field("Target, % of the pot", "0.2", kind="number")
        self.sizes: dict[str, Field] = {}
        with ui.element("div").classes("cp-fields cp-fields--wide"):
            for street in STREETS[1:]:
                for kind in ("bet", "raise"):
                    self.sizes[f"{street}.{kind}"] = Field(
                        f"{street.capitalize()} {kind}s", "", hint="as in the solution"
                    )
        self.problem = complaint()
        with row():
            self.button = button("Search", self._search, main=True)

    async def show(self, shown: Shown) -> None:
        """Show what can be searched at a node."""
        self.shown = shown
        decides = bool(shown.node.actions)
        self.problem.set_text("" if decides else "A card is dealt here: go to a decision to search there.")
        enable(self.button, decides)
        first = len(shown.node.board.split()) - 2
        for number, street in enumerate(STREETS):
            for kind in ("bet", "raise") if number else ():
                self.sizes[f"{street}.{kind}"].set_visibility(number >= first)

    async def _search(self) -> None:
        state = self.page.state
        try:
            request = SearchNode.model_validate(
                {
                    "solution": state.name,
                    "node": state.node or None,
                    "searcher": self.searcher.text or None,
                    "facing": self.facing.text.strip() or None,
                    "sizes": self._sizes() or None,
                    "method": self.method.text,
                    "target": self.target.text,
                }
            )
            where = line_words(self.shown.node.path)
            id = await asyncio.to_thread(self.page.server.jobs.submit, request, f"search: {where}"[:LONGEST_TITLE])
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            self.problem.set_text(f"{first['loc'][0]}: {first['msg'][:1].lower()}{first['msg'][1:]}")
            return
        except InputError as error:
            self.problem.set_text(str(error))
            return
        ui.navigate.to(address("/solution", {"name": id, "other": state.name}))

    def _sizes(self) -> dict[str, dict[str, Any]]:
        """Return the tables of streets with a size; what is empty there is as in the solution."""
        found: dict[str, dict[str, Any]] = {}
        own = self.page.server.solutions.open(self.page.state.name).solved.size_tables
        for name, field in self.sizes.items():
            street, _, kind = name.partition(".")
            if field.text.strip():
                found.setdefault(street, {key: own[street][key] for key in ("bet", "raise") if key in own[street]})
                found[street][kind] = sizes_in(field.text)
        return found
