"""Solve the endgame once and translate later bets: search as it was before nested search (Claudico; Brown 2020, section
5.1).

The player follows a blueprint by action translation. When the last round begins it solves what is left of the game
once, in the abstraction but with the real pot, from the ranges that its abstract states give to both players (unsafe
search). Actions in the last round that the abstraction lacks are translated again, now into those of the endgame.

The agent that plays so at tables, `counterpoise.agents.claudico`, follows play and begins to search by the same code
(`TranslatedPlay.enters_last_round`). Only the endgame itself differs: there it is in the blueprint's buckets on a dealt
board, here a public tree with every hand apart, since small games have no buckets.
"""

from __future__ import annotations

from counterpoise.abstraction.translation import Translation
from counterpoise.progress import CancelToken, Progress, SilentProgress, as_progress
from counterpoise.public import DenseGame, HoldemGame, Profile, PublicGame, PublicNode
from counterpoise.public.dense import OffersMore
from counterpoise.search.public_belief import TranslatedPlay
from counterpoise.search.range_agents import require_same_game, tabulate_agent
from counterpoise.search.search import search_subgame
from counterpoise.search.subgame import Subgame
from counterpoise.search.translation import Translator
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

    def dealt(self, belief: TranslatedPlay, to: PublicNode) -> TranslatedPlay:
        """Return play that follows the endgame solved here, if the player gets here and no more cards follow."""
        keep = super().dealt(belief, to)
        if not keep.enters_last_round(belief) or keep.strayed:
            return keep
        endgame = self._endgame(keep, to)
        problem = Subgame(endgame, self.player, least=endgame.least_met).with_full_opponent_range_if_empty()
        if not problem.expected:
            return keep
        solved = search_subgame(
            problem, "unsafe", algorithm=self.algorithm, iterations=self.iterations, cancel=self.cancel
        )
        if self.cancel is not None:
            self.cancel.check()
        self.searches += 1
        self.progress.show(None, f"{self.searches:,} endgames")
        return self.follow(solved.average, to)

    def _endgame(self, belief: TranslatedPlay, to: PublicNode) -> PublicGame:
        """Return what is left of the game with the real pot, the blueprint's bets, and the ranges of a belief."""
        small, game = self.blueprint.game, to.game
        first, second = (game.from_hands_of(small, seat, reach) for seat, reach in enumerate(belief.reach))
        if isinstance(game, HoldemGame):
            assert isinstance(small, HoldemGame)
            return game.subtree(to, (first, second), sizes=small.sizes)
        assert isinstance(game, DenseGame)
        assert isinstance(small, DenseGame)
        rules = small.rules.offering(game.history(to)) if isinstance(small.rules, OffersMore) else small.rules
        return game.subtree(to, (first, second), rules=rules)


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
    """Return the strategy of such a player in the whole of `whole`, in the seat `player`.

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
