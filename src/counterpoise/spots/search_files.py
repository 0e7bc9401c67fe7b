"""What a search has found in a `.cpz` file: the spot, where the new strategies begin, their figures and tables."""

from __future__ import annotations

import math
import os
import re
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.sizes import BetSizes, read_node
from counterpoise.betting.words import PLAYERS, action_of, seat_of
from counterpoise.cards import format_cards
from counterpoise.errors import InputError
from counterpoise.public import HoldemTree
from counterpoise.spots.digest import tree_digest
from counterpoise.spots.engine import settings_of
from counterpoise.spots.files import check_average, read_bits, read_count, read_finite, read_history, read_kind
from counterpoise.spots.locks import check_dealt
from counterpoise.spots.paths import Place, extend
from counterpoise.spots.search_problem import build_part, check_method
from counterpoise.spots.spot import Spot
from counterpoise.spots.tree_count import count_betting
from counterpoise.store import read_cpz, write_cpz

if TYPE_CHECKING:
    from counterpoise.spots.search_result import HandMargin, SpotSearch

KIND = "search"
LAYOUT = 2
"""Of the header; goes up when a field comes or changes its meaning."""
COUNTS = ("iterations", "nodes", "nodes_touched")
FIGURES = ("exploitability_pct", "memory_mb", "gift_scale")
WORDS = ("searcher", "method", "gifts", "algorithm")
TIMES = ("seconds", "cpu_seconds", "reached", "interrupted")
HAND = ("hand", "weight", "met", "alternative", "gift", "value", "entry")
ACTION = re.compile(r"f|c|b[1-9]\d{0,9}", re.ASCII)
MOST_OF_STACKS = 100
"""Times all chips: no figure in chips is larger, whatever a hand has given up."""
SMALLEST = 1e-300
"""Above 0."""
ROUNDING = 1e-3
"""Of shares and reaches, in narrow numbers."""


def write_search(found: SpotSearch, path: str | os.PathLike[str]) -> None:
    """Everything but the solution that was searched."""
    header = {
        name: getattr(found, name) for name in (*WORDS, "bits", "sizes", "facing", "cost", *COUNTS, *FIGURES, *TIMES)
    }
    header |= {"layout": LAYOUT, "target": found.target, "spread": found.spread}
    header |= {name: _known(getattr(found, name)) for name in ("ev_before", "ev_after", "frequencies_before")}
    header["cost_before"] = None if math.isnan(found.cost_before) else found.cost_before
    header |= {"spot": found.spot.to_dict(), "node": found.id, "trace": [list(point) for point in found.trace]}
    header["hands"] = [[getattr(hand, name) for name in HAND] for hand in found.hands]
    header["digest"] = tree_digest(found.tree)
    tree = found.tree
    arrays = {f"reach.{player}": tree.weights[seat] for seat, player in enumerate(PLAYERS)}
    arrays |= {name: array for name, array in tree.arrays().items() if name.startswith("average")}
    write_cpz(path, KIND, header, arrays)


def load_search(path: str | os.PathLike[str]) -> SpotSearch:
    """What a search had found when it was saved; walk it node by node."""
    from counterpoise.spots.search_result import SpotSearch

    header, arrays = read_cpz(path, KIND)
    layout = header.get("layout", 1)
    if layout != LAYOUT:
        when = "an earlier" if isinstance(layout, int) and layout < LAYOUT else "another"
        raise InputError(f"{path} was written by {when} version of Counterpoise: search again")
    try:
        fields = _fields(header)
        fields["tree"] = _filled(fields, arrays, header.get("digest"))
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise InputError(f"{path} is damaged: its header is incomplete ({error})") from None
    return SpotSearch(**fields)


def _fields(header: dict[str, Any]) -> dict[str, Any]:
    """All fields of a search but its tree, each checked."""
    spot = Spot.from_dict(header["spot"])
    place = _place(spot, read_kind(str, header["node"]))
    start = place if header["facing"] is None else extend(spot, place, _bet(header["facing"]))
    fields: dict[str, Any] = {"spot": spot, "place": place, "start": start}
    fields |= {name: read_kind(str, header[name]) for name in WORDS}
    fields |= {name: read_count(header[name]) for name in COUNTS}
    chips = MOST_OF_STACKS * (spot.pot + 2 * spot.stack)
    fields |= {name: _within(name, header[name], 0) for name in FIGURES}
    for name in ("target", "spread"):
        fields[name] = None if header[name] is None else _within(name, header[name], SMALLEST)
    fields["cost"] = _within("cost", header["cost"], 0, chips)
    fields["cost_before"] = _number("cost_before", header["cost_before"], 0, chips)
    check_method(fields["method"], fields["spread"], fields["gifts"], fields["gift_scale"])
    if not fields["algorithm"]:
        raise ValueError("algorithm is empty")
    settings_of(fields["algorithm"])
    seat = seat_of(fields["searcher"])
    if start is not place and seat == place.state.to_act:
        raise ValueError(f"{fields['searcher']} makes the bet that it faces")
    for name in ("ev_before", "ev_after"):
        fields[name] = {player: _number(name, header[name][player], -chips, chips) for player in PLAYERS}
    fields["frequencies_before"] = _frequencies(spot, place, start, header["frequencies_before"])
    fields["hands"] = _hands(header["hands"], chips, fields)
    fields |= {"history": read_history(header), "bits": read_bits(header["bits"])}
    fields["sizes"] = read_kind(dict, header["sizes"])
    return fields


def _frequencies(spot: Spot, place: Place, start: Place, given: Any) -> dict[str, float] | None:
    """How often each action was taken at the node; nothing after a bet that is faced."""
    if start is not place:
        if given is not None:
            raise ValueError("frequencies_before: there are none before a bet that is faced")
        return None
    for name in read_kind(dict, given):
        if not ACTION.fullmatch(name):
            raise ValueError(f"frequencies_before: {name!r} is no action")
        spot.betting.apply(place.state, action_of(name))  # refuses what is not legal
    return {name: _number(name, share, 0, 1 + ROUNDING) for name, share in given.items()}


def _hands(rows: Any, chips: float, fields: dict[str, Any]) -> list[HandMargin]:
    """The hands of the opponent: some of its range, each once, with figures of at most so many chips."""
    from counterpoise.spots.search_result import HandMargin, allowed_gift

    ranges, seat = fields["spot"].ranges, seat_of(fields["searcher"])
    own, most = ranges[1 - seat].live(fields["start"].cards), float(ranges[seat].weights.sum())
    left = {format_cards(hand[::-1], "") for hand in own.deck.hands[own.hands].tolist()}
    found = []
    for row in rows:
        hand, weight, met, alternative, gift, value, entry = row
        if hand not in left:
            raise ValueError(f"{hand!r} is no hand of the opponent, or is there twice")
        left.remove(hand)
        if (entry is None) != (fields["method"] == "unsafe") or not _within("met", met, 0, (1 + ROUNDING) * most):
            raise ValueError(f"{hand}: its entry or what it meets is missing")
        gift = _within("gift", gift, 0, chips)
        if gift and fields["gifts"] == "none":
            raise ValueError(f"{hand} has a gift, and gifts are not counted")
        found.append(
            HandMargin(
                hand=hand,
                weight=_within("weight", weight, 0, 1 + ROUNDING),
                met=float(met),
                alternative=_within("alternative", alternative, -chips, chips),
                gift=gift,
                allowed=allowed_gift(gift, fields["gift_scale"]),
                value=_within("value", value, -chips, chips),
                entry=None if entry is None else _within("entry", entry, 0, 1 + ROUNDING),
            )
        )
    if not found:
        raise ValueError("there are no hands")
    return found


def _filled(fields: dict[str, Any], arrays: dict[str, NDArray[Any]], digest: Any) -> HoldemTree:
    spot, start = fields["spot"], fields["start"]
    deck, reach = spot.card_deck, []
    for seat, player in enumerate(PLAYERS):
        own, weights = spot.ranges[seat].live(start.cards), arrays.get(f"reach.{player}")
        if weights is None or weights.shape != own.hands.shape or weights.dtype != np.float64:
            raise InputError(f"the file is damaged: array 'reach.{player}' does not fit the spot")
        if not ((weights >= 0) & (weights <= (1 + ROUNDING) * own.weights[own.hands])).all():
            raise InputError(f"the file is damaged: array 'reach.{player}' is more than the range, or less than 0")
        if player == fields["searcher"] and not weights.any():
            raise InputError(f"the file is damaged: {player} never comes there, and cannot have searched")
        reach.append(np.zeros(deck.hand_count))
        reach[-1][own.hands] = weights
    count_betting(spot.betting, BetSizes.read(fields["sizes"], spot.first_round), start.state)
    tree = build_part(spot, start, fields["sizes"], (reach[0], reach[1]), fields["bits"])
    if digest != tree_digest(tree):
        raise InputError("its tables are not for this spot as this version builds it: search again")
    wanted = {name: array for name, array in tree.arrays().items() if name.startswith("average")}
    for name, array in wanted.items():
        if name not in arrays or arrays[name].shape != array.shape or arrays[name].dtype != array.dtype:
            raise InputError(f"the file is damaged: array {name!r} does not fit the spot")
    check_average({name: arrays[name] for name in wanted})
    for name, array in wanted.items():
        array[...] = arrays[name]
    return tree


def _bet(word: Any) -> int:
    """The bet that is faced, as node ids write it."""
    if not ACTION.fullmatch(read_kind(str, word)) or not word.startswith("b"):
        raise ValueError(f"facing: {word!r} is no bet")
    return action_of(word)


def _within(name: str, value: Any, low: float, high: float = math.inf) -> float:
    """A number from `low` to `high`."""
    number = read_finite(value)
    if not low <= number <= high:
        raise ValueError(f"{name} cannot be {number:g}")
    return number


def _number(name: str, value: Any, low: float, high: float) -> float:
    """The same, or nan for what is not known."""
    return float("nan") if value is None else _within(name, value, low, high)


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
