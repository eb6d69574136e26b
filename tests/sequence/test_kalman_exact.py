"""Filters and smoothers against hundreds of digits: singular noise, sensors that repeat each other, gaps, diffuse starts."""

import numpy as np
import pytest
from mpmath import mp
from numpy.testing import assert_allclose
from reference.sequence.kalman_exact import DIGITS, exact_states

from novum.sequence import LinearDynamicalSystem, kalman_filter, kalman_smoother

FORMS = ("covariance", "square_root")


def binary(array, bits=12):
    """Return numbers whose products are exact in a few more bits, so that zeros of the mathematics are zeros of the data."""
    return np.round(np.asarray(array, float) * 2**bits) / 2**bits


def random_case(seed):
    """Return a system, a series drawn from it and its diffuse states."""
    rng = np.random.default_rng(seed)
    s, p, n = int(rng.integers(1, 4)), int(rng.integers(1, 4)), int(rng.integers(4, 9))
    A = rng.normal(size=(s, s))
    A = binary(A * rng.choice([0.4, 0.9, 1.2]) / np.abs(np.linalg.eigvals(A)).max())
    kind = seed % 4
    if kind == 1:
        A = np.eye(s) + np.diag(np.full(s - 1, rng.choice([1.0, 0.125])), 1)
    if kind == 2:
        A = np.diag(rng.choice([1.0, 0.5, 0.25, 0.125], size=s))
    C = rng.integers(-2, 3, size=(p, s)).astype(float)
    if p > 1:
        C[1] = C[0]  # two cells see the same

    def covariance(k, rank, scale=1.0):
        B = rng.integers(-2, 3, size=(k, rank)).astype(float)
        return scale * B @ B.T

    Q = [np.zeros((s, s)), covariance(s, 1), np.eye(s), covariance(s, s, 2.0**-20)][int(rng.integers(4))]
    R = [np.eye(p), covariance(p, p) + 0.25 * np.eye(p), np.diag(4.0 ** rng.integers(-4, 5, size=p))][
        int(rng.integers(3))
    ]
    V = [np.eye(s), covariance(s, 1), 64 * np.eye(s)][int(rng.integers(3))]
    diffuse = [(), tuple(range(s)), tuple(range(0, s, 2))][int(rng.integers(3))]
    for j in diffuse:
        V[j] = V[:, j] = 0
    X = rng.normal(size=(n, p)) * 3
    if rng.random() < 0.6:
        X[rng.random(X.shape) < 0.3] = np.nan
    if rng.random() < 0.4:
        X[: int(rng.integers(1, 3))] = np.nan
    system = {"transition": A, "transition_covariance": Q, "observation": C, "observation_covariance": R}
    return {**system, "initial_mean": binary(rng.normal(size=s)), "initial_covariance": V}, X, diffuse


def with_start(system, diffuse):
    """Return the system as a user gives it: infinite variances on the diagonal."""
    V = np.array(system["initial_covariance"], float)
    V[list(diffuse), list(diffuse)] = np.inf
    return {**system, "initial_covariance": V}


def check(found, right, tolerance=1e-9):
    """Compare all that a smoother answers; means where the state is known at all."""
    assert found.log_likelihood == pytest.approx(right["log_likelihood"], rel=tolerance, abs=tolerance)
    pairs = [
        (found.filtered.means, found.filtered.covariances, right["filtered_means"], right["filtered_covariances"]),
        (found.means, found.covariances, right["means"], right["covariances"]),
    ]
    for mean, V, right_mean, right_V in pairs:
        known = np.isfinite(np.diagonal(right_V, axis1=1, axis2=2))
        size = max(1.0, np.abs(right_mean[known]).max(initial=0.0))
        assert_allclose(mean[known], right_mean[known], rtol=0, atol=tolerance * size)
        finite = np.isfinite(right_V)
        assert_allclose(V, right_V, rtol=0, atol=tolerance * max(1.0, np.abs(right_V[finite]).max(initial=0.0)))
    finite = np.isfinite(right["lag_one"])
    size = max(1.0, np.abs(right["lag_one"][finite]).max(initial=0.0))
    assert_allclose(found.lag_one_covariances, right["lag_one"], rtol=0, atol=tolerance * size)


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_random_systems(first):
    with mp.workdps(DIGITS):
        for seed in range(first, first + 20):
            system, X, diffuse = random_case(seed)
            right = exact_states(system, X, diffuse)
            for form in FORMS:
                check(kalman_smoother(X, **with_start(system, diffuse), form=form), right)


def test_stable_systems_without_state_noise():
    """What is inverted nowhere cannot be singular: every state is a function of the first, and decays."""
    with mp.workdps(60):
        for seed in range(4):
            rng = np.random.default_rng(seed)
            s = int(rng.integers(2, 4))
            A = rng.normal(size=(s, s))
            A = binary(0.4 * A / np.abs(np.linalg.eigvals(A)).max())
            system = {
                "transition": A,
                "transition_covariance": np.zeros((s, s)),
                "observation": np.ones((1, s)),
                "observation_covariance": np.eye(1),
                "initial_mean": np.zeros(s),
                "initial_covariance": np.eye(s),
            }
            X = np.ones((14, 1))
            right = exact_states(system, X)
            for form in FORMS:
                check(kalman_smoother(X, **system, form=form), right, 1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_the_same_sensor_twice_tells_what_its_mean_does(form):
    """Two cells with variances r each are one cell with r / 2, whatever the start and the gaps."""
    rng = np.random.default_rng(0)
    for model in (
        LinearDynamicalSystem.tracking(
            1, motion="constant_acceleration", step=0.1, process_variance=1.0, observation_variance=1.0
        ),
        LinearDynamicalSystem.local_linear_trend(level_variance=0.5, slope_variance=0.1, observation_variance=1.0),
    ):
        A, Q, C = model.transition, model.transition_covariance, np.asarray(model.observation)
        X = np.repeat(rng.normal(size=(40, 1)).cumsum(axis=0), 2, axis=1) + rng.normal(size=(40, 2))
        X[[0, 7, 8]] = np.nan
        twice = kalman_smoother(X, A, np.vstack([C, C]), Q, np.eye(2), form=form)
        once = kalman_smoother(X.mean(axis=1), A, C, Q, 0.5, form=form)
        assert_allclose(twice.means, once.means, rtol=1e-8, atol=1e-8)
        assert_allclose(twice.covariances, once.covariances, rtol=1e-8, atol=1e-8)
        apart = np.nansum((X[:, 0] - X[:, 1]) ** 2) / 4 + 37 * (
            np.log(2 * np.pi * 2) / 2
        )  # the difference of both, N(0, 2)
        assert twice.log_likelihood == pytest.approx(once.log_likelihood - apart, rel=1e-9)


def test_a_diffuse_direction_that_decays_through_a_gap_is_still_told():
    """Thirty rows unseen: one of two states is 0.3^30 of what it was, and the limit is as exact as without the gap."""
    A = np.diag([1.0, 0.3125])
    system = {
        "transition": A,
        "transition_covariance": np.diag([0.5, 0.25]),
        "observation": np.array([[1.0, 1.0]]),
        "observation_covariance": np.eye(1),
        "initial_mean": np.zeros(2),
        "initial_covariance": np.zeros((2, 2)),
    }
    X = np.random.default_rng(3).normal(size=(38, 1)).cumsum(axis=0)
    X[1:31] = np.nan
    with mp.workdps(DIGITS):
        right = exact_states(system, X[:, :], (0, 1))
    for form in FORMS:
        found = kalman_filter(X, **with_start(system, (0, 1)), form=form)
        assert found.log_likelihood == pytest.approx(right["log_likelihood"], rel=1e-10)
        assert_allclose(found.means[31:], right["filtered_means"][31:], rtol=0, atol=1e-7)
