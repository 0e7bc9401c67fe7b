"""How agents get their blueprints: recipes in three sizes.

A recipe is part of the agent's settings: the game, public clusters (0: none) and buckets, the menus of the agent and of
its opponent, the method and its iterations by tier: `smoke` (under a minute), `mini` (up to 20 minutes), `full-mini`
(up to four hours). Iterations, not minutes, decide, so that a recipe makes the same files everywhere. A recipe that was
stopped continues where it was when it is started again with the same folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from counterpoise.agents.base import AGENTS
from counterpoise.agents.halves import half_file
from counterpoise.agents.searching import BOTH_SEATS, TRAINED_FOR
from counterpoise.agents.settings import agent_settings
from counterpoise.errors import InputError
from counterpoise.games import load
from counterpoise.games.holdem import Holdem, NoLimitHoldem
from counterpoise.parameters import require_choice
from counterpoise.progress import CancelToken, Progress

if TYPE_CHECKING:
    from counterpoise.blueprint import TrainSettings

Tier = Literal["smoke", "mini", "full-mini"]


class TrainedByRecipe:
    """What agents with a recipe offer."""

    registered_name: str

    @classmethod
    def train(
        cls,
        folder: str | os.PathLike[str],
        tier: Tier = "smoke",
        progress: Progress | bool | None = None,
        *,
        cancel: CancelToken | None = None,
        cache: str | os.PathLike[str] | None = None,
    ) -> None:
        """Train what the agent needs and write it to a folder, which then follows its name after a colon."""
        train_recipe(cls.registered_name, folder, tier, progress, cancel=cancel, cache=cache)


def trained_agents() -> list[str]:
    """Return the names of all agents that have a recipe."""
    return [name for name in AGENTS if issubclass(AGENTS[name], TrainedByRecipe)]


@dataclass(frozen=True)
class Half:
    """One solve of a recipe: its file, the game with its menus, and the buckets of a cluster on each later round."""

    file: str
    game: NoLimitHoldem
    buckets: int


def halves_of(recipe: dict[str, Any]) -> Iterator[Half]:
    """Yield the solves of a recipe: one for both seats, or one per seat with more bets for the opponent."""
    game = load(recipe["game"])
    assert isinstance(game, NoLimitHoldem)
    own, other, buckets = tuple(recipe["sizes"]), tuple(recipe["opponent_sizes"]), recipe["buckets"]
    if own == other and len(set(buckets)) == 1:
        yield Half(BOTH_SEATS, replace(game, sizes=own), buckets[0])
        return
    for seat in range(2):  # seat 1 is the button
        sizes = (own, other) if seat == 0 else (other, own)
        yield Half(half_file(seat), replace(game, sizes=sizes[0], button_sizes=sizes[1]), buckets[seat])


def train_recipe(
    name: str,
    folder: str | os.PathLike[str],
    tier: Tier,
    progress: Progress | bool | None = None,
    *,
    cancel: CancelToken | None = None,
    cache: str | os.PathLike[str] | None = None,
) -> None:
    """Train the blueprints of an agent's recipe into a folder; `cache` is that of abstractions."""
    from counterpoise.abstraction import abstraction
    from counterpoise.progress import as_progress

    require_choice("tier", tier, get_args(Tier))
    recipe, place = agent_settings(name), Path(folder)
    settings, iterations = recipe_settings(recipe, tier), int(recipe["iterations"][tier])
    shown, token = as_progress(progress), cancel or CancelToken()
    workers = recipe["workers"] if settings.method == "clusters" else 1
    for half in halves_of(recipe):
        first = half.game.deck.ranks**2  # all different starting hands
        clusters = {"public": recipe["clusters"]} if recipe["clusters"] else {}

        def cards(half: Half = half, first: int = first, options: dict[str, Any] = clusters) -> Any:
            sizes, deck = (first, *[half.buckets] * 3), half.game.deck
            return abstraction("IR-PHS-PHS", sizes, deck=deck, cache=cache, progress=shown, cancel=token, **options)

        train_into(place / half.file, half.game, cards, settings, iterations, shown, token, workers)
        (place / TRAINED_FOR).write_text(f"{name}\n")
        if token.cancelled:
            return


def train_into(
    out: Path,
    game: Holdem,
    cards: Callable[[], Any],
    settings: TrainSettings,
    iterations: int,
    progress: Progress,
    cancel: CancelToken,
    workers: int = 1,
) -> None:
    """Train a blueprint into a file, or continue a training of the same game and settings that was begun there.

    `cards` makes the abstraction where training begins.
    """
    from counterpoise.blueprint import train

    out.parent.mkdir(parents=True, exist_ok=True)
    resume = _started(out, game, settings)
    train(
        game,
        None if resume else cards(),
        iterations=iterations,
        settings=None if resume else settings,
        workers=workers,
        out=out,
        resume=resume,
        duels=False,
        progress=progress,
        cancel=cancel,
    )


def recipe_settings(recipe: dict[str, Any], tier: Tier) -> TrainSettings:
    """Return how the blueprints of a recipe are trained."""
    from counterpoise.blueprint import TrainSettings
    from counterpoise.sampling.external import Skipping

    skipping = Skipping()
    if recipe["method"] == "external":
        after = int(recipe["plain_share"] * recipe["iterations"][tier])
        skipping = Skipping(recipe["skipping"], recipe["skip_threshold"], recipe["skip_threshold"], after=after)
    return TrainSettings(method=recipe["method"], skipping=skipping, seed=recipe["training_seed"])


def _started(out: Path, game: Holdem, settings: TrainSettings) -> Path | None:
    """Return the checkpoint of a training that was begun; refuse one of another recipe or tier."""
    from counterpoise.blueprint.checkpoint import read_checkpoint
    from counterpoise.store.files import checkpoint_of

    file = checkpoint_of(out)
    if not file.is_file():
        return None
    kept = read_checkpoint(file)
    if kept.tree.game != game or kept.settings != settings:
        raise InputError(f"{out.parent} has a training of another recipe or tier: name another folder")
    return file
