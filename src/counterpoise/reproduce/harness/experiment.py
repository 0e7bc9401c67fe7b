"""What an experiment is: a published table or figure, re-run at this machine's size beside the published numbers.

The file ``data/experiments.toml`` declares every experiment: its title, source and claims, and the generator function
that is its body. The body runs solvers with the functions of `counterpoise.reproduce.harness.racing` and yields tables,
conditions of claims, figures and notes; the harness formats, judges and draws them. Ctrl-C or a cancel token ends the
work inside ``with lab.stoppable()``; what is declared after it then reports what was measured until then.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from counterpoise.errors import InputError
from counterpoise.extensions import import_offered, offered
from counterpoise.names import suggest
from counterpoise.parameters import shown
from counterpoise.progress import CancelToken, Progress, cancel_on_interrupt
from counterpoise.reproduce.harness.basis import Basis, read_basis
from counterpoise.reproduce.harness.published import published
from counterpoise.reproduce.harness.report import Claim, Declared, Figure, JudgedClaim, Lab, Report, Table
from counterpoise.reproduce.harness.verdicts import Reason

Body = Callable[..., Iterator[Declared]]
UNKNOWN = "no cause is known."
"""What is said of differences for which an experiment declares no reason."""
MOST_NAMED = 5
"""Rows of a table that are named because they differ from their reference."""


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
    differs: str = ""
    """Why figures of ours may differ from their reference; "" if no cause is known."""
    algorithms: Mapping[str, str] = field(default_factory=dict)
    """What is compared: the label of a curve -> what a user would type."""
    judged: Basis = field(default_factory=Basis)
    """On what its claims are judged: game, size and protocol, here and in the source."""

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
        report, judged = Report(self.id, self.title, self.source, self.judged, data=lab.data), set[str]()
        with progress, lab.stoppable(), cancel_on_interrupt(lab.cancel, breaks=True):
            for item in self.function(lab, **{**self.sizes, **sizes}):
                if not lab.interrupted:  # else the body knows what was not measured
                    lab.check()
                if isinstance(item, Claim):
                    if item.key not in self.claims:
                        told = f"its claims are {', '.join(self.claims)}"
                        raise InputError(f"{self.id} yields the claim {item.key!r}, which it does not declare: {told}")
                    report.claims.append(item.judge(self.claims, self.judged))
                    judged.add(item.key)
                elif isinstance(item, Table):
                    report.tables.append(item)
                elif isinstance(item, Figure):
                    report.figures += item.draw(out, self.id)
                else:
                    report.notes.append(item)
        report.differences += self._differences(report.tables)
        report.notes += self.notes
        report.interrupted = lab.interrupted or lab.cancel.cancelled
        if report.interrupted:
            report.notes.append("Stopped before the end: a dash is a number that was not measured.")
        else:
            missing = "the body of the experiment yields no claim with this id"
            left = [id for id in self.claims if id not in judged]
            report.claims += [JudgedClaim(id, self.claims[id], None, missing, Reason.NOT_MEASURED) for id in left]
        return report

    def _differences(self, tables: Sequence[Table]) -> list[str]:
        """Return the rows that differ from their reference by more than a tenth, and the reason at the end."""
        found = []
        for one in tables:
            left = len(one.differing) - MOST_NAMED
            more = [f"and {left} more rows"] if left > 0 else []
            if one.differing:
                found.append(f"{one.caption}: {'; '.join([*one.differing[:MOST_NAMED], *more])}")
        return [*found, f"Why: {self.differs or UNKNOWN}"] if found else []


class Registry(dict[str, Experiment]):
    """Experiments by id; an unknown one may be the user's own, or is refused with the nearest id."""

    def __missing__(self, key: str) -> Experiment:
        if key in self.offered:
            import_offered(self.offered[key])
            if key not in self:
                raise InputError(f"{self.offered[key].value} is offered as the experiment {key!r}, but registers none")
            return self[key]
        raise InputError(f"unknown experiment {shown(key)}: {suggest(key, {*self, *self.offered})}")

    @property
    def offered(self) -> dict[str, EntryPoint]:
        """What installed packages offer, by id; a package is imported when an id of it is asked for."""
        return {id: point for id, point in offered("counterpoise.experiments").items() if id not in self}


def _declared() -> Iterator[Experiment]:
    """Yield what the file declares, in the order of the sources."""
    entries = dict(published("experiments"))
    notes, reasons, algorithms, claims = (
        entries.pop(name) for name in ("notes", "reasons", "algorithms", "shared_claims")
    )
    for id, entry in sorted(entries.items(), key=lambda item: (item[1]["source"], item[0])):
        compared, shared = entry.get("algorithms", {}), entry.get("shared_claims", ())
        options = {
            "notes": tuple(notes.get(note, note) for note in entry.get("notes", ())),
            "differs": reasons.get(entry.get("differs", ""), entry.get("differs", "")),
            "algorithms": algorithms[compared] if isinstance(compared, str) else compared,
            "claims": {name: claims[name] for name in shared} | entry.get("claims", {}),
            "judged": read_basis(id, entry.get("judged", {})),
        }
        yield Experiment(id, **{key: entry[key] for key in entry if key != "shared_claims"} | options)


EXPERIMENTS = Registry({entry.id: entry for entry in _declared()})


def experiment(
    id: str,
    *,
    title: str,
    source: str,
    seconds: float,
    claims: Mapping[str, str] | None = None,
    algorithms: Mapping[str, str] | None = None,
    notes: Iterable[str] = (),
    budget: bool = False,
    judged: Mapping[str, Any] | None = None,
    differs: str = "",
) -> Callable[[Body], Body]:
    """Function decorator: list a generator function as an experiment of your own, declared by these arguments.

    They are those of an `Experiment`: `source` is what it re-runs, `seconds` about how long it takes, `claims` what the
    source says, by id, `algorithms` what it compares, label by label, `judged` the fields of its `Basis`, and
    `differs` why its figures differ from a reference, if that is known.
    """

    def add(body: Body) -> Body:
        before = EXPERIMENTS[id].body if id in EXPERIMENTS else body
        names = [[getattr(one, name, "") for name in ("__module__", "__qualname__")] for one in (before, body)]
        if names[0] != names[1]:
            raise InputError(f"experiment {id!r} is registered twice: choose another id")
        EXPERIMENTS[id] = Experiment(
            id,
            title,
            source,
            seconds,
            body,
            budget,
            claims=dict(claims or {}),
            notes=tuple(notes),
            differs=differs,
            algorithms=dict(algorithms or {}),
            judged=read_basis(id, judged or {}),
        )
        return body

    return add
