"""Files of networks of leaf values, each for one blueprint, which is named by its digest."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from counterpoise.deep.files import Trained, load_networks
from counterpoise.deep.leaves.features import FEATURES, PICKS
from counterpoise.deep.networks import Network
from counterpoise.errors import InputError

METHOD = "leaf-values"
BLUEPRINT = "blueprint"


@dataclass(frozen=True, eq=False)
class LeafNetworks:
    """What the ends of the flop's betting are worth: a network for each seat that picks."""

    game: str
    blueprint: str
    """The digest of the blueprint whose continuations they value."""
    networks: tuple[Network, Network]
    """The network from 34 features to what the picking seat wins with each of its four continuations, in pots."""
    made: Mapping[str, Any]
    """The settings of the training, and the losses of both."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file that `load_leaf_networks` reads."""
        named = {_name(seat): network for seat, network in enumerate(self.networks)}
        Trained(self.game, METHOD, named, {BLUEPRINT: self.blueprint, **self.made}).save(path)


def load_leaf_networks(path: str | os.PathLike[str], blueprint: str) -> LeafNetworks:
    """Return the networks of a file; one sentence if they are of another kind, damaged or for another blueprint."""
    found = load_networks(path)
    if found.method != METHOD:
        raise InputError(f"{path} has networks of {found.method}, not of leaf values")
    if found.made.get(BLUEPRINT) != blueprint:
        raise InputError(f"{path} has leaf values for another blueprint: train them for this one, or delete the file")
    networks = [found.networks.get(_name(seat)) for seat in range(2)]
    for network in networks:
        if network is None or (network.shape.inputs, network.shape.outputs) != (FEATURES, PICKS):
            raise InputError(f"{path} is damaged: it lacks a network of {FEATURES} inputs and {PICKS} outputs per seat")
    first, second = (network for network in networks if network is not None)
    made = {name: value for name, value in found.made.items() if name != BLUEPRINT}
    return LeafNetworks(found.game, blueprint, (first, second), made)


def _name(seat: int) -> str:
    return f"seat {seat} picks"
