"""BROWN figures 3.18 and 3.19 (TRBP figure 1): the memory that Total RBP needs on Leduc and Leduc-5.

Space is the number of regret and average entries stored, as a share of all of them. C decides when the average of a
pruned action is discarded: at a share of at most C / sqrt(t).
"""

from __future__ import annotations

from collections.abc import Iterator

from counterpoise.plots import Curve, Panel
from counterpoise.reproduce.brown.pruning import NAMES
from counterpoise.reproduce.harness.experiment import Lab
from counterpoise.reproduce.harness.published import published
from counterpoise.reproduce.harness.racing import race_to_nodes
from counterpoise.reproduce.harness.report import Claim, Declared, Figure, NotMeasured, Table, Verdict, cell, short
from counterpoise.reproduce.harness.runs import panel
from counterpoise.solvers import TracePoint, TreeSolver, make_algorithm
from counterpoise.solvers.pruning.total_rbp import TotalRBPSolver
from counterpoise.tree import enumerate_game

CS = (0.0, 0.01, 0.1)
BASES = {"CFR": "cfr", "RM+": "cfr+(average=uniform)"}
ALGORITHMS = {f"{name}, C = {C:g}": f"{base}/total-rbp(C={C:g})" for name, base in BASES.items() for C in CS}
LOW, HIGH = "CFR, C = 0.01", "CFR, C = 0.1"


class _Shares(dict[str, list[tuple[int, float, float]]]):
    """Per label: histories touched, share of regrets and share of averages stored."""

    def end(self, label: str, column: int) -> float:
        if not self[label]:
            raise NotMeasured(f"{label} was not run")
        return self[label][-1][column]

    def saving(self, label: str) -> float:
        return 2 / (self.end(label, 1) + self.end(label, 2))

    def saves(self, label: str, wanted: float) -> Verdict:
        return self.saving(label) >= wanted, f"{self.saving(label):.2f} times less"

    def growing(self, label: str) -> Verdict:
        """Judge whether less is stored at the end than at half of the histories, and there than at a quarter."""
        end = self.end(label, 0)
        rows = [min(self[label], key=lambda row: abs(row[0] - share * end)) for share in (0.25, 0.5, 1.0)]
        found = [0.5 * (regrets + averages) for _, regrets, averages in rows]
        return found[0] > found[1] > found[2], ", then ".join(short(share) for share in found)


def space(lab: Lab, key: str, nodes: float, saving: int) -> Iterator[Declared]:
    """CFR and RM+ with Total RBP, for several C."""
    (name, game), known = NAMES[key], published("pruning_space")
    reference, shares = known[key], _Shares({label: [] for label in ALGORITHMS})

    def watch(label: str, solver: TreeSolver, point: TracePoint) -> None:
        assert isinstance(solver, TotalRBPSolver)
        shares[label].append((point.nodes_touched, solver.stored.regrets, solver.stored.averages))

    runs = race_to_nodes(lab, game, ALGORITHMS, nodes, watch=watch)
    lab.data["space"] = dict(shares)
    yield Table(
        f"{name}: share of the entries stored at the end, and how many times less that is than all",
        ["algorithm", "regrets", "reference", "averages", "reference", "less in all", "published"],
        [
            [
                label,
                cell(shares.end, label, 1),
                reference.get(label, {}).get("regrets"),
                cell(shares.end, label, 2),
                reference.get(label, {}).get("averages"),
                cell(shares.saving, label),
                known["published"][name] if label.endswith("0.1") else None,
            ]
            for label in ALGORITHMS
        ],
    )

    def nash_conv(label: str) -> float:
        return runs.end(label).exploitability

    def kilobytes(label: str, place: int) -> float:
        return runs.points(label)[place].live_bytes / 1_000

    plain = make_algorithm("cfr").on(enumerate_game(game)).live_bytes / 1_000
    yield Table(
        f"{name}: NashConv and memory of the tables at the end",
        ["algorithm", "NashConv", "kilobytes", "at the start"],
        [
            *([n, cell(nash_conv, n), cell(kilobytes, n, -1), cell(kilobytes, n, 0)] for n in ALGORITHMS),
            ["CFR without pruning", None, plain, plain],
        ],
    )
    yield Claim("saving", shares.saves, LOW, 1.25)
    yield Claim("saving-grows", shares.growing, LOW)

    def trades() -> Verdict:
        told = f"NashConv {short(nash_conv(LOW))} with 0.01, {short(nash_conv(HIGH))} with 0.1"
        return shares.saving(HIGH) >= shares.saving(LOW) and nash_conv(LOW) <= nash_conv(HIGH), told

    yield Claim("c-trades", trades)
    yield Claim("published-saving", shares.saves, HIGH, 0.9 * saving)
    space = {
        label: Curve([n for n, _, _ in rows], [0.5 * (regrets + averages) for _, regrets, averages in rows])
        for label, rows in shares.items()
        if rows
    }
    stored = Panel(space, title="space", x_label="histories touched", y_label="share of entries stored")
    yield Figure(f"Total RBP on {name}", [stored, panel(runs, "convergence", "nodes_touched", "NashConv")], columns=2)
