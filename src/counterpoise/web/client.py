"""A client of the API in one file: every call, its answer as a typed record, and events.

>>> with Client("http://127.0.0.1:8642") as client:  # doctest: +SKIP
...     job = client.solve(spot, target=0.5)
...     for event in client.events(job.id):
...         print(event.state.figure)
...     node = client.node(job.id, "r:0:b50")
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self, TypeVar

from pydantic import BaseModel, TypeAdapter

from counterpoise.errors import InputError
from counterpoise.spots import Spot
from counterpoise.web.api.models import Begun, Catalogues, EstimateView, SolutionView, SpotView, StrategyPage
from counterpoise.web.jobs.events import JobEvent
from counterpoise.web.jobs.state import JobState
from counterpoise.web.library import Entry
from counterpoise.web.play.models import HandRow, Score, SessionView, TableView, Thoughts
from counterpoise.web.trainer import Question, Statistics, Verdict
from counterpoise.web.views.node import LinesView, NodeView
from counterpoise.web.views.reports import Blockers, CardsView, Comparison, EquityDistribution

Record = TypeVar("Record", bound=BaseModel)
SpotLike = Spot | Mapping[str, Any]
_JOBS, _ENTRIES, _HANDS = TypeAdapter(list[JobState]), TypeAdapter(list[Entry]), TypeAdapter(list[HandRow])


class ApiError(InputError):
    """What the server refused: its sentence, and the status of the answer."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Client:
    """Talks to a server; `token` where it demands one. Answers are the records that /api/v1/docs describes."""

    def __init__(self, address: str = "http://127.0.0.1:8642", token: str | None = None, timeout: float = 60.0) -> None:
        import httpx

        self.address, self.token = address.rstrip("/"), token
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._http = httpx.Client(base_url=f"{self.address}/api/v1", headers=headers, timeout=timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    # ---- spots ----

    def read_spot(self, toml: str) -> SpotView:
        """Return a spot read from the text of a spot file."""
        return self._post(SpotView, "/spots/read", {"toml": toml})

    def spot(self, name: str) -> SpotView:
        """Return the spot of a file in the library."""
        return self._get(SpotView, "/spots/file", name=name)

    def save_spot(self, spot: SpotLike, name: str) -> Entry:
        """Keep a spot in the library."""
        return self._post(Entry, "/spots/save", {"spot": _fields(spot), "name": name})

    def estimate(self, spot: SpotLike, **options: Any) -> EstimateView:
        """Return what solving a spot will take; options are target, bits and algorithm."""
        return self._post(EstimateView, "/spots/estimate", {"spot": _fields(spot), **options})

    # ---- jobs ----

    def submit(self, request: Mapping[str, Any], name: str = "") -> JobState:
        """Queue a job of any kind and return its state."""
        return self._post(JobState, "/jobs", {"request": request, "name": name})

    def solve(self, spot: SpotLike, *, name: str = "", **limits: Any) -> JobState:
        """Queue the solving of a spot; limits are target, iterations, seconds, threads, bits, algorithm, warm_start."""
        return self.submit({"kind": "solve-spot", "spot": _fields(spot), **limits}, name)

    def search(self, solution: str, node: str | None = None, **options: Any) -> JobState:
        """Queue a safe search at a node of a solution; options are those of `counterpoise.search_spot`."""
        return self.submit({"kind": "search-node", "solution": solution, "node": node, **options})

    def race(self, game: str, algorithms: Sequence[str], **limits: Any) -> JobState:
        """Queue a race of algorithms on a game; limits are iterations, target, seconds and seed."""
        return self.submit({"kind": "race-game", "game": game, "algorithms": list(algorithms), **limits})

    def optimise_sizes(self, spot: SpotLike, **options: Any) -> JobState:
        """Queue a search of the best bet sizes."""
        return self.submit({"kind": "optimise-sizes", "spot": _fields(spot), **options})

    def lock(self, solution: str, locks: Sequence[Mapping[str, Any]], **limits: Any) -> JobState:
        """Queue solving a solution's spot again with locked strategies."""
        return self._post(JobState, "/solutions/lock", {"solution": solution, "locks": list(locks), **limits})

    def jobs(self) -> list[JobState]:
        """Return all jobs, the newest first."""
        return _JOBS.validate_python(self._json("GET", "/jobs")["jobs"])

    def job(self, id: str) -> JobState:
        """Return the state of a job, its trace included."""
        return self._get(JobState, f"/jobs/{id}")

    def stop(self, id: str) -> JobState:
        """Ask a job to stop."""
        return self._post(JobState, f"/jobs/{id}/stop")

    def resume(self, id: str, **limits: Any) -> JobState:
        """Resume a job, perhaps to a finer target."""
        return self._post(JobState, f"/jobs/{id}/resume", limits or None)

    def delete_job(self, id: str) -> None:
        """Delete a job that has ended and what it has saved."""
        self._json("DELETE", f"/jobs/{id}", params={"confirm": id})

    def wait(self, id: str, timeout: float = 3600.0, every: float = 0.2) -> JobState:
        """Return the state of a job when it has ended, or after some seconds."""
        until = time.monotonic() + timeout
        while (state := self.job(id)).live and time.monotonic() < until:
            time.sleep(every)
        return state

    def events(self, job: str | None = None) -> Iterator[JobEvent]:
        """Yield what happens to a job, until it has ended, or to all jobs, from now on."""
        from websockets.sync.client import connect

        address = self.address.replace("http", "ws", 1) + "/api/v1/events" + (f"?job={job}" if job else "")
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        with connect(address, additional_headers=headers, max_size=2**24) as socket:
            for message in socket:
                event = JobEvent.model_validate_json(message)
                yield event
                if job is not None and not event.state.live:
                    return

    # ---- solutions ----

    def figures(self, name: str) -> SolutionView:
        """Return the figures of a solution or a search."""
        return self._get(SolutionView, "/solutions/figures", name=name)

    def node(self, name: str, node: str = "", values: bool = True) -> NodeView:
        """Return a node: actions, strategy of every hand, EV, equity, both ranges."""
        return self._get(NodeView, "/solutions/node", name=name, node=node, values=values)

    def lines(self, name: str, node: str = "") -> LinesView:
        """Return what follows a node."""
        return self._get(LinesView, "/solutions/lines", name=name, node=node)

    def cards(self, name: str, node: str = "") -> CardsView:
        """Return the report over all cards at a node."""
        return self._get(CardsView, "/solutions/cards", name=name, node=node)

    def equity(self, name: str, node: str = "") -> EquityDistribution:
        """Return the equity distribution of both ranges."""
        return self._get(EquityDistribution, "/solutions/equity", name=name, node=node)

    def blockers(self, name: str, node: str = "") -> Blockers:
        """Return how each card changes what is done."""
        return self._get(Blockers, "/solutions/blockers", name=name, node=node)

    def compare(self, first: str, second: str, node: str = "") -> Comparison:
        """Return two solutions at one node."""
        return self._get(Comparison, "/solutions/compare", first=first, second=second, node=node)

    def export(self, name: str, format: str, node: str = "", cards: bool = False) -> bytes:
        """Return a file: csv, json, png, toml or cpz."""
        answer = self._http.get(
            "/solutions/export", params={"name": name, "format": format, "node": node, "cards": cards}
        )
        _check(answer)
        return bytes(answer.content)

    # ---- library ----

    def library(self, text: str = "", kind: str = "", tag: str = "") -> list[Entry]:
        """Return the files of the library that have all words of a text."""
        found = self._json("GET", "/library", params={"text": text, "kind": kind, "tag": tag})
        return _ENTRIES.validate_python(found["entries"])

    def upload(self, name: str, content: bytes) -> Entry:
        """Keep a file in the library."""
        return self._call(Entry, "POST", "/uploads", params={"name": name}, content=content)

    def download(self, name: str) -> bytes:
        """Return a file of the library."""
        answer = self._http.get("/library/file", params={"name": name})
        _check(answer)
        return bytes(answer.content)

    def rename(self, name: str, new: str) -> Entry:
        """Give a file another name."""
        return self._post(Entry, "/library/rename", {"name": name, "new": new})

    def copy(self, name: str, new: str) -> Entry:
        """Keep a copy of a file under another name."""
        return self._post(Entry, "/library/copy", {"name": name, "new": new})

    def tag(self, name: str, tags: Sequence[str]) -> Entry:
        """Give a file these tags and no others."""
        return self._call(Entry, "PUT", "/library/tags", json={"name": name, "tags": list(tags)})

    def delete(self, name: str) -> None:
        """Delete a file for good."""
        token = self._json("GET", "/library/deletion", params={"name": name})["token"]
        self._json("DELETE", "/library/file", params={"name": name, "token": token})

    # ---- games ----

    def catalogues(self) -> Catalogues:
        """Return games, algorithms, modifiers and agents."""
        return self._get(Catalogues, "/catalogues")

    def strategy(self, name: str, text: str = "", start: int = 0, count: int = 100) -> StrategyPage:
        """Return information sets of a saved run."""
        return self._get(StrategyPage, "/runs/strategy", name=name, text=text, start=start, count=count)

    # ---- play and trainer ----

    def sit_down(self, agents: Sequence[str], **options: Any) -> Begun:
        """Begin a session against agents; options are game, seats, seed and fast."""
        return self._post(Begun, "/play", {"agents": list(agents), **options})

    def table(self, session: str, version: int | None = None) -> TableView:
        """Return the table of a session; with a version, wait a little for a later one."""
        return self._get(TableView, f"/play/{session}", **({} if version is None else {"version": version}))

    def act(self, session: str, action: str | None = None, amount: int | str | None = None) -> TableView:
        """Act at a table."""
        given = {"action": action, "amount": amount}
        return self._post(
            TableView, f"/play/{session}/act", {key: value for key, value in given.items() if value is not None}
        )

    def next_hand(self, session: str) -> TableView:
        """Deal the next hand."""
        return self._post(TableView, f"/play/{session}/next")

    def history(self, session: str) -> list[HandRow]:
        """Return the hands of a session that are over."""
        return _HANDS.validate_python(self._json("GET", f"/play/{session}/history")["hands"])

    def score(self, session: str) -> Score:
        """Return the score raw and by AIVAT."""
        return self._get(Score, f"/play/{session}/score")

    def thoughts(self, session: str, hand: int) -> Thoughts:
        """Return what the opponents thought in a hand that is over."""
        return self._get(Thoughts, f"/play/{session}/thoughts", hand=hand)

    def leave(self, session: str) -> SessionView:
        """End a session."""
        return self._post(SessionView, f"/play/{session}/leave")

    def question(self, solution: str, number: int, **drill: Any) -> Question:
        """Return a question of the trainer."""
        return self._post(Question, "/trainer/question", {"solution": solution, "number": number, **drill})

    def statistics(self, solution: str = "") -> Statistics:
        """Return how the answers to the trainer were."""
        return self._get(Statistics, "/trainer/statistics", solution=solution)

    def answer(self, question: Question, action: str) -> Verdict:
        """Return what an answer loses."""
        return self._post(Verdict, "/trainer/answer", {"drill": question.drill.model_dump(), "action": action})

    # ---- inside ----

    def _get(self, record: type[Record], path: str, **params: Any) -> Record:
        return self._call(record, "GET", path, params=params)

    def _post(self, record: type[Record], path: str, body: Any = None) -> Record:
        return self._call(record, "POST", path, json=body)

    def _call(self, record: type[Record], method: str, path: str, **more: Any) -> Record:
        return record.model_validate(self._json(method, path, **more))

    def _json(self, method: str, path: str, **more: Any) -> Any:
        answer = self._http.request(method, path, **more)
        _check(answer)
        return answer.json()


def _fields(spot: SpotLike) -> Mapping[str, Any]:
    return spot.to_dict() if isinstance(spot, Spot) else spot


def _check(answer: Any) -> None:
    if answer.status_code >= 400:
        try:
            sentence = answer.json()["detail"]
        except (ValueError, KeyError):
            sentence = f"the server answered {answer.status_code}"
        raise ApiError(answer.status_code, str(sentence))
