"""Single trees against scikit-learn; quality: accuracy or R^2 on fresh rows."""

import numpy as np
import sklearn.tree as peer
from sklearn.datasets import make_classification

from benchmarks.harness import Case
from novum import tree

ROWS = (10_000, 40_000, 160_000)
FRESH = 20_000


def make_classes(n, d=30):
    X, y = make_classification(n + FRESH, d, n_informative=10, flip_y=0.1, random_state=0)
    return X[:n], y[:n], X[n:], y[n:]


def make_numbers(n, d=30):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n + FRESH, d))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + X[:, 3] + 0.5 * rng.normal(size=len(X))
    return X[:n], y[:n], X[n:], y[n:]


def score(model, data):
    return round(float(model.score(data[2], data[3])), 3)


def cases(name, make, **settings):
    """Return the cases of fitting and predicting with one estimator."""
    ours, theirs = getattr(tree, name), getattr(peer, name)
    words = "".join(f" {value}" for value in settings.values())

    def fitted(n):
        data = make(n)
        return (*data, ours(**settings).fit(*data[:2]), theirs(random_state=0, **settings).fit(*data[:2]))

    yield Case(
        f"{name}{words} fit",
        make,
        {
            "novum": lambda data: ours(**settings).fit(*data[:2]),
            "scikit-learn": lambda data: theirs(random_state=0, **settings).fit(*data[:2]),
        },
        score,
        ROWS,
        {"scikit-learn": 3.0},
    )
    if not settings:
        yield Case(
            f"{name} predict",
            fitted,
            {"novum": lambda data: data[4].predict(data[2]), "scikit-learn": lambda data: data[5].predict(data[2])},
            lambda result, data: round(float(np.corrcoef(result, data[3])[0, 1]), 3),
            ROWS,
            {"scikit-learn": 1.0},
        )


CASES = [
    *cases("DecisionTreeClassifier", make_classes),
    *cases("DecisionTreeClassifier", make_classes, criterion="entropy"),
    *cases("DecisionTreeRegressor", make_numbers),
]
