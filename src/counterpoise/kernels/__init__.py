"""What all compiled code shares: options of Numba, the cache of compiled kernels, random numbers."""
