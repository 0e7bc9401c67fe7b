"""The blueprint that comes with the package: heads-up no-limit hold'em with 52 cards and 200 big blinds.

It is read when it is first asked for, once per process. `docs/blueprints.md` has the commands that made it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from counterpoise.blueprint.blueprint import Blueprint
from counterpoise.blueprint.files import KIND, load_blueprint
from counterpoise.store.cpz import read_header
from counterpoise.store.headers import BlueprintHeader

SHIPPED = Path(__file__).parent / "data" / "no_limit_holdem.cpz"
"""Its file."""


@cache
def shipped_blueprint() -> Blueprint:
    """Return the blueprint of the package; everybody who asks gets the same one."""
    return load_blueprint(SHIPPED)


@cache
def shipped_header() -> BlueprintHeader:
    """Return what the file says about itself, without its tables: game, abstraction and how it was made."""
    return BlueprintHeader.read(read_header(SHIPPED, KIND), SHIPPED)
