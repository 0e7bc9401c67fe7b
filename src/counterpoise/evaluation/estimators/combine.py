"""The estimators by name: what each uses of the ends of imagined histories, and the warnings it needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from counterpoise.evaluation.estimators.layers import BoolArray, FloatArray, HistoryEnds

WORDS = {
    "money": "money",
    "divat": "DIVAT",
    "bc-divat": "BC-DIVAT",
    "is": "importance sampling",
    "ge": "game-ending actions",
    "ac": "all cards",
    "ac+ge": "all cards and game-ending actions",
    "ef": "early folds (own folds)",
    "ef-text": "early folds (as printed)",
    "io-divat": "IO-DIVAT: all cards, game-ending actions, DIVAT",
    "aivat": "AIVAT",
    "all-in": "all-in equity",
}
SHOWN_ONLY = "biased by construction: luck is taken off only where the cards are known, after a showdown"
BLIND = "slightly biased: the cards that a folded opponent held are unknown and may block imagined ones"
AS_PRINTED = "biased by construction: a closing call counts only in hands whose cards were shown"


class EstimatorPart(NamedTuple):
    """One estimator on some ends."""

    name: str
    values: FloatArray
    """One for each end, in the game's unit."""
    weights: FloatArray | None = None
    """Its values for V = 1, where the evaluated strategy is not the one that was played."""
    biased: bool = False
    """Whether it is biased by construction."""
    notes: tuple[str, ...] = ()


def title_of(name: str) -> str:
    """Return the name of an estimator in words.

    >>> title_of("ac+ge+bc-divat")
    'all cards and game-ending actions, BC-DIVAT'
    """
    if name in WORDS:
        return WORDS[name]
    how, _, value = name.rpartition("+")
    return f"{WORDS[how]}, {WORDS[value]}"


def combine(
    alone: HistoryEnds, cards: HistoryEnds, surrogates: Sequence[str], hidden: BoolArray | None, on_policy: bool
) -> Iterator[EstimatorPart]:
    """Yield every estimator that the information allows (Johanson 2016, sections 7.3 and 8.1).

    `alone` has only the own cards that were held, `cards` all that could be. Columns are 1 and then the surrogates.
    `hidden` says at which ends the others' cards are unknown; None if nothing is ever hidden.
    """
    for column, surrogate in enumerate(surrogates, start=1):
        for how, table, biased, notes in _ways(alone, cards, hidden, on_policy):
            plain = surrogate == "money"
            if not plain and how in ("ef", "ef-text"):
                continue
            said = () if plain or hidden is None else (SHOWN_ONLY,)
            weights = None if on_policy else table[:, 0]
            yield EstimatorPart(_name(how, surrogate), table[:, column], weights, biased or bool(said), (*notes, *said))


def _ways(
    alone: HistoryEnds, cards: HistoryEnds, hidden: BoolArray | None, on_policy: bool
) -> Iterator[tuple[str, FloatArray, bool, tuple[str, ...]]]:
    """Yield name, table and warnings of the ways to imagine histories."""
    yield ("" if on_policy else "is"), alone.whole, False, ()
    if hidden is None:
        yield "ge", alone.folds + alone.closings + alone.unclosed, False, ()
        yield "ac", cards.whole, False, ()
        yield "ac+ge", cards.folds + cards.closings + cards.unclosed, False, ()
        return
    blind = () if on_policy else (BLIND,)
    yield "ac", cards.whole, bool(blind), blind
    yield "ef", alone.folds + alone.unfolded, False, ()
    shown = alone.closings * ~hidden[:, None]
    yield "ef-text", alone.folds + shown + alone.unclosed, True, (AS_PRINTED,)


def _name(how: str, surrogate: str) -> str:
    if how == "ac+ge" and surrogate == "divat":
        return "io-divat"
    if surrogate == "money":
        return how or "money"
    return f"{how}+{surrogate}" if how else surrogate
