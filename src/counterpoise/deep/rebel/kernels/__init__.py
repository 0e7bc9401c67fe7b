"""Compiled code of `counterpoise.deep.rebel`, with the layouts it is compiled against."""

from counterpoise.kernels.cache import prepare_numba

prepare_numba()
