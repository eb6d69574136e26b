"""IncrementalPCA: portions are the whole."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.decomposition import IncrementalPCA as Theirs

from novum.decomposition import PCA, IncrementalPCA
from novum.exceptions import ParameterError

RNG = np.random.default_rng(2)


@pytest.mark.parametrize("shape", [(200, 6), (40, 70)])
@pytest.mark.parametrize("cuts", [[50], [1 + 9, 11, 12, 30], []])
def test_any_portions_equal_one_fit(shape, cuts):
    X = RNG.normal(size=shape) * np.logspace(0, -5, shape[1]) + 7
    model = IncrementalPCA(5)
    for portion in np.split(X, [c for c in cuts if c < shape[0]]):
        model.partial_fit(portion)
    whole, exact = IncrementalPCA(5).fit(X), PCA(5, svd_solver="full").fit(X)
    for other in (whole, exact):
        for name in ("components_", "explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_"):
            assert_allclose(getattr(model, name), getattr(other, name), rtol=1e-10, atol=1e-10, err_msg=name)
        assert_allclose(model.noise_variance_, other.noise_variance_, rtol=1e-10)
    assert_allclose(model.var_, X.var(axis=0), rtol=1e-9)
    assert model.n_samples_seen_ == len(X)


def test_weights_in_portions():
    X, w = RNG.normal(size=(120, 4)), RNG.integers(0, 3, 120)
    model = IncrementalPCA(2).partial_fit(X[:50], sample_weight=w[:50]).partial_fit(X[50:], sample_weight=w[50:])
    repeated = PCA(2).fit(np.repeat(X, w, axis=0))
    assert_allclose(model.components_, repeated.components_, rtol=1e-10)
    assert model.n_samples_seen_ == w.sum()


def test_exact_where_scikit_learn_approximates():
    X = RNG.normal(size=(400, 20))
    exact = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)[:3]
    assert_allclose(IncrementalPCA(3, batch_size=40).fit(X).singular_values_, exact, rtol=1e-12)
    assert np.abs(Theirs(3, batch_size=40).fit(X).singular_values_ / exact - 1).max() > 1e-3


def test_dtype_and_errors():
    X = RNG.normal(size=(30, 3)).astype(np.float32)
    assert IncrementalPCA(2).partial_fit(X).components_.dtype == np.float32
    assert IncrementalPCA(2).partial_fit(X).partial_fit(X.astype(float)).components_.dtype == np.float64
    with pytest.raises(ParameterError, match="n_components=4 invalid for n_features=3"):
        IncrementalPCA(4).fit(X)
    with pytest.raises(ParameterError, match="keeps as many components as it began with"):
        IncrementalPCA(2).fit(X).set_params(n_components=1).partial_fit(X)
