"""Finished steps of a build, on disk: a build that was killed or stopped goes on with the next street."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from counterpoise.abstraction.models import model_from_arrays
from counterpoise.abstraction.table import StreetBuckets
from counterpoise.errors import InputError
from counterpoise.store import check_folder
from counterpoise.store.cpz import read_cpz, write_cpz

KIND = "abstraction street"
STEPS_VERSION = 1
"""Raised whenever a step computes other figures than before, so that older ones are not taken up."""
VARIABLE = "COUNTERPOISE_CACHE"


class Cache:
    """A folder of finished streets; by default ``~/.cache/counterpoise``, or what COUNTERPOISE_CACHE says."""

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        self.folder = Path(folder or os.environ.get(VARIABLE) or Path(base) / "counterpoise") / "abstraction"

    def prepare(self) -> None:
        """Make the folder, or say in one sentence why it cannot be."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot make the folder {self.folder}: {error.strerror or error}") from None
        check_folder(self.folder, f"cannot write into the folder {self.folder}")

    def read_street(self, key: Any, buckets: int) -> tuple[StreetBuckets, float] | None:
        """Return a finished street and its objective; None if it is not there or damaged."""
        path = self._path(key)
        if not path.exists():
            return None
        try:
            header, arrays = read_cpz(path, KIND)
        except InputError:
            return None
        rows = arrays.pop("rows", None)
        return StreetBuckets(buckets, rows, model_from_arrays(arrays) if arrays else None), float(header["objective"])

    def write_street(self, key: Any, street: StreetBuckets, objective: float) -> None:
        """Keep a finished street."""
        arrays = {} if street.rows is None else {"rows": street.rows}
        if street.model is not None:
            arrays |= street.model.arrays()
        write_cpz(self._path(key), KIND, {"objective": objective}, arrays)

    def _path(self, key: Any) -> Path:
        text = json.dumps([STEPS_VERSION, key], sort_keys=True)
        return self.folder / f"street-{hashlib.sha256(text.encode()).hexdigest()[:24]}.cpz"
