"""What `counterpoise spot` prints: figures, a node, its grid, its cards; for people and as JSON."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

from counterpoise.cli.jobs import trace_json
from counterpoise.cli.output import console, facts, number, size, table
from counterpoise.errors import InputError
from counterpoise.progress import duration

if TYPE_CHECKING:
    from counterpoise.spots import CardReport, Deal, Decision, Estimate, Solution, Spot, SpotSearch
    from counterpoise.spots.paths import Place


class Look:
    """What to show of a solution."""

    def __init__(self, node: str | None, grid: bool, cards: bool, plot: Path | None) -> None:
        self.id, self.grid, self.cards, self.plot = "r:0" if node is None else node, grid, cards, plot
        self.named = node is not None
        self.wanted = self.named or grid

    def check(self, given: Spot) -> None:
        """Refuse, before it is solved, a node that the spot does not have, or that cannot be shown as asked."""
        from counterpoise.spots.engine import find_place

        self._check_place(find_place(given, self.id))

    def check_at(self, first: str, find_place: Callable[[str], Place]) -> None:
        """The same for strategies that begin at a node; without a name that is the one to look at."""
        self.id, self.wanted = self.id if self.named else first, True
        self._check_place(find_place(self.id), len(find_place(first).steps))

    def _check_place(self, place: Place, begin: int = 0) -> None:
        from counterpoise.spots.card_report import last_deal
        from counterpoise.spots.paths import DEALING

        if self.cards and last_deal(place) < begin:
            raise InputError(f"--cards makes no sense here: the search begins after the last deal of {place.id!r}")
        if self.grid and place.decision == DEALING:
            raise InputError(f"--grid makes no sense here: node {place.id!r} deals a card, and nobody acts there")


def estimates_table(answers: list[dict[str, Any]]) -> Table:
    """One line per estimated spot."""
    rows = [
        (
            answer["name"],
            f"{answer['nodes']:,}",
            size(1e6 * answer["memory_mb"]["32"]),
            size(1e6 * answer["memory_mb"]["16"]),
            duration(answer["cpu_seconds"]),
        )
        for answer in answers
    ]
    return table(("spot", "nodes", "32 bits", "16 bits", "expected CPU"), rows, numbers=range(1, 5))


def solutions_table(answers: list[dict[str, Any]]) -> Table:
    """One line per solved spot."""
    rows = [
        (
            answer["name"],
            number(answer["ev"]["oop"]),
            number(answer["ev"]["ip"]),
            f"{answer['exploitability_pct']:.3f} %",
            f"{answer['iterations']:,}",
            duration(answer["cpu_seconds"]),
            size(1e6 * answer["memory_mb"]),
        )
        for answer in answers
    ]
    heads = ("spot", "EV oop", "EV ip", "exploitability", "iterations", "CPU", "memory")
    return table(heads, rows, numbers=range(1, 7))


def solution_line(answer: dict[str, Any]) -> str:
    """One solved spot of many in a sentence."""
    return (
        f"{answer['name']}: EV oop {number(answer['ev']['oop'])}, ip {number(answer['ev']['ip'])}, exploitability "
        f"{answer['exploitability_pct']:.3f} % after {answer['iterations']:,} iterations"
    )


def estimate_line(given: Spot, found: Estimate) -> str:
    """Size, memory and expected time in one line."""
    return (
        f"{given.name or 'spot'}: {found.nodes:,} nodes, {size(1e6 * found.memory_mb[32])} with 32 bits, "
        f"{size(1e6 * found.memory_mb[16])} with 16 ({size(1e6 * found.available_mb)} may be used), "
        f"about {duration(found.cpu_seconds)} of CPU to {found.target:g} % of the pot"
    )


def estimate_json(given: Spot, found: Estimate) -> dict[str, Any]:
    """An estimate for JSON."""
    return {
        "name": given.name,
        "nodes": found.nodes,
        "memory_mb": {str(choice): amount for choice, amount in found.memory_mb.items()},
        "available_mb": found.available_mb,
        "bits": found.bits,
        "target": found.target,
        "iterations": found.iterations,
        "cpu_seconds": found.cpu_seconds,
    }


def solution_json(solution: Solution) -> dict[str, Any]:
    """The figures of a solution for JSON."""
    root = solution.root
    return {
        "name": solution.spot.name,
        "board": solution.spot.board,
        "algorithm": solution.algorithm,
        "bits": solution.bits,
        "ev": solution.ev,
        "exploitability_pct": solution.exploitability_pct,
        "iterations": solution.iterations,
        "warm_iterations": solution.warm_iterations,
        "seconds": solution.seconds,
        "cpu_seconds": solution.cpu_seconds,
        "memory_mb": solution.memory_mb,
        "nodes": solution.nodes,
        "root": {"actions": list(root.actions), "frequencies": list(root.frequencies.values())},
        "reached": solution.reached,
        "interrupted": solution.interrupted,
        "trace": trace_json(solution.trace),
    }


def look_json(solution: Solution | SpotSearch, look: Look) -> dict[str, Any]:
    """The node that is looked at for JSON; draws the plot."""
    from counterpoise.spots import Decision

    answer: dict[str, Any] = {}
    node = solution.node(look.id)
    if look.wanted:
        answer["node"] = {"id": node.id, "board": node.board, "player": node.player, "pot": node.pot}
        answer["node"]["reached"] = node.reached
        if isinstance(node, Decision):
            answer["node"] |= {
                "actions": list(node.actions),
                "frequencies": list(node.frequencies.values()),
                "ev": {"oop": node.ev(player="oop"), "ip": node.ev(player="ip")},
                "equity": {"oop": node.equity(player="oop"), "ip": node.equity(player="ip")},
                "hands": node.rows(),
            }
        else:
            answer["node"] |= {"cards": node.cards}
    report = node.over_cards() if look.cards and node.pair_mass > 0 else None
    if look.cards:
        answer["cards"] = None if report is None else report.to_rows()
    if look.plot is not None:
        answer["plot"] = _draw(node, report, look)
    return {key: known(value) for key, value in answer.items()}


def known(answer: Any) -> Any:
    """The same with null for what is not known."""
    if isinstance(answer, dict):
        return {key: known(value) for key, value in answer.items()}
    if isinstance(answer, list):
        return [known(value) for value in answer]
    return None if isinstance(answer, float) and math.isnan(answer) else answer


def tell(solution: Solution, saved: Path | None) -> None:
    """Print the figures of a solution."""
    given = solution.spot
    worth = f", of which the warm start is worth {solution.warm_iterations:,}" if solution.warm_iterations else ""
    lines = [
        ("EV", f"oop {solution.ev['oop']:.3f},  ip {solution.ev['ip']:.3f}  of {given.pot:,} chips"),
        ("exploitability", f"{solution.exploitability_pct:.3f} % of the pot"),
        ("iterations", f"{solution.iterations:,}{worth}"),
        ("time", f"{duration(solution.seconds)}  (CPU {duration(solution.cpu_seconds)})"),
        ("memory", f"{size(1e6 * solution.memory_mb)} with {solution.bits} bits, {solution.nodes:,} nodes"),
    ]
    if not solution.reached:
        lines.append(("target", "not reached"))
    if solution.interrupted:
        lines.append(("stopped", "by Ctrl-C" + ("" if saved is None else f"; --resume {saved} goes on from here")))
    if saved is not None:
        lines.append(("saved to", str(saved)))
    for part in facts((given.name or "spot", given.board, solution.algorithm), lines):
        console().print(part)


def show(solution: Solution | SpotSearch, look: Look, before: dict[str, float] | None = None) -> None:
    """Print the node that is looked at, beside the frequencies `before`, if there are; draws the plot."""
    from counterpoise.spots import Decision

    screen = console()
    node = solution.node(look.id)
    screen.print()
    never = "" if node.reached else ", never reached"
    if isinstance(node, Decision):
        screen.print(f"{node.id}  {node.board}  {node.player.upper()} to act, pot {node.pot:,}{never}", markup=False)
        screen.print(_frequencies(node, before))
    else:
        screen.print(f"{node.id}  {node.board}  pot {node.pot:,}: a card is dealt ({len(node.cards)} may come){never}")
    if look.grid and isinstance(node, Decision):
        screen.print()
        screen.print(node.grid() if screen.color_system else str(node.grid()), markup=False)
    report = node.over_cards() if look.cards and node.pair_mass > 0 else None
    if report is not None:
        _show_cards(report)
    if look.plot is not None:
        drawn = _draw(node, report, look)
        screen.print(f"plot: {drawn or 'none, as the node is never reached'}", markup=False)


def _frequencies(node: Decision, before: dict[str, float] | None) -> Table:
    """The actions of a node, how often they are taken and what they are worth; and how often they were before."""
    from counterpoise.betting.words import action_of, describe

    worth, now = node.action_evs(), node.frequencies
    rows = []
    for name in sorted({*now, *(before or ())}, key=action_of):
        words = describe(action_of(name), node.place.state, node.spot.betting)
        row = [name, words, _share(now, name)] + ([] if before is None else [_share(before, name)])
        value = f"{worth[name] + 0.0:.2f}".replace("-0.00", "0.00") if name in worth else "-"
        rows.append([*row, _or_dash(value)])
    heads = ["id", "action", "frequency", *([] if before is None else ["before"]), "EV"]
    return table(heads, rows, numbers=range(2, len(heads)))


def _share(frequencies: dict[str, float], name: str) -> str:
    return _or_dash(f"{100 * frequencies[name]:.1f} %") if name in frequencies else "-"


def _or_dash(figure: str) -> str:
    """A dash for what is not known."""
    return "-" if figure.startswith("nan") else figure


def _show_cards(report: CardReport) -> None:
    rows = [
        (
            row.card,
            *(f"{100 * row.frequencies[action]:.1f} %" for action in report.actions),
            *(number(row.ev[player]) for player in ("oop", "ip")),
            *(f"{100 * row.equity[player]:.1f} %" for player in ("oop", "ip")),
        )
        for row in report.rows
    ]
    heads = ("card", *report.action_names, "EV oop", "EV ip", "equity oop", "equity ip")
    console().print(table(heads, rows, numbers=range(1, len(heads))))


def _draw(node: Decision | Deal, report: CardReport | None, look: Look) -> Path | None:
    """Draw the grid or the cards; there are none to draw where nobody comes."""
    from counterpoise.spots import Decision

    assert look.plot is not None
    if report is not None:
        return report.plot(look.plot)
    if isinstance(node, Decision) and not look.cards:
        return node.plot_grid(look.plot)
    return node.plot_over_cards(look.plot) if node.pair_mass > 0 else None
