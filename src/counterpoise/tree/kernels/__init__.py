"""Compiled code of `counterpoise.tree`."""
