"""Compiled code of `counterpoise.play`."""

from counterpoise.kernels.cache import prepare_numba

prepare_numba()
