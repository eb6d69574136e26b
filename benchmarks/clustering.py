"""Trees of clusters, density, medoids, mini-batches and silhouettes beside the packages that do them best, at equal quality."""

import fastcluster
import genieclust
import kmedoids
import numpy as np
from sklearn import cluster as sklearn_cluster
from sklearn.metrics import adjusted_rand_score, pairwise_distances
from sklearn.metrics import silhouette_score as sklearn_silhouette

from benchmarks.harness import Case
from novum import cluster

MATRIX_SIZES, VECTOR_SIZES = (2_500, 5_000, 10_000), (5_000, 10_000, 20_000)
DENSITY_SIZES = (10_000, 20_000, 40_000)


def rows(d, blobs):
    def make(n):
        rng = np.random.default_rng(0)
        if not blobs:
            return rng.uniform(size=(n, d))
        return rng.normal(size=(n, d)) + 20 * rng.normal(size=(15, d))[rng.integers(15, size=n)]

    return make


def heights(tree, _):
    return float(f"{np.asarray(tree)[:, 2].sum():.9g}")


def matrix_linkage(method):
    runs = {
        "novum": lambda X: cluster.linkage(X, method),
        "fastcluster": lambda X: fastcluster.linkage(X, method),
    }
    return Case(f"{method} linkage 10 columns", rows(10, True), runs, heights, MATRIX_SIZES, {"fastcluster": 1.0})


def vector_linkage(method, d, bar):
    runs = {
        "novum": lambda X: cluster.linkage(X, method),
        "fastcluster vectors": lambda X: fastcluster.linkage_vector(X, method),
    }
    if method == "single":
        runs["genieclust"] = lambda X: genieclust.Genie(n_clusters=1, gini_threshold=1.0).fit(X)
    bars = {"fastcluster vectors": bar}

    def quality(tree, data):
        found = tree.distances_ if hasattr(tree, "distances_") else np.asarray(tree)[:, 2]
        return float(f"{np.sum(found):.6g}")

    return Case(f"{method} linkage {d} columns, no matrix", rows(d, True), runs, quality, VECTOR_SIZES, bars)


def dbscan(d, blobs, eps):
    runs = {
        "novum": lambda X: cluster.DBSCAN(eps).fit(X).labels_,
        "scikit-learn": lambda X: sklearn_cluster.DBSCAN(eps=eps, n_jobs=2).fit(X).labels_,
    }
    kind = "clustered" if blobs else "uniform"

    def quality(labels, _):  # clusters, and the share of noise behind the point
        return float(labels.max() + 1 + (labels < 0).mean())

    return Case(f"DBSCAN {d} columns, {kind}", rows(d, blobs), runs, quality, DENSITY_SIZES, {"scikit-learn": 5.0})


def hdbscan(d):
    runs = {
        "novum": lambda X: cluster.HDBSCAN().fit(X).labels_,
        "scikit-learn": lambda X: sklearn_cluster.HDBSCAN(copy=False, n_jobs=2).fit(X).labels_,
    }

    def quality(labels, X):  # reachabilities tie: clusters agree but for a few rows
        return round(adjusted_rand_score(labels, cluster.HDBSCAN().fit(X).labels_), 1)

    return Case(f"HDBSCAN {d} columns", rows(d, True), runs, quality, (4_000, 8_000, 16_000), {"scikit-learn": 3.0})


def labelled(n):
    X = rows(10, True)(n)
    return X, np.random.default_rng(1).integers(10, size=n)


def distances(n):
    X = rows(10, True)(n)
    return pairwise_distances(X), np.random.default_rng(1).choice(n, 20, replace=False)


def batches(n):
    X = rows(20, True)(n)
    return X, X[:50]


def mini_batch(model):
    def run(data):
        X, start = data
        return model(
            50, init=start, n_init=1, max_iter=2, max_no_improvement=None, reassignment_ratio=0.0, random_state=0
        ).fit(X)

    return run


CASES = [
    *(matrix_linkage(method) for method in ("complete", "average")),
    vector_linkage("ward", 10, 1.0),
    vector_linkage("single", 10, 2.0),
    vector_linkage("single", 2, 2.0),
    *(dbscan(d, False, eps) for d, eps in ((2, 0.01), (5, 0.1), (10, 0.4))),
    *(dbscan(d, True, eps) for d, eps in ((2, 0.15), (5, 0.8), (10, 2.0))),
    *(hdbscan(d) for d in (2, 10)),
    Case(
        "silhouette 10 columns",
        labelled,
        {
            "novum": lambda data: cluster.silhouette_score(*data),
            "scikit-learn": lambda data: sklearn_silhouette(*data),
        },
        lambda score, _: float(f"{score:.9g}"),
        (2_500, 5_000, 10_000),
        {"scikit-learn": 5.0},
    ),
    Case(
        "mini-batch k-means, 50 clusters, two epochs",
        batches,
        {"novum": mini_batch(cluster.MiniBatchKMeans), "scikit-learn": mini_batch(sklearn_cluster.MiniBatchKMeans)},
        lambda model, _: float(f"{model.inertia_:.1g}"),
        (25_000, 50_000, 100_000),
        {"scikit-learn": 3.0},
    ),
    Case(
        "k-medoids, 20 clusters",
        distances,
        {
            "novum": lambda data: cluster.KMedoids(20, metric="precomputed", init=data[1]).fit(data[0]).inertia_,
            "kmedoids": lambda data: kmedoids.fasterpam(data[0], data[1].astype(np.uint64), n_cpu=2).loss,
        },
        lambda loss, _: float(f"{loss:.2g}"),
        (1_000, 2_000, 4_000),
        {"kmedoids": 1.0},
    ),
]
