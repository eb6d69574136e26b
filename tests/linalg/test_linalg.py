"""Spans, coordinates, eigenpairs by deflation, definiteness, roots, gradients and covariances, with their certificates."""

import numpy as np
import pytest
from artists import arrows, canvas, curves
from hypothesis import given, settings
from hypothesis import strategies as st

from novum.exceptions import DataError, ParameterError
from novum.linalg import check_gradient, correlation, covariance, is_psd, square_root
from novum.report.numbers import num
from novum.teaching import (
    are_independent,
    change_of_basis,
    coordinates,
    eigen_by_deflation,
    in_span,
    matrix_of_map,
    orthonormal_extension,
    rayleigh_quotient,
)

EPS = np.finfo(float).eps


@pytest.mark.notes("000-a", "span-membership")
def test_membership_with_its_certificate():
    vectors = np.array([[1.0, 0, 1], [0, 1, 1]])
    found = in_span([2, 3, 5], vectors)
    assert found and found.dimension == 2 and np.allclose(found.coefficients, [2, 3])
    outside = in_span([0, 0, 3], vectors)
    assert not outside and np.allclose(vectors @ outside.residual, 0, atol=1e-15)
    rng = np.random.default_rng(6)
    for size in (1e-9, 1.0, 1e9):  # neither units nor numbers decide
        many = size * rng.normal(size=(3, 40))
        inside = in_span([2.0, -1.0, 0.5] @ many, many)
        assert inside and np.allclose(inside.coefficients, [2, -1, 0.5], rtol=1e-10)
        assert not in_span([2.0, -1.0, 0.5] @ many + 1e-9 * size, many)
    assert in_span([0, 0, 0], vectors) and in_span([0, 0], [[0, 0]]) and in_span([1, 0], [[0, 0]]).dimension == 0
    repeated = in_span([2, 2], [[1, 1], [1, 1], [3, 3]])
    assert repeated.dimension == 1 and np.allclose(repeated.coefficients @ [[1, 1], [1, 1], [3, 3]], [2, 2])
    with pytest.raises(DataError, match="vector has 3 entries and those of vectors 2"):
        in_span([1, 2, 3], [[1, 2]])


@pytest.mark.notes("000-a", "linear-independence")
def test_independence_does_not_depend_on_units():
    assert are_independent([[1, 0], [0, 1e-20]]) and are_independent([[1e200, 0], [0, 1e-200]])
    dependent = are_independent([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    assert dependent.rank == 2 and np.allclose(
        dependent.coefficients @ [[1, 2, 3], [4, 5, 6], [7, 8, 9]], 0, atol=1e-13
    )
    assert np.abs(dependent.coefficients).max() == pytest.approx(1)
    too_many = are_independent([[1, 0], [0, 1], [1, 1]])
    assert too_many.rank == 2 and np.allclose(too_many.coefficients @ [[1, 0], [0, 1], [1, 1]], 0, atol=1e-15)
    assert not are_independent([[0, 0]]) and are_independent([[0.1, 0.2], [0.3, 0.6000001]])
    assert not are_independent([[0.1, 0.2], [0.3, 0.6000001]], tol=1e-6)


@given(seed=st.integers(0, 10_000), k=st.integers(1, 5), n=st.integers(1, 6), scale=st.floats(0, 8))
@settings(max_examples=40, deadline=None)
def test_a_combination_is_found_again(seed, k, n, scale):
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(k, n)) * 10.0 ** rng.uniform(-scale, scale, size=(k, 1))
    combined = rng.normal(size=k) @ vectors
    found = in_span(combined, vectors)
    size = np.linalg.norm(combined) + np.abs(found.coefficients) @ np.linalg.norm(vectors, axis=1)
    assert found and np.linalg.norm(found.coefficients @ vectors - combined) <= 16 * max(k, n) * EPS * size
    if k > n:
        assert np.abs(are_independent(vectors).coefficients).max() == pytest.approx(1)


@pytest.mark.notes("000-a", "span-membership")
@pytest.mark.notes("000-a", "basis-coordinates")
def test_coordinates():
    basis = [[3, 1], [-2, 1]]
    assert np.allclose(coordinates([[5, 5], [1, 2]], basis), [[3, 2], [1, 1]], rtol=1e-15)
    plane = [[1, 0, 1], [0, 1, 1]]  # of a subspace
    assert np.allclose(coordinates([2, 3, 5], plane), [2, 3])
    rng = np.random.default_rng(9)
    for size in (1e-7, 1e7):
        frame, c = size * rng.normal(size=(3, 3)), rng.normal(size=(4, 3))
        assert np.allclose(coordinates(c @ frame, frame), c, rtol=1e-9)
    with pytest.raises(DataError, match="outside the span of the basis"):
        coordinates([0, 0, 1], plane)
    with pytest.raises(DataError, match=r"2 vectors of rank 1.*c = \[ 1.  -0.5\]. Leave a vector out"):
        coordinates([1, 1], [[1, 1], [2, 2]])


@pytest.mark.notes("000-a", "linear-map-matrix")
def test_matrix_of_a_map_in_two_bases():
    A = np.array([[2, -1, 0, 1], [0, 1, -2, 1], [1, 1, -2, 0]])
    B = [[1, 0, 0, 0], [0, 1, -1, 0], [0, 0, 0, 1], [0, 1, 1, 1]]
    C = [[1, 1, 1], [1, 1, 0], [1, 0, 0]]
    wanted = [[1, 3, 0, -1], [-1, 0, 1, 1], [2, -4, 0, 0]]  # the notes print +4
    assert np.allclose(matrix_of_map(A, B, C), wanted, atol=1e-14)
    assert np.allclose(matrix_of_map(lambda x: A @ x, B, C), wanted, atol=1e-14)
    x = coordinates([1, 2, 3, 4], B)
    assert np.allclose(x, [1, -0.5, 1.5, 2.5]) and np.allclose(np.array(C).T @ wanted @ x, [4, 0, -3])
    rng = np.random.default_rng(3)
    A, B, C = (size * rng.normal(size=(3, 3)) for size in (1.0, 1e-6, 1e5))
    assert np.allclose(matrix_of_map(A, B, C), np.linalg.inv(C.T) @ A @ B.T, rtol=1e-9)
    for bent in (lambda x: x + 1, lambda x: x * x, lambda x: np.abs(x - 0.25)):
        with pytest.raises(DataError, match="map is not linear"):
            matrix_of_map(bent, np.eye(3), np.eye(3))


@pytest.mark.notes("000-a", "transition-matrix")
def test_change_of_basis_names_its_direction():
    standard, new = np.eye(2), [[3, 1], [-2, 1]]
    P = change_of_basis(standard, new)
    assert np.allclose(P, np.array([[1, 2], [-1, 3]]) / 5) and np.allclose(P @ [5, 5], [3, 2])
    assert np.allclose(change_of_basis(new, standard) @ P, np.eye(2))
    rng = np.random.default_rng(8)
    old, other, x = rng.normal(size=(3, 3)), rng.normal(size=(3, 3)), rng.normal(size=3)
    moved = change_of_basis(old, other) @ x  # x as coordinates in the old basis
    assert np.allclose(moved @ other, x @ old)
    with pytest.raises(DataError, match="must be bases of the same space"):
        change_of_basis([[1, 0]], new)
    with pytest.raises(DataError, match="outside the span"):
        change_of_basis([[0, 0, 1]], [[1, 0, 0]])


@pytest.mark.notes("000-a", "rayleigh-quotient")
def test_rayleigh_quotient():
    A = np.array([[2.0, 1], [1, 2]])
    assert rayleigh_quotient(A, [1, 2]) == pytest.approx(2.8, rel=1e-15)
    assert rayleigh_quotient(A, [1e200, 2e200]) == pytest.approx(2.8, rel=1e-15)
    values = rayleigh_quotient(A, np.random.default_rng(0).normal(size=(200, 2)))
    assert values.min() >= 1 - 1e-15 and values.max() <= 3 + 1e-15
    B, v = np.array([[4.0, -1, 2], [-1, 0, 0.5], [2, 0.5, -3]]), np.array([[1.0, -2, 0.5], [0.3, 0.1, 2]])
    assert np.allclose(rayleigh_quotient(B, v), [(x @ B @ x) / (x @ x) for x in v], rtol=1e-14)
    with pytest.raises(DataError, match="vector 1 is zero"):
        rayleigh_quotient(A, [[1, 1], [0, 0]])


@pytest.mark.notes("000-a", "eig-deflation")
@pytest.mark.notes("000-a", "diagonalisation")
def test_deflation_on_the_catalogued_matrices():
    pairs = eigen_by_deflation([[0, 2], [2, 3]])
    assert np.allclose(pairs.values, [4, -1]) and np.allclose(pairs.vectors[:, 1], np.array([2, -1]) / 5**0.5)
    wide = eigen_by_deflation([[0, 2, 0], [2, 3, 0], [0, 0, 0]])
    assert np.allclose(wide.values, [4, 0, -1]) and np.allclose(np.abs(wide.vectors[:, 1]), [0, 0, 1])
    assert np.allclose(wide.matrix(), [[0, 2, 0], [2, 3, 0], [0, 0, 0]], atol=1e-14)
    assert eigen_by_deflation(np.zeros((2, 2))).values.tolist() == [0, 0]
    assert eigen_by_deflation(np.eye(3) * 7).values.tolist() == pytest.approx([7, 7, 7])
    Q = np.linalg.qr(np.random.default_rng(2).normal(size=(5, 5)))[0]
    graded = eigen_by_deflation(Q * [1.0, 1e-3, 1e-6, 1e-9, 1e-11] @ Q.T)  # no vector leans on one found before
    assert np.allclose(graded.vectors.T @ graded.vectors, np.eye(5), rtol=0, atol=4e-16 * 5)


@pytest.mark.parametrize("scale", [1e-310, 1e-170, 1e155, 1e300])
def test_deflation_does_not_depend_on_the_scale(scale):
    A = np.array([[0.0, 2.0, 1.0], [2.0, 3.0, 0.0], [1.0, 0.0, -5.0]])
    pairs = eigen_by_deflation(A * scale)
    np.testing.assert_allclose(pairs.values / scale, np.linalg.eigvalsh(A)[::-1], rtol=1e-12)
    assert pairs.residual < 1e-14


def test_deflation_refuses_an_eigenvalue_beyond_the_floats():
    with pytest.raises(
        DataError, match=r"eigen_by_deflation: an eigenvalue of A is .* above the largest float64; divide"
    ):
        eigen_by_deflation(np.full((2, 2), 1.7e308))


@pytest.mark.notes("000-a", "eigen-pairs")
@pytest.mark.notes("003", "eigen")
@pytest.mark.notes("000-a", "symmetric-eig-orthogonality")
@pytest.mark.parametrize(
    "values",
    [
        [5.0, 3, 1, -2, -4],
        [2.0, 2, 2, -1, -1],
        [1.0, 1 - 1e-9, 0.5, 1e-7, -1e-7],
        [1e-3, 1e3, -1e3, 0, 0],
        [1.0, 1e-5, 1e-10, 0, 0],
    ],
)
def test_deflation_against_a_known_spectrum(values):
    rng = np.random.default_rng(1)
    Q = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    A = (Q * values) @ Q.T
    pairs = eigen_by_deflation((A + A.T) / 2)
    size = np.abs(values).max()
    assert np.allclose(pairs.values, sorted(values, reverse=True), atol=40 * EPS * size)
    assert np.allclose(pairs.vectors.T @ pairs.vectors, np.eye(5), atol=20 * EPS) and pairs.residual < 40 * EPS


@pytest.mark.notes("000-a", "orthonormal-extension")
def test_extension_to_a_basis():
    rng = np.random.default_rng(2)
    Q = np.linalg.qr(rng.normal(size=(6, 6)))[0][:2]
    whole = np.vstack([Q, orthonormal_extension(Q)])
    assert np.allclose(whole @ whole.T, np.eye(6), atol=1e-14)
    assert orthonormal_extension(np.eye(3)).shape == (0, 3)
    with pytest.raises(DataError, match=r"<v_0, v_0> = 4 and should be 1"):
        orthonormal_extension([[2, 0]])
    with pytest.raises(DataError, match=r"<v_0, v_1> = \.6 and should be 0"):
        orthonormal_extension([[1, 0], [0.6, 0.8]])


@pytest.mark.notes("000-a", "psd-test")
@pytest.mark.notes("003", "definiteness")
@pytest.mark.notes("000-c", "psd-check")
def test_definiteness_and_its_witness():
    strict = is_psd([[2, 1], [1, 2]])
    assert strict and strict.strict and strict.witness is None and strict.smallest_eigenvalue == pytest.approx(1)
    match = np.array([[1.0, 0, 1], [0, 1, 0], [1, 0, 1]])
    semi = is_psd(match)
    assert semi and not semi.strict and np.abs(match @ semi.witness).max() < 1e-15
    worse = is_psd(1 - match)
    assert not worse and worse.witness @ (1 - match) @ worse.witness == pytest.approx(-(2**0.5))
    X = np.random.default_rng(0).normal(size=(3, 8))
    for size in (1e-12, 1.0, 1e12):  # rounding is judged beside the largest eigenvalue
        assert is_psd(size * X.T @ X).verdict == "positive semi-definite"
        assert is_psd(size * np.array([[0.5, 0.2], [0.2, 0.5]])).smallest_eigenvalue == pytest.approx(0.3 * size)
        assert is_psd(size * np.diag([1, 1e-9])).strict and not is_psd(size * np.diag([1, -1e-9]))
    assert is_psd(np.diag([1, -1e-6]), tol=1e-5) and not is_psd(np.diag([1, -1e-6]))
    with pytest.raises(DataError, match=r"not symmetric: A\[0, 1\] = 1 and A\[1, 0\] = 2.*pass \(A \+ A.T\) / 2"):
        is_psd([[1, 1], [2, 1]])
    with pytest.raises(DataError, match=r"A\[0, 1\] is nan"):
        is_psd([[1, np.nan], [np.nan, 1]])
    with pytest.raises(DataError, match="must be square"):
        is_psd([[1, 2, 3]])


@pytest.mark.notes("000-a", "psd-test")
def test_square_roots():
    M = np.array([[2.0, 1], [1, 2]])
    B = square_root(M)
    assert np.allclose(B @ B, M) and np.array_equal(B, B.T)
    F = square_root(M, form="factor")
    assert np.allclose(F.T @ F, M) and np.allclose(np.linalg.norm(F, axis=1), [1, 3**0.5])
    X = np.random.default_rng(0).normal(size=(2, 5))
    assert square_root(X.T @ X, form="factor").shape == (2, 5)
    with pytest.raises(DataError, match="no real square root"):
        square_root([[0, 1], [1, 0]])
    with pytest.raises(ParameterError, match="form must be one of 'symmetric', 'factor'"):
        square_root(M, form="lower")


@pytest.mark.notes("000-a", "eigenbasis-scaling")
def test_a_symmetric_map_scales_its_eigenbasis():
    rng = np.random.default_rng(7)
    for A in (np.array([[2.0, 1], [1, 2]]), np.array([[3.0, -1.2], [-1.2, 0.4]]), (B := rng.normal(size=(4, 4))) + B.T):
        pairs = eigen_by_deflation(A)
        n = len(A)
        v = rng.normal(size=n)
        inside = change_of_basis(np.eye(n), pairs.vectors.T) @ v
        assert np.allclose(pairs.vectors @ inside, v, rtol=1e-12)  # the same vector in the other frame
        back = change_of_basis(pairs.vectors.T, np.eye(n)) @ (pairs.values * inside)
        assert np.allclose(back, A @ v, rtol=1e-9, atol=1e-9)
    A = np.array([[3.0, -1.2], [-1.2, 0.4]])
    values, vectors = np.linalg.eigh(A)
    axes = eigen_by_deflation(A).plot(canvas())
    drawn = curves(axes)
    circle, ellipse = drawn.pop("unit vectors"), drawn.pop("their images")
    assert (np.ptp(circle, axis=0) > 1.999).all() and np.allclose(circle[0], circle[-1])  # once around
    assert np.allclose(np.linalg.norm(circle, axis=1), 1) and np.allclose(ellipse, circle @ A)
    order = np.argsort(-np.abs(values))
    assert list(drawn) == [f"scaled by {num(values[k]):.3g}" for k in order]
    for k, line, (tail, head) in zip(order, drawn.values(), arrows(axes)):
        assert np.allclose(tail, 0) and np.isclose(abs(head @ vectors[:, k]), 1)  # a unit eigenvector
        assert np.allclose(line, [[0, 0], A @ head])  # and its image, on the same line
    with pytest.raises(DataError, match="2 x 2"):
        eigen_by_deflation(np.eye(3)).plot()


@pytest.mark.notes("000-a", "matrix-derivatives")
def test_gradient_check():
    rng = np.random.default_rng(4)
    M, y, x = rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal(size=3)
    for function, gradient in [
        (lambda x: M @ x, lambda x: M),
        (lambda x: y @ M @ x, lambda x: M.T @ y),
        (lambda x: x @ M @ x, lambda x: (M + M.T) @ x),
        (lambda x: x @ x, lambda x: 2 * x),
        (lambda x: np.sin(x).sum(), np.cos),
    ]:
        assert check_gradient(function, gradient, x).error < 1e-11
    wrong = check_gradient(lambda x: x @ x, lambda x: 2 * x + [0, 1e-6, 0], x)
    assert not wrong and wrong.place == (1,) and "differs from" in repr(wrong)
    matrix = rng.normal(size=(2, 2)) + 3 * np.eye(2)
    assert check_gradient(lambda M: np.linalg.slogdet(M)[1], lambda M: np.linalg.inv(M).T, matrix)
    with pytest.raises(DataError, match=r"gradient has shape \(2,\)"):
        check_gradient(lambda x: x @ x, lambda x: x[:2], x)
    with pytest.raises(DataError, match="not finite near x"):
        check_gradient(lambda x: np.where(x > 0, 1.0, np.nan).sum(), lambda x: x, [0.0])


@pytest.mark.notes("000-a", "data-covariance")
@pytest.mark.notes("003", "covariance-matrix")
@pytest.mark.notes("004", "covariance")
def test_covariance_and_correlation():
    X = np.column_stack([[1, 2, 3, 4], [2, 1, 4, 3]])
    assert covariance(X)[0, 1] == 0.75 and covariance(X, correction=1)[0, 1] == 1.0
    rng = np.random.default_rng(5)
    Y, weight = rng.normal(size=(30, 3)) * [1, 10, 0.1], rng.integers(0, 4, size=30)
    assert np.allclose(covariance(Y, correction=1), np.cov(Y.T), rtol=1e-13)
    assert np.allclose(covariance(Y, correction=1, sample_weight=weight), np.cov(Y.T, fweights=weight), rtol=1e-13)
    assert np.allclose(correlation(Y), np.corrcoef(Y.T), rtol=1e-13)
    center = np.average(Y, axis=0, weights=weight)
    assert np.allclose(
        covariance(Y, sample_weight=weight), ((Y - center).T * weight) @ (Y - center) / weight.sum(), rtol=1e-12
    )
    assert np.allclose(covariance(X + 1e9), covariance(X), rtol=1e-12)
    with pytest.raises(DataError, match="column 1 is constant"):
        correlation([[1, 2], [2, 2]])
    with pytest.raises(DataError, match="correction=1"):
        covariance([[1.0, 2.0]], correction=1)
