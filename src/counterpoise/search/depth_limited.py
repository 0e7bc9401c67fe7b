"""Depth-limited subgames whose leaves have several values (BROWN 5.2, DLS 4): multi-valued states.

At the depth limit the game does not go on. Instead

1. the opponent picks one of its K continuations, for each of its hands, knowing what its infoset knows;
2. if both choose, or all of several players, everybody picks without seeing another's pick;
3. the payoff is the value of the rest of the game under the picks (`counterpoise.search.leaves`).

The searcher's values below the leaf are those of its blueprint although it will search again there. A pick is an
ordinary decision, so that the subgame is solved like any other, by any method of `counterpoise.search.search`: with one
continuation the searcher believes that the opponent goes on as the blueprint says, which can be far off; with few more
the opponent can adapt.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.games import CHANCE, TERMINAL, Game, GameView, as_game, game_name
from counterpoise.public import DenseTree
from counterpoise.search.leaves import Leaves, Path, missing
from counterpoise.search.subgame import Subgame, private_deals, subgame
from counterpoise.tree import Strategy


class _Step(NamedTuple):
    """A state of the game, how it came about, decisions since the root, and the picks at a leaf (None elsewhere)."""

    state: Any
    path: Path
    decisions: int
    picks: tuple[int, ...] | None


class DepthLimited(GameView):
    """The rules of a game as far as a depth limit, then picks among continuations.

    Play stops after `depth` decisions below the public `history`; without a depth at the first public event of chance
    below it. `hands` says per seat which hand each private deal is (see `private_hands`). Any number of players.
    """

    def __init__(
        self,
        game: Game,
        hands: Sequence[NDArray[np.int64]],
        leaves: Leaves,
        history: Sequence[str] = (),
        depth: int | None = None,
    ) -> None:
        if depth is not None and (not isinstance(depth, int) or isinstance(depth, bool) or depth < 1):
            raise InputError(f"depth must be a whole number of at least 1 or None, not {depth!r}")
        super().__init__(game)
        self.leaves, self.depth = leaves, depth
        self.name = f"{game_name(game)} to {'the end of the round' if depth is None else f'depth {depth}'}"
        self._root = len(history)
        deals = [deal.path for deal in private_deals(game)]
        if {len(own) for own in hands} != {len(deals)}:
            raise InputError(f"{self.name}: hands must be given for its {len(deals)} private deals")
        if len(leaves.counts) != game.players:
            raise InputError(f"{self.name}: the leaves are for {len(leaves.counts)} players")
        self._hands = {deal: [int(own[n]) for own in hands] for n, deal in enumerate(deals)}
        self._deal = len(deals[0])
        self._choosers = [seat for seat, count in enumerate(leaves.counts) if count > 1]

    def inner(self, state: _Step) -> Any:
        """The state of the game, at a leaf the one in which it stops."""
        return state.state

    def initial(self) -> _Step:
        """Before the deal."""
        return _Step(self.game.initial(), (), 0, None)

    def player(self, state: _Step) -> int:
        """Who acts; at a leaf those who have several continuations, then the game is over."""
        if state.picks is None:
            return self.game.player(state.state)
        return self._choosers[len(state.picks)] if len(state.picks) < len(self._choosers) else TERMINAL

    def actions(self, state: _Step) -> Sequence[str]:
        """Labels of the legal actions; at a leaf the numbers of the continuations."""
        if state.picks is None:
            return self.game.actions(state.state)
        return [f"continuation {k}" for k in range(self.leaves.counts[self.player(state)])]

    def next(self, state: _Step, action: str) -> _Step:
        """The state after `action`; at a leaf the pick is noted."""
        if state.picks is not None:
            return state._replace(picks=(*state.picks, int(action.split()[1])))
        player, after = self.game.player(state.state), self.game.next(state.state, action)
        path = (*state.path, action)
        decisions = state.decisions + (player != CHANCE and len(state.path) - self._deal >= self._root)
        return _Step(after, path, decisions, () if self._stops(after, decisions) else None)

    def infoset(self, state: _Step) -> str:
        """The game's label; at a leaf what the chooser knows: its infoset if it is to act, else hand and actions."""
        if state.picks is None:
            return self.game.infoset(state.state)
        seat = self.player(state)
        if self.game.player(state.state) == seat:
            return f"{self.game.infoset(state.state)} goes on"
        deal, public = state.path[: self._deal], state.path[self._deal :]
        return f"hand {self._hands[deal][seat]} after {' '.join(public)} goes on"

    def payoffs(self, state: _Step) -> Sequence[float]:
        """What each seat receives; at a leaf the value of what was picked."""
        if state.picks is None:
            return self.game.payoffs(state.state)
        picked = dict(zip(self._choosers, state.picks, strict=True))
        won = self.leaves.values(state.path)[tuple(picked.get(seat, 0) for seat in range(self.players))]
        if not np.isfinite(won).all():
            raise missing(self.game, state.path)
        return [float(value) for value in won]

    def _stops(self, state: Any, decisions: int) -> bool:
        if decisions == 0 or self.game.player(state) == TERMINAL:
            return False
        return self.game.player(state) == CHANCE if self.depth is None else decisions >= self.depth


def depth_limited(
    whole: DenseTree,
    history: Sequence[str],
    strategy: Strategy,
    searcher: int,
    leaves: Leaves,
    depth: int | None = None,
    rules: Game | str | None = None,
) -> Subgame:
    """The subgame of `whole` after a public history as far as a depth limit.

    `rules` may offer other actions than the whole game, as in `subgame`; the leaves must have values for them.
    """
    game = whole.game if rules is None else as_game(rules)
    limited = DepthLimited(game, whole.deals.hands, leaves, history, depth)
    return subgame(whole, history, strategy, searcher, limited, hidden=True)


def private_hands(game: Game | str) -> list[NDArray[np.int64]]:
    """Per seat which hand each private deal is: deals with an infoset of that seat in common are one hand.

    For two players and public actions ``DenseTree(game).deals.hands`` is the same.
    """
    rules = as_game(game)
    deals = private_deals(rules)
    first: dict[tuple[int, str], int] = {}
    same = [list(range(len(deals))) for _ in range(rules.players)]
    for deal, dealt in enumerate(deals):
        stack = [dealt.state]
        while stack:
            state = stack.pop()
            player = rules.player(state)
            if player >= 0:
                one = same[player][first.setdefault((player, rules.infoset(state)), deal)]
                other = same[player][deal]
                same[player] = [one if hand == other else hand for hand in same[player]]
            if player != TERMINAL:
                steps = [name for name, _ in rules.chance(state)] if player == CHANCE else rules.actions(state)
                stack += [rules.next(state, step) for step in steps]
    return [np.unique(own, return_inverse=True)[1].astype(np.int64) for own in same]
