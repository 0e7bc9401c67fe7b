"""BROWN figures 3.18 and 3.19 (TRBP figure 1): the memory that Total RBP needs on Leduc and Leduc-5.

Space is the number of regret and average entries stored, as a share of all of them. C decides when the average of a
pruned action is discarded: at a share of at most C / sqrt(t).
"""

from __future__ import annotations

from collections.abc import Mapping

from counterpoise.plots import Panel, panels
from counterpoise.plots.panels import Curve
from counterpoise.reproduce.base import NotMeasured, Report, Setup, Table, experiment
from counterpoise.reproduce.by_nodes import NodeRace, race_to_nodes
from counterpoise.reproduce.race import REFERENCE_NOTE, evenly, measured, short
from counterpoise.solvers import TracePoint, TreeSolver, make_algorithm
from counterpoise.solvers.pruning.total_rbp import TotalRBPSolver
from counterpoise.tree import enumerate_game

CS = (0.0, 0.01, 0.1)
BASES = {"CFR": "cfr", "RM+": "cfr+(average=uniform)"}
ALGORITHMS = {f"{name}, C = {C:g}": f"{base}/total-rbp(C={C:g})" for name, base in BASES.items() for C in CS}

# label -> (regrets, averages) of an independent computation, as shares.
LEDUC = {"CFR, C = 0.01": (0.87, 0.70), "CFR, C = 0.1": (0.87, 0.60)}
LEDUC5 = {"CFR, C = 0.01": (0.71, 0.49), "CFR, C = 0.1": (0.71, 0.39), "RM+, C = 0": (0.66, None)}

SPACE_NOTE = (
    "Total RBP keeps more per entry than CFR without pruning does (where an entry is, when it is looked at again), so "
    "its tables begin larger: the share of entries is what the source measures, the kilobytes are what a user gets."
)


@experiment(
    "brown-3.18-leduc-space",
    "Memory of Total RBP on Leduc",
    "BROWN 3.5.4, figure 3.18; TRBP figure 1",
    seconds=10,
    budget=True,
)
def space_leduc(setup: Setup, report: Report, nodes: float = 6.4e7) -> None:
    """CFR and RM+ with Total RBP, for several C."""
    _space(setup, report, "Leduc", "leduc_poker", nodes, "2", LEDUC)


@experiment(
    "brown-3.19-leduc5-space",
    "Memory of Total RBP on Leduc-5",
    "BROWN 3.5.4, figure 3.19; TRBP figure 1",
    seconds=120,
    budget=True,
)
def space_leduc5(setup: Setup, report: Report, nodes: float = 2e8) -> None:
    """As on Leduc."""
    _space(setup, report, "Leduc-5", "leduc5", nodes, "7 (C = 0.1; RM+: 7, TRBP 10)", LEDUC5)


Shares = dict[str, list[tuple[int, float, float]]]
"""Per label: histories touched, share of regrets and share of averages stored."""


def _space(
    setup: Setup,
    report: Report,
    name: str,
    game: str,
    nodes: float,
    published: str,
    reference: Mapping[str, tuple[float | None, float | None]],
) -> None:
    shares: Shares = {label: [] for label in ALGORITHMS}

    def watch(label: str, solver: TreeSolver, point: TracePoint) -> None:
        assert isinstance(solver, TotalRBPSolver)
        stored = solver.stored
        shares[label].append((point.nodes_touched, stored.regrets, stored.averages))

    contest = race_to_nodes(setup, report, game, ALGORITHMS, nodes, watch=watch)
    report.data["space"] = shares
    plain = short(make_algorithm("cfr").on(enumerate_game(game)).live_bytes / 1_000)
    report.tables.append(
        Table(
            f"{name}: share of the entries stored at the end, and how many times less that is than all",
            ["algorithm", "regrets", "reference", "averages", "reference", "less in all", "published"],
            [
                [
                    label,
                    measured(_last, shares, label, 1),
                    short(reference.get(label, (None, None))[0]),
                    measured(_last, shares, label, 2),
                    short(reference.get(label, (None, None))[1]),
                    measured(_saving, shares, label),
                    published if label.endswith("0.1") else "-",
                ]
                for label in ALGORITHMS
            ],
        )
    )
    report.tables.append(
        Table(
            f"{name}: NashConv and memory of the tables at the end",
            ["algorithm", "NashConv", "kilobytes", "at the start"],
            [
                [
                    label,
                    measured(_nash_conv, contest, label),
                    measured(_kilobytes, contest, label, -1),
                    measured(_kilobytes, contest, label, 0),
                ]
                for label in ALGORITHMS
            ]
            + [["CFR without pruning", "-", plain, plain]],
        )
    )
    report.judge(
        "Space falls with C > 0 (total saving of 20 % or more)",
        lambda: (_saving(shares, "CFR, C = 0.01") >= 1.25, f"{_saving(shares, 'CFR, C = 0.01'):.2f} times less"),
    )
    report.judge(
        "The saving goes on growing",
        lambda: _growing(shares, "CFR, C = 0.01"),
    )
    report.judge(
        "A higher C saves space sooner, a lower C converges faster",
        lambda: (
            _saving(shares, "CFR, C = 0.1") >= _saving(shares, "CFR, C = 0.01")
            and _nash_conv(contest, "CFR, C = 0.01") <= _nash_conv(contest, "CFR, C = 0.1"),
            f"NashConv {short(_nash_conv(contest, 'CFR, C = 0.01'))} with 0.01, "
            f"{short(_nash_conv(contest, 'CFR, C = 0.1'))} with 0.1",
        ),
    )
    wanted = 2 if name == "Leduc" else 7
    report.judge(
        f"Space falls to {'about half' if wanted == 2 else 'a seventh'} with C = 0.1",
        lambda: (_saving(shares, "CFR, C = 0.1") >= 0.9 * wanted, f"{_saving(shares, 'CFR, C = 0.1'):.2f} times less"),
    )
    report.notes += [REFERENCE_NOTE, SPACE_NOTE]
    _draw(setup, report, name, contest, shares)


def _draw(setup: Setup, report: Report, name: str, contest: NodeRace, shares: Shares) -> None:
    if setup.out is None or not contest.runs:
        return
    space = {
        label: Curve([n for n, _, _ in rows], [0.5 * (regrets + averages) for _, regrets, averages in rows])
        for label, rows in shares.items()
        if rows
    }
    convergence = {
        label: Curve([p.nodes_touched for p in even], [p.exploitability for p in even])
        for label, run in contest.runs.items()
        for even in [evenly(run.trace)]
    }
    setup.out.mkdir(parents=True, exist_ok=True)
    parts = [
        Panel(space, title="space", x_label="histories touched", y_label="share of entries stored"),
        Panel(convergence, title="convergence", x_label="histories touched", y_label="NashConv"),
    ]
    report.figures.append(panels(parts, setup.out / f"{report.id}.png", title=f"Total RBP on {name}", columns=2))


def _last(shares: Shares, label: str, column: int) -> float:
    if not shares[label]:
        raise NotMeasured(f"{label} was not run")
    return shares[label][-1][column]


def _total(row: tuple[int, float, float]) -> float:
    return 0.5 * (row[1] + row[2])


def _saving(shares: Shares, label: str) -> float:
    _last(shares, label, 0)
    return 1 / _total(shares[label][-1])


def _growing(shares: Shares, label: str) -> tuple[bool, str]:
    """Whether less is stored at the end than at half of the histories, and there than at a quarter."""
    end = _last(shares, label, 0)
    found = [_total(min(shares[label], key=lambda row: abs(row[0] - share * end))) for share in (0.25, 0.5, 1.0)]
    return found[0] > found[1] > found[2], ", then ".join(short(share) for share in found)


def _nash_conv(contest: NodeRace, label: str) -> float:
    return contest.trace(label)[-1].exploitability


def _kilobytes(contest: NodeRace, label: str, place: int) -> float:
    return contest.trace(label)[place].live_bytes / 1_000
