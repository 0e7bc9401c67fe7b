"""Race: several algorithms on one game, each under the same stopping rule."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from counterpoise.errors import InputError
from counterpoise.games import Game, as_game
from counterpoise.jobs import JobResult, Limits, RunKeywords, TracePoint, do_parts, prepare, refuse_unknown, takes
from counterpoise.names import split_outside_brackets
from counterpoise.parameters import shown
from counterpoise.plots import Axis, convergence
from counterpoise.progress import CancelToken, duration
from counterpoise.solvers.base import Algorithm, make_algorithm
from counterpoise.solvers.run import GameJob, Run, checked_seed
from counterpoise.solvers.solver_job import Watch
from counterpoise.solvers.tree_solver import TreeSolver
from counterpoise.store.json import JsonResult, plain_json
from counterpoise.summaries import Summarised, Summary, make_frame, number, speed
from counterpoise.tree import enumerate_game
from counterpoise.tree.evaluation import describe_size

if TYPE_CHECKING:
    import pandas

DEFAULT_ALGORITHMS = "cfr,cfr+,lcfr,dcfr"
COMPARED = (
    *("algorithm", "iterations", "exploitability", "nash_conv", "value", "seconds", "cpu_seconds", "nodes_touched"),
    *("reached", "interrupted", "trace"),
)
"""What the JSON of a race says of each run."""


@dataclass(frozen=True, kw_only=True)
class Race(JobResult, JsonResult, Summarised):
    """What a race found, in the game's own unit.

    If it was interrupted the last run did not finish and later ones did not start.
    """

    game: str
    players: int
    seed: int
    target: float | None
    runs: list[Run]
    """The runs that did at least one iteration, by exploitability."""
    order: tuple[str, ...]
    """The algorithms as they were named."""
    histories: int
    infosets: int

    def to_json(self) -> dict[str, Any]:
        """Return the figures in the types of JSON."""
        named = ("game", "players", "seed", "target", "interrupted", "histories", "infosets")
        answer = {name: plain_json(getattr(self, name)) for name in named}
        answer["results"] = [
            {name: figure for name, figure in run.to_json().items() if name in COMPARED} for run in self.runs
        ]
        return answer

    def summary(self) -> Summary:
        """Return one line per algorithm, the least exploitable first."""
        columns = ["algorithm", "exploitability", "iterations", "time", "per second", "histories touched"]
        rows = [
            [
                run.algorithm,
                number(run.exploitability),
                f"{run.iterations:,}",
                duration(run.seconds),
                speed(run.iterations, run.seconds),
                f"{run.nodes_touched:,}",
            ]
            for run in self.runs
        ]
        numbers = range(1, len(columns))
        if self.target is not None:
            columns.append(f"target {self.target:g}")
            rows = [
                [*row, "reached" if run.reached else "not reached"] for row, run in zip(rows, self.runs, strict=True)
            ]
        cut = "Stopped by Ctrl-C: the last algorithm did not finish and later ones did not run."
        caveats = dict.fromkeys(run.caveat for run in self.runs if run.caveat)
        return Summary(self.game, (), columns, rows, numbers, [cut] * self.interrupted, list(caveats))

    def to_frame(self) -> pandas.DataFrame:
        """Return the traces of all runs as a pandas table: one row per algorithm and measured iteration."""
        rows = ((run.algorithm, *point) for run in self.runs for point in run.trace)
        return make_frame(("algorithm", *TracePoint._fields), rows)

    def plot(self, path: str | os.PathLike[str], x: Axis = "iteration") -> Path:
        """Draw exploitability of all runs against iterations, histories touched or seconds; return the path."""
        references = {} if self.target is None else {f"target {self.target:g}": self.target}
        runs = sorted(self.runs, key=lambda run: self.order.index(run.algorithm))
        return convergence(
            {run.algorithm: run.trace for run in runs}, path, x=x, title=self.game, references=references
        )


@takes(RunKeywords)
def race(
    game: Game | str,
    algorithms: str | Sequence[str | Algorithm] = DEFAULT_ALGORITHMS,
    *,
    seed: int = 0,
    **options: Unpack[RunKeywords],
) -> Race:
    """Run several algorithms on one game, each until the first of iterations, target and seconds, and rank them.

    `algorithms` is a list, or names with commas between them. An algorithm that refuses the game does so before the
    first one runs.
    """
    refuse_unknown(race, options)
    limits, watch, seed = Limits.of(options), Watch.of(options), checked_seed(seed)
    field = _field(algorithms)
    rules = as_game(game)
    display, token = watch.progress, watch.cancel or CancelToken()
    with display:
        display.begin("race")
        tree = enumerate_game(rules, progress=display, cancel=token)
        solvers = [settings.on(tree, seed=seed) for settings in field]
        display.note(describe_size(tree))

        def run(solver: TreeSolver) -> Run:
            display.begin(solver.settings.name)
            prepare(solver, display)
            return Watch(display, token).drive(GameJob(solver, limits.target), limits)

        done = do_parts(run, solvers, token)
    begun = sorted((run for run in done.found if run.iterations > 0), key=lambda run: run.exploitability)
    return Race(
        game=tree.name,
        players=tree.players,
        seed=seed,
        target=limits.target,
        runs=begun,
        order=tuple(settings.name for settings in field),
        **done.spent,
        histories=tree.nodes,
        infosets=tree.infosets,
    )


def _field(algorithms: str | Sequence[str | Algorithm]) -> list[Algorithm]:
    names = split_outside_brackets(algorithms, ",") if isinstance(algorithms, str) else algorithms
    if not names or not all(names):
        raise InputError(f"algorithms must be names with commas between them, not {shown(algorithms)}")
    field = [make_algorithm(name) for name in names]
    for position, settings in enumerate(field):
        if settings in field[:position]:
            raise InputError(f"algorithms lists {settings.name} twice")
    return field
