"""Pluribus: a blueprint before the flop, then searches that begin with the betting round, 2 to 6 seats.

See Brown 2020, section 6.6.

1. Before the flop: the blueprint, unless a bet is far from all of its sizes and few seats are left.
2. Else, at every own decision whose line the last search does not know: search from the start of the betting round,
   with the ranges of all seats as of that point. What the agent has done in this round is frozen for all of its hands,
   the others are free everywhere, and the bets that were really made are in the tree.
3. The search stops at the end of the round, on the flop with three or more seats also after the second raise; there
   every seat that is left picks one of four continuations of the blueprint, unseen by the others. In the last
   two rounds it goes on to the end of the hand.
4. The strategy of the last iteration is played; ranges follow the average strategy.

The freeze covers all hands, not the one that is held alone, so that what the agent does depends on the public history
only. Leading folds of a round are not searched again: what folded seats held is not modelled.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterpoise.agents.base import Measured, agent
from counterpoise.agents.recipes import RecipeRun, Tier, TrainedByRecipe, train_into
from counterpoise.agents.searching import BOTH_SEATS, SearchingAgent, SearchNote
from counterpoise.agents.settings import SETTING, settings_of
from counterpoise.errors import InputError
from counterpoise.games import load
from counterpoise.games.base import Action
from counterpoise.games.events import ActionEvent, read_event
from counterpoise.search.public_belief import PublicBelief

if TYPE_CHECKING:
    from counterpoise.abstraction import CardAbstraction
    from counterpoise.agents.sampled_strategies import SampledBetting
    from counterpoise.blueprint.settings import TrainSettings
    from counterpoise.search.sampled import SampledProblem, SampledSettings


@dataclass(frozen=True)
@settings_of("pluribus")
class PluribusSearch:
    """How it searches; `settings/pluribus.toml` says where each number is from."""

    factor: float = SETTING
    rollouts: int = SETTING
    fast_rollouts: int = SETTING
    flop_raises: int = SETTING
    last_rounds: int = SETTING
    far: float = SETTING
    few_seats: int = SETTING
    last_iterate: bool = SETTING
    menus: tuple[Any, ...] = SETTING
    most_nodes: int = SETTING
    fast_nodes: int = SETTING
    most_entries: int = SETTING
    work: float = SETTING
    fast_work: float = SETTING


@dataclass(frozen=True)
@settings_of("pluribus")
class PluribusTraining:
    """How the published blueprint was trained, and the same for a run of any length."""

    skip_after: float = SETTING
    skip_share: float = SETTING
    skip_payoffs: float = SETTING
    training_minutes: float = SETTING
    game: str = SETTING
    iterations: Mapping[str, int] = SETTING
    training_seed: int = SETTING

    def train_settings(self, iterations: int, seed: int = 0) -> TrainSettings:
        """Return settings for `cp.train` that begin to skip actions after the same share of the run."""
        from counterpoise.blueprint.settings import TrainSettings
        from counterpoise.sampling.external import Skipping

        after = int(iterations * self.skip_after / self.training_minutes)
        skipping = Skipping("hand", threshold=self.skip_payoffs, share=self.skip_share, after=after)
        return TrainSettings(skipping=skipping, seed=seed)


@agent("pluribus")
@dataclass
@settings_of("pluribus")
class Pluribus(TrainedByRecipe, SearchingAgent):
    """Follows a blueprint before the flop and searches from there on: pluribus:BLUEPRINT, two to six seats."""

    source = "Brown 2020, section 6.6"
    measured = Measured(345, 3.9)

    most_seats: int = SETTING
    """Seats of a table at most."""
    search: PluribusSearch = PluribusSearch()
    """How it searches."""

    @classmethod
    def follow_recipe(cls, folder: Path, tier: Tier, run: RecipeRun) -> None:
        """Train its blueprint: linear weights, skipping by hand, tables allocated on the first visit."""
        from counterpoise.blueprint.settings import default_abstraction, training_game

        recipe = PluribusTraining()
        rules: Any = load(recipe.game)
        game, iterations = training_game(rules), recipe.iterations[tier]
        settings = recipe.train_settings(iterations, recipe.training_seed)

        def cards() -> CardAbstraction:
            return default_abstraction(game, cache=run.cache, progress=run.progress, cancel=run.cancel)

        train_into(folder / BOTH_SEATS, game, cards, settings, iterations, run)

    def prepare(self) -> None:
        """Refuse a game that the blueprint is not for, or one of more seats than it plays with."""
        from counterpoise.agents.sampled_strategies import compile_sampled
        from counterpoise.games.holdem import Holdem, NoLimitHoldem
        from counterpoise.search.sampled import prepare_lookup

        super().prepare()
        if self.game.players > self.most_seats:
            raise InputError(f"pluribus plays with up to {self.most_seats} seats, not {self.game.players}")
        assert isinstance(self.game, Holdem)
        compile_sampled(self.registered_name, self.game, self.blueprint)
        if isinstance(self.game, NoLimitHoldem):  # whose bets may be far from the blueprint's before the flop
            prepare_lookup(self.blueprint.tree, self.blueprint.abstractions)

    def observe(self, belief: PublicBelief, event: str) -> PublicBelief:
        """Return the belief after a public event (see the module docstring)."""
        from counterpoise.agents.sampled_strategies import SampledStrategy

        keep = belief.after(event)
        if keep.betting.to_act != self.seat:
            return keep
        plan = keep.strategy
        if isinstance(plan, SampledStrategy) and plan.solution.tree.root.round == keep.betting.round:
            return keep if keep.exact and plan.solution.knows(keep.public) else self._solve(keep)
        if keep.betting.round == 0 and not self._far_off(keep):
            return keep
        return self._solve(keep)

    def _solve(self, belief: PublicBelief) -> PublicBelief:
        """Return the belief of a new search from the start of the round, or the old one if there is no result."""
        from counterpoise.agents.sampled_strategies import SampledStrategy
        from counterpoise.search.sampled import search_sampled

        failed, began, cpu = "", time.monotonic(), time.process_time()
        for bets, raises, most in self.search.menus:
            rules = self._rules(bets, raises, most)
            problem, settings = self._problem(belief, rules)
            try:
                found = search_sampled(problem, settings)
            except InputError as error:  # too large for this menu, or ranges that cannot be dealt together
                failed = str(error)
                continue
            self._note(belief, len(found.tree.arrays.player), found.iterations, began, cpu, cut=found.cut_short)
            plan = SampledStrategy(found, rules, self.blueprint, self.seat, self.search.last_iterate)
            return belief.follow(plan, found.ranges(belief.public))
        self._note(belief, 0, 0, began, cpu, failed=failed)
        return belief

    def _rules(self, bets: list[str], raises: list[str], most: int) -> SampledBetting:
        from counterpoise.agents.sampled_strategies import SampledBetting
        from counterpoise.agents.subgames import Menu
        from counterpoise.games.holdem import Holdem

        assert isinstance(self.game, Holdem)
        sizes = Menu(tuple(bets), tuple(raises)).sizes(len(self.game.board))
        return SampledBetting(self.game, sizes, most)

    def _problem(self, belief: PublicBelief, rules: SampledBetting) -> tuple[SampledProblem, SampledSettings]:
        from counterpoise.agents.sampled_strategies import SampledStrategy
        from counterpoise.sampling import NodeStrategy
        from counterpoise.search.sampled import SampledProblem, SampledSettings, biases

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
        from counterpoise.search.blueprint_nodes import far_bets

        if belief.exact or len(belief.betting.live) > self.search.few_seats:
            return False
        return far_bets(self.blueprint.tree, belief.game, belief.public) > self.search.far * max(
            belief.game.blinds[1], 1
        )

    def _note(
        self,
        belief: PublicBelief,
        nodes: int,
        iterations: int,
        began: float,
        cpu: float,
        cut: bool = False,
        failed: str = "",
    ) -> None:
        spent = time.monotonic() - began, time.process_time() - cpu
        self.searches.append(SearchNote(belief.public, "sampled", nodes, iterations, *spent, cut, failed=failed))
