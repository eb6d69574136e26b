"""Voting, averaging, stacking and bagging: scikit-learn's combiners over our learners."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.model_selection import cross_val_predict, cross_val_score

from novum.discriminant_analysis import LinearDiscriminantAnalysis
from novum.linear_model import LinearRegression, LogisticRegression, Ridge
from novum.naive_bayes import GaussianNB
from novum.tree import DecisionTreeClassifier, DecisionTreeRegressor

CLASSIFIERS = [
    ("nb", GaussianNB()),
    ("lda", LinearDiscriminantAnalysis()),
    ("tree", DecisionTreeClassifier(max_depth=3)),
]
REGRESSORS = [("ridge", Ridge()), ("tree", DecisionTreeRegressor(max_depth=3)), ("ols", LinearRegression())]


@pytest.mark.notes("000-a", "ensemble-combiner")
@pytest.mark.notes("000-c", "majority-vote")
@pytest.mark.notes("003", "majority-vote")
@pytest.mark.notes("002", "committee")
def test_majority_vote():
    X, y = load_iris(return_X_y=True)
    model = VotingClassifier(CLASSIFIERS).fit(X, y)
    each = np.array([member.predict(X) for member in model.estimators_])
    counts = np.array([(each == c).sum(axis=0) for c in range(3)])
    assert (model.predict(X) == counts.argmax(axis=0)).all()


@pytest.mark.notes("004", "averaging")
@pytest.mark.notes("000-c", "soft-vote")
@pytest.mark.notes("000-a", "ensemble-combiner")
def test_soft_vote_is_the_mean_of_the_probabilities():
    X, y = load_iris(return_X_y=True)
    model = VotingClassifier(CLASSIFIERS, voting="soft", weights=[2, 1, 1]).fit(X, y)
    each = np.array([member.predict_proba(X) for member in model.estimators_])
    assert_allclose(model.predict_proba(X), np.average(each, axis=0, weights=[2, 1, 1]), rtol=1e-12)


@pytest.mark.notes("000-a", "ensemble-combiner")
@pytest.mark.notes("004", "averaging")
@pytest.mark.notes("000-c", "mean-combine")
@pytest.mark.notes("002", "committee")
@pytest.mark.notes("003", "majority-vote")
def test_mean_of_regressors():
    X, y = load_diabetes(return_X_y=True)
    model = VotingRegressor(REGRESSORS).fit(X, y)
    each = np.array([member.predict(X) for member in model.estimators_])
    assert_allclose(model.predict(X), each.mean(axis=0), rtol=1e-12)
    ours = ((model.predict(X) - y) ** 2).mean()
    assert ours <= np.mean([((p - y) ** 2).mean() for p in each])  # the mean beats the average member, always


@pytest.mark.notes("004", "averaging")
def test_averaging_over_many_data_sets_keeps_the_bias_and_divides_the_variance():
    rng = np.random.default_rng(0)
    x = np.linspace(0, 1, 40)[:, None]
    truth = np.sin(2 * np.pi * x[:, 0])

    def one():
        return DecisionTreeRegressor().fit(x, truth + 0.5 * rng.normal(size=40)).predict(x)

    single = np.array([one() for _ in range(60)])
    averaged = np.array([np.mean([one() for _ in range(10)], axis=0) for _ in range(60)])
    assert averaged.var(axis=0).mean() == pytest.approx(single.var(axis=0).mean() / 10, rel=0.15)
    assert_allclose(averaged.mean(axis=0), single.mean(axis=0), atol=0.25)


@pytest.mark.notes("000-c", "stacking")
def test_stacking_trains_the_second_level_on_rows_the_first_did_not_see():
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :8]
    model = StackingClassifier(CLASSIFIERS, LogisticRegression(), cv=5).fit(X, y)
    outputs = np.column_stack([cross_val_predict(m, X, y, cv=5, method="predict_proba")[:, 1] for _, m in CLASSIFIERS])
    meta = LogisticRegression().fit(outputs, y)
    assert_allclose(model.final_estimator_.coef_, meta.coef_, rtol=1e-6)
    level = np.column_stack([member.predict_proba(X)[:, 1] for member in model.estimators_])
    assert_allclose(model.predict_proba(X), meta.predict_proba(level), rtol=1e-6)
    numbers = StackingRegressor(REGRESSORS, Ridge(), cv=3).fit(*load_diabetes(return_X_y=True))
    assert numbers.score(*load_diabetes(return_X_y=True)) > 0.4


@pytest.mark.notes("000-a", "bagging")
@pytest.mark.notes("000-c", "bagging")
@pytest.mark.notes("003", "bagging")
@pytest.mark.notes("004", "bagging")
def test_bagging_helps_an_unstable_learner():
    X, y = load_breast_cancer(return_X_y=True)
    tree = DecisionTreeClassifier(random_state=0)
    bag = BaggingClassifier(tree, n_estimators=25, random_state=0)
    assert cross_val_score(bag, X, y).mean() > cross_val_score(tree, X, y).mean()


@pytest.mark.notes("000-c", "oob-estimate")
def test_out_of_bag_estimate_is_near_a_held_out_one():
    X, y = load_breast_cancer(return_X_y=True)
    bag = BaggingClassifier(DecisionTreeClassifier(), n_estimators=40, oob_score=True, random_state=0).fit(X, y)
    assert bag.oob_score_ == pytest.approx(cross_val_score(bag, X, y).mean(), abs=0.02)
    left_out = np.mean([1 - len(np.unique(rows)) / len(X) for rows in bag.estimators_samples_])
    assert left_out == pytest.approx(np.exp(-1), abs=0.01)


@pytest.mark.notes("002", "bagging")
def test_committee_error_never_exceeds_the_average_error():
    """E_COM <= E_AV on any rows, and well below it for members that differ."""
    X, y = load_diabetes(return_X_y=True)
    bag = BaggingRegressor(DecisionTreeRegressor(), n_estimators=20, random_state=0).fit(X[:300], y[:300])
    each = np.array([member.predict(X[300:]) for member in bag.estimators_])
    average = ((each - y[300:]) ** 2).mean()
    committee = ((each.mean(axis=0) - y[300:]) ** 2).mean()
    variance = each.var(axis=0).mean()
    assert committee == pytest.approx(average - variance, rel=1e-9) and committee < 0.7 * average


@pytest.mark.notes("002", "feature-bagging")
def test_feature_bagging_gives_every_member_its_own_columns():
    X, y = load_breast_cancer(return_X_y=True)
    bag = BaggingClassifier(
        DecisionTreeClassifier(), n_estimators=15, max_features=0.4, bootstrap=False, random_state=0
    ).fit(X, y)
    assert {len(columns) for columns in bag.estimators_features_} == {12}
    assert len({tuple(sorted(columns)) for columns in bag.estimators_features_}) == 15
    assert bag.score(X, y) > 0.97
