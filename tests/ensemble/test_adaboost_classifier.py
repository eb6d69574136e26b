"""AdaBoost for classes: the notes' rounds, scikit-learn's classifier, bounds and margins."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import AdaBoostClassifier as Peer

from novum.ensemble import AdaBoostClassifier
from novum.exceptions import DataError, ParameterError
from novum.linear_model import LogisticRegression
from novum.tree import DecisionTreeClassifier

LINE, SIGNS = np.arange(6.0)[:, None], np.array([1, 1, -1, -1, 1, 1])


@pytest.mark.notes("002", "adaboost")
@pytest.mark.notes("000-c", "boosting")
def test_three_stumps_on_six_points():
    """Errors 1/3, 1/4, 1/6; votes log 2, log 3, log 5; no mistake is left after three rounds."""
    model = AdaBoostClassifier(n_estimators=3).fit(LINE, SIGNS)
    assert_allclose(model.estimator_errors_, [1 / 3, 1 / 4, 1 / 6], rtol=1e-12)
    assert_allclose(model.estimator_weights_, [0.693147, 1.098612, 1.609438], atol=5e-7)
    assert (model.predict(LINE) == SIGNS).all()
    votes, said = np.zeros(6), []
    for stage, (member, a) in zip(
        model.staged_decision_function(LINE), zip(model.estimators_, model.estimator_weights_), strict=True
    ):
        votes += a * member.predict(LINE)
        said.append(a)
        assert_allclose(
            stage, 2 * votes / sum(said), rtol=1e-12
        )  # votes for less those against, twice, as scikit-learn has it
    errors = [1 - score for score in model.staged_score(LINE, SIGNS)]
    assert errors[-1] == 0 and errors[0] == pytest.approx(1 / 3)


@pytest.mark.notes("000-c", "adaboost")
@pytest.mark.notes("000-c", "weak-learner")
def test_the_majority_predictor_is_worth_nothing_once_reweighted():
    """80 positives, 20 negatives, always +1: error .2, weights 1/160 and 1/40, then the classes weigh the same."""
    X, y = np.zeros((100, 1)), np.repeat([1, -1], [80, 20])
    model = AdaBoostClassifier(DummyClassifier(strategy="prior"), n_estimators=2).fit(X, y)
    assert model.estimator_errors_[0] == pytest.approx(0.2)
    assert model.estimator_weights_[0] / 2 == pytest.approx(0.693147, abs=5e-7)  # the notes halve the vote
    assert len(model.estimators_) == 1  # the second would be wrong on one half
    weight = np.where(y > 0, 0.01, 0.01 * np.exp(model.estimator_weights_[0]))
    weight /= weight.sum()
    assert_allclose([weight[0], weight[-1], weight[:80].sum()], [1 / 160, 1 / 40, 0.5], rtol=1e-12)
    assert_allclose(next(iter(model.staged_weights(X, y))), 0.01)


@pytest.mark.notes("003", "adaboost")
@pytest.mark.notes("003", "boosting")
def test_three_wrong_of_ten():
    """beta .4285714, vote .8472979, weights 1/6 and 1/14; the same member then errs on one half."""
    X, y = np.zeros((10, 1)), np.repeat([0, 1], [7, 3])
    model = AdaBoostClassifier(DummyClassifier(strategy="most_frequent"), n_estimators=5, algorithm="M1").fit(X, y)
    assert len(model) == 1
    assert model.estimator_weights_[0] == pytest.approx(0.8472979, abs=5e-8)
    assert np.exp(-model.estimator_weights_[0]) == pytest.approx(0.4285714, abs=5e-8)
    right = 1.0 / (7 + 3 * np.exp(model.estimator_weights_[0]))
    assert_allclose([3 * right * np.exp(model.estimator_weights_[0]), right], [0.5, 0.0714286], atol=5e-8)


@pytest.mark.notes("002", "exp-loss")
def test_exponential_loss_falls_and_bounds_the_training_error():
    X, y = load_breast_cancer(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=30).fit(X, y)
    loss = np.array(list(model.staged_exponential_loss(X, y)))
    error = 1 - np.array(list(model.staged_score(X, y)))
    assert (np.diff(loss) < 0).all() and (loss >= error).all()
    assert loss[-1] == pytest.approx(model.training_error_bound(), rel=1e-9)
    each = 2 * np.sqrt(model.estimator_errors_ * (1 - model.estimator_errors_))
    assert_allclose(loss, np.cumprod(each), rtol=1e-9)


def test_margins_are_shares_of_the_vote():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=20).fit(X, y)
    margin = model.margins(X, y)
    assert ((margin > 0) == (model.predict(X) == y)).all() and np.abs(margin).max() <= 1
    two = AdaBoostClassifier(n_estimators=20).fit(X[50:], y[50:])
    sign = np.where(y[50:] == 2, 1, -1)
    assert_allclose(two.margins(X[50:], y[50:]), sign * two.decision_function(X[50:]) / 2, rtol=1e-9, atol=1e-12)


@pytest.mark.notes("000-c", "adaboost")
@pytest.mark.notes("000-c", "boosting")
@pytest.mark.notes("002", "adaboost")
@pytest.mark.notes("003", "adaboost")
@pytest.mark.notes("003", "boosting")
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("depth", [1, 2])
def test_equals_scikit_learn(k, depth):
    from sklearn.tree import DecisionTreeClassifier as PeerTree

    X, y = make_classification(300, 6, n_informative=4, n_redundant=0, n_classes=k, random_state=k)
    X = X.astype(np.float32).astype(np.float64)  # the peer rounds to float32
    weight = np.random.default_rng(0).random(300)
    ours = AdaBoostClassifier(DecisionTreeClassifier(max_depth=depth), n_estimators=15, learning_rate=0.7)
    peer = Peer(PeerTree(max_depth=depth, random_state=0), n_estimators=15, learning_rate=0.7, random_state=0)
    for w in (None, weight):
        ours.fit(X, y, sample_weight=w)
        peer.fit(X, y, sample_weight=w)
        assert_allclose(ours.estimator_errors_, peer.estimator_errors_, rtol=1e-9)
        assert_allclose(ours.estimator_weights_, peer.estimator_weights_, rtol=1e-9)
        assert_allclose(ours.decision_function(X), peer.decision_function(X), rtol=1e-9, atol=1e-12)
        assert_allclose(ours.predict_proba(X), peer.predict_proba(X), rtol=1e-9)
        assert_allclose(ours.feature_importances_, peer.feature_importances_, rtol=1e-7, atol=1e-12)
        for a, b in zip(ours.staged_predict(X), peer.staged_predict(X)):
            assert (a == b).all()


@pytest.mark.notes("003", "adaboost")
@pytest.mark.notes("000-c", "weak-learner")
def test_m1_requires_less_than_one_half():
    X, y = make_classification(
        200, 5, n_informative=4, n_redundant=0, n_classes=4, random_state=0, n_clusters_per_class=1
    )
    samme = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=10).fit(X, y)
    assert samme.estimator_errors_.max() > 0.5  # a stump names two of four classes
    with pytest.raises(DataError, match="worse than random"):
        AdaBoostClassifier(n_estimators=10, algorithm="M1").fit(X, y)


def test_a_perfect_member_ends_the_rounds_and_other_learners_serve():
    X, y = load_iris(return_X_y=True)
    stump = AdaBoostClassifier(n_estimators=10).fit(X[:100], y[:100])
    assert len(stump) == 1 and stump.estimator_errors_[0] == 0 and stump.score(X[:100], y[:100]) == 1
    linear = AdaBoostClassifier(LogisticRegression(), n_estimators=5).fit(X, y)
    assert linear.score(X, y) > 0.8
    with pytest.raises(AttributeError, match="feature_importances_"):
        _ = linear.feature_importances_


def test_refusals():
    from sklearn.neighbors import KNeighborsClassifier

    with pytest.raises(ParameterError, match="doesn't support sample_weight"):
        AdaBoostClassifier(KNeighborsClassifier()).fit(LINE, SIGNS)
    with pytest.raises(ParameterError, match="n_estimators"):
        AdaBoostClassifier(n_estimators=0).fit(LINE, SIGNS)
    model = AdaBoostClassifier(n_estimators=3).fit(LINE, SIGNS)
    with pytest.raises(DataError, match="not among the classes"):
        model.margins(LINE, SIGNS + 5)
    with pytest.raises(DataError, match="for two"):
        next(AdaBoostClassifier().fit(*load_iris(return_X_y=True)).staged_exponential_loss(*load_iris(return_X_y=True)))


def test_sparse_rows_and_missing_cells():
    import scipy.sparse

    X, y = load_breast_cancer(return_X_y=True)
    X = np.where(np.median(X, axis=0) > X, 0.0, X)
    dense = AdaBoostClassifier(n_estimators=8).fit(X, y)
    sparse = AdaBoostClassifier(n_estimators=8).fit(scipy.sparse.csr_matrix(X), y)
    assert_allclose(sparse.decision_function(scipy.sparse.csr_matrix(X)), dense.decision_function(X), rtol=1e-9)
    holes = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    assert AdaBoostClassifier(n_estimators=8).fit(holes, y).score(holes, y) > 0.85
