"""Search: solve a part of a game again while the whole stays safe (Brown 2020, chapter 5).

`subgame` makes the part after a public history, `search_subgame` solves it. `with_part` puts what was found into a
strategy of the whole game, which ``cp.exploitability`` judges; `write_part` does the same for profiles of any public
game. `SearchEverywhere` searches every part of a game and judges the result exactly; `answer` and `play_nested` answer
actions that a strategy does not know; `depth_limited` stops at leaves whose values a leaf evaluator knows, such as a
`LeafTable`. All of this is for small games and hold'em alike.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.search.abstraction import ActionAbstraction, build_pair
    from counterpoise.search.continuations import bias_approach, self_generated
    from counterpoise.search.depth_limited import depth_limited
    from counterpoise.search.everywhere import SearchEverywhere, SearchPlan
    from counterpoise.search.gadget import make_gadget
    from counterpoise.search.leaves import LeafTable, SimilarLeaves, penalised, weakened
    from counterpoise.search.limited_rules import HistoryTable, LimitedRules
    from counterpoise.search.nested import NestedSearcher, play_nested
    from counterpoise.search.nested_problem import answer
    from counterpoise.search.nested_settings import NestedSearch
    from counterpoise.search.one_shot import play_one_shot
    from counterpoise.search.own_leaves import LEAF_EVALUATORS, LeafValues, leaf_evaluator
    from counterpoise.search.range_agents import RangeAgent, tabulate_agent
    from counterpoise.search.rollouts import Rollouts
    from counterpoise.search.search import SearchResult, search_subgame
    from counterpoise.search.solved_leaves import SolvedLeaves
    from counterpoise.search.solver import SearchSolver
    from counterpoise.search.subgame import Subgame, subgame
    from counterpoise.search.subgame_strategies import with_part, write_part
    from counterpoise.search.translation import play_translated, translated

__all__ = [
    "LEAF_EVALUATORS",
    "ActionAbstraction",
    "HistoryTable",
    "LeafTable",
    "LeafValues",
    "LimitedRules",
    "NestedSearch",
    "NestedSearcher",
    "RangeAgent",
    "Rollouts",
    "SearchEverywhere",
    "SearchPlan",
    "SearchResult",
    "SearchSolver",
    "SimilarLeaves",
    "SolvedLeaves",
    "Subgame",
    "answer",
    "bias_approach",
    "build_pair",
    "depth_limited",
    "leaf_evaluator",
    "make_gadget",
    "penalised",
    "play_nested",
    "play_one_shot",
    "play_translated",
    "search_subgame",
    "self_generated",
    "subgame",
    "tabulate_agent",
    "translated",
    "weakened",
    "with_part",
    "write_part",
]

import_lazily(__name__)
