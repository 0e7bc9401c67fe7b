"""The numbers of the agents, each with its meaning and where it comes from.

Every agent has one file NAME.toml here. A table in it is one setting: its value, what it means with its unit, and its
source, which is a section of a source ("Brown 2020, section 6.4"), "outside the text" (recalled from articles that the
sources do not contain, and not checked against them), "reconstructed" (from the context) or "ours". The fields of the
agent's dataclasses take their defaults from it, so that no such number is written anywhere else.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Any

from counterpoise.errors import InputError

SOURCES = re.compile(r"(?:Brown|Johanson)(?: et al\.)? \d{4}(?:, \S.*)?|outside the text|reconstructed|ours")
"""What `source` may be."""


@dataclass(frozen=True)
class Setting:
    """One number (or word, or list) of an agent."""

    value: Any
    meaning: str
    """What it means, a sentence with the unit."""
    source: str
    """The section of the source, "outside the text", "reconstructed" or "ours"."""


def agent_settings(name: str) -> dict[str, Any]:
    """Return the default values of an agent's settings, by the name of the setting."""
    return {key: setting.value for key, setting in labelled_settings(name).items()}


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
    wanted = [field.name for field in fields(Setting)]
    if not isinstance(table, dict) or sorted(table) != sorted(wanted):
        raise InputError(f"{where} must be a table of {', '.join(wanted)}")
    setting = Setting(**table)
    if not isinstance(setting.meaning, str) or not setting.meaning.strip():
        raise InputError(f"{where}: meaning must be a sentence")
    if not isinstance(setting.source, str) or not SOURCES.fullmatch(setting.source):
        allowed = "a section such as 'Brown 2020, section 6.4', 'outside the text', 'reconstructed' or 'ours'"
        raise InputError(f"{where}: source must be {allowed}, not {setting.source!r}")
    return setting
