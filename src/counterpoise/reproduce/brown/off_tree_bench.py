"""The bench of depth-limited search: one-card poker, a blueprint, and an opening bet that the blueprint lacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from counterpoise.games import CHANCE, Game, as_game, game_name
from counterpoise.public import DenseTree
from counterpoise.search import LeafTable, depth_limited, search, subgame, translate
from counterpoise.search.leaves import Path, mapped
from counterpoise.search.search import Method
from counterpoise.search.subgame import Subgame
from counterpoise.solvers import solve
from counterpoise.tree import Strategy, best_response, enumerate_game, exact

SEARCHER = 1
BET, KNOWN = "r0.75", ("r0.5", "r1")
SMALL = "one_card_poker(ranks=3, fractions=[[0.5, 1], [0.5, 1]], max_bets=[2, 1])"
LARGER = "one_card_poker(ranks=4, fractions=[[0.5, 1], [0.5, 1]], max_bets=[2, 2])"
TITLES = {SMALL: "3 ranks", LARGER: "4 ranks"}


class Opening:
    """The rules of a game in which one bet is possible as the first action only."""

    def __init__(self, game: Game | str, bet: str) -> None:
        self.game, self.bet, self.players = as_game(game), bet, 2
        self.name = f"{game_name(self.game)}, {bet} as the opening only"
        self.initial, self.player, self.chance = self.game.initial, self.game.player, self.game.chance
        self.next, self.infoset, self.payoffs = self.game.next, self.game.infoset, self.game.payoffs

    def actions(self, state: Any) -> list[str]:
        """Without the bet, except at the beginning."""
        return [action for action in self.game.actions(state) if action != self.bet or not state.story]


class Fixed:
    """The rules of a game in which chance plays for a player wherever its strategy is given."""

    def __init__(self, game: Game, player: int, given: Mapping[str, Mapping[str, float]]) -> None:
        self.game, self.seat, self.given, self.players = game, player, given, 2
        self.name = f"{game_name(game)}, partly fixed"
        self.initial, self.actions, self.next = game.initial, game.actions, game.next
        self.infoset, self.payoffs = game.infoset, game.payoffs

    def player(self, state: Any) -> int:
        """Chance instead of the player."""
        seat = self.game.player(state)
        return CHANCE if seat == self.seat and self.game.infoset(state) in self.given else seat

    def chance(self, state: Any) -> Sequence[tuple[str, float]]:
        """The player's strategy."""
        if self.game.player(state) == CHANCE:
            return self.game.chance(state)
        return list(self.given[self.game.infoset(state)].items())


class Gain(NamedTuple):
    """In thousandths of an ante: the second round after the answer played best, or as found by iterations."""

    exact: float
    rough: float


@dataclass(frozen=True)
class Bench:
    """A game, its blueprint, and the same game with the opening that the blueprint does not know."""

    name: str
    iterations: int

    @property
    def title(self) -> str:
        """A short name."""
        return TITLES.get(self.name, self.name)

    @cached_property
    def blueprint(self) -> Strategy:
        """By CFR+."""
        return solve(self.name, "cfr+", iterations=self.iterations).strategy

    @cached_property
    def game(self) -> Opening:
        """With the opening."""
        return Opening(self.name.replace("[[0.5, 1]", "[[0.5, 0.75, 1]"), BET)

    @cached_property
    def whole(self) -> DenseTree:
        """The public tree with the opening."""
        return DenseTree(self.game)

    @cached_property
    def strategy(self) -> Strategy:
        """The blueprint in the game with the opening; nobody makes it and all answers are equally likely."""
        return Strategy.from_mapping(enumerate_game(self.game), {key: self.blueprint[key] for key in self.blueprint})

    @cached_property
    def known_values(self) -> np.ndarray[Any, Any]:
        """What each hand of the first player has against the blueprint without the opening."""
        start = subgame(DenseTree(self.name), (), self.blueprint, SEARCHER)
        start.play(self.blueprint)
        return start.best_values()

    @cached_property
    def known_loss(self) -> float:
        """What a best response wins against the blueprint without the opening."""
        return best_response(self.name, self.blueprint, 1 - SEARCHER).value

    @cached_property
    def value(self) -> float:
        """What the game with the opening is worth to the first player."""
        return exact(self.game).value[1 - SEARCHER]

    @cached_property
    def in_abstraction(self) -> float:
        """What a best response wins against the second player if the opening is known from the beginning."""
        known = solve(self.game, "cfr+", iterations=self.iterations).strategy
        return best_response(self.game, known, 1 - SEARCHER).value

    def limited(self, others: Sequence[Strategy]) -> Subgame:
        """The first round after the opening, the opponent picking among continuations at its end."""
        known = LeafTable(self.name, [others, [self.blueprint]])
        leaves = mapped(known, self.game, known.tree, _similar, lambda state: sum(state.paid))
        return depth_limited(self.whole, (BET,), self.strategy, SEARCHER, leaves)

    def full(self) -> Subgame:
        """Both rounds after the opening."""
        return subgame(self.whole, (BET,), self.strategy, SEARCHER)

    def answer(self, found: Subgame, method: Method) -> dict[str, dict[str, float]]:
        """The second player's strategy in the first round after the opening, by search."""
        result = search(found, method, alternative=self.known_values, iterations=self.iterations)
        return {
            label: result.strategy[SEARCHER, label]
            for player, label in result.strategy.table
            if player == SEARCHER and _in_first_round(label)
        }

    def translated(self) -> dict[str, dict[str, float]]:
        """The answer of the blueprint to the bets for which the opening is taken."""
        shares = translate(0.75, (0.5, 1.0))
        return {
            label: {
                action: sum(
                    share * self.blueprint[SEARCHER, label.replace(BET, f"r{size:g}")][action]
                    for size, share in shares.items()
                )
                for action in self.strategy[SEARCHER, label]
            }
            for player, label in self.strategy.table
            if player == SEARCHER and BET in label and _in_first_round(label)
        }

    def gain(self, answer: Mapping[str, Mapping[str, float]]) -> Gain:
        """What the opening gains the first player against an answer, on average over its hands."""
        given = {label: self.blueprint[SEARCHER, label] for player, label in self.blueprint.table if player == SEARCHER}
        fixed = Fixed(self.game, SEARCHER, {**given, **answer})
        rough = solve(fixed, "cfr+", iterations=self.iterations).strategy
        found = exact(fixed).value[1 - SEARCHER], best_response(fixed, rough, 1 - SEARCHER).value
        return Gain(*(1000 * (value - self.known_loss) for value in found))


def _similar(path: Path) -> list[Path]:
    return [tuple(known if step == BET else step for step in path) for known in KNOWN]


def _in_first_round(label: str) -> bool:
    return "/" not in label
