"""Solve every spot file of a folder, in one process or by workers anywhere; bad files are reported and skipped."""

from __future__ import annotations

import gc
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from counterpoise.errors import InputError
from counterpoise.jobs import KeptResult
from counterpoise.jobs.processes import WorkersLike, at_most, check_processes, map_in_order
from counterpoise.progress import CancelToken, Progress, SilentProgress, as_progress
from counterpoise.spots.estimate import estimate
from counterpoise.spots.solution import Solution
from counterpoise.spots.solve import solve_spot
from counterpoise.spots.spot import Spot, looks_like_a_spot
from counterpoise.store.files import atomic_write, read_content

SUFFIXES = (".toml", ".json")


@dataclass(frozen=True, kw_only=True)
class SolvedFile(KeptResult):
    """The result for a spot file, without its strategies."""

    figures: dict[str, Any]
    """The figures of `Solution.to_json`."""

    @classmethod
    def of(cls, found: Solution) -> SolvedFile:
        """Return the figures of a solution."""
        return cls(figures=found.to_json(), reached=found.reached, unsaved=found.unsaved, **found.spent)

    def to_json(self) -> dict[str, Any]:
        """Return the figures of the solution in the types of JSON."""
        return self.figures


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
    Ctrl-C ends the spot that is being solved, whose result is the last. Release each solution before asking for the
    next, to free the memory of its tables.
    """
    yield from _solutions(spot_files(folder), _Files(out, None), river, options)


def solve_files(
    paths: Iterable[Path],
    *,
    out: str | os.PathLike[str] | None = None,
    resume: str | os.PathLike[str] | None = None,
    river: bool = True,
    processes: WorkersLike = 1,
    progress: Progress | bool | None = None,
    cancel: CancelToken | None = None,
    **options: Any,
) -> Iterator[tuple[Path, SolvedFile | InputError]]:
    """Solve spot files as `solve_folder` does, here or by workers; yield each file with its figures or what is wrong.

    Solutions that the folder `resume` holds under the names of `out` are continued. `processes` workers solve a spot
    each, on one thread unless `options` say otherwise: spots go out and solutions come back by value, so that workers
    need not see the folders. Figures come in the order of the files and do not depend on the workers.
    """
    check_processes(processes)
    todo, files, token = list(paths), _Files(out, resume), cancel or CancelToken()
    if processes == 1:
        for path, found in _solutions(todo, files, river, options | {"progress": progress, "cancel": token}):
            yield path, found if isinstance(found, InputError) else SolvedFile.of(found)
            del found
        return
    told: deque[tuple[Path, InputError | None]] = deque()  # files that were read, with what is wrong with them

    def plan() -> Iterator[tuple[Any, ...]]:
        for path in todo:
            try:
                piece = (path.name, *_readable(path, options), files.earlier_bytes(path))
            except InputError as error:
                told.append((path, error))
                continue
            told.append((path, None))
            yield piece

    make = partial(_solver, river, out is not None, options)
    display = as_progress(progress)
    with display:
        display.begin(f"{len(todo):,} spots")
        pieces = map_in_order(make, make(), plan(), at_most(processes, len(todo)), token)
        for done, (solved, content) in enumerate(pieces, 1):
            while (refused := told[0][1]) is not None:
                yield told.popleft()[0], refused
            path, _ = told.popleft()
            display.show(done / len(todo), f"{done:,} of {len(todo):,} spots")
            if content is not None and isinstance(solved, SolvedFile):
                yield path, replace(solved, unsaved=solved.unsaved or files.write(path, content))
            else:
                yield path, solved
    yield from ((path, error) for path, error in told if error is not None)


class _Files(NamedTuple):
    """The files where solutions of spots are saved and from which they are resumed."""

    out: str | os.PathLike[str] | None
    resume: str | os.PathLike[str] | None

    def saved(self, path: Path) -> Path | None:
        return None if self.out is None else Path(self.out) / f"{path.name}.cpz"

    def earlier(self, path: Path) -> Path | None:
        found = None if self.resume is None else Path(self.resume) / f"{path.name}.cpz"
        return found if found is not None and found.exists() else None

    def earlier_bytes(self, path: Path) -> bytes | None:
        found = self.earlier(path)
        return None if found is None else read_content(found, "a solved spot")

    def write(self, path: Path, content: bytes) -> str | None:
        """Save a solution; return the reason if that failed."""
        saved = self.saved(path)
        assert saved is not None
        try:
            with atomic_write(saved) as file:
                file.write(content)
        except OSError as error:
            return error.strerror or str(error)
        except InputError as error:
            return str(error)
        return None


def _solutions(
    paths: Iterable[Path], files: _Files, river: bool, options: dict[str, Any]
) -> Iterator[tuple[Path, Solution | InputError]]:
    for path in paths:
        more = {"resume": files.earlier(path), "checkpoint": files.saved(path), "save_river": river}
        found = _outcome(path, path, options | {name: value for name, value in more.items() if value is not None})
        last = isinstance(found, Solution) and found.interrupted
        yield path, found
        if last:
            return
        del found
        gc.collect()  # a solution and its nodes know each other


def _outcome(path: str | os.PathLike[str], spot: Spot | Path, options: dict[str, Any]) -> Solution | InputError:
    try:
        return solve_spot(spot, **options)
    except InputError as error:
        return error
    except (MemoryError, RecursionError) as error:
        return too_large(path, error)


def _readable(path: Path, options: dict[str, Any]) -> tuple[Spot, int | None]:
    """Return a spot, and the bits per number that it would be solved with here, so that all workers take the same."""
    spot = Spot.load(path)
    try:
        return spot, estimate(spot, bits=options.get("bits"), algorithm=options.get("algorithm")).bits
    except InputError:
        return spot, options.get("bits")  # what does not fit here may fit elsewhere


def _solver(
    river: bool, saving: bool, options: dict[str, Any]
) -> Callable[..., tuple[SolvedFile | InputError, bytes | None]]:
    """Return the function of a worker, which solves a spot and returns the figures and the file of the solution."""

    def solve(name: str, spot: Spot, bits: int | None, earlier: bytes | None) -> tuple[Any, bytes | None]:
        with TemporaryDirectory() as folder:
            before, file = Path(folder) / "earlier.cpz", Path(folder) / "solution.cpz"
            more: dict[str, Any] = {"bits": bits, "threads": options.get("threads") or 1, "progress": SilentProgress()}
            if earlier is not None:
                before.write_bytes(earlier)
                more |= {"resume": before, "bits": options.get("bits")}
            if saving:
                more |= {"checkpoint": file, "save_river": river}
            found = _outcome(name, spot, options | more)
            if isinstance(found, InputError):
                return found, None
            content = file.read_bytes() if saving and found.unsaved is None else None
            figures = SolvedFile.of(found)
            del found
            gc.collect()
            return figures, content

    return solve


def too_large(path: str | os.PathLike[str], error: Exception) -> InputError:
    """Return the sentence about a spot file that broke a limit of the machine."""
    what = "the memory" if isinstance(error, MemoryError) else "the stack of calls"
    return InputError(f"{os.fspath(path)}: {what} does not suffice for this spot")
