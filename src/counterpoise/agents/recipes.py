"""How agents get their blueprints: recipes in three sizes, or four.

A recipe is part of the agent's settings: the game, public clusters (0: none) and buckets, the rounds without buckets,
the menus of the agent and of its opponent, the method and its iterations by tier: `smoke` (under a minute), `mini` (up
to 20 minutes), `full-mini` (up to four hours), and for some agents `full` (the published game: a day or two). A recipe
is limited by iterations, not minutes, so that it makes the same files everywhere. A recipe that was stopped continues
where it was when it is started again with the same folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from counterpoise.agents.base import AGENTS
from counterpoise.agents.blueprint_strategy import BOTH_SEATS, half_file
from counterpoise.agents.searching import TRAINED_FOR
from counterpoise.agents.settings import frozen_settings
from counterpoise.errors import InputError
from counterpoise.games import load
from counterpoise.games.holdem import Holdem, NoLimitHoldem
from counterpoise.parameters import require_choice
from counterpoise.progress import CancelToken, Progress, as_progress
from counterpoise.store.files import checkpoint_of

if TYPE_CHECKING:
    from counterpoise.blueprint import TrainSettings
    from counterpoise.jobs.processes import WorkersLike

Tier = Literal["smoke", "mini", "full-mini", "full"]


class RecipeRun(NamedTuple):
    """How training by a recipe is shown and stopped, and what it reuses."""

    progress: Progress
    cancel: CancelToken
    cache: str | os.PathLike[str] | None
    """The folder of abstractions; None: the usual one."""
    processes: WorkersLike | None = None
    """The workers of blueprint training; None: as many processes as the recipe says."""


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
        processes: WorkersLike | None = None,
    ) -> None:
        """Train what the agent needs and write it to a folder, which then follows its name after a colon.

        Training that was stopped continues where it was. `processes` are a number of them or a cluster, which change
        nothing in the files; by default as many as the recipe says.
        """
        require_choice(f"the tier of {cls.registered_name}", tier, cls.tiers())
        cls.follow_recipe(
            Path(folder), tier, RecipeRun(as_progress(progress), cancel or CancelToken(), cache, processes)
        )

    @classmethod
    def tiers(cls) -> tuple[Tier, ...]:
        """Return the tiers in which the agent can be trained."""
        return tuple(tier for tier in get_args(Tier) if tier != "full")

    @classmethod
    def follow_recipe(cls, folder: Path, tier: Tier, run: RecipeRun) -> None:
        """Train by the recipe of this agent."""
        train_recipe(cls.registered_name, folder, tier, run)


def trained_agents() -> list[str]:
    """Return the names of all agents that have a recipe."""
    return [name for name in AGENTS if issubclass(AGENTS[name], TrainedByRecipe)]


@dataclass(frozen=True)
class BlueprintRecipe:
    """How the blueprints of an agent are trained; the agent's file of settings says what each number means."""

    game: str
    clusters: int
    buckets: tuple[int, int]
    sizes: tuple[str, ...]
    opponent_sizes: tuple[str, ...]
    method: Literal["external", "vector", "clusters"]
    iterations: Mapping[str, int]
    training_seed: int
    workers: int = 1
    skipping: str = "none"
    plain_share: float = 0.0
    plain_end: float = 0.0
    skip_threshold: float = 0.0
    exact_rounds: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def read(cls, agent: str) -> BlueprintRecipe:
        """Return the recipe in an agent's file of settings."""
        known = frozen_settings(agent)
        return cls(**{one.name: known[one.name] for one in fields(cls) if one.name in known})

    def train_settings(self, tier: Tier) -> TrainSettings:
        """Return the settings of training in a tier."""
        from counterpoise.blueprint import TrainSettings
        from counterpoise.sampling.external import SkippedActions

        skipping = SkippedActions()
        if self.skip_threshold:
            kind: Any = self.skipping
            hands = self.iterations[tier]
            after = int(self.plain_share * hands)
            until = hands - int(self.plain_end * hands) if self.plain_end else None
            skipping = SkippedActions(kind, self.skip_threshold, self.skip_threshold, after=after, until=until)
        return TrainSettings(method=self.method, skipping=skipping, seed=self.training_seed)

    def abstraction(self, half: SeatBlueprint, tier: Tier) -> tuple[str, list[int]]:
        """Return the name of the card abstraction of a solve and its numbers of buckets; C tells all hands apart."""
        exact, rounds = self.exact_rounds.get(tier, 1), len(half.game.board)
        codes = ["C"] * exact + ["PHS"] * (rounds - exact)
        return "-".join(["IR", *codes]), [half.buckets] * (rounds - exact)

    def halves(self) -> Iterator[SeatBlueprint]:
        """Yield the solves: one for both seats, or one per seat in which the opponent has more bets."""
        game = load(self.game)
        assert isinstance(game, NoLimitHoldem)
        own, other = self.sizes, self.opponent_sizes
        if own == other and len(set(self.buckets)) == 1:
            yield SeatBlueprint(BOTH_SEATS, replace(game, sizes=own), self.buckets[0])
            return
        for seat in range(2):  # seat 1 is the button
            sizes = (own, other) if seat == 0 else (other, own)
            yield SeatBlueprint(
                half_file(seat), replace(game, sizes=sizes[0], button_sizes=sizes[1]), self.buckets[seat]
            )


@dataclass(frozen=True)
class SeatBlueprint:
    """One solve of a recipe: its file, the game with its menus, and the buckets of a cluster on each later round."""

    file: str
    game: NoLimitHoldem
    buckets: int


def train_recipe(name: str, folder: Path, tier: Tier, run: RecipeRun) -> None:
    """Train the blueprints of an agent's recipe into a folder."""
    from counterpoise.abstraction import abstraction

    recipe = BlueprintRecipe.read(name)
    settings, iterations = recipe.train_settings(tier), recipe.iterations[tier]
    if run.processes is None and settings.method == "clusters":
        run = run._replace(processes=recipe.workers)
    for half in recipe.halves():
        clusters = {"public": recipe.clusters} if recipe.clusters else {}
        watched = {"cache": run.cache, "progress": run.progress, "cancel": run.cancel}

        def cards(half: SeatBlueprint = half, options: dict[str, Any] = clusters | watched) -> Any:
            return abstraction(*recipe.abstraction(half, tier), deck=half.game.deck, **options)

        train_into(folder / half.file, half.game, cards, settings, iterations, run)
        (folder / TRAINED_FOR).write_text(f"{name}\n")
        if run.cancel.cancelled:
            return


def train_into(
    out: Path,
    game: Holdem,
    cards: Callable[[], Any],
    settings: TrainSettings,
    iterations: int,
    run: RecipeRun,
) -> None:
    """Train a blueprint into a file, or continue a training of the same game and settings that was begun there.

    `cards` makes the abstraction where training begins.
    """
    from counterpoise.blueprint import train

    out.parent.mkdir(parents=True, exist_ok=True)
    resume = begun_training(out, game, settings)
    train(
        game,
        None if resume else cards(),
        iterations=iterations,
        settings=None if resume else settings,
        processes=1 if run.processes is None else run.processes,
        out=out,
        resume=resume,
        duels=False,
        progress=run.progress,
        cancel=run.cancel,
    )


def begun_training(out: Path, game: Holdem, settings: TrainSettings) -> Path | None:
    """Return the checkpoint of a training that was begun; refuse one of another recipe or tier."""
    from counterpoise.blueprint.checkpoint import read_checkpoint

    file = checkpoint_of(out)
    if not file.is_file():
        return None
    kept = read_checkpoint(file)
    if kept.tree.game != game or kept.settings != settings:
        raise InputError(f"{out.parent} has a training of another recipe or tier: name another folder")
    return file
