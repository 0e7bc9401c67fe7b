"""Policy networks, which start search where it would be after some iterations.

See Brown 2020, section 5.3.5; Brown et al. 2020, appendix J.

A policy network knows, for every decision of a subgame and the beliefs there, about what the average policy will be. It
is asked from the root downwards, as beliefs need the policies above; search then begins as though its first iterations
had been played (`BeliefSolver.warm_start`). Targets are averages of solved subgames, kept in 8 bits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.deep.fitting import Examples
from counterpoise.deep.networks import MlpShape, Network
from counterpoise.deep.rebel.beliefs import normalised, quantised, unquantised
from counterpoise.deep.rebel.games import BeliefGame
from counterpoise.deep.rebel.kernels import subgame as kernels
from counterpoise.deep.rebel.kernels.layouts import Batch, Floats, IntArray
from counterpoise.deep.restoring import check_indices, restore_into, restored_counters


class PolicyExamples(NamedTuple):
    """Average policies of decisions."""

    decisions: IntArray
    """Per example the decision, by its number among those of all trees."""
    beliefs: Floats
    """[example, 2 x hands]: both players' beliefs at the decision."""
    levels: NDArray[np.uint8]
    """[example, action, hand]: probabilities in 8 bits; 0 for actions that there are not."""


class PolicyNodes:
    """What a policy network is told about the decisions of a game."""

    def __init__(self, game: BeliefGame) -> None:
        self.game, forest = game, game.forest
        count = int(forest.decision_start[-1])
        self.tree: IntArray = np.repeat(np.arange(len(game.trees)), np.diff(forest.decision_start))
        number = np.arange(count) - forest.decision_start[self.tree]
        place = np.arange(count) + self.tree
        self.first_row: IntArray = forest.first_row[place]
        self.actions: IntArray = forest.first_row[place + 1] - self.first_row
        self.most_actions = int(self.actions.max())
        state_of = np.zeros(len(game.trees), dtype=np.int64)
        starts = np.flatnonzero(game.tree_of >= 0)
        state_of[game.tree_of[starts]] = starts
        where = np.eye(int(number.max()) + 1, dtype=np.float32)[number]
        self.features = np.concatenate([game.features[state_of[self.tree]], where], axis=1).astype(np.float32)
        """[decision, feature]: its public state, and which decision of the tree it is."""
        self.depth: IntArray = np.zeros(count, dtype=np.int64)
        for decision in range(count):
            parent = int(forest.parent[decision])
            if parent >= 0:
                self.depth[decision] = self.depth[forest.decision_start[self.tree[decision]] + parent] + 1

    def shape(self, hidden: tuple[int, ...]) -> MlpShape:
        """Return the shape of a policy network."""
        return MlpShape(
            inputs=self.features.shape[1] + 2 * self.game.hands,
            hidden=hidden,
            outputs=self.most_actions * self.game.hands,
            activation="gelu",
            normalisation="layer",
            head_scale=0.01,
        )

    def encode(self, decisions: IntArray, beliefs: Floats) -> Floats:
        """Return the inputs of a policy network, [decision, input]."""
        shares = beliefs.reshape(len(decisions), -1) * self.game.scale
        return np.concatenate([self.features[decisions], shares], axis=1).astype(np.float32)

    def examples(self, batch: Batch, average: Floats) -> PolicyExamples:
        """Return the average policies of all decisions of solved subgames, with the beliefs that they lead to."""
        kernels.spread(self.game.forest, batch, average)
        decisions, beliefs, levels = [], [], []
        for g, tree in enumerate(batch.tree):
            first, last = self.game.forest.decision_start[tree : tree + 2]
            for decision in range(first, last):
                rows = slice(self.first_row[decision], self.first_row[decision] + self.actions[decision])
                row = np.zeros((self.most_actions, self.game.hands), dtype=np.uint8)
                row[: self.actions[decision]] = quantised(average[g, rows])
                decisions.append(decision)
                beliefs.append(normalised(batch.reach[g, :, decision - first], self.game.payoffs.prior).ravel())
                levels.append(row)
        return PolicyExamples(np.array(decisions), np.array(beliefs, dtype=np.float32), np.array(levels))


class NetworkPolicy:
    """A policy network as a solver asks it."""

    def __init__(self, nodes: PolicyNodes, network: Network) -> None:
        self.nodes, self.network = nodes, network

    def fill(self, batch: Batch, policy: Floats) -> None:
        """Write policies for all rows of subgames, from their roots downwards; reach is that of them afterwards."""
        nodes, forest = self.nodes, self.nodes.game.forest
        starts = forest.decision_start[batch.tree]
        sizes = forest.decision_start[batch.tree + 1] - starts
        owner = np.repeat(np.arange(len(batch.tree)), sizes)
        local = np.concatenate([np.arange(size) for size in sizes])
        decision = starts[owner] + local
        for depth in range(int(nodes.depth[decision].max()) + 1):
            kernels.spread(forest, batch, policy)
            here = np.flatnonzero(nodes.depth[decision] == depth)
            beliefs = normalised(batch.reach[owner[here], :, local[here]], nodes.game.payoffs.prior)
            answers = self.network(nodes.encode(decision[here], beliefs))
            answers = np.maximum(answers.reshape(len(here), nodes.most_actions, -1), 0)
            for place, at in enumerate(here):
                count, first = int(nodes.actions[decision[at]]), int(nodes.first_row[decision[at]])
                shares = answers[place, :count]
                total = shares.sum(axis=0)
                even = np.full_like(shares, 1 / count)
                policy[owner[at], first : first + count] = np.where(
                    total > 1e-6, shares / np.maximum(total, 1e-6), even
                )
        kernels.spread(forest, batch, policy)


class PolicyReplay:
    """Up to `capacity` average policies; new ones take the places of the oldest."""

    def __init__(self, nodes: PolicyNodes, capacity: int) -> None:
        self.nodes, self.capacity = nodes, capacity
        self._kept = PolicyExamples(
            np.zeros(capacity, dtype=np.int64),
            np.zeros((capacity, 2 * nodes.game.hands), dtype=np.float32),
            np.zeros((capacity, nodes.most_actions, nodes.game.hands), dtype=np.uint8),
        )
        self.seen = 0

    @property
    def size(self) -> int:
        """Examples that are held."""
        return min(self.seen, self.capacity)

    def add(self, examples: PolicyExamples) -> None:
        """Take examples in."""
        places = (self.seen + np.arange(len(examples.decisions))) % self.capacity
        for name in PolicyExamples._fields:
            getattr(self._kept, name)[places] = getattr(examples, name)
        self.seen += len(places)

    def draw(self, steps: int, rows: int, random: np.random.Generator) -> Examples:
        """Draw minibatches uniformly with replacement, [step, row, ...]."""
        chosen = random.integers(self.size, size=steps * rows)
        decisions = self._kept.decisions[chosen]
        targets = unquantised(self._kept.levels[chosen], axis=1)
        legal = np.arange(self.nodes.most_actions)[None, :, None] < self.nodes.actions[decisions][:, None, None]
        shape = (steps, rows, -1)
        return Examples(
            self.nodes.encode(decisions, self._kept.beliefs[chosen]).reshape(shape),
            targets.astype(np.float32).reshape(shape),
            (np.broadcast_to(legal, targets.shape) / self.nodes.game.hands).astype(np.float32).reshape(shape),
            np.ones((steps, rows), dtype=np.float32),
        )

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return everything that is held, to be saved."""
        found = dict(zip(PolicyExamples._fields, (part[: self.size] for part in self._kept), strict=True))
        return found | {"seen": np.array(self.seen)}

    def restore(self, arrays: dict[str, NDArray[np.generic]]) -> None:
        """Continue with what `arrays` returned."""
        (seen,) = restored_counters(arrays, "seen", 1)
        held = min(seen, self.capacity)
        for name in PolicyExamples._fields:
            restore_into(getattr(self._kept, name)[:held], arrays, name)
        check_indices(self._kept.decisions[:held], len(self.nodes.actions), "decisions")
        self.seen = seen
