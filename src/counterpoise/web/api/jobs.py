"""Routes of jobs: submit, list, look, stop, resume, delete."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response
from pydantic import BaseModel, Field

from counterpoise.errors import InputError
from counterpoise.plots import Axis
from counterpoise.web.api.drawing import draw_trace
from counterpoise.web.api.errors import RESPONSES
from counterpoise.web.api.unread import Unread
from counterpoise.web.jobs.requests import AnyRequest, Limits
from counterpoise.web.jobs.state import JobState
from counterpoise.web.server import Server

JobId = Annotated[str, Path(max_length=40, description="The id of a job.")]


class NewJob(BaseModel):
    """A job to be queued."""

    request: AnyRequest
    name: Annotated[str, Field(max_length=200)] = ""


class JobList(BaseModel):
    """All jobs, the newest first, without their traces."""

    jobs: list[JobState]


class Gone(BaseModel):
    """What was deleted."""

    deleted: str


def make_router(server: Server) -> APIRouter:
    """Return the routes."""
    router, jobs = APIRouter(tags=["jobs"], responses=RESPONSES), server.jobs

    @router.post("/jobs", status_code=201)
    def submit(body: Unread[NewJob]) -> JobState:
        """Queue a job; it runs in a process of its own, whether or not a client is connected."""
        new = body.read()
        return jobs.state(jobs.submit(new.request, new.name))

    @router.get("/jobs")
    def list_jobs() -> JobList:
        """List all jobs, those of earlier servers included."""
        return JobList(jobs=[state.model_copy(update={"trace": []}) for state in jobs.list()])

    @router.get("/jobs/{id}")
    def state(id: JobId) -> JobState:
        """Return all that is known of a job, its trace included."""
        return jobs.state(id)

    @router.get("/jobs/{id}/plot", response_class=Response)
    def plot(id: JobId, x: Axis = "iteration") -> Response:
        """Return a picture of the trace: exploitability against iterations, nodes touched or seconds."""
        return Response(draw_trace(jobs.state(id), x), media_type="image/png")

    @router.post("/jobs/{id}/stop")
    def stop(id: JobId) -> JobState:
        """Ask a job to stop; it keeps what it has found and can be resumed."""
        return jobs.stop(id)

    @router.post("/jobs/{id}/resume")
    def resume(id: JobId, limits: Limits | None = None) -> JobState:
        """Resume a job where it stopped, perhaps to a finer target; without limits, to those that it had."""
        given = limits or Limits()
        return jobs.resume(id, target=given.target, iterations=given.iterations, seconds=given.seconds)

    @router.delete("/jobs/{id}")
    def delete(id: JobId, confirm: Annotated[str, Query(max_length=40)]) -> Gone:
        """Delete a job that has ended and all that it has saved; `confirm` repeats its id."""
        if confirm != id:
            raise InputError("confirm must repeat the id of the job that is to be deleted")
        jobs.delete(id)
        return Gone(deleted=id)

    return router
