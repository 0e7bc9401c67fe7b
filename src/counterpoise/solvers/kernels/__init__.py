"""Compiled code of `counterpoise.solvers`."""
