"""The tab of locks: fix what hands do at a node, by words or with the brush, and solve the spot again."""

from __future__ import annotations

import asyncio
from typing import Any

from nicegui import ui

from counterpoise.errors import InputError
from counterpoise.spots import Solution
from counterpoise.web.components.controls import Choice, Field, button, complaint, enable, note, row
from counterpoise.web.components.range_grid import kind_of
from counterpoise.web.jobs.requests import SolveSpot
from counterpoise.web.pages.address import address
from counterpoise.web.pages.query import positive_number
from counterpoise.web.pages.solution_parts.reading import Shown
from counterpoise.web.pages.solution_parts.tabs import Page

Locks = list[dict[str, Any]]


class LockTab:
    """Locks that are not solved yet, of any node, and the button that solves with them."""

    def __init__(self, page: Page) -> None:
        self.page, self.brush = page, ""
        self.shown: Shown | None = None
        note("Choose an action and drag over hands in the square, or name hands below. Then solve the spot again.")
        self.hint = complaint()
        self.choice = Choice("Action of the brush", {}, "", self._choose)
        with row():
            self.hands = Field("Hands", "", hint="AKs, QQ+, AsKh; random: all")
            self.share = Field("Probability of the action, %", "100", kind="number")
            button("Lock these hands", self._by_words)
        self.problem = complaint()
        self.list = ui.element("div").props("aria-live=polite")
        with row():
            self.target = Field("Target, % of the pot", "0.5", kind="number")
            self.undo_button = button("Undo the last lock", self._undo)
            self.solve_button = button("Solve again", self._solve, main=True)

    async def show(self, shown: Shown) -> None:
        """Show the locks, and let the brush paint with an action of this node."""
        self.shown = shown
        lockable = isinstance(shown.solved, Solution) and bool(shown.node.actions)
        what = "A card is dealt here: go to a decision to lock it." if isinstance(shown.solved, Solution) else ""
        self.hint.set_text("" if lockable else what or "A search has no locks: lock a strategy of a solution.")
        labels = {action.label: action.words.capitalize() for action in shown.node.actions}
        if self.brush not in labels:
            self.brush = next(iter(labels), "")
        self.choice.offer(labels, self.brush)
        self._set_brush()
        locks = shown.state.open_locks
        self._list(locks)
        enable(self.solve_button, bool(locks) and isinstance(shown.solved, Solution))
        enable(self.undo_button, bool(locks))

    async def brushed(self, kinds: list[str]) -> None:
        """Lock the kinds that were painted to the action of the brush."""
        await self._lock(",".join(kinds), 1.0)

    def _choose(self, label: str) -> None:
        self.brush = label
        self.choice.show(label)
        self._set_brush()

    def _set_brush(self) -> None:
        shown = self.shown
        assert shown is not None
        labels = [action.label for action in shown.node.actions]
        here = [lock for lock in shown.state.open_locks if lock["node"] == shown.node.id]
        kinds = {
            kind_of(hand) if len(hand) == 4 and hand[1].islower() else hand
            for lock in here
            for hand in lock["strategy"]
        }
        self.page.grid.paint_with(labels.index(self.brush) if self.brush else None, sorted(kinds))

    async def _by_words(self) -> None:
        try:
            share = float(self.share.text) / 100
        except ValueError:
            self.problem.set_text(f"the probability must be a number from 0 to 100, not {self.share.text!r}")
            return
        await self._lock(self.hands.text, share)

    async def _lock(self, hands: str, share: float) -> None:
        """Add a lock of hands at this node: the action with the share, the rest to the others as they are."""
        shown = self.shown
        assert shown is not None
        try:
            locks = merged(shown.state.open_locks, shown.node.id, hands, self._mixed(share))
            await asyncio.to_thread(shown.solved.spot.with_locks, locks)
        except InputError as error:
            self.problem.set_text(str(error))
            return
        self.problem.set_text("")
        await self.page.go(locks=shown.state.with_locks(locks).locks)

    def _mixed(self, share: float) -> dict[str, float]:
        """Return the action of the brush with a share; the others get the rest as they share the range."""
        assert self.shown is not None
        actions = self.shown.node.actions
        others = {action.label: action.frequency or 0.0 for action in actions if action.label != self.brush}
        total = sum(others.values())
        rest = max(0.0, 1.0 - share)
        even = {label: 1 / len(others) for label in others} if total <= 0 else {k: v / total for k, v in others.items()}
        mixed = {label: rest * part for label, part in even.items() if rest * part > 0}
        return {self.brush: share} | mixed

    def _list(self, locks: Locks) -> None:
        self.list.clear()
        with self.list:
            for lock in locks:
                for hands, mixed in lock["strategy"].items():
                    words = ", ".join(f"{name} {100 * share:.3g} %" for name, share in mixed.items())
                    note(f"{lock['node']}: {hands} – {words}")

    async def _undo(self) -> None:
        assert self.shown is not None
        locks = self.shown.state.open_locks
        strategy = locks[-1]["strategy"]
        strategy.pop(next(reversed(strategy)))
        await self.page.go(locks=self.shown.state.with_locks([lock for lock in locks if lock["strategy"]]).locks)

    async def _solve(self) -> None:
        shown = self.shown
        assert shown is not None
        solved = shown.solved
        assert isinstance(solved, Solution)
        try:
            spot = await asyncio.to_thread(solved.spot.with_locks, shown.state.open_locks)
            request = SolveSpot(spot=spot, target=positive_number("target", self.target.text))
            id = await asyncio.to_thread(self.page.server.jobs.submit, request, f"{spot.name} with locks")
        except InputError as error:
            self.problem.set_text(str(error))
            return
        ui.navigate.to(address("/solution", {"name": id, "node": shown.state.node, "other": shown.state.name}))


def merged(locks: Locks, node: str, hands: str, mixed: dict[str, float]) -> Locks:
    """Return locks with one more; later hands of a node override earlier ones.

    >>> merged([{"node": "r:0", "strategy": {"AA": {"c": 1.0}}}], "r:0", "KK", {"b50": 1.0})
    [{'node': 'r:0', 'strategy': {'AA': {'c': 1.0}, 'KK': {'b50': 1.0}}}]
    """
    names = [name.strip() for name in hands.split(",") if name.strip()]
    if not names:
        raise InputError("hands: name the hands to lock, such as AKs, QQ+")
    found = [{"node": lock["node"], "strategy": dict(lock["strategy"])} for lock in locks]
    if not any(lock["node"] == node for lock in found):
        found.append({"node": node, "strategy": {}})
    here = next(lock for lock in found if lock["node"] == node)
    for name in names:
        here["strategy"].pop(name, None)
        here["strategy"][name] = mixed
    return found
