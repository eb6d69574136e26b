"""Isomap: unrolled rolls, scikit-learn's map, landmarks, pieces that do not hang together."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.manifold
from numpy.testing import assert_allclose
from sklearn.datasets import make_s_curve, make_swiss_roll

from novum.exceptions import DataWarning, ParameterError
from novum.manifold import Isomap
from novum.neighbors import NearestNeighbors

ROLL, ANGLE = make_swiss_roll(800, random_state=0)


@pytest.mark.notes("003", "reducers-named")
def test_a_roll_is_unrolled():
    model = Isomap(n_neighbors=10).fit(ROLL)
    along = 0.5 * (ANGLE * np.sqrt(1 + ANGLE**2) + np.arcsinh(ANGLE))  # length along the spiral
    columns = np.column_stack([model.embedding_, np.ones(len(ROLL))])
    for truth, least in ((along, 0.995), (ROLL[:, 1], 0.98)):
        rest = truth - columns @ np.linalg.lstsq(columns, truth, rcond=None)[0]
        assert 1 - rest.var() / truth.var() > least
    assert_allclose(model.embedding_[:, 0].std(), along.std(), rtol=0.05)  # in the units of the rows
    assert model.trustworthiness() > 0.995


@pytest.mark.notes("003", "reducers-named")
@pytest.mark.parametrize(
    "options",
    [
        {"n_neighbors": 8},
        {"n_neighbors": None, "radius": 4.0},
        {"metric": "manhattan", "n_neighbors": 8},
        {"n_components": 4, "n_neighbors": 9},
    ],
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_same_map_as_scikit_learn(options, dtype):
    X = ROLL[:400].astype(dtype)
    ours, theirs = Isomap(**options).fit(X[:350]), sklearn.manifold.Isomap(**options).fit(X[:350])
    tolerance = 1e-7 if dtype == np.float64 else 2e-3
    assert_allclose(ours.dist_matrix_, theirs.dist_matrix_, rtol=1e-5 if dtype == np.float32 else 1e-12)
    assert_allclose(
        np.abs(ours.embedding_), np.abs(theirs.embedding_), atol=tolerance * np.abs(theirs.embedding_).max()
    )
    assert_allclose(np.abs(ours.transform(X[350:])), np.abs(theirs.transform(X[350:])), atol=tolerance * 50)
    assert_allclose(
        ours.reconstruction_error(), theirs.reconstruction_error(), rtol=1e-3 if dtype == np.float32 else 1e-6
    )
    assert ours.embedding_.dtype == dtype
    assert ours.transform(X[350:]).dtype == dtype


def test_landmarks_make_nearly_the_same_map():
    full = Isomap(n_neighbors=10).fit(ROLL)
    few = Isomap(n_neighbors=10, n_landmarks=80, random_state=0).fit(ROLL)
    assert few.dist_matrix_.shape == (800, 80)
    assert_allclose(few.dist_matrix_, full.dist_matrix_[:, few.landmarks_], rtol=1e-12)
    for j in range(2):
        assert abs(np.corrcoef(few.embedding_[:, j], full.embedding_[:, j])[0, 1]) > 0.99
    assert_allclose(few.transform(ROLL[:50]), few.embedding_[:50], atol=1e-9)
    assert_allclose(Isomap(n_neighbors=10, n_landmarks=800).fit(ROLL).embedding_, full.embedding_, atol=1e-9)


def test_pieces_are_joined_aloud():
    far = np.concatenate([ROLL[:60], ROLL[60:120] + 1000])
    with pytest.warns(DataWarning, match=r"connected components of the neighbors graph is 2 > 1"):
        ours = Isomap().fit(far)
    with pytest.warns():  # of the pieces, and of the sparse format that it fills
        theirs = sklearn.manifold.Isomap().fit(far)
    assert_allclose(ours.dist_matrix_, theirs.dist_matrix_, rtol=1e-10)


def test_trees_searches_frames_and_sparse_rows():
    X, _ = make_s_curve(150, random_state=0)
    plain = Isomap().fit_transform(X)
    assert_allclose(np.abs(Isomap().fit(scipy.sparse.csr_array(X)).embedding_), np.abs(plain), atol=1e-8)
    assert_allclose(Isomap().fit(NearestNeighbors().fit(X)).embedding_, plain, atol=1e-10)
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abc"))
    model = Isomap().set_output(transform="pandas").fit(frame)
    assert list(model.transform(frame).columns) == ["isomap0", "isomap1"]
    assert list(model.feature_names_in_) == list("abc")


def test_refusals():
    with pytest.raises(ParameterError, match="Both n_neighbors and radius"):
        Isomap(radius=1.0).fit(ROLL)
    with pytest.raises(ParameterError, match="both None"):
        Isomap(n_neighbors=None).fit(ROLL)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        Isomap().fit(np.where(ROLL > 10, np.nan, ROLL))
    with pytest.raises(ParameterError, match="row 0 has no training row within radius=5"):
        Isomap(n_neighbors=None, radius=5.0).fit(ROLL).transform([[1e3, 1e3, 1e3]])


@pytest.mark.parametrize("metric", ["minkowski", "manhattan", "precomputed"])
def test_parts_are_joined_far_from_zero_and_where_rows_coincide(metric):
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.integers(-9, 9, size=(20, 3)) + shift for shift in (0.0, 60, -90)])
    far, few = (
        rows + 1e9,
        np.repeat(rows[:4], 30, axis=0),
    )  # products of rows lose all digits there; distances of zero join

    def fitted(X):
        X = np.abs(X[:, None] - X[None]).sum(axis=2) if metric == "precomputed" else X
        with pytest.warns(DataWarning, match="connected components"):
            return Isomap(metric=metric).fit(X)

    assert_allclose(fitted(far).dist_matrix_, fitted(rows).dist_matrix_, rtol=1e-12)
    paths = fitted(few).dist_matrix_
    assert np.isfinite(paths).all() and (paths[:30, :30] == 0).all() and (paths[:30, 30:] > 0).all()
