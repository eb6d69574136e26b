"""Filters and smoothers against hundreds of digits: singular noise, sensors that repeat each other, gaps, diffuse starts."""

import warnings

import numpy as np
import pytest
from mpmath import mp
from numpy.testing import assert_allclose
from reference.sequence.kalman_exact import DIGITS, exact_states

from novum.exceptions import DataWarning
from novum.sequence import LinearDynamicalSystem, kalman_filter, kalman_smoother

FORMS = ("covariance", "square_root")


def binary(array, bits=12):
    """Return numbers whose products are exact in a few more bits, so that zeros of the mathematics are zeros of the data."""
    return np.round(np.asarray(array, float) * 2**bits) / 2**bits


def covariance_of(rng, k, rank, scale=1.0):
    """Return B B' of a few integers: singular to the bit where its rank is."""
    B = rng.integers(-2, 3, size=(k, rank)).astype(float)
    return scale * B @ B.T


def transition_of(rng, s):
    """Return a transition that forgets, keeps or blows up, is singular, or moves along a chain."""
    kind = rng.choice(["stable", "unstable", "shift", "singular", "decay"])
    if kind == "shift":
        return np.eye(s) + np.diag(np.full(s - 1, rng.choice([1.0, 0.125])), 1)
    if kind == "decay":
        return np.diag(rng.choice([1.0, 0.875, 0.5, 0.25, 0.125], size=s))
    A = rng.normal(size=(s, s))
    A *= (1.25 if kind == "unstable" else 0.8) / np.abs(np.linalg.eigvals(A)).max()
    A = binary(A)
    if kind == "singular":
        A[:, -1] = A[:, 0]
    return A


def drawn_rows(rng, system, diffuse, n):
    """Return rows of the system: what has no noise agrees, to rounding."""

    def noise(covariance):
        values, vectors = np.linalg.eigh(covariance)
        return vectors @ (np.sqrt(np.where(values > 1e-9, values, 0.0)) * rng.normal(size=len(values)))

    A, C = system["transition"], system["observation"]
    z = system["initial_mean"] + noise(system["initial_covariance"])
    z[list(diffuse)] = 3 * rng.normal(size=len(diffuse))
    X = np.empty((n, len(C)))
    for t in range(n):
        X[t] = C @ z + noise(system["observation_covariance"])
        z = A @ z + noise(system["transition_covariance"])
    return X


def random_case(seed):
    """Return a system, a series drawn from it and its diffuse states."""
    rng = np.random.default_rng(seed)
    s, p, n = int(rng.integers(1, 6)), int(rng.integers(1, 4)), int(rng.integers(4, 9))
    A = transition_of(rng, s)
    C = rng.integers(-2, 3, size=(p, s)).astype(float)
    if p > 1 and rng.random() < 0.7:
        C[1] = C[0] * rng.choice([1.0, 2.0])  # two cells see the same
    Q = [
        np.zeros((s, s)),
        covariance_of(rng, s, max(s // 2, 1)),
        np.eye(s),
        covariance_of(rng, s, s, 2.0**-20),
    ][int(rng.integers(4))]
    R = [
        np.eye(p),
        covariance_of(rng, p, p) + 0.25 * np.eye(p),
        np.diag(4.0 ** rng.integers(-4, 5, size=p)),
        covariance_of(rng, p, max(p - 1, 1)),
        np.zeros((p, p)),
    ][int(rng.integers(5))]
    V = [np.eye(s), covariance_of(rng, s, 1), 64 * np.eye(s), np.zeros((s, s))][int(rng.integers(4))]
    diffuse = [(), tuple(range(s)), tuple(range(0, s, 2))][int(rng.integers(3))]
    for j in diffuse:
        V[j] = V[:, j] = 0
    system = {"transition": A, "transition_covariance": Q, "observation": C, "observation_covariance": R}
    system |= {"initial_mean": binary(rng.normal(size=s)), "initial_covariance": V}
    X = drawn_rows(rng, system, diffuse, n)
    if rng.random() < 0.6:
        X[rng.random(X.shape) < 0.3] = np.nan
    if rng.random() < 0.4:
        X[: int(rng.integers(1, 4))] = np.nan
    return system, X, diffuse


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


@pytest.mark.parametrize("first", range(0, 60, 15))
def test_random_systems(first):
    """Right to eight digits, or the call says that digits were lost, which it seldom does."""
    warned = 0
    with mp.workdps(DIGITS):
        for seed in range(first, first + 15):
            system, X, diffuse = random_case(seed)
            right = exact_states(system, X, diffuse)
            for form in FORMS:
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    found = kalman_smoother(X, **with_start(system, diffuse), form=form)
                assert all(w.category is DataWarning for w in caught)
                warned += bool(caught)
                if not caught:
                    check(found, right, 1e-8)
    assert warned <= 2


def test_cells_without_noise_that_repeat_what_is_known():
    """Two rows fix both states; all that follows repeats them, while rounding grows: it must tell nothing, or be refused aloud."""
    system = {
        "transition": np.array([[1.25, 0.5], [0.5, 1.5]]),
        "transition_covariance": np.zeros((2, 2)),
        "observation": np.array([[1.0, 2.0]]),
        "observation_covariance": np.zeros((1, 1)),
        "initial_mean": np.zeros(2),
        "initial_covariance": np.eye(2),
    }
    rng = np.random.default_rng(0)
    for diffuse in ((), (0,), (0, 1)):
        X = drawn_rows(rng, system, diffuse, 30)
        two = kalman_filter(X[:2], **with_start(system, diffuse))
        for form in FORMS:
            found = kalman_filter(X, **with_start(system, diffuse), form=form)
            assert found.log_likelihood == pytest.approx(two.log_likelihood, rel=1e-12)
            assert_allclose(found.covariances[2:], 0, atol=1e-20)
            for off, words in ((1e-9, "taken to agree"), (1e-3, "contradicts")):
                wrong = X.copy()
                wrong[20] *= 1 + off
                with pytest.warns(DataWarning, match=f"row 20.*{words}"):
                    states = kalman_filter(wrong, **with_start(system, diffuse), form=form)
                assert np.isneginf(states.log_likelihood) == (off == 1e-3)


def test_lost_digits_are_reported():
    """Five states of a chain with small steps, seen once a row: what the first rows tell is a fifth difference."""
    A = np.eye(5) + np.diag(np.full(4, 0.01), 1)
    C, X = np.array([[-2.0, 2.0, 0.0, 1.0, -1.0]]), np.random.default_rng(0).normal(size=(12, 1))
    for form in FORMS:
        with pytest.warns(DataWarning, match="rounding may change the answer from row 4 on.*nearly equal numbers"):
            kalman_filter(X, A, C, np.eye(5), np.eye(1), initial_covariance=np.full(5, np.inf), form=form)


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
def test_the_same_sensor_twice_says_what_its_mean_does(form):
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


def test_a_diffuse_direction_that_decays_through_a_gap_is_still_determined():
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


@pytest.mark.parametrize(
    ("decay", "right"), [(0.5, 9.399096318916794), (0.3125, 23.350852785881788), (0.9, -7.467828669094995)]
)
def test_a_gap_before_the_first_row(decay, right):
    """The numbers are those of 660 digits; a filter that takes small diffuse variances for zero says -12.18 of the first."""
    X = np.random.default_rng(3).normal(size=(38, 1)).cumsum(axis=0)
    X[:30] = np.nan
    for form in FORMS:
        found = kalman_filter(X, np.diag([1.0, decay]), [[1.0, 1.0]], np.diag([0.5, 0.25]), 1.0, form=form)
        assert found.log_likelihood == pytest.approx(right, rel=1e-12)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("n", "s", "p"), [(1, 1, 1), (1, 3, 2), (6, 1, 1), (2, 5, 1), (5, 2, 3)])
def test_odd_shapes(n, s, p, form):
    """One row, one state, nothing observed, more cells than states: the factors' smoother in all forms."""
    rng = np.random.default_rng(n + s + p)
    system = {
        "transition": np.tril(binary(rng.normal(size=(s, s)))),
        "transition_covariance": np.zeros((s, s)),  # no state keeps a share of its own: (9a), (9b) in both forms
        "observation": rng.integers(-2, 3, size=(p, s)).astype(float),
        "observation_covariance": np.eye(p),
        "initial_mean": np.zeros(s),
        "initial_covariance": np.ones((s, s)),
    }
    for share in (0.0, 0.5, 1.0):
        X = rng.normal(size=(n, p))
        X[rng.random(X.shape) < share] = np.nan
        with mp.workdps(60):
            right = exact_states(system, X)
        check(kalman_smoother(X, **system, form=form), right, 1e-12)
