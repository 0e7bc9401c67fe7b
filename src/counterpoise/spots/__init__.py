"""Hold'em spots as players use them: spot files, estimates, solving, and walking the solution node by node.

`Spot` is the situation, `solve_spot` returns a `Solution`, and `Solution.node` a decision or a deal. `search_spot`
solves a decision of a solution, or of an earlier search, again, safely, with other bets, and returns a `SpotSearch`.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.spots.card_report import CardReport
    from counterpoise.spots.estimate import Estimate, estimate
    from counterpoise.spots.files import load_spot
    from counterpoise.spots.folder import solve_folder, spot_files
    from counterpoise.spots.node import Deal, Decision
    from counterpoise.spots.search import load_searchable, search_spot
    from counterpoise.spots.search_files import load_search
    from counterpoise.spots.search_result import HandMargin, SpotSearch
    from counterpoise.spots.solution import Solution
    from counterpoise.spots.solve import load_solution, solve_spot
    from counterpoise.spots.spot import Spot

__all__ = [
    "CardReport",
    "Deal",
    "Decision",
    "Estimate",
    "HandMargin",
    "Solution",
    "Spot",
    "SpotSearch",
    "estimate",
    "load_search",
    "load_searchable",
    "load_solution",
    "load_spot",
    "search_spot",
    "solve_folder",
    "solve_spot",
    "spot_files",
]

import_lazily(__name__)
