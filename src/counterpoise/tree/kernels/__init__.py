"""Compiled code of `counterpoise.tree`."""

from counterpoise.kernels.cache import prepare_numba

prepare_numba()
