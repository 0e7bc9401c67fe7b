"""Any two-player zero-sum game of public actions as a public game: Kuhn, Leduc, Liar's Dice, a game of your own.

The rule book is walked once, with all private deals side by side. Deals that a player's infosets cannot tell apart are
one *hand*; every public sequence of actions is a node of a street tree; later chance events, which must be public, lead
to boards of the next street. Payoffs are one matrix per leaf and board, hand by hand, with the probabilities of chance
inside, so that all weights are 1 and values are in the game's own unit. Equal matrices are kept once.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.games import Game, as_game, game_name, refuse_large
from counterpoise.proportions import proportional
from counterpoise.public.dense_boards import HandOf, Names, PrivateDeals, dense_boards, every_hand
from counterpoise.public.game import BoardImage, FloatArray, PublicGame, Rows, game_arrays
from counterpoise.public.histories import AfterHistory
from counterpoise.public.node import PublicNode
from counterpoise.public.profile import Profile
from counterpoise.public.rule_walk import Infoset, RuleWalk
from counterpoise.public.street_trees import Cut, Leaf
from counterpoise.tree import InfosetTable, Strategy
from counterpoise.tree.evaluation import AnyStrategy

MAX_HISTORIES = 10**7
"""A rule book that reports more histories is not walked, because every deal is kept as a state."""


@runtime_checkable
class OffersMore(Protocol):
    """Rules that hide some actions and can offer them on a path."""

    def offering(self, path: Names) -> Game:
        """Return the rules that offer the hidden actions of a public history, and no others."""
        ...


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class DenseGame(PublicGame):
    """The public game of a rule book."""

    has_infosets = True

    rules: Game
    deals: PrivateDeals
    infosets: list[Infoset]
    """The information sets in the order of `enumerate_game`."""
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
        """Whether the payoffs sum to zero; they may also have another constant sum."""
        return self.payoff_sum == 0

    @property
    def constant_sum(self) -> bool:
        """Always true: other games are refused."""
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
        positive = np.maximum(np.append(weights, 0)[self.entry].astype(np.float64), 0)
        sizes = self._action_counts
        first = np.cumsum(sizes) - sizes
        total, even = np.repeat(np.add.reduceat(positive, first), sizes), 1 / np.repeat(sizes, sizes)
        return Strategy(self.name, self.table, self._flat(proportional(positive, total, even), 1.0))

    def by_infoset(self, numbers: NDArray[Any]) -> NDArray[np.float64]:
        """Return numbers, one for each entry of a profile, as a flat array (see `InfosetTable`); 0 without an entry."""
        return self._flat(np.append(numbers, 0)[self.entry].astype(np.float64), 0.0)

    @property
    def _action_counts(self) -> NDArray[np.int64]:
        """The number of actions of each infoset."""
        return np.array([len(actions) for actions in self.table.actions])

    def _flat(self, by_action: NDArray[np.float64], empty: float) -> NDArray[np.float64]:
        """Return one number per infoset and action as a flat array, with `empty` for the players' empty sequences."""
        flat = np.full(self.table.size, empty)
        sizes = self._action_counts
        flat[np.repeat(self.table.start - (np.cumsum(sizes) - sizes), sizes) + np.arange(len(by_action))] = by_action
        return flat

    def written(self, profile: Profile) -> NDArray[np.bool_]:
        """Return, per infoset, whether a profile has numbers there; always true where there is no choice."""
        sizes = self._action_counts
        numbers = np.append(profile.store.wide, 1)[self.entry]
        return np.asarray(np.add.reduceat(np.maximum(numbers, 0), np.cumsum(sizes) - sizes) > 0)

    def profile(self, strategy: AnyStrategy) -> Profile:
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

        Belief states need this form, since their ranges contain these probabilities. Both players have at least
        `fewest` hands, so that hands can be numbered alike even if one player is never dealt some.
        """
        chances = self._chances("its payoffs cannot be told apart from them")
        likely = [np.where(chance > 0, chance, 1.0) for chance in chances]
        ends = [[end / chance for end in ends] for ends, chance in zip(self.deals.ends, likely, strict=True)]
        deals = PrivateDeals(self.deals.hands, [np.sign(chance) for chance in chances], ends, fewest)
        boards = dense_boards(self.street_of.tolist(), self.outcomes, deals)
        return replace(
            self,
            deals=deals,
            arrays=game_arrays(self.street_trees, boards, self.street_of),
            ranges=every_hand(boards),
        )

    def _pair_weight(self, ranges: NDArray[np.float32]) -> float:
        """Return 1: totals are those of the whole game, including the probability of reaching the root."""
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

    `hands` are the numbers of each private deal's hands per player, for games whose infosets do not tell enough (such
    as a subgame in which a player no longer acts); by default deals that no infoset tells apart are one hand.

    With `hidden` a player may act without having seen the other's earlier moves, if it has seen none of them with any
    hand, as in simultaneous moves: its one decision then follows all of them. With `forced` a decision with a single
    action is a node too. A `cut` stops play at value leaves.
    """
    rules = as_game(game)
    refuse_large(rules, MAX_HISTORIES)
    walk = RuleWalk(rules, game_name(rules), hidden=hidden, forced=forced, cut=cut)
    if hands is None:
        full = walk if cut is None else RuleWalk(rules, game_name(rules), hidden=hidden, forced=forced, cut=None)
        hands = [full.hands(player) for player in range(2)]
    ends = [[part for _, part in street.values()] for street in walk.payoffs]
    deals = PrivateDeals(list(hands), walk.chances(), ends)
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
