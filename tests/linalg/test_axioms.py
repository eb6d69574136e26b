"""The checks that the page on linear algebra spells out, taken from the page and tried on more than it tries."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from test_docs import run

import novum

PAGE = Path(__file__).parents[2] / "docs" / "theory" / "linear_algebra.md"
RNG = np.random.default_rng(3)


@pytest.fixture(scope="module")
def page():
    names = {"__name__": "page"}
    run(PAGE, names)
    return names


@pytest.mark.notes("000-a", "metric-axioms")
def test_metrics(page):
    violation, points = page["metric_violation"], list(RNG.normal(size=(5, 3)))
    for order in (1, 2, np.inf):
        assert violation(lambda x, y, order=order: np.linalg.norm(x - y, order), points) is None
    assert violation(lambda x, y: 0.0, points)[0] == "positivity"
    assert violation(lambda x, y: np.linalg.norm(x - y) * (2 if x[0] < y[0] else 1), points)[0] == "symmetry"


@pytest.mark.notes("000-a", "algebra-axioms")
def test_groups_and_vector_spaces(page):
    order = list(permutations(range(3)))
    symmetric_group = [[order.index(tuple(a[i] for i in b)) for b in order] for a in order]
    assert page["group_violation"](symmetric_group) is None
    assert not np.array_equal(symmetric_group, np.transpose(symmetric_group))
    assert page["group_violation"]([[0, 0], [0, 0]])[0] == "identity"
    assert page["group_violation"]([[(i - j) % 3 for j in range(3)] for i in range(3)])[0] == "associativity"
    matrices = list(RNG.normal(size=(3, 2, 3)))
    assert page["vector_space_violation"](matrices, [-1.0, 2.0]) is None


@pytest.mark.notes("000-a", "norm-metric")
@pytest.mark.notes("000-a", "bilinear-form")
@pytest.mark.notes("000-a", "dot-product")
def test_norms_forms_and_angles(page):
    vectors = list(RNG.normal(size=(4, 3)))
    assert page["norm_violation"](lambda v: np.abs(v).max(), vectors, [-1.5, 2.0]) is None
    assert page["norm_violation"](lambda v: v @ v, vectors, [-1.5, 2.0])[0] in ("homogeneity", "triangle")
    M = RNG.normal(size=(3, 3))
    assert page["bilinear_violation"](lambda x, y: x @ M @ y, vectors, [0.5, -2.0]) is None
    assert np.isclose(page["angle"](np.array([1.0, 0]), np.array([0, 2.0])), np.pi / 2)
    assert np.isclose(page["angle"](np.array([1.0, 0]), np.array([-3.0, 0])), np.pi)
    from sklearn.preprocessing import Normalizer

    rows = Normalizer().fit_transform([[3.0, 4.0], [0.0, 0.0]])  # the zero vector passes through
    assert rows.tolist() == [[0.6, 0.8], [0.0, 0.0]]


@pytest.mark.notes("000-a", "matrix-basics")
@pytest.mark.notes("002", "matrix-identities")
def test_identities_of_matrices(page):
    assert len(page["identities_hold"]) == 9 and all(page["identities_hold"].values())


@pytest.mark.notes("000-a", "matrix-derivatives")
def test_the_four_gradients(page):
    assert set(page["identities"]) == {"y'Mx", "x'Mx", "x'x", "Mx"}


@pytest.mark.notes("000-a", "eigen-pairs")
@pytest.mark.notes("003", "eigen")
def test_eigen_reports(page):
    report = page["eigen_report"]([[2.0, 1, 0], [1, 2, 0], [0, 0, -1]])
    assert np.allclose(sorted(report["eigenvalues"]), [-1, 1, 3])
    assert np.isclose(report["determinant"], -3) and np.isclose(report["trace"], 3)
    assert report["independent eigenvectors"] == report["rank"] == 3
    singular = np.array([[1.0, 2, 3], [4, 5, 9], [7, 8, 15]])  # the last column is the sum of the others
    assert abs(page["eigen_report"](singular)["determinant"]) < 1e-12
    x = novum.linalg.are_independent(singular.T).coefficients
    assert np.allclose(singular[:, 2], singular[:, :2] @ (-x[:2] / x[2]))
