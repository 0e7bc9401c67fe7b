"""What the actions of poker games mean, by their names: to fold, to call (or check), to raise (or bet).

`SHARES` are the trivial agents that every poker game knows (Johanson 2016, sections 2.6, 6.3.2): they fold, call or
raise, whatever they hold. *Probe* never folds, and calls and raises alike where both are legal: its opponents show what
they do wherever they consent to go, which makes it the partner of choice for gathering data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from counterpoise.games.base import LONGEST_MENU

FOLD, CALL, RAISE = range(3)
WORDS = (r"f|fold", r"c|k|call|check", r"[rb][0-9.]*|raise|bet|a|allin|all-in")
"""The names of actions that fold, that call or check, and that raise or bet."""

SHARES: Mapping[str, tuple[float, float, float]] = {
    "always-fold": (1, 0, 0),
    "always-call": (0, 1, 0),
    "always-raise": (0, 0, 1),
    "probe": (0, 0.5, 0.5),
}
"""How often a trivial agent folds, calls (or checks) and raises (or bets); what is not legal becomes a call."""


def action_kinds(game: Any, infoset: str, actions: Sequence[str]) -> tuple[int, ...] | None:
    """Return whether each action of an information set folds, calls or raises; None if the game has no such actions.

    >>> from counterpoise.games import load
    >>> action_kinds(load("leduc_poker"), "K:r", ["f", "c", "r"])
    (0, 1, 2)
    """
    game = getattr(game, "game", game)  # a view of a game has its actions
    if (
        getattr(game, "registered_name", "") == "kuhn_poker"
    ):  # to pass is to check or to fold, to bet is to bet or to call
        return (FOLD, CALL) if "b" in infoset.partition(":")[2] else (CALL, RAISE)
    return (_kinds_of if len(actions) <= LONGEST_MENU else _kinds_of.__wrapped__)(tuple(actions))


@lru_cache(maxsize=4096)
def _kinds_of(actions: tuple[str, ...]) -> tuple[int, ...] | None:
    kinds = [next((k for k, words in enumerate(WORDS) if re.fullmatch(words, a.lower())), None) for a in actions]
    return None if None in kinds or CALL not in kinds else tuple([kind for kind in kinds if kind is not None])


def share_out(shares: Sequence[float], kinds: Sequence[int]) -> list[float]:
    """Return the probability of each action, given how often to fold, call and raise.

    What is not legal becomes a call; of several raises the first of the menu is made, the smallest.
    """
    fold, call, raise_ = (share if kind in kinds else 0.0 for kind, share in enumerate(shares))
    parts = (fold, call + sum(shares) - fold - call - raise_, raise_)
    return [parts[kind] if place == kinds.index(kind) else 0.0 for place, kind in enumerate(kinds)]
