"""Libratus (Brown 2020, section 6.4): a blueprint before the turn, then nested safe search without card abstraction.

1. Rounds before the turn: the blueprint. Bets that it lacks are translated to the nearest ones it has, or answered by
   a branch that the self-improver has made.
2. On reaching the turn, or where only a fold or a call is left: unsafe search to the end of the game with both ranges
   of the blueprint. Own bet sizes are raised or lowered by one percentage, drawn once for each hand (jitter).
3. After every later action of the opponent: nested Reach-Maxmargin search, whose alternatives and gifts come from the
   solution of before; the action is in the new game whatever its size. A game that has become smaller gets more bets.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from counterpoise.agents.base import Measured, agent
from counterpoise.agents.recipes import TrainedByRecipe
from counterpoise.agents.searching import Deadline, SearchingAgent, SearchNote
from counterpoise.agents.settings import agent_settings
from counterpoise.agents.views import View
from counterpoise.errors import InputError
from counterpoise.parameters import require_number, require_whole

if TYPE_CHECKING:
    from counterpoise.agents.subgames import Budget
    from counterpoise.betting.sizes import BetSizes
    from counterpoise.blueprint.branches import Branches

DEFAULTS = agent_settings("libratus")


@agent("libratus")
@dataclass
class Libratus(TrainedByRecipe, SearchingAgent):
    """Follows a blueprint before the turn and searches from there on: libratus:BLUEPRINT, two seats."""

    source = "Brown 2020, section 6.4"
    measured = Measured(106, 1.5)

    first_round: int = DEFAULTS["first_round"]
    """The round from which it searches, 2 being the turn."""
    jitter: float = DEFAULTS["jitter"]
    """By how much own bet sizes are raised or lowered at most, as a share."""

    branches: str = ""
    """A file of `counterpoise improve`: answers to bets of the first round that the blueprint lacks."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_number("libratus: jitter", self.jitter, 0, 0.5)
        require_whole("libratus: first_round", self.first_round, 1, 3)
        self.improved: Branches | None = None
        if self.branches:
            from counterpoise.blueprint.branches import load_branches

            self.improved = load_branches(self.branches, self.blueprint)

    @property
    def strategy_id(self) -> str:
        """The name and the first digits of the SHA-256 of the blueprint and of the file of branches."""
        if not self.branches:
            return super().strategy_id
        return f"{super().strategy_id}+{hashlib.sha256(Path(self.branches).read_bytes()).hexdigest()[:12]}"

    def prepare(self) -> None:
        """Refuse a game that the blueprint is not for, or one of more than two seats."""
        from counterpoise.agents.subgames import compile_searches

        super().prepare()
        if self.game.players != 2:
            raise InputError(f"libratus plays with two seats, not {self.game.players}: pluribus takes up to six")
        compile_searches(self.registered_name)

    def heard(self, view: View, event: str) -> View:
        """Return the view after a public event (see the module docstring)."""
        from counterpoise.agents.subgames import SolvedPlan

        keep = self._improve(view, event) or view.after(event)
        if keep.betting.to_act < 0:
            return keep
        if not isinstance(view.plan, SolvedPlan):
            return self._first(keep) if self._begins(keep) else keep
        theirs = event[:1] in ("f", "c", "b") and view.betting.to_act != self.seat
        return self._nested(view, keep, event) if theirs and keep.betting.to_act == self.seat else keep

    def _improve(self, view: View, event: str) -> View | None:
        """Return the view of a branch of the self-improver that answers an opponent's bet, if there is one."""
        if self.improved is None or view.betting.to_act != 1 - self.seat:
            return None
        from counterpoise.agents.branches import enter_branch

        return enter_branch(self.improved, view, event)

    def _begins(self, view: View) -> bool:
        """Return whether search begins here: on the turn, or on the flop where no further bet is possible."""
        state = view.betting
        last_word = state.to_act == self.seat and not state.max_raise and len(state.waiting) == 1
        return state.round >= self.first_round or (state.round == self.first_round - 1 and last_word)

    def _first(self, view: View) -> View:
        from counterpoise.agents.subgames import affordable, solve_unsafe

        rules = affordable(view, self._sizes(view), self._budget())
        plan, note = solve_unsafe(view, rules, self.seat, self._budget(), Deadline(self.seconds))
        self.searches.append(note)
        return view.follow(plan)

    def _nested(self, view: View, keep: View, event: str) -> View:
        from counterpoise.agents.subgames import SolvedPlan, answer_action
        from counterpoise.search.nested import NestedSearch

        plan = view.plan
        assert isinstance(plan, SolvedPlan)
        if not view.exact:
            return keep
        settings = NestedSearch(method="maxmargin", gifts=True, always=True)
        try:
            found, note = answer_action(
                plan, view.public, event, self._sizes(keep), settings, self._budget(), Deadline(self.seconds)
            )
        except InputError as error:  # such as a line that its own strategy never takes
            self.searches.append(SearchNote(keep.public, "maxmargin", 0, 0, 0.0, 0.0, False, failed=str(error)))
            return keep
        self.searches.append(note)
        return keep.follow(found)

    def _sizes(self, view: View) -> list[BetSizes]:
        """Return the menus of a hand's searches, from rich to poor, own bets being scaled by its jitter."""
        from counterpoise.agents.subgames import Menu

        menus, jitter = [Menu(tuple(bets), tuple(raises)) for bets, raises in DEFAULTS["menus"]], self._jitter(view)
        return [menu.sizes(len(view.game.board), self.seat, jitter) for menu in menus]

    def _budget(self) -> Budget:
        from counterpoise.agents.subgames import Budget

        work = DEFAULTS["fast_work" if self.fast else "work"]
        least = DEFAULTS["fast_iterations" if self.fast else "least_iterations"]
        return Budget(work, least, DEFAULTS["most_iterations"])

    def _jitter(self, view: View) -> float:
        """Return by how much own sizes are scaled in this hand: drawn by the history before its first search."""
        lines = [view.public[:count] for count in range(len(view.public) + 1)]
        first = next((line for line in lines if view.game.betting_after(line).round >= self.first_round), view.public)
        random = Random(f"{self.seed}:{':'.join(first)}")
        return random.choice((-1, 1)) * random.uniform(0, self.jitter)
