"""What a search has found in a `.cpz` file: the spot, where the new strategies begin, their figures and tables."""

from __future__ import annotations

import math
import os
from dataclasses import astuple
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.games.bet_sizes import read_node
from counterpoise.public import HoldemTree
from counterpoise.spots.actions import PLAYERS
from counterpoise.spots.digest import tree_digest
from counterpoise.spots.files import check_average, read_bits, read_count, read_course, read_finite, read_kind
from counterpoise.spots.gifts import GiftKind
from counterpoise.spots.locks import check_dealt
from counterpoise.spots.paths import Place, extend
from counterpoise.spots.search_problem import METHODS, build_part
from counterpoise.spots.spot import Spot
from counterpoise.store import read_cpz, write_cpz

if TYPE_CHECKING:
    from counterpoise.spots.search_result import SpotSearch

KIND = "search"
COUNTS = ("iterations", "nodes", "nodes_touched")
FIGURES, MAY_LACK = ("exploitability_pct", "memory_mb", "gift_scale", "cost"), ("target", "spread")
WORDS = ("searcher", "method", "gifts", "algorithm")
TIMES = ("seconds", "cpu_seconds", "reached", "interrupted")


def write_search(found: SpotSearch, path: str | os.PathLike[str]) -> None:
    """Everything but the solution that was searched."""
    header = {name: getattr(found, name) for name in (*WORDS, "bits", "tables", "facing", *COUNTS, *FIGURES, *TIMES)}
    header |= {name: getattr(found, name) for name in MAY_LACK}
    header |= {name: _known(getattr(found, name)) for name in ("ev_before", "ev_after", "frequencies_before")}
    header |= {"spot": found.spot.to_dict(), "node": found.id, "trace": [list(point) for point in found.trace]}
    header["hands"] = [list(astuple(hand)) for hand in found.hands]
    header["digest"] = tree_digest(found.tree)
    tree = found.tree
    arrays = {f"reach.{player}": tree.weights[seat] for seat, player in enumerate(PLAYERS)}
    arrays |= {name: array for name, array in tree.arrays().items() if name.startswith("average")}
    write_cpz(path, KIND, header, arrays)


def load_search(path: str | os.PathLike[str]) -> SpotSearch:
    """What a search had found when it was saved; walk it node by node."""
    from counterpoise.spots.search_result import HandMargin, SpotSearch

    header, arrays = read_cpz(path, KIND)
    try:
        spot = Spot.from_dict(header["spot"], path)
        place = _place(spot, read_kind(str, header["node"]))
        start = place if header["facing"] is None else extend(spot, place, int(read_kind(str, header["facing"])[1:]))
        fields: dict[str, Any] = {name: read_kind(str, header[name]) for name in WORDS}
        if (
            fields["searcher"] not in PLAYERS
            or fields["method"] not in METHODS
            or fields["gifts"] not in get_args(GiftKind)
        ):
            raise ValueError("searcher, method or gifts are not known")
        fields |= {name: read_count(header[name]) for name in COUNTS}
        fields |= {name: read_finite(header[name]) for name in FIGURES}
        fields |= {name: None if header[name] is None else read_finite(header[name]) for name in MAY_LACK}
        for name in ("ev_before", "ev_after"):
            fields[name] = {player: _number(header[name][player]) for player in PLAYERS}
        before = header["frequencies_before"]
        fields["frequencies_before"] = before and {str(name): _number(share) for name, share in before.items()}
        fields["hands"] = [
            HandMargin(
                read_kind(str, hand),
                read_finite(weight),
                read_finite(met),
                read_finite(alternative),
                read_finite(gift),
                read_finite(value),
                None if entry is None else read_finite(entry),
            )
            for hand, weight, met, alternative, gift, value, entry in header["hands"]
        ]
        if not fields["hands"]:
            raise ValueError("there are no hands")
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


def _place(spot: Spot, id: str) -> Place:
    """Where a node is, whose bets need not be among the sizes of the spot."""
    found = read_node(spot.betting, id)
    if found.state.to_act < 0:
        raise ValueError(f"nobody acts at node {id!r}")
    return Place(0, 0, check_dealt(id, found.cards, spot.cards, spot.ranges[0]), found.state, found.steps)


def _known(numbers: dict[str, float] | None) -> dict[str, float | None] | None:
    """With null for what is not known."""
    if numbers is None:
        return None
    return {name: None if math.isnan(number) else number for name, number in numbers.items()}


def _number(value: Any) -> float:
    return float("nan") if value is None else read_finite(value)
