"""Solve many belief subgames in lock-step, with one question to the value function per half-iteration.

Algorithms inside a subgame (Brown 2020, sections 5.3.4 to 5.3.8; Brown et al. 2020, section 5):

- ``cfr-d``: CFR whose leaves are valued at the beliefs of the current policies. Sound.
- ``cfr-avg``: leaves are valued at the beliefs of the average policies, and consecutive answers are differenced, so
  that the weighted sum over iterations is the value of the average (the modified form of the poker experiments; the
  sound form needs policies below the leaves, see `counterpoise.deep.rebel.solved_leaves`).
- ``fp``, ``linear-fp``, ``ofp``, ``flop``: fictitious play, weights 1 or t, without or with optimism; leaves are valued
  at the beliefs of the policies that are responded to.

An iteration updates both players, so that published counts of single updates ("1,024 iterations" in Liar's Dice) are
twice ours. The policy of iteration t, which is uniform for t = 1, has the weight t (or 1) in averages, in the values
for training and in the draw of the iteration that is played. Weights t are kept by fading: before iteration t all sums
are multiplied by (t - 1) / t.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from counterpoise.deep.rebel.beliefs import Floats, IntArray, conditional
from counterpoise.deep.rebel.games import BeliefGame
from counterpoise.deep.rebel.kernels.questions import Told, ask, take_answers
from counterpoise.deep.rebel.subgames import Subgames
from counterpoise.errors import InputError
from counterpoise.kernels.direct import Direct
from counterpoise.public import BatchLearning, LeafBatch, UpdateSchedule

Inner = Literal["cfr-d", "cfr-avg", "fp", "linear-fp", "ofp", "flop"]
ValueFunction = Callable[[Floats, IntArray], Floats]
"""Returns the values of both players' hands, [question, 2 x hands], for a network's inputs and public states."""
VANISHING = 1e-25
"""The weight of uniform play in fictitious play: nothing beside a response, but more than what kernels take for 0."""


@dataclass(frozen=True)
class SearchSettings:
    """How a subgame is solved."""

    algorithm: Inner = "cfr-d"
    """The algorithm inside a subgame. Published: cfr-d and fp in Liar's Dice, cfr-avg in poker."""
    iterations: int = 128
    """Iterations, each updating both players. Published in Liar's Dice: 512 (1,024 updates of one player)."""
    linear: bool = True
    """Whether iteration t has weight t; all published experiments with CFR do so."""
    alternating: bool = True
    """Whether the second player is updated against the first one's new policy; cfr-avg updates both at once."""
    skipped: int = 15
    """Iterations that a policy network replaces, if there is one; published: 15."""
    firmness: float = 1.0
    """How firmly iterations after a warm start stay near the policies that it came from; ours, not published.

    Brown et al. 2020, appendix J, sets regrets from a best response alone, which is `firmness` 0. No regret is then
    above 0, and the iterations that follow begin from uniform play. Measured in Liar's Dice with three faces, from
    policies that lose 0.00012 to a best response: after 24 iterations the average loses 0.0482 with 0 and 0.00005 with
    1, without a warm start 0.0147; after 256 it loses 0.00041, below 0.000005 and 0.00031."""

    @property
    def weighted(self) -> bool:
        """Whether weights are linear: plain and optimistic fictitious play are uniform by their names."""
        return self.algorithm in ("linear-fp", "flop") or (self.linear and self.algorithm not in ("fp", "ofp"))

    @property
    def responds(self) -> bool:
        """Whether players respond instead of learning: in fictitious play."""
        return self.algorithm not in ("cfr-d", "cfr-avg")

    def weight(self, iteration: int) -> float:
        """Return the weight of an iteration, counted from 1."""
        return float(iteration) if self.weighted else 1.0

    def share(self, iteration: int) -> float:
        """Return the weight of an iteration among all up to it."""
        return 2 / (iteration + 1) if self.weighted else 1 / iteration

    def fading(self, iteration: int) -> float:
        """Return the factor on old sums before an iteration."""
        return (iteration - 1) / iteration if self.weighted and iteration > 1 else 1.0

    def draw(self, random: np.random.Generator, count: int, skipped: int = 0) -> IntArray:
        """Draw iterations to play, with the weights of the average (the safe search of Brown 2020, section 5.3.6)."""
        numbers = np.arange(skipped + 1, self.iterations + 1)
        weights = numbers if self.weighted else np.ones_like(numbers)
        return np.asarray(random.choice(numbers, count, p=weights / weights.sum()), dtype=np.int64)


def endgame_search(iterations: int) -> SearchSettings:
    """Return how subgames that reach the end of the game are solved where that is apart: always by CFR-D.

    No beliefs follow them, so that whatever converges fastest serves all algorithms.
    """
    return SearchSettings(iterations=iterations)


class PolicyFunction(Protocol):
    """What knows about where search will end: see `counterpoise.deep.rebel.policy`."""

    def policies(self, subgames: Subgames) -> Floats:
        """Return policies for all rows of subgames."""
        ...


class Solved(NamedTuple):
    """The result of `BeliefSolver.solve`."""

    played: Floats
    """[subgame, row, hand]: policies of the drawn iterations."""
    believed: Floats
    """The policies that beliefs follow: the played ones or, with averages at leaves, the averages up to these
    iterations."""
    values: Floats
    """[subgame, player, hand]: weighted means of the conditional values of root hands, in the unit of the game."""


def distinct(states: IntArray, beliefs: Floats) -> tuple[IntArray, IntArray]:
    """Return the first place of each distinct public belief state, and for every state the number of the distinct one
    it equals.

    >>> distinct(np.array([0, 2, 0]), np.ones((3, 2, 1)))
    (array([0, 1]), array([0, 1, 0]))
    """
    found: dict[tuple[int, bytes], int] = {}
    which = [found.setdefault((int(s), b.tobytes()), len(found)) for s, b in zip(states, beliefs, strict=True)]
    _, first = np.unique(which, return_index=True)
    return first, np.array(which)


class FunctionLeaves:
    """A value function as the leaf evaluator of belief subgames: conditional values, times the mass that each hand
    can meet."""

    def __init__(self, game: BeliefGame, function: ValueFunction, dtype: type[np.floating[Any]]) -> None:
        self.game, self.function, self.dtype = game, function, dtype
        unit = np.asarray(game.unit, dtype=np.float64)
        self._ask = Direct(ask)
        self._told = Told(game.features.astype(dtype), game.prior.astype(dtype), unit, game.scale, game.worth)
        self.asked = 0
        """Leaves that were valued."""
        self.enter(np.zeros(1, dtype=np.int64))

    def enter(self, roots: IntArray) -> None:
        """Prepare for subgames that begin at public states."""
        following = self.game.following[roots]
        self._states = following[following >= 0]  # the leaves of a subgame stand in their order
        count, hands = len(self._states), self.game.hands
        self._inputs = np.zeros((count, self.game.inputs), dtype=self.dtype)
        self._leaf, self._mass = np.zeros(count, dtype=np.int64), np.zeros(count)
        self._found = np.zeros((2, count, hands))

    def values(self, batch: LeafBatch) -> tuple[Floats, Floats]:
        """Return the values of leaves to the player of the batch; 0, unasked, where no hand of the other arrives."""
        player, found = batch.player, self._found
        assert player is not None
        reach = np.ascontiguousarray(batch.reach[0]), np.ascontiguousarray(batch.reach[1])
        count = self._ask(self._told, reach, player, self._states, self._inputs, self._leaf, self._mass)
        if count < len(self._states):
            found[player] = 0
        if count:
            leaf, mass = self._leaf[:count], self._mass[:count, None]
            states = self._states[leaf] if count < len(self._states) else self._states
            answers = self.function(self._inputs[:count], states)
            if self.game.pairs.blocking:
                met_share = self.game.pairs.met(reach[1 - player][leaf])
                mass = met_share * (self.game.worth * self._told.unit[states])[:, None]
            take_answers(answers, player, leaf, mass, found[player])
            self.asked += count
        return found[0], found[1]


class BeliefSolver(Subgames):
    """Solves up to `capacity` subgames of one game at a time."""

    learning: BatchLearning
    """Regrets, what the current policies are matched from, and the sums of policies by own reach."""

    def __init__(
        self,
        game: BeliefGame,
        values: ValueFunction,
        settings: SearchSettings | None = None,
        capacity: int = 64,
        dtype: type[np.floating[Any]] = np.float32,
    ) -> None:
        self.leaves = FunctionLeaves(game, values, dtype)
        super().__init__(game, self.leaves, dtype)
        self.settings, self.capacity, self.dtype = settings or SearchSettings(), capacity, dtype
        self.policy: PolicyFunction | None = None
        """The policy function of warm starts, which only CFR-D has."""
        self.iteration = 0
        self.solved = 0
        """Subgames that were solved."""

    @property
    def values(self) -> ValueFunction:
        """The value function that is asked at leaves."""
        return self.leaves.function

    @values.setter
    def values(self, function: ValueFunction) -> None:
        self.leaves.function = function

    @property
    def questions_asked(self) -> int:
        """Leaves that the value function was asked for."""
        return self.leaves.asked

    @questions_asked.setter
    def questions_asked(self, count: int) -> None:
        self.leaves.asked = count

    def begin(self, states: IntArray, beliefs: Floats) -> None:
        """Start on subgames at public belief states, from uniform policies."""
        self._refuse_many(len(states))
        self.enter(states, beliefs)
        self.leaves.enter(self.states)
        regrets, average = (self.traverser.profile(self.batch) for _ in range(2))
        matched = regrets if self._follows_regrets else np.zeros_like(regrets)
        self.learning = BatchLearning(regrets, matched, average)
        self._means = [self.traverser.root_rows(self.batch, player) for player in range(2)]
        self.iteration = 0
        self.before: list[Floats | float] = [0.0, 0.0]
        """The values of leaves to each player under the last averages."""
        self.extra = np.zeros_like(average)
        """The last responses, which optimistic variants count once more."""
        if self.settings.responds:
            # Where responses never go they are uniform play in the limit of a small weight, which breaks ties.
            self.traverser.add_to_average(self.batch, matched, average, 1.0)
            average *= VANISHING
        if self.skipped:
            assert self.policy is not None
            self.warm_start(self.policy)

    def _refuse_many(self, count: int) -> None:
        if count > self.capacity:
            raise InputError(f"at most {self.capacity} subgames at a time, not {count}")

    @property
    def skipped(self) -> int:
        """The iterations that a warm start replaces."""
        return 0 if self.policy is None or self.settings.algorithm != "cfr-d" else self.settings.skipped

    def draw(self, random: np.random.Generator, count: int) -> IntArray:
        """Draw iterations to be played, none of those that a warm start has skipped."""
        return self.settings.draw(random, count, self.skipped)

    def warm_start(self, policy: PolicyFunction) -> None:
        """Begin as though the first iterations had been played with given policies.

        See Brown 2020, section 3.2 in the form of Brown et al. 2020, appendix J.

        Regrets are those of actions against a best response to the policies, times the weight of the iterations that
        are skipped: none of them is positive. The first iteration plays the given policies themselves. With `firmness`
        regrets gain a share in proportion to the policies, as large as the iterations that are skipped would bring,
        so that the next iterations stay near them.
        """
        skipped, traverser, batch, learning = self.settings.skipped, self.traverser, self.batch, self.learning
        weight = skipped * (skipped + 1) / 2 if self.settings.weighted else float(skipped)
        firm = self.settings.firmness * sum(self.settings.weight(t + 1) ** 2 for t in range(skipped)) ** 0.5
        faded = 1 / skipped if self.settings.weighted else 1.0
        given = policy.policies(self)
        learning.matched[...] = self.numbers(given)
        reach = self.reach(learning.matched)
        for player in range(2):
            leaf_values = traverser.leaf_values(batch, learning.matched, player)
            values = traverser.values(batch, learning.matched, player, leaf_values=leaf_values)
            self._means[player][...] = traverser.layout.to_rows(player, batch.boards, values)
            # Regrets of one iteration whose own policy is the best response: what each action falls short of it.
            answer, short = learning.matched.copy(), np.zeros_like(learning.regrets)
            traverser.respond(batch, answer, player, leaf_values)
            once = BatchLearning(short, answer, np.zeros_like(short))
            traverser.update(batch, once, self._fading([1.0]), player, leaf_values=leaf_values)
            own, scaled = (traverser.layout.of_player(numbers, player) for numbers in (learning.regrets, short))
            met_mass = traverser.layout.to_rows(player, batch.boards, self._mass_before(reach, player))
            matched = traverser.layout.of_player(learning.matched, player)
            own[...] = faded * (weight * scaled + firm * met_mass * matched)
        traverser.add_to_average(batch, learning.matched, learning.average, 1.0)
        learning.average[...] *= faded * weight
        self.iteration = skipped

    def _mass_before(self, reach: tuple[Floats, Floats], player: int) -> Floats:
        """Return, for each row of a player and all hands alike, the mass of the other's range before its decision."""
        game, mass = self.game, reach[1 - player].sum(axis=2)
        found = np.zeros((len(self.states), game.layout.rows[player], game.hands))
        for g, state in enumerate(self.states):
            tree = int(game.tree_of[state])
            for number, decision in enumerate(game.public.street_trees[tree].decisions):
                if decision.player == player:
                    rows = slice(decision.first_row - 1, decision.first_row - 1 + len(decision.actions))
                    found[g, rows] = mass[g, game.rows_before(tree, number)[1 - player]]
        return found

    def solve(
        self, states: IntArray, beliefs: Floats, drawn: IntArray | None = None, with_values: bool = True
    ) -> Solved:
        """Solve subgames at public belief states; keep the policies of the `drawn` iterations, if any.

        Equal public belief states, such as the starts of games, are solved once, whatever is drawn for each. Without
        values only the iterations before the last drawn one are run.
        """
        count = len(states)
        self._refuse_many(count)
        chosen, subgame = distinct(states, beliefs)
        self.begin(states[chosen], beliefs[chosen])
        wanted = np.zeros(count, dtype=np.int64) if drawn is None else np.asarray(drawn, dtype=np.int64)
        kept = [np.zeros((count, self.traverser.layout.entries), dtype=self.dtype) for _ in range(2)]
        last = self.settings.iterations if with_values else int(wanted.max())
        self._stops = set(wanted.tolist())
        while self.iteration < last:
            self._keep(subgame, wanted, kept, before=True)
            if not with_values and self.iteration + 1 == last and not self._keeps_after:
                break
            self.step()
            self._keep(subgame, wanted, kept, before=False)
        self.solved += len(chosen)
        self._repeat(states, beliefs, subgame)
        played = self.policies(kept[0])
        believed = self.policies(kept[1]) if self._keeps_after else played
        return Solved(played, believed, self.root_values())

    def _repeat(self, states: IntArray, beliefs: Floats, subgame: IntArray) -> None:
        """Set the state as if equal subgames had been solved one by one."""
        if len(subgame) > len(self.states):
            self.enter(states, beliefs)
            self.learning = BatchLearning(*(numbers[subgame] for numbers in self.learning))
            self._means = [own[subgame] for own in self._means]

    @property
    def _keeps_after(self) -> bool:
        """Whether the policies of an iteration are known only when it is done."""
        return self.settings.algorithm != "cfr-d"

    def _keep(self, subgame: IntArray, wanted: IntArray, kept: list[Floats], before: bool) -> None:
        """Copy the played and believed policies of this iteration: k wants those of `subgame[k]` at iteration
        `wanted[k]`."""
        iteration = self.iteration + 1 if before else self.iteration
        if before == self._keeps_after or iteration not in self._stops:
            return
        here = np.flatnonzero(wanted == iteration)
        kept[0][here] = self.learning.matched[subgame[here]]
        kept[1][here] = (self.learning.average if self._keeps_after else self.learning.matched)[subgame[here]]

    def step(self) -> None:
        """Run one iteration."""
        self.iteration += 1
        if self.settings.algorithm == "cfr-d":
            self._cfr()
        elif self.settings.algorithm == "cfr-avg":
            self._cfr_avg()
        else:
            self._fictitious_play()

    @cached_property
    def schedule(self) -> UpdateSchedule:
        """The factors on sums before each iteration."""
        factors = [self.settings.fading(t) for t in range(1, self.settings.iterations + 1)]
        return self._fading(factors)

    def _fading(self, factors: list[float]) -> UpdateSchedule:
        own = np.array(factors, dtype=self.dtype)
        return UpdateSchedule(own, own, own)

    def _cfr(self) -> None:
        for player in range(2):
            self.update(player)
            if self.settings.alternating:
                self._match(player)
        if not self.settings.alternating:
            self.learning.matched[...] = self.learning.regrets

    def update(self, player: int) -> None:
        """Run a half-iteration of CFR."""
        t, means = self.iteration - 1, (self._means[player], self.settings.share(self.iteration))
        self.traverser.update(self.batch, self.learning, self.schedule, player, t, means=means)

    @property
    def _follows_regrets(self) -> bool:
        """Whether current policies are always those of the regrets: a warm start begins with others."""
        return self.settings.algorithm == "cfr-d" and self.settings.alternating and not self.skipped

    def _match(self, player: int) -> None:
        """Let a player's current policies follow its regrets."""
        if self.learning.matched is self.learning.regrets:
            return
        own, regrets = (self.traverser.layout.of_player(numbers, player) for numbers in self.learning[1::-1])
        own[...] = regrets

    def _learn_values(self, player: int, values: Floats) -> None:
        rows = self.traverser.layout.to_rows(player, self.batch.boards, values)
        self._means[player] += self.dtype(self.settings.share(self.iteration)) * (rows - self._means[player])

    @property
    def mean(self) -> Floats:
        """[subgame, player, hand]: weighted means of counterfactual values at the roots."""
        layout, boards = self.traverser.layout, self.batch.boards
        return np.stack([layout.to_hands(player, boards, own) for player, own in enumerate(self._means)], axis=1)

    def _cfr_avg(self) -> None:
        """Run the modified CFR-AVG (Brown 2020, section 5.3.9).

        u(t) = (W(t) ubar(t) - W(t-1) ubar(t-1)) / w(t), with ubar the value of leaves under the averages.
        """
        regrets, matched, average = self.learning
        weight, fading = self.settings.weight(self.iteration), self.settings.fading(self.iteration)
        through = weight / self.settings.share(self.iteration)
        self.traverser.add_to_average(self.batch, matched, average, fading)
        differences = []
        for player in range(2):
            now = self.traverser.leaf_values(self.batch, average, player)
            differences.append((through * now - (through - weight) * self.before[player]) / weight)
            self.before[player] = now
        learning = BatchLearning(regrets, matched, np.zeros_like(average))  # the average has this iteration already
        for player in range(2):
            means = self._means[player], self.settings.share(self.iteration)
            t, rows = self.iteration - 1, differences[player]
            self.traverser.update(self.batch, learning, self.schedule, player, t, rows, means)
        matched[...] = regrets

    def _fictitious_play(self) -> None:
        """Respond to averages; sums are not faded here but weighted, so that rounding breaks no ties."""
        traverser, batch, average = self.traverser, self.batch, self.learning.average
        weight, faced = self.dtype(self.settings.weight(self.iteration)), average
        for player in range(2):
            if player == 0 or self.settings.alternating:
                faced = average + self.extra  # averages, in which optimists count the last responses once more
            answer, gained = faced.copy(), np.zeros_like(average)
            self._learn_values(player, traverser.respond(batch, answer, player))
            traverser.add_to_average(batch, answer, gained, 1.0, (player,))
            gained *= weight
            average += gained
            response, last, current, added = (
                traverser.layout.of_player(numbers, player)
                for numbers in (answer, self.extra, self.learning.matched, gained)
            )
            if self.settings.algorithm in ("ofp", "flop"):
                last[...] = added
            current[...] = response

    def average(self) -> Floats:
        """Return the average policies, [subgame, row, hand]."""
        return self.policies(self.learning.average)

    def root_values(self) -> Floats:
        """Return the mean conditional values of root hands, [subgame, player, hand]; 0 for hands that meet nothing."""
        return conditional(self.mean, self.beliefs, self.game.pairs)
