"""Compiled code of `counterpoise.solvers`."""

from counterpoise.kernels.cache import prepare_numba

prepare_numba()
