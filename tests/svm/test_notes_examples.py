"""The machines on the notes' examples, whose optima are known in fractions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from novum.exceptions import DataError
from novum.svm import SVC, SVR, canonical_hyperplane, kkt_report, margins

BLOBS = np.array([[0, 0], [1, 0], [0, 1], [2, 2], [3, 2], [2, 3.0]])
SIGNS = np.array([-1, -1, -1, 1, 1, 1])
WITH_OUTLIER, THEIR_SIGNS = np.vstack([BLOBS, [0.5, 0.5]]), np.append(SIGNS, 1)
XOR, XOR_SIGNS = np.array([[-1, -1], [-1, 1], [1, -1], [1, 1.0]]), np.array([-1, 1, 1, -1])
TIGHT = 1e-9


def line(model):
    return model.coef_[0], model.intercept_[0]


def multipliers(model, n):
    out = np.zeros(n)
    out[model.support_] = abs(model.dual_coef_[0])
    return out


@pytest.mark.notes("000-b", "svm-hard")
@pytest.mark.notes("000-b", "svm-dual")
def test_hard_margin_of_the_blobs():
    model = SVC(kernel="linear", C=np.inf, tol=TIGHT).fit(BLOBS, SIGNS)
    w, w0 = line(model)
    assert_allclose(w, [2 / 3, 2 / 3], atol=1e-12)
    assert_allclose(w0, -5 / 3, atol=1e-12)
    assert_allclose(multipliers(model, 6), [0, 2 / 9, 2 / 9, 4 / 9, 0, 0], atol=1e-12)
    report = kkt_report(model, BLOBS, SIGNS)
    assert_allclose([report.primal, report.dual, -model.dual_objective_[0]], 4 / 9, atol=1e-12)
    assert_allclose(model.decision_function(BLOBS), [-5 / 3, -1, -1, 1, 5 / 3, 5 / 3], atol=1e-12)
    assert_allclose(2 / report.norm, 2.121320, atol=1e-6)
    tilted = SVC(kernel="linear", C=np.inf, tol=TIGHT).fit(np.vstack([BLOBS, [1, 1]]), np.append(SIGNS, 1))
    assert_allclose(line(tilted)[0], [2, 2], atol=1e-8)
    assert_allclose(line(tilted)[1], -3, atol=1e-8)
    single = SVC(kernel="linear", C=np.inf, tol=TIGHT).fit([[-1.0], [1], [3]], [-1, 1, 1])
    assert_allclose(multipliers(single, 3), [0.5, 0.5, 0], atol=1e-12)


@pytest.mark.notes("002", "svm-hard")
def test_hard_margin_of_four_points():
    X = np.array([[2, 2], [3, 3], [0, 0], [-1, 0.0]])
    model = SVC(kernel="linear", C=np.inf, tol=TIGHT).fit(X, [1, 1, -1, -1])
    assert_allclose(multipliers(model, 4), [0.25, 0, 0.25, 0], atol=1e-12)
    assert_allclose([*line(model)[0], line(model)[1]], [0.5, 0.5, -1], atol=1e-12)
    assert_allclose(-model.dual_objective_, 0.25, atol=1e-12)
    assert_allclose(margins(*line(model), X, [1, 1, -1, -1]).margin, np.sqrt(2), atol=1e-12)


@pytest.mark.notes("003", "svm-primal")
@pytest.mark.notes("003", "svm-dual")
def test_hard_margin_of_three_points_and_of_exclusive_or():
    model = SVC(kernel="linear", C=np.inf, tol=TIGHT).fit([[0, 0], [2, 2], [3, 3.0]], [-1, 1, 1])
    assert_allclose(multipliers(model, 3), [0.25, 0.25, 0], atol=1e-12)
    assert_allclose([*line(model)[0], line(model)[1]], [0.5, 0.5, -1], atol=1e-12)
    curved = SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0, C=np.inf, tol=TIGHT).fit(XOR, XOR_SIGNS)
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 3)) * [1.0, 3.0, 0.5]
    plane = X @ [1.0, -0.7, 2.0] + 0.6
    X, sign = X[np.abs(plane) > 0.5], np.sign(plane[np.abs(plane) > 0.5])
    short = SVC(kernel="linear", C=np.inf, tol=0.5).fit(X, sign)  # stopped early: margins of one class differ
    margin, held = sign * short.decision_function(X), np.isin(np.arange(len(X)), short.support_)
    apart = [margin[held & (sign == c)].max() - margin[sign == c].min() for c in (-1, 1)]
    assert max(apart) > 0.1 and short.kkt_violation_[0] == pytest.approx(max(apart), abs=2e-6)
    assert_allclose(multipliers(curved, 4), 1 / 8, atol=1e-12)
    assert_allclose([curved.intercept_[0], -curved.dual_objective_[0]], [0, 0.25], atol=1e-12)


@pytest.mark.notes("000-b", "svm-hard")
@pytest.mark.notes("002", "svm-hard")
@pytest.mark.notes("003", "svm-primal")
@pytest.mark.notes("003", "svm-dual")
@pytest.mark.notes("004", "hard-margin-svm")
@pytest.mark.parametrize("seed", range(3))
def test_hard_margin_by_an_optimiser_of_the_primal(seed):
    """Points in general position: least |w|^2 / 2 such that every margin is one or more."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 3)) * [1.0, 3.0, 0.5]
    plane = X @ [1.0, -0.7, 2.0] + 0.6
    X, sign = X[np.abs(plane) > 0.5], np.sign(plane[np.abs(plane) > 0.5])
    model = SVC(kernel="linear", C=np.inf, tol=TIGHT).fit(X, sign)
    best = minimize(
        lambda v: v[:3] @ v[:3] / 2,
        [1.0, -0.7, 2.0, 0.6],
        jac=lambda v: np.append(v[:3], 0.0),
        method="SLSQP",
        constraints={"type": "ineq", "fun": lambda v: sign * (X @ v[:3] + v[3]) - 1},
        options={"ftol": 1e-14, "maxiter": 500},
    ).x
    assert_allclose([*line(model)[0], line(model)[1]], best, rtol=1e-5, atol=1e-6)
    a = multipliers(model, len(X))
    assert_allclose((a * sign) @ X, line(model)[0], rtol=1e-7)  # w is a sum of support vectors
    assert_allclose([a.sum() - best[:3] @ best[:3] / 2, -model.dual_objective_[0]], best[:3] @ best[:3] / 2, rtol=1e-5)
    assert (a @ sign) == pytest.approx(0, abs=1e-8) and (sign * model.decision_function(X)).min() == pytest.approx(1)


@pytest.mark.notes("004", "hard-margin-svm")
@pytest.mark.notes("004", "kkt-conditions")
def test_hard_margin_of_the_fourth_set():
    X, sign = np.array([[1, 1], [2, 2], [0, 0], [-1, 0.0]]), np.array([1, 1, -1, -1])
    model = SVC(kernel="linear", C=np.inf, tol=TIGHT).fit(X, sign)
    report = kkt_report(model, X, sign)
    assert_allclose(report.multiplier, [1, 0, 1, 0], atol=1e-10)
    assert_allclose([*line(model)[0], line(model)[1]], [1, 1, -1], atol=1e-10)
    assert_allclose([1 / report.norm, report.primal, report.dual], [np.sqrt(0.5), 1, 1], atol=1e-10)
    assert_allclose(-model.dual_objective_, 1, atol=1e-10)
    assert report.violation < 1e-9 and (report.multiplier >= -1e-15).all()
    assert_allclose(report.multiplier * (report.margin - 1), 0, atol=1e-9)
    shifted = SVC(kernel="linear", C=np.inf).fit(X, sign)
    shifted.intercept_ = shifted.intercept_ + 0.5  # conditions that do not hold are reported
    shifted._intercept_ = shifted._intercept_ - 0.5
    assert kkt_report(shifted, X, sign).violation > 0.4


@pytest.mark.notes("002", "svm-soft")
@pytest.mark.parametrize(
    ("C", "w", "w0", "objective"),
    [
        (10, 2 / 3, -5 / 3, 20 + 4 / 9),
        (1, 2 / 3, -5 / 3, 2 + 4 / 9),
        (0.5, 2 / 3, -5 / 3, 1 + 4 / 9),
        (0.1, 0.4, -1, 0.44),
        (0.05, 0.2, 0, 0.26),
        (0.3, 0.45, -1.125, 0.9975),
    ],
)
@pytest.mark.notes("000-b", "svm-soft")
@pytest.mark.notes("000-b", "svm-bias")
def test_soft_margin_with_an_outlier(C, w, w0, objective):
    model = SVC(kernel="linear", C=C, tol=TIGHT).fit(WITH_OUTLIER, THEIR_SIGNS)
    assert_allclose([*line(model)[0], line(model)[1]], [w, w, w0], atol=1e-8)  # C = .3: no vector is free, the midpoint
    report = kkt_report(model, WITH_OUTLIER, THEIR_SIGNS)
    assert_allclose([report.primal, report.dual], objective, rtol=1e-8)
    assert report.violation < 1e-7 and report.gap == pytest.approx(0, abs=1e-7)
    for shift in (-0.3, 0.4):  # a bias that is not the best: (3) fails by what every point says of its own margin
        model = SVC(kernel="linear", C=C, tol=TIGHT).fit(WITH_OUTLIER, THEIR_SIGNS)
        model.intercept_ = model.intercept_ + shift
        model._intercept_ = model._intercept_ - shift
        perturbed, worst = kkt_report(model, WITH_OUTLIER, THEIR_SIGNS), 0.0
        a = multipliers(model, 7)
        margin = THEIR_SIGNS * (WITH_OUTLIER @ line(model)[0] + line(model)[1])
        for i in range(7):
            off = 1 - margin[i] if a[i] <= 0 else margin[i] - 1 if a[i] >= C else abs(margin[i] - 1)
            worst = max(worst, off)
        assert perturbed.violation == pytest.approx(worst, abs=1e-9) and worst > 0.15
        slack = np.maximum(0, 1 - margin)
        assert perturbed.primal == pytest.approx(line(model)[0] @ line(model)[0] / 2 + C * slack.sum(), rel=1e-8)
        assert perturbed.dual == pytest.approx(report.dual, rel=1e-8) and perturbed.gap == pytest.approx(
            perturbed.primal - perturbed.dual
        )
    if C >= 0.5:
        assert_allclose(report.slack, [0, 0, 0, 0, 0, 0, 2], atol=1e-8)
        assert_allclose(report.multiplier[6], C)


@pytest.mark.notes("002", "svm-soft")
def test_soft_margin_of_four_points():
    X, sign = np.array([[2, 2], [3, 3], [0, 0], [-1, 0.0]]), np.array([1, 1, -1, -1])
    model = SVC(kernel="linear", C=0.1, tol=1e-10).fit(X, sign)
    assert_allclose(multipliers(model, 4), [0.1, 0.024, 0.1, 0.024], atol=1e-8)
    assert_allclose([*line(model)[0], line(model)[1]], [0.296, 0.272, -0.704], atol=1e-8)
    assert_allclose(-model.dual_objective_, 0.1672, atol=1e-10)


@pytest.mark.notes("003", "svm-soft")
def test_the_half_in_the_objective_goes_with_the_box():
    x, sign = np.array([[0.0], [1], [2], [3], [1.6], [1.2]]), np.array([-1, -1, 1, 1, -1, 1])
    assert_allclose(SVC(kernel="linear", C=0.3, tol=TIGHT).fit(x, sign).coef_, [[2 / 3]], atol=1e-8)
    assert_allclose(SVC(kernel="linear", C=0.15, tol=TIGHT).fit(x, sign).coef_, [[0.54]], atol=1e-8)


@pytest.mark.notes("000-b", "sv-taxonomy")
@pytest.mark.notes("003", "svm-point-status")
def test_roles_of_the_points():
    model = SVC(kernel="linear", C=0.1, tol=TIGHT).fit(WITH_OUTLIER, THEIR_SIGNS)
    report = kkt_report(model, WITH_OUTLIER, THEIR_SIGNS)
    inside, on, wrong = "inside the margin", "on the margin", "wrong side"
    assert report.role.tolist() == [on, inside, inside, inside, on, on, wrong]
    assert_allclose(report.slack, [0, 0.4, 0.4, 0.4, 0, 0, 1.6], atol=1e-8)
    assert_allclose(report.margin, THEIR_SIGNS * (0.4 * WITH_OUTLIER.sum(axis=1) - 1), atol=1e-8)
    assert_allclose([report.norm, report.primal, report.dual], [0.4 * np.sqrt(2), 0.44, 0.44], atol=1e-8)
    assert ((report.multiplier >= report.bound) >= (report.slack > 1e-6)).all()  # slack only at the bound
    assert report.violation < 1e-8
    rough = kkt_report(SVC(kernel="linear", C=0.1, tol=0.5).fit(WITH_OUTLIER, THEIR_SIGNS), WITH_OUTLIER, THEIR_SIGNS)
    off = [
        1 - m if a <= 0 else m - 1 if a >= 0.1 else abs(m - 1)
        for a, m in zip(rough.multiplier, rough.margin, strict=True)
    ]
    assert rough.violation == pytest.approx(max(off), rel=1e-12) and rough.violation > 0.01
    wide = SVC(kernel="linear", C=10, tol=TIGHT).fit(WITH_OUTLIER, THEIR_SIGNS)
    roles = kkt_report(wide, WITH_OUTLIER, THEIR_SIGNS).role
    assert roles.tolist() == ["outside the margin", on, on, on, "outside the margin", "outside the margin", wrong]


@pytest.mark.notes("000-b", "support-vectors")
def test_support_vectors_alone_give_the_same_machine():
    rng = np.random.default_rng(3)
    X = np.vstack([rng.normal(0, 1, (60, 3)), rng.normal(1.5, 1, (60, 3))])
    y = np.repeat([0, 1], 60)
    whole = SVC(C=2.0, gamma=0.3, tol=1e-8).fit(X, y)
    again = SVC(C=2.0, gamma=0.3, tol=1e-8).fit(X[whole.support_], y[whole.support_])
    assert len(whole.support_) < len(X)
    assert_allclose(again.decision_function(X), whole.decision_function(X), atol=1e-5)
    assert_array_equal(whole.support_vectors_, X[whole.support_])  # in the same order
    assert_array_equal(np.sign(whole.dual_coef_[0]), 2 * y[whole.support_] - 1)
    inside = np.setdiff1d(np.arange(len(X)), whole.support_)
    assert ((2 * y - 1) * whole.decision_function(X))[inside].min() > 1 - 1e-6  # the others lie beyond the margin
    kernels = np.exp(-0.3 * ((X[:, None] - whole.support_vectors_) ** 2).sum(-1))
    assert_allclose(kernels @ whole.dual_coef_[0] + whole.intercept_, whole.decision_function(X), atol=1e-12)


@pytest.mark.notes("000-b", "functional-margin")
@pytest.mark.notes("000-b", "classifier-margin")
@pytest.mark.notes("002", "margin")
@pytest.mark.notes("003", "margin")
def test_margins_of_a_plane():
    w, w0 = np.array([3.0, 4.0]), -5.0
    found = margins(w, w0, [[3, 4], [0, 0], [1, 1]], [1, -1, -1])
    assert_allclose(found.functional, [20, 5, -2])
    assert_allclose(found.geometric, [4, 1, -0.4])
    assert found.margin == pytest.approx(-0.4) and found.functional_margin == -2
    assert found.width == pytest.approx(-0.8)
    scaled = margins(7 * w, 7 * w0, [[3, 4], [0, 0], [1, 1]], [1, -1, -1])
    assert_allclose(scaled.geometric, found.geometric)


@pytest.mark.notes("000-b", "classifier-margin")
@pytest.mark.notes("000-b", "canonical-hyperplane")
def test_canonical_form():
    w, w0 = canonical_hyperplane([3.0, 3.0], -7.5, BLOBS, SIGNS)
    found = margins(w, w0, BLOBS, SIGNS)
    assert found.functional_margin == pytest.approx(1) and found.margin == pytest.approx(1 / np.linalg.norm(w))
    assert_allclose(found.geometric, SIGNS * (BLOBS @ w + w0) / np.linalg.norm(w), rtol=1e-12)
    assert found.width == pytest.approx(2 / np.linalg.norm(w))
    assert_allclose(w0 / w[0], -2.5)
    with pytest.raises(DataError, match="does not separate"):
        canonical_hyperplane([1.0, -1.0], 0.0, BLOBS, SIGNS)


@pytest.mark.notes("000-b", "svr")
def test_regression_of_five_points():
    x, y = np.arange(5.0)[:, None], np.array([0, 1.2, 1.9, 3.2, 6])
    model = SVR(kernel="linear", C=1.0, epsilon=0.25, tol=TIGHT).fit(x, y)
    report = kkt_report(model, x, y)
    assert_allclose([model.coef_[0, 0], model.intercept_[0]], [37 / 30, -0.25], atol=1e-8)
    assert_allclose(report.multiplier, [23 / 90, 0, -1, -23 / 90, 1], atol=1e-8)
    assert_allclose([report.primal, report.dual], 1.893889, atol=1e-6)
    flat = SVR(kernel="linear", C=0.1, epsilon=0.25, tol=TIGHT).fit(x, y)
    assert_allclose([flat.coef_[0, 0], flat.intercept_[0]], [0.6, 0.9], atol=1e-8)  # any of .85 to .95 is optimal
    assert_allclose(kkt_report(flat, x, y).primal, 0.52, atol=1e-8)


@pytest.mark.notes("000-b", "svr-hard")
def test_all_points_within_the_tube():
    x, y = np.arange(5.0)[:, None], np.array([0, 1.2, 1.9, 3.2, 6])
    model = SVR(kernel="linear", C=np.inf, epsilon=1.0, tol=TIGHT).fit(x, y)
    assert abs(model.predict(x) - y).max() <= 1 + 1e-8
    lowest = min(np.polyfit(x[:, 0], y, 1)[0], model.coef_[0, 0])  # no flatter line fits into the tube
    steps = np.linspace(0, lowest * 0.999, 200)
    for slope in steps:
        rest = y - slope * x[:, 0]
        assert rest.max() - rest.min() > 2.0 or slope >= model.coef_[0, 0] - 1e-6
    with pytest.raises(DataError, match="epsilon"):
        SVR(kernel="linear", C=np.inf, epsilon=0.1).fit(x, y)


@pytest.mark.notes("000-b", "plot-svr-tube")
@pytest.mark.notes("000-c", "kernel-svr")
@pytest.mark.notes("000-b", "svr")
@pytest.mark.notes("000-b", "svr-kkt")
def test_roles_of_a_tube():
    x, y = np.arange(5.0)[:, None], np.array([0, 1.2, 1.9, 3.2, 6])
    report = kkt_report(SVR(kernel="linear", C=1.0, epsilon=0.25, tol=TIGHT).fit(x, y), x, y)
    assert_allclose([report.primal, report.dual, report.norm], [1.893889, 1.893889, 37 / 30], atol=1e-6)
    border, inside, outside = "on its border", "inside the tube", "outside the tube"
    assert report.role.tolist() == [border, inside, outside, border, outside]
    assert report.violation < 1e-7 and report.gap == pytest.approx(0, abs=1e-7)
    for shift in (-0.1, 0.2):
        model = SVR(kernel="linear", C=1.0, epsilon=0.25, tol=TIGHT).fit(x, y)
        model.intercept_ = model.intercept_ + shift
        model._intercept_ = model._intercept_ - shift
        perturbed, worst = kkt_report(model, x, y), 0.0
        rest = y - (37 / 30 * x[:, 0] - 0.25 + shift)
        for a, r in zip(perturbed.multiplier, rest):
            side = np.sign(a) * r  # beyond the side of the tube that its multiplier names
            off = abs(r) - 0.25 if a == 0 else 0.25 - side if abs(a) >= 1 else abs(side - 0.25)
            worst = max(worst, off)
        assert perturbed.violation == pytest.approx(worst, abs=1e-6) and worst > 0.05
    for i, side in ((2, -1.0), (4, 1.0)):  # a row whose multiplier is at C may lie outside the tube, not within
        for depth in (0.4, -0.2):
            moved = y.copy()
            moved[i] = 37 / 30 * x[i, 0] - 0.25 + side * (0.25 - depth)
            condition = kkt_report(SVR(kernel="linear", C=1.0, epsilon=0.25, tol=TIGHT).fit(x, y), x, moved).violation
            assert condition == pytest.approx(max(depth, 0), abs=1e-6)
        assert_allclose(perturbed.dual, report.dual, rtol=1e-7)
    assert_allclose(report.slack, np.maximum(0, abs(y - (37 / 30 * x[:, 0] - 0.25)) - 0.25), atol=1e-7)


@pytest.mark.notes("000-c", "kernel-svc")
@pytest.mark.notes("004", "kernel-svm")
def test_exclusive_or_by_a_kernel_a_matrix_and_a_function():
    matrix = (1 + XOR @ XOR.T) ** 2
    options = {"C": 1e3, "tol": TIGHT}
    for model, rows in (
        (SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0, **options), XOR),
        (SVC(kernel="precomputed", **options), matrix),
        (SVC(kernel=lambda a, b: (1 + a @ b.T) ** 2, **options), XOR),
    ):
        model.fit(rows, XOR_SIGNS)
        assert_allclose(multipliers(model, 4), 1 / 8, atol=1e-10)
        assert_allclose(model.decision_function(rows), XOR_SIGNS, atol=1e-9)
        assert_allclose(-model.dual_objective_, 0.25, atol=1e-12)
    assert SVC(kernel="linear").fit(XOR, XOR_SIGNS).score(XOR, XOR_SIGNS) < 1


@pytest.mark.notes("000-c", "kernel-svr")
def test_regression_of_a_line():
    x = np.arange(4.0)[:, None]
    model = SVR(kernel="linear", C=10.0, epsilon=0.1, tol=TIGHT).fit(x, 2 * x[:, 0])
    assert_allclose(model.coef_, [[1.933333]], atol=1e-6)
    assert_allclose(model.intercept_, [0.1], atol=1e-7)
    assert_allclose(model.dual_coef_, [[-0.644444, 0.644444]], atol=1e-6)
    assert_allclose(kkt_report(model, x, 2 * x[:, 0]).primal, 1.868889, atol=1e-6)


@pytest.mark.notes("000-b", "svm-nonlinear")
def test_an_ellipse_after_a_map_of_degree_two():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (150, 2))
    y = (X[:, 0] ** 2 / 2.25 + X[:, 1] ** 2 < 0.8) | (X[:, 0] ** 2 / 2.25 + X[:, 1] ** 2 > 1.3)
    X, inside = X[y], (X[:, 0] ** 2 / 2.25 + X[:, 1] ** 2 < 1)[y]
    assert SVC(kernel="linear").fit(X, inside).score(X, inside) < 0.95
    mapped = make_pipeline(PolynomialFeatures(2, include_bias=False), SVC(kernel="linear", C=100)).fit(X, inside)
    assert mapped.score(X, inside) == 1.0
    w = mapped[-1].coef_[0]  # x1, x2, x1^2, x1 x2, x2^2
    assert w[3] ** 2 - 4 * w[2] * w[4] < 0  # an ellipse
    direct = SVC(kernel="poly", degree=2, coef0=1.0, C=100).fit(X, inside)
    assert direct.score(X, inside) == 1.0


@pytest.mark.notes("004", "multiclass-svm")
def test_several_classes_by_pairs_and_against_the_rest():
    rng = np.random.default_rng(1)
    centers = np.array([[0, 0], [4, 0], [0, 4], [4, 4.0]])
    X = np.vstack([rng.normal(c, 0.7, (30, 2)) for c in centers])
    y = np.repeat(["a", "b", "c", "d"], 30)
    pairs = SVC(decision_function_shape="ovo", gamma=0.5).fit(X, y)
    assert pairs.decision_function(X).shape == (120, 6)
    assert_allclose(SVC(gamma=0.5).fit(X, y).decision_function(X).shape, (120, 4))
    by_pair = OneVsOneClassifier(SVC(gamma=0.5)).fit(X, y)
    rest = OneVsRestClassifier(SVC(gamma=0.5)).fit(X, y)
    assert (pairs.predict(X) == by_pair.predict(X)).all()
    assert len(rest.estimators_) == 4 and len(by_pair.estimators_) == 6 and rest.score(X, y) > 0.97
