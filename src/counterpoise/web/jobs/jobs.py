"""The jobs of a server: queued, run in processes of their own within bounds, watched, stopped, resumed, found again.

A thread per process reads what it reports. A process that dies, for whatever reason, ends its own job and nothing else.
"""

from __future__ import annotations

import json
import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from counterpoise.errors import InputError
from counterpoise.parameters import shown
from counterpoise.store.files import being_written, check_writable
from counterpoise.web.jobs.check import Needs, needs_of
from counterpoise.web.jobs.events import EventKind, Hub, JobEvent, Subscription
from counterpoise.web.jobs.requests import MOST_LIMIT, JobOrder, Limits, OptimiseSizes, RaceGame, SearchNode, SolveSpot
from counterpoise.web.jobs.state import RESULT_FILE, STATE_FILE, JobState, TraceRow
from counterpoise.web.library import JOBS, Library
from counterpoise.web.processes import ID, death_sentence, new_id, start_process

AnyJob = SolveSpot | SearchNode | OptimiseSizes | RaceGame
SAVED_EVERY = 2.0
"""Seconds between two states on the disk at least, while a job only gets further."""
SILENT_SECONDS = 15.0
"""Seconds that a process may neither say nor save anything after it was told to stop, before it is killed: an iteration
may take as long."""
GRACE_SECONDS = 120.0
"""Seconds that a process has for saving its work after it was told to stop, before it is killed."""
CLOSING_SECONDS = 30.0
"""Seconds that a process has for saving its work when the server ends."""
MOST_NOTES = 100


@dataclass(frozen=True)
class JobLimits:
    """What jobs may take."""

    at_once: int = 2
    """Processes at the same time."""
    queued: int = 50
    """Jobs that may wait."""
    memory_mb: float | None = None
    """The memory of all jobs together; by default 7 tenths of what is free when the server starts."""
    seconds: float = 24 * 3600.0
    """How long one process may work."""


class Jobs:
    """All jobs of a library."""

    def __init__(self, library: Library, limits: JobLimits | None = None) -> None:
        from counterpoise.spots.estimate import free_memory_mb

        self.library, self.limits, self.hub = library, limits or JobLimits(), Hub()
        self.memory_mb = self.limits.memory_mb or 0.7 * free_memory_mb()
        self._lock = threading.RLock()
        self._ended = threading.Condition(self._lock)
        self._states: dict[str, JobState] = {}
        self._processes: dict[str, subprocess.Popen[str]] = {}
        self._heard: dict[str, float] = {}
        """When each process said something last."""
        self._ended_by_us: dict[str, str] = {}
        """Why processes were killed by this server, as the end of a sentence."""
        self._saved: dict[str, float] = {}
        self._unsaved: dict[str, JobState] = {}
        self._disk = threading.Lock()
        self._closing = False
        self._find_earlier()

    # ---- what users of jobs call ----

    def submit(self, request: AnyJob, name: str = "") -> str:
        """Queue a job and return its id; refused at once if it names what is not there or does not fit."""
        needs = self._needs(request)
        with self._lock:
            self._check_room()
            id = new_id()
            title = name or (request.spot.name if isinstance(request, SolveSpot | OptimiseSizes) else "")
            state = JobState(id=id, request=request, name=title, created=time.time(), memory_mb=needs.memory_mb)
            self._folder(id).mkdir()
            self._write_order(state, needs)
            self._states[id] = state
            self._publish("state", state, save=True)
            self._start_waiting()
        self._save()
        return id

    def state(self, id: str) -> JobState:
        """Return all that is known of a job, as it is now."""
        with self._lock:
            return self._find(id).snapshot()

    def list(self) -> list[JobState]:
        """Return all jobs, the newest first."""
        with self._lock:
            found = [state.snapshot() for state in self._states.values()]
        return sorted(found, key=lambda state: (state.created, state.id), reverse=True)

    def subscribe(self, id: str | None = None) -> Subscription:
        """Return the events of a job, or of all jobs, from now on."""
        if id is not None:
            with self._lock:
                self._find(id)
        return self.hub.subscribe(id)

    def stop(self, id: str) -> JobState:
        """Ask a job to stop; it keeps what it has found. A job that has ended stays as it is."""
        with self._lock:
            state = self._find(id)
            if state.status == "queued":
                state.status, state.ended = "stopped", time.time()
                self._publish("state", state, save=True)
            elif state.status == "running":
                state.status = "stopping"
                self._publish("state", state, save=True)
                self._ask_to_stop(id)
        self._save()
        return self.state(id)

    def resume(
        self, id: str, *, target: float | None = None, iterations: int | None = None, seconds: float | None = None
    ) -> JobState:
        """Resume a job from its checkpoint, with new limits if any are given: a finer target, more iterations.

        Without limits, those that it had. Searches and best sizes, which have no checkpoints, begin anew.
        """
        with self._lock:
            request = self._resumable(id).request
        given = {"target": target, "iterations": iterations, "seconds": seconds}
        if any(value is not None for value in given.values()):
            try:
                Limits.model_validate(given)
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                raise InputError(f"{first['loc'][0]} must be a positive number, not {shown(first['input'])}") from None
            if unknown := [name for name, value in given.items() if value and name not in type(request).model_fields]:
                raise InputError(f"{unknown[0]} is no limit of this job")
            known = {name: value for name, value in given.items() if name in type(request).model_fields}
            request = request.model_copy(update=known)
        needs = self._needs(request)
        with self._lock:
            self._check_room()
            state = self._resumable(id)  # it may have been resumed or deleted meanwhile
            state.request = request
            state.status, state.error, state.result, state.ended, state.fraction = "queued", None, None, None, None
            state.memory_mb = needs.memory_mb
            state.trace = state.trace if state.files else []
            self._write_order(state, needs)
            self._publish("state", state, save=True)
            self._start_waiting()
        self._save()
        return self.state(id)

    def delete(self, id: str) -> None:
        """Delete a job that has ended, with all that it has saved."""
        with self._disk, self._lock:  # no state is being written into the folder
            state = self._find(id)
            if state.live:
                raise InputError(f"job {id} is {state.status}: stop it before it is deleted")
            self.library.delete_folder(self._folder(id))
            del self._states[id]
            self._publish("deleted", state)

    def wait(self, id: str, timeout: float | None = None) -> JobState:
        """Wait until a job has ended, or for some seconds; return its state."""
        with self._ended:
            self._ended.wait_for(lambda: not self._find(id).live, timeout)
        self._save()  # so that the folder says the same
        return self.state(id)

    def close(self) -> None:
        """Stop all processes, which save their work, and wait for them; their jobs can be resumed later."""
        with self._lock:
            self._closing = True
            running = dict(self._processes)
            for id in running:
                self._ask_to_stop(id)
        until = time.monotonic() + CLOSING_SECONDS
        for id, process in running.items():
            try:
                process.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                self._end(id, process, "the server ended")
        with self._ended:
            self._ended.wait_for(lambda: not self._processes, 10.0)
            for state in self._states.values():
                if state.live:
                    state.status = "interrupted"
                    self._publish("state", state, save=True)
        self._save()
        self.hub.close()

    # ---- starting ----

    def _needs(self, request: AnyJob) -> Needs:
        return needs_of(request, self.library, self.memory_mb, self.memory_mb / max(self.limits.at_once, 1))

    def _check_room(self) -> None:
        if self._closing:
            raise InputError("the server is ending: no new jobs")
        waiting = sum(state.status == "queued" for state in self._states.values())
        if waiting >= self.limits.queued:
            raise InputError(f"{waiting} jobs are waiting, and no more may: stop some, or wait")

    def _write_order(self, state: JobState, needs: Needs) -> None:
        """Write what the process is to do."""
        seconds = min(self.limits.seconds, MOST_LIMIT)
        order = JobOrder(request=state.request, paths=needs.paths, memory_mb=needs.memory_mb, seconds=seconds)
        order.save(self._folder(state.id))

    def _start_waiting(self) -> None:
        """Start jobs in the order of their arrival, as far as their number and their memory allow."""
        waiting = sorted((one for one in self._states.values() if one.status == "queued"), key=lambda one: one.created)
        for state in waiting:
            taken = sum(self._states[id].memory_mb for id in self._processes)
            if len(self._processes) >= self.limits.at_once or (
                self._processes and taken + state.memory_mb > self.memory_mb
            ):
                return
            self._start(state)

    def _start(self, state: JobState) -> None:
        try:
            process = start_process("counterpoise.web.jobs.worker", self._folder(state.id))
        except OSError as error:  # no memory for a process, no place for its log
            state.status, state.ended = "failed", time.time()
            state.error = f"no process could be started: {error.strerror}"
            self._publish("state", state, save=True)
            return
        self._processes[state.id] = process
        self._ended_by_us.pop(state.id, None)  # left where the process before had just ended when it was killed
        state.status, state.started, state.runs = "running", time.time(), state.runs + 1
        self._publish("state", state, save=True)
        threading.Thread(target=self._watch, args=(state, process), name=f"job {state.id}", daemon=True).start()

    def _ask_to_stop(self, id: str) -> None:
        process = self._processes.get(id)
        if process is None or process.stdin is None:
            return
        try:
            process.stdin.write("stop\n")
            process.stdin.flush()
        except (OSError, ValueError):  # it has ended meanwhile
            return
        threading.Thread(target=self._end_if_silent, args=(id, process), daemon=True).start()

    def _end_if_silent(self, id: str, process: subprocess.Popen[str]) -> None:
        """Kill a process that was told to stop and comes to no safe point."""
        asked = time.monotonic()
        while process.poll() is None:
            now = time.monotonic()
            if being_written(self._folder(id)):
                self._heard[id] = now
            silent, waited = now - max(asked, self._heard.get(id, asked)), now - asked
            if silent > SILENT_SECONDS or waited > GRACE_SECONDS:
                self._end(id, process, f"it came to no safe point within {waited:,.0f} seconds after it was to stop")
                return
            time.sleep(0.1)

    def _end(self, id: str, process: subprocess.Popen[str], why: str) -> None:
        self._ended_by_us[id] = why
        process.kill()

    # ---- watching ----

    def _watch(self, state: JobState, process: subprocess.Popen[str]) -> None:
        """Read what a process reports until it ends, and tell how it ended."""
        most = self.limits.seconds
        why = f"it took more than the {most:,.0f} seconds that a job may take"
        limit = threading.Timer(most + GRACE_SECONDS, self._end, (state.id, process, why))
        limit.daemon = True
        limit.start()
        outcome: dict[str, Any] | None = None
        assert process.stdout is not None
        assert process.stdin is not None
        for line in process.stdout:
            self._heard[state.id] = time.monotonic()
            try:
                report = json.loads(line)
                if report.get("kind") in ("done", "failed"):
                    outcome = report
                    continue
                with self._lock:
                    self._take(state, report)
            except (KeyError, ValueError):  # a line that cannot be understood must not end the watch
                continue
            self._save()
        code = process.wait()
        limit.cancel()
        process.stdout.close()
        process.stdin.close()
        with self._ended:
            del self._processes[state.id]
            self._finish(state, outcome, code)
            self._ended.notify_all()
            if not self._closing:
                self._start_waiting()
        self._save()

    def _take(self, state: JobState, report: dict[str, Any]) -> None:
        """Note what a process reports on its way."""
        kind, note, point = report.get("kind"), None, None
        if kind == "begin":
            state.phase, state.fraction, state.figure = report["phase"], None, ""
        elif kind == "progress":
            for name in ("fraction", "figure", "seconds_left"):
                setattr(state, name, report[name])
        elif kind == "begins at":  # measurements after the checkpoint are made again
            series, last = report["series"], report["iteration"]
            state.trace = [row for row in state.trace if row.series != series or row.iteration <= last]
        elif kind == "trace":
            point = TraceRow.model_validate(report["point"])
            state.trace.append(point)
        elif kind == "note":
            note = report["note"]
            state.notes = [*state.notes, note][-MOST_NOTES:]
        else:
            return
        self._find_result(state)
        save = kind == "trace" and time.monotonic() - self._saved.get(state.id, 0.0) > SAVED_EVERY
        told: EventKind = "trace" if point is not None else "note" if note is not None else "progress"
        self._publish(told, state, save=save, point=point, note=note)

    def _finish(self, state: JobState, outcome: dict[str, Any] | None, code: int) -> None:
        asked = state.status == "stopping"
        state.ended, state.seconds_left = time.time(), None
        self._find_result(state)
        self._heard.pop(state.id, None)
        why = self._ended_by_us.pop(state.id, None)
        if outcome is None and why is not None:
            state.status = "interrupted" if self._closing and not asked else "stopped"
            kept = "its last checkpoint is kept" if "result" in state.files else "nothing of it was saved yet"
            state.notes.append(f"the process was ended, as {why}: {kept}")
        elif outcome is None:
            state.status, state.error = "failed", death_sentence(code)
        elif outcome["kind"] == "failed":
            state.status, state.error = "failed", self.library.by_name(outcome["error"])
        else:
            state.result = outcome["result"]
            names = {what: f"{JOBS}/{state.id}/{file}" for what, file in outcome["files"].items()}
            state.files = state.files | names
            state.status = "done"
            if outcome["stopped"]:
                state.status = "interrupted" if self._closing and not asked else "stopped"
                if not asked and not self._closing:
                    state.notes.append(
                        f"stopped after {self.limits.seconds:,.0f} seconds, the most that a job may take"
                    )
            else:
                state.fraction = 1.0
        self._publish("state", state, save=True)

    def _find_result(self, state: JobState) -> None:
        if "result" not in state.files and (self._folder(state.id) / RESULT_FILE).exists():
            state.files["result"] = f"{JOBS}/{state.id}/{RESULT_FILE}"

    # ---- keeping ----

    def _folder(self, id: str) -> Path:
        return self.library.root / JOBS / id

    def _find(self, id: str) -> JobState:
        if id not in self._states:
            raise InputError(f"there is no job {shown(id)}")
        return self._states[id]

    def _resumable(self, id: str) -> JobState:
        state = self._find(id)
        if state.live:
            raise InputError(f"job {id} cannot be resumed: it is {state.status}")
        return state

    def _publish(
        self,
        kind: EventKind,
        state: JobState,
        *,
        save: bool = False,
        point: TraceRow | None = None,
        note: str | None = None,
    ) -> None:
        if save:
            self._saved[state.id] = time.monotonic()
            self._unsaved[state.id] = state.snapshot()
        brief = state.model_copy(update={"trace": [], "notes": []})
        self.hub.tell(JobEvent(kind=kind, job=state.id, state=brief, point=point, note=note))

    def _save(self) -> None:
        """Write the states that are not on the disk yet; readers of states do not wait for the disk."""
        with self._disk:
            while True:
                with self._lock:
                    if not self._unsaved:
                        return
                    id, state = self._unsaved.popitem()
                    there = id in self._states
                if there:
                    with suppress(OSError, InputError):  # a full disk: the next change is written again
                        state.save(self._folder(id))

    def _find_earlier(self) -> None:
        """Find the jobs of earlier servers; those that were at work then can be resumed."""
        for folder in sorted((self.library.root / JOBS).iterdir()):
            if not ID.fullmatch(folder.name) or not (folder / STATE_FILE).is_file():
                continue
            try:
                state = JobState.load(folder)
            except (OSError, ValueError):  # edited by hand, or of another version: left alone
                continue
            if state.id != folder.name:
                continue
            if state.live:
                ended = "before it began" if state.status == "queued" else "while it was at work"
                state.notes.append(f"the server ended {ended}")
                state.status = "interrupted"
                for name in (STATE_FILE, RESULT_FILE):
                    with suppress(InputError):
                        check_writable(folder / name)  # removes what a killed process has half written
            self._states[state.id] = state
            self._find_result(state)
