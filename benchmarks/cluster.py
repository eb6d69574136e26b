"""k-means against scikit-learn, scikit-learn-intelex and faiss: same start, same fixed number of iterations; quality: inertia."""

import faiss
import numpy as np
from sklearn.cluster import KMeans as SklearnKMeans
from sklearnex.cluster import KMeans as IntelKMeans

from benchmarks.harness import Case
from novum.cluster import KMeans

CLUSTERS, ITERATIONS = 100, 20


def maker(d, dtype, blobs):
    def make(n):
        rng = np.random.default_rng(0)
        if blobs:
            middle = rng.uniform(-10, 10, (CLUSTERS, d))
            X = middle[rng.integers(CLUSTERS, size=n)] + rng.normal(size=(n, d))
        else:
            X = rng.uniform(size=(n, d))
        X = X.astype(dtype)
        return X, X[rng.choice(n, CLUSTERS, replace=False)]

    return make


def ours_or_sklearn(cls, **options):
    def run(data):
        X, start = data
        return cls(CLUSTERS, init=start, n_init=1, max_iter=ITERATIONS, tol=0.0, **options).fit(X)

    return run


def faiss_fit(data):
    X, start = data
    model = faiss.Kmeans(
        X.shape[1], CLUSTERS, niter=ITERATIONS, nredo=1, max_points_per_centroid=10**9, min_points_per_centroid=1
    )
    model.train(X.astype(np.float32), init_centroids=start.astype(np.float32))
    return model.centroids


def inertia(model, data):
    centers = model if isinstance(model, np.ndarray) else model.cluster_centers_
    rows = data[0][:20_000].astype(np.float64)
    square = (
        (rows**2).sum(1)[:, None] - 2 * rows @ centers.T.astype(np.float64) + (centers.astype(np.float64) ** 2).sum(1)
    )
    return float(f"{square.min(axis=1).sum():.6g}")


def case(name, d, dtype, blobs, rows, bar):
    peers = {
        "novum": ours_or_sklearn(KMeans),
        "scikit-learn": ours_or_sklearn(SklearnKMeans),
        "scikit-learn elkan": ours_or_sklearn(SklearnKMeans, algorithm="elkan"),
        "sklearnex": ours_or_sklearn(IntelKMeans),
    }
    if dtype == np.float32:
        peers["faiss"] = faiss_fit
    return Case(name, maker(d, dtype, blobs), peers, inertia, rows, dict.fromkeys(list(peers)[1:], bar))


LARGE, FLAT = (15_000, 60_000, 240_000), (25_000, 100_000, 400_000)
CASES = [
    case("k-means 32 columns float32, blobs", 32, np.float32, True, LARGE, 1.3),
    case("k-means 32 columns float64, blobs", 32, np.float64, True, LARGE, 1.3),
    case("k-means 32 columns float32, uniform", 32, np.float32, False, LARGE, 1.3),
    case("k-means 2 columns float32, blobs", 2, np.float32, True, FLAT, 5.0),
    case("k-means 2 columns float64, blobs", 2, np.float64, True, FLAT, 5.0),
    case("k-means 2 columns float32, uniform", 2, np.float32, False, FLAT, 5.0),
]
