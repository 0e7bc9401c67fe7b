"""Pruning and thresholding: less work per iteration."""
