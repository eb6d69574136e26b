"""A sparse graph that holds every distance gives what the dense matrix gives, through every door that takes one."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics import pairwise_distances

import novum
from novum.cluster import DBSCAN, HDBSCAN, SpectralClustering
from novum.manifold import Isomap
from novum.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestNeighbors,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
)

pytestmark = pytest.mark.filterwarnings("ignore:Precomputed sparse input was not sorted")


def matrices(seed, n=40):
    rng = np.random.default_rng(seed)
    X = np.concatenate([rng.normal(size=(n // 2, 3)), rng.normal(4.0, 1.0, size=(n - n // 2, 3))])
    dense = pairwise_distances(X)
    np.fill_diagonal(dense, 0)
    row, column = np.divmod(rng.permutation(n * n), n)
    shuffled = sp.coo_array((dense[row, column], (row, column)), dense.shape)
    by_distance = sp.csr_array(
        (np.sort(dense).ravel(), np.argsort(dense, kind="stable").ravel(), np.arange(0, n * n + 1, n)), dense.shape
    )
    return rng, dense, {"coo": shuffled, "csr": shuffled.tocsr(), "csc": shuffled.tocsc(), "sorted": by_distance}


FORMS = ("coo", "csr", "csc", "sorted")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("form", FORMS)
def test_neighbors_of_graphs(seed, form):
    rng, dense, graphs = matrices(seed)
    k = int(rng.integers(1, 12))
    plain = NearestNeighbors(n_neighbors=k, radius=2.0, metric="precomputed").fit(dense)
    found = NearestNeighbors(n_neighbors=k, radius=2.0, metric="precomputed").fit(graphs[form].copy())
    for query, twin in ((None, None), (graphs[form].copy(), dense)):
        for ours, right in zip(found.kneighbors(query), plain.kneighbors(twin), strict=True):
            assert_array_equal(ours, right)
        assert_array_equal(found.kneighbors_graph(query).toarray(), plain.kneighbors_graph(twin).toarray())
        ours = found.radius_neighbors_graph(query, mode="distance").toarray()
        assert_array_equal(ours, plain.radius_neighbors_graph(twin, mode="distance").toarray())


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "model",
    [
        KNeighborsClassifier(4, weights="distance", metric="precomputed"),
        KNeighborsRegressor(3, metric="precomputed"),
        RadiusNeighborsClassifier(2.5, metric="precomputed", outlier_label="most_frequent"),
        RadiusNeighborsRegressor(5.0, metric="precomputed"),
    ],
    ids=lambda model: type(model).__name__,
)
def test_predictions_of_graphs(model, form, tmp_path):
    rng, dense, graphs = matrices(5)
    y = rng.integers(3, size=len(dense)) if hasattr(model, "predict_proba") else rng.normal(size=len(dense))
    plain, found = clone(model).fit(dense, y), clone(model).fit(graphs[form].copy(), y)
    novum.save(found, tmp_path / "model.novum")
    again = novum.load(tmp_path / "model.novum")
    for fitted in (found, again):
        assert_allclose(fitted.predict(None), plain.predict(None), rtol=1e-12)
        assert_allclose(fitted.predict(graphs[form].copy()), plain.predict(dense), rtol=1e-12)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "model",
    [
        DBSCAN(eps=1.2, metric="precomputed"),
        HDBSCAN(metric="precomputed", min_cluster_size=4),
        SpectralClustering(2, affinity="precomputed_nearest_neighbors", n_neighbors=25, random_state=0),
        Isomap(n_neighbors=25, metric="precomputed"),
    ],
    ids=lambda model: type(model).__name__,
)
def test_learners_on_graphs(model, form):
    _, dense, graphs = matrices(7)
    plain, found = clone(model).fit(dense), clone(model).fit(graphs[form].copy())
    if isinstance(model, Isomap):
        assert_allclose(np.abs(found.embedding_), np.abs(plain.embedding_), atol=1e-8)
    else:
        assert_array_equal(found.labels_, plain.labels_)


@pytest.mark.parametrize("cls", [KNeighborsClassifier, KNeighborsRegressor])
def test_too_many_neighbors_of_sparse_rows_are_named(cls):
    X = sp.csr_array(np.eye(4))
    with pytest.raises(ValueError, match="n_neighbors = 9, n_samples_fit = 4, n_samples = 4"):
        cls(9).fit(X, [0, 1, 0, 1]).predict(X)
