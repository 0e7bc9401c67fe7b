"""Which hands are treated alike: features, clustering and tables of buckets that any engine can look up.

`abstraction` builds a `CardAbstraction` from a name such as ``"IR-KE-KO"``; its `row` is the bucket of every hand.
`abstraction_size` and `fitting_buckets` say how large a game becomes with it.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.abstraction.build import abstraction as abstraction
    from counterpoise.abstraction.config import (
        AbstractionConfig as AbstractionConfig,
        parse_name as parse_name,
        read_config as read_config,
    )
    from counterpoise.abstraction.emd import emd as emd
    from counterpoise.abstraction.estimate import BuildEstimate as BuildEstimate, estimate_build as estimate_build
    from counterpoise.abstraction.explain import (
        compare as compare,
        look_up as look_up,
        plot_histograms as plot_histograms,
        strength_histograms as strength_histograms,
    )
    from counterpoise.abstraction.kmeans import Clustering as Clustering, KMeans as KMeans
    from counterpoise.abstraction.sizes import (
        AbstractionSize as AbstractionSize,
        BettingSize as BettingSize,
        abstraction_size as abstraction_size,
        betting_size as betting_size,
        fitting_buckets as fitting_buckets,
    )
    from counterpoise.abstraction.strength import HoldemCards as HoldemCards
    from counterpoise.abstraction.table import CardAbstraction as CardAbstraction

import_lazily(__name__)
