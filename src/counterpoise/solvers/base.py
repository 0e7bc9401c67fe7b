"""The contract of solvers: settings as a frozen dataclass, a state that steps, and the catalogue of algorithms.

An `Algorithm` is a choice of settings, validated when it is made; `Algorithm.on(problem)` makes the `Solver` that
holds the arrays. A problem is an enumerated game (`counterpoise.tree.Tree`) or a public game of hand vectors
(`counterpoise.public`): an algorithm overrides `on_tree`, `on_public` or both, and refuses the rest in one sentence.
Register the settings under the name users type. A `Modifier` changes how an algorithm does its work, such as which
branches it skips, and is written after a slash: ``cfr+/rbp(theta=10)``.
"""

from __future__ import annotations

import ast
import inspect
import math
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, get_args, get_origin, get_type_hints, overload

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.names import Catalogue, spell_instance, split_outside_brackets
from counterpoise.tree import Tree
from counterpoise.tree.kernels.layouts import FloatArray

if TYPE_CHECKING:
    from counterpoise.solvers.tree_solver import TreeSolver

ZERO_SUM = "two-player zero-sum"
LARGEST_WHOLE = 2**62
"""The largest whole number that kernels count to."""

Updates = Literal["alternating", "simultaneous"]
Output = Literal["average", "current"]


class TracePoint(NamedTuple):
    """One measurement: exploitability (game units), with the iterations, nodes touched and seconds until then.

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


class SettingDescription(NamedTuple):
    """One setting as the command line explains it: the type as written, the default, and the text under the field."""

    name: str
    type: str
    default: Any
    text: str


def describe_settings(settings: type[Settings]) -> list[SettingDescription]:
    """Return every setting of an algorithm or modifier, with the text that its class has under the field."""
    texts: dict[str, tuple[str, str]] = {}
    for base in reversed(settings.__mro__):
        if issubclass(base, Settings):
            for name, (written, text) in _documented_fields(base).items():
                texts[name] = written, text or texts.get(name, ("", ""))[1]
    described = []
    for field in fields(settings):
        written, text = texts[field.name]
        described.append(SettingDescription(field.name, written, field.default, text))
    return described


def _documented_fields(settings: type) -> dict[str, tuple[str, str]]:
    """Return type and text of the fields that one class declares, as its source has them."""
    try:
        parsed = ast.parse(textwrap.dedent(inspect.getsource(settings)))
    except (OSError, TypeError):  # a class without source, such as one typed at a prompt
        return {field.name: (str(field.type), "") for field in fields(settings)}
    declared = parsed.body[0]
    assert isinstance(declared, ast.ClassDef)
    hints, found = get_type_hints(settings), {}
    for line, following in zip(declared.body, [*declared.body[1:], ast.Pass()], strict=True):
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            hint = hints[line.target.id]
            written = _either(get_args(hint)) if get_origin(hint) is Literal else ast.unparse(line.annotation)
            documented = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
            text = inspect.cleandoc(str(following.value.value)) if documented else ""  # type: ignore[attr-defined]
            found[line.target.id] = written, text
    return found


@dataclass(frozen=True, kw_only=True)
class Algorithm(Settings, ABC):
    """Settings of an equilibrium finder."""

    refuses_trees: ClassVar[str] = "it works on hand vectors"
    """Why it does not run on enumerated games; said only if `on_tree` is not overridden."""
    refuses_public: ClassVar[str] = "it works on information sets one by one"
    """Why it does not run on public trees; said only if `on_public` is not overridden."""

    @overload
    def on(self, problem: Tree, *, seed: int = 0, threads: int = 1, bits: int = 32) -> TreeSolver: ...

    @overload
    def on(self, problem: Any, *, seed: int = 0, threads: int = 1, bits: int = 32) -> Solver: ...

    def on(self, problem: Any, *, seed: int = 0, threads: int = 1, bits: int = 32) -> Solver:
        """Return a fresh solver of these settings for an enumerated `Tree` or a public game.

        At most `threads` threads work at a time; the result does not depend on how many. Enumerated games use one.
        `bits` per number, 16 or 32, are for public games; enumerated games have 64.
        """
        if not isinstance(threads, int | np.integer) or isinstance(threads, bool) or threads < 1:
            raise InputError(f"threads must be a whole number of at least 1, not {threads!r}")
        if isinstance(problem, Tree):
            return self.on_tree(problem, seed)
        from counterpoise.public import PublicGame  # imported when needed: most runs are on enumerated games

        if isinstance(problem, PublicGame):
            return self.on_public(problem, seed, int(threads), bits)
        raise InputError(f"{self.name} runs on an enumerated game or on a public game, not on {problem!r:.80}")

    def on_tree(self, tree: Tree, seed: int) -> TreeSolver:
        """Return a fresh solver for an enumerated game, or refuse it."""
        raise InputError(f"{self.name} does not run on enumerated games: {self.refuses_trees}")

    def on_public(self, game: Any, seed: int, threads: int, bits: int) -> Solver:
        """Return a fresh solver for a public game, or refuse it."""
        raise InputError(f"{self.name} does not run on public trees: {self.refuses_public}")

    def require_usual_bits(self, bits: int) -> None:
        """Refuse a choice of bits for public games, where the algorithm keeps tables of its own in double precision."""
        if bits != 32:
            own = f"{self.name} has tables of double precision on public trees"
            raise InputError(f"{own}: bits must be 32, not {bits!r}")

    @classmethod
    def representations(cls) -> tuple[str, ...]:
        """Name the representations that the algorithm declares to run on, by the hooks it overrides."""
        hooks = {"enumerated": "on_tree", "public": "on_public"}
        return tuple(name for name, hook in hooks.items() if getattr(cls, hook) is not getattr(Algorithm, hook))

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

    def on_tree(self, settings: Modified, tree: Tree, seed: int) -> TreeSolver:
        """Return a fresh solver of ``settings.base`` with this change for an enumerated game, or refuse it."""
        raise InputError(f"{settings.name} does not run on enumerated games: {settings.refuses_trees}")

    def on_public(self, settings: Modified, game: Any, seed: int, threads: int, bits: int) -> Solver:
        """Return a fresh solver of ``settings.base`` with this change for a public game, or refuse it."""
        raise InputError(
            f"{settings.name} does not run on public trees: {self.registered_name} prunes or draws single histories"
        )

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
        """What the modifier leaves of the algorithm's guarantee."""
        return self.modifier.guarantee(self.base)

    @property
    def name(self) -> str:
        """The algorithm's name and, after a slash, the modifier's."""
        return f"{self.base.name}/{self.modifier.name}"

    def on_tree(self, tree: Tree, seed: int) -> TreeSolver:
        """Return the modifier's solver for an enumerated game."""
        return self.modifier.on_tree(self, tree, seed)

    def on_public(self, game: Any, seed: int, threads: int, bits: int) -> Solver:
        """Return the modifier's solver for a public game."""
        return self.modifier.on_public(self, game, seed, threads, bits)


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
    """An iterative method at work on one problem.

    `step` advances it, `exploitability` and `values` measure what it has found; `state` and `restore` move everything
    that changes in and out, so that a restored solver continues bit for bit. Iterating over a solver steps it.
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
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the live arrays that change from step to step, by name (not copies)."""

    @property
    def live_bytes(self) -> int:
        """Memory of the arrays that change from step to step, as they are now."""
        return sum(array.nbytes for array in self.arrays().values())

    def state(self) -> dict[str, NDArray[Any]]:
        """Return a copy of everything that changes."""
        counters = np.array([self.iteration, self.nodes_touched], dtype=np.int64)
        return {"counters": counters} | {name: array.copy() for name, array in self.arrays().items()}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Continue from a `state` of the same settings on the same problem."""
        self.iteration, self.nodes_touched = restore_arrays(state, self.arrays(), self.settings.name)

    def __iter__(self) -> Iterator[TracePoint]:
        """Step for ever, yielding the exploitability after every iteration."""
        import time

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
    return np.ascontiguousarray(np.broadcast_to(row, t.shape))


def restore_arrays(state: dict[str, NDArray[Any]], arrays: dict[str, NDArray[Any]], name: str) -> tuple[int, int]:
    """Check a `state` and copy it into a solver's live arrays; return its iterations and nodes touched."""
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
