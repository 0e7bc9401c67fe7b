"""Describe games, algorithms and modifiers from their own code: docstring, fields and the sentence under each field."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import itertools
import re
import sys
import textwrap
from typing import Any, Literal, get_args, get_origin, get_type_hints

from counterpoise.lazy import parse_module
from counterpoise.names import Catalogue

CITED = re.compile(
    r"\b[A-Z][a-z]+(?: et al\.| and [A-Z][a-z]+)? \d{4}\b(?:, (?:section|chapter|appendix)s? [A-Z\d]+(?:\.\d+)*)?"
)
"""A citation: author, year and where that is said the section; `docs/references.md` has the full entries."""


def describe_all(catalogue: Catalogue[Any]) -> list[dict[str, Any]]:
    """Return the descriptions of all entries of a catalogue."""
    return [describe(name, catalogue[name]) for name in catalogue]


def describe(name: str, entry: Any) -> dict[str, Any]:
    """Return what a catalogue's entry is: its name, description, source and, by parameter, default, choices, meaning.

    >>> from counterpoise.solvers import ALGORITHMS
    >>> describe("cfr+", ALGORITHMS["cfr+"])["parameters"]["updates"]["allowed"]
    ['alternating', 'simultaneous']
    """
    hints, meanings = _hints(entry), _meanings(entry)
    parameters = {}
    for field in dataclasses.fields(entry):
        if field.init and not dataclasses.is_dataclass(field.default):  # what cannot be typed is not listed
            hint = hints.get(field.name)
            allowed = {"allowed": list(get_args(hint))} if get_origin(hint) is Literal else {}
            meaning = {"meaning": meanings[field.name]} if field.name in meanings else {}
            parameters[field.name] = {"default": _default(field)} | allowed | meaning
    paragraph = " ".join((inspect.getdoc(entry) or "").split("\n\n")[0].split())
    source = _source(entry, paragraph)
    description = re.sub(rf"\s*\(?{re.escape(source)}\)?\.?$", "", paragraph) if source else paragraph
    return {"name": name, "parameters": parameters, "description": description.rstrip(".") + ".", "source": source}


def _hints(entry: Any) -> dict[str, Any]:
    """Return the types of all fields; those that only type checkers import are left out."""
    found: dict[str, Any] = {}
    for owner in reversed(entry.__mro__):
        for name, hint in vars(owner).get("__annotations__", {}).items():
            try:
                one = type("", (), {"__annotations__": {name: hint}, "__module__": owner.__module__})
                found[name] = get_type_hints(one)[name]
            except NameError:
                found.pop(name, None)
    return found


def _meanings(entry: Any) -> dict[str, str]:
    """Return the sentence under each field, in its own class or the nearest above that has one."""
    found: dict[str, str] = {}
    for owner in reversed(entry.__mro__):
        if "__dataclass_fields__" not in vars(owner):
            continue
        try:
            body = parse_module(textwrap.dedent(inspect.getsource(owner))).body[0]
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
