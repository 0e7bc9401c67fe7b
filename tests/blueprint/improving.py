"""The game on which the self-improver is tested, and an opponent that it learns from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from counterpoise.agents import Agent
from counterpoise.games.base import Observation

HUNL_24 = "no_limit_holdem(ranks=6, stack=20, sizes=['50%', '100%', 'allin'])"


@dataclass
class OneSize(Agent):
    """Bets and raises one fraction of the pot in the first round, up to three bets, and checks or calls otherwise."""

    size: float = 0.75

    def act(self, observation: Observation) -> str:
        game: Any = self.game
        state = game.betting_after(observation.public)
        if state.round or not state.max_raise or state.bets > 3:
            return "c"
        pot = game.betting.total_pot(state) + state.to_call
        return f"b{min(max(state.stake + round(self.size * pot), state.min_raise), state.max_raise)}"
