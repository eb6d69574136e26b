"""Online learners on rows in files and on Dask: the steps of rows in memory, block after block."""

import dask.array as da
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import novum
from novum.exceptions import DataError, NotConverged
from novum.linear_model import Perceptron, RidgeCV, SGDClassifier, SGDRegressor

pytestmark = pytest.mark.filterwarnings("ignore::novum.exceptions.NotConverged")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 5))
    code = (X @ rng.normal(size=(5, 3)) + rng.normal(size=(600, 3)) - [0.0, 1.0, 2.0]).argmax(axis=1)
    return X, code, X @ rng.normal(size=5) + 0.1 * rng.normal(size=600), rng.integers(0, 3, size=600) / 2.0


def scanned(tmp_path, X, y, weight=None):
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])]).assign(y=y)
    options = {}
    if weight is not None:
        frame, options = frame.assign(w=weight), {"weight": "w"}
    frame.to_parquet(tmp_path / "rows.parquet")
    return novum.scan(tmp_path / "rows.parquet", target="y", batch_rows=128, **options)


def same(a, b):
    assert a.n_iter_ == b.n_iter_
    assert a.t_ == b.t_
    np.testing.assert_allclose(a.coef_, b.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(a.intercept_, b.intercept_, rtol=1e-9, atol=1e-12)


CLASSIFIERS = [
    SGDClassifier(shuffle=False, max_iter=8, tol=None),
    SGDClassifier("log_loss", penalty="elasticnet", alpha=0.01, shuffle=False, average=True),
    SGDClassifier("log_loss", learning_rate="adaptive", eta0=0.1, shuffle=False, class_weight={"a": 2.0, "b": 0.5}),
    SGDClassifier("modified_huber", shuffle=False, class_weight="balanced", batch_size=4, alpha=0.01),
    Perceptron(shuffle=False, max_iter=20),
    Perceptron(shuffle=False, max_iter=5, tol=None, class_weight="balanced", penalty="l1"),
]


@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_classifier_of_files_and_of_dask_steps_as_in_memory(model, n_classes, table, tmp_path):
    X, code, _, weight = table
    y = np.array(["a", "b", "c"])[np.minimum(code, n_classes - 1)]
    for w in (
        (None, weight) if model.batch_size == 1 else (None,)
    ):  # rows left out would shift the batches, which end with a block
        here = clone(model).fit(X, y, sample_weight=w)
        same(clone(model).fit(scanned(tmp_path, X, y, w)), here)
        cut = [da.from_array(part, chunks=200) for part in (y, *(() if w is None else (w,)))]
        there = clone(model).fit(
            da.from_array(X, chunks=(200, 5)), cut[0], sample_weight=cut[1] if w is not None else None
        )
        same(there, here)
        assert list(there.classes_) == list(here.classes_)


@pytest.mark.parametrize(
    "model",
    [SGDRegressor(shuffle=False), SGDRegressor("huber", shuffle=False, average=True, penalty="l1", alpha=0.01)],
    ids=str,
)
def test_regressor_of_files_and_of_dask_steps_as_in_memory(model, table, tmp_path):
    X, _, y, weight = table
    for w in (None, weight):
        here = clone(model).fit(X, y, sample_weight=w)
        same(clone(model).fit(scanned(tmp_path, X, y, w)), here)
        given = None if w is None else da.from_array(w, chunks=150)
        there = clone(model).fit(da.from_array(X, chunks=(150, 5)), da.from_array(y, chunks=150), sample_weight=given)
        same(there, here)


def test_shuffled_blocks_are_a_function_of_the_seed(table, tmp_path):
    X, code, _, _ = table
    scan = scanned(tmp_path, X, code)
    fits = [SGDClassifier(random_state=seed, max_iter=5, tol=None).fit(scan) for seed in (0, 0, 1)]
    np.testing.assert_array_equal(fits[0].coef_, fits[1].coef_)
    assert not np.array_equal(fits[0].coef_, fits[2].coef_)
    assert (np.concatenate(list(fits[0].predict(scan))) == code).mean() > 0.6


def test_partial_fit_of_a_scan_is_one_epoch(table, tmp_path):
    X, code, _, _ = table
    once = SGDClassifier(shuffle=False, max_iter=1, tol=None).fit(X, code)
    same(SGDClassifier(shuffle=False).partial_fit(scanned(tmp_path, X, code), classes=[0, 1, 2]), once)


@pytest.mark.parametrize(
    ("options", "word"), [({"early_stopping": True}, "early_stopping"), ({"batch_size": None}, "batch_size")]
)
def test_what_needs_memory_says_so(options, word, table, tmp_path):
    X, code, _, _ = table
    with pytest.raises(DataError, match=f"{word}=.*partial_fit"):
        SGDClassifier(**options).fit(scanned(tmp_path, X, code))


def test_cut_short_warns_elsewhere_too(table, tmp_path):
    X, code, _, _ = table
    with pytest.warns(NotConverged, match="max_iter=2"):
        Perceptron(max_iter=2, n_iter_no_change=50).fit(scanned(tmp_path, X, code))


def test_folds_of_a_ridge_need_memory(table, tmp_path):
    X, _, y, _ = table
    with pytest.raises(DataError, match=r"RidgeCV\(cv=3\) splits rows.*leave cv at None"):
        RidgeCV(cv=3).fit(scanned(tmp_path, X, y))
