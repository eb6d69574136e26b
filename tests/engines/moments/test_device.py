"""Second moments on a device: batches and interpreted kernels against products in NumPy, least squares refined from parts."""

from unittest import mock

import numpy as np
import pytest
from numpy.testing import assert_allclose

torch = pytest.importorskip("torch")
from interpreted import interpreted  # noqa: E402  needs PyTorch

from novum.decomposition import PCA  # noqa: E402
from novum.engines.moments import device_products  # noqa: E402
from novum.exceptions import DataError  # noqa: E402
from novum.linear_model import LinearRegression, Ridge  # noqa: E402
from novum.runtime import devices  # noqa: E402

pytestmark = pytest.mark.deep


def rows(n, p, q, dtype="float32"):
    rng = np.random.default_rng(p)
    X = (rng.standard_normal((n, p)) + 5).astype(dtype)
    return X, rng.standard_normal((n, q)), rng.random(n) * (rng.random(n) > 0.1)


@pytest.mark.parametrize(
    ("n", "p", "q", "weighted"), [(500, 5, 1, False), (1100, 70, 0, True), (900, 130, 3, True), (1, 3, 1, False)]
)
def test_products_are_those_of_the_rows(n, p, q, weighted):
    X, y, w = rows(n, p, q)
    shift = np.concatenate([X[:50].mean(axis=0), y.mean(axis=0)]).astype(np.float32).astype(np.float64)
    design = np.column_stack([X - shift[:p], y - shift[p:], np.ones(n)])
    expected = (design * (w[:, None] if weighted else 1.0)).T @ design
    given = torch.from_numpy(X), torch.from_numpy(y), torch.from_numpy(w) if weighted else None, shift
    size = np.abs(expected).max()
    assert_allclose(device_products.by_batches(*given), expected, rtol=0, atol=1e-14 * size)
    with interpreted():
        assert_allclose(device_products.by_kernels(*given, single=False), expected, rtol=0, atol=1e-14 * size)
        parts = device_products.by_kernels(*given, single=True).numpy()
    length = np.sqrt(np.diagonal(expected)) + 1e-300  # of a single row about itself nothing is left
    assert np.abs((parts - expected) / length[:, None] / length).max() < device_products.PARTS_PRECISION


@pytest.mark.parametrize(("n", "p", "weighted"), [(1, 3, False), (700, 5, True), (900, 62, False), (1100, 100, True)])
def test_products_with_a_target_by_two_parts_keep_their_bound(n, p, weighted):
    X, y, w = rows(n, p, 1)
    X[:, ::3] = np.random.default_rng(0).integers(
        0, 2, X[:, ::3].shape
    )  # parts of these leave the same aside in every row
    y = 1e6 + y
    shift = np.concatenate([X[:50].mean(axis=0), y.mean(axis=0)]).astype(np.float32).astype(np.float64)
    design = np.column_stack([X - shift[:p], y - shift[p:], np.ones(n)])
    expected = (design * (w[:, None] if weighted else 1.0)).T @ design
    given = torch.from_numpy(X), torch.from_numpy(y), torch.from_numpy(w) if weighted else None, shift
    with interpreted():
        found = device_products.design_products(*given)
    length = np.sqrt(np.diagonal(expected)) + 1e-300
    assert np.abs((found - expected) / length[:, None] / length).max() < device_products.TWO_PARTS_PRECISION
    assert_allclose(found[p:, p:], expected[p:, p:], rtol=1e-13, atol=1e-13 * length[p] * length[p + 1])
    assert_allclose(found, found.T, rtol=0, atol=0)


def test_means_are_exact_though_products_are_not():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.integers(0, 2, 3000) + 0.1, rng.standard_normal((3000, 2))]).astype(np.float32)
    y = (X @ [1.0, 2.0, 3.0] + rng.standard_normal(3000)).astype(np.float32)
    expected = LinearRegression().fit(X.astype(np.float64), y.astype(np.float64))
    model = on_a_device(LinearRegression(), X, y)
    assert_allclose(model._mean, expected._mean, rtol=1e-13)
    assert_allclose(model._intercept, expected._intercept, rtol=0, atol=1e-10)
    assert_allclose(model._rss, expected._rss, rtol=1e-9)


def test_products_of_classes_are_those_of_their_rows():
    X, _, w = rows(700, 6, 0, "float64")
    code = np.arange(700) % 3
    code[code == 1] = 3  # a class without rows
    shift = np.random.default_rng(0).standard_normal((4, 6))
    for weight in (None, w):
        with interpreted():
            mass, first, second = device_products.class_products(
                torch.from_numpy(X), torch.from_numpy(code), None if weight is None else torch.from_numpy(w), shift
            )
        for c in range(4):
            own = X[code == c] - shift[c]
            v = np.ones(len(own)) if weight is None else w[code == c]
            assert mass[c] == pytest.approx(v.sum(), rel=1e-13)
            assert_allclose(first[c], v @ own, rtol=1e-12, atol=1e-12)
            assert_allclose(second[c], (own * v[:, None]).T @ own, rtol=1e-12, atol=1e-11)


def on_a_device(model, *data):
    """Return the model fitted by kernels."""
    with interpreted(), mock.patch.object(devices, "on_host", lambda tensor: False):
        return model.fit(*map(torch.from_numpy, data))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("spread", [1.0, 1e2, 1e4])
def test_least_squares_keep_the_digits_of_the_input(dtype, spread):
    rng = np.random.default_rng(0)
    turn = np.linalg.qr(rng.standard_normal((8, 8)))[0]
    X = ((rng.standard_normal((1500, 8)) * np.geomspace(1, 1 / spread, 8)) @ turn + 20).astype(dtype)
    y = (X @ rng.standard_normal(8) + rng.standard_normal(1500)).astype(dtype)
    model = on_a_device(LinearRegression(), X, y)
    expected = LinearRegression().fit(X.astype(np.float64), y.astype(np.float64))
    tolerance = 1e-7 if dtype == "float32" else 1e-10
    size = np.abs(expected.coef_).max()
    assert_allclose(model.coef_, expected.coef_, rtol=0, atol=tolerance * size)
    assert model.intercept_ == pytest.approx(expected.intercept_, rel=tolerance, abs=100 * tolerance * size)


def test_ridge_and_several_targets():
    X, y, _ = rows(1200, 6, 2)
    X = X - 4
    y = (y + X[:, :2]).astype(np.float32)
    for model in (Ridge(3.0), Ridge([0.1, 50.0], fit_intercept=False)):
        found = on_a_device(type(model)(**model.get_params()), X, y)
        expected = model.fit(X.astype(np.float64), y.astype(np.float64))
        assert_allclose(found.coef_, expected.coef_, rtol=0, atol=1e-7 * np.abs(expected.coef_).max())


@pytest.mark.parametrize("least", [1.0, 1e-2, 1e-4])
def test_axes_where_parts_resolve_them_and_where_not(least):
    rng = np.random.default_rng(0)
    X = (rng.standard_normal((1500, 6)) * np.geomspace(1, least, 6) + 2).astype(np.float32)
    model, expected = on_a_device(PCA(), X), PCA().fit(X.astype(np.float64))
    assert_allclose(model.explained_variance_, expected.explained_variance_, rtol=3e-5)
    assert_allclose(model.components_, expected.components_, atol=1e-5)


def test_rows_that_are_not_finite_are_refused():
    X = np.ones((10, 2), np.float32)
    X[3, 1] = np.nan
    for value in (np.nan, np.inf):
        X[3, 1] = value
        with pytest.raises(DataError, match="NaN or infinity"):
            LinearRegression().fit(torch.from_numpy(X), torch.ones(10))
        for model in (LinearRegression(), Ridge(), PCA()):  # the look is put off there
            with pytest.raises(DataError, match="NaN or infinity"):
                on_a_device(model, X, *([] if isinstance(model, PCA) else [np.arange(10.0, dtype=np.float32)]))
