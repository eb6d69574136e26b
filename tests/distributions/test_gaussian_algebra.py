"""Gaussian algebra against the formulas with inverses, over batches, and where the plain formulas lose."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from novum.distributions.gaussian import algebra as algebra
from novum.distributions.gaussian import information as info
from novum.exceptions import DataError


def gaussian(rng, d, batch=()):
    root = rng.normal(size=(*batch, d, d + 2))
    return rng.normal(size=(*batch, d)), root @ np.swapaxes(root, -1, -2)


@pytest.mark.notes("002", "gauss-marginal-conditional")
def test_marginal_and_conditional():
    mean, cov = algebra.condition([1, 2], [[2, 0.8], [0.8, 1]], 1, [3])
    assert mean == pytest.approx([1.8]) and cov == pytest.approx(np.array([[1.36]]))
    rng = np.random.default_rng(0)
    m, S = gaussian(rng, 5)
    kept = algebra.marginal(m, S, [3, 0])
    assert np.array_equal(kept.mean, m[[3, 0]]) and np.array_equal(kept.cov, S[np.ix_([3, 0], [3, 0])])
    a, b, x = [0, 2, 4], [1, 3], rng.normal(size=(7, 2))
    found = algebra.condition(m, S, b, x)
    gain = S[np.ix_(a, b)] @ np.linalg.inv(S[np.ix_(b, b)])
    assert np.allclose(found.mean, m[a] + (x - m[b]) @ gain.T, rtol=1e-12) and found.mean.shape == (7, 3)
    assert np.allclose(found.cov, S[np.ix_(a, a)] - gain @ S[np.ix_(b, a)], rtol=1e-11) and found.cov.shape == (3, 3)
    # p(a, b) = p(b) p(a | b)
    whole = np.empty((7, 5))
    whole[:, a], whole[:, b] = rng.normal(size=(7, 3)), x
    parts = algebra.log_density(x, *algebra.marginal(m, S, b)) + algebra.log_density(whole[:, a], *found)
    assert np.allclose(algebra.log_density(whole, m, S), parts, rtol=1e-12)
    assert np.allclose(parts, multivariate_normal(m, S).logpdf(whole), rtol=1e-12)
    assert algebra.marginal(m, S, np.array([True, False, False, True, False])).mean.shape == (2,)
    assert algebra.marginal(m, S, slice(1, None)).mean.shape == (4,)


@pytest.mark.notes("002", "gauss-sum-affine")
def test_affine_maps_and_sums():
    rng = np.random.default_rng(1)
    (m, S), A, b = gaussian(rng, 3), rng.normal(size=(2, 3)), rng.normal(size=2)
    found = algebra.affine(m, S, A, b)
    assert np.allclose(found.mean, A @ m + b) and np.allclose(found.cov, A @ S @ A.T)
    n, T = gaussian(rng, 3)
    total = algebra.affine(m, S, np.eye(3), n, T)
    assert np.allclose(total.mean, m + n) and np.allclose(total.cov, S + T)
    assert np.array_equal(found.cov, found.cov.T)


@pytest.mark.notes("002", "gauss-product")
def test_product_of_densities():
    mean, cov, log_constant = algebra.product([1], [[2]], [3], [[0.5]])
    assert mean == pytest.approx([2.6]) and cov.item() == pytest.approx(0.4)
    assert log_constant == pytest.approx(-0.5 * np.log(2 * np.pi * 2.5) - 4 / 5)
    rng = np.random.default_rng(2)
    (m, S), (n, T), x = gaussian(rng, 4), gaussian(rng, 4), rng.normal(size=(6, 4))
    c, C, k = algebra.product(m, S, n, T)
    left = algebra.log_density(x, m, S) + algebra.log_density(x, n, T)
    assert np.allclose(left, k + algebra.log_density(x, c, C), rtol=1e-10)
    flat = algebra.product(m, S, n, np.zeros((4, 4)))  # certain knowledge wins
    assert np.allclose(flat.mean, n) and np.allclose(flat.cov, 0, atol=1e-12)


@pytest.mark.notes("002", "linear-gaussian")
def test_linear_gaussian():
    found = algebra.linear_gaussian([0.5], [[0.5]], [[3]], [[0.25]], [2], [1])
    assert found.marginal.mean == pytest.approx([2.5]) and found.marginal.cov.item() == pytest.approx(4.75)
    assert found.posterior.mean.item() == pytest.approx(0.342105, abs=5e-7)
    assert found.posterior.cov.item() == pytest.approx(0.026316, abs=5e-7)
    rng = np.random.default_rng(3)
    (m, S), R, A = gaussian(rng, 4), gaussian(rng, 3)[1], rng.normal(size=(3, 4))
    b, y = rng.normal(size=3), rng.normal(size=(5, 3))
    found = algebra.linear_gaussian(m, S, A, R, y, b)
    P = np.linalg.inv(np.linalg.inv(S) + A.T @ np.linalg.inv(R) @ A)
    wanted = (P @ (A.T @ np.linalg.inv(R) @ (y - b).T + (np.linalg.inv(S) @ m)[:, None])).T
    assert np.allclose(found.posterior.cov, P, rtol=1e-9) and np.allclose(found.posterior.mean, wanted, rtol=1e-9)
    assert np.allclose(found.log_evidence, multivariate_normal(A @ m + b, A @ S @ A.T + R).logpdf(y), rtol=1e-12)
    joint_mean = np.concatenate([m, A @ m + b])  # the same by conditioning the joint
    joint_cov = np.block([[S, S @ A.T], [A @ S, A @ S @ A.T + R]])
    by_joint = algebra.condition(joint_mean, joint_cov, [4, 5, 6], y)
    assert np.allclose(by_joint.mean, found.posterior.mean, rtol=1e-10)


@pytest.mark.notes("002", "gauss-sum-affine")
@pytest.mark.notes("002", "linear-gaussian")
@pytest.mark.notes("002", "gauss-product")
@pytest.mark.notes("002", "gauss-marginal-conditional")
@pytest.mark.parametrize("batch", [(), (4,), (2, 3)])
def test_batches_are_their_members(batch):
    rng = np.random.default_rng(4)
    m, S = gaussian(rng, 3, batch)
    n, T = gaussian(rng, 3, batch)
    A, y = rng.normal(size=(*batch, 2, 3)), rng.normal(size=(*batch, 2))
    R = gaussian(rng, 2, batch)[1]
    x = rng.normal(size=(*batch, 1))
    every = {
        "condition": (algebra.condition(m, S, [1], x), lambda i: algebra.condition(m[i], S[i], [1], x[i])),
        "product": (algebra.product(m, S, n, T), lambda i: algebra.product(m[i], S[i], n[i], T[i])),
        "linear": (
            algebra.linear_gaussian(m, S, A, R, y).posterior,
            lambda i: algebra.linear_gaussian(m[i], S[i], A[i], R[i], y[i]).posterior,
        ),
        "form": (info.information_form(m, S), lambda i: info.information_form(m[i], S[i])),
        "marginal": (info.information_marginal(n, T, [0, 2]), lambda i: info.information_marginal(n[i], T[i], [0, 2])),
        "update": (
            info.information_update(n, T, A, R, y),
            lambda i: info.information_update(n[i], T[i], A[i], R[i], y[i]),
        ),
    }
    for name, (whole, one) in every.items():
        for index in np.ndindex(*batch):
            for got, want in zip(whole, one(index)):
                assert np.allclose(got[index], want, rtol=1e-10, atol=1e-12), name


@pytest.mark.notes("002", "linear-gaussian")
def test_information_form_is_the_same_algebra():
    rng = np.random.default_rng(5)
    (m, S), (n, T) = gaussian(rng, 4), gaussian(rng, 4)
    first, second = info.information_form(m, S), info.information_form(n, T)
    back = info.mean_and_covariance(*first)
    assert np.allclose(back.mean, m, rtol=1e-10) and np.allclose(back.cov, S, rtol=1e-10)
    both = info.mean_and_covariance(*info.information_product(first, second))
    c, C, _ = algebra.product(m, S, n, T)
    assert np.allclose(both.mean, c, rtol=1e-9) and np.allclose(both.cov, C, rtol=1e-9)
    for mine, theirs in (
        (info.information_marginal(*first, [0, 2]), algebra.marginal(m, S, [0, 2])),
        (info.information_condition(*first, [0, 2], [0.3, -1]), algebra.condition(m, S, [0, 2], [0.3, -1])),
    ):
        found = info.mean_and_covariance(*mine)
        assert np.allclose(found.mean, theirs.mean, rtol=1e-9) and np.allclose(found.cov, theirs.cov, rtol=1e-9)
    A, R, y, b = rng.normal(size=(2, 4)), gaussian(rng, 2)[1], rng.normal(size=2), rng.normal(size=2)
    seen = info.mean_and_covariance(*info.information_update(*first, A, R, y, b))
    wanted = algebra.linear_gaussian(m, S, A, R, y, b).posterior
    assert np.allclose(seen.mean, wanted.mean, rtol=1e-9) and np.allclose(seen.cov, wanted.cov, rtol=1e-9)
    flat = info.information_update(np.zeros(2), np.zeros((2, 2)), np.eye(2), np.eye(2), [1.0, 2.0])  # no prior at all
    assert np.allclose(info.mean_and_covariance(*flat).mean, [1, 2])


def test_covariances_stay_positive_where_the_short_formula_does_not():
    A, S, R = np.array([[1.0, 1.0, 1.0]]), np.diag([1e8, 1.0, 1e-8]), np.array([[1e-10]])
    mean, cov = np.zeros(3), S
    for _ in range(50):  # a Kalman filter that sees the same sum with hardly any noise
        mean, cov = algebra.linear_gaussian(mean, cov, A, R, [1.0]).posterior
        assert np.array_equal(cov, cov.T)
        assert np.linalg.eigvalsh(cov).min() >= -1e-14 * np.abs(cov).max()
    assert A @ mean == pytest.approx([1.0], abs=1e-9)


@pytest.mark.notes("002", "gauss-product")
def test_errors():
    with pytest.raises(DataError, match="the covariance of the observed coordinates is not positive definite"):
        algebra.condition([0, 0, 0], np.diag([1.0, 0, 1]), 1, [0.0])
    with pytest.raises(DataError, match="value has 2 entries for 1 observed"):
        algebra.condition([0, 0], np.eye(2), 1, [0.0, 1.0])
    for which in (2, [0, 0], [0.5], [True]):
        with pytest.raises(DataError, match=r"are not among the 2|named twice"):
            algebra.marginal([0, 0], np.eye(2), which)
