"""Files of networks: arrays of weights and a JSON header that says what they are; nothing is ever unpickled."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from counterpoise.deep.card_network import CardShape
from counterpoise.deep.networks import MlpShape, Network, Shape, count_weights, network_of
from counterpoise.deep.restoring import State
from counterpoise.errors import InputError
from counterpoise.parameters import require, shown
from counterpoise.store.arrays import check_arrays
from counterpoise.store.cpz import read_arrays, read_header, write_cpz
from counterpoise.store.headers import MOST_NETWORKS, NetworksHeader
from counterpoise.store.schemas import WEIGHTS
from counterpoise.tree.strategy import Strategy, strategy_arrays, strategy_from

KIND, VERSION = "networks", 2
APART = 1
"""The version in which every array of weights was an array of the file, of which a file has at most a thousand."""


@dataclass(frozen=True, eq=False)
class Trained:
    """Networks that were trained for a game, with everything that playing them needs."""

    game: str
    """The name of the game."""
    method: str
    """The method and its settings, as a user types them: deep-cfr(traversals=1000)."""
    networks: Mapping[str, Network]
    """The networks by the method's names for them; empty if only the strategy is kept."""
    made: Mapping[str, Any] = field(default_factory=dict)
    """How they were made, and what else the method needs to play them, in the types of JSON."""
    strategy: Strategy | None = None
    """The strategy that they play, in games small enough to tabulate it: commands that take a strategy then take the
    file."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file that `load_networks` reads; the weights of all networks of one shape are one array."""
        require(
            len(self.networks) <= MOST_NETWORKS, f"a file holds {MOST_NETWORKS:,} networks, not {len(self.networks):,}"
        )
        header = {
            "networks_version": VERSION,
            "game": self.game,
            "method": self.method,
            "networks": {name: network.shape.to_json() for name, network in self.networks.items()},
            "made": dict(self.made),
        }
        alike = _by_shape({name: network.shape for name, network in self.networks.items()})
        arrays = {
            f"networks{number}": np.stack([self.networks[name].flat() for name in names])
            for number, names in enumerate(alike.values())
        }
        write_cpz(
            path, KIND, header, arrays | ({} if self.strategy is None else strategy_arrays(self.strategy)), level=6
        )


def load_networks(path: str | os.PathLike[str]) -> Trained:
    """Return the networks of a file; one sentence if it is no such file, damaged or of another version."""
    header = read_header(path, KIND)
    head = NetworksHeader.read(header, path)
    arrays = read_arrays(path, header)
    shapes = {name: _read_shape(fields, path) for name, fields in head.networks.items()}
    networks = (_read_apart if head.networks_version == APART else _read_stacked)(shapes, arrays, path)
    strategy = strategy_from(header, arrays, path) if "probabilities" in arrays else None
    return Trained(head.game, head.method, networks, head.made, strategy)


@cache
def shapes() -> dict[str, type[Any]]:
    """Return the kinds of shapes by the name that files have for them."""
    return {"cards": CardShape, "mlp": MlpShape}


def _read_apart(shapes: Mapping[str, Shape], arrays: State, path: str | os.PathLike[str]) -> dict[str, Network]:
    rules = {
        f"{name}.{part.name}": WEIGHTS.of(shape=part.size) for name, shape in shapes.items() for part in shape.parts()
    }
    check_arrays(f"{path} is damaged", arrays, rules)
    return {
        name: Network(shape, tuple(arrays[f"{name}.{part.name}"] for part in shape.parts()))
        for name, shape in shapes.items()
    }


def _read_stacked(shapes: Mapping[str, Shape], arrays: State, path: str | os.PathLike[str]) -> dict[str, Network]:
    found: dict[str, Network] = {}
    for number, (shape, names) in enumerate(_by_shape(shapes).items()):
        sizes = {"networks": len(names), "weights": count_weights(shape)}
        check_arrays(f"{path} is damaged", arrays, {f"networks{number}": WEIGHTS}, sizes)
        rows = arrays[f"networks{number}"]
        found |= {name: network_of(shape, row) for name, row in zip(names, rows, strict=True)}
    return {name: found[name] for name in shapes}


def _by_shape(shapes: Mapping[str, Shape]) -> dict[Shape, list[str]]:
    """Return the names of the networks of each shape, in the order in which both are met."""
    found: dict[Shape, list[str]] = {}
    for name, shape in shapes.items():
        found.setdefault(shape, []).append(name)
    return found


def _read_shape(fields: Mapping[str, Any], path: str | os.PathLike[str]) -> Shape:
    kind = shapes().get(str(fields.get("kind")))
    if kind is None:
        raise InputError(f"{path} has a network of an unknown kind, {shown(fields.get('kind'))}")
    try:
        found: Shape = kind(**{name: value for name, value in fields.items() if name != "kind"})
    except (InputError, TypeError) as error:
        raise InputError(f"{path} is damaged: {error}") from None
    return found
