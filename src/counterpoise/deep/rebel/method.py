"""ReBeL by name: `rebel`, with its settings, on the games that it knows."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np

from counterpoise.deep.files import Trained
from counterpoise.deep.learner import METHODS, NetworkMethod, method
from counterpoise.deep.networks import MOST_WIDTH
from counterpoise.deep.rebel.agent import RebelPlayer
from counterpoise.deep.rebel.evaluation import play_through
from counterpoise.deep.rebel.games import BeliefGame
from counterpoise.deep.rebel.learner import EVALUATION, RebelLearner, network_values, play_solvers
from counterpoise.deep.rebel.leduc import leduc_beliefs, leduc_strategy
from counterpoise.deep.rebel.liars_dice import dice_strategy, liars_dice_beliefs
from counterpoise.deep.rebel.settings import LIARS_DICE, LONG_DICE, MANY_BIDS, TURN_HOLDEM, RebelSettings
from counterpoise.deep.rebel.turn_holdem import turn_beliefs
from counterpoise.deep.samplers import UpToABillion, UpToAMillion
from counterpoise.errors import InputError
from counterpoise.games import Game, game_name
from counterpoise.games.holdem_spot import HoldemSpot
from counterpoise.games.leduc import LeducPoker
from counterpoise.games.liars_dice import LiarsDice
from counterpoise.parameters import require
from counterpoise.solvers.base import Number, Positive, Share

UpTo65536 = Annotated[int, Number(1, MOST_WIDTH, whole=True)]
"""The numbers that a file may ask for, bounded so that no file makes an agent that never ends."""


@method("rebel")
@dataclass(frozen=True, kw_only=True)
class Rebel(NetworkMethod):
    """ReBeL: self-play with search on public belief states; settings that are not given are chosen for the game."""

    source = "Brown 2020, section 5.3; Brown et al. 2020"

    algorithm: Literal["cfr-d", "cfr-avg", "fp", "linear-fp", "ofp", "flop"] = "cfr-d"
    """The algorithm inside a subgame; cfr-d is sound."""
    updates: UpTo65536 | None = None
    """Updates of one player per subgame, in training and play: 512 in Liar's Dice (published: 1,024), 256 from 11 bids
    on, 200 on a turn."""
    width: UpTo65536 | None = None
    """The width of both hidden layers: 256, as published for Liar's Dice."""
    rate: Positive | None = None
    """Adam's first step: 1e-3 (published: 3e-4 with many more examples)."""
    horizon: UpToABillion | None = None
    """Examples of the planned run, after certain shares of which the step is halved; if not given, a run of some
    minutes follows the clock."""
    draws: UpTo65536 | None = None
    """The mean number of times that an example is drawn for training: 64 in Liar's Dice, 16 on a turn (published:
    4)."""
    exploration: Share | None = None
    """The probability of a uniform action of the exploring player: 0.25, as published."""
    games: UpTo65536 | None = None
    """Subgames that are solved in lock-step."""
    play_throughs: UpToAMillion | None = None
    """Play-throughs of an evaluation on the way (published: 1,024); the bound is the tighter the more there are."""

    def on(self, game: Game, seed: int = 0, workers: int = 1) -> NamedLearner:
        """Return a learner for Liar's Dice, Leduc hold'em (beliefs tell suits apart) or a turn of hold'em."""
        return NamedLearner(self, game, seed, workers)

    def settings_for(self, game: Game) -> RebelSettings:
        """Return the settings for a game, overridden by those that are given."""
        known = _known_settings(game)
        search = replace(known.search, algorithm=self.algorithm)
        if self.updates is not None:
            require(
                self.updates % 2 == 0, f"rebel: updates must be even, as both players have some, not {self.updates}"
            )
            search = replace(search, iterations=self.updates // 2)
        playing = {name: getattr(self, name) for name in ("exploration", "games") if getattr(self, name) is not None}
        rest: dict[str, Any] = {
            "hidden": None if self.width is None else (self.width, self.width),
            "learning_rate": self.rate,
            "horizon": self.horizon,
            "draws": self.draws,
            "play_throughs": self.play_throughs,
        }
        given = {name: value for name, value in rest.items() if value is not None}
        return replace(known, search=search, self_play=replace(known.self_play, **playing), **given)


def belief_game(game: Game) -> BeliefGame:
    """Return a game in public belief states, or refuse it in a sentence."""
    if game.players != 2:
        raise InputError(f"rebel needs a game of two players; {game_name(game)} has {game.players}")
    if isinstance(game, LiarsDice):
        return liars_dice_beliefs(game)
    if isinstance(game, LeducPoker):
        return leduc_beliefs(game)
    if isinstance(game, HoldemSpot):
        return turn_beliefs(game)
    raise InputError(
        f"rebel knows liars_dice, leduc_poker and spots of hold'em on the turn "
        f"(mini_turn_holdem), not {game_name(game)}"
    )


def player_of(trained: Trained, rules: Game, unsafe: bool = False) -> RebelPlayer:
    """Return a player with the network of a file, which searches as it did in training."""
    if trained.game not in _equal_games(rules):
        raise InputError(f"the network was trained for {trained.game}, not for {game_name(rules)}")
    method, network, game = METHODS.build(trained.method), trained.networks.get("values"), belief_game(rules)
    if not isinstance(method, Rebel) or network is None:
        raise InputError(f"networks of {trained.method} do not value public belief states: train them with rebel")
    if (network.shape.inputs, network.shape.outputs) != (game.inputs, game.outputs):
        raise InputError(f"the network has another number of inputs or outputs than the beliefs of {trained.game}")
    settings = method.settings_for(rules)
    ending = settings.self_play.endgame_iterations
    random = np.random.default_rng(0)
    return RebelPlayer(game, network_values(network), settings.search, random, ending, unsafe)


class NamedLearner(RebelLearner):
    """A learner that knows the name of its game and of its method."""

    def __init__(self, method: Rebel, game: Game, seed: int, workers: int) -> None:
        settings = method.settings_for(game)
        super().__init__(belief_game(game), settings, seed, workers)
        # A file says how the agent searches, whatever is chosen for its game in other versions.
        self.method, self.rules = replace(method, updates=2 * settings.search.iterations), game

    def pace(self, share: float) -> None:
        """Let the schedule follow a clock, unless its length was given."""
        if self.method.horizon is None:
            super().pace(share)

    def result(self) -> Trained:
        """Return the value network; in small games also the strategy of some play-throughs, which is what it plays."""
        made = {
            "seed": self.seed,
            "subgames": self.subgames,
            "examples": self.replay.seen,
            "gradient_steps": self.fitter.steps,
            "cpu_seconds_generating": self.generating + self.cpu_elsewhere,
            "cpu_seconds_training": self.fitting,
            "play_throughs": self.settings.play_throughs,
            "settings": asdict(self.settings),
        }
        strategy = None
        if isinstance(self.rules, LiarsDice | LeducPoker):
            random = np.random.default_rng([self.seed, EVALUATION, self.iterations])
            solver, endgames = play_solvers(self.game, self.network, self.settings)
            played = play_through(self.whole, solver, self.settings.play_throughs, random, endgames)
            if isinstance(self.rules, LiarsDice):
                strategy = dice_strategy(self.rules, self.whole, played)
            else:
                strategy = leduc_strategy(self.rules, self.whole, played)
        return Trained(game_name(self.rules), self.method.name, {"values": self.network}, made, strategy)


def _known_settings(game: Game) -> RebelSettings:
    """Return the settings for a kind of game."""
    if isinstance(game, HoldemSpot):
        return TURN_HOLDEM
    long = isinstance(game, LiarsDice) and len(game.ladder(2 * game.dice).claims) >= MANY_BIDS
    return LONG_DICE if long else LIARS_DICE


def _equal_games(rules: Game) -> list[str]:
    """Return the names of the games that have the same public belief states."""
    if isinstance(rules, LeducPoker):
        return [game_name(replace(rules, merge_suits=merged)) for merged in (True, False)]
    return [game_name(rules)]
