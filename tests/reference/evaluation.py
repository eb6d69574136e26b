"""The bootstrap passes of cpp/include/novum/evaluation/resampling.h, slowly and obviously."""

import numpy as np

from novum import _core


def drawn_rows(seed, purpose, resample, n):
    """Return the rows of a resample, word by word."""
    rows, block = [], 0
    while len(rows) < n:
        counter = [block & 0xFFFFFFFF, block >> 32, resample, purpose]
        for word in _core.runtime.random.philox(counter, seed):
            scaled = word * n
            if scaled % (1 << 32) >= (1 << 32) % n and len(rows) < n:
                rows.append(scaled >> 32)
        block += 1
    return np.array(rows)
