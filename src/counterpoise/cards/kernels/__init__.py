"""Compiled code of `counterpoise.cards`."""
