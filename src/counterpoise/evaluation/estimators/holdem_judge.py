"""Estimators on hands of hold'em, one hand after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from counterpoise.evaluation.estimators.baselines import Surrogate
from counterpoise.evaluation.estimators.combine import BLIND, EstimatorPart, combine
from counterpoise.evaluation.estimators.holdem_aivat import HoldemAivat
from counterpoise.evaluation.estimators.holdem_hands import HoldemHands, imagined_layers
from counterpoise.evaluation.estimators.holdem_line import HoldemLine
from counterpoise.evaluation.estimators.holdem_luck import total_luck
from counterpoise.evaluation.estimators.layers import FloatArray, HistoryEnds, importance_sampled_values
from counterpoise.evaluation.estimators.settings import JudgeSettings
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import KnownPlayer
from counterpoise.logs.record import HandRecord

MOST_KEPT = 100_000
"""Hands whose AIVAT is kept for the other seats."""
MUCKED = "biased: hands that lost unseen at a showdown count as money"


class HoldemJudge:
    """Judges hands of one game of hold'em."""

    def __init__(self, game: Holdem, settings: JudgeSettings) -> None:
        self.game, self.settings = game, settings
        self._aivat = None if settings.partial else HoldemAivat(game, settings.guess)
        self._kept: dict[object, FloatArray | None] = {}

    def hand(
        self,
        record: HandRecord,
        seat: int,
        players: Sequence[KnownPlayer | None],
        evaluated: KnownPlayer | None = None,
    ) -> list[EstimatorPart]:
        """Return the value of every estimator for a hand and the player in one seat."""
        settings, line = self.settings, HoldemLine.read(self.game, record)
        if settings.partial:
            line = _hide(line, seat)
        hidden = not line.seen([other for other in range(self.game.seats) if other != seat])
        found = list[EstimatorPart]()
        player = players[seat]
        if player is None or line.held[seat] is None:
            found += self._by_luck(line, seat, record.payoffs[seat])
        else:
            found += self._imagined(line, seat, record.payoffs[seat], hidden, player, evaluated)
        if self._aivat is not None and evaluated is None:
            found.append(EstimatorPart("all-in", np.array([line.all_in(seat, record.payoffs[seat])])))
            if any(own is not None for own in players):
                won = self._without_luck(self._aivat, record, line, players)
                found.append(EstimatorPart("aivat", np.array([np.nan if won is None else won[seat]])))
        return found

    def _without_luck(
        self, aivat: HoldemAivat, record: HandRecord, line: HoldemLine, players: Sequence[KnownPlayer | None]
    ) -> FloatArray | None:
        """Return the AIVAT values of all seats, which are computed once for all of them."""
        key = record.history, tuple(map(id, players))
        if key not in self._kept:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            self._kept[key] = aivat.line(line, players)
        return self._kept[key]

    def _by_luck(self, line: HoldemLine, seat: int, payoff: float) -> list[EstimatorPart]:
        """Return money, and money minus luck where all cards are known."""
        found = []
        for kind in self.settings.surrogates:
            own = line.held[seat]
            if kind == "money":
                found.append(EstimatorPart(kind, np.array([payoff])))
            elif not self.settings.partial and own is not None:
                luck = total_luck(line, seat, kind, self.settings.thresholds)[-1]
                found.append(EstimatorPart(kind, np.array([payoff - float(luck[own])])))
        return found

    def _imagined(
        self,
        line: HoldemLine,
        seat: int,
        payoff: float,
        hidden: bool,
        player: KnownPlayer,
        evaluated: KnownPlayer | None,
    ) -> list[EstimatorPart]:
        """Return the estimators that imagine other hands and actions."""
        settings = self.settings
        other = player if evaluated is None else evaluated
        live = [one for one in line.end.live if one != seat]
        mucked = seat in line.end.live and bool(live) and not line.seen(live)
        kinds: list[Surrogate] = ["money" if hidden else kind for kind in settings.surrogates]
        lucks = [total_luck(line, seat, kind, settings.thresholds) for kind in kinds]
        ends = list[HistoryEnds]()
        for only in (line.held[seat], None):
            if mucked and only is None:
                ends.append(ends[0])
                continue
            layers = imagined_layers(
                HoldemHands(line, seat, only), player, other, lucks, hidden, payoff if mucked else None
            )
            ends.append(HistoryEnds(*(part[:1] for part in importance_sampled_values(layers))))
        blind = np.array([hidden]) if settings.partial else None
        parts = list(combine(ends[0], ends[1], settings.surrogates, blind, on_policy=evaluated is None))
        note = MUCKED if mucked else BLIND
        if mucked or (hidden and seat in line.end.live and live):  # others who folded hold cards that nobody saw
            parts = [
                part._replace(biased=True, notes=tuple(dict.fromkeys((*part.notes, note))))
                if part.name[:2] == "ac"
                else part
                for part in parts
            ]
        return parts


def _hide(line: HoldemLine, seat: int) -> HoldemLine:
    """Return a hand as its player remembers it: the others' cards only if they were shown at the end."""
    live = line.end.live
    showed = len(live) > 1
    held = [hand if other == seat or (showed and other in live) else None for other, hand in enumerate(line.held)]
    return replace(line, held=tuple(held))
