"""Compiled code of `counterpoise.solvers.out_of_core`."""

from counterpoise.kernels.cache import prepare_numba

prepare_numba()
