"""The average strategy as a mixture of the networks of all iterations (Single Deep CFR, Steinberger 2019).

A player draws one network for a whole hand, in proportion to the weight of its iteration, and plays by it to the end:
that is realisation-equivalent to the average strategy, and there is no error of a network that approximates it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.deep.enumerated import EnumeratedGame
from counterpoise.deep.networks import Network, Shape, count_weights, network_of, zero_network
from counterpoise.deep.regressors import strategies
from counterpoise.deep.restoring import checked
from counterpoise.deep.sampled_game import Keys, Rows, SampledGame
from counterpoise.parameters import is_list, is_number, require

UNTRAINED = (1, 0)
"""The player and the member that has no network: what player 1 does in the first traversal of player 0."""


class NetworkMixture:
    """Networks of advantages of both players, each with its weight; None stands for zero advantages everywhere."""

    def __init__(self, game: SampledGame, shape: Shape, argmax: bool = True) -> None:
        self.game, self.shape, self.argmax = game, shape, argmax
        self.members: tuple[list[tuple[float, Network | None]], ...] = ([], [])

    def add(self, player: int, weight: float, network: Network | None) -> None:
        """Add the network of one iteration."""
        self.members[player].append((weight, network))

    def draw(self, player: int, random: np.random.Generator) -> Network | None:
        """Return the network by which a player plays the next hand."""
        weights = np.array([weight for weight, _ in self.members[player]])
        require(len(weights) > 0, "there is no strategy before the first iteration")
        return self.members[player][int(random.choice(len(weights), p=weights / weights.sum()))][1]

    def policy_of(self, network: Network | None, keys: Keys) -> Rows:
        """Return the strategy that one network plays."""
        shape = len(keys), len(self.game.actions)
        predictions = np.zeros(shape, dtype=np.float32) if network is None else network(self.game.encode(keys))
        return strategies(self.game, predictions, keys, self.argmax)

    def profile(self) -> NDArray[np.float64]:
        """Return the average strategy of an enumerated game: each member weighted by its own reach, which is exact."""
        game = self.game
        assert isinstance(game, EnumeratedGame)
        plan = np.zeros(game.tree.table.size)
        for player in (0, 1):
            for weight, network in self.members[player]:
                profile = game.profile(lambda _, keys, network=network: self.policy_of(network, keys), (player,))  # type: ignore[misc]
                plan += weight * game.reach(profile, player)
        return game.tree.behaviour(plan)

    def networks(self) -> dict[str, Network]:
        """Return the networks by name: "player1-7" is that of the seventh member of player 1.

        A network of zeros stands for zero advantages, but for the one member that never has a network.
        """
        return {
            f"player{player}-{number}": network or zero_network(self.shape)
            for player in (0, 1)
            for number, (_, network) in enumerate(self.members[player])
            if network is not None or (player, number) != UNTRAINED
        }

    def header(self) -> dict[str, Any]:
        """Return the weights of all members, by player, for the header of a file."""
        return {"weights": [[weight for weight, _ in members] for members in self.members]}

    @classmethod
    def from_networks(
        cls, game: SampledGame, networks: Mapping[str, Network], weights: Any, argmax: bool
    ) -> NetworkMixture:
        """Return the mixture that `networks` and `header` describe; `weights` come from a file."""
        right = is_list(weights) and len(weights) == 2 and all(is_list(own) and own for own in weights)
        right = right and all(is_number(weight) and weight > 0 for own in weights for weight in own)
        require(right and bool(networks), "the weights of a mixture must be numbers above 0, some for each player")
        found = cls(game, next(iter(networks.values())).shape, argmax)
        for player in (0, 1):
            for number, weight in enumerate(weights[player]):
                name = f"player{player}-{number}"
                known = name in networks or (player, number) == UNTRAINED
                require(known, f"the networks of a mixture are not complete: {name} is missing")
                found.add(player, weight, networks.get(name))
        return found

    def state(self) -> dict[str, NDArray[Any]]:
        """Return weights and networks of all members."""
        found: dict[str, NDArray[Any]] = {}
        for player in (0, 1):
            members = self.members[player]
            found[f"weights{player}"] = np.array([weight for weight, _ in members])
            found[f"known{player}"] = np.array([network is not None for _, network in members], dtype=np.bool_)
            flat = [network.flat() for _, network in members if network is not None]
            found[f"networks{player}"] = np.stack(flat) if flat else np.zeros((0, 0), dtype=np.float32)
        return found

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Take members over."""
        size = count_weights(self.shape)
        for player in (0, 1):
            known = checked(state, f"known{player}", state[f"weights{player}"].shape, np.bool_)
            weights = checked(state, f"weights{player}", (known.size,), np.float64)
            require(bool((weights > 0).all()), f"the weights of player {player} must be above 0")
            count = int(known.sum())
            shape = (count, size if count else 0)
            rows = iter(checked(state, f"networks{player}", shape, np.float32))
            self.members[player][:] = [
                (float(weight), network_of(self.shape, next(rows)) if there else None)
                for weight, there in zip(weights, known, strict=True)
            ]
