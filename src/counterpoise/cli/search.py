"""`counterpoise search`: solve a node of a saved solution again, safely, with other bets or after an unknown one."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterpoise.cli.app import MISSED, command
from counterpoise.cli.jobs import Iterations, JobLive, Json, Seconds, check_numbers, points, real_number, whole_number
from counterpoise.cli.output import complain, console, duration, facts, print_json, size, table
from counterpoise.cli.spot import check_files, refuse
from counterpoise.cli.spot_output import Look, known, look_json, show
from counterpoise.errors import InputError
from counterpoise.store.cpz import read_header

if TYPE_CHECKING:
    from counterpoise.spots import Solution, SpotSearch
    from counterpoise.spots.paths import Place

WORST = 5
"""Hands of the opponent that are listed."""


@command(
    """
    search turn.cpz --node r:0:c --bet 33%,75%,150%
    search turn.cpz --node r:0:c --facing 80 --out answer.cpz
    search answer.cpz --look r:0:c:b80:c:8h --grid
    search turn.cpz --node r:0:b50 --bet river:33%,allin --raise allin --searcher ip --json
    """
)
def search(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A solution that `counterpoise spot` has saved (.cpz), or an earlier search to look at.",
        ),
    ],
    node: Annotated[
        str | None, typer.Option("--node", metavar="ID", help="Where to search, such as r:0:c. Default: the root.")
    ] = None,
    searcher: Annotated[
        str | None,
        typer.Option("--searcher", metavar="oop|ip", help="Who gets a new strategy. Default: who acts at the node."),
    ] = None,
    facing: Annotated[
        str | None,
        typer.Option(
            "--facing",
            metavar="CHIPS",
            help="Answer a bet or raise that the solution does not know, by the player who acts at the node: chips put "
            "in on this street (a bet of 40, a raise to 40).",
        ),
    ] = None,
    bet: Annotated[
        list[str] | None,
        typer.Option(
            "--bet",
            metavar="SIZES",
            help="Bet sizes from the node on, such as 33%,75%,allin; river:50%,allin for one street. May be repeated.",
        ),
    ] = None,
    raises: Annotated[
        list[str] | None,
        typer.Option("--raise", metavar="SIZES", help="Raise sizes, in the same way. Default: those of the solution."),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="NAME",
            help="resolve (no hand of the opponent wins more than before), maxmargin (the smallest loss of its "
            "hands is made as large as possible) "
            "or unsafe (trusts the opponent's range). Default: resolve.",
        ),
    ] = None,
    target: Annotated[
        float | None,
        typer.Option(
            "--target",
            metavar="PCT",
            parser=real_number,
            help="Stop when exploitability of what is solved is at most PCT per cent of the pot. Default: 0.5.",
        ),
    ] = None,
    iterations: Iterations = None,
    seconds: Seconds = None,
    threads: Annotated[
        int | None, typer.Option("--threads", metavar="N", parser=whole_number, help="Default: all cores.")
    ] = None,
    bits: Annotated[
        int | None,
        typer.Option(
            "--bits",
            metavar="16|32",
            parser=whole_number,
            help="16 halves the memory; default 32 if there is room.",
        ),
    ] = None,
    algorithm: Annotated[
        str | None, typer.Option("-a", "--algorithm", metavar="ALGORITHM", help="A variant of CFR.")
    ] = None,
    look: Annotated[
        str | None,
        typer.Option("--look", metavar="ID", help="Show this node of the new strategies instead of their first."),
    ] = None,
    grid: Annotated[bool, typer.Option("--grid", help="Print the 13 x 13 grid of that node.")] = False,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the grid (.png, .svg or .pdf).")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Save what is found here (.cpz), also after Ctrl-C."),
    ] = None,
    json: Json = False,
) -> None:
    """Solve a node of a saved solution again for one player, and say what that can cost.

    The new strategy may use other bet sizes or answer a bet that the solution does not know. The margin of each hand of
    the opponent is what it wins less than against the solution; where all are 0 or more, the new strategy is as safe
    as the old one. Exit code 0 = done, 1 = target not reached or interrupted, 2 = wrong input.
    """
    check_numbers(iterations, target, seconds, None)
    check_files(file, out, plot, no_river=False, folder=False)
    limits = {"target": target, "iterations": iterations, "seconds": seconds}
    options = limits | {"threads": threads, "bits": bits, "algorithm": algorithm}
    asked = {"node": node, "searcher": searcher, "facing": facing, "method": method, "bet": bet, "raise": raises}
    shown = Look(look, grid, False, plot)
    if read_header(file).get("kind") == "search":
        refuse(f"{file} has been searched already (look at it with --look)", **asked, **options, out=out)
        found = _saved(file, shown)
    else:
        found = _searched(file, asked, options, shown, out, json)
    saved = out if found.unsaved is None else None
    if json:
        print_json(known(_json(found, limits)) | look_json(found, shown) | {"out": saved})
    else:
        _tell(found, saved)
        show(found, shown)
    if found.unsaved is not None:
        complain(f"what was found could not be saved to {out}: {found.unsaved}")
    if found.interrupted or not found.reached or found.unsaved is not None:
        raise typer.Exit(MISSED)


def _searched(
    file: Path, asked: dict[str, Any], options: dict[str, Any], shown: Look, out: Path | None, json: bool
) -> SpotSearch:
    from counterpoise.spots import load_solution, search_spot
    from counterpoise.spots.search_problem import make_problem

    solution = load_solution(file)
    node = "r:0" if asked["node"] is None else asked["node"]
    method = "resolve" if asked["method"] is None else asked["method"]
    sizes, facing = _sizes(solution, node, asked["bet"], asked["raise"]), _chips(asked["facing"])
    problem = make_problem(solution, node, asked["searcher"], facing, sizes, method)
    _check_look(shown, problem.start, problem.find_place)
    live = JobLive(notes=not json, even=options["iterations"] is not None and options["target"] is None)
    with live:
        return search_spot(
            solution,
            node,
            searcher=asked["searcher"],
            facing=facing,
            sizes=sizes,
            method=method,  # type: ignore[arg-type]
            **options,
            checkpoint=out,
            progress=live,
        )


def _saved(file: Path, shown: Look) -> SpotSearch:
    from counterpoise.spots import load_search

    found = load_search(file)
    _check_look(shown, found.start, lambda id: found.node(id).place)
    return found


def _check_look(shown: Look, start: Place, find_place: Callable[[str], Place]) -> None:
    """Refuse a node that the search does not have, or that has no grid."""
    from counterpoise.spots.paths import DEALING

    place = find_place(shown.id if shown.named else start.id)
    if place.decision == DEALING and (shown.grid or shown.plot is not None):
        raise InputError(f"node {place.id!r} deals a card, and nobody acts there: there is no grid")
    shown.id, shown.wanted = place.id, True


def _chips(text: str | None) -> int | str | None:
    return int(text) if text is not None and text.isdecimal() else text


def _sizes(
    solution: Solution, node: str, bet: list[str] | None, raises: list[str] | None
) -> dict[str, dict[str, Any]] | None:
    """Tables of sizes by street, those that the options do not name as in the spot."""
    from counterpoise.games.bet_sizes import STREETS
    from counterpoise.spots.engine import find_place

    if not bet and not raises:
        return None
    streets = STREETS[find_place(solution.spot, node).state.round :]
    tables: dict[str, dict[str, Any]] = {street: dict(solution.spot.size_tables[street]) for street in streets}
    for option, field, given in (("--bet", "bet", bet), ("--raise", "raise", raises)):
        for text in given or ():
            street, colon, words = text.rpartition(":")
            if colon and street not in streets:
                raise InputError(f"{option} {text}: {street!r} is no street from here on: {', '.join(streets)}")
            for name in (street,) if colon else streets:
                tables[name][field] = [word.strip() for word in words.split(",") if word.strip()]
                if field == "bet":
                    tables[name].pop("donk", None)
    return tables


def _json(found: SpotSearch, limits: dict[str, Any]) -> dict[str, Any]:
    from counterpoise.spots.estimate import DEFAULT_TARGET

    return {
        "name": found.spot.name,
        "id": found.id,
        "start": found.start.id,
        "facing": found.facing,
        "searcher": found.searcher,
        "method": found.method,
        "algorithm": found.algorithm,
        "bits": found.bits,
        "pot": found.pot,
        "loss": found.loss,
        "loss_pct": found.loss_pct,
        "mean_loss": found.mean_loss,
        "mean_loss_pct": found.mean_loss_pct,
        "smallest_margin": found.smallest_margin,
        "mean_margin": found.mean_margin,
        "ev_before": found.ev_before,
        "ev_after": found.ev_after,
        "exploitability_pct": found.exploitability_pct,
        "target": DEFAULT_TARGET if not any(limits.values()) else limits["target"],
        "iterations": found.iterations,
        "seconds": found.seconds,
        "cpu_seconds": found.cpu_seconds,
        "memory_mb": found.memory_mb,
        "nodes": found.nodes,
        "reached": found.reached,
        "interrupted": found.interrupted,
        "trace": points(found.trace),
        "hands": [
            {
                "hand": hand.hand,
                "weight": hand.weight,
                "alternative": hand.alternative,
                "value": hand.value,
                "margin": hand.margin,
                "entry": hand.entry,
            }
            for hand in found.hands
        ],
    }


def _tell(found: SpotSearch, saved: Path | None) -> None:
    """Print the figures of a search and the hands that it treats worst."""
    worst = sorted(found.hands, key=lambda hand: hand.margin)[:WORST]
    opponent = "ip" if found.searcher == "oop" else "oop"
    lines = [
        (
            "can lose",
            _chips_of(found.loss, found.loss_pct) + f" more than the solution, to {worst[0].hand}" * (found.loss > 0),
        ),
        ("on average", _chips_of(found.mean_loss, found.mean_loss_pct)),
        (
            "margins",
            f"smallest {found.smallest_margin:+.3f}, mean {_signed(found.mean_margin)}  over the hands of {opponent}",
        ),
        ("EV before", _evs(found.ev_before)),
        ("EV after", _evs(found.ev_after) + ("  if every hand made the bet" if found.facing else "")),
        ("exploitability", f"{found.exploitability_pct:.3f} % of the pot in the game that was solved"),
        ("iterations", f"{found.iterations:,}"),
        ("time", f"{duration(found.seconds)}  (CPU {duration(found.cpu_seconds)})"),
        ("memory", f"{size(1e6 * found.memory_mb)} with {found.bits} bits, {found.nodes:,} nodes"),
    ]
    if found.facing:
        lines.insert(0, ("facing", f"{found.facing}, which the solution does not know"))
    if not found.reached:
        lines.append(("target", "not reached"))
    if found.interrupted:
        lines.append(("stopped", "by Ctrl-C"))
    if saved is not None:
        lines.append(("saved to", str(saved)))
    screen = console()
    for part in facts((found.spot.name or "spot", found.id, f"{found.method} for {found.searcher}"), lines):
        screen.print(part)
    rows = [(hand.hand, f"{hand.alternative:.3f}", f"{hand.value:.3f}", f"{hand.margin:+.3f}") for hand in worst]
    screen.print()
    screen.print(table((f"hand of {opponent}", "could win", "can win now", "margin"), rows, numbers=(1, 2, 3)))


def _chips_of(chips: float, percent: float) -> str:
    return "not known: no hand arrives" if math.isnan(chips) else f"{chips:.3f} chips ({percent:.2f} % of the pot)"


def _signed(chips: float) -> str:
    return "-" if math.isnan(chips) else f"{chips:+.3f}"


def _evs(ev: dict[str, float]) -> str:
    return ",  ".join(f"{player} " + ("-" if math.isnan(chips) else f"{chips:.3f}") for player, chips in ev.items())
