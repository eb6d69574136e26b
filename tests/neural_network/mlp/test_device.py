"""Perceptrons whose rows lie on a device, against those in memory: tensors of the processor stand for a GPU's (tests/elsewhere.py).

Steps are the same, sums are added in another order: weights agree to rounding after some epochs, which make little more of it.
"""

import numpy as np
import pytest
from sklearn.base import clone

from novum.activations import LeakyReLU
from novum.exceptions import ParameterError
from novum.neural_network import MLPClassifier, MLPRegressor

torch = pytest.importorskip("torch")
from elsewhere import elsewhere  # noqa: E402  needs PyTorch

pytestmark = [pytest.mark.deep, pytest.mark.filterwarnings("ignore")]
MOST = 400  # numbers of the largest network here


def rows(n=301, d=4, dtype=np.float64):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)).astype(dtype)
    return X, X[:, 0] ** 2 - X[:, 1] + 0.1 * rng.normal(size=n)


def trained(model, X, y, weight=None):
    """Return the model fitted in memory, the same on a device, and the tensors it was fitted on."""
    here = clone(model).fit(X, y, **({} if weight is None else {"sample_weight": weight}))
    there_X, there_y = torch.tensor(X), torch.tensor(y)
    with elsewhere(most=MOST):
        options = {} if weight is None else {"sample_weight": torch.tensor(weight)}
        there = clone(model).fit(there_X, there_y, **options)
        said = {name: getattr(there, name)(there_X) for name in ("predict", "predict_proba") if hasattr(there, name)}
    for name, value in said.items():
        expected = getattr(here, name)(X)
        tight = {"rtol": 1e-6, "atol": 1e-8} if X.dtype == np.float64 else {"rtol": 1e-2, "atol": 1e-3}
        assert isinstance(value, torch.Tensor) and value.shape == expected.shape
        np.testing.assert_allclose(value.numpy(), expected, err_msg=name, **tight)
    return here, there


def close(here, there, **tolerance):
    for name in ("coefs_", "intercepts_", "scales_", "running_means_", "running_variances_"):
        for a, b in zip(getattr(here, name, ()), getattr(there, name, ())):
            assert isinstance(b, np.ndarray)
            np.testing.assert_allclose(b, a, err_msg=name, **tolerance)
    np.testing.assert_allclose(there.loss_, here.loss_, rtol=1e-9)
    assert here.n_iter_ == there.n_iter_ and here.t_ == there.t_


@pytest.mark.parametrize("solver", ["sgd", "adam", "adagrad", "rmsprop"])
@pytest.mark.parametrize("momentum", [True, False])
def test_steps_are_those_of_memory(solver, momentum):
    X, y = rows()
    options = {"solver": solver, "nesterovs_momentum": momentum, "l1": 1e-3, "alpha": 0.01, "learning_rate_init": 0.01}
    model = MLPRegressor(
        hidden_layer_sizes=(7, 5), batch_size=32, max_iter=6, random_state=0, activation="tanh", **options
    )
    close(*trained(model, X, y), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(
    "activation",
    ["identity", "sigmoid", "tanh", "relu", LeakyReLU(0.1), "elu", "selu", "softplus", "gelu", "softmax"],
    ids=str,
)
def test_every_activation(activation):
    X, y = rows()
    model = MLPRegressor(hidden_layer_sizes=(6,), activation=activation, max_iter=3, batch_size=50, random_state=1)
    close(*trained(model, X, y), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("classes", [2, 3])
def test_classes_with_weights_and_rows_without(classes):
    X, y = rows()
    code = np.digitize(y, np.quantile(y, np.arange(1, classes) / classes)) * 10
    weight = np.random.default_rng(3).integers(0, 3, size=len(X)).astype(float)
    model = MLPClassifier((6,), max_iter=5, batch_size=40, random_state=0)
    here, there = trained(model, X, code, weight)
    close(here, there, rtol=1e-7, atol=1e-9)
    assert there.classes_.tolist() == sorted(set(code.tolist()))


def test_counts_several_targets_several_labels_and_one_class():
    X, y = rows()
    count = np.random.default_rng(0).poisson(np.exp(0.3 * X[:, 0])).astype(float)
    close(*trained(MLPRegressor("poisson", (5,), max_iter=4, random_state=0), X, count), rtol=1e-8, atol=1e-10)
    both = np.column_stack([y, X[:, 2]])
    close(*trained(MLPRegressor(hidden_layer_sizes=(5,), max_iter=4, random_state=0), X, both), rtol=1e-8, atol=1e-10)
    marks = (both > 0).astype(int)
    close(*trained(MLPClassifier((5,), max_iter=4, random_state=0), X, marks), rtol=1e-8, atol=1e-10)
    trained(MLPClassifier((5,), max_iter=2, random_state=0), X, np.zeros(len(X), int))


def test_batch_normalization_and_early_stopping():
    X, y = rows()
    options = {"max_iter": 6, "batch_size": 50, "random_state": 0}
    close(*trained(MLPRegressor(hidden_layer_sizes=(6, 4), batch_norm=True, **options), X, y), rtol=1e-6, atol=1e-9)
    here, there = trained(MLPRegressor(hidden_layer_sizes=(6,), early_stopping=True, **options), X, y)
    np.testing.assert_allclose(there.validation_scores_, here.validation_scores_, rtol=1e-8)
    close(here, there, rtol=1e-7, atol=1e-9)
    model = MLPClassifier((6,), early_stopping=True, **options)
    here, there = trained(model, X, (y > 0).astype(int))
    assert here.validation_scores_ == there.validation_scores_


def test_all_rows_at_once_and_averages_of_starts():
    X, y = rows()
    model = MLPRegressor(
        hidden_layer_sizes=(5,), solver="lbfgs", activation="tanh", max_iter=8, l1=1e-3, random_state=0
    )
    close(*trained(model, X, y), rtol=1e-5, atol=1e-7)
    model = MLPClassifier((4,), max_iter=3, n_init=2, combine="average", random_state=0)
    here, there = trained(model, X, (y > 0).astype(int))
    np.testing.assert_allclose(there.restart_losses_, here.restart_losses_, rtol=1e-9)


def test_single_precision_and_several_buckets(monkeypatch):
    from novum.fold import dealing

    X, y = rows(dtype=np.float32)
    here, there = trained(MLPRegressor(hidden_layer_sizes=(6,), max_iter=3, random_state=0), X, y)
    assert there.coefs_[0].dtype == np.float32
    np.testing.assert_allclose(there.loss_, here.loss_, rtol=1e-4)
    monkeypatch.setattr(dealing, "BUCKET_VALUES", 400)
    X, y = rows()
    close(*trained(MLPRegressor(hidden_layer_sizes=(6,), max_iter=3, random_state=0), X, y), rtol=1e-8, atol=1e-10)


def test_portions_go_on_where_the_last_one_stopped():
    X, y = rows()
    code = (y > 0).astype(int)
    model = MLPClassifier((5,), random_state=0)
    here, there = clone(model), clone(model)
    with elsewhere(most=MOST):
        for part in (slice(0, 150), slice(150, None)):
            there.partial_fit(torch.tensor(X[part]), torch.tensor(code[part]), classes=[0, 1])
    for part in (slice(0, 150), slice(150, None)):
        here.partial_fit(X[part], code[part], classes=[0, 1])
    close(here, there, rtol=1e-9, atol=1e-11)


def test_what_only_memory_draws_is_refused_by_name():
    X, y = rows()
    with elsewhere(), pytest.raises(ParameterError, match=r"MLPRegressor\(dropout=0\.5\).*give X\.cpu\(\)"):
        MLPRegressor(dropout=0.5).fit(torch.tensor(X), torch.tensor(y))
    with elsewhere(), pytest.raises(ValueError, match="poisson"):
        MLPRegressor("poisson").fit(torch.tensor(X), torch.tensor(y))
