"""Benches of Brown 2020, figure 5.8 (figure 2 of Brown et al. 2018): an opening that the blueprint lacks, and what it
gains.

The blueprint knows bets of half the pot and of the pot; the opponent opens with 3/4. The searcher solves the rest of
the first round again, with leaves at its end whose values come from the two sequences that the blueprint knows, as
fractions of the pot; its opponent picks among K continuations there. To judge an answer by itself the second round
after it is then played as well as that answer allows, everything else of the searcher being fixed. The gain is what the
opening gives the opponent, hand by hand, over what it has without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from counterpoise import search
from counterpoise.abstraction.translation import translate
from counterpoise.betting.rules import BetAction
from counterpoise.betting.sizes import parse_size
from counterpoise.games import Game, GameView, as_game, game_name
from counterpoise.games.view import FixedStrategy
from counterpoise.public import DenseGame, FlopHoldem, HoldemGame, Lock, Profile, PublicNode, build_dense
from counterpoise.public.histories import AfterHistory, deals
from counterpoise.public.mini_holdem import NO_LIMIT_BLIND, millibigblinds
from counterpoise.search.gadget import MethodName
from counterpoise.search.leaves import pot_of, same_ranks
from counterpoise.search.places import TreePlace
from counterpoise.search.public_belief import TranslatedPlay
from counterpoise.search.subgame import FloatArray, locks_at
from counterpoise.search.translation import Translator
from counterpoise.solvers import make_algorithm, solve
from counterpoise.solvers.public.solver import PublicSolver
from counterpoise.tree import Strategy, best_response, enumerate_game, exact

BET, KNOWN = "r0.75", ("r0.5", "r1")
SMALL = "one_card_poker(ranks=3, fractions=[[0.5, 1], [0.5, 1]], max_bets=[2, 1])"
LARGER = "one_card_poker(ranks=4, fractions=[[0.5, 1], [0.5, 1]], max_bets=[2, 2])"
TITLES = {SMALL: "3 ranks", LARGER: "4 ranks"}


class Opening(GameView):
    """The rules of a game in which one bet is possible as the first action only."""

    def __init__(self, game: Game | str, bet: str) -> None:
        super().__init__(as_game(game))
        self.bet, self.name = bet, f"{game_name(self.game)}, {bet} as the opening only"

    def actions(self, state: Any) -> list[str]:
        """Return all actions without the bet, except at the beginning."""
        return [action for action in self.game.actions(state) if action != self.bet or not state.story]


class Gain(NamedTuple):
    """In thousandths of an ante: the second round after the answer played best, or as found by iterations."""

    exact: float
    rough: float


Answer = Mapping[str, Mapping[str, float]]
"""The searcher's strategy in the first round after the opening, by infoset."""


class OpeningBench:
    """One-card poker: its blueprint by CFR+, and the same game with the opening. The searcher has the second seat.

    The second round after an answer is played exactly by an LP, and as the same number of iterations finds it, which is
    nearer to the reference.
    """

    searcher, opponent = 1, 0

    def __init__(self, name: str, iterations: int) -> None:
        self.name, self.title, self.iterations = name, TITLES[name], iterations
        self.game = Opening(name.replace("[[0.5, 1]", "[[0.5, 0.75, 1]"), BET)
        self.base, self.whole = build_dense(name), build_dense(self.game)
        self.known, solved = (
            solve(rules, "cfr+", iterations=iterations, progress=False).strategy for rules in (name, self.game)
        )
        self.blueprint = self.base.profile(self.known)
        # in the game with the opening it is never made and all answers to it are equally likely
        self.strategy = Strategy.from_mapping(enumerate_game(self.game), dict(self.known.items()))
        start = search.subgame(self.base, (), self.known, self.searcher)
        self.known_values = start.root_values(start.dense.profile(self.known), best=True)
        self.value = exact(self.game).value[self.opponent]
        # what a best response wins without the opening, and if the opening is known from the beginning
        self.known_loss = best_response(name, self.known, self.opponent).value
        self.in_abstraction = best_response(self.game, solved, self.opponent).value

    def limited(self, leaves: search.LeafTable) -> search.Subgame:
        """Return the first round after the opening, the opponent picking among continuations at its end."""

        def similar(leaf: PublicNode) -> list[PublicNode]:
            path = leaf.game.history(leaf)
            return [self.base.find([known if step == BET else step for step in path]) for known in KNOWN]

        found = search.SimilarLeaves(leaves, similar, _pot)
        return search.depth_limited(self.whole.root.child(BET), self.whole.profile(self.strategy), self.searcher, found)

    @property
    def full(self) -> DenseGame:
        """Everything after the opening."""
        return self._after_opening.dense

    def answer(self, leaves: search.LeafTable | None, method: MethodName) -> Answer:
        """Return the answer by search with given leaves, or to the end of the game."""
        found = self._after_opening if leaves is None else self.limited(leaves)
        result = search.search_subgame(found, method, alternative=self.known_values, iterations=self.iterations)
        strategy, seat = result.strategy, self.searcher
        return {label: strategy[seat, label] for label in self.answers if (seat, label) in strategy}

    @cached_property
    def answers(self) -> list[str]:
        """The searcher's infosets in the first round after the opening."""
        nodes = self.whole.root.child(BET).decisions_below()
        first = [node for node in nodes if node.player == self.searcher and node.tree == 0]
        return [label for node in first for label in self.whole.labels(node).values()]

    def translated(self) -> Answer:
        """Return the answer of the blueprint to the bets for which the opening is taken."""
        shares = [(f"r{size:g}", share) for size, share in translate(0.75, (0.5, 1.0)).items()]

        def chance(label: str, action: str) -> float:
            return sum(share * self.known[self.searcher, label.replace(BET, bet)][action] for bet, share in shares)

        return {
            label: {action: chance(label, action) for action in self.strategy[self.searcher, label]}
            for label in self.answers
        }

    def gain(self, answer: Answer) -> Gain:
        """Return what the opening gains against an answer, on average over the opponent's hands."""
        given = {label: self.known[player, label] for player, label in self.known.table if player == self.searcher}
        fixed = FixedStrategy(self.game, self.searcher, {**given, **answer})
        rough = solve(fixed, "cfr+", iterations=self.iterations, progress=False).strategy
        found = exact(fixed).value[self.opponent], best_response(fixed, rough, self.opponent).value
        return Gain(*(1000 * (value - self.known_loss) for value in found))

    @property
    def _after_opening(self) -> search.Subgame:
        return search.subgame(self.whole, (BET,), self.strategy, self.searcher)


def _pot(node: PublicNode) -> float:
    """Return what both players have paid at a node of one-card poker, whatever they hold."""
    assert isinstance(node.game, DenseGame)
    rules = node.game.rules.game if isinstance(node.game.rules, AfterHistory) else node.game.rules
    state = deals(rules)[0]
    for step in node.game.history(node):
        state = rules.next(state, step)
    return float(sum(state.paid))


SIZES = ("50%", "100%")
"""The bets that the blueprint of flop hold'em knows."""
SOLVER = "dcfr(alpha=1.5,beta=0.5,gamma=4)"
"""The algorithm of searches: behind a gadget it is less exploitable than CFR+, which made the blueprint, after as many
iterations."""
SPREAD = 1.0
"""The spread of soft alternatives, in chips."""
CHEAP = 4
"""Depth-limited subgames are so small that they get this many times the iterations."""

FlopAnswer = Mapping[tuple[BetAction, ...], FloatArray]
"""The searcher's strategy before the flop after the opening: by actions since then, [action, hand]."""


class FlopGain(NamedTuple):
    """What the opening gains, in thousandths of a big blind, and by how much it may be less."""

    gain: float
    error: float


class FlopOpeningBench:
    """Flop hold'em, solved by CFR+ for a blueprint, and the same game with an opening of `size` pots.

    The dealer, seat 1, acts first before the flop; the searcher is the big blind, seat 0.
    """

    searcher, opponent = 0, 1

    def __init__(self, solved: PublicSolver, iterations: int, size: float = 0.75) -> None:
        assert isinstance(solved.game, HoldemGame)
        self.solved, self.iterations, self.base = solved, iterations, solved.game
        self.blueprint = solved.average
        betting, root = self.base.betting, self.base.root
        self.opening = parse_size(f"{100 * size:g}%", raising=True).total(betting, betting.initial())
        self.full = self.base.subtree(root, root.reach(self.blueprint), after=self.opening)
        # what each hand of the dealer has against the blueprint without the opening, in chips
        self.known_values = search.Subgame(self.base, self.searcher).root_values(self.blueprint, best=True)

    @classmethod
    def of_ranks(cls, ranks: int, iterations: int) -> FlopOpeningBench:
        """Return the bench of the highest ranks, 200 big blinds deep, two raises before the flop and two bets on it."""
        return cls(_solved(FlopHoldem(ranks, 200, SIZES, SIZES, (3, 2)).game(), iterations), iterations)

    @cached_property
    def with_opening(self) -> PublicSolver:
        """The game with the opening from the beginning, solved as the blueprint was."""
        root = self.base.root
        game = self.base.subtree(root, root.reach(self.blueprint), extra=[(root, self.opening)])
        return _solved(game, self.iterations)

    @cached_property
    def value(self) -> float:
        """What the game with the opening is worth to the dealer, in chips, about."""
        return float(self.with_opening.values()[self.opponent])

    def exploitability(self, solver: PublicSolver) -> float:
        """Return what a best response wins beyond the value, in thousandths of a big blind."""
        return milli(float(solver.traverser.best_response_values(solver.average)[self.opponent]) - self.value)

    def limited(self, leaves: search.LeafTable) -> search.Subgame:
        """Return the first round after the opening, the opponent picking among continuations at its end."""
        root = self.base.root
        starts = [root.child(action) for action in root.actions if action > 0]
        found = search.SimilarLeaves(leaves, lambda leaf: [same_ranks(leaf, start) for start in starts], pot_of)
        return search.depth_limited(root, self.blueprint, self.searcher, found, after=self.opening)

    def answer(self, leaves: search.LeafTable | None, method: MethodName) -> FlopAnswer:
        """Return the answer by search with given leaves, or to the end of the game."""
        if leaves is None:
            return self._read(self._search(search.Subgame(self.full, self.searcher), method).average)
        return self._read(self._search(self.limited(leaves), method, CHEAP).average)

    def gain(self, answer: FlopAnswer) -> FlopGain:
        """Return what the opening gains if the searcher gives an answer and then plays the flop as well as it can."""
        subgame = search.Subgame(self.full.with_locks(self.locks(answer)), self.searcher)
        solver = self._search(subgame, "resolve")
        gain = self._gained(solver.average)
        least = max(gain - milli(2 * solver.exploitability()), 0.0)
        if least == 0:  # if no hand wants to come resolve learns slowly: soft alternatives let all come now and then
            gain = min(gain, self._gained(self._search(subgame, "distributional").average))
        return FlopGain(gain, gain - least)

    def locks(self, answer: FlopAnswer) -> list[Lock]:
        """Return the locks that make the searcher give an answer in the game after the opening."""
        nodes = [(self.full.root.follow(steps), strategy) for steps, strategy in answer.items()]
        rows = [(node, self.full.to_rows(self.searcher, node.board, strategy)) for node, strategy in nodes]
        return [lock for node, chosen in rows for lock in locks_at(node, chosen)]

    def translated(self) -> tuple[FlopAnswer, FlopGain]:
        """Return the blueprint's answer to the bets for which the opening is taken, and what the opening gains if
        the searcher continues by translation on the flop."""
        profile = search.tabulate_agent(self.full, self.searcher, _AfterOpening(self))
        return self._read(profile), FlopGain(self._gained(profile), 0.0)

    def _search(self, subgame: search.Subgame, method: MethodName, times: int = 1) -> search.SearchSolver:
        spread = SPREAD if method == "distributional" else 0.0
        alternative = subgame.game.from_hands_of(self.base, self.opponent, self.known_values)
        gadget = search.make_gadget(subgame, method, alternative, spread, "hedge")
        solver = search.SearchSolver(make_algorithm(SOLVER), subgame, gadget)
        solver.step(times * self.iterations)
        return solver

    def _read(self, profile: Profile) -> FlopAnswer:
        """Return the searcher's strategies before the flop, by the hands of the game after the opening."""
        found = {}
        for node in self.full.root.decisions_below():
            if node.player == self.searcher and node.tree == 0:
                there = profile.game.root.follow(node.steps)
                found[node.steps] = self.full.from_hands_of(profile.game, self.searcher, there.strategy(profile))
        return found

    def _gained(self, profile: Profile) -> float:
        """Return what a best response to the searcher's strategy has over what there is without the opening."""
        subgame = search.Subgame(self.full, self.searcher)
        without = self.full.from_hands_of(self.base, self.opponent, self.known_values)
        more = np.maximum(subgame.root_values(profile, best=True) - without, 0.0)
        return milli(float(np.average(np.nan_to_num(more), weights=subgame.mass)))


def _solved(game: HoldemGame, iterations: int) -> PublicSolver:
    solver = PublicSolver(make_algorithm("cfr+"), game)
    solver.step(iterations)
    return solver


class _AfterOpening(Translator):
    """The searcher who translates, beginning after the opening."""

    def __init__(self, bench: FlopOpeningBench) -> None:
        super().__init__(bench.blueprint, bench.searcher)
        self._opening = bench.opening

    def start(self, root: PublicNode) -> TranslatedPlay:
        return super().start(self.blueprint.game.root).act(self._opening, to=TreePlace(root))


def milli(chips: float) -> float:
    """Return chips in thousandths of a big blind."""
    return millibigblinds(chips, NO_LIMIT_BLIND)
