"""Describe a game by its name: rules, parameters, size, examples of information sets, value."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from random import Random
from typing import Any

from counterpoise.descriptions import describe
from counterpoise.games import CHANCE, GAMES, TERMINAL, Game, as_game, game_name
from counterpoise.games.base import MAX_MOVES, draw_chance, least_histories
from counterpoise.names import parse, spell_value
from counterpoise.store.json import JsonResult
from counterpoise.summaries import Summarised, Summary, number, values
from counterpoise.tree.enumerate import enumerate_game, estimate_nodes
from counterpoise.tree.lp import solve_lp

MOST_HISTORIES = 200_000
"""Larger games are described without enumerating them."""
MOST_SEQUENCES = 5_000
"""The value of larger games is not computed: the linear programme would take long."""


@dataclass(frozen=True, kw_only=True)
class GameDescription(JsonResult, Summarised):
    """The description of a game. Payoffs and value are in the game's own unit; players count from 0."""

    name: str
    description: str
    labels: str
    """How the labels of information sets read, where the rules say so."""
    parameters: dict[str, dict[str, Any]]
    """By name: the value in this game, the default, and what it means where the rules say so."""
    players: int
    histories: int | None
    """Histories from the root to all ends; None if the game is too large to enumerate here."""
    about_histories: float
    """The number of histories, estimated or a lower bound where the game is too large."""
    infosets: list[int] | None
    """Information sets of each player."""
    payoffs: tuple[float, float] | None
    """The smallest and the largest payoff of any player."""
    zero_sum: bool | None
    """Whether it is a game of two players whose payoffs always add up to the same."""
    value: tuple[float, ...] | None
    """What each player wins in an equilibrium, by linear programming; None where that is not known or takes long."""
    examples: list[dict[str, Any]]
    """An information set of each player, the first that it meets: its label and its actions."""

    def summary(self) -> Summary:
        """Return the description on one screen."""
        size = f"about {self.about_histories:.2g} histories, too many to enumerate here"
        if self.histories is not None and self.infosets is not None:
            sets = ", ".join(f"{count:,} of player {seat + 1}" for seat, count in enumerate(self.infosets))
            size = f"{self.histories:,} histories; information sets: {sets}"
        facts = [("what it is", self.description), ("players", str(self.players)), ("size", size)]
        if self.payoffs is not None:
            kind = "two-player zero-sum" if self.zero_sum else "not two-player zero-sum"
            facts.append(("payoffs", f"{number(self.payoffs[0])} to {number(self.payoffs[1])}, {kind}"))
        if self.value is not None:
            facts.append(("value", f"{values(self.value)}  (exact, by linear programming)"))
        if self.labels:
            facts.append(("labels", self.labels))
        for one in self.examples:
            label, actions = one["infoset"], "  ".join(one["actions"])
            facts.append((f"player {one['player'] + 1}", f"for example at {label!r}: {actions}"))
        rows = [
            [name, spell_value(about["value"]), spell_value(about["default"]), about.get("meaning", "")]
            for name, about in self.parameters.items()
        ]
        return Summary(self.name, facts, ["parameter", "value", "default", "meaning"] if rows else (), rows)


def describe_game(game: Game | str) -> GameDescription:
    """Return the description of a game: its rules in a sentence, parameters, size, first information sets and, if
    small, value."""
    rules = as_game(game)
    about = _about(rules)
    least = least_histories(rules)
    estimate = least if least > MOST_HISTORIES else estimate_nodes(rules, enough=10.0 * MOST_HISTORIES).nodes
    found: dict[str, Any] = dict.fromkeys(("histories", "infosets", "payoffs", "zero_sum", "value"))
    if estimate <= MOST_HISTORIES:
        tree = enumerate_game(rules)
        estimate = tree.nodes
        owners, payoffs = tree.table.owner.tolist(), tree.histories.payoffs
        found["histories"], found["zero_sum"] = tree.nodes, tree.two_player_zero_sum
        found["infosets"] = [owners.count(seat) for seat in range(tree.players)]
        found["payoffs"] = (float(payoffs.min()), float(payoffs.max()))
        if tree.two_player_zero_sum and tree.sequences.sum() <= MOST_SEQUENCES:
            found["value"] = solve_lp(tree).value
    return GameDescription(
        name=game_name(rules),
        **about,
        players=rules.players,
        about_histories=float(estimate),
        examples=_examples(rules),
        **found,
    )


def _about(rules: Game) -> dict[str, Any]:
    """Return the description, the labels and the parameters of a game, from its own code."""
    entry, name = type(rules), parse(game_name(rules))[0]
    paragraphs = [" ".join(text.split()) for text in (inspect.getdoc(entry) or "").split("\n\n")]
    told = paragraphs[0] or f"A game of {rules.players} players."
    labels = next((text[text.index("Infosets") :] for text in paragraphs if "Infosets" in text), "")
    parameters = {}
    if name in GAMES and GAMES[name] is entry:
        described = describe(name, entry)
        told = described["description"]
        parameters = {key: {"value": getattr(rules, key)} | about for key, about in described["parameters"].items()}
    return {"description": told, "labels": labels, "parameters": parameters}


def _examples(rules: Game) -> list[dict[str, Any]]:
    """Return the first information set that each player meets in random play."""
    random, found = Random(0), dict[int, dict[str, Any]]()
    for _ in range(100):
        state = rules.initial()
        for _ in range(MAX_MOVES):
            who = rules.player(state)
            if who == TERMINAL:
                break
            if who == CHANCE:
                state = rules.next(state, draw_chance(rules, state, random))
                continue
            actions = list(rules.actions(state))
            found.setdefault(who, {"player": who, "infoset": rules.infoset(state), "actions": actions})
            state = rules.next(state, random.choice(actions))
        if len(found) == rules.players:
            break
    return [found[seat] for seat in sorted(found)]
