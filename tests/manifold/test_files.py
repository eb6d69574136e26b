"""Model files of every setting that keeps other things than the defaults do."""

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_array_equal

import novum
from novum.decomposition import ICA, FastICA
from novum.manifold import MDS, Isomap, PrincipalCurve, SelfOrganizingMap

X = np.random.default_rng(0).laplace(size=(120, 4))
MODELS = [
    MDS(algorithm="classical"),
    MDS(init="random", metric_mds=False, random_state=0, eps=1e-3),
    Isomap(n_neighbors=20, n_landmarks=30, random_state=0),
    Isomap(n_neighbors=20),
    SelfOrganizingMap(3, 4, lattice="hexagonal"),
    PrincipalCurve(span=0.2),
    ICA(density="sech"),
    ICA(3, density="sech", orthogonal=True),
    FastICA(random_state=0, n_components=3),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_a_saved_model_says_the_same(model, tmp_path):
    fitted = model.fit(X)
    novum.save(fitted, tmp_path / "model.novum")
    assert_array_equal(novum.load(tmp_path / "model.novum").transform(X[:9]), fitted.transform(X[:9]))


def test_a_map_of_sparse_rows(tmp_path):
    rows = scipy.sparse.csr_array(X)
    fitted = Isomap(n_neighbors=20).fit(rows)
    novum.save(fitted, tmp_path / "model.novum")
    assert_array_equal(novum.load(tmp_path / "model.novum").transform(rows[:9]), fitted.transform(rows[:9]))
