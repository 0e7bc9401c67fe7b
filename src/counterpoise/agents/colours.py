"""The strategies of Polaris, which are called by colours: files in a folder, one for each, and how they are trained.

All come from the same training on the same game, some with tilted payoffs (Johanson 2016, section 2.6) and some with
fewer buckets. A folder is trained in one of several tiers, which differ in cost.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from counterpoise.agents.blueprint import BlueprintAgent
from counterpoise.agents.recipes import RecipeRun, Tier, TrainedByRecipe, begun_training
from counterpoise.agents.settings import SETTING, agent_settings
from counterpoise.agents.switching import Estimator, SwitchingAgent
from counterpoise.betting.tilt import PayoffTilt
from counterpoise.errors import InputError
from counterpoise.games import load
from counterpoise.jobs import Limits, Output
from counterpoise.jobs.pieces import Work, available_threads
from counterpoise.jobs.processes import WorkersLike, other_workers
from counterpoise.parameters import require_choice
from counterpoise.progress import CancelToken, Progress, as_progress, cancel_on_interrupt
from counterpoise.store.files import checkpoint_of


@dataclass(frozen=True)
class Recipe:
    """How the strategies of one folder are trained."""

    game: str
    abstraction: str
    """The name of the card abstraction, such as PR-PHS-PHS."""
    buckets: Mapping[str, Sequence[int]]
    """Buckets of each round by colour; with perfect recall or public buckets the number is per bucket of the round
    before."""
    hands: int
    """Dealt hands of each training."""
    tilts: Mapping[str, Sequence[float]]
    """Percentages by colour for: a showdown won, a showdown lost, a hand folded, a hand won by a fold."""
    public: int = 0
    """Public buckets of flops that hands are put into first; 0 for perfect recall."""
    seed: int = 0


@dataclass
class ColourAgent(TrainedByRecipe, SwitchingAgent):
    """What the versions of Polaris have in common: a folder with a strategy for each colour."""

    colon_field = "folder"

    folder: str = ""
    """The folder with a strategy for each colour, which `train` makes."""
    selection: str = SETTING
    """How the next strategy is chosen, by what each is worth so far; see `implicit`."""

    def _take(self, colours: Sequence[str], estimator: Estimator | None = None) -> None:
        """Take the strategies of some colours as members; without an estimator a strategy's value is what it won
        when it played."""
        self._begin(load_colours(self.registered_name, self.folder, colours), colours, self.selection, estimator)

    @classmethod
    def training(cls) -> str:
        """Return what trains its strategies: none come with the package."""
        return f"by counterpoise train-agent {cls.registered_name}, into a folder that it is given"

    @classmethod
    def tiers(cls) -> tuple[Tier, ...]:
        """Return the tiers in its file of settings."""
        return _tiers(cls.registered_name)

    @classmethod
    def follow_recipe(cls, folder: Path, tier: Tier, run: RecipeRun) -> None:
        """Train its strategies into a folder; finished ones are kept."""
        how = recipe(cls.registered_name, tier)
        train_colours(folder, how, run.progress, cancel=run.cancel, cache=run.cache, processes=run.processes or 1)

    @property
    def home(self) -> str:
        """The name of the game that it was trained for."""
        return self.members[0].home


def colours_of(agent: str) -> tuple[str, ...]:
    """Return the colours of a version of Polaris, in the order of its file of settings."""
    return tuple(agent_settings(agent)["tilts"])


def recipe(agent: str, tier: str) -> Recipe:
    """Return the recipe of a version of Polaris in a tier, from its file of settings."""
    require_choice("tier", tier, _tiers(agent))
    known = agent_settings(agent)
    return Recipe(**known[tier], tilts=known["tilts"])


def _tiers(agent: str) -> tuple[Tier, ...]:
    return tuple(tier for tier in get_args(Tier) if tier in agent_settings(agent))


def train_colours(
    folder: str | os.PathLike[str],
    how: Recipe,
    progress: Progress | bool | None = None,
    *,
    threads: int | None = None,
    cancel: CancelToken | None = None,
    cache: str | os.PathLike[str] | None = None,
    processes: WorkersLike = 1,
) -> dict[str, Path]:
    """Train a strategy for each colour and write it to the folder as COLOUR.cpz; return the files.

    A strategy that is there already, made in the same way, is kept, and one that was begun is continued from its
    checkpoint, so that training may be stopped and called again.
    `cache` is that of abstractions; `processes` are a number of them or a cluster, which change nothing in the files.
    """
    from counterpoise.abstraction import abstraction
    from counterpoise.blueprint.settings import TrainSettings
    from counterpoise.blueprint.train import CHECKPOINT_MINUTES, TrainingRun
    from counterpoise.sampling import build_betting_tree

    place, found = Path(folder), dict[str, Path]()
    place.mkdir(parents=True, exist_ok=True)
    game: Any = load(how.game)
    here, display = threads or available_threads(), as_progress(progress)
    with display, cancel_on_interrupt(cancel) as token, other_workers(processes) as workers:
        tree, cards = build_betting_tree(game), dict[tuple[int, ...], Any]()
        more: dict[str, Any] = {"threads": here, "progress": display, "cancel": token, "cache": cache}
        more |= {"public": how.public} if how.public else {}
        for colour, percentages in how.tilts.items():
            counts = tuple(how.buckets[colour])
            table = abstraction(how.abstraction, counts, deck=game.deck, **more)
            settings = TrainSettings(seed=how.seed, tilt=PayoffTilt(*percentages))
            file = place / f"{colour}.cpz"
            if not _made_so(file, game.name, table.digest, settings.to_json(), how.hands):
                display.begin(colour)
                begun, work = begun_training(file, game, settings), Work(here, display, token)
                cards = {counts: cards.get(counts)}  # one table of buckets at a time
                if begun is None:
                    run = TrainingRun(tree, (table,), settings, work, cards[counts], workers)
                else:
                    run = TrainingRun.resumed(begun, game, work, workers, cards[counts])
                cards[counts] = run.walks.cards
                trained = run.go(Limits(iterations=how.hands), Output(file, 60 * CHECKPOINT_MINUTES))
                if trained.interrupted:
                    break
                trained.blueprint.packed().save(file)
                checkpoint_of(file).unlink(missing_ok=True)
            found[colour] = file
    return found


def _made_so(file: Path, game: str, digest: str, settings: dict[str, Any], hands: int) -> bool:
    """Return whether a file holds the blueprint of a finished training with these settings."""
    from counterpoise.blueprint import load_blueprint

    try:
        kept = load_blueprint(file)
    except InputError:
        return False
    made = kept.made
    same = kept.game.name == game and [one.digest for one in kept.abstractions] == [digest]
    return same and made.get("settings") == settings and made.get("iterations", 0) >= hands


def load_colours(agent: str, folder: str, colours: Sequence[str]) -> list[BlueprintAgent]:
    """Return the strategies of some colours in a folder as agents; one sentence if there is none or one is missing."""
    if not folder:
        raise InputError(
            f"{agent}: name the folder with its strategies after a colon, as in {agent}:FOLDER; "
            f"counterpoise train-agent {agent} --out FOLDER makes one"
        )
    for colour in colours:
        if not (Path(folder) / f"{colour}.cpz").is_file():
            raise InputError(
                f"{agent}: there is no strategy {colour}.cpz in {folder}; "
                f"counterpoise train-agent {agent} --out {folder} makes one"
            )
    found = [BlueprintAgent(str(Path(folder) / f"{colour}.cpz")) for colour in colours]
    homes = {one.home: colour for one, colour in zip(found, colours, strict=True)}
    if len(homes) > 1:
        told = "; ".join(f"{colour} is for {home}" for home, colour in homes.items())
        raise InputError(f"{agent}: the strategies in {folder} are for different games: {told}")
    return found
