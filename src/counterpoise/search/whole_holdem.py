"""Search after every flop of no-limit flop hold'em, judged in the whole game: where BROWN tables 5.1 to 5.3 are from.

A subgame is a line of betting before the flop and a flop; flops that a renaming of suits makes alike are one. Its tree
has the hands of its flop and begins with what the blueprint brings there. All values are conditional, in chips, in the
opponent's units.

A counterfactual best response to the blueprint (BROWN 5.1.2; held to an abstraction 5.1.4) is found from the last
decisions to the first:

1. on every flop each decision of the responder takes the best action against the blueprint, given its later decisions:
   for every hand by itself, or (*held* to the blueprint's abstraction) one action for all hands of a bucket, that of
   the largest sum of counterfactual values over all flops;
2. its values at the roots are CBV, or the estimate of it;
3. before the flop, where there is no abstraction, the same goes on for every hand, which gives CBV(I, a).

Buckets of imperfect recall forget, so a held response is the best from the end backwards, not necessarily of all.

The lower bound of a gift counts actions that end the game at once: to fold, and to call an all-in bet, after which
only cards come. To give gifts without splitting them multiplies them by the number of flops that suits leave
different, the branching factor of the source: 1,755 with 52 cards, 166 with 24.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.cards import format_cards
from counterpoise.errors import InputError
from counterpoise.parameters import require_whole
from counterpoise.public import HoldemTree
from counterpoise.public.buckets import Buckets
from counterpoise.public.kernels.layouts import Store
from counterpoise.public.lines import Line
from counterpoise.public.tables import Lock, copied
from counterpoise.search.alternatives import GiftKind
from counterpoise.search.play_holdem import ending
from counterpoise.search.search import SearchResult
from counterpoise.search.subgame import LEAST, FloatArray, Subgame
from counterpoise.search.whole import Judged, Whole
from counterpoise.solvers.base import Algorithm
from counterpoise.solvers.public.solver import PublicSolver
from counterpoise.solvers.run import make_algorithm


class Flop(NamedTuple):
    """Where a subgame begins: a line of the whole tree, and the board that stands for all flops like it."""

    line: int
    board: int


ROOT = Flop(0, 0)
"""Where a tree of its own begins."""


class FlopResponse(NamedTuple):
    """A counterfactual best response of a player to the other's blueprint."""

    root_values: dict[Flop, FloatArray]
    """Per subgame what it is worth to each hand, in the order of the subgame's rows."""
    action_values: dict[int, FloatArray]
    """Per own decision before the flop CBV(I, a), [action, hand of the deck]; nan for a hand that meets nothing."""


class WholeHoldem(Whole[Flop, Store]):
    """Flop hold'em; the average strategies of its `tree` (``FlopHoldem(...).tree()``) are the blueprint.

    `buckets` are the abstraction that the blueprint was made in; only estimates need them.
    """

    def __init__(self, tree: HoldemTree, buckets: Buckets | None = None) -> None:
        if tree.board or tree.streets != 2:
            raise InputError(f"the tree must be of a whole game with one deal, not of {tree.streets - 1} after a board")
        if buckets is not None and buckets.of.shape != (wanted := (int(tree.boards.stride.sum()),)):
            raise InputError(f"these buckets are not of this tree: they are {buckets.of.shape}, not {wanted}")
        super().__init__(
            [
                Flop(number, board)
                for number, line in enumerate(tree.lines) if line.street == 1
                for board, table in enumerate(tree.tables_of) if table.street == 1
            ]
        )  # fmt: skip
        self.tree, self.buckets = tree, buckets
        self.blueprint = copied(tree.tables.average)

    @cached_property
    def best_responses(self) -> tuple[FlopResponse, FlopResponse]:
        """Of each seat to the other's blueprint."""
        return self._respond(0, None), self._respond(1, None)

    @cached_property
    def held_responses(self) -> tuple[FlopResponse, FlopResponse]:
        """Those of players who are held to the blueprint's abstraction."""
        if self.buckets is None:
            raise InputError("estimates need the buckets in which the blueprint was made")
        return self._respond(0, self.buckets), self._respond(1, self.buckets)

    def gifts(self, place: Flop, searcher: int, kind: GiftKind, estimate: bool = False) -> FloatArray:
        """What each hand of the opponent has given up before the flop, or an estimate of it."""
        found, before = self._at(place, searcher), self.tree.lines[0]
        total = np.zeros(self.tree.deck.hand_count)
        if kind != "none":
            values = (self.held_responses if estimate else self.best_responses)[found.opponent].action_values
            for decision, taken in way_to(before, self.tree.lines[place.line].path[1]):
                if before.decisions[decision].player == found.opponent:
                    counts = np.ones(len(values[decision]), dtype=bool) if kind == "exact" else ending(before, decision)
                    counts[taken] = True
                    # BROWN 5.1.3; a hand that meets nothing has nothing to give
                    total += np.nan_to_num(values[decision][counts].max(axis=0) - values[decision][taken])
        return self._tree(found).in_rows(found.opponent, 0, total)

    def branching(self, place: Flop) -> float:
        """The number of flops that no renaming of suits makes alike."""
        return float(len({flop.board for flop in self.places}))

    def judge(self, profile: Store | None = None) -> Judged[Store]:
        """Strategies in the tables of the whole tree (default: the blueprint), judged by exact best responses."""
        profile = self.blueprint if profile is None else profile
        first, second = self.tree.best_response_values(store=profile).tolist()
        return Judged(profile, (second, first))

    def best_with_trunk(self, iterations: int = 500, algorithm: str | Algorithm = "cfr+") -> Judged[Store]:
        """The least exploitable strategies of both seats that differ from the blueprint on the flop only.

        Each seat's is a solution of the game in which it must play the blueprint before the flop.
        """
        settings, tree, stores = make_algorithm(algorithm), self.tree, []
        require_whole("iterations", iterations)
        for seat in range(2):
            locks = [
                Lock(0, number, 0, hand, tuple(chosen))
                for number in own_decisions(tree.lines[0], seat)
                for hand, chosen in enumerate(tree.strategy_in(self.blueprint, 0, number, 0).T.tolist())
            ]
            with tree.apart(locks):
                PublicSolver(settings, tree).step(iterations)
                stores.append(tree.tables.average)
        return self.judge(tree.joined(*stores))

    def _build(self, place: Flop) -> dict[int, Subgame]:
        cards = self.tree.tables_of[place.board].cards
        with self._playing(self.blueprint):
            first, second = self.tree.reaches(place.line, 0, cards)
        reach = self.tree.by_deck(0, first), self.tree.by_deck(1, second)
        earlier = next((at for at, seats in self._found.items() if at.board == place.board and seats), None)
        like = None if earlier is None else self._tree(next(iter(self._found[earlier].values())))
        tree = self.tree.part(self.tree.lines[place.line].state, cards, reach, like=like)
        found = [Subgame(tree, seat, (self._named(place),), LEAST) for seat in range(2)]
        return {subgame.searcher: subgame for subgame in found if (subgame.mass > 0).any()}

    def _value(self, place: Flop, found: Subgame, estimate: bool) -> FloatArray:
        return (self.held_responses if estimate else self.best_responses)[found.opponent].root_values[place]

    def _fresh(self) -> Store:
        return copied(self.blueprint)

    def _put(self, profile: Store, place: Flop, searcher: int, result: SearchResult) -> None:
        with self._playing(profile):
            copy_line(self._tree(self._at(place, searcher)), ROOT, self.tree, place, searcher)

    def _named(self, place: Flop) -> str:
        before, leaf = self.tree.lines[0], self.tree.lines[place.line].path[1]
        bets = [str(before.decisions[decision].actions[taken]) for decision, taken in way_to(before, leaf)]
        return f"{' '.join(bets)} on {format_cards(self.tree.tables_of[place.board].cards)}"

    def _tree(self, found: Subgame) -> HoldemTree:
        assert isinstance(found.tree, HoldemTree)
        return found.tree

    @contextmanager
    def _playing(self, profile: Store) -> Iterator[None]:
        """The whole tree with other average strategies than the blueprint."""
        kept = self.tree.tables
        self.tree.tables = kept._replace(average=profile)
        try:
            yield
        finally:
            self.tree.tables = kept

    def _respond(self, player: int, buckets: Buckets | None) -> FlopResponse:
        profile, root_values = self._fresh(), {}
        for number in {place.line: None for place in self.places}:
            parts = {
                place: found for place in self.places
                if place.line == number and (found := self.subgame(place, 1 - player)) is not None
            }  # fmt: skip
            self._respond_on_flops(player, parts, buckets)
            for place, found in parts.items():
                root_values[place] = found.values()
                with self._playing(profile):
                    copy_line(self._tree(found), ROOT, self.tree, place, player)
        with self._playing(profile):
            return FlopResponse(root_values, self._respond_before(player))

    def _respond_on_flops(self, player: int, parts: dict[Flop, Subgame], buckets: Buckets | None) -> None:
        """Leave the blueprint of the other and the player's response to it in the trees of one line on all flops."""
        if not parts:
            return
        trees = {place: self._tree(found) for place, found in parts.items()}
        with self._playing(self.blueprint):
            for place, tree in trees.items():
                for seat in range(2):
                    copy_line(self.tree, place, tree, ROOT, seat)
        slots = [tree.in_rows(player, 0, self.tree.slots(player, place.board)) for place, tree in trees.items()]
        alike = [len(self.tree.tables_of[place.board].images) for place in trees]
        weights = np.repeat(alike, [len(own) for own in slots]).astype(np.float64)
        groups = np.arange(len(weights))
        if buckets is not None:
            begin = [int(self.tree.boards.begin[player, place.board]) for place in trees]
            groups = buckets.of[np.concatenate([first + own for first, own in zip(begin, slots, strict=True)])]
        for number in own_decisions(next(iter(trees.values())).lines[0], player):
            rows = [  # in the order of the trees' rows
                tree.values(0, number, tree.board).actions[:, tree.tables_of[0].hands[player]]
                for tree in trees.values()
            ]
            best = best_actions(np.concatenate(rows, axis=1) * weights, groups)
            ends = np.cumsum([row.shape[1] for row in rows])[:-1]
            for tree, own in zip(trees.values(), np.split(best, ends, axis=1), strict=True):
                tree.set_average(0, number, 0, own)

    def _respond_before(self, player: int) -> dict[int, FloatArray]:
        """The same before the flop, for every hand by itself: gives the values of its actions."""
        found: dict[int, FloatArray] = {}
        for number in own_decisions(self.tree.lines[0], player):
            values = self.tree.values(0, number, ()).actions
            self.tree.set_average(0, number, 0, best_actions(values, np.arange(values.shape[1])))
            reach = self.tree.reaches(0, number, ())[1 - player]
            mass = self.tree.met_mass(player, reach)
            with np.errstate(invalid="ignore", divide="ignore"):
                known = np.where(mass > LEAST * reach.sum(), values / mass, np.nan)
            found[number] = self.tree.by_deck(player, known)
        return found


def copy_line(source: HoldemTree, there: Flop, target: HoldemTree, here: Flop, player: int) -> None:
    """Copy a player's average strategy of a line on a board to the same line and cards of another tree."""
    order = target.in_rows(player, here.board, source.slots(player, there.board))
    for number in own_decisions(target.lines[here.line], player):
        rows = source.average_strategy(there.line, number, there.board)
        target.set_average(here.line, number, here.board, rows[:, order])


def own_decisions(line: Line, player: int) -> list[int]:
    """The decisions of a player on a line, the last ones first."""
    return [number for number, decision in reversed(list(enumerate(line.decisions))) if decision.player == player]


def best_actions(values: FloatArray, groups: NDArray[Any]) -> FloatArray:
    """Certainty for the best action of every group, [action, hand]: the one of the largest sum over its hands."""
    sums = np.stack([np.bincount(groups, row) for row in values])
    return np.asarray(np.arange(len(values))[:, None] == sums.argmax(axis=0)[groups], dtype=np.float64)


def way_to(line: Line, leaf: int) -> list[tuple[int, int]]:
    """The decisions that lead to a leaf of a line, each with the number of the action taken."""
    before = {after: edge for edge, after in line.children.items()}
    at, found = ("leaf", leaf), []
    while at in before:
        decision, action = before[at]
        found.append((decision, line.decisions[decision].actions.index(action)))
        at = ("decision", decision)
    return found[::-1]
