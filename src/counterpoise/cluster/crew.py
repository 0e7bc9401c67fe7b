"""The actors that work on one plan of pieces: hiring, handing out, replacing those that die.

1. As many actors are hired as the cluster has processors now: fewer if a machine has left, more if one has joined.
   One that has not started yet, because others have the processors, gets no piece, so that nothing waits for it.
2. Pieces are handed out in the order of the plan to the actor with the fewest, two each at most; results are taken in
   that order. `AHEAD` for each actor are planned beyond the first that was not taken.
3. A piece whose actor died is handed out again. It has no effect but its result, so nothing is counted twice.
"""

from __future__ import annotations

import os
import pickle
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from typing import Any

from counterpoise.cluster.identity import source_identity
from counterpoise.cluster.sharing import packed, unpacked
from counterpoise.errors import InputError
from counterpoise.extensions import Carried
from counterpoise.jobs.processes import AHEAD, ATTEMPTS, EACH
from counterpoise.progress import CancelToken

START_SECONDS = 120.0
"""How long the first worker may take to start, where others may have all processors of the cluster."""
LOOK_SECONDS = 0.2
"""Seconds between two looks at the cancel token."""
COUNT_SECONDS = 2.0
"""Seconds between two looks at how many processors the cluster has, and whether it is there."""


class Piece:
    """A piece of a plan: who works on it, what it will be, and how often it was tried."""

    def __init__(self, arguments: tuple[Any, ...]) -> None:
        self.arguments, self.attempts = arguments, 0
        self.worker: int | None = None
        self.answer: Any = None
        self.found: tuple[Any, float] | None = None
        """The result and the CPU seconds that it took."""


class Crew:
    """The actors that work on one plan.

    `count` returns how many there should be, and raises if the cluster is gone.
    """

    def __init__(self, ray: Any, make: Callable[[], Callable[..., Any]], count: Callable[[], int]) -> None:
        self._ray, self._count_now, self.make = ray, count, make
        self._actor = ray.remote(max_restarts=0, num_cpus=1)(Actor)
        self._make = ray.put(pickle.dumps(Carried(make)))
        self._actors: dict[int, Any] = {}
        self._starting: dict[int, Any] = {}
        self._births: list[Any] = []
        self._next = self._unborn = 0
        self._began = self._counted = time.monotonic()
        self._started, self._count = False, count()
        self._waiting: deque[Piece] = deque()
        self.cpu_seconds = 0.0
        self.lost = 0

    @property
    def busy(self) -> bool:
        """Whether pieces are still at work."""
        return bool(self._waiting)

    def run(self, plan: Iterator[tuple[Any, ...]], cancel: CancelToken) -> Generator[Any, None, None]:
        """Hand pieces out and yield their results in order; once cancelled, only what is finished is yielded."""
        for arguments in plan:
            if cancel.cancelled:
                break
            self._waiting.append(Piece(arguments))
            self._hire()
            self._hand_out()
            if len(self._waiting) > AHEAD * self._count:
                yield from self._take(cancel)
        while self._waiting:
            before = len(self._waiting)
            yield from self._take(cancel)
            if len(self._waiting) == before:
                return

    def close(self) -> None:
        """End the actors; what they were doing is given up."""
        for actor in self._actors.values():
            self._ray.kill(actor, no_restart=True)
        self._actors, self._starting, self._waiting = {}, {}, deque()

    def _take(self, cancel: CancelToken) -> Generator[Any, None, None]:
        """Yield the result of the first piece when it is there; nothing if cancelled before."""
        first = self._waiting[0]
        while first.found is None:
            self._look()
            if first.found is None and cancel.cancelled:
                return
        found, seconds = first.found
        self._waiting.popleft()
        self.cpu_seconds += seconds
        yield found

    def _look(self) -> None:
        """Wait a moment for pieces that get finished and actors that get started, and give them what comes next."""
        at_work = [piece for piece in self._waiting if piece.answer is not None and piece.found is None]
        open_pieces = {piece.answer: piece for piece in at_work}
        starting = {answer: number for number, answer in self._starting.items()}
        births = tuple(self._births)
        refs = [*open_pieces, *starting, *births]
        ready = self._ray.wait(refs, timeout=LOOK_SECONDS)[0] if refs else []
        ready = self._ray.wait(refs, num_returns=len(refs), timeout=0)[0] if ready else []
        for answer in ready:
            if answer in births:
                self._note_birth(answer)
            elif answer in starting:
                self._welcome(starting[answer], answer)
            elif open_pieces[answer].answer is answer:
                self._look_at(open_pieces[answer])
        if time.monotonic() - self._counted > COUNT_SECONDS:
            self._counted, self._count = time.monotonic(), self._count_now()
        self._hire()
        self._hand_out()
        if not self._started and time.monotonic() - self._began > START_SECONDS:
            raise InputError(
                f"no worker of the cluster has started for {START_SECONDS:.0f} seconds: perhaps other work has all of "
                "its processors"
            )

    def _look_at(self, piece: Piece) -> None:
        """Note that a piece is finished, or do those of a dead actor again."""
        errors = self._ray.exceptions
        try:
            piece.found = unpacked(*self._ray.get(piece.answer))
        except errors.RayTaskError as error:  # the piece itself failed: as it would have failed here
            raise cause_of(error) from error  # which shows where
        except errors.RayError as error:
            assert piece.worker is not None
            self._bury(piece.worker, error)

    def _hire(self) -> None:
        """Hire actors up to as many as there are processors and pieces; dismiss those that cannot start."""
        wanted = min(self._count, len(self._waiting))
        for number in list(self._starting):
            if len(self._actors) > self._count:
                self._ray.kill(self._actors.pop(number), no_restart=True)
                del self._starting[number]
        while len(self._actors) < wanted:
            if not self._next:
                self._began = time.monotonic()
            actor = self._actor.remote(source_identity())
            if not self._started:
                self._births.append(actor.is_there.remote())
            self._actors[self._next], self._starting[self._next] = actor, actor.begin.remote([self._make])
            self._next += 1

    def _note_birth(self, answer: Any) -> None:
        """Take note that an actor has a process; why one has not is told where it would have started work."""
        if answer not in self._births:  # another actor had a process before: nobody waits for these any more
            return
        self._births.remove(answer)
        with suppress(self._ray.exceptions.RayError):
            self._ray.get(answer)
            self._started, self._births = True, []

    def _welcome(self, number: int, answer: Any) -> None:
        """Let an actor that has started work; refuse one with other sources."""
        errors = self._ray.exceptions
        del self._starting[number]
        try:
            self._ray.get(answer)
        except errors.RayTaskError as error:
            raise cause_of(error) from error  # which shows where
        except errors.RayError as error:
            if getattr(error, "actor_init_failed", False):
                raise InputError(f"a worker of the cluster cannot start: {last_line(error)}") from None
            self._unborn += 1
            if self._unborn > ATTEMPTS * max(self._count, 1):
                raise InputError(f"workers of the cluster die before they start: {last_line(error)}") from None
            self._bury(number, error)

    def _hand_out(self) -> None:
        """Give pieces that nobody has to the actors with the fewest, in the order of the plan."""
        load = {number: 0 for number in self._actors if number not in self._starting}
        for piece in self._waiting:
            if piece.worker in load and piece.found is None:
                load[piece.worker] += 1
        for piece in self._waiting:
            if not load:
                return
            if piece.worker is not None:
                continue
            number = min(load, key=lambda one: (load[one], one))
            if load[number] >= EACH:
                return
            load[number] += 1
            piece.worker, piece.attempts = number, piece.attempts + 1
            piece.answer = self._actors[number].do.remote(piece.arguments)

    def _bury(self, number: int, error: Exception) -> None:
        """Let the unfinished pieces of a dead actor be handed out again."""
        if self._actors.pop(number, None) is None:
            return
        self.lost += 1
        self._counted, self._count = time.monotonic(), self._count_now()
        for piece in self._waiting:
            if piece.worker == number and piece.found is None:
                if piece.attempts >= ATTEMPTS:
                    raise InputError(
                        f"a piece of the work was lost {ATTEMPTS} times with the worker that did it, the last time: "
                        f"{last_line(error)}"
                    ) from None
                piece.worker = piece.answer = None


class Actor:
    """What runs in a worker's process."""

    def __init__(self, identity: str) -> None:
        self._refusal = refusal(identity)
        self._do: Callable[..., Any] | None = None

    def is_there(self) -> None:
        """Do nothing: an answer says that the process has started, however long what pieces need takes to build."""

    def begin(self, make: list[Any]) -> None:
        """Build what pieces need, after the sources were compared."""
        if self._refusal is not None:
            raise InputError(self._refusal)
        import ray

        self._do = pickle.loads(ray.get(make[0])).value()  # packed: what unpacking refuses is told as it is

    def do(self, piece: tuple[Any, ...]) -> tuple[bytes, list[Any]]:
        """Do a piece; return what was found and the CPU seconds that took, packed."""
        assert self._do is not None
        began = time.process_time()
        found = self._do(*piece)
        return packed((found, time.process_time() - began))


def refusal(identity: str) -> str | None:
    """Return why this process must not work for one whose sources have a given identity; None if they are the same."""
    own = source_identity()
    if own == identity:
        return None
    return (
        f"a worker on {os.uname().nodename} has another version of counterpoise or of what compiles it "
        f"({own[:12]}, not {identity[:12]}): install the same on all machines"
    )


def cause_of(error: Any) -> Exception:
    """Return the exception that a piece has raised, or one in its place if that cannot be sent."""
    cause = getattr(error, "cause", None)
    return cause if isinstance(cause, Exception) else RuntimeError(f"a piece failed: {last_line(error)}")


def last_line(error: Exception) -> str:
    """Return what an error of Ray comes to."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
