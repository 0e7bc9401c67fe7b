"""Compiled code of `counterpoise.evaluation.best_response`."""

from counterpoise.kernels.cache import prepare_numba

prepare_numba()
