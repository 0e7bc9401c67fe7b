"""The frequency with which a player of a solved spot uses each of its bet sizes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from counterpoise.betting.rules import BetAction, BettingState
from counterpoise.betting.sizes import STREETS, parse_size
from counterpoise.public import action_counts
from counterpoise.spots.sizes.tables import sizes_of, streets_of
from counterpoise.spots.solution import Solution
from counterpoise.spots.spot import Spot


class Size(NamedTuple):
    """A size of one player: the street, whether it is for bets, raises or donk bets, and the word."""

    street: str
    kind: str
    word: str

    def __str__(self) -> str:
        return f"{self.street}.{self.kind} {self.word}"


def sizes_in(spot: Spot, seat: int) -> list[Size]:
    """Return all sizes of a player that play can meet."""
    found = []
    for street in streets_of(spot):
        table = spot.size_tables[street]
        found += [Size(street, kind, word) for kind in ("bet", "raise") for word in sizes_of(table, kind, seat)]
        if seat == 0 and street != streets_of(spot)[0]:  # nobody bet before the first street
            found += [Size(street, "donk", word) for word in table.get("donk", ())]
    return found


def size_usage(solution: Solution, seat: int, threads: int = 1) -> dict[Size, float]:
    """Return the frequency with which a player uses each of its sizes where it may, from 0 to 1.

    Sizes that are the same bet in some situation all count that bet in full.
    """
    spot, known = solution.spot, sizes_in(solution.spot, seat)
    read = {size: parse_size(size.word, str(size), size.kind == "raise") for size in known}

    def kinds_of(state: BettingState, action: BetAction) -> Iterator[tuple[Size, bool]]:
        if state.to_act != seat or not state.max_raise:
            return
        street, kind = STREETS[state.round], _kind(spot, state)
        for size in known:
            if (size.street, size.kind) == (street, kind):
                yield size, False  # it might
                if action == read[size].legal_total(spot.betting, state):
                    yield size, True

    counts = action_counts(solution.stored.average, kinds_of, threads)
    return {
        size: counts.get((size, True), 0.0) / chances if (chances := counts.get((size, False), 0.0)) > 0 else 0.0
        for size in known
    }


def bet_usage(solution: Solution, seat: int, threads: int = 1) -> dict[str, dict[str, float]]:
    """Return the frequency of each size of a player's bets, by street."""
    found: dict[str, dict[str, float]] = {street: {} for street in streets_of(solution.spot)}
    for size, share in size_usage(solution, seat, threads).items():
        if size.kind == "bet":
            found[size.street][size.word] = share
    return found


def _kind(spot: Spot, state: BettingState) -> str:
    if state.bets:
        return "raise"
    donks = "donk" in spot.size_tables[STREETS[state.round]]
    return "donk" if donks and state.leader in state.waiting[1:] else "bet"
