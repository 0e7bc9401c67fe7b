"""Checkpoints of a training: everything from which it continues bit for bit, written whole or not at all."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from counterpoise.abstraction.table import CardAbstraction
from counterpoise.blueprint.files import game_parts, read_game
from counterpoise.blueprint.settings import TrainSettings
from counterpoise.errors import InputError
from counterpoise.sampling.betting_tree import BettingTree
from counterpoise.store.arrays import check_arrays
from counterpoise.store.cpz import read_cpz, write_cpz
from counterpoise.store.headers import TrainingHeader
from counterpoise.store.schemas import WALKS

if TYPE_CHECKING:
    from counterpoise.blueprint.train import TrainingRun

KIND, VERSION = "training", 1


@dataclass
class Checkpoint:
    """What a checkpoint holds."""

    tree: BettingTree
    abstractions: list[CardAbstraction]
    settings: TrainSettings
    spent: dict[str, float]
    duels: list[dict[str, Any]]
    arrays: dict[str, NDArray[Any]]


def write_checkpoint(path: str | os.PathLike[str], run: TrainingRun, spent: dict[str, float]) -> None:
    """Write the state of a training, and the time that it has taken."""
    header, arrays = game_parts(run.tree, run.abstractions)
    header |= {
        "training_version": VERSION,
        "settings": run.settings.to_json(),
        "spent": spent,
        "duels": [vars(one) for one in run.duels],
    }
    write_cpz(path, KIND, header, arrays | {f"walks_{name}": one for name, one in run.walks.arrays().items()})


def read_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Read the state of a training; one sentence if the file is damaged, of another kind or of another betting tree."""
    raw, arrays = read_cpz(path, KIND)
    header = TrainingHeader.read(raw, path)
    try:
        settings = TrainSettings.from_json(header.settings)
    except (TypeError, KeyError, ValueError) as error:
        raise InputError(f"{path} is damaged: its settings cannot be read ({error})") from None
    check_arrays(f"{path} is damaged", arrays, {"walks_counts": WALKS.arrays["walks_counts"]})
    place = arrays.get("walks_place")
    tree, abstractions = read_game(header, arrays, path, 0 if place is None else place.size)
    WALKS.check(path, arrays, {"nodes": tree.nodes, "entries": int(arrays["walks_counts"][2])})
    return Checkpoint(
        tree,
        abstractions,
        settings,
        header.spent.model_dump(),
        [one.model_dump() for one in header.duels],
        {name.removeprefix("walks_"): one for name, one in arrays.items() if name.startswith("walks_")},
    )
