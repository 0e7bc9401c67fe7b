"""Small networks that come with the package, so that agents play at once; `docs/networks.md` says what made each.

A file of `data/` is one that `counterpoise train` writes: its header says method, game and how it was made.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from counterpoise.deep.files import KIND, Trained, load_networks
from counterpoise.errors import InputError
from counterpoise.names import parse
from counterpoise.store.cpz import read_header
from counterpoise.store.headers import NetworksHeader

FOLDER = Path(__file__).parent / "data"


@cache
def shipped_headers(method: str) -> dict[str, NetworksHeader]:
    """Return what the files of a method say about themselves, by their games, without reading their weights."""
    return {header.game: header for name, header, _ in _files() if name == method}


@cache
def shipped_networks(method: str, game: str) -> Trained:
    """Return the networks of the package that a method has trained for a game, or refuse in a sentence."""
    for name, header, path in _files():
        if (name, header.game) == (method, game):
            return load_networks(path)
    known = ", ".join(shipped_headers(method))
    raise InputError(
        f"{method}: the package has no network for {game}, only for {known}: train one with counterpoise train "
        f"--method {method} and name its file, as in {method}:FILE"
    )


@cache
def _files() -> tuple[tuple[str, NetworksHeader, Path], ...]:
    """Return method, header and path of every file, in the order of their names."""
    found = [(NetworksHeader.read(read_header(path, KIND), path), path) for path in sorted(FOLDER.glob("*.cpz"))]
    return tuple((parse(header.method)[0], header, path) for header, path in found)
