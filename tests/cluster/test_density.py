"""DBSCAN and HDBSCAN against their definitions and scikit-learn's classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse.csgraph import minimum_spanning_tree
from sklearn import cluster as peer
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

import novum
from novum.cluster import DBSCAN, HDBSCAN, KMeans, dbscan
from novum.exceptions import DataError, ParameterError

RNG = np.random.default_rng(0)


def by_definition(X, eps, need, weight):
    """Return the labels of DBSCAN: cores, their components, then borders in the order of the clusters."""
    near = np.linalg.norm(X[:, None] - X[None], axis=2) <= eps
    core = near @ weight >= need
    labels = np.full(len(X), -1)
    for i in np.flatnonzero(core):
        if labels[i] >= 0:
            continue
        cluster, open_rows = labels.max() + 1, [i]
        while open_rows:
            j = open_rows.pop()
            if labels[j] < 0:
                labels[j] = cluster
                open_rows += list(np.flatnonzero(near[j] & (labels < 0))) if core[j] else []
    return labels, core


@pytest.mark.notes("004", "dbscan-named")
@pytest.mark.parametrize(("d", "eps"), [(1, 0.01), (2, 0.06), (3, 0.15), (6, 0.5)])
def test_the_definition(d, eps):
    X = RNG.uniform(size=(400, d))
    for weight in (None, RNG.integers(0, 4, 400), RNG.normal(size=400) * 3):
        w = np.ones(400) if weight is None else weight
        labels, core = by_definition(X, eps, 5, w)
        model = DBSCAN(eps).fit(X, sample_weight=weight)
        assert_array_equal(model.labels_, labels)
        assert_array_equal(model.core_sample_indices_, np.flatnonzero(core))


@pytest.mark.notes("004", "dbscan-named")
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "cosine", "canberra"])
def test_scikit_learn_agrees(metric):
    X = make_blobs(700, 4, centers=5, random_state=1)[0].round() / 2  # with ties at the radius, exact in binary
    eps = 0.01 if metric == "cosine" else 1.0
    for min_samples in (1, 4, 50):
        ours = DBSCAN(eps, min_samples=min_samples, metric=metric).fit(X)
        theirs = peer.DBSCAN(eps=eps, min_samples=min_samples, metric=metric).fit(X)
        assert_array_equal(ours.labels_, theirs.labels_)
        assert_allclose(ours.components_, theirs.components_)


def test_moons_that_k_means_cuts():
    X, y = make_moons(300, noise=0.05, random_state=0)
    assert adjusted_rand_score(DBSCAN(0.2).fit(X).labels_, y) == 1
    assert adjusted_rand_score(HDBSCAN().fit(X).labels_, y) == 1
    assert adjusted_rand_score(KMeans(2, random_state=0).fit(X).labels_, y) < 0.6


def test_from_a_file_and_as_a_function(tmp_path):
    X = make_moons(300, noise=0.05, random_state=0)[0]
    np.save(tmp_path / "rows.npy", X)
    assert_array_equal(DBSCAN(0.2).fit(novum.scan(tmp_path / "rows.npy")).labels_, DBSCAN(0.2).fit(X).labels_)
    assert_array_equal(dbscan(X, 0.2)[1], DBSCAN(0.2).fit(X).labels_)


def test_threads_change_nothing():
    X = RNG.uniform(size=(5000, 3))
    assert_array_equal(DBSCAN(0.05, n_jobs=1).fit(X).labels_, DBSCAN(0.05, n_jobs=3).fit(X).labels_)
    assert_array_equal(HDBSCAN(n_jobs=1).fit(X).labels_, HDBSCAN(n_jobs=3).fit(X).labels_)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"cluster_selection_method": "leaf"},
        {"min_samples": 2},
        {"alpha": 1.5},
        {"cluster_selection_epsilon": 0.6},
        {"max_cluster_size": 60},
    ],
)
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_hdbscan_agrees_with_scikit_learn(options, metric):
    X = make_blobs(400, 3, centers=6, random_state=3)[0]
    ours = HDBSCAN(metric=metric, **options).fit(X)
    theirs = peer.HDBSCAN(metric=metric, copy=True, **options).fit(X)
    assert (
        adjusted_rand_score(ours.labels_, theirs.labels_) > 0.97
    )  # reachabilities tie, and scikit-learn's clusters depend on the order
    assert np.mean(np.abs(ours.probabilities_ - theirs.probabilities_)) < 0.02
    shuffled = RNG.permutation(400)
    other = HDBSCAN(metric=metric, **options).fit(X[shuffled])
    assert adjusted_rand_score(other.labels_, ours.labels_[shuffled]) == 1  # the order of rows decides nothing


def test_the_reachability_tree_is_the_least_one():
    X = RNG.normal(size=(300, 2))
    distance = np.linalg.norm(X[:, None] - X[None], axis=2)
    core = np.sort(distance, axis=1)[:, 4]
    reach = np.maximum(distance, np.maximum.outer(core, core))
    expected = np.sort(minimum_spanning_tree(np.triu(reach, 1)).data)
    for algorithm in ("kd_tree", "brute"):
        model = HDBSCAN(algorithm=algorithm).fit(X)
        assert_allclose(np.sort(model._height), expected, rtol=1e-12)


def test_gaps_centers_and_cuts():
    X = make_blobs(200, 2, centers=[[0, 0], [9, 9]], random_state=0)[0]
    X[3, 0], X[5, 1], X[7] = np.nan, np.inf, [np.nan, np.inf]
    model = HDBSCAN(store_centers="both").fit(X)
    assert model.labels_[[3, 5, 7]].tolist() == [-3, -2, -3]
    assert np.isnan(model.probabilities_[3]) and model.probabilities_[5] == 0
    assert_allclose(model.centroids_[np.argsort(model.centroids_[:, 0])], [[0, 0], [9, 9]], atol=0.4)
    assert all(any(np.array_equal(m, x) for x in X) for m in model.medoids_)
    cut = model.dbscan_clustering(1.0)
    assert set(cut[[3, 5, 7]]) == {-3, -2} and cut.max() >= 1


def test_errors():
    with pytest.raises(ParameterError, match="The 'eps' parameter of DBSCAN must be a float in the range"):
        DBSCAN(0).fit([[1.0]])
    with pytest.raises(ParameterError, match=r"min_samples \(5\) must be at most the number of samples"):
        HDBSCAN().fit(np.zeros((3, 2)))
    with pytest.raises(DataError, match="requires more than one sample"):
        HDBSCAN().fit([[1.0], [np.nan]])
    with pytest.raises(ParameterError, match="not a valid metric for a KDTree"):
        HDBSCAN(algorithm="kd_tree", metric="cosine").fit(np.eye(9))
