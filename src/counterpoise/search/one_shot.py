"""Endgame solving once, with translation: how search was done before nested search (Claudico; Brown 2020, section 5.1).

The player follows a blueprint by action translation. When the last round begins it solves what is left of the game
once, in the abstraction but with the real pot, from the ranges that its shadows give to both players (unsafe search).
Actions in the last round that the abstraction lacks are translated again, now into those of the endgame.
"""

from __future__ import annotations

import numpy as np

from counterpoise.abstraction.translation import Translation
from counterpoise.progress import CancelToken, Progress, SilentProgress, as_progress
from counterpoise.public import DenseGame, HoldemGame, Profile, PublicGame, PublicNode
from counterpoise.public.dense import OffersMore
from counterpoise.search.range_agents import require_same_game, tabulate_agent
from counterpoise.search.search import search_subgame
from counterpoise.search.subgame import Subgame
from counterpoise.search.translation import Shadow, Translator
from counterpoise.solvers.base import Algorithm


class OneShotSearcher(Translator):
    """A player who translates, and solves the last round once when it begins (a `RangeAgent`)."""

    def __init__(
        self,
        blueprint: Profile,
        player: int,
        translation: Translation = "pseudo-harmonic",
        *,
        algorithm: str | Algorithm = "cfr+",
        iterations: int = 1000,
        progress: Progress | None = None,
        cancel: CancelToken | None = None,
    ) -> None:
        super().__init__(blueprint, player, translation)
        self.algorithm, self.iterations, self.searches = algorithm, iterations, 0
        self.progress, self.cancel = progress or SilentProgress(), cancel

    def dealt(self, view: list[Shadow], to: PublicNode) -> list[Shadow]:
        """Return the beginning of the endgame that is solved here, or the shadows if the player never gets here."""
        shadows = super().dealt(view, to)
        if to.street_tree.street + 1 < to.game.streets:
            return shadows
        small, game = self.blueprint.game, to.game
        own = np.sum([one.chance * one.reach for one in shadows], axis=0)
        other = np.sum([one.chance * one.other for one in shadows], axis=0)
        first, second = (own, other) if self.player == 0 else (other, own)
        ranges = game.from_hands_of(small, 0, first), game.from_hands_of(small, 1, second)
        endgame: PublicGame
        if isinstance(game, HoldemGame):
            assert isinstance(small, HoldemGame)
            endgame = game.subtree(to, ranges, sizes=small.sizes)
        else:
            assert isinstance(game, DenseGame)
            assert isinstance(small, DenseGame)
            rules = small.rules
            path = game.history(to)
            endgame = game.subtree(to, ranges, rules=rules.offering(path) if isinstance(rules, OffersMore) else rules)
        problem = Subgame(endgame, self.player, least=endgame.least_met).with_full_opponent_range_if_empty()
        if not problem.expected:
            return shadows
        solved = search_subgame(
            problem, "unsafe", algorithm=self.algorithm, iterations=self.iterations, cancel=self.cancel
        )
        if self.cancel is not None:
            self.cancel.check()
        self.searches += 1
        self.progress.show(None, f"{self.searches:,} endgames")
        return [self.shadow(solved.average)]


def play_one_shot(
    whole: PublicGame,
    blueprint: Profile,
    player: int,
    translation: Translation = "pseudo-harmonic",
    *,
    algorithm: str | Algorithm = "cfr+",
    iterations: int = 1000,
    progress: Progress | bool | None = False,
    cancel: CancelToken | None = None,
) -> Profile:
    """Return what the player does everywhere in `whole`, in the seat `player`.

    `blueprint` is a solution of the same game with fewer actions (in small games `build_pair` makes both). If it is
    cancelled there is no result: `Cancelled` is raised.
    """
    require_same_game(whole, blueprint.game)
    with as_progress(progress) as display:
        display.begin(f"endgames of seat {player}")
        agent = OneShotSearcher(
            blueprint,
            player,
            translation,
            algorithm=algorithm,
            iterations=iterations,
            progress=display,
            cancel=cancel,
        )
        return tabulate_agent(whole, player, agent)
