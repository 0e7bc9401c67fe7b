"""CFR+ on games of limit hold'em past the memory of one machine, as Cepheus did it (Johanson 2016, chapter 9).

1. `partition`: the game falls into a trunk before its first deal, which stays in memory, and parts: some flops each
   with everything that may follow on them.
2. `regrets`: the regrets of a part as whole numbers in compressed blocks, in memory or in files.
3. `parts`: one part, one seat, one iteration is a job: reach of the opponent in, values out, regrets replaced. It can
   be repeated without harm, by any process on any machine.
4. `solver`: the head asks for all parts, adds their values in a fixed order and updates the trunk, so that bytes do not
   depend on which worker does which part.
5. `strategy`: the strategy of a seat by the regrets in a folder, for agents that play it.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.solvers.out_of_core.estimate import (
        OutOfCoreEstimate as OutOfCoreEstimate,
        estimate_out_of_core as estimate_out_of_core,
    )
    from counterpoise.solvers.out_of_core.partition import Partition as Partition
    from counterpoise.solvers.out_of_core.run import (
        OutOfCoreRun as OutOfCoreRun,
        solve_out_of_core as solve_out_of_core,
    )
    from counterpoise.solvers.out_of_core.strategy import FolderStrategy as FolderStrategy

__all__ = [
    "FolderStrategy",
    "OutOfCoreEstimate",
    "OutOfCoreRun",
    "Partition",
    "estimate_out_of_core",
    "solve_out_of_core",
]

import_lazily(__name__)
