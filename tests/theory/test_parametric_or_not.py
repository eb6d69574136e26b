"""Parametric: as many learned numbers for any number of rows. Non-parametric: more with more rows."""

import numpy as np
import pytest

from novum.linear_model import LinearRegression
from novum.neighbors import KNeighborsClassifier
from novum.tree import DecisionTreeClassifier

SIZES = (64, 256, 1024)


def table(n):
    rng = np.random.default_rng(n)
    X = rng.uniform(-1, 1, size=(n, 3))
    return X, (np.sin(9 * X[:, 0]) + X[:, 1] > 0.1).astype(int)


@pytest.mark.notes("003", "parametric-or-not")
def test_a_line_has_as_many_parameters_as_features_and_needs_no_data():
    for n in SIZES:
        X, y = table(n)
        model = LinearRegression().fit(X, y)
        a, *w = np.linalg.lstsq(np.column_stack([np.ones(n), X]), y, rcond=None)[0]
        assert model.coef_.size + np.size(model.intercept_) == 4
        new = np.array([[0.3, -0.2, 0.9]])
        expected = a + new @ w
        X[:], y[:] = np.nan if X.dtype.kind == "f" else 0, 0  # the data are gone
        np.testing.assert_allclose(model.predict(new), expected, rtol=1e-12)


@pytest.mark.notes("003", "parametric-or-not")
def test_the_nearest_point_asks_every_row():
    for n in SIZES:
        X, y = table(n)
        model = KNeighborsClassifier(n_neighbors=1).fit(X, y)
        for i in (0, n // 2, n - 1):  # a row between all others and its own place: only it can give the answer
            distance = np.sqrt(((X - X[i]) ** 2).sum(axis=1))
            distance[i] = np.inf
            near = X[i] + 0.4 * (X[distance.argmin()] - X[i])
            flipped = y.copy()
            flipped[i] = 1 - y[i]
            assert model.predict(near[None]) == y[i]
            assert KNeighborsClassifier(n_neighbors=1).fit(X, flipped).predict(near[None]) == 1 - y[i]
        indices = model.kneighbors(X, return_distance=False)
        assert np.unique(indices).size == n  # all rows are kept


@pytest.mark.notes("003", "parametric-or-not")
def test_a_tree_is_either_by_whether_its_depth_is_limited():
    leaves = {
        depth: [DecisionTreeClassifier(max_depth=depth).fit(*table(n)).get_n_leaves() for n in SIZES]
        for depth in (2, None)
    }
    assert max(leaves[2]) <= 2**2
    assert leaves[None][0] < leaves[None][1] < leaves[None][2]
    for n, depth in zip(SIZES, [DecisionTreeClassifier().fit(*table(n)).get_depth() for n in SIZES]):
        assert 2**depth >= leaves[None][SIZES.index(n)] and depth < n
