"""Neural fictitious self-play (Heinrich and Silver 2016), the baseline that Deep CFR is compared with (Brown 2020,
section 4.1.5).

1. Each player has a network Q of action values, an older copy of it, and a network P of its average strategy.
2. In every episode each player plays by epsilon-greedy Q with probability eta, else by P. All its decisions go to a
   window of transitions; those by Q, which approximate best responses, also to a reservoir.
3. Q is fitted to r + max_a' Q_old(I', a') over the legal actions of the next decision, P to the reservoir.
4. What is played, and judged, is P.

Many episodes run at once against networks that do not change meanwhile; a step is such a batch of episodes and the
updates that follow it. Nodes touched are those of episodes, chance nodes and terminals included.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from counterpoise.deep.enumerated import EnumeratedGame
from counterpoise.deep.files import Trained
from counterpoise.deep.fitting import Examples, FitSettings, Fitter
from counterpoise.deep.learner import method
from counterpoise.deep.memory import SampleMemory
from counterpoise.deep.networks import Network, new_network
from counterpoise.deep.playing import OWN
from counterpoise.deep.regressors import softmax
from counterpoise.deep.restoring import check_indices, checked, part_of, restore_into, restored_counters
from counterpoise.deep.sampled_game import Episodes, Keys, Policy, Rows, SampledGame
from counterpoise.deep.samplers import SamplingMethod, UpToABillion, UpToAMillion, as_sampled
from counterpoise.games import Game
from counterpoise.kernels.random import seeded
from counterpoise.solvers.base import FiniteAtLeastZero, Positive, Share, WholeFromOne

Arrays = dict[str, NDArray[Any]]
EPISODES, NETWORKS, FIRST_MEMORY = 0, 1, 2
"""Streams of random numbers: that of episodes, that of networks and minibatches, then one for each memory."""


@method("nfsp")
@dataclass(frozen=True, kw_only=True)
class NFSPSettings(SamplingMethod):
    """Neural fictitious self-play: a network of best responses and one of the average strategy for each player."""

    source: ClassVar[str] = "Brown 2020, section 4.1.5"

    episodes: UpToAMillion = 512
    """Games between updates."""
    updates: UpToAMillion = 32
    """Steps of Adam of every network after them."""
    batch: UpToAMillion = 128
    """Samples of a step."""
    hidden: tuple[int, ...] = (64,)
    anticipatory: Share = 0.1
    """Share of episodes in which a player plays by its best response (eta)."""
    exploration: Share = 0.3
    """Share of evenly drawn actions in such episodes in the first step; it falls with the root of the step."""
    transitions: UpToABillion = 100_000
    """Decisions that each player's window holds."""
    memory: UpToABillion = 2_000_000
    """Best responses that each player's reservoir holds."""
    copy_every: WholeFromOne = 300
    """Updates of Q after which its older copy is renewed."""
    learning_rate: Positive = 0.001
    """Adam's step size for Q."""
    policy_learning_rate: Positive = 0.001
    """Adam's step size for the average strategy."""
    clip: FiniteAtLeastZero = 1.0
    """The longest gradient; 0: any."""

    def on(self, game: Game | SampledGame, seed: int = 0, workers: int = 1) -> NFSP:
        """Return a fresh learner for a game; one process works."""
        self.require_one_process(workers)
        return NFSP(self, as_sampled(game), seed)


class NFSP:
    """Neural fictitious self-play at work on a game."""

    def __init__(self, settings: NFSPSettings, game: SampledGame, seed: int = 0) -> None:
        self.settings, self.game, self.seed = settings, game, seed
        self.cpu_elsewhere = 0.0
        self.iterations = self.nodes_touched = self.updates = 0
        self.random = seeded(seed, EPISODES)
        shape, random = settings.shape(game), self._generator(0)
        clip, rates = float(settings.clip), (settings.learning_rate, settings.policy_learning_rate)
        q_fit = FitSettings(loss="mse", learning_rate=float(rates[0]), clip=clip)
        p_fit = FitSettings(loss="cross-entropy", learning_rate=float(rates[1]), clip=clip)
        self.values = [Fitter(new_network(shape, random), q_fit) for _ in (0, 1)]
        self.averages = [Fitter(new_network(shape, random), p_fit) for _ in (0, 1)]
        self.old = [fitter.network for fitter in self.values]
        self.losses = [0.0, 0.0]
        columns, width = len(game.actions), game.key_width
        self.transitions, self.responses = [], []
        for player in (0, 1):
            kind: dict[str, Any] = {"seed": seed, "key_type": game.key_type}
            window = SampleMemory(settings.transitions, 2 * width, 3, replacement="window", stream=FIRST_MEMORY, **kind)
            self.transitions.append(window)
            self.responses.append(SampleMemory(settings.memory, width, columns, stream=FIRST_MEMORY + player, **kind))

    def step(self) -> None:
        """Play episodes, remember their decisions, and update all networks."""
        self.iterations += 1
        networks = [fitter.network for fitter in self.values], [fitter.network for fitter in self.averages]

        def respond(player: int, keys: Keys) -> Rows:
            return self._greedy(networks[0][player], keys)

        def average(player: int, keys: Keys) -> Rows:
            return softmax(networks[1][player](self.game.encode(keys)), self.game.legal(keys))

        share = float(self.settings.anticipatory)
        found = self.game.play(self.settings.episodes, (respond, average), share, self.random)
        self.nodes_touched += found.touched
        for player in (0, 1):
            self._remember(player, found)
        random = self._generator(self.iterations)
        self.losses = [0.0, 0.0]
        for player in (0, 1):
            self._update(player, random)
        self.updates += self.settings.updates
        if (
            self.updates // self.settings.copy_every
            > (self.updates - self.settings.updates) // self.settings.copy_every
        ):
            self.old = [fitter.network for fitter in self.values]

    def average_policy(self, player: int, keys: Keys) -> Rows:
        """Return the average strategy."""
        return self._average_policy()(player, keys)

    def exploitability(self) -> float | None:
        """Return the exploitability of the average strategy; None if it is too expensive."""
        return self.game.exploitability(self._average_policy())

    def _average_policy(self) -> Policy:
        networks = [fitter.network for fitter in self.averages]
        return lambda player, keys: softmax(networks[player](self.game.encode(keys)), self.game.legal(keys))

    def figures(self) -> dict[str, float]:
        """Return losses of both kinds of networks, episodes so far and the fill of memories."""
        return {
            "loss": self.losses[0],
            "loss of averages": self.losses[1],
            "episodes": float(self.iterations * self.settings.episodes),
            "samples": float(sum(len(memory) for memory in (*self.transitions, *self.responses))),
        }

    def state(self) -> Arrays:
        """Return everything that changes; memories as views."""
        counters = [self.iterations, self.nodes_touched, self.updates]
        found = {
            "counters": np.array(counters, dtype=np.int64),
            "random": self.random.copy(),
            "losses": np.array(self.losses),
        }
        found |= {f"old{player}": network.flat() for player, network in enumerate(self.old)}
        for name, part in self._parts().items():
            found |= {f"{name}.{key}": array for key, array in part.state().items()}
        return found

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a `state` of the same settings on the same game."""
        for name, part in self._parts().items():
            part.restore(part_of(arrays, name))
        for memory in (*self.transitions, *self.responses):
            self.game.require_keys(memory.keys.reshape(-1, self.game.key_width))
        for memory in self.transitions:
            check_indices(memory.targets[:, 0], len(self.game.actions), "transitions")
        self.old = [
            network.with_flat(checked(arrays, f"old{player}", (network.weight_count,), np.float32))
            for player, network in enumerate(self.old)
        ]
        self.iterations, self.nodes_touched, self.updates = restored_counters(arrays, "counters", 3)
        restore_into(self.random, arrays, "random")
        self.losses = checked(arrays, "losses", (2,), np.float64).tolist()

    def close(self) -> None:
        """Do nothing: no other process runs."""

    def result(self) -> Trained:
        """Return the networks of the average strategy of each player, and what they play as a table."""
        networks = {name: fitter.network for name, fitter in zip(OWN, self.averages, strict=True)}
        made = {"iterations": self.iterations, "seed": self.seed}
        strategy = None
        if isinstance(self.game, EnumeratedGame):
            strategy = self.game.strategy(self.game.profile(self._average_policy()))
        return Trained(self.game.name, self.settings.name, networks, made, strategy)

    def _greedy(self, network: Network, keys: Keys) -> Rows:
        """Return epsilon-greedy probabilities of a network of values."""
        legal = self.game.legal(keys)
        values = np.where(legal, network(self.game.encode(keys)), -np.inf)
        epsilon = float(self.settings.exploration) / np.sqrt(self.iterations)
        rows = epsilon * legal / legal.sum(axis=1, keepdims=True)
        rows[np.arange(len(rows)), values.argmax(axis=1)] += 1.0 - epsilon
        return np.asarray(rows)

    def _remember(self, player: int, found: Episodes) -> None:
        """Put the decisions of a player into its memories."""
        own = np.flatnonzero(found.seat == player)
        following = found.following[own]
        ended = following < 0
        keys = np.concatenate([found.keys[own], found.keys[np.where(ended, own, following)]], axis=1)
        facts = np.stack([found.action[own], found.reward[own], ended], axis=1)
        self.transitions[player].offer(keys, facts, 1.0)
        chosen = own[found.learning[own]]
        played = np.eye(len(self.game.actions), dtype=np.float32)[found.action[chosen]]
        self.responses[player].offer(found.keys[chosen], played, 1.0)

    def _update(self, player: int, random: np.random.Generator) -> None:
        count, batch = self.settings.updates, self.settings.batch
        if len(self.transitions[player]):
            rows = random.integers(0, len(self.transitions[player]), count * batch)
            self.losses[0] += self.values[player].fit(self._q_batches(player, rows)) / 2
        memory = self.responses[player]
        if len(memory):
            rows = random.integers(0, len(memory), count * batch)
            keys = memory.keys[rows]
            examples = self._in_steps(keys, memory.targets[rows], self.game.legal(keys))
            self.losses[1] += self.averages[player].fit(examples) / 2

    def _q_batches(self, player: int, rows: NDArray[np.int64]) -> Examples:
        """Return examples whose only target is the value of the action that was played."""
        memory, width = self.transitions[player], self.game.key_width
        keys, facts = memory.keys[rows], memory.targets[rows]
        following, ended = keys[:, width:], facts[:, 2] > 0
        ahead = np.where(self.game.legal(following), self.old[player](self.game.encode(following)), -np.inf).max(axis=1)
        played = np.eye(len(self.game.actions), dtype=np.float32)[facts[:, 0].astype(np.int64)]
        target = facts[:, 1] + np.where(ended, 0.0, ahead)
        return self._in_steps(keys[:, :width], played * target[:, None], played)

    def _in_steps(self, keys: Keys, targets: Rows, mask: NDArray[Any]) -> Examples:
        """Return rows as minibatches [step, row, ...]."""
        shape = self.settings.updates, self.settings.batch, -1
        return Examples(
            self.game.encode(keys).reshape(shape),
            targets.astype(np.float32).reshape(shape),
            mask.astype(np.float32).reshape(shape),
            np.ones(shape[:2], dtype=np.float32),
        )

    def _parts(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name in ("values", "averages", "transitions", "responses"):
            found |= {f"{name}{player}": part for player, part in enumerate(getattr(self, name))}
        return found

    def _generator(self, step: int) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(NETWORKS, step)))
