"""What a file of the library holds, told from its header, and whether it may be taken in; nothing is unpickled."""

from __future__ import annotations

import importlib
import shutil
import tempfile
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any

from counterpoise.errors import InputError
from counterpoise.parameters import shown
from counterpoise.store.cpz import LARGE, arrays_on_disk, read_arrays, read_header, unpacked_bytes
from counterpoise.store.headers import RunHeader, SearchHeader, SpotHeader
from counterpoise.store.schemas import SCHEMAS, Schema

SUFFIXES = (".cpz", ".toml", ".json", ".efg")
"""The endings of files that the library takes."""
MOST_RATIO = 200
"""How many times its size a large file may unpack to; a zip of nothing but zeros reaches a thousand."""
MOST_UNPACKED = 16 * 2**30
"""Bytes of all arrays of a file that is taken in: while it is checked they lie in the temporary folder."""
MOST_LOADED = 2**29
"""Bytes of arrays up to which a file is also loaded, which takes memory for what is made of them; larger ones are held
against their schema array by array, and wholly when they are opened."""
MOST_GAME_BYTES = 8 * 2**20
"""What a Gambit file may have."""
KINDS = {"spot": "solution"}
"""How the library calls what a file's header calls otherwise: a spot is the question, a solution the answer."""
LOADERS = {
    "abstraction": "abstraction.table:CardAbstraction.load",
    "blueprint": "blueprint.files:load_blueprint",
    "growth": "solvers.saef.result:load_growth",
    "networks": "deep.files:load_networks",
    "portfolio": "exploit.enumerated.portfolio:load_portfolio",
    "run": "solvers.run:load_run",
    "search": "spots.search.files:load_search",
    "spot": "spots.files:read_solution",
    "strategy": "tree.strategy:load_strategy",
    "training": "blueprint.checkpoint:read_checkpoint",
}
"""What reads each kind of file and holds all of it against its schema. The other kinds belong to something that the
library has not, such as the agent of a walk."""

Details = dict[str, str | float | int | None]


@dataclass(frozen=True)
class FileFacts:
    """What is said of a file."""

    kind: str
    title: str = ""
    details: Details = field(default_factory=dict)
    problem: str | None = None


def file_facts(path: Path) -> FileFacts:
    """Return what a file holds; what is wrong with it is told instead of raised."""
    suffix = path.suffix.lower()
    try:
        if suffix == ".cpz":
            return _cpz_facts(path)
        if suffix == ".efg":
            return FileFacts("game", path.stem)
        return _spot_facts(path)
    except InputError as error:
        return FileFacts("damaged", path.stem, problem=str(error).replace(str(path), path.name))


def check_file(path: Path, *, arrays: bool) -> None:
    """Refuse a file that is damaged or of a kind that nothing here reads; `arrays` says whether to check those too."""
    suffix = path.suffix.lower()
    if suffix == ".cpz":
        header = read_header(path)
        known = SCHEMAS.get(header["kind"])
        if known is None or not known.taken_by:
            raise InputError(f"{path} holds a {shown(header['kind'])}, which nothing here reads")
        known.header.read(header, path)
        _cpz_facts(path)
        if arrays:
            unpacked = unpacked_bytes(path)
            if unpacked >= LARGE and unpacked > MOST_RATIO * path.stat().st_size:
                size = f"{unpacked / 1e6:,.0f} MB, more than {MOST_RATIO} times its size"
                raise InputError(f"{path} would unpack to {size}: no file of this program does")
            room = min(MOST_UNPACKED, shutil.disk_usage(tempfile.gettempdir()).free // 2)
            if unpacked > room:
                raise InputError(
                    f"{path} would unpack to {unpacked / 1e6:,.0f} MB, and a file that is taken in may have "
                    f"{room / 1e6:,.0f} MB here"
                )
            _check_arrays(path, header, known, unpacked <= MOST_LOADED)
    elif suffix in (".toml", ".json"):
        _spot_facts(path)
    elif suffix == ".efg":
        from counterpoise.games import from_efg

        if path.stat().st_size > MOST_GAME_BYTES:
            raise InputError(f"{path} is larger than {MOST_GAME_BYTES // 2**20} MB: too large for a game file")
        from_efg(path)
    else:
        raise InputError(f"{path} is no kind of file for the library: it takes {', '.join(SUFFIXES)}")


def _check_arrays(path: Path, header: Mapping[str, Any], schema: Schema, load: bool) -> None:
    """Refuse a file whose arrays are not as its kind declares them: each alone first, in pieces, then, if the file is
    to be loaded, all together."""
    with arrays_on_disk():
        for name in header["arrays"]:
            schema.check_alone(path, name, read_arrays(path, header, [name])[name])
        if load and header["kind"] in LOADERS:
            module, _, name = LOADERS[header["kind"]].partition(":")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                attrgetter(name)(importlib.import_module(f"counterpoise.{module}"))(path)


def _spot_facts(path: Path) -> FileFacts:
    from counterpoise.spots import Spot

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spot = Spot.load(path)
    return FileFacts("spot", spot.name, {"board": spot.board, "pot": spot.pot, "stack": spot.stack})


def _cpz_facts(path: Path) -> FileFacts:
    header = read_header(path)
    kind = header["kind"]
    if kind == "spot":
        return _solution_facts("solution", SpotHeader.read(header, path), path)
    if kind == "search":
        checked = SearchHeader.read(header, path)
        facts = _solution_facts("search", checked, path)
        return FileFacts(
            facts.kind, facts.title, facts.details | {"node": checked.node, "method": checked.method}, facts.problem
        )
    if kind == "run":
        run = RunHeader.read(header, path)
        details: Details = {"game": run.game, "algorithm": run.algorithm, "iterations": run.iterations}
        return FileFacts(kind, run.game, details | {"exploitability": run.exploitability})
    named = {name: header[name] for name in ("game", "method") if isinstance(header.get(name), str)}
    return FileFacts(str(kind)[:40], "", {name: value[:200] for name, value in named.items()})


def _solution_facts(kind: str, header: Any, path: Path) -> FileFacts:
    from counterpoise.spots import Spot

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spot = Spot.from_dict(header.spot, path)
    details = {
        "board": spot.board,
        "pot": spot.pot,
        "stack": spot.stack,
        "algorithm": header.algorithm,
        "iterations": header.iterations,
        "exploitability_pct": header.exploitability_pct,
        "memory_mb": header.memory_mb,
    }
    return FileFacts(kind, spot.name, details)
