"""Writing the TOML of a spot file: strings, numbers, lists and tables, in the order given."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def to_toml(fields: Mapping[str, Any]) -> str:
    """Return the fields as TOML: plain ones first, then tables and lists of tables.

    >>> print(to_toml({"pot": 100, "river": {"bet": ["50%"]}, "rake": {"percent": 5.0}}))
    pot = 100
    rake = { percent = 5.0 }
    <BLANKLINE>
    [river]
    bet = ["50%"]
    <BLANKLINE>
    """
    plain, tables = [], []
    for key, value in fields.items():
        if isinstance(value, Mapping) and key != "rake":
            tables += ["", f"[{key}]", *_lines(value)]
        elif isinstance(value, list) and value and isinstance(value[0], Mapping):
            for entry in value:
                tables += ["", f"[[{key}]]", *_lines(entry)]
        else:
            plain.append(f"{_key(key)} = {_value(value)}")
    return "\n".join([*plain, *tables]) + "\n"


def _lines(table: Mapping[str, Any]) -> list[str]:
    return [f"{_key(key)} = {_value(value)}" for key, value in table.items()]


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(key)} = {_value(item)}" for key, item in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(item) for item in value)}]"
    if isinstance(value, str):
        return _text(value)
    return repr(value)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
