"""Every spot file of a folder, one after another; a bad file is reported and the others are solved."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from counterpoise.errors import InputError
from counterpoise.spots.solution import Solution
from counterpoise.spots.solve import solve_spot
from counterpoise.spots.spot import looks_like_a_spot

SUFFIXES = (".toml", ".json")


def spot_files(folder: str | os.PathLike[str]) -> list[Path]:
    """Return the spot files of a folder by name; refused if there is none."""
    return sort_files(folder)[0]


def sort_files(folder: str | os.PathLike[str]) -> tuple[list[Path], list[Path]]:
    """Return the spot files of a folder by name, and those TOML and JSON files that are plainly something else."""
    place = Path(folder)
    if not place.is_dir():
        raise InputError(f"{place} is not a folder")
    files = sorted(path for path in place.iterdir() if path.suffix.lower() in SUFFIXES and path.is_file())
    spots = [path for path in files if looks_like_a_spot(path)]
    if not spots:
        endings = " or ".join(SUFFIXES)
        reason = f"none of its {endings} files has a board, a pot and ranges" if files else f"none ends in {endings}"
        raise InputError(f"{place} holds no spot file: {reason}")
    return spots, [path for path in files if path not in spots]


def solve_folder(
    folder: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
    river: bool = True,
    **options: Any,
) -> Iterator[tuple[Path, Solution | InputError]]:
    """Solve the spots of a folder with the options of `solve_spot`; yield each file and its solution or what is wrong.

    `out` is a folder to save the solutions in, each under its spot file's name, without the last street if not `river`.
    Ctrl-C ends the spot that is being solved, whose result is the last. Let go of each solution before asking for the
    next: its tables then make room.
    """
    yield from solve_files(spot_files(folder), out=out, river=river, **options)


def solve_files(
    paths: Iterable[Path], *, out: str | os.PathLike[str] | None = None, river: bool = True, **options: Any
) -> Iterator[tuple[Path, Solution | InputError]]:
    """Solve spot files one after the other, as `solve_folder` does those of a folder."""
    for path in paths:
        found = _outcome(path, out, river, options)
        last = isinstance(found, Solution) and found.interrupted
        yield path, found
        if last:
            return
        del found
        gc.collect()  # a solution and its nodes know each other


def _outcome(
    path: Path, out: str | os.PathLike[str] | None, river: bool, options: dict[str, Any]
) -> Solution | InputError:
    saved = None if out is None else Path(out) / f"{path.name}.cpz"
    try:
        return solve_spot(path, checkpoint=saved, save_river=river, **options)
    except InputError as error:
        return error
    except (MemoryError, RecursionError) as error:
        return too_large(path, error)


def too_large(path: Path, error: Exception) -> InputError:
    """Return what is said of a spot file that broke a limit of the machine."""
    what = "the memory" if isinstance(error, MemoryError) else "the stack of calls"
    return InputError(f"{path}: {what} does not suffice for this spot")
