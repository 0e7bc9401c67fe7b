"""A list of texts as two arrays: the UTF-8 bytes of all of them, and where each one begins.

NumPy's own text arrays give every entry the width of the longest and drop NUL characters at the end.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray


def pack_texts(texts: Iterable[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the bytes of all texts and the offsets between which each of them lies (one offset more than texts)."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(data) for data in encoded], out=offsets[1:])
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets


def unpack_texts(content: NDArray[Any], offsets: NDArray[Any]) -> list[str]:
    """Return the texts that `pack_texts` has packed; raise ValueError if the arrays are not what it makes.

    >>> unpack_texts(*pack_texts(["a", "", "béb"]))
    ['a', '', 'béb']
    """
    if (
        content.ndim != 1
        or content.dtype != np.uint8
        or offsets.ndim != 1
        or offsets.dtype != np.int64
        or len(offsets) == 0
        or offsets[0] != 0
        or offsets[-1] != len(content)
        or (offsets[1:] < offsets[:-1]).any()
    ):
        raise ValueError("the offsets do not divide the bytes")
    data, bounds = content.tobytes(), offsets.tolist()
    return [data[begin:end].decode("utf-8", "surrogatepass") for begin, end in pairwise(bounds)]
