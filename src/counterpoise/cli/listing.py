"""`counterpoise games` and `counterpoise algorithms`: what can be named, with parameters and sources."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import itertools
import re
import sys
import textwrap
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer

from counterpoise.cli.app import command
from counterpoise.cli.options import Json

if TYPE_CHECKING:
    from counterpoise.names import Catalogue

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
    from counterpoise.games import GAMES

    _list("games", GAMES, json, ["Also: openspiel:NAME for OpenSpiel's games, and Gambit .efg files by their path."])


@command("algorithms\nalgorithms cfr+/rbp\nalgorithms --json")
def algorithms(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="Explain the settings of this algorithm, modifier, or both (cfr+/rbp).",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """List the algorithms, with their settings, defaults and the section that defines each.

    With NAME, explain that one: every setting with its default, what else is allowed, and what it means.
    """
    from counterpoise.cli.output import console, print_json
    from counterpoise.solvers import ALGORITHMS, MODIFIERS

    if name is not None:
        _explain(_parts(name), json)
        return
    modifiers = [_describe(name, MODIFIERS[name]) for name in MODIFIERS]
    if json:
        print_json({"algorithms": [_describe(name, ALGORITHMS[name]) for name in ALGORITHMS], "modifiers": modifiers})
        return
    _list("algorithms", ALGORITHMS, False, [])
    console().print("Modifiers, written after a slash, as in cfr/partial-pruning or cfr+/rbp(theta=10):", markup=False)
    _list("modifiers", MODIFIERS, False, [])
    console().print("counterpoise algorithms NAME explains the parameters of one.", style="dim", markup=False)


def _parts(text: str) -> list[dict[str, Any]]:
    """Return the algorithm and the modifiers that a name is made of; a modifier may be named alone."""
    from counterpoise.names import parse, split_outside_brackets
    from counterpoise.solvers import ALGORITHMS, MODIFIERS, make_algorithm

    first, *changes = [parse(part) for part in split_outside_brackets(text, "/")]
    if first[0] in MODIFIERS and not changes:
        MODIFIERS.build(text)
        return [_given(MODIFIERS, *first)]
    make_algorithm(text)  # refuses what `solve` refuses
    return [_given(ALGORITHMS, *first), *(_given(MODIFIERS, *change) for change in changes)]


def _given(catalogue: Catalogue[Any], name: str, values: dict[str, Any]) -> dict[str, Any]:
    """Return an entry with the values that were given to its parameters."""
    part = _describe(name, catalogue[name])
    for key, value in values.items():
        part["parameters"][key]["value"] = value
    return part


def _explain(parts: list[dict[str, Any]], json: bool) -> None:
    from rich.text import Text

    from counterpoise.cli.output import console, print_json, table

    if json:
        print_json({"parts": parts})
        return
    screen = console()
    for part in parts:
        screen.print(Text.assemble((part["name"], "bold"), f": {part['description']} [{part['source']}]"))
        given = any("value" in about for about in part["parameters"].values())
        rows = [
            [
                key,
                *([_spell(about.get("value", about["default"]))] if given else []),
                _spell(about["default"]),
                ", ".join(str(word) for word in about.get("allowed", [])),
                about.get("meaning", ""),
            ]
            for key, about in part["parameters"].items()
        ]
        if rows:
            heads = ["parameter", *(["value"] if given else []), "default", "allowed", "meaning"]
            screen.print(table(heads, rows))
        else:
            screen.print("It has no parameters.", markup=False)


def _spell(value: Any) -> str:
    """Return a value as users write it."""
    from counterpoise.names import spell

    return spell("", {"": value})[2:-1]


def _list(kind: str, catalogue: Catalogue[Any], json: bool, notes: list[str]) -> None:
    from rich.text import Text

    from counterpoise.cli.output import console, print_json, table

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
    hints, meanings = get_type_hints(entry), _meanings(entry)
    parameters = {}
    for field in dataclasses.fields(entry):
        if field.init:
            hint = hints.get(field.name)
            allowed = {"allowed": list(get_args(hint))} if get_origin(hint) is Literal else {}
            meaning = {"meaning": meanings[field.name]} if field.name in meanings else {}
            parameters[field.name] = {"default": _default(field)} | allowed | meaning
    paragraph = " ".join((inspect.getdoc(entry) or "").split("\n\n")[0].split())
    source = _source(entry, paragraph)
    description = re.sub(rf"\s*\(?{re.escape(source)}\)?\.?$", "", paragraph) if source else paragraph
    return {"name": name, "parameters": parameters, "description": description.rstrip(".") + ".", "source": source}


def _meanings(entry: Any) -> dict[str, str]:
    """Return the sentence under each field, in its own class or the nearest above that has one."""
    found: dict[str, str] = {}
    for owner in reversed(entry.__mro__):
        if "__dataclass_fields__" not in vars(owner):
            continue
        try:
            body = ast.parse(textwrap.dedent(inspect.getsource(owner))).body[0]
        except (OSError, TypeError):  # a class typed into an interpreter has no source
            continue
        statements = body.body if isinstance(body, ast.ClassDef) else []
        for field, note in itertools.pairwise(statements):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                text = note.value if isinstance(note, ast.Expr) else None
                if isinstance(text, ast.Constant) and isinstance(text.value, str):
                    found[field.target.id] = " ".join(text.value.split())
    return found


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default is not dataclasses.MISSING:
        return field.default
    return field.default_factory() if field.default_factory is not dataclasses.MISSING else None


def _source(entry: Any, description: str) -> str:
    """Return where a thing is defined: its own statement, or else the first citation in its documentation."""
    if stated := getattr(entry, "source", ""):
        return str(stated)
    texts = (description, inspect.getdoc(entry) or "", getattr(sys.modules.get(entry.__module__), "__doc__", "") or "")
    return next((found[0] for text in texts if (found := CITED.search(text))), "")


def _spelled(parameters: dict[str, dict[str, Any]]) -> str:
    from counterpoise.names import spell

    defaults = {key: about["default"] for key, about in parameters.items()}
    return spell("", defaults)[1:-1] if defaults else ""
