"""Let an abstraction grow while it is solved: check what the user asks for, run, measure, return what was found."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Unpack, get_args

from counterpoise.jobs import (
    Driver,
    Job,
    JobHistory,
    Limits,
    TimedRunKeywords,
    Timing,
    announce_compiling,
    refuse_unknown,
    takes,
)
from counterpoise.parameters import is_list, is_whole, require, require_choice, require_whole, shown
from counterpoise.progress import as_progress
from counterpoise.solvers.saef.exploitability import Mode, exploitability
from counterpoise.solvers.saef.game import ContinuousLeduc
from counterpoise.solvers.saef.grower import AbstractionGrower, Growth
from counterpoise.solvers.saef.kernels.best_response import respond
from counterpoise.solvers.saef.kernels.cfr import iterate, recover
from counterpoise.solvers.saef.proposals import BetScorer, ScorerError
from counterpoise.solvers.saef.result import GrownAbstraction, GrowthPoint, load_growth, make_result

DEFAULT_NODES = 3_200_000
FIRST_POINT = 100_000
COMPILE_SECONDS = 15.0


@takes(TimedRunKeywords)
def grow_abstraction(
    game: ContinuousLeduc | None = None,
    *,
    settings: Growth | None = None,
    sizes: Sequence[float] | None = None,
    nodes: int | None = None,
    mode: Mode | None = None,
    at: Sequence[int] | None = None,
    scorer: BetScorer | None = None,
    resume: str | os.PathLike[str] | GrownAbstraction | None = None,
    **options: Unpack[TimedRunKeywords],
) -> GrownAbstraction:
    """Return an abstraction of a game with bets of any size that has grown while it was solved.

    See Brown 2020, section 4.3.

    Every decision begins with fold, call and bets of `sizes` (the smallest and the largest); `settings` says how bets
    are added. It ends at the first of a number of `nodes` touched (3.2 million if nothing is said), `iterations` and
    `seconds`. Exploitability is measured in `mode`
    ("revealed" if nothing is said) at the numbers of nodes in `at`, by default 100,000 and its doubles, and at the end.
    `resume` continues a file or a result, which stays as it is, to larger limits: `nodes` and `iterations` are those of
    the whole run, `seconds` those of this call. `scorer` proposes the bets, by default `RegretEstimate`; a file does
    not keep it. If it fails at its first look that is an error; later the run ends and `failure` says why.

    >>> found = grow_abstraction(nodes=200_000, progress=False)
    >>> found.additions > 10 and found.exploitability < 1
    True
    """
    refuse_unknown(grow_abstraction, options)
    iterations, seconds = options.get("iterations"), options.get("seconds")
    if mode is not None:
        require_choice("mode", mode, get_args(Mode))
    if nodes is None and iterations is None and seconds is None:
        nodes = DEFAULT_NODES
    if nodes is not None:
        require_whole("nodes", nodes, 1)
    limits = Limits(iterations, seconds=seconds, others={} if nodes is None else {"nodes": nodes})
    require(
        at is None or (is_list(at) and all(is_whole(mark) and mark > 0 for mark in at)),
        f"at must be a list of numbers of nodes, not {shown(at)}",
    )
    require(scorer is None or callable(scorer), f"scorer must be a function of a running CFR, not {shown(scorer)}")
    if resume is None:
        require(game is None or isinstance(game, ContinuousLeduc), f"game must be a ContinuousLeduc, not {shown(game)}")
        require(settings is None or isinstance(settings, Growth), f"settings must be a Growth, not {shown(settings)}")
        grower, earlier = AbstractionGrower.start(game, settings, sizes, scorer), JobHistory()
    else:
        given = {"game": game, "settings": settings, "sizes": sizes, "mode": mode}
        for name, value in given.items():
            require(value is None, f"{name} cannot be given with resume: that of the earlier run stays")
        require(
            isinstance(resume, str | os.PathLike | GrownAbstraction),
            f"resume must be a file or a GrownAbstraction, not {shown(resume)}",
        )
        before = resume if isinstance(resume, GrownAbstraction) else load_growth(resume)
        grower, earlier = before.grower.copy(), JobHistory(before.trace, before.seconds, before.cpu_seconds)
        grower.scorer = scorer or grower.scorer
        mode = before.mode
    with as_progress(options.get("progress")) as display:
        display.begin(f"{grower.settings.variant} on {grower.cfr.tree.game.name}")
        announce_compiling((iterate, recover, respond), COMPILE_SECONDS, display)
        job = GrowthJob(grower, mode or "revealed", earlier.trace, at)
        found = Driver(job, limits, display, cancel=options.get("cancel"), before=earlier).run()
        if found.failure is not None:
            display.note(f"{found.failure}; the run ends here")
        return found


class GrowthJob(Job[float, GrownAbstraction]):
    """A grower at work, measured at numbers of nodes touched; it can be stopped after every iteration."""

    batch_seconds = None
    show_seconds = 0.1
    clocked = "everything"
    measured_first = False

    def __init__(
        self, grower: AbstractionGrower, mode: Mode, trace: Sequence[GrowthPoint], at: Sequence[int] | None
    ) -> None:
        """`at` are the numbers of nodes at which to measure; None: 100,000 and its doubles after those of `trace`."""
        self.grower, self.mode, self.cfr = grower, mode, grower.cfr
        self.marks = None if at is None else sorted(mark for mark in at if mark > self.cfr.nodes_touched)
        self.failure: str | None = None
        self._measured = trace[-1].nodes_touched if trace else 0
        self._first_look = self.cfr.iterations + grower.settings.every

    @property
    def iteration(self) -> int:
        return self.cfr.iterations

    def count(self, name: str) -> float:
        return {"nodes": self.cfr.nodes_touched}[name]

    @property
    def finished(self) -> bool:
        """Whether the scorer has failed."""
        return self.failure is not None

    def step(self, iterations: int) -> None:
        """Run one iteration; a scorer that fails at its first look is an error, later it ends the run."""
        try:
            self.grower.step()
        except ScorerError as error:
            if self.iteration <= self._first_look:
                raise
            self.failure = str(error)

    def state(self) -> AbstractionGrower:
        return self.grower.copy()

    def restore(self, state: AbstractionGrower) -> None:
        self.grower = state.copy()
        self.cfr = self.grower.cfr

    def next_measurement(self, done: int, to_target: bool) -> int | None:
        """Return None: numbers of nodes say when to measure."""
        return None

    def is_due(self, timing: Timing) -> bool:
        """Return whether the next mark has been passed, and advance to the one after."""
        touched = self.cfr.nodes_touched
        if self.marks is None:
            following = FIRST_POINT
            while following <= self._measured:
                following *= 2
            return touched >= following
        passed = bool(self.marks) and touched >= self.marks[0]
        while self.marks and touched >= self.marks[0]:
            self.marks.pop(0)
        return passed

    def measure(self) -> float:
        """Return the exploitability of the average strategy where every size of bet is possible."""
        self._measured = self.cfr.nodes_touched
        return exploitability(self.cfr.tree, self.cfr.average_strategy(), self.mode)

    def remembered(self, point: GrowthPoint) -> float:
        return point.exploitability

    def is_current(self, point: GrowthPoint) -> bool:
        return point.iterations == self.iteration

    def point(self, measured: float, seconds: float) -> GrowthPoint:
        cfr = self.cfr
        counts = cfr.nodes_touched, cfr.iterations, cfr.worth
        return GrowthPoint(*counts, measured, cfr.tree.live, self.grower.additions, seconds)

    def figure(self, latest: GrowthPoint | None) -> str:
        found = "" if latest is None else f"  exploitability {latest.exploitability:.3g}"
        return f"{self.cfr.nodes_touched:,} nodes  {self.cfr.tree.live:,} in the tree{found}"

    def result(self, measured: float, history: JobHistory) -> GrownAbstraction:
        """Return the abstraction as it stands."""
        return make_result(self.grower, self.mode, measured, history, self.failure)
