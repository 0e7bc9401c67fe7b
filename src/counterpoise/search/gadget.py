"""The gadget of a search method: how the opponent gets into a subgame, whatever it has done before.

See Brown 2020, section 5.1.

What each kind of gadget does is in `counterpoise.public.kernels.gadget`; here its numbers are checked and put in place.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from counterpoise.errors import InputError
from counterpoise.parameters import as_numbers, require_choice
from counterpoise.public.gadget import HEDGE, MARGIN, RESOLVE, STEP, Gadget, build_gadget
from counterpoise.search.subgame import FloatArray, Subgame

MethodName = Literal["resolve", "maxmargin", "distributional", "unsafe"]
SpreadRule = Literal["step", "hedge"]
KINDS = {"resolve": RESOLVE, "maxmargin": MARGIN}
RULES = {"step": STEP, "hedge": HEDGE}


def make_gadget(
    subgame: Subgame,
    method: str,
    alternative: NDArray[Any] | None,
    spread: NDArray[Any] | float = 0.0,
    rule: str = "hedge",
) -> Gadget | None:
    """Return the gadget of a method, checked; None for unsafe search, which has none.

    `alternative` and `spread` have one number per hand of the opponent; hands that meet nothing stay out.
    """
    require_choice("method", method, get_args(MethodName))
    given = as_numbers("spread", spread)
    if method != "distributional" and given.any():
        raise InputError(f"spread ({given[given != 0].flat[0]:g}) is for the method distributional, not for {method}")
    if method == "unsafe":
        return None
    require_choice("rule", rule, get_args(SpreadRule))
    if alternative is None:
        raise InputError(f"{method} needs an alternative per hand of the opponent")
    mass = subgame.mass
    values = subgame.per_hand("alternative", alternative)
    spreads = subgame.per_hand("spread", given if given.ndim else np.full(len(mass), given))
    wrong = np.flatnonzero(spreads < 0)
    if len(wrong):
        raise InputError(f"the spread of hand {wrong[0]} must be at least 0, not {spreads[wrong[0]]:g}")
    return build_gadget(
        subgame.game,
        RULES[rule] if method == "distributional" else KINDS[method],
        subgame.opponent,
        alternative=values,
        spread=spreads,
        mass=mass,
        entry=1.0 / max(int((mass > 0).sum()), 1) if method == "maxmargin" else 0.5,
    )


def average_entry(subgame: Subgame, gadget: Gadget) -> FloatArray:
    """Return how often each hand of the opponent has entered, on average; 0 before the first iteration."""
    total = subgame.game.from_rows(subgame.opponent, gadget.average, subgame.game.root.located)
    return total / (float(gadget.average_weight[0]) or 1.0)
