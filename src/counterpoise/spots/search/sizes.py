"""The bet sizes of a search: the searcher's are the new ones, the opponent has the old ones and the new ones.

Without the old bets the opponent would look weaker than it is, and the new strategy safer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from counterpoise.betting.sizes import STREETS, BetSizes
from counterpoise.betting.words import PLAYERS
from counterpoise.errors import InputError
from counterpoise.parameters import shown
from counterpoise.spots.sizes.tables import sizes_of
from counterpoise.spots.spot import SizeTable


def search_sizes(
    old: Mapping[str, SizeTable], given: Mapping[str, Mapping[str, Any]] | None, round: int, searcher: int
) -> dict[str, SizeTable]:
    """Return the tables of sizes by street: the old ones with those of some streets, from `round` on, exchanged."""
    if given is not None and not isinstance(given, Mapping):
        raise InputError(f"sizes must be tables by street, such as {{'river': {{'bet': ['50%']}}}}, not {shown(given)}")
    tables, later = dict(old), STREETS[round:]
    for street, table in (given or {}).items():
        if street not in later:
            raise InputError(f"sizes: {street!r} is no street from here on: {', '.join(later)}")
        number = STREETS.index(street)
        BetSizes.read({street: table}, number, number + 1)  # refuses what is wrong with it
        tables[street] = _exchanged(old[street], table, searcher)
    return tables


def _exchanged(old: Mapping[str, Any], new: Mapping[str, Any], searcher: int) -> SizeTable:
    opponent = 1 - searcher
    table: SizeTable = {}
    for kind in ("bet", "raise"):
        lists = {
            PLAYERS[searcher]: sizes_of(new, kind, searcher),
            PLAYERS[opponent]: _united(sizes_of(old, kind, opponent), sizes_of(new, kind, opponent)),
        }
        oop, ip = (lists[player] for player in PLAYERS)
        table[kind] = oop if oop == ip else {"oop": oop, "ip": ip}
    donk = new.get("donk", old.get("donk"))
    if donk is not None:  # a donk bet is out of position's
        before = old.get("donk", sizes_of(old, "bet", 0))
        table["donk"] = list(donk) if searcher == 0 else _united(before, donk)
    return table


def _united(old: list[str], new: list[str]) -> list[str]:
    return list(dict.fromkeys([*old, *new]))
