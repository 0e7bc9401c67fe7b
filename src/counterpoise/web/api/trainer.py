"""Routes of the trainer: a question, an answer, statistics."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from counterpoise.web.api.errors import RESPONSES
from counterpoise.web.library import LONGEST_NAME
from counterpoise.web.server import Server
from counterpoise.web.trainer import Drill, Question, Statistics, Verdict


class GivenAnswer(BaseModel):
    """What is answered to a question."""

    model_config = ConfigDict(extra="forbid")

    drill: Drill
    action: Annotated[str, Field(max_length=40)]


def make_router(server: Server) -> APIRouter:
    """Return the routes."""
    router, trainer = APIRouter(prefix="/trainer", tags=["trainer"], responses=RESPONSES), server.trainer

    @router.post("/question")
    def ask(drill: Drill) -> Question:
        """Return the question of a number, dealt from a saved solution; the same number, the same question."""
        return trainer.ask(drill)

    @router.post("/answer")
    def answer(given: GivenAnswer) -> Verdict:
        """Return what an answer loses against the best action, and remember it."""
        return trainer.judge(given.drill, given.action)

    @router.get("/statistics")
    def statistics(solution: Annotated[str, Query(max_length=LONGEST_NAME)] = "") -> Statistics:
        """Return how the answers were, of one solution or of all."""
        return trainer.statistics(solution)

    return router
