"""`counterpoise abstraction`: build tables of buckets, look hands up in them, compare them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterpoise.cli.app import command
from counterpoise.cli.options import (
    SOLVED,
    Json,
    Seed,
    check_plot,
    check_spot_out,
    command_progress,
    refuse,
    whole_number,
)
from counterpoise.errors import InputError

if TYPE_CHECKING:
    from counterpoise.abstraction import CardAbstraction


@command(
    """
    abstraction IR-KE-KO --buckets 169,200,200,200 --out ir200.cpz
    abstraction ir200.cpz --board "Ks 7d 2c" --hand AhKh --plot bucket.png
    abstraction ir200.cpz --board "Ks 7d 2c" --json
    abstraction --compare ir200.cpz other.cpz
    """
)
def abstraction(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME|FILE",
            help="A name such as IR-KE-KO or a .toml file to build, or a .cpz file to look into.",
            show_default=False,
        ),
    ] = None,
    buckets: Annotated[
        str | None,
        typer.Option("--buckets", metavar="N,N,...", help="Buckets of each street; 5x2 cuts PHS buckets again."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help=f"Where to keep it ({SOLVED}).")] = None,
    public: Annotated[
        int | None,
        typer.Option("--public", metavar="N", parser=whole_number, help="Cluster flops first, hands inside them."),
    ] = None,
    ranks: Annotated[
        int | None, typer.Option("--ranks", metavar="N", parser=whole_number, help="A smaller deck: its top N ranks.")
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option("--sample", metavar="N", parser=whole_number, help="Most points that centres are made of."),
    ] = None,
    threads: Annotated[
        int | None, typer.Option("--threads", metavar="N", parser=whole_number, help="Default: all cores.")
    ] = None,
    seed: Seed = None,
    estimate: Annotated[bool, typer.Option("--estimate", help="Only say what the build would take.")] = False,
    board: Annotated[
        str | None, typer.Option("--board", metavar="CARDS", help='The board as dealt; "" is before the flop.')
    ] = None,
    hand: Annotated[str | None, typer.Option("--hand", metavar="HAND", help="The hand to look up.")] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw histograms of the hand's bucket.")
    ] = None,
    compare: Annotated[
        tuple[str, str] | None, typer.Option("--compare", metavar="A B", help="Compare two files.")
    ] = None,
    json: Json = False,
) -> None:
    """Build a card abstraction, or look hands up in one: which hands share a bucket on which board.

    Names are those of JOHANSON 5.5: PR or IR (perfect, imperfect recall), then C (canonical), PHS (percentiles), KE
    (k-means on histograms), KO (k-means on strength by opponent cluster) or KP (potential-aware). A build that is
    stopped goes on where it was when it is started again.
    """
    building: dict[str, Any] = {"out": out, "public": public, "ranks": ranks, "sample": sample, "threads": threads}
    building |= {"buckets": buckets, "estimate": estimate, "seed": seed}
    looking: dict[str, Any] = {"board": board, "hand": hand, "plot": plot}
    if compare is not None:
        refuse("--compare takes two files and nothing else", NAME=what, **building, **looking)
        _compare(Path(compare[0]), Path(compare[1]), json)
    elif what is None:
        raise InputError("NAME|FILE is missing: name an abstraction to build or a file to look into")
    elif what.lower().endswith(SOLVED):
        refuse(f"{what} is looked into, not built", **building)
        _look(Path(what), board, hand, plot, json)
    else:
        refuse(f"{what} is built, not looked into", **looking)
        _build(what, building, json)


def _build(name: str, options: dict[str, Any], json: bool) -> None:
    import time

    from counterpoise.abstraction import abstraction as build
    from counterpoise.abstraction import estimate_build, parse_name, read_config
    from counterpoise.cards import Deck
    from counterpoise.cli.output import print_facts, print_json
    from counterpoise.progress import cancel_on_interrupt, duration

    settings = {key: options[key] for key in ("public", "sample", "seed") if options[key] is not None}
    counts = [part.strip() for part in (options["buckets"] or "").split(",") if part.strip()]
    deck = None if options["ranks"] is None else Deck(ranks=options["ranks"])
    if name.lower().endswith(".toml"):
        refuse(f"{name} says everything itself", buckets=options["buckets"], ranks=deck, **settings)
        config = read_config(name)
    else:
        config = parse_name(name, counts, deck, **settings)
    if options["estimate"]:
        needed = estimate_build(config)
        if json:
            print_json({"name": name, **vars(needed)})
        else:
            print(needed.sentence())
        return
    out: Path | None = options["out"]
    if out is None:
        raise InputError(f"--out is missing: name a file ending in {SOLVED}")
    check_spot_out(out, None)
    started, wall = time.process_time(), time.monotonic()
    with cancel_on_interrupt() as cancel:
        table = build(config, threads=options["threads"], progress=command_progress(json, show_eta=True), cancel=cancel)
    table.save(out)
    spent = {"seconds": time.monotonic() - wall, "cpu_seconds": time.process_time() - started}
    streets = dict(zip(table.cards.names, table.buckets, strict=True))
    if json:
        print_json({"name": name, "buckets": streets, "file": out, "bytes": out.stat().st_size, **spent})
        return
    lines = [(street, f"{count:,} buckets") for street, count in streets.items()]
    time_spent = f"{duration(spent['seconds'])}, {duration(spent['cpu_seconds'])} of CPU time"
    print_facts((name,), [*lines, ("time", time_spent), ("saved to", f"{out} ({out.stat().st_size / 1e6:.1f} MB)")])


def _look(file: Path, board: str | None, hand: str | None, plot: Path | None, json: bool) -> None:
    from counterpoise.abstraction import CardAbstraction, look_up, plot_histograms
    from counterpoise.cards import parse_cards, parse_hand
    from counterpoise.cli.output import print_facts, print_json

    if plot is not None and hand is None:
        raise InputError("--plot needs --hand: it draws the bucket of a hand")
    check_plot(plot, None)
    table = CardAbstraction.load(file)
    if board is None and hand is None:
        _describe(file, table, json)
        return
    cards = parse_cards(board or "", table.deck)
    street = table.cards.names[table.street(cards)]
    if hand is None:
        row = table.row(cards)
        if json:
            print_json({"street": street, "row": row})
        else:
            sizes = [f"{bucket}: {count}" for bucket, count in enumerate(_counts(row)) if count]
            print_facts((str(file), street), [("hands by bucket", "  ".join(sizes))])
        return
    found = look_up(table, parse_hand(hand, table.deck), cards)
    drawn = None if plot is None else plot_histograms(table, parse_hand(hand, table.deck), cards, plot)
    if json:
        print_json(found.to_json() | {"plot": drawn})
        return
    facts = [
        ("bucket", f"{found.bucket:,} of {found.buckets:,}"),
        ("with it", " ".join(found.others) or "no other hand"),
    ]
    print_facts((found.hand, found.board or "before the flop"), facts + ([("plot", str(drawn))] if drawn else []))


def _counts(row: Any) -> list[int]:
    import numpy as np

    return [int(count) for count in np.bincount(row[row >= 0])]


def _describe(file: Path, table: CardAbstraction, json: bool) -> None:
    from counterpoise.cli.output import print_facts, print_json

    streets = dict(zip(table.cards.names, table.buckets, strict=True))
    if json:
        print_json({"buckets": streets, "config": table.config.model_dump(mode="json")})
        return
    methods = [street.method for street in table.config.streets]
    lines = [
        (name, f"{count:,} buckets ({method})") for (name, count), method in zip(streets.items(), methods, strict=True)
    ]
    print_facts((str(file), f"{table.config.recall} recall", f"{table.deck.size} cards"), lines)


def _compare(first: Path, second: Path, json: bool) -> None:
    from counterpoise.abstraction import CardAbstraction, compare
    from counterpoise.cli.output import console, print_json, table

    found = compare(CardAbstraction.load(first), CardAbstraction.load(second))
    if json:
        print_json(found.to_json())
        return
    heads = ["street", "buckets", "", "bits", "", "shared bits", "adjusted Rand index"]
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
    console().print(table(heads, rows, numbers=range(1, 7)))
