"""Weights of classes on rows in files, on Dask and of tensors are those of rows in memory."""

import dask.array as da
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import novum
from novum.linear_model import LogisticRegression, RidgeClassifier, RidgeClassifierCV

NAMES = np.array(["a", "b", "c"])


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 4))
    code = (X @ rng.normal(size=(4, 3)) + 2 * rng.normal(size=(500, 3)) - [0.0, 1.5, 3.0]).argmax(axis=1)
    return X, code, rng.integers(0, 4, size=500) / 2.0


MODELS = [
    LogisticRegression(tol=1e-10, max_iter=500),
    LogisticRegression(solver="newton-cholesky", tol=1e-10),
    LogisticRegression(l1_ratio=0.5, solver="saga", tol=1e-10, max_iter=5000, C=0.1),
    RidgeClassifier(alpha=2.0),
    RidgeClassifierCV(alphas=(0.1, 10.0)),
]


@pytest.mark.parametrize("class_weight", ["balanced", {"a": 3.0, "b": 0.25}], ids=["balanced", "given"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_class_weight(model, n_classes, class_weight, table, tmp_path):
    X, code, weight = table
    y = NAMES[np.minimum(code, n_classes - 1)]
    model = clone(model).set_params(class_weight=class_weight)
    plain = clone(model).set_params(class_weight=None).fit(X, y)
    for w in (None, weight):
        here = clone(model).fit(X, y, sample_weight=w)
        assert np.abs(here.coef_ - plain.coef_).max() > 1e-3
        frame = pd.DataFrame(X, columns=list("pqrs")).assign(y=y, w=1.0 if w is None else w)
        frame.to_parquet(tmp_path / "rows.parquet")
        scan = novum.scan(tmp_path / "rows.parquet", columns=list("pqrs"), target="y", weight="w", batch_rows=128)
        lazy = {} if w is None else {"sample_weight": da.from_array(w, chunks=200)}
        dask = clone(model).fit(da.from_array(X, chunks=(200, 4)), da.from_array(y, chunks=200), **lazy)
        for there in (clone(model).fit(scan), dask):
            np.testing.assert_allclose(there.coef_, here.coef_, rtol=1e-5, atol=1e-7)


@pytest.mark.deep
@pytest.mark.parametrize("class_weight", ["balanced", {0: 3.0, 1: 0.25}], ids=["balanced", "given"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("model", MODELS[3:], ids=str)
def test_class_weight_of_tensors(model, n_classes, class_weight, table):
    import torch

    X, code, weight = table
    y = np.minimum(code, n_classes - 1)
    model = clone(model).set_params(class_weight=class_weight)
    for w in (None, weight):
        here = clone(model).fit(X, y, sample_weight=w)
        tensors = [None if part is None else torch.as_tensor(part) for part in (X, y, w)]
        there = clone(model).fit(*tensors[:2], sample_weight=tensors[2])
        np.testing.assert_allclose(there.coef_, here.coef_, rtol=1e-5, atol=1e-7)
