"""The betting of a game of hold'em as a tree in flat arrays, for two to ten seats, limit or no-limit.

Bets are those of the game's menu (`Holdem.menu`). Nodes are numbered from the root, 0, a parent before its children and
the children of a node side by side, in the order of the menu; the nodes below a child follow each other too. There are
decisions and ends. A node knows its round, so the deal of a round's cards is the step from a node to a child in a later
round; an end with several live seats is a showdown, before which the board is dealt to its end (a run-out if the
betting ended before the last round).

`arrays` and `ends` are for kernels (`counterpoise.sampling.kernels.layouts`); `action`, `parent` and `paid` say more
about each node: the action that led to it (`FOLD`, `CALL` or a total in chips), and the chips of each seat.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import CALL, FOLD, BetAction, BettingState
from counterpoise.errors import InputError
from counterpoise.games.base import CHANCE, TERMINAL, Action
from counterpoise.games.events import ActionEvent, read_action, read_event
from counterpoise.games.holdem import Holdem
from counterpoise.parameters import require
from counterpoise.progress import Progress, SilentProgress
from counterpoise.sampling.kernels.layouts import BettingArrays, Ends

MOST_NODES = 5_000_000
"""The most nodes of a betting tree; each takes about 30 bytes and some microseconds."""
MOST_KNOWN = 200_000
"""States whose actions are remembered while a tree is built: lines of betting often meet in the same state."""
BATCHES, PROBES, FEW = 8, 512, 32
"""Batches of random lines by which the size of a tree is estimated, lines of a batch, and of a first look."""
SOON_BUILT = 200_000
"""The number of nodes that are built in two seconds, for which no estimate is needed."""
CERTAIN, RARELY = 1e3, 0.3
"""The odds at which a tree is taken to be too large, and the probability with which a random line ends the betting."""
SHOW_EVERY = 50_000
PICK: BetAction = -2
"""The edge to the pick of a continuation at a leaf: no action, so that no line continues behind a leaf."""

_KINDS = {"player": "b", "round": "B", "actions": "H", "first_child": "I", "end": "I", "action": "q", "parent": "I"}


class BettingTree:
    """The betting tree of a game of hold'em; make one with `build_betting_tree`."""

    def __init__(
        self,
        game: Holdem,
        arrays: BettingArrays,
        ends: Ends,
        action: NDArray[np.int64],
        parent: NDArray[np.uint32],
        paid: NDArray[np.int64],
        start: BettingState | None = None,
    ) -> None:
        self.game, self.arrays, self.ends, self.start = game, arrays, ends, start
        self.action, self.parent, self.paid = action, parent, paid
        self.node_after = lru_cache(maxsize=4096)(self._node_after)

    def __reduce__(self) -> Any:
        return build_betting_tree, (self.game, MOST_NODES, None, self.start)

    @property
    def nodes(self) -> int:
        """The number of decisions and ends."""
        return len(self.arrays.player)

    @property
    def players(self) -> int:
        """Number of seats."""
        return self.game.players

    @property
    def rounds(self) -> int:
        """Number of betting rounds."""
        return len(self.game.board)

    @cached_property
    def board_cards(self) -> tuple[int, ...]:
        """The number of public cards on the board in each round."""
        return tuple(np.cumsum(self.game.board).tolist())

    @cached_property
    def decisions(self) -> NDArray[np.bool_]:
        """Whether each node is a decision."""
        return np.asarray(self.arrays.player != TERMINAL)

    def by_round(self) -> tuple[int, ...]:
        """Return the number of decisions of each round."""
        return tuple(np.bincount(self.arrays.round[self.decisions], minlength=self.rounds).tolist())

    def round_exits(self, number: int) -> NDArray[np.int64]:
        """Return the nodes where a round is left with more than one live seat: decisions of later rounds, and
        showdowns after an all-in."""
        arrays = self.arrays
        follows = arrays.round[self.parent] == number
        follows[0] = False
        live = self.ends.live[arrays.end]
        shown = ~self.decisions & (live & (live - 1) != 0)
        return np.flatnonzero(follows & ((self.decisions & (arrays.round > number)) | shown))

    def children(self, node: int) -> range:
        """Return the nodes that follow a node, in the order of the menu."""
        first = int(self.arrays.first_child[node])
        return range(first, first + int(self.arrays.actions[node]))

    def labels(self, node: int) -> tuple[ActionEvent, ...]:
        """Return the actions of a decision as node ids write them: "f", "c", "b300"."""
        found: tuple[ActionEvent, ...] = self._labels_of(
            int(self.arrays.first_child[node]), int(self.arrays.actions[node])
        )
        return found

    def line(self, node: int) -> tuple[ActionEvent, ...]:
        """Return the actions that lead to a node, without cards."""
        found: list[ActionEvent] = []
        while node:
            found.append(ActionEvent(int(self.action[node])))
            node = int(self.parent[node])
        return tuple(reversed(found))

    def child(self, node: int, action: Action) -> int:
        """Return the node after an action; refuse one that the tree does not have."""
        wanted = read_action(action).bet
        for following in self.children(node):
            if self.action[following] == wanted:
                return following
        there = ", ".join(self.labels(node)) if self.decisions[node] else "nothing: the betting ends"
        raise InputError(f"the betting tree of {self.game.name} has no {action} here, only {there}")

    def knows(self, public: tuple[str, ...]) -> bool:
        """Return whether all actions of a public history are in the tree."""
        try:
            self.node_after(public)
        except InputError:
            return False
        return True

    def _node_after(self, public: tuple[str, ...]) -> int:
        """Return the node after public events; cards among them are passed over."""
        if not public:
            return 0
        before = self.node_after(public[:-1])
        event = read_event(public[-1])
        return self.child(before, event) if isinstance(event, ActionEvent) else before

    @cached_property
    def _labels_of(self) -> Any:
        return lru_cache(maxsize=4096)(
            lambda first, count: tuple(map(ActionEvent, self.action[first : first + count].tolist()))
        )


def build_betting_tree(
    game: Holdem, most_nodes: int = MOST_NODES, progress: Progress | None = None, start: BettingState | None = None
) -> BettingTree:
    """Return the betting tree of a game, or the rest of it from `start` on, where a seat is to act.

    Raise `InputError` if it has more nodes than allowed.

    >>> from counterpoise.games import load
    >>> tree = build_betting_tree(load("limit_holdem"))
    >>> tree.by_round(), tree.nodes  # Johanson 2016, section 11.3.1 counts the same decisions
    ((8, 70, 630, 5670), 16584)
    """
    whole = isinstance(game, Holdem) and game.from_the_deal
    require(whole, f"betting trees are of whole hands of hold'em, not of {getattr(game, 'name', game)}")
    first = game.betting.initial() if start is None else start
    arrays, ends, action, parent, paid = NodeCollector(game, most_nodes, progress).collect(first)
    return BettingTree(game, arrays, ends, action, parent, paid, start)


class NodeCollector:
    """Collects nodes in compact arrays, depth first and without recursion.

    `menu` returns the actions of a decision, by default those of the game's menu. `stop` returns whether the tree stops
    at the state after an action, at a leaf: an end whose `end` is numbered after the rows of `Ends`. Its children,
    behind all other nodes, are decisions without children: each live seat with chips left and more than one of `picks`
    continuations chooses among them.
    """

    def __init__(
        self,
        game: Holdem,
        most_nodes: int = MOST_NODES,
        progress: Progress | None = None,
        menu: Callable[[BettingState], Sequence[BetAction]] | None = None,
        stop: Callable[[BettingState], bool] | None = None,
        picks: Sequence[int] = (),
    ) -> None:
        self.game, self.most_nodes, self.progress = game, most_nodes, progress or SilentProgress()
        self.menu, self.stop, self.picks = menu or game.menu, stop, picks
        self.leaves: list[tuple[int, BettingState]] = []
        """The nodes at which the tree stops, and the betting there."""
        self.columns = {name: array(kind) for name, kind in _KINDS.items()}
        self.paid = array("q")
        self.known: dict[BettingState, tuple[Sequence[BetAction], list[BettingState]]] = {}
        self.rows: dict[tuple[Any, ...], int] = {}
        self.base: list[list[float]] = []
        self.live: list[int] = []
        self.pots: list[list[tuple[float, int]]] = []

    def collect(self, start: BettingState) -> Any:
        """Return the parts of the tree that begins with a state, as `BettingTree` takes them."""
        root = self._next_asked(start)
        self._refuse_large(root)
        self._add(root, 0, 0)
        stack = [(0, root)]
        while stack:
            node, state = stack.pop()
            if node and self._stops(state):
                self.leaves.append((node, state))
                self.columns["player"][node] = TERMINAL
                continue
            if state.to_act == TERMINAL:
                self.columns["end"][node] = self._row(state)
                continue
            actions, following = self._expand(state)
            first = len(self.paid) // self.game.players
            self.columns["first_child"][node] = first
            self.columns["actions"][node] = len(actions)
            for action, after in zip(actions, following, strict=True):
                self._add(after, action, node)
            if first // SHOW_EVERY < (first + len(actions)) // SHOW_EVERY:
                self.progress.show(None, f"{first:,} betting nodes")
            stack += [(first + place, after) for place, after in reversed(list(enumerate(following)))]
        return self._finished()

    def _refuse_large(self, root: BettingState) -> None:
        """Refuse a tree that is too large before it is built, by random lines through it (Knuth 1975).

        One over the probability of a line is an unbiased estimate of the nodes at its depth. If a tree has no more
        nodes than allowed, the product of the means of batches over that number is 1 at most in expectation, and ever
        exceeds a thousand with a probability below one in a thousand. A tree that is barely too large is refused while
        it is built.
        """
        random, doubt = Random(0), 1.0
        if self.most_nodes <= SOON_BUILT:
            return
        if sum(self._probe(root, random) for _ in range(FEW)) < FEW * self.most_nodes / CERTAIN:
            return
        for _ in range(BATCHES):
            doubt *= sum(self._probe(root, random) for _ in range(PROBES)) / PROBES / self.most_nodes
            if doubt > CERTAIN:
                self._refuse()
            if doubt < 1 / CERTAIN:
                return

    def _probe(self, root: BettingState, random: Random) -> float:
        """Return an estimate of the nodes of a tree, from one random line that avoids what ends the betting."""
        nodes, over, state = 1.0, 1.0, root
        while state.to_act != TERMINAL and (state is root or not self._stops(state)):
            actions = self.menu(state)
            nodes += over * len(actions)
            several = sum(action > CALL for action in actions) > 1
            ending = (FOLD, state.max_raise) if several else (FOLD,)
            weights = [RARELY if action in ending else 1.0 for action in actions]
            chosen = random.choices(range(len(actions)), weights)[0]
            over *= sum(weights) / weights[chosen]
            state = self._next_asked(self.game.betting.apply(state, actions[chosen]))
        return nodes

    def _expand(self, state: BettingState) -> tuple[Sequence[BetAction], list[BettingState]]:
        """Return the actions of a decision and what follows them; refuse more nodes than allowed before that."""
        found = self.known.get(state)
        actions = self.menu(state) if found is None else found[0]
        if len(self.paid) // self.game.players + len(actions) > self.most_nodes:
            self._refuse()
        if found is None:
            found = actions, [self._next_asked(self.game.betting.apply(state, action)) for action in actions]
            if len(self.known) < MOST_KNOWN:
                self.known[state] = found
        return found

    def _next_asked(self, state: BettingState) -> BettingState:
        """Return the next state at which a seat acts, the end, or the leaf where the tree stops."""
        while state.to_act == CHANCE and not self._stops(state):
            state = self.game.betting.deal(state)
        return state

    def _stops(self, state: BettingState) -> bool:
        return self.stop is not None and state.to_act != TERMINAL and self.stop(state)

    def _add(self, state: BettingState, action: BetAction, parent: int) -> None:
        columns = self.columns
        columns["player"].append(state.to_act)
        columns["round"].append(state.round)
        columns["actions"].append(0)
        columns["first_child"].append(0)
        columns["end"].append(0)
        columns["action"].append(action)
        columns["parent"].append(parent)
        self.paid.extend(state.paid)

    def _add_picks(self, leaf: int, state: BettingState) -> None:
        """Add a decision for every seat that picks a continuation at a leaf."""
        self.columns["first_child"][leaf] = len(self.paid) // self.game.players
        for seat in state.live:
            if self.picks[seat] > 1 and self.game.betting.behind(state, seat):
                self._add(state._replace(to_act=seat), PICK, leaf)
                self.columns["actions"][-1] = self.picks[seat]
                self.columns["actions"][leaf] += 1

    def _row(self, state: BettingState) -> int:
        """Return the row of an end among those that pay differently."""
        key = state.paid, state.live, state.round == 0
        if key not in self.rows:
            self.rows[key] = len(self.base)
            wins, pots = self.game.betting.awards(state)
            self.base.append(wins)
            self.live.append(seat_set(state.live))
            self.pots.append([(amount, seat_set(seats)) for amount, seats in pots])
        return self.rows[key]

    def _finished(self) -> Any:
        for number, (node, state) in enumerate(self.leaves):
            self.columns["end"][node] = len(self.base) + number
            self._add_picks(node, state)
        kinds = {"player": np.int8, "round": np.uint8, "actions": np.uint16, "action": np.int64}
        columns: dict[str, Any] = {
            name: np.frombuffer(values, dtype=kinds.get(name, np.uint32)) for name, values in self.columns.items()
        }
        action, parent = columns.pop("action"), columns.pop("parent")
        pots = [pot for row in self.pots for pot in row]
        betting = self.game.betting
        ends = Ends(
            base=np.array(self.base, dtype=np.float64).reshape(-1, self.game.players),
            live=np.array(self.live, dtype=np.uint16),
            first_pot=np.cumsum([0, *map(len, self.pots)]).astype(np.uint32),
            pot=np.array([amount for amount, _ in pots], dtype=np.float64),
            pot_seats=np.array([seats for _, seats in pots], dtype=np.uint16),
            order=np.array(betting.table_order, dtype=np.uint8),
            whole=betting.whole_chips,
        )
        paid = np.frombuffer(self.paid, dtype=np.int64).reshape(-1, self.game.players)
        return BettingArrays(**columns), ends, action, parent, paid

    def _refuse(self) -> None:
        raise InputError(
            f"{self.game.name} has more than {self.most_nodes:,} betting nodes: "
            "cut its menu (fewer sizes, also round by round), max_bets, the stack or the seats"
        )


def seat_set(seats: Sequence[int]) -> int:
    """Return seats as a set of bits."""
    return sum(1 << seat for seat in seats)
