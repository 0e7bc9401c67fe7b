"""Any finite game as flat arrays, and what can be computed exactly from them.

`enumerate_game` makes the `Tree`; `evaluate` returns best responses and exploitability, `exact` the LP solution.
Nothing here knows poker, and nothing here iterates towards an equilibrium.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.tree.by_infoset import ByInfoset as ByInfoset, Regrets as Regrets
    from counterpoise.tree.describe import GameDescription as GameDescription, describe_game as describe_game
    from counterpoise.tree.enumerate import enumerate_game as enumerate_game, estimate_nodes as estimate_nodes
    from counterpoise.tree.evaluation import (
        Response as Response,
        Values as Values,
        best_response as best_response,
        evaluate as evaluate,
        expected_value as expected_value,
        exploitability as exploitability,
        nash_conv as nash_conv,
    )
    from counterpoise.tree.kernels.layouts import Histories as Histories, SequenceForm as SequenceForm
    from counterpoise.tree.lp import LpSolution as LpSolution, exact as exact, solve_lp as solve_lp
    from counterpoise.tree.strategy import (
        Strategy as Strategy,
        game_digest as game_digest,
        load_strategy as load_strategy,
        strategy_arrays as strategy_arrays,
        strategy_from as strategy_from,
    )
    from counterpoise.tree.tree import InfosetTable as InfosetTable, Tree as Tree

import_lazily(__name__)
