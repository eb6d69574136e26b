"""The PCA family against scikit-learn at its best, scikit-learn-intelex and plain NumPy EM; quality: variance or likelihood."""

import numpy as np
from sklearn.decomposition import PCA as SklearnPCA
from sklearn.decomposition import FactorAnalysis as SklearnFactorAnalysis
from sklearn.decomposition import IncrementalPCA as SklearnIncrementalPCA
from sklearnex.decomposition import PCA as IntelPCA

from benchmarks.harness import Case
from novum.decomposition import PCA, FactorAnalysis, IncrementalPCA, ProbabilisticPCA

EVEN = 0.9  # at least as fast, within the noise of a shared machine
PASSES = 20  # of EM, the same for both


def rows(p, dtype=np.float64):
    def make(n):
        rng = np.random.default_rng(0)
        scale = np.linspace(3, 1, p)
        return (rng.normal(size=(n, p)) * scale + rng.normal(size=p)).astype(dtype)

    return make


def fit(cls, *args, **options):
    return lambda X: cls(*args, **options).fit(X)


def explained(model, X):
    return float(f"{np.sum(model.explained_variance_, dtype=np.float64):.3g}")


def pca_case(name, p, k, sizes, solvers, dtype, **options):
    peers = {"novum": fit(PCA, k, random_state=0, **options)}
    for solver in solvers:
        peers[f"scikit-learn {solver}"] = fit(SklearnPCA, k, svd_solver=solver, random_state=0)
    peers["sklearnex"] = fit(IntelPCA, k, random_state=0)
    name = f"PCA {name} {np.dtype(dtype).name}"
    return Case(name, rows(p, dtype), peers, explained, sizes, dict.fromkeys(list(peers)[1:], EVEN))


def transform_with(cls, k):
    def run(X):
        model = MODELS.setdefault((cls, X.shape, X.dtype), None) or cls(k).fit(X)
        MODELS[cls, X.shape, X.dtype] = model
        return model.transform(X)

    return run


MODELS: dict = {}  # fitted once: only the projection is timed after the first run


def missing_rows(n):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 5)) @ rng.normal(size=(5, 20)) + 0.5 * rng.normal(size=(n, 20))
    return np.where(rng.random(X.shape) < 0.2, np.nan, X)


def ours_em(X):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ProbabilisticPCA(5, max_iter=PASSES, tol=0.0).fit(X)


def plain_em(X):
    """EM with a loop over the rows, as one would write it first."""
    p = X.shape[1]
    q, noise = 5, 1.0
    mean = np.nanmean(X, axis=0)
    W = np.random.default_rng(0).normal(size=(p, q))
    masks = ~np.isnan(X)
    for _ in range(PASSES):
        A, c, s = np.zeros((p, q, q)), np.zeros((p, q)), 0.0
        for x, seen in zip(X, masks):
            w, d = W[seen], x[seen] - mean[seen]
            S = np.linalg.inv(np.eye(q) + w.T @ w / noise)
            z = S @ w.T @ d / noise
            E = S + np.outer(z, z)
            A[seen] += E
            c[seen] += d[:, None] * z
            s += d @ d
        W = np.linalg.solve(A, c[:, :, None])[:, :, 0]
        noise = (s - np.sum(W * c)) / masks.sum()
    return noise


def noise_of(model, X):
    return round(float(model if isinstance(model, float) else model.noise_variance_), 1)


def factor_likelihood(model, X):
    return float(f"{model.loglike_[-1]:.4g}")


CASES = []
for dtype in (np.float64, np.float32):
    CASES += [
        pca_case("tall, 200 columns", 200, 20, (5_000, 20_000, 80_000), ["covariance_eigh"], dtype),
        pca_case("tall, 50 columns", 50, 10, (50_000, 200_000, 400_000), ["covariance_eigh"], dtype),
        pca_case("wide, 5000 columns", 5000, 20, (250, 500, 1000), ["randomized", "arpack"], dtype),
        pca_case("small, 4 columns", 4, 2, (150, 300, 600), ["full", "covariance_eigh"], dtype),
        pca_case("few of 2000 columns", 2000, 10, (2_500, 5_000, 10_000), ["randomized"], dtype),
        Case(
            f"PCA transform, 200 columns to 20 {np.dtype(dtype).name}",
            rows(200, dtype),
            {"novum": transform_with(PCA, 20), "scikit-learn": transform_with(SklearnPCA, 20)},
            lambda scores, X: scores.shape[1],
            (5_000, 20_000, 80_000),
            {"scikit-learn": EVEN},
        ),
    ]
CASES += [
    Case(
        "IncrementalPCA, 100 columns",
        rows(100),
        {"novum": fit(IncrementalPCA, 10), "scikit-learn": fit(SklearnIncrementalPCA, 10)},
        lambda model, X: round(float(model.explained_variance_[0]), 0),
        (5_000, 10_000, 20_000),
        {"scikit-learn": 3.0},
    ),
    Case(
        "ProbabilisticPCA, 20 % missing, 20 passes",
        missing_rows,
        {"novum": ours_em, "plain NumPy": plain_em},
        noise_of,
        (500, 1_000, 2_000),
        {"plain NumPy": 10.0},
    ),
    Case(
        "FactorAnalysis, 40 columns",
        rows(40),
        {
            "novum": fit(FactorAnalysis, 5),
            "scikit-learn lapack": fit(SklearnFactorAnalysis, 5, svd_method="lapack"),
            "scikit-learn randomized": fit(SklearnFactorAnalysis, 5),
        },
        factor_likelihood,
        (2_500, 5_000, 10_000),
        {"scikit-learn lapack": 3.0, "scikit-learn randomized": 3.0},
    ),
]
