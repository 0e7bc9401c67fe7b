"""Search: solve a part of a game again while the whole stays safe (BROWN chapter 5).

`subgame` makes the part after a public history, `search_subgame` solves it. `with_part` puts what was found into a
strategy of the whole game, which ``cp.exploitability`` judges.
"""

from counterpoise.search.gadget import make_gadget
from counterpoise.search.search import SearchResult, search_subgame
from counterpoise.search.solver import SearchSolver
from counterpoise.search.subgame import Subgame, subgame, with_part

__all__ = [
    "SearchResult",
    "SearchSolver",
    "Subgame",
    "make_gadget",
    "search_subgame",
    "subgame",
    "with_part",
]
