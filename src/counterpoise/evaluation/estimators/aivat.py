"""AIVAT (Burch et al. 2018): what every seat won in a hand, without the luck of chance and of known players."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from counterpoise.evaluation.estimators.enumerated import EnumeratedHands
from counterpoise.evaluation.estimators.enumerated_judge import aivat_table, corrected
from counterpoise.evaluation.estimators.holdem_aivat import GUESSES, HoldemAivat
from counterpoise.evaluation.estimators.layers import FloatArray
from counterpoise.evaluation.estimators.settings import JudgeSettings
from counterpoise.evaluation.estimators.value_functions import GuessLike, guess_table
from counterpoise.games.base import Game
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import KnownPlayer
from counterpoise.logs.record import HandRecord
from counterpoise.tree import Tree, enumerate_game

Players = Sequence[KnownPlayer | None]


class Aivat(Protocol):
    """An object that removes luck from the results of hands of one game."""

    def hand(self, record: HandRecord, players: Players) -> FloatArray:
        """Return what each seat won without luck, given the known player in each seat; the payoffs if none plays so."""
        ...


def make_aivat(game: Game, guess: GuessLike = "own") -> Aivat:
    """Return AIVAT for a game, with a value function that was fixed beforehand."""
    if isinstance(game, Holdem) and game.from_the_deal and isinstance(guess, str) and guess in GUESSES:
        return HoldemAivat(game, guess)
    return EnumeratedAivat(EnumeratedHands(enumerate_game(game)), JudgeSettings(guess=guess))


class EnumeratedAivat:
    """Looks hands up in tables over all ends of an enumerated game, one table for each way to seat players."""

    def __init__(self, hands: EnumeratedHands, settings: JudgeSettings) -> None:
        self._hands, self._settings = hands, settings
        self._tables: dict[tuple[int, ...], tuple[Players, FloatArray]] = {}

    def hand(self, record: HandRecord, players: Players) -> FloatArray:
        """Return what each seat won without luck, given the known player in each seat; the payoffs if none plays so."""
        key = tuple(map(id, players))
        if key not in self._tables:
            self._tables[key] = players, aivat_table(self._hands, players, self._settings)
        won = self._tables[key][1][self._hands.row(record.history)]
        return np.array(record.payoffs) if np.isnan(won).any() else won


def profile_tables(tree: Tree, profiles: Sequence[FloatArray], guess: GuessLike) -> FloatArray:
    """Return what each seat won without luck at every end, if all seats follow a flat profile, [profile, end, seat].

    The ends are in the order of the payoffs of the tree.
    """
    hands = EnumeratedHands(tree)
    rows = tree.histories.infoset[hands.ends]
    tables = np.repeat(tree.histories.payoffs[None], len(profiles), axis=0)
    for table, profile in zip(tables, profiles, strict=True):
        guesses = hands.values(profile) if guess == "own" else guess_table(hands, guess, [None] * tree.players)
        won = corrected(hands, profile, range(tree.players), guesses)
        table[rows] = np.where(np.isnan(won), table[rows], won)
    return tables
