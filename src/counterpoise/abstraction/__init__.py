"""Which hands are treated alike: features, clustering and tables of buckets that any engine can look up.

`abstraction` builds a `CardAbstraction` from a name such as ``"IR-KE-KO"``; its `row` is the bucket of every hand.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.abstraction.build import abstraction
    from counterpoise.abstraction.config import AbstractionConfig, parse_name, read_config
    from counterpoise.abstraction.emd import emd
    from counterpoise.abstraction.estimate import BuildEstimate, estimate_build
    from counterpoise.abstraction.explain import compare, look_up, plot_histograms, strength_histograms
    from counterpoise.abstraction.kmeans import Clustering, KMeans
    from counterpoise.abstraction.strength import HoldemCards
    from counterpoise.abstraction.table import CardAbstraction

__all__ = [
    "AbstractionConfig",
    "BuildEstimate",
    "CardAbstraction",
    "Clustering",
    "HoldemCards",
    "KMeans",
    "abstraction",
    "compare",
    "emd",
    "estimate_build",
    "look_up",
    "parse_name",
    "plot_histograms",
    "read_config",
    "strength_histograms",
]

import_lazily(__name__)
