"""The game that a spot is: what is dealt, bet and paid from there on."""

from __future__ import annotations

import os
from pathlib import Path

from counterpoise.games.holdem_spot import HoldemSpot
from counterpoise.spots.files import load_spot
from counterpoise.spots.spot import Spot


def spot_game(spot: Spot) -> HoldemSpot:
    """Return the game of a spot; payoffs are chips, half of the pot being each player's own.

    >>> spot = Spot(board="Qs Jh 2h 8d 3c", pot=90, stack=400, oop="TT+", ip="22+", river={"bet": ["50%"]})
    >>> spot_game(spot).players
    2
    """
    return HoldemSpot(
        cards=spot.board.replace(" ", ""),
        oop=spot.oop,
        ip=spot.ip,
        pot=spot.pot,
        stack=spot.stack,
        min_bet=spot.min_bet,
        ranks=spot.card_deck.ranks,
        ranking=spot.card_deck.ranking,
        rake=spot.rake.percent,
        rake_cap=spot.rake.cap,
        sizes=spot.size_tables,
    )


def load_spot_game(path: str | os.PathLike[str]) -> HoldemSpot:
    """Return the game of a spot file (.toml, .json) or of a saved solution (.cpz)."""
    return spot_game(load_spot(path) if Path(path).suffix.lower() == ".cpz" else Spot.load(path))
