"""What all solvers on public games share: the game, a traverser, and profiles as average, current and result."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.public import LeafEvaluator, Learning, Profile, PublicGame, Traverser
from counterpoise.public.kernels.traverse import traverse
from counterpoise.solvers.base import Algorithm, Solver


class PublicGameSolver(Solver):
    """An iterative method at work on a public game. Figures are in the unit of the game."""

    kernels: ClassVar[tuple[Any, ...]] = (traverse,)
    compile_seconds = 25.0
    keeps_locks: ClassVar[bool] = True
    """Whether it can leave some strategies as they are locked."""

    def __init__(
        self,
        settings: Algorithm,
        game: PublicGame,
        seed: int = 0,
        threads: int = 1,
        bits: int = 32,
        leaves: LeafEvaluator | None = None,
    ) -> None:
        if game.locks and not self.keeps_locks:
            raise InputError(f"{settings.name} does not keep to locked strategies: use a variant of CFR")
        super().__init__(settings, seed)
        self.game, self.bits = game, bits
        self.traverser = Traverser(game, threads, leaves)
        self.judge = self.traverser if game.untilted is game else Traverser(game.untilted, threads, leaves)
        """Measures results: in the true game, if payoffs of the one that is solved are tilted."""

    @property
    @abstractmethod
    def average(self) -> Profile:
        """The strategies with the convergence guarantee; looking at them changes nothing."""

    @property
    def current(self) -> Profile:
        """What the strategies of the latest iteration are matched from; methods that keep none return their average."""
        return self.average

    def result(self) -> Profile:
        """Return the strategies that the settings ask for: the average, or the current ones."""
        wanted = getattr(self.settings.unmodified, "output", "average")
        return self.current if wanted == "current" else self.average

    def exploitability(self) -> float:
        return self.judge.exploitability(self.result())

    def values(self) -> NDArray[np.float64]:
        return self.judge.root_values(self.result())

    def prepare(self) -> None:
        """Load or compile everything that steps and measurements need, without iterating."""
        self.step(0)
        self.traverser.prepare(Learning(*(self.result(),) * 3))

    @property
    def megabytes(self) -> float:
        """Memory of profiles, boards and scratch rows, in units of 10^6 bytes."""
        return (self.live_bytes + self.game.bytes + self.traverser.bytes) / 1e6

    def touch(self, traversals: int) -> None:
        """Count this many traversals of the whole game."""
        self.nodes_touched += traversals * int(self.game.nodes)
