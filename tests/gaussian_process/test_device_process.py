"""Gaussian processes of rows on a device against those of memory: tensors that count as elsewhere, no row crossing."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import novum
from novum.exceptions import DataError
from novum.gaussian_process import GaussianProcessRegressor
from novum.kernels import RBF, Laplacian, Linear, Matern, RationalQuadratic, White

torch = pytest.importorskip("torch")
from elsewhere import elsewhere  # noqa: E402  needs PyTorch

pytestmark = pytest.mark.deep
RNG = np.random.default_rng(0)
X, Q = RNG.standard_normal((160, 3)) + 2.0, RNG.standard_normal((203, 3)) + 2.0
Y = np.column_stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2]]) + 0.1 * RNG.standard_normal((160, 2))
KERNELS = [
    1.5 * RBF([0.7, 1.2, 2.0]) + White(0.05),
    Matern(1.1, nu=0.5) + 0.2 * Linear() + White(0.1),
    RationalQuadratic(1.2, 0.7) * Laplacian(2.0) + White(0.2),
]


def there(*values):
    return [torch.as_tensor(value) for value in values]


def everything(model, rows):
    mean, std = model.predict(rows, return_std=True)
    return [
        model.predict(rows),
        mean,
        std,
        model.predict(rows, return_cov=True)[1],
        *model.predict(rows, interval="prediction", level=0.9),
        *model.predict(rows, interval="confidence"),
        model.sample_y(rows, 3, random_state=1),
    ]


def agree(found, expected, tolerance=1e-10):
    for value, known in zip(found, expected, strict=True):
        assert torch.is_tensor(value) and tuple(value.shape) == known.shape
        assert str(value.dtype).endswith(str(known.dtype))
        assert_allclose(value.numpy(), known, rtol=0, atol=tolerance)


@pytest.mark.parametrize("kernel", KERNELS, ids=["rbf", "matern", "laplacian"])
@pytest.mark.parametrize("outputs", ["one", "two"])
@pytest.mark.parametrize("settings", [{"alpha": 1e-2}, {"alpha": "each", "normalize_y": True}], ids=str)
def test_fits_and_predictions_are_those_of_memory(kernel, outputs, settings):
    y = Y[:, 0] if outputs == "one" else Y
    given = {**settings, "alpha": np.linspace(0.01, 0.1, 160) if settings["alpha"] == "each" else settings["alpha"]}
    make = lambda: GaussianProcessRegressor(kernel, optimizer=None, **given)  # noqa: E731
    here = make().fit(X, y)
    known = everything(here, Q)
    rows, target, queries = there(X, y, Q)
    with elsewhere():
        model = make().fit(rows, target)
        found = everything(model, queries)
        moved = everything(here, queries)  # fitted in memory, asked on the device
        assert model.log_marginal_likelihood_value_ == pytest.approx(here.log_marginal_likelihood_value_, rel=1e-12)
        assert "L_" not in vars(model) and "X_train_" not in vars(model)
    agree(found, known)
    agree(moved, known)
    for name in ("X_train_", "y_train_", "L_", "alpha_"):
        assert isinstance(getattr(model, name), np.ndarray)
        assert_allclose(getattr(model, name), getattr(here, name), rtol=0, atol=1e-9)
    assert_allclose(model.predict(Q), known[0], rtol=0, atol=1e-10)  # fitted there, asked in memory
    assert_allclose(model.leave_one_out_predict(), here.leave_one_out_predict(), rtol=0, atol=1e-9)


def test_the_search_is_that_of_memory():
    kernel = 1.0 * RBF([1.0, 1.0, 1.0]) + White(0.1)
    here = GaussianProcessRegressor(kernel, normalize_y=True).fit(X, Y.sum(axis=1))
    with elsewhere():
        model = GaussianProcessRegressor(kernel, normalize_y=True).fit(*there(X, Y.sum(axis=1)))
        value, slope = model.log_marginal_likelihood(here.kernel_.theta, eval_gradient=True)
    expected, known = here.log_marginal_likelihood(here.kernel_.theta, eval_gradient=True)
    assert value == pytest.approx(expected, rel=1e-11)
    assert_allclose(slope, known, rtol=0, atol=1e-8)
    assert model.log_marginal_likelihood_value_ == pytest.approx(here.log_marginal_likelihood_value_, rel=1e-9)
    assert_allclose(model.kernel_.theta, here.kernel_.theta, atol=1e-3)


def test_single_precision_and_single_rows():
    single, few = X.astype(np.float32), Q[:1].astype(np.float32)
    make = lambda: GaussianProcessRegressor(KERNELS[0], optimizer=None)  # noqa: E731
    known = make().fit(single, Y[:, 0]).predict(few, return_std=True)
    with elsewhere():
        found = make().fit(*there(single, Y[:, 0])).predict(torch.as_tensor(few), return_std=True)
        one = make().fit(*there(X[:1], Y[:1, 0])).predict(torch.as_tensor(Q[:1]))
    assert found[0].dtype == torch.float32
    agree(found, known, 1e-6)
    agree([one], [make().fit(X[:1], Y[:1, 0]).predict(Q[:1])])


def test_queries_go_by_blocks(monkeypatch):
    from novum.kernels.device import program as device_program

    here = GaussianProcessRegressor(KERNELS[0], optimizer=None).fit(X, Y)
    known = here.predict(Q, return_std=True)
    largest, between = [], device_program.DeviceKernel.between

    def measured(kernel, X, Z):
        found = between(kernel, X, Z)
        largest.append(found.numel() * len(kernel.builder.steps))
        return found

    monkeypatch.setattr(device_program, "VALUES", 20_000)
    monkeypatch.setattr(device_program.DeviceKernel, "between", measured)
    with elsewhere():
        found = here.predict(torch.as_tensor(Q), return_std=True)
    agree(found, known)
    assert len(largest) > 10 and max(largest) <= 20_000


@pytest.mark.parametrize("by", ["random", "cluster"])
def test_subsets(by):
    make = lambda: GaussianProcessRegressor(  # noqa: E731
        KERNELS[0], optimizer=None, subset_size=40, subset_by=by, random_state=3
    )
    here = make().fit(X, Y)
    with elsewhere(most=250):  # sums of 40 clusters of 3 columns
        model = make().fit(*there(X, Y))
    assert_array_equal(model.subset_, here.subset_)
    assert_allclose(model.X_train_, here.X_train_, rtol=0, atol=0)


def test_files_and_copies_hold_arrays_and_answer_the_same(tmp_path):
    with elsewhere():
        model = GaussianProcessRegressor(KERNELS[0], optimizer=None).fit(*there(X, Y))
        found = model.predict(torch.as_tensor(Q))
    novum.save(model, tmp_path / "process.novum")
    for twin in (novum.load(tmp_path / "process.novum"), copy.deepcopy(model)):
        assert "_there" not in vars(twin) and "_sent" not in vars(twin)
        with elsewhere():
            again = twin.predict(torch.as_tensor(Q))
        assert_allclose(again.numpy(), found.numpy(), rtol=0, atol=1e-12)
        assert_allclose(twin.predict(Q), found.numpy(), rtol=0, atol=1e-10)


def test_another_fit_is_what_is_asked():
    rows, target, queries = there(X, Y[:, 0], Q)
    model = GaussianProcessRegressor(KERNELS[0], optimizer=None)
    with elsewhere():
        model.fit(rows, target).predict(queries)
    model.fit(X[:50], Y[:50, 0])
    assert len(model.L_) == 50
    with elsewhere():
        found = model.predict(queries)
    agree([found], [model.predict(Q)])
    with elsewhere():
        model.fit(rows, target)
    model.update(Q[:3], Q[:3, 0])
    assert len(model.L_) == 163
    known = GaussianProcessRegressor(KERNELS[0], optimizer=None).fit(X, Y[:, 0]).update(Q[:3], Q[:3, 0])
    with elsewhere():
        found = model.predict(queries)
    agree([found], [known.predict(Q)])


def test_what_is_refused_by_name():
    rows, target = there(X, Y[:, 0])
    other = RBF(1.0).normalized()
    with elsewhere():
        with pytest.raises(DataError, match=r"GaussianProcessRegressor: kernel=Normalized.* in memory alone"):
            GaussianProcessRegressor(other, optimizer=None).fit(rows, target)
        with pytest.raises(DataError, match="in memory alone"):
            GaussianProcessRegressor(other, optimizer=None, alpha=0.1).fit(X, Y).predict(rows)
        with pytest.raises(DataError, match=r"not fitted answers in the memory .* give X\.cpu\(\)"):
            GaussianProcessRegressor(RBF(1.0)).predict(rows)
        model = GaussianProcessRegressor(KERNELS[0], optimizer=None).fit(rows, target)
        with pytest.raises(DataError, match="distributions are arrays"):
            model.predict_distribution(rows)
        with pytest.raises(DataError, match=r"give X\.cpu\(\)"):
            model.update(rows, Y[:, 0])
        with pytest.raises(DataError, match="NaN or infinity"):
            model.predict(torch.full((2, 3), torch.nan, dtype=torch.float64))
        with pytest.raises(ValueError, match="features"):
            model.predict(rows[:, :2])
