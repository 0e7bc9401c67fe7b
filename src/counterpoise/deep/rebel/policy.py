"""Policy networks, which start search where it would be after some iterations.

See Brown 2020, section 5.3.5; Brown et al. 2020, appendix J.

A policy network predicts the average policy of every decision of a subgame, given the beliefs there. It is asked from
the root downwards, because beliefs depend on the policies above; search then begins as though its first iterations had
been played (`BeliefSolver.warm_start`). Targets are averages of solved subgames, kept in 8 bits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoise.deep.fitting import Examples
from counterpoise.deep.networks import MlpShape, Network
from counterpoise.deep.rebel.beliefs import Floats, IntArray, normalised, quantised, unquantised
from counterpoise.deep.rebel.games import BeliefGame
from counterpoise.deep.rebel.subgames import Subgames
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
    """The inputs of a policy network for the decisions of a game, by public state."""

    def __init__(self, game: BeliefGame) -> None:
        self.game, trees = game, game.public.street_trees
        acting = np.flatnonzero(game.tree_of >= 0)
        places = [(int(state), number) for state in acting for number in range(len(game.tree(int(state)).decisions))]
        self.first = np.full(len(game.tree_of), -1, dtype=np.int64)
        """Per public state the number of its first decision among those of all."""
        for place, (state, number) in enumerate(places):
            if number == 0:
                self.first[state] = place
        tree = [int(game.tree_of[state]) for state, _ in places]
        rows = [game.rows_of(own, number) for own, (_, number) in zip(tree, places, strict=True)]
        self.first_row: IntArray = np.array([own.start for own in rows], dtype=np.int64)
        self.actions: IntArray = np.array([own.stop - own.start for own in rows], dtype=np.int64)
        self.most_actions = int(self.actions.max())
        numbers = np.array([number for _, number in places])
        where = np.eye(int(numbers.max()) + 1, dtype=np.float32)[numbers]
        states = np.array([state for state, _ in places])
        self.features = np.concatenate([game.features[states], where], axis=1).astype(np.float32)
        """[decision, feature]: its public state, and which decision of the tree it is."""
        depths = {
            (number, decision): len(street_tree.way_to(("decision", decision)))
            for number, street_tree in enumerate(trees)
            for decision in range(len(street_tree.decisions))
        }
        self.depth: IntArray = np.array(
            [depths[own, number] for own, (_, number) in zip(tree, places, strict=True)], dtype=np.int64
        )
        self.rows_before: IntArray = np.array(
            [game.rows_before(own, number) for own, (_, number) in zip(tree, places, strict=True)], dtype=np.int64
        )
        """[decision, player]: the player's own row before it."""

    def of(self, subgames: Subgames) -> tuple[IntArray, IntArray]:
        """Return the decisions of subgames, one after the other, and per decision the number of its subgame."""
        trees = self.game.tree_of[subgames.states]
        counts = np.array([len(self.game.public.street_trees[tree].decisions) for tree in trees], dtype=np.int64)
        owner = np.repeat(np.arange(len(trees)), counts)
        local = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.first[subgames.states][owner] + local, owner

    def beliefs(self, reach: tuple[Floats, Floats], decisions: IntArray, owner: IntArray) -> Floats:
        """Return the beliefs at decisions of subgames, [decision, player, hand]."""
        ranges = [reach[player][owner, self.rows_before[decisions, player]] for player in range(2)]
        return normalised(np.stack(ranges, axis=1), self.game.prior)

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

    def examples(self, subgames: Subgames, average: Floats) -> PolicyExamples:
        """Return the average policies of all decisions of solved subgames, with the beliefs that they lead to."""
        decisions, owner = self.of(subgames)
        beliefs = self.beliefs(subgames.reach(subgames.numbers(average)), decisions, owner)
        levels = np.zeros((len(decisions), self.most_actions, self.game.hands), dtype=np.uint8)
        for place, (decision, g) in enumerate(zip(decisions, owner, strict=True)):
            first, count = self.first_row[decision], self.actions[decision]
            levels[place, :count] = quantised(average[g, first : first + count])
        return PolicyExamples(decisions, beliefs.reshape(len(decisions), -1).astype(np.float32), levels)


class NetworkPolicy:
    """A policy network as a solver asks it."""

    def __init__(self, nodes: PolicyNodes, network: Network) -> None:
        self.nodes, self.network = nodes, network

    def policies(self, subgames: Subgames) -> Floats:
        """Return policies for all rows of subgames, found from their roots downwards."""
        nodes = self.nodes
        decision, owner = nodes.of(subgames)
        found = np.zeros((len(subgames.states), nodes.game.rows, nodes.game.hands), dtype=np.float32)
        for depth in range(int(nodes.depth[decision].max()) + 1):
            here = np.flatnonzero(nodes.depth[decision] == depth)
            reach = subgames.reach(subgames.numbers(found))
            beliefs = nodes.beliefs(reach, decision[here], owner[here])
            answers = self.network(nodes.encode(decision[here], beliefs))
            answers = np.maximum(answers.reshape(len(here), nodes.most_actions, -1), 0)
            for place, at in enumerate(here):
                count, first = int(nodes.actions[decision[at]]), int(nodes.first_row[decision[at]])
                shares = answers[place, :count]
                total = shares.sum(axis=0)
                even = np.full_like(shares, 1 / count)
                found[owner[at], first : first + count] = np.where(total > 1e-6, shares / np.maximum(total, 1e-6), even)
        return found


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
