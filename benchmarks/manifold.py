"""Independent components and maps against Picard, scikit-learn and MiniSom, each on one BLAS thread, which suits them best here."""

import warnings

import numpy as np
from minisom import MiniSom
from picard import picard
from sklearn.datasets import make_swiss_roll
from sklearn.decomposition import FastICA as SklearnFastICA
from sklearn.manifold import MDS as SklearnMDS
from sklearn.manifold import ClassicalMDS
from sklearn.manifold import Isomap as SklearnIsomap
from threadpoolctl import threadpool_limits

from benchmarks.harness import Case
from novum.decomposition import ICA, FastICA
from novum.manifold import MDS, Isomap, SelfOrganizingMap

EVEN, THREE, FIFTY = 0.9, 3.0, 50.0
STEPS = 20  # of SMACOF, the same for both
EPOCHS = 10  # of the maps
SIDE = 10


def mixtures(k):
    def make(n):
        rng = np.random.default_rng(0)
        S = rng.laplace(size=(n, k))
        S[:, ::2] = rng.uniform(-1, 1, size=(n, (k + 1) // 2))
        return S @ rng.normal(size=(k, k))

    return make


def single(function):
    """Return a function that runs on one BLAS thread and keeps its warnings to itself."""

    def run(X):
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(X)

    return run


def ours(function):
    def run(X):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(X)

    return run


def picard_with(orthogonal):
    return single(lambda X: picard(X.T, ortho=orthogonal, extended=True, w_init=np.eye(X.shape[1])))


def separation(result, X):
    """Return the mean contrast of white sources, which does not depend on their order and signs."""
    Y = result.transform(X) if hasattr(result, "transform") else result[2].T
    Y = (Y - Y.mean(axis=0)) / Y.std(axis=0)
    return float(f"{np.sort(np.log(np.cosh(Y)).mean(axis=0)).round(3).sum():.3g}")


def stress(model, X):
    return float(f"{model.stress_:.6g}")


def minisom(X):
    peer = MiniSom(SIDE, SIDE, X.shape[1], sigma=SIDE / 2, random_seed=0)
    peer.pca_weights_init(X)
    peer.train_random(X, EPOCHS * len(X))
    return peer


def quantization(model, X):
    """Return the mean distance to the nearest unit; both neighborhoods end a third as wide as they began."""
    return round(float(model.quantization_error(X) if isinstance(model, MiniSom) else model.quantization_error_), 2)


def cloud(n):
    return np.random.default_rng(0).normal(size=(n, 10))


def roll(n):
    return make_swiss_roll(n, random_state=0)[0]


def mds(metric):
    options = {"init": "random", "metric_mds": metric, "random_state": 0, "max_iter": STEPS, "eps": 0.0}
    name = "metric" if metric else "non-metric"
    return Case(
        f"MDS, {name}, {STEPS} steps",
        cloud,
        {
            "novum": ours(lambda X: MDS(**options).fit(X)),
            "scikit-learn": single(lambda X: SklearnMDS(**options).fit(X)),
        },
        stress,
        (500, 1_000, 2_000) if metric else (250, 500, 1_000),
        {"scikit-learn": THREE},
    )


CASES = [
    *(
        Case(
            f"ICA, {'orthogonal' if orthogonal else 'likelihood'}, 10 sources",
            mixtures(10),
            {"novum": ours(lambda X, o=orthogonal: ICA(orthogonal=o).fit(X)), "picard": picard_with(orthogonal)},
            separation,
            (20_000, 40_000, 80_000),
            {"picard": EVEN},
        )
        for orthogonal in (True, False)
    ),
    *(
        Case(
            f"FastICA, {k} sources",
            mixtures(k),
            {
                "novum": ours(lambda X: FastICA(random_state=0, tol=1e-6).fit(X)),
                "scikit-learn": single(lambda X: SklearnFastICA(random_state=0, tol=1e-6).fit(X)),
                "scikit-learn eigh": single(
                    lambda X: SklearnFastICA(random_state=0, tol=1e-6, whiten_solver="eigh").fit(X)
                ),
            },
            separation,
            (20_000, 40_000, 80_000),
            {"scikit-learn": THREE},
        )
        for k in (10, 30)
    ),
    mds(True),
    mds(False),
    Case(
        "classical MDS",
        cloud,
        {
            "novum": ours(lambda X: MDS(algorithm="classical").fit(X)),
            "scikit-learn": single(lambda X: ClassicalMDS().fit(X)),
        },
        lambda model, X: float(f"{model.eigenvalues_.sum():.6g}"),
        (500, 1_000, 2_000),
        {"scikit-learn": THREE},
    ),
    Case(
        "Isomap of a roll",
        roll,
        {
            "novum": ours(lambda X: Isomap(n_neighbors=10).fit(X)),
            "scikit-learn": single(lambda X: SklearnIsomap(n_neighbors=10).fit(X)),
        },
        lambda model, X: float(f"{model.reconstruction_error():.6g}"),
        (1_000, 2_000, 4_000),
        {"scikit-learn": THREE},
    ),
    Case(
        f"self-organising map, {SIDE} x {SIDE}, {EPOCHS} epochs",
        cloud,
        {
            "novum batch": ours(lambda X: SelfOrganizingMap(SIDE, SIDE, max_iter=EPOCHS, sigma_end=SIDE / 6).fit(X)),
            "MiniSom": single(minisom),
        },
        quantization,
        (1_000, 2_000, 4_000),
        {"MiniSom": FIFTY},
    ),
]
