"""Write docs/algorithms.md from the registries and docs/api.md from the public names; with --check only compare."""

import ast
import dataclasses
import importlib
import inspect
import sys
from pathlib import Path

import counterpoise
from counterpoise.deep import METHODS
from counterpoise.games import GAMES
from counterpoise.solvers import ALGORITHMS, MODIFIERS, Algorithm

FOLDER = Path(__file__).parent


def parameters(entry):
    named = [
        f"`{field.name}={field.default!r}`" if field.default is not dataclasses.MISSING else f"`{field.name}`"
        for field in dataclasses.fields(entry)
        if field.init
    ]
    return ", ".join(named) or "none"


def runs_on(entry):
    return (", ".join(entry.representations()),) if issubclass(entry, Algorithm) else ()


def first_line(entry):
    return inspect.getdoc(entry).splitlines()[0]


def table(columns, rows):
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    return lines + ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]


def algorithms_page():
    algorithms, modifiers, methods = (
        [
            (f"`{name}`", first_line(entry), parameters(entry), *runs_on(entry), entry.source)
            for name, entry in ((name, catalogue[name]) for name in catalogue)
        ]
        for catalogue in (ALGORITHMS, MODIFIERS, METHODS)
    )
    games = [(f"`{name}`", first_line(GAMES[name]), parameters(GAMES[name])) for name in GAMES]
    return "\n".join(
        [
            "# Algorithms and games",
            "",
            "Made by `make docs` from the registries; do not edit.",
            "",
            "## Algorithms",
            "",
            'Name them in `cp.solve(game, "NAME")` or `counterpoise solve GAME -a NAME`, with parameters in brackets.',
            "",
            "They run on enumerated games, on public trees of hand vectors (hold'em spots), or on both.",
            "",
            *table(("name", "what it is", "parameters", "runs on", "source"), algorithms),
            "",
            "## Modifiers",
            "",
            "Written after an algorithm and a slash: `cfr/partial-pruning`, `cfr+/rbp(theta=10)`.",
            "",
            *table(("name", "what it changes", "parameters", "source"), modifiers),
            "",
            "## Methods that train networks",
            "",
            'Name them in `cp.train_networks(game, "NAME")` or `counterpoise train GAME --method NAME`; '
            "see [networks](networks.md).",
            "",
            *table(("name", "what it is", "parameters", "source"), methods),
            "",
            "## Games",
            "",
            *table(("name", "rules", "parameters"), games),
            "",
        ]
    )


def public_names():
    """Yield each package with the names that `counterpoise` offers from it, in the order of its `__init__`."""
    for statement in ast.walk(ast.parse(inspect.getsource(counterpoise))):
        if isinstance(statement, ast.ImportFrom) and statement.module.startswith("counterpoise."):
            names = [alias.asname or alias.name for alias in statement.names]
            offered = [name for name in names if name in counterpoise.__all__]
            if documented := [name for name in offered if inspect.getdoc(getattr(counterpoise, name))]:
                yield statement.module, documented


def api_page():
    parts = ["# Python", "", "Made by `make docs` from the docstrings of what `import counterpoise as cp` offers.", ""]
    for module, names in public_names():
        parts += [f"## {module}", "", first_line(importlib.import_module(module)), ""]
        for name in names:
            parts += [f"::: counterpoise.{name}", ""]
    return "\n".join(parts)


if __name__ == "__main__":
    for name, text in (("algorithms.md", algorithms_page()), ("api.md", api_page())):
        page = FOLDER / name
        if "--check" not in sys.argv:
            page.write_text(text)
            print(f"wrote {page}")
        elif not page.exists() or page.read_text() != text:
            sys.exit(f"{page} is out of date: run make docs")
