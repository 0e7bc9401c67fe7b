"""Write docs/algorithms.md, docs/api.md and the rules of docs/files.md from the code; with --check only compare."""

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
from counterpoise.store.schemas import SCHEMAS

FOLDER = Path(__file__).parent
RULES = "# What every array must be"
"""The heading from which on docs/files.md is made here."""


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


def values(rule):
    """Return which values an array may hold, in words."""
    if rule.texts:
        return " or ".join(f"`{text}`" for text in rule.texts)
    span = {
        (True, True): f"{rule.least} to {rule.most}",
        (True, False): f"from {rule.least}",
        (False, True): f"up to {rule.most}",
        (False, False): "any" if rule.infinite else "finite",
    }[rule.least is not None, rule.most is not None]
    return span + (", never falling along the last axis" if rule.rising else "")


def file_rules():
    """Return the last part of the page of files: the rules of all arrays, kind by kind."""
    lines = [
        RULES,
        "",
        "Made by `make docs` from `store/schemas.py`; do not edit. Kernels check no bounds, so a file is trusted as",
        "far as these rules go: all are held when a file is read, before anything of it is used. Numbers with names,",
        "such as *buckets*, follow from the rest of the file. Headers are validated by the models of",
        "`store/headers.py`.",
        "",
    ]
    for kind, schema in SCHEMAS.items():
        lines += [f"## {kind}", "", f"Header: `{schema.header.__name__}`. {first_line(schema.header)}", ""]
        lines += [schema.notes, ""] if schema.notes else []
        for part in (*schema.parts, *schema.others):
            lines += [part.about, ""] if part.about else []
            rows = [
                (
                    f"`{name}`",
                    ", ".join(rule.types),
                    "as made" if rule.shape is None else " x ".join(map(str, rule.shape)) or "one number",
                    values(rule),
                    rule.about,
                )
                for name, rule in part.arrays.items()
            ]
            lines += [*table(("array", "type", "shape", "values", "what it is"), rows), ""]
            lines += [f"Refused if {relation.about}." for relation in part.relations]
            lines += [""] if part.relations else []
    return "\n".join(lines)


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
    kept = (FOLDER / "files.md").read_text().split(f"\n{RULES}\n")[0].rstrip("\n")
    files = f"{kept}\n\n{file_rules()}"
    for name, text in (("algorithms.md", algorithms_page()), ("api.md", api_page()), ("files.md", files)):
        page = FOLDER / name
        if "--check" not in sys.argv:
            page.write_text(text)
            print(f"wrote {page}")
        elif not page.exists() or page.read_text() != text:
            sys.exit(f"{page} is out of date: run make docs")
