"""Spots to begin with and ranges to choose from; the spots lie in `web/templates` as files."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from counterpoise.spots import Spot

FOLDER = Path(__file__).parents[2] / "templates"
FIRST = "turn"
"""The template that an empty editor shows."""
TITLES = {
    "turn": "Turn, two broadways and a draw",
    "river_srp": "River, single-raised pot",
    "turn_srp": "Turn, single-raised pot",
    "flop_srp": "Flop, single-raised pot",
    "flop_3bet": "Flop, three-bet pot",
}
"""The templates in the order of the menu, with what is said of them."""


@cache
def template(name: str) -> Spot:
    """Return a template by its name."""
    return Spot.load(FOLDER / f"{name}.toml")


@cache
def presets() -> dict[str, str]:
    """Return range strings by name: plain sets of hands, then the ranges of the templates."""
    plain = {
        "Every hand": "random",
        "Pairs": "22+",
        "Pairs and broadways": "22+,ATs+,KTs+,QTs+,JTs,ATo+,KTo+,QTo+,JTo",
        "Suited aces and kings": "A2s+,K2s+",
        "Suited connectors": "AKs-32s",
    }
    for name in ("flop_srp", "flop_3bet"):
        words = TITLES[name].partition(", ")[2]
        plain[f"{words.capitalize()}, out of position"] = template(name).oop
        plain[f"{words.capitalize()}, in position"] = template(name).ip
    return plain
