"""CPU seconds of a searching agent's decisions against an opponent that bets random legal sizes.

    python benchmarks/random_sizes.py libratus --fast --hands 1000 --seed 1

The agent sits in seat 0 and seat 1 in turn. Its opponent bets or raises in six of ten decisions, small sizes being
more likely than large ones, else calls and rarely folds. Printed are illegal actions and errors, and how long decisions
took, everything included but compiling and what is made before the first hand. Decisions above `--limit` CPU seconds
are listed with their searches. The run ends after `--hands` hands or `--cpu-seconds`, whatever comes first.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterpoise.agents import Agent, make_agent
from counterpoise.agents.make import with_fast_search
from counterpoise.agents.searching import SearchingAgent
from counterpoise.games import load
from counterpoise.games.base import Action, Observation
from counterpoise.games.holdem import Holdem
from counterpoise.play.table import MatchTable

SHARES = (50, 90, 99, 100)
SHOWN_EVERY = 50


@dataclass
class AnySize(Agent):
    """Bets, raises and calls at random, of any legal size."""

    def act(self, observation: Observation) -> Action:
        """Return a random action."""
        assert isinstance(self.game, Holdem)
        betting, kind = self.game.betting_after(observation.public), self.random.random()
        if betting.max_raise and kind < 0.6:
            low, high = betting.min_raise, betting.max_raise
            return f"b{int(low + (high - low) * self.random.random() ** 3)}"
        return "f" if betting.to_call and kind > 0.95 else "c"


class TimedTable(MatchTable):
    """A table that measures the CPU seconds of one seat's decisions."""

    def __init__(self, game: Holdem, agent: Agent, seat: int, seed: int, limit: float) -> None:
        others = [AnySize() for _ in range(game.players)]
        agents: list[Agent] = [agent if one == seat else others[one] for one in range(game.players)]
        super().__init__(game, agents, [f"seat {one}" for one in range(game.players)], seed=seed, room=seat)
        self.seat, self.limit, self.spent = seat, limit, list[tuple[int, float]]()

    def decide(self, state: Any, seat: int) -> tuple[Action, Any]:
        """Return what a seat does and the state after it."""
        agent = self.agents[seat]
        if seat != self.seat:
            return super().decide(state, seat)
        known = len(agent.searches) if isinstance(agent, SearchingAgent) else 0
        began = time.process_time()
        found = super().decide(state, seat)
        spent = time.process_time() - began
        public = self.game.observation(state, seat).public
        assert isinstance(self.game, Holdem)
        self.spent.append((self.game.betting_after(public).round, spent))
        if spent > self.limit and isinstance(agent, SearchingAgent):
            print(f"{spent:.2f} CPU s after {':'.join(public)}")
            for note in list(agent.searches)[known:]:
                told = f"{note.nodes:,} nodes, {note.iterations} iterations, {note.cpu_seconds:.2f} CPU s"
                print(f"    {note.method} after {':'.join(note.public)}: {note.failed or told}")
        return found


def told(tables: list[TimedTable], hands: int) -> str:
    """Return what happened so far."""
    rows = [row for table in tables for row in table.spent]
    if not rows:
        return f"{hands:,} hands, no decisions"
    rounds, spent = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    faults = {name: sum(table.accounts[table.seat].faults[name] for table in tables) for name in ("illegal", "error")}
    notes = [note for table in tables for note in getattr(table.agents[table.seat], "searches", ())]
    lines = [
        f"{hands:,} hands, {len(rows):,} decisions, {faults['illegal']} illegal actions, {faults['error']} errors, "
        f"{sum(note.cut_short for note in notes)} searches cut short, {sum(bool(note.failed) for note in notes)} "
        f"without a result, {spent.sum():.0f} CPU s",
        f"CPU s per decision at {', '.join(map(str, SHARES))} %: "
        + ", ".join(f"{value:.2f}" for value in np.percentile(spent, SHARES)),
    ]
    for number in np.unique(rounds):
        own = spent[rounds == number]
        lines.append(
            f"    round {number}: {len(own):,} decisions, " + ", ".join(f"{v:.2f}" for v in np.percentile(own, SHARES))
        )
    return "\n".join(lines)


def main() -> None:
    """Play hands and print what decisions took."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("agent")
    parser.add_argument("--game", default="no_limit_holdem")
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--hands", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cpu-seconds", type=float, default=float("inf"))
    parser.add_argument("--limit", type=float, help="list decisions above so many CPU seconds")
    given = parser.parse_args()
    game = load(given.game)
    assert isinstance(game, Holdem)
    limit = (1.0 if given.fast else 10.0) if given.limit is None else given.limit
    agent = (with_fast_search if given.fast else make_agent)(given.agent)
    tables = [TimedTable(game, agent, seat, given.seed, limit) for seat in range(game.players)]
    began, hands = time.process_time(), 0
    while hands < given.hands and time.process_time() - began < given.cpu_seconds:
        tables[hands % len(tables)].play(hands)
        hands += 1
        if not hands % SHOWN_EVERY:
            print(told(tables, hands), flush=True)
    print("end:", told(tables, hands))


if __name__ == "__main__":
    main()
