"""Support vector machines against scikit-learn (LIBSVM, LIBLINEAR) and scikit-learn-intelex; quality: the dual objective, or for
linear machines the primal one, smaller is better.
"""

import numpy as np
import scipy.sparse
from sklearn import svm as theirs
from sklearn.datasets import make_classification
from sklearnex import svm as intel

from benchmarks.harness import Case
from novum import svm as ours


def points(n, p=40):
    return make_classification(n, p, n_informative=p // 2, flip_y=0.05, random_state=0)


def single(n):
    X, y = points(n)
    return X.astype(np.float32), y


def curve(n, p=20):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    return X, np.sin(X[:, 0]) + 0.3 * X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=n)


def text(n, p=20_000, words=100):
    rng = np.random.default_rng(0)
    columns = rng.integers(0, p, (n, words))
    X = scipy.sparse.csr_matrix(
        (rng.exponential(size=n * words), (np.repeat(np.arange(n), words), columns.ravel())), (n, p)
    )
    X.sum_duplicates()
    return X, (X @ rng.normal(size=p) + 2 * rng.normal(size=n) > 0).astype(int)


def dual_of(model, data):
    """Return the dual objective of a classifier for two classes or a regressor, in double precision."""
    vectors, b, y = np.float64(model.support_vectors_), np.float64(model.dual_coef_).ravel(), data[1]
    square = (vectors**2).sum(axis=1)
    K = np.exp(-model._gamma * np.maximum(0, square[:, None] + square - 2 * vectors @ vectors.T))
    linear = np.abs(b).sum() if hasattr(model, "classes_") else y[model.support_] @ b - model.epsilon * np.abs(b).sum()
    return float(0.5 * b @ K @ b - linear)


def primal_of(model, data):
    X, y = data
    sign = np.where(y == model.classes_[1], 1, -1)
    w = np.append(model.coef_[0], model.intercept_[0])
    return float(0.5 * w @ w + model.C * (np.maximum(0, 1 - sign * model.decision_function(X)) ** 2).sum())


def fit(module, name, **options):
    return lambda data: getattr(module, name)(**options).fit(*data)


def all_of(name, **options):
    peers = {"novum": ours, "sklearnex": intel, "scikit-learn": theirs}
    return {library: fit(module, name, **options) for library, module in peers.items()}


def asked(n, module):
    """Return a function that asks a fitted machine for the labels of its rows."""
    model = module.SVC().fit(*points(n))
    return lambda data: (model.predict(data[0]), model)[1]


KERNEL, LINEAR = {"sklearnex": 1.0, "scikit-learn": 5.0}, {"scikit-learn": 2.0}
CASES = [
    Case("SVC, Gaussian kernel", points, all_of("SVC"), dual_of, (1125, 4500, 18_000), KERNEL),
    Case("SVC, Gaussian kernel, float32", single, all_of("SVC"), dual_of, (1125, 4500, 18_000), KERNEL),
    Case("SVC, Gaussian kernel, C = 1000", points, all_of("SVC", C=1000.0), dual_of, (1125, 4500, 18_000), KERNEL),
    Case("SVR, Gaussian kernel", curve, all_of("SVR"), dual_of, (1000, 4000, 16_000), KERNEL),
    *(
        Case(
            f"SVC, predict of {n:,d} rows",
            points,
            {
                name: asked(n, module)
                for name, module in {"novum": ours, "sklearnex": intel, "scikit-learn": theirs}.items()
            },
            dual_of,
            (n,),
            KERNEL,
        )
        for n in (1125, 4500)
    ),
    Case(
        "LinearSVC, 80 columns",
        lambda n: points(n, 80),
        {"novum": fit(ours, "LinearSVC"), "scikit-learn": fit(theirs, "LinearSVC")},
        primal_of,
        (10_000, 40_000, 160_000),
        LINEAR,
    ),
    Case(
        "LinearSVC, sparse, 20,000 columns",
        text,
        {"novum": fit(ours, "LinearSVC"), "scikit-learn": fit(theirs, "LinearSVC")},
        primal_of,
        (5000, 20_000, 80_000),
        LINEAR,
    ),
]
