"""Bounds of fitted models: capacities named, formulas transcribed, structural risk minimization, coverage by simulation."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn import discriminant_analysis as sk_da
from sklearn import ensemble as sk_ensemble
from sklearn import linear_model as sk_linear
from sklearn import naive_bayes as sk_bayes
from sklearn import neighbors as sk_neighbors
from sklearn import svm as sk_svm
from sklearn import tree as sk_tree
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.decomposition import PCA
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from novum import discriminant_analysis, ensemble, linear_model, naive_bayes, neighbors, tree
from novum.exceptions import DataError, ParameterError
from novum.theory import RectangleLearner, error_bound, structural_risk_minimization


@pytest.fixture(scope="module")
def data():
    return make_classification(1200, 4, n_informative=3, n_redundant=0, class_sep=1.2, random_state=0)


def growth_bound(model, X, y, log_pi, delta=0.05):
    n = len(y)
    return (model.predict(X) != y).mean() + math.sqrt((log_pi + math.log(4 / delta)) / n)


@pytest.mark.notes("004", "vc-bound")
@pytest.mark.parametrize(
    ("model", "dimension"),
    [
        (linear_model.LogisticRegression(), 5),
        (sk_linear.LogisticRegression(fit_intercept=False), 4),
        (linear_model.Perceptron(random_state=0), 5),
        (sk_linear.RidgeClassifier(), 5),
        (sk_svm.LinearSVC(), 5),
        (sk_svm.SVC(kernel="linear"), 5),
        (sk_svm.SVC(kernel="poly", degree=2), 15),
        (discriminant_analysis.LinearDiscriminantAnalysis(), 5),
        (sk_da.QuadraticDiscriminantAnalysis(), 15),
        (naive_bayes.GaussianNB(), 9),
        (sk_bayes.GaussianNB(), 9),
        (make_pipeline(StandardScaler(), sk_linear.LogisticRegression()), 5),
        (make_pipeline(PolynomialFeatures(2, include_bias=False), linear_model.LogisticRegression(max_iter=500)), 15),
    ],
    ids=lambda value: type(value).__name__,
)
def test_models_with_linear_scores(data, model, dimension):
    X, y = data
    fitted = model.fit(X, y)
    found = error_bound(fitted, X, y)
    error = float((fitted.predict(X) != y).mean())
    assert_allclose(found.value, error_bound(n=len(y), vc=dimension, training_error=error).value, rtol=1e-12)
    assert f"VC dimension {dimension}" in found.capacity and found.kind == "growth" and not found.vacuous


def test_several_classes_count_pairs():
    X, y = make_classification(
        2000, 3, n_informative=3, n_redundant=0, n_classes=3, n_clusters_per_class=1, random_state=0
    )
    model = linear_model.LogisticRegression().fit(X, y)
    log_pi = 3 * 4 * (math.log(4000 / 4) + 1)
    assert_allclose(float(error_bound(model, X, y)), growth_bound(model, X, y, log_pi), rtol=1e-12)
    assert "3 pairs" in error_bound(model, X, y).capacity


@pytest.mark.parametrize("make", [tree.DecisionTreeClassifier, sk_tree.DecisionTreeClassifier])
def test_trees(data, make):
    X, y = data
    model = make(max_leaf_nodes=4, random_state=0).fit(X, y)
    leaves = model.get_n_leaves()
    catalan = math.comb(2 * leaves - 2, leaves - 1) // leaves
    log_pi = (
        math.log(catalan) + (leaves - 1) * math.log(4 * 2400) + leaves * math.log(2) + math.log(leaves * (leaves + 1))
    )
    found = error_bound(model, X, y, 0.1)
    assert_allclose(found.value, growth_bound(model, X, y, log_pi, 0.1), rtol=1e-12)
    assert f"{leaves} leaves" in found.capacity


def test_trees_with_categories():
    from novum.datasets import load_play_tennis

    X, y = load_play_tennis(return_X_y=True, as_frame=True)
    found = error_bound(tree.ID3().fit(X, y), X, y)
    assert found.training_error == 0 and found.vacuous and "5 leaves" in found.capacity
    log_pi = math.log(14) + 4 * math.log(4 + 4 + 2 + 2) + 5 * math.log(2) + math.log(30)
    assert_allclose(found.complexity, math.sqrt((log_pi + math.log(80)) / 14), rtol=1e-12)


@pytest.mark.parametrize(
    "model",
    [
        ensemble.AdaBoostClassifier(n_estimators=8),
        sk_ensemble.AdaBoostClassifier(n_estimators=8, random_state=0),
        ensemble.RandomForestClassifier(n_estimators=3, max_depth=2, random_state=0),
        sk_ensemble.RandomForestClassifier(n_estimators=3, max_depth=2, random_state=0),
        sk_ensemble.GradientBoostingClassifier(n_estimators=3, max_depth=2),
        ensemble.HistGradientBoostingClassifier(max_iter=3, max_leaf_nodes=4),
        sk_ensemble.HistGradientBoostingClassifier(max_iter=3, max_leaf_nodes=4),
        sk_svm.SVC(),
        RectangleLearner(),
        DummyClassifier(),
    ],
    ids=lambda m: type(m).__module__.split(".")[0] + "." + type(m).__name__,
)
def test_other_models_have_a_bound_that_names_its_capacity(data, model):
    X, y = data
    fitted = model.fit(X, y)
    found = error_bound(fitted, X, y)
    assert found.training_error == pytest.approx((fitted.predict(X) != y).mean(), abs=1e-12)
    assert found.value > found.training_error and found.capacity
    more = error_bound(fitted, np.vstack([X, X]), np.append(y, y))
    assert more.complexity < found.complexity


@pytest.mark.parametrize("make", [neighbors.KNeighborsClassifier, sk_neighbors.KNeighborsClassifier])
def test_neighbors_by_leaving_one_out(data, make):
    X, y = data
    model = make(3).fit(X, y)
    found = error_bound(model, X, y, delta=0.2)
    left_out = cross_val_predict(make(3), X[:200], y[:200], cv=LeaveOneOut())
    small = error_bound(make(3).fit(X[:200], y[:200]), X[:200], y[:200])
    assert small.training_error == (left_out != y[:200]).mean()
    assert_allclose(found.complexity, math.sqrt(19 / (1200 * 0.2)), rtol=1e-14)
    assert found.kind == "stability" and "infinite VC dimension" in found.capacity
    with pytest.raises(DataError, match="fitted on 1200 rows"):
        error_bound(model, X[:10], y[:10])


def test_held_out_examples_need_no_capacity(data):
    X, y = data
    for model in (
        MLPClassifier((3,), max_iter=2000, solver="lbfgs", random_state=0),
        make_pipeline(PCA(2), sk_svm.SVC()),
    ):
        fitted = model.fit(X[:600], y[:600])
        found = error_bound(fitted, X[600:], y[600:], held_out=True)
        errors = int((fitted.predict(X[600:]) != y[600:]).sum())
        assert_allclose(stats.binom.cdf(errors, 600, found.value), 0.05, rtol=1e-9)
        assert found.kind == "test_set"
        with pytest.raises(ParameterError, match="held_out=True"):
            error_bound(fitted, X, y)


def test_margins_of_linear_models_and_votes(data):
    X, y = data
    sign = 2 * y - 1
    model = linear_model.LogisticRegression().fit(X, y)
    found = error_bound(model, X, y, margin=0.5)
    w = np.append(model.coef_[0], model.intercept_[0])
    rows = np.column_stack([X, np.ones(len(X))])
    below = (sign * (rows @ w) / np.linalg.norm(w) < 0.5).mean()
    added = 2 * math.sqrt((rows**2).sum()) / 1200 / 0.5 + 3 * math.sqrt(math.log(40) / 2400)
    assert_allclose(found.value, below + added, rtol=1e-12)
    votes = ensemble.AdaBoostClassifier(n_estimators=30).fit(X, y)
    few, many = (error_bound(votes, X, y, margin=m) for m in (0.05, 0.3))
    assert few.training_error < many.training_error and few.complexity > many.complexity
    with pytest.raises(ParameterError, match="margins are for linear models"):
        error_bound(tree.DecisionTreeClassifier().fit(X, y), X, y, margin=0.1)
    with pytest.raises(ParameterError, match="give the margin"):
        error_bound(model, X, y, kind="margin")


def test_rademacher_complexity_estimated_on_the_data(data):
    X, y = data
    stump, deep = (tree.DecisionTreeClassifier(max_depth=d).fit(X, y) for d in (1, None))
    low, high = (error_bound(m, X, y, kind="rademacher", n_draws=4, random_state=0) for m in (stump, deep))
    confidence = 3 * math.sqrt(math.log(40) / 2400)
    assert 0 < low.complexity - confidence < 0.2
    assert_allclose(high.complexity, 1 + confidence, rtol=1e-12)  # fits any labels
    again = error_bound(stump, X, y, kind="rademacher", n_draws=4, random_state=0)
    assert again == low


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda X, y: error_bound(sk_linear.LinearRegression().fit(X, y), X, y), "of a classifier"),
        (lambda X, y: error_bound(KMeans(2, n_init=1).fit(X), X, y), "of a classifier"),
        (lambda X, y: error_bound(DummyClassifier().fit(X, y), X), "give X and y"),
        (lambda X, y: error_bound(DummyClassifier().fit(X, y), X, y, vc=3), "read off the model"),
        (lambda X, y: error_bound(DummyClassifier().fit(X, y), X, y[:3]), "inconsistent"),
        (lambda X, y: error_bound(DummyClassifier().fit(X, y), X, y, kind="test_set"), "held_out=True"),
        (lambda X, y: error_bound(DummyClassifier().fit(X, y), X, y, held_out=True, kind="vc"), "no capacity"),
        (lambda X, y: error_bound(None, X, y), "belong to a fitted model"),
        (lambda X, y: error_bound(0.1, X, y), "numbers go by name"),
        (lambda X, y: structural_risk_minimization({}, X, y), "at least one"),
    ],
)
def test_errors_name_what_is_wrong(data, call, words):
    with pytest.raises((ValueError, TypeError), match=words):
        call(*data)


@pytest.mark.notes("003", "structural-risk-minimisation")
def test_missing_cells_need_held_out_examples(data):
    X, y = data[0].copy(), data[1]
    X[0, 0] = np.nan
    model = sk_tree.DecisionTreeClassifier(max_depth=2).fit(X, y)
    with pytest.raises(DataError, match="missing cells"):
        error_bound(model, X, y)
    wrong = int((model.predict(X) != y).sum())
    bound = error_bound(model, X, y, held_out=True, delta=0.1).value
    assert_allclose(
        stats.binom.cdf(wrong, len(y), bound), 0.1, rtol=1e-9
    )  # so few errors are rarer under any larger error


def test_unfitted_models_are_refused(data):
    with pytest.raises(NotFittedError):
        error_bound(linear_model.LogisticRegression(), *data)


@pytest.mark.notes("003", "structural-risk-minimisation")
@pytest.mark.notes("004", "vc-bound")
def test_structural_risk_minimization():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(3000, 1))
    y = (np.abs(X[:, 0]) < 0.5) ^ (rng.uniform(size=3000) < 0.02)
    models = {
        f"degree {p}": make_pipeline(
            PolynomialFeatures(p, include_bias=False), linear_model.LogisticRegression(C=100.0)
        )
        for p in (1, 2, 4, 8)
    }
    found = structural_risk_minimization(models, X, y)
    assert found.best == "degree 2" and found.best_model.predict([[0.0]])[0]
    shared = error_bound(found.models["degree 2"], X, y, delta=0.05 / 4)
    assert found.bounds["degree 2"] == shared
    for p in (1, 2, 4, 8):  # p columns and a bias: VC dimension p + 1, and a quarter of the risk of failure each
        wrong = float((found.models[f"degree {p}"].predict(X) != y).mean())
        expected = error_bound(n=3000, vc=p + 1, training_error=wrong, delta=0.05 / 4).value
        assert_allclose(found.bounds[f"degree {p}"].value, expected, rtol=1e-12)
    scaled = make_pipeline(
        StandardScaler(), PolynomialFeatures(2, include_bias=False), linear_model.LogisticRegression()
    )
    assert_allclose(
        error_bound(scaled.fit(X, y), X, y).complexity, error_bound(n=3000, vc=3, training_error=0.1).complexity
    )
    added = [b.complexity for b in found.bounds.values()]
    assert added == sorted(added)
    errors = [b.training_error for b in found.bounds.values()]
    assert errors[0] > errors[1] > errors[3] == min(errors)  # the least training error alone would take degree 8
    frame = found.to_frame()
    assert list(frame.index) == list(models) and "<- least" in repr(found) and "<table" in found._repr_html_()
    assert found.plot().get_ylabel() == "error"


@pytest.mark.slow
def test_bounds_hold_by_simulation():
    rng = np.random.default_rng(0)

    def draw(n):
        X = rng.normal(size=(n, 2))
        return X, (X[:, 0] + 0.8 * rng.normal(size=n) > 0).astype(int)

    big = draw(40000)
    makers = {
        "linear": (lambda: sk_linear.LogisticRegression(), {}),
        "tree": (lambda: tree.DecisionTreeClassifier(max_leaf_nodes=4), {}),
        "neighbors": (lambda: neighbors.KNeighborsClassifier(3), {}),
        "margin": (lambda: sk_linear.LogisticRegression(), {"margin": 0.3}),
        "boosted": (lambda: ensemble.AdaBoostClassifier(n_estimators=5), {}),
    }
    for make, options in makers.values():
        broken = 0
        for _ in range(40):
            X, y = draw(400)
            model = make().fit(X, y)
            broken += (model.predict(big[0]) != big[1]).mean() > error_bound(model, X, y, 0.2, **options).value
        assert broken <= 8
    model = sk_linear.LogisticRegression().fit(*draw(100))
    true = (model.predict(big[0]) != big[1]).mean()
    below = [error_bound(model, *draw(200), 0.1, held_out=True).value < true for _ in range(600)]
    assert np.mean(below) <= 0.1 + 0.02


def test_breast_cancer_table():
    X, y = load_breast_cancer(return_X_y=True)
    found = error_bound(naive_bayes.GaussianNB().fit(X, y), X, y)
    assert "VC dimension 61" in found.capacity and found.value > 0.7
    assert "vacuous" in repr(error_bound(naive_bayes.GaussianNB().fit(X[:100], y[:100]), X[:100], y[:100]))
