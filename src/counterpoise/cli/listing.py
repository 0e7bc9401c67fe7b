"""`counterpoise games`, `algorithms` and `agents`: what can be named, with parameters and sources."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from counterpoise.cli.app import command
from counterpoise.cli.options import JSON, argument
from counterpoise.cli.output import console, print_json, print_summary, table
from counterpoise.names import spell, spell_value
from counterpoise.progress import duration, memory_size

BOOKS = {
    "Brown 2020": "N. Brown, Equilibrium Finding for Large Adversarial Imperfect-Information Games",
    "Brown et al. 2018": "N. Brown, T. Sandholm, B. Amos, Depth-Limited Solving for Imperfect-Information Games",
    "Brown et al. 2020": "N. Brown, A. Bakhtin, A. Lerer, Q. Gong, Combining Deep Reinforcement Learning and Search",
    "Johanson 2016": "M. Johanson, Robust Strategies and Counter-Strategies: From Superhuman to Optimal Play",
}
"""The works that are cited most, as they are cited; all of them are in docs/references.md."""

NARROW = 180
"""Columns of a terminal below which parameters go under the description."""


@command('games\ngames kuhn_poker\ngames "liars_dice(dice=1, faces=4)"\ngames --json')
def games(
    name: str | None = argument("NAME", "Describe this game, which may have parameters, be OpenSpiel's or a file."),
    json: bool = JSON,
) -> None:
    """List the games that can be named, with their parameters and defaults.

    With NAME, describe that one: its rules, its parameters, its size, an information set of each player and, if it is
    small, its value.
    """
    if name is not None:
        from counterpoise.tree.describe import describe_game

        found = describe_game(name)
        if json:
            print_json(found.to_json())
        else:
            print_summary(found.summary())
        return
    from counterpoise.descriptions import describe_all
    from counterpoise.games import GAMES

    entries = describe_all(GAMES)
    if json:
        print_json({"games": entries})
    else:
        _print_entries(
            entries,
            [
                "Also: openspiel:NAME for OpenSpiel's games, and Gambit .efg files by their path.",
                "counterpoise games NAME describes one.",
            ],
        )


@command("agents\nagents --json")
def agents(json: bool = JSON) -> None:
    """List the agents that can sit down at a table, with their settings and defaults.

    Of whole players it also says how their strategies were trained, and what they take where that was measured.
    """
    from counterpoise.agents.describe import describe_agents

    entries = describe_agents()
    if json:
        print_json({"agents": entries})
        return
    _print_entries(entries, ["A file follows a colon, as in strategy:leduc.cpz; settings follow in brackets."])
    if whole := [entry for entry in entries if entry["trained"] or entry["measured"]]:
        _print_whole_players(whole)


@command("algorithms\nalgorithms cfr+/rbp\nalgorithms --json")
def algorithms(
    name: str | None = argument(
        "NAME", "Explain the settings of this algorithm, modifier or method, or of two (cfr+/rbp)."
    ),
    json: bool = JSON,
) -> None:
    """List the algorithms, with their settings, defaults and the section that defines each.

    With NAME, explain that one: every setting with its default, what else is allowed, and what it means.
    """
    from counterpoise.deep import METHODS
    from counterpoise.descriptions import describe_all
    from counterpoise.solvers import ALGORITHMS, MODIFIERS
    from counterpoise.solvers.base import describe_settings

    if name is not None:
        parts = describe_settings(name, METHODS)
        if json:
            print_json({"parts": parts})
        else:
            _explain(parts)
        return
    entries, modifiers, methods = describe_all(ALGORITHMS), describe_all(MODIFIERS), describe_all(METHODS)
    if json:
        print_json({"algorithms": entries, "modifiers": modifiers, "methods": methods})
        return
    _print_entries(entries, [])
    console().print("Modifiers, written after a slash, as in cfr/partial-pruning or cfr+/rbp(theta=10):", markup=False)
    _print_entries(modifiers, [])
    console().print("Methods that train networks, for counterpoise train --method:", markup=False)
    _print_entries(methods, [])
    console().print("counterpoise algorithms NAME explains the parameters of one.", style="dim", markup=False)


def _print_whole_players(entries: list[dict[str, Any]]) -> None:
    """Print what whole players are made of and what they take."""
    screen, rows = console(), []
    for entry in entries:
        took = entry["measured"]
        figures = ["not measured", "not measured"]
        if took is not None:
            figures = [memory_size(1e6 * took["memory_mb"]), duration(took["seconds_per_decision"])]
        rows.append([entry["name"], *figures, entry["trained"]])
    screen.print(table(["whole player", "memory", "per decision", "how it was trained, where no file is named"], rows))
    for where in dict.fromkeys(entry["measured"]["where"] for entry in entries if entry["measured"]):
        screen.print(f"Measured: {where}.", style="dim", markup=False)


def _explain(parts: list[dict[str, Any]]) -> None:
    screen = console()
    for part in parts:
        screen.print(Text.assemble((part["name"], "bold"), f": {part['description']} [{part['source']}]"))
        given = any("value" in about for about in part["parameters"].values())
        rows = [
            [
                key,
                *([spell_value(about.get("value", about["default"]))] if given else []),
                spell_value(about["default"]),
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


def _print_entries(entries: list[dict[str, Any]], notes: list[str]) -> None:
    for entry in entries:
        defaults = {key: about["default"] for key, about in entry["parameters"].items()}
        entry["spelled"] = spell("", defaults)[1:-1] if defaults else ""
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
