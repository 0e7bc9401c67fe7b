"""Judge an agent by records of hands: every estimator that the records and the known strategies allow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from counterpoise.errors import InputError
from counterpoise.evaluation.estimators.combine import EstimatorPart, title_of
from counterpoise.evaluation.estimators.holdem_aivat import GUESSES
from counterpoise.evaluation.estimators.series import Estimates, Series
from counterpoise.evaluation.estimators.settings import JudgeSettings
from counterpoise.games import Game, as_game
from counterpoise.games.base import game_name
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import KnownPlayer
from counterpoise.games.units import unit_of
from counterpoise.logs.record import HandRecord
from counterpoise.parameters import shown
from counterpoise.progress import CancelToken, Progress, as_progress

REPORT_EVERY = 100
MOST_DEALS = 20_000
"""Spots with more deals are not enumerated: that would take many minutes before the first hand is judged."""
KnownPlayers = Mapping[str, Sequence[KnownPlayer]]
"""The player of each seat, by the name of an agent in the records or by the id of a strategy."""


class Judge(Protocol):
    """An object that judges single hands of a game."""

    def hand(
        self,
        record: HandRecord,
        seat: int,
        players: Sequence[KnownPlayer | None],
        evaluated: KnownPlayer | None = None,
    ) -> Sequence[EstimatorPart]:
        """Return the value of every estimator for a hand and the player in one seat."""
        ...


def make_judge(game: Game, settings: JudgeSettings | None = None) -> Judge:
    """Return the judge of a game: hold'em is judged hand by hand, other games are enumerated once."""
    settings = settings or JudgeSettings()
    if (
        isinstance(game, Holdem)
        and game.from_the_deal
        and isinstance(settings.guess, str)
        and settings.guess in GUESSES
    ):
        from counterpoise.evaluation.estimators.holdem_judge import HoldemJudge

        return HoldemJudge(game, settings)
    if isinstance(game, Holdem) and not game.from_the_deal and game.least_histories > MOST_DEALS:
        raise InputError(
            f"all {game.least_histories:,.0f} deals of the spot would have to be enumerated, more than {MOST_DEALS:,}"
        )
    from counterpoise.evaluation.estimators.enumerated import EnumeratedHands
    from counterpoise.evaluation.estimators.enumerated_judge import EnumeratedJudge
    from counterpoise.tree import enumerate_game

    return EnumeratedJudge(EnumeratedHands(enumerate_game(game)), settings)


def estimate(
    game: Game | str,
    records: Iterable[HandRecord],
    agent: str,
    *,
    known: KnownPlayers | None = None,
    followed: KnownPlayers | None = None,
    evaluated: Sequence[KnownPlayer] | None = None,
    settings: JudgeSettings | None = None,
    judge: Judge | None = None,
    progress: Progress | bool | None = None,
    cancel: CancelToken | None = None,
) -> Estimates:
    """Return every estimator of an agent, hand by hand, in the order of the records.

    `known` has the strategies of agents that are known, by their names in the records. Of other agents each hand's
    strategy is looked up in `followed` by its id. `evaluated` is another strategy, one player for each seat, to be
    evaluated on the hands that the agent has played (off-policy): the agent itself must be known in all of them.
    Hands in which the agent did not sit are left out.
    """
    rules = as_game(game)
    strategies = dict(known or {}), dict(followed or {})
    others = () if evaluated is None else (("evaluated", evaluated),)
    for name, players in (*strategies[0].items(), *strategies[1].items(), *others):
        if len(players) != rules.players:
            raise InputError(f"{name} needs a player for each of the {rules.players} seats, not {len(players)}")
    played = list(records)
    if evaluated is not None and any(
        _player(*strategies, record, record.agents.index(agent)) is None for record in played if agent in record.agents
    ):
        raise InputError(f"to evaluate another strategy on the hands of {agent}, its own strategy must be known")
    chosen = settings or JudgeSettings()
    if isinstance(rules, Holdem) and any("" in record.history[: rules.seats] for record in played):
        chosen = replace(chosen, partial=True)
    judging = judge or make_judge(rules, chosen)
    gathered = _Gathered()
    with as_progress(False if progress is None else progress) as shown_progress:
        shown_progress.begin(f"judging {agent}")
        for count, record in enumerate(played):
            if count % REPORT_EVERY == 0:
                shown_progress.show(count / len(played), f"{count:,} hands")
                if cancel is not None:
                    cancel.check()
            if agent not in record.agents:
                continue
            seat = record.agents.index(agent)
            players = [_player(*strategies, record, place) for place in range(rules.players)]
            other = None if evaluated is None else evaluated[seat]
            try:
                parts = judging.hand(record, seat, tuple(players), other)
            except InputError as error:
                raise InputError(f"hand {record.hand}, room {record.room}: {error}") from None
            gathered.add(record, parts)
    if not gathered.hand:
        raise InputError(f"agent {shown(agent)} did not play in these hands")
    unit, scale = unit_of(rules)
    return Estimates(agent, game_name(rules), unit, scale, gathered.series())


def _player(known: KnownPlayers, followed: KnownPlayers, record: HandRecord, seat: int) -> KnownPlayer | None:
    """Return the known player in a seat: by its name, else by the strategy that it followed in this hand."""
    players = known.get(record.agents[seat])
    if players is None and record.strategies:
        players = followed.get(record.strategies[seat])
    return None if players is None else players[seat]


class _Gathered:
    """The estimates collected so far."""

    def __init__(self) -> None:
        self.hand: list[int] = []
        self.room: list[int] = []
        self.columns: dict[str, dict[str, Any]] = {}

    def add(self, record: HandRecord, parts: Sequence[EstimatorPart]) -> None:
        """Add the estimates of one more hand."""
        for part in parts:
            own = self.columns.setdefault(
                part.name, {"at": [], "values": [], "weights": [], "notes": {}, "biased": False}
            )
            own["at"].append(len(self.hand))
            own["values"].append(float(part.values[0]))
            own["weights"].append(np.nan if part.weights is None else float(part.weights[0]))
            own["notes"] |= dict.fromkeys(part.notes)
            own["biased"] |= part.biased
        self.hand.append(record.hand)
        self.room.append(record.room)

    def series(self) -> dict[str, Series]:
        """Return the series of all estimators."""
        hand, room = np.array(self.hand, dtype=np.int64), np.array(self.room, dtype=np.int64)
        found = {}
        for name, own in self.columns.items():
            at, weights = np.array(own["at"]), np.array(own["weights"])
            found[name] = Series(
                name,
                title_of(name),
                hand[at],
                room[at],
                np.array(own["values"]),
                None if np.isnan(weights).all() else weights,
                own["biased"],
                tuple(own["notes"]),
                len(hand) - len(at),
            )
        return found
