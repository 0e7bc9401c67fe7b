"""The numbers of the agents, each with its meaning and where it comes from.

Every agent has one file NAME.toml here. A table in it is one setting: its value, what it means with its unit, and its
source, which is a section of a source ("Brown 2020, section 6.4"), "outside the text" (recalled from articles that the
sources do not contain, and not checked against them), "reconstructed" (from the context) or "ours". A setting that no
code reads, such as one of a published training that ours replaces, is marked ``documentation = true``.

The fields of an agent's dataclasses take their defaults from its file: `settings_of("NAME")` gives each field that is
declared ``= SETTING``, in the class or in a base that several agents share, the value of its name. So a number is
written in the file and nowhere else.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cache
from importlib.resources import files
from inspect import get_annotations
from typing import Any, TypeVar

from counterpoise.errors import InputError

SOURCES = re.compile(r"(?:Brown|Johanson)(?: et al\.)? \d{4}(?:, \S.*)?|outside the text|reconstructed|ours")
"""What `source` may be."""
T = TypeVar("T")
SETTING: Any = object()
"""The default of a dataclass field until `settings_of` gives it the value in the agent's file."""


@dataclass(frozen=True)
class Setting:
    """One number (or word, or list) of an agent."""

    value: Any
    meaning: str
    """What it means, a sentence with the unit."""
    source: str
    """The section of the source, "outside the text", "reconstructed" or "ours"."""
    documentation: bool = False
    """Whether it is there for the reader only."""


def settings_of(name: str) -> Callable[[type[T]], type[T]]:
    """Return a class decorator, used below `dataclass`, that reads fields declared ``= SETTING`` from an agent's file.

    >>> @dataclass(frozen=True)
    ... @settings_of("libratus")
    ... class Search:
    ...     first_round: int = SETTING
    >>> Search()
    Search(first_round=2)
    """

    def fill(kind: type[T]) -> type[T]:
        known = frozen_settings(name)
        for base in reversed(kind.__mro__):
            for key, annotation in get_annotations(base).items():
                if base.__dict__.get(key) is SETTING:
                    if key not in known:
                        raise InputError(f"{name}.toml has no setting {key!r} that code reads")
                    setattr(kind, key, _default(known[key]))
                    kind.__annotations__[key] = annotation  # so that a field of a base class gets this default
        return kind

    return fill


def _default(value: Any) -> Any:
    """Return the default of a dataclass field; a table of numbers is copied for each instance."""
    return field(default_factory=lambda: dict(value)) if isinstance(value, dict) else value


def frozen_settings(name: str) -> dict[str, Any]:
    """Return an agent's settings as fields of frozen dataclasses have them, with tuples for lists."""
    return {key: _frozen(value) for key, value in agent_settings(name).items()}


def _frozen(value: Any) -> Any:
    return tuple([_frozen(one) for one in value]) if isinstance(value, list) else value


def agent_settings(name: str) -> dict[str, Any]:
    """Return the default values of an agent's settings, by the name of the setting; those that code reads."""
    return {key: setting.value for key, setting in labelled_settings(name).items() if not setting.documentation}


@cache
def labelled_settings(name: str) -> dict[str, Setting]:
    """Return an agent's settings with their meanings and sources; refuse one that is not labelled."""
    file = files(__name__) / f"{name}.toml"
    if not file.is_file():
        raise InputError(f"agent settings: {name!r} has no file; there are {', '.join(settled_agents()) or 'none'}")
    return read_settings(f"{name}.toml", file.read_text(encoding="utf-8"))


def settled_agents() -> list[str]:
    """Return the names of the agents that have a file of settings, in order."""
    return sorted(
        entry.name.removesuffix(".toml") for entry in files(__name__).iterdir() if entry.name.endswith(".toml")
    )


def read_settings(file: str, text: str) -> dict[str, Setting]:
    """Return the settings in the text of a file, whose name is for messages; refuse one that is not labelled.

    >>> text = '[hands]\\nvalue = 8\\nmeaning = "Bets of one size."\\nsource = "Brown 2020, section 6.4"'
    >>> read_settings("libratus.toml", text)["hands"].value
    8
    """
    return {key: _setting(f"{file}: {key}", table) for key, table in tomllib.loads(text).items()}


def _setting(where: str, table: Any) -> Setting:
    wanted = [one.name for one in fields(Setting) if one.name != "documentation"]
    if not isinstance(table, dict) or sorted(table.keys() - {"documentation"}) != sorted(wanted):
        raise InputError(f"{where} must be a table of {', '.join(wanted)}")
    setting = Setting(**table)
    if not isinstance(setting.documentation, bool):
        raise InputError(f"{where}: documentation must be true or false, not {setting.documentation!r}")
    if not isinstance(setting.meaning, str) or not setting.meaning.strip():
        raise InputError(f"{where}: meaning must be a sentence")
    if not isinstance(setting.source, str) or not SOURCES.fullmatch(setting.source):
        allowed = "a section such as 'Brown 2020, section 6.4', 'outside the text', 'reconstructed' or 'ours'"
        raise InputError(f"{where}: source must be {allowed}, not {setting.source!r}")
    return setting
