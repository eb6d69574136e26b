"""Samples on which k-means finds the wrong clusters, each for one reason."""

from typing import Any

import numpy as np

from novum.datasets.bunch import bunch_of_arrays
from novum.runtime.checks import check_choice, check_count
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Seed

__all__ = ["make_kmeans_failures"]

KINDS = ("stretched", "unequal_spread", "unequal_size", "outliers", "scales")


def make_kmeans_failures(
    kind: str = "stretched",
    n_samples: int = 300,
    *,
    random_state: Seed = None,
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:
    """Return two clusters that the sum of squared distances does not describe.

    Parameters
    ----------
    kind : {"stretched", "unequal_spread", "unequal_size", "outliers", "scales"}, default="stretched"
        Long parallel clusters; one wide and one narrow; nine tenths in a wide one; a few rows very far away, which take a
        center of their own; a column in other units that drowns the one that separates the clusters.
    n_samples : int, default=300
    random_state : int, Generator, RandomState, SeedSequence or None
    return_X_y, as_frame : bool, default=False
        As in scikit-learn.

    Examples
    --------
    >>> from novum.datasets import make_kmeans_failures
    >>> data = make_kmeans_failures("unequal_size", 100, random_state=0)
    >>> data.data.shape, sorted(set(data.target.tolist()))
    ((100, 2), [0, 1])
    """
    check_choice("make_kmeans_failures", "kind", kind, KINDS)
    check_count("make_kmeans_failures", "n_samples", n_samples, 20)
    stream = Stream(seed_of(random_state))
    z = stream.normal("row", 0, n_samples, 2)
    small = n_samples // 10 if kind == "unequal_size" else n_samples // 2
    y = np.repeat([0, 1], [n_samples - small, small])
    away = y[:, None]
    if kind == "stretched":
        X = z * [6.0, 0.3] + away * [0.0, 3.0]
    elif kind == "unequal_spread":
        X = z * np.where(away == 0, 3.0, 0.3) + away * [7.0, 0.0]
    elif kind == "unequal_size":
        X = z * np.where(away == 0, 2.5, 0.4) + away * [6.5, 0.0]
    elif kind == "outliers":
        X = z * 0.5 + away * [4.0, 0.0]
        X[:3] = [200.0, 200.0] + z[:3]  # a center of their own costs less than two for the clusters
    else:
        X = (z * 0.5 + away * [4.0, 0.0]) * [1.0, 100.0]
    return bunch_of_arrays(X, y, ["x1", "x2"], f"Two clusters, {kind}.", return_X_y=return_X_y, as_frame=as_frame)
