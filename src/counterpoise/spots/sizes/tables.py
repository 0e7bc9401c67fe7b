"""Tables of bet sizes by street, as a spot file writes them: one player's sizes read, or exchanged for others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from counterpoise.betting.sizes import STREETS
from counterpoise.betting.words import PLAYERS
from counterpoise.spots.spot import SizeTable, Spot


def sizes_of(table: Mapping[str, Any], kind: str, seat: int) -> list[str]:
    """Return the sizes that a player has for its bets or raises on a street (`kind`: "bet" or "raise")."""
    given = table.get(kind, ())
    return list(given[PLAYERS[seat]] if isinstance(given, Mapping) else given)


def streets_of(spot: Spot) -> tuple[str, ...]:
    """Return the streets that are played in a spot."""
    return STREETS[spot.first_round :]


def words_of(sizes: Sequence[float]) -> list[str]:
    """Return sizes in per cent as a spot file writes them."""
    return [f"{size:.10g}%" for size in sizes]


def exchange_bets(tables: Mapping[str, SizeTable], seat: int, words: Mapping[str, list[str]]) -> dict[str, SizeTable]:
    """Return tables of sizes in which one player's bets on some streets are other ones."""
    found = dict(tables)
    for street, own in words.items():
        bets = {PLAYERS[seat]: own, PLAYERS[1 - seat]: sizes_of(tables[street], "bet", 1 - seat)}
        found[street] = {**tables[street], "bet": {player: bets[player] for player in PLAYERS}}
    return found


def with_bets(spot: Spot, seat: int, words: Mapping[str, list[str]]) -> Spot:
    """Return the spot in which one player's bets on some streets have other sizes."""
    return Spot.from_dict(spot.to_dict() | exchange_bets(spot.size_tables, seat, words))
