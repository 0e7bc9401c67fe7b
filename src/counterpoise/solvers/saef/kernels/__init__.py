"""Compiled code of `counterpoise.solvers.saef`."""

from counterpoise.kernels.cache import prepare_numba

prepare_numba()
