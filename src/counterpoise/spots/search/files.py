"""Searches in `.cpz` files: the spot, where the new strategies begin, their figures and tables."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.sizes import BetSizes, read_label, read_node
from counterpoise.betting.tree_count import count_betting
from counterpoise.betting.words import PLAYERS, seat_of
from counterpoise.cards import format_cards
from counterpoise.errors import InputError
from counterpoise.parameters import shown
from counterpoise.progress import CancelToken, Progress
from counterpoise.public import Profile, build_holdem
from counterpoise.spots.engine import settings_of
from counterpoise.spots.files import fill, naming, saved_run_fields
from counterpoise.spots.locks import check_dealt
from counterpoise.spots.paths import SpotPlace, extend
from counterpoise.spots.rivers import StoredStrategies
from counterpoise.spots.search.request import SearchMethod, fitting_bits, part_rules
from counterpoise.spots.spot import Spot
from counterpoise.store import write_cpz
from counterpoise.store.arrays import check_arrays
from counterpoise.store.cpz import read_arrays, read_header
from counterpoise.store.headers import SearchedHandRow, SearchHeader
from counterpoise.store.schemas import REACH

if TYPE_CHECKING:
    from counterpoise.search.gadget import MethodName
    from counterpoise.search.gifts import GiftKind
    from counterpoise.spots.search.result import HandMargin, SpotSearch

KIND = "search"
LAYOUT = 2
"""The version of the header, which goes up when a field is added or changes its meaning."""
UNCHANGED = ("searcher", "method", "spread", "gifts", "gift_scale", "sizes", "target", "cost")
"""Fields of a search alone that its file holds as they are."""
ACTION = re.compile(r"f|c|b[1-9]\d{0,9}", re.ASCII)
MOST_OF_STACKS = 100
"""The largest figure in chips as a multiple of all chips; larger ones are refused."""
_NOTHING = np.zeros(0)
ROUNDING = 1e-3
"""The tolerance for shares and reaches in narrow numbers."""


def write_search(
    found: SpotSearch,
    path: str | os.PathLike[str],
    progress: Progress | None = None,
    cancel: CancelToken | None = None,
) -> None:
    """Write everything but the solution that was searched."""
    known = {name: _known(getattr(found, name)) for name in ("ev_before", "ev_after", "frequencies_before")}
    header = SearchHeader.of(
        found,
        **known,
        spot=found.spot.to_dict(),
        node=found.id,
        hands=[[getattr(hand, name) for name in SearchedHandRow._fields] for hand in found.hands],
        cost_before=None if math.isnan(found.cost_before) else found.cost_before,
        digest=found.game.digest,
    )
    arrays = {f"reach.{player}": found.game.weights[seat] for seat, player in enumerate(PLAYERS)}
    arrays |= found.stored.average.arrays("average")
    write_cpz(path, KIND, header | {"layout": LAYOUT}, arrays, progress=progress, cancel=cancel)


def load_search(path: str | os.PathLike[str]) -> SpotSearch:
    """Return a saved search, to be walked node by node."""
    return read_search(path, read_header(path, KIND))


def read_search(path: str | os.PathLike[str], header: Mapping[str, Any]) -> SpotSearch:
    """Return the search of a file whose header has been read."""
    from counterpoise.spots.search.result import SpotSearch

    layout = header.get("layout", 1)
    if layout != LAYOUT:
        when = "an earlier" if isinstance(layout, int) and layout < LAYOUT else "another"
        raise InputError(f"{path} was written by {when} version of Counterpoise: search again")
    checked, arrays = SearchHeader.read(header, path), read_arrays(path, header)
    try:
        with naming(path):
            fields = _fields(checked)
            fields["stored"] = _filled(fields, arrays, checked.digest)
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"{path} is damaged: its header is incomplete ({error})") from None
    return SpotSearch(**fields)


def _fields(header: SearchHeader) -> dict[str, Any]:
    """Return all fields of a search except its strategies, each checked."""
    spot = Spot.from_dict(header.spot)
    place = _place(spot, header.node)
    start = place if header.facing is None else extend(spot, place, _bet(header.facing))
    fields: dict[str, Any] = {"spot": spot, "place": place, "start": start} | saved_run_fields(header)
    fields |= {name: getattr(header, name) for name in UNCHANGED}
    chips = MOST_OF_STACKS * (spot.pot + 2 * spot.stack)
    _within("cost", header.cost, 0, chips)
    fields["cost_before"] = _number("cost_before", header.cost_before, 0, chips)
    SearchMethod(cast("MethodName", header.method), header.spread, cast("GiftKind", header.gifts), header.gift_scale)
    if not header.algorithm:
        raise ValueError("algorithm is empty")
    settings_of(header.algorithm)
    if start is not place and seat_of(header.searcher) == place.state.to_act:
        raise ValueError(f"{header.searcher} makes the bet that it faces")
    for name in ("ev_before", "ev_after"):
        values = getattr(header, name).model_dump()
        fields[name] = {player: _number(name, values[player], -chips, chips) for player in PLAYERS}
    fields["frequencies_before"] = _frequencies(spot, place, start, header.frequencies_before)
    fields["hands"] = _hands(header.hands, chips, fields)
    return fields


def _frequencies(
    spot: Spot, place: SpotPlace, start: SpotPlace, given: dict[str, float | None] | None
) -> dict[str, float] | None:
    """Return how often each action was taken at the node; None after a bet that is faced."""
    if start is not place:
        if given is not None:
            raise ValueError("frequencies_before: there are none before a bet that is faced")
        return None
    if given is None:
        raise ValueError("frequencies_before is missing")
    for name in given:
        if not ACTION.fullmatch(name):
            raise ValueError(f"frequencies_before: {shown(name)} is no action")
        spot.betting.apply(place.state, read_label(name))  # refuses what is not legal
    return {name: _number(name, share, 0, 1 + ROUNDING) for name, share in given.items()}


def _hands(rows: list[SearchedHandRow], chips: float, fields: dict[str, Any]) -> list[HandMargin]:
    """Return the hands of the opponent: some of its range, each once, with figures of at most `chips` chips."""
    from counterpoise.spots.search.result import HandMargin, allowed_gift

    ranges, seat = fields["spot"].ranges, seat_of(fields["searcher"])
    own, most = ranges[1 - seat].live(fields["start"].cards), float(ranges[seat].weights.sum())
    left = {format_cards(hand[::-1], "") for hand in own.deck.hands[own.hands].tolist()}
    limits = {
        "weight": (0, 1 + ROUNDING),
        "met": (0, (1 + ROUNDING) * most),
        "alternative": (-chips, chips),
        "gift": (0, chips),
        "value": (-chips, chips),
        "entry": (0, 1 + ROUNDING),
    }
    found = []
    for row in rows:
        if row.hand not in left:
            raise ValueError(f"{shown(row.hand)} is no hand of the opponent, or is there twice")
        left.remove(row.hand)
        if (row.entry is None) != (fields["method"] == "unsafe") or not row.met:
            raise ValueError(f"{row.hand}: its entry or what it meets is missing")
        if row.gift and fields["gifts"] == "none":
            raise ValueError(f"{row.hand} has a gift, and gifts are not counted")
        for name, (low, high) in limits.items():
            if (figure := getattr(row, name)) is not None:
                _within(name, figure, low, high)
        found.append(HandMargin(**row._asdict(), allowed=allowed_gift(row.gift, fields["gift_scale"])))
    if not found:
        raise ValueError("there are no hands")
    return found


def _filled(fields: dict[str, Any], arrays: dict[str, NDArray[Any]], digest: Any) -> StoredStrategies:
    spot, start = fields["spot"], fields["start"]
    deck, reach = spot.card_deck, []
    for seat, player in enumerate(PLAYERS):
        own, weights = spot.ranges[seat].live(start.cards), arrays.get(f"reach.{player}", _NOTHING)
        check_arrays("the file is damaged", arrays, {f"reach.{player}": REACH}, {"hands of the range": own.hands.size})
        if not (weights <= (1 + ROUNDING) * own.weights[own.hands]).all():
            raise InputError(f"the file is damaged: array 'reach.{player}' is more than the range, or less than 0")
        if player == fields["searcher"] and not weights.any():
            raise InputError(f"the file is damaged: {player} searched, and none of its hands arrives at the node")
        reach.append(np.zeros(deck.hand_count))
        reach[-1][own.hands] = weights
    sizes = BetSizes.read(fields["sizes"], spot.first_round)
    count_betting(spot.betting, sizes, start.state)
    rules = part_rules(spot, start, sizes, (reach[0], reach[1]))
    bits = fitting_bits(rules, fields["bits"])
    game = build_holdem(rules)
    if digest != game.digest:
        raise InputError("its tables are not for this spot as this version builds it: search again")
    average = Profile(game, bits)
    fill(average.arrays("average"), arrays)
    return StoredStrategies(game, average)


def _bet(word: str) -> int:
    """Return the bet that is faced from its word in node ids."""
    if not ACTION.fullmatch(word) or not word.startswith("b"):
        raise ValueError(f"facing: {shown(word)} is no bet")
    return read_label(word)


def _within(name: str, number: float, low: float, high: float = math.inf) -> float:
    """Return the number if it is from `low` to `high`."""
    if not low <= number <= high:
        raise ValueError(f"{name} cannot be {number:g}")
    return number


def _number(name: str, value: float | None, low: float, high: float) -> float:
    """Return the number if it is from `low` to `high`, or nan for one that is not known."""
    return float("nan") if value is None else _within(name, value, low, high)


def _place(spot: Spot, id: str) -> SpotPlace:
    """Return the place of a node whose bets need not be among the sizes of the spot."""
    found = read_node(spot.betting, id)
    if found.state.to_act < 0:
        raise ValueError(f"nobody acts at node {id!r}")
    return SpotPlace(check_dealt(id, found.cards, spot.cards, spot.ranges[0]), found.state, found.steps)


def _known(numbers: dict[str, float] | None) -> dict[str, float | None] | None:
    """Return the numbers with None for those that are not known."""
    if numbers is None:
        return None
    return {name: None if math.isnan(number) else number for name, number in numbers.items()}
