"""Least squares on indicators: the notes' masking, the pull of outliers, and every home of data."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LinearRegression as SklearnRegression
from sklearn.linear_model import LogisticRegression

from novum.linear_model import LeastSquaresClassifier

LINE = np.array([[-2.1], [-2], [-1.9], [-0.1], [0], [0.1], [1.9], [2], [2.1]])
THREE = np.repeat([0, 1, 2], 3)


@pytest.mark.notes("002", "least-squares-classifier")
def test_the_middle_class_never_strictly_wins():
    model = LeastSquaresClassifier().fit(LINE, THREE)
    assert_allclose(model.intercept_, 1 / 3, rtol=1e-12)
    assert_allclose(model.coef_.ravel(), [-0.249377, 0, 0.249377], atol=5e-7)
    f = model.decision_function(np.linspace(-5, 5, 101)[:, None])
    assert_allclose(f.sum(axis=1), 1, rtol=1e-12)
    assert (f[:, 1] <= f[:, [0, 2]].max(axis=1) + 1e-15).all() and f.min() < 0 and f.max() > 1
    assert_array_equal(LogisticRegression(C=1e3).fit(LINE, THREE).predict(LINE), THREE)


@pytest.mark.notes("002", "plot-ls-masking")
@pytest.mark.notes("004", "indicator-regression")
def test_masking_of_six_rows():
    X = np.array([[-3.0], [-2], [0], [0.5], [2], [3]])
    assert_array_equal(LeastSquaresClassifier().fit(X, [0, 0, 1, 1, 2, 2]).predict(X), [0, 0, 0, 2, 2, 2])


@pytest.mark.notes("000-b", "least-squares-classifier")
@pytest.mark.notes("003", "least-squares-classifier")
@pytest.mark.notes("004", "indicator-regression")
def test_definition():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), rng.integers(4, size=80)
    W = np.linalg.lstsq(np.column_stack([np.ones(80), X]), np.eye(4)[y], rcond=None)[0]
    model = LeastSquaresClassifier().fit(X, y)
    assert_allclose(np.column_stack([model.intercept_, model.coef_]), W.T, rtol=1e-10, atol=1e-12)
    assert_array_equal(model.predict(X), (np.column_stack([np.ones(80), X]) @ W).argmax(axis=1))
    two = LeastSquaresClassifier().fit(X, y > 1)
    signs = SklearnRegression().fit(X, np.where(y > 1, 1.0, -1))
    assert_allclose(two.decision_function(X), signs.predict(X), rtol=1e-10, atol=1e-12)
    assert_array_equal(two.predict(X), signs.predict(X) > 0)


@pytest.mark.notes("002", "plot-ls-outliers")
@pytest.mark.notes("003", "fig-ls-outliers")
def test_far_rows_on_the_right_side_pull_the_boundary():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal([-2, 0], 0.6, (60, 2)), rng.normal([2, 0], 0.6, (60, 2))])
    y = np.repeat([0, 1], 60)
    far = np.vstack([X, rng.normal([30, -15], 0.5, (12, 2))])
    labels = np.append(y, np.ones(12, int))
    plain, pulled = LeastSquaresClassifier().fit(X, y), LeastSquaresClassifier().fit(far, labels)
    logistic = LogisticRegression().fit(far, labels)
    assert plain.score(X, y) == 1 and logistic.score(X, y) == 1
    assert pulled.score(X, y) < 0.97


def test_every_home_of_data(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    import novum

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 3)), rng.integers(3, size=500)
    model = LeastSquaresClassifier().fit(X, y)
    pq.write_table(pa.table({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": y}), tmp_path / "rows.parquet")
    read = LeastSquaresClassifier().fit(novum.scan(str(tmp_path / "rows.parquet"), target="y"))
    assert_allclose(read.coef_, model.coef_, rtol=1e-10, atol=1e-13)
    dask = pytest.importorskip("dask.array")
    distributed = LeastSquaresClassifier().fit(dask.from_array(X, chunks=(125, 3)), dask.from_array(y, chunks=125))
    assert_allclose(distributed.coef_, model.coef_, rtol=1e-10, atol=1e-13)


@pytest.mark.deep
def test_on_tensors():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.integers(3, size=300)
    model = LeastSquaresClassifier().fit(X, y)
    tensor = LeastSquaresClassifier().fit(torch.as_tensor(X), torch.as_tensor(y))
    assert_allclose(tensor.coef_, model.coef_, rtol=1e-9, atol=1e-12)
    assert_array_equal(np.asarray(tensor.predict(torch.as_tensor(X))), model.predict(X))
