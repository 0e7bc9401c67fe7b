"""What every solver shares: settings as a frozen dataclass, a state that steps, and the catalogue of algorithms.

An `Algorithm` is a choice of settings, validated when it is made; `Algorithm.solver(tree)` makes the `Solver`
that holds the arrays. To add one: subclass both (or, for a member of the regret-matching family, only
`RegretMatching`), and register the settings under the name users type. A `Modifier` changes how an algorithm does
its work, such as which branches it skips, and is written after a slash: ``cfr+/rbp(theta=10)``.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.names import Catalogue, spell_instance, split_outside_brackets
from counterpoise.tree import Strategy, Tree, evaluate
from counterpoise.tree.kernels.sequence_form import FloatArray, realisation_weights

ZERO_SUM = "two-player zero-sum"
LARGEST_WHOLE = 2**62
"""Up to which kernels count."""

Updates = Literal["alternating", "simultaneous"]
Output = Literal["average", "current"]


class TracePoint(NamedTuple):
    """One measurement: exploitability (game units) after so many iterations, histories touched and seconds.

    `live_bytes` is the memory of the solver's tables at that moment.
    """

    iteration: int
    exploitability: float
    nodes_touched: int
    seconds: float
    live_bytes: int = 0


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Validated settings with a name that users type. `source` is the section that defines what they set."""

    source: ClassVar[str] = ""
    registered_name: ClassVar[str] = ""

    def __post_init__(self) -> None:
        """Check the fields whose type lists the allowed words and those that are true or false.

        Subclasses check their numbers.
        """
        hints = get_type_hints(type(self))
        for field in fields(self):
            allowed = get_args(hints[field.name]) if get_origin(hints[field.name]) is Literal else ()
            value = getattr(self, field.name)
            if allowed and (type(value), value) not in [(type(word), word) for word in allowed]:  # 1.0 is not 1
                raise InputError(f"{self.registered_name}: {field.name} must be {_either(allowed)}, not {value!r}")
            if hints[field.name] is bool:
                self.require(isinstance(value, bool | np.bool_), field.name, "True or False")

    @property
    def name(self) -> str:
        """The string that builds these settings again."""
        return spell_instance(self.registered_name or type(self).__name__, self)

    def require(self, condition: bool, field: str, allowed: str) -> None:
        """Refuse a setting with a sentence that names it, its value and what is allowed."""
        if not condition:
            name = self.registered_name or type(self).__name__
            raise InputError(f"{name}: {field} must be {allowed}, not {getattr(self, field)!r}")

    def require_number(self, field: str, low: float = -math.inf, high: float = math.inf) -> None:
        """Refuse a setting that is not a number from `low` to `high` (either may be infinite)."""
        value = getattr(self, field)
        number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if math.isinf(low) and math.isinf(high):
            allowed = "a number, inf or -inf"
        else:
            allowed = f"a number of at least {low:g}" if math.isinf(high) else f"a number from {low:g} to {high:g}"
        self.require(number and low <= value <= high, field, allowed)

    def require_whole(self, field: str, low: int, high: int = LARGEST_WHOLE) -> None:
        """Refuse a setting that is not a whole number from `low` to `high`."""
        value = getattr(self, field)
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        too_large = whole and value > high
        allowed = f"a whole number from {low} to {high}" if too_large else f"a whole number of at least {low}"
        self.require(whole and low <= value <= high, field, allowed)


@dataclass(frozen=True, kw_only=True)
class Algorithm(Settings, ABC):
    """Settings of an equilibrium finder."""

    @abstractmethod
    def solver(self, tree: Tree, seed: int = 0) -> Solver:
        """A fresh solver for an enumerated game."""

    @property
    def guarantee(self) -> str:
        """In which games theory promises convergence to an equilibrium with these settings; empty if in none."""
        return ZERO_SUM


def _either(words: tuple[str, ...]) -> str:
    return " or ".join(repr(word) for word in words)


@dataclass(frozen=True, kw_only=True)
class Modifier(Settings, ABC):
    """Settings of a change to how an algorithm works. `source` is the section that defines it."""

    @abstractmethod
    def check(self, base: Algorithm) -> None:
        """Refuse, saying why, an algorithm that this does not go with."""

    @abstractmethod
    def solver(self, settings: Modified, tree: Tree, seed: int) -> Solver:
        """A fresh solver of ``settings.base`` with this change (``settings.modifier``)."""

    def guarantee(self, base: Algorithm) -> str:
        """In which games theory promises convergence to an equilibrium for `base` so changed."""
        return base.guarantee


@dataclass(frozen=True, kw_only=True)
class Modified(Algorithm):
    """An algorithm (perhaps modified already) with a modifier."""

    base: Algorithm
    modifier: Modifier

    def __post_init__(self) -> None:
        self.modifier.check(self.base)

    @property
    def output(self) -> str:
        """Which strategy is the result."""
        return str(getattr(self.base, "output", "average"))

    @property
    def updates(self) -> str:
        """Whether the players take turns or move together."""
        return str(getattr(self.base, "updates", "alternating"))

    @property
    def guarantee(self) -> str:
        """What the modifier leaves of the algorithm's."""
        return self.modifier.guarantee(self.base)

    @property
    def name(self) -> str:
        """The algorithm's name and, after a slash, the modifier's."""
        return f"{self.base.name}/{self.modifier.name}"

    def solver(self, tree: Tree, seed: int = 0) -> Solver:
        """A fresh solver for an enumerated game."""
        return self.modifier.solver(self, tree, seed)


FAMILIES = [
    f"counterpoise.solvers.{family}"
    for family in ("matching", "first_order", "fictitious", "sampling", "pruning", "warm_start")
]
"""The packages whose modules register algorithms and modifiers."""

MODIFIERS: Catalogue[Modifier] = Catalogue("modifier", FAMILIES)


class _Algorithms(Catalogue[Algorithm]):
    def build(self, text: str, **keywords: Any) -> Algorithm:
        """Make what `text` names: an algorithm, and after slashes its modifiers."""
        first, *changes = split_outside_brackets(text, "/")
        settings = super().build(first, **keywords)
        for change in changes:
            if not change:
                raise InputError(f"{text!r}: a modifier's name is missing after the slash ({', '.join(MODIFIERS)})")
            settings = Modified(base=settings, modifier=MODIFIERS.build(change))
        return settings


ALGORITHMS = _Algorithms("algorithm", FAMILIES)


def algorithm(name: str) -> Callable[[Any], Any]:
    """Class decorator: register a settings dataclass under the name users type."""
    return _registering(ALGORITHMS, name)


def modifier(name: str) -> Callable[[Any], Any]:
    """Class decorator: register a modifier's dataclass under what users type after a slash."""
    return _registering(MODIFIERS, name)


def _registering(catalogue: Catalogue[Any], name: str) -> Callable[[Any], Any]:
    def add(settings: Any) -> Any:
        settings.registered_name = name
        return catalogue.register(name)(settings)

    return add


class Solver(ABC):
    """An iterative method at work on one game.

    `step` advances it; `average` and `current` are strategies; `state` and `restore` move everything that
    changes in and out, so that a restored solver continues bit for bit. Iterating over a solver steps it.
    """

    kernels: ClassVar[tuple[Any, ...]] = ()
    """The compiled functions behind `step`, to tell whether they have been compiled before."""

    def __init__(self, settings: Algorithm, tree: Tree, seed: int = 0) -> None:
        self.settings = settings
        self.tree = tree
        self.seed = seed
        self.iteration = 0
        self.nodes_touched = 0

    @abstractmethod
    def step(self, iterations: int = 1) -> None:
        """Advance by so many iterations."""

    @abstractmethod
    def average_profile(self) -> FloatArray:
        """The output strategy as a flat array (see `InfosetTable`)."""

    def current_profile(self) -> FloatArray:
        """The latest iterate as a flat array; methods without one give their average."""
        return self.average_profile()

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The live arrays that change from step to step, by name (not copies)."""

    @property
    def average(self) -> Strategy:
        """The strategy with the convergence guarantee."""
        return Strategy(self.tree.name, self.tree.table, self.average_profile())

    @property
    def current(self) -> Strategy:
        """The strategy of the latest iteration."""
        return Strategy(self.tree.name, self.tree.table, self.current_profile())

    @property
    def strategy(self) -> Strategy:
        """What the settings ask for: the average, or the current strategy."""
        return Strategy(self.tree.name, self.tree.table, self.profile())

    def profile(self) -> FloatArray:
        """The flat array of `strategy`."""
        current = getattr(self.settings, "output", "average") == "current"
        return self.current_profile() if current else self.average_profile()

    @property
    def live_bytes(self) -> int:
        """Memory of the arrays that change from step to step, as they are now."""
        return sum(array.nbytes for array in self.arrays().values())

    def state(self) -> dict[str, NDArray[Any]]:
        """A copy of everything that changes."""
        counters = np.array([self.iteration, self.nodes_touched], dtype=np.int64)
        return {"counters": counters} | {name: array.copy() for name, array in self.arrays().items()}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on from a `state` of the same algorithm on the same game."""
        self.iteration, self.nodes_touched = put_back(state, self.arrays(), self.settings.name)

    def __iter__(self) -> Iterator[TracePoint]:
        """Step for ever, giving the exploitability after every iteration."""
        import time

        seconds = 0.0
        while True:
            begin = time.perf_counter()
            self.step()
            seconds += time.perf_counter() - begin
            exploitability = evaluate(self.tree, self.profile()).exploitability
            yield TracePoint(self.iteration, exploitability, self.nodes_touched, seconds, self.live_bytes)

    def uniform_profile(self) -> tuple[FloatArray, FloatArray]:
        """The uniform behaviour strategy and its realisation weights: where most methods start."""
        strategy = Strategy.uniform(self.tree).probabilities
        reach = np.empty_like(strategy)
        for player in range(self.tree.players):
            realisation_weights(self.tree.form, player, strategy, reach)
        return strategy, reach


def per_iteration(numbers: Any, t: FloatArray, source: str) -> FloatArray:
    """What a method of the settings gave for iterations t, checked: one finite number >= 0 for each, or one for all."""
    row = np.asarray(numbers, dtype=np.float64)
    if row.shape not in ((), t.shape) or not np.isfinite(row).all() or (row < 0).any():
        raise InputError(f"{source}(t) must give finite numbers of at least 0, one per iteration t")
    return np.ascontiguousarray(np.broadcast_to(row, t.shape))


def put_back(state: dict[str, NDArray[Any]], arrays: dict[str, NDArray[Any]], name: str) -> tuple[int, int]:
    """Copy a `state` into a solver's live arrays, all of it checked first; gives iterations and nodes touched."""
    if set(state) != {"counters", *arrays} or state["counters"].shape != (2,):
        raise InputError(f"this state is not one of {name}: it holds {sorted(state)}")
    for part, array in arrays.items():
        if state[part].shape != array.shape or state[part].dtype != array.dtype:
            raise InputError(f"this state is for another game: {part!r} has shape {state[part].shape}")
        if not np.isfinite(state[part]).all():
            raise InputError(f"this state is damaged: {part!r} holds numbers that are not finite")
    counters = state["counters"]
    if counters.dtype.kind != "i" or (counters < 0).any():
        raise InputError("this state is damaged: its counters must be whole numbers of at least 0")
    for part, array in arrays.items():
        array[...] = state[part]
    return int(counters[0]), int(counters[1])


class AveragingSolver(Solver):
    """A solver whose result is the average of its iterates.

    `_strategy` is the iterate and `cumulative` the weighted sum of the iterates' realisation plans. The settings
    have `updates`, which says how often an iteration goes through the tree.
    """

    def __init__(self, settings: Algorithm, tree: Tree, seed: int = 0) -> None:
        super().__init__(settings, tree, seed)
        self._strategy, self._reach = self.uniform_profile()
        self.cumulative = np.zeros_like(self._strategy)
        self._values = np.zeros_like(self._strategy)
        self._simultaneous: bool = getattr(settings, "updates", "alternating") == "simultaneous"

    def count(self, iterations: int) -> None:
        """Note that so many iterations are done: one traversal each, or one per player when they alternate."""
        self.iteration += iterations
        self.nodes_touched += iterations * self.tree.nodes * (1 if self._simultaneous else self.tree.players)

    def average_profile(self) -> FloatArray:
        """The average of the iterates, each weighted by its own reach; uniform at infosets never reached."""
        return self.tree.behaviour(self.cumulative)

    def current_profile(self) -> FloatArray:
        """The latest iterate; uniform before the first iteration."""
        return self._strategy.copy()
