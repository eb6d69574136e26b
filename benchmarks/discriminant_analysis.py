"""Linear and quadratic discriminant analysis against scikit-learn's fastest solvers; quality: training accuracy."""

import numpy as np
import sklearn.discriminant_analysis as peer

from benchmarks.harness import Case
from novum.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

ROWS = (15_000, 60_000, 240_000)
LINEAR = (LinearDiscriminantAnalysis, lambda: peer.LinearDiscriminantAnalysis(solver="lsqr"))
QUADRATIC = (QuadraticDiscriminantAnalysis, lambda: peer.QuadraticDiscriminantAnalysis(solver="eigen"))


def maker(ours, theirs):
    def make(n, d=60, k=10):
        rng = np.random.default_rng(0)
        y = rng.integers(k, size=n)
        X = rng.normal(size=(n, d)) + 0.3 * rng.normal(size=(k, d))[y]
        return X, y, ours().fit(X, y), theirs().fit(X, y)

    return make


def accuracy(model, data):
    labels = model if isinstance(model, np.ndarray) else model.predict(data[0])
    labels = data[2].classes_[labels.argmax(axis=1)] if labels.ndim == 2 else labels
    return round(float((labels == data[1]).mean()), 6)


def cases(name, ours, theirs):
    make = maker(ours, theirs)
    fit = {"novum": lambda data: ours().fit(*data[:2]), "scikit-learn": lambda data: theirs().fit(*data[:2])}
    yield Case(f"{name} fit", make, fit, accuracy, ROWS, {"scikit-learn": 3.0})
    for method in ("predict", "predict_proba"):
        answer = {
            "novum": lambda data, method=method: getattr(data[2], method)(data[0]),
            "scikit-learn": lambda data, method=method: getattr(data[3], method)(data[0]),
        }
        yield Case(f"{name} {method}", make, answer, accuracy, ROWS, {"scikit-learn": 3.0})


CASES = [*cases("Linear discriminant", *LINEAR), *cases("Quadratic discriminant", *QUADRATIC)]
