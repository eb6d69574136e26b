"""Bootstrap intervals against a loop over scikit-learn's metrics, and leave-one-out in closed form against two fits; quality: the
standard error of the score, or the mean squared error left out, to two digits."""

import numpy as np
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.model_selection import LeaveOneOut

from benchmarks.harness import Case
from novum.evaluation import bootstrap, cross_validate
from novum.linear_model import LinearRegression

RESAMPLES = 2000


def scored(n):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=n)
    return y, y + rng.normal(size=n)


def ours(function):
    return lambda data: bootstrap(function, *data, n_resamples=RESAMPLES, random_state=0).standard_error


def loop(function):
    def run(data):
        y, score = data
        rng = np.random.default_rng(0)
        draws = (rng.integers(len(y), size=len(y)) for _ in range(RESAMPLES))
        return float(np.std([function(y[rows], score[rows]) for rows in draws], ddof=1))

    return run


def design(n):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 20))
    return X, X.sum(axis=1) + rng.normal(size=n)


def left_out(data):
    found = cross_validate(LinearRegression(), *data, cv=LeaveOneOut(), scoring="neg_mean_squared_error")
    return float(f"{-found.mean():.2g}")


def two_fits(data):
    X, y = data
    fits = [LinearRegression().fit(X, y) for _ in range(2)]
    return float(f"{np.mean((y - fits[0].predict(X)) ** 2):.2g}")


CASES = [
    Case(
        "2000 bootstrap resamples of the area under ROC",
        scored,
        {"novum": ours(roc_auc_score), "scikit-learn loop": loop(roc_auc_score)},
        lambda found, data: float(f"{found:.1g}"),
        (2_500, 10_000, 40_000),
        {"scikit-learn loop": 20.0},
    ),
    Case(
        "2000 bootstrap resamples of R2",
        scored,
        {"novum": ours(r2_score), "scikit-learn loop": loop(r2_score)},
        lambda found, data: float(f"{found:.1g}"),
        (2_500, 10_000),
        {"scikit-learn loop": 5.0},
    ),
    Case(
        "leave-one-out of least squares, against two fits",
        design,
        {"novum": left_out, "two fits": two_fits},
        lambda found, data: found,
        (20_000, 80_000, 320_000),
        {"two fits": 1.0},
    ),
]
