"""Experiments of Brown 2020: variants of CFR, warm starts, pruning, first-order methods, fictitious play and search."""
