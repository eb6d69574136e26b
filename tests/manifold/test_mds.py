"""Scaling: known configurations, scikit-learn's steps, new rows, refusals."""

import warnings

import numpy as np
import pytest
import sklearn.manifold
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial import procrustes
from scipy.spatial.distance import pdist, squareform

import novum
from novum.exceptions import DataError, NotConverged, ParameterError
from novum.manifold import MDS, ClassicalMDS, smacof, trustworthiness

RNG = np.random.default_rng(0)
PLANE = RNG.normal(size=(40, 2)) * [3, 1]
X = RNG.normal(size=(60, 5))


@pytest.mark.notes("004", "mds-named")
@pytest.mark.parametrize("algorithm", ["smacof", "classical"])
def test_distances_of_the_plane_give_the_points_back(algorithm):
    D = squareform(pdist(PLANE))
    model = MDS(metric="precomputed", algorithm=algorithm, init="classical_mds", eps=1e-14, max_iter=3000).fit(D)
    assert_allclose(squareform(pdist(model.embedding_)), D, atol=1e-6)
    assert_allclose(model.stress_, 0, atol=1e-9)
    assert procrustes(PLANE, model.embedding_)[2] < 1e-12
    assert_allclose(model.transform(D[:5]), model.embedding_[:5], atol=1e-6)


@pytest.mark.notes("004", "mds-named")
@pytest.mark.parametrize("metric_mds", [True, False])
@pytest.mark.parametrize("normalized_stress", [True, False])
def test_the_same_steps_as_scikit_learn(metric_mds, normalized_stress):
    options = {
        "metric_mds": metric_mds,
        "normalized_stress": normalized_stress,
        "random_state": 3,
        "n_init": 2,
        "init": "random",
    }
    ours, theirs = MDS(**options).fit(X), sklearn.manifold.MDS(**options).fit(X)
    assert ours.n_iter_ == theirs.n_iter_
    assert_allclose(ours.stress_, theirs.stress_, rtol=1e-9)
    assert_allclose(ours.embedding_, theirs.embedding_, rtol=1e-6, atol=1e-7)


def test_the_function_of_scikit_learn():
    D = squareform(pdist(X))
    for metric in (True, False):
        ours = smacof(D, metric=metric, random_state=1, return_n_iter=True, eps=1e-4)
        theirs = sklearn.manifold.smacof(D, metric=metric, random_state=1, return_n_iter=True, eps=1e-4)
        assert ours[2] == theirs[2]
        assert_allclose(ours[0], theirs[0], rtol=1e-7, atol=1e-8)
        assert_allclose(ours[1], theirs[1], rtol=1e-10)


def test_stress_never_rises_and_is_that_of_the_map():
    model = MDS(init="random", random_state=0, eps=0.0, max_iter=60).fit(X)
    assert (np.diff(model.history_) <= 1e-9).all()
    assert_allclose(model.stress_, ((pdist(model.embedding_) - pdist(X)) ** 2).sum(), rtol=1e-12)
    classical = MDS(algorithm="classical").fit(X)
    theirs = sklearn.manifold.ClassicalMDS().fit(X)
    assert_allclose(np.abs(classical.embedding_), np.abs(theirs.embedding_), atol=1e-10)
    assert_allclose(classical.eigenvalues_, theirs.eigenvalues_, rtol=1e-10)
    assert_allclose(classical.stress_, ((pdist(classical.embedding_) - pdist(X)) ** 2).sum(), rtol=1e-12)


@pytest.mark.parametrize(
    "options", [{"init": "classical_mds"}, {"algorithm": "classical"}, {"metric": "cityblock", "init": "random"}]
)
def test_new_rows_lie_beside_their_like(options):
    model = MDS(eps=1e-10, max_iter=2000, random_state=0, **options).fit(X)
    near = model.transform(X[:20] + 1e-6)
    assert_allclose(near, model.embedding_[:20], atol=1e-2)
    pulled = MDS(metric_mds=False, init="classical_mds", eps=1e-9, max_iter=2000).fit(X)
    assert np.corrcoef(pulled.transform(X)[:, 0], pulled.embedding_[:, 0])[0, 1] > 0.95


def test_a_new_row_minimises_its_own_stress():
    model = MDS(init="classical_mds").fit(X)
    row = RNG.normal(size=(1, 5))
    place = model.transform(row)[0]
    target = np.linalg.norm(X - row, axis=1)

    def stress(z):
        return ((np.linalg.norm(model.embedding_ - z, axis=1) - target) ** 2).sum()

    for step in np.eye(2) * 1e-3:
        assert stress(place) < stress(place + step) and stress(place) < stress(place - step)


def test_trustworthiness():
    Z = MDS(algorithm="classical").fit(X)
    for k in (1, 5, 12):
        assert_allclose(
            trustworthiness(X, Z.embedding_, n_neighbors=k),
            sklearn.manifold.trustworthiness(X, Z.embedding_, n_neighbors=k),
            rtol=1e-12,
        )
    assert_allclose(Z.trustworthiness(), sklearn.manifold.trustworthiness(X, Z.embedding_), rtol=1e-12)
    ties = np.repeat(np.arange(12.0), 2)[:, None]
    assert trustworthiness(ties, ties, n_neighbors=3) == 1.0
    with pytest.raises(ParameterError, match=r"n_neighbors \(30\) should be less than n_samples / 2"):
        trustworthiness(X, Z.embedding_, n_neighbors=30)


def test_refusals():
    with pytest.raises(DataError, match="numbers >= 0, got -1"):
        MDS(metric="precomputed", init="random").fit([[0.0, -1], [-1, 0]])
    with pytest.raises(ValueError, match="symmetric"):
        MDS(metric="precomputed", init="random").fit([[0.0, 1], [2, 0]])
    with pytest.raises(ValueError, match="square"):
        MDS(metric="precomputed", init="random").fit([[0.0, 1, 2], [2, 0, 3]])
    with pytest.raises(ParameterError, match="metric_mds=False needs algorithm='smacof'"):
        MDS(algorithm="classical", metric_mds=False).fit(X)
    with pytest.raises(ParameterError, match="metric"):
        MDS(metric="no such thing", init="random").fit(X)
    with pytest.raises(DataError, match="must be in memory"):
        da = pytest.importorskip("dask.array")
        MDS(init="random").fit(da.from_array(X))
    with pytest.warns(FutureWarning, match="default value of `init`"):
        MDS(eps=0.0, max_iter=5, n_init=1, random_state=0).fit(X)


def test_the_class_of_scikit_learn():
    for options in ({}, {"n_components": 4}, {"metric": "cityblock"}):
        ours, theirs = ClassicalMDS(**options).fit(X), sklearn.manifold.ClassicalMDS(**options).fit(X)
        assert_allclose(ours.embedding_, theirs.embedding_, atol=1e-9)
        assert ours.get_params() == theirs.get_params()


def test_numbers_too_large_and_too_few_steps_are_reported():
    X = np.random.default_rng(0).normal(size=(40, 5))
    with pytest.raises(DataError, match=r"MDS: X holds numbers up to .*e\+200, and sums of their squares overflow"):
        MDS(n_init=1, init="random").fit(X * 1e200)
    with pytest.warns(NotConverged, match=r"after max_iter=3 steps; raise max_iter"):
        MDS(n_init=1, init="random", max_iter=3, random_state=0).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error", NotConverged)
        MDS(n_init=1, init="random", max_iter=3, eps=0, random_state=0).fit(X)  # as many as were requested
        MDS(n_init=1, init="classical_mds").fit(np.ones((5, 2)))


def test_classical_scaling_under_its_other_name_is_saved(tmp_path):
    X = np.random.default_rng(0).normal(size=(20, 4))
    model = ClassicalMDS(3).fit(X)
    novum.save(model, tmp_path / "map")
    loaded = novum.load(tmp_path / "map")
    assert type(loaded) is ClassicalMDS
    assert_array_equal(loaded.transform(X), model.transform(X))
