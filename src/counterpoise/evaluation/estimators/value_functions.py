"""AIVAT's value functions on enumerated games: guesses of what histories are worth, fixed before the data.

See Burch et al. 2018.

The guess decides how much luck is removed, never the mean: `zero` leaves the luck of all cards, `random` adds noise,
and exact values of all players' strategies remove all luck.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from counterpoise.errors import InputError
from counterpoise.evaluation.estimators.enumerated import EnumeratedHands
from counterpoise.evaluation.estimators.layers import FloatArray
from counterpoise.games.base import CHANCE
from counterpoise.games.known import KnownPlayer
from counterpoise.names import parse
from counterpoise.parameters import require_whole, shown
from counterpoise.tree import Strategy

GuessLike = str | Strategy | Callable[[EnumeratedHands], FloatArray]
"""A name ("own", "zero", "random(seed=1)"), a strategy profile whose values are the guess, or a function."""


def guess_table(hands: EnumeratedHands, guess: GuessLike, players: Sequence[KnownPlayer | None]) -> FloatArray:
    """Return the guessed value of every history to each seat, [history, seat].

    "own" are the exact values of the known players' strategies, with uniform play in the seats that are not known.
    """
    if isinstance(guess, Strategy):
        return hands.values(guess.on(hands.tree))
    if callable(guess):
        return guess(hands)
    name, settings = parse(guess)
    shape = hands.tree.nodes, hands.tree.players
    if name == "own" and not settings:
        return hands.values(hands.profile(players))
    if name == "zero" and not settings:
        return np.zeros(shape)
    if name == "random" and set(settings) <= {"seed"}:
        seed = settings.get("seed", 0)
        require_whole("random: seed", seed, 0)
        spread = float(np.abs(hands.tree.histories.payoffs).max())
        return np.random.default_rng(seed).uniform(-spread, spread, shape)
    raise InputError(f"a value function is own, zero, random(seed=1), a strategy or a function, not {shown(guess)}")


def run_out_table(hands: EnumeratedHands) -> FloatArray:
    """Return the exact values where only chance acts from there on, and 0 elsewhere: all-in equity."""
    return np.where(hands.only_chance[:, None], hands.chance_mean(), 0.0)


def has_run_outs(hands: EnumeratedHands) -> bool:
    """Return whether chance may act after all players are done."""
    return bool((hands.only_chance & (hands.tree.histories.player == CHANCE)).any())
