"""The geometry of linear decisions: distances, feet, margins, regions; reductions of several classes to two."""

import numpy as np
import pytest
from artists import arrows, canvas, scatters
from matplotlib.colors import to_rgba_array
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

from novum.activations import sigmoid
from novum.datasets import make_gaussian_classes
from novum.exceptions import DataError, ParameterError
from novum.linear_model import Hyperplane

RNG = np.random.default_rng(0)
PLANE = Hyperplane([3.0, 4.0], -5.0)


@pytest.mark.notes("000-b", "linear-discriminant")
@pytest.mark.notes("000-b", "geometric-margin")
@pytest.mark.notes("002", "linear-discriminant")
def test_distance_and_foot_of_the_perpendicular():
    x = [[3.0, 4.0]]
    assert PLANE.decision_function(x) == 20 and PLANE.signed_distance(x) == 4 and PLANE.predict(x) == 1
    assert_allclose(PLANE.project(x), [[0.6, 0.8]], rtol=1e-15)
    assert PLANE.origin_distance == -1
    on_plane = PLANE.project(RNG.normal(size=(50, 2)))
    assert_allclose(PLANE.decision_function(on_plane), 0, atol=1e-14)
    assert_allclose((on_plane[1:] - on_plane[0]) @ PLANE.normal, 0, atol=1e-14)  # w is normal to the plane


@pytest.mark.notes("004", "signed-distance")
@pytest.mark.notes("003", "point-plane-distance")
def test_distances_are_in_units_of_the_normal():
    plane = Hyperplane([3.0, 4.0], -10.0)
    assert_array_equal(plane.signed_distance([[2.0, 1.0], [4.0, 2.0], [0.0, 0.0]]), [0, 2, -2])
    w, b, point = RNG.normal(size=4), 0.7, RNG.normal(size=4)
    nearest = minimize(
        lambda z: ((z - point) ** 2).sum(),
        np.zeros(4),
        constraints={"type": "eq", "fun": lambda z: z @ w + b},
        tol=1e-14,
    ).x
    plane = Hyperplane(w, b)
    assert_allclose(plane.project([point])[0], nearest, atol=1e-6)
    assert_allclose(abs(plane.signed_distance([point])[0]), np.linalg.norm(point - nearest), rtol=1e-6)


@pytest.mark.notes("003", "binary-threshold")
def test_the_sign_decides_and_zero_counts_as_plus():
    assert_array_equal(PLANE.predict([[0.0, 0.0], [3.0, 3.0], [0.6, 0.8]]), [-1, 1, 1])


def test_margins_and_the_canonical_form():
    X, y = np.array([[3.0, 4.0], [0.0, 0.0], [1.0, 1.0]]), np.array([1, -1, -1])
    assert_allclose(PLANE.functional_margin(X, y), [20, 5, -2])
    assert_allclose(PLANE.geometric_margin(X, y), [4, 1, -0.4])
    scaled = PLANE.canonical(X)
    assert_allclose(np.abs(scaled.decision_function(X)).min(), 1)
    assert_allclose(1 / scaled.norm, np.abs(PLANE.signed_distance(X)).min())
    assert_allclose(scaled.signed_distance(X), PLANE.signed_distance(X))


@pytest.mark.notes("003", "generalised-linear-model")
def test_a_squashed_function_has_a_flat_boundary():
    """a(f(x)) = k is the plane f(x) = a^-1(k)."""
    k = 0.8
    boundary = PLANE.at(np.log(k / (1 - k)))
    assert_allclose(sigmoid(PLANE.decision_function(boundary.project(RNG.normal(size=(20, 2))))), k, rtol=1e-12)


@pytest.mark.notes("002", "linear-discriminant")
@pytest.mark.notes("000-b", "linear-discriminant")
@pytest.mark.notes("002", "multiclass-discriminant")
@pytest.mark.notes("003", "multiclass-linear-discriminant")
def test_regions_of_the_largest_function_are_convex():
    several = Hyperplane(RNG.normal(size=(4, 3)), RNG.normal(size=4))
    A, B = RNG.normal(size=(2, 500, 3))
    literal = [[f_w @ x + f_b for f_w, f_b in zip(several.coef, several.intercept)] for x in A]
    assert_allclose(several.decision_function(A), literal, rtol=1e-12)
    assert_array_equal(several.predict(A), [int(np.argmax(row)) for row in literal])
    same = several.predict(A) == several.predict(B)
    for share in (0.1, 0.5, 0.9):
        assert_array_equal(several.predict(share * A + (1 - share) * B)[same], several.predict(A)[same])
    outside = several.predict(A + 2.5 * (B - A))[same]
    assert (outside != several.predict(A)[same]).any()  # between them only
    edge = several.between(0, 2)
    points = edge.project(A)
    values = several.decision_function(points)
    assert_allclose(values[:, 0], values[:, 2], atol=1e-12)


@pytest.mark.notes("000-b", "one-vs-all")
@pytest.mark.notes("000-b", "one-vs-one")
@pytest.mark.notes("003", "one-vs-rest")
@pytest.mark.notes("003", "one-vs-one")
def test_reductions_leave_regions_that_nobody_or_several_claim():
    X = np.concatenate([RNG.normal(size=(60, 2)) + center for center in ([0.0, 4], [4, -2], [-4, -2])])
    y = np.repeat([0, 1, 2], 60)
    grid = np.stack(np.meshgrid(np.linspace(-9, 9, 61), np.linspace(-9, 9, 61)), -1).reshape(-1, 2)
    rest = OneVsRestClassifier(LogisticRegression()).fit(X, y)
    claims = np.column_stack([model.predict(grid) for model in rest.estimators_]).sum(axis=1)
    assert {0, 1} <= set(claims) and (claims != 1).any()
    scores = np.column_stack([Hyperplane.from_estimator(model).decision_function(grid) for model in rest.estimators_])
    single = Hyperplane.from_estimator(rest.estimators_[0])
    assert single.coef.shape == (2,) and not single.several and single.decision_function(grid[:7]).shape == (7,)
    assert_array_equal(rest.predict(grid), scores.argmax(axis=1))  # the largest functional margin settles them
    pairs = OneVsOneClassifier(LogisticRegression()).fit(X, y)
    assert [len(OneVsOneClassifier(LogisticRegression()).fit(*classes(m)).estimators_) for m in (3, 5)] == [3, 10]
    votes = np.zeros((len(grid), 3), int)
    for (i, j), model in zip([(0, 1), (0, 2), (1, 2)], pairs.estimators_):
        votes[np.arange(len(grid)), np.where(model.predict(grid) == 1, j, i)] += 1
    tied = (votes == 1).all(axis=1)
    clear = ~tied
    assert_array_equal(pairs.predict(grid)[clear], votes.argmax(axis=1)[clear])


def classes(m):
    X = np.concatenate([np.eye(m)[i] * 3 + 0.1 * RNG.normal(size=(10, m)) for i in range(m)])
    return X, np.repeat(np.arange(m), 10)


@pytest.mark.notes("003", "fig-sample-3d")
@pytest.mark.notes("003", "fig-perceptron-step")
@pytest.mark.notes("000-b", "plot-hyperplane-geometry")
@pytest.mark.notes("002", "plot-discriminant-geometry")
def test_picture_of_the_geometry():
    rows = np.array([[3.0, 4.0], [0.0, 0.0]])
    ax = PLANE.plot(canvas(), X=rows)
    boundary, first, second = (line.get_xydata() for line in ax.get_lines())
    assert_allclose(boundary @ [3, 4] - 5, 0, atol=1e-12)
    assert np.linalg.norm(boundary[1] - boundary[0]) > 2
    assert_allclose(first, [[0.6, 0.8], [3.0, 4.0]])  # from the foot to the row, along the normal
    assert_allclose(second, [[0.6, 0.8], [0.0, 0.0]], atol=1e-15)
    assert_allclose(scatters(ax)[0], rows)
    ((tail, head),) = arrows(ax)  # the text w stands at the end of the normal, which begins on the plane
    assert_allclose(head, [0.6, 0.8])
    along = tail - head
    assert_allclose(along[0] * 4 - along[1] * 3, 0, atol=1e-12)
    style = next(t for t in ax.texts if t.get_text() == "w").arrow_patch.get_arrowstyle()
    assert type(style).__name__ == "CurveA"  # its tip is at the text
    assert along @ [3, 4] > 0 and ax.get_title() == "distance of the origin: -1"
    assert PLANE.plot(ax=ax) is ax
    far = np.array([[30.0, -20.0], [-50.0, 41.0]])  # the line reaches the feet of all rows
    ends = PLANE.plot(canvas(), X=far).lines[0].get_xydata()
    along = ends[1] - ends[0]
    places = (PLANE.project(far) - ends[0]) @ along / (along @ along)
    assert (places > 0).all() and (places < 1).all()
    cloud = PLANE.plot(canvas(), X=[[3.0, 4.0], [0, 0], [5, 5]]).collections[0]
    assert_array_equal(cloud.get_facecolors(), to_rgba_array(["C0", "C1", "C0"]))  # by the side of the row


def test_from_estimators_and_repr():
    X, y = make_gaussian_classes(100, random_state=0, return_X_y=True)
    model = LogisticRegression().fit(X, y)
    plane = Hyperplane.from_estimator(model)
    assert_allclose(plane.decision_function(X), model.decision_function(X), rtol=1e-12)
    assert repr(PLANE) == "Hyperplane(3 x0 + 4 x1 - 5 = 0)"
    assert repr(Hyperplane(np.eye(3))) == "Hyperplane(3 functions of 3 variables)"


def test_errors_name_the_way_out():
    with pytest.raises(ParameterError, match="no plane"):
        Hyperplane([0.0, 0.0], 1.0)
    with pytest.raises(ParameterError, match="do not belong together"):
        Hyperplane([1.0, 2.0], [1.0, 2.0])
    with pytest.raises(ParameterError, match="must be finite"):
        Hyperplane([1.0, np.nan])
    with pytest.raises(DataError, match="expecting 2 features"):
        PLANE.predict([[1.0]])
    with pytest.raises(DataError, match="labels -1 and"):
        PLANE.geometric_margin([[1.0, 2.0]], [2])
    with pytest.raises(DataError, match="lies on the plane"):
        PLANE.canonical([[0.6, 0.8]])
    with pytest.raises(ParameterError, match="about one plane"):
        Hyperplane(np.eye(2)).project([[1.0, 2.0]])
    with pytest.raises(ParameterError, match="has no coef_"):
        Hyperplane.from_estimator(object())
