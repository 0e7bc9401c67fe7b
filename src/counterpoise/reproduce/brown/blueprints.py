"""Brown 2020, sections 6.3, 6.4 and 6.6: what regret-based sampling, linear weights, skipping and lazy tables save in
training.

The source states factors of its own agents, 3, 3, 2 and 2, and draws figure 6.1 without numbers. Here blueprints of
small decks are trained with one change at a time, and each is measured by what it loses to one fixed blueprint, trained
longer with another seed, on the same deals: as its own opponent is all it needs, this works for six seats too. The work
to a loss that both runs reach is compared, in betting nodes and in CPU seconds. A loss smaller than its 95 %
interval counts as the interval.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from counterpoise.abstraction import CardAbstraction
from counterpoise.blueprint.duels import Packed, packed_average, play_duel
from counterpoise.blueprint.settings import TrainSettings, default_abstraction, training_game
from counterpoise.blueprint.train import TrainingRun
from counterpoise.games import load
from counterpoise.games.holdem import Holdem
from counterpoise.jobs.pieces import Work as OnThreads
from counterpoise.progress import SilentProgress
from counterpoise.reproduce.harness.racing import keep
from counterpoise.reproduce.harness.report import Claim, Declared, Lab, NotMeasured, by_row
from counterpoise.reproduce.harness.runs import Runs, RunSeries, Work, convergence
from counterpoise.reproduce.harness.verdicts import Verdict, short
from counterpoise.sampling import BettingTree, build_betting_tree
from counterpoise.sampling.external import SkippedActions
from counterpoise.solvers import TracePoint

PLAIN, LINEAR = "plain", "linear"
FIXED_SEED, DEAL_SEED = 1_000, 7
"""Seeds of the fixed blueprint, and of the deals on which all runs meet it."""
MARKS_PER_TENFOLD = 3
FIRST_MARK = 100
"""The first measurement is after this part of all hands."""
FASTER, TWOFOLD, THREEFOLD = 1.2, 1.75, 2.5
"""From which factor on a run is faster, by more than noise, and claims of 2 times and of 3 times hold."""


@dataclass
class BlueprintSetting:
    """What all runs of an experiment share: the game, the deals and the fixed opponent."""

    tree: BettingTree
    cards: CardAbstraction
    lab: Lab
    deals: int
    period: int | None = None
    """Hands of a block of linear discount; by default as in training."""
    fixed: Packed | None = None

    @classmethod
    def of(cls, lab: Lab, game: str, deals: int, period: int | None = None) -> BlueprintSetting:
        """Return the setting of a game with the menu and the abstraction that it is trained with by default."""
        lab.begin(f"betting tree and buckets of {game}")
        rules = load(game)
        assert isinstance(rules, Holdem)
        trained = training_game(rules)
        tree = build_betting_tree(trained, progress=lab.progress)
        return cls(tree, default_abstraction(trained, progress=False), lab, deals, period)

    def begin(self, seed: int, **options: Any) -> TrainingRun:
        """Return a training on one thread that has not started."""
        settings = TrainSettings(seed=seed, period=self.period, **options)
        return TrainingRun(self.tree, (self.cards,), settings, OnThreads(1, SilentProgress(), self.lab.cancel))

    def train_fixed(self, hands: int) -> None:
        """Train the fixed opponent, with linear weights."""
        self.lab.begin(f"the fixed opponent, {hands:,} hands")
        run = self.begin(FIXED_SEED)
        for part in range(1, 11):
            run.walk_until(hands * part // 10)
            self.lab.show(part / 10, f"{run.walks.iteration:,} hands")
        self.fixed = packed_average(run.walks)


def variants(thresholds: Sequence[float]) -> dict[str, dict[str, Any]]:
    """Return the settings of each run by its label: plain, linear weights, and two ways to skip by threshold."""
    found: dict[str, dict[str, Any]] = {PLAIN: {"discount": "none"}, LINEAR: {"discount": "linear"}}
    for threshold in thresholds:
        skipping = SkippedActions(kind="regret", threshold=threshold, scale=threshold)
        found[rbs(threshold)] = {"discount": "none", "skipping": skipping}
    for threshold in thresholds:
        skipping = SkippedActions(kind="hand", threshold=threshold)
        found[by_hand(threshold)] = {"discount": "linear", "skipping": skipping}
    return found


def rbs(threshold: float) -> str:
    """Return the label of regret-based sampling with C = K = a multiple of the largest payoff."""
    return f"RBS, {threshold:g} payoffs"


def by_hand(threshold: float) -> str:
    """Return the label of linear weights with skipping by hand."""
    return f"linear, skip, {threshold:g} payoffs"


def what_training_saves(
    lab: Lab,
    game: str,
    hands: int = 1_000_000,
    fixed_hands: int = 4_000_000,
    deals: int = 500_000,
    seeds: int = 2,
    thresholds: Sequence[float] = (100, 20),
    period: int | None = None,
) -> Iterator[Declared]:
    """Train plainly and with each change, and compare the work to the same loss to a fixed blueprint."""
    runs = train_all(lab, game, variants(thresholds), hands, fixed_hands, deals, seeds, period)
    yield from tables(runs)
    saves = partial(_saves, runs)
    least = min(thresholds)
    yield Claim("linear-faster", saves, PLAIN, LINEAR, FASTER)
    yield Claim("linear-threefold", saves, PLAIN, LINEAR, THREEFOLD)
    yield Claim("rbs-faster", _best_of, saves, PLAIN, [rbs(one) for one in thresholds], FASTER)
    yield Claim("rbs-threefold", _best_of, saves, PLAIN, [rbs(one) for one in thresholds], THREEFOLD)
    yield Claim("skipping-faster", _best_of, saves, LINEAR, [by_hand(one) for one in thresholds], FASTER)
    yield Claim("skipping-twofold", _best_of, saves, LINEAR, [by_hand(one) for one in thresholds], TWOFOLD)
    yield Claim("visits-fall", _visits_fall, runs, LINEAR, by_hand(least))
    yield Claim("lazy-half", _lazy, runs)
    yield loss_figure(f"Training {game}", runs)


def sampling_by_regret(
    lab: Lab,
    game: str,
    hands: int = 1_000_000,
    fixed_hands: int = 3_000_000,
    deals: int = 500_000,
    seeds: int = 2,
    threshold: float = 20,
) -> Iterator[Declared]:
    """Train plainly and with regret-based sampling, all the way or in the second half, and draw figure 6.1."""
    early = SkippedActions(kind="regret", threshold=threshold, scale=threshold)
    ways = {
        rbs(threshold): early,
        f"{rbs(threshold)}, weighted": replace(early, weighted=True),
        f"{rbs(threshold)}, second half": replace(early, after=hands // 2),
    }
    chosen: dict[str, dict[str, Any]] = {PLAIN: {"discount": "none"}}
    chosen |= {label: {"discount": "none", "skipping": skipping} for label, skipping in ways.items()}
    runs = train_all(lab, game, chosen, hands, fixed_hands, deals, seeds)
    yield from tables(runs)
    compared = list(ways)
    yield Claim("rbs-ahead", _ahead, runs, compared)
    yield Claim("rbs-threefold", _best_of, partial(_saves, runs), PLAIN, compared, THREEFOLD)
    yield Claim("late-hurts", _late_hurts, runs, rbs(threshold))
    yield loss_figure("Score against a fixed blueprint", runs)


def train_all(
    lab: Lab,
    game: str,
    chosen: Mapping[str, Mapping[str, Any]],
    hands: int,
    fixed_hands: int,
    deals: int,
    seeds: int,
    period: int | None = None,
) -> Runs:
    """Train every variant with every seed and measure it on the way; figures are means over seeds."""
    runs = Runs(game, "mbb lost to the fixed blueprint")
    marks = [round(hands / FIRST_MARK ** (1 - k / (2 * MARKS_PER_TENFOLD))) for k in range(2 * MARKS_PER_TENFOLD + 1)]
    with lab.stoppable():
        setting = BlueprintSetting.of(lab, game, deals, period)
        setting.train_fixed(fixed_hands)
        for label, options in chosen.items():
            lab.begin(label)
            found = [_course(setting, options, seed, marks) for seed in range(seeds)]
            runs.series[label] = RunSeries(label, _mean_points([points for points, _ in found]), more=found[0][1])
    return keep(lab, runs)


def _course(
    setting: BlueprintSetting, options: Mapping[str, Any], seed: int, marks: Sequence[int]
) -> tuple[list[TracePoint], dict[str, Any]]:
    """Train with one seed; return the points at the marks and what the tables took."""
    run, points, seconds = setting.begin(seed, **options), [], 0.0
    run.walk_until(1)  # compiles
    for mark in marks:
        began = time.process_time()
        run.walk_until(mark)
        seconds += time.process_time() - began
        assert setting.fixed is not None
        met = play_duel(run.walks, packed_average(run.walks), setting.fixed, setting.deals, DEAL_SEED)
        loss = max(-met.won, met.ci95)
        points.append(TracePoint(mark, loss, run.walks.nodes_touched, seconds, run.walks.allocated))
        setting.lab.show(mark / marks[-1], f"{mark:,} hands, {met.won:+.0f} ± {met.ci95:.0f} mbb")
    more = {
        "decisions_met": run.walks.met,
        "decisions": int(run.tree.decisions.sum()),
        "table_mb": run.walks.allocated / 1e6,
        "whole_table_mb": 8 * run.layout.size / 1e6,
        "ci95": met.ci95,
    }
    return points, more


def _mean_points(courses: Sequence[Sequence[TracePoint]]) -> list[TracePoint]:
    """Return the mean over seeds, mark by mark."""
    means = np.mean(np.array(courses, dtype=float), axis=0)
    return [
        TracePoint(round(hands), loss, round(nodes), cpu, round(size))
        for hands, loss, nodes, cpu, size in means.tolist()
    ]


def tables(runs: Runs) -> Iterator[Declared]:
    """Yield what each run lost on the way, and what it took."""
    if not runs.series:
        return
    marks = [point.iteration for point in next(iter(runs.series.values())).points][2::2]
    columns = {f"{int(mark):,} hands": partial(runs.near, iteration=int(mark)) for mark in marks}
    yield by_row("What each run loses to the fixed blueprint, mbb per hand", "training", runs.series, columns)

    def against(label: str, work: Work) -> float | None:
        return None if label == PLAIN else runs.speed_up(PLAIN, label, work=work)

    yield by_row(
        "What each run takes; plain work is that of plain external sampling to the same loss",
        "training",
        runs.series,
        {
            "nodes per hand": partial(last_visits, runs),
            "CPU s": lambda label: runs.end(label).seconds,
            "plain nodes / nodes": partial(against, work="nodes_touched"),
            "plain CPU s / CPU s": partial(against, work="seconds"),
            "decisions met": lambda label: runs.series[label].more["decisions_met"],
            "of": lambda label: runs.series[label].more["decisions"],
            "tables, MB": lambda label: runs.series[label].more["table_mb"],
            "whole, MB": lambda label: runs.series[label].more["whole_table_mb"],
        },
    )


def last_visits(runs: Runs, label: str) -> float:
    """Return the nodes per hand between the last two measurements."""
    before, last = runs.points(label)[-2:]
    return (last.nodes_touched - before.nodes_touched) / (last.iteration - before.iteration)


def loss_figure(title: str, runs: Runs) -> Declared:
    """Return the curves of the losses by nodes."""
    return convergence(title, {"": runs}, "nodes_touched", "mbb per hand lost to the fixed blueprint", thin=False)


def _saves(runs: Runs, slow: str, fast: str, wanted: float) -> Verdict:
    """Judge whether a run reaches the same loss as another with fewer nodes by the given factor."""
    goal = runs.common_goal(slow, fast)
    nodes, seconds = (runs.speed_up(slow, fast, goal, work) for work in ("nodes_touched", "seconds"))
    told = f"{fast}: {nodes:.2f} times fewer nodes, {seconds:.2f} times less CPU time to a loss of {short(goal)} mbb"
    return nodes >= wanted, told


def _best_of(saves: Any, slow: str, labels: Sequence[str], wanted: float) -> Verdict:
    """Judge by the setting that saves most; tell all."""
    found = [saves(slow, label, wanted) for label in labels]
    return any(holds for holds, _ in found), "; ".join(told for _, told in found)


def _visits_fall(runs: Runs, plain: str, skipping: str) -> Verdict:
    first, second = last_visits(runs, plain), last_visits(runs, skipping)
    return second < first, f"{short(second)} instead of {short(first)} nodes per hand: / {first / second:.2f}"


def _lazy(runs: Runs) -> Verdict:
    more = runs.series[LINEAR].more if LINEAR in runs.series else {}
    if not more:
        raise NotMeasured(f"{LINEAR} was not run")
    share = more["table_mb"] / more["whole_table_mb"]
    met = more["decisions_met"] / more["decisions"]
    told = f"{more['table_mb']:,.0f} of {more['whole_table_mb']:,.0f} MB, {met:.0%} of the decisions met"
    return share < 0.5, told


def _ahead(runs: Runs, labels: Sequence[str]) -> Verdict:
    """Judge whether a run that skips is ahead of the plain one after as much work, over the second half of nodes."""
    ratios = {}
    for label in labels:
        last = min(runs.end(PLAIN).nodes_touched, runs.end(label).nodes_touched)
        plain, other = (runs.between_nodes(one, last / 4, last) for one in (PLAIN, label))
        ratios[label] = other / plain
    told = ", ".join(f"{label} {ratio:.2f}" for label, ratio in ratios.items())
    return min(ratios.values()) < 1, f"loss relative to plain after as many nodes: {told}"


def _late_hurts(runs: Runs, label: str) -> Verdict:
    """Judge whether the run that skips ends behind the plain one, after as many hands and by more than an interval."""
    skipping, plain = runs.end(label).exploitability, runs.end(PLAIN).exploitability
    half = runs.series[label].more["ci95"]
    return (
        skipping > plain + half,
        f"after as many hands {short(skipping)} and {short(plain)} mbb, each ± {short(half)}",
    )
