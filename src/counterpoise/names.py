"""Things that users name in a string, such as ``liars_dice(dice=1, faces=6)`` or ``dcfr(alpha=1.5)``.

A `Catalogue` maps names to dataclasses; `Catalogue.build` parses the string, checks every parameter name and
suggests the nearest spelling when something is unknown. Games and algorithms each have one catalogue. A catalogue reads
in the source of its packages which file registers which name, and imports the one file that a user's name stands in.
"""

from __future__ import annotations

import ast
import dataclasses
import difflib
import keyword
import math
import os
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.machinery import PathFinder
from numbers import Integral, Real
from threading import RLock
from typing import Any, Generic, TypeVar

from counterpoise.errors import InputError
from counterpoise.lazy import LOADED_FILES, parse_expression
from counterpoise.parameters import shown

T = TypeVar("T")

LONGEST_NAME = 100
"""Letters of a wrong name that are held against those that are known."""
MANY_NAMES = 60
"""More names than this are not listed in a message."""


def suggest(name: str, known: Iterable[str]) -> str:
    """Return a clause that suggests the nearest known names, or lists known names if none is near.

    >>> suggest("kuhn", ["kuhn_poker", "leduc_poker"])
    'did you mean kuhn_poker?'
    """
    names = list(known)
    wanted = name.lower()[:LONGEST_NAME]

    def likeness(other: str) -> float:
        beginning = other[: len(wanted) + 1].lower()
        return max(difflib.SequenceMatcher(None, wanted, part).ratio() for part in (other.lower(), beginning))

    by_likeness = sorted(names, key=likeness, reverse=True)
    near = [other for other in by_likeness[:3] if likeness(other) > 0.6]
    begun = [other for other in near if other.lower().startswith(wanted)]
    near = begun if len(wanted) > 3 and begun else near
    if near:
        return "did you mean " + " or ".join(near) + "?"
    if len(names) > MANY_NAMES:
        return f"the nearest of {len(names)} names are " + ", ".join(by_likeness[:3])
    return "known: " + ", ".join(names)


def parse(text: str) -> tuple[str, dict[str, Any]]:
    """Split ``name(key=value, ...)`` into the name and its literal parameters.

    Values are Python literals, ``inf``, ``true``, ``false``, or bare words, which are read as strings (as OpenSpiel
    writes them).

    >>> parse("dcfr(alpha=1.5, beta=-inf)")
    ('dcfr', {'alpha': 1.5, 'beta': -inf})
    >>> parse("goofspiel(points_order=descending)")
    ('goofspiel', {'points_order': 'descending'})
    """
    name, bracket, rest = text.strip().partition("(")
    name = name.strip()
    if not bracket:
        return name, {}
    try:
        call = parse_expression(f"f({rest}")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise InputError(f"{shown(text)} cannot be read: write name(key=value, ...)") from None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise InputError(f"{shown(text)} cannot be read: write name(key=value, ...)")
    if call.args or any(word.arg is None for word in call.keywords):
        raise InputError(f"{shown(text)} cannot be read: every parameter must be written key=value")
    values: dict[str, Any] = {}
    for word in call.keywords:
        if word.arg in values:
            raise InputError(f"{shown(text)}: the parameter {shown(word.arg)} is given twice")
        try:
            values[str(word.arg)] = _literal(word.value)
        except (ValueError, TypeError, RecursionError, MemoryError):
            raise InputError(
                f"{shown(text)}: the value of {shown(word.arg)} must be a number, a word, a list or True/False"
            ) from None
    return name, values


def split_outside_brackets(text: str, separator: str) -> list[str]:
    """Return the parts between separators; one inside brackets belongs to its part.

    >>> split_outside_brackets("cfr+, dcfr(alpha=1.5,beta=0)", ",")
    ['cfr+', 'dcfr(alpha=1.5,beta=0)']
    """
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == separator and depth <= 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


WORDS = {"inf": math.inf, "infinity": math.inf, "true": True, "false": False}
"""Bare words that are not strings."""


def _literal(node: ast.expr) -> Any:
    if isinstance(node, ast.Name):
        return WORDS.get(node.id, node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Name):
        return -float(_literal(node.operand))
    if isinstance(node, ast.List | ast.Tuple):
        return tuple(_literal(item) for item in node.elts)
    return ast.literal_eval(node)


def spell(name: str, parameters: dict[str, Any]) -> str:
    """Return the canonical string for a name and its parameters: the inverse of `parse`.

    >>> spell("leduc_poker", {"ranks": 4})
    'leduc_poker(ranks=4)'
    """
    if not parameters:
        return name
    return f"{name}({', '.join(f'{key}={spell_value(value)}' for key, value in parameters.items())})"


def spell_value(value: Any) -> str:
    """Return a value as users write it between the brackets of a name.

    >>> spell_value((1, "all-in")), spell_value("linear")
    ("[1, 'all-in']", 'linear')
    """
    if hasattr(value, "item"):  # a scalar of NumPy
        return spell_value(value.item())
    if isinstance(value, str):
        plain = value.isascii() and value.isidentifier() and not keyword.iskeyword(value) and value not in WORDS
        return value if plain else repr(value)
    if isinstance(value, tuple | list):
        return f"[{', '.join(spell_value(item) for item in value)}]"
    return repr(value)


def spell_instance(name: str, instance: Any, after_colon: str = "") -> str:
    """Return the string that builds a dataclass again: its name and the fields that differ from their defaults.

    The field `after_colon` follows the name and a colon, as in ``strategy:leduc.cpz(translation=nearest)``.
    """
    changed = {
        field.name: getattr(instance, field.name)
        for field in dataclasses.fields(instance)
        if field.init and getattr(instance, field.name) != field.default
    }
    first = changed.pop(after_colon, "")
    return spell(f"{name}:{first}" if first else name, changed)


def _folders(package: str) -> Sequence[str]:
    """Return where the files of a package are; the packages around it are not imported, but the outermost."""
    outermost, *names = package.split(".")
    folders: Sequence[str] = import_module(outermost).__path__
    for count in range(len(names)):
        spec = PathFinder.find_spec(".".join((outermost, *names[: count + 1])), folders)
        folders = (spec and spec.submodule_search_locations) or ()
    return folders


_KINDS: dict[str, tuple[Any, str]] = {
    "int": (Integral, "a whole number"),
    "float": (Real, "a number"),
    "str": (str, "a word"),
    "bool": (bool, "True or False"),
}
"""What values of a parameter must be, by its annotation, and how to say so."""


class Catalogue(Generic[T]):
    """Named dataclasses of one kind ("game", "algorithm"), built from what a user types.

    The modules of `packages` register entries by `decorator`, one line ``@decorator("NAME")`` before a class. These
    lines are read as text, so that asking for a name imports its module alone and listing the names imports none.

    Names that are not in the package are the user's own (`counterpoise.extensions`): registered by a file that was
    loaded, or offered by installed packages as entry points of `group`. The package's own names come first.
    """

    def __init__(self, kind: str, packages: Iterable[str] = (), decorator: str = "", group: str = "") -> None:
        self.kind, self.group = kind, group
        self._packages = tuple(packages)
        self._line = re.compile(rf'^@{decorator}\("([^"]+)"\)$', re.MULTILINE)
        self._entries: dict[str, type[T]] = {}
        self._module_of: dict[str, str] | None = None if self._packages else {}
        self._lock = RLock()

    def register(self, name: str) -> Callable[[type[T]], type[T]]:
        """Return a class decorator that makes the dataclass available under `name`, which is its `registered_name`.

        A class that is defined again, as when a notebook cell is run twice, replaces its earlier self.
        """

        def add(entry: type[T]) -> type[T]:
            before = self._entries.get(name, entry)
            again = (before.__module__, before.__qualname__) == (entry.__module__, entry.__qualname__)
            own = entry.__module__.startswith(f"{__package__}.")  # the package itself, whose names are not looked up
            if not again or (not own and name in self.modules):
                raise InputError(f"{self.kind} {name!r} is registered twice: choose another name")
            self._entries[name] = entry
            entry.registered_name = name  # type: ignore[attr-defined]
            return entry

        return add

    @property
    def modules(self) -> dict[str, str]:
        """The module that registers each name of the packages, found in their source."""
        with self._lock:
            if self._module_of is None:
                self._module_of = dict(self._read_packages())
            return self._module_of

    def _read_packages(self) -> Iterator[tuple[str, str]]:
        """Yield the names that the files of the packages register, with their modules."""
        for name in self._packages:
            for found in pkgutil.iter_modules(_folders(name), f"{name}."):
                spec = found.module_finder.find_spec(found.name, None)
                source = None if spec is None else spec.loader.get_source(found.name)  # type: ignore[union-attr]
                yield from ((entry, found.name) for entry in self._line.findall(source or ""))

    def __iter__(self) -> Iterator[str]:
        self._load_inherited()
        return iter(sorted({*self._entries, *self.modules, *self._offered}))

    def __contains__(self, name: object) -> bool:
        if name in self._entries or name in self.modules:
            return True
        self._load_inherited()
        return name in self._entries or name in self._offered

    def __getitem__(self, name: str) -> type[T]:
        """Return the dataclass registered under `name`; an unknown name gets the nearest ones suggested."""
        if name not in self:
            raise InputError(f"unknown {self.kind} {shown(name)}: {suggest(name, self)}")
        if name not in self._entries:
            with self._lock:
                if name in self.modules:
                    import_module(self.modules[name])
                elif name not in self._entries:
                    self._import_offered(name)
        return self._entries[name]

    def _load_inherited(self) -> None:
        """Import the user's files that the process which started this one has imported."""
        if LOADED_FILES in os.environ:
            from counterpoise.extensions import load_inherited

            load_inherited()

    @property
    def _offered(self) -> Mapping[str, Any]:
        """What installed packages offer; nothing is imported."""
        if not self.group:
            return {}
        from counterpoise.extensions import offered

        return offered(self.group)

    def _import_offered(self, name: str) -> None:
        """Import what a package offers; if that does not register itself, it is registered here."""
        from counterpoise.extensions import import_offered

        point = self._offered[name]
        entry = import_offered(point)
        if name not in self._entries:
            if not dataclasses.is_dataclass(entry):
                raise InputError(f"{point.value} is offered as the {self.kind} {name!r}, but is no dataclass")
            self.register(name)(entry)  # type: ignore[arg-type]

    def build(self, text: str, **keywords: Any) -> T:
        """Make the thing that `text` names, with parameters from the string and from keywords."""
        name, parameters = parse(text)
        entry = self[name]
        parameters = {**parameters, **keywords}
        allowed = [field.name for field in dataclasses.fields(entry) if field.init]  # type: ignore[arg-type]
        for key in parameters:
            if key not in allowed:
                hint = suggest(key, allowed) if allowed else "it takes no parameters"
                raise InputError(f"{self.kind} {name!r} has no parameter {shown(key)}: {hint}")
        try:
            made = entry(**parameters)
        except TypeError as error:
            raise InputError(f"{self.kind} {name!r}: {error}") from None
        self._check_kinds(name, entry, parameters)
        return made

    def _check_kinds(self, name: str, entry: type[T], parameters: Mapping[str, Any]) -> None:
        """Refuse values of another kind than a number, a word or True or False where the annotation says just that."""
        kinds = {field.name: field.type for field in dataclasses.fields(entry)}  # type: ignore[arg-type]
        for key, value in parameters.items():
            kind = getattr(kinds[key], "__name__", kinds[key])
            allowed, words = _KINDS.get(kind, (object, "")) if isinstance(kind, str) else (object, "")
            if not isinstance(value, allowed):
                raise InputError(f"{self.kind} {name!r}: {key} must be {words}, not {shown(value)}")
