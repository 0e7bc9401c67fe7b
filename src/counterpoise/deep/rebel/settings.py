"""The settings of a training of ReBeL, with the published value beside each that is scaled down."""

from __future__ import annotations

from dataclasses import dataclass, field

from counterpoise.deep.rebel.search import SearchSettings
from counterpoise.deep.rebel.selfplay import SelfPlaySettings


@dataclass(frozen=True)
class RebelSettings:
    """A whole training; the defaults are for Liar's Dice on two cores in one hour."""

    search: SearchSettings = field(default_factory=SearchSettings)
    """How subgames are solved, in training and in play."""
    self_play: SelfPlaySettings = field(default_factory=SelfPlaySettings)
    """How data is made."""
    hidden: tuple[int, ...] = (256, 256)
    """Widths of the value network. Published: two layers of 256 in Liar's Dice, six of 1,536 in poker."""
    learning_rate: float = 1e-3
    """Adam's first step. Published: 3e-4 in Liar's Dice, 4e-4 in turn endgames, with many more steps."""
    horizon: int = 400_000
    """Examples of a planned run."""
    halvings: tuple[float, ...] = (0.4, 0.6, 0.75, 0.85)
    """After which shares of the horizon the step is halved: the last checkpoints then differ little. Published: every
    400 (Liar's Dice) or 100 (turn endgames) epochs of 25,600 or 2,560,000 examples."""
    draws: int = 64
    """The mean number of times that an example is drawn for training. Published: at most 4 in Liar's Dice."""
    batch: int = 512
    """Examples of a gradient step. Published: 512 in Liar's Dice, 1,024 in poker."""
    clip: float = 5.0
    """Longer gradients are cut to this norm."""
    capacity: int = 1_000_000
    """Examples that are kept. Published: 2 million in Liar's Dice, 12 million in poker."""
    purge: float = 0.08
    """After this share of the horizon the older half of the examples is dropped, which came from a random network.
    Published: after 20 epochs of 300."""
    between: int = 256
    """Examples between two rounds of gradient steps, after which generators use the new weights."""
    play_throughs: int = 64
    """Play-throughs of an evaluation on the way. Published: 1,024."""
    policy_hidden: tuple[int, ...] = ()
    """Widths of the policy network for warm starts; none: there is no such network. Published: six layers of 1,536 in
    poker, none in Liar's Dice."""
    policy_draws: int = 2
    """The mean number of times that an average policy is drawn for training."""
    policy_capacity: int = 50_000
    """Average policies that are kept."""
    random_beliefs: bool = False
    """Whether data is made at random public belief states instead of those of self-play, for comparison."""

    def rate(self, seen: int) -> float:
        """Return Adam's step after some examples."""
        return self.learning_rate * 0.5 ** sum(seen >= share * self.horizon for share in self.halvings)


LIARS_DICE = RebelSettings(search=SearchSettings(iterations=256))
"""Liar's Dice: subgames of two actions, 512 updates of one player (published: 1,024)."""
LONG_DICE = RebelSettings(search=SearchSettings(iterations=128), play_throughs=8)
"""Liar's Dice with many bids, whose subgames are expensive: 256 updates of one player."""
MANY_BIDS = 11
"""Liar's Dice is long from this many bids on."""
TURN_HOLDEM = RebelSettings(
    search=SearchSettings(iterations=100),
    self_play=SelfPlaySettings(games=4, leaves=16, attempts=4, endgame_iterations=60),
    horizon=50_000,
    halvings=(0.5, 0.75),
    draws=16,
    batch=256,
    capacity=150_000,
    between=512,
    play_throughs=4,
)
"""Turn endgames: 100 iterations on the turn and 60 on the river, 16 leaves of every turn, ten minutes of one core."""
