"""Search: solve a part of a game again while the whole stays safe (BROWN chapter 5).

`subgame` makes the part after a public history, `search_subgame` solves it. `with_part` puts what was found into a
strategy of the whole game, which ``cp.exploitability`` judges. `SearchEverywhere` searches every part of a game and
judges the result exactly; `answer` and `play_nested` answer actions that a strategy does not know. All of this is for
small games and hold'em alike.
"""

from counterpoise.search.abstraction import ActionAbstraction, build_pair
from counterpoise.search.everywhere import SearchEverywhere, SearchPlan
from counterpoise.search.gadget import make_gadget
from counterpoise.search.nested import NestedSearch, NestedSearcher, answer, play_nested
from counterpoise.search.one_shot import play_one_shot
from counterpoise.search.range_agents import RangeAgent, tabulate_agent
from counterpoise.search.search import SearchResult, search_subgame
from counterpoise.search.solver import SearchSolver
from counterpoise.search.subgame import Subgame, subgame, with_part
from counterpoise.search.translation import play_translated, translate, translated

__all__ = [
    "ActionAbstraction",
    "NestedSearch",
    "NestedSearcher",
    "RangeAgent",
    "SearchEverywhere",
    "SearchPlan",
    "SearchResult",
    "SearchSolver",
    "Subgame",
    "answer",
    "build_pair",
    "make_gadget",
    "play_nested",
    "play_one_shot",
    "play_translated",
    "search_subgame",
    "subgame",
    "tabulate_agent",
    "translate",
    "translated",
    "with_part",
]
