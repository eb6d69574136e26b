"""Votes, means and kernels of neighbors, and the distances they go by, on points small enough to do by hand."""

from typing import Any

import numpy as np

from novum.notes.stops.registry import stop

POINTS, VALUES = np.array([[0.0, 0], [1, 0], [0, 1], [3, 3], [4, 3]]), np.array([1.0, 2, 3, 10, 12])


@stop("000", "3", "k-NN: share of class 0 among three neighbors", reference=2 / 3, remark="2 votes to 1")
def vote() -> Any:
    from novum.neighbors import KNeighborsClassifier

    return float(KNeighborsClassifier(3).fit(POINTS, [0, 0, 1, 1, 1]).predict_proba([[1.0, 1.0]])[0, 0])


@stop("000", "3", "k-NN: mean of four neighbors, weights 1/distance", reference=3.019819, remark="by hand")
def weighted_mean() -> Any:
    from novum.neighbors import KNeighborsRegressor

    return float(KNeighborsRegressor(4, weights="distance").fit(POINTS, VALUES).predict([[1.0, 1.0]])[0])


@stop("000", "18.1", "Minkowski distance of (0,0) and (3,4), p = 3", reference=91 ** (1 / 3), remark="by hand")
def minkowski() -> Any:
    from novum.neighbors import pairwise_distances

    return float(pairwise_distances([[0.0, 0.0]], [[3.0, 4.0]], "minkowski", p=3)[0, 0])


@stop(
    "003", "9.3", "Nadaraya-Watson between two of three points", reference=2.4863879, remark="weights .009, .495, .495"
)
def kernel_regression() -> Any:
    from novum.neighbors import NadarayaWatson

    model = NadarayaWatson(bandwidth=0.5).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 2.0])
    return float(model.predict([[1.5]])[0])
