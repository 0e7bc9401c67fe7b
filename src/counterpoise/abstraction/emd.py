"""Earth mover's distance between histograms on [0, 1], in one dimension (Johanson 2016, section 5.3.1).

It is the area between the two cumulative histograms: the bins' width times the sum of |CDF_p - CDF_q|. So cumulative
histograms times the width of a bin, compared by the sum of absolute differences, are all that clustering needs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def cumulative(counts: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return cumulative histograms times the width of a bin; sums of absolute differences of rows are their EMD.

    The last bin is left out: all rows end at 1.
    """
    exact = counts.astype(np.float64)
    shares = np.cumsum(exact, axis=-1)[..., :-1] / exact.sum(axis=-1, keepdims=True)
    return np.asarray(shares / counts.shape[-1], dtype=np.float32)


def emd(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Return the earth mover's distance of histograms along the last axis, in units of the whole interval.

    >>> float(emd([1, 0, 0, 0], [0, 0, 2, 2]))
    0.625
    """
    p, q = (np.asarray(counts, dtype=np.float64) for counts in (first, second))
    p, q = p / p.sum(axis=-1, keepdims=True), q / q.sum(axis=-1, keepdims=True)
    return np.asarray(np.abs(np.cumsum(p, axis=-1) - np.cumsum(q, axis=-1)).sum(axis=-1) / p.shape[-1])
