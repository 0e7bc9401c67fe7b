"""Networks for the values of the ends of the flop's betting (Brown et al. 2018, section 6).

The modules have their features, examples by roll-outs, training, files, and their use as a leaf evaluator.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.deep.leaves.evaluator import NetworkLeaves
    from counterpoise.deep.leaves.examples import LeafExamples, make_examples
    from counterpoise.deep.leaves.features import FEATURES, FlopCards, betting_features
    from counterpoise.deep.leaves.files import LeafNetworks, load_leaf_networks
    from counterpoise.deep.leaves.training import LeafTraining, train_leaf_networks

__all__ = [
    "FEATURES",
    "FlopCards",
    "LeafExamples",
    "LeafNetworks",
    "LeafTraining",
    "NetworkLeaves",
    "betting_features",
    "load_leaf_networks",
    "make_examples",
    "train_leaf_networks",
]

import_lazily(__name__)
