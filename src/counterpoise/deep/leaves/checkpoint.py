"""Examples of leaf values, kept while they are made so that a stopped training can be resumed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from counterpoise.deep.leaves.examples import LeafExamples
from counterpoise.deep.leaves.features import FEATURES, PICKS
from counterpoise.errors import InputError
from counterpoise.store.cpz import read_cpz, write_cpz
from counterpoise.store.headers import LeafExamplesHeader
from counterpoise.store.schemas import SCHEMAS

KIND = "leaf examples"


class ExamplesFile:
    """The file of examples that are made in one way: for the same blueprint, from the same seed."""

    def __init__(self, path: Path, made: Mapping[str, Any]) -> None:
        self.path, self._made = path, dict(made)

    def read(self) -> LeafExamples | None:
        """Return the examples so far; None if there are none, or if they were made in another way."""
        if not self.path.exists():
            return None
        raw, arrays = read_cpz(self.path, KIND)
        if LeafExamplesHeader.read(raw, self.path).made != self._made:
            return None
        count = arrays["inputs0"].shape[0] if "inputs0" in arrays and arrays["inputs0"].ndim else 0
        sizes = {"examples": count, "features": FEATURES, "picks": PICKS}
        (part,) = SCHEMAS[KIND].parts
        try:
            seats = [part.check(self.path, arrays, sizes, seat=seat) for seat in range(2)]
        except InputError as error:
            raise InputError(f"{error}; delete it to start over") from None
        inputs, targets = ([seat[f"{name}{{seat}}"] for seat in seats] for name in ("inputs", "targets"))
        return LeafExamples((inputs[0], inputs[1]), (targets[0], targets[1]))

    def write(self, examples: LeafExamples) -> None:
        """Write the examples so far."""
        arrays = {f"inputs{seat}": part for seat, part in enumerate(examples.inputs)}
        arrays |= {f"targets{seat}": part for seat, part in enumerate(examples.targets)}
        write_cpz(self.path, KIND, {"made": self._made}, arrays)
