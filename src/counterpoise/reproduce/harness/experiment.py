"""What an experiment is: a published table or figure, re-run at this machine's size beside the published numbers.

The file ``data/experiments.toml`` declares every experiment: its title, source and claims, and the generator function
that is its body. The body runs solvers with the functions of `counterpoise.reproduce.harness.racing` and yields tables,
conditions of claims, figures and notes; the harness formats, judges and draws them. Ctrl-C or a cancel token ends the
work inside ``with lab.stoppable()``; what is declared after it then reports what was measured until then.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from counterpoise.errors import InputError
from counterpoise.names import suggest
from counterpoise.progress import CancelToken, Progress
from counterpoise.reproduce.harness.published import published
from counterpoise.reproduce.harness.report import Claim, Declared, Figure, JudgedClaim, Lab, Report, Table

Body = Callable[..., Iterator[Declared]]


@dataclass(frozen=True)
class Experiment:
    """An experiment as it is declared. `seconds` is a rough estimate on two cores, kernels compiled before."""

    id: str
    title: str
    source: str
    seconds: float
    body: Body | str
    """The generator function, or where it is: "brown.pruning:kinds"."""
    budget: bool = False
    """Whether it runs as far as a number of seconds allows."""
    sizes: Mapping[str, Any] = field(default_factory=dict)
    """Parameters of the body."""
    claims: Mapping[str, str] = field(default_factory=dict)
    """What the source says, by id."""
    notes: tuple[str, ...] = ()
    algorithms: Mapping[str, str] = field(default_factory=dict)
    """What is compared: the label of a curve -> what a user would type."""

    @cached_property
    def function(self) -> Body:
        """The generator function."""
        if not isinstance(self.body, str):
            return self.body
        module, _, name = self.body.partition(":")
        place = f"counterpoise.reproduce.{module}"
        try:
            body: Body | None = getattr(import_module(place), name, None)
        except ModuleNotFoundError as missing:
            if missing.name is None or not place.startswith(missing.name):
                raise
            body = None
        if body is None:
            raise InputError(f"{self.id} has the body {self.body!r}, but reproduce has no such function")
        return body

    def check_seconds(self, seconds: float | None) -> None:
        """Refuse a number of seconds that this experiment cannot use."""
        if seconds is not None and not self.budget:
            raise InputError(f"{self.id} has a fixed size: it takes no number of seconds")
        if seconds is not None and not 1 <= seconds < math.inf:
            raise InputError(f"seconds must be at least 1, not {seconds!r}")

    def run(
        self,
        progress: Progress,
        out: Path | None = None,
        data: Path | None = None,
        seconds: float | None = None,
        cancel: CancelToken | None = None,
        **sizes: Any,
    ) -> Report:
        """Run it and report; figures go to the folder `out`, `sizes` replace parameters of the body.

        Ctrl-C or `cancel` ends it early: see `Report.interrupted`.
        """
        self.check_seconds(seconds)
        lab = Lab(progress, data, seconds, cancel or CancelToken(), self.algorithms)
        report, judged = Report(self.id, self.title, self.source, data=lab.data), set[str]()
        with progress, lab.stoppable():
            for item in self.function(lab, **{**self.sizes, **sizes}):
                if isinstance(item, Claim):
                    if item.key not in self.claims:
                        told = f"its claims are {', '.join(self.claims)}"
                        raise InputError(f"{self.id} yields the claim {item.key!r}, which it does not declare: {told}")
                    report.claims.append(item.judge(self.claims))
                    judged.add(item.key)
                elif isinstance(item, Table):
                    report.tables.append(item)
                elif isinstance(item, Figure):
                    report.figures += item.draw(out, self.id)
                else:
                    report.notes.append(item)
        report.notes += self.notes
        report.interrupted = lab.interrupted
        if report.interrupted:
            report.notes.append("Stopped before the end: a dash is a number that was not measured.")
        else:
            missing = "the body of the experiment yields no claim with this id"
            report.claims += [JudgedClaim(id, self.claims[id], None, missing) for id in self.claims if id not in judged]
        return report


class Registry(dict[str, Experiment]):
    """Experiments by id; an unknown one is refused with the nearest id."""

    def __missing__(self, key: str) -> Experiment:
        raise InputError(f"unknown experiment {key!r}: {suggest(key, self)}")


def _declared() -> Iterator[Experiment]:
    """Yield what the file declares, in the order of the sources."""
    entries = dict(published("experiments"))
    notes, algorithms, claims = (entries.pop(name) for name in ("notes", "algorithms", "shared_claims"))
    for id, entry in sorted(entries.items(), key=lambda item: (item[1]["source"], item[0])):
        compared, shared = entry.get("algorithms", {}), entry.get("shared_claims", ())
        options = {
            "notes": tuple(notes.get(note, note) for note in entry.get("notes", ())),
            "algorithms": algorithms[compared] if isinstance(compared, str) else compared,
            "claims": {name: claims[name] for name in shared} | entry.get("claims", {}),
        }
        yield Experiment(id, **{key: entry[key] for key in entry if key != "shared_claims"} | options)


EXPERIMENTS = Registry({entry.id: entry for entry in _declared()})
