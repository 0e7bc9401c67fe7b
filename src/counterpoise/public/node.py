"""The cursor into a public tree: where play is, and what strategies mean there.

A `PublicNode` is a decision, a deal of chance, an end or a value leaf of a `PublicGame`. It is frozen and knows no
strategy: methods about strategies take a `Profile`. Figures are vectors over the hands of the game, 0 for those that
the cards dealt by then block.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import BettingState
from counterpoise.errors import InputError
from counterpoise.public.game import BoardImage, FloatArray, FloatRow, PublicGame, Rows
from counterpoise.public.kernels.street import DEAL, VALUE
from counterpoise.public.profile import Profile
from counterpoise.public.street_trees import Following, Leaf, Step, StreetDecision, StreetTree
from counterpoise.public.traverser import Traverser

Kind = Literal["decision", "deal", "end", "value"]


class NodeValues(NamedTuple):
    """Counterfactual values at a decision: per action and hand of the player to act, and per hand of both players."""

    actions: FloatArray
    node: Rows


@dataclass(frozen=True)
class PublicNode:
    """A place in a public game: a decision or leaf of a street tree, and the public deals before it."""

    game: PublicGame
    tree: int
    at: Following
    dealt: tuple[Any, ...]
    """In hold'em the cards on the board; elsewhere the outcomes of the public events of chance, event by event."""

    def __repr__(self) -> str:
        return f"<PublicNode {self.kind} after {' '.join(map(str, self.steps)) or 'nothing'} of {self.game.name}>"

    @property
    def street_tree(self) -> StreetTree:
        """The betting of this street."""
        return self.game.street_trees[self.tree]

    @property
    def kind(self) -> Kind:
        """Whether a player acts here, chance deals, the game is over or play stops at a value."""
        if self.at[0] == "decision":
            return "decision"
        return "deal" if self.leaf.kind == DEAL else "value" if self.leaf.kind == VALUE else "end"

    @property
    def decision(self) -> StreetDecision:
        """The decision of the street tree."""
        if self.at[0] != "decision":
            raise InputError(f"nobody acts at this node: it is a {self.kind}")
        return self.street_tree.decisions[self.at[1]]

    @property
    def leaf(self) -> Leaf:
        """The leaf of the street tree."""
        return self.street_tree.leaves[self.at[1]]

    @property
    def player(self) -> int:
        """The seat to act."""
        return self.decision.player

    @property
    def actions(self) -> tuple[Step, ...]:
        """The actions of the player to act: totals of chips in hold'em (`BetAction`), words elsewhere."""
        return self.decision.actions

    @cached_property
    def located(self) -> BoardImage:
        """The expanded board that stands for what was dealt."""
        return self.game.locate(self.dealt)

    @property
    def board(self) -> int:
        """The number of that board."""
        return self.located.board

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """All actions since the root of the game; deals and choices among continuations are left out."""
        above = () if self.street_tree.path[0] < 0 else self._street_above.steps
        return (*above, *self._actions_here)

    @property
    def trail(self) -> tuple[Any, ...]:
        """All actions and deals since the root of the game; choices among continuations are left out."""
        if self.street_tree.path[0] < 0:
            return tuple(self._actions_here)
        above = self._street_above
        return (*above.trail, self.dealt[len(above.dealt) :], *self._actions_here)

    @property
    def _actions_here(self) -> list[Step]:
        """The actions of this street."""
        tree = self.street_tree
        return [action for number, action in tree.way_to(self.at) if not tree.decisions[number].choice]

    @cached_property
    def state(self) -> BettingState:
        """The betting here, in games of poker."""
        state, betting = self.street_tree.state, getattr(self.game, "betting", None)
        if state is None or betting is None:
            raise InputError(f"{self.game.name} is not a game of betting")
        for action in self._actions_here:
            state = betting.apply(state, action)
        return state

    @cached_property
    def parent(self) -> PublicNode | None:
        """The decision or deal before this node; None at the root."""
        way = self.street_tree.way_to(self.at)
        if way:
            return PublicNode(self.game, self.tree, ("decision", way[-1][0]), self.dealt)
        return None if self.street_tree.path[0] < 0 else self._street_above

    @property
    def _street_above(self) -> PublicNode:
        """The deal that led to this street."""
        tree, leaf = self.street_tree.path
        return PublicNode(self.game, tree, ("leaf", leaf), self.game.before_deal(self.dealt))

    @property
    def street_start(self) -> PublicNode:
        """The first decision of this street."""
        return PublicNode(self.game, self.tree, ("decision", 0), self.dealt)

    def path(self) -> list[PublicNode]:
        """Return the nodes from the root to this one, both included."""
        found, at = [self], self.parent
        while at is not None:
            found.append(at)
            at = at.parent
        return found[::-1]

    def child(self, action: Step) -> PublicNode:
        """Return the node after an action."""
        if action not in self.decision.actions:
            known = ", ".join(str(one) for one in self.decision.actions)
            raise InputError(f"{action!r} is not an action here: it may be {known}")
        return PublicNode(self.game, self.tree, self.street_tree.children[self.at[1], action], self.dealt)

    def follow(self, actions: Iterable[Step]) -> PublicNode:
        """Return the node after several actions, one after the other."""
        node = self
        for action in actions:
            node = node.child(action)
        return node

    def children(self) -> Iterator[tuple[Step, PublicNode]]:
        """Yield every action with the node after it."""
        for action in self.decision.actions:
            yield action, self.child(action)

    def deal(self, dealt: Any) -> PublicNode:
        """Return the first decision after chance has dealt: cards in hold'em, the outcomes of one event elsewhere."""
        if self.kind != "deal":
            raise InputError(f"nothing is dealt at this node: it is a {self.kind}")
        return PublicNode(self.game, self.leaf.tree, ("decision", 0), self.game.after_deal(self.dealt, dealt))

    def deals(self) -> Iterator[PublicNode]:
        """Yield the first decisions after the deals of chance, one for each expanded board."""
        for after in self.game.deals_after(self.dealt):
            yield PublicNode(self.game, self.leaf.tree, ("decision", 0), after)

    def decisions_below(self) -> Iterator[PublicNode]:
        """Yield this decision and all below it, on every expanded board, parents first."""
        stack = [self]
        while stack:
            at = stack.pop()
            if at.kind == "decision":
                yield at
                stack += [after for _, after in at.children()]
            elif at.kind == "deal":
                stack += at.deals()

    def ends_at_once(self) -> NDArray[np.bool_]:
        """Return which actions end the game, or leave only cards to come."""
        return np.array([after.kind == "end" for _, after in self.children()])

    def strategy(self, profile: Profile) -> FloatArray:
        """Return the strategy of the player to act, [action, hand]; 0 for hands that are blocked."""
        profile.require_fit(self.game)
        rows = profile.strategy(self.tree, self.at[1], self.board)
        return self.game.from_rows(self.player, rows, self.located)

    def set_strategy(self, profile: Profile, strategy: FloatArray) -> None:
        """Write the strategy of the player to act, [action, hand], on the expanded board that stands for what was
        dealt."""
        profile.require_fit(self.game)
        place = self.game.row_places(self.player, self.located)
        rows = np.zeros((len(strategy), int(place.max()) + 1))
        rows[:, place[place >= 0]] = strategy[:, place >= 0]
        profile.set_strategy(self.tree, self.at[1], self.board, rows)

    def reach(self, profile: Profile) -> Rows:
        """Return both players' own reach of this node, range weights included."""
        found, start = [], self.start_reach(profile)
        for player in range(2):
            row = self.street_tree.row_before(self.at, player)
            own = _reach_of_row(profile, self.tree, self.board, player, row, start[player])
            found.append(self.game.from_rows(player, own, self.located) * self.game.unit[player])
        return found[0], found[1]

    def mass(self, player: int, reach: FloatArray) -> FloatArray:
        """Return, per hand of a player, the mass of the other's reach that it can meet here.

        With the probabilities of chance where a game has them in its payoffs; 0 for hands that are blocked.
        """
        return self.game.mass_at(player, reach, self)

    def values(self, profile: Profile, traverser: Traverser | None = None) -> NodeValues:
        """Return the counterfactual values of both strategies from this decision on."""
        return self._values(profile, traverser, (None, None))

    def _values(
        self, profile: Profile, traverser: Traverser | None, dealt: tuple[FloatRow | None, FloatRow | None]
    ) -> NodeValues:
        """Return the values, with those of the street's deals to both players if they are known."""
        actor = self.player
        rows = self._rows(profile, actor, traverser, dealt=dealt[actor])
        mixed = (rows * profile.strategy(self.tree, self.at[1], self.board)).sum(axis=0)
        (other,) = self._rows(profile, 1 - actor, traverser, dealt=dealt[1 - actor])
        node = (mixed, other) if actor == 0 else (other, mixed)
        return NodeValues(self._by_hand(actor, rows), (self._by_hand(0, node[0]), self._by_hand(1, node[1])))

    def action_values(self, profile: Profile, traverser: Traverser | None = None) -> FloatArray:
        """Return the counterfactual values of each action to the player to act, under both strategies after it."""
        return self._by_hand(self.player, self._rows(profile, self.player, traverser))

    def best_values(self, player: int, profile: Profile, traverser: Traverser | None = None) -> FloatArray:
        """Return the counterfactual value of a best response from this decision on to each hand of a player.

        The response is to the other's strategy, and values are summed over the other's reach.
        """
        rows = self._rows(profile, player, traverser, best=True)
        return np.asarray(self._by_hand(player, rows).max(axis=0))

    def best_action_values(self, profile: Profile, traverser: Traverser | None = None) -> FloatArray:
        """Return the value of a best response after each action to the player to act, [action, hand]."""
        return self._by_hand(self.player, self._rows(profile, self.player, traverser, best=True))

    def _rows(
        self,
        profile: Profile,
        player: int,
        traverser: Traverser | None,
        best: bool = False,
        dealt: FloatRow | None = None,
    ) -> FloatArray:
        where = self.tree, self.at[1], self.board
        found = traverser or traverser_of(self.game)
        return found.decision_rows(profile, player, where, self.start_reach(profile), best, dealt)

    def _by_hand(self, player: int, rows: FloatArray) -> FloatArray:
        return self.game.from_rows(player, rows, self.located) * self.game.unit[1 - player]

    def start_reach(self, profile: Profile) -> NDArray[np.float32]:
        """Return both players' reach at the beginning of the street tree, in the order of the expanded board's rows."""
        profile.require_fit(self.game)
        return _start_reach(profile, self.tree, self.board)


def _start_reach(profile: Profile, tree: int, board: int) -> NDArray[np.float32]:
    game = profile.game
    above, leaf = game.street_trees[tree].path
    if above < 0:
        return game.ranges
    parent = int(game.board_above[board])
    before, found = _start_reach(profile, above, parent), np.zeros_like(game.ranges)
    for player, row in enumerate(game.street_trees[above].leaves[leaf].rows):
        own = _reach_of_row(profile, above, parent, player, row, before[player])
        begin, count = int(game.boards.begin[player, board]), int(game.boards.held[player, board])
        found[player, :count] = np.append(own, 0.0)[game.boards.parent_hand[begin : begin + count]]
    return found


def _reach_of_row(
    profile: Profile, tree: int, board: int, player: int, row: int, start: NDArray[np.float32]
) -> FloatArray:
    """Return a player's reach after one of its rows of a street tree, from that at its beginning."""
    street_tree = profile.game.street_trees[tree]
    reach = start[: int(profile.game.boards.held[player, board])].astype(np.float64)
    for number, action in street_tree.way_to_row(player, row):
        reach = reach * profile.strategy(tree, number, board)[street_tree.decisions[number].actions.index(action)]
    return reach


def traverser_of(game: PublicGame) -> Traverser:
    """Return the traverser with which this thread looks into a game; it is kept as long as the game."""
    kept: Traverser | None = getattr(game.of_thread, "traverser", None)
    if kept is None:
        kept = game.of_thread.traverser = Traverser(game)
    return kept


class StreetValues:
    """The counterfactual values of both strategies at all decisions of a street on one board.

    The tree below the street is traversed once, when this is made, and not again for each decision.
    """

    def __init__(self, node: PublicNode, profile: Profile) -> None:
        """`node` is any decision of the street."""
        reach, walker = node.start_reach(profile), traverser_of(node.game)
        first, second = (walker.dealt_values(profile, player, node.tree, node.board, reach) for player in range(2))
        self._profile, self._dealt = profile, (first, second)

    def at(self, node: PublicNode) -> NodeValues:
        """Return `PublicNode.values` of a decision of the street."""
        return node._values(self._profile, None, self._dealt)


class BelowNode:
    """The value of a decision or deal for any reach of the players there, by the strategies below it.

    The strategies above it play no part.
    """

    def __init__(self, node: PublicNode, profile: Profile, traverser: Traverser | None = None) -> None:
        if node.kind not in ("decision", "deal"):
            raise InputError(f"nothing follows {node}")
        profile.require_fit(node.game)
        self.node, self.profile, self._given = node, profile, traverser
        if node.kind == "decision":
            self.profile = profile.copy()
            for number, action in node.street_tree.way_to(node.at):
                here = PublicNode(node.game, node.tree, ("decision", number), node.dealt)
                taken = np.array([[float(action == other)] for other in here.actions])
                held = int(node.game.boards.held[here.player, node.board])
                self.profile.set_strategy(node.tree, number, node.board, taken * np.ones(held))
        self._places = [node.game.row_places(player, node.located) for player in range(2)]

    def values(
        self, player: int, reach: NDArray[Any], drawn: tuple[NDArray[np.int64], FloatArray] | None = None
    ) -> FloatArray:
        """Return the counterfactual value of the node to each hand of a player, for the other's reach by hand.

        With `drawn` (see `Traverser.deal_rows`) only some of the boards that may be dealt next count.
        """
        node, game = self.node, self.node.game
        traverser = self._given or traverser_of(game)  # another thread has another
        rows = np.zeros((2, int(game.boards.stride[:, node.board].max())), dtype=np.float32)
        alive = self._places[1 - player] >= 0
        rows[1 - player, self._places[1 - player][alive]] = np.asarray(reach)[alive]
        where = node.tree, node.at[1], node.board
        if node.kind == "deal":
            held = int(game.boards.held[1 - player, node.board])
            found = traverser.deal_rows(self.profile, player, where, rows[1 - player, :held], drawn)
        else:
            found = traverser.decision_rows(self.profile, player, where, rows)
            if node.player == player:
                found = found * self.profile.strategy(*where)
            found = found.sum(axis=0)
        return game.from_rows(player, found, node.located)
