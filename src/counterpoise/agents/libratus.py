"""Libratus (Brown 2020, section 6.4): a blueprint before the turn, then nested safe search without card abstraction.

1. Rounds before the turn: the blueprint. Bets that it lacks are translated to the nearest ones it has, or answered by
   a branch that the self-improver has made.
2. On reaching the turn: unsafe search to the end of the game with both ranges of the blueprint. Own bet sizes are
   raised or lowered by one percentage, drawn once for each hand (jitter). Earlier, where only a fold or a call is left:
   Maxmargin search, whose alternatives are the values that the blueprint's answer leaves each hand of the opponent.
3. After every later action of the opponent: nested Reach-Maxmargin search, whose alternatives and gifts come from the
   previous solution; the action is in the new game whatever its size. As the rest of the game becomes smaller it gets
   more bets.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Literal, get_args

from counterpoise.agents.base import Measured, agent
from counterpoise.agents.recipes import TrainedByRecipe
from counterpoise.agents.searching import Budget, Deadline, SearchingAgent, SearchNote, SubgameSearch
from counterpoise.agents.settings import SETTING, settings_of
from counterpoise.agents.subgames import (
    SolvedStrategy,
    affordable,
    answer_action,
    compile_searches,
    solve_last_call,
    solve_unsafe,
)
from counterpoise.betting.rules import CALL
from counterpoise.errors import InputError
from counterpoise.games.base import TERMINAL
from counterpoise.games.events import ActionEvent, read_event
from counterpoise.parameters import require_choice, require_number, require_whole
from counterpoise.search.nested_settings import NestedSearch
from counterpoise.search.public_belief import PublicBelief

if TYPE_CHECKING:
    from counterpoise.betting.sizes import BetSizes
    from counterpoise.blueprint.branches import BlueprintBranches

LastWord = Literal["safe", "unsafe", "blueprint"]


@dataclass(frozen=True)
@settings_of("libratus")
class LibratusSearch(SubgameSearch):
    """How it searches; `settings/libratus.toml` says what each number means and where it is from."""

    least_iterations: int = SETTING
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
    last_word: LastWord = SETTING
    """What it follows one round earlier where only a fold or a call is left to it: a safe search, whose solution
    gives no hand of the opponent more than the blueprint does, an unsafe one, or the blueprint."""
    jitter: float = SETTING
    """The largest share by which own bet sizes are raised or lowered."""

    branches: str = ""
    """A file of `counterpoise improve`: answers to bets of the first round that the blueprint lacks."""
    search: LibratusSearch = LibratusSearch()
    """How it searches."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_number("libratus: jitter", self.jitter, 0, 0.5)
        require_choice("libratus: last_word", self.last_word, get_args(LastWord))
        require_whole("libratus: first_round", self.first_round, 1, 3)
        self.improved: BlueprintBranches | None = None
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
        super().prepare()
        if self.game.players != 2:
            raise InputError(f"libratus plays with two seats, not {self.game.players}: pluribus takes up to six")
        compile_searches(self.registered_name)

    def observe(self, belief: PublicBelief, event: str) -> PublicBelief:
        """Return the belief after a public event (see the module docstring)."""
        keep = self._improve(belief, event) or belief.after(event)
        if keep.betting.to_act < 0:
            return keep
        if not isinstance(belief.strategy, SolvedStrategy):
            return self._first(keep) if keep.betting.round >= self.first_round else self._last_word(keep)
        theirs = isinstance(read_event(event), ActionEvent) and belief.betting.to_act != self.seat
        return self._nested(belief, keep, event) if theirs and keep.betting.to_act == self.seat else keep

    def _improve(self, belief: PublicBelief, event: str) -> PublicBelief | None:
        """Return the belief of a branch of the self-improver that answers an opponent's bet, if there is one."""
        if self.improved is None or belief.betting.to_act != 1 - self.seat:
            return None
        from counterpoise.agents.branches import enter_branch  # only the improved play by branches

        return enter_branch(self.improved, belief, event)

    def _first(self, belief: PublicBelief) -> PublicBelief:
        rules = affordable(belief, self._sizes(belief), self._budget())
        strategy, note = solve_unsafe(belief, rules, self.seat, self._budget(), Deadline(self.seconds))
        self.searches.append(note)
        return belief.follow(strategy)

    def _last_word(self, belief: PublicBelief) -> PublicBelief:
        """Return the belief after a search if only a fold or a call is left in the round before search begins."""
        state, rules = belief.betting, belief.game.betting
        last = state.to_act == self.seat and not state.max_raise and rules.apply(state, CALL).to_act == TERMINAL
        if self.last_word == "blueprint" or state.round != self.first_round - 1 or not last:
            return belief
        if self.last_word == "unsafe":
            return self._first(belief)
        strategy, note = solve_last_call(belief, self.seat, self._budget(), Deadline(self.seconds))
        self.searches.append(note)
        return belief.follow(strategy)

    def _nested(self, belief: PublicBelief, keep: PublicBelief, event: str) -> PublicBelief:
        strategy = belief.strategy
        assert isinstance(strategy, SolvedStrategy)
        if not belief.exact:
            return keep
        settings = NestedSearch(method="maxmargin", gifts=True, always=True)
        try:
            found, note = answer_action(
                strategy, belief.public, event, self._sizes(keep), settings, self._budget(), Deadline(self.seconds)
            )
        except InputError as error:  # such as a line that its own strategy never takes
            self.searches.append(SearchNote(keep.public, "maxmargin", failed=str(error)))
            return keep
        self.searches.append(note)
        return keep.follow(found)

    def _sizes(self, belief: PublicBelief) -> list[BetSizes]:
        """Return the menus of a hand's searches, from rich to poor, own bets being scaled by its jitter."""
        return self.search.sizes(len(belief.game.board), self.seat, self._jitter(belief))

    def _budget(self) -> Budget:
        return self.search.budget(self.fast, self.search.least_iterations, self.search.most_iterations)

    def _jitter(self, belief: PublicBelief) -> float:
        """Return the share by which own sizes change in this hand, drawn from the history before its first search."""
        lines = [belief.public[:count] for count in range(len(belief.public) + 1)]
        first = next(
            (line for line in lines if belief.game.betting_after(line).round >= self.first_round), belief.public
        )
        random = Random(f"{self.seed}:{':'.join(first)}")
        return random.choice((-1, 1)) * random.uniform(0, self.jitter)
