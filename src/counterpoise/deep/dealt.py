"""Hold'em for methods that learn from samples: hands are dealt, and all walks go through the betting in lock-step.

A key is the two cards of the player who acts, the public cards of the round and the betting node. Networks read the
ranks, suits and cards of each group (the own cards, and the public cards of each round), and for every action of every
round so far whether it happened and its size in pots (Brown 2020, section 4.1.5). No information set is ever
enumerated: flop hold'em with 52 cards has more than a thousand million.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import CALL, FOLD
from counterpoise.cards import Range
from counterpoise.cards.evaluator import evaluate
from counterpoise.deep.kernels import lockstep
from counterpoise.deep.kernels.lockstep import NO_CARD, NOWHERE, Deals, DealtTree, OpenWalks
from counterpoise.deep.restoring import check_indices
from counterpoise.deep.sampled_game import CardLayout, Episodes, Keys, Policy, Rows, SampledGame, SampledWalk
from counterpoise.errors import InputError
from counterpoise.games.holdem import GameMenu, Holdem
from counterpoise.public import HoldemGame, HoldemRules, Profile, Traverser, build_holdem
from counterpoise.sampling.betting_tree import BettingTree, build_betting_tree
from counterpoise.sampling.external import largest_payoff

MOST_INFOSETS = 5_000_000
"""Games with more information sets than this are not judged exactly."""
AT_ONCE = 200_000
"""Information sets for which a policy is asked at once when a whole strategy is written."""


class DealtHoldem(SampledGame):
    """Two-player hold'em, limit or no-limit, of any deck."""

    def __init__(self, game: Holdem) -> None:
        if game.players != 2:
            raise InputError(f"learning from samples needs a game of two players; {game.name} has {game.players}")
        if game.rake:
            raise InputError(f"learning from samples needs a zero-sum game; {game.name} has a rake")
        self.game, self.name = game, game.name
        self.tree = build_betting_tree(game)
        self.deck = game.deck
        self.unit = largest_payoff(self.tree)
        self.actions, child = _columns(self.tree)
        self.key_width = 2 + sum(game.board) + 1
        self.key_type: type[np.integer[Any]] = np.int16 if self.tree.nodes < 2**15 else np.int32
        groups = [0, 0]
        for count in game.board:
            groups += [max(groups) + 1] * count
        self.groups = max(groups) + 1
        """The own cards, and the public cards of each round that has some."""
        self._group = np.array(groups, dtype=np.int64)
        self._bets = _bets(self.tree)
        self._dealt = DealtTree(
            self.tree.arrays,
            self.tree.ends,
            child,
            np.array(self.tree.board_cards, dtype=np.int64),
            1.0 / self.unit,
        )
        self._legal = child != NOWHERE

    @property
    def card_inputs(self) -> int:
        """Numbers for each group of cards: ranks, suits and cards."""
        return self.deck.ranks + self.deck.suits + self.deck.size

    @property
    def bet_inputs(self) -> int:
        """Numbers for the betting."""
        return int(self._bets.shape[1])

    @property
    def card_layout(self) -> CardLayout:
        """The places of cards and bets in an encoding."""
        return CardLayout(self.groups, self.card_inputs, self.bet_inputs)

    @property
    def inputs(self) -> int:  # type: ignore[override]
        """Numbers of an encoding."""
        return self.groups * self.card_inputs + self.bet_inputs

    def encode(self, keys: Keys) -> NDArray[np.float32]:
        """Return the encodings of infosets."""
        found = np.empty((len(keys), self.inputs), dtype=np.float32)
        deck = self.deck
        lockstep.encode_cards(keys, self._group, deck.ranks, deck.suits, deck.lowest, self._bets, found)
        return found

    def legal(self, keys: Keys) -> NDArray[np.bool_]:
        """Return the legal actions at infosets."""
        return np.asarray(self._legal[keys[:, -1]])

    def require_keys(self, keys: Keys) -> None:
        """Refuse cards that the deck lacks, own cards that were not dealt, and nodes that are no decisions."""
        node = keys[:, -1]
        check_indices(node, self.tree.nodes, "keys")
        public = (keys[:, 2:-1] == NO_CARD) | np.isin(keys[:, 2:-1], self.deck.cards)
        if not (np.isin(keys[:, :2], self.deck.cards).all() and public.all() and self._legal[node].any(axis=1).all()):
            raise InputError("'keys' names what there is not")

    def keys_of(self, hands: NDArray[np.uint8], board: Sequence[int], node: int) -> Keys:
        """Return the keys of hands, two cards each, at a decision; those that share a card with the board mean
        nothing."""
        keys = np.full((len(hands), self.key_width), NO_CARD, dtype=self.key_type)
        keys[:, :2] = hands
        keys[:, 2 : 2 + len(board)] = board
        keys[:, -1] = node
        return keys

    def deal(self, count: int, random: NDArray[np.uint64]) -> Deals:
        """Deal hands to their ends."""
        cards = np.empty((count, 2, self.key_width - 1), dtype=np.uint8)
        lockstep.deal_cards(self.deck.cards, random, self.deck.cards.copy(), cards)
        strengths = evaluate(cards.reshape(2 * count, -1), self.deck.ranking).reshape(count, 2)
        return Deals(cards, strengths)

    def walk(self, traverser: int, count: int, policy: Policy, random: NDArray[np.uint64]) -> SampledWalk:
        """Return the samples of traversals; the policy is asked once for each player and depth."""
        deals, tree = self.deal(count, random), self._dealt
        frontier = OpenWalks(np.arange(count, dtype=np.int32), np.zeros(count, dtype=np.int32))
        levels: list[tuple[OpenWalks, NDArray[np.int32], Rows, NDArray[np.int64]]] = []
        found: dict[str, list[Any]] = {"keys": [], "strategies": [], "other_keys": [], "other": []}
        touched = 0
        while len(frontier.node):
            touched += len(frontier.node)
            player = self.tree.arrays.player[frontier.node]
            own, other = np.flatnonzero(player == traverser), np.flatnonzero(player == 1 - traverser)
            keys, strategies = self._ask(policy, traverser, deals, frontier, own)
            other_keys, others = self._ask(policy, 1 - traverser, deals, frontier, other)
            for name, part in zip(found, (keys, strategies, other_keys, others), strict=True):
                found[name].append(part)
            drawn = np.full(len(player), NOWHERE, dtype=np.int32)
            columns = np.empty(len(other), dtype=np.int32)
            lockstep.draw_columns(others, random, columns)
            drawn[other] = columns
            following, child_rows = lockstep.rows_like(frontier, len(self.actions))
            count = int(lockstep.expand(tree, frontier, player == traverser, drawn, following, child_rows))
            place = np.full(len(player), NOWHERE, dtype=np.int64)
            place[own] = np.arange(len(own))
            levels.append((frontier, child_rows, strategies, place))
            frontier = lockstep.cut(following, slice(0, count))
        advantages = self._back_up(levels, deals, traverser)
        return SampledWalk(
            np.concatenate(found["keys"]),
            np.concatenate(advantages),
            np.concatenate(found["other_keys"]),
            np.concatenate(found["other"]),
            touched,
        )

    def play(self, count: int, policies: tuple[Policy, Policy], share: float, random: NDArray[np.uint64]) -> Episodes:
        """Return the decisions of games; the policies are asked once for each player and depth."""
        deals, generator = self.deal(count, random), np.random.default_rng(random)
        learning = generator.random((count, 2)) < share
        frontier = OpenWalks(np.arange(count, dtype=np.int32), np.zeros(count, dtype=np.int32))
        last = np.full((count, 2), -1, dtype=np.int64)
        parts: list[tuple[Any, ...]] = []
        rewards, links, rows, touched = [], [], 0, 0
        while len(frontier.node):
            touched += len(frontier.node)
            player = self.tree.arrays.player[frontier.node].astype(np.int64)
            drawn = np.full(len(player), NOWHERE, dtype=np.int32)
            for seat in (0, 1):
                for kind in (True, False):
                    at = np.flatnonzero((player == seat) & (learning[frontier.hand, seat] == kind))
                    keys, strategies = self._ask(policies[0 if kind else 1], seat, deals, frontier, at)
                    columns = np.empty(len(at), dtype=np.int32)
                    lockstep.draw_columns(strategies, random, columns)
                    drawn[at] = columns
                    hands, numbers = frontier.hand[at], np.arange(rows, rows + len(at))
                    before = last[hands, seat]
                    links.append((before[before >= 0], numbers[before >= 0]))
                    last[hands, seat] = numbers
                    rows += len(at)
                    parts.append((keys, columns, np.full(len(at), seat, dtype=np.int8), np.full(len(at), kind)))
            ended = np.flatnonzero(player < 0)
            for seat in (0, 1):
                values = np.zeros(len(player))
                lockstep.write_end_values(self._dealt, deals, frontier, seat, values)
                rewards.append((last[frontier.hand[ended], seat], values[ended]))
            following, child_rows = lockstep.rows_like(frontier, len(self.actions))
            nobody = np.zeros(len(player), dtype=np.bool_)
            after = int(lockstep.expand(self._dealt, frontier, nobody, drawn, following, child_rows))
            frontier = lockstep.cut(following, slice(0, after))
        keys, action, seats, kinds = (np.concatenate(part) for part in zip(*parts, strict=True))
        reward, linked = np.zeros(rows), np.full(rows, -1, dtype=np.int64)
        for at, values in rewards:
            reward[at[at >= 0]] = values[at >= 0]
        for before, numbers in links:
            linked[before] = numbers
        return Episodes(keys, action, seats, kinds, reward, linked, touched)

    @cached_property
    def public_game(self) -> HoldemGame | None:
        """The game as a public tree of hand vectors, suits told apart as networks do; None if it is too large."""
        boards, left = 1, self.deck.size
        for count in self.game.board:
            boards *= comb(left, count)
            left -= count
        if boards * self.deck.hand_count * self.tree.by_round()[-1] > MOST_INFOSETS:
            return None
        everything = Range(np.ones(self.deck.hand_count), self.deck)
        rules = HoldemRules(
            (),
            (everything, everything),
            self.game.betting,
            GameMenu(home=self.game),
            self.deck,
            self.game.board[1:],
            isomorphism=False,
            name=self.name,
        )
        return build_holdem(rules)

    def profile(self, policy: Policy) -> Profile | None:
        """Return a policy as a profile of `public_game`."""
        public = self.public_game
        if public is None:
            return None
        found = Profile(public)
        for seat in (0, 1):
            nodes: list[Any] = []
            keys: list[NDArray[Any]] = []
            for node in public.root.decisions_below():
                if node.player != seat:
                    continue
                nodes.append(node)
                keys.append(self._keys_at(node))
                if len(nodes) * self.deck.hand_count >= AT_ONCE:
                    self._write(found, policy, seat, nodes, keys)
                    nodes, keys = [], []
            if nodes:
                self._write(found, policy, seat, nodes, keys)
        return found

    def exploitability(self, policy: Policy) -> float | None:
        """Return NashConv / 2 of a policy by exact best responses, in chips; None if the game is too large."""
        profile = self.profile(policy)
        if profile is None or self.public_game is None:
            return None
        return float(Traverser(self.public_game).exploitability(profile))

    def _ask(
        self, policy: Policy, seat: int, deals: Deals, frontier: OpenWalks, rows: NDArray[np.int64]
    ) -> tuple[Keys, Rows]:
        """Return the keys of decisions of a frontier and the strategy of a policy there."""
        keys = np.empty((len(rows), self.key_width), dtype=self.key_type)
        lockstep.write_keys(self._dealt, deals, frontier, rows, keys)
        if not len(rows):
            return keys, np.empty((0, len(self.actions)))
        return keys, np.asarray(policy(seat, keys), dtype=np.float64)

    def _back_up(self, levels: list[Any], deals: Deals, traverser: int) -> list[Rows]:
        """Return the advantages of the traverser at every depth, from the deepest frontier on."""
        below, found = np.zeros(0), []
        for frontier, child_rows, strategies, place in reversed(levels):
            values, advantages = np.zeros(len(frontier.node)), np.empty(strategies.shape)
            lockstep.write_end_values(self._dealt, deals, frontier, traverser, values)
            lockstep.back_up(child_rows, strategies, place, below, values, advantages)
            found.append(advantages)
            below = values
        return found[::-1]

    def _keys_at(self, node: Any) -> NDArray[Any]:
        """Return the keys of all hands at a decision of `public_game`; those that the board blocks mean nothing."""
        line = tuple(step for step in node.trail if not isinstance(step, tuple))
        return self.keys_of(self.deck.hands, node.dealt, self._node_of(line))

    def _node_of(self, line: tuple[Any, ...]) -> int:
        """Return the betting node after actions."""
        known = self._nodes
        if line not in known:
            above = self._node_of(line[:-1])
            known[line] = next(after for after in self.tree.children(above) if self.tree.action[after] == line[-1])
        return known[line]

    @cached_property
    def _nodes(self) -> dict[tuple[Any, ...], int]:
        return {(): 0}

    def _write(self, profile: Profile, policy: Policy, seat: int, nodes: list[Any], keys: list[NDArray[Any]]) -> None:
        public = self.public_game
        assert public is not None
        rows = np.asarray(policy(seat, np.concatenate(keys)), dtype=np.float64).reshape(len(nodes), len(keys[0]), -1)
        for node, key, table in zip(nodes, keys, rows, strict=True):
            legal = self._legal[key[0, -1]]
            node.set_strategy(profile, public.gather_from_deck(seat, table[:, legal].T))


def _columns(tree: BettingTree) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """Return the names of a network's outputs, and the node after each of them: fold, call, then bets by size."""
    widest = 0
    places = []
    for node in range(tree.nodes):
        bets = 0
        for after in tree.children(node):
            action = int(tree.action[after])
            column = {FOLD: 0, CALL: 1}.get(action, 2 + bets)
            bets += action not in (FOLD, CALL)
            places.append((node, column, after))
        widest = max(widest, bets)
    child = np.full((tree.nodes, 2 + widest), NOWHERE, dtype=np.int32)
    for node, column, after in places:
        child[node, column] = after
    return ("fold", "call", *(("bet",) if widest == 1 else (f"bet {k + 1}" for k in range(widest)))), child


def _bets(tree: BettingTree) -> NDArray[np.float32]:
    """Return the betting features of each node: for every action of every round, whether it happened and its size.

    A size is what the action added to the pot, divided by the pot before it.
    """
    slot = np.zeros(tree.nodes, dtype=np.int64)  # how many actions the round of a node has had before it
    rounds = tree.arrays.round.astype(np.int64)
    for node in range(1, tree.nodes):
        above = int(tree.parent[node])
        slot[node] = slot[above] + 1 if rounds[above] == rounds[node] else 0
    decisions = tree.decisions
    slots = int(slot[decisions].max(initial=0)) + 1
    found = np.zeros((tree.nodes, 2 * tree.rounds * slots), dtype=np.float32)
    for node in range(1, tree.nodes):
        above = int(tree.parent[node])
        found[node] = found[above]
        at = 2 * (int(rounds[above]) * slots + int(slot[above]))
        pot = max(float(tree.paid[above].sum()), 1.0)
        found[node, at] = 1.0
        found[node, at + 1] = float(tree.paid[node].sum() - tree.paid[above].sum()) / pot
    return found
