"""Every spot file of a folder, one after another; a bad file is reported and the others are solved."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from counterpoise.errors import InputError
from counterpoise.spots.solution import Solution
from counterpoise.spots.solve import solve_spot

SUFFIXES = (".toml", ".json")


def spot_files(folder: str | os.PathLike[str]) -> list[Path]:
    """The spot files of a folder by name; refused if there is none."""
    place = Path(folder)
    if not place.is_dir():
        raise InputError(f"{place} is not a folder")
    files = sorted(path for path in place.iterdir() if path.suffix.lower() in SUFFIXES and path.is_file())
    if not files:
        raise InputError(f"{place} holds no spot file: none ends in {' or '.join(SUFFIXES)}")
    return files


def solve_folder(
    folder: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
    river: bool = True,
    **options: Any,
) -> Iterator[tuple[Path, Solution | InputError]]:
    """Solve the spots of a folder with the options of `solve_spot`; gives each file and what came of it.

    `out` is a folder to save the solutions in, each under its spot file's name. Ctrl-C ends the spot that is being
    solved, whose result is the last.
    """
    for path in spot_files(folder):
        saved = None if out is None else Path(out) / f"{path.name}.cpz"
        try:
            solution = solve_spot(path, checkpoint=saved if river else None, **options)
            if saved is not None and not river:
                solution.save(saved, river=False)
        except InputError as error:
            yield path, error
            continue
        yield path, solution
        if solution.interrupted:
            return
