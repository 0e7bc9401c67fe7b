"""Routes of the library: list and search, upload and download, rename, tag, delete."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field

from counterpoise.web.api.errors import RESPONSES
from counterpoise.web.library import LONGEST_NAME, Entry
from counterpoise.web.security import MOST_UPLOAD
from counterpoise.web.server import Server

Name = Annotated[str, Query(min_length=1, max_length=LONGEST_NAME, description="A name in the library.")]
Words = Annotated[str, Query(max_length=200)]


class Listing(BaseModel):
    """Files of the library, the newest first."""

    entries: list[Entry]
    size_bytes: int
    """What the whole library takes on the disk."""


class NewName(BaseModel):
    """Another name for a file."""

    name: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
    new: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]


class Tags(BaseModel):
    """The tags of a file."""

    name: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
    tags: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=100)]


class Deletion(BaseModel):
    """What confirms a deletion."""

    name: str
    token: str


class Deleted(BaseModel):
    """What was deleted."""

    deleted: str


def make_router(server: Server) -> APIRouter:
    """Return the routes."""
    router, library = APIRouter(tags=["library"], responses=RESPONSES), server.library

    @router.get("/library")
    def entries(text: Words = "", kind: Words = "", tag: Words = "") -> Listing:
        """List the files that have all words of a text in their name, title, tags or details."""
        return Listing(entries=library.entries(text, kind, tag), size_bytes=library.size_bytes())

    @router.get("/library/entry")
    def entry(name: Name) -> Entry:
        """Return what is known of one file."""
        return library.entry(name)

    @router.get("/library/file", response_class=FileResponse)
    def download(name: Name) -> FileResponse:
        """Return a file as it is."""
        path = library.path(name)
        return FileResponse(path, media_type="application/octet-stream", filename=path.name)

    @router.post(
        "/uploads",
        status_code=201,
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
            }
        },
    )
    async def upload(request: Request, name: Name) -> Entry:
        """Keep a file (.cpz, .toml, .json or .efg) whose bytes are the body; it is checked before it is kept."""
        with library.uploading(name, MOST_UPLOAD) as arriving:
            async for piece in request.stream():
                arriving.write(piece)
            return await run_in_threadpool(arriving.finish)

    @router.post("/library/rename")
    def rename(change: NewName) -> Entry:
        """Give a file another name."""
        return library.rename(change.name, change.new)

    @router.post("/library/copy", status_code=201)
    def copy(change: NewName) -> Entry:
        """Keep a copy of a file under another name, such as a job's result among the solutions."""
        return library.copy(change.name, change.new)

    @router.put("/library/tags")
    def tag(change: Tags) -> Entry:
        """Give a file these tags and no others."""
        return library.tag(change.name, change.tags)

    @router.get("/library/deletion")
    def deletion(name: Name) -> Deletion:
        """Return the token that confirms the deletion of a file as it is now."""
        return Deletion(name=name, token=library.deletion_token(name))

    @router.delete("/library/file")
    def delete(name: Name, token: Annotated[str, Query(max_length=100)]) -> Deleted:
        """Delete a file for good; `token` is what /library/deletion returned."""
        library.delete(name, token)
        return Deleted(deleted=name)

    return router
