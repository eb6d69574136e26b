"""The kernels of the family beside slow versions of them, at odd shapes too."""

import numpy as np
import pytest
import reference.manifold as slow
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.isotonic import IsotonicRegression

from novum import _core
from novum.manifold.centered import centered_axes, dense_axes, euclidean_axes, multiply
from novum.manifold.isomap import geodesics
from novum.manifold.stress_majorization import ordered_pairs, place_rows, run_pass

KERNELS = _core.manifold


@pytest.mark.parametrize("n, q", [(1, 1), (2, 3), (7, 2), (9, 1), (130, 2), (300, 5)])
def test_guttman(n, q):
    rng = np.random.default_rng(n)
    D = np.abs(rng.normal(size=(n, n)))
    D = D + D.T
    np.fill_diagonal(D, 0)
    Z = rng.normal(size=(n, q))
    Z[n // 2] = Z[0]  # two points in one place
    found = run_pass(D, Z, 2)
    for one, other in zip(found, slow.guttman(D, Z)):
        assert_allclose(one, other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n, q", [(1, 1), (2, 1), (3, 2), (9, 1), (40, 2), (130, 3), (300, 5)])
def test_new_points_come_to_rest_where_guttman_steps_lead(n, q):
    rng = np.random.default_rng(n)
    points = rng.normal(size=(n, q))
    new = 0.5 * rng.normal(size=(6, q))
    D = np.linalg.norm(new[:, None] - points[None], axis=2) * rng.uniform(0.9, 1.1, (6, n))
    found = place_rows(D, points)
    for row, z in zip(D, found):
        expected = slow.place(row, points, points[row.argmin()], 5000)
        stress = [((np.linalg.norm(points - at, axis=1) - row) ** 2).sum() for at in (z, expected)]
        assert stress[0] <= stress[1] * (1 + 1e-9) + 1e-15
        assert_allclose(slow.place(row, points, z, 1), z, atol=1e-8)  # it rests


def test_disparities_are_an_isotonic_regression():
    rng = np.random.default_rng(0)
    D = rng.integers(0, 6, (12, 12)).astype(float)
    D = np.triu(D, 1) + np.triu(D, 1).T
    Z = rng.normal(size=(12, 2))
    pairs, out = ordered_pairs(D), np.zeros((12, 12))
    KERNELS.stress.disparities(Z, pairs.first, pairs.second, pairs.group, 66.0, out)
    i, j = np.triu_indices(12, 1)
    known = D[i, j] > 0
    d = np.linalg.norm(Z[i] - Z[j], axis=1)[known]
    fit = IsotonicRegression().fit_transform(D[i, j][known], d)
    assert_allclose(out[i, j][known], fit * np.sqrt(66 / (fit**2).sum()), rtol=1e-12)
    assert_array_equal(out, out.T)
    assert (out[D == 0] == 0).all()


@pytest.mark.parametrize("n, d", [(5, 1), (30, 3), (90, 12)])
def test_axes_of_rows_are_those_of_their_distances(n, d):
    rows = np.random.default_rng(n).normal(size=(n, d)) * np.arange(1, d + 1) + 7
    D = np.linalg.norm(rows[:, None] - rows[None], axis=2)
    found, expected = euclidean_axes(rows, min(d, 3)), centered_axes(D, min(d, 3), "dense")
    for one, other in zip(found, expected):
        assert_allclose(one, other, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("n, density", [(1, 1.0), (2, 1.0), (40, 0.1), (60, 0.02), (90, 0.5)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_shortest_paths(n, density, dtype):
    rng = np.random.default_rng(n)
    graph = np.where(rng.random((n, n)) < density, rng.exponential(size=(n, n)) ** 4, np.inf)
    graph[rng.random((n, n)) < 0.02] = 0.0  # rows that are equal
    row, column = np.nonzero(np.isfinite(graph))
    sparse = scipy.sparse.coo_array((graph[row, column], (row, column)), shape=(n, n))
    expected = slow.shortest_paths(graph)
    found = geodesics(sparse, np.arange(n), dtype, 2)
    assert found.dtype == dtype
    assert_allclose(found, expected, rtol=1e-12 if dtype == np.float64 else 1e-6)
    assert_allclose(geodesics(sparse, np.array([n - 1, 0]), dtype, 1), expected[[n - 1, 0]], rtol=1e-6)


@pytest.mark.parametrize("n, p, m", [(1, 1, 1), (0, 2, 3), (65, 3, 7), (200, 5, 30)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_nearest_units(n, p, m, dtype):
    rng = np.random.default_rng(n)
    X, units = rng.normal(size=(n, p)).astype(dtype), rng.normal(size=(m, p))
    units[-1] = units[0]  # of equal ones the first
    number, distance = np.empty((n, 2), np.int32), np.empty((n, 2))
    KERNELS.units.nearest_units(X, units, number, distance)
    order, squares = slow.two_nearest(X.astype(float), units)
    if m > 1:
        assert_array_equal(number, order)
        assert_allclose(distance, squares, rtol=1e-12)
    else:
        assert_allclose(distance, np.repeat(squares, 2, axis=1), rtol=1e-12)


@pytest.mark.parametrize("n, p, m", [(1, 1, 2), (0, 2, 3), (33, 2, 9), (100, 4, 40)])
def test_places_on_a_line(n, p, m):
    rng = np.random.default_rng(n)
    X, corners, arc = rng.normal(size=(n, p)), rng.normal(size=(m, p)), np.cumsum(rng.random(m))
    corners[m // 2] = corners[m // 2 - 1]  # a segment without length
    place, distance = np.empty(n), np.empty(n)
    KERNELS.polyline.project_on_line(X, corners, arc, place, distance)
    for x, found, square in zip(X, place, distance):
        expected = slow.place_on_line(x, corners, arc)
        assert_allclose((found, square), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("n, q", [(300, 2), (300, 20), (700, 3)])
@pytest.mark.parametrize("dimensions", [1, 3, 30])
def test_axes_of_centred_squares(n, q, dimensions):
    X = np.random.default_rng(n).normal(size=(n, dimensions))
    P = np.sqrt(np.maximum(((X[:, None] - X[None]) ** 2).sum(axis=2), 0))
    assert_allclose(multiply(P, np.eye(n)[:, :8], 2), P[:, :8] ** 2, rtol=1e-14)
    found, exact = centered_axes(P, q), dense_axes(P, q)
    assert_allclose(found.values, exact.values, atol=1e-10 * exact.values[0])
    real = exact.values > 1e-6 * exact.values[0]
    same = np.abs((found.vectors * exact.vectors).sum(axis=0))
    assert_allclose(same[real], 1, rtol=1e-7)
    assert_allclose(found.means, (P**2).mean(axis=0), rtol=1e-12)


def test_wrong_shapes_and_numbers_are_refused():
    D, out = np.zeros((3, 3)), np.zeros((3, 2))
    with pytest.raises(ValueError, match="inconsistent shapes"):
        KERNELS.stress.guttman_rows(D, np.zeros((2, 4)), 0, 3, out, np.zeros(3), np.zeros(3))
    begin, to, length = np.array([0, 1, 2]), np.array([1, 0], np.int32), np.array([1.0, -1.0])
    with pytest.raises(ValueError, match="no finite number"):
        KERNELS.geodesics.shortest_paths(begin, to, length, np.array([0]), np.zeros((1, 2)))
    with pytest.raises(ValueError, match="leads nowhere"):
        KERNELS.geodesics.shortest_paths(begin, to + np.int32(1), np.ones(2), np.array([0]), np.zeros((1, 2)))
    with pytest.raises(ValueError, match="no such row"):
        KERNELS.units.online_steps(np.zeros((2, 1)), np.array([2]), np.zeros((1, 1)), np.zeros((1, 1)), 0.5, 1.0, 0, 1)
