"""Search: solve a part of a game again while the whole stays safe (BROWN chapter 5).

`subgame` makes the part after a public history, `search` solves it; both are here, and ``cp.search(...)`` is `search`.
`WholeGame` searches every part of a game and judges the result exactly; `play_nested` answers actions that a strategy
does not know; `depth_limited` (in hold'em `DepthLimitedHoldem`) stops at leaves with several values.
"""

import sys
from types import ModuleType
from typing import Any

from counterpoise.search.abstraction import ActionAbstraction
from counterpoise.search.continuations import bias_approach, self_generated
from counterpoise.search.depth_limited import depth_limited
from counterpoise.search.holdem_depth_limited import DepthLimitedHoldem, self_generated_leaves
from counterpoise.search.holdem_leaves import LeafMatrices, leaf_matrices
from counterpoise.search.leaves import LeafTable
from counterpoise.search.nested import NestedSearch, play_nested
from counterpoise.search.nested_holdem import answer, play_nested_holdem
from counterpoise.search.one_shot import play_one_shot
from counterpoise.search.rollouts import Rollouts
from counterpoise.search.search import SearchResult, search
from counterpoise.search.subgame import Subgame, subgame
from counterpoise.search.translation import translate, translated
from counterpoise.search.translation_holdem import play_translated_holdem
from counterpoise.search.whole import SearchPlan, WholeGame

__all__ = [
    "ActionAbstraction",
    "DepthLimitedHoldem",
    "LeafMatrices",
    "LeafTable",
    "NestedSearch",
    "Rollouts",
    "SearchPlan",
    "SearchResult",
    "Subgame",
    "WholeGame",
    "answer",
    "bias_approach",
    "depth_limited",
    "leaf_matrices",
    "play_nested",
    "play_nested_holdem",
    "play_one_shot",
    "play_translated_holdem",
    "search",
    "self_generated",
    "self_generated_leaves",
    "subgame",
    "translate",
    "translated",
]


class _Callable(ModuleType):
    """This package, which users also call: ``cp.search(subgame, "resolve", ...)``."""

    def __call__(self, *arguments: Any, **keywords: Any) -> SearchResult:
        return search(*arguments, **keywords)


sys.modules[__name__].__class__ = _Callable
