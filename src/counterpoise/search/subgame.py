"""Subgames: what follows a public node, with the ranges that arrive there, for a player who searches in it.

A subgame is a public game of its own (`PublicGame.subtree`). Vectors over hands are in the order of its hands, which in
small games are those of the whole game, so that they mean the same before and after.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.games import Game
from counterpoise.parameters import as_numbers, require_seat
from counterpoise.public import Cut, LeafEvaluator, Lock, Profile, PublicGame, PublicNode, Rows, Traverser
from counterpoise.public.histories import deals
from counterpoise.public.thresholds import LEAST_REACH

if TYPE_CHECKING:  # searches of hold'em need no games with infosets
    from counterpoise.public.dense import DenseGame
    from counterpoise.tree.evaluation import AnyStrategy

FloatArray = NDArray[np.float64]


def as_dense(game: PublicGame) -> DenseGame:
    """Return the game if it has infosets, and refuse it otherwise."""
    if not game.has_infosets:
        raise InputError(f"{game.name} has no infosets: its strategies are profiles, node by node")
    return cast("DenseGame", game)


@dataclass(frozen=True, eq=False)
class Subgame:
    """A public game to be solved from its root by a `searcher`, with the ranges of both players there.

    The ranges of `game` are the players' own reach of the root: `with_ranges` makes a subgame with others. Safe methods
    use the searcher's only.
    """

    game: PublicGame
    searcher: int
    history: tuple[str, ...] = ()
    least: float = 0.0
    """A hand that meets no more than this share of the searcher's range counts as meeting nothing: games round."""
    leaves: LeafEvaluator | None = None
    """What value leaves are worth, if the game was cut."""

    def __post_init__(self) -> None:
        require_seat("searcher", self.searcher)

    def __repr__(self) -> str:
        return f"<Subgame of {self.name}, searched by seat {self.searcher}>"

    @property
    def dense(self) -> DenseGame:
        """The game, if it has infosets."""
        return as_dense(self.game)

    @property
    def name(self) -> str:
        """Its name in messages."""
        return self.game.name if self.game.has_infosets else f"the game after {' '.join(self.history)}"

    @property
    def opponent(self) -> int:
        """The player who is not the searcher."""
        return 1 - self.searcher

    def with_ranges(self, own: Mapping[int, NDArray[Any]]) -> Subgame:
        """Return the subgame with other ranges of some seats, one number per hand."""
        for seat, reach in own.items():
            require_seat("seat", seat)
            held = self.game.hand_counts[seat]
            if np.shape(reach) != (held,) or not (np.isfinite(reach) & (np.asarray(reach) >= 0)).all():
                raise InputError(f"the range of seat {seat} must be {held} numbers of at least 0, not {reach!r}")
        return replace(self, game=self.game.with_ranges(own))

    def checked(self) -> Subgame:
        """Return the subgame, if any hand of the opponent can meet the searcher's range; refused otherwise."""
        if not (self.mass > 0).any():
            name = self.game.name
            raise InputError(f"{name}: the searcher's strategy never gets there, so there is nothing to search")
        return self

    @property
    def expected(self) -> bool:
        """Whether the ranges of both leave a pair of hands that can meet."""
        return bool((self.game.reach_at_root(self.opponent) * self.mass > 0).any())

    def with_full_opponent_range_if_empty(self) -> Subgame:
        """Return the subgame with every hand of the opponent if its range says that it arrives with none.

        Its actions must be answered even then. Otherwise the subgame is returned as it is.
        """
        return self if self.expected else self.with_ranges({self.opponent: np.ones(len(self.mass))})

    @cached_property
    def mass(self) -> FloatArray:
        """N per hand of the opponent: how much of the searcher's range, with chance, it can meet; 0 if nothing."""
        reach = self.game.reach_at_root(self.searcher)
        mass = self.game.met_mass(self.opponent, reach)
        least = max(self.least * float(reach.sum()), LEAST_REACH * self.game.unit[self.searcher])
        return np.where(mass > least, mass, 0.0)

    def conditional(self, counterfactual: FloatArray) -> FloatArray:
        """Return values per hand of the opponent divided by N; not a number where a hand meets nothing."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.mass > 0, counterfactual / self.mass, np.nan)

    def per_hand(self, field: str, values: Any) -> FloatArray:
        """Return numbers for the hands of the opponent, checked; hands that meet nothing need none."""
        found = as_numbers(field, values)
        if found.shape != self.mass.shape:
            count = len(self.mass)
            raise InputError(f"{field} must have {count} numbers, one per hand of the opponent, not {found.shape}")
        with np.errstate(over="ignore"):  # games have no larger numbers than float32
            missing = np.flatnonzero((self.mass > 0) & ~np.isfinite(found.astype(np.float32)))
        if len(missing):
            given = found[missing[0]]
            raise InputError(f"the {field} of hand {missing[0]} must be a number that float32 can hold, not {given:g}")
        return found

    def root_values(self, profile: Profile, *, best: bool = False, traverser: Traverser | None = None) -> FloatArray:
        """Return the conditional value of the root to each hand of the opponent against the searcher's strategy.

        By the opponent's strategy in the profile or, with `best`, by a best response.
        """
        traverser = traverser or Traverser(self.game, leaves=self.leaves)
        return self.conditional(traverser.hand_values(profile, best)[self.opponent])


def subgame(
    whole: DenseGame,
    history: Sequence[str],
    strategy: AnyStrategy,
    searcher: int,
    rules: Game | str | None = None,
    *,
    hidden: bool = False,
    cut: Cut | None = None,
    leaves: LeafEvaluator | None = None,
) -> Subgame:
    """Return the subgame of `whole` after a public history, with the ranges that `strategy` brings there.

    `rules` may offer other actions below the history, such as bet sizes that the strategy does not know; its private
    deals must be those of the whole game. `hidden` is that of `build_dense`; a `cut` stops play at `leaves`.
    """
    require_seat("searcher", searcher)
    game = whole.subtree(history, rules=rules, hidden=hidden, cut=cut)  # which refuses impossible histories
    arriving = dict(enumerate(reaches(whole, history, strategy)))
    return Subgame(game.with_ranges(arriving), searcher, tuple(history), leaves=leaves).checked()


def reaches(whole: DenseGame, history: Sequence[str], strategy: AnyStrategy) -> Rows:
    """Return both players' own reach of a public history per hand: the product of their probabilities on the way.

    It has the precision of the strategy and works where moves are hidden too: several histories then lead to one node,
    so that `PublicNode.reach` cannot say which of them was played.
    """
    game = whole.rules
    found = [np.zeros(int(hands.max()) + 1) for hands in whole.deals.hands]
    allowed = False
    for deal, state in enumerate(deals(game)):
        own = [1.0, 1.0]
        possible = True
        for step in history:
            player = game.player(state)
            if player >= 0:
                chosen = strategy[player, game.infoset(state)]
                if step not in chosen:
                    raise InputError(f"{whole.name}: the strategy does not know {step!r} at {game.infoset(state)!r}")
                own[player] *= chosen[step]
            elif not dict(game.chance(state)).get(step):  # a public card that somebody holds in this deal
                possible = False
                break
            state = game.next(state, step)
        if possible:
            allowed = True
            for player in range(2):
                found[player][whole.deals.hands[player][deal]] = own[player]
    if not allowed:
        raise InputError(f"{whole.name}: no private deal allows {' '.join(history)!r}")
    return found[0], found[1]


def locks_at(node: PublicNode, rows: NDArray[Any]) -> list[Lock]:
    """Return the locks that keep strategies at a decision, [action, row of the kernels]; rows of zeros stay free."""
    return [
        Lock(node.tree, node.at[1], node.board, row, tuple(chosen))
        for row, chosen in enumerate(rows.T.tolist())
        if sum(chosen) > 0
    ]
