"""What `counterpoise spot` prints for people: figures, a node, its grid, its cards; and the node's part of the JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

from counterpoise.cli.options import Display
from counterpoise.cli.output import console, ended, number, print_summary, table
from counterpoise.errors import InputError
from counterpoise.progress import duration, memory_size

if TYPE_CHECKING:
    from counterpoise.spots import CardReport, Deal, Decision, Estimate, Solution, Spot, SpotSearch
    from counterpoise.spots.paths import SpotPlace


class NodeDisplay:
    """Which node of a solution to show, and how."""

    def __init__(self, node: str | None, display: Display) -> None:
        self.id = "r:0" if node is None else node
        self.grid, self.cards, self.plot = display.grid, display.cards, display.plot
        self.named = node is not None
        self.wanted = self.named or display.grid

    def check(self, given: Spot) -> None:
        """Refuse, before it is solved, a node that the spot does not have, or that cannot be shown as asked."""
        from counterpoise.spots.paths import find

        self._check_place(find(given, self.id)[-1])

    def check_at(self, first: str, find_place: Callable[[str], SpotPlace]) -> None:
        """Refuse a node that strategies from `first` on do not have; without a name, `first` is shown."""
        self.id, self.wanted = self.id if self.named else first, True
        self._check_place(find_place(self.id), len(find_place(first).steps))

    def _check_place(self, place: SpotPlace, begin: int = 0) -> None:
        if self.cards:
            from counterpoise.spots.card_report import last_deal

            if last_deal(place) < begin:
                raise InputError(f"--cards makes no sense here: the search begins after the last deal of {place.id!r}")
        if self.grid and place.dealing:
            raise InputError(f"--grid makes no sense here: node {place.id!r} deals a card, and nobody acts there")


Columns = Mapping[str, Callable[[dict[str, Any]], str]]
"""What a table of spots shows: a head and how to write a figure of the JSON below it; the name comes first."""

ESTIMATED_COLUMNS: Columns = {
    "spot": lambda answer: answer["name"],
    "nodes": lambda answer: f"{answer['nodes']:,}",
    "32 bits": lambda answer: memory_size(1e6 * answer["memory_mb"]["32"]),
    "16 bits": lambda answer: memory_size(1e6 * answer["memory_mb"]["16"]),
    "expected CPU": lambda answer: duration(answer["cpu_seconds"]),
}
SOLVED_COLUMNS: Columns = {
    "spot": lambda answer: answer["name"],
    "EV oop": lambda answer: number(answer["ev"]["oop"]),
    "EV ip": lambda answer: number(answer["ev"]["ip"]),
    "exploitability": lambda answer: f"{answer['exploitability_pct']:.3f} %",
    "iterations": lambda answer: f"{answer['iterations']:,}",
    "CPU": lambda answer: duration(answer["cpu_seconds"]),
    "memory": lambda answer: memory_size(1e6 * answer["memory_mb"]),
}


def spots_table(answers: list[dict[str, Any]], columns: Columns) -> Table:
    """Return one line per spot."""
    rows = [[write(answer) for write in columns.values()] for answer in answers]
    return table(tuple(columns), rows, numbers=range(1, len(columns)))


def solution_line(answer: dict[str, Any]) -> str:
    """Return one solved spot of many in a sentence."""
    return (
        f"{answer['name']}: EV oop {number(answer['ev']['oop'])}, ip {number(answer['ev']['ip'])}, exploitability "
        f"{answer['exploitability_pct']:.3f} % after {answer['iterations']:,} iterations"
    )


def estimate_line(found: Estimate) -> str:
    """Return size, memory and expected time in one line."""
    return (
        f"{found.name or 'spot'}: {found.nodes:,} nodes, {memory_size(1e6 * found.memory_mb[32])} with 32 bits, "
        f"{memory_size(1e6 * found.memory_mb[16])} with 16 ({memory_size(1e6 * found.available_mb)} may be used), "
        f"about {duration(found.cpu_seconds)} of CPU to {found.target:g} % of the pot"
    )


def node_json(solution: Solution | SpotSearch, display: NodeDisplay) -> dict[str, Any]:
    """Return the node that is looked at for JSON; draw the plot."""
    answer: dict[str, Any] = {}
    node = solution.node(display.id)
    if display.wanted:
        answer["node"] = node.to_json()
    report = node.over_cards() if display.cards and node.pair_mass > 0 else None
    if display.cards:
        answer["cards"] = None if report is None else report.to_rows()
    if display.plot is not None:
        answer["plot"] = _draw(node, report, display)
    return answer


def tell(solution: Solution, out: Path | None, resumable: bool) -> None:
    """Print the figures of a solution, where it was saved and, if so, that it can be resumed."""
    summary = solution.summary()._replace(columns=(), rows=())  # the root is shown as the node that is looked at
    print_summary(summary, ended(solution, out, resumable))


def show(solution: Solution | SpotSearch, display: NodeDisplay, before: dict[str, float] | None = None) -> None:
    """Print the node that is looked at, beside the frequencies `before` if they are given; draw the plot."""
    from counterpoise.spots import Decision

    screen = console()
    node = solution.node(display.id)
    screen.print()
    never = "" if node.reached else ", never reached"
    if isinstance(node, Decision):
        screen.print(f"{node.id}  {node.board}  {node.player.upper()} to act, pot {node.pot:,}{never}", markup=False)
        screen.print(_frequencies(node, before))
    else:
        screen.print(f"{node.id}  {node.board}  pot {node.pot:,}: a card is dealt ({len(node.cards)} may come){never}")
    if display.grid and isinstance(node, Decision):
        screen.print()
        screen.print(node.grid() if screen.color_system else str(node.grid()), markup=False)
    report = node.over_cards() if display.cards and node.pair_mass > 0 else None
    if report is not None:
        _show_cards(report)
    if display.plot is not None:
        drawn = _draw(node, report, display)
        screen.print(f"plot: {drawn or 'none, as the node is never reached'}", markup=False)


def _frequencies(node: Decision, before: dict[str, float] | None) -> Table:
    """Return the actions of a node, how often they are taken, how often they were before, and what they are worth."""
    from counterpoise.betting.sizes import read_label
    from counterpoise.betting.words import describe

    worth, now = node.action_evs(), node.frequencies
    rows = []
    for name in sorted({*now, *(before or ())}, key=read_label):
        words = describe(read_label(name), node.place.state, node.spot.betting)
        row = [name, words, _share(now, name)] + ([] if before is None else [_share(before, name)])
        value = f"{worth[name] + 0.0:.2f}".replace("-0.00", "0.00") if name in worth else "-"
        rows.append([*row, _or_dash(value)])
    heads = ["id", "action", "frequency", *([] if before is None else ["before"]), "EV"]
    return table(heads, rows, numbers=range(2, len(heads)))


def _share(frequencies: dict[str, float], name: str) -> str:
    return _or_dash(f"{100 * frequencies[name]:.1f} %") if name in frequencies else "-"


def _or_dash(figure: str) -> str:
    """Return a dash for what is not known."""
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


def _draw(node: Decision | Deal, report: CardReport | None, display: NodeDisplay) -> Path | None:
    """Draw the grid or the cards; return None for an unreachable node, which has no cards to draw."""
    from counterpoise.spots import Decision

    assert display.plot is not None
    if report is not None:
        return report.plot(display.plot)
    if isinstance(node, Decision) and not display.cards:
        return node.plot_grid(display.plot)
    return node.plot_over_cards(display.plot) if node.pair_mass > 0 else None
