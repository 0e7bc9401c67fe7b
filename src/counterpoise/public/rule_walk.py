"""One walk over a rule book: the street trees, boards, infosets and payoffs from which a public game is built.

1. A public node holds all private deals side by side, on every board of its street; they must agree on the player to
   act and on its actions.
2. Deals that no infoset of a player tells apart are united to one hand of that player.
3. Chance after the private deals must be public: its outcomes are the boards of the next street.
4. The payoffs of a leaf, with the probabilities of chance inside, are numbered; equal ones are kept once.
"""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

import numpy as np

from counterpoise.errors import InputError
from counterpoise.games import CHANCE, TERMINAL, Game
from counterpoise.games.base import MAX_MOVES
from counterpoise.public.dense_boards import HandOf, Names
from counterpoise.public.game import FloatArray
from counterpoise.public.histories import chance_outcomes, private_deals
from counterpoise.public.kernels.street import DEAL, MATRIX, VALUE
from counterpoise.public.kernels.traverse import DEPTH
from counterpoise.public.street_trees import Cut, Leaf, StreetDecision, StreetTree, offer_choices

Path = tuple[int, ...]
"""Numbers of actions and chance outcomes."""


class Infoset(NamedTuple):
    """Where an infoset is: its decision (-1 if there is no choice), its board and the first deal that leads to it."""

    player: int
    label: str
    actions: Names
    tree: int
    decision: int
    board: int
    deal: int
    path: Path


class RuleWalk:
    """The street trees, boards, infosets and payoffs of a rule book, all private deals walked side by side."""

    def __init__(self, game: Game, name: str, *, hidden: bool, forced: bool, cut: Cut | None) -> None:
        self.game, self.name, self.hidden, self.forced, self.cut = game, name, hidden, forced, cut
        if game.players != 2:
            self._refuse(f"it has {game.players} players, not two")
        deals = private_deals(game)
        self.deals = len(deals)
        self.street_of = [0]
        self.children: list[dict[Names, int]] = [{}]
        """Per board the boards after it, by the outcomes of chance."""
        self.infosets: list[Infoset] = []
        self.payoffs: list[dict[bytes, tuple[int, FloatArray]]] = [{}]
        """Per street the different payoffs of its leaves, numbered: [player, board of the street, deal]."""
        self.trees = [StreetTree(0, None, (-1, -1))]
        self._decided = [0]
        self._starts = [[_Moment(0, number, deal.chance, deal.state) for number, deal in enumerate(deals)]]
        self._paths: list[dict[tuple[int, int], Path]] = [{(0, deal): () for deal in range(self.deals)}]
        self._known: set[tuple[int, str]] = set()
        self._same = [list(range(self.deals)) for _ in range(2)]
        self._apart: list[set[tuple[int, ...]]] = [set(), set()]
        self.total: float | None = None
        for number, _ in enumerate(self.trees):  # which grow while they are walked
            self._street(number)
        offer_choices(self.trees, cut)

    def hands(self, player: int) -> HandOf:
        """Return the hands of a player: deals that no infoset of it tells apart are one."""
        if not self._apart[player]:
            return np.zeros(self.deals, dtype=np.int64)
        classes = np.array([self._first(player, deal) for deal in range(self.deals)])
        for told_apart in self._apart[player]:
            if len(set(classes[list(told_apart)].tolist())) != len(told_apart):
                self._refuse(f"player {player} learns something private after its first decision")
        return np.unique(classes, return_inverse=True)[1].astype(np.int64)

    def chances(self) -> list[FloatArray]:
        """Return the probability of every board with every deal, by street; nothing if actions change it."""
        found: list[FloatArray] = []
        for tree, moments in zip(self.trees, self._starts, strict=True):
            chance = np.zeros((self.street_of.count(tree.street), self.deals))
            first = self.street_of.index(tree.street)
            for moment in moments:
                chance[moment.board - first, moment.deal] += moment.weight
            if tree.street == len(found):
                found.append(chance)
            elif not np.allclose(chance, found[tree.street], rtol=1e-9, atol=0):
                return []
        return found

    def _street(self, number: int) -> None:
        tree, rows = self.trees[number], [1, 1]
        met: dict[Any, tuple[int, int]] = {}
        stack = [_Node(self._starts[number], (0, 0), None, (), self._decided[number])]
        while stack:
            node = stack.pop()
            player, actions = self._shape(node.moments)
            if self.cut is not None and self._stops(tree, node, player, len(actions)):
                tree.add_leaf(node.edge, Leaf(int(VALUE), node.rows, seen=self._seen(node, player)))
                continue
            if player < 0:
                self._end(number, node)
                continue
            if len(node.steps) >= MAX_MOVES:
                self._refuse(f"it does not end: a history has more than {MAX_MOVES:,} moves")
            choice = len(actions) > 1 or self.forced
            seen = (player, node.rows[player], self._labels(node)) if self.hidden else node.steps
            again = seen in met  # the other player's moves since then are hidden
            here, first = met.setdefault(seen, (len(tree.decisions) if choice else -1, rows[player]))
            if not again:
                self._note(number, here, player, actions, node)
            if choice:
                tree.join(node.edge, ("decision", here))
                if not again:
                    tree.decisions.append(StreetDecision(player, actions, node.rows[player], first))
                    rows[player] += len(actions)
            for k in range(len(actions) - 1, -1, -1):
                action = actions[k]
                after = [_Moment(b, d, weight, self.game.next(state, action)) for b, d, weight, state in node.moments]
                row = first + k if choice else node.rows[player]
                at = (row, node.rows[1]) if player == 0 else (node.rows[0], row)
                edge = (here, action) if choice else node.edge
                stack.append(_Node(after, at, edge, (*node.steps, k), node.decided + 1))

    def _stops(self, tree: StreetTree, node: _Node, player: int, actions: int) -> bool:
        """Return whether the cut stops play at a node; it never does where there is nothing left to decide."""
        assert self.cut is not None
        if player == TERMINAL or not self.cut.stops(tree.street, node.decided, player == CHANCE):
            return False
        if player != CHANCE:
            return actions > 1 or self.forced
        ends = [end.state for moment in node.moments for _, end in self._outcomes(moment)]
        return any(self.game.player(end) != TERMINAL for end in ends)

    def _seen(self, node: _Node, player: int) -> tuple[Any, Any] | None:
        """Return each player's information at a value leaf, if moves may be hidden."""
        if not self.hidden or player < 0:
            return None
        seen = [node.steps, node.steps]
        seen[player] = (node.rows[player], self._labels(node))  # type: ignore[assignment]
        return seen[0], seen[1]

    def _shape(self, moments: list[_Moment]) -> tuple[int, Names]:
        """Return the player and the actions of a public node, which must be the same for all deals and boards."""
        game = self.game
        shapes: dict[int, tuple[int, Names]] = {}
        for board, _, _, state in moments:
            player = game.player(state)
            shape = (player, tuple(game.actions(state)) if player >= 0 else ())
            if shapes.setdefault(board, shape) != shape:
                self._refuse("who acts or which actions there are depends on private information")
        if len(set(shapes.values())) > 1:
            self._refuse("the play after a chance event has not the same shape for all its outcomes")
        return next(iter(shapes.values()))

    def _labels(self, node: _Node) -> tuple[tuple[int, int, str], ...]:
        """Return the infoset labels of the player to act at a node, deal by deal."""
        return tuple((board, deal, self.game.infoset(state)) for board, deal, _, state in node.moments)

    def _note(self, tree: int, decision: int, player: int, actions: Names, node: _Node) -> None:
        """Return the infosets of a node; deals of one infoset become one hand."""
        first: dict[int, dict[str, int]] = {}
        for board, deal, _, state in node.moments:
            label = self.game.infoset(state)
            here = first.setdefault(board, {})
            if label in here:
                self._unite(player, here[label], deal)
                continue
            if (player, label) in self._known:
                self._refuse(f"player {player} does not see all actions and later chance outcomes at {label!r}")
            self._known.add((player, label))
            here[label] = deal
            path = self._paths[tree][board, deal] + node.steps
            self.infosets.append(Infoset(player, label, actions, tree, decision, board, deal, path))
        self._apart[player] |= {tuple(labels.values()) for labels in first.values()}

    def _end(self, number: int, node: _Node) -> None:
        """Return the end of a street: payoffs, or a chance event and the street tree after it."""
        tree, street = self.trees[number], self.trees[number].street
        events = [(moment, self._outcomes(moment)) for moment in node.moments]
        ends = [end for _, outcomes in events for _, end in outcomes]
        if all(self.game.player(end.state) == TERMINAL for end in ends):
            tree.add_leaf(node.edge, Leaf(int(MATRIX), node.rows, number=self._matrix(street, ends)))
            return
        if street + 1 == DEPTH:
            self._refuse(f"more than {DEPTH - 1} chance events follow one another in play")
        if street + 1 == len(self.payoffs):
            self._deal(street + 1, events)
        after, paths, seen = [], {}, set()
        for moment, outcomes in events:
            for k, (names, end) in enumerate(outcomes):
                board = self.children[moment.board].get(names, -1)
                seen.add(board)
                after.append(end._replace(board=board))
                paths[board, moment.deal] = (*self._paths[number][moment.board, moment.deal], *node.steps, k)
        if seen != {board for board, at in enumerate(self.street_of) if at == street + 1}:
            self._refuse("the outcomes of a chance event depend on the actions before it")
        tree.add_leaf(node.edge, Leaf(int(DEAL), node.rows, tree=len(self.trees)))
        self.trees.append(StreetTree(street + 1, None, (number, len(tree.leaves) - 1)))
        self._decided.append(node.decided)
        self._starts.append(after)
        self._paths.append(paths)

    def _deal(self, street: int, events: list[tuple[_Moment, list[tuple[Names, _Moment]]]]) -> None:
        """Make the boards of a street, those after one board side by side."""
        self.payoffs.append({})
        for moment, outcomes in sorted(events, key=lambda event: event[0].board):
            for names, _ in outcomes:
                if names not in self.children[moment.board]:
                    self.children[moment.board][names] = len(self.street_of)
                    self.street_of.append(street)
                    self.children.append({})

    def _matrix(self, street: int, ends: list[_Moment]) -> int:
        """Return the number of a leaf's payoffs, chance included, among those of its street."""
        won = np.array([self.game.payoffs(end.state) for end in ends], dtype=np.float64)
        if won.shape != (len(ends), 2) or not np.isfinite(won).all():
            self._refuse("its payoffs are not two finite numbers at every end")
        sums = won.sum(axis=1)
        self.total = float(sums[0]) if self.total is None else self.total
        if (np.abs(sums - self.total) > 1e-9 * np.maximum(1, np.abs(won[:, 0]))).any():
            self._refuse("its payoffs do not have the same sum at every end")
        board = np.array([end.board for end in ends]) - self.street_of.index(street)
        deal = np.array([end.deal for end in ends])
        payoffs = np.zeros((2, self.street_of.count(street), self.deals))
        for player in range(2):
            np.add.at(payoffs[player], (board, deal), won[:, player] * [end.weight for end in ends])
        known = self.payoffs[street]
        return known.setdefault(payoffs.tobytes(), (len(known), payoffs))[0]

    def _outcomes(self, moment: _Moment) -> list[tuple[Names, _Moment]]:
        """Return the outcomes of all chance nodes in a row, and the moments after them."""
        deals = chance_outcomes(self.game, moment.state, moment.weight)
        return [(deal.path, moment._replace(weight=deal.chance, state=deal.state)) for deal in deals]

    def _unite(self, player: int, one: int, other: int) -> None:
        self._same[player][self._first(player, other)] = self._first(player, one)

    def _first(self, player: int, deal: int) -> int:
        """Return the deal that stands for all of the same hand."""
        same = self._same[player]
        while same[deal] != deal:
            deal = same[deal]
        return deal

    def _refuse(self, reason: str) -> NoReturn:
        raise InputError(f"{self.name} has no public tree: {reason}")


class _Moment(NamedTuple):
    """One deal at a public node of one board: the state there and its chance probability."""

    board: int
    deal: int
    weight: float
    state: Any


class _Node(NamedTuple):
    """A public node in the walk: its moments, the rows of both players, the edge to it, the steps on its street and
    the decisions since the root."""

    moments: list[_Moment]
    rows: tuple[int, int]
    edge: tuple[int, str] | None
    steps: Path
    decided: int
