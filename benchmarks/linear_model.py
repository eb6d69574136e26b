"""Least squares and ridge against scikit-learn and scikit-learn-intelex; quality: R2 on the training data."""

import numpy as np
from sklearn.linear_model import LinearRegression as SklearnOLS
from sklearn.linear_model import Ridge as SklearnRidge
from sklearnex.linear_model import LinearRegression as IntelOLS
from sklearnex.linear_model import Ridge as IntelRidge

from benchmarks.harness import Case
from novum.linear_model import LinearRegression, Ridge

ROWS = (50_000, 200_000, 800_000)


def make(n, p=100):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p)) + rng.normal(size=p)
    return X, X @ rng.normal(size=p) + rng.normal(size=n)


def fit(cls):
    return lambda data: cls().fit(*data)


def r2(model, data):
    X, y = data[0][:20_000], data[1][:20_000]
    residual = y - X @ model.coef_ - model.intercept_
    return round(float(1 - residual @ residual / ((y - y.mean()) @ (y - y.mean()))), 10)


CASES = [
    Case(
        "least squares, 100 columns",
        make,
        {"novum": fit(LinearRegression), "sklearnex": fit(IntelOLS), "scikit-learn": fit(SklearnOLS)},
        r2,
        ROWS,
        {"sklearnex": 0.9, "scikit-learn": 10.0},
    ),
    Case(
        "ridge, 100 columns",
        make,
        {"novum": fit(Ridge), "sklearnex": fit(IntelRidge), "scikit-learn": fit(SklearnRidge)},
        r2,
        ROWS,
        {"sklearnex": 0.9, "scikit-learn": 1.0},
    ),
]
