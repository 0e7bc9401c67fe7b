"""Any two-player zero-sum game of public actions as a public game: Kuhn, Leduc, Liar's Dice, a game of your own.

The rule book is walked once, with all private deals side by side. What a player's infosets cannot tell apart is one
*hand*; every public sequence of actions is a node of a street tree; later chance events, which must be public, lead to
boards of the next street. Payoffs are one matrix per leaf and board, hand by hand, with the probabilities of chance
inside, so that all weights are 1 and values are in the game's own unit. Equal matrices are kept once.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, NoReturn, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.games import CHANCE, TERMINAL, Game, as_game, game_name, refuse_large
from counterpoise.public.boards import lay_out_boards
from counterpoise.public.game import BoardImage, FloatArray, PublicGame, Rows, game_arrays
from counterpoise.public.histories import AfterHistory, chance_outcomes, private_deals
from counterpoise.public.kernels.layouts import Boards
from counterpoise.public.kernels.street import DEAL, MATRIX, VALUE
from counterpoise.public.kernels.traverse import DEPTH
from counterpoise.public.node import PublicNode
from counterpoise.public.profile import Profile
from counterpoise.public.street_trees import Cut, Decision, Leaf, StreetTree, offer_choices
from counterpoise.tree import InfosetTable, Strategy
from counterpoise.tree.enumerate import MAX_MOVES
from counterpoise.tree.strategy import proportional

Names = tuple[str, ...]
"""Outcomes of successive chance nodes, or actions."""
Path = tuple[int, ...]
"""Numbers of actions and chance outcomes."""
MAX_HISTORIES = 10**7
"""A rule book that has more histories by its own account is not walked: every deal is kept as a state."""
HandOf = NDArray[np.int64]
"""Per deal the number of a player's hand."""
Behaviour = Mapping[Any, Mapping[str, float]]
"""A `Strategy`, or {(player, infoset): {action: probability}}."""


@runtime_checkable
class OffersMore(Protocol):
    """Rules that hide some actions and can offer them on a path."""

    def offering(self, path: Names) -> Game:
        """Return the rules that offer the hidden actions of a public history, and no others."""
        ...


class Deals(NamedTuple):
    """Private deals one by one: each player's hand, per street the probabilities [board of the street, deal] (nothing
    if actions change them) and the different payoffs of its ends [player, board of the street, deal], chance included.
    Players have hands up to the last that is dealt, and at least `fewest`, of which some are then never dealt.
    """

    hands: list[HandOf]
    chances: list[FloatArray]
    ends: list[list[FloatArray]]
    fewest: int = 0

    @property
    def counts(self) -> tuple[int, int]:
        """The number of hands of each player."""
        first, second = (max(int(own.max()) + 1, self.fewest) for own in self.hands)
        return first, second

    def by_hands(self, player: int, numbers: FloatArray, width: int = 0) -> FloatArray:
        """Return numbers per deal summed by hands, [other player's hand, own hand], in rows of at least `width`."""
        counts = self.counts
        found = np.zeros((counts[1 - player], max(width, counts[player])))
        np.add.at(found, (self.hands[1 - player], self.hands[player]), numbers)
        return found


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class DenseGame(PublicGame):
    """The public game of a rule book."""

    has_infosets = True

    rules: Game
    deals: Deals
    infosets: list[Infoset]
    """As `enumerate_game` lists them."""
    outcomes: list[dict[Names, int]]
    """Per board the boards after it, by the outcomes of chance."""
    payoff_sum: float
    hidden: bool
    forced: bool
    """Whether decisions with a single action are nodes."""

    @property
    def name(self) -> str:
        """The name of the rule book."""
        return game_name(self.rules)

    @cached_property
    def table(self) -> InfosetTable:
        """The infosets with their actions."""
        owners = np.array([place.player for place in self.infosets], dtype=np.int8)
        return InfosetTable(
            2, owners, [place.label for place in self.infosets], [place.actions for place in self.infosets]
        )

    @cached_property
    def entry(self) -> NDArray[np.int64]:
        """Per infoset and action its entry in a profile; -1 where there is no choice."""
        found: list[int] = []
        for infoset in self.infosets:
            if infoset.decision < 0:
                found.append(-1)
                continue
            place = self.place(infoset.tree, infoset.decision, infoset.board)
            row = int(self.deals.hands[infoset.player][infoset.deal])
            found += [place.entry + row + action * place.stride for action in range(len(infoset.actions))]
        return np.array(found, dtype=np.int64)

    @cached_property
    def zero_sum(self) -> bool:
        """Whether what one player wins the other loses; the payoffs may also have another constant sum."""
        return self.payoff_sum == 0

    @property
    def constant_sum(self) -> bool:
        """Always: other games are refused."""
        return True

    def locate(self, dealt: tuple[Any, ...]) -> BoardImage:
        """Return the board after public events of chance, each a tuple of outcomes."""
        board = 0
        for names in dealt:
            if names not in self.outcomes[board]:
                raise InputError(f"{self.name}: {' '.join(names)!r} cannot be dealt there")
            board = self.outcomes[board][names]
        return BoardImage(board)

    def after_deal(self, dealt: tuple[Any, ...], following: Any) -> tuple[Any, ...]:
        """Return the public events of chance, with one more."""
        return (*dealt, (following,) if isinstance(following, str) else tuple(following))

    def deals_after(self, dealt: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """Return what may have been dealt after the next public event of chance."""
        return [(*dealt, names) for names in self.outcomes[self.locate(dealt).board]]

    def mass_at(self, player: int, reach: FloatArray, node: PublicNode) -> FloatArray:
        """Return, per hand of a player, the chance of meeting the other's hands at a node, weighted by their reach."""
        chance = self._chances("its mass is not known")[node.street_tree.street][int(self.boards.ordinal[node.board])]
        weights = chance * reach[self.deals.hands[1 - player]]
        return np.bincount(self.deals.hands[player], weights, self.hand_counts[player]).astype(np.float64)

    def payoff_range(self, street: int, leaf: Leaf) -> FloatArray:
        """Return the least and the most that each player may win at a leaf of a street, [least or most, player]."""
        if self.hidden:
            raise InputError(f"{self.name} cannot be warm started: moves may be hidden")
        chance = self._chances()[street]
        won = self.deals.ends[street][leaf.number][:, chance > 0] / chance[chance > 0]
        return np.stack([won.min(axis=1), won.max(axis=1)])

    @cached_property
    def meeting_chances(self) -> tuple[NDArray[np.uint64], NDArray[np.float32]]:
        """Where, per player and board, the chances of pairs of hands begin, counted from 1, and these matrices."""
        starts, parts, size = np.zeros_like(self.boards.begin), [], 0
        for board, street in enumerate(self.street_of.tolist()):
            for player in range(2):
                chance = self._chances()[street][int(self.boards.ordinal[board])]
                part = self.deals.by_hands(player, chance, int(self.boards.stride[player, board]))
                starts[player, board] = size + 1
                parts.append(part.astype(np.float32).ravel())
                size += part.size
        return starts, np.concatenate(parts)

    def strategy(self, profile: Profile) -> Strategy:
        """Return the strategies of both players in a profile by infoset and action."""
        return self.strategy_of(profile.in_bits(32).store.wide)

    def strategy_of(self, weights: NDArray[Any]) -> Strategy:
        """Return the strategies that are proportional to weights, one for each entry of a profile of this game."""
        sizes = np.array([len(actions) for actions in self.table.actions])
        first = np.cumsum(sizes) - sizes
        positive = np.maximum(np.append(weights, 0)[self.entry].astype(np.float64), 0)
        total, even = np.repeat(np.add.reduceat(positive, first), sizes), 1 / np.repeat(sizes, sizes)
        places = np.repeat(self.table.start - first, sizes) + np.arange(len(positive))
        probabilities = np.ones(self.table.size)
        probabilities[places] = proportional(positive, total, even)
        return Strategy(self.name, self.table, probabilities)

    def written(self, profile: Profile) -> NDArray[np.bool_]:
        """Return, per infoset, whether a profile says something there; always true where there is no choice."""
        sizes = np.array([len(actions) for actions in self.table.actions])
        numbers = np.append(profile.store.wide, 1)[self.entry]
        return np.asarray(np.add.reduceat(np.maximum(numbers, 0), np.cumsum(sizes) - sizes) > 0)

    def profile(self, strategy: Behaviour) -> Profile:
        """Return a profile that holds a strategy, which may know more infosets than this game has."""
        known = strategy.table if isinstance(strategy, Strategy) else strategy
        missing = next((key for key in self.table if key not in known), None)
        if missing is not None:
            name = strategy.game if isinstance(strategy, Strategy) else "another game"
            raise InputError(f"this strategy is for {name}: it does not know infoset {missing[1]!r} of {self.name}")
        chosen = [strategy[key] for key in self.table]
        rows = [
            own.get(action, 0.0) for own, actions in zip(chosen, self.table.actions, strict=True) for action in actions
        ]
        found, stored = Profile(self), self.entry >= 0
        found.store.wide[self.entry[stored]] = np.array(rows)[stored]
        return found

    def find(self, history: Sequence[str]) -> PublicNode:
        """Return the node after a public history of actions and outcomes of chance.

        Actions where there is no choice may be part of it.
        """
        node, left = self.root, list(history)
        while left:
            if node.kind == "decision" and left[0] in node.actions:
                node, left = node.child(left[0]), left[1:]
                continue
            names: Names | None = None
            if node.kind == "deal":
                known = self.outcomes[node.board]
                names = next((names for names in known if tuple(left[: len(names)]) == names), None)
            if names is not None:
                node, left = node.deal(names), left[len(names) :]
            else:
                AfterHistory(self.rules, history)  # refuses what is impossible; else there was no choice
                left = left[1:]
        return node

    def labels(self, node: PublicNode) -> dict[int, str]:
        """Return the infoset of every hand that may be at a decision."""
        return self._labels.get((node.tree, node.at[1], node.board), {})

    @cached_property
    def _labels(self) -> dict[tuple[int, int, int], dict[int, str]]:
        found: dict[tuple[int, int, int], dict[int, str]] = {}
        for place in self.infosets:
            hand = int(self.deals.hands[place.player][place.deal])
            found.setdefault((place.tree, place.decision, place.board), {})[hand] = place.label
        return found

    def history(self, node: PublicNode) -> Names:
        """Return the actions and outcomes of chance since the beginning of the rule book that lead to a node.

        Those where there is no choice are left out.
        """
        steps = [
            step[0] if isinstance(step, tuple) else (step,) for step in node.trail
        ]  # an event of chance, an action
        return (*self.history_before, *itertools.chain.from_iterable(steps))

    def subtree(
        self,
        node: PublicNode | Sequence[str],
        reach: Rows | None = None,
        *,
        after: str | None = None,
        deal: Names = (),
        extra: Sequence[tuple[PublicNode, str]] = (),
        rules: Game | str | None = None,
        hidden: bool = False,
        cut: Cut | None = None,
    ) -> DenseGame:
        """Return the game that follows a node or public history, or an action `after` it, for the hands that arrive.

        `deal` are the outcomes of chance after which play continues at a value leaf. `reach` has one number per hand
        for each player (by default 1); hands are those of this game. At some nodes there are `extra` actions, if the
        rules can offer them on a path (`ActionAbstraction`). Other `rules` may have other actions below the history;
        their private deals must be those of this game. `hidden` and `cut` are those of `build_dense`.
        """
        history = self.history(node) if isinstance(node, PublicNode) else tuple(node)
        whole = self.rules.game if isinstance(self.rules, AfterHistory) else self.rules
        whole = whole if rules is None else as_game(rules)
        more = [*extra, *([(node, after)] if after is not None and isinstance(node, PublicNode) else [])]
        for at, action in more:
            if action not in at.actions:
                if not isinstance(whole, OffersMore):
                    raise InputError(f"{game_name(whole)} has no action {action!r} to offer besides its own")
                whole = whole.offering((*self.history(at), action))
        remaining = AfterHistory(whole, (*history, *(() if after is None else (after,)), *deal))
        game = build_dense(remaining, self.deals.hands, hidden=hidden, forced=self.forced, cut=cut)
        return game if reach is None else game.with_ranges(dict(enumerate(reach)))

    def given_hands(self, fewest: int = 0) -> DenseGame:
        """Return the game whose payoffs are those of pairs of hands on a board, without the probabilities of chance.

        That is what belief states need, whose ranges have these probabilities in them. Both players have `fewest` hands
        at least, so that hands can be numbered alike where one of them is never dealt some.
        """
        chances = self._chances("its payoffs cannot be told apart from them")
        likely = [np.where(chance > 0, chance, 1.0) for chance in chances]
        ends = [[end / chance for end in ends] for ends, chance in zip(self.deals.ends, likely, strict=True)]
        deals = Deals(self.deals.hands, [np.sign(chance) for chance in chances], ends, fewest)
        boards = dense_boards(self.street_of.tolist(), self.outcomes, deals)
        return replace(
            self,
            deals=deals,
            arrays=game_arrays(self.street_trees, boards, self.street_of),
            ranges=every_hand(boards),
        )

    def _pair_weight(self, ranges: NDArray[np.float32]) -> float:
        """Return 1: totals are those of the whole game, with the probability of getting to the root inside."""
        return 1.0

    def _chances(self, refusal: str = "it cannot be warm started") -> list[FloatArray]:
        if not self.deals.chances:
            raise InputError(f"{self.name}: actions change the probabilities of chance, so {refusal}")
        return self.deals.chances


def build_dense(
    game: Game | str,
    hands: Sequence[HandOf] | None = None,
    *,
    hidden: bool = False,
    forced: bool = False,
    cut: Cut | None = None,
) -> DenseGame:
    """Return the public game of a rule book, or of the game of that name.

    `hands` says per player which hand each private deal is, where the infosets of the game do not tell enough (as in
    a subgame in which a player acts no more); by default deals that no infoset tells apart are one hand.

    With `hidden` a player may act without having seen the other's moves before, if it has seen nothing of them with any
    hand, as in simultaneous moves: its one decision then follows all of them. With `forced` a decision with a
    single action is a node too. A `cut` stops play at value leaves.
    """
    rules = as_game(game)
    refuse_large(rules, MAX_HISTORIES)
    walk = _Walk(rules, game_name(rules), hidden=hidden, forced=forced, cut=cut)
    if hands is None:
        full = walk if cut is None else _Walk(rules, game_name(rules), hidden=hidden, forced=forced, cut=None)
        hands = [full.hands(player) for player in range(2)]
    ends = [[part for _, part in street.values()] for street in walk.payoffs]
    deals = Deals(list(hands), walk.chances(), ends)
    boards, street_of = dense_boards(walk.street_of, walk.children, deals), np.array(walk.street_of)
    return DenseGame(
        street_trees=tuple(walk.trees),
        arrays=game_arrays(walk.trees, boards, street_of),
        street_of=street_of,
        ranges=every_hand(boards),
        mass=1.0,
        history_before=rules.history if isinstance(rules, AfterHistory) else (),
        rules=rules,
        deals=deals,
        infosets=sorted(walk.infosets, key=lambda place: (place.player, place.deal, place.path)),
        outcomes=walk.children,
        payoff_sum=0.0 if walk.total is None else walk.total,
        hidden=hidden,
        forced=forced,
    )


class _Moment(NamedTuple):
    """One deal at a public node of one board: the state there and its chance probability."""

    board: int
    deal: int
    weight: float
    state: Any


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


class _Node(NamedTuple):
    """A public node in the walk: its moments, the rows of both players, the edge to it, the steps on its street and
    the decisions since the root."""

    moments: list[_Moment]
    rows: tuple[int, int]
    edge: tuple[int, str] | None
    steps: Path
    decided: int


class _Walk:
    """The street trees, boards, infosets and payoffs of a game."""

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
                    tree.decisions.append(Decision(player, actions, node.rows[player], first))
                    rows[player] += len(actions)
            for k in range(len(actions) - 1, -1, -1):
                action = actions[k]
                after = [_Moment(b, d, weight, self.game.next(state, action)) for b, d, weight, state in node.moments]
                row = first + k if choice else node.rows[player]
                at = (row, node.rows[1]) if player == 0 else (node.rows[0], row)
                edge = (here, action) if choice else node.edge
                stack.append(_Node(after, at, edge, (*node.steps, k), node.decided + 1))

    def _stops(self, tree: StreetTree, node: _Node, player: int, actions: int) -> bool:
        """Whether play stops at a node by the cut: not if nothing is left to decide there."""
        assert self.cut is not None
        if player == TERMINAL or not self.cut.stops(tree.street, node.decided, player == CHANCE):
            return False
        if player != CHANCE:
            return actions > 1 or self.forced
        ends = [end.state for moment in node.moments for _, end in self._outcomes(moment)]
        return any(self.game.player(end) != TERMINAL for end in ends)

    def _seen(self, node: _Node, player: int) -> tuple[Any, Any] | None:
        """Return what each player knows at a value leaf, if moves may be hidden."""
        if not self.hidden or player < 0:
            return None
        seen = [node.steps, node.steps]
        seen[player] = (node.rows[player], self._labels(node))  # type: ignore[assignment]
        return seen[0], seen[1]

    def _shape(self, moments: list[_Moment]) -> tuple[int, Names]:
        """Return who acts at a public node and what may be done there, the same for all deals and boards."""
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
        """Return what the player to act knows at a node, deal by deal."""
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


def every_hand(boards: Boards) -> NDArray[np.float32]:
    """Return the ranges in which every hand has the weight 1."""
    ranges = np.zeros((2, int(boards.stride.max())), dtype=np.float32)
    for player in range(2):
        ranges[player, : int(boards.held[player, 0])] = 1.0
    return ranges


def dense_boards(street_of: Sequence[int], children: Sequence[Mapping[Names, int]], deals: Deals) -> Boards:
    """Return the boards of a game, all with the same rows of hands, and a payoff matrix for each end and player.

    `street_of` is the street of each board and `children` the boards after it, by the outcomes of chance.
    """
    count, counts = len(street_of), deals.counts
    held = np.repeat(np.array(counts, dtype=np.uint64)[:, None], count, axis=1)
    above = np.repeat(np.arange(count), [len(after) for after in children])
    boards = lay_out_boards(held, street_of, [-1, *above.tolist()])
    lengths = boards.stride[:, 0].tolist()
    rows = [np.minimum(np.arange(length), own) for own, length in zip(counts, lengths, strict=True)]
    place = np.concatenate([np.tile(row, count) for row in rows]).astype(np.uint16)
    matrix, parts, size = np.zeros((2, count), dtype=np.uint64), [np.zeros(0, dtype=np.float32)], 0
    for board, street in enumerate(street_of):
        for player in range(2):
            matrix[player, board] = size
            for payoffs in deals.ends[street]:
                part = deals.by_hands(player, payoffs[player, int(boards.ordinal[board])], lengths[player])
                parts.append(part.astype(np.float32).ravel())
                size += part.size
    return boards._replace(parent_hand=place, image_hand=place, matrix=matrix, payoffs=np.concatenate(parts))
