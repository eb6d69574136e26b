"""Nearest neighbors against scikit-learn, scikit-learn-intelex, faiss (flat) and nanoflann; quality: mean distance of the k-th."""

import faiss
import numpy as np
import pynanoflann
import sklearn.neighbors as peer
import sklearnex.neighbors as intel

from benchmarks.harness import Case
from novum import neighbors

QUERIES, K = 4_000, 10
TREE_QUERIES, TREE_K = 50_000, 5


def make_wide(dtype, d=64):
    def make(n):
        rng = np.random.default_rng(0)
        X, Q = rng.normal(size=(n, d)).astype(dtype), rng.normal(size=(QUERIES, d)).astype(dtype)
        y = (X[:, :5].sum(1) > 0).astype(int) + 2 * (X[:, 5] > 0)
        return X, y, Q

    return make


def make_flat(n, d=3):
    rng = np.random.default_rng(0)
    return rng.uniform(size=(n, d)), rng.integers(3, size=n), rng.uniform(size=(TREE_QUERIES, d))


def searched(module, k, **settings):
    """Return a contestant that fits and asks for the k nearest."""

    def run(data):
        return module.NearestNeighbors(n_neighbors=k, **settings).fit(data[0]).kneighbors(data[2])[0]

    return run


def voted(module, **settings):
    def run(data):
        return module.KNeighborsClassifier(TREE_K, **settings).fit(*data[:2]).predict(data[2])

    return run


def flat_index(data):
    X, Q = (np.ascontiguousarray(rows, dtype=np.float32) for rows in data[::2])
    index = faiss.IndexFlatL2(X.shape[1])
    index.add(X)
    return np.sqrt(index.search(Q, K)[0])


def nanoflann(data):
    tree = pynanoflann.KDTree(metric="L2", leaf_size=10)
    tree.fit(data[0])
    return tree.kneighbors(data[2], TREE_K, n_jobs=2)[0]


def last(result, data):
    return float(f"{np.asarray(result)[:, -1].mean():.6g}")


def share(result, data):
    return float(f"{np.mean(result):.4g}")


def scans(dtype):
    peers = {
        "novum": searched(neighbors, K, algorithm="brute"),
        "scikit-learn": searched(peer, K, algorithm="brute"),
        "sklearnex": searched(intel, K, algorithm="brute"),
        "faiss": flat_index,
    }
    bars = {"scikit-learn": 3.0, "sklearnex": 1.0, "faiss": 1.0}
    name = f"k-NN brute 64 columns {np.dtype(dtype).name}"
    return Case(name, make_wide(dtype), peers, last, (15_000, 30_000, 60_000), bars)


CASES = [
    scans(np.float32),
    scans(np.float64),
    Case(
        "k-NN k-d tree 3 columns",
        make_flat,
        {
            "novum": searched(neighbors, TREE_K, algorithm="kd_tree"),
            "scikit-learn": searched(peer, TREE_K, algorithm="kd_tree", n_jobs=2),
            "nanoflann": nanoflann,
        },
        last,
        (50_000, 100_000, 200_000),
        {"scikit-learn": 3.0},
    ),
    Case(
        "KNeighborsClassifier 64 columns float32",
        make_wide(np.float32),
        {
            "novum": voted(neighbors),
            "scikit-learn": voted(peer, n_jobs=2),
            "sklearnex": voted(intel, n_jobs=2),
        },
        share,
        (15_000, 30_000, 60_000),
        {"scikit-learn": 1.0, "sklearnex": 1.0},
    ),
    Case(
        "KNeighborsClassifier 3 columns",
        make_flat,
        {"novum": voted(neighbors), "scikit-learn": voted(peer, n_jobs=2)},
        share,
        (50_000, 100_000, 200_000),
        {"scikit-learn": 3.0},
    ),
    Case(
        "KernelDensity gaussian 2 columns",
        lambda n: (
            np.random.default_rng(0).normal(size=(n, 2)),
            None,
            np.random.default_rng(1).normal(size=(1_000, 2)),
        ),
        {
            "novum": lambda data: neighbors.KernelDensity(bandwidth=0.2).fit(data[0]).score_samples(data[2])[:, None],
            "scikit-learn": lambda data: peer.KernelDensity(bandwidth=0.2).fit(data[0]).score_samples(data[2])[:, None],
        },
        last,
        (2_500, 5_000, 10_000),
        {"scikit-learn": 3.0},
    ),
]
