"""The same jobs on many machines: pieces of long work done by Ray's workers (the only package that imports Ray).

`connect("local:4")` starts workers on this machine, `connect(ADDRESS)` joins a cluster that runs already; what it
returns stands wherever a number of processes may stand. Results do not depend on how many workers there are, where they
are, or which of them die on the way.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.cluster.address import ClusterAddress as ClusterAddress, parse_address as parse_address
    from counterpoise.cluster.workers import Cluster as Cluster, connect as connect

__all__ = ["Cluster", "ClusterAddress", "connect", "parse_address"]

import_lazily(__name__)
