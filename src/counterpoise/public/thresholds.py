"""When something counts as never happening: each threshold once, with what it guards against."""

LEAST_REACH = 1e-30
"""Less own reach than this is nothing: what is divided by it would not be a number in the trees' float32."""
LEAST_MET = 1e-5
"""The share of a range that a hand must meet to have a conditional value: less is lost in the trees' float32."""
LEAST_ARRIVING = 1e-7
"""The share of a range at the root that must arrive at a node for play to get there: float32 keeps no less apart."""
LEAST_MATCHED = 1e-9
"""The share of a range that a hand must meet to come at all: less is rounding of float64 sums."""
