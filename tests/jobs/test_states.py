"""A job's state can be sent elsewhere: the same job made anew continues from it to the same end.

Every class of jobs in the package has a case here, or a test of its own that `ELSEWHERE` names. A case is run three
times: to its end; until its first job of that class has done some batches, whose state is then pickled; and once more,
where the first job of that class continues from that state.
"""

from __future__ import annotations

import importlib
import inspect
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.cards import Deck
from counterpoise.jobs import Driver, Job, PartsJob, run_steps
from counterpoise.progress import CancelToken, SilentProgress
from counterpoise.public import mini_holdem
from counterpoise.solvers import make_algorithm
from counterpoise.tree import enumerate_game
from tests.search.test_sampled import flop_solution
from tests.spots.conftest import RIVER, WIDE_RIVER
from tests.spots.test_exploit import ONE_HAND

PACKAGE = Path(cp.__file__).parent
ELSEWHERE = {
    "ExamplesJob": "tests/agents/test_leaf_networks.py",
    "NetworkJob": "tests/deep/test_nfsp.py",
    "OutOfCoreJob": "tests/solvers/out_of_core/test_out_of_core.py",
    "PlainWalking": "tests/blueprint/test_train.py",
    "TimedJob": "tests/deep/rebel/test_learner.py",
    "TrainingJob": "tests/blueprint/test_train.py",
    "WalkJob": "tests/evaluation/best_response/test_walk.py",
}
"""Jobs that take long to make, and the tests in which what they consist of continues from a state."""
TIMES = {"seconds", "cpu_seconds", "available_mb", "trace"}
SPOT = cp.Spot(**RIVER)
SIZED = cp.Spot(**(WIDE_RIVER | {"oop": "AKs,QJs,77", "ip": "AA,KQs,44"}), river={"bet": ["50%"]})
LOCK = {"node": "r:0", "strategy": {"AhAc": {"b50": 1.0}}}
QUIET: dict[str, Any] = {"progress": False}
ALONE: dict[str, Any] = {"progress": False, "threads": 1}


def squares(folder: Path) -> list[int]:
    job = PartsJob(5, lambda first: (number**2 for number in range(first, 5)))
    return job.run(SilentProgress(), CancelToken()).found


def kuhn_steps(folder: Path) -> Any:
    solver = make_algorithm("dcfr").on(enumerate_game(cp.load("kuhn_poker")))
    run_steps(solver, 200, CancelToken())
    return solver.state()


def new_abstraction(folder: Path) -> str:
    return cp.abstraction("IR-C-KO", (3,), deck=Deck(ranks=5), sample=1000, cache=folder, **ALONE).digest


def arena() -> Any:
    found = cp.arena(["random", "always-call", "always-fold"], "kuhn_poker", 20, memory=False, **QUIET)
    return [vars(one) for one in found.matches]


def sizes(folder: Path) -> Any:
    return cp.optimise_sizes(SIZED, seat="ip", target=1, starts=[(50,)], compare={"75 %": (75,)}, curves=True, **ALONE)


CASES: dict[str, Callable[[Path], Any]] = {
    "ArenaJob": lambda folder: arena(),
    "BuildJob": new_abstraction,
    "ClimbJob": lambda folder: cp.optimise_parameters("leduc_poker", {"bets[1]": (4, 9)}, seat=1, steps=2, **QUIET),
    "CounterJob": lambda folder: cp.counter_strategy("kuhn_poker", "random", "rnr(p=0.5)", iterations=50, **QUIET),
    "GameJob": lambda folder: cp.solve("kuhn_poker", iterations=50, **QUIET),
    "GrowthJob": lambda folder: cp.grow_abstraction(nodes=2000, **QUIET),
    "LocalJob": lambda folder: cp.local_best_response("limit_holdem(ranks=4)", "always-fold", 40, **QUIET),
    "PartsJob": squares,
    "PublicJob": lambda folder: cp.solve(mini_holdem(3), iterations=20, **ALONE),
    "SamplingJob": lambda folder: flop_solution(500).averages,
    "SearchJob": lambda folder: cp.search_spot(
        cp.solve_spot(SPOT, iterations=5, **ALONE), "r:0", iterations=20, **ALONE
    ),
    "SimplifyJob": lambda folder: cp.simplify_sizes(SIZED, 2.0, menu=["50%", "100%"], **ALONE),
    "SizesJob": sizes,
    "SpotJob": lambda folder: cp.solve_spot(SPOT, iterations=20, **ALONE),
    "StepsJob": kuhn_steps,
    "_Match": lambda folder: cp.match("leduc_poker", ["random", "always-call"], 120, block=10, **QUIET),
    "_PointJob": lambda folder: cp.exploit_spot(cp.Spot(**ONE_HAND), [LOCK], iterations=20, **ALONE),
}


BATCHES = {"ArenaJob": 2, "BuildJob": 3, "PartsJob": 3, "PublicJob": 2, "SizesJob": 3, "SpotJob": 2, "_Match": 4}
"""Batches after which a state is sent, if not after the first."""


class Stopped(Exception):
    """The first job of the wanted class has done enough."""


def jobs_of_the_package() -> set[type[Job[Any, Any]]]:
    """All classes of jobs that can be made, from the modules whose text speaks of any."""
    for path in PACKAGE.rglob("*.py"):
        if "Job[" in path.read_text(encoding="utf-8"):
            importlib.import_module(".".join(("counterpoise", *path.relative_to(PACKAGE).with_suffix("").parts)))

    def below(kind: type[Job[Any, Any]]) -> Iterator[type[Job[Any, Any]]]:
        for one in kind.__subclasses__():
            yield one
            yield from below(one)

    found = {one for one in below(Job) if one.__module__.startswith("counterpoise.")}
    return {one for one in found if not inspect.isabstract(one)}


def told(found: Any) -> Any:
    """What a case has found, without times, in a form that can be compared."""
    if isinstance(found, np.ndarray):
        return found.tobytes()
    if hasattr(found, "to_json"):
        return told(found.to_json())
    if isinstance(found, dict):
        return {name: told(value) for name, value in found.items() if name not in TIMES}
    return [told(one) for one in found] if isinstance(found, list | tuple) else found


def test_every_job_is_sent_somewhere() -> None:
    names = {one.__name__ for one in jobs_of_the_package()}
    assert names == CASES.keys() | ELSEWHERE.keys()
    assert all((PACKAGE.parents[1] / place).exists() for place in ELSEWHERE.values())


@pytest.mark.parametrize("name", CASES)
def test_a_job_continues_from_a_state_that_was_sent(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, advance, case = Driver.run, Driver._advance, CASES[name]
    whole = case(tmp_path / "whole")
    first: list[Job[Any, Any]] = []
    sent, left = b"", BATCHES.get(name, 1)

    def stop_early(driver: Driver[Any, Any]) -> bool:
        nonlocal sent, left
        due = advance(driver)
        if type(driver.job).__name__ == name:
            left -= 1
            if not left:
                sent = pickle.dumps(driver.job.state())
                raise Stopped
        return due

    def continue_from(driver: Driver[Any, Any]) -> Any:
        if type(driver.job).__name__ == name and not first:
            first.append(driver.job)
            driver.job.restore(pickle.loads(sent))
        return run(driver)

    monkeypatch.setattr(Driver, "_advance", stop_early)
    with pytest.raises(Stopped):
        case(tmp_path / "early")
    monkeypatch.setattr(Driver, "_advance", advance)
    monkeypatch.setattr(Driver, "run", continue_from)
    assert told(case(tmp_path / "continued")) == told(whole)
    assert first
