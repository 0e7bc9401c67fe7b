"""The protocol of methods, which are choices of settings, and of the learners that they make for a game."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from numpy.typing import NDArray

from counterpoise.deep.files import Trained
from counterpoise.games import Game
from counterpoise.names import Catalogue
from counterpoise.solvers.base import Settings


class Learner(Protocol):
    """A method at work on a game."""

    iterations: int
    """Steps so far."""
    nodes_touched: int
    """Histories or information sets that were visited so far; the method's documentation says which."""
    cpu_elsewhere: float
    """CPU seconds that other processes have spent for it."""

    def step(self) -> None:
        """Take one step: some seconds at most, after which everything can be saved."""
        ...

    def figures(self) -> dict[str, float]:
        """Return the figures of the live line beside exploitability, such as the loss and the fill of the memories."""
        ...

    def exploitability(self) -> float | None:
        """Return the exploitability of the strategy that would be played now, by exact best responses; None in large
        games."""
        ...

    def state(self) -> dict[str, NDArray[Any]]:
        """Return everything that a resumed run needs to continue bit for bit."""
        ...

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Continue from what `state` returned."""
        ...

    def result(self) -> Trained:
        """Return the networks that would be played now."""
        ...

    def close(self) -> None:
        """End other processes of the learner, if there are any."""
        ...


@runtime_checkable
class Paced(Protocol):
    """A learner with a schedule as long as the run."""

    def pace(self, share: float) -> None:
        """Let the schedule follow a clock, given the share of the run that is over."""
        ...


@dataclass(frozen=True, kw_only=True)
class NetworkMethod(Settings, ABC):
    """Settings of a method, registered with `@method("NAME")`; `on` puts it to work."""

    @property
    def most_iterations(self) -> int | None:
        """After how many iterations what is kept of all of them fills a file; None: a file never fills."""
        return None

    @abstractmethod
    def on(self, game: Game, seed: int = 0, workers: int = 1) -> Learner:
        """Return a learner for a game, or raise `InputError` if the method does not suit it.

        `workers` are processes; with one, the same seed gives the same weights.
        """


METHODS: Catalogue[Any] = Catalogue("method", ["counterpoise.deep", "counterpoise.deep.rebel"], "method")


def method(name: str) -> Any:
    """Register a `NetworkMethod` under the name that users type; a class decorator."""
    return METHODS.register(name)
