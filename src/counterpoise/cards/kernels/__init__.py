"""Compiled code of `counterpoise.cards`."""

from counterpoise.kernels.cache import prepare_numba

prepare_numba()
