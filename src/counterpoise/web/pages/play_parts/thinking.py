"""What the opponents thought in a hand that is over: range, strategy, and what your own actions were worth."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from nicegui import ui

from counterpoise.betting.words import action_kind
from counterpoise.cards.deck import split_cards
from counterpoise.errors import InputError
from counterpoise.games.events import public_cards, read_action
from counterpoise.plots.grid import action_colours
from counterpoise.web.components.controls import Field, button, complaint, heading, note
from counterpoise.web.components.data_table import Column, DataTable
from counterpoise.web.components.strategy_grid import StrategyGrid
from counterpoise.web.pages.play_parts.state import PlayView, brief_names
from counterpoise.web.pages.query import sentence
from counterpoise.web.play.models import YOU, TableView, Thought
from counterpoise.web.play.sessions import Sessions

PALETTE = ("#7fc97f", "#f4a582", "#5b9bd5", "#c2a5cf", "#8b141e", "#b0b0b0")
"""Colours of actions in games without folds and bets."""


class ThoughtGrid(StrategyGrid):
    """The square of hand kinds with an agent's range and strategy at one decision."""

    def show_thought(self, thought: Thought, selected: str) -> None:
        """Show a decision."""
        hands = list(thought.range)
        weights = [round(weight, 4) for weight in thought.range.values()]
        data = {
            "hands": hands,
            "weight": weights,
            "share": weights,
            "strategy": [[thought.strategy[hand][place] for hand in hands] for place in range(len(thought.actions))],
            "actions": _actions(thought),
        }
        self.show_data(f"Range and strategy of {thought.name}", data, "actions", selected)


class ThoughtsPanel:
    """The decisions of a hand, one of them open."""

    def __init__(self, sessions: Sessions, state: PlayView, go: Callable[..., Awaitable[None]]) -> None:
        self.sessions, self.state, self.go = sessions, state, go

    async def start(self, table: TableView) -> None:
        """Ask the agents and show what they say."""
        if not table.hands:
            note("No hand is over yet: when one is, this tells what the others thought in it.")
            return
        number = int(self.state.hand) if self.state.hand.isdecimal() and len(self.state.hand) < 9 else table.hands
        options = {str(hand): f"Hand {hand}" for hand in range(table.hands, 0, -1)}
        Field("Hand", str(number), self._hand, kind="select", options=options)
        if table.status != "hand over":
            note("The agents are asked what they thought once this hand is over.")
            return
        waiting = note("Asking the agents …")
        try:
            found = await asyncio.to_thread(self.sessions.thoughts, self.state.session, number)
        except InputError as error:
            waiting.set_text("")
            complaint(sentence(error))
            return
        waiting.set_text("")
        decisions = found.decisions
        if not decisions:
            note("Nobody had a decision to make in this hand.")
            return
        first = next((place for place, one in enumerate(decisions) if one.name != YOU), 0)
        at = int(self.state.at) if self.state.at.isdecimal() and int(self.state.at) < len(decisions) else first
        with ui.element("ol").classes("cp-decisions").props('aria-label="Decisions of the hand"'):
            for place, thought in enumerate(decisions):
                self._button(place, thought, place == at)
        self._show(decisions[at])

    def _button(self, place: int, thought: Thought, open: bool) -> None:
        street = {0: "", 3: "flop, ", 4: "turn, ", 5: "river, "}.get(_cards(thought), "")
        words = f"{street}{brief_names(thought.name)}: {thought.words.get(thought.action, thought.action)}"
        with ui.element("li"):
            made = button(sentence(words), partial(self.go, at=str(place), kind=""))
            made.props["aria-pressed"] = "true" if open else "false"

    def _show(self, thought: Thought) -> None:
        cards = " ".join(split_cards(thought.hand)) if _is_poker(thought.hand) else thought.hand
        heading(f"{sentence(brief_names(thought.name))} held {cards}", 3)
        if thought.name == YOU:
            self._values(thought)
            return
        if thought.missing:
            note(sentence(thought.missing))
        if thought.own:
            note("With this hand: " + _shares(thought, thought.own) + ".")
        if not thought.range:
            return
        if _is_poker(next(iter(thought.range))):
            grid = ThoughtGrid(select=self._kind)
            grid.show_thought(thought, self.state.kind)
        else:
            made = DataTable(f"Range and strategy of {thought.name}")
            columns = [Column("hand", "Hand", "text"), Column("weight", "Weight", "share")]
            columns += [Column(action, thought.words.get(action, action), "share") for action in thought.actions]
            made.show(columns, [[hand, weight, *thought.strategy[hand]] for hand, weight in thought.range.items()])

    def _values(self, thought: Thought) -> None:
        if thought.missing:
            note(sentence(thought.missing))
        if thought.values:
            made = DataTable("What your actions were worth")
            columns = [Column("action", "Action", "text"), Column("value", "EV, chips"), Column("taken", "You", "text")]
            made.show(
                columns,
                [
                    [thought.words.get(action, action), value, "taken" if action == thought.action else ""]
                    for action, value in thought.values.items()
                ],
            )

    async def _hand(self, hand: str) -> None:
        await self.go(hand=hand, at="", kind="")

    async def _kind(self, kind: str) -> None:
        await self.go(kind=kind)


def _actions(thought: Thought) -> list[dict[str, str | float | None]]:
    try:
        colours = action_colours([action_kind(read_action(action).bet) for action in thought.actions])
    except InputError:
        colours = [PALETTE[place % len(PALETTE)] for place in range(len(thought.actions))]
    return [
        {
            "label": action,
            "words": thought.words.get(action, action),
            "colour": colour,
            "frequency": thought.frequencies.get(action),
        }
        for action, colour in zip(thought.actions, colours, strict=True)
    ]


def _shares(thought: Thought, shares: dict[str, float]) -> str:
    return ", ".join(f"{thought.words.get(action, action)} {100 * share:.0f} %" for action, share in shares.items())


def _is_poker(hand: str) -> bool:
    """Return whether a hand is two cards of hold'em, such as AsKh."""
    return len(hand) == 4 and all(hand[place] in "shdc" for place in (1, 3))


def _cards(thought: Thought) -> int:
    """Return how many cards lay on the board."""
    return len(public_cards(thought.events)) if _is_poker(thought.hand) else 0
