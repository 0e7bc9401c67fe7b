"""Warm starting from a given strategy, and CFR without regrets."""
