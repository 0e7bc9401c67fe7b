"""Values of two hands behind an end of the second betting round, by roll-outs.

See Brown et al. 2018, section 5.

At the end of the round one seat continues by one of its biased continuations, the other by the blueprint. The rest is
played a number of times for each pair of hands, every time with a newly drawn turn and river; all continuations meet
the same cards and the same random numbers, which makes their differences less noisy.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.kernels.random import seeded
from counterpoise.parameters import require, require_whole
from counterpoise.sampling.betting_tree import BettingTree
from counterpoise.sampling.kernels.dealing import CardArrays
from counterpoise.sampling.kernels.leaves import Leaves
from counterpoise.sampling.kernels.records import LeafScratch
from counterpoise.sampling.kernels.rollouts import Pairs, Plays, roll_out_pairs
from counterpoise.sampling.lookup import dealt_hand
from counterpoise.sampling.subtree import played_tree
from counterpoise.sampling.tables import NodeStrategy

FloatArray = NDArray[np.float64]
LIVE = 0b11
"""The set of both seats."""


def ends_of_second_round(tree: BettingTree) -> NDArray[np.int64]:
    """Return the decisions that open the third betting round: ends of the second at which both seats have chips."""
    exits = tree.round_exits(1)
    return np.asarray(exits[tree.decisions[exits]])


def one_seat_picks(count: int) -> list[tuple[int, int]]:
    """Return the pairs of continuations in which at most one seat leaves its blueprint, number 0 first.

    >>> one_seat_picks(3)
    [(0, 0), (1, 0), (2, 0), (0, 1), (0, 2)]
    """
    return [(0, 0), *((k, 0) for k in range(1, count)), *((0, k) for k in range(1, count))]


class PairRollouts:
    """Roll-outs behind the ends of the second round of a blueprint's tree; see the module docstring.

    `cards` has the buckets of all boards (`bucket_lookup`), `factors` [continuation, 3] multiply the probabilities of
    folds, calls and raises, and `picks` are the pairs of continuations that are played.
    """

    def __init__(
        self,
        tree: BettingTree,
        strategy: NodeStrategy,
        cards: CardArrays,
        factors: FloatArray,
        picks: Sequence[tuple[int, int]],
        *,
        seed: int = 0,
    ) -> None:
        if tree.players != 2 or tree.game.betting.rake.percent:
            raise InputError(f"roll-outs of pairs of hands are for two seats without rake, not for {tree.game.name}")
        if tree.board_cards[:2] != (0, 3) or len(tree.board_cards) < 3:
            raise InputError(f"{tree.game.name} has no round after that of the flop: nothing is left to roll out")
        require_whole("seed", seed, 0)
        self.tree, self.cards, self.ends = tree, cards, ends_of_second_round(tree)
        count = len(self.ends)
        self._picks, self._seed = np.array(picks, dtype=np.int64), seeded(seed)[0]
        self._leaves = Leaves(
            node=self.ends.astype(np.uint32),
            live=np.full(count, LIVE, dtype=np.uint16),
            scale=np.ones(count),
            base=np.zeros((count, 2)),
            behind=np.full((count, 2), np.inf),
            paid=tree.paid,
            rollouts=1,
            factors=np.ascontiguousarray(factors, dtype=np.float64),
            tree=played_tree(tree),
            start=strategy.layout.start,
            table=strategy.table,
        )
        self._dealt = dealt_hand(tree)
        self._scratch = LeafScratch(
            picked=np.zeros(2, dtype=np.int64),
            strengths=np.zeros(2, dtype=np.uint16),
            random=np.zeros(4, dtype=np.uint64),
        )

    def run(
        self,
        end: NDArray[np.int64],
        flop: NDArray[np.uint8],
        hands: NDArray[np.uint8],
        rollouts: int,
        first: int = 0,
    ) -> FloatArray:
        """Return the mean winnings of seat 0 in chips, [pair, half, pick], over each half of the roll-outs.

        `end` are places in `ends`, `flop` [pair, 3] and `hands` [pair, seat, 2] cards, all of them different in a pair.
        Each half is `rollouts` / 2 of them; the two are independent, so that their difference measures the noise of the
        means. `first` is the number of the first pair; results depend on a pair and its number alone.
        """
        require_whole("rollouts", rollouts, 2)
        require(rollouts % 2 == 0, f"rollouts must be an even number, two halves, not {rollouts}")
        pairs = Pairs(end.astype(np.uint32), np.ascontiguousarray(flop), np.ascontiguousarray(hands))
        plays = Plays(self._picks, rollouts // 2, self._seed, np.uint64(first))
        out = np.empty((len(end), 2, len(self._picks)))
        roll_out_pairs(self.cards, self._leaves, pairs, plays, self._dealt, self._scratch, out)
        return out
