"""Play trained networks: those of a file as a policy, or as a strategy of an enumerated game."""

from __future__ import annotations

import numpy as np

from counterpoise.deep.enumerated import EnumeratedGame
from counterpoise.deep.files import Trained
from counterpoise.deep.mixtures import NetworkMixture
from counterpoise.deep.networks import Network
from counterpoise.deep.regressors import softmax
from counterpoise.deep.sampled_game import Policy, SampledGame
from counterpoise.errors import InputError
from counterpoise.names import parse
from counterpoise.tree import Strategy

AVERAGE = "average"
"""The network of the average strategy of both players."""
OWN = ("average0", "average1")
"""The networks of the average strategy of each player, where a method has one for each."""
MIXED = "weights"
"""What `Trained.made` has of a mixture: the weights of its members, by player."""


def policy_of(trained: Trained, game: SampledGame, random: np.random.Generator | None = None) -> Policy:
    """Return the policy of a file's networks in a game.

    With a mixture each player draws one network for the whole hand, so that a new policy is needed for every hand.
    """
    require_fit(trained, game)
    if MIXED in trained.made:
        mixture = mixture_of(trained, game)
        drawn = [mixture.draw(player, random or np.random.default_rng()) for player in (0, 1)]
        return lambda player, keys: mixture.policy_of(drawn[player], keys)
    networks = [trained.networks[name if name in trained.networks else AVERAGE] for name in OWN]
    return lambda player, keys: softmax(networks[player](game.encode(keys)), game.legal(keys))


def strategy_of(trained: Trained, game: EnumeratedGame) -> Strategy:
    """Return the strategy that the networks of a file play in an enumerated game; of a mixture, its exact average."""
    require_fit(trained, game)
    if MIXED in trained.made:
        return game.strategy(mixture_of(trained, game).profile())
    return game.strategy(game.profile(policy_of(trained, game)))


def mixture_of(trained: Trained, game: SampledGame) -> NetworkMixture:
    """Return the mixture that a file has."""
    argmax = trained.made.get("fallback", "argmax") == "argmax"
    return NetworkMixture.from_networks(game, trained.networks, trained.made[MIXED], argmax)


def require_fit(trained: Trained, game: SampledGame) -> None:
    """Refuse networks that were trained for another game, or by a method whose networks are no strategy."""
    if trained.game != game.name:
        raise InputError(f"these networks were trained for {trained.game}, not for {game.name}")
    if MIXED not in trained.made and AVERAGE not in trained.networks:
        missing = [name for name in OWN if name not in trained.networks]
        if len(missing) == len(OWN):
            raise InputError(f"the networks of {parse(trained.method)[0]} are no strategy of a whole game")
        if missing:
            raise InputError(f"the networks of {parse(trained.method)[0]} are not complete: {missing[0]} is missing")
    for name, network in trained.networks.items():
        _require_size(name, network, game)


def _require_size(name: str, network: Network, game: SampledGame) -> None:
    if (network.shape.inputs, network.shape.outputs) != (game.inputs, len(game.actions)):
        raise InputError(
            f"network {name} reads {network.shape.inputs} numbers and has {network.shape.outputs} outputs, "
            f"but {game.name} has {game.inputs} and {len(game.actions)}"
        )
