"""Regrets and average strategies of a game by betting node and bucket, and the common base of all walkers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from counterpoise.betting.rules import FOLD
from counterpoise.betting.tilt import NO_TILT, PayoffTilt
from counterpoise.errors import InputError
from counterpoise.jobs.pieces import kept_threads
from counterpoise.kernels.random import seeded
from counterpoise.progress import memory_size
from counterpoise.sampling.betting_tree import BettingTree
from counterpoise.sampling.kernels import blocks as kernels
from counterpoise.sampling.kernels.blocks import NOWHERE, WalkTree
from counterpoise.sampling.kernels.dealing import CardArrays
from counterpoise.sampling.tables import TableLayout
from counterpoise.store.arrays import check_arrays
from counterpoise.store.schemas import WALKS

Arrays = dict[str, NDArray[Any]]


class TabularWalks(ABC):
    """Tables of a game that walks of one kind improve, hand by hand.

    `table` has a row per decision and bucket: the regrets of its actions, then their sums of the average strategy, in
    float32. `iteration` counts dealt hands (external sampling) or boards (vectors), `nodes_touched` the betting nodes
    of all walks, ends included. A step deals `batch` of them. `cpu_elsewhere` are CPU seconds of other processes.
    """

    batch = 1
    kernels: ClassVar[tuple[Any, ...]] = ()
    """The kernels that are compiled before the first step."""

    def __init__(
        self,
        tree: BettingTree,
        layout: TableLayout,
        cards: CardArrays,
        seed: int,
        threads: int,
        walks: WalkTree | None = None,
    ) -> None:
        self.tree, self.layout, self.cards, self.threads = tree, layout, cards, threads
        self.walks = walks or walk_tree(tree, layout)
        self.table = np.zeros(2 * layout.size, dtype=np.float32)
        self.free = 0
        self.iteration = self.nodes_touched = 0
        self.cpu_elsewhere = 0.0
        self._seed = seeded(seed)[0]
        self._pool = kept_threads(threads) if threads > 1 else None

    @abstractmethod
    def run(self, iterations: int) -> None:
        """Deal and walk a number of hands or boards, a multiple of `batch`."""

    def discount(self, factor: float) -> None:
        """Multiply regrets and averages by a factor."""
        kernels.scale_table(self.table[: self.free], np.float32(factor))

    def averages(self) -> NDArray[np.float32]:
        """Return the sums of the average strategy in the order of the layout; 0 where no walk came."""
        out = np.zeros(self.layout.size, dtype=np.float32)
        self._copy_blocks(True, out, put=False)
        return out

    def regrets(self) -> NDArray[np.float32]:
        """Return the regrets in the order of the layout."""
        out = np.zeros(self.layout.size, dtype=np.float32)
        self._copy_blocks(False, out, put=False)
        return out

    def put(self, regrets: NDArray[Any], averages: NDArray[Any] | None = None) -> None:
        """Take over regrets, and perhaps averages, in the order of the layout; every decision then has its block."""
        place_all(self.walks, self.layout)
        self.free = 2 * self.layout.size
        for average, values in ((False, regrets), (True, averages)):
            if values is not None:
                self._copy_blocks(average, np.asarray(values, dtype=np.float32), put=True)

    def _copy_blocks(self, average: bool, ordered: NDArray[np.float32], *, put: bool) -> None:
        """Copy regrets or averages from their blocks to the order of the layout, or back."""
        walks = self.walks
        kernels.copy_blocks(walks.nodes, walks.buckets, self.layout.start, self.table, average, ordered, put)

    @property
    def met(self) -> int:
        """The number of decisions that have a block."""
        return int((self.walks.nodes[self.tree.decisions, kernels.PLACE] != NOWHERE).sum())

    @property
    def allocated(self) -> int:
        """Bytes of the blocks that were handed out."""
        return 4 * self.free

    def arrays(self) -> Arrays:
        """Return everything that the next step depends on, without blocks that were never handed out."""
        return {
            "table": self.table[: self.free],
            "place": self.walks.nodes[:, kernels.PLACE].copy(),
            "counts": np.array([self.iteration, self.nodes_touched, self.free], dtype=np.int64),
        }

    def restore(self, arrays: Arrays) -> None:
        """Take over the arrays of a run of the same game and settings, as a checkpoint has them; refuse others."""
        rules = {name: WALKS.arrays[f"walks_{name}"] for name in ("counts", "place", "table")}
        check_arrays("the checkpoint is damaged", arrays, {"counts": rules.pop("counts")})
        counts, sizes = arrays["counts"], {"nodes": self.tree.nodes, "entries": int(arrays["counts"][2])}
        if counts[2] > len(self.table):
            raise InputError("the checkpoint is damaged: its table has another size than it says")
        check_arrays("the checkpoint is damaged", arrays, rules, sizes)
        table, place = arrays["table"], arrays["place"]
        if counts[0] % self.batch:
            raise InputError(f"the checkpoint is damaged: {counts[0]} iterations are no batches of {self.batch}")
        if counts[2] < self.free or not self._fills(place, int(counts[2])):
            raise InputError("the checkpoint is damaged: its decisions do not fill its table")
        self.iteration, self.nodes_touched, self.free = (int(one) for one in counts)
        self.table[: self.free] = table
        self.walks.nodes[:, kernels.PLACE] = place

    def _fills(self, place: NDArray[np.uint32], size: int) -> bool:
        """Return whether the blocks of decisions that have one are contiguous and have this number of entries
        together."""
        met = np.flatnonzero(place != NOWHERE)
        met = met[np.argsort(place[met], kind="stable")]
        if not self.tree.decisions[met].all():
            return False
        arrays = self.tree.arrays
        rows = self.layout.buckets[arrays.player[met], arrays.round[met]].astype(np.int64)
        ends = np.cumsum(2 * rows * arrays.actions[met])
        return (
            bool((place[met] == np.concatenate([[0], ends])[:-1]).all()) and int(ends[-1] if len(ends) else 0) == size
        )


def walk_tree(tree: BettingTree, layout: TableLayout, tilt: PayoffTilt = NO_TILT) -> WalkTree:
    """Return a betting tree as walks read it, no decision met yet."""
    if 2 * layout.size >= NOWHERE:
        raise InputError(
            f"{tree.game.name} with these buckets has tables of {memory_size(8 * layout.size)}, and this program walks "
            f"at most {memory_size(4 * NOWHERE)}: use fewer buckets or a smaller menu"
        )
    arrays, decisions = tree.arrays, tree.decisions
    folded = (tree.action == FOLD) & (np.arange(tree.nodes) > 0)
    nodes = np.zeros((tree.nodes, 4), dtype=np.uint32)
    owner = np.where(decisions, arrays.player.astype(np.uint32), np.uint32(kernels.END_OF_HAND))
    nodes[:, kernels.KIND] = (
        owner
        | arrays.round.astype(np.uint32) << kernels.ROUND
        | arrays.actions.astype(np.uint32) << kernels.ACTIONS
        | folded.astype(np.uint32) << kernels.FOLDED
    )
    nodes[:, kernels.NEXT] = np.where(decisions, arrays.first_child, arrays.end)
    nodes[:, kernels.PLACE] = NOWHERE
    leaves = ~decisions & (arrays.actions > 0)  # their children are the picks of continuations
    nodes[leaves, kernels.PLACE] = arrays.first_child[leaves]
    folders = np.flatnonzero(folded)
    nodes[folders, kernels.PAID] = tree.paid[folders, arrays.player[tree.parent[folders]]]
    seats = np.arange(tree.players, dtype=np.uint32)
    return WalkTree(nodes, layout.buckets, tree.ends, np.array(tilt.factors), seats)


def place_all(walks: WalkTree, layout: TableLayout) -> None:
    """Give every decision its block, in the order of the layout."""
    decisions = walks.nodes[:, kernels.KIND] & kernels.BYTE != kernels.END_OF_HAND
    walks.nodes[decisions, kernels.PLACE] = 2 * layout.start[decisions]
