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
from counterpoise.parameters import is_number
from counterpoise.sampling.betting_tree import BettingTree
from counterpoise.store.cpz import read_cpz, write_cpz
from counterpoise.store.headers import TrainingHeader

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
    if header.training_version > VERSION:
        raise InputError(
            f"{path} is a training of version {header.training_version}; this program reads up to {VERSION}"
        )
    try:
        settings = TrainSettings.from_json(header.settings)
    except (TypeError, KeyError, InputError) as error:
        raise InputError(f"{path} is damaged: its settings cannot be read ({error})") from None
    proper = header.spent.keys() == {"seconds", "cpu_seconds"} and all(
        one.keys() == {"iteration", "won", "ci95"} and all(map(is_number, one.values())) for one in header.duels
    )
    if not proper:
        raise InputError(f"{path} is damaged: what it says of its time or its matches cannot be read")
    tree, abstractions = read_game(header, arrays, path)
    return Checkpoint(
        tree,
        abstractions,
        settings,
        dict(header.spent),
        header.duels,
        {name.removeprefix("walks_"): one for name, one in arrays.items() if name.startswith("walks_")},
    )
