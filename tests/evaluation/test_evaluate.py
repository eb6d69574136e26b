"""Scores of predictions against scikit-learn's metrics, the notes' numbers and hand counts."""

import numpy as np
import pytest
from artists import canvas
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import metrics
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.svm import LinearSVC

from novum.decision_theory import HypothesisPosterior
from novum.evaluation import evaluate, evaluate_predictions
from novum.exceptions import DataError, ParameterError
from novum.linear_model import BayesianLinearRegression, Hyperplane, LinearRegression, Perceptron
from novum.naive_bayes import GaussianNB

# tables of a few rows: that their intervals are in doubt is reported, and tested in test_doubts.py
pytestmark = pytest.mark.filterwarnings("ignore:.*interval of:novum.exceptions.DataWarning")

rng = np.random.default_rng(0)
FEW = {"n_resamples": 100}


def binary(TP, FN, FP, TN):
    """Return truth and predictions with these counts."""
    return np.repeat([1, 1, 0, 0], [TP, FN, FP, TN]), np.repeat([1, 0, 1, 0], [TP, FN, FP, TN])


def labels_of(table):
    """Return truth and predictions with this confusion table."""
    i, j = np.indices(np.shape(table))
    return np.repeat(i.ravel(), np.ravel(table)), np.repeat(j.ravel(), np.ravel(table))


@pytest.mark.notes("000-a", "confusion-binary")
@pytest.mark.notes("000-a", "accuracy")
@pytest.mark.notes("000-a", "accuracy-rebalanced")
@pytest.mark.notes("000-a", "precision")
@pytest.mark.notes("000-a", "recall")
@pytest.mark.notes("000-a", "f-measure")
def test_ten_times_more_negatives():
    found = evaluate_predictions(*binary(5, 5, 10, 90), **FEW)
    assert found.counts() == {"TP": 5, "FN": 5, "FP": 10, "TN": 90}
    assert found["accuracy"].value == pytest.approx(0.863636, abs=5e-7)
    assert found["error"].value == pytest.approx(1 - 0.863636, abs=5e-7)
    assert found["rebalanced_accuracy"].value == pytest.approx((10 * 5 + 90) / (10 * 10 + 100), rel=1e-12)
    assert found["precision"].value == pytest.approx(1 / 3) and found["recall"].value == 0.5
    assert found["f1"].value == pytest.approx(0.4)
    two = evaluate_predictions(*binary(5, 5, 10, 90), beta=2.0, **FEW)["f_score"].value
    assert two == pytest.approx(5 * (1 / 3) * 0.5 / (4 / 3 + 0.5))
    assert found.plot_confusion().get_xlabel() == "Predicted label"


@pytest.mark.notes("003", "confusion-counts")
@pytest.mark.notes("003", "accuracy")
@pytest.mark.notes("003", "precision")
@pytest.mark.notes("003", "recall")
@pytest.mark.notes("003", "f1")
@pytest.mark.notes("003", "zero-one-loss")
def test_a_hundred_rows():
    found = evaluate_predictions(*binary(40, 10, 5, 45), **FEW)
    values = [found[name].value for name in ("accuracy", "precision", "recall", "f1", "zero_one_loss")]
    assert_allclose(values, [0.85, 0.8888889, 0.8, 0.8421053, 0.15], atol=5e-8)


@pytest.mark.notes("001", "accuracy")
@pytest.mark.notes("001", "binary-counts")
@pytest.mark.notes("001", "recall")
@pytest.mark.notes("001", "precision")
@pytest.mark.notes("001", "sample-error")
def test_always_answer_plus():
    y = np.array(["+"] * 90 + ["-"] * 10)
    found = evaluate_predictions(y, np.full(100, "+"), pos_label="+", classes=["+", "-"], **FEW)
    assert found["accuracy"].value == 0.9 and found["sample_error"].value == pytest.approx(0.1)
    assert found["recall"].value == 1 and found["precision"].value == 0.9
    minus = found.per_class[1]
    assert minus.recall.value == 0 and minus.precision.value == 0 and minus.precision.interval == (0, 1)
    other = evaluate_predictions(y, np.full(100, "+"), pos_label="-", classes=["+", "-"], zero_division=np.nan, **FEW)
    assert np.isnan(other["precision"].value) and "nothing is predicted positive" in repr(other)


@pytest.mark.notes("002", "confusion-matrix")
@pytest.mark.notes("000-a", "confusion-multi")
@pytest.mark.notes("000-a", "per-class-metrics")
@pytest.mark.notes("000-a", "multiclass-accuracy")
@pytest.mark.notes("001", "confusion-matrix")
def test_three_classes():
    table = [[5, 1, 0], [2, 6, 2], [0, 1, 8]]
    found = evaluate_predictions(*labels_of(table), **FEW)
    assert_array_equal(found.confusion, table)
    assert found["macc"].value == 0.76
    frame = found.class_frame()
    assert_allclose(frame["precision"], [0.714286, 0.75, 0.8], atol=5e-7)
    assert_allclose(frame["recall"], [0.833333, 0.6, 0.888889], atol=5e-7)
    assert_allclose(frame["f_score"], [0.769231, 0.666667, 0.842105], atol=5e-7)
    assert_allclose(frame["accuracy"], [0.88, 0.76, 0.88])
    assert found["macro_f1"].value == pytest.approx(0.759334, abs=5e-7)
    assert found.confused()[:2] == [(1, 0, 2.0), (1, 2, 2.0)]
    shares = found.plot_confusion(canvas(), normalize="true").images[0].get_array()
    assert_allclose(shares, np.array(table) / np.sum(table, axis=1, keepdims=True))
    assert_allclose(shares.diagonal(), frame["recall"])  # the diagonal is the accuracy of a class only after dividing
    ax = found.plot_confusion(canvas())
    assert_array_equal(ax.images[0].get_array(), table)  # true classes down, predicted ones across
    written = {tuple(int(v) for v in text.get_position()): int(text.get_text()) for text in ax.texts}
    assert written == {(j, i): table[i][j] for i in range(3) for j in range(3)}
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Predicted label", "True label")


@pytest.mark.notes("002", "confusion-matrix")
def test_printed_fragment():
    found = evaluate_predictions(*labels_of([[6, 1, 0], [4, 2, 3], [1, 0, 5]]), **FEW)
    assert found.n == 22 and found["error"].value == pytest.approx(0.409091, abs=5e-7)


@pytest.mark.notes("000-a", "precision-at-k")
def test_precision_at_k():
    y, score = [1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    found = evaluate_predictions(y, y_score=score, k=[2, 3, 4], **FEW)
    assert_allclose([found[f"precision_at_{k}"].value for k in (2, 3, 4)], [1, 2 / 3, 3 / 4])
    tied = evaluate_predictions([1, 0, 1, 0], y_score=[0.9, 0.5, 0.5, 0.1], k=2, **FEW)["precision_at_2"]
    assert tied.value == 0.75
    with pytest.raises(DataError, match="only 6 rows"):
        evaluate_predictions(y, y_score=score, k=7)


@pytest.mark.notes("000-a", "rmse")
@pytest.mark.notes("000-a", "pearson")
@pytest.mark.notes("001", "mae")
@pytest.mark.notes("001", "mse")
@pytest.mark.notes("001", "rmse")
def test_four_numbers():
    found = evaluate_predictions([3, -0.5, 2, 7], [2.5, 0, 2, 8], **FEW)
    values = [found[name].value for name in ("rmse", "pearson", "mae", "mse")]
    assert_allclose(values, [0.6123724, 0.984870, 0.5, 0.375], atol=5e-7)


@pytest.mark.notes("001", "residual-norm")
def test_vector_targets():
    y, f = rng.normal(size=(2, 30, 3))
    found = evaluate_predictions(y, f, **FEW)
    assert found["residual_norm"].value == pytest.approx(np.linalg.norm(y - f, axis=1).mean(), rel=1e-12)
    for name, function in NUMBERS.items():
        assert found[name].value == pytest.approx(function(y, f), rel=1e-12)


@pytest.mark.notes("003", "sse-rss")
def test_half_of_the_residual_sum():
    X, t = np.array([[0.0], [1], [2], [3]]), np.array([1.0, 2, 2, 4])  # slope .9, intercept .9
    found = evaluate(LinearRegression().fit(X, t), X, t, **FEW)
    assert (found["rss"].value, found["half_sse"].value) == pytest.approx((0.7, 0.35), rel=1e-10)


@pytest.mark.notes("004", "zero-one-risk")
def test_labels_of_plus_and_minus_one():
    y, f = rng.choice([-1, 1], size=(2, 40))
    found = evaluate_predictions(y, f, **FEW)
    assert found["zero_one_risk"].value == pytest.approx(np.mean(np.abs(y - f) / 2)) and found.positive == 1


@pytest.mark.notes("003", "training-error")
def test_the_training_rows_flatter():
    X, y = rng.normal(size=(60, 15)), rng.normal(size=60)
    new, truth = rng.normal(size=(500, 15)), rng.normal(size=500)
    errors = [evaluate(LinearRegression().fit(X[:, :d], y), X[:, :d], y, **FEW)["mse"].value for d in (1, 5, 10, 15)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < evaluate(LinearRegression().fit(X, y), new, truth, **FEW)["mse"].value


@pytest.mark.notes("003", "log-likelihood-posterior-cost")
def test_likelihood_posterior_cost_margin():
    y = rng.integers(2, size=50)
    p = np.clip(rng.uniform(size=50), 0.05, 0.95)
    found = evaluate_predictions(y, y_proba=p, cost=[[0, 1], [5, 0]], **FEW)
    assert found["log_likelihood"].value == pytest.approx(np.log(np.where(y == 1, p, 1 - p)).sum(), rel=1e-12)
    said = p > 0.5
    assert found["cost"].value == pytest.approx(np.mean(np.where(y == 1, 5 * ~said, said)))
    X, t = load_diabetes(return_X_y=True)
    model = BayesianLinearRegression().fit(X, t)
    density = model.predict_distribution(X[:40]).log_prob(t[:40])
    assert evaluate(model, X[:40], t[:40], **FEW)["log_likelihood"].value == pytest.approx(density.sum(), rel=1e-10)
    coins = HypothesisPosterior([0.5, 0.5], [[0.5, 0.5], [0.9, 0.1]], ["heads", "tails"], ["fair", "biased"])
    assert coins.update(["heads"]).posterior[1] == pytest.approx(0.9 / 1.4)
    plane = Hyperplane([3.0, 4.0])
    assert plane.geometric_margin([[1.0, 1], [-1, -2]], [1, -1]).min() == pytest.approx(7 / 5)


NUMBERS = {
    "mse": metrics.mean_squared_error,
    "rmse": metrics.root_mean_squared_error,
    "mae": metrics.mean_absolute_error,
    "r2": metrics.r2_score,
}


@pytest.mark.notes("000-a", "f-measure")
@pytest.mark.notes("003", "f1")
@pytest.mark.notes("000-a", "accuracy")
@pytest.mark.notes("000-a", "precision")
@pytest.mark.notes("000-a", "recall")
@pytest.mark.parametrize("weighted", [False, True])
def test_two_classes_are_scikit_learns(weighted):
    n = 300
    y = rng.integers(2, size=n)
    p = 1 / (1 + np.exp(-(y + rng.normal(size=n))))
    w = {"sample_weight": rng.uniform(0, 2, size=n)} if weighted else {}
    found, said = evaluate_predictions(y, y_proba=p, **w, **FEW), (p > 0.5).astype(int)
    precision, recall, _ = metrics.precision_recall_curve(y, p, **w)
    expected = {
        "accuracy": metrics.accuracy_score(y, said, **w),
        "balanced_accuracy": metrics.balanced_accuracy_score(y, said, **w),
        "precision": metrics.precision_score(y, said, **w),
        "recall": metrics.recall_score(y, said, **w),
        "specificity": metrics.recall_score(y, said, pos_label=0, **w),
        "f_score": metrics.f1_score(y, said, **w),
        "matthews": metrics.matthews_corrcoef(y, said, **w),
        "roc_auc": metrics.roc_auc_score(y, p, **w),
        "average_precision": metrics.average_precision_score(y, p, **w),
        "pr_auc": metrics.auc(recall, precision),
        "log_loss": metrics.log_loss(y, p, **w),
        "brier": metrics.brier_score_loss(y, p, **w),
    }
    for name, value in expected.items():
        assert found[name].value == pytest.approx(value, rel=1e-11), name
        assert found[name].lower <= value <= found[name].upper, name


@pytest.mark.notes("001", "confusion-matrix")
@pytest.mark.notes("002", "confusion-matrix")
@pytest.mark.parametrize("weighted", [False, True])
def test_several_classes_are_scikit_learns(weighted):
    y = rng.choice(list("abcd"), p=[0.4, 0.3, 0.2, 0.1], size=250)
    p = rng.dirichlet(np.ones(4), size=250) + 0.5 * (y[:, None] == list("abcd"))
    p /= p.sum(axis=1, keepdims=True)
    said, w = (
        np.array(list("abcd"))[p.argmax(axis=1)],
        {"sample_weight": rng.uniform(0.1, 2, size=250)} if weighted else {},
    )
    found = evaluate_predictions(y, y_proba=p, **w, **FEW)
    expected = {
        "balanced_accuracy": metrics.balanced_accuracy_score(y, said, **w),
        "macro_precision": metrics.precision_score(y, said, average="macro", **w),
        "macro_recall": metrics.recall_score(y, said, average="macro", **w),
        "macro_f_score": metrics.f1_score(y, said, average="macro", **w),
        "matthews": metrics.matthews_corrcoef(y, said, **w),
        "roc_auc": metrics.roc_auc_score(y, p, multi_class="ovr", **w),
        "log_loss": metrics.log_loss(y, p, **w),
        "brier": metrics.brier_score_loss(y, p, **w),
    }
    for name, value in expected.items():
        assert found[name].value == pytest.approx(value, rel=1e-11), name
    assert_allclose(found.confusion, metrics.confusion_matrix(y, said, **w), rtol=1e-12)


@pytest.mark.notes("000-a", "rmse")
@pytest.mark.notes("000-a", "pearson")
@pytest.mark.notes("001", "mae")
@pytest.mark.notes("001", "mse")
@pytest.mark.notes("001", "rmse")
@pytest.mark.parametrize("weighted", [False, True])
def test_numbers_are_scikit_learns(weighted):
    y = rng.normal(size=120) * 3 + 1e6  # far from zero: no digits may be lost
    f, w = y + rng.normal(size=120), {"sample_weight": rng.uniform(0, 2, size=120)} if weighted else {}
    found = evaluate_predictions(y, f, **w, **FEW)
    for name, function in NUMBERS.items():
        assert found[name].value == pytest.approx(function(y, f, **w), rel=1e-8), name
    if not weighted:
        assert found["pearson"].value == pytest.approx(np.corrcoef(y, f)[0, 1], rel=1e-10)


@pytest.mark.notes("001", "true-error")
@pytest.mark.notes("001", "expected-sample-error")
@pytest.mark.notes("003", "prediction-error")
@pytest.mark.notes("003", "expected-loss")
@pytest.mark.notes("004", "expected-test-error")
def test_weights_that_are_a_distribution_make_expectations():
    """Over a finite X the probabilities of the points are weights, and the score is the expectation itself."""
    from itertools import combinations

    truth, h = np.array([0, 0, 1, 1, 1, 0]), np.array([0, 0, 1, 1, 0, 1])  # wrong on two of six points
    true_error = evaluate_predictions(truth, h, sample_weight=np.full(6, 1 / 6), scoring="error", **FEW)["error"].value
    assert true_error == pytest.approx(1 / 3)
    for n in (1, 2, 3):  # the sample error of a fixed hypothesis has no bias
        errors = [
            evaluate_predictions(truth[list(s)], h[list(s)], scoring="error", task="classification", **FEW)[
                "error"
            ].value
            for s in combinations(range(6), n)
        ]
        assert np.mean(errors) == pytest.approx(true_error)
    distribution = np.array(
        [[0.1, 0.2], [0.3, 0.4]]
    )  # p(x, t) for t = 0, 1: the mean of t given x has the least squared loss
    x, t = np.indices((2, 2)).reshape(2, -1)
    best = (distribution[:, 1] / distribution.sum(axis=1))[x]
    losses = [
        evaluate_predictions(t, f, sample_weight=distribution.ravel(), task="regression", scoring="mse", **FEW)[
            "mse"
        ].value
        for f in (best, best + 0.1, (x > 0).astype(float))
    ]
    assert losses[0] == pytest.approx((distribution.prod(axis=1) / distribution.sum(axis=1)).sum()) and losses[
        0
    ] == min(losses)
    assert losses[1] == pytest.approx(losses[0] + 0.01)


def test_zero_weight_is_absence_and_weights_scale():
    y, f, w = rng.integers(2, size=80), rng.integers(2, size=80), rng.integers(0, 2, size=80).astype(float)
    a, b = evaluate_predictions(y, f, sample_weight=w, **FEW), evaluate_predictions(y[w > 0], f[w > 0], **FEW)
    assert a.n == b.n and a["accuracy"].interval == pytest.approx(b["accuracy"].interval)
    assert a["f_score"].value == b["f_score"].value


def test_models_and_pictures():
    X, y = load_breast_cancer(return_X_y=True)
    found = evaluate(GaussianNB().fit(X[::2], y[::2]), X[1::2], y[1::2], **FEW)
    assert {"accuracy", "roc_auc", "brier", "calibration_error"} <= set(found) and "ece" in found
    assert found.to_frame().loc["accuracy", "method"] == "wilson"
    assert found.plot().get_xlabel() == "score, 95 % interval" and "<table>" in found._repr_html_()
    margin = evaluate(LinearSVC().fit(X[::2] / 100, y[::2]), X[1::2] / 100, y[1::2], **FEW)
    assert "roc_auc" in margin and "brier" not in margin
    hard = evaluate(Perceptron().fit(*load_iris(return_X_y=True)), *load_iris(return_X_y=True), **FEW)
    assert "macro_f_score" in hard and "roc_auc" in hard
    exact = evaluate(GaussianNB().fit(X[::2], y[::2]), X[1::2], y[1::2], proportion="clopper_pearson", **FEW)
    assert exact["accuracy"].lower < found["accuracy"].lower and exact["accuracy"].method == "clopper_pearson"


def test_scores_of_ones_own():
    y, f = rng.normal(size=(2, 60))
    own = {"median": lambda a, b: np.median(np.abs(a - b)), "neg_max_error": None, "r2": None}
    found = evaluate_predictions(y, f, scoring=own, **FEW)
    assert list(found) == ["median", "neg_max_error", "r2"]
    assert found["median"].value == metrics.median_absolute_error(y, f)
    assert found["neg_max_error"].value == -np.abs(y - f).max()
    t, p = rng.integers(2, size=60), rng.uniform(size=60)
    both = evaluate_predictions(t, y_proba=p, scoring=["neg_log_loss", "jaccard", metrics.cohen_kappa_score], **FEW)
    assert both["neg_log_loss"].value == pytest.approx(-metrics.log_loss(t, p))
    assert both["cohen_kappa_score"].value == pytest.approx(metrics.cohen_kappa_score(t, p > 0.5))
    assert both["jaccard"].lower <= both["jaccard"].value <= both["jaccard"].upper


def test_unusual_but_fine():
    one = evaluate_predictions([1, 1, 1], [1, 1, 1], **FEW)
    assert one["accuracy"].value == 1 and one["accuracy"].lower < 0.5
    single = evaluate_predictions([1, 1, 1], y_proba=[0.9, 0.8, 0.7], **FEW)
    assert "roc_auc" not in single and "at least two classes" in single.notes[0]
    unseen = evaluate_predictions(
        ["a", "b", "c"], y_proba=[[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]], classes=["a", "b"], **FEW
    )
    assert unseen.confusion.shape == (3, 3) and "'c'" in unseen.notes[0]
    constant = evaluate_predictions([1.5, 1.5], [1.0, 2.0], **FEW)
    assert np.isnan(constant["pearson"].value) and constant["r2"].value == 0 and "constant" in repr(constant)
    many = evaluate_predictions(np.arange(60) % 20, np.arange(60) % 19, **FEW)
    assert "predicted" in repr(many)


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"y": [0, 1]}, "give y_pred, y_proba or y_score"),
        ({"y": [0, 1], "y_pred": [0]}, r"2 labels|shape"),
        ({"y": [], "y_pred": []}, "no rows|cannot be read"),
        ({"y": [0.5, np.nan], "y_pred": [0.5, 1.5], "task": "regression"}, "NaN or infinity at row 1"),
        ({"y": [0, 1], "y_proba": [0.5, 1.5]}, "must hold probabilities"),
        ({"y": [0, 1, 2], "y_proba": [0.5, 0.5, 0.5]}, "one column for 3 classes"),
        ({"y": [0, 1], "y_proba": [[0.2, 0.3, 0.5]] * 2}, "3 columns for 2 classes"),
        ({"y": ["a", "b"], "y_pred": [0, 1]}, "same labels in both"),
        ({"y": ["a", None], "y_pred": ["a", "b"], "task": "classification"}, "missing label at row 1"),
        ({"y": [[0, 1], [1, 0]], "y_pred": [[0, 1], [1, 1]]}, "several labels per row"),
        ({"y": [0, 1], "y_pred": [0, 1], "sample_weight": [-1, 1]}, "negative"),
        ({"y": [0, 1], "y_pred": [0, 1], "cost": [[0, 1]]}, r"shape \(1, 2\) for 2 classes"),
        ({"y": [0, 1], "y_pred": [0, 1], "pos_label": 7}, "pos_label=7"),
        ({"y": [0, 1], "y_pred": [0, 1], "level": 1.0}, "level=1.0"),
        ({"y": [0, 1], "y_pred": [0, 1], "proportion": "wald"}, "proportion='wald'"),
        ({"y": [0, 1], "y_pred": [0, 1], "scoring": "nothing"}, "scoring='nothing'"),
        ({"y": [0, 1], "y_pred": [0, 1], "k": 1}, "needs y_proba or y_score"),
        ({"y": [0, 1], "y_pred": [0, 1], "task": "ranking"}, "task='ranking'"),
    ],
)
def test_hostile_input(arguments, words):
    with pytest.raises((DataError, ParameterError), match=words):
        evaluate_predictions(**arguments)


def test_evaluate_refuses():
    with pytest.raises(ParameterError, match="give a fitted classifier or regressor"):
        evaluate(3, [[1.0]], [1])
    with pytest.raises(ParameterError, match=r"y_pred=.*the model gives this"):
        evaluate(GaussianNB().fit([[0.0], [1]], [0, 1]), [[0.0]], [0], y_pred=[0])
