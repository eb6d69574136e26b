"""Logistic regression against scikit-learn, scikit-learn-intelex and LIBLINEAR at an equal objective; quality: the mean
penalised loss.

LIBLINEAR penalises the intercept; where it takes part, all fit without one. Tolerances are those at which the objectives
agree to 1e-6.
"""

import numpy as np
import scipy.sparse
from liblinear.liblinearutil import problem, train
from scipy.special import logsumexp
from sklearn.linear_model import LogisticRegression as Theirs
from sklearnex.linear_model import LogisticRegression as Intel

from benchmarks.harness import Case
from novum.linear_model import LogisticRegression

CLASSES, WIDTH, TERMS, VOCABULARY = 10, 2000, 100, 40_000


def dense(n, p=50):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    return X, (rng.random(n) < 1 / (1 + np.exp(-X @ rng.normal(size=p) / 2))).astype(np.int64)


def several(n, p=50):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    return X, (X @ rng.normal(size=(p, CLASSES)) / 2 + rng.gumbel(size=(n, CLASSES))).argmax(axis=1)


def wide(n):
    return dense(n, WIDTH)


def text(n):
    rng = np.random.default_rng(0)
    share = 1 / np.arange(1, VOCABULARY + 1) ** 0.8  # words are as unequal as in a language
    columns = rng.choice(VOCABULARY, size=(n, TERMS), p=share / share.sum())
    values = rng.exponential(size=(n, TERMS))
    X = scipy.sparse.csr_matrix(
        (values.ravel(), (np.repeat(np.arange(n), TERMS), columns.ravel())), shape=(n, VOCABULARY)
    )
    X.sum_duplicates()
    X = scipy.sparse.diags(1 / np.sqrt(X.multiply(X).sum(axis=1).A1)) @ X
    effect = np.where(rng.random(VOCABULARY) < 0.05, rng.normal(size=VOCABULARY) * 8, 0.0)
    return X.tocsr(), (rng.random(n) < 1 / (1 + np.exp(-X @ effect))).astype(np.int64)


def short(n, p=1000, k=CLASSES):
    """Fewer rows than columns."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    return X, (X[:, :k] + rng.normal(size=(n, k))).argmax(axis=1)


def counts(n, p=804):
    """Texts of a small study: counts of a few hundred words."""
    rng = np.random.default_rng(0)
    topic = rng.integers(3, size=n)
    rate = 2 / np.arange(1, p + 1) ** 0.7 * np.exp(rng.normal(size=(3, p)) / 2)
    return rng.poisson(rate[topic]).astype(np.float64), topic


def fit(cls, **options):
    return lambda data: cls(**options).fit(*data)


def liblinear(kind):
    return lambda data: train(problem(data[1], data[0]), f"-s {kind} -c 1 -q")


def coefficients(model, data):
    """Return coefficients and intercepts, of LIBLINEAR's models too."""
    if hasattr(model, "coef_"):
        return model.coef_, np.atleast_1d(model.intercept_)
    coef, _ = model.get_decfun()
    sign = 1.0 if model.get_labels()[0] == 1 else -1.0
    return sign * np.array(coef)[None], np.zeros(1)


def objective(l1_ratio):
    def of(model, data):
        X, y = data
        coef, intercept = coefficients(model, data)
        z = X @ coef.T + intercept
        z = np.column_stack([np.zeros(len(z)), z]) if z.shape[1] == 1 else z
        loss = (logsumexp(z, axis=1) - z[np.arange(len(y)), y]).sum()
        return float((loss + l1_ratio * np.abs(coef).sum() + (1 - l1_ratio) * (coef**2).sum() / 2) / len(y))

    return of


CASES = [
    Case(
        "logistic, 50 columns",
        dense,
        {"novum": fit(LogisticRegression), "sklearnex": fit(Intel), "scikit-learn": fit(Theirs)},
        objective(0.0),
        (15_000, 60_000, 240_000),
        {"sklearnex": 0.9, "scikit-learn": 3.0},
    ),
    Case(
        "logistic, 50 columns, 10 classes",
        several,
        {"novum": fit(LogisticRegression), "sklearnex": fit(Intel), "scikit-learn": fit(Theirs)},
        objective(0.0),
        (3_750, 15_000, 60_000),
        {"sklearnex": 0.9, "scikit-learn": 3.0},
    ),
    Case(
        "logistic, 2000 columns",
        wide,
        {
            "novum": fit(LogisticRegression, tol=1e-7),
            "sklearnex": fit(Intel, tol=1e-7, max_iter=1000),
            "scikit-learn": fit(Theirs, tol=1e-7, max_iter=1000),
        },
        objective(0.0),
        (125, 500, 2_000),
        {"sklearnex": 0.9, "scikit-learn": 3.0},
    ),
    Case(
        "logistic, sparse, 40000 columns",
        text,
        {
            "novum": fit(LogisticRegression, fit_intercept=False, tol=1e-5),
            "liblinear": liblinear(7),
            "scikit-learn liblinear": fit(Theirs, fit_intercept=False, solver="liblinear"),
            "scikit-learn": fit(Theirs, fit_intercept=False, tol=1e-5),
        },
        objective(0.0),
        (2_500, 10_000, 40_000),
        {"liblinear": 0.9, "scikit-learn liblinear": 0.9, "scikit-learn": 3.0},
    ),
    Case(
        "logistic, L1, sparse, 40000 columns",
        text,
        {
            "novum": fit(LogisticRegression, fit_intercept=False, solver="saga", l1_ratio=1),
            "liblinear": liblinear(6),
            "scikit-learn liblinear": fit(Theirs, fit_intercept=False, solver="liblinear", l1_ratio=1),
        },
        objective(1.0),
        (2_500, 10_000, 40_000),
        {"liblinear": 0.9, "scikit-learn liblinear": 0.9},
    ),
    Case(
        "logistic, 1000 columns, 10 classes, few rows",
        short,
        {"novum": fit(LogisticRegression), "scikit-learn": fit(Theirs)},
        objective(0.0),
        (75, 150, 300),
        {"scikit-learn": 0.9},
    ),
    Case(
        "logistic, 804 counts, 3 classes, few rows",
        counts,
        {"novum": fit(LogisticRegression), "scikit-learn": fit(Theirs, max_iter=1000)},
        objective(0.0),
        (75, 150, 300),
        {"scikit-learn": 0.9},
    ),
    Case(
        "logistic, 10,000 columns, 3 classes, few rows",
        lambda n: short(n, 10_000, 3),
        {"novum": fit(LogisticRegression), "scikit-learn": fit(Theirs)},
        objective(0.0),
        (25, 50, 100),
        {"scikit-learn": 0.9},
    ),
]
