"""From the rules of a game to what methods that learn from samples walk, and the networks that read it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from counterpoise.deep.card_network import CardShape
from counterpoise.deep.enumerated import EnumeratedGame
from counterpoise.deep.learner import Learner, NetworkMethod
from counterpoise.deep.networks import MOST_WIDTH, MlpShape, Shape
from counterpoise.deep.sampled_game import SampledGame
from counterpoise.games import Game
from counterpoise.games.holdem import Holdem
from counterpoise.parameters import is_list, is_whole, require
from counterpoise.solvers.base import Number
from counterpoise.tree import enumerate_game

Layout = Literal["auto", "mlp", "cards"]
UpToAMillion = Annotated[int, Number(1, 1_000_000, whole=True)]
UpToABillion = Annotated[int, Number(1, 1_000_000_000, whole=True)]
"""How many rows, or games at once, are in memory together."""


def as_sampled(game: Game | SampledGame) -> SampledGame:
    """Return a game as samplers see it: hold'em is dealt, every other game is enumerated."""
    if isinstance(game, SampledGame):
        return game
    if not isinstance(game, Holdem):
        return EnumeratedGame(enumerate_game(game))
    from counterpoise.deep.dealt import DealtHoldem

    return DealtHoldem(game)


@dataclass(frozen=True, kw_only=True)
class SamplingMethod(NetworkMethod):
    """Settings of a method that learns from samples of a game with networks."""

    hidden: tuple[int, ...] = (64, 64, 64)
    """Widths of the hidden layers; the network for cards has the first one in all its layers."""
    network: Layout = "auto"
    """Layers in a row, or the network for cards and bets of Brown 2020, section 4.1.5; auto: that one for hold'em."""

    def __post_init__(self) -> None:
        super().__post_init__()
        widths: Any = self.hidden
        right = is_list(widths) and all(is_whole(width) and 1 <= width <= MOST_WIDTH for width in widths) and widths
        self.require(bool(right), "hidden", f"a list of widths from 1 to {MOST_WIDTH} such as [64, 64]")
        object.__setattr__(self, "hidden", tuple(widths))

    def require_one_process(self, workers: int) -> None:
        """Refuse workers, which would have nothing to do."""
        require(workers == 1, f"{self.registered_name} trains in one process: leave out workers")

    def shape(self, game: SampledGame) -> Shape:
        """Return the shape of all networks for a game: the last features are normalised, outputs begin at 0."""
        outputs = len(game.actions)
        if game.card_layout is not None and self.network != "mlp":
            groups, card_inputs, bet_inputs = game.card_layout
            return CardShape(
                groups=groups, card_inputs=card_inputs, bet_inputs=bet_inputs, outputs=outputs, width=self.hidden[0]
            )
        self.require(self.network != "cards", "network", "mlp or auto for a game without hold'em cards")
        return MlpShape(
            inputs=game.inputs, hidden=self.hidden, outputs=outputs, skips=True, normalisation="last", head_scale=0.0
        )

    @abstractmethod
    def on(self, game: Game | SampledGame, seed: int = 0, workers: int = 1) -> Learner:
        """Return a fresh learner for a game; one process works."""
