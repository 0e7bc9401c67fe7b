"""The tab of locks: fix what hands do at a node, by words, with the brush or by sliders, and solve the spot again."""

from __future__ import annotations

import asyncio
from functools import partial

from nicegui import ui

from counterpoise.errors import InputError
from counterpoise.spots import Solution
from counterpoise.web.components.controls import Choice, Field, button, complaint, enable, heading, note, row
from counterpoise.web.components.share_slider import ShareSlider
from counterpoise.web.jobs.requests import SolveSpot
from counterpoise.web.pages.address import address
from counterpoise.web.pages.query import positive_number
from counterpoise.web.pages.solution_parts.locks import merged, spot_locks, without
from counterpoise.web.pages.solution_parts.reading import Shown
from counterpoise.web.pages.solution_parts.tabs import Page

WHOLE = "random"
"""The range of all hands."""


class LockTab:
    """Locks that are not solved yet, of any node, and the button that solves with them."""

    def __init__(self, page: Page) -> None:
        self.page, self.brush = page, ""
        self.shown: Shown | None = None
        note(
            "Choose an action and drag over hands in the square, or name hands, or set the whole node; then solve the "
            "spot again. What is not said of a hand, it mixes as it does now."
        )
        self.hint = complaint()
        self.choice = Choice("Action of the brush", {}, "", self._choose)
        with row().classes("cp-row--end"):
            self.hands = Field("Hands", "", hint="AKs, QQ+, AsKh; random: all")
            self.share = Field("Probability of the action, %", "100", kind="number")
            button("Lock these hands", self._by_words)
        heading("All hands of this decision", 3)
        self.box = ui.element("div").classes("cp-fields cp-fields--wide")
        self.sliders: dict[str, ShareSlider] = {}
        with row():
            self.node_button = button("Lock the whole node at these shares", self._by_sliders)
            self.keep_button = button("Lock it as it is", partial(self._lock, WHOLE, {}))
        self.problem = complaint()
        self.list = ui.element("div").classes("cp-stack").props("aria-live=polite")
        with row().classes("cp-row--end"):
            self.target = Field("Target, % of the pot", "0.5", kind="number")
            self.solve_button = button("Solve again", self._solve, main=True)

    async def show(self, shown: Shown) -> None:
        """Show the locks, and let the brush paint with an action of this node."""
        before, self.shown = self.shown, shown
        lockable = isinstance(shown.solved, Solution) and bool(shown.node.actions)
        what = "A card is dealt here: go to a decision to lock it." if isinstance(shown.solved, Solution) else ""
        self.hint.set_text("" if lockable else what or "A search has no locks: lock a strategy of a solution.")
        labels = {action.label: action.words.capitalize() for action in shown.node.actions}
        if self.brush not in labels:
            self.brush = next(iter(labels), "")
        self.choice.offer(labels, self.brush)
        self._set_brush()
        if before is None or before.node.id != shown.node.id:
            self._offer_sliders()
        for pressed in (self.node_button, self.keep_button):
            enable(pressed, lockable)
        self._list()
        changed = bool(shown.state.open_locks or shown.state.unlocked_nodes)
        enable(self.solve_button, changed and isinstance(shown.solved, Solution))

    async def brushed(self, kinds: list[str]) -> None:
        """Lock the kinds that were painted to the action of the brush."""
        await self._lock(",".join(kinds), {self.brush: 1.0})

    def _choose(self, label: str) -> None:
        self.brush = label
        self.choice.show(label)
        self._set_brush()

    def _set_brush(self) -> None:
        shown = self.shown
        assert shown is not None
        labels = [action.label for action in shown.node.actions]
        self.page.grid.paint_with(labels.index(self.brush) if self.brush else None, shown.locked)

    def _offer_sliders(self) -> None:
        """Offer a slider per action, where the range as a whole is now."""
        assert self.shown is not None
        self.box.clear()
        with self.box:
            self.sliders = {
                action.label: ShareSlider(action.words.capitalize(), action.frequency or 0.0)
                for action in self.shown.node.actions
            }

    async def _by_words(self) -> None:
        try:
            share = float(self.share.text) / 100
        except ValueError:
            self.problem.set_text(f"the probability must be a number from 0 to 100, not {self.share.text!r}")
            return
        await self._lock(self.hands.text, {self.brush: share})

    async def _by_sliders(self) -> None:
        """Lock all hands to the shares of the sliders, which count in proportion to one another."""
        total = sum(slider.share for slider in self.sliders.values())
        if total <= 0:
            self.problem.set_text("give at least one action a share")
            return
        await self._lock(WHOLE, {label: slider.share / total for label, slider in self.sliders.items()})

    async def _lock(self, hands: str, said: dict[str, float]) -> None:
        """Add a lock of hands at this node."""
        shown = self.shown
        assert shown is not None
        try:
            locks = merged(shown.state.open_locks, shown.node.id, hands, said)
            await asyncio.to_thread(spot_locks, shown.opened, locks)
        except InputError as error:
            self.problem.set_text(str(error))
            return
        self.problem.set_text("")
        await self.page.go(locks=shown.state.with_locks(locks).locks)

    def _list(self) -> None:
        """List what is locked: by the solution, and what the next one will have."""
        shown = self.shown
        assert shown is not None
        self.list.clear()
        with self.list:
            for kept in shown.solved.spot.lock:
                line = shown.line_words(kept.node)
                gone = kept.node in shown.state.unlocked_nodes
                told = "its lock will be left out" if gone else f"locked in this solution ({len(kept.strategy)} names)"
                with row():
                    note(f"{line}: {told}")
                    made = button("Lock again" if gone else "Unlock", partial(self._unlock, kept.node))
                    made.props["aria-label"] = f"{'Lock again' if gone else 'Unlock'}: {line}"
            for lock in shown.state.open_locks:
                words = {action.label: action.words for action in shown.opened.actions(lock["node"])}
                for hands, said in lock["strategy"].items():
                    told = _told(hands, {words[label]: share for label, share in said.items()})
                    with row():
                        note(f"{shown.line_words(lock['node'])}: {told}")
                        made = button("Remove", partial(self._remove, lock["node"], hands))
                        made.props["aria-label"] = f"Remove the lock of {hands}"

    async def _remove(self, node: str, hands: str) -> None:
        assert self.shown is not None
        state = self.shown.state
        await self.page.go(locks=state.with_locks(without(state.open_locks, node, hands)).locks)

    async def _unlock(self, node: str) -> None:
        """Leave out the solution's lock of a node, or no longer."""
        assert self.shown is not None
        nodes = self.shown.state.unlocked_nodes
        kept = [one for one in nodes if one != node] if node in nodes else [*nodes, node]
        await self.page.go(unlocked=",".join(kept))

    async def _solve(self) -> None:
        shown = self.shown
        assert shown is not None
        try:
            locks = await asyncio.to_thread(
                spot_locks, shown.opened, shown.state.open_locks, shown.state.unlocked_nodes
            )
            spot = await asyncio.to_thread(shown.solved.spot.with_only_locks, locks)
            request = SolveSpot(spot=spot, target=positive_number("target", self.target.text))
            id = await asyncio.to_thread(self.page.server.jobs.submit, request, f"{spot.name} with locks")
        except InputError as error:
            self.problem.set_text(str(error))
            return
        ui.navigate.to(address("/solution", {"name": id, "node": shown.state.node, "other": shown.state.name}))


def _told(hands: str, said: dict[str, float]) -> str:
    """Return in words what hands are told to do.

    >>> _told("KK", {"check": 0.25})
    'KK: check 25 %, the rest as they mix now'
    """
    who = "all hands" if hands == WHOLE else hands
    parts = [f"{name} {100 * share:.3g} %" for name, share in said.items()]
    if not parts:
        return f"{who}: as they are now"
    return f"{who}: " + ", ".join(parts) + (", the rest as they mix now" if sum(said.values()) < 1 - 1e-9 else "")
