"""Pluribus: a blueprint before the flop, then searches that begin with the betting round, 2 to 6 seats.

See Brown 2020, section 6.6.

1. Before the flop: the blueprint, unless a bet is far from all of its sizes and few seats are left.
2. At every other decision of its own whose line the last search does not know, it searches from the start of the
   betting round, with the ranges of all seats as of that point. What the agent has done in this round is frozen for all
   of its hands, the others are free everywhere, and the bets that were really made are in the tree.
3. The search stops at the end of the round, on the flop with three or more seats also after the second raise; there
   every remaining seat picks one of four continuations of the blueprint, unseen by the others. In the last two rounds
   the search extends to the end of the hand.
4. The strategy of the last iteration is played, or with `last_iterate=False` the average; ranges follow the average.

The freeze covers all hands, not only the one that is held, so that play depends on the public history alone. Leading
folds of a round are not searched again, because the hands of folded seats are not modelled. Until the agent has acted
in the round, and while all bets are on its menu, the search is the same whatever was done, so it is made once.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterpoise.agents.base import Measured, agent
from counterpoise.agents.blueprint_strategy import BOTH_SEATS
from counterpoise.agents.recipes import RecipeRun, Tier, TrainedByRecipe, train_into
from counterpoise.agents.sampled_strategies import SampledBetting, SampledStrategy, compile_sampled
from counterpoise.agents.searching import BiasedLeaves, Menu, SearchClock, SearchingAgent
from counterpoise.agents.settings import SETTING, settings_of
from counterpoise.betting.sizes import read_label
from counterpoise.blueprint.settings import TrainSettings, default_abstraction, training_game
from counterpoise.errors import InputError
from counterpoise.games import load
from counterpoise.games.base import Action
from counterpoise.games.events import ActionEvent, read_event
from counterpoise.games.holdem import NoLimitHoldem
from counterpoise.parameters import require_choice
from counterpoise.sampling import NodeStrategy
from counterpoise.sampling.external import SkippedActions
from counterpoise.search.blueprint_nodes import far_bets
from counterpoise.search.public_belief import PublicBelief
from counterpoise.search.sampled import SampledProblem, SampledSettings, biases, prepare_lookup, search_sampled

if TYPE_CHECKING:
    from counterpoise.abstraction import CardAbstraction
    from counterpoise.search.sampled_solution import SampledSolution

MOST_KNOWN = 256
"""The number of searches of whole rounds that are kept; at the table those of one hand."""


@dataclass(frozen=True)
@settings_of("pluribus")
class PluribusSearch(BiasedLeaves):
    """How it searches; `settings/pluribus.toml` says where each number is from."""

    fast_rollouts: int = SETTING
    flop_raises: int = SETTING
    last_rounds: int = SETTING
    far: float = SETTING
    few_seats: int = SETTING
    menus: tuple[Any, ...] = SETTING
    most_nodes: int = SETTING
    fast_nodes: int = SETTING
    most_entries: int = SETTING
    work: float = SETTING
    fast_work: float = SETTING


@dataclass(frozen=True)
@settings_of("pluribus")
class PluribusTraining:
    """The settings of the published blueprint's training, scaled to a run of any length."""

    skip_after: float = SETTING
    skip_share: float = SETTING
    skip_payoffs: float = SETTING
    training_minutes: float = SETTING
    game: str = SETTING
    iterations: Mapping[str, int] = SETTING
    training_seed: int = SETTING

    def train_settings(self, iterations: int, seed: int = 0) -> TrainSettings:
        """Return settings for `cp.train` that begin to skip actions after the same share of the run."""
        after = int(iterations * self.skip_after / self.training_minutes)
        skipping = SkippedActions("hand", threshold=self.skip_payoffs, share=self.skip_share, after=after)
        return TrainSettings(skipping=skipping, seed=seed)


@agent("pluribus")
@dataclass
@settings_of("pluribus")
class Pluribus(TrainedByRecipe, SearchingAgent):
    """Follows a blueprint before the flop and searches from there on: pluribus:BLUEPRINT, two to six seats."""

    source = "Brown 2020, section 6.6"
    measured = Measured(345, 3.9)

    most_seats: int = SETTING
    """The most seats of a table."""
    last_iterate: bool = SETTING
    """Whether it plays the strategy of a search's last iteration; else the average, which is far less exploitable."""
    search: PluribusSearch = PluribusSearch()
    """How it searches."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_choice("pluribus: last_iterate", self.last_iterate, (True, False))
        self._known: dict[Any, SampledSolution] = {}
        """Searches of whole rounds; copies at other seats share them."""

    def new_hand(self) -> None:
        """Forget the solutions of the last hand, which may be large."""
        super().new_hand()
        self._known.clear()

    @classmethod
    def follow_recipe(cls, folder: Path, tier: Tier, run: RecipeRun) -> None:
        """Train its blueprint: linear weights, skipping by hand, tables allocated on the first visit."""
        recipe = PluribusTraining()
        rules: Any = load(recipe.game)
        game, iterations = training_game(rules), recipe.iterations[tier]
        settings = recipe.train_settings(iterations, recipe.training_seed)

        def cards() -> CardAbstraction:
            return default_abstraction(game, cache=run.cache, progress=run.progress, cancel=run.cancel)

        train_into(folder / BOTH_SEATS, game, cards, settings, iterations, run)

    def prepare(self) -> None:
        """Refuse a game that the blueprint is not for, or one of more seats than it plays with."""
        super().prepare()
        if self.game.players > self.most_seats:
            raise InputError(f"pluribus plays with up to {self.most_seats} seats, not {self.game.players}")
        compile_sampled(self.registered_name, self.holdem, self.blueprint)
        if isinstance(self.game, NoLimitHoldem):  # whose bets may be far from the blueprint's before the flop
            prepare_lookup(self.blueprint.tree, self.blueprint.abstractions)

    def observe(self, belief: PublicBelief, event: str) -> PublicBelief:
        """Return the belief after a public event (see the module docstring)."""
        keep = belief.after(event)
        if keep.betting.to_act != self.seat:
            return keep
        strategy = keep.strategy
        if isinstance(strategy, SampledStrategy) and strategy.solution.tree.root.round == keep.betting.round:
            return keep if keep.exact and strategy.solution.knows(keep.public) else self._solve(keep)
        if keep.betting.round == 0 and not self._far_off(keep):
            return keep
        return self._solve(keep)

    def _solve(self, belief: PublicBelief) -> PublicBelief:
        """Return the belief of a new search from the start of the round, or the old one if there is no result."""
        failed, clock = "", SearchClock()
        for bets, raises, most in self.search.menus:
            rules = self._rules(bets, raises, most)
            problem, settings = self._problem(belief, rules)
            try:
                found, known = self._search(problem, settings, (tuple(bets), tuple(raises), most))
            except InputError as error:  # too large for this menu, or ranges that cannot be dealt together
                failed = str(error)
                continue
            if not known:
                nodes, cut_short = len(found.tree.arrays.player), found.cut_short
                self.searches.append(clock.note(belief.public, "sampled", nodes, found.iterations, cut_short=cut_short))
            strategy = SampledStrategy(found, rules, self.blueprint, self.seat, self.last_iterate)
            return belief.follow(strategy, found.ranges(belief.public))
        self.searches.append(clock.note(belief.public, "sampled", failed=failed))
        return belief

    def _search(
        self, problem: SampledProblem, settings: SampledSettings, menu: tuple[Any, ...]
    ) -> tuple[SampledSolution, bool]:
        """Return the solution of a problem and whether it was known already; a search of a whole round is made once."""
        if problem.played:
            return search_sampled(problem, settings), False
        key = problem.public, problem.ranges.tobytes(), problem.game.betting, settings.seed, menu
        if key in self._known:
            return self._known[key], True
        found = search_sampled(problem, settings)
        if not found.cut_short:
            if len(self._known) >= MOST_KNOWN:
                del self._known[next(iter(self._known))]
            self._known[key] = found
        return found, False

    def _rules(self, bets: list[str], raises: list[str], most: int) -> SampledBetting:
        return SampledBetting(self.holdem, Menu(tuple(bets), tuple(raises)).sizes(len(self.holdem.board)), most)

    def _problem(self, belief: PublicBelief, rules: SampledBetting) -> tuple[SampledProblem, SampledSettings]:
        public, own, blueprint = belief.public, self.search, self.blueprint
        root, played = self._round_start(public)
        start = self.belief(root) if played else belief
        ranges = start.ranges
        if isinstance(start.strategy, SampledStrategy) and start.strategy.solution.knows_line(root):
            ranges = start.strategy.solution.ranges(root)  # by the average strategy
            lost = ranges.sum(axis=1) <= 0
            ranges[lost] = start.ranges[lost]
        before = [(*root, *played[:place]) for place in range(len(played))]
        frozen = {
            line: self.belief(line).behaviour() for line in before if self.belief(line).betting.to_act == self.seat
        }
        if not frozen and self._on_menu(rules, root, played):
            public, played = root, ()
        rounds = len(belief.game.board)
        problem = SampledProblem(
            game=belief.game,
            public=root,
            ranges=ranges,
            blueprint=blueprint.tree,
            strategy=NodeStrategy(blueprint.layout, blueprint.table, blueprint.abstractions),
            menu=rules.menu,
            played=played,
            frozen=frozen,
            depth="game" if belief.betting.round >= rounds - own.last_rounds else "round",
            most_raises=own.flop_raises if belief.betting.round == 1 else None,
            most_nodes=own.fast_nodes if self.fast else own.most_nodes,
            most_entries=own.most_entries,
        )
        settings = SampledSettings(
            iterations=2_000_000,
            nodes=int(own.fast_work if self.fast else own.work),
            factors=biases(own.factor),
            rollouts=own.fast_rollouts if self.fast else own.rollouts,
            seed=zlib.crc32(f"{self.seed}:{':'.join(public)}".encode()),
            seconds=self.seconds,
        )
        return problem, settings

    def _on_menu(self, rules: SampledBetting, root: tuple[str, ...], played: tuple[Action, ...]) -> bool:
        """Return whether a search from the start of the round has all actions since in its tree."""
        state = first = rules.game.betting_after(root)
        cut = len(first.live) > 2 and first.round == 1  # then only what was played goes past some raises
        for action in played:
            if read_label(action) not in rules.menu(state):
                return False
            state = rules.game.betting_next(state, action)
            if cut and state.bets - first.bets >= self.search.flop_raises:
                return False
        return True

    def _round_start(self, public: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[Action, ...]]:
        """Return the history at the start of the betting round, after its leading folds, and the actions since."""
        at = max(
            [place + 1 for place, event in enumerate(public) if not isinstance(read_event(event), ActionEvent)],
            default=0,
        )
        while at < len(public) and public[at] == "f":
            at += 1
        return public[:at], public[at:]

    def _far_off(self, belief: PublicBelief) -> bool:
        """Return whether a bet of the first round is far from all sizes of the blueprint, with few seats left."""
        if belief.exact or len(belief.betting.live) > self.search.few_seats:
            return False
        return far_bets(self.blueprint.tree, belief.game, belief.public) > self.search.far * max(
            belief.game.blinds[1], 1
        )
