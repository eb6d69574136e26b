"""Sequences of a tensor: bundles of whole sequences that stay on its device, large enough to keep it busy."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.sequence.hmm.bundles import Bundle, offsets_of
from novum.sequence.hmm.sequences import MemorySequences

__all__ = ["TensorSequences"]

BUNDLE_VALUES = 2**26  # of log-densities of a bundle: 512 MB
START_ROWS = 100_000  # from which a fit starts


class TensorSequences(MemorySequences):
    """Sequences on a device."""

    def __init__(self, X: Any, lengths: NDArray, weight: NDArray | None, k: int, order: NDArray | None = None) -> None:
        offsets, rows = offsets_of(lengths), max(1, BUNDLE_VALUES // k)
        bundles, first = [], 0
        while first < len(lengths):
            last = max(first + 1, int(np.searchsorted(offsets, offsets[first] + rows, side="right")) - 1)
            low, high = int(offsets[first]), int(offsets[last])
            share = None if weight is None else np.ascontiguousarray(weight[first:last])
            bundles.append(Bundle(X[low:high], offsets[first : last + 1] - low, share, None, low, {}))
            first = last
        super().__init__(bundles, 1, order)

    def first(self) -> Bundle:
        """Return the first sequences: enough rows to start from."""
        whole = self.bundles[0]
        count = max(1, int(np.searchsorted(whole.offsets, START_ROWS, side="right")) - 1)
        if count >= len(whole.offsets) - 1:
            return whole
        weight = None if whole.weight is None else whole.weight[:count]
        return Bundle(whole.X[: int(whole.offsets[count])], whole.offsets[: count + 1], weight, None, 0, {})
