"""Results as JSON: plain types for programs, and a file of them for results that hold nothing else."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from typing import Any

from counterpoise.errors import InputError
from counterpoise.store.files import atomic_write


def plain_json(value: Any) -> Any:
    """Return the value in the types of JSON, which has no infinities and no paths: both become text, nan becomes null.

    >>> from pathlib import Path
    >>> plain_json({1: (2.5, float("inf"), float("nan")), "file": Path("a.cpz")})
    {'1': [2.5, 'inf', None], 'file': 'a.cpz'}
    """
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {str(key): plain_json(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain_json(item) for item in value]
    if hasattr(value, "tolist"):  # a number or an array of NumPy
        return plain_json(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


class JsonResult:
    """A result without arrays: what `to_json` returns is all there is to save."""

    def to_json(self) -> dict[str, Any]:
        """Return the result in the types of JSON: by default all its fields."""
        return {key: plain_json(value) for key, value in self.fields_in_order().items()}

    def fields_in_order(self) -> dict[str, Any]:
        """Return all fields by name, in the order in which they are written."""
        return vars(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result to a JSON file; .cpz is the ending of files with arrays, and refused."""
        if str(path).lower().endswith(".cpz"):
            raise InputError(f"{path}: these figures are kept as JSON, so the file must not end in .cpz")
        with atomic_write(path) as file:
            file.write(json.dumps(self.to_json(), allow_nan=False, indent=2).encode() + b"\n")
