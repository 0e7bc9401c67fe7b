"""The contract of solvers: settings as a frozen dataclass, a state that steps, and the catalogue of algorithms.

An `Algorithm` is a choice of settings, validated when it is made; `Algorithm.on(problem)` makes the `Solver` that
holds the arrays. A problem is an enumerated game (`counterpoise.tree.Tree`) or a public game of hand vectors
(`counterpoise.public`): an algorithm overrides `on_tree`, `on_public` or both, and refuses the rest in one sentence.
Register the settings under the name users type. A `Modifier` changes how an algorithm does its work, such as which
branches it skips, and is written after a slash: ``cfr+/rbp(theta=10)``.
"""

from __future__ import annotations

import math
import numbers
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from itertools import chain
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    NoReturn,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.jobs import TracePoint
from counterpoise.names import Catalogue, parse, spell_instance, split_outside_brackets, suggest
from counterpoise.parameters import require_whole, shown
from counterpoise.store.arrays import check_arrays, like
from counterpoise.store.schemas import COUNTERS, LARGEST, LARGEST_SUM

if TYPE_CHECKING:  # runs on public games need no enumerated ones
    from counterpoise.solvers.tree_solver import TreeSolver
    from counterpoise.tree import Tree
    from counterpoise.tree.kernels.layouts import FloatArray

ZERO_SUM = "two-player zero-sum"

Arrays = dict[str, NDArray[Any]]
"""Arrays by name, such as the state of a solver."""
Updates = Literal["alternating", "simultaneous"]
Output = Literal["average", "current"]


class Number(NamedTuple):
    """The numbers that a setting may have, declared in the type of its field: ``Annotated[float, Number(0, 1)]``."""

    low: float = -math.inf
    high: float = math.inf
    whole: bool = False
    finite: bool = False
    words: str = ""
    """What messages call the numbers, if not by their limits."""

    def wanted(self, value: Any) -> str:
        """Return what `value` should have been, for a message; empty if it is valid."""
        numeric = isinstance(value, numbers.Integral if self.whole else numbers.Real) and not isinstance(value, bool)
        within = numeric and self.low <= value <= self.high
        infinite = within and self.finite and math.isinf(value)
        if within and not infinite:
            return ""
        if self.words or infinite:
            return self.words or "a finite number"
        if math.isinf(self.low):
            return "a number, inf or -inf"
        limited = numeric and value > self.high if self.whole else not math.isinf(self.high)
        span = f"from {self.low} to {self.high}" if limited else f"of at least {self.low}"
        return f"a {'whole ' if self.whole else ''}number {span}"


LARGEST_WHOLE = 2**62
"""The largest whole number that kernels count to."""
TINY = math.ulp(0.0)
AnyNumber = Annotated[float, Number()]
AtLeastZero = Annotated[float, Number(0)]
FiniteAtLeastZero = Annotated[float, Number(0, finite=True)]
Positive = Annotated[float, Number(TINY, finite=True, words="a positive number")]
Negative = Annotated[float, Number(high=-TINY, finite=True, words="a negative number")]
Share = Annotated[float, Number(0, 1)]
WholeFromZero = Annotated[int, Number(0, LARGEST_WHOLE, whole=True)]
WholeFromOne = Annotated[int, Number(1, LARGEST_WHOLE, whole=True)]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings with a name that users type, validated by the types of their fields: words, switches and numbers.

    `source` is the section that defines what they set.
    """

    source: ClassVar[str] = ""
    registered_name: ClassVar[str] = ""

    def __post_init__(self) -> None:
        """Check every field whose type says what is allowed; subclasses check what types cannot say."""
        hints = get_type_hints(type(self), include_extras=True)
        for field in fields(self):
            hint, value = hints[field.name], getattr(self, field.name)
            if get_origin(hint) is Literal:
                allowed = get_args(hint)
                right = (type(value), value) in [(type(word), word) for word in allowed]  # 1.0 is not 1
                self.require(right, field.name, " or ".join(repr(word) for word in allowed))
            elif hint is bool:
                self.require(isinstance(value, bool | np.bool_), field.name, "True or False")
            elif not (value is None and type(None) in get_args(hint)):
                for part in (hint, *get_args(hint)):
                    for limits in getattr(part, "__metadata__", ()):
                        if isinstance(limits, Number):
                            self.require(not limits.wanted(value), field.name, limits.wanted(value))

    @property
    def name(self) -> str:
        """The string that builds these settings again; of settings that are not registered, the name of their class."""
        return spell_instance(self.registered_name or type(self).__name__, self)

    def require(self, condition: bool, field: str, allowed: str) -> None:
        """Refuse a setting with a sentence that names it, its value and what is allowed."""
        if not condition:
            name = self.registered_name or type(self).__name__
            raise InputError(f"{name}: {field} must be {allowed}, not {getattr(self, field)!r}")


@dataclass(frozen=True, kw_only=True)
class Algorithm(Settings, ABC):
    """Settings of an equilibrium finder."""

    refuses_trees: ClassVar[str] = "it works on hand vectors"
    """Why it does not run on enumerated games; said only if `on_tree` is not overridden."""
    refuses_public: ClassVar[str] = "it works on information sets one by one"
    """Why it does not run on public trees; said only if `on_public` is not overridden."""
    refuses_buckets: ClassVar[str] = "it has a row of numbers for every hand"
    """Why hands cannot share buckets; said only if `on_buckets` is not overridden."""
    public_bits: ClassVar[tuple[int, ...]] = (32, 16)
    """The bits per number that its tables may have on public games, the most first."""

    @overload
    def on(self, problem: Tree, *, seed: int = 0, threads: int = 1, bits: int = 32) -> TreeSolver: ...

    @overload
    def on(self, problem: Any, *, seed: int = 0, threads: int = 1, bits: int = 32, buckets: Any = None) -> Solver: ...

    def on(self, problem: Any, *, seed: int = 0, threads: int = 1, bits: int = 32, buckets: Any = None) -> Solver:
        """Return a fresh solver of these settings for an enumerated `Tree` or a public game.

        At most `threads` threads work at a time; the result does not depend on their number. Enumerated games use one.
        `bits` per number, 16 or 32, are for public games; enumerated games have 64. On public games hands may share
        `buckets`: a card abstraction, `counterpoise.public.buckets.Buckets`, or a pair of either, one per player.
        Tables then have 64 bits, and one thread works.
        """
        require_whole("threads", threads, 1)
        representation = getattr(problem, "representation", None)
        if representation == "enumerated":
            if buckets is not None:
                raise InputError(f"{self.name}: buckets are for public games, such as mini hold'em or that of a spot")
            return self.on_tree(problem, seed)
        if representation == "public":
            if buckets is not None:
                if bits != 32:
                    raise InputError(f"{self.name} has tables of double precision with buckets: leave out bits")
                return self.on_buckets(problem, buckets, seed)
            return self.on_public(problem, seed, int(threads), bits)
        raise InputError(f"{self.name} runs on an enumerated game or on a public game, not on {problem!r:.80}")

    def on_tree(self, tree: Tree, seed: int) -> TreeSolver:
        """Return a fresh solver for an enumerated game, or refuse it."""
        raise InputError(f"{self.name} does not run on enumerated games: {self.refuses_trees}")

    def on_public(self, game: Any, seed: int, threads: int, bits: int) -> Solver:
        """Return a fresh solver for a public game, or refuse it."""
        raise InputError(f"{self.name} does not run on public trees: {self.refuses_public}")

    def on_buckets(self, game: Any, buckets: Any, seed: int) -> Solver:
        """Return a fresh solver for a public game whose hands share buckets, or refuse it."""
        raise InputError(f"{self.name} does not run with buckets: {self.refuses_buckets}")

    @property
    def public_tables(self) -> int:
        """The most numbers of the chosen bits that it holds per entry of a public game, measuring included."""
        return 2

    @property
    def for_both_players(self) -> bool:
        """Whether a run finds a strategy for every player, not for one alone."""
        return True

    def require_usual_bits(self, bits: int) -> None:
        """Refuse a choice of bits for public games, where the algorithm keeps tables of its own in double precision."""
        if bits not in self.public_bits:
            raise InputError(
                f"{self.name} has tables of double precision on public trees: bits must be 32, not {bits!r}"
            )

    @property
    def unmodified(self) -> Algorithm:
        """The algorithm without its modifiers."""
        return self

    @classmethod
    def representations(cls) -> tuple[str, ...]:
        """Name the representations that the algorithm declares to run on, by the hooks it overrides."""
        hooks = {"enumerated": "on_tree", "public": "on_public"}
        return tuple(name for name, hook in hooks.items() if getattr(cls, hook) is not getattr(Algorithm, hook))

    @property
    def guarantee(self) -> str:
        """In which games theory promises convergence to an equilibrium with these settings; empty if in none."""
        return ZERO_SUM


@dataclass(frozen=True, kw_only=True)
class Modifier(Settings, ABC):
    """Settings of a change to how an algorithm works. `source` is the section that defines it."""

    @abstractmethod
    def check(self, base: Algorithm) -> None:
        """Refuse, saying why, an algorithm that this does not go with."""

    def refuse(self, base: Algorithm, reason: str) -> NoReturn:
        """Say in a sentence why this does not go with an algorithm."""
        raise InputError(f"{self.registered_name} does not go with {base.name}: {reason}")

    @abstractmethod
    def on_tree(self, settings: Modified, tree: Tree, seed: int) -> TreeSolver:
        """Return a fresh solver of ``settings.base`` with this change for an enumerated game."""

    def guarantee(self, base: Algorithm) -> str:
        """Return in which games theory promises convergence to an equilibrium for `base` with this change."""
        return base.guarantee


@dataclass(frozen=True, kw_only=True)
class Modified(Algorithm):
    """An algorithm (perhaps modified already) with a modifier."""

    refuses_public = "modifiers prune or draw single histories"

    base: Algorithm
    modifier: Modifier

    def __post_init__(self) -> None:
        self.modifier.check(self.base)

    @property
    def unmodified(self) -> Algorithm:
        return self.base.unmodified

    @property
    def guarantee(self) -> str:
        return self.modifier.guarantee(self.base)

    @property
    def name(self) -> str:
        return f"{self.base.name}/{self.modifier.name}"

    def on_tree(self, tree: Tree, seed: int) -> TreeSolver:
        return self.modifier.on_tree(self, tree, seed)


FAMILIES = [
    f"counterpoise.solvers.{family}"
    for family in ("matching", "first_order", "fictitious", "monte_carlo", "pruning", "warm_start")
]
"""The packages whose modules register algorithms and modifiers."""

MODIFIERS: Catalogue[Modifier] = Catalogue("modifier", FAMILIES, "modifier")


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


ALGORITHMS = _Algorithms("algorithm", FAMILIES, "algorithm", "counterpoise.algorithms")


def make_algorithm(algorithm: str | Algorithm) -> Algorithm:
    """Return the settings that a user types, such as ``dcfr(alpha=1.5)``; settings are returned as they are."""
    if isinstance(algorithm, str):
        return ALGORITHMS.build(algorithm)
    if not isinstance(algorithm, Algorithm):
        raise InputError(f"an algorithm is a name or an Algorithm, not {shown(algorithm)}")
    return algorithm


def algorithm(name: str) -> Callable[[Any], Any]:
    """Register a settings dataclass under the name users type; a class decorator."""
    return ALGORITHMS.register(name)


def modifier(name: str) -> Callable[[Any], Any]:
    """Register a modifier's dataclass under what users type after a slash; a class decorator."""
    return MODIFIERS.register(name)


def describe_settings(text: str, *others: Catalogue[Any]) -> list[dict[str, Any]]:
    """Return the algorithm and the modifiers that a name is made of, every setting with its default and its meaning.

    A modifier, or an entry of another catalogue, may be named alone. A setting whose value the name states has that
    value too.

    >>> [part["name"] for part in describe_settings("cfr+/rbp(theta=10)")]
    ['cfr+', 'rbp']
    """
    parts = [parse(part) for part in split_outside_brackets(text, "/")]
    catalogues: list[Catalogue[Any]] = [ALGORITHMS] + [MODIFIERS] * (len(parts) - 1)
    if len(parts) == 1 and (first := parts[0][0]):
        allowed: list[Catalogue[Any]] = [ALGORITHMS, MODIFIERS, *others]
        catalogues = [one for one in allowed if first in one][:1]
        if not catalogues:
            raise InputError(f"unknown algorithm {shown(first)}: {suggest(first, chain(*allowed))}")
    from counterpoise.descriptions import describe

    catalogues[0].build(text)  # refuses what `solve` refuses
    described = []
    for catalogue, (name, values) in zip(catalogues, parts, strict=True):
        described.append(describe(name, catalogue[name]))
        for key, value in values.items():
            described[-1]["parameters"][key]["value"] = value
    return described


class Solver(ABC):
    """An iterative method at work on one problem.

    `step` advances it, `exploitability` and `values` measure its result; `state` and `restore` move everything that
    changes in and out, so that a restored solver continues bit for bit. Iterating over a solver steps it.
    """

    kernels: ClassVar[tuple[Any, ...]] = ()
    """The compiled functions behind `step`, to tell whether they have been compiled before."""
    compile_seconds: ClassVar[float] = 5.0
    """About how long compiling them takes, in CPU seconds of a plain machine."""

    def __init__(self, settings: Algorithm, seed: int = 0) -> None:
        self.settings = settings
        self.seed = seed
        self.iteration = 0
        self.nodes_touched = 0

    @abstractmethod
    def step(self, iterations: int = 1) -> None:
        """Advance by this many iterations; 0 changes nothing."""

    def prepare(self) -> None:
        """Load or compile everything that `step` needs, without iterating."""
        self.step(0)

    @abstractmethod
    def exploitability(self) -> float:
        """Return NashConv / players of the result, by exact best responses, in the unit of the problem."""

    @abstractmethod
    def values(self) -> FloatArray:
        """Return what the result is worth to each player, in the unit of the problem."""

    @abstractmethod
    def arrays(self) -> Arrays:
        """Return the live arrays that change from step to step, by name (not copies)."""

    @property
    def live_bytes(self) -> int:
        """Memory of the arrays that change from step to step, as they are now."""
        return sum(array.nbytes for array in self.arrays().values())

    def state(self) -> Arrays:
        """Return a copy of everything that changes."""
        counters = np.array([self.iteration, self.nodes_touched], dtype=np.int64)
        return {"counters": counters} | {name: array.copy() for name, array in self.arrays().items()}

    def restore(self, state: Arrays) -> None:
        """Continue from a `state` of the same settings on the same problem."""
        self.iteration, self.nodes_touched = restore_arrays(state, self.arrays(), self.settings.name)

    def __iter__(self) -> Iterator[TracePoint]:
        """Step for ever, yielding the exploitability after every iteration."""
        seconds = 0.0
        while True:
            begin = time.perf_counter()
            self.step()
            seconds += time.perf_counter() - begin
            yield TracePoint(self.iteration, self.exploitability(), self.nodes_touched, seconds, self.live_bytes)


def check_schedule(numbers: Any, t: FloatArray, source: str) -> FloatArray:
    """Return a schedule of the settings as one number per iteration t; refuse any that is negative or not finite."""
    row = np.asarray(numbers, dtype=np.float64)
    if row.shape not in ((), t.shape) or not np.isfinite(row).all() or (row < 0).any():
        raise InputError(f"{source}(t) must give finite numbers of at least 0, one per iteration t")
    return np.array(np.broadcast_to(row, t.shape))  # a copy: kernels would be compiled once more for views


def restore_arrays(state: Arrays, arrays: Arrays, name: str) -> tuple[int, int]:
    """Check a `state` and copy it into a solver's live arrays; return its iterations and nodes touched."""
    if set(state) != {"counters", *arrays}:
        raise InputError(f"this state is not one of {name}: it holds {sorted(state)}")
    rules = {part: like(array, "", *_limits(array)) for part, array in arrays.items()}
    check_arrays("this state is damaged or for another game", state, rules | {"counters": COUNTERS})
    counters = state["counters"]
    for part, array in arrays.items():
        array[...] = state[part]
    return int(counters[0]), int(counters[1])


def _limits(array: NDArray[Any]) -> tuple[float | None, float | None]:
    """Return the least and the largest number of an array of a state: sums of floats must not overflow to infinity.

    An action that is drawn by weights whose sum is infinite would be no action.
    """
    if array.dtype.kind != "f":
        return None, None
    most = LARGEST if array.dtype.itemsize <= 4 else LARGEST_SUM
    return -most, most
