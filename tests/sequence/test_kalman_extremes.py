"""Filters at the edge: long series, scales far from one, nothing observed, exact observations, errors."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sequence.systems import random_system, with_gaps

from novum.exceptions import DataError, DataWarning, ParameterError
from novum.sequence import LinearDynamicalSystem, kalman_filter, kalman_smoother

FORMS = pytest.mark.parametrize("form", ["covariance", "square_root"])


def worst_eigenvalue(covariances):
    """Return the least eigenvalue, each relative to the largest of its matrix."""
    assert (covariances == np.swapaxes(covariances, 1, 2)).all()
    values = np.linalg.eigvalsh(covariances)
    return (values[:, 0] / np.maximum(values[:, -1], 1e-300)).min()


def test_a_million_steps():
    A, Q = np.array([[1.0, 1.0], [0.0, 1.0]]), np.diag([0.1, 1e-4])
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_000_000, 1)).cumsum(axis=0)
    found = kalman_smoother(X, A, [[1.0, 0.0]], Q, 1.0)
    assert found.filtered.settled < 1000 and np.isfinite(found.means).all()
    tail = kalman_filter(X[-2000:], A, [[1.0, 0.0]], Q, 1.0)  # what lies farther back is forgotten
    assert_allclose(found.means[-1], tail.means[-1], rtol=1e-9)
    head = kalman_smoother(X[:3000], A, [[1.0, 0.0]], Q, 1.0)
    assert_allclose(found.means[:500], head.means[:500], rtol=1e-8, atol=1e-6)
    assert_allclose(found.covariances[:500], head.covariances[:500], rtol=1e-8)
    X[::7] = np.nan
    gaps = kalman_smoother(X, A, [[1.0, 0.0]], Q, 1.0)
    assert np.isfinite(gaps.means).all() and worst_eigenvalue(gaps.covariances[::1000]) > 0


def test_a_constant_state_over_many_steps_is_the_mean():
    """No state noise: every smoothed state is the estimate from all rows, and no error piles up."""
    X = np.random.default_rng(1).normal(size=(100_000, 1)) + 5
    found = kalman_smoother(X, 1.0, 1.0, 0.0, 1.0)
    assert_allclose(found.means, X.mean(), rtol=1e-10)
    assert_allclose(found.covariances.ravel(), 1e-5, rtol=1e-9)


@FORMS
@pytest.mark.parametrize("scale", [1e-60, 1e-8, 1e8, 1e60])
def test_scales(scale, form):
    system = random_system(3, 2, seed=1)
    X = with_gaps(np.random.default_rng(0).normal(size=(20, 2)))
    found = kalman_smoother(X, **system, form=form)
    factors = {"initial_mean": scale, "transition_offset": scale, "observation_offset": scale}
    factors |= {name: scale**2 for name in system if name.endswith("covariance")}
    scaled = {name: value * factors.get(name, 1.0) for name, value in system.items()}
    again = kalman_smoother(X * scale, **scaled, form=form)
    assert_allclose(again.means / scale, found.means, rtol=1e-9, atol=1e-11)
    assert_allclose(again.covariances / scale**2, found.covariances, rtol=1e-9, atol=1e-11)
    cells = (~np.isnan(X)).sum()
    assert again.log_likelihood == pytest.approx(found.log_likelihood - cells * np.log(scale), rel=1e-10)


def test_states_of_very_different_scale():
    D = np.diag([1e8, 1.0, 1e-8])
    system = random_system(3, 2, seed=2)
    X = np.random.default_rng(0).normal(size=(30, 2))
    found = kalman_smoother(X, **system)
    inverse = np.linalg.inv(D)
    turned = {
        **system,
        "transition": D @ system["transition"] @ inverse,
        "transition_covariance": D @ system["transition_covariance"] @ D,
        "transition_offset": D @ system["transition_offset"],
        "observation": system["observation"] @ inverse,
        "initial_mean": D @ system["initial_mean"],
        "initial_covariance": D @ system["initial_covariance"] @ D,
    }
    again = kalman_smoother(X, **turned)
    assert_allclose(again.means @ inverse, found.means, rtol=1e-8, atol=1e-10)
    assert_allclose(inverse @ again.covariances @ inverse, found.covariances, rtol=1e-8, atol=1e-10)
    assert again.log_likelihood == pytest.approx(found.log_likelihood, rel=1e-10)


@FORMS
def test_a_vague_start_and_precise_cells_keep_covariances_positive(form):
    A = np.array([[1.0, 1.0, 0.5], [0, 1, 1], [0, 0, 1]])
    X = np.random.default_rng(0).normal(size=(50, 1)).cumsum(axis=0)
    vague = {"initial_mean": np.zeros(3), "initial_covariance": 1e6 * np.eye(3)}
    for precise in (1e-2, 1e-6):
        found = kalman_smoother(X, A, [[1.0, 0, 0]], np.diag([0, 0, 1e-4]), precise, **vague, form=form)
        assert worst_eigenvalue(found.covariances) > -1e-12
        assert worst_eigenvalue(found.filtered.covariances) > -1e-12
        exact = kalman_smoother(X, A, [[1.0, 0, 0]], np.diag([0, 0, 1e-4]), precise)
        off = np.abs(found.means - exact.means) / exact.standard_deviations
        assert off.max() < (1e-4 if precise > 1e-3 else 1e-2)
        assert_allclose(found.covariances[3:], exact.covariances[3:], rtol=1e-4, atol=1e-10)


@FORMS
def test_nothing_observed_is_the_prior(form):
    system = random_system(2, 2, seed=4)
    found = kalman_smoother(np.full((6, 2), np.nan), **system, form=form)
    assert found.log_likelihood == 0
    mean, V = system["initial_mean"], system["initial_covariance"]
    for t in range(6):
        assert_allclose(found.means[t], mean, atol=1e-9)
        assert_allclose(found.covariances[t], V, atol=1e-9)
        mean = system["transition"] @ mean + system["transition_offset"]
        V = system["transition"] @ V @ system["transition"].T + system["transition_covariance"]


def test_nothing_observed_of_a_diffuse_state_stays_unknown():
    found = kalman_smoother(np.full(4, np.nan), np.eye(2), [[1.0, 0.0]], np.eye(2), 1.0)
    assert np.isinf(np.diagonal(found.covariances, axis1=1, axis2=2)).all()
    found = kalman_smoother([np.nan, 2.0, np.nan], np.eye(2), [[1.0, 0.0]], np.eye(2), 1.0)
    assert_allclose(found.covariances[:, 0, 0], [2, 1, 2])  # what was seen is known, the other state never
    assert np.isinf(found.covariances[:, 1, 1]).all()
    with pytest.raises(DataError, match="nothing can be forecast"):
        LinearDynamicalSystem(
            transition=np.eye(2), observation=[[1.0, 0]], transition_covariance=1.0, observation_covariance=1.0
        ).forecast([np.nan], 1)


@FORMS
def test_one_step(form):
    system = random_system(2, 1, seed=5)
    found = kalman_smoother([[1.5]], **system, form=form)
    C, V = system["observation"], system["initial_covariance"]
    F = C @ V @ C.T + system["observation_covariance"]
    off = 1.5 - C @ system["initial_mean"] - system["observation_offset"]
    assert_allclose(found.means[0], system["initial_mean"] + (V @ C.T @ np.linalg.inv(F) @ off))
    assert found.lag_one_covariances.shape == (0, 2, 2)
    assert_allclose(found.covariances, found.filtered.covariances)


@FORMS
def test_cells_that_repeat_each_other_exactly(form):
    system = {
        "transition": [[0.9]],
        "observation": [[1.0], [1.0]],
        "transition_covariance": 1.0,
        "observation_covariance": np.zeros((2, 2)),
        "initial_covariance": 1.0,
    }
    X = np.array([[1.0, 1.0], [2.0, 2.0]])
    found = kalman_smoother(X, **system, form=form)
    assert_allclose(found.means[:, 0], [1, 2])
    assert_allclose(found.covariances, 0, atol=1e-15)
    once = kalman_smoother(X[:, :1], **{**system, "observation": [[1.0]], "observation_covariance": [[0.0]]}, form=form)
    assert found.log_likelihood == pytest.approx(once.log_likelihood)
    with pytest.warns(DataWarning, match="row 1 contradicts"):
        assert kalman_filter([[1.0, 1.0], [2.0, 2.5]], **system, form=form).log_likelihood == -np.inf


def test_the_square_root_form_keeps_digits_that_the_other_loses():
    """Two nearly equal precise cells (Kailath, Sayed and Hassibi 2000): 1 + 1e-9 is lost when squared."""
    d = 1e-9
    system = {
        "transition": np.eye(2),
        "observation": [[1.0, 1.0], [1.0, 1.0 + d]],
        "transition_covariance": np.zeros((2, 2)),
        "observation_covariance": d**2 * np.eye(2),
        "initial_covariance": np.eye(2),
    }
    found = kalman_filter([[1.0, 1.0]], **system, form="square_root")
    from mpmath import matrix, mp

    with mp.workdps(60):
        C, e = matrix([[1, 1], [1, mp.mpf(1.0 + d)]]), mp.mpf(d * d)
        P = (matrix([[1, 0], [0, 1]]) + C.T * C / e) ** -1
        expected = np.array([[float(P[i, j]) for j in range(2)] for i in range(2)])
    assert_allclose(found.covariances[0], expected, rtol=1e-5)


ERRORS = [
    (
        {"transition": np.eye(3)},
        r"observation has shape \(1, 2\); it must have shape \(1, 3\) \(1 cells of a row, 3 states\)",
    ),
    ({"observation": [[1.0, 0, 0]]}, r"observation has shape \(1, 3\); it must have shape \(1, 2\)"),
    ({"transition_covariance": np.eye(3)}, r"transition_covariance has shape \(3, 3\); it must have shape \(2, 2\)"),
    ({"observation_covariance": np.eye(2)}, r"observation_covariance has shape \(2, 2\); it must have shape \(1, 1\)"),
    ({"transition_covariance": [[1.0, 0.5], [0, 1]]}, "transition_covariance is not symmetric"),
    ({"transition_covariance": [[1.0, 2.0], [2.0, 1.0]]}, "transition_covariance has the eigenvalue -1"),
    ({"observation_covariance": [[-1.0]]}, "observation_covariance has the eigenvalue -1"),
    ({"initial_mean": [1.0]}, r"initial_mean has shape \(1,\); it must have shape \(2,\)"),
    (
        {"initial_covariance": "vague"},
        "initial_covariance='vague'; it must be a matrix or one of 'diffuse', 'stationary'",
    ),
    ({"initial_covariance": "stationary"}, "modulus 1 >= 1: there is no stationary distribution"),
    ({"transition": [[1.0, np.inf], [0, 1]]}, "transition holds infinity"),
    ({"transition": [[1.0, np.nan], [0, 1]]}, r"transition has cells that are not known \(NaN\)"),
    ({"transition": np.tile(np.eye(2), (2, 1, 1))}, "transition has 2 entries in time, but X has 4 rows"),
    ({"transition": "eye"}, "transition must hold real numbers"),
    ({"form": "cholesky"}, "form must be one of 'covariance', 'square_root', 'steady_state'"),
    ({"controls": np.ones((4, 1))}, "controls are given, but the system has no matrix control"),
    ({"control": np.ones((2, 1))}, r"the system has 1 control\(s\); give controls="),
    (
        {"control": np.ones((2, 1)), "controls": np.ones((2, 1))},
        r"controls have shape \(2, 1\); they must have shape \(4, 1\)",
    ),
    ({"X": np.ones((4, 2))}, "X has 2 columns, but observation has 1 rows"),
    ({"X": [1.0, np.inf]}, "X holds infinity at row 1"),
    ({"X": ["a", "b"]}, "X must hold real numbers"),
    ({"X": []}, "at least one row"),
    ({"X": np.ones((2, 2, 2, 2))}, "a series has rows"),
    ({"X": None}, "X is None"),
]


@pytest.mark.parametrize(("change", "message"), ERRORS)
def test_errors_name_the_matrix_and_the_shape(change, message):
    given = {
        "X": [1.0, 2.0, 3.0, 4.0],
        "transition": np.eye(2),
        "observation": [[1.0, 0.0]],
        "transition_covariance": np.eye(2),
        "observation_covariance": [[1.0]],
        "initial_covariance": np.eye(2),
    }
    if "transition" in change and np.shape(change["transition"]) == (3, 3):
        given["transition_covariance"] = given["initial_covariance"] = np.eye(3)
    with pytest.raises((DataError, ParameterError), match=message) as error:
        kalman_filter(**{**given, **change})
    assert re.match("kalman_filter", str(error.value))


def test_a_filter_without_matrices_says_what_is_missing():
    with pytest.raises(
        ParameterError, match=r"LinearDynamicalSystem.filter: transition is not known; give transition= or learn it"
    ):
        LinearDynamicalSystem().filter([1.0, 2.0])
    with pytest.raises(
        ParameterError, match=r"transition_covariance has cells that are not known \(NaN\); learn them by fit"
    ):
        LinearDynamicalSystem.local_level().filter([1.0, 2.0])
