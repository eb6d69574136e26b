"""Axioms, forms, identities and eigenvalues of matrices: every law is broken once, and the check must say which."""

from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from novum.exceptions import DataError
from novum.linalg import check_gradient
from novum.teaching import (
    angle,
    are_orthonormal,
    bilinear_form,
    check_bilinear_form,
    check_group,
    check_identities,
    check_metric_axioms,
    check_norm,
    check_subspace,
    check_vector_space,
    eigen_report,
    is_eigenpair,
)

RNG = np.random.default_rng(3)
VECTORS, SCALARS = RNG.normal(size=(4, 3)), [-1.5, 0.5, 2.0]


@pytest.mark.notes("000-a", "metric-axioms")
def test_metrics():
    points = RNG.normal(size=(5, 3))
    for metric in ("manhattan", "euclidean", "chebyshev"):
        assert check_metric_axioms(metric, points).is_metric
    assert not check_metric_axioms("sqeuclidean", [[0.0], [1.0], [2.0]]).triangle
    assert not check_metric_axioms("minkowski", [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]], p=0.5).triangle
    uneven = np.array([[0.0, 1.0], [2.0, 0.0]])
    assert not check_metric_axioms("precomputed", uneven).symmetric
    tables = {
        "nonnegative": [[0.0, -1.0], [-1.0, 0.0]],
        "zero_on_equal_rows": [[0.5, 1.0], [1.0, 0.0]],
        "positive_between_different_rows": [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]],
        "triangle": [[0.0, 1.0, 5.0], [1.0, 0.0, 2.0], [5.0, 2.0, 0.0]],
    }
    for law, table in tables.items():
        found = check_metric_axioms("precomputed", table)
        assert not getattr(found, law) and not found.is_metric
    assert found.symmetric and found.worst_triangle == pytest.approx(5 - 1 - 2)
    for excess in (0.5, 1e-3, 1e-7):
        found = check_metric_axioms("precomputed", [[0, 1, 3 + excess], [1, 0, 2], [3 + excess, 2, 0]])
        assert not found.triangle and not found.is_metric and found.worst_triangle == pytest.approx(excess)
    assert check_metric_axioms("precomputed", [[0.0, 1, 3], [1, 0, 2], [3, 2, 0]]).is_metric  # on a line: equality


@pytest.mark.notes("000-a", "algebra-axioms")
def test_groups_and_vector_spaces():
    order = list(permutations(range(3)))
    symmetric_group = check_group([[order.index(tuple(a[i] for i in b)) for b in order] for a in order])
    assert symmetric_group and symmetric_group.commutative is False
    assert check_group([[(i + j) % 5 for j in range(5)] for i in range(5)]).commutative
    assert check_group([[0, 0], [0, 0]]).violated == "identity"
    assert check_group([[(i - j) % 3 for j in range(3)] for i in range(3)]).violated == "associativity"
    products = check_group([[(i * j) % 4 for j in range(4)] for i in range(4)])
    assert (products.violated, products.witness) == ("inverse", (0,))
    assert check_vector_space(RNG.normal(size=(3, 2, 3)), [-1.0, 2.0])  # matrices are vectors too
    broken = {
        "v + w = w + v": {"add": lambda v, w: v + 2 * w},
        "(u + v) + w = u + (v + w)": {"add": lambda v, w: np.maximum(v, w) + np.minimum(v, w) ** 3},
        "a(v + w) = av + aw": {"scale": lambda a, v: np.abs(v) ** abs(a) if a != 1 else v},
        "(a + b)v = av + bv": {"scale": lambda a, v: a**2 * v},
        "1v = v": {"scale": lambda a, v: 0 * v},
    }
    for law, change in broken.items():
        assert check_vector_space(VECTORS, SCALARS, **change).violated == law
    clipped = check_vector_space(np.abs(VECTORS), [2.0, 3.0], scale=lambda a, v: v * np.floor(a / 2))
    assert clipped.violated == "(ab)v = a(bv)" and clipped.witness[:2] == (2.0, 2.0)
    assert check_subspace(lambda v: np.isclose(v.sum(), 0), [[1.0, -1.0], [-2.0, 2.0]], [3.0, -0.5])
    assert check_subspace(lambda v: v[0] >= 0, [[1.0, 0.0]], [-1.0, 1.0]).witness[0] == -1.0
    with pytest.raises(DataError, match="is no member of the set"):
        check_subspace(lambda v: v[0] > 2, [[1.0]], [1.0])
    for wrong in ([[0, 1]], [[0, 2], [1, 0]], [[0.5]], []):
        with pytest.raises(DataError, match="check_group: table has shape"):
            check_group(wrong)


@pytest.mark.notes("000-a", "norm-metric")
def test_norms_and_unit_vectors():
    for norm in (np.linalg.norm, lambda v: np.abs(v).max(), lambda v: np.abs(v).sum()):
        assert check_norm(norm, [*VECTORS, np.zeros(3)], SCALARS)
    assert check_norm(lambda v: np.abs(v[0]), [[0.0, 1.0]], SCALARS).violated == "|v| > 0 but at zero"
    assert check_norm(lambda v: v @ v, VECTORS, SCALARS).violated == "|av| = |a| |v|"
    half = check_norm(lambda v: np.sum(np.abs(v) ** 0.5) ** 2, np.eye(3), SCALARS)
    assert half.violated == "|v + w| <= |v| + |w|" and [w.argmax() for w in half.witness] == [0, 1]
    from sklearn.preprocessing import Normalizer

    rows = Normalizer().fit_transform([[3.0, 4.0], [0.0, 0.0]])  # the zero vector passes through
    assert rows.tolist() == [[0.6, 0.8], [0.0, 0.0]]


@pytest.mark.notes("000-a", "bilinear-form")
def test_forms_are_linear_in_both_places():
    M = RNG.normal(size=(3, 3))
    x, y = VECTORS[:2]
    assert bilinear_form(M, x, y) == pytest.approx(sum(M[i, j] * x[i] * y[j] for i in range(3) for j in range(3)))
    found = check_bilinear_form(lambda x, y: bilinear_form(M, x, y), VECTORS, SCALARS)
    assert found and found.commutative is False
    assert check_bilinear_form(lambda x, y: bilinear_form(M + M.T, x, y), VECTORS, SCALARS).commutative
    assert check_bilinear_form(lambda x, y: (x @ x) * y[0], VECTORS, SCALARS).violated == "linear in the first"
    assert check_bilinear_form(lambda x, y: x[0] * (y @ y), VECTORS, SCALARS).violated == "linear in the second"
    with pytest.raises(DataError, match=r"M has shape \(3, 3\); x and y need \(3, 2\)"):
        bilinear_form(M, x, [1.0, 2.0])


@pytest.mark.notes("000-a", "dot-product")
def test_angles_and_right_angles():
    assert angle([1.0, 0], [0, 2.0]) == pytest.approx(np.pi / 2, abs=1e-15)
    assert angle([1.0, 0], [-3.0, 0]) == pytest.approx(np.pi, abs=1e-15)
    assert angle([1.0, 0], [1.0, 1e-9]) == pytest.approx(1e-9, rel=1e-9)  # arccos would say 0
    x, y = VECTORS[:2]
    assert np.cos(angle(x, y)) == pytest.approx(x @ y / np.sqrt((x @ x) * (y @ y)), rel=1e-13)
    A = RNG.normal(size=(3, 3))
    assert angle(x, y, A.T @ A) == pytest.approx(angle(A @ x, A @ y), rel=1e-10)
    for size in (1e-9, 1e9):
        assert angle(x, y, size * A.T @ A) == pytest.approx(angle(A @ x, A @ y), rel=1e-9)
        assert are_orthonormal(np.eye(3) / np.sqrt(size), size * np.eye(3))
        assert not are_orthonormal(np.eye(3) * np.sqrt((1 + 1e-5) / size), size * np.eye(3))
    Q = np.linalg.qr(RNG.normal(size=(4, 4)))[0]
    assert are_orthonormal(Q[:3]) and not are_orthonormal(2 * Q[:3]) and not are_orthonormal(Q[[0, 0]])
    lower = np.linalg.cholesky(A.T @ A)
    assert are_orthonormal(np.linalg.inv(lower), A.T @ A, tol=1e-10) and not are_orthonormal(np.eye(3), A.T @ A)
    with pytest.raises(DataError, match="y is zero, which has no direction"):
        angle([1.0, 0.0], [0.0, 0.0])
    with pytest.raises(DataError, match="M is not positive definite"):
        angle([1.0, 0.0], [0.0, 1.0], [[1.0, 0.0], [0.0, -1.0]])


@pytest.mark.notes("000-a", "matrix-basics")
@pytest.mark.notes("002", "matrix-identities")
def test_identities_of_matrices(monkeypatch):
    M, N = RNG.normal(size=(2, 4, 4))
    found = check_identities(M, N)
    assert found and len(found.residuals) == 9 and found.tol < 1e-9
    for size in (1e-8, 1e8):
        assert check_identities(size * M, size * N)
    none = np.array([[0.0, 1.0], [1.0, 0.0]]), np.diag([1.0, 3.0])  # the trace of the product is zero
    assert check_identities(*none).residuals["tr MN = tr NM"] == 0
    assert_allclose(found.inverse @ M, np.eye(4), atol=1e-12)
    assert found.trace == pytest.approx(sum(M[i, i] for i in range(4)))
    signs = [np.linalg.det(np.eye(4)[list(order)]) for order in permutations(range(4))]
    leibniz = sum(s * np.prod([M[i, o[i]] for i in range(4)]) for s, o in zip(signs, permutations(range(4))))
    assert found.determinant == pytest.approx(leibniz, rel=1e-12) and found.rank == 4
    with pytest.raises(DataError, match="one of the matrices is singular"):
        check_identities(np.ones((2, 2)), np.eye(2))
    right = np.linalg.inv
    monkeypatch.setattr(np.linalg, "inv", lambda A: right(A) * (1 + 1e-6))  # an inverse that is none
    wrong = check_identities(M, N)
    assert not wrong and wrong.residuals["M M^-1 = I"] > wrong.tol


@pytest.mark.notes("000-a", "symmetric-eig-orthogonality")
def test_eigenvectors_of_a_symmetric_matrix_are_orthogonal():
    A = RNG.normal(size=(5, 5))
    for symmetric in (A + A.T, A @ A.T, [[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, -1.0]]):
        report, n = eigen_report(symmetric), len(symmetric)
        assert not np.iscomplexobj(report.values) and report.independent_vectors == n and not report.defective
        vectors = []
        for value in report.values:  # each from the null space of A - value I
            vectors.append(np.linalg.svd(symmetric - value * np.eye(n))[2][-1])
            assert is_eigenpair(symmetric, value, vectors[-1])
        assert_allclose(np.array(vectors) @ np.transpose(vectors), np.eye(n), atol=1e-10)
    assert eigen_report(np.eye(4)).independent_vectors == 4  # equal eigenvalues: as many vectors all the same


@pytest.mark.notes("000-a", "eigen-pairs")
@pytest.mark.notes("003", "eigen")
def test_eigen_reports():
    report = eigen_report([[2.0, 1, 0], [1, 2, 0], [0, 0, -1]])
    assert_allclose(np.sort(report.values), [-1, 1, 3], atol=1e-12)
    assert (report.determinant, report.trace) == pytest.approx((-3, 3))
    assert report.independent_vectors == report.rank == 3 and not report.singular and not report.defective
    singular = np.array([[1.0, 2, 3], [4, 5, 9], [7, 8, 15]])  # the last column is the sum of the others
    found = eigen_report(singular)
    assert abs(found.determinant) < 1e-12 and found.singular and found.rank == 2 and found.dependent_column == 2
    assert_allclose(singular @ found.combination, singular[:, 2], atol=1e-12)
    first = eigen_report(
        np.array([[0.0, 1.0], [0.0, 2.0]])
    )  # the null vector is (1, 0): the last column is no combination
    assert first.dependent_column == 0 and first.combination.tolist() == [0.0, 0.0]
    nilpotent = eigen_report(np.eye(3, k=1))
    assert (nilpotent.rank, nilpotent.independent_vectors) == (2, 1) and not nilpotent.values.any()
    turn = eigen_report([[0.0, -1.0], [1.0, 0.0]])
    assert np.iscomplexobj(turn.values) and (turn.determinant, turn.trace) == pytest.approx((1, 0), abs=1e-15)
    assert turn.independent_vectors == 2
    generic = RNG.normal(size=(5, 5))
    report = eigen_report(generic)
    assert report.determinant == pytest.approx(np.linalg.det(generic)) and report.trace == pytest.approx(
        np.trace(generic)
    )
    values, vectors = np.linalg.eig(generic)
    assert all(is_eigenpair(generic, value, vector) for value, vector in zip(values, vectors.T))
    assert not is_eigenpair(generic, values[0] * (1 + 1e-6), vectors[:, 0])
    assert not is_eigenpair(generic, values[0], np.zeros(5))
    for size in (1e-9, 1e9):
        assert is_eigenpair(generic, values[0], size * vectors[:, 0])
        assert not is_eigenpair(generic, values[0] * (1 + 1e-6), size * vectors[:, 0])
        assert is_eigenpair(size * generic, size * values[0], vectors[:, 0])
        assert not is_eigenpair(size * generic, size * values[0] * (1 + 1e-6), vectors[:, 0])
        assert eigen_report(size * singular).rank == 2 and eigen_report(size * generic).rank == 5


@pytest.mark.notes("000-a", "matrix-derivatives")
def test_the_four_gradients():
    M, y, x = RNG.normal(size=(3, 3)), RNG.normal(size=3), RNG.normal(size=3)
    forms = {
        "y'Mx": (lambda x: y @ M @ x, lambda x: M.T @ y, lambda x: M @ y),
        "x'Mx": (lambda x: x @ M @ x, lambda x: (M + M.T) @ x, lambda x: 2 * M @ x),
        "x'x": (lambda x: x @ x, lambda x: 2 * x, lambda x: x),
        "Mx": (lambda x: M @ x, lambda x: M, lambda x: M.T),
    }
    for name, (form, gradient, other) in forms.items():
        assert check_gradient(form, gradient, x), name
        assert not check_gradient(form, other, x), name
