"""Blueprints in files: one `.cpz` with the game's name, the whole abstraction and the table of weights.

The betting tree is not kept: it follows from the game, and its digest says whether this program still builds the same
tree. The abstractions' arrays are under names that begin with ``abstraction_0_`` and so on.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from counterpoise.abstraction.table import CardAbstraction
from counterpoise.blueprint.blueprint import Blueprint, layout_of
from counterpoise.errors import InputError
from counterpoise.games.holdem import Holdem
from counterpoise.games.registry import load_saved_game
from counterpoise.progress import CancelToken, Progress
from counterpoise.sampling.betting_tree import MOST_NODES, BettingTree, build_betting_tree
from counterpoise.store.cpz import read_cpz, write_cpz
from counterpoise.store.files import file_identity
from counterpoise.store.headers import AbstractedGameHeader, BlueprintHeader
from counterpoise.store.schemas import TABLE

KIND, VERSION = "blueprint", 1
_SHARED: WeakValueDictionary[tuple[object, ...], Blueprint] = WeakValueDictionary()
"""Blueprints that are in use in this process, by the file and a stamp that tells whether it has changed."""


def save_blueprint(
    blueprint: Blueprint,
    path: str | os.PathLike[str],
    *,
    level: int = 1,
    progress: Progress | None = None,
    cancel: CancelToken | None = None,
) -> None:
    """Write a blueprint to one file, its abstraction included, whole or not at all; see `write_cpz` for `level`."""
    header, arrays = game_parts(blueprint.tree, blueprint.abstractions)
    header |= {"blueprint_version": VERSION, "made": blueprint.made}
    write_cpz(path, KIND, header, arrays | {"table": blueprint.table}, level=level, progress=progress, cancel=cancel)


def load_blueprint(path: str | os.PathLike[str]) -> Blueprint:
    """Read a blueprint; one sentence if the file is damaged, of another kind or of another betting tree."""
    raw, arrays = read_cpz(path, KIND)
    header = BlueprintHeader.read(raw, path)
    # Every node but the root is an action of a decision, with a weight for every bucket.
    tree, abstractions = read_game(header, arrays, path, 1 + arrays["table"].size if "table" in arrays else 0)
    TABLE.check(path, arrays, {"table": layout_of(tree, abstractions).size})
    return Blueprint(tree.game, abstractions, arrays["table"], tree=tree, made=header.made)


def shared_blueprint(path: str | os.PathLike[str]) -> Blueprint:
    """Read a blueprint, or return the one in use that this process has read from the same unchanged file.

    Six agents at a table then have one betting tree, whose millions of nodes take half a minute to build.
    """
    key = file_identity(path)
    if key is None:
        return load_blueprint(path)  # which says what is wrong
    found = _SHARED.get(key)
    if found is None:
        found = _SHARED[key] = load_blueprint(path)
    return found


def game_parts(tree: BettingTree, abstractions: Sequence[CardAbstraction]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the header and the arrays of a file that say its game and its abstractions; `read_game` reads them."""
    parts = [one.parts() for one in abstractions]
    header = {
        "game": tree.game.name,
        "tree": tree_digest(tree),
        "abstractions": [own for own, _ in parts],
        "abstraction_digests": [one.digest for one in abstractions],
    }
    return header, {
        f"abstraction_{number}_{name}": array for number, (_, own) in enumerate(parts) for name, array in own.items()
    }


def read_game(
    header: AbstractedGameHeader, arrays: Mapping[str, Any], path: str | os.PathLike[str], most_nodes: int
) -> tuple[BettingTree, list[CardAbstraction]]:
    """Return the betting tree and the abstractions of a file; one sentence if they are damaged or of another tree.

    A tree of more than `most_nodes` cannot be that of the file's tables: it is not built to its end.
    """
    game = load_saved_game(path, header.game)
    if not isinstance(game, Holdem):
        raise InputError(f"{path} is damaged: its game, {header.game}, is no hold'em")
    abstractions = []
    for number, one in enumerate(header.abstractions):
        abstractions.append(CardAbstraction.from_parts(one, arrays, path, f"abstraction_{number}_"))
    if [one.digest for one in abstractions] != header.abstraction_digests:
        raise InputError(f"{path} is damaged: its abstraction is not the one that its header names")
    try:
        tree = build_betting_tree(game, min(max(most_nodes, 1), MOST_NODES))
    except InputError as error:
        raise InputError(f"{path} is damaged: its tables do not fit its game ({error})") from None
    if tree_digest(tree) != header.tree:
        raise InputError(f"{path} is of another betting tree of {header.game} than this program builds")
    return tree, abstractions


def tree_digest(tree: BettingTree) -> str:
    """Return the SHA-256 of the betting tree's nodes and actions."""
    found = hashlib.sha256()
    for array in (*tree.arrays[:4], tree.action):
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()
