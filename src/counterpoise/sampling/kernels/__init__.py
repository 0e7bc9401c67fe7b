"""Compiled code of `counterpoise.sampling`, with the layouts it is compiled against."""

from counterpoise.kernels.cache import prepare_numba

prepare_numba()
