"""`counterpoise games` and `counterpoise algorithms`: what can be named, with parameters and sources."""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from typing import Any, Literal, get_args, get_origin, get_type_hints

from rich.text import Text

from counterpoise.cli.app import command
from counterpoise.cli.jobs import Json
from counterpoise.cli.output import console, print_json, table
from counterpoise.games import GAMES
from counterpoise.names import Catalogue, spell
from counterpoise.solvers import ALGORITHMS, MODIFIERS

BOOKS = {
    "BROWN": "N. Brown, Equilibrium Finding for Large Adversarial Imperfect-Information Games, 2020",
    "JOHANSON": "M. Johanson, Robust Strategies and Counter-Strategies: From Superhuman to Optimal Play, 2016",
    "REBEL": "N. Brown, A. Bakhtin, A. Lerer, Q. Gong, Combining Deep Reinforcement Learning and Search, 2020",
}

NARROW = 180
"""Columns of a terminal below which parameters go under the description."""

CITED = re.compile(
    r"\b(?:BROWN|JOHANSON|REBEL) (?:ch\. )?\d+(?:\.\d+)*|\b[A-Z][a-z]+(?: et al\.| and [A-Z][a-z]+)? \d{4}\b"
)


@command("games\ngames --json")
def games(json: Json = False) -> None:
    """List the games that can be named, with their parameters and defaults."""
    _list("games", GAMES, json, ["Also: openspiel:NAME for OpenSpiel's games, and Gambit .efg files by their path."])


@command("algorithms\nalgorithms --json")
def algorithms(json: Json = False) -> None:
    """List the algorithms, with their settings, defaults and the section that defines each."""
    modifiers = [_describe(name, MODIFIERS[name]) for name in MODIFIERS]
    if json:
        print_json({"algorithms": [_describe(name, ALGORITHMS[name]) for name in ALGORITHMS], "modifiers": modifiers})
        return
    _list("algorithms", ALGORITHMS, False, [])
    console().print("Modifiers, written after a slash, as in cfr/partial-pruning or cfr+/rbp(theta=10):", markup=False)
    _list("modifiers", MODIFIERS, False, [])


def _list(kind: str, catalogue: Catalogue[Any], json: bool, notes: list[str]) -> None:
    entries = [_describe(name, catalogue[name]) for name in catalogue]
    if json:
        print_json({kind: entries})
        return
    for entry in entries:
        entry["spelled"] = _spelled(entry["parameters"])
    screen = console()
    if screen.width < NARROW:
        rows = [
            [entry["name"], Text.assemble(entry["description"], "\n", (entry["spelled"], "cyan")), entry["source"]]
            for entry in entries
        ]
        screen.print(table(["name", "description, parameters and their defaults", "source"], rows, lines=True))
    else:
        rows = [[entry[key] for key in ("name", "spelled", "description", "source")] for entry in entries]
        screen.print(table(["name", "parameters and their defaults", "description", "source"], rows))
    quoted = " ".join(entry["source"] for entry in entries)
    for line in [*notes, *(f"{book}: {title}." for book, title in BOOKS.items() if book in quoted)]:
        screen.print(line, style="dim", markup=False)


def _describe(name: str, entry: Any) -> dict[str, Any]:
    hints = get_type_hints(entry)
    parameters = {}
    for field in dataclasses.fields(entry):
        if field.init:
            hint = hints.get(field.name)
            allowed = {"allowed": list(get_args(hint))} if get_origin(hint) is Literal else {}
            parameters[field.name] = {"default": _default(field)} | allowed
    paragraph = " ".join((inspect.getdoc(entry) or "").split("\n\n")[0].split())
    source = _source(entry, paragraph)
    description = re.sub(rf"\s*\(?{re.escape(source)}\)?\.?$", "", paragraph) if source else paragraph
    return {"name": name, "parameters": parameters, "description": description.rstrip(".") + ".", "source": source}


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default is not dataclasses.MISSING:
        return field.default
    return field.default_factory() if field.default_factory is not dataclasses.MISSING else None


def _source(entry: Any, description: str) -> str:
    """Where the thing is defined: its own statement, or else the first citation in its documentation."""
    if stated := getattr(entry, "source", ""):
        return str(stated)
    texts = (description, inspect.getdoc(entry) or "", getattr(sys.modules.get(entry.__module__), "__doc__", "") or "")
    return next((found[0] for text in texts if (found := CITED.search(text))), "")


def _spelled(parameters: dict[str, dict[str, Any]]) -> str:
    defaults = {key: about["default"] for key, about in parameters.items()}
    return spell("", defaults)[1:-1] if defaults else ""
