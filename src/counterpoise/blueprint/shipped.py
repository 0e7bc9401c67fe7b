"""The blueprint that comes with the package: heads-up no-limit hold'em with 52 cards and 200 big blinds.

It is read when it is first asked for, once per process. `COMMANDS` made it; they are also in the file's header, and
`docs/blueprints.md` explains them.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

from counterpoise.blueprint.blueprint import Blueprint
from counterpoise.blueprint.files import KIND, load_blueprint
from counterpoise.store.cpz import read_header
from counterpoise.store.headers import BlueprintHeader

SHIPPED = Path(__file__).parent / "data" / "no_limit_holdem.cpz"
"""Its file."""
GAME = (
    "no_limit_holdem(sizes=[['100%', allin], ['50%', '100%', allin], ['50%', '100%', allin], ['50%', '100%', allin]])"
)
COMMANDS = (
    "counterpoise abstraction IR-PHS-PHS --buckets 169,50x3,50x3,150 --out cards.cpz",
    f'counterpoise train "{GAME}" --abstraction cards.cpz -n 31005000 --seed 0 --out hunl.cpz',
    "python -m counterpoise.blueprint.shipped hunl.cpz no_limit_holdem.cpz",
)
"""The commands that made it: the cards, 18 CPU minutes of training, and the smaller file."""
LEVELS = 31
"""Its probabilities are multiples of 1 / 31."""


@cache
def shipped_blueprint() -> Blueprint:
    """Return the blueprint of the package; all callers share one."""
    return load_blueprint(SHIPPED)


@cache
def shipped_header() -> BlueprintHeader:
    """Return the header of the file, without tables: game, abstraction and how it was made."""
    return BlueprintHeader.read(read_header(SHIPPED, KIND), SHIPPED)


def shipped_training() -> str:
    """Return how the blueprint of the package was trained, in words."""
    made = shipped_header().made
    settings = made["settings"]
    return f"{made['iterations']:,} hands of {settings['method']} sampling, seed {settings['seed']}"


def pack(trained: str, out: str) -> None:
    """Write a trained blueprint as the package keeps it: few levels, compressed hard, with its commands."""
    found = load_blueprint(trained).packed(LEVELS)
    found.made["commands"] = list(COMMANDS)
    found.save(out, level=9)


if __name__ == "__main__":
    pack(*sys.argv[1:])
