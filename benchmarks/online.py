"""Online learners against scikit-learn: the same number of epochs; quality: accuracy or R^2 on the training rows."""

import numpy as np
import scipy.sparse
import sklearn.linear_model as peers

from benchmarks.harness import Case
from novum import linear_model

EPOCHS = {"max_iter": 10, "tol": None, "random_state": 0}
ROWS = (15_000, 60_000, 240_000)


def dense(n, d=60, k=2):
    """Return rows of k classes that overlap a little."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    scores = X @ rng.normal(size=(d, k)) + rng.normal(size=(n, k))
    return X, scores.argmax(axis=1)


def numbers(n):
    X, _ = dense(n)
    rng = np.random.default_rng(1)
    return X, X @ rng.normal(size=60) + rng.normal(size=n)


def texts(n, d=20_000, length=60):
    """Return rows with about 60 of 20000 columns, and a label that some of them tell."""
    rng = np.random.default_rng(0)
    column = np.minimum((d * rng.random((n, length)) ** 3).astype(np.int32), d - 1)
    X = scipy.sparse.csr_matrix((np.ones(n * length), column.ravel(), np.arange(0, n * length + 1, length)), (n, d))
    X.sum_duplicates()
    w = rng.normal(size=d)
    return X, (X @ w + rng.normal(size=n) > 0).astype(int)


def case(what, make, name, bar, **options):
    def run(module):
        return lambda data: getattr(module, name)(**EPOCHS, **options).fit(*data)

    contestants = {"novum": run(linear_model), "scikit-learn": run(peers)}
    return Case(what, make, contestants, lambda m, data: round(m.score(*data), 3), ROWS, {"scikit-learn": bar})


CASES = [
    case("perceptron, 60 columns, 10 epochs", dense, "Perceptron", 3.0),
    case("hinge loss and L2, 60 columns, 10 epochs", dense, "SGDClassifier", 2.0),
    case("log loss and L2, 60 columns, 10 epochs", dense, "SGDClassifier", 2.0, loss="log_loss"),
    case("hinge loss, 5 classes, 10 epochs", lambda n: dense(n, k=5), "SGDClassifier", 2.0),
    case("squared error, 60 columns, 10 epochs", numbers, "SGDRegressor", 2.0),
    case("hinge loss on text, 10 epochs", texts, "SGDClassifier", 1.3),
    case("elastic net on text, 10 epochs", texts, "SGDClassifier", 1.3, penalty="elasticnet"),
]
