"""Other people's figures: published tables and independent re-computations, in the files of `reproduce/data`."""

from __future__ import annotations

import math
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def published(name: str) -> dict[str, Any]:
    """Return the tables of ``data/NAME.toml``.

    Keys that are whole numbers become numbers. A table with an entry ``at`` becomes one mapping per row, by the
    entries of ``at``; nan in such a row is a figure that does not exist and is left out.
    """
    text = (files("counterpoise.reproduce") / "data" / f"{name}.toml").read_text(encoding="utf-8")
    return {key: _plain(value) for key, value in tomllib.loads(text).items()}


def _plain(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if "at" in value:
        at = value["at"]
        return {
            label: {t: figure for t, figure in zip(at, row, strict=True) if not math.isnan(figure)}
            for label, row in value.items()
            if label != "at"
        }
    return {_number(key): _plain(part) for key, part in value.items()}


def _number(key: str) -> str | int:
    return int(key) if key.isdecimal() else key
