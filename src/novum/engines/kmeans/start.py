"""From the parameter `init` of k-means to the centers at which a run starts."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from novum.engines.kmeans import device_seeding, seeding
from novum.exceptions import DataError, ParameterError
from novum.fold.blocks import Source
from novum.runtime import arrays
from novum.runtime.random import Stream

__all__ = ["checked_centers", "start_centers"]


def checked_centers(centers: Any, k: int, source: Source, owner: str) -> NDArray:
    """Return given centers as float64 rows in the precision of the data, one per cluster."""
    given: Any = centers.toarray() if arrays.is_sparse(centers) else arrays.to_numpy(centers)
    given = check_array(given, dtype=source.dtype, input_name="init", estimator=owner).astype(np.float64)
    if given.shape[0] != k:
        raise ParameterError(
            f"The shape of the initial centers {given.shape} does not match the number of clusters {k}."
            f" Give {owner}(init=...) one row per cluster."
        )
    if given.shape[1] != source.n_features:
        raise ParameterError(
            f"The shape of the initial centers {given.shape} does not match the number of features of the data"
            f" {source.n_features}. Give {owner}(init=...) one column per feature."
        )
    return given


def start_centers(init: Any, k: int, source: Source, stream: Stream, run: int, owner: str) -> NDArray:
    """Return the centers at which run number `run` starts; `init` names a method, makes centers or is their array."""
    if isinstance(init, np.ndarray):
        return init
    if callable(init):
        return initial_centers(init, k, source, stream, run, owner)
    if source.on_device:
        draw = device_seeding.random_rows if init == "random" else device_seeding.plus_plus
        seeds = draw(source, k, stream, run)
    elif init == "random":
        seeds = seeding.random_rows(source, k, stream, run)
    else:
        seeds = seeding.plus_plus(seeding.rows_at_hand(source, k, stream, run), k, stream, run)
    if len(seeds.centers) < k:
        raise DataError(
            f"{owner}(n_clusters={k}): only {len(seeds.centers)} rows have a positive weight. Give more of them, or fewer"
            " clusters."
        )
    return seeds.centers


def initial_centers(init: Any, k: int, source: Source, stream: Stream, run: int, owner: str) -> NDArray:
    """Return what a callable makes of the data, which must be one array."""
    if not source.at_hand:
        raise ParameterError(
            f"{owner}(init={init!r}): a callable needs X as one array, which data in a {source.home} are not. Give the"
            " centers, or 'k-means++' or 'random'."
        )
    X, seed = source.array(), int(stream.integers("kmeans callable", run, 1, 2**31)[0])
    return checked_centers(init(X, k, random_state=np.random.RandomState(seed)), k, source, owner)
