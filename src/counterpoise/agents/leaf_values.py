"""Values after the first round for a blueprint: generated and kept beside it, or made by the agent and cached."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from counterpoise.abstraction.cache import Cache
from counterpoise.agents.blueprint_strategy import BOTH_SEATS
from counterpoise.agents.searching import LOGGER
from counterpoise.agents.settings import SETTING, settings_of
from counterpoise.blueprint import Blueprint, load_blueprint
from counterpoise.errors import InputError
from counterpoise.progress import Progress, as_progress
from counterpoise.sampling import NodeStrategy
from counterpoise.search.round_continuations import RoundSettings, make_round_table
from counterpoise.search.round_files import load_round_table, save_round_table
from counterpoise.search.round_table import RoundTable


@dataclass(frozen=True)
@settings_of("modicum")
class LeafRecipe:
    """How values and networks of leaves are made; `settings/modicum.toml` says what each number means."""

    values_after_first: int = SETTING
    factor: float = SETTING
    network_examples: Mapping[str, int] = SETTING
    network_rollouts: int = SETTING
    network_hidden: tuple[int, ...] = SETTING
    training_seed: int = SETTING


def make_leaf_values(blueprint: str, progress: Progress | bool | None = None, **settings: Any) -> Path:
    """Generate the values after a blueprint's first round (the self-generative approach; Brown et al. 2018, section 4),
    keep them beside it and return their file.

    `settings` are those of `counterpoise.search.round_continuations.RoundSettings`; by default there are ten
    continuations of each seat. With 24 cards that takes some minutes of one core.
    """
    count = LeafRecipe().values_after_first
    known, chosen = load_blueprint(blueprint_file(blueprint)), RoundSettings(**{"count": count} | settings)
    with as_progress(progress) as display:
        display.begin(f"values after the first round of {blueprint}")
        table = make_round_table(known.tree, strategy_of(known), chosen, progress=display)
    save_round_table(table, leaves_path(blueprint), known.digest, chosen)
    return leaves_path(blueprint)


def read_leaf_values(blueprint: str, known: Blueprint) -> RoundTable | None:
    """Return the values that are kept beside a blueprint, if there are any; those of another one are refused."""
    path = leaves_path(blueprint) if blueprint else None
    return load_round_table(path, known.tree, known.digest) if path is not None and path.exists() else None


def cached_leaf_values(known: Blueprint, settings: RoundSettings) -> RoundTable:
    """Return values that are made once for a blueprint and its settings and kept in the cache."""
    cache = Cache()
    path: Path | None = cache.path("leaf-values-6", [known.digest, asdict(settings)])
    try:
        cache.prepare()
    except InputError:  # a folder that cannot be written
        path = None
    if path is not None and path.exists():
        with suppress(InputError, OSError):  # a damaged file is made again
            found = load_round_table(path, known.tree, known.digest)
            path.touch()
            return found
    LOGGER.warning(
        "modicum: computing %d values of what follows the first round, on %d boards", settings.count, settings.boards
    )
    made = make_round_table(known.tree, strategy_of(known), settings)
    if path is not None:
        with suppress(InputError, OSError):  # what was computed is not lost because it cannot be kept
            save_round_table(made, path, known.digest, settings)
    return made


def leaves_path(blueprint: str) -> Path:
    """Return the file beside a blueprint, or in its folder, in which the values after its first round are kept."""
    return blueprint_file(blueprint).with_suffix(".leaves.cpz")


def strategy_of(known: Blueprint) -> NodeStrategy:
    """Return a blueprint in the form that walks and roll-outs read."""
    return NodeStrategy(known.layout, known.table, known.abstractions)


def blueprint_file(blueprint: str) -> Path:
    """Return the file of a blueprint that is named by its file or by the folder of a recipe."""
    place = Path(blueprint)
    return place / BOTH_SEATS if place.is_dir() else place
