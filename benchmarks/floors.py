"""Where the lead is least: every case with the best peers, and beside it the floor that the machine sets for this work.

A floor is not a competitor: a product of matrices with as many operations as the algorithm needs at least, timed in the same run.
A time within 1.3 of it leaves nothing to gain. Sizes and seeds are others than those the code was tuned on.
"""

import warnings

import faiss
import numpy as np
from hmmlearn.hmm import GaussianHMM as HmmlearnHMM
from sklearn import cluster, decomposition, ensemble, gaussian_process, linear_model
from sklearnex.cluster import KMeans as IntelKMeans
from sklearnex.decomposition import PCA as IntelPCA
from sklearnex.ensemble import RandomForestClassifier as IntelForest
from sklearnex.linear_model import LinearRegression as IntelOLS
from sklearnex.linear_model import Ridge as IntelRidge

import novum.cluster
import novum.decomposition
import novum.ensemble
import novum.gaussian_process
import novum.linear_model
import novum.sequence
from benchmarks.harness import Case

AHEAD = 1.5


def table(d, seed=11):
    def make(n):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n, d)) + rng.normal(size=d)
        return X, X @ rng.normal(size=d) / np.sqrt(d) + rng.normal(size=n)

    return make


def counts(n):
    X, y = table(30)(n)
    return X, np.random.default_rng(5).poisson(np.exp(0.3 * (y - y.mean()))).astype(float)


def contaminated(n):
    X, y = table(25)(n)
    y[::17] += 40
    return X, y


def classes(d):
    def make(n):
        rng = np.random.default_rng(12 + n)
        X = rng.normal(size=(n, d))
        score = X @ np.linspace(-1, 1, d) + X[:, 0] * X[:, 1] + rng.normal(size=n)
        return X, (score > 0).astype(int)

    return make


def groups(d, k):
    def make(n):
        rng = np.random.default_rng(13)
        return 3 * rng.normal(size=(k, d))[rng.integers(0, k, n)] + rng.normal(size=(n, d))

    return make


def mixed(n, d=10):
    rng = np.random.default_rng(14)
    return rng.laplace(size=(n, d)) @ rng.normal(size=(d, d))


def two_regimes(n):
    rng = np.random.default_rng(15)
    state = np.cumsum(rng.random(n) < 0.02) % 2
    return (2 * state + rng.normal(size=n))[:, None]


def smooth(d):
    def make(n):
        rng = np.random.default_rng(16)
        X = rng.normal(size=(n, d))
        return X, np.sin(X @ np.linspace(0.2, 1.0, d)) + 0.1 * rng.normal(size=n)

    return make


def fit(cls, *args, **options):
    def run(data):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return cls(*args, **options).fit(*(data if isinstance(data, tuple) else (data,)))

    return run


def product(columns, passes=1):
    """Return a product of the rows with a matrix of so many columns, so often: the arithmetic that no method avoids."""

    def run(data):
        X = data[0] if isinstance(data, tuple) else data
        other = np.ones((columns, X.shape[1]))
        for _ in range(passes):
            X @ other.T

    return run


def gram(data):
    X = data[0] if isinstance(data, tuple) else data
    return X.T @ X


def r2(model, data):
    return round(float(model.score(*data)), 8)


def inertia(model, X):
    return float(f"{model.inertia_:.5g}")


def start_of(X, k):
    return X[:: len(X) // k][:k].copy()


def kmeans(cls, k, passes):
    def run(X):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return cls(k, init=start_of(X, k), n_init=1, max_iter=passes, tol=0.0).fit(X)

    return run


class FaissResult:
    def __init__(self, inertia):
        self.inertia_ = inertia


def faiss_kmeans(k, passes):
    def run(X):
        rows = X.astype(np.float32)
        search = faiss.Kmeans(X.shape[1], k, niter=passes, max_points_per_centroid=len(X), seed=0)
        search.train(rows, init_centroids=start_of(rows, k))
        return FaissResult(float(search.obj[-1]))

    return run


def kmeans_case(name, d, k, rows, passes=15):
    contestants = {
        "novum": kmeans(novum.cluster.KMeans, k, passes),
        "scikit-learn": kmeans(cluster.KMeans, k, passes),
        "sklearnex": kmeans(IntelKMeans, k, passes),
        "faiss": faiss_kmeans(k, passes),
        "floor: products of all rows and centers": product(k, passes),
    }
    return Case(
        name, groups(d, k), contestants, inertia, rows, dict.fromkeys(("scikit-learn", "sklearnex", "faiss"), AHEAD)
    )


def viterbi(cls):
    models = {}

    def run(X):
        if len(X) not in models:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if cls is HmmlearnHMM:
                    models[len(X)] = cls(2, n_iter=3, random_state=0).fit(X[:5000])
                else:
                    models[len(X)] = cls(2, n_init=1, max_iter=3, random_state=0).fit(X[:5000])
        return models[len(X)].decode(X)

    return run


ARD = {"kernel": gaussian_process.kernels.RBF([1.0] * 5) + gaussian_process.kernels.WhiteKernel(0.1), "random_state": 0}
SMALL = {"kernel": gaussian_process.kernels.RBF() + gaussian_process.kernels.WhiteKernel(0.1), "random_state": 0}


def likelihood(model, data):
    return float(f"{model.log_marginal_likelihood_value_:.5g}")


def process(options):
    def ours(data):
        from novum.kernels import RBF, White

        length = [1.0] * 5 if options is ARD else 1.0
        return fit(novum.gaussian_process.GaussianProcessRegressor, RBF(length) + White(0.1), random_state=0)(data)

    return {"novum": ours, "scikit-learn": fit(gaussian_process.GaussianProcessRegressor, **options)}


def against(name, ours, peers, make, rows, quality=r2, floors=None):
    """Return a case whose peers are all to be beaten by AHEAD."""
    return Case(name, make, {"novum": ours, **peers, **(floors or {})}, quality, rows, dict.fromkeys(peers, AHEAD))


GRAM = {"floor: products of all pairs of columns": gram}
CASES = [
    kmeans_case("floors: k-means, 10 columns, 20 centers", 10, 20, (45_000,)),
    kmeans_case("floors: k-means, 3 columns, 50 centers", 3, 50, (80_000,)),
    kmeans_case("floors: k-means, 24 columns, 64 centers", 24, 64, (40_000,)),
    against(
        "floors: Poisson regression, 30 columns",
        fit(novum.linear_model.PoissonRegressor),
        {"scikit-learn": fit(linear_model.PoissonRegressor, solver="newton-cholesky")},
        counts,
        (120_000,),
    ),
    against(
        "floors: Huber, 25 columns",
        fit(novum.linear_model.HuberRegressor),
        {"scikit-learn": fit(linear_model.HuberRegressor, max_iter=1000)},
        contaminated,
        (50_000,),
    ),
    against(
        "floors: least squares, 50 columns",
        fit(novum.linear_model.LinearRegression),
        {"sklearnex": fit(IntelOLS), "scikit-learn": fit(linear_model.LinearRegression)},
        table(50),
        (25_000,),
        floors=GRAM,
    ),
    against(
        "floors: ridge, 50 columns",
        fit(novum.linear_model.Ridge),
        {"sklearnex": fit(IntelRidge), "scikit-learn": fit(linear_model.Ridge)},
        table(50),
        (25_000,),
        floors=GRAM,
    ),
    against(
        "floors: PCA, 50 columns to 8",
        fit(novum.decomposition.PCA, 8),
        {
            "sklearnex": fit(IntelPCA, 8, svd_solver="covariance_eigh"),
            "scikit-learn": fit(decomposition.PCA, 8, svd_solver="covariance_eigh"),
        },
        lambda n: table(50)(n)[0],
        (25_000,),
        lambda model, X: float(f"{model.explained_variance_.sum():.8g}"),
        GRAM,
    ),
    against(
        "floors: independent components, 10 columns",
        fit(novum.decomposition.FastICA, whiten="unit-variance", random_state=0, max_iter=500),
        {"scikit-learn": fit(decomposition.FastICA, whiten="unit-variance", random_state=0, max_iter=500)},
        mixed,
        (50_000,),
        lambda model, X: float(f"{np.mean(np.log(np.cosh(model.transform(X)))):.4g}"),
    ),
    against(
        "floors: spectral clustering, 8 columns",
        fit(novum.cluster.SpectralClustering, 6, random_state=0),
        {"scikit-learn": fit(cluster.SpectralClustering, 6, random_state=0)},
        groups(8, 6),
        (2_000,),
        lambda model, X: float(len(np.unique(model.labels_))),
    ),
    against(
        "floors: forest of 60 trees, 20 columns",
        fit(novum.ensemble.RandomForestClassifier, 60, random_state=0),
        {
            "sklearnex": fit(IntelForest, 60, random_state=0, n_jobs=-1),
            "scikit-learn": fit(ensemble.RandomForestClassifier, 60, random_state=0, n_jobs=-1),
        },
        classes(20),
        (25_000,),
        lambda model, data: round(float(model.score(*classes(20)(30_000))), 2),
    ),
    against(
        "floors: Viterbi, two states",
        viterbi(novum.sequence.GaussianHMM),
        {"hmmlearn": viterbi(HmmlearnHMM)},
        two_regimes,
        (250_000,),
        lambda found, X: 0.0,
    ),
    Case("floors: Gaussian process, 5 lengths", smooth(5), process(ARD), likelihood, (800,), {"scikit-learn": AHEAD}),
    Case(
        "floors: Gaussian process, one length", smooth(2), process(SMALL), likelihood, (150,), {"scikit-learn": AHEAD}
    ),
]
