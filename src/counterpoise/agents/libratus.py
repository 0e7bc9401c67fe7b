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
from typing import TYPE_CHECKING, Any

from counterpoise.agents.base import Measured, agent
from counterpoise.agents.recipes import TrainedByRecipe
from counterpoise.agents.searching import Deadline, SearchingAgent, SearchNote
from counterpoise.agents.settings import SETTING, settings_of
from counterpoise.errors import InputError
from counterpoise.games.events import ActionEvent, read_event
from counterpoise.parameters import require_choice, require_number, require_whole
from counterpoise.search.public_belief import PublicBelief

if TYPE_CHECKING:
    from counterpoise.agents.subgames import Budget
    from counterpoise.betting.sizes import BetSizes
    from counterpoise.blueprint.branches import Branches


@dataclass(frozen=True)
@settings_of("libratus")
class LibratusSearch:
    """How it searches; `settings/libratus.toml` says what each number means and where it is from."""

    menus: tuple[Any, ...] = SETTING
    work: float = SETTING
    fast_work: float = SETTING
    least_iterations: int = SETTING
    fast_iterations: int = SETTING
    most_iterations: int = SETTING


@agent("libratus")
@dataclass
@settings_of("libratus")
class Libratus(TrainedByRecipe, SearchingAgent):
    """Follows a blueprint before the turn and searches from there on: libratus:BLUEPRINT, two seats."""

    source = "Brown 2020, section 6.4"
    measured = Measured(106, 1.5)

    first_round: int = SETTING
    """The round from which it searches, 2 being the turn."""
    last_word: bool = SETTING
    """Whether it also searches one round earlier where only a fold or a call is left to it."""
    jitter: float = SETTING
    """By how much own bet sizes are raised or lowered at most, as a share."""

    branches: str = ""
    """A file of `counterpoise improve`: answers to bets of the first round that the blueprint lacks."""
    search: LibratusSearch = LibratusSearch()
    """How it searches."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_number("libratus: jitter", self.jitter, 0, 0.5)
        require_choice("libratus: last_word", self.last_word, (True, False))
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

    def observe(self, belief: PublicBelief, event: str) -> PublicBelief:
        """Return the belief after a public event (see the module docstring)."""
        from counterpoise.agents.subgames import SolvedStrategy

        keep = self._improve(belief, event) or belief.after(event)
        if keep.betting.to_act < 0:
            return keep
        if not isinstance(belief.strategy, SolvedStrategy):
            return self._first(keep) if self._begins(keep) else keep
        theirs = isinstance(read_event(event), ActionEvent) and belief.betting.to_act != self.seat
        return self._nested(belief, keep, event) if theirs and keep.betting.to_act == self.seat else keep

    def _improve(self, belief: PublicBelief, event: str) -> PublicBelief | None:
        """Return the belief of a branch of the self-improver that answers an opponent's bet, if there is one."""
        if self.improved is None or belief.betting.to_act != 1 - self.seat:
            return None
        from counterpoise.agents.branches import enter_branch

        return enter_branch(self.improved, belief, event)

    def _begins(self, belief: PublicBelief) -> bool:
        """Return whether search begins here: on the turn, or on the flop where no further bet is possible."""
        state = belief.betting
        if state.round >= self.first_round:
            return True
        fold_or_call = state.to_act == self.seat and not state.max_raise and len(state.waiting) == 1
        return self.last_word and state.round == self.first_round - 1 and fold_or_call

    def _first(self, belief: PublicBelief) -> PublicBelief:
        from counterpoise.agents.subgames import affordable, solve_unsafe

        rules = affordable(belief, self._sizes(belief), self._budget())
        plan, note = solve_unsafe(belief, rules, self.seat, self._budget(), Deadline(self.seconds))
        self.searches.append(note)
        return belief.follow(plan)

    def _nested(self, belief: PublicBelief, keep: PublicBelief, event: str) -> PublicBelief:
        from counterpoise.agents.subgames import SolvedStrategy, answer_action
        from counterpoise.search.nested_settings import NestedSearch

        plan = belief.strategy
        assert isinstance(plan, SolvedStrategy)
        if not belief.exact:
            return keep
        settings = NestedSearch(method="maxmargin", gifts=True, always=True)
        try:
            found, note = answer_action(
                plan, belief.public, event, self._sizes(keep), settings, self._budget(), Deadline(self.seconds)
            )
        except InputError as error:  # such as a line that its own strategy never takes
            self.searches.append(SearchNote(keep.public, "maxmargin", 0, 0, 0.0, 0.0, False, failed=str(error)))
            return keep
        self.searches.append(note)
        return keep.follow(found)

    def _sizes(self, belief: PublicBelief) -> list[BetSizes]:
        """Return the menus of a hand's searches, from rich to poor, own bets being scaled by its jitter."""
        from counterpoise.agents.subgames import Menu

        menus, jitter = [Menu(tuple(bets), tuple(raises)) for bets, raises in self.search.menus], self._jitter(belief)
        return [menu.sizes(len(belief.game.board), self.seat, jitter) for menu in menus]

    def _budget(self) -> Budget:
        from counterpoise.agents.subgames import Budget

        own = self.search
        work, least = (own.fast_work, own.fast_iterations) if self.fast else (own.work, own.least_iterations)
        return Budget(work, least, own.most_iterations)

    def _jitter(self, belief: PublicBelief) -> float:
        """Return by how much own sizes are scaled in this hand: drawn by the history before its first search."""
        lines = [belief.public[:count] for count in range(len(belief.public) + 1)]
        first = next(
            (line for line in lines if belief.game.betting_after(line).round >= self.first_round), belief.public
        )
        random = Random(f"{self.seed}:{':'.join(first)}")
        return random.choice((-1, 1)) * random.uniform(0, self.jitter)
