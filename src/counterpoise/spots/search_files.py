"""What a search has found in a `.cpz` file: the spot, where the new strategies begin, their figures and tables."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.public import HoldemTree
from counterpoise.spots.actions import PLAYERS
from counterpoise.spots.digest import tree_digest
from counterpoise.spots.engine import find_place
from counterpoise.spots.files import check_average, read_bits, read_count, read_course, read_finite, read_kind
from counterpoise.spots.paths import Place
from counterpoise.spots.search_problem import METHODS, build_part, extend
from counterpoise.spots.spot import Spot
from counterpoise.store import read_cpz, write_cpz

if TYPE_CHECKING:
    from counterpoise.spots.search import SpotSearch

KIND = "search"
COUNTS, MEANS = ("iterations", "nodes", "nodes_touched"), ("mean_loss", "mean_margin")
FIGURES = ("exploitability_pct", "memory_mb")
TIMES = ("seconds", "cpu_seconds", "reached", "interrupted")


def write_search(found: SpotSearch, path: str | os.PathLike[str]) -> None:
    """Everything but the solution that was searched."""
    named = ("searcher", "method", "algorithm", "bits", "tables", "facing", *COUNTS, *FIGURES, *TIMES)
    header = {name: getattr(found, name) for name in named}
    header |= {name: _plain(getattr(found, name)) for name in MEANS}
    header |= {name: _by_player(getattr(found, name)) for name in ("ev_before", "ev_after")}
    header |= {"spot": found.spot.to_dict(), "node": found.id, "trace": [list(point) for point in found.trace]}
    header["hands"] = [[hand.hand, hand.weight, hand.alternative, hand.value, hand.entry] for hand in found.hands]
    header["digest"] = tree_digest(found.tree)
    tree = found.tree
    arrays = {f"reach.{player}": tree.weights[seat] for seat, player in enumerate(PLAYERS)}
    arrays |= {name: array for name, array in tree.arrays().items() if name.startswith("average")}
    write_cpz(path, KIND, header, arrays)


def load_search(path: str | os.PathLike[str]) -> SpotSearch:
    """What a search had found when it was saved; walk it node by node."""
    from counterpoise.spots.search import HandMargin, SpotSearch

    header, arrays = read_cpz(path, KIND)
    try:
        spot = Spot.from_dict(header["spot"], path)
        place = find_place(spot, read_kind(str, header["node"]))
        start = place if header["facing"] is None else extend(spot, place, int(read_kind(str, header["facing"])[1:]))
        fields: dict[str, Any] = {name: read_kind(str, header[name]) for name in ("searcher", "method", "algorithm")}
        if fields["searcher"] not in PLAYERS or fields["method"] not in METHODS:
            raise ValueError("searcher or method is not known")
        fields |= {name: read_count(header[name]) for name in COUNTS}
        fields |= {name: read_finite(header[name]) for name in FIGURES}
        fields |= {name: _number(header[name]) for name in MEANS}
        for name in ("ev_before", "ev_after"):
            fields[name] = {player: _number(header[name][player]) for player in PLAYERS}
        fields["hands"] = [
            HandMargin(
                read_kind(str, hand),
                read_finite(weight),
                read_finite(alternative),
                read_finite(value),
                None if entry is None else read_finite(entry),
            )
            for hand, weight, alternative, value, entry in header["hands"]
        ]
        fields |= {"course": read_course(header), "bits": read_bits(header["bits"])}
        fields["tables"] = read_kind(dict, header["tables"])
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise InputError(f"{path} is damaged: its header is incomplete ({error})") from None
    try:
        tree = _filled(spot, start, fields, arrays, header.get("digest"))
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return SpotSearch(spot=spot, place=place, start=start, tree=tree, **fields)


def _filled(
    spot: Spot, start: Place, fields: dict[str, Any], arrays: dict[str, NDArray[Any]], digest: Any
) -> HoldemTree:
    deck, reach = spot.card_deck, []
    for seat, player in enumerate(PLAYERS):
        own, weights = spot.ranges[seat].live(start.cards).hands, arrays.get(f"reach.{player}")
        if weights is None or weights.shape != own.shape or not (np.isfinite(weights) & (weights >= 0)).all():
            raise InputError(f"the file is damaged: array 'reach.{player}' does not fit the spot")
        reach.append(np.zeros(deck.hand_count))
        reach[-1][own] = weights
    tree = build_part(spot, start, fields["tables"], (reach[0], reach[1]), fields["bits"])
    if digest != tree_digest(tree):
        raise InputError("its tables are not for this spot as this version builds it: search again")
    check_average(arrays)
    for name, array in tree.arrays().items():
        if name.startswith("average"):
            if name not in arrays or arrays[name].shape != array.shape or arrays[name].dtype != array.dtype:
                raise InputError(f"the file is damaged: array {name!r} does not fit the spot")
            array[...] = arrays[name]
    return tree


def _plain(number: float) -> float | None:
    return None if math.isnan(number) else number


def _by_player(numbers: dict[str, float]) -> dict[str, float | None]:
    return {player: _plain(number) for player, number in numbers.items()}


def _number(value: Any) -> float:
    return float("nan") if value is None else read_finite(value)
