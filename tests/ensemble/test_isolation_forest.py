"""Isolation forests: path lengths, scores, odd rows, draws."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.ensemble as peers
from numpy.testing import assert_allclose

from novum.ensemble import IsolationForest
from novum.ensemble.isolation_forest import path_correction
from novum.exceptions import DataWarning, ParameterError


def crowd(n=400, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:10] += 6
    return X


def test_path_correction_is_the_mean_of_failed_searches():
    harmonic = np.cumsum(1 / np.arange(1, 2000))
    m = np.array([500, 1000, 1500])
    assert_allclose(path_correction(m), 2 * harmonic[m - 2] - 2 * (m - 1) / m, rtol=1e-3)
    assert path_correction([0, 1, 2]).tolist() == [0.0, 0.0, 1.0]


def test_scores_by_the_definition():
    X = crowd()
    model = IsolationForest(n_estimators=20, random_state=0).fit(X)
    lengths = []
    for member in model.estimators_:
        path = np.asarray(member.decision_path(X).sum(axis=1)).ravel() - 1
        lengths.append(path + path_correction(member.tree_.n_node_samples[member.apply(X)]))
    assert_allclose(model.score_samples(X), -(2 ** (-np.mean(lengths, axis=0) / path_correction(256))), rtol=1e-12)
    assert_allclose(model.decision_function(X), model.score_samples(X) + 0.5)
    assert all(len(np.unique(rows)) == 256 for rows in model.estimators_samples_)


def test_odd_rows_are_found_as_by_scikit_learn():
    X = crowd(1000)
    ours, theirs = (cls(random_state=0, contamination=0.01).fit(X) for cls in (IsolationForest, peers.IsolationForest))
    assert set(np.flatnonzero(ours.predict(X) == -1)) == set(range(10)) == set(np.flatnonzero(theirs.predict(X) == -1))
    assert np.corrcoef(ours.score_samples(X), theirs.score_samples(X))[0, 1] > 0.95


@pytest.mark.parametrize(
    "options", [{"max_features": 2}, {"max_features": 0.5, "bootstrap": True}, {"max_samples": 0.2}]
)
def test_draws_of_columns_and_rows(options):
    X = crowd()
    model = IsolationForest(n_estimators=30, random_state=0, **options).fit(X)
    assert model.score_samples(X)[:10].max() < np.median(model.score_samples(X)[10:])
    sparse = scipy.sparse.csr_array(X)
    assert_allclose(
        model.score_samples(sparse), model.score_samples(X), rtol=1e-12
    ) if "max_features" not in options else None
    features = model.estimators_features_
    assert len(features) == 30 and all(len(f) == len(features[0]) for f in features)


def test_warm_start_weights_and_refusals():
    X = crowd()
    warm = IsolationForest(n_estimators=5, warm_start=True, random_state=2).fit(X)
    warm.set_params(n_estimators=12).fit(X)
    cold = IsolationForest(n_estimators=12, random_state=2).fit(X)
    assert np.array_equal(warm.score_samples(X), cold.score_samples(X))
    weight = np.ones(400)
    weight[:10] = 0
    drawn = IsolationForest(n_estimators=5, random_state=0).fit(X, sample_weight=weight).estimators_samples_
    assert min(rows.min() for rows in drawn) >= 10
    with pytest.warns(DataWarning, match="greater than the total number"):
        IsolationForest(max_samples=1000, n_estimators=2).fit(X)
    with pytest.raises(ParameterError, match="max_features must be in"):
        IsolationForest(max_features=9).fit(X)
