"""`counterpoise train`: blueprints of whole games of hold'em, and networks for any game."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from counterpoise.cli.app import MISSED, command, complain
from counterpoise.cli.options import (
    JSON,
    SEED,
    WorkerOptions,
    argument,
    check_results,
    check_spot_out,
    command_progress,
    flag,
    option,
    real_number,
    refuse,
    whole_number,
)
from counterpoise.cli.output import console, number, print_facts, print_json, table
from counterpoise.cli.train_networks import names_networks, train as train_networks
from counterpoise.errors import InputError
from counterpoise.progress import cancel_on_interrupt, duration, memory_size

if TYPE_CHECKING:
    from counterpoise.betting.tilt import PayoffTilt
    from counterpoise.blueprint import Training
    from counterpoise.blueprint.litmus import Litmus


@dataclass(frozen=True)
class TrainOptions:
    """The options of `counterpoise train` that decide what is trained."""

    method: str | None = option(
        "--method METHOD",
        "Blueprints: external (one hand at a time, any number of seats; the default), vector (all hands on a dealt "
        "board, two seats), clusters (the same on a board of every public cluster of flops, with an abstraction made "
        "with --public N), cfr-br (against a best responder without buckets, two seats). Networks, with settings in "
        "brackets: deep-cfr, single-deep-cfr, nfsp, regression-cfr, rebel.",
    )
    discount: str | None = option(
        "--discount linear|none", "Let early iterations count less (Linear MCCFR). Default: linear."
    )
    period: int | None = option("--period N", "Iterations of a block of linear discount.", whole_number)
    skip: str | None = option(
        "--skip none|regret|hand",
        "Leave out own actions of very negative regret: each by its regret, or all in 95 % of hands. Default: none.",
    )
    skip_threshold: float | None = option(
        "--skip-threshold X",
        "Below minus X times the largest payoff regrets are very negative. Default: 100.",
        real_number,
    )
    skip_after: int | None = option("--skip-after N", "Skip nothing before iteration N. Default: 0.", whole_number)
    skip_until: int | None = option(
        "--skip-until N", "Skip nothing from iteration N on. Default: skip to the end.", whole_number
    )
    weighted: bool = flag("--weighted", "With --skip regret: count regrets of explored actions by 1 / probability.")
    trunk: int | None = option(
        "--trunk N",
        "With cfr-br: the rounds in which the responder learns; later ones it answers. Default: 2.",
        whole_number,
    )
    batch: int | None = option("--batch N", "Hands that are walked before the tables change.", whole_number)
    tilt: str | None = option(
        "--tilt WS,LS,LF,WF",
        "Train as if payoffs grew by these per cent: of a showdown won, lost, a hand folded, won by a fold. "
        "7,0,0,7 is an aggressive player.",
    )
    seed: int | None = SEED

    def settings(self) -> dict[str, Any]:
        """Return the fields of `TrainSettings` that were given."""
        from counterpoise.sampling.external import SkippedActions

        skipping: dict[str, Any] = {"kind": self.skip, "threshold": self.skip_threshold, "after": self.skip_after}
        skipping["until"] = self.skip_until
        given = {name: value for name, value in skipping.items() if value is not None}
        if self.weighted:
            given["weighted"] = True
        plain = {name: getattr(self, name) for name in ("method", "discount", "period", "trunk", "batch", "seed")}
        found = {name: value for name, value in plain.items() if value is not None}
        if self.tilt is not None:
            found["tilt"] = _tilt(self.tilt)
        return found | ({"skipping": SkippedActions(**given)} if given else {})


def _tilt(text: str) -> PayoffTilt:
    from counterpoise.betting.tilt import PayoffTilt

    try:
        win_showdown, lose_showdown, lose_fold, win_fold = map(float, text.split(","))
        return PayoffTilt(win_showdown, lose_showdown, lose_fold, win_fold)
    except ValueError:
        raise InputError(f"--tilt must be four numbers of per cent, such as 7,0,0,7, not {text!r}") from None


@command(
    """
    abstraction IR-PHS-PHS --buckets 169,50x4,50x4,200 --out phs.cpz
    train no_limit_holdem --abstraction phs.cpz --minutes 60 --out hunl.cpz
    train --resume hunl.cpz --minutes 60 --out hunl.cpz --plot hunl.png
    abstraction IR-PHS-PHS --ranks 6 --public 6 --buckets 36,50,50,50 --out six.cpz
    train "no_limit_holdem(ranks=6, stack=20)" --abstraction six.cpz --method clusters --processes 2 -n 999 --out t7.cpz
    train no_limit_holdem --abstraction phs.cpz --batch 50000 --minutes 600 --out hunl.cpz --cluster 10.0.0.7:6379
    train "no_limit_holdem(seats=6, ranks=6, stack=50)" --minutes 30 --skip hand --out six.cpz
    train "limit_holdem(board=[0, 3], ranks=4)" --method vector -n 1000 --out small.cpz --json
    train limit_holdem --abstraction pr2.cpz --method cfr-br --minutes 600 --out floppy.cpz
    train leduc_poker --method deep-cfr --minutes 10 --out deep.cpz --plot deep.png
    train "liars_dice(faces=4)" --method rebel --minutes 20 --workers 2 --out dice.cpz
    """
)
def train(
    options: TrainOptions,
    who: WorkerOptions,
    game: str | None = argument("GAME", "From [bold]counterpoise games[/]; blueprints are for hold'em."),
    abstraction: Path | None = option(
        "--abstraction FILE", "A file of [bold]counterpoise abstraction[/]. Default: percentiles, built first."
    ),
    minutes: float | None = option(
        "--minutes M", "Train for M minutes; compiling before, and last figures after, come on top.", real_number
    ),
    iterations: int | None = option(
        "-n --iterations N", "Until N hands (method vector: boards; networks: steps) in all.", whole_number
    ),
    out: Path | None = option("--out -o FILE", "The result (.cpz); its checkpoint is FILE.training.cpz beside it."),
    resume: Path | None = option("--resume FILE", "Continue the training of this result or checkpoint."),
    threads: int | None = option(
        "--threads N", "Default: all cores. The result is the same for any number.", whole_number
    ),
    workers: int | None = option(
        "--workers N",
        "Of networks: processes that make data, at a pace of their own. Default: 1.",
        whole_number,
    ),
    checkpoint_minutes: float = option(
        "--checkpoint-minutes M", "Save the training so often. Default: 10.", real_number, default=10.0
    ),
    plot: Path | None = option(
        "--plot FILE",
        "Draw the first decisions as grids of hands, of networks the exploitability (.png, .svg or .pdf).",
    ),
    litmus: bool = flag("--litmus", "Also test what every sensible strategy does: aces and nuts never fold."),
    json: bool = JSON,
) -> None:
    """Train a strategy for all seats of GAME: a blueprint, by Monte Carlo CFR over buckets of hands, or networks.

    No-limit games without sizes of their own are trained with half pot, pot and all-in (more than two seats: pot and
    all-in). Small games are judged by exact best responses. Ctrl-C keeps what has been found; a killed run continues
    from its last checkpoint as if nothing had happened. Exit code 0 = done, 1 = interrupted, not saved or not
    drawn, 2 = wrong input.
    """
    out = resume if out is None else out
    if out is None:
        raise InputError("--out is missing: name a file ending in .cpz")
    if resume is not None:
        refuse("--resume has it", options, abstraction=abstraction)
    check_results(plot, out=out)
    check_spot_out(out, None)
    if names_networks(options.method, resume):
        given = {name: value for name, value in vars(options).items() if name not in ("method", "seed")}
        refuse("it is for blueprints", who, **given, abstraction=abstraction, threads=threads, litmus=litmus)
        train_networks(
            game,
            options.method,
            plot,
            json,
            out,
            minutes=minutes,
            iterations=iterations,
            seed=options.seed,
            workers=1 if workers is None else workers,
            resume=resume,
            checkpoint_minutes=checkpoint_minutes,
        )
        return
    from counterpoise.blueprint import train as run_training

    refuse("it is for networks; who walks for a blueprint is said by --processes or --cluster", workers=workers)
    with who.open() as processes, cancel_on_interrupt() as cancel:
        found = run_training(
            game,
            abstraction,
            minutes=minutes,
            iterations=iterations,
            threads=threads,
            processes=processes,
            out=out,
            resume=resume,
            checkpoint_minutes=checkpoint_minutes,
            progress=command_progress(json, show_eta=True),
            cancel=cancel,
            **options.settings(),
        )
    tests = _litmus(found) if litmus else []
    drawn = _plot(found, plot) if plot is not None else None
    if json:
        more = {"litmus": [one.to_json() for one in tests]} if litmus else {}
        print_json(found.to_json() | {"out": out, "plot": drawn} | more)
    else:
        _print_result(found, out, drawn, tests)
    if found.unsaved is not None:
        complain(f"the blueprint could not be saved to {out}: {found.unsaved}")
    if found.interrupted or found.unsaved is not None:
        raise typer.Exit(MISSED)


def _litmus(found: Training) -> list[Litmus]:
    from counterpoise.blueprint.litmus import litmus_tests

    return litmus_tests(found.blueprint)


def _plot(found: Training, path: Path) -> Path:
    from counterpoise.blueprint.picture import plot_first_decisions

    return plot_first_decisions(found.blueprint, path)


def _tables(found: Training) -> str:
    """Return how large the tables are, and how much of them no hand has needed yet, where that is worth a word."""
    unused = 1 - found.table_mb / found.whole_table_mb
    told = f"tables {memory_size(1e6 * found.table_mb)}"
    return f"{told}; {unused:.0%} of the whole game's were not needed yet" if unused >= 0.01 else told


def _print_result(found: Training, out: Path, plot: Path | None, tests: list[Litmus]) -> None:
    kind = "hands" if found.settings.method == "external" else "boards"
    lines = [
        ("iterations", f"{found.iterations:,} {kind}, {found.nodes:,} nodes"),
        ("speed", f"{found.nodes_per_cpu_second / 1e6:.2f} million nodes per CPU second"),
        ("time", f"{duration(found.seconds)}  (CPU {duration(found.cpu_seconds)})"),
        ("memory", f"{memory_size(1e6 * found.memory_mb)}, {_tables(found)}"),
        ("decisions met", f"{found.decisions_met:,}"),
    ]
    if found.exploitability is not None:
        lines.append(("exploitability", f"{number(found.exploitability)} chips per hand, exact, in the real game"))
    if found.duels:
        last = found.duels[-1]
        lines.append(("last checkpoint", f"beaten by {last.won:+.0f} ± {last.ci95:.0f} mbb per hand"))
    if found.interrupted:
        lines.append(("stopped", f"by Ctrl-C; --resume {out} continues from here"))
    if found.unsaved is None:
        lines.append(("saved to", f"{out}, checkpoint {found.checkpoint}"))
    print_facts((found.blueprint.game.name, found.settings.method), lines + ([("plot", str(plot))] if plot else []))
    if tests:
        words = {True: "holds", False: "does not hold", None: "no such decision"}
        rows = [(one.name, f"{100 * one.figure:.2f} %", f"{100 * one.bound:.0f} %", words[one.passed]) for one in tests]
        console().print(table(("litmus test", "exceptions", "allowed", ""), rows, numbers=(1, 2)))
