"""What a tree is to be built of: board, chips, lines, ranges, rake, as the commands have set them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.lines import written
from counterpoise.betting.words import PLAYERS
from counterpoise.cards import Range, format_cards
from counterpoise.errors import InputError, InputWarning
from counterpoise.spots.spot import LEAST_WEIGHT, MOST_LINES, Spot, SpotRake
from counterpoise.upi.hand_order import in_deck_order, in_upi_order

Weights = NDArray[np.float64]
Line = tuple[int, ...]


@dataclass
class TreeSetup:
    """The parameters of the next tree. Lines and bets are totals in chips since its root."""

    board: str = ""
    pot: int | None = None
    stack: int | None = None
    rake: tuple[float, float] = (0.0, 0.0)
    """The share of the pot and the cap in chips; a cap of 0 is none."""
    ranges: list[Weights | None] = field(default_factory=lambda: [None, None])
    """A weight for each hand in the order of UPI, out of position first."""
    lines: dict[Line, None] = field(default_factory=dict)
    forced: dict[Line, None] = field(default_factory=dict)
    info: list[str] = field(default_factory=list)
    """What the client wants to be shown with the tree."""

    def add_line(self, line: Line, force: bool = False) -> None:
        """Add a line, whose last action may be the only one at its node."""
        if len(self.lines) + len(self.forced) >= MOST_LINES:
            raise InputError(f"a tree may have {MOST_LINES:,} lines: send clear_lines")
        (self.forced if force else self.lines)[line] = None

    def remove_line(self, line: Line) -> None:
        """Remove a line and all that begin with it; what leads to it stays."""
        kept = [{one: None for one in lines if one[: len(line)] != line} for lines in (self.lines, self.forced)]
        if len(kept[0]) + len(kept[1]) == len(self.lines) + len(self.forced):
            raise InputError(f"no line begins with {written(line)}")
        self.lines, self.forced = kept
        if len(line) > 1:
            self.lines[line[:-1]] = None

    def range_of(self, seat: int) -> Weights:
        """Return the weights of a player; refused if they have not been set."""
        found = self.ranges[seat]
        if found is None:
            raise InputError(f"the range of {PLAYERS[seat].upper()} is not set: send set_range")
        return found

    def spot(self, lines: bool = True) -> Spot:
        """Return the spot that has been described, without its lines if they do not matter; refused if parts lack."""
        if not self.board:
            raise InputError("the board is not set: send set_board")
        if lines and not (self.lines or self.forced):
            raise InputError("there are no lines: send add_line")
        if lines and (self.pot is None or self.stack is None):
            missing = "pot is not set: send set_pot" if self.pot is None else "stack is not set: send set_eff_stack"
            raise InputError(f"the {missing}")
        share, cap = self.rake
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputWarning)  # a small rake is meant: it was given as a share
            return Spot(
                board=self.board,
                pot=1 if self.pot is None else self.pot,
                stack=1 if self.stack is None else self.stack,
                oop=in_words(self.range_of(0)),
                ip=in_words(self.range_of(1)),
                rake=SpotRake(percent=100 * share, cap=cap or None),
                lines=[list(line) for line in self.lines] if lines else [[0]],
                forced=[list(line) for line in self.forced] if lines else [],
            )

    @classmethod
    def of(cls, spot: Spot) -> TreeSetup:
        """Return the parameters of a spot; one with bet sizes instead of lines has none."""
        return cls(
            board=format_cards(spot.cards),
            pot=spot.pot,
            stack=spot.stack,
            rake=(spot.rake.percent / 100, spot.rake.cap or 0.0),
            ranges=[in_upi_order(Range.from_string(text).weights) for text in (spot.oop, spot.ip)],
            lines={tuple(line): None for line in spot.lines},
            forced={tuple(line): None for line in spot.forced},
        )


def in_words(weights: Weights) -> str:
    """Return a range as a spot has it, without hands whose weight is too small to count."""
    by_deck = in_deck_order(weights)
    return Range(np.where(by_deck >= LEAST_WEIGHT * by_deck.max(), by_deck, 0.0)).to_string()
