"""What the pictures of machines draw."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from novum.exceptions import DataError
from novum.linear_model import Perceptron
from novum.svm import SVC, SVR, kkt_report, plot_margin, plot_tube

X = np.array([[0, 0], [1, 0], [0, 1], [2, 2], [3, 2], [2, 3], [0.5, 0.5]])
Y = np.array([-1, -1, -1, 1, 1, 1, 1])


def lines(ax, level):
    """Return the points of the contour at a level."""
    for contour in ax.collections:
        levels = list(getattr(contour, "levels", []))
        if level in levels and np.isfinite(levels).all():
            return contour.get_paths()[levels.index(level)].vertices
    raise AssertionError("no contour lines")


def rings(ax, where):
    """Return the support vectors that the legend calls so, none where it does not."""
    found = [c for c in ax.collections if c.get_label() == f"support: {where}"]
    return np.asarray(found[0].get_offsets()) if found else np.empty((0, 2))


def by_place(rows):
    return rows[np.lexsort(rows.T)]


def check_window(ax, rows):
    """The shaded window holds the points with some room around them, wherever they are."""
    for (low, high), column in zip((ax.get_xlim(), ax.get_ylim()), rows.T):
        room = np.ptp(column) / 4
        assert column.min() - room < low < column.min() and column.max() < high < column.max() + room


@pytest.mark.notes("000-b", "plot-separators")
@pytest.mark.notes("000-b", "plot-svm-margin")
@pytest.mark.notes("004", "margin-plot")
@pytest.mark.notes("003", "fig-svm")
def test_boundary_margins_and_rings():
    model = SVC(kernel="linear", C=np.inf, tol=1e-9).fit(X[:6], Y[:6])
    ax = plot_margin(model, X[:6], Y[:6])
    for level in (-1, 0, 1):
        drawn = lines(ax, level)
        assert_allclose(drawn @ [2 / 3, 2 / 3] - 5 / 3, level, atol=1e-6)
    assert_allclose(rings(ax, "on the margin"), X[[1, 2, 3]])
    assert not len(rings(ax, "beyond it"))
    classes = [np.asarray(c.get_offsets()) for c in ax.collections if c.get_label() in ("-1", "1")]
    assert_allclose(classes[0], X[:3])
    assert_allclose(classes[1], X[3:6])
    far = X[:6] * [1.0, 3.0] + [50, -20]
    check_window(plot_margin(SVC(kernel="linear", C=np.inf, tol=1e-9).fit(far, Y[:6]), far, Y[:6]), far)
    with pytest.raises(DataError, match="two columns"):
        plot_margin(model, X[:6, :1], Y[:6])


@pytest.mark.notes("002", "plot-svm-nonlinear")
def test_curved_boundary():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(80, 2))
    label = (points**2).sum(axis=1) > 1.2
    model = SVC(gamma=1.0, C=10).fit(points, label)
    ax = plot_margin(model, points, label, grid=400)
    assert_allclose(model.decision_function(lines(ax, 0)), 0, atol=0.02)
    check_window(ax, points)
    side = np.where(label, 1, -1) * model.decision_function(points)  # 1 on the margin, less beyond it
    bound = np.abs(model.dual_coef_[0]) > 10 - 1e-9  # the multiplier is C where a row lies beyond
    ringed = points[model.support_]
    assert 0 < bound.sum() < len(bound) and (side[model.support_][bound] < 1).all()
    assert_allclose(by_place(rings(ax, "beyond it")), by_place(ringed[bound]))
    assert_allclose(by_place(rings(ax, "on the margin")), by_place(ringed[~bound]))


@pytest.mark.notes("002", "plot-svm-slack")
def test_slack_is_written_beside_the_points():
    model = SVC(kernel="linear", C=0.1, tol=1e-9).fit(X, Y)
    ax = plot_margin(model, X, Y, slack=True)
    check_window(ax, X)
    written = {tuple(t.xy): t.get_text() for t in ax.texts}
    slack = kkt_report(model, X, Y).slack
    assert written == {tuple(X[i]): f"{slack[i]:.2f}" for i in range(7) if slack[i] > 1e-6}
    assert written[(0.5, 0.5)] == "1.60" and written[(1.0, 0.0)] == "0.40"


@pytest.mark.notes("000-b", "plot-separators")
def test_many_separators_and_the_widest():
    model = SVC(kernel="linear", C=np.inf, tol=1e-9).fit(X[:6], Y[:6])
    ax = plot_margin(model, X[:6], Y[:6])
    for seed in range(4):
        rival = Perceptron(random_state=seed, max_iter=100, tol=None).fit(X[:6], Y[:6])
        assert rival.score(X[:6], Y[:6]) == 1
        plot_margin(rival, X[:6], Y[:6], ax=ax)
        w, b = rival.coef_[0], rival.intercept_[0]
        distance = (Y[:6] * (X[:6] @ w + b)).min() / np.linalg.norm(w)
        assert distance <= 2.121320 / 2 + 1e-6  # none keeps further away from the points
        drawn = [c for c in ax.collections if list(getattr(c, "levels", [])) == [0]]
        assert len(drawn) == seed + 2 and sum(list(getattr(c, "levels", [])) == [-1, 1] for c in ax.collections) == 1
        for contour, (v, c) in ((drawn[0], ([2 / 3, 2 / 3], -5 / 3)), (drawn[-1], (w, b))):
            border = contour.get_paths()[0].vertices  # the widest, drawn first, and the newest rival
            assert len(border) > 1
            assert_allclose((border @ np.asarray(v) + c) / np.linalg.norm(v), 0, atol=1e-6)


@pytest.mark.notes("000-b", "plot-svr-tube")
def test_tubes_of_three_widths():
    rng = np.random.default_rng(1)
    x = np.sort(rng.uniform(0, 6, 60))
    y = np.sin(x) + 0.1 * rng.normal(size=60)
    vectors = []
    for epsilon in (0.5, 0.2, 0.01):
        model = SVR(C=50.0, gamma=1.0, epsilon=epsilon).fit(x[:, None], y)
        ax = plot_tube(model, x, y)
        center, below, above = (line.get_ydata() for line in ax.lines)
        at = ax.lines[0].get_xdata()
        assert_allclose(center, model.predict(at[:, None]))
        assert_allclose(above - center, epsilon)
        assert_allclose(center - below, epsilon)
        report = kkt_report(model, x[:, None], y)
        for scatter in ax.collections:
            name = scatter.get_label().rpartition(" (")[0]
            assert_allclose(np.asarray(scatter.get_offsets()).reshape(-1, 2)[:, 0], x[report.role == name])
        vectors.append(len(model.support_))
        ax.clear()
    assert vectors[0] < vectors[1] < vectors[2]
