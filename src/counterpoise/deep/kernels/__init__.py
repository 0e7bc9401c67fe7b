"""Compiled code of `counterpoise.deep`."""

from counterpoise.kernels.cache import prepare_numba

prepare_numba()
