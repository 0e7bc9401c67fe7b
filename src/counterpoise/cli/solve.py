"""`counterpoise solve`: run one algorithm on one game."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterpoise.cli.app import command
from counterpoise.cli.options import (
    JSON,
    SEED,
    WARM_ITERATIONS,
    LimitOptions,
    WorkerOptions,
    argument,
    check_results,
    command_progress,
    flag,
    option,
    refuse,
    whole_number,
)
from counterpoise.cli.output import ended, leave, number, print_json, print_summary
from counterpoise.errors import InputError
from counterpoise.parameters import require_whole

if TYPE_CHECKING:
    from counterpoise.solvers import Run, TracePoint, TreeSolver
    from counterpoise.summaries import Summary

MOST_SNAPSHOTS = 1_000
"""More tables than this are not shown."""
MOST_NUMBERS = 10_000_000
"""More actions than this, over all tables, are not written as JSON."""


@command(
    """
    solve kuhn_poker -a cfr+ -n 1000
    solve leduc_poker --target 0.001 --out leduc.cpz --plot leduc.png
    solve "liars_dice(dice=1, faces=6)" -a "dcfr(alpha=1.5, beta=0.5)" --seconds 60
    solve --resume leduc.cpz -n 100000 --out leduc.cpz
    solve leduc_poker -a cfr --warm-start leduc.cpz -n 500
    solve kuhn_poker -a cfr -n 3 --every 1
    solve "limit_holdem(board=[0, 3])" --out-of-core flop_holdem --estimate
    solve "limit_holdem(board=[0, 3])" --out-of-core flop_holdem -n 500 --processes 2
    """
)
def solve(
    limits: LimitOptions,
    workers: WorkerOptions,
    game: str | None = argument(
        "GAME",
        "A name from [bold]counterpoise games[/], with parameters if wanted; [bold]openspiel:NAME[/]; "
        "or a Gambit .efg file. May be left out with --resume.",
    ),
    algorithm: str | None = option(
        "-a --algorithm ALGORITHM",
        "A name from [bold]counterpoise algorithms[/]. Default: dcfr; with --warm-start cfr.",
    ),
    seed: int | None = SEED,
    out: Path | None = option(
        "--out -o FILE", "Save strategy and state here (.cpz), every half minute, at the end and after Ctrl-C."
    ),
    resume: Path | None = option("--resume FILE", "Continue a saved run, exactly where it was."),
    warm_start: Path | None = option(
        "--warm-start FILE",
        "Start from a saved strategy, whatever found it, as though iterations had led there. -n counts from "
        "there, also with --resume later; the iterations reported include them. Best with cfr: with cfr+, dcfr "
        "and others a good strategy may get worse.",
    ),
    warm_iterations: int | None = WARM_ITERATIONS,
    plot: Path | None = option("--plot FILE", "Draw the convergence here (.png, .svg or .pdf)."),
    show: bool = flag(
        "--show", "Show the strategy by information set; of a large game, that of the earliest decisions."
    ),
    every: int | None = option(
        "--every N",
        "After every N iterations, and at the end, show regrets, current and average strategy by infoset; needs -n.",
        whole_number,
    ),
    out_of_core: Path | None = option(
        "--out-of-core DIR",
        "CFR+ on limit hold'em past memory: regrets are kept in this folder as compressed whole numbers, and a run "
        "that is there is continued. --processes and --cluster share the work; --plot draws as ever.",
    ),
    estimate: bool = flag("--estimate", "With --out-of-core: only say what disk, memory and time the run takes."),
    json: bool = JSON,
) -> None:
    """Solve GAME: find a strategy for every player that comes close to an equilibrium.

    Runs until the first of -n, --target and --seconds. Ctrl-C keeps what has been found so far. Exit code 0 =
    done, 1 = target not reached or interrupted, 2 = wrong input.
    """
    if out_of_core is not None:
        from counterpoise.cli.out_of_core import estimate_past_memory, solve_past_memory

        own = {"algorithm": algorithm, "seed": seed, "out": out, "resume": resume, "warm_start": warm_start}
        own |= {"warm_iterations": warm_iterations}
        refuse("--out-of-core has an algorithm and a folder of its own", show=show, every=every, **own)
        if estimate:
            refuse("--estimate solves nothing", limits, plot=plot)
            estimate_past_memory(game, out_of_core, workers, json)
        else:
            solve_past_memory(game, out_of_core, limits, workers, plot, json)
        return
    refuse("it is for --out-of-core", estimate=estimate)
    refuse("only the work of --out-of-core is shared", workers)
    from counterpoise.solvers import solve as run_solver

    check_results(plot, out=out)
    snapshots = Snapshots(every, limits.iterations, keep_all=json)
    run = run_solver(
        game,
        algorithm,
        seed=seed,
        resume=resume,
        warm_start=warm_start,
        warm_iterations=warm_iterations,
        checkpoint=out,
        trace_at=snapshots.iterations,
        callback=snapshots.take,
        progress=command_progress(json, show_eta=limits.show_eta),
        **vars(limits),
    )
    drawn = run.plot(plot) if plot is not None and run.trace else None
    if json:
        answer = run.to_json() | {"out": out if run.unsaved is None else None, "plot": drawn}
        answer |= {"strategy": run.strategy.to_json()} if show else {}
        print_json(answer | ({} if every is None else {"snapshots": snapshots.taken}))
    else:
        for shown in snapshots.shown:
            print_summary(shown)
        _print_result(run, out, drawn)
        if show:
            print_summary(run.strategy.summary())
    leave(run, "the run", out)


class Snapshots:
    """What --every asks for: what the solver holds after every N iterations, taken while it runs."""

    def __init__(self, every: int | None, iterations: int | None, keep_all: bool) -> None:
        """`keep_all` keeps every number, for JSON; otherwise only what fits on a screen is kept."""
        self.iterations: range | None = None
        self.taken: list[dict[str, Any]] = []
        self.shown: list[Summary] = []
        self._all = keep_all
        if every is not None:
            require_whole("every", every, 1)
            if iterations is None:
                raise InputError("--every needs -n: how many iterations to show")
            if iterations // every > MOST_SNAPSHOTS:
                wanted = f"--every {every} would show {iterations // every:,} tables"
                raise InputError(f"{wanted}: at most {MOST_SNAPSHOTS:,} can be shown, so choose a larger N")
            self.iterations = range(every, iterations + 1, every)

    def take(self, solver: TreeSolver, point: TracePoint) -> None:
        """Keep what the solver holds; the trace has a point where that is to be shown, and at the end."""
        if self.iterations is None:
            return
        snapshot = solver.snapshot()
        if not self._all:
            shown = snapshot.summary()
            self.shown.append(shown._replace(title=f"{shown.title} · exploitability {number(point.exploitability)}"))
            return
        numbers = len(self.iterations) * solver.tree.table.size
        if numbers > MOST_NUMBERS:
            raise InputError(f"--every {self.iterations.step} would write {numbers:,} numbers: choose a larger N")
        self.taken.append(snapshot.to_json() | {"exploitability": point.exploitability})


def _print_result(run: Run, out: Path | None, plot: Path | None) -> None:
    print_summary(run.summary(), [*ended(run, out), *([] if plot is None else [("plot", str(plot))])])
