"""Principal axes of float32 rows: products in float32 where they keep the digits, in float64 where they do not."""

import numpy as np
import pytest

from novum import _core
from novum.decomposition import PCA
from novum.decomposition.spectrum import of_moments, resolved_single
from novum.fold.homes.memory import ArrayTiles, MemorySource

EPS = float(np.finfo(np.float32).eps)


def rows(n, p, ratio, seed=0):
    """Return float32 rows whose variances fall from 1 to `ratio`, with the mean far from zero."""
    rng = np.random.default_rng(seed)
    rotation = np.linalg.qr(rng.normal(size=(p, p)))[0]
    return ((rng.normal(size=(n, p)) * np.sqrt(np.geomspace(1, ratio, p))) @ rotation + 3.0).astype(np.float32)


@pytest.mark.parametrize("p", [1, 15, 16, 33, 50])
@pytest.mark.parametrize("weighted", [False, True])
def test_products_in_single_precision(p, weighted):
    rng = np.random.default_rng(p)
    X = (rng.normal(size=(700, p)) + 2).astype(np.float32)
    weight = rng.random(700) if weighted else None
    shift = X.mean(axis=0).astype(np.float64)
    out = np.empty((p + 1, p + 1))
    _core.moments.design.single_gram(X, weight, shift, out)
    root = np.ones(700) if weight is None else np.sqrt(weight)
    D = np.column_stack([X.astype(np.float64) - shift, np.ones(700)]) * root[:, None]
    np.testing.assert_allclose(out, D.T @ D, rtol=0, atol=4 * EPS * 700)


@pytest.mark.parametrize("p", [40, 600])
def test_well_conditioned_rows_agree_with_float64(p):
    X = rows(3000, p, 0.05)
    ours, exact = PCA(8).fit(X), PCA(8, svd_solver="full").fit(X.astype(np.float64))
    np.testing.assert_allclose(ours.explained_variance_, exact.explained_variance_, rtol=20 * EPS)
    np.testing.assert_allclose(ours.mean_, exact.mean_, rtol=2 * EPS)
    assert ours.noise_variance_ == pytest.approx(exact.noise_variance_, rel=1e-5)
    cosine = np.abs((ours.components_ * exact.components_).sum(axis=1))
    np.testing.assert_allclose(cosine, 1.0, atol=1e-5)


@pytest.mark.parametrize("k", [3, 30])
def test_small_variances_are_found_in_float64(k):
    X = rows(2000, 30, 1e-7)
    assert resolved_single(of_moments(MemorySource(ArrayTiles(X)), k, single=True)) == (k == 3)
    ours, exact = PCA(k).fit(X), PCA(k, svd_solver="full").fit(X.astype(np.float64))
    np.testing.assert_allclose(ours.explained_variance_, exact.explained_variance_, rtol=1e-5)
    assert ours.noise_variance_ == pytest.approx(exact.noise_variance_, rel=1e-4, abs=0)


def test_squares_beyond_float32():
    X = rows(500, 5, 0.1) * np.float32(2e18)
    ours, exact = PCA(2).fit(X), PCA(2).fit(X.astype(np.float64))
    np.testing.assert_allclose(ours.singular_values_.astype(np.float64), exact.singular_values_, rtol=1e-5)
