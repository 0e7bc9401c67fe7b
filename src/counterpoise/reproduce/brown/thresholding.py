"""Brown 2020, figures 3.16 and 3.17: EGT, Hedge, regret matching and CFR+, and dynamic thresholding with and without
pruning.

The excessive gap technique takes three gradients a step where CFR takes two, so iterations do not compare; the
histories that a method has touched do. Figures with thresholding are NashConv, those without it exploitability.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from counterpoise.reproduce.harness.racing import race, race_to_nodes
from counterpoise.reproduce.harness.report import Claim, Declared, Lab, by_row
from counterpoise.reproduce.harness.runs import Runs, by_millions, convergence
from counterpoise.reproduce.harness.verdicts import PlainVerdict, Verdict, at_least, less, listed, short, times

EGT, EGT_CUT = "EGT", "EGT, thresholded"
HEDGE, HEDGE_RBP = "Hedge", "Hedge, thresholded, RBP"
RM, RM_CUT, RM_RBP, PLUS = "RM, partial pruning", "RM, thresholded", "RM, RBP", "CFR+, partial pruning"
PLAIN_HEDGE, PLAIN_RM, CFR_PLUS = "CFR, Hedge", "CFR, regret matching", "CFR+"
MILLIONS = {"Leduc": (1.0, 5.0, 20.0), "Leduc-5": (20.0, 70.0, 200.0)}
PLAIN_MILLIONS = {"Leduc": (0.1, 1.0, 10.0), "Leduc-5": (10.0, 100.0, 500.0)}


def first_order(lab: Lab, leduc5_iterations: int = 1_000) -> Iterator[Declared]:
    """Draw the curves of the figure that need neither dynamic thresholding nor regret-based pruning."""
    leduc = _race(lab, "leduc_poker", iterations=4_000, steps=3_162)
    five = _race(lab, "leduc5", iterations=leduc5_iterations, steps=7 * leduc5_iterations // 10)
    games = {"Leduc": leduc, "Leduc-5": five}
    known = lab.published("first_order")["reference"]
    rows = [(label, t) for label, figures in known.items() for t in figures]
    columns = {"ours": (leduc.at, known)}
    yield by_row("Leduc, exploitability in antes by iterations", ("algorithm", "T"), rows, columns)
    for name, runs in games.items():
        caption = f"{name}, exploitability by millions of histories touched"
        yield from by_millions(caption, runs, PLAIN_MILLIONS[name], lab.algorithms)

    def late(name: str, *labels: str) -> PlainVerdict:
        millions = PLAIN_MILLIONS[name][-1]
        holds, told = less(partial(games[name].at_nodes, nodes=1e6 * millions), *labels)
        return holds, f"{told} at {millions:g} M"

    def rate() -> Verdict:
        slope = leduc.slope(EGT, 100, 3_162)
        return slope <= -0.95, f"slope {slope:.2f} on Leduc between 100 and 3,162 steps"

    def slower() -> Verdict:
        (small, told), (large, told5) = (late(name, CFR_PLUS, EGT) for name in games)
        return small and large, f"Leduc {told}; Leduc-5 {told5}"

    def cheaper() -> Verdict:
        fast, slow = (five.end(label).nodes_touched / five.end(label).seconds for label in (PLAIN_RM, PLAIN_HEDGE))
        return fast > slow, f"{fast / 1e6:.0f} against {slow / 1e6:.0f} million on Leduc-5"

    yield Claim("cfr-plus-ahead", late, "Leduc-5", CFR_PLUS, PLAIN_HEDGE, PLAIN_RM)
    yield Claim("egt-rate", rate)
    yield Claim("first-order-slower", slower)
    yield Claim("matching-cheaper", cheaper)
    yield convergence("First-order methods by histories touched", games, "nodes_touched")


def _race(lab: Lab, game: str, iterations: int, steps: int) -> Runs:
    """Run EGT for `steps` and the others for `iterations`, which touch about as many histories."""
    marks = [t for figures in lab.published("first_order")["reference"].values() for t in figures]
    first, *others = lab.algorithms.items()
    runs = race(lab, game, dict([first]), iterations=steps, at=marks)
    runs.series |= race(lab, game, dict(others), iterations=iterations, at=marks).series
    return runs


def thresholding(lab: Lab, leduc_nodes: float = 2.1e7, leduc5_nodes: float = 2.1e8) -> Iterator[Declared]:
    """Draw the curves of the figure, and thresholded regret matching, which the source leaves out as identical."""
    leduc = race_to_nodes(lab, "leduc_poker", lab.algorithms, leduc_nodes, part=0.1)
    five = race_to_nodes(lab, "leduc5", lab.algorithms, leduc5_nodes, part=0.9)
    games, gain = {"Leduc": leduc, "Leduc-5": five}, lab.published("thresholding")["gain"]

    def share(runs: Runs, slow: str, fast: str) -> float:
        return runs.nodes_per_iteration(fast) / runs.nodes_per_iteration(slow)

    for name, runs in games.items():
        caption = f"{name}, NashConv by millions of histories"
        yield from by_millions(caption, runs, MILLIONS[name], lab.algorithms)
    yield by_row(
        "Times fewer histories to the same NashConv, and histories per iteration as a share",
        ("slow", "fast"),
        [(slow, fast) for slow, faster in gain.items() for fast in faster],
        {"Leduc": leduc.speed_up, "Leduc-5": five.speed_up, "published, Leduc-5": gain}
        | {f"share, {name}": partial(share, runs) for name, runs in games.items()},
    )

    def grows(slow: str, fast: str) -> Verdict:
        small, large = leduc.speed_up(slow, fast), five.speed_up(slow, fast)
        return large > small, f"{short(small)} times on Leduc, {short(large)} times on Leduc-5"

    def ahead(runs: Runs, wins: str, loses: str) -> Verdict:
        return runs.speed_up(loses, wins) > 1, f"{times(runs.speed_up(loses, wins))} fewer histories"

    def same(runs: Runs, nodes: float) -> Verdict:
        ratio = _late(runs, RM_CUT, RM, nodes)
        return abs(ratio - 1) <= 0.05, times(ratio)

    yield Claim("egt-gain", at_least, 2, five.speed_up, EGT, EGT_CUT)
    yield Claim("hedge-gain", at_least, 7, five.speed_up, HEDGE, HEDGE_RBP)
    yield Claim("egt-gain-grows", grows, EGT, EGT_CUT)
    yield Claim("hedge-gain-grows", grows, HEDGE, HEDGE_RBP)
    yield Claim("leduc-hedge-ahead", ahead, leduc, HEDGE_RBP, RM_RBP)
    yield Claim("leduc-5-matching-ahead", ahead, five, RM_RBP, HEDGE_RBP)
    yield Claim("cfr-plus-ahead", less, five.common_goal, PLUS, HEDGE_RBP, RM_RBP)
    for (name, runs), nodes in zip(games.items(), (leduc_nodes, leduc5_nodes), strict=True):
        yield Claim("matching-unchanged", same, runs, nodes, about=name)
    yield convergence("Dynamic thresholding", games, "nodes_touched", "NashConv")


HEDGE_D = (0.1, 0.5, 1.0, 5.0)
EGT_C = (0.0, 0.001, 0.005, 0.01, 0.05, 0.2)


def aggressiveness(lab: Lab, leduc_nodes: float = 2.1e7, leduc5_nodes: float = 1e8) -> Iterator[Declared]:
    """Vary c of EGT and d of Hedge on Leduc and Leduc-5; the reference is EGT on Leduc."""
    methods = {
        "EGT": {f"c = {c:g}": f"egt/threshold(c={c:g})" for c in EGT_C},
        "Hedge": {"plain": "hedge"} | {f"d = {d:g}": f"hedge/threshold(d={d:g})" for d in HEDGE_D},
    }
    sizes = {"Leduc": ("leduc_poker", leduc_nodes, 0.1), "Leduc-5": ("leduc5", leduc5_nodes, 0.4)}
    games = dict[str, Runs]()
    for name, (game, nodes, part) in sizes.items():
        for method, algorithms in methods.items():
            own = f"{method}, {name}"
            games[own] = race_to_nodes(lab, game, algorithms, nodes, name=own, part=part, at=(1_000,))
    leduc, reference = games["EGT, Leduc"], lab.published("thresholding")["egt"]

    def known(figure: str, c: str) -> float:
        return float(reference[f"c = {c}"][figure])

    yield by_row(
        "EGT on Leduc after 1,000 steps",
        "c",
        [label.removeprefix("c = ") for label in reference],
        {
            "exploitability": (lambda c: leduc.at(f"c = {c}", 1_000) / 2, partial(known, "exploitability")),
            "million histories": (
                lambda c: leduc.point(f"c = {c}", 1_000).nodes_touched / 1e6,
                partial(known, "millions"),
            ),
        },
    )
    for method, labels in methods.items():
        yield by_row(
            f"{method}, NashConv after {leduc_nodes / 1e6:.3g} and {leduc5_nodes / 1e6:.3g} million histories",
            "threshold",
            labels,
            {name: partial(games[f"{method}, {name}"].at_nodes, nodes=nodes) for name, (_, nodes, _) in sizes.items()},
        )

    def late(method: str, name: str, label: str, other: str) -> float:
        return _late(games[f"{method}, {name}"], label, other, sizes[name][1])

    def helps() -> Verdict:
        ratios = [late("Hedge", name, f"d = {d:g}", "plain") for name in sizes for d in HEDGE_D[:3]]
        return max(ratios) <= 1, f"NashConv {min(ratios):.2f} to {max(ratios):.2f} of plain Hedge's"

    def beneficial(name: str) -> Verdict:
        ratios = [late("EGT", name, f"c = {c:g}", "c = 0") for c in (0.001, 0.005, 0.01)]
        return max(ratios) < 1 and max(ratios) <= 1.25 * min(ratios), listed(ratios, ".2f")

    def worse(name: str) -> Verdict:
        ratio = late("EGT", name, "c = 0.05", "c = 0.01")
        return ratio > 1, f"{times(ratio)} the NashConv of 0.01"

    yield Claim("hedge-insensitive", helps)
    for name in sizes:
        yield Claim("small-c-alike", beneficial, name, about=name)
        yield Claim("large-c-worse", worse, name, about=name)
    yield convergence("Aggressiveness of thresholding", games, "nodes_touched", "NashConv")


def _late(runs: Runs, label: str, other: str, nodes: float) -> float:
    """Return the ratio of two runs in the mean over the second half of the histories."""
    return runs.between_nodes(label, nodes / 2, nodes) / runs.between_nodes(other, nodes / 2, nodes)
