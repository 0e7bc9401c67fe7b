"""Sampling: tables over betting nodes and buckets, and walks that draw cards or actions.

`build_betting_tree` makes the `BettingTree` of a game of hold'em, and `TableLayout` is the order of tables with one
entry per node, bucket and action; `external`, `vectors`, `clusters` and `responder` walk it. `boards/` walks public
games on drawn boards, `leaf_values/` values the rest of a hand where a tree is cut.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.sampling.betting_tree import (
        MOST_NODES as MOST_NODES,
        BettingTree as BettingTree,
        build_betting_tree as build_betting_tree,
    )
    from counterpoise.sampling.tables import NodeStrategy as NodeStrategy, TableLayout as TableLayout

import_lazily(__name__)
