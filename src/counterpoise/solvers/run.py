"""Solve a general game: enumerate, compile, let the driver run the solver; and keep the result in a file."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard, Unpack, cast, overload

from counterpoise.errors import InputError
from counterpoise.games import Game, as_game, game_name
from counterpoise.games.registry import load_saved_game
from counterpoise.jobs import (
    Clock,
    IteratedResult,
    JobHistory,
    Limits,
    Output,
    SolveKeywords,
    TracedRunKeywords,
    TracePoint,
    prepare,
    refuse_unknown,
    takes,
)
from counterpoise.parameters import require_whole, shown
from counterpoise.progress import CancelToken, Progress, duration
from counterpoise.solvers.base import Algorithm, Arrays, make_algorithm
from counterpoise.solvers.solver_job import SolverJob, Watch
from counterpoise.solvers.tree_solver import TreeSolver
from counterpoise.solvers.warm_start.warm_start import (
    MAX_ITERATIONS,
    Source,
    WarmStart,
    check_warm_start,
    load_source,
    warm_start as start_warm,
)
from counterpoise.store import read_cpz, write_cpz
from counterpoise.store.json import plain_json
from counterpoise.summaries import Summarised, Summary, make_frame, number, speed, values
from counterpoise.tree import Strategy, Tree, Values, enumerate_game, game_digest, strategy_arrays, strategy_from
from counterpoise.tree.evaluation import describe_size

if TYPE_CHECKING:
    import pandas

    from counterpoise.public import PublicGame
    from counterpoise.public.buckets import BucketsLike
    from counterpoise.solvers.public.run import PublicRun

DEFAULT_ALGORITHM = "dcfr"
DEFAULT_WARM_ALGORITHM = "cfr"
"""The algorithm of a run from a strategy: the theory of warm starts is about it, and good strategies stay good."""


@dataclass(frozen=True, kw_only=True)
class Run(IteratedResult, Summarised):
    """What a solve produced. Units are the game's own; seconds are spent iterating, measuring not included."""

    game: str
    algorithm: str
    seed: int
    strategy: Strategy
    value: tuple[float, ...]
    exploitability: float
    nash_conv: float
    iterations: int
    """All that the averages count: those that a warm start is worth and those run since."""
    nodes_touched: int
    trace: list[TracePoint] = field(repr=False)
    warm_start: WarmStart | None = None
    """What the run started from, if from a strategy; its iterations and histories are among those of the run."""
    target: float | None = None
    """The exploitability at which the run was to stop, if one was set."""
    histories: int | None = None
    """Histories of the game; None in files of version 0.1.0, like the two below."""
    memory_bytes: int | None = None
    """Memory of the enumerated game."""
    caveat: str | None = None
    """Why the result need not be near an equilibrium; empty if the method's guarantee covers the game."""
    digest: str = field(default="", repr=False)
    """Digest of the enumerated game, so that a run is never continued on other rules of the same name."""
    state: Arrays = field(default_factory=dict, repr=False)

    @property
    def warm_iterations(self) -> int:
        """How many of the iterations the warm start stands for; 0 without one."""
        return 0 if self.warm_start is None else self.warm_start.iterations

    def to_json(self) -> dict[str, Any]:
        """Return the figures in the types of JSON, without strategy and state."""
        figures = ("iterations", "exploitability", "nash_conv", "value", "seconds", "cpu_seconds", "nodes_touched")
        answer = {name: getattr(self, name) for name in ("game", "algorithm", "seed")} | {"players": len(self.value)}
        answer |= {name: getattr(self, name) for name in (*figures, "reached", "interrupted", "trace")}
        answer |= {"target": self.target, "histories": self.histories, "infosets": len(self.strategy)}
        answer |= {"memory_bytes": self.memory_bytes, "guarantee": None if self.caveat is None else not self.caveat}
        answer["caveat"] = self.caveat or None
        return {key: plain_json(value) for key, value in (answer | {"warm_start": self.warm_start}).items()}

    def summary(self) -> Summary:
        """Return value, exploitability, iterations and time; the strategy is shown by `strategy`."""
        own = self.iterations - self.warm_iterations
        touched = f"{self.nodes_touched:,} histories touched"
        facts = [
            ("value", values(self.value)),
            ("exploitability", f"{number(self.exploitability)}  (NashConv {number(self.nash_conv)})"),
            ("iterations", f"{self.iterations:,}  ({speed(own, self.seconds)} per second)"),
            ("time", f"{duration(self.seconds)}  (CPU {duration(self.cpu_seconds)}), {touched}"),
        ]
        if self.warm_start is not None:
            facts.append(("warm start", f"worth {self.warm_iterations:,} of the iterations"))
        if self.target is not None:
            facts.append(("target", f"{self.target:g} {'reached' if self.reached else 'not reached'}"))
        return Summary(f"{self.game} · {self.algorithm}", facts, warnings=[self.caveat] if self.caveat else [])

    def to_frame(self) -> pandas.DataFrame:
        """Return the trace as a pandas table: one row per measured iteration."""
        return make_frame(TracePoint._fields, self.trace)

    def plot(self, path: str | os.PathLike[str]) -> Path:
        """Draw exploitability against iterations into a PNG, SVG or PDF file; return its path."""
        from counterpoise.plots import convergence

        references = {} if self.target is None else {f"target {self.target:g}": self.target}
        return convergence({self.algorithm: self.trace}, path, title=self.game, references=references)

    def save(
        self, path: str | os.PathLike[str], *, progress: Progress | None = None, cancel: CancelToken | None = None
    ) -> None:
        """Write strategy, trace and state to a `.cpz` file from which `solve(resume=...)` continues."""
        from counterpoise.store.headers import RunHeader

        warm_start = None if self.warm_start is None else self.warm_start._asdict()
        arrays = strategy_arrays(self.strategy) | {f"state.{name}": array for name, array in self.state.items()}
        write_cpz(path, "run", RunHeader.of(self, warm_start=warm_start), arrays, progress=progress, cancel=cancel)


def load_run(path: str | os.PathLike[str]) -> Run:
    """Return a run that was saved, checked field by field."""
    from counterpoise.store.headers import RunHeader

    header, arrays = read_cpz(path, "run")
    fields = RunHeader.read(header, path).model_dump()
    fields["trace"] = [TracePoint(*row) for row in fields["trace"]]
    fields["warm_start"] = None if fields["warm_start"] is None else WarmStart(**fields["warm_start"])
    state = {name[6:]: array for name, array in arrays.items() if name.startswith("state.")}
    return Run(strategy=strategy_from(header, arrays, path), state=state, **fields)


def make_solver(game: Game | str, algorithm: str | Algorithm = DEFAULT_ALGORITHM, *, seed: int = 0) -> TreeSolver:
    """Return a fresh solver for the game; step it yourself or iterate over it."""
    settings = make_algorithm(algorithm)
    return settings.on(enumerate_game(as_game(game)), seed=checked_seed(seed))


@overload
def solve(
    game: PublicGame,
    algorithm: str | Algorithm | None = None,
    *,
    buckets: BucketsLike | None = None,
    seed: int | None = None,
    threads: int | None = None,
    **options: Unpack[TracedRunKeywords],
) -> PublicRun: ...


@overload
def solve(
    game: Game | str | None = None,
    algorithm: str | Algorithm | None = None,
    *,
    seed: int | None = None,
    resume: Run | str | os.PathLike[str] | None = None,
    warm_start: Source | None = None,
    warm_iterations: int | None = None,
    **options: Unpack[SolveKeywords],
) -> Run: ...


@takes(SolveKeywords)
def solve(
    game: Game | PublicGame | str | None = None,
    algorithm: str | Algorithm | None = None,
    *,
    buckets: BucketsLike | None = None,
    seed: int | None = None,
    threads: int | None = None,
    resume: Run | str | os.PathLike[str] | None = None,
    warm_start: Source | None = None,
    warm_iterations: int | None = None,
    **options: Unpack[SolveKeywords],
) -> Run | PublicRun:
    """Run an equilibrium finder until the first of: a number of iterations, a target exploitability, seconds.

    With none of the three it runs 1,000 iterations; without an algorithm, dcfr. `resume` continues a saved run bit for
    bit, with its algorithm and seed; the game may then be left out.

    `warm_start` is a strategy (or a run, or a file with either) to continue from as though iterations had produced it:
    `warm_iterations`, or as many as its exploitability suggests (`counterpoise.warm_start` says how). The algorithm is
    then cfr unless named. `iterations` and `trace_at` count from there, also when the run is resumed; `Run.iterations`
    and the trace count those of the warm start too.

    A public game of hands (`counterpoise.public`: `mini_holdem`, `build_holdem`, `build_dense`) is solved as it is, and
    its hands may share `buckets`: a card abstraction, or a pair of them, one per player. No result depends on the
    number of `threads`, by default one per core. What is returned is then a `PublicRun`, whose exploitability is that
    in the real game. It cannot be resumed or started warm.
    """
    refuse_unknown(solve, options)
    limits, watch = Limits.of(options), Watch.of_trace(options)
    if resume is not None and not isinstance(resume, str | os.PathLike | Run):
        raise InputError(f"resume must be a file or a Run, not {shown(resume)}")
    if _is_public(game):
        from counterpoise.solvers.public.run import solve_public

        unknown: dict[str, Any] = {"resume": resume, "checkpoint": options.get("checkpoint")}
        unknown |= {"warm_start": warm_start, "warm_iterations": warm_iterations}
        for name, value in unknown.items():
            if value is not None:
                raise InputError(f"{name} is for games by name or rules, not for public games")
        settings = make_algorithm(DEFAULT_ALGORITHM if algorithm is None else algorithm)
        chosen_seed = 0 if seed is None else checked_seed(seed)
        return solve_public(game, settings, limits, watch, buckets=buckets, seed=chosen_seed, threads=threads)
    for name, given_here in (("buckets", buckets is not None), ("threads", threads is not None)):
        if given_here:
            raise InputError(f"{name} are for public games of hands, such as counterpoise.public.mini_holdem(5)")
    if warm_start is not None and resume is not None:
        raise InputError(
            "warm_start and resume exclude each other: a saved run has regrets of its own to continue from"
        )
    if warm_iterations is not None:
        if warm_start is None:
            raise InputError("warm_iterations needs warm_start")
        require_whole("warm_iterations", warm_iterations, 1, MAX_ITERATIONS)
    output = Output.of(options)
    saved = os.fspath(resume) if isinstance(resume, str | os.PathLike) else "the saved run"
    earlier = load_run(resume) if isinstance(resume, str | os.PathLike) else resume
    source = None if warm_start is None else load_source(warm_start)
    if algorithm is None:
        default = DEFAULT_ALGORITHM if source is None else DEFAULT_WARM_ALGORITHM
        settings = make_algorithm(default) if earlier is None else _saved_algorithm(earlier, saved)
    else:
        settings = make_algorithm(algorithm)
    seed = None if seed is None else checked_seed(seed)
    if game is not None:
        rules = as_game(cast("Game | str", game))
    elif earlier is not None:
        rules = load_saved_game(saved, earlier.game)
    else:
        raise InputError(
            "name the game to solve: a game is a name such as kuhn_poker (counterpoise games lists them), or an object"
        )
    if earlier is not None:
        seed = _check_resumed(earlier, saved, settings.name, game_name(rules), seed)
    display = watch.progress
    with display:
        display.begin(f"{settings.name} on {game_name(rules)}")
        tree = enumerate_game(rules, progress=display, cancel=watch.cancel)
        job = GameJob(settings.on(tree, seed=seed or 0), limits.target)
        before = None if earlier is None else job.resume(earlier, saved)
        if source is not None:
            check_warm_start(job.solver, source, warm_iterations)
        display.note(describe_size(tree))
        prepare(job.solver, display)
        if source is not None:
            display.show(None, "starting from the strategy")
            before, chosen = job.start_warm(source, warm_iterations)
            display.note(chosen.summary())
        run = watch.drive(job, limits, before, output)
        if earlier is not None and run.iterations == earlier.iterations and not run.interrupted:
            done = run.iterations - run.warm_iterations
            display.note(f"{saved} has {done:,} iterations already, all of which count: nothing was left to do")
        return run


def _is_public(game: Any) -> TypeGuard[PublicGame]:
    """Return whether this is a public game; public games are imported only if it may be one."""
    if game is None or isinstance(game, str) or not hasattr(game, "street_trees"):
        return False
    from counterpoise.public import PublicGame

    return isinstance(game, PublicGame)


def checked_seed(seed: int) -> int:
    """Return the seed if a random generator takes it."""
    require_whole("seed", seed, 0)
    return int(seed)


def _saved_algorithm(earlier: Run, saved: str) -> Algorithm:
    """Return the settings that a saved run names; a user's own class is known once its file is loaded."""
    try:
        return make_algorithm(earlier.algorithm)
    except InputError as error:
        raise InputError(
            f"{saved} is by the algorithm {earlier.algorithm!r}, which cannot be made by that name ({error}): "
            "load the file that registers it (--load FILE.py)"
        ) from None


def _check_resumed(run: Run, name: str, algorithm: str, game: str, seed: int | None) -> int:
    """Return the seed of a run to continue; refuse to continue it as something else. `name` is for messages."""
    if algorithm != run.algorithm:
        raise InputError(f"{name} is a run of {run.algorithm}, not of {algorithm}: name that algorithm")
    if game != run.game:
        raise InputError(f"{name} is a run on {run.game}, not on {game}")
    if seed is not None and seed != run.seed:
        raise InputError(f"{name} was started with seed {run.seed}, not {seed}")
    return run.seed


class GameJob(SolverJob[Values, Run]):
    """A solver of an enumerated game under the driver."""

    def __init__(self, solver: TreeSolver, target: float | None) -> None:
        self.solver: TreeSolver = solver
        self.target = target
        self.warm_start: WarmStart | None = None

    def start_warm(self, source: Source, iterations: int | None) -> tuple[JobHistory, WarmStart]:
        """Put the solver where a strategy leads it; the time counts. Also return what was chosen."""
        with Clock() as clock:
            self.warm_start = chosen = start_warm(self.solver, source, iterations=iterations)
        return JobHistory([], clock.seconds, clock.cpu_seconds, origin=self.solver.iteration), chosen

    def resume(self, run: Run, name: str) -> JobHistory:
        """Put the solver where an earlier run ended; `name` is what messages call it."""
        tree = self.solver.tree
        if run.digest != game_digest(tree):
            raise InputError(f"{name} is for other rules of {tree.name}: the game has changed since")
        self.solver.restore(run.state)
        self.warm_start = run.warm_start
        return JobHistory(run.trace, run.seconds, run.cpu_seconds, origin=run.warm_iterations)

    def measure(self) -> Values:
        """Return the values and best-response values of the solver's strategies; refuse numbers that overflowed."""
        measured = self.solver.measure()
        if not math.isfinite(measured.nash_conv):
            raise InputError(
                f"{self.solver.settings.name} overflowed by iteration {self.solver.iteration:,}: "
                "its settings are too extreme for that many iterations"
            )
        return measured

    def result(self, measured: Values, history: JobHistory) -> Run:
        solver, tree = self.solver, self.solver.tree
        return Run(
            game=tree.name,
            algorithm=solver.settings.name,
            seed=solver.seed,
            strategy=solver.strategy,
            value=tuple(measured.expected.tolist()),
            exploitability=measured.exploitability,
            nash_conv=measured.nash_conv,
            iterations=solver.iteration,
            nodes_touched=solver.nodes_touched,
            trace=list(history.trace),
            **history.outcome,
            warm_start=self.warm_start,
            target=self.target,
            histories=tree.nodes,
            memory_bytes=tree.memory_bytes,
            caveat=caveat(tree, solver.settings),
            digest=game_digest(tree),
            state=solver.state(),
        )


def caveat(tree: Tree, settings: Algorithm) -> str:
    """Return why the result need not be near an equilibrium; empty if the method's guarantee covers the game."""
    if not settings.guarantee:
        reason = f"no theorem covers {settings.name}"
    elif tree.two_player_zero_sum or tree.players == 1:
        return ""
    else:
        kind = f"has {tree.players} players" if tree.players != 2 else "is not zero-sum"
        reason = f"{tree.name} {kind}, and {settings.name} is guaranteed to converge in two-player zero-sum games only"
    return f"No equilibrium guarantee: {reason}. The exploitability shown is exact for the strategy found."
