"""Search: solve a part of a game again while the whole stays safe (BROWN chapter 5).

`subgame` makes the part after a public history, `search` solves it; both are here, and ``cp.search(...)`` is `search`.
`with_part` puts what was found into a strategy of the whole game, which ``cp.exploitability`` judges. `WholeGame` (in
hold'em `WholeHoldem`) searches every part of a game and judges the result exactly; `play_nested` answers actions
that a strategy does not know; `depth_limited` (in hold'em `DepthLimitedHoldem`) stops at leaves with several values.
"""

import inspect
import sys
from functools import wraps
from types import ModuleType
from typing import Any

from counterpoise.search.abstraction import ActionAbstraction
from counterpoise.search.continuations import bias_approach, self_generated
from counterpoise.search.depth_limited import depth_limited
from counterpoise.search.depth_limited_holdem import DepthLimitedHoldem, self_generated_leaves
from counterpoise.search.leaves import LeafTable
from counterpoise.search.leaves_holdem import LeafMatrices, bias_approach_stores, leaf_matrices
from counterpoise.search.nested import NestedSearch, play_nested
from counterpoise.search.nested_holdem import answer, play_nested_holdem
from counterpoise.search.one_shot import play_one_shot
from counterpoise.search.rollouts import Rollouts
from counterpoise.search.search import SearchResult, search
from counterpoise.search.subgame import Subgame, subgame, with_part
from counterpoise.search.translation import translate, translated
from counterpoise.search.translation_holdem import play_translated_holdem
from counterpoise.search.whole import SearchPlan, WholeGame
from counterpoise.search.whole_holdem import WholeHoldem

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
    "WholeHoldem",
    "answer",
    "bias_approach",
    "bias_approach_stores",
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
    "with_part",
]


class _Callable(ModuleType):
    """This package, which users also call: ``cp.search(subgame, "resolve", ...)``."""

    @wraps(search)
    def __call__(self, *arguments: Any, **keywords: Any) -> SearchResult:
        return search(*arguments, **keywords)


__signature__ = inspect.signature(search)
sys.modules[__name__].__class__ = _Callable
