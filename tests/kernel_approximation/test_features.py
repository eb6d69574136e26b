"""Explicit features of kernels: literal formulas, scikit-learn's classes, every home, linear models behind them."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.kernel_approximation import Nystroem as TheirNystroem
from sklearn.kernel_approximation import RBFSampler as TheirSampler
from sklearn.pipeline import make_pipeline

import novum
from novum import _core
from novum.exceptions import DataError, ParameterError
from novum.kernel_approximation import Nystroem, RBFSampler, nystroem
from novum.kernels import RBF, Constant, Matern, Spectrum
from novum.linear_model import Ridge
from novum.svm import LinearSVC

RNG = np.random.default_rng(0)
X = RNG.normal(size=(1500, 3)) * [1, 2, 0.5] + [0, 5, 0]
NEW = RNG.normal(size=(40, 3)) * [1, 2, 0.5] + [0, 5, 0]
INSIDE = (((X - [0, 5, 0]) / [1, 2, 0.5]) ** 2).sum(axis=1) < 2.4


def test_nystroem_is_the_projection_on_the_landmarks():
    kernel = 0.5 * RBF([1.0, 2.0, 0.7]) + Constant(0.2)
    model = Nystroem(kernel, n_components=25, random_state=0).fit(X)
    Z = model.components_
    assert_allclose(Z, X[model.component_indices_])
    assert len(set(model.component_indices_.tolist())) == 25
    phi, theirs = model.transform(NEW), kernel(NEW, Z)
    assert_allclose(phi @ phi.T, theirs @ np.linalg.inv(kernel(Z)) @ theirs.T, atol=1e-9)
    assert_allclose(model.transform(Z) @ phi.T, kernel(Z, NEW), atol=1e-9)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "poly", "sigmoid", "cosine", "linear"])
def test_nystroem_draws_and_maps_as_scikit_learn(kernel):
    options = {"n_components": 12, "random_state": 5, "gamma": 0.3}
    ours, theirs = (cls(kernel, **options).fit(X) for cls in (Nystroem, TheirNystroem))
    assert (ours.component_indices_ == theirs.component_indices_).all()
    a, b = ours.transform(NEW), theirs.transform(NEW)
    assert_allclose(a @ a.T, b @ b.T, rtol=1e-6, atol=1e-6 * abs(b @ b.T).max())


def test_nystroem_of_a_kernel_matrix_uses_the_columns_of_its_landmarks():
    kernel = Matern(2.0)
    few = X[:60]
    direct = Nystroem(kernel, n_components=10, random_state=1).fit(few)
    model = Nystroem("precomputed", n_components=10, random_state=1).fit(kernel(few))
    assert_allclose(model.transform(kernel(NEW, few)), direct.transform(NEW), atol=1e-10)


def test_nystroem_of_words():
    words = ["abab", "babb", "cabc", "ccc", "acca", "bcbc"]
    phi = Nystroem(Spectrum(2), n_components=6, random_state=0).fit(words).transform(words)
    assert_allclose(phi @ phi.T, Spectrum(2)(words), atol=1e-8)


def test_nystroem_says_what_is_wrong():
    with pytest.raises(ParameterError, match=r"Don't pass gamma, coef0 or degree to Nystroem.*'gamma': 0.5"):
        Nystroem(RBF(), gamma=0.5).fit(X)
    with pytest.warns(UserWarning, match=r"n_components > n_samples.*has 4 rows"):
        assert Nystroem(n_components=9).fit(X[:4]).transform(X).shape == (1500, 4)
    with pytest.raises(DataError, match="square matrix"):
        Nystroem("precomputed").fit(X)


def test_random_features_are_cosines_whose_mean_product_is_the_kernel():
    model = RBFSampler(gamma=0.3, n_components=4000, random_state=0).fit(X)
    W, b = model.random_weights_, model.random_offset_
    assert_allclose(model.transform(NEW), np.sqrt(2 / 4000) * np.cos(NEW @ W + b), atol=1e-12)
    assert_allclose(W.var(), 2 * 0.3, rtol=0.05)
    phi = model.transform(NEW)
    assert abs(phi @ phi.T - RBF(np.sqrt(0.5 / 0.3))(NEW)).max() < 5 * np.sqrt(2 / 4000)


@pytest.mark.parametrize("gamma", [0.7, "scale"])
def test_random_features_are_those_of_scikit_learn(gamma):
    ours, theirs = (cls(gamma=gamma, random_state=3).fit(X) for cls in (RBFSampler, TheirSampler))
    assert_allclose(ours.transform(NEW), theirs.transform(NEW), atol=1e-12)
    sparse = scipy.sparse.csr_matrix(np.where(X > 4, X, 0))
    ours, theirs = (cls(gamma=gamma, random_state=3).fit(sparse) for cls in (RBFSampler, TheirSampler))
    assert_allclose(ours.transform(sparse), theirs.transform(sparse), atol=1e-12)


def test_single_precision_stays():
    for model in (Nystroem(n_components=5, random_state=0), RBFSampler(random_state=0)):
        small = model.fit(X.astype(np.float32)).transform(NEW.astype(np.float32))
        assert small.dtype == np.float32
        assert_allclose(small, model.fit(X).transform(NEW), atol=2e-3)


MAPS = [
    Nystroem(n_components=20, random_state=3),
    Nystroem(Matern(2.0), n_components=20, random_state=3),
    RBFSampler(gamma="scale", n_components=30, random_state=3),
]


@pytest.mark.parametrize("model", MAPS)
def test_features_and_linear_models_from_files_and_on_dask(model, tmp_path):
    """Landmarks do not depend on blocks; what is learned behind them is what memory gives."""
    da = pytest.importorskip("dask.array")
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "y.npy", INSIDE.astype(float))
    scan = novum.scan(tmp_path / "x.npy", target=tmp_path / "y.npy", batch_rows=400)
    other = novum.scan(tmp_path / "x.npy", batch_rows=1000)
    cluster, labels = da.from_array(X, chunks=(500, 3)), da.from_array(INSIDE.astype(float), chunks=500)
    model.fit(scan)
    features = model.transform(X)
    if isinstance(model, Nystroem):
        assert_allclose(model.components_, X[model.component_indices_])
        assert (model.fit(other).component_indices_ == model.fit(cluster).component_indices_).all()
    assert_allclose(np.concatenate(list(model.transform(scan))), features, atol=1e-12)
    assert_allclose(np.asarray(model.fit(cluster).transform(cluster)), features, atol=1e-10)
    for linear in (LinearSVC(tol=1e-9), Ridge(1e-3)):
        here = linear.fit(features, INSIDE.astype(float)).coef_
        assert_allclose(linear.fit(scan.through(model)).coef_, here, rtol=1e-6, atol=1e-6 * abs(here).max())
        pipeline = make_pipeline(model, linear).fit(cluster, labels)
        assert_allclose(pipeline[-1].coef_, here, rtol=1e-6, atol=1e-6 * abs(here).max())
    assert np.mean((np.asarray(pipeline.predict(cluster)) > 0.5) == INSIDE) > 0.85


def test_saved_and_loaded(tmp_path):
    for model in MAPS:
        model.fit(X)
        novum.save(model, tmp_path / "m.novum")
        assert (novum.load(tmp_path / "m.novum").transform(NEW) == model.transform(NEW)).all()


@pytest.mark.parametrize("dtype, atol", [(np.float64, 3e-16), (np.float32, 6e-8)])
@pytest.mark.parametrize("size", [0.0, 1.0, 1e3, 9e5, 1e9])
@pytest.mark.parametrize("rows, m", [(0, 3), (1, 1), (5, 7), (3, 64), (2, 130)])
def test_cosines_of_phases(rows, m, size, dtype, atol):
    rng = np.random.default_rng(m)
    phase = (size * rng.normal(size=(rows, m))).astype(dtype)
    offset = rng.uniform(0, 7, m).astype(dtype)
    phase[:, : m // 3] = np.round(phase[:, : m // 3] / (np.pi / 2)) * (np.pi / 2)  # near the zeros
    out = phase.copy()
    _core.kernels.waves.cosines(out, offset, 1.5)
    assert_allclose(out, 1.5 * np.cos((phase + offset).astype(np.float64)), atol=1.5 * atol)


@pytest.mark.parametrize("most", [2**24, 100])
def test_landmarks_are_the_same_rows_in_every_home(most, monkeypatch, tmp_path):
    da = pytest.importorskip("dask.array")
    monkeypatch.setattr(nystroem, "PERMUTED_ROWS", most)
    rows = np.random.default_rng(0).normal(size=(400, 3))
    pd.DataFrame(rows, columns=list("abc")).to_csv(tmp_path / "rows.csv", index=False)
    homes = (rows, novum.scan(tmp_path / "rows.csv", batch_rows=70), da.from_array(rows, chunks=((150, 0, 9, 241), 3)))
    found = [Nystroem(n_components=12, random_state=3).fit(there) for there in homes]
    for one in found:
        assert_array_equal(one.component_indices_, found[0].component_indices_)
        assert_array_equal(one.components_, rows[one.component_indices_])
    peer = TheirNystroem(n_components=12, random_state=3).fit(rows)
    assert np.array_equal(peer.component_indices_, found[0].component_indices_) == (most > 400)
