"""Keywords of functions that solve a node of a spot again, explained once."""

from typing import Annotated

from counterpoise.search.gadget import MethodName
from counterpoise.search.gifts import GiftKind
from counterpoise.spots.keywords import SpotKeywords


class SearchKeywords(SpotKeywords, total=False):
    """How a node is solved again: by which method, when that ends, who looks on, and where the result is kept."""

    method: Annotated[MethodName | None, "resolve, maxmargin, distributional or unsafe; by default resolve"]
    spread: Annotated[
        float | None, "how much more a hand may typically win with distributional, in per cent of the pot"
    ]
    gifts: Annotated[
        GiftKind | None,
        "none, or lower or exact: each hand may win back what it has given up by its own decisions on the path to the "
        "node (see `counterpoise.search.gifts`)",
    ]
    gift_scale: Annotated[float | None, "the factor on gifts; by default 1"]
