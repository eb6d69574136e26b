"""PyTorch tensors as a home of data: the same fits as in memory, predictions where the tensor was."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from novum.exceptions import DataError
from novum.linear_model import LinearRegression, Ridge
from novum.naive_bayes import GaussianNB

pytestmark = pytest.mark.deep
torch = pytest.importorskip("torch")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(70_000, 6)) + 2  # two blocks
Y = X @ np.arange(6.0) + RNG.normal(size=70_000)
W = RNG.uniform(size=70_000)
LABELS = np.digitize(Y, np.quantile(Y, [0.3, 0.6]))
DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])


@pytest.fixture(params=DEVICES)
def tensor(request):
    return lambda values, dtype=None: torch.tensor(values, dtype=dtype, device=request.param)


@pytest.mark.parametrize("dtype, rtol", [("float64", 1e-10), ("float32", 1e-5)])
@pytest.mark.parametrize("model", [LinearRegression(), Ridge(3.0), Ridge(3.0, fit_intercept=False)])
def test_linear_models(tensor, model, dtype, rtol):
    x = tensor(X, getattr(torch, dtype))
    expected = model.fit(X, Y, W).coef_.copy(), model.predict(X), model.leave_one_out_predict(X, Y, W)
    model.fit(x, tensor(Y), tensor(W))
    assert isinstance(model.coef_, np.ndarray) and model.coef_.dtype == dtype
    assert_allclose(model.coef_, expected[0], rtol=rtol)
    predicted = model.predict(x)
    assert predicted.device == x.device and predicted.dtype == x.dtype
    assert_allclose(predicted.cpu(), expected[1], rtol=10 * rtol)
    assert_allclose(model.leave_one_out_predict(x, tensor(Y), tensor(W)).cpu(), expected[2], rtol=10 * rtol)


def test_wide_rank_deficient_and_inference(tensor):
    wide = X[:5]
    assert_allclose(
        LinearRegression().fit(tensor(wide), tensor(Y[:5])).coef_, LinearRegression().fit(wide, Y[:5]).coef_, rtol=1e-9
    )
    twice = np.column_stack([X[:300], X[:300, 0]])
    model, memory = LinearRegression().fit(tensor(twice), tensor(Y[:300])), LinearRegression().fit(twice, Y[:300])
    assert model.rank_ == memory.rank_ == 6
    assert_allclose(model.coef_, memory.coef_, rtol=1e-9)
    a = LinearRegression().fit(tensor(X), tensor(Y)).inference(tensor(X), tensor(Y), covariance="HC3")
    b = LinearRegression().fit(X, Y).inference(X, Y, covariance="HC3")
    assert_allclose(a.standard_error, b.standard_error, rtol=1e-9)


@pytest.mark.parametrize("dtype, rtol", [("float64", 1e-10), ("float32", 1e-4)])
def test_gaussian_naive_bayes(tensor, dtype, rtol):
    x = tensor(X, getattr(torch, dtype))
    memory, model = GaussianNB().fit(X, LABELS, W), GaussianNB().fit(x, tensor(LABELS), tensor(W))
    assert_allclose(model.var_, memory.var_, rtol=rtol)
    probability = model.predict_proba(x)
    assert probability.device == x.device and probability.dtype == x.dtype
    assert_allclose(probability.cpu(), memory.predict_proba(X), atol=10 * rtol)
    assert (model.predict(x).cpu().numpy() == memory.predict(X)).mean() > 1 - 1e-3
    words = np.array(["a", "b", "c"])[LABELS]
    assert set(GaussianNB().fit(x, words).predict(x[:50])) <= {"a", "b", "c"}


@pytest.mark.parametrize(
    "x, y, weight, message",
    [
        (torch.zeros(3), torch.zeros(3), None, "Expected 2D array, got 1D tensor"),
        (torch.zeros(0, 3), torch.zeros(0), None, r"0 sample\(s\)"),
        (torch.full((3, 2), float("nan")), torch.zeros(3), None, "Input X contains NaN"),
        (torch.zeros(3, 2), torch.zeros(4), None, "inconsistent numbers of samples"),
        (torch.zeros(3, 2), torch.full((3,), float("inf")), None, "Input y contains NaN or infinity"),
        (torch.zeros(3, 2), torch.zeros(3), torch.tensor([1.0, -1, 1]), "finite and not negative"),
        (torch.zeros(3, 2), torch.zeros(3), torch.zeros(3), "at least one non-zero"),
        (torch.zeros(3, 2), None, None, "requires y to be passed"),
        (torch.zeros(3, 2, dtype=torch.complex64), torch.zeros(3), None, "Complex data not supported"),
    ],
)
def test_errors(x, y, weight, message):
    model = LinearRegression()
    with pytest.raises(DataError, match=message):
        model.fit(x, y, weight)
    assert not hasattr(model, "coef_")


@pytest.mark.parametrize(
    "y, message",
    [
        (torch.zeros(3, 1, 1), "should be real, of shape"),
        (torch.zeros(3, dtype=torch.complex64), "should be real, of shape"),
        (torch.tensor([0.1, 0.2, 0.3]), "Unknown label type: continuous"),
    ],
)
def test_bad_labels(y, message):
    with pytest.raises(DataError, match=message):
        GaussianNB().fit(torch.randn(3, 2), y)


def test_truth_values_columns_of_labels_and_sparse_tensors():
    x = torch.randn(40, 2)
    truth = x[:, 0] > 0
    assert GaussianNB().fit(x, truth).classes_.dtype == bool
    assert set(GaussianNB().fit(x, truth.long()[:, None]).predict(x).tolist()) == {0, 1}
    with pytest.raises(DataError, match="takes dense tensors"):
        LinearRegression().fit(x.to_sparse(), truth.double())
    with pytest.raises(DataError, match="must be 1D"):
        LinearRegression().fit(x, truth.double(), torch.ones(40, 1))


def test_integer_and_half_tensors():
    x = torch.randint(-5, 5, (60, 3))
    assert LinearRegression().fit(x, x.sum(1)).coef_.dtype == np.float64
    assert LinearRegression().fit(x.half(), x.sum(1).float()).coef_.dtype == np.float32
