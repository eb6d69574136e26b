"""Boundaries, regions and lifted rows: what is drawn is computed here again, by least squares, likelihood and polynomial roots."""

import numpy as np
import pytest
from artists import canvas, contours, curve, curves, meshes, points, scatters
from matplotlib.figure import Figure
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from novum.exceptions import DataError
from novum.linear_model import Hyperplane
from novum.teaching import plot_feature_lift, plot_masking, plot_multiclass_regions, plot_outlier_pull

RNG = np.random.default_rng(0)
TWO = np.vstack([RNG.normal([-1, 0], 0.8, (60, 2)), RNG.normal([1.5, 0], 0.8, (60, 2))])
SIGN = np.repeat([0, 1], 60)
FAR = RNG.normal([14, -7], 0.5, (12, 2))


def with_ones(rows):
    return np.column_stack([np.ones(len(rows)), rows])


def least_squares(rows, y):
    return np.linalg.lstsq(with_ones(rows), 2.0 * y - 1, rcond=None)[0]


def logistic(rows, y, C=1.0):
    """Minimise the penalised log loss itself."""

    def loss(w):
        z = (2 * y - 1) * (with_ones(rows) @ w)
        slope = -(2 * y - 1) * expit(-z)
        return np.logaddexp(0, -z).sum() + w[1:] @ w[1:] / (2 * C), with_ones(rows).T @ slope + np.r_[0, w[1:]] / C

    return minimize(loss, np.zeros(3), jac=True, method="BFGS", options={"gtol": 1e-8}).x


@pytest.mark.notes("002", "plot-ls-outliers")
@pytest.mark.notes("003", "fig-ls-outliers")
def test_far_rows_pull_the_drawn_boundary_of_least_squares_only():
    whole, labels = np.vstack([TWO, FAR]), np.r_[SIGN, np.ones(12, int)]
    axes = plot_outlier_pull(TWO, SIGN, FAR, np.ones(12, int), ax=canvas(1, 2))
    wrong = []
    for ax, rows, y in zip(axes, (TWO, whole), (SIGN, labels)):
        drawn = curves(ax)
        assert list(drawn) == ["least squares", "logistic"]
        for name, solve in (("least squares", least_squares), ("logistic", logistic)):
            w = solve(rows, y)
            assert drawn[name].shape == (2, 2) and np.ptp(drawn[name], axis=0).max() > 5  # across the window
            assert_allclose(with_ones(drawn[name]) @ w / np.linalg.norm(w[1:]), 0, atol=1e-3)
            wrong.append(int(((with_ones(TWO) @ w > 0) != SIGN).sum()))
        for k in (0, 1):
            assert_array_equal(points(ax, str(k)), rows[y == k])
    assert wrong[2] > wrong[0] + 5 and wrong[3] <= wrong[1] + 2
    with pytest.raises(DataError, match="boundary between two classes; y has 3"):
        plot_outlier_pull(TWO, SIGN, FAR, np.full(12, 2))


@pytest.mark.notes("002", "plot-ls-masking")
def test_the_middle_region_is_missing_from_the_drawn_regions_of_least_squares():
    X = np.vstack([RNG.normal(center, 0.4, (50, 2)) for center in ([-3, -3], [0, 0], [3, 3])])
    y = np.repeat([0, 1, 2], 50)
    squares, logit = plot_masking(X, y, ax=canvas(1, 2))
    W = np.linalg.lstsq(with_ones(X), np.eye(3)[y], rcond=None)[0]
    peer = LogisticRegression().fit(X, y)
    for ax, says in ((squares, lambda at: (with_ones(at) @ W).argmax(1)), (logit, peer.predict)):
        (mesh,) = meshes(ax)
        at = np.stack(np.meshgrid(mesh.x, mesh.y), -1).reshape(-1, 2)
        assert (mesh.value.ravel() != says(at)).mean() < 5e-3  # a cell on a boundary may fall either way
        for k in range(3):
            assert_array_equal(points(ax, str(k)), X[y == k])
    near = np.abs(meshes(squares)[0].x) < 0.5
    middle = [(meshes(ax)[0].value[near][:, near] == 1).mean() for ax in (squares, logit)]
    assert middle[0] < 0.3 and middle[1] == 1
    right = ((with_ones(X) @ W).argmax(1) == y).mean()
    assert squares.get_title() == f"least squares: {right:.2f} right" and logit.get_title() == "logistic: 1.00 right"


@pytest.mark.notes("003", "fig-ambiguous-regions")
@pytest.mark.notes("000-b", "plot-multiclass-regions")
def test_regions_of_both_reductions_and_where_nobody_or_several_claim_a_point():
    X = np.concatenate([RNG.normal(size=(60, 2)) + center for center in ([0.0, 4], [4, -2], [-3, -3])])
    y = np.array(["a", "b", "c"])[np.repeat([0, 1, 2], 60)]
    rest, pairs = plot_multiclass_regions(X, y, ax=canvas(1, 2))
    region, doubt = meshes(rest)
    at = np.stack(np.meshgrid(region.x, region.y), -1).reshape(-1, 2)
    f = np.column_stack([with_ones(at) @ logistic(X, (y == c).astype(int)) for c in "abc"])
    claims = (f > 0).sum(axis=1)
    assert (region.value.ravel() != f.argmax(axis=1)).mean() < 1e-3
    assert (doubt.value.mask.ravel() != (claims == 1)).mean() < 1e-3
    shaded = ~doubt.value.mask.ravel()
    assert (doubt.value.data.ravel()[shaded] != claims[shaded]).mean() < 0.01
    assert {0, 2} <= set(doubt.value.compressed().astype(int))  # some points nobody claims, some two
    for line, c in zip(rest.lines, "abc"):
        w = logistic(X, (y == c).astype(int))
        assert_allclose(with_ones(line.get_xydata()) @ w / np.linalg.norm(w[1:]), 0, atol=5e-3)
    assert rest.get_title() == f"one against the rest: {(claims != 1).mean():.0%} in doubt"

    region, doubt = meshes(pairs)
    votes, sums = np.zeros((2, len(at), 3))
    for i, j in ((0, 1), (0, 2), (1, 2)):
        both = np.isin(y, ["abc"[i], "abc"[j]])
        value = with_ones(at) @ logistic(X[both], (y[both] == "abc"[i]).astype(int))
        votes[:, i] += value > 0
        votes[:, j] += value <= 0
        sums[:, i] += value
        sums[:, j] -= value
    tied = votes.max(axis=1) == 1
    assert (region.value.ravel() != np.where(tied, sums.argmax(1), votes.argmax(1))).mean() < 1e-3
    assert (doubt.value.mask.ravel() == tied).mean() < 1e-3
    assert_array_equal(points(pairs, "b"), X[y == "b"])
    with pytest.raises(DataError, match="two need no reduction"):
        plot_multiclass_regions(TWO, SIGN)


@pytest.mark.notes("003", "fig-feature-lift")
def test_one_column_is_lifted_to_a_parabola():
    x = np.array([-2.0, -1.4, -0.6, 0.1, 0.5, 1.7, 2.2])
    y = np.array([1, 1, 0, 0, 0, 1, 1])
    rows, image = plot_feature_lift(x, y, ax=canvas(1, 2))
    for k in (0, 1):
        assert_allclose(points(rows, str(k)), np.column_stack([x[y == k], 0 * x[y == k]]))
        assert_allclose(points(image, str(k)), np.column_stack([x[y == k], x[y == k] ** 2]))
    ends = curves(image)["w'phi + b = 0"]
    slope, level = np.polyfit(*ends.T, 1)
    above = x**2 > slope * x + level
    assert_array_equal(above, y == 1)  # the line separates the image
    roots = sorted(float(line.get_xdata()[0]) for line in rows.lines[1:])
    assert_allclose(roots, sorted(np.roots([1, -slope, -level])), rtol=1e-9)
    assert_array_equal((x < roots[0]) | (x > roots[1]), y == 1)
    at, height = curve(image)
    assert_allclose(height, at**2)
    given = plot_feature_lift(x, y, plane=Hyperplane([0.5, 2.0], -2.0), ax=canvas(1, 2))[0]
    assert_allclose([line.get_xdata()[0] for line in given.lines[1:]], sorted(np.roots([2, 0.5, -2])))


def facets(surface):
    """Return the corners of a drawn surface, in the space it is drawn in."""
    held = getattr(surface, "_faces", None)  # matplotlib 3.10; before it, homogeneous columns
    return surface._vec[:3].T if held is None else np.asarray(held).reshape(-1, 3)


@pytest.mark.notes("000-b", "plot-feature-map")
@pytest.mark.notes("003", "fig-feature-lift")
def test_the_plane_is_lifted_and_the_boundary_comes_back_as_a_conic():
    X = RNG.normal(size=(150, 2))
    inside = 0.5 * X[:, 0] ** 2 + 0.4 * X[:, 0] * X[:, 1] + X[:, 1] ** 2
    keep = np.abs(inside - 1) > 0.1
    X, y = X[keep], (inside[keep] < 1).astype(int)
    figure = Figure()
    axes = [figure.add_subplot(1, 3, 1 + i, projection="3d" if i == 1 else None) for i in range(3)]
    flat, image, back = plot_feature_lift(X, y, ax=axes)
    lifted = np.column_stack([X[:, 0] ** 2, X[:, 0] * X[:, 1], X[:, 1] ** 2])
    for k in (0, 1):
        cloud = next(c for c in image.collections if c.get_label() == str(k))
        assert_allclose(np.column_stack(cloud._offsets3d), lifted[y == k])
        assert_allclose(points(flat, str(k)), X[y == k])
    surface = image.collections[-1]
    corners = facets(surface)
    w = np.linalg.svd(with_ones(corners))[2][-1]
    assert_allclose(with_ones(corners) @ w, 0, atol=1e-9)  # they lie on one plane
    side = with_ones(lifted) @ w
    assert_array_equal(side * np.sign(side[0]) > 0, y == y[0])  # which separates the image
    (drawn,) = contours(back).values()
    conic = with_ones(np.column_stack([drawn[:, 0] ** 2, drawn[:, 0] * drawn[:, 1], drawn[:, 1] ** 2])) @ w
    assert len(drawn) > 50 and np.abs(conic).max() < 2e-2 * np.abs(side).max()
    assert_allclose(scatters(back)[1], X[y == 1])
    with pytest.raises(DataError, match="lifts one or two columns; X has 3"):
        plot_feature_lift(np.ones((4, 3)), [0, 1, 0, 1])
