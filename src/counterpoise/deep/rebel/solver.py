"""Solve many belief subgames in lock-step, with one question to the value function per half-iteration.

See Brown et al. 2020, section 5.

Algorithms inside a subgame (Brown 2020, sections 5.3.4 to 5.3.8):

- ``cfr-d``: CFR whose leaves are valued at the beliefs of the current policies. Sound.
- ``cfr-avg``: leaves are valued at the beliefs of the average policies, and consecutive answers are differenced, so
  that the weighted sum over iterations is what the average is worth (the modified form of the poker experiments; the
  sound form needs policies below the leaves, see `counterpoise.deep.rebel.oracle`).
- ``fp``, ``linear-fp``, ``ofp``, ``flop``: fictitious play, weights 1 or t, without or with optimism; leaves are valued
  at the beliefs of what is responded to.

An iteration updates both players, so that published counts of single updates ("1,024 iterations" in Liar's Dice) are
twice ours. The policy of iteration t, which is uniform for t = 1, has the weight t (or 1) in averages, in the values
for training and in the draw of the iteration that is played.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

import numpy as np

from counterpoise.deep.rebel.beliefs import met
from counterpoise.deep.rebel.games import BeliefGame
from counterpoise.deep.rebel.kernels import subgame as kernels
from counterpoise.deep.rebel.kernels.layouts import Batch, Floats, IntArray, Questions, Tables
from counterpoise.errors import InputError

Inner = Literal["cfr-d", "cfr-avg", "fp", "linear-fp", "ofp", "flop"]
ValueFunction = Callable[[Floats, IntArray], Floats]
"""Returns the values of both players' hands, [question, 2 x hands], for a network's inputs and public states."""


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
    """Iterations that a policy network takes the place of, if there is one; published: 15."""
    firmness: float = 1.0
    """How firmly iterations after a warm start stay near the policies that it came from; published: 0, which in small
    games loses most of what the start is worth."""

    @property
    def weighted(self) -> bool:
        """Whether weights are linear: plain and optimistic fictitious play are uniform by their names."""
        return self.algorithm in ("linear-fp", "flop") or (self.linear and self.algorithm not in ("fp", "ofp"))

    def weight(self, iteration: int) -> float:
        """Return the weight of an iteration, counted from 1."""
        return float(iteration) if self.weighted else 1.0

    def share(self, iteration: int) -> float:
        """Return the weight of an iteration among all up to it."""
        return 2 / (iteration + 1) if self.weighted else 1 / iteration

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

    def fill(self, batch: Batch, policy: Floats) -> None:
        """Write policies for all rows of the subgames of a batch, and leave the reach of them."""
        ...


class Solved(NamedTuple):
    """What a call of `BeliefSolver.solve` has found; arrays belong to the solver and last until the next call."""

    played: Floats
    """[subgame, row, hand]: policies of the drawn iterations."""
    believed: Floats
    """The policies that beliefs follow: those, or with averages at leaves the averages up to these iterations."""
    values: Floats
    """[subgame, player, hand]: weighted means of the conditional values of root hands, in the unit of the game."""


def new_batch(game: BeliefGame, capacity: int, dtype: type = np.float32) -> Batch:
    """Return scratch arrays for subgames of a game."""
    decisions, rows, leaves = game.largest()
    shapes = (
        (2,),
        (2, decisions),
        (decisions,),
        (2, leaves),
        (leaves,),
        (decisions,),
        (rows,),
    )
    arrays = [np.zeros((capacity, *shape, game.hands), dtype=dtype) for shape in shapes]
    return Batch(np.zeros(capacity, dtype=np.int64), *arrays)


def distinct(states: IntArray, beliefs: Floats) -> tuple[IntArray, IntArray]:
    """Return where each different public belief state stands first, and for all of them which of those it equals.

    >>> distinct(np.array([0, 2, 0]), np.ones((3, 2, 1)))
    (array([0, 1]), array([0, 1, 0]))
    """
    found: dict[tuple[int, bytes], int] = {}
    which = [found.setdefault((int(s), b.tobytes()), len(found)) for s, b in zip(states, beliefs, strict=True)]
    _, first = np.unique(which, return_index=True)
    return first, np.array(which)


class BeliefSolver:
    """Scratch arrays for up to `capacity` subgames of one game at a time."""

    def __init__(
        self,
        game: BeliefGame,
        values: ValueFunction,
        settings: SearchSettings | None = None,
        capacity: int = 64,
        dtype: type = np.float32,
    ) -> None:
        self.game, self.values, self.settings = game, values, settings or SearchSettings()
        self.policy: PolicyFunction | None = None
        """What warm starts come from; only CFR-D has them."""
        self.capacity, self.forest = capacity, game.forest
        self.payoffs = game.payoffs._replace(
            matrix=game.payoffs.matrix.astype(dtype), meet=game.payoffs.meet.astype(dtype)
        )
        _, rows, leaves = game.largest()
        hands, inputs = game.hands, game.inputs

        def zeros(*shape: int) -> Floats:
            return np.zeros((capacity, *shape), dtype=dtype)

        self._batch = new_batch(game, capacity, dtype)
        self._tables = Tables(zeros(rows, hands), zeros(rows, hands), zeros(rows, hands), zeros(2, hands))
        self._questions = Questions(
            np.zeros((capacity * leaves, inputs), dtype=dtype),
            np.zeros(capacity * leaves, dtype=np.int64),
            np.zeros((capacity, leaves), dtype=np.int64),
            game.features.astype(dtype),
            game.unit.astype(dtype),
            game.scale,
        )
        self._played, self._believed, self._faced = (zeros(rows, hands) for _ in range(3))
        self._extra = zeros(rows, hands) if self.settings.algorithm in ("ofp", "flop") else None
        self._before = zeros(2, leaves, hands) if self.settings.algorithm == "cfr-avg" else None
        self._vanishing = 1e-60 if dtype is np.float64 else 1e-30
        self.questions_asked = 0
        self.solved = 0
        """Subgames that were solved."""

    def begin(self, states: IntArray, beliefs: Floats) -> None:
        """Start on subgames at public belief states, from uniform policies."""
        self._refuse_many(len(states))
        trees = self.game.tree_of[states]
        if (trees < 0).any():
            raise InputError("a public card is dealt in one of these public states: there is nothing to solve")
        self._cut(len(states))
        self.batch.tree[...] = trees
        self.batch.beliefs[...] = beliefs
        for table in self.tables:
            table[...] = 0
        if self._before is not None:
            self._before[...] = 0
        if self._extra is not None:
            self._extra[...] = 0
        kernels.average(self.forest, self.batch.tree, self.tables.total, self.tables.policy)
        if self.settings.algorithm not in ("cfr-d", "cfr-avg"):
            # Where responses never go they are uniform play in the limit of a small weight, which breaks ties.
            kernels.spread(self.forest, self.batch, self.tables.policy)
            for player in range(2):
                kernels.accumulate(self.forest, self.batch, self.tables, player, self._vanishing)
        self.iteration = 0
        if self.policy is not None and self.settings.algorithm == "cfr-d":
            self.warm_start(self.policy)

    def _refuse_many(self, count: int) -> None:
        if count > self.capacity:
            raise InputError(f"at most {self.capacity} subgames at a time, not {count}")

    def _cut(self, count: int) -> None:
        """Use the first so many places of all arrays."""
        cut = slice(0, count)
        self.batch = Batch(*(array[cut] for array in self._batch))
        self.tables = Tables(*(array[cut] for array in self._tables))
        self.asked = self._questions._replace(place=self._questions.place[cut])
        self.faced = self._faced[cut]

    @property
    def skipped(self) -> int:
        """The iterations that a warm start takes the place of."""
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
        skipped, tables = self.settings.skipped, self.tables
        weight = skipped * (skipped + 1) / 2 if self.settings.weighted else float(skipped)
        firm = self.settings.firmness * sum(self.settings.weight(t + 1) ** 2 for t in range(skipped)) ** 0.5
        policy.fill(self.batch, tables.policy)
        for player in range(2):
            self.set_leaf_values(player)
            kernels.gather(self.forest, self.payoffs, self.batch, tables.policy, player, False)
            tables.mean[:, player] = self.batch.value[:, 0]
            kernels.gather(self.forest, self.payoffs, self.batch, tables.policy, player, True)
            kernels.accumulate(self.forest, self.batch, tables, player, weight)
            kernels.set_regrets(self.forest, self.batch, tables, player, weight, firm)
        self.iteration = skipped

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
        self.played, self.believed = self._played[:count], self._believed[:count]
        wanted = np.zeros(count, dtype=np.int64) if drawn is None else np.asarray(drawn, dtype=np.int64)
        last = self.settings.iterations if with_values else int(wanted.max())
        while self.iteration < last:
            self._keep(subgame, wanted, before=True)
            if not with_values and self.iteration + 1 == last and not self._keeps_after:
                break
            self.step()
            self._keep(subgame, wanted, before=False)
        self.solved += len(chosen)
        if len(chosen) < count:
            self._repeat(subgame)
        return Solved(self.played, self.believed, self.root_values())

    def _repeat(self, subgame: IntArray) -> None:
        """Leave the batch and the tables as though equal subgames had been solved one by one."""
        for array in (*self._batch, *self._tables):
            array[: len(subgame)] = array[subgame]
        self._cut(len(subgame))

    @property
    def _keeps_after(self) -> bool:
        """Whether the policies of an iteration are known only when it is done."""
        return self.settings.algorithm != "cfr-d"

    def _keep(self, subgame: IntArray, wanted: IntArray, before: bool) -> None:
        if before == self._keeps_after:
            return
        iteration = self.iteration + 1 if before else self.iteration
        if not (wanted == iteration).any():
            return
        kernels.keep_snapshots(self.tables.policy, subgame, wanted, iteration, self.played)
        belief = self.average() if self._keeps_after else self.tables.policy
        kernels.keep_snapshots(belief, subgame, wanted, iteration, self.believed)

    def step(self) -> None:
        """Run one iteration."""
        self.iteration += 1
        if self.settings.algorithm == "cfr-d":
            self._cfr()
        elif self.settings.algorithm == "cfr-avg":
            self._cfr_avg()
        else:
            self._fictitious_play()

    def _cfr(self) -> None:
        policy = self.tables.policy if self.settings.alternating else self.tables.policy.copy()
        for player in range(2):
            if player == 0 or self.settings.alternating:
                kernels.spread(self.forest, self.batch, policy)
            self.set_leaf_values(player)
            self.update(player, policy)

    def update(self, player: int, policy: Floats) -> None:
        """Finish a half-iteration of CFR for which reach and leaf values have been set."""
        weight, share = self.settings.weight(self.iteration), self.settings.share(self.iteration)
        kernels.gather(self.forest, self.payoffs, self.batch, policy, player, False)
        kernels.accumulate(self.forest, self.batch, self.tables, player, weight)
        kernels.improve(self.forest, self.batch, self.tables, player, weight, share)

    def _cfr_avg(self) -> None:
        """Brown 2020, section 5.3.9, the modified CFR-AVG: u(t) = (W(t) ubar(t) - W(t-1) ubar(t-1)) / w(t), with ubar
        the value of leaves under the averages.
        """
        assert self._before is not None
        policy, weight = self.tables.policy.copy(), self.settings.weight(self.iteration)
        through = weight / self.settings.share(self.iteration)
        kernels.spread(self.forest, self.batch, policy)
        for player in range(2):
            kernels.accumulate(self.forest, self.batch, self.tables, player, weight)
        kernels.average(self.forest, self.batch.tree, self.tables.total, self.faced)
        kernels.spread(self.forest, self.batch, self.faced)
        differences = []
        for player in range(2):
            self.set_leaf_values(player)
            now = self.batch.leaf_value.copy()
            before = self._before[: len(now), player]
            differences.append((through * now - (through - weight) * before) / weight)
            before[...] = now
        kernels.spread(self.forest, self.batch, policy)
        for player in range(2):
            self.batch.leaf_value[...] = differences[player]
            kernels.gather(self.forest, self.payoffs, self.batch, policy, player, False)
            share = self.settings.share(self.iteration)
            kernels.improve(self.forest, self.batch, self.tables, player, weight, share)

    def _fictitious_play(self) -> None:
        weight, share = self.settings.weight(self.iteration), self.settings.share(self.iteration)
        for player in range(2):
            if player == 0 or self.settings.alternating:
                self._face()
                kernels.spread(self.forest, self.batch, self.faced)
            self.set_leaf_values(player)
            kernels.gather(self.forest, self.payoffs, self.batch, self.faced, player, True)
            if self._extra is not None:
                self._forget_last(player)
            before = self.tables.total.copy() if self._extra is not None else None
            kernels.respond(self.forest, self.batch, self.tables, player, weight, share)
            if before is not None and self._extra is not None:
                self._extra[: len(before)] += self.tables.total - before

    def _forget_last(self, player: int) -> None:
        assert self._extra is not None
        extra = self._extra[: len(self.batch.tree)]
        for g, tree in enumerate(self.batch.tree):
            extra[g, : self.game.rows_of_player[tree][player].size][self.game.rows_of_player[tree][player]] = 0

    def _face(self) -> None:
        """Write what is responded to: averages, in which optimists count the last responses once more."""
        total = self.tables.total
        if self._extra is not None:
            total = total + self._extra[: len(total)]
        kernels.average(self.forest, self.batch.tree, total, self.faced)

    def set_leaf_values(self, player: int) -> None:
        """Ask the value function for the leaves that a player's opponent reaches, with the reach of the last spread."""
        count = kernels.ask(self.forest, self.game.payoffs.prior, self.batch, player, self.asked)
        self.questions_asked += count
        if count:
            answers = self.values(self.asked.inputs[:count], self.asked.state[:count])
            kernels.take_answers(self.forest, self.payoffs, self.batch, player, self.asked, answers)
        else:
            self.batch.leaf_value[...] = 0

    def average(self) -> Floats:
        """Return the average policies, [subgame, row, hand]."""
        found = np.empty_like(self.tables.total)
        kernels.average(self.forest, self.batch.tree, self.tables.total, found)
        return found

    def root_values(self) -> Floats:
        """Return the mean conditional values of root hands, [subgame, player, hand]; 0 for hands that meet nothing."""
        mass = met(self.batch.beliefs, self.payoffs)
        return np.where(mass > 0, self.tables.mean / np.where(mass > 0, mass, 1), 0)
