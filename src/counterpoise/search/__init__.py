"""Search: solve a part of a game again while the whole stays safe."""

from counterpoise.search.abstraction import ActionAbstraction
from counterpoise.search.continuations import bias_approach, self_generated
from counterpoise.search.depth_limited import depth_limited
from counterpoise.search.leaves import LeafTable
from counterpoise.search.nested import NestedSearch, play_nested
from counterpoise.search.one_shot import play_one_shot
from counterpoise.search.rollouts import Rollouts
from counterpoise.search.search import SearchResult, search
from counterpoise.search.subgame import Subgame, subgame
from counterpoise.search.translation import translate, translated
from counterpoise.search.whole import SearchPlan, WholeGame

__all__ = [
    "ActionAbstraction",
    "LeafTable",
    "NestedSearch",
    "Rollouts",
    "SearchPlan",
    "SearchResult",
    "Subgame",
    "WholeGame",
    "bias_approach",
    "depth_limited",
    "play_nested",
    "play_one_shot",
    "search",
    "self_generated",
    "subgame",
    "translate",
    "translated",
]
