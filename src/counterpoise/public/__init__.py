"""Games of private hands and public actions as one public tree of hand vectors.

`PublicGame` is the game (`build_holdem`, `build_dense`), `Profile` strategies or regrets for it, `Traverser` iterates
and judges them, `PublicNode` is the cursor. `LeafEvaluator` knows values in place of what follows a leaf. A
`BatchTraverser` iterates many belief states of a game in lock-step.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.public.batch import BatchLearning, BatchTraverser, BeliefBatch
    from counterpoise.public.buckets import Buckets, combine_by_player, gather, lossless
    from counterpoise.public.copy_profile import copy_profile
    from counterpoise.public.dense import DenseGame, build_dense
    from counterpoise.public.game import BoardImage, Lock, PublicGame, Rows
    from counterpoise.public.holdem import HandLock, HoldemGame, build_holdem
    from counterpoise.public.holdem_rules import HoldemRules, Start, TreeSize
    from counterpoise.public.leaves import LeafBatch, LeafEvaluator, LeafMatrix
    from counterpoise.public.mini_holdem import FlopHoldem, mini_holdem
    from counterpoise.public.node import BelowNode, NodeValues, PublicNode, StreetValues
    from counterpoise.public.profile import Learning, Profile
    from counterpoise.public.street_trees import Cut, Step
    from counterpoise.public.transfer import transfer
    from counterpoise.public.traverser import Answers, Traverser, UpdateSchedule
    from counterpoise.public.usage import action_counts

__all__ = [
    "Answers",
    "BatchLearning",
    "BatchTraverser",
    "BeliefBatch",
    "BelowNode",
    "BoardImage",
    "Buckets",
    "Cut",
    "DenseGame",
    "FlopHoldem",
    "HandLock",
    "HoldemGame",
    "HoldemRules",
    "LeafBatch",
    "LeafEvaluator",
    "LeafMatrix",
    "Learning",
    "Lock",
    "NodeValues",
    "Profile",
    "PublicGame",
    "PublicNode",
    "Rows",
    "Start",
    "Step",
    "StreetValues",
    "Traverser",
    "TreeSize",
    "UpdateSchedule",
    "action_counts",
    "build_dense",
    "build_holdem",
    "combine_by_player",
    "copy_profile",
    "gather",
    "lossless",
    "mini_holdem",
    "transfer",
]

import_lazily(__name__)
