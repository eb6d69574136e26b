"""Gaussian mixtures against scikit-learn on one BLAS thread, which is its fastest setting: same start, same fixed number of
iterations, or both until they converge; quality: mean log-likelihood."""

import warnings
from contextlib import nullcontext

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import BayesianGaussianMixture as SklearnBayesian
from sklearn.mixture import GaussianMixture as SklearnMixture
from threadpoolctl import ThreadpoolController

from benchmarks.harness import Case
from novum.mixture import BayesianGaussianMixture, GaussianMixture

COMPONENTS, ITERATIONS = 8, 10
POOLS = ThreadpoolController()  # found once: looking for the libraries takes milliseconds


def maker(d, dtype):
    def make(n):
        rng = np.random.default_rng(0)
        centers = 1.5 * rng.normal(size=(COMPONENTS, d))
        mix = 0.7 * rng.normal(size=(COMPONENTS, d, d)) / np.sqrt(d) + 0.5 * np.eye(d)
        z = rng.integers(COMPONENTS, size=n)
        X = centers[z] + np.einsum("nij,nj->ni", mix[z], rng.normal(size=(n, d)))
        return X.astype(dtype), X[:COMPONENTS].astype(dtype)

    return make


def fixed(cls, form):
    def run(data):
        X, means = data
        k, d = means.shape
        one = {"full": np.stack([np.eye(d)] * k), "tied": np.eye(d), "diag": np.ones((k, d)), "spherical": np.ones(k)}[
            form
        ]
        start = {"weights_init": np.full(k, 1 / k), "means_init": means, "precisions_init": one}
        model = cls(COMPONENTS, covariance_type=form, max_iter=ITERATIONS, tol=0.0, **start)
        return quietly(model, X, cls is SklearnMixture)

    return run


def converged(cls, form):
    return lambda data: quietly(
        cls(COMPONENTS, covariance_type=form, random_state=0, max_iter=200), data[0], cls is SklearnMixture
    )


def variational(cls, form):
    """Both go on from the posterior that scikit-learn makes of random responsibilities."""
    options = {
        "n_components": COMPONENTS,
        "covariance_type": form,
        "max_iter": ITERATIONS,
        "tol": 0.0,
        "warm_start": True,
    }
    states = {}

    def run(data):
        X = data[0]
        if X.shape not in states:
            start = SklearnBayesian(**options)
            start._check_parameters(X)
            start._initialize(X, np.random.default_rng(0).dirichlet(np.ones(COMPONENTS), len(X)))
            start._set_parameters(start._get_parameters())
            start.converged_, start.lower_bound_ = False, -np.inf
            states[X.shape] = {name: value for name, value in vars(start).items() if name.endswith("_")}
        model = cls(**options)
        model.__dict__.update(states[X.shape])
        return quietly(model, X, cls is SklearnBayesian)

    return run


def quietly(model, X, one_thread):
    with warnings.catch_warnings(), POOLS.limit(limits=1) if one_thread else nullcontext():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X)


def likelihood(model, data):
    return float(f"{model.score(data[0][:20_000].astype(np.float64)):.6g}")


def case(name, run, ours, theirs, form, d, dtype, bar, rows=(7_500, 30_000, 120_000)):
    peers = {"novum": run(ours, form), "scikit-learn": run(theirs, form)}
    return Case(
        f"{name} {form} {d} columns {np.dtype(dtype).name}",
        maker(d, dtype),
        peers,
        likelihood,
        rows,
        {"scikit-learn": bar},
    )


EM, BAYES = (GaussianMixture, SklearnMixture), (BayesianGaussianMixture, SklearnBayesian)
CASES = [
    *(
        case("mixture", fixed, *EM, form, d, dtype, bar)
        for d in (8, 16, 64)
        for dtype in (np.float64, np.float32)
        for form, bar in (("full", 5.0), ("diag", 3.0))
    ),
    *(case("variational mixture", variational, *BAYES, "full", d, np.float64, 5.0) for d in (8, 16, 64)),
    case("mixture to convergence,", converged, *EM, "full", 16, np.float64, 3.0, (7_500, 30_000)),
    case("mixture", fixed, *EM, "tied", 16, np.float64, 3.0),
    case("mixture", fixed, *EM, "spherical", 16, np.float64, 3.0),
]
