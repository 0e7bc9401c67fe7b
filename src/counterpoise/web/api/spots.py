"""Routes of spots: read and write them, estimate what they take, keep them in the library."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from counterpoise.errors import InputError
from counterpoise.spots import Spot, estimate, load_spot
from counterpoise.spots.read_toml import read_toml
from counterpoise.spots.write_toml import to_toml
from counterpoise.web.api.errors import RESPONSES
from counterpoise.web.api.models import EstimateView, SpotView
from counterpoise.web.api.unread import Unread
from counterpoise.web.jobs.requests import Positive
from counterpoise.web.library import LONGEST_NAME, Entry
from counterpoise.web.server import Server

Name = Annotated[str, Query(min_length=1, max_length=LONGEST_NAME, description="A name in the library.")]


class SpotText(BaseModel):
    """A spot as a file has it."""

    model_config = ConfigDict(extra="forbid")

    toml: Annotated[str, Field(max_length=2**20)]


class EstimateRequest(BaseModel):
    """A spot to be sized."""

    model_config = ConfigDict(extra="forbid")

    spot: Spot
    target: Positive = 0.5
    bits: Literal[16, 32] | None = None
    algorithm: Annotated[str, Field(max_length=200)] | None = None


class SavedSpot(BaseModel):
    """A spot to be kept."""

    model_config = ConfigDict(extra="forbid")

    spot: Spot
    name: Annotated[str, Field(min_length=1, max_length=100, description="A file name without ending.")]


def make_router(server: Server) -> APIRouter:
    """Return the routes."""
    router = APIRouter(prefix="/spots", tags=["spots"], responses=RESPONSES)

    @router.post("/read")
    def read(text: SpotText) -> SpotView:
        """Read the TOML text of a spot and check it."""
        try:
            fields = read_toml(text.toml)
        except (ValueError, RecursionError) as error:
            raise InputError(f"the text is not TOML: {str(error).splitlines()[0]}") from None
        return view_spot(Spot.from_dict(fields))

    @router.post("/check")
    def check(spot: Unread[Spot]) -> SpotView:
        """Check a spot and return it as a file has it."""
        return view_spot(spot.read())

    @router.post("/estimate")
    def size(body: Unread[EstimateRequest]) -> EstimateView:
        """Return what solving a spot will take; refused, with what to cut, if it does not fit into the memory."""
        request = body.read()
        found = estimate(
            request.spot,
            target=request.target,
            bits=request.bits,
            algorithm=request.algorithm,
            memory_mb=server.jobs.memory_mb,
        )
        return EstimateView(**{name: getattr(found, name) for name in EstimateView.model_fields})

    @router.get("/file")
    def load(name: Name) -> SpotView:
        """Return the spot of a file in the library: a spot file, a solution or a search."""
        return view_spot(read_spot(server, name))

    @router.post("/save", status_code=201)
    def save(body: Unread[SavedSpot]) -> Entry:
        """Keep a spot in the library; a name that is taken gets a number."""
        saved = body.read()
        return server.library.save_spot(saved.spot, saved.name)

    return router


def read_spot(server: Server, name: str) -> Spot:
    """Return the spot of a file in the library."""
    path = server.library.path(name)
    if path.suffix.lower() != ".cpz":
        return Spot.load(path)
    from counterpoise.store.cpz import read_header

    header = read_header(path, "spot", "search")
    return load_spot(path) if header["kind"] == "spot" else Spot.from_dict(header.get("spot", {}), path)


def view_spot(spot: Spot) -> SpotView:
    """Return a spot as the API shows it."""
    streets: tuple[Literal["flop", "turn", "river"], ...] = ("flop", "turn", "river")
    return SpotView(
        spot=spot.to_dict(),
        toml=to_toml(spot.to_dict()),
        street=streets[spot.first_round - 1],
        combos={"oop": spot.ranges[0].combos, "ip": spot.ranges[1].combos},
    )
