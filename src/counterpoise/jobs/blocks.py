"""Linear discounting of a sampled run in blocks of iterations."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Discounted(Protocol):
    """A sampled run whose sums can be discounted."""

    @property
    def iteration(self) -> int:
        """Iterations so far."""
        ...

    def run(self, iterations: int) -> None:
        """Iterate."""
        ...

    def discount(self, factor: float) -> None:
        """Multiply regrets and averages by a factor."""
        ...


class LinearBlocks(NamedTuple):
    """Blocks of iterations whose n-th counts n times as much as the first (linear CFR: Brown 2020, section 3.1).

    After the n-th block everything so far is multiplied by n / (n + 1). The first block begins after `start`.
    """

    size: int
    start: int = 0

    def end_after(self, iteration: int) -> int:
        """Return the iteration at which the block ends in which the next iteration is.

        >>> LinearBlocks(10).end_after(9), LinearBlocks(10).end_after(10)
        (10, 20)
        """
        return self.start + ((iteration - self.start) // self.size + 1) * self.size

    def factor_at(self, iteration: int) -> float:
        """Return by what everything is multiplied after an iteration: 1 unless a block ends there.

        >>> LinearBlocks(10).factor_at(30), LinearBlocks(10).factor_at(31)
        (0.75, 1.0)
        """
        number, inside = divmod(iteration - self.start, self.size)
        return 1.0 if inside or number < 1 else number / (number + 1)

    def advance(self, walks: Discounted, until: int) -> None:
        """Run to an iteration or to the end of the block, whichever is first, and discount at the end of a block."""
        if until <= walks.iteration:
            return
        walks.run(min(until, self.end_after(walks.iteration)) - walks.iteration)
        if (factor := self.factor_at(walks.iteration)) < 1.0:
            walks.discount(factor)
