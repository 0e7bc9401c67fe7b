"""Descriptions of all agents: settings and source and, for whole players, training, memory and time."""

from __future__ import annotations

from typing import Any

from counterpoise.agents.base import AGENTS
from counterpoise.descriptions import describe


def describe_agents() -> list[dict[str, Any]]:
    """Return the description of every agent; `trained` is a text, `measured` a mapping of figures or None.

    `seats` is the number of seats of its strategy if no file is named; None if it sits at any table.

    >>> next(one for one in describe_agents() if one["name"] == "probe")["source"]
    'Johanson 2016, section 6.3'
    """
    found = []
    for name in AGENTS:
        kind = AGENTS[name]
        took = None if kind.measured is None else dict(vars(kind.measured))
        found.append(
            describe(name, kind) | {"trained": kind.training(), "measured": took, "seats": kind.default_seats()}
        )
    return found
