"""One estimator in every home of data: what it learns and says there agrees with memory, or it refuses in a sentence.

There is no third state. The partitions are uneven and one is empty; batches are small, so that a table is several of them.
"""

import warnings

import numpy as np
import pytest
from contract.cases import TRANSDUCTIVE, data, estimators, quick
from contract.homes import (
    DASK,
    FILES,
    PREDICTIONS,
    REFUSALS,
    difference,
    gathered,
    home,
    partitions_by_label,
    predicts,
    refuses_in_words,
)
from sklearn.base import clone, is_classifier

ROUNDING = 1e-7  # of what is learned by iterations from sums that were added in another order
REFUSED_FITS = 32  # estimators whose fit takes no scan: the number may fall; only a new class, as LevelMeans, adds one


def prepared(estimator):
    """Return an unfitted model with quick settings, its table and target."""
    X, y = data(estimator)
    return clone(quick(estimator)), X, y


def classifiers():
    """Return the estimators that learn one label per row."""
    return [one for one in estimators() if is_classifier(one) and data(one)[1].ndim == 1]


def fitted(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X) if y is None else model.fit(X, y)


def answers(model, X):
    """Return what a fitted model says of rows, by method."""
    if type(model).__name__ in TRANSDUCTIVE:
        return {"labels_": model.labels_}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: gathered(getattr(model, name)(X)) for name in PREDICTIONS if predicts(model, name)}


@pytest.mark.parametrize("kind", (*FILES, *DASK))
@pytest.mark.parametrize("estimator", estimators(), ids=lambda one: type(one).__name__)
def test_a_fit_agrees_with_memory_or_refuses(estimator, kind, tmp_path):
    name = type(estimator).__name__
    model, X, y = prepared(estimator)
    there, target = home(kind, X, y, tmp_path)
    try:
        found = fitted(clone(model), there, target)
    except REFUSALS as error:
        assert refuses_in_words(error, name), error
        return
    expected, said = answers(fitted(model, X, y), X), answers(found, X)
    for method, answer in expected.items():
        assert difference(answer, said[method]) <= ROUNDING, method


@pytest.mark.parametrize("kind", ("npy", "array"))
@pytest.mark.parametrize("estimator", classifiers(), ids=lambda one: type(one).__name__)
def test_sorted_rows_and_partitions_of_one_class_are_learned_as_in_memory(estimator, kind, tmp_path):
    model, X, y = prepared(estimator)
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    there, target = home(kind, X, y, tmp_path, partitions_by_label(y))
    try:
        found = fitted(clone(model), there, target)
    except REFUSALS as error:
        assert refuses_in_words(error, type(estimator).__name__), error
        return
    expected, said = answers(fitted(model, X, y), X), answers(found, X)
    for method, answer in expected.items():
        assert difference(answer, said[method]) <= ROUNDING, method


@pytest.mark.parametrize("kind", (*FILES, *DASK))
@pytest.mark.parametrize("estimator", estimators(), ids=lambda one: type(one).__name__)
def test_predictions_agree_with_memory_or_refuse(estimator, kind, tmp_path):
    model, X, y = prepared(estimator)
    model = fitted(model, X, y)
    there, _ = home(kind, X, None, tmp_path)
    for method in PREDICTIONS:
        if not predicts(model, method) or type(model).__name__ in TRANSDUCTIVE:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = getattr(model, method)(X)
            try:
                found = gathered(getattr(model, method)(there))
            except REFUSALS as error:
                assert refuses_in_words(error, type(model).__name__), (method, error)
                continue
        assert difference(expected, found) <= ROUNDING, method


def test_refusals_do_not_become_more(tmp_path):
    refused = []
    for estimator in estimators():
        model, X, y = prepared(estimator)
        there, _ = home("npy", X, y, tmp_path)
        try:
            fitted(model, there, None)
        except REFUSALS:
            refused.append(type(estimator).__name__)
    assert len(refused) <= REFUSED_FITS, sorted(refused)
