"""Kernel ridge regression of rows on a device against that of memory: tensors that count as elsewhere, no row crossing."""

import copy
import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

import novum
from novum.exceptions import DataError, DataWarning
from novum.kernel_ridge import KernelRidge
from novum.kernels import RBF, Linear, Matern, Polynomial

torch = pytest.importorskip("torch")
from elsewhere import elsewhere  # noqa: E402  needs PyTorch

pytestmark = pytest.mark.deep
RNG = np.random.default_rng(0)
X, Q = RNG.standard_normal((170, 4)), RNG.standard_normal((203, 4))
Y = np.column_stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2]]) + 0.1 * RNG.standard_normal((170, 2))
W = RNG.integers(0, 4, 170) / 2.0
SETTINGS = [
    {"kernel": "rbf", "gamma": 0.3},
    {"kernel": "laplacian"},
    {"kernel": "sigmoid", "gamma": 0.01, "alpha": 5.0},
    {"kernel": "cosine"},
    {"kernel": "linear"},
    {"kernel": "linear", "solver": "dual"},
    {"kernel": "poly", "degree": 2, "solver": "primal"},
    {"kernel": "poly", "degree": 3, "gamma": 0.2, "coef0": 0.0, "solver": "primal"},
    {"kernel": "poly", "degree": 3, "solver": "dual"},
    {"kernel": 0.5 * RBF([1.0, 2.0, 3.0, 4.0]) + Matern(2.0) * Linear()},
    {"kernel": Polynomial(degree=2, coef0=0.3)},
]


def there(*values):
    return [None if value is None else torch.as_tensor(value) for value in values]


def check(settings, y=Y, weight=None, dtype=np.float64, tolerance=1e-10):
    make = lambda: KernelRidge(**{"alpha": 0.7, **settings})  # noqa: E731
    rows, queries = X.astype(dtype), Q.astype(dtype)
    here = make().fit(rows, y, weight)
    known, one = here.predict(queries), here.predict(queries[:1])
    with elsewhere():
        model = make().fit(*there(rows, y, weight))
        found, single = model.predict(torch.as_tensor(queries)), model.predict(torch.as_tensor(queries[:1]))
        moved = here.predict(torch.as_tensor(queries))  # fitted in memory, asked on the device
        assert "X_fit_" not in vars(model) and "dual_coef_" not in vars(model)
    size = max(1.0, float(np.abs(known).max()))
    for value in (found, moved):
        assert str(value.dtype).endswith(str(known.dtype)) and tuple(value.shape) == known.shape
        assert_allclose(value.numpy(), known, rtol=0, atol=tolerance * size)
    assert_allclose(single.numpy(), one, rtol=0, atol=tolerance * size)
    assert model.solver_ == here.solver_
    assert_allclose(model.alpha_, here.alpha_, rtol=1e-9)
    scale = float(np.abs(here.dual_coef_).max())
    assert_allclose(model.dual_coef_, here.dual_coef_, rtol=0, atol=max(tolerance, 1e-9) * max(1.0, scale))
    assert isinstance(model.X_fit_, np.ndarray) and model.dual_coef_.dtype == here.dual_coef_.dtype
    assert_allclose(model.predict(queries), known, rtol=0, atol=tolerance * size)  # fitted there, asked in memory
    return here, model


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_fits_and_predictions_are_those_of_memory(settings):
    here, model = check(settings)
    assert_allclose(model.leave_one_out_predict(), here.leave_one_out_predict(), rtol=0, atol=1e-9)


@pytest.mark.parametrize("settings, weight", list(itertools.product(SETTINGS[:7:3], [W, W + 0.5])))
def test_weights_targets_and_penalties(settings, weight):
    check(settings, weight=weight)
    check(settings, y=Y[:, 0], weight=weight)
    check({**settings, "alpha": [0.3, 2.0]}, weight=weight)


@pytest.mark.parametrize("settings", [SETTINGS[0], SETTINGS[4], SETTINGS[8]], ids=str)
@pytest.mark.parametrize("weight", [None, W])
def test_the_penalty_of_the_least_leave_one_out_error(settings, weight):
    check({**settings, "alpha": "loo"}, weight=weight, tolerance=1e-8)


def test_single_precision():
    check(SETTINGS[0], dtype=np.float32, tolerance=1e-6)


def test_kernel_matrices():
    K, across = RBF(1.3)(X), RBF(1.3)(Q, X)
    here = KernelRidge(kernel="precomputed").fit(K, Y, W)
    with elsewhere():
        found = KernelRidge(kernel="precomputed").fit(*there(K, Y, W)).predict(torch.as_tensor(across))
    assert_allclose(found.numpy(), here.predict(across), rtol=0, atol=1e-10)


def test_queries_and_features_go_by_blocks(monkeypatch):
    from novum.kernels.device import program

    monkeypatch.setattr(program, "VALUES", 2_000)
    for settings in SETTINGS:
        check(settings)


def test_a_singular_matrix_has_the_least_solution():
    rows = np.repeat(X[:40], 2, axis=0)
    with pytest.warns(DataWarning, match="40 eigenvalues of zero"):
        here = KernelRidge(alpha=0.0, kernel="rbf", gamma=2.0).fit(rows, rows[:, 0])
    with elsewhere(), pytest.warns(DataWarning, match="40 eigenvalues of zero"):
        model = KernelRidge(alpha=0.0, kernel="rbf", gamma=2.0).fit(*there(rows, rows[:, 0]))
    assert_allclose(model.dual_coef_, here.dual_coef_, rtol=0, atol=1e-9)


def test_files_and_copies_hold_arrays_and_answer_the_same(tmp_path):
    for settings in (SETTINGS[0], SETTINGS[6]):
        with elsewhere():
            model = KernelRidge(**settings).fit(*there(X, Y, W))
            found = model.predict(torch.as_tensor(Q))
        novum.save(model, tmp_path / "ridge.novum")
        for twin in (novum.load(tmp_path / "ridge.novum"), copy.deepcopy(model)):
            assert "_there" not in vars(twin)
            with elsewhere():
                again = twin.predict(torch.as_tensor(Q))
            assert_allclose(again.numpy(), found.numpy(), rtol=0, atol=1e-12)
            assert_allclose(twin.predict(Q), found.numpy(), rtol=0, atol=1e-10)


def test_what_is_refused_by_name():
    rows, target = there(X, Y)
    with elsewhere():
        with pytest.raises(DataError, match="KernelRidge: kernel='chi2' is computed in memory alone"):
            KernelRidge(kernel="chi2").fit(rows.abs(), target)
        with pytest.raises(DataError, match=r"KernelRidge: kernel=.*lambda.* in memory alone"):
            KernelRidge(kernel=lambda x, z: float(x @ z)).fit(rows, target)
        with pytest.raises(DataError, match="Precomputed matrix must be a square matrix"):
            KernelRidge(kernel="precomputed").fit(rows, target)
        with pytest.raises(DataError, match="NaN or infinity"):
            KernelRidge().fit(torch.full((3, 2), torch.inf, dtype=torch.float64), target[:3])
        model = KernelRidge(kernel="rbf").fit(rows, target)
        with pytest.raises(DataError, match="NaN or infinity"):
            model.predict(torch.full((1, 4), torch.nan, dtype=torch.float64))
