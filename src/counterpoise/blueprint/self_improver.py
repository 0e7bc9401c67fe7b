"""Libratus' self-improver: every night, answers to the bets that opponents used most and the blueprint lacks are
solved.

See Brown 2020, section 6.4.

1. Only the first round of the day's hands counts. The two gaps between sizes of the blueprint with the highest scores
   get a *defensive* answer to their midpoint, the most common bet an *offensive* one (`counterpoise.blueprint.gaps`).
2. A subgame is solved with an unsafe root: both seats play by the blueprint on the path to the situation. There the
   opponent may fold, check or call (not call at the first action of the game), or bet the new size; in a defensive
   subgame also a *control*, the size that the blueprint bets most often there, so that hands are not forced to use the
   new size. What follows the control has coarse betting and is discarded.
3. What follows the new size is a branch (`counterpoise.blueprint.branches`).

With a control at the first action of the game the error is bounded, because nothing is assumed about earlier play;
elsewhere this is a heuristic. Opponents are not modelled: their bets only say where to look.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from counterpoise.betting.rules import CALL, BetAction
from counterpoise.blueprint.blueprint import Blueprint, FloatArray, layout_of, normalised
from counterpoise.blueprint.branches import BlueprintBranches, Branch, Kind
from counterpoise.blueprint.gaps import (
    LAST_BETS,
    Bet,
    Situation,
    SizeGap,
    Trigger,
    first_round_bets,
    menu_sizes,
    most_common_bet,
    score_gaps,
)
from counterpoise.blueprint.settings import TrainSettings
from counterpoise.blueprint.train import TrainingRun
from counterpoise.errors import InputError
from counterpoise.games.holdem import NoLimitHoldem
from counterpoise.jobs import JobResult, do_parts
from counterpoise.jobs.pieces import Work, available_threads
from counterpoise.logs import Log, read_log
from counterpoise.parameters import require, require_whole
from counterpoise.progress import CancelToken, Progress, as_progress, cancel_on_interrupt
from counterpoise.sampling.situations import SituationRules, SituationTree

GIVEN = np.float32(1e30)
"""The scale of regrets of given strategies: so large that no walk changes their proportions."""


@dataclass(frozen=True, kw_only=True)
class ImproverSettings:
    """The number of answers that a night finds, and their cost."""

    defensive: int = 2
    """Gaps that are filled in a night (Brown 2020, section 6.4)."""
    offensive: int = 1
    """Whether the most common bet is answered (Brown 2020, section 6.4: two and one are the three solves of a night).
    """
    last_bets: int = LAST_BETS
    """Bets of one size in a row before the offensive answer is used."""
    hands: int = 500_000
    """Dealt hands of each solve; ours."""
    seed: int = 0

    def __post_init__(self) -> None:
        require_whole("defensive", self.defensive, 0, 100)
        require_whole("offensive", self.offensive, 0, 1)
        require_whole("last_bets", self.last_bets, 1, 10**6)
        require_whole("hands", self.hands, 1, 10**12)
        require_whole("seed", self.seed, 0, 2**63 - 1)


@dataclass(frozen=True, kw_only=True)
class ImprovementResult(JobResult):
    """The result of a night of improvement."""

    branches: BlueprintBranches
    """All branches, including those of earlier nights."""
    bets: int
    """Opponents' bets of the day in the first round."""
    gaps: list[SizeGap]
    """The gaps in which these bets were before the improvement, the highest score first."""
    distance: float
    """The sum of their scores: the distances of bets from the nearest size that the blueprint or a branch has."""
    distance_after: float
    """The sum of the scores of the same bets with the new branches."""
    solved: list[Branch] = field(default_factory=list)
    """The new branches, without the one that was being solved if it was interrupted."""

    def to_json(self) -> dict[str, Any]:
        """Return everything but the strategies."""
        return {
            "game": self.branches.blueprint.game.name,
            "bets": self.bets,
            "distance": self.distance,
            "distance_after": self.distance_after,
            "gaps": [gap._asdict() | {"situation": list(gap.situation), "midpoint": gap.midpoint} for gap in self.gaps],
            "solved": [branch.to_json() for branch in self.solved],
            "branches": len(self.branches.every),
            "interrupted": self.interrupted,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
        }


def improve(
    blueprint: Blueprint,
    logs: Sequence[Log | str | os.PathLike[str]],
    *,
    branches: BlueprintBranches | None = None,
    ours: Collection[str] | None = None,
    settings: ImproverSettings | None = None,
    threads: int | None = None,
    progress: Progress | bool | None = None,
    cancel: CancelToken | None = None,
) -> ImprovementResult:
    """Solve answers to the bets in a day's logs that a blueprint lacks, and return the result of the night.

    `branches` are those of earlier nights, `ours` the names of our own agents in the logs, by default those that
    followed this blueprint.
    """
    chosen, game = settings or ImproverSettings(), blueprint.game
    require(len(logs) > 0, "logs must name at least one file")
    require(
        isinstance(game, NoLimitHoldem) and game.players == 2,
        f"only blueprints of no-limit hold'em for two seats are improved, not of {game.name}",
    )
    before, bets, trigger = branches or BlueprintBranches(blueprint), list[Bet](), Trigger(chosen.last_bets)
    for log in logs:
        read = log if isinstance(log, Log) else read_log(log)
        bets += first_round_bets(read, game, _own_names(read, blueprint) if ours is None else ours)
    for bet in bets:
        trigger.add(bet)
    gaps = score_gaps(bets, game, before.sizes())
    display = as_progress(progress)
    with display, cancel_on_interrupt(cancel) as token:
        solver = BranchSolver(blueprint, chosen, Work(threads or available_threads(), display, token))

        def answer(target: tuple[Kind, Bet]) -> Branch | None:
            found = solver.solve(*target)
            return None if token.cancelled else found

        done = do_parts(answer, _targets(bets, gaps, before, chosen), token)
    found = [branch for branch in done.found if branch is not None]
    kept, new = ([_armed(one, trigger) for one in group] for group in (before.every, found))
    after = BlueprintBranches(blueprint, tuple(kept)).with_more(new)
    left = sum(gap.score for gap in score_gaps(bets, game, after.sizes()))
    return ImprovementResult(
        branches=after,
        bets=len(bets),
        gaps=gaps,
        distance=sum(gap.score for gap in gaps),
        distance_after=left,
        solved=new,
        **done.spent,
    )


def _armed(branch: Branch, trigger: Trigger) -> Branch:
    """Return a branch, armed if it is offensive and the last bets were of its size."""
    if branch.kind == "defensive":
        return branch
    return replace(branch, armed=trigger.holds(Bet(branch.line, branch.size)))


def _targets(
    bets: Sequence[Bet], gaps: Sequence[SizeGap], before: BlueprintBranches, settings: ImproverSettings
) -> list[tuple[Kind, Bet]]:
    """Return the bets that the night solves: the midpoints of the best gaps, and the most common bet if it is new."""
    found: list[tuple[Kind, Bet]] = [("defensive", Bet(gap.situation, gap.midpoint)) for gap in gaps]
    found = found[: settings.defensive]
    common = most_common_bet(bets)
    if common is not None and settings.offensive:
        known = {Bet(one.line, round(one.size, 3)) for one in before.every if one.kind == "offensive"}
        found += [("offensive", common)] if common not in known else []
    return found


def _own_names(log: Log, blueprint: Blueprint) -> set[str]:
    """Return the names of the agents that followed the blueprint."""
    mark = f"@{blueprint.digest[:12]}"
    ids = zip(log.heading.agents, log.heading.strategy_ids, strict=False)
    found = {name for name, one in ids if one.endswith(mark)}
    if not found:
        names = ", ".join(dict.fromkeys(name for record in log.records for name in record.agents))
        raise InputError(f"nobody in the log followed this blueprint: say which of {names or 'its agents'} is ours")
    return found


class BranchSolver:
    """Solves the situations of one blueprint; the table of buckets is made once."""

    def __init__(self, blueprint: Blueprint, settings: ImproverSettings, work: Work) -> None:
        self.blueprint, self.settings, self.work = blueprint, settings, work
        self._cards: Any = None

    def solve(self, kind: Kind, bet: Bet) -> Branch | None:
        """Return the branch that answers a bet; None if it is in the menu, or nothing could be its control."""
        blueprint, game = self.blueprint, self.blueprint.game
        total = self._chips(bet)
        taken = set(menu_sizes(game, bet.situation).values())
        if not total or (kind == "defensive" and total in taken):
            return None
        control = most_played_bet(blueprint, bet.situation) if kind == "defensive" else None
        if kind == "defensive" and control is None:
            return None
        controls = () if control is None else (control,)
        tree = SituationTree(SituationRules(game, bet.situation, tuple(sorted({total, *controls})), controls))
        self.work.progress.begin(f"{kind} answer to {total} chips after {':'.join(bet.situation) or 'the deal'}")
        run = TrainingRun(
            tree,
            blueprint.abstractions,
            TrainSettings(seed=self.settings.seed),
            self.work,
            self._cards,
        )
        self._cards = run.walks.cards
        run.walks.put(given_regrets(blueprint, tree))
        run.walk_until(self.settings.hands)
        weights = run.walks.averages()
        kept = SituationTree(SituationRules(game, bet.situation, (total,)))
        table = _cut_out(blueprint, tree, weights, kept)
        strategy = Blueprint(game, blueprint.abstractions, table, tree=kept, made={"by": "self-improver"})
        return Branch(kind, strategy, control, False, run.walks.iteration)

    def _chips(self, bet: Bet) -> BetAction:
        """Return the total of a size, within the legal limits; 0 if no bet is possible."""
        betting, state = self.blueprint.game.betting, self.blueprint.game.betting_after(bet.situation)
        if not state.max_raise:
            return 0
        pot = betting.total_pot(state) + state.to_call
        return min(max(state.stake + round(bet.size * pot), state.min_raise), state.max_raise)


def most_played_bet(blueprint: Blueprint, situation: Situation) -> BetAction | None:
    """Return the bet of the menu that the blueprint makes most often in a situation, in chips; None if it has none."""
    tree = blueprint.tree
    seat = int(tree.arrays.player[tree.node_after(situation)])
    played = blueprint.reach(situation, seat) @ blueprint.probabilities(situation).table
    actions = [tree.action[child] for child in tree.children(tree.node_after(situation))]
    bets = {int(action): float(share) for action, share in zip(actions, played, strict=True) if action > CALL}
    return max(bets, key=lambda action: bets[action]) if bets else None


def given_regrets(blueprint: Blueprint, tree: SituationTree) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return regrets that make both seats play by the blueprint on the path to a situation; 0 elsewhere."""
    layout = layout_of(tree, blueprint.abstractions)
    regrets = np.zeros(layout.size, dtype=np.float32)
    for node in tree.path:
        layout.block(tree, node, regrets)[:] = GIVEN * _own(blueprint, tree.line(node))
    return regrets


def _own(blueprint: Blueprint, line: Situation) -> FloatArray:
    """Return the blueprint's probabilities at a decision, [bucket, action]."""
    node = blueprint.tree.node_after(line)
    return normalised(blueprint.block(node))


def _cut_out(
    blueprint: Blueprint, tree: SituationTree, weights: np.ndarray[Any, Any], kept: SituationTree
) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return the weights of a tree in a smaller one, that of the same situation without the control.

    The weight of the control at the situation goes to its first action, a fold or a check.
    """
    old, new = (layout_of(one, blueprint.abstractions) for one in (tree, kept))
    table = np.zeros(new.size, dtype=np.float32)
    stack = [(0, 0)]
    while stack:
        node, other = stack.pop()
        if not kept.decisions[node]:
            continue
        labels = tree.labels(other)
        columns = [labels.index(one) for one in kept.labels(node)]
        new.block(kept, node, table)[:] = old.block(tree, other, weights)[:, columns]
        first = tree.children(other)
        stack += [(child, first[column]) for child, column in zip(kept.children(node), columns, strict=True)]
    for node in kept.path:
        new.block(kept, node, table)[:] = _own(blueprint, kept.line(node))
    # A hand that bets the control does not bet the new size: its share of the new size, which is the range, must stay.
    there = new.block(kept, kept.situation, table)
    there[:, 0] = old.block(tree, tree.situation, weights).sum(axis=1) - there[:, 1:].sum(axis=1)
    return table
