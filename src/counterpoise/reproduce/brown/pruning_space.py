"""BROWN figures 3.18 and 3.19 (TRBP figure 1): the memory that Total RBP needs on Leduc and Leduc-5.

Space is the number of regret and average entries stored, as a share of all of them. C decides when the average of a
pruned action is discarded: at a share of at most C / sqrt(t).
"""

from __future__ import annotations

from collections.abc import Iterator

from counterpoise.plots import Curve, Panel
from counterpoise.reproduce.brown.pruning import GAMES
from counterpoise.reproduce.harness.racing import race_to_nodes
from counterpoise.reproduce.harness.report import Claim, Declared, Figure, Figures, Lab, by_row
from counterpoise.reproduce.harness.runs import panel
from counterpoise.reproduce.harness.verdicts import Verdict, short
from counterpoise.solvers import TracePoint, TreeSolver, make_algorithm
from counterpoise.solvers.pruning.total_rbp import TotalRBPSolver
from counterpoise.tree import enumerate_game

LOW, HIGH = "CFR, C = 0.01", "CFR, C = 0.1"


def space(lab: Lab, name: str, nodes: float, saving: int) -> Iterator[Declared]:
    """Run CFR and RM+ with Total RBP, for several C."""
    game, known = GAMES[name], lab.published("pruning_space")
    shares = Figures(missing="{} was not run")  # histories touched, shares of regrets and of averages stored

    def watch(label: str, solver: TreeSolver, point: TracePoint) -> None:
        assert isinstance(solver, TotalRBPSolver)
        row = point.nodes_touched, solver.stored.regrets, solver.stored.averages
        shares.setdefault(label, []).append(row)

    runs = race_to_nodes(lab, game, lab.algorithms, nodes, watch=watch)
    lab.data["space"] = {label: shares.get(label, []) for label in lab.algorithms}

    def less(label: str) -> float:
        return float(2 / sum(shares[label][-1][1:]))

    def nash_conv(label: str) -> float:
        return runs.end(label).exploitability

    yield by_row(
        f"{name}: share of the entries stored at the end, and how many times less that is than all",
        ["algorithm", "regrets", "reference", "averages", "reference", "less in all", "published"],
        lab.algorithms,
        lambda label: shares[label][-1][1],
        lambda label: known[name].get(label, {}).get("regrets"),
        lambda label: shares[label][-1][2],
        lambda label: known[name].get(label, {}).get("averages"),
        less,
        lambda label: known["published"][name] if label.endswith("0.1") else None,
    )
    memory = by_row(
        f"{name}: NashConv and memory of the tables at the end",
        ["algorithm", "NashConv", "kilobytes", "at the start"],
        lab.algorithms,
        nash_conv,
        lambda label: runs.points(label)[-1].live_bytes / 1_000,
        lambda label: runs.points(label)[0].live_bytes / 1_000,
    )
    plain = short(make_algorithm("cfr").on(enumerate_game(game)).live_bytes / 1_000)
    memory.rows.append(["CFR without pruning", "-", plain, plain])
    yield memory

    def saves(label: str, wanted: float) -> Verdict:
        return less(label) >= wanted, f"{less(label):.2f} times less"

    def growing() -> Verdict:
        """Judge whether less is stored at the end than at half of the histories, and there than at a quarter."""
        rows, end = shares[LOW], shares[LOW][-1][0]
        near = [min(rows, key=lambda row: abs(row[0] - share * end)) for share in (0.25, 0.5, 1.0)]
        found = [0.5 * (regrets + averages) for _, regrets, averages in near]
        return found[0] > found[1] > found[2], ", then ".join(short(share) for share in found)

    def trades() -> Verdict:
        told = f"NashConv {short(nash_conv(LOW))} with 0.01, {short(nash_conv(HIGH))} with 0.1"
        return less(HIGH) >= less(LOW) and nash_conv(LOW) <= nash_conv(HIGH), told

    yield Claim("saving", saves, LOW, 1.25)
    yield Claim("saving-grows", growing)
    yield Claim("c-trades", trades)
    yield Claim("published-saving", saves, HIGH, 0.9 * saving)
    curves = {
        label: Curve([n for n, _, _ in rows], [0.5 * (regrets + averages) for _, regrets, averages in rows])
        for label, rows in shares.items()
    }
    stored = Panel(curves, title="space", x_label="histories touched", y_label="share of entries stored")
    yield Figure(f"Total RBP on {name}", [stored, panel(runs, "convergence", "nodes_touched", "NashConv")], columns=2)
