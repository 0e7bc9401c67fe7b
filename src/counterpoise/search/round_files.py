"""Values after the first betting round in files, each for one blueprint, which is named by its digest."""

from __future__ import annotations

import dataclasses
import os

import numpy as np

from counterpoise.errors import InputError
from counterpoise.sampling.betting_tree import BettingTree
from counterpoise.sampling.leaf_values.hand_classes import hand_classes
from counterpoise.search.round_continuations import RoundSettings
from counterpoise.search.round_table import RoundTable
from counterpoise.store.cpz import read_cpz, write_cpz
from counterpoise.store.headers import LeafValuesHeader
from counterpoise.store.schemas import SCHEMAS

KIND, VERSION = "leaf values", 1


def save_round_table(table: RoundTable, path: str | os.PathLike[str], blueprint: str, settings: RoundSettings) -> None:
    """Write a table to one file, whole or not at all; `blueprint` is the digest of the blueprint it is for."""
    picks = sorted(table.means)
    header = {
        "leaf_values_version": VERSION,
        "game": table.tree.game.name,
        "blueprint": blueprint,
        "picks": [list(pair) for pair in picks],
        "made": dataclasses.asdict(settings),
    }
    write_cpz(path, KIND, header, {"means": np.stack([table.means[pair] for pair in picks])})


def load_round_table(path: str | os.PathLike[str], tree: BettingTree, blueprint: str) -> RoundTable:
    """Read a table; one sentence if the file is damaged, of another kind or for another blueprint."""
    raw, arrays = read_cpz(path, KIND)
    header = LeafValuesHeader.read(raw, path)
    if header.blueprint != blueprint:
        raise InputError(f"{path} has leaf values for another blueprint: make them for this one, or delete the file")
    sizes = {
        "picks": len(header.picks),
        "ends": len(tree.round_exits(0)),
        "classes": int(hand_classes(tree.game.deck).max()) + 1,
    }
    (part,) = SCHEMAS[KIND].parts
    means = part.check(path, arrays, sizes)["means"]
    return RoundTable(tree, {picks: means[number] for number, picks in enumerate(header.picks)})
