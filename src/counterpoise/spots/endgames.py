"""The four endgames that Libratus generated (Brown 2020, section 3.1.3), read from the published files.

The files may not be redistributed: users name the folder that holds them. A file has four fields, one to a line:
``-round`` (3 = turn, 4 = river), ``-board``, ``-pot`` (dollars, half from each player) and ``-reach`` (for the player
out of position and then for the button, the probability of getting here with each of the 1,326 hands, in the order of
`counterpoise.cards`). Stacks are 20,000 dollars and the big blind is 100.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from counterpoise.betting.rules import Betting
from counterpoise.betting.sizes import STREETS, BetSizes
from counterpoise.cards import STANDARD_DECK, Range, parse_cards
from counterpoise.errors import InputError
from counterpoise.public import HoldemGame, HoldemRules, build_holdem

PUBLISHED_AT = "https://github.com/CMU-EM/LibratusEndgames"
FIELDS = ("-round", "-board", "-pot", "-reach")
STACK, BIG_BLIND = 20_000, 100
MBB = 1_000 / BIG_BLIND
"""Thousandths of a big blind in a dollar."""
SIZES = {"bet": ["50%", "100%", "allin"], "raise": ["100%", "allin"]}
"""The sizes of Brown 2020, section 3.1.3; a raise is a share of the pot after the call."""


@dataclass(frozen=True)
class EndgameSpot:
    """A board, the dollars in the pot and both players' ranges, out of position first."""

    number: int
    board: tuple[int, ...]
    pot: int
    ranges: tuple[Range, Range]

    @property
    def name(self) -> str:
        """The name that Brown's figures use."""
        return f"subgame {self.number}"

    @cached_property
    def betting(self) -> Betting:
        """Return the rules from this street on; whole dollars, bets of at least a big blind."""
        return Betting.spot(self.pot, STACK - self.pot // 2, len(self.board) - 2, min_bet=BIG_BLIND)

    def game(self) -> HoldemGame:
        """Return the public game with the bet sizes of the source."""
        first = self.betting.first_round
        sizes = BetSizes.read({street: SIZES for street in STREETS[first:]}, first)
        return build_holdem(HoldemRules(self.board, self.ranges, self.betting, sizes))

    def nudged(self, seed: int) -> EndgameSpot:
        """Return the endgame with every weight changed by a unit of single precision or not at all."""
        rng = np.random.default_rng(seed)
        ulp = float(np.finfo(np.float32).eps)
        first, second = (Range(own.weights * (1 - ulp * rng.integers(0, 3, len(own.weights)))) for own in self.ranges)
        return replace(self, ranges=(first, second))


def load_endgame(folder: Path | None, number: int) -> EndgameSpot:
    """Return endgame 1 to 4 from the user's folder; without a folder, say where the files are published."""
    if folder is None:
        raise InputError(
            f"this experiment needs the Libratus endgames, published at {PUBLISHED_AT}: download them and name "
            "their folder with --data FOLDER or the environment variable COUNTERPOISE_DATA"
        )
    return read_endgame(folder / f"subgame{number}.txt", number)


def read_endgame(path: Path, number: int) -> EndgameSpot:
    """Read and check one file."""
    try:
        text = path.read_text(encoding="ascii")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a text file of the Libratus endgames") from None
    except OSError as error:
        raise InputError(
            f"cannot read {path} ({error.strerror or error}): the Libratus endgames are published at {PUBLISHED_AT}"
        ) from None
    fields: dict[str, tuple[str, str]] = {}
    for at, line in enumerate(text.splitlines(), start=1):
        key, _, value = line.strip().partition(" ")
        place = f"{path}, line {at}"
        if not key:
            continue
        if key not in FIELDS:
            raise InputError(
                f"{place}: a line must begin with {', '.join(FIELDS[:-1])} or {FIELDS[-1]}, not {key[:20]!r}"
            )
        if key in fields:
            raise InputError(f"{place}: {key} is given twice")
        fields[key] = place, value.strip()
    for key in FIELDS:
        if key not in fields:
            raise InputError(f"{path}: the field {key} is missing")
    board = _board(fields["-round"], fields["-board"])
    return EndgameSpot(number, board, _pot(*fields["-pot"]), _ranges(*fields["-reach"], board))


def _board(round_: tuple[str, str], cards: tuple[str, str]) -> tuple[int, ...]:
    place, word = round_
    if word not in ("3", "4"):
        raise InputError(f"{place}: -round must be 3 (turn) or 4 (river), not {word[:20]!r}")
    place, text = cards
    try:
        board = tuple(parse_cards(text))
    except InputError as error:
        raise InputError(f"{place}: -board: {error}") from None
    if len(board) != int(word) + 1:
        raise InputError(f"{place}: -board must have {int(word) + 1} cards in round {word}, not {len(board)}")
    return board


def _pot(place: str, text: str) -> int:
    pot = int(text) if text.isdecimal() and len(text) < 9 else 0
    if not 0 < pot < 2 * STACK or pot % 2:
        raise InputError(
            f"{place}: -pot must be an even number of dollars from 2 to {2 * STACK - 2:,}, not {text[:20]!r}"
        )
    return pot


def _ranges(place: str, text: str, board: tuple[int, ...]) -> tuple[Range, Range]:
    words = text.split()
    hands = STANDARD_DECK.hand_count
    if len(words) != 2 * hands:
        raise InputError(f"{place}: -reach must have {2 * hands:,} numbers, not {len(words):,}")
    reach = np.zeros(2 * hands)
    for at, word in enumerate(words):
        reach[at] = _probability(f"{place}: -reach, number {at + 1:,} of {2 * hands:,}", word)
    live = STANDARD_DECK.live_hands(board)
    for player, own in enumerate(("out of position", "on the button")):
        if not reach.reshape(2, hands)[player][live].any():
            raise InputError(f"{place}: -reach gives the player {own} no hand that the board leaves")
    return Range(reach[:hands]), Range(reach[hands:])


def _probability(place: str, word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not 0 <= number <= 1:
        raise InputError(f"{place}, must be from 0 to 1, not {word[:20]!r}")
    return number
