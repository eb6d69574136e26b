"""Centers of k-means as other learners start from them, wherever the rows live: one run with the defaults of KMeans.

Rows that are one block in memory have a shorter way to the same numbers (`small`).
"""

import numpy as np
from numpy.typing import NDArray

from novum.engines.kmeans import device_seeding
from novum.engines.kmeans.assignment import in_blocks
from novum.engines.kmeans.lloyd import lloyd
from novum.engines.kmeans.seeding import plus_plus, rows_at_hand
from novum.engines.kmeans.small import MAX_ITER, TOL
from novum.engines.kmeans.variance import mean_variance
from novum.exceptions import DataError
from novum.fold.blocks import Source
from novum.runtime.random import Stream, seed_of

__all__ = ["centers_of", "enough", "seeded_rows"]


def seeded_rows(source: Source, k: int, stream: Stream, run: int, owner: str) -> NDArray:
    """Return k rows by k-means++; raise where fewer have weight: `owner` starts a component at each."""
    rows = in_blocks(source)
    if rows.on_device:
        return enough(device_seeding.plus_plus(rows, k, stream, run).centers, k, owner)
    seeds = plus_plus(rows_at_hand(rows, k, stream, run), k, stream, run)
    return enough(seeds.centers, k, owner)


def enough(rows: NDArray, k: int, owner: str) -> NDArray:
    """Return rows to start at if there are k of them, else raise."""
    if len(rows) < k:
        raise DataError(
            f"{owner}(n_components={k}): only {len(rows)} rows have a positive weight. Give more of them, or fewer"
            " components."
        )
    return rows


def centers_of(source: Source, k: int, seed: int, owner: str) -> NDArray:
    """Return the centers of one run of k-means++ and Lloyd's iterations, float64 in the precision of the data."""
    blocks = in_blocks(source)
    tol = TOL * mean_variance(blocks)
    start = seeded_rows(blocks, k, Stream(seed_of(seed)), 0, owner)
    found = lloyd(blocks, start, run=0, tol=tol, max_iter=MAX_ITER)
    return np.ascontiguousarray(found.params.centers.astype(source.dtype), np.float64)
