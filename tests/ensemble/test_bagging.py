"""Bagging is what the notes say: a learner of its own on every bootstrap sample, then the vote or the mean."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import BaggingClassifier, BaggingRegressor

from novum.linear_model import LinearRegression
from novum.svm import LinearSVC
from novum.tree import DecisionTreeClassifier, DecisionTreeRegressor


def by_hand(learner, bag, X, y, new):
    """Return the answers of learners that are fitted to the rows which the bag has drawn, (members, new rows)."""
    return np.array(
        [type(learner)(**learner.get_params()).fit(X[s], y[s]).predict(new) for s in bag.estimators_samples_]
    )


def check_bootstrap(bag, n):
    """Samples are as large as the table, drawn with replacement, evenly, and each on its own."""
    samples = np.array(bag.estimators_samples_)
    assert samples.shape == (len(bag.estimators_), n)
    distinct = np.array([len(set(rows)) for rows in samples]) / n
    assert distinct.mean() == pytest.approx(1 - (1 - 1 / n) ** n, abs=4 * 0.31 / np.sqrt(n * len(samples)))
    assert len({tuple(rows) for rows in samples}) == len(samples)
    counts = np.bincount(samples.ravel(), minlength=n)  # of every row in all samples: Poisson's variance
    assert counts.var() / counts.mean() == pytest.approx(1, abs=5 * np.sqrt(2 / n))


@pytest.mark.notes("000-a", "bagging")
@pytest.mark.notes("000-c", "bagging")
@pytest.mark.notes("002", "bagging")
@pytest.mark.notes("003", "bagging")
@pytest.mark.notes("004", "bagging")
def test_a_bag_of_classifiers_is_the_vote_over_bootstrap_samples():
    X, y = load_iris(return_X_y=True)
    learner = LinearSVC(C=0.02)  # has no probabilities: the bag counts votes
    bag = BaggingClassifier(learner, n_estimators=41, random_state=0).fit(X, y)
    check_bootstrap(bag, 150)
    said = by_hand(learner, bag, X, y, X)
    votes = np.array([(said == c).sum(axis=0) for c in range(3)])
    assert (votes.max(axis=0) < 41).sum() > 10  # members differ
    assert_array_equal(bag.predict(X), votes.argmax(axis=0))
    assert_allclose(bag.predict_proba(X), votes.T / 41, rtol=1e-12)


@pytest.mark.notes("000-a", "bagging")
@pytest.mark.notes("000-c", "bagging")
@pytest.mark.notes("002", "bagging")
@pytest.mark.notes("003", "bagging")
@pytest.mark.notes("004", "bagging")
def test_a_bag_of_regressors_is_the_mean_over_bootstrap_samples():
    X, y = load_diabetes(return_X_y=True)
    learner = LinearRegression()
    bag = BaggingRegressor(learner, n_estimators=30, random_state=1).fit(X[:300], y[:300])
    check_bootstrap(bag, 300)
    said = by_hand(learner, bag, X[:300], y[:300], X[300:])
    assert said.std(axis=0).min() > 0.1
    assert_allclose(bag.predict(X[300:]), said.mean(axis=0), rtol=1e-12)


@pytest.mark.notes("000-c", "oob-estimate")
def test_out_of_bag_numbers_are_judged_by_those_who_never_saw_the_row():
    X, y = load_diabetes(return_X_y=True)
    bag = BaggingRegressor(DecisionTreeRegressor(max_depth=4), n_estimators=40, oob_score=True, random_state=0).fit(
        X, y
    )
    unseen = np.ones((40, len(y)), bool)
    for k, rows in enumerate(bag.estimators_samples_):
        unseen[k, rows] = False
    each = np.array([member.predict(X) for member in bag.estimators_])
    expected = (each * unseen).sum(axis=0) / unseen.sum(axis=0)
    assert_allclose(bag.oob_prediction_, expected, rtol=1e-10)
    assert bag.oob_score_ == pytest.approx(1 - ((y - expected) ** 2).sum() / ((y - y.mean()) ** 2).sum(), rel=1e-10)


@pytest.mark.notes("002", "feature-bagging")
def test_members_answer_from_their_own_columns():
    (A, a), (B, b) = load_diabetes(return_X_y=True), load_breast_cancer(return_X_y=True)
    options = {"n_estimators": 12, "max_features": 0.4, "bootstrap": False, "random_state": 0}
    bag = BaggingRegressor(LinearRegression(), **options).fit(A, a)
    each = [LinearRegression().fit(A[:, own], a).predict(A[:, own]) for own in bag.estimators_features_]
    assert {len(set(own)) for own in bag.estimators_features_} == {4} and np.std(each, axis=0).min() > 0.1
    assert_allclose(bag.predict(A), np.mean(each, axis=0), rtol=1e-9)
    trees = BaggingClassifier(DecisionTreeClassifier(max_depth=3), **options).fit(B, b)
    shares = [tree.predict_proba(B[:, own]) for tree, own in zip(trees.estimators_, trees.estimators_features_)]
    assert_allclose(trees.predict_proba(B), np.mean(shares, axis=0), rtol=1e-12)
