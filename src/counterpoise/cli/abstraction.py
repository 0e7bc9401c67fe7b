"""`counterpoise abstraction`: build tables of buckets, look hands up in them, compare them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from counterpoise.cli.app import MISSED, command
from counterpoise.cli.options import (
    JSON,
    SEED,
    SOLVED,
    WorkerOptions,
    argument,
    check_results,
    check_spot_out,
    command_progress,
    flag,
    option,
    parse_memory,
    refuse,
    whole_number,
)
from counterpoise.cli.output import console, print_facts, print_json, table as print_table
from counterpoise.errors import Cancelled, InputError
from counterpoise.jobs import Clock
from counterpoise.progress import cancel_on_interrupt, duration, memory_size

if TYPE_CHECKING:
    from counterpoise.abstraction import AbstractionConfig, CardAbstraction

MEASURES = (
    ("bits", "what a bucket tells about the hand: n bits are 2^n buckets equally full"),
    ("shared bits", "what the bucket in A tells about the bucket in B"),
    ("adjusted Rand index", "1 if A and B put the same hands together, about 0 if only by chance"),
)


@dataclass(frozen=True)
class Build:
    """What is built, and how."""

    buckets: str | None = option(
        "--buckets N,N,...",
        "Buckets of each street (two: preflop and flop only); 5x2 cuts PHS buckets again, ? is found by --fit.",
    )
    fit: float | None = option(
        "--fit SIZE",
        "For each ? in --buckets, take as many as a solver of limit hold'em can keep in SIZE (such as 4GB).",
        parse_memory,
    )
    out: Path | None = option("--out -o FILE", f"Where to keep it ({SOLVED}).")
    public: int | None = option("--public N", "Cluster flops first, hands inside them.", whole_number)
    ranks: int | None = option("--ranks N", "A smaller deck: its top N ranks.", whole_number)
    sample: int | None = option("--sample N", "Most points that centres are made of.", whole_number)
    threads: int | None = option("--threads N", "Default: all cores.", whole_number)
    seed: int | None = SEED
    estimate: bool = flag("--estimate", "Only say what the build would take, and a solver's tables with it.")

    @property
    def settings(self) -> dict[str, int]:
        """The fields of a configuration that were given."""
        given = {"public": self.public, "sample": self.sample, "seed": self.seed}
        return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True)
class LookUp:
    """The hand and the board to look up in a table."""

    board: str | None = option("--board CARDS", 'The board as dealt; "" is before the flop.')
    hand: str | None = option("--hand HAND", "The hand to look up.")
    plot: Path | None = option("--plot FILE", "Draw histograms of the hand's bucket (.png, .svg or .pdf).")


@command(
    """
    abstraction IR-KE-KO --buckets 169,200,200,200 --out ir200.cpz
    abstraction IR-KE-KO --buckets 169,?,?,? --fit 4GB --estimate
    abstraction ir200.cpz --board "Ks 7d 2c" --hand AhKh --plot bucket.png
    abstraction ir200.cpz --board "Ks 7d 2c" --json
    abstraction --compare ir200.cpz other.cpz
    """
)
def abstraction(
    build: Build,
    who: WorkerOptions,
    look: LookUp,
    what: str | None = argument(
        "NAME|FILE", "A name such as IR-KE-KO or a .toml file to build, or a .cpz file to look into."
    ),
    compare: tuple[str, str] | None = option("--compare A B", "Compare two files."),
    json: bool = JSON,
) -> None:
    """Build a card abstraction, or look hands up in one: which hands share a bucket on which board.

    Names are those of Johanson 2016, section 5.5: PR or IR (perfect, imperfect recall), then C (canonical), PHS
    (percentiles), KE (k-means on histograms), KO (k-means on strength by opponent cluster) or KP (potential-aware). A
    build that is stopped or killed continues where it was when it is started again; finished steps are kept in
    ~/.cache/counterpoise, or in the folder that COUNTERPOISE_CACHE names.
    """
    if compare is not None:
        refuse("--compare takes two files and nothing else", build, who, look, NAME=what)
        _compare(Path(compare[0]), Path(compare[1]), json)
    elif what is None:
        raise InputError("NAME|FILE is missing: name an abstraction to build or a file to look into")
    elif what.lower().endswith(SOLVED):
        refuse(f"{what} is looked into, not built", build, who)
        _look(Path(what), look, json)
    else:
        refuse(f"{what} is built, not looked into", look)
        _build(what, build, who, json)


def _build(name: str, options: Build, who: WorkerOptions, json: bool) -> None:
    from counterpoise.abstraction import abstraction as build

    config = _config(name, options)
    if options.estimate:
        refuse("--estimate builds nothing", who)
        _estimate(name, config, options.fit, json)
        return
    out = options.out
    if out is None:
        raise InputError(f"--out is missing: name a file ending in {SOLVED}")
    check_spot_out(out, None)
    clock = Clock()
    clock.start()
    progress = command_progress(json, show_eta=True)
    if config.cards.streets < 4:
        progress.note(_played(config))
    with who.open() as processes, cancel_on_interrupt() as cancel:
        try:
            table = build(config, threads=options.threads, processes=processes, progress=progress, cancel=cancel)
        except Cancelled as error:
            typer.echo(str(error), err=True)
            raise typer.Exit(MISSED) from None
        table.save(out)
    spent = clock.spent
    size = out.stat().st_size
    if json:
        print_json({"name": name, **_streets(table), "file": out, "bytes": size, **spent})
        return
    time_spent = f"{duration(spent['seconds'])}, {duration(spent['cpu_seconds'])} of CPU time"
    print_facts(
        (name, _played(config)),
        [*_street_lines(table), ("time", time_spent), ("saved to", f"{out} ({memory_size(size)})")],
    )


def _config(name: str, options: Build) -> AbstractionConfig:
    from counterpoise.abstraction import parse_name, read_config
    from counterpoise.cards import Deck

    if name.lower().endswith(".toml"):
        refuse(f"{name} says everything itself", buckets=options.buckets, ranks=options.ranks, **options.settings)
        return read_config(name)
    counts = [part.strip() for part in (options.buckets or "").split(",") if part.strip()]
    deck = None if options.ranks is None else Deck(ranks=options.ranks)
    if "?" not in counts:
        refuse("no number of --buckets is ?", fit=options.fit)
        return parse_name(name, counts, deck, **options.settings)
    if options.fit is None:
        raise InputError("--buckets has a ? and needs --fit: how much memory a solver's tables may take")
    least = parse_name(name, ["1" if count == "?" else count for count in counts], deck, **options.settings)
    return parse_name(name, _fitting(least, counts, options.fit), deck, **options.settings)


def _fitting(least: AbstractionConfig, counts: list[str], memory: float) -> list[str]:
    """Return the numbers of buckets with each ? replaced by what fits; `least` has one bucket there."""
    from counterpoise.abstraction import betting_size, fitting_buckets
    from counterpoise.abstraction.sizes import LIMIT_HOLDEM

    streets = least.cards.streets
    if any(least.groups(street) > 1 for street in range(streets)) or least.recall == "perfect":
        raise InputError("--fit is for imperfect recall without public buckets: elsewhere numbers of buckets multiply")
    lossy = [street for street in range(streets) if least.streets[street].method != "C"]
    places = range(streets) if len(counts) == streets else lossy
    wanted = {street for street, count in zip(places, counts, strict=True) if count == "?"}
    given = [None if street in wanted else least.buckets(street) for street in range(streets)]
    found = fitting_buckets(given, memory=memory, betting=betting_size(LIMIT_HOLDEM).first(streets))
    return [str(found[street]) if count == "?" else count for street, count in zip(places, counts, strict=True)]


def _played(config: AbstractionConfig) -> str:
    """Return which streets the abstraction is of."""
    *early, last = config.cards.names
    return f"{config.cards.streets} streets: {', '.join(early)} and {last}"


def _estimate(name: str, config: AbstractionConfig, fit: float | None, json: bool) -> None:
    from counterpoise.abstraction import abstraction_size, betting_size, estimate_build
    from counterpoise.abstraction.sizes import LIMIT_HOLDEM

    needed, streets = estimate_build(config), config.cards.streets
    buckets = [config.buckets(street) for street in range(streets)]
    size = abstraction_size(buckets, betting_size(LIMIT_HOLDEM).first(streets))
    if json:
        print_json({"name": name, **vars(needed), "limit_holdem": size.to_json()})
        return
    game = f"{size.total_infosets:,} information sets, {memory_size(size.memory)} for a solver's tables"
    told = " / ".join(f"{count:,}" for count in buckets)
    facts = [("buckets", told), ("build", needed.sentence()), ("limit hold'em", game)]
    if fit is not None and needed.memory > fit:
        facts.append(("note", "--fit limits the solver's tables, not the build, which needs more memory"))
    print_facts((name, _played(config)), facts)


def _streets(table: CardAbstraction) -> dict[str, Any]:
    """Return the buckets of each street, all and those that hold a hand."""
    names = table.cards.names
    return {
        "buckets": dict(zip(names, table.buckets, strict=True)),
        "filled": dict(zip(names, table.filled, strict=True)),
    }


def _street_lines(table: CardAbstraction) -> list[tuple[str, str]]:
    lines = []
    for name, street, settings in zip(table.cards.names, table.streets, table.config.streets, strict=True):
        empty = street.buckets - street.filled
        told = f", {empty:,} of them empty" if empty else ""
        method = "C: as many as different hands" if settings.method == "C" else settings.method
        lines.append((name, f"{street.buckets:,} buckets ({method}){told}"))
    return lines


def _look(file: Path, look: LookUp, json: bool) -> None:
    import numpy as np

    from counterpoise.abstraction import CardAbstraction, look_up, plot_histograms

    if look.plot is not None and look.hand is None:
        raise InputError("--plot needs --hand: it draws the bucket of a hand")
    check_results(look.plot)
    table = CardAbstraction.load(file)
    if look.board is None and look.hand is None:
        _describe(file, table, json)
        return
    board = table.read_board(look.board or "")
    if look.hand is None:
        row, street = table.row(board), table.cards.names[table.street(board)]
        if json:
            print_json({"street": street, "row": row})
        else:
            sizes = [f"{bucket}: {count}" for bucket, count in enumerate(np.bincount(row[row >= 0])) if count]
            print_facts((str(file), street), [("hands by bucket", "  ".join(sizes))])
        return
    found = look_up(table, look.hand, board)
    drawn = None if look.plot is None else plot_histograms(table, look.hand, board, look.plot)
    if json:
        print_json(found.to_json() | {"plot": drawn})
        return
    facts = [
        ("bucket", f"{found.bucket:,} of {found.buckets:,}"),
        ("with it", " ".join(found.others) or "no other hand"),
    ]
    print_facts((found.hand, found.board or "before the flop"), facts + ([("plot", str(drawn))] if drawn else []))


def _describe(file: Path, table: CardAbstraction, json: bool) -> None:
    if json:
        print_json(_streets(table) | {"config": table.config.model_dump(mode="json")})
    else:
        print_facts((str(file), f"{table.config.recall} recall", f"{table.deck.size} cards"), _street_lines(table))


def _compare(first: Path, second: Path, json: bool) -> None:
    from counterpoise.abstraction import CardAbstraction, compare

    found = compare(CardAbstraction.load(first), CardAbstraction.load(second))
    if json:
        print_json(found.to_json())
        return
    heads = ["street", "buckets of A", "of B", "bits of A", "of B", "shared bits", "adjusted Rand index"]
    rows = [
        [
            street.street,
            *(f"{count:,}" for count in street.buckets),
            *(f"{bits:.2f}" for bits in street.bits),
            f"{street.shared_bits:.2f}",
            f"{street.rand_index:.3f}",
        ]
        for street in found.streets
    ]
    print_facts(("A and B",), [("A", str(first)), ("B", str(second)), *MEASURES])
    console().print(print_table(heads, rows, numbers=range(1, 7)))
