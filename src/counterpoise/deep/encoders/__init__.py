"""What networks read of an information set: one row of numbers each.

Games of cards and dice that are known here have encodings of their own; every other enumerated game is encoded from the
labels of its infosets (`labels`).
"""

from counterpoise.deep.encoders.enumerated import encode_infosets

__all__ = ["encode_infosets"]
