"""Compiled code of `counterpoise.abstraction`."""

from counterpoise.kernels.cache import prepare_numba

prepare_numba()
