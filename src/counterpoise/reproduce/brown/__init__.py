"""Experiments of BROWN: variants of CFR, warm starts, pruning, first-order methods, fictitious play and search."""
