"""Bayesian ridge and relevance determination against scikit-learn: the same iterations; quality: precision of the noise."""

import numpy as np
from sklearn.linear_model import ARDRegression as SklearnARD
from sklearn.linear_model import BayesianRidge as SklearnRidge

from benchmarks.harness import Case
from novum.linear_model import ARDRegression, BayesianRidge


def maker(p):
    def make(n):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, p))
        return X, X @ (rng.normal(size=p) * (np.arange(p) % 3 == 0)) + rng.normal(size=n)

    return make


def case(name, ours, peer, p, rows, bar):
    contestants = {"novum": lambda data: ours().fit(*data), "scikit-learn": lambda data: peer().fit(*data)}
    return Case(name, maker(p), contestants, lambda model, _: float(f"{model.alpha_:.8g}"), rows, {"scikit-learn": bar})


CASES = [
    case("Bayesian ridge, 100 columns", BayesianRidge, SklearnRidge, 100, (50_000, 200_000, 800_000), 8.0),
    case("relevance determination, 50 columns", ARDRegression, SklearnARD, 50, (5_000, 20_000, 80_000), 3.0),
]
