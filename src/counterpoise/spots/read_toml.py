"""Read the TOML of a spot file from an untrusted source."""

from __future__ import annotations

import re
import tomllib
from typing import Any

MOST_PARTS = 50
"""The most parts of a key: the parser's time grows with the square of their number."""
_TEXT = re.compile(r'"(?:[^"\\\n]|\\.)*"' + r"|'[^'\n]*'|#[^\n]*")
"""Strings and comments."""
_BETWEEN_KEYS = re.compile(r"[=,{}\[\]\n]")


def read_toml(text: str) -> dict[str, Any]:
    """Return the table of a TOML text; what is wrong with it is a `ValueError`.

    >>> read_toml('board = "Qs Jh 2h"')
    {'board': 'Qs Jh 2h'}
    """
    if any(key.count(".") >= MOST_PARTS for key in _BETWEEN_KEYS.split(_TEXT.sub("", text))):
        raise ValueError(f"a key has more than {MOST_PARTS} parts")
    return tomllib.loads(text)
