"""Naive Bayes against scikit-learn; quality: training accuracy."""

import numpy as np
import scipy.sparse
import sklearn.naive_bayes as peer
from sklearn.naive_bayes import GaussianNB as SklearnNB

from benchmarks.harness import Case
from novum import naive_bayes
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


def discrete(name, sparse):
    """Return the cases of one estimator on counts: 60 columns of them, or 50,000 of which a row has a hundred."""
    ours, theirs = getattr(naive_bayes, name), getattr(peer, name)

    def make_counts(n, k=10):
        rng = np.random.default_rng(0)
        if sparse:
            X = scipy.sparse.random_array((n, 50_000), density=0.002, format="csr", random_state=0)
            X = scipy.sparse.csr_matrix(X.multiply(5).ceil())
        else:
            X = rng.poisson(2, size=(n, 60)).astype(float)
        y = rng.integers(k, size=n)
        return X, y, ours().fit(X, y), theirs().fit(X, y)

    rows = (2_500, 10_000, 40_000) if sparse else ROWS
    where = "sparse" if sparse else "dense"
    fit = {"novum": lambda data: ours().fit(*data[:2]), "scikit-learn": lambda data: theirs().fit(*data[:2])}
    predict = {"novum": lambda data: data[2].predict(data[0]), "scikit-learn": lambda data: data[3].predict(data[0])}
    yield Case(f"{name} {where} fit", make_counts, fit, accuracy, rows, {"scikit-learn": 2.0 if sparse else 3.0})
    yield Case(
        f"{name} {where} predict", make_counts, predict, accuracy, rows, {"scikit-learn": 1.5 if sparse else 3.0}
    )


for kind in ("MultinomialNB", "BernoulliNB", "ComplementNB"):
    CASES += [*discrete(kind, False), *discrete(kind, True)]
CASES += discrete("CategoricalNB", False)
