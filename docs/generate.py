"""Write docs/algorithms.md from the registries of algorithms and games; with --check only compare."""

import dataclasses
import inspect
import sys
from pathlib import Path

from counterpoise.deep import METHODS
from counterpoise.games import GAMES
from counterpoise.solvers import ALGORITHMS, MODIFIERS, Algorithm

PAGE = Path(__file__).parent / "algorithms.md"


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


def page():
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


if __name__ == "__main__":
    text = page()
    if "--check" in sys.argv:
        sys.exit(0 if PAGE.exists() and PAGE.read_text() == text else f"{PAGE} is out of date: run make docs")
    PAGE.write_text(text)
    print(f"wrote {PAGE}")
