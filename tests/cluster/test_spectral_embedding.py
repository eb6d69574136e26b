"""Rows of eigenvectors of a graph's Laplacian against a decomposition of the whole matrix."""

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose

from novum.cluster import SpectralClustering
from novum.cluster import spectral_embedding as embedding
from novum.exceptions import DataWarning

pytestmark = pytest.mark.filterwarnings("ignore::novum.exceptions.DataWarning")


def neighbors(n, parts, seed=0):
    """Return affinities of points on a plane in so many parts that nothing links."""
    rng = np.random.default_rng(seed)
    where = rng.normal(size=(n, 2))
    square = ((where[:, None] - where[None]) ** 2).sum(axis=2)
    affinity = np.where(square < 0.35, np.exp(-square), 0.0) + 1e-3 * (square < 4)
    part = np.arange(n) % parts
    return np.where(part[:, None] == part, affinity, 0.0)


def laplacian(affinity):
    off = affinity - np.diag(np.diag(affinity))
    degree = off.sum(axis=0)
    return np.eye(len(off)) - off / np.sqrt(np.outer(degree, degree)), np.sqrt(degree)


@pytest.mark.parametrize("solver", [None, "lobpcg"])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("parts", [1, 3, 5])
def test_embedding_is_the_least_eigenvectors(parts, sparse, solver):
    affinity = neighbors(330, parts)
    L, root = laplacian(affinity)
    expected = np.linalg.eigvalsh(L)[:5]
    given = scipy.sparse.csr_matrix(affinity) if sparse else affinity
    U = embedding.embedding_of(given, 5, solver, 0.0, 0) * root[:, None]
    assert_allclose(U.T @ U, np.eye(5), atol=1e-5 if solver else 1e-10)
    assert_allclose(np.linalg.eigvalsh(U.T @ L @ U), expected, atol=1e-5 if solver else 1e-10)
    if solver is None:
        assert_allclose(L @ U, U @ (U.T @ L @ U), atol=1e-9)


def test_more_components_than_clusters_stay_apart():
    affinity = neighbors(400, 8)
    U = embedding.embedding_of(affinity, 3, None, 0.0, 0)
    points = U[:8]
    assert_allclose(U, points[np.arange(400) % 8], atol=1e-12)  # constant on a component
    assert np.unique(points.round(6), axis=0).shape == (8, 3)


def test_factors_take_over_where_restarts_do_not_end(monkeypatch):
    affinity = scipy.sparse.csr_matrix(scipy.sparse.diags([np.ones(599)] * 2, [-1, 1]))  # a chain: no gaps to speak of
    monkeypatch.setattr(embedding, "RESTARTED", 1)
    L, root = laplacian(affinity.toarray())
    U = embedding.embedding_of(affinity, 4, None, 0.0, 0) * root[:, None]
    assert_allclose(np.diag(U.T @ L @ U), np.linalg.eigvalsh(L)[:4], atol=1e-12)


def test_nodes_without_links_are_left_to_lapack():
    affinity = np.zeros((300, 300))
    affinity[:298, :298] = neighbors(298, 2)
    with pytest.warns(DataWarning, match="not fully connected"):
        labels = SpectralClustering(2, affinity="precomputed", random_state=0).fit(affinity).labels_
    assert len(set(labels[:298:2])) == len(set(labels[1:298:2])) == 1 and labels[0] != labels[1]


@pytest.mark.parametrize("n", [3, 512, 700])
def test_symmetry_is_found_tile_by_tile(n):
    A = np.random.default_rng(0).normal(size=(n, n))
    A = A + A.T
    assert embedding.symmetric(A)
    A[n - 1, 0] += 1e-9
    assert not embedding.symmetric(A)
