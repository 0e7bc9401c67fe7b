"""Small games in public belief states, from their rule books: subgames end where a public card is dealt.

The rule book is walked with all private deals side by side. All pairs of hands that can be dealt must be equally
likely, and so must all public cards that a pair leaves, as in Kuhn poker and in Leduc hold'em with suits told apart.
"""

from __future__ import annotations

import numpy as np

from counterpoise.deep.rebel.games import BeliefGame, Deals
from counterpoise.deep.rebel.kernels.layouts import Floats, Payoffs
from counterpoise.deep.rebel.trees import Choice, End, Leaf, Tree
from counterpoise.errors import InputError
from counterpoise.games import CHANCE, TERMINAL, Game, game_name, refuse_large

Pairs = dict[tuple[int, int], object]
"""The state of the rule book for each pair of hands that is possible."""


def round_beliefs(rules: Game) -> BeliefGame:
    """Return a two-player zero-sum game whose private cards are dealt first, in rounds between public cards."""
    refuse_large(rules, 10**6)
    return _Walk(rules).game()


class _Walk:
    """A walk through a rule book."""

    def __init__(self, rules: Game) -> None:
        self.rules = rules
        self.trees: list[Choice] = []
        self.tree_of: list[int] = []
        self.deals: dict[int, Deals] = {}
        self.matrices: list[Floats] = []
        self.hands, start = self._private_deals()
        self._add_state(start)

    def game(self) -> BeliefGame:
        """Return what was found."""
        count = len(self.hands)
        won = np.stack(self.matrices)
        prior = np.full((2, count), 1 / count)
        payoffs = Payoffs(np.stack([won.transpose(0, 2, 1), -won]), self.meet, bool((self.meet == 0).any()), prior)
        states = len(self.tree_of)
        return BeliefGame(
            name=game_name(self.rules),
            trees=tuple(self.trees),
            tree_of=np.array(self.tree_of, dtype=np.int64),
            deals=self.deals,
            payoffs=payoffs,
            features=np.eye(states, dtype=np.float32),
            unit=np.ones(states),
            hand_names=tuple(self.hands),
        )

    def _private_deals(self) -> tuple[list[str], Pairs]:
        """Return the hands and the state of each pair at the first decision."""
        waiting: list[tuple[object, float]] = [(self.rules.initial(), 1.0)]
        dealt: list[tuple[object, float]] = []
        while waiting:
            state, chance = waiting.pop()
            if self.rules.player(state) == CHANCE:
                waiting += [
                    (self.rules.next(state, outcome), chance * share) for outcome, share in self.rules.chance(state)
                ]
            else:
                dealt.append((state, chance))
        seen = [[self._private(state, seat) for state, _ in dealt] for seat in range(2)]
        hands = sorted(set(seen[0]) | set(seen[1]))
        pairs: Pairs = {
            (hands.index(first), hands.index(second)): state
            for first, second, (state, _) in zip(*seen, dealt, strict=True)
        }
        chances = [chance for _, chance in dealt]
        if len(pairs) < len(dealt) or max(chances) - min(chances) > 1e-12:
            raise InputError(
                f"{game_name(self.rules)}: pairs of hands must be equally likely for beliefs about each player's hand; "
                "tell suits apart (merge_suits=False)"
            )
        self.meet = np.zeros((len(hands), len(hands)))
        for pair in pairs:
            self.meet[pair] = 1
        return hands, pairs

    def _private(self, state: object, seat: int) -> str:
        private = getattr(self.rules, "private", None)
        if private is None:
            raise InputError(f"{game_name(self.rules)} does not say what each player sees, which beliefs are about")
        return str(private(state, seat))

    def _add_state(self, pairs: Pairs) -> int:
        """Add the public state at which a betting round begins, or at which a card is dealt, and what follows it."""
        number = len(self.tree_of)
        self.tree_of.append(-1)
        some = next(iter(pairs.values()))
        if self.rules.player(some) == CHANCE:
            self._deal(number, pairs)
        else:
            self.tree_of[number] = len(self.trees)
            self.trees.append(Choice(0, ()))  # its place: what follows has later ones
            tree = self._follow(pairs)
            assert isinstance(tree, Choice)
            self.trees[self.tree_of[number]] = tree
        return number

    def _deal(self, number: int, pairs: Pairs) -> None:
        after: dict[str, Pairs] = {}
        shares = []
        for pair, state in pairs.items():
            for outcome, share in self.rules.chance(state):
                after.setdefault(outcome, {})[pair] = self.rules.next(state, outcome)
                shares.append(share)
        if max(shares) - min(shares) > 1e-12:
            raise InputError(f"{game_name(self.rules)}: public cards must be equally likely for all pairs of hands")
        live = np.zeros((len(after), len(self.hands)), dtype=np.bool_)
        states = []
        for place, left in enumerate(after.values()):
            live[place, [hand for pair in left for hand in pair]] = True
            states.append(self._add_state(left))
        self.deals[number] = Deals(np.array(states, dtype=np.int64), live, shares[0], tuple(after))

    def _follow(self, pairs: Pairs) -> Tree:
        some = next(iter(pairs.values()))
        player = self.rules.player(some)
        if player == CHANCE:
            return Leaf(self._add_state(pairs))
        if player == TERMINAL:
            won = np.zeros((len(self.hands), len(self.hands)))
            for pair, state in pairs.items():
                won[pair] = self.rules.payoffs(state)[0]
            self.matrices.append(won)
            return End(len(self.matrices) - 1, 1.0)
        actions = tuple(self.rules.actions(some))
        following = tuple(
            self._follow({pair: self.rules.next(state, action) for pair, state in pairs.items()}) for action in actions
        )
        return Choice(player, following, actions)
