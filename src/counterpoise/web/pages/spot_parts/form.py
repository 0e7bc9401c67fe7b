"""A spot as a form of texts: what is typed, before it is known to be right, and which field a complaint belongs to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from counterpoise.betting.sizes import STREETS
from counterpoise.betting.words import PLAYERS
from counterpoise.errors import InputError
from counterpoise.spots import Spot

Form = dict[str, str]
"""Texts by field: those of a spot file, and sizes such as ``turn.bet.oop``."""

PLAIN = ("name", "board", "pot", "stack", "oop", "ip", "deck", "min_bet")
NUMBERS = ("pot", "stack", "min_bet")
RAKE = ("rake.percent", "rake.cap")
POSTFLOP = STREETS[1:]
SIZES = tuple(
    f"{street}.{kind}" for street in POSTFLOP for kind in ("bet.oop", "bet.ip", "raise.oop", "raise.ip", "donk")
)
FIELDS = (*PLAIN, *RAKE, *SIZES)
CARD = re.compile(r"[2-9TJQKA][shdc]", re.IGNORECASE)
NONE = "none"
"""What is typed where an empty field means something else than no sizes."""


def form_of(spot: Spot) -> Form:
    """Return the form that shows a spot; locked strategies are no part of it."""
    form = {name: str(getattr(spot, name)) for name in PLAIN}
    form["rake.percent"] = f"{spot.rake.percent:g}"
    form["rake.cap"] = "" if spot.rake.cap is None else f"{spot.rake.cap:g}"
    for street in POSTFLOP:
        table = getattr(spot, street) or {}
        for kind in ("bet", "raise"):
            given = table.get(kind, ())
            for player in PLAYERS:
                own = given.get(player, ()) if isinstance(given, Mapping) else given
                form[f"{street}.{kind}.{player}"] = ", ".join(map(str, own))
        donk = table.get("donk")
        form[f"{street}.donk"] = "" if donk is None else ", ".join(map(str, donk)) or NONE
    return form


def spot_of(form: Mapping[str, str], locks: list[Any] | None = None) -> Spot:
    """Return the spot that a form describes; refused in a sentence that `owner` finds the field of."""
    fields: dict[str, Any] = {name: _number(form[name]) if name in NUMBERS else form[name].strip() for name in PLAIN}
    for name in ("oop", "ip"):
        if not fields[name]:
            raise InputError(f"{name}: no hand is in the range: paint some, or choose a preset")
    rake = {name: _decimal(form[f"rake.{name}"]) for name in ("percent", "cap") if form[f"rake.{name}"].strip()}
    fields["rake"] = rake
    for street in POSTFLOP[_first(form["board"]) :]:
        fields[street] = _table(form, street)
    return Spot(**fields, **({"lock": locks} if locks else {}))


def streets_without_bets(form: Mapping[str, str]) -> list[str]:
    """Return the streets of the board and later ones on which nobody may bet.

    >>> form = dict.fromkeys(SIZES, "") | {"board": "Qs Jh 2h 8d", "river.bet.ip": "50%"}
    >>> streets_without_bets(form), streets_without_bets(form | {"board": "Qs Jh 2h"})
    (['turn'], ['flop', 'turn'])
    """
    bets = ("bet.oop", "bet.ip", "donk")
    return [
        street
        for street in POSTFLOP[_first(form["board"]) :]
        if not any(form[f"{street}.{kind}"].strip().replace(NONE, "") for kind in bets)
    ]


def _first(board: str) -> int:
    """Return the place in `POSTFLOP` of the street that a board is on."""
    return min(max(0, len(CARD.findall(board)) - 3), len(POSTFLOP) - 1)


def owner(sentence: str, form: Mapping[str, str]) -> str:
    """Return the field that a complaint names at its beginning, or an empty text.

    >>> owner("turn.bet: '5' is not a bet size", {"turn.bet.oop": "50%", "turn.bet.ip": "5"})
    'turn.bet.ip'
    """
    match = re.match(r"(rake\.\w+|(?:flop|turn|river)\.\w+(?:\.(?:oop|ip))?|\w+)", sentence)
    named = match[1] if match else ""
    if named in form:
        return named
    inside = [field for field in form if field.startswith(f"{named}.")] if "." in named else []
    word = re.search(r"'([^']*)'", sentence)
    for field in inside:
        if word is not None and word[1] in sizes_in(form[field]):
            return field
    return inside[0] if inside else ""


def sizes_in(text: str) -> list[str]:
    """Return the sizes in a text, between commas or spaces.

    >>> sizes_in("50%, 100% allin")
    ['50%', '100%', 'allin']
    """
    return re.split(r"[\s,;]+", text.strip(" ,;\t\n")) if text.strip(" ,;\t\n") else []


def table_of(oop: str, ip: str) -> Any:
    """Return sizes of both players as a spot file writes them."""
    first, second = sizes_in(oop), sizes_in(ip)
    return first if first == second else {"oop": first, "ip": second}


def _table(form: Mapping[str, str], street: str) -> dict[str, Any]:
    table = {kind: table_of(*(form[f"{street}.{kind}.{player}"] for player in PLAYERS)) for kind in ("bet", "raise")}
    donk = form[f"{street}.donk"].strip()
    if donk:
        table["donk"] = [] if donk.lower() == NONE else sizes_in(donk)
    return table


def _number(text: str) -> int | str:
    """Return a whole number; what is none stays a text, about which the spot complains."""
    plain = text.strip().replace(",", "").replace(" ", "")
    return int(plain) if re.fullmatch(r"-?\d{1,15}", plain, re.ASCII) else text.strip()


def _decimal(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text.strip()
