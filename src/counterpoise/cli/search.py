"""`counterpoise search`: solve a node of a saved solution again, safely, with other bets or after an unknown one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from counterpoise.cli.app import MISSED, command, complain
from counterpoise.cli.options import (
    JSON,
    Display,
    SpotLimitOptions,
    argument,
    check_results,
    check_spot_out,
    command_progress,
    flag,
    option,
    percent,
    real_number,
    refuse,
)
from counterpoise.cli.output import leave, print_json
from counterpoise.cli.search_output import tell_put, tell_search
from counterpoise.cli.spot_output import NodeDisplay, node_json, show
from counterpoise.errors import InputError
from counterpoise.parameters import shown
from counterpoise.progress import cancel_on_interrupt
from counterpoise.store.files import check_writable
from counterpoise.store.json import plain_json

if TYPE_CHECKING:
    from counterpoise.spots import Solution, SpotSearch

NO_BETS = "none"
EVERY_STREET = ""
"""The street of sizes that name none."""


@dataclass(frozen=True)
class SearchOptions:
    """The options of `counterpoise search` that say what is solved."""

    node: str | None = option("--node ID", "Where to search, such as r:0:c. Default: the first decision.")
    searcher: str | None = option("--searcher oop|ip", "Who gets a new strategy. Default: who acts at the node.")
    facing: str | None = option(
        "--facing CHIPS",
        "Answer a bet or raise that the solution does not know, by the player who acts at the node: chips put "
        "in on this street (a bet of 40, a raise to 40).",
    )
    bet: list[str] | None = option(
        "--bet SIZES",
        "The searcher's bet sizes from the node on, such as 33%,75%,allin; river:50%,allin for one street, "
        "river:none for no bets there. May be repeated. The opponent has them too, and keeps its own.",
    )
    raises: list[str] | None = option("--raise SIZES", "Raise sizes, in the same way. Default: those of the solution.")
    method: str | None = option(
        "--method NAME",
        "resolve (no hand of the opponent wins more than before), maxmargin (the smallest loss of its "
        "hands is made as large as possible), distributional (a little more for some hands, if others lose more) "
        "or unsafe (trusts the opponent's range). Default: resolve.",
    )
    spread: float | None = option(
        "--spread PCT", "For distributional: how much is a little, in per cent of the pot, such as 2%.", percent
    )
    gifts: str | None = option(
        "--gifts lower|exact",
        "Let each hand of the opponent win back what it gave up on its way here: compared with folds and last "
        "calls, or with all its actions.",
    )
    gift_scale: float | None = option(
        "--gift-scale X", "X times the gifts; above 1 without a guarantee. Default: 1.", real_number
    )

    @property
    def asked(self) -> bool:
        """Whether anything is to be searched."""
        return any(value is not None and value != [] for value in vars(self).values())

    def arguments(self, solution: Solution | SpotSearch) -> dict[str, Any]:
        """Return the arguments of `search_spot` besides the solution."""
        node = solution.first if self.node is None else self.node
        given = {name: getattr(self, name) for name in ("method", "spread", "gifts", "gift_scale")}
        sizes = _sizes(solution, node, self.bet or [], self.raises or [])
        return {"node": node, "searcher": self.searcher, "facing": self.facing, "sizes": sizes} | {
            name: value for name, value in given.items() if value is not None
        }


@command(
    """
    search turn.cpz --node r:0:c --bet 33%,75%,150%
    search turn.cpz --node r:0:c --into turn.cpz
    search turn.cpz --node r:0:c --facing 80 --out answer.cpz
    search answer.cpz --look r:0:c:b80:c:8h --grid
    search answer.cpz --node r:0:c:b80:c:8h:c --facing 120
    search turn.cpz --node r:0:b50 --bet river:33%,allin --raise allin --searcher ip --json
    """
)
def search(
    options: SearchOptions,
    limits: SpotLimitOptions,
    display: Display,
    file: Path = argument(
        "FILE",
        "A solution that `counterpoise spot` has saved (.cpz), or an earlier search to look at or to search further.",
        required=True,
    ),
    look: str | None = option("--look ID", "Show this node of the new strategies instead of their first."),
    out: Path | None = option("--out -o FILE", "Save what is found here (.cpz), also after Ctrl-C."),
    into: Path | None = option(
        "--into FILE",
        "Put what is found into this solution (.cpz) and save it: the searcher plays the new strategy there. Only a "
        "search that is safe and that ended by itself is put in.",
    ),
    force: bool = flag("--force", "With --into: put in also what is not safe, or what Ctrl-C ended."),
    json: bool = JSON,
) -> None:
    """Solve a node of a saved solution again for one player, and say whether that is safe.

    The new strategy may use other bet sizes or answer a bet that the solution does not know. It is safe if the hands of
    the opponent can win no more against it than against the old one, but for half a per cent of the pot. A saved search
    is shown again, or searched further if one of the options up to --gift-scale is given. Exit code 0 = done, safe or
    not, 1 = target not reached, interrupted or not put in, 2 = wrong input.
    """
    from counterpoise.spots import SpotSearch, load_searchable, search_spot

    check_results(display.plot, out=out, into=into)
    check_spot_out(out, file)
    shown = NodeDisplay(look, display)
    if into is None:
        refuse("there is no --into", force=force)
    target = None if into is None else _solution_to_change(into, options)
    solution = load_searchable(file)
    if isinstance(solution, SpotSearch) and not options.asked:
        refuse(f"{file} is a search: it is only shown, unless --node or --bet say what to search", limits, out=out)
        found = solution
        shown.check_at(found.first, lambda id: found.places(id)[-1])
    else:
        found = search_spot(
            solution,
            **options.arguments(solution),
            **vars(limits),
            checkpoint=out,
            progress=command_progress(json, show_eta=limits.show_eta),
            on_request=lambda request: shown.check_at(request.start.id, request.find_place),
        )
    changed, trouble = (None, "") if target is None or into is None else _put_into(found, target, into, force)
    if json:
        put = {} if target is None else {"into": changed}
        saved = out if found.unsaved is None else None
        print_json(found.to_json() | node_json(found, shown) | {"out": saved} | put)
    else:
        tell_search(found, out)
        show(found, shown, found.frequencies_before if shown.id == found.first else None)
        if changed is not None:
            tell_put(found, into, changed)
    if trouble:
        complain(trouble)
    leave(found, "what was found", out)
    if trouble:
        raise typer.Exit(MISSED)


def _solution_to_change(path: Path, options: SearchOptions) -> Solution:
    """Return the solution that a search is to be put into, before any work."""
    from counterpoise.spots import load_solution

    if options.facing is not None:
        raise InputError(
            f"--into {path}: no solution has a bet that it does not know, so an answer to one cannot be put in"
        )
    found = load_solution(path)
    check_writable(path)
    return found


def _put_into(found: SpotSearch, solution: Solution, path: Path, force: bool) -> tuple[dict[str, Any] | None, str]:
    """Save the solution with the search in it and return its figures; or None, and why it was not done.

    Whatever goes wrong, the search itself must not be lost before it has been shown.
    """
    from counterpoise.spots.put_back import guarantee_in

    if not force and (found.interrupted or not found.safe):
        why = "Ctrl-C ended it" if found.interrupted else "it is not safe"
        return None, f"the search was not put into {path}, because {why}: --force puts it in all the same"
    try:
        changed = found.put_into(solution)
        with cancel_on_interrupt():
            changed.save(path)
    except Exception as error:
        return None, f"the search could not be put into {path}: {str(error) or type(error).__name__}"
    figures = {
        "file": path,
        "guarantee": guarantee_in(found, solution),
        "exploitability_pct": changed.exploitability_pct,
    }
    return {name: plain_json(figure) for name, figure in figures.items()}, ""


def _sizes(
    solution: Solution | SpotSearch, node: str, bet: list[str], raises: list[str]
) -> dict[str, dict[str, Any]] | None:
    """Return tables of sizes by street, those that the options do not name as in the solution."""
    from counterpoise.betting.sizes import STREETS

    if not bet and not raises:
        return None
    streets = STREETS[solution.places(node)[-1].state.round :]
    tables: dict[str, dict[str, Any]] = {street: dict(solution.size_tables[street]) for street in streets}
    for field, given in (("bet", bet), ("raise", raises)):
        named = _by_street(field, given, streets)
        everywhere = named.get(EVERY_STREET)
        for street in streets:
            sizes = named.get(street, everywhere)
            if sizes is not None:
                tables[street][field] = sizes
    return tables


def _by_street(field: str, given: list[str], streets: tuple[str, ...]) -> dict[str, list[str]]:
    """Return what an option says for each street that it names, and for all."""
    found: dict[str, list[str]] = {}
    for text in given:
        street, colon, words = text.rpartition(":")
        if colon and street not in streets:
            raise InputError(
                f"--{field} {shown(text)}: {shown(street)} is no street from here on: {', '.join(streets)}"
            )
        sizes = [word.strip() for word in words.split(",")]
        if not all(sizes):
            raise InputError(f"--{field} {shown(text)} lacks a size: write 50%,allin, or {NO_BETS} for no {field}s")
        if NO_BETS in sizes and len(sizes) > 1:
            raise InputError(f"--{field} {shown(text)}: {NO_BETS} is for no {field}s at all, without other sizes")
        if street in found:
            where = f"for the {street}" if street else "for all streets"
            raise InputError(f"--{field} is given twice {where}: write all sizes in one, as in 50%,allin")
        found[street] = [] if sizes == [NO_BETS] else sizes
    return found
