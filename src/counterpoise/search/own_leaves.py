"""Leaf evaluators that users name in a string, as in ``modicum(leaves=mine)``: registered by files of their own."""

from __future__ import annotations

from typing import Any, Protocol

from counterpoise.names import Catalogue
from counterpoise.public import LeafEvaluator
from counterpoise.search.public_belief import PublicBelief


class LeafValues(Protocol):
    """What an agent gets leaf values from: a dataclass, whose fields users may set in brackets."""

    def at(self, belief: PublicBelief, seat: int) -> LeafEvaluator | None:
        """Return what leaves at the end of the round are worth in a search by `seat` that begins at a belief.

        None leaves the search to the agent's own values.
        """


LEAF_EVALUATORS: Catalogue[Any] = Catalogue("leaf evaluator", group="counterpoise.leaf_evaluators")


def leaf_evaluator(name: str) -> Any:
    """Register a dataclass with the method `at` of `LeafValues` under the name that users give to agents."""
    return LEAF_EVALUATORS.register(name)
