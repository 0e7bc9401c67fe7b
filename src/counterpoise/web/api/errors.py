"""Errors of the API, one sentence each: wrong input is 422, an unknown address and a missing file are 404."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from counterpoise.errors import Cancelled, InputError
from counterpoise.parameters import shown
from counterpoise.web.library import Library, NoFile


class Problem(BaseModel):
    """What is wrong with a request, in one sentence."""

    detail: str


RESPONSES: dict[int | str, dict[str, Any]] = {
    404: {"model": Problem, "description": "The library has no such file."},
    422: {"model": Problem, "description": "Wrong input, told in one sentence."},
}
"""What every route may answer beside its own model."""


def add_handlers(app: FastAPI, library: Library) -> None:
    """Let every route answer wrong input, a file that is gone and a full disk in one sentence."""

    def answer(status: int, sentence: str) -> JSONResponse:
        told = library.by_name(sentence).encode("utf-8", "replace").decode()
        return JSONResponse({"detail": told}, status)

    @app.exception_handler(InputError)
    async def wrong_input(request: Request, error: InputError) -> JSONResponse:
        return answer(422, str(error))

    @app.exception_handler(NoFile)
    async def missing_file(request: Request, error: NoFile) -> JSONResponse:
        return answer(404, str(error))

    @app.exception_handler(404)
    async def nothing_there(request: Request, error: Exception) -> JSONResponse:
        return answer(404, f"nothing is at {shown(request.url.path)}: /api/v1/docs lists the calls of the API")

    @app.exception_handler(RequestValidationError)
    async def wrong_fields(request: Request, error: RequestValidationError) -> JSONResponse:
        return answer(422, validation_sentence(error.errors()))

    @app.exception_handler(OSError)
    async def no_file(request: Request, error: OSError) -> JSONResponse:
        if isinstance(error, FileNotFoundError):
            return answer(404, "the file is not there any more")
        where = f"cannot write {error.filename}" if error.filename else "the disk does not do what was asked"
        return answer(507, f"{where}: {error.strerror or error}")

    @app.exception_handler(MemoryError)
    async def no_memory(request: Request, error: MemoryError) -> JSONResponse:
        return answer(422, "the memory does not suffice for this")

    @app.exception_handler(RecursionError)
    async def too_deep(request: Request, error: RecursionError) -> JSONResponse:
        return answer(422, "the request is nested too deeply")

    @app.exception_handler(Cancelled)
    async def cancelled(request: Request, error: Cancelled) -> JSONResponse:
        return answer(422, str(error))


def validation_sentence(errors: Any) -> str:
    """Return the first thing that is wrong with a request: the field and what is allowed."""
    first = errors[0]
    place = ".".join(str(part) for part in first["loc"] if part not in ("body", "query", "path"))
    reason = str(first["msg"]).removeprefix("Value error, ").partition(" after validation")[0]
    if first["type"] == "value_error":
        return f"{place}: {reason}" if place else reason
    if first["type"] == "missing":
        return f"{place or 'the body'} must be given"
    return f"{place or 'the body'}: {reason[:1].lower()}{reason[1:]}, not {shown(first.get('input'))}"
