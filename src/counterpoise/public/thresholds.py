"""Thresholds below which something counts as zero, each with what it guards against."""

LEAST_REACH = 1e-30
"""Own reach below this counts as 0: dividing by it would overflow the trees' float32."""
LEAST_MET = 1e-5
"""The least share of a range that a hand must meet to have a conditional value: less is lost in the trees' float32."""
LEAST_ARRIVING = 1e-7
"""The least share of a range at the root that must arrive at a node for play to reach it: float32 resolves no less."""
LEAST_MATCHED = 1e-9
"""The least share of a range that a hand must meet to be dealt at all: less is rounding of float64 sums."""
