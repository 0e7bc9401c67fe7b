"""`counterpoise spot --optimise-sizes` and `--simplify`: which bet sizes to use in a spot."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from counterpoise.cli.app import MISSED
from counterpoise.cli.options import (
    SpotLimitOptions,
    check_results,
    command_progress,
    option,
    percent,
    refuse,
    whole_number,
)
from counterpoise.cli.output import console, print_facts, print_json, table
from counterpoise.cli.spot_output import estimate_line
from counterpoise.errors import InputError
from counterpoise.parameters import shown
from counterpoise.progress import duration
from counterpoise.store.files import check_writable, same_file

if TYPE_CHECKING:
    from counterpoise.spots import SizeSet
    from counterpoise.spots.sizes.result import SizesResult


def size_range(text: str) -> tuple[float, float]:
    """Return the two ends of a range such as 20:150."""
    low, colon, high = str(text).partition(":")
    if not colon:
        raise InputError(f"{shown(text)} is not a range of sizes: write 20:150 for 20 to 150 per cent of the pot")
    return percent(low), percent(high)


def size_menu(text: str) -> list[str]:
    """Return the sizes of a list such as 25%,50%,allin; a plain number is per cent."""
    words = [word.strip() for word in str(text).split(",") if word.strip()]
    if not words:
        raise InputError(f"{shown(text)} is not a list of sizes: write 25%,50%,allin")
    return [f"{word}%" if word.replace(".", "", 1).isdigit() else word for word in words]


@dataclass(frozen=True)
class SizeOptions:
    """Which search of bet sizes to do, and for whom."""

    optimise_sizes: int | None = option(
        "--optimise-sizes 1|2", "Find the best 1 or 2 bet sizes per street of one player.", whole_number
    )
    simplify: float | None = option(
        "--simplify PCT", "Leave out sizes of one player while that costs it at most PCT per cent of the pot.", percent
    )
    seat: str | None = option("--seat oop|ip", "Whose sizes. Default: the player to whom bets are worth more.")
    size_range: Any = option(
        "--size-range LOW:HIGH", "Where to seek sizes, in per cent of the pot. Default: 10:300.", size_range
    )
    menu: Any = option(
        "--menu SIZES",
        "Bets for --simplify to choose from, such as 25%,50%,100%,allin. Default: the file's.",
        size_menu,
    )

    @property
    def wanted(self) -> bool:
        """Whether sizes are to be searched."""
        return self.optimise_sizes is not None or self.simplify is not None


def search_sizes(
    file: Path,
    sizes: SizeOptions,
    limits: SpotLimitOptions,
    out: Path | None,
    plot: Path | None,
    estimate: bool,
    json: bool,
) -> None:
    """Search sizes, or say what that would take; print what was found."""
    from counterpoise.spots import Spot, optimise_sizes, simplify_sizes
    from counterpoise.spots.sizes.optimise import estimate_sizes
    from counterpoise.spots.sizes.simplify import estimate_simplification

    if sizes.optimise_sizes is not None and sizes.simplify is not None:
        raise InputError("--optimise-sizes and --simplify exclude each other: simplify the file that the first writes")
    if file.is_dir() or file.suffix.lower() == ".cpz":
        raise InputError(f"bet sizes are sought for one spot file (.toml or .json), not for {file}")
    refuse(
        "a search of sizes solves many spots, each to --target", iterations=limits.iterations, seconds=limits.seconds
    )
    optimise = sizes.optimise_sizes is not None
    if optimise:
        refuse("it belongs to --simplify", menu=sizes.menu)
    else:
        refuse("it belongs to --optimise-sizes", size_range=sizes.size_range, plot=plot)
    if estimate:
        refuse("--estimate solves nothing", out=out, plot=plot, threads=limits.threads)
    _check_out(out, file, plot)
    given = Spot.load(file)
    more: dict[str, Any] = {"seat": sizes.seat, "bits": limits.bits, "algorithm": limits.algorithm}
    more |= {} if limits.target is None else {"target": limits.target}
    more |= {} if sizes.size_range is None else {"size_range": sizes.size_range}
    more |= {} if sizes.menu is None else {"menu": sizes.menu}
    amount: Any = sizes.optimise_sizes if optimise else sizes.simplify
    progress = command_progress(json)
    forecast = (estimate_sizes if optimise else estimate_simplification)(given, amount, **more)
    if estimate:
        _print_estimate(forecast, json)
        return
    progress.note(f"{estimate_line(forecast)}, all solves together")
    found: SizesResult
    if optimise:
        found = optimise_sizes(
            given, amount, **more, threads=limits.threads, curves=plot is not None, progress=progress
        )
    else:
        found = simplify_sizes(given, amount, **more, threads=limits.threads, progress=progress)
    if out is not None:
        found.spot.save(out)
    drawn = _draw(found, plot)
    if json:
        print_json(found.to_json() | {"out": out} | ({} if plot is None else {"plot": drawn}))
    else:
        tell_sizes(found, out, plot, drawn)
    if found.interrupted:
        raise typer.Exit(MISSED)


def tell_sizes(found: SizesResult, out: Path | None, plot: Path | None, drawn: Path | None) -> None:
    """Print the sizes, what they are worth, whose they are, and the sets that they were compared with."""
    from counterpoise.spots import OptimisedSizes, SimplifiedSizes

    spot, best, seat = found.spot, found.found, found.seat
    other = "ip" if seat == "oop" else "oop"
    whose = f"{seat}'s bets; {other} keeps its sizes"
    if isinstance(found, OptimisedSizes):
        whose += ", and all raises and donk bets stay as they are"
        if found.worth_of_bets is not None:
            lost = ", ".join(f"{player} {worth:.1f} %" for player, worth in found.worth_of_bets.items())
            whose += f" (without its bets a player would lose, of the pot: {lost})"
    lines = [
        ("sizes", _sizes_in_words(best)),
        ("whose", whose),
        ("EV", f"{seat} wins {best.ev_pct:.2f} % of the pot, within {best.error_pct:.2f}"),
        *_gain_lines(found),
        ("used", _usage_in_words(found)),
    ]
    if isinstance(found, SimplifiedSizes):
        lines.append(("left out", ", ".join(found.dropped) or "nothing: every size may be worth more than that"))
    elif isinstance(found, OptimisedSizes):
        lines.append(("note", "a local search: other starts may find better sizes"))
        if ends := found.at_the_ends:
            lines.append(("at an end", f"{', '.join(ends)}: a wider --size-range may have better sizes"))
    lines.append(("time", f"{duration(found.seconds)}  (CPU {duration(found.cpu_seconds)})"))
    lines += [("stopped", "by Ctrl-C: these are the best sizes so far")] if found.interrupted else []
    lines += [] if out is None else [("saved to", f"{out}; counterpoise spot {out} solves it")]
    lines += [] if plot is None else [("plot", str(drawn or "none: stopped before there was a curve"))]
    print_facts((spot.name or "spot", spot.board, "bet sizes"), lines)
    streets = list(best.sizes)
    rows = [
        [one.name, *(_street(one, street) for street in streets), f"{one.ev_pct:.2f}", f"{one.error_pct:.2f}"]
        for one in sorted(found.sets, key=lambda one: -one.ev_pct)
    ]
    screen = console()
    screen.print()
    screen.print(table(["sizes", *streets, "EV %", "within"], rows, numbers=(len(streets) + 1, len(streets) + 2)))


def _gain_lines(found: SizesResult) -> list[tuple[str, str]]:
    """Return the line on what the sizes gain over the reference, and whether the solves can tell."""
    gain, error, reference = found.gain_pct, found.gain_error_pct, found.file
    if gain is None or error is None or reference is None or reference is found.found:
        return []
    told = f"{gain:+.2f} % of the pot against {reference.name} sizes"
    if abs(gain) <= error:
        return [("gain", f"{told}: not more than the solving error of {error:.2f} %, so take them as equal")]
    return [("gain", f"{told}, within {error:.2f}")]


def _sizes_in_words(one: SizeSet) -> str:
    return ",  ".join(f"{street} {_street(one, street)}" for street in one.sizes)


def _street(one: SizeSet, street: str) -> str:
    return " / ".join(one.sizes[street]) or "no bet"


def _usage_in_words(found: SizesResult) -> str:
    parts = [
        f"{street} {word} {100 * share:.0f} % of the time"
        for street, own in found.usage.items()
        for word, share in own.items()
    ]
    return ",  ".join(parts) or "never"


def _draw(found: SizesResult, plot: Path | None) -> Path | None:
    """Draw EV against size; None if nothing is to be drawn, or if there is no curve."""
    from counterpoise.spots import OptimisedSizes

    if plot is None or not isinstance(found, OptimisedSizes) or not found.curves:
        return None
    return found.plot(plot)


def _check_out(out: Path | None, read: Path, plot: Path | None) -> None:
    """Refuse, before any work, files that cannot be written or that are read."""
    check_results(plot, out=out)
    if out is not None:
        if same_file(out, read):
            raise InputError(f"--out names {read}, which is read: name another file")
        if out.suffix.lower() not in (".toml", ".json"):
            raise InputError(f"--out must name a spot file ending in .toml or .json, not {out}")
        check_writable(out)


def _print_estimate(forecast: Any, json: bool) -> None:
    if json:
        print_json(forecast.to_json())
    else:
        console().print(f"{estimate_line(forecast)}, all solves together", markup=False)
