"""Gaussian naive Bayes against scikit-learn; quality: training accuracy."""

import numpy as np
from sklearn.naive_bayes import GaussianNB as SklearnNB

from benchmarks.harness import Case
from novum.naive_bayes import GaussianNB

ROWS = (15_000, 60_000, 240_000)


def make(n, d=60, k=10):
    rng = np.random.default_rng(0)
    y = rng.integers(k, size=n)
    X = rng.normal(size=(n, d)) + 0.3 * rng.normal(size=(k, d))[y]
    return X, y, GaussianNB().fit(X, y), SklearnNB().fit(X, y)


def accuracy(model, data):
    labels = model if isinstance(model, np.ndarray) else model.predict(data[0])
    return round(float((labels == data[1]).mean()), 6)


CASES = [
    Case(
        "Gaussian naive Bayes fit",
        make,
        {"novum": lambda data: GaussianNB().fit(*data[:2]), "scikit-learn": lambda data: SklearnNB().fit(*data[:2])},
        accuracy,
        ROWS,
        {"scikit-learn": 1.5},
    ),
    Case(
        "Gaussian naive Bayes predict",
        make,
        {"novum": lambda data: data[2].predict(data[0]), "scikit-learn": lambda data: data[3].predict(data[0])},
        accuracy,
        ROWS,
        {"scikit-learn": 5.0},
    ),
]
