"""Small games in public belief states, from their rule books: subgames end where a public card is dealt.

All pairs of hands that can be dealt must be equally likely, and so must all public cards that a pair leaves, as in Kuhn
poker and in Leduc hold'em with suits told apart.
"""

from __future__ import annotations

import numpy as np

from counterpoise.deep.rebel.beliefs import Floats, HandPairs
from counterpoise.deep.rebel.games import BeliefGame, NextCards, following_array
from counterpoise.errors import InputError
from counterpoise.games import Game, game_name, refuse_large
from counterpoise.public import DenseGame, build_dense
from counterpoise.public.histories import private_deals


def round_beliefs(rules: Game) -> BeliefGame:
    """Return a two-player zero-sum game whose private cards are dealt first, in rounds between public cards."""
    refuse_large(rules, 10**6)
    dealt = private_deals(rules)
    seen = [[_private(rules, deal.state, seat) for deal in dealt] for seat in range(2)]
    names = sorted({*seen[0], *seen[1]})
    hands = [np.array([names.index(name) for name in own], dtype=np.int64) for own in seen]
    meet = np.zeros((len(names), len(names)), dtype=np.bool_)
    meet[hands[0], hands[1]] = True
    if meet.sum() < len(dealt) or not _alike(np.array([deal.chance for deal in dealt])):
        raise InputError(
            f"{game_name(rules)}: pairs of hands must be equally likely for beliefs about each player's hand; "
            "tell suits apart (merge_suits=False)"
        )
    game = build_dense(rules, hands, forced=True)
    walk = _Walk(game, len(names))
    states = len(walk.tree_of)
    return BeliefGame(
        name=game_name(rules),
        public=game.given_hands(len(names)),
        tree_of=np.array(walk.tree_of, dtype=np.int64),
        board_of=np.array(walk.board_of, dtype=np.int64),
        following=following_array(walk.following),
        deals=walk.deals,
        pairs=HandPairs(np.full((2, len(names)), 1 / len(names)), meet),
        features=np.eye(states, dtype=np.float32),
        unit=np.ones(states),
        hand_names=tuple(names),
    )


class _Walk:
    """A walk through the street trees of a game that numbers public states: a street, then each card dealt after it."""

    def __init__(self, game: DenseGame, hands: int) -> None:
        self.game, self.hands = game, hands
        self.tree_of: list[int] = []
        self.board_of: list[int] = []
        self.following: list[list[int]] = []
        self.deals: dict[int, NextCards] = {}
        self._add(0, 0)

    def _add(self, tree: int, board: int) -> int:
        """Add the public state at which a street tree begins on a board, and those after it."""
        number = self._new(tree, board)
        for leaf in self.game.street_trees[tree].leaves:
            if leaf.is_deal:
                self.following[number].append(self._deal(leaf.tree, board))
        return number

    def _deal(self, tree: int, board: int) -> int:
        """Add the public state at which a card is dealt, and those after each card."""
        number, game = self._new(-1, board), self.game
        street = game.street_trees[tree].street
        children, chances = game.outcomes[board], game.deals.chances
        if not chances:
            raise InputError(f"{game.name}: actions change the probabilities of chance")
        before = chances[street - 1][int(game.boards.ordinal[board])]
        live, likely = np.zeros((len(children), self.hands), dtype=np.bool_), []
        for card, child in enumerate(children.values()):
            chance = chances[street][int(game.boards.ordinal[child])]
            for own in game.deals.hands:
                live[card, own[chance > 0]] = True
            likely.append(chance[chance > 0] / before[chance > 0])
        shares = np.concatenate(likely)
        if not _alike(shares):
            raise InputError(f"{game.name}: public cards must be equally likely for all pairs of hands")
        states = np.array([self._add(tree, child) for child in children.values()], dtype=np.int64)
        names = tuple(" ".join(outcomes) for outcomes in children)
        self.deals[number] = NextCards(states, live, float(shares[0]), names)
        return number

    def _new(self, tree: int, board: int) -> int:
        self.tree_of.append(tree)
        self.board_of.append(board)
        self.following.append([])
        return len(self.tree_of) - 1


def _alike(chances: Floats) -> bool:
    return bool(np.ptp(chances) <= 1e-12)


def _private(rules: Game, state: object, seat: int) -> str:
    private = getattr(rules, "private", None)
    if private is None:
        raise InputError(f"{game_name(rules)} does not say what each player sees, which beliefs are about")
    return str(private(state, seat))
