"""Mixtures on the small data of the notes."""

from typing import Any

import numpy as np

from novum.notes.stops.registry import stop

FOUR = np.array([[0.0], [1.0], [4.0], [5.0]])


@stop(
    "000",
    "18.2",
    "EM for two means, variance known, on 0 1 4 5: first mean",
    reference=0.503868,
    remark="computed apart",
)
def known_variance() -> Any:
    from novum.mixture import GaussianMixture

    options: dict[str, Any] = {
        "means_init": [[0.0], [4.0]],
        "precisions_init": [1.0, 1.0],
        "fixed": ("weights", "covariances"),
    }
    return float(GaussianMixture(2, covariance_type="spherical", tol=1e-9, **options).fit(FOUR).means_[0, 0])


@stop("002", "P1.5", "EM for a mixture of two on 0 1 4 5: log-likelihood", reference=-5.675754, remark="means .5, 4.5")
def two_components() -> Any:
    from novum.mixture import GaussianMixture

    start: dict[str, Any] = {"weights_init": [0.5, 0.5], "means_init": [[0.0], [5.0]], "precisions_init": [1.0, 1.0]}
    options: dict[str, Any] = {"covariance_type": "spherical", "reg_covar": 0.0, "tol": 1e-13, "max_iter": 500}
    return float(4 * GaussianMixture(2, **options, **start).fit(FOUR).lower_bound_)


@stop("002", "P2.3", "Bernoulli mixture, one step: probability of a one", reference=0.692308, remark="9 / 13")
def bernoulli_step() -> Any:
    import warnings

    from novum.mixture import BernoulliMixture

    X = [[1, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 1]]
    model = BernoulliMixture(2, probabilities_init=[[0.6, 0.5, 0.4], [0.4, 0.5, 0.6]], max_iter=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one step is requested
        return float(model.fit(X).probabilities_[0, 0])
