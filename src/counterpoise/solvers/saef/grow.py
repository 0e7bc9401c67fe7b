"""Let an abstraction grow while it is solved: check what the user asks for, run, measure, return what was found."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import NamedTuple, get_args

from counterpoise.kernels.compiling import needs_compiling
from counterpoise.parameters import is_list, is_number, is_whole, require, require_choice, require_whole, shown
from counterpoise.progress import CancelToken, Progress, as_progress, cancel_on_interrupt, duration
from counterpoise.solvers.saef.exploitability import Mode, exploitability
from counterpoise.solvers.saef.game import ContinuousLeduc
from counterpoise.solvers.saef.grower import AbstractionGrower, Growth
from counterpoise.solvers.saef.kernels.best_response import respond
from counterpoise.solvers.saef.kernels.cfr import iterate, recover
from counterpoise.solvers.saef.proposals import Scorer, ScorerError
from counterpoise.solvers.saef.result import GrownAbstraction, GrowthPoint, load_growth, make_result

DEFAULT_NODES = 3_200_000
FIRST_POINT = 100_000
COMPILE_SECONDS = 15.0


def grow_abstraction(
    game: ContinuousLeduc | None = None,
    *,
    settings: Growth | None = None,
    sizes: Sequence[float] | None = None,
    nodes: int | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    mode: Mode | None = None,
    at: Sequence[int] | None = None,
    scorer: Scorer | None = None,
    resume: str | os.PathLike[str] | GrownAbstraction | None = None,
    progress: Progress | bool | None = None,
    cancel: CancelToken | None = None,
) -> GrownAbstraction:
    """Return an abstraction of a game with bets of any size that has grown while it was solved.

    See Brown 2020, section 4.3.

    Every decision begins with fold, call and bets of `sizes` (the smallest and the largest); `settings` says how bets
    are added. It ends at the first of a number of `nodes` touched (3.2 million if nothing is said), `iterations` and
    `seconds`; Ctrl-C or `cancel` ends it early and returns what has been found. Exploitability is measured in `mode`
    ("revealed" if nothing is said) at the numbers of nodes in `at`, by default 100,000 and its doubles, and at the end.
    `resume` continues a file or a result, which stays as it is, to larger limits: `nodes` and `iterations` are those of
    the whole run, `seconds` those of this call. `scorer` proposes the bets, by default `RegretEstimate`; a file does
    not keep it. If it fails at its first look that is an error; later the run ends and `failure` says why.

    >>> found = grow_abstraction(nodes=200_000, progress=False)
    >>> found.additions > 10 and found.exploitability < 1
    True
    """
    if mode is not None:
        require_choice("mode", mode, get_args(Mode))
    for name, limit in (("nodes", nodes), ("iterations", iterations)):
        if limit is not None:
            require_whole(name, limit, 1)
    require(
        seconds is None or (is_number(seconds) and seconds > 0),
        f"seconds must be a positive number, not {shown(seconds)}",
    )
    require(
        at is None or (is_list(at) and all(is_whole(mark) and mark > 0 for mark in at)),
        f"at must be a list of numbers of nodes, not {shown(at)}",
    )
    if nodes is None and iterations is None and seconds is None:
        nodes = DEFAULT_NODES
    require(scorer is None or callable(scorer), f"scorer must be a function of a running CFR, not {shown(scorer)}")
    if resume is None:
        require(game is None or isinstance(game, ContinuousLeduc), f"game must be a ContinuousLeduc, not {shown(game)}")
        require(settings is None or isinstance(settings, Growth), f"settings must be a Growth, not {shown(settings)}")
        grower, trace, spent = AbstractionGrower.start(game, settings, sizes, scorer), list[GrowthPoint](), (0.0, 0.0)
    else:
        given = {"game": game, "settings": settings, "sizes": sizes, "mode": mode}
        for name, value in given.items():
            require(value is None, f"{name} cannot be given with resume: that of the earlier run stays")
        require(
            isinstance(resume, str | os.PathLike | GrownAbstraction),
            f"resume must be a file or a GrownAbstraction, not {shown(resume)}",
        )
        before = resume if isinstance(resume, GrownAbstraction) else load_growth(resume)
        grower, trace, spent = before.grower.copy(), list(before.trace), (before.seconds, before.cpu_seconds)
        grower.scorer = scorer or grower.scorer
        mode = before.mode
    display = as_progress(progress)
    with display, cancel_on_interrupt(cancel) as token:
        display.begin(f"{grower.settings.variant} on {grower.cfr.tree.game.name}")
        if needs_compiling((iterate, recover, respond)):
            display.note(f"compiling kernels, the first time only: about {duration(COMPILE_SECONDS)}")
        return _Run(grower, mode or "revealed", _Limits(nodes, iterations, seconds), trace, spent).run(
            at, token, display
        )


class _Limits(NamedTuple):
    """When to end: None is no limit."""

    nodes: int | None
    iterations: int | None
    seconds: float | None


class _Run:
    """A grower until its end, measured on the way; it can be stopped after every iteration."""

    def __init__(
        self,
        grower: AbstractionGrower,
        mode: Mode,
        limits: _Limits,
        trace: list[GrowthPoint],
        spent: tuple[float, float],
    ) -> None:
        self.grower, self.mode, self.limits, self.trace, self.spent = grower, mode, limits, trace, spent
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def run(self, at: Sequence[int] | None, token: CancelToken, progress: Progress) -> GrownAbstraction:
        """Iterate to the end and return the result."""
        cfr = self.grower.cfr
        marks = None if at is None else sorted(mark for mark in at if mark > cfr.nodes_touched)
        shown_at, first_look, failure = 0.0, cfr.iterations + self.grower.settings.every, None
        while not token.cancelled and self._share() < 1.0:
            try:
                self.grower.step()
            except ScorerError as error:
                if cfr.iterations <= first_look:
                    raise
                failure = str(error)
                progress.note(f"{failure}; the run ends here")
                break
            if self._due(marks):
                self._measure()
            if time.perf_counter() - shown_at > 0.1:
                shown_at = time.perf_counter()
                latest = f"  exploitability {self.trace[-1].exploitability:.3g}" if self.trace else ""
                progress.show(self._share(), f"{cfr.nodes_touched:,} nodes  {cfr.tree.live:,} in the tree{latest}")
        if not self.trace or self.trace[-1].iterations != cfr.iterations:
            self._measure()
        return make_result(
            self.grower, self.mode, self.trace[-1].exploitability, self._times(), token.cancelled, self.trace, failure
        )

    def _due(self, marks: list[int] | None) -> bool:
        """Return whether the next mark has been passed, and go on to the one after."""
        touched = self.grower.cfr.nodes_touched
        if marks is None:
            done = self.trace[-1].nodes_touched if self.trace else 0
            following = FIRST_POINT
            while following <= done:
                following *= 2
            return touched >= following
        passed = bool(marks) and touched >= marks[0]
        while marks and touched >= marks[0]:
            marks.pop(0)
        return passed

    def _measure(self) -> None:
        cfr = self.grower.cfr
        found = exploitability(cfr.tree, cfr.average_strategy(), self.mode)
        counts = cfr.nodes_touched, cfr.iterations, cfr.worth
        self.trace.append(GrowthPoint(*counts, found, cfr.tree.live, self.grower.additions, self._times()[0]))

    def _times(self) -> tuple[float, float]:
        spent, cpu = self.spent
        return spent + time.perf_counter() - self.wall, cpu + time.process_time() - self.cpu

    def _share(self) -> float:
        """Return how much of the nearest limit is used up."""
        cfr = self.grower.cfr
        used = (cfr.nodes_touched, cfr.iterations, time.perf_counter() - self.wall)
        return max(done / limit for done, limit in zip(used, self.limits, strict=True) if limit is not None)
