"""Estimators on enumerated games: tables over all ends, filled when a seat and its players are first asked for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from counterpoise.evaluation.estimators.baselines import Surrogate, allows_baselines, surrogate_luck
from counterpoise.evaluation.estimators.combine import EstimatorPart, combine
from counterpoise.evaluation.estimators.enumerated import EnumeratedHands
from counterpoise.evaluation.estimators.layers import FloatArray, aivat_values, importance_sampled_values
from counterpoise.evaluation.estimators.settings import JudgeSettings
from counterpoise.evaluation.estimators.value_functions import guess_table, has_run_outs, run_out_table
from counterpoise.games.base import TERMINAL
from counterpoise.games.known import KnownPlayer
from counterpoise.logs.record import HandRecord

Players = Sequence[KnownPlayer | None]
"""The known player in each seat, None where there is none."""


class EnumeratedJudge:
    """Judges hands of one game by looking them up."""

    def __init__(self, hands: EnumeratedHands, settings: JudgeSettings) -> None:
        self.hands, self.settings = hands, settings
        self._tables: dict[object, tuple[object, list[EstimatorPart]]] = {}

    def hand(
        self, record: HandRecord, seat: int, players: Players, evaluated: KnownPlayer | None = None
    ) -> list[EstimatorPart]:
        """Return the value of every estimator for a hand and the player in one seat."""
        key = seat, tuple(map(id, players)), id(evaluated)
        if key not in self._tables:
            self._tables[key] = (players, evaluated), self.tables(seat, players, evaluated)  # ids stay theirs
        row = self.hands.row(record.history)
        at = slice(row, row + 1)
        return [
            one._replace(values=one.values[at], weights=None if one.weights is None else one.weights[at])
            for one in self._tables[key][1]
        ]

    def tables(self, seat: int, players: Players, evaluated: KnownPlayer | None = None) -> list[EstimatorPart]:
        """Return every estimator for the player in one seat over all ends, in the order of `hands.ends`."""
        hands, settings = self.hands, self.settings
        surrogates = [kind for kind in settings.surrogates if kind == "money" or allows_baselines(hands)]
        hidden = hands.folded[hands.ends] if settings.partial else None
        values = surrogate_values(hands, seat, surrogates, settings)
        found = list[EstimatorPart]()
        if players[seat] is None:
            for column, kind in enumerate(surrogates, start=1):
                if kind == "money" or hidden is None:
                    found.append(EstimatorPart(kind, values[hands.ends, column]))
        else:
            played = hands.profile(players)
            others = [own if place != seat else evaluated or own for place, own in enumerate(players)]
            wanted = played if evaluated is None else hands.profile(others)
            alone, cards = (
                importance_sampled_values(
                    hands.layers(
                        played,
                        [seat],
                        values,
                        imagined=imagined,
                        evaluated=wanted,
                        closing=seat,
                        hidden=settings.partial,
                    )
                )
                for imagined in ((), (seat,))
            )
            found += combine(alone, cards, surrogates, hidden, on_policy=evaluated is None)
        if hidden is None and evaluated is None:
            if has_run_outs(hands):
                found.append(
                    EstimatorPart("all-in", corrected(hands, hands.profile(players), (), run_out_table(hands))[:, seat])
                )
            if any(own is not None for own in players):
                found.append(EstimatorPart("aivat", aivat_table(hands, players, settings)[:, seat]))
        return found


def surrogate_values(
    hands: EnumeratedHands, seat: int, surrogates: Sequence[Surrogate], settings: JudgeSettings
) -> FloatArray:
    """Return the value to a seat of every history that is over or left to chance, [history, column].

    The first column is 1, then one for each surrogate: the mean payoff minus the luck so far.
    """
    ends = hands.tree.histories.player == TERMINAL
    money = hands.worth(seat)
    columns = [np.ones(hands.tree.nodes)]
    for kind in surrogates:
        luck = surrogate_luck(hands, kind, settings.thresholds)[:, seat]
        if settings.partial:  # Johanson 2016, section 7.3.1: winnings as they are where the cards are not known
            luck = np.where(ends & hands.folded, 0.0, luck)
        columns.append(money - luck)
    return np.stack(columns, axis=1)


def aivat_table(hands: EnumeratedHands, players: Players, settings: JudgeSettings) -> FloatArray:
    """Return the AIVAT values of every end for all seats, [end, seat]; nan where known players cannot play so.

    The cards of all known seats together are averaged over.
    """
    known = [seat for seat, player in enumerate(players) if player is not None]
    table = guess_table(hands, settings.guess, players)
    return corrected(hands, hands.profile(players), known, table)


def corrected(hands: EnumeratedHands, profile: FloatArray, known: Sequence[int], table: FloatArray) -> FloatArray:
    """Return the AIVAT values of every end, given a flat profile of the known seats and a table of guesses."""
    layers = hands.layers(profile, known, hands.payoffs)
    return aivat_values(layers, hands.guesses(table))
