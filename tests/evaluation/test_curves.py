"""Learning and validation curves with their diagnosis, and the rows that scikit-learn's plumbing serves over our models."""

import numpy as np
import pytest
from artists import bands, curve, curves
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.inspection import DecisionBoundaryDisplay
from sklearn.metrics import (
    PrecisionRecallDisplay,
    auc,
    average_precision_score,
    f1_score,
    make_scorer,
    precision_recall_curve,
    precision_score,
    recall_score,
)
from sklearn.model_selection import (
    FixedThresholdClassifier,
    TunedThresholdClassifierCV,
    learning_curve,
    validation_curve,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from novum.evaluation import LearningCurveDisplay, ValidationCurveDisplay
from novum.exceptions import ParameterError
from novum.linear_model import LinearRegression, LogisticRegression
from novum.naive_bayes import GaussianNB
from novum.tree import DecisionTreeClassifier, DecisionTreeRegressor

pytest.importorskip("matplotlib")
X, y = load_breast_cancer(return_X_y=True)
rng = np.random.default_rng(0)
U = rng.uniform(size=(60, 1))
T = np.sin(2 * np.pi * U[:, 0]) + 0.2 * rng.normal(size=60)
SCORES, LABELS = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4], [1, 1, 0, 1, 0, 0]  # the catalogue's


def new_axes():
    from matplotlib.figure import Figure

    return Figure().subplots()


@pytest.mark.notes("000-a", "problem-card")
@pytest.mark.notes("003", "learning-curve")
def test_learning_curve_distinguishes_bias_from_variance():
    sizes = np.linspace(0.2, 1, 5)
    line = LearningCurveDisplay.from_estimator(
        LinearRegression(), U, T, train_sizes=sizes, cv=5, scoring="neg_mean_squared_error", ax=new_axes()
    )
    found = line.diagnose(target=-0.04)  # the noise
    assert found.kind == "high bias" and "more rows will not help" in found.advice and found.gap < 0.05
    wild = LearningCurveDisplay.from_estimator(
        DecisionTreeRegressor(random_state=0),
        U,
        T,
        train_sizes=sizes,
        cv=5,
        scoring="neg_mean_squared_error",
        ax=new_axes(),
    )
    found = wild.diagnose()
    assert (
        found.kind == "high variance" and found.train == pytest.approx(0, abs=1e-12) and "high variance" in str(found)
    )
    sizes_of, folds = np.arange(10, 70, 10), np.tile([-0.1, 0.1], (6, 1))  # training scores of one: a range of 1 - 0.5
    for last, words in ((0.508, "no longer rises"), (0.512, "still rising")):  # by a fiftieth of it over the last third
        means = np.array([0.4, 0.45, 0.5, 0.5, 0.51, last])
        drawn_from = LearningCurveDisplay(
            train_sizes=sizes_of, train_scores=np.ones((6, 2)), test_scores=means[:, None] + folds
        )
        assert words in drawn_from.diagnose().advice
    n, train, test = learning_curve(LinearRegression(), U, T, train_sizes=sizes, cv=5, scoring="neg_mean_squared_error")
    np.testing.assert_allclose(line.train_scores, train)
    np.testing.assert_allclose(line.test_scores, test)
    drawn = curves(line.ax_)
    assert list(drawn) == ["Train", "Test"]
    for name, scores in (("Train", train), ("Test", test)):  # what is drawn over the rows, and its standard deviation
        np.testing.assert_allclose(drawn[name], np.column_stack([n, scores.mean(1)]))
    for (x, low, high), scores in zip(bands(line.ax_), (train, test)):
        np.testing.assert_allclose(x, n)
        np.testing.assert_allclose(high - low, 2 * scores.std(1))


@pytest.mark.notes("000-a", "overfitting-diagnostic")
@pytest.mark.notes("001", "tree-size-curve")
@pytest.mark.notes("001", "capacity-curve")
def test_tree_size_curve():
    leaves = [2, 4, 8, 16, 64]
    display = ValidationCurveDisplay.from_estimator(
        DecisionTreeClassifier(random_state=0),
        X,
        y,
        param_name="max_leaf_nodes",
        param_range=leaves,
        cv=4,
        ax=new_axes(),
    )
    train, test = validation_curve(
        DecisionTreeClassifier(random_state=0), X, y, param_name="max_leaf_nodes", param_range=leaves, cv=4
    )
    np.testing.assert_allclose(display.gap, train.mean(1) - test.mean(1), rtol=1e-12)
    drawn = curves(display.ax_)
    for name, scores in (("Train", train), ("Test", test)):
        np.testing.assert_allclose(drawn[name], np.column_stack([leaves, scores.mean(1)]))
    assert np.all(np.diff(train.mean(1)) >= 0) and display.gap[-1] > display.gap[0]
    assert display.best == leaves[int(test.mean(1).argmax())] and display.best < 64
    found = display.diagnose(64)
    assert found.kind == "high variance" and f"best max_leaf_nodes {display.best}" in found.advice
    with pytest.raises(ParameterError, match="the curve has"):
        display.diagnose(5)


@pytest.mark.notes("003", "overfit-demo")
def test_degrees_over_and_underfit_and_weights_grow():
    model = make_pipeline(PolynomialFeatures(), LinearRegression())
    display = ValidationCurveDisplay.from_estimator(
        model,
        U[:25],
        T[:25],
        param_name="polynomialfeatures__degree",
        param_range=[1, 3, 5, 12],
        cv=5,
        scoring="neg_root_mean_squared_error",
        ax=new_axes(),
    )
    assert (
        display.best in (3, 5)
        and display.diagnose(1).kind == "high bias"
        and display.diagnose(12).kind == "high variance"
    )
    degrees = [1, 3, 5, 12]
    rows = [U[:25], T[:25]]
    folds = np.array_split(np.arange(25), 5)
    errors = {name: np.zeros((4, 5)) for name in ("Train", "Test")}
    for i, degree in enumerate(degrees):
        for j, held in enumerate(folds):
            kept = np.setdiff1d(np.arange(25), held)
            fitted = np.polynomial.Polynomial.fit(rows[0][kept, 0], rows[1][kept], degree)
            for name, part in (("Train", kept), ("Test", held)):
                errors[name][i, j] = -np.sqrt(np.mean((fitted(rows[0][part, 0]) - rows[1][part]) ** 2))
    for name, line in curves(display.ax_).items():
        np.testing.assert_allclose(line, np.column_stack([degrees, errors[name].mean(1)]), rtol=1e-3)
    norms = [
        float(np.linalg.norm(make_pipeline(PolynomialFeatures(d), LinearRegression()).fit(U[:25], T[:25])[-1].coef_))
        for d in (1, 3, 12)
    ]
    assert norms[0] < norms[1] < norms[2]
    diagnosis = display.diagnose(12)
    assert (diagnosis.train, diagnosis.test) == pytest.approx(
        (errors["Train"][3].mean(), errors["Test"][3].mean()), rel=1e-3
    )
    assert diagnosis.gap == pytest.approx(diagnosis.train - diagnosis.test)
    gaps = []
    for n in (25, 60):  # more rows shrink the gap
        wide = make_pipeline(PolynomialFeatures(7), LinearRegression())
        shown = LearningCurveDisplay.from_estimator(
            wide, U[:n], T[:n], train_sizes=[0.5, 1.0], cv=5, scoring="neg_mean_squared_error", ax=new_axes()
        )
        gaps.append(float((shown.train_scores - shown.test_scores)[-1].mean()))
    assert gaps[1] < gaps[0]


@pytest.mark.notes("000-a", "majority-baseline")
def test_constant_predictors():
    labels = np.array([0, 0, 0, 1])
    assert (DummyClassifier(strategy="most_frequent").fit(np.zeros((4, 1)), labels).predict(np.ones((2, 1))) == 0).all()
    assert DummyRegressor().fit(np.zeros((4, 1)), [1.0, 2, 3, 6]).predict(np.ones((1, 1))) == 3
    from novum.evaluation import compare

    result = compare({"baseline": DummyClassifier(), "model": GaussianNB()}, X, y, cv=5, baseline="baseline")
    assert result.verdict(result.pairs[0]) == "model better"


@pytest.mark.notes("003", "random-guesser")
def test_random_guesser():
    labels = np.arange(4000) % 2
    guesser = DummyClassifier(strategy="uniform", random_state=0).fit(np.zeros((4000, 1)), labels)
    assert guesser.score(np.zeros((4000, 1)), labels) == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(4000))


@pytest.mark.notes("000-a", "pr-curve")
def test_precision_recall_curve_of_the_catalogue():
    precision, recall, thresholds = precision_recall_curve(LABELS, SCORES)
    points = list(zip(recall[::-1][1:], precision[::-1][1:]))  # from the highest threshold down
    wanted = [(1 / 3, 1), (2 / 3, 1), (2 / 3, 2 / 3), (1, 3 / 4), (1, 3 / 5), (1, 1 / 2)]
    np.testing.assert_allclose(points, wanted)
    assert thresholds[-1] == 0.9  # the highest threshold is the left end
    ax = new_axes()
    for name, model in (("nb", GaussianNB()), ("logistic", make_pipeline(StandardScaler(), LogisticRegression()))):
        PrecisionRecallDisplay.from_estimator(model.fit(X[::2], y[::2]), X[1::2], y[1::2], name=name, ax=ax)
        score, held = model.predict_proba(X[1::2])[:, 1], y[1::2]
        drawn = curve(ax, -1)  # every threshold's share of right alarms over the share that is found
        wanted = {(((score >= c) & (held == 1)).sum() / (held == 1).sum(), held[score >= c].mean()) for c in score}
        assert {tuple(np.round(at, 9)) for at in zip(*drawn)} - {(0.0, 1.0)} == {
            tuple(np.round(at, 9)) for at in wanted
        }
    assert len(ax.lines) == 2


@pytest.mark.notes("000-a", "auprc")
def test_area_by_both_rules():
    assert average_precision_score(LABELS, SCORES) == pytest.approx(11 / 12, abs=1e-12)  # steps
    precision, recall, _ = precision_recall_curve(LABELS, SCORES)
    assert auc(recall, precision) == pytest.approx(0.902778, abs=5e-7)  # trapezoids from (0, 1)


@pytest.mark.notes("000-a", "threshold-classifier")
def test_moving_the_threshold():
    base = make_pipeline(StandardScaler(), LogisticRegression())
    strict, loose = (
        FixedThresholdClassifier(base, threshold=t).fit(X[::2], y[::2]).predict(X[1::2]) for t in (0.9, 0.1)
    )
    assert precision_score(y[1::2], strict) > precision_score(y[1::2], loose)
    assert recall_score(y[1::2], strict) < recall_score(y[1::2], loose)
    tuned = TunedThresholdClassifierCV(base, scoring=make_scorer(f1_score), cv=3).fit(X[::2], y[::2])
    assert f1_score(y[1::2], tuned.predict(X[1::2])) > 0.95


@pytest.mark.notes("002", "plot-decision-regions")
@pytest.mark.notes("004", "decision-boundary-plot")
def test_decision_regions():
    rows, labels = load_iris(return_X_y=True)
    rows = rows[:, :2]
    model = GaussianNB().fit(rows, labels)
    display = DecisionBoundaryDisplay.from_estimator(
        model, rows, response_method="predict", ax=new_axes(), grid_resolution=50
    )
    grid = np.column_stack([display.xx0.ravel(), display.xx1.ravel()])
    assert np.array_equal(display.response.ravel(), model.predict(grid))
    for k, path in enumerate(display.surface_.get_paths()):  # a band of color holds the points of one class
        inside = path.contains_points(grid, radius=1e-9)
        assert (inside == (model.predict(grid) == k)).mean() > 0.95 and inside.any()
    pair = labels < 2
    line = LogisticRegression().fit(rows[pair], labels[pair])
    margin = DecisionBoundaryDisplay.from_estimator(
        line, rows[pair], response_method="decision_function", ax=new_axes(), grid_resolution=30
    )
    # the boundary w'x + b = 0 separates the signs of the response
    at = np.column_stack([margin.xx0.ravel(), margin.xx1.ravel()])
    np.testing.assert_allclose(margin.response.ravel(), at @ line.coef_[0] + line.intercept_, rtol=1e-9, atol=1e-9)
