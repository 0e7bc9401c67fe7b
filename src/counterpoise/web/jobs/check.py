"""What is checked before a job is queued: the files that it names, and whether it fits into the memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from counterpoise.errors import InputError
from counterpoise.games import GAMES
from counterpoise.games.registry import OPENSPIEL_PREFIX
from counterpoise.names import parse
from counterpoise.parameters import shown
from counterpoise.store.cpz import read_header
from counterpoise.web.jobs.requests import OptimiseSizes, RaceGame, Request, SearchNode, SolveSpot
from counterpoise.web.library import Library

GAME_FILES = (".efg", ".toml", ".json", ".cpz")


@dataclass(frozen=True)
class Needs:
    """What a job needs: the paths of files that its request names, by field, and the memory of its tables."""

    memory_mb: float
    paths: dict[str, str] = field(default_factory=dict)


def needs_of(request: Request, library: Library, memory_mb: float, share_mb: float) -> Needs:
    """Return what a request needs; refused in a sentence if it cannot be done.

    All jobs together have `memory_mb`; one whose tables cannot be told beforehand gets its share.
    """
    if isinstance(request, SolveSpot):
        return _solve_needs(request, library, memory_mb)
    if isinstance(request, SearchNode):
        return Needs(share_mb, {"solution": str(solution_path(library, request.solution))})
    if isinstance(request, OptimiseSizes):
        return _sizes_needs(request, memory_mb)
    if isinstance(request, RaceGame):
        return _race_needs(request, library, share_mb)
    raise InputError(f"there is no job of the kind {type(request).__name__}")


def solution_path(library: Library, name: str, *kinds: str) -> Path:
    """Return the file of a solution or search, named as in the library or by its job."""
    path = library.path(name if "/" in name else f"jobs/{name}/result.cpz")
    read_header(path, *(kinds or ("spot", "search")))
    return path


def game_name(library: Library, name: str) -> str:
    """Return a game as the library's calls name it: a file of the library by its path, others as they are.

    Other paths are refused: a request reads nothing outside of the library.
    """
    if name.lower().endswith(GAME_FILES):
        return str(library.path(name))
    if "/" in name or "\\" in name or reads_outside(name, library.root):
        raise InputError(f"a game is a name such as leduc_poker, or a file of the library, not {shown(name)}")
    if not name.startswith(OPENSPIEL_PREFIX):
        GAMES[parse(name)[0]]  # refuses a name that is not known, with the nearest
    return name


def reads_outside(game: str, root: Path) -> bool:
    """Return whether a game reads a file that is not in a folder: OpenSpiel has some with a filename."""
    if game.startswith(OPENSPIEL_PREFIX):
        return "file" in game
    return game.lower().endswith(GAME_FILES) and not Path(game).resolve().is_relative_to(root)


def _solve_needs(request: SolveSpot, library: Library, memory_mb: float) -> Needs:
    from counterpoise.spots import estimate

    target = {} if request.target is None else {"target": request.target}
    forecast = estimate(
        request.spot, bits=request.bits, memory_mb=memory_mb, algorithm=request.algorithm or None, **target
    )
    paths = {}
    if request.warm_start is not None:
        paths["warm_start"] = str(solution_path(library, request.warm_start, "spot"))
    return Needs(forecast.memory_mb[forecast.bits], paths)


def _sizes_needs(request: OptimiseSizes, memory_mb: float) -> Needs:
    from counterpoise.spots import estimate_sizes

    more: dict[str, Any] = {"seat": request.seat, "bits": request.bits, "algorithm": request.algorithm}
    more |= {} if request.size_range is None else {"size_range": request.size_range}
    more |= {} if request.target is None else {"target": request.target}
    forecast = estimate_sizes(request.spot, request.count, **more)
    needed = 2 * forecast.memory_mb[forecast.bits]  # the best so far is kept beside the one that is solved
    if needed > memory_mb:
        raise InputError(f"the search of sizes needs {needed:,.0f} MB, and {memory_mb:,.0f} MB may be used")
    return Needs(needed)


def _race_needs(request: RaceGame, library: Library, share_mb: float) -> Needs:
    from counterpoise.solvers import make_algorithm

    field = [make_algorithm(name) for name in request.algorithms]
    for position, settings in enumerate(field):
        if settings in field[:position]:
            raise InputError(f"algorithms lists {settings.name} twice")
    return Needs(share_mb, {"game": game_name(library, request.game)})
