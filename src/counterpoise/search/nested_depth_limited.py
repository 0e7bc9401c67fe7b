"""Nested search that looks no further than the end of the betting round (DLS 5; BROWN 5.2).

After a hidden action the rest of the round is solved, with leaves at its end at which players pick among continuations
(`counterpoise.search.depth_limited`): the opponent is to be no better off than with an action that was known. When the
next round begins it is searched in turn. There each hand of the opponent has as its alternative what the best of its
continuations was worth on this board, against the range that the searcher has now; unsafe search uses the ranges of
both, as the solutions say, instead.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from counterpoise.errors import InputError
from counterpoise.games import Game
from counterpoise.search.depth_limited import DepthLimited
from counterpoise.search.leaves import Leaves
from counterpoise.search.nested import History, Nest, NestedSearch, behaviour
from counterpoise.search.subgame import TINY, FloatArray, Subgame, private_deals, reaches, subgame
from counterpoise.search.translation import Behaviour


class DepthLimitedNest(Nest):
    """Nested search from round to round. `leaves` must have values for all histories between rounds.

    Where no hidden action has been taken, the blueprint is played to the end of the game.
    """

    def __init__(
        self,
        game: Game | str,
        hidden: Iterable[str],
        searcher: int,
        leaves: Leaves,
        settings: NestedSearch | None = None,
    ) -> None:
        super().__init__(game, hidden, searcher, settings)
        if self.settings.gifts:
            raise InputError("depth-limited nested search takes no gifts: values on the way are not known to the end")
        self.leaves = leaves

    def subgame(self, root: History, path: History, current: Behaviour) -> Subgame:
        """To the end of the round, or of the game on paths that the blueprint knows."""
        if not self.hidden.intersection(path):
            return super().subgame(root, path, current)
        rules = DepthLimited(self._view(path), self.whole.deals.hands, self.leaves, root)
        return subgame(self.whole, root, current, self.searcher, rules, hidden=True)

    def enter(self, history: History, current: Behaviour) -> Behaviour | None:
        """The strategies after a search at the beginning of a round to which a hidden action has led."""
        if (
            not self.hidden.intersection(history)
            or not reaches(self.whole, history, current)[self.searcher].max() > TINY
        ):
            return None
        found = self.subgame(history, history, current)
        alternative = None if self.settings.method == "unsafe" else self.left_by(found, history)
        return current | behaviour(self._solve(found, alternative))

    def left_by(self, found: Subgame, history: History) -> FloatArray:
        """What the best continuation is worth to each hand of the opponent at the beginning of a round."""
        tree, opponent = found.dense, found.opponent
        own, other = (tree.deals.hands[seat] for seat in (self.searcher, opponent))
        chance = tree.deals.chances[0][0] * tree.ranges[self.searcher][own]
        values = np.zeros((self.leaves.counts[opponent], len(found.mass)))
        for deal, dealt in enumerate(private_deals(self.game)):
            if chance[deal] > 0:
                won = self.leaves.values((*dealt.path, *history))[..., opponent]
                picked = np.moveaxis(won, opponent, 0).reshape(len(values), -1)[:, 0]
                values[:, other[deal]] += chance[deal] * picked
        return found.conditional(values.max(axis=0))
