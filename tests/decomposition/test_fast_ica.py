"""FastICA beside scikit-learn's, step for step; and on rows that are not in memory."""

import numpy as np
import pytest
import sklearn.decomposition
from numpy.testing import assert_allclose

import novum
from novum.decomposition import ICA, FastICA, fastica
from novum.exceptions import DataWarning, NotConverged, ParameterError

RNG = np.random.default_rng(0)
X = (
    np.column_stack([RNG.laplace(size=3000), RNG.uniform(-1, 1, 3000), RNG.standard_t(5, 3000)])
    @ RNG.normal(size=(3, 4))
    + 5
)
X = X + 0.01 * RNG.normal(size=X.shape)


def cubic(y):
    return y**3, (3 * y**2).mean(axis=-1)


@pytest.mark.notes("002", "ica")
@pytest.mark.parametrize("algorithm", ["parallel", "deflation"])
@pytest.mark.parametrize("whiten", ["unit-variance", "arbitrary-variance", False])
@pytest.mark.parametrize("fun", ["logcosh", "exp", "cube", cubic])
def test_the_same_steps_as_scikit_learn(algorithm, whiten, fun):
    data = X if whiten else sklearn.decomposition.PCA(3, whiten=True).fit_transform(X)
    options = {
        "algorithm": algorithm,
        "whiten": whiten,
        "fun": fun,
        "random_state": 0,
        "n_components": 3 if whiten else None,
    }
    ours, theirs = FastICA(**options).fit(data), sklearn.decomposition.FastICA(**options).fit(data)
    assert ours.n_iter_ == theirs.n_iter_
    for name in ("components_", "mixing_", *(("mean_", "whitening_") if whiten else ())):
        one, other = getattr(ours, name), getattr(theirs, name)
        assert_allclose(one, other, rtol=1e-6, atol=1e-7 * np.abs(other).max(), err_msg=name)
    assert_allclose(ours.transform(data), theirs.transform(data), rtol=1e-5, atol=1e-6)
    assert_allclose(
        ours.inverse_transform(ours.transform(data)), theirs.inverse_transform(theirs.transform(data)), rtol=1e-6
    )


def test_alpha_and_a_given_start():
    start = np.random.default_rng(1).normal(size=(4, 4))
    options = {"fun_args": {"alpha": 1.7}, "w_init": start, "whiten_solver": "eigh", "tol": 1e-8, "max_iter": 2000}
    ours, theirs = FastICA(**options).fit(X), sklearn.decomposition.FastICA(**options).fit(X)
    assert_allclose(ours.components_, theirs.components_, rtol=1e-4, atol=1e-5)
    with pytest.raises(ParameterError, match=r"alpha must be in \[1,2\]; FastICA"):
        FastICA(fun_args={"alpha": 3}).fit(X)
    with pytest.raises(ParameterError, match=r"should be \(4, 4\)"):
        FastICA(w_init=np.eye(3)).fit(X)


@pytest.mark.parametrize("algorithm", ["parallel", "deflation"])
def test_weights_are_repetitions(algorithm):
    w = np.random.default_rng(0).integers(0, 3, 500)
    options = {"random_state": 0, "algorithm": algorithm, "n_components": 3}
    weighted = FastICA(**options).fit(X[:500], sample_weight=w)
    assert_allclose(weighted.components_, FastICA(**options).fit(np.repeat(X[:500], w, axis=0)).components_, rtol=1e-6)
    with pytest.raises(ParameterError, match="sample_weight must be None"):
        FastICA(fun=cubic).fit(X[:500], sample_weight=w)


def test_functions_that_return_something_else_are_refused():
    for algorithm in ("parallel", "deflation"):
        with pytest.raises(ValueError):
            FastICA(fun=np.tanh, algorithm=algorithm, n_components=2).fit(X)
    with pytest.raises(ParameterError, match="fun returned arrays of shape"):
        FastICA(fun=lambda y: (y, y)).fit(X)


def test_rank_is_reported():
    low = X[:, :1] @ np.ones((1, 3))
    with pytest.warns(DataWarning, match="vary along 1 directions only"):
        assert FastICA(n_components=2, random_state=0).fit(low).components_.shape == (1, 3)
    with pytest.warns(NotConverged, match="FastICA did not converge"):
        FastICA(max_iter=1, tol=0.0, random_state=0).fit(X)


def test_the_function_of_scikit_learn():
    K, W, S, mean, n_iter = fastica(X, 3, random_state=0, return_X_mean=True, return_n_iter=True)
    assert_allclose(S, (X - mean) @ (W @ K).T, atol=1e-9)
    assert fastica(X, 3, random_state=0, compute_sources=False)[2] is None and n_iter > 1


MODELS = [
    FastICA(3, random_state=0),
    FastICA(3, random_state=0, algorithm="deflation"),
    FastICA(3, random_state=0, fun="exp"),
    ICA(3),
    ICA(3, density="sech", orthogonal=True),
    ICA(density="sech", method="natural-gradient", whiten=False, learning_rate=0.05, tol=1e-2, max_iter=2000),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_files(model, tmp_path):
    np.save(tmp_path / "x.npy", X)
    scan = novum.scan(tmp_path / "x.npy", batch_rows=700)
    found, memory = type(model)(**model.get_params()).fit(scan), type(model)(**model.get_params()).fit(X)
    assert_allclose(found.components_, memory.components_, rtol=1e-6, atol=1e-7)
    assert_allclose(np.concatenate(list(found.transform(scan))), memory.transform(X), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("model", MODELS[:1] + MODELS[3:4], ids=repr)
def test_dask(model):
    da = pytest.importorskip("dask.array")
    lazy = da.from_array(X, chunks=(800, 4))
    found, memory = type(model)(**model.get_params()).fit(lazy), type(model)(**model.get_params()).fit(X)
    assert_allclose(found.components_, memory.components_, rtol=1e-6, atol=1e-7)
    assert_allclose(found.transform(lazy).compute(), memory.transform(X), rtol=1e-5, atol=1e-6)
