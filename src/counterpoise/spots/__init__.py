"""Hold'em spots as players use them: spot files, estimates, solving, and walking the solution node by node.

`Spot` is the situation, `solve_spot` returns a `Solution`, and `Solution.node` a decision or a deal. `search_spot`
solves a decision of a solution, or of an earlier search, again, safely, with other bets, and returns a `SpotSearch`.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.spots.card_report import CardReport as CardReport
    from counterpoise.spots.estimate import Estimate as Estimate, estimate as estimate
    from counterpoise.spots.exploit import exploit_spot as exploit_spot
    from counterpoise.spots.exploit_result import SpotExploit as SpotExploit
    from counterpoise.spots.files import load_spot as load_spot
    from counterpoise.spots.folder import solve_folder as solve_folder, spot_files as spot_files
    from counterpoise.spots.node import Deal as Deal, Decision as Decision
    from counterpoise.spots.search.files import load_search as load_search
    from counterpoise.spots.search.result import HandMargin as HandMargin, SpotSearch as SpotSearch
    from counterpoise.spots.search.run import load_searchable as load_searchable, search_spot as search_spot
    from counterpoise.spots.sizes.optimise import estimate_sizes as estimate_sizes, optimise_sizes as optimise_sizes
    from counterpoise.spots.sizes.result import (
        EvPoint as EvPoint,
        OptimisedSizes as OptimisedSizes,
        SimplifiedSizes as SimplifiedSizes,
        SizeSet as SizeSet,
    )
    from counterpoise.spots.sizes.simplify import simplify_sizes as simplify_sizes
    from counterpoise.spots.solution import Solution as Solution
    from counterpoise.spots.solve import load_solution as load_solution, solve_spot as solve_spot
    from counterpoise.spots.spot import Spot as Spot

import_lazily(__name__)
