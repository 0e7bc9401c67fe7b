"""What one searcher wins at a table of blueprints, by pairs of hands.

Every hand is played twice with the same cards and the same random numbers of every seat: once by blueprints alone, once
with the searcher in one of the seats. Over all seats blueprints alone win 0 on average, so the mean of the difference
is what the searcher wins; and where the searcher has nothing to search, the two hands are the same and differ by 0. The
estimate is free of bias like that of a match, with less luck in it. Each of the two hands counts by money and by AIVAT.

    python benchmarks/one_searcher.py BLUEPRINT.cpz --seed 1 --cpu-seconds 600 --setting last_iterate=false

A deal is played with the searcher in every seat and is one sample. The run ends when its CPU time is spent, whatever it
has found by then; a line on the way is no result. A setting is one of `PluribusSearch`.
"""

from __future__ import annotations

import argparse
import json
import time

from counterpoise.agents.blueprint import BlueprintAgent
from counterpoise.agents.pluribus import Pluribus, PluribusSearch, PluribusTraining
from counterpoise.evaluation.estimators.aivat import make_aivat
from counterpoise.games import load
from counterpoise.games.holdem import Holdem
from counterpoise.games.units import unit_of
from counterpoise.intervals import Tally
from counterpoise.logs.record import HandRecord
from counterpoise.play.table import MatchTable

SHOWN_EVERY = 10


class Pairs:
    """Plays deals with and without a searcher in each seat."""

    def __init__(self, game: Holdem, file: str, seed: int, search: PluribusSearch) -> None:
        self.game, seats = game, range(game.players)
        searcher, blueprint = Pluribus(file=file, fast=True, search=search), BlueprintAgent(file)
        names = [f"seat {seat}" for seat in seats]
        self.alone = [MatchTable(self.game, [blueprint] * len(seats), names, seed=seed, room=seat) for seat in seats]
        self.joined = [
            MatchTable(
                self.game, [searcher if one == seat else blueprint for one in seats], names, seed=seed, room=seat
            )
            for seat in seats
        ]
        self.aivat = make_aivat(self.game, "own")
        self.hands = self.searched = 0
        self.scale = unit_of(self.game)[1] / len(seats)

    def deal(self, number: int) -> tuple[float, float]:
        """Return how much more a searcher wins than a blueprint in a deal, summed over seats: by AIVAT and by money."""
        total, money = 0.0, 0.0
        for seat, (alone, joined) in enumerate(zip(self.alone, self.joined, strict=True)):
            self.hands += 1
            before = alone.play(number)
            if not self._acts_after_the_first_round(before, seat):
                continue
            self.searched += 1
            after = joined.play(number)
            total += self._won(joined, after)[seat] - self._won(alone, before)[seat]
            money += after.payoffs[seat] - before.payoffs[seat]
        return total, money

    def told(self, found: list[Tally], spent: float) -> str:
        """Return what was found so far, in thousandths of a big blind per hand, with sums for pooling runs."""
        aivat, money = found
        return (
            f"{aivat.count:,} deals, {self.hands:,} hands, {self.searched:,} with a search: "
            f"AIVAT {aivat.mean:+.0f} +- {aivat.ci95:.0f}, money {money.mean:+.0f} +- {money.ci95:.0f} mbb, "
            f"{spent:.0f} CPU s; sums {aivat.total:.1f} {aivat.squares:.1f}"
        )

    def _won(self, table: MatchTable, record: HandRecord) -> list[float]:
        won: list[float] = self.aivat.hand(record, table.agents).tolist()
        return won

    def _acts_after_the_first_round(self, record: HandRecord, seat: int) -> bool:
        game, state = self.game, self.game.betting_after(())
        for event in record.history[game.players :]:
            if state.to_act == seat and state.round > 0:
                return True
            state = game.betting_next(state, event)
        return False


def main() -> None:
    """Play deals until the CPU time is spent, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file")
    parser.add_argument("--game", default=PluribusTraining().game)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cpu-seconds", type=float, default=600.0)
    parser.add_argument("--setting", action="append", default=[], help="NAME=VALUE of PluribusSearch, in JSON")
    given = parser.parse_args()
    settings = {name: json.loads(value) for name, _, value in (one.partition("=") for one in given.setting)}
    game = load(given.game)
    assert isinstance(game, Holdem)
    pairs = Pairs(game, given.file, given.seed, PluribusSearch(**settings))
    began, deals, found = time.process_time(), 0, [Tally(), Tally()]
    while (spent := time.process_time() - began) < given.cpu_seconds:
        for tally, won in zip(found, pairs.deal(deals), strict=True):
            own = won * pairs.scale
            tally.add(1, own, own * own)
        deals += 1
        if not deals % SHOWN_EVERY:
            print(pairs.told(found, spent), flush=True)
    print("end:", pairs.told(found, spent))


if __name__ == "__main__":
    main()
