"""Brown 2020, figure 4.2 and table 4.1 in small: Deep CFR and NFSP beside card abstractions, flop hold'em with twelve
cards.

Abstractions are lossless before the flop and have k-means buckets of opponent cluster hand strength on it; these and
the game without abstraction are solved by external-sampling linear CFR. Everything is judged in the whole game: by
exact best responses, and by exact expected values of both seats against each other; mbb/g, thousandths of a big blind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from counterpoise.abstraction import abstraction
from counterpoise.deep.dealt import DealtHoldem
from counterpoise.deep.deep_cfr import DeepCFRSettings
from counterpoise.deep.nfsp import NFSPSettings
from counterpoise.deep.playing import policy_of
from counterpoise.deep.samplers import as_sampled
from counterpoise.games import load
from counterpoise.public import HoldemGame, Profile
from counterpoise.public.buckets import gather
from counterpoise.reproduce.harness.racing import keep
from counterpoise.reproduce.harness.report import Claim, Column, Declared, Figures, Lab, NotMeasured, Pair, by_row
from counterpoise.reproduce.harness.runs import Runs, RunSeries, convergence
from counterpoise.reproduce.harness.verdicts import Verdict, named, short
from counterpoise.solvers import TracePoint, make_algorithm
from counterpoise.solvers.monte_carlo.public_mccfr import PublicExternalSampling
from counterpoise.solvers.public.crosstable import crosstable

GAME = "limit_holdem(board=[0, 3], bets=[2, 2], ranks=6, suits=2)"
BIG_BLIND = 2
BUCKETS = (5, 20, 80)
DEEP, NFSP, WHOLE = "Deep CFR", "NFSP", "no abstraction"
SOLVER = "linear-es-mccfr(explore=all, lazy=False)"
LONGER = 64
"""Tabular solvers get this many times the nodes of networks, since their nodes are cheap."""


def networks_and_abstractions(
    lab: Lab,
    nodes: int = 2_000_000,
    buckets: Sequence[int] = BUCKETS,
    traversals: int = 3000,
    steps: int = 300,
    batch: int = 1000,
    policy_steps: int = 2000,
    seed: int = 0,
) -> Iterator[Declared]:
    """Train and solve everything, judge it by nodes touched, and let it play each other."""
    game = as_sampled(load(GAME))
    assert isinstance(game, DealtHoldem)
    public = game.public_game
    assert public is not None
    runs, players = Runs("flop hold'em, twelve cards"), dict[str, Profile]()
    methods: Mapping[str, Any] = {
        DEEP: DeepCFRSettings(traversals=traversals, steps=steps, batch=batch, policy_steps=policy_steps),
        NFSP: NFSPSettings(),
    }
    sizes = [f"{count} buckets" for count in buckets]
    marks = [nodes // 16, nodes // 4, nodes]
    with lab.stoppable():
        for label, count in [*zip(sizes, buckets, strict=True), (WHOLE, None)]:
            lab.begin(label)
            players[label] = _solve(lab, runs, label, public, count, [*marks, 8 * nodes, LONGER * nodes], seed)
        for label, settings in methods.items():
            lab.begin(label)
            players[label] = _train(lab, runs, label, settings.on(game, seed), game, marks)
    keep(lab, runs)
    at: dict[str, Column] = {f"{mark:,} nodes": partial(_near, runs, mark) for mark in (*marks, LONGER * nodes)}
    names = [*methods, *sizes, WHOLE]
    yield by_row("Exploitability in mbb/g by nodes touched", "strategy", names, at)
    won = _played(lab, players)
    known = lab.published("deep_cfr")["head_to_head"]
    theirs = dict(zip((DEEP, NFSP, *sizes), ("Deep CFR", "NFSP", "small", "middle", "large"), strict=False))
    for label in methods:
        reference = {name: known[label][column] for name, column in theirs.items() if column in known[label]}
        columns: dict[str, Column | Pair] = {"wins from it": (partial(_against, won, label), reference)}
        opponents = [name for name in names if name != label]
        yield by_row(f"{label} against each: mbb/g, mean of both seats, exact", "opponent", opponents, columns)

    def end(label: str) -> float:
        return runs.end(label).exploitability

    def in_order(read: Callable[[str], float], falling: bool) -> Verdict:
        numbers = [read(label) for label in sizes]
        return numbers == sorted(numbers, reverse=falling), named(read, *sizes)

    def samples() -> Verdict:
        goal = end(DEEP)
        passed = [point.nodes_touched for point in runs.points(WHOLE) if point.exploitability <= goal]
        needed = f"at most {passed[0]:,}" if passed else f"more than {runs.end(WHOLE).nodes_touched:,}"
        told = f"{short(goal)} mbb/g after {runs.end(DEEP).nodes_touched:,} nodes; without abstraction {needed}"
        return not passed or passed[0] > runs.end(DEEP).nodes_touched, told

    def between() -> Verdict:
        rows = {label: won[DEEP, label] for label in sizes}
        return list(rows.values()) == sorted(rows.values(), reverse=True), named(rows.__getitem__, *sizes)

    yield Claim("plateaus", in_order, end, True)
    yield Claim("coarse-first", in_order, lambda label: _near(runs, marks[0], label), False)
    yield Claim("below-coarsest", lambda: (end(DEEP) < end(sizes[0]), named(end, DEEP, sizes[0])))
    yield Claim("fewer-samples", samples)
    yield Claim("nfsp", lambda: (end(DEEP) < end(NFSP), named(end, DEEP, NFSP)))
    yield Claim("beats-nfsp", lambda: (won[DEEP, NFSP] > 0, f"{short(won[DEEP, NFSP])} mbb/g"))
    yield Claim("loses-to-larger", between)
    yield convergence("Flop hold'em, twelve cards", {"": runs}, "nodes_touched", "mbb/g", thin=False)


def _solve(
    lab: Lab, runs: Runs, label: str, game: HoldemGame, buckets: int | None, marks: Sequence[int], seed: int
) -> Profile:
    """Solve the game in some flop buckets, or without any, and judge it when it has touched enough nodes."""
    rows = None
    if buckets is not None:
        rows = gather(game, abstraction("IR-C-KO", (buckets,), deck=game.deck, threads=1, progress=False))
    solver = PublicExternalSampling(make_algorithm(SOLVER), game, seed, rows)
    points = runs.series.setdefault(label, RunSeries(SOLVER)).points
    for mark in marks:
        lab.show(mark / marks[-1], f"{mark:,} nodes")
        solver.step(mark, until=mark)
        points.append(_point(solver.iteration, solver.exploitability(), solver.nodes_touched))
    return solver.average


def _train(lab: Lab, runs: Runs, label: str, learner: Any, game: DealtHoldem, marks: Sequence[int]) -> Profile:
    """Train networks and judge them when they have touched enough nodes."""
    points = runs.series.setdefault(label, RunSeries(label)).points
    for mark in marks:
        while learner.nodes_touched < mark:
            learner.step()
            lab.show(learner.nodes_touched / marks[-1], f"{learner.nodes_touched:,} nodes")
        points.append(_point(learner.iterations, learner.exploitability(), learner.nodes_touched))
    found = game.profile(policy_of(learner.result(), game))
    assert found is not None
    return found


def _point(iteration: int, chips: float, nodes: int) -> TracePoint:
    return TracePoint(iteration, 1000 * chips / BIG_BLIND, nodes, 0.0)


def _near(runs: Runs, nodes: int, label: str) -> float:
    """Return the figure at the first measurement after some nodes."""
    for point in runs.points(label):
        if point.nodes_touched >= nodes:
            return point.exploitability
    raise NotMeasured(f"{label} was not measured after {nodes:,} nodes")


def _played(lab: Lab, players: Mapping[str, Profile]) -> Figures:
    """Return what each strategy wins from each other in mbb/g."""
    won: Figures = Figures(missing="{} against {} was not played")
    with lab.stoppable():
        lab.begin("matches")
        table = crosstable(players, big_blind=BIG_BLIND, progress=False, cancel=lab.cancel)
        won |= {(one, other): table.value(one, other) for one in players for other in players if one != other}
    lab.data["crosstable"] = {f"{one} against {other}": value for (one, other), value in won.items()}
    return won


def _against(won: Figures, own: str, other: str) -> float:
    return float(won[own, other])
