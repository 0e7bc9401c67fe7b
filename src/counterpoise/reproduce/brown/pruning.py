"""Brown 2020, figures 3.13 to 3.15 and 3.18 to 3.21: what pruning does for CFR on Leduc and Leduc-5.

See Brown and Sandholm 2017, figures 1, 2.

Everything is NashConv by histories touched. CFR+ with pruning is noisy, so all curves of CFR+ with linear averaging
show the best profile so far, with and without pruning. Space is the number of regret and average entries stored, as a
share of all of them; C decides when Total RBP discards the average of a pruned action: at a share of at most
C / sqrt(t).

Brown 2020, sections 3.3.5 and 3.5.4 find more gain on Leduc-5 than on Leduc and conclude that larger games benefit
more. `by_size` asks that of a family of games that grows by two parameters: in each, CFR with partial pruning touches
the histories of the tree a given number of times over, and the other methods are run until they are as close to an
equilibrium.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

from counterpoise.games.two_round_poker import BettingRound, TwoRoundPoker
from counterpoise.plots import Curve, Panel
from counterpoise.reproduce.harness.racing import race_to_nodes
from counterpoise.reproduce.harness.report import Claim, Declared, Figure, Figures, Lab, NotMeasured, by_row, cell
from counterpoise.reproduce.harness.runs import Runs, by_millions, convergence, panel
from counterpoise.reproduce.harness.verdicts import Verdict, at_least, short, within
from counterpoise.solvers import TracePoint, TreeSolver, make_algorithm
from counterpoise.solvers.pruning.total_rbp import TotalRBPSolver
from counterpoise.tree import enumerate_game

NO, PARTIAL, BEST, RBP, TOTAL = "CFR", "CFR, partial", "CFR, best response", "CFR, RBP", "CFR, Total RBP"
RM_PLUS, RM_PLUS_TOTAL = "RM+, partial", "RM+, Total RBP"
PLUS, PLUS_BEST, PLUS_RBP = (f"CFR+, {kind} (best so far)" for kind in ("partial", "best response", "RBP"))
ONE_PARTIAL, ONE_RBP = "one traversal, partial", "one traversal, RBP"
LOWEST = (PLUS, PLUS_BEST, PLUS_RBP)
MILLIONS = {"Leduc": (2.0, 4.0, 7.9), "Leduc-5": (17.0, 35.0, 69.0, 138.0)}
GAMES = {"Leduc": "leduc_poker", "Leduc-5": "leduc5"}


def best_response(lab: Lab, leduc_nodes: float = 2e7, leduc5_nodes: float = 1.4e8) -> Iterator[Declared]:
    """Run CFR and CFR+ with partial pruning, with and without the best response."""
    leduc = race_to_nodes(lab, "leduc_poker", lab.algorithms, leduc_nodes, part=0.1, at=(4_096,), best_so_far=LOWEST)
    five = race_to_nodes(lab, "leduc5", lab.algorithms, leduc5_nodes, part=0.9, best_so_far=LOWEST)
    games, known = {"Leduc": leduc, "Leduc-5": five}, lab.published("pruning")["best_response"]
    columns = {"ours": (partial(leduc.at, iterations=4_096), known)}
    yield by_row("Leduc, NashConv after 4,096 iterations", "algorithm", known, columns)
    yield _against(
        "The best response against partial pruning alone, where both have come to the same NashConv",
        games,
        ((PARTIAL, BEST), (PLUS, PLUS_BEST)),
    )
    for name, runs in games.items():
        yield Claim("fewer-iterations", at_least, 1.5, runs.iteration_gain, PARTIAL, BEST, about=name)
    yield Claim("leduc-5-more-nodes", within, 0, 1, five.speed_up, PARTIAL, BEST)
    for name, runs in games.items():
        yield Claim("cfr-plus-alike", within, 1 / 1.5, 1.5, runs.speed_up, PLUS, PLUS_BEST, about=name)
    yield convergence("A best response in unreached branches", games, "nodes_touched", "NashConv")


def rbp(lab: Lab, name: str, nodes: float, claimed: tuple[float, float]) -> Iterator[Declared]:
    """Run interval RBP against partial pruning, for CFR and CFR+, with two traversals an iteration and with one."""
    known, gain = lab.published("pruning"), lab.published("pruning")["gain"][name]
    runs = race_to_nodes(lab, GAMES[name], lab.algorithms, nodes, best_so_far=LOWEST)
    yield from by_millions(f"{name}, NashConv by millions of histories", runs, MILLIONS[name], runs.series, known[name])
    slow = {RBP: PARTIAL, ONE_RBP: ONE_PARTIAL, PLUS_RBP: PLUS}
    yield by_row(
        f"{name}: times fewer histories than partial pruning to the same NashConv, and per iteration",
        "algorithm",
        slow,
        [
            *((head, lambda fast, head=head: gain[fast][head]) for head in ("published", "reference")),
            ("ours", lambda fast: runs.speed_up(slow[fast], fast)),
            ("per iteration, published", lambda fast: gain[fast]["per_iteration"]),
            ("ours", lambda fast: runs.nodes_per_iteration(slow[fast]) / runs.nodes_per_iteration(fast)),
        ],
    )
    yield Claim("rbp-faster", at_least, 1, runs.speed_up, PARTIAL, RBP)
    yield Claim("rbp-published-gain", at_least, claimed[0], runs.speed_up, ONE_PARTIAL, ONE_RBP)
    yield Claim("rbp-published-gain-cfr-plus", at_least, claimed[1] / 2, runs.speed_up, PLUS, PLUS_RBP)
    yield convergence(f"Regret-based pruning on {name}", {name: runs}, "nodes_touched", "NashConv")


THETAS = {f"theta {theta}": theta for theta in (1, 5, 10, 25, 50)}


def skip_threshold(lab: Lab, leduc_nodes: float = 8e6, leduc5_nodes: float = 7e7) -> Iterator[Declared]:
    """Run theta from 1 to 50: simultaneous CFR on Leduc, which has a reference, and CFR and CFR+ on Leduc-5."""
    base, known = "cfr(updates=simultaneous)", lab.published("pruning")["skipped"]
    simultaneous = {label: f"{base}/rbp(theta={theta}, best_response=False)" for label, theta in THETAS.items()}
    simultaneous["partial pruning"] = f"{base}/partial-pruning"
    leduc, games = race_to_nodes(lab, "leduc_poker", simultaneous, leduc_nodes, part=0.1), dict[str, Runs]()
    for base, lowest in (("cfr", ()), ("cfr+", THETAS)):
        name, algorithms = f"Leduc-5, {base.upper()}", {label: f"{base}/rbp(theta={n})" for label, n in THETAS.items()}
        games[name] = race_to_nodes(
            lab, "leduc5", algorithms, leduc5_nodes, name=name, part=0.45, best_so_far=tuple(lowest)
        )
    caption = "Leduc, simultaneous CFR, RBP with no other best response: NashConv after 7.9 million histories"
    yield by_row(caption, "pruning", simultaneous, {"ours": (partial(leduc.at_nodes, nodes=7.9e6), known)})
    early, late = 0.25 * leduc5_nodes, leduc5_nodes
    columns = {
        f"{name[9:]} at {nodes / 1e6:.3g} M": lambda theta, at=runs.at_nodes, nodes=nodes: at(f"theta {theta}", nodes)
        for name, runs in games.items()
        for nodes in (early, late)
    }
    yield by_row("Leduc-5, NashConv by millions of histories", "theta", map(str, THETAS.values()), columns)

    def alike(runs: Runs) -> Verdict:
        figures = [runs.at_nodes(label, late) for label in THETAS]
        return max(figures) <= 2 * min(figures), f"{short(min(figures))} to {short(max(figures))}"

    def crosses() -> Verdict:
        (low, *_, high), at = THETAS, games["Leduc-5, CFR"].at_nodes
        first, last = (at(low, nodes) / at(high, nodes) for nodes in (early, late))
        return first < 1 < last, f"{low} is at {first:.2f}, then {last:.2f} of {high}"

    for name, runs in games.items():
        yield Claim("alike", alike, runs, about=name)
    yield Claim("low-early-high-late", crosses)
    yield convergence("Minimum skip of RBP", games, "nodes_touched", "NashConv")


def kinds(lab: Lab, name: str, nodes: float) -> Iterator[Declared]:
    """Run no pruning, partial pruning, interval RBP and Total RBP for CFR, RM+ and CFR+."""
    runs, known = race_to_nodes(lab, GAMES[name], lab.algorithms, nodes, best_so_far=LOWEST), lab.published("pruning")
    yield from by_millions(f"{name}, NashConv by millions of histories", runs, MILLIONS[name], runs.series, known[name])
    yield _against(
        "Times fewer histories, and iterations, to the same NashConv",
        {name: runs},
        ((NO, PARTIAL), (PARTIAL, RBP), (PARTIAL, TOTAL), (RBP, TOTAL), (RM_PLUS, RM_PLUS_TOTAL), (PLUS, PLUS_RBP)),
    )
    yield Claim("partial-faster", at_least, 1, runs.speed_up, NO, PARTIAL)
    yield Claim("rbp-faster", at_least, 1, runs.speed_up, PARTIAL, RBP)
    yield Claim("total-rbp-faster", at_least, 1, runs.speed_up, PARTIAL, TOTAL)
    yield Claim("rm-plus-total-rbp-faster", at_least, 1, runs.speed_up, RM_PLUS, RM_PLUS_TOTAL)
    if name == "Leduc":
        yield Claim("total-like-rbp", within, 1 / 1.5, 1.5, runs.speed_up, RBP, TOTAL)
        yield Claim("cfr-plus-rbp-better", at_least, 2, runs.speed_up, TOTAL, PLUS_RBP)
        yield Claim("rm-plus-no-better", within, 0, 1.5, runs.speed_up, TOTAL, RM_PLUS_TOTAL)
    else:
        yield Claim("total-beats-rbp", at_least, 1.5, runs.speed_up, RBP, TOTAL)
        yield Claim("rm-plus-like-cfr-plus", within, 1 / 2, 2, runs.speed_up, PLUS_RBP, RM_PLUS_TOTAL)
    yield convergence(f"Kinds of pruning on {name}", {name: runs}, "nodes_touched", "NashConv")


def _against(caption: str, games: Mapping[str, Runs], pairs: Sequence[tuple[str, str]]) -> Declared:
    return by_row(
        caption,
        ("game", "slow", "fast"),
        [(name, *pair) for name in games for pair in pairs],
        {
            "NashConv": lambda name, slow, fast: games[name].common_goal(slow, fast),
            "histories": lambda name, slow, fast: games[name].speed_up(slow, fast),
            "iterations": lambda name, slow, fast: games[name].iteration_gain(slow, fast),
        },
    )


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

    yield by_row(
        f"{name}: share of the entries stored at the end, and how many times less that is than all",
        "algorithm",
        lab.algorithms,
        {
            "regrets": (lambda n: shares[n][-1][1], lambda n: known[name].get(n, {}).get("regrets")),
            "averages": (lambda n: shares[n][-1][2], lambda n: known[name].get(n, {}).get("averages")),
            "less in all": less,
            "published": lambda label: known["published"][name] if label.endswith("0.1") else None,
        },
    )
    columns = {
        "NashConv": lambda label: runs.end(label).exploitability,
        "kilobytes": lambda label: runs.end(label).live_bytes / 1_000,
        "at the start": lambda label: runs.points(label)[0].live_bytes / 1_000,
    }
    memory = by_row(f"{name}: NashConv and memory of the tables at the end", "algorithm", lab.algorithms, columns)
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
        low, high = (runs.end(label).exploitability for label in (LOW, HIGH))
        return less(HIGH) >= less(LOW) and low <= high, f"NashConv {short(low)} with 0.01, {short(high)} with 0.1"

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


ROUNDS = (64, 256, 1_024)
"""How many times over partial pruning touches the histories of the tree."""
MOST_NODES = 3e8
"""Where partial pruning stops even if that is less."""
MOST = 1.5
"""A method that needs this many times the histories of partial pruning is given up."""


@dataclass(frozen=True)
class LeducFamily(TwoRoundPoker):
    """Leduc with any number of ranks and bet sizes; 3 and 1 is Leduc, 3 and 5 is Leduc-5.

    Sizes double: 2 chips in the first round is the middle one, and those of the second round are twice as large.
    """

    ranks: int
    sizes: int

    suits = 2
    players = 2
    merge_suits = True

    @property
    def rounds(self) -> tuple[BettingRound, BettingRound]:
        """Two bets per round."""
        first = tuple(2.0 ** (k - self.sizes // 2 + 1) for k in range(self.sizes))
        return BettingRound(first, 2), BettingRound(tuple(2 * size for size in first), 2)

    def __str__(self) -> str:
        return f"{self.ranks} ranks, {self.sizes} sizes"


FAMILY = (*(LeducFamily(3, sizes) for sizes in (1, 3, 5, 7)), *(LeducFamily(ranks, 3) for ranks in (6, 9)))


def by_size(
    lab: Lab, games: Sequence[LeducFamily] = FAMILY, rounds: Sequence[int] = ROUNDS, most_nodes: float = MOST_NODES
) -> Iterator[Declared]:
    """Run CFR with partial pruning, interval RBP and Total RBP on growing games."""
    histories, raced = dict[str, int](), dict[str, Runs]()
    slow, *methods = lab.algorithms
    for game in games:
        size = histories[str(game)] = enumerate_game(game).nodes
        nodes, part, name = min(size * rounds[-1], most_nodes), 1 / len(games), str(game)
        runs = raced[name] = race_to_nodes(lab, game, {slow: lab.algorithms[slow]}, nodes, name=name, part=part / 5)
        if slow in runs.series:  # then the others until they are as good
            goal, others = runs.common_goal(slow), {label: lab.algorithms[label] for label in methods}
            more = race_to_nodes(lab, game, others, MOST * nodes, name=name, goal=goal, part=4 * part / 5)
            runs.series |= more.series
        if lab.interrupted:
            break

    def nash_conv(game: str, often: int) -> float:
        return raced[game].at_nodes(slow, often * histories[game])

    def gain(game: str, label: str, often: int) -> float:
        """Return how many times fewer histories a method needs to match partial pruning after `often` rounds."""
        return often * histories[game] / raced[game].work_to(label, nash_conv(game, often))

    for often in rounds:
        columns: dict[str, Any] = {"histories": histories, "NashConv": partial(nash_conv, often=often)}
        columns |= {label: partial(gain, label=label, often=often) for label in methods}
        caption = f"Times fewer histories than partial pruning, where it has touched {often} times the tree"
        yield by_row(caption, "game", raced, columns)
    shares = {n: lambda name, n=n: raced[name].nodes_per_iteration(n) / histories[name] for n in lab.algorithms}
    yield by_row("Histories per iteration at the end, as a share of the tree", "game", raced, shares)
    lab.data["gains"] = {name: {"histories": histories[name]} for name in raced}
    for label in methods:
        found = dict[str, dict[int, Any]]()
        for name in raced:
            own = lab.data["gains"][name][label] = {n: cell(gain, name, label, n) for n in rounds}
            found[name] = {n: times for n, times in own.items() if times is not None}
        family = {game.sizes: found[str(game)] for game in games if str(game) in found and game.ranks == 3}
        id = label.lower().replace(" ", "-")
        yield Claim(f"{id}-larger-games", _grows_with_size, family, rounds)
        yield Claim(f"{id}-longer-runs", _grows_with_length, list(found.values()))


def _grows_with_size(family: Mapping[int, Mapping[int, Any]], rounds: Sequence[int]) -> Verdict:
    often = max((n for n in rounds if sum(n in gains for gains in family.values()) > 1), default=0)
    found = {size: gains[often] for size, gains in family.items() if often in gains}
    if len(found) < 2:
        raise NotMeasured("one game is no comparison")
    told = ", ".join(f"{short(gain)} with {size}" for size, gain in found.items())
    return _rising(list(found.values())), f"after {often:,} rounds {told} sizes"


def _grows_with_length(members: Sequence[Mapping[int, Any]]) -> Verdict:
    found = [list(gains.values()) for gains in members if len(gains) > 1]
    if not found:
        raise NotMeasured("one length is no comparison")
    told = "; ".join(" to ".join(short(gain) for gain in gains) for gains in found)
    return all(_rising(gains) for gains in found), told


def _rising(numbers: Sequence[float]) -> bool:
    return all(later > earlier for earlier, later in pairwise(numbers))
