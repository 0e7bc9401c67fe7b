"""The actions that a local best response may choose from, round by round; fewer actions are faster.

See Brown 2020, section 5.2.3; Brown et al. 2020.

A plan is written as one word for each action, with a slash between rounds; the last round serves for all that follow:

    f,c                     fold and call in every round
    f,c,100%,allin          the pot and all-in too (in limit games any size is the raise that is legal)
    c / c / f,c,100%,allin  calls in the first two rounds
    f,75% > f,c             folds or bets three quarters of the pot as its first action of the hand, then folds or calls

An action that is not legal is left out; where nothing is left, it checks or calls.
"""

from __future__ import annotations

from typing import NamedTuple

from counterpoise.betting.sizes import BetSize, parse_size
from counterpoise.errors import InputError
from counterpoise.parameters import require

FOLD, CALL = "f", "c"
DOUBLED = tuple(f"{33 * 2**times}%" for times in range(11))
"""Brown 2020, section 5.2.3: 0.33 x 2^k of the pot for k = 0 to 10."""
PLANS = {
    "call": "f,c",
    "pot": "f,c,100%",
    "pot-allin": "f,c,100%,allin",
    "many": "f,c,10%,25%,33%,50%,75%,100%,150%,200%,400%,800%,allin",
    "lbr-1": "f,75% > f,c",
    "lbr-2": f"75% > c / f,c,{','.join(DOUBLED)} / f,c",
    "rebel": "c / c / f,c,100%,allin",
}
"""Plans by name; the last three are those of Brown 2020, section 5.2.3 (twice) and of Brown et al. 2020."""
DEFAULT_PLAN = "pot-allin"


class RoundActions(NamedTuple):
    """What it may do in a round."""

    fold: bool
    call: bool
    sizes: tuple[BetSize, ...]


class LocalActions(NamedTuple):
    """What it may do in every round, and perhaps another list for its first action of a hand."""

    text: str
    rounds: tuple[RoundActions, ...]
    first: RoundActions | None = None

    def allowed(self, round_: int, acted: bool) -> RoundActions:
        """Return what it may do in a round, having acted in this hand before or not."""
        if self.first is not None and not acted:
            return self.first
        return self.rounds[min(round_, len(self.rounds) - 1)]


def read_actions(text: str) -> LocalActions:
    """Return the plan of a name or of a text such as "c / f,c,100%".

    >>> read_actions("pot").rounds[0].sizes
    (BetSize(kind='%', numerator=1, denominator=1),)
    >>> read_actions("f,c,half")
    Traceback (most recent call last):
        ...
    counterpoise.errors.InputError: actions: 'half' is not a bet size: write "50%" (of the pot), "3x" (the bet faced, \
raises only), "20c" (chips), "e" (geometric), "2e" or "allin"; f folds, c checks or calls
    """
    written = PLANS.get(text.strip().lower(), text)
    opening, arrow, rest = written.rpartition(">")
    first = _read_round(opening) if arrow else None
    return LocalActions(text, tuple([_read_round(part) for part in rest.split("/")]), first)


def _read_round(text: str) -> RoundActions:
    words = text.replace(",", " ").split()
    require(bool(words), f"actions must list at least one action for every round, such as f,c, or name {_names()}")
    try:
        sizes = tuple([parse_size(word, "actions", raising=True) for word in words if word not in (FOLD, CALL)])
    except InputError as error:
        raise InputError(f"{error}; f folds, c checks or calls") from None
    return RoundActions(FOLD in words, CALL in words, sizes)


def _names() -> str:
    return ", ".join(PLANS)
