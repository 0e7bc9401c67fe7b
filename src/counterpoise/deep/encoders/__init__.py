"""Encodings of information sets for networks: one row of numbers each.

Games of cards and dice that are known here have encodings of their own; every other enumerated game is encoded from the
labels of its infosets (`labels`).
"""

from counterpoise.deep.encoders.enumerated import encode_infosets

__all__ = ["encode_infosets"]
