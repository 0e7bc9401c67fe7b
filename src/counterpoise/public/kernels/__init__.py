"""Compiled code of `counterpoise.public`, with the layouts it is compiled against."""
