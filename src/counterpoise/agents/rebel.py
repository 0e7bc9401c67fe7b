"""ReBeL at the table: search on public belief states with a network's values at the leaves.

See Brown 2020, sections 5.3.6, 6.7.

1. At each new subgame an iteration is drawn with the weights of the average strategy; its policies are played until the
   subgame ends, and all seats are assumed to play them. That is safe without a gadget and without values of the
   opponent.
2. A bet of hold'em that the tree of the subgame lacks is added to it with what follows, and the subgame is solved again
   from the same root.
3. Where a game does not tell suits apart, as Leduc hold'em, beliefs still do: the suits of the own card and of the
   public card are drawn for each hand, which changes no value.
4. `unsafe` plays the average strategy and believes in it, for comparison.

Its play in a hand depends on the iterations drawn in it, so that it cannot say what it would do with other hands.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from counterpoise.agents.base import Agent, Measured, agent
from counterpoise.betting.sizes import read_label
from counterpoise.errors import InputError
from counterpoise.games.base import Action, Game, Observation, game_name
from counterpoise.games.holdem_spot import HoldemSpot
from counterpoise.store.files import file_identity

if TYPE_CHECKING:
    from counterpoise.deep import Trained
    from counterpoise.deep.judging import NetworksEvaluation
    from counterpoise.deep.rebel.agent import RebelPlayer
    from counterpoise.progress import Progress


@agent("rebel")
@dataclass
class RebelAgent(Agent):
    """Searches with a value network: that of the package for the game at hand, such as Liar's Dice with four faces, or
    that of a file, rebel:FILE, made by train --method rebel for the same game."""

    source = "Brown 2020, section 5.3"
    measured = Measured(64, 0.015)

    file: str = ""
    """The file with the network; none: the package's own for the game."""
    unsafe: bool = False
    """Whether it plays average strategies, which may be exploited, instead of those of a drawn iteration."""

    def __post_init__(self) -> None:
        self.trained: Trained | None = _networks(self.file) if self.file else None

    @property
    def home(self) -> str:
        """The name of the game that its network was trained for; of the package's networks the first."""
        from counterpoise.deep.shipped import shipped_headers

        return next(iter(shipped_headers(self.registered_name))) if self.trained is None else self.trained.game

    @property
    def strategy_id(self) -> str:
        """The name and the first digits of the SHA-256 of the network's weights, or of all that the package has."""
        from counterpoise.deep.shipped import shipped_headers, shipped_networks

        known = [shipped_networks(self.registered_name, game) for game in shipped_headers(self.registered_name)]
        files = [self.trained] if self.file and self.trained is not None else known
        weights = b"".join(network.flat().tobytes() for file in files for network in file.networks.values())
        return f"{self.name}@{hashlib.sha256(weights).hexdigest()[:12]}"

    @classmethod
    def default_seats(cls) -> int | None:
        """Return the seats of the games that the networks of the package know."""
        return 2

    @classmethod
    def training(cls) -> str:
        """Return how the networks of the package were trained."""
        from counterpoise.deep.shipped import shipped_headers

        known = shipped_headers(cls.registered_name)
        told = [f"{game}: {header.made['subgames']:,} subgames of self-play" for game, header in known.items()]
        return "; ".join(told)

    def evaluate_draws(
        self, game: Game, play_throughs: int | None, progress: Progress | bool | None
    ) -> NetworksEvaluation:
        """Return the exploitability of the mean of some play-throughs, by default as many as in training.

        In each the agent has drawn an iteration in every subgame. More of them come nearer to what it plays at a table,
        where it draws anew in each hand.
        """
        from counterpoise.deep.judging import judge_networks

        if self.unsafe:
            raise InputError("rebel: play-throughs are of the safe agent: leave out unsafe")
        seated = self.sit(game, 0, Random(0))
        assert seated.trained is not None
        return judge_networks(self.file or str(self), seated.trained, game, play_throughs, progress=progress)

    def prepare(self) -> None:
        """Refuse a game that the network is not for, or that the package has none for."""
        from counterpoise.deep.rebel.method import player_of
        from counterpoise.deep.shipped import shipped_networks

        trained = _networks(self.file) if self.file else shipped_networks(self.registered_name, game_name(self.game))
        self.trained = trained
        self._player: RebelPlayer = player_of(trained, self.game, self.unsafe)
        self._known = self._player.game
        self.new_hand()

    def new_hand(self) -> None:
        """Begin a hand, with random numbers of its own."""
        self._player.random = np.random.default_rng(self.random.getrandbits(64))
        self._player.game = self._known
        self._followed: tuple[str, ...] = ()
        self._held: int | None = None

    def act(self, observation: Observation) -> Action:
        """Follow what has happened, search where a subgame begins, and draw an action."""
        if observation.public[: len(self._followed)] != self._followed:
            raise InputError(f"{self} was shown a history that does not continue the one before")
        if self._held is None:
            self._player.begin()
            self._held = self._card(observation.private, self._player.game.hand_names)
        board = isinstance(self.game, HoldemSpot)  # the first event of a spot is the board, which its beliefs know
        for place in range(max(len(self._followed), int(board)), len(observation.public)):
            self._follow(observation.public[: place + 1])
        self._followed = observation.public
        return self._player.labels[self._player.act(self._held)]

    def _follow(self, public: tuple[str, ...]) -> None:
        """Follow the last of the public events."""
        player, event = self._player, public[-1]
        if player.waits_for_card:
            player.deal(self._card(event, player.game.deals[player.root.state].names))
        elif event in player.labels or not isinstance(self.game, HoldemSpot):
            player.observe(player.labels.index(event))
        else:
            self._add_bet(self.game, public)

    def _add_bet(self, game: HoldemSpot, public: tuple[str, ...]) -> None:
        """Follow a bet that the tree of the subgame lacks: offer it there, and solve the subgame again."""
        from counterpoise.deep.rebel.turn_holdem import with_bet

        player = self._player
        player.offer(with_bet(player.game, game.betting_after(public[:-1]), read_label(public[-1])))
        player.observe(player.labels.index(public[-1]))

    def _card(self, name: str, names: tuple[str, ...]) -> int:
        """Return the number of a hand or card; if its suit is not known, one of its rank is drawn."""
        if name in names:
            return names.index(name)
        from counterpoise.deep.rebel.leduc import cards_of

        held = "" if self._held is None else self._player.game.hand_names[self._held]
        return int(self._player.random.choice(cards_of(name, names, held)))


def _networks(file: str) -> Trained:
    """Return what a file holds, read once for all seats."""
    return _read_networks(file, file_identity(file))


@lru_cache(maxsize=8)
def _read_networks(file: str, identity: tuple[int, ...] | None) -> Trained:
    from counterpoise.deep import load_networks

    return load_networks(file)
