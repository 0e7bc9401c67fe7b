"""What the tabs of a solution share: each is built once, and shows one node after the other."""

from __future__ import annotations

from typing import Protocol

from counterpoise.web.components.strategy_grid import StrategyGrid
from counterpoise.web.pages.solution_parts.reading import Shown
from counterpoise.web.pages.solution_parts.state import SolutionState
from counterpoise.web.server import Server


class Page(Protocol):
    """What a tab may ask of the page that it is on."""

    server: Server
    state: SolutionState
    grid: StrategyGrid

    async def go(self, **changes: str) -> None:
        """Show another state, which gets an address of its own."""


class Tab(Protocol):
    """A tab."""

    async def show(self, shown: Shown) -> None:
        """Show a node."""

    async def brushed(self, kinds: list[str]) -> None:
        """Take kinds of hands that were painted in the square."""


class QuietTab:
    """A tab that takes nothing from the square."""

    async def brushed(self, kinds: list[str]) -> None:
        """Take nothing."""
