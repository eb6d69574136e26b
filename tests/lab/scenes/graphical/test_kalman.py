"""The Kalman filter: every half-step against the textbook's recursion, the smoother against all rows at once, EM against a fit."""

import numpy as np
import pytest
from lab.runs import run_of
from scipy.stats import multivariate_normal

from novum.sequence import LinearDynamicalSystem

STATES = [
    {},
    {"gap": 3, "gap_start": 4, "noise": 5.0},
    {"push": 1.0, "points": {"preset": "straight", "n": 8, "noise": 0.2}},
]
STATES += [{"points": {"rows": [[0, 0], [1, 0.5], [2.5, 1], [2, 2]]}, "noise": 0.1}]
H = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0]])


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("kalman", **request.param)


def system(s):
    A = np.array([[1.0, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]])
    block = s.push * np.array([[1 / 3, 1 / 2], [1 / 2, 1]])
    Q = np.block([[block, np.zeros((2, 2))], [np.zeros((2, 2)), block]])
    return A, Q, s.noise**2 * np.eye(2), np.diag([4.0, 1, 4, 1])


def rows(run):
    s = run.state
    X = s.points.X.copy()
    X[s.gap_start - 1 : s.gap_start - 1 + s.gap] = np.nan
    return X


def corners(ellipse):
    """Return the covariance that an ellipse of two standard deviations stands for."""
    a, b, turn = ellipse[2:]
    axes = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return axes @ np.diag([a**2, b**2]) @ axes.T / 4


def test_every_half_step_is_the_recursion(run):
    A, Q, R, P = system(run.state)
    m, X, total = np.zeros(4), rows(run), 0.0
    for t, x in enumerate(X):
        frame = run.at(t + 1, "predict")
        S = H @ P @ H.T + R
        K = P @ H.T @ np.linalg.inv(S)
        assert frame.values["K"] == pytest.approx(K[0, 0], rel=1e-9)
        assert frame.values["sd"] == pytest.approx(np.sqrt(P[0, 0]), rel=1e-9)
        assert frame.arrays["ellipses"][0][:2] == pytest.approx(H @ m, rel=1e-6, abs=1e-6)
        assert corners(frame.arrays["ellipses"][0]) == pytest.approx(H @ P @ H.T, rel=1e-5, abs=1e-6)
        if np.isfinite(x[0]):
            total += multivariate_normal(H @ m, S).logpdf(x)
            surprise = (x - H @ m) @ np.linalg.inv(S) @ (x - H @ m)
            m, P = m + K @ (x - H @ m), (np.eye(4) - K @ H) @ P
            frame = run.at(t + 1, "correct")
            assert frame.values["sd"] == pytest.approx(np.sqrt(P[0, 0]), rel=1e-8)
            assert frame.values["L"] == pytest.approx(total, rel=1e-9)
            assert frame.arrays["surprises"][-1] == pytest.approx(surprise, rel=1e-6)
            assert frame.arrays["rows_seen"][-1] == t + 1
            assert frame.arrays["lines"][0]["p"][-1] == pytest.approx(H @ m, rel=1e-8, abs=1e-10)
        else:
            assert (t + 1, "correct") not in [(f.n, f.part) for f in run.frames]
        m, P = A @ m, A @ P @ A.T + Q


def test_the_smoother_is_the_mean_of_all_places_given_all_sights(run):
    A, Q, R, P = system(run.state)
    X = rows(run)
    n = len(X)
    covariance = np.zeros((4 * n, 4 * n))
    at = [P]
    for _ in range(n - 1):
        at.append(A @ at[-1] @ A.T + Q)
    for i in range(n):
        for j in range(i, n):
            block = np.linalg.matrix_power(A, j - i) @ at[i]
            covariance[4 * j : 4 * j + 4, 4 * i : 4 * i + 4] = block
            covariance[4 * i : 4 * i + 4, 4 * j : 4 * j + 4] = block.T
    known = np.repeat(np.isfinite(X[:, 0]), 2)
    G = np.kron(np.eye(n), H)[known]
    S = G @ covariance @ G.T + np.kron(np.eye(known.sum() // 2), R)
    mean = covariance @ G.T @ np.linalg.solve(S, X.ravel()[known])
    assert run.last.part == "smooth"
    assert np.ravel(run.last.arrays["lines"][1]["p"]) == pytest.approx(np.kron(np.eye(n), H) @ mean, rel=1e-6, abs=1e-7)


@pytest.mark.filterwarnings("ignore::novum.exceptions.NotConverged")
def test_em_raises_the_likelihood_and_ends_as_a_fit():
    run = run_of("kalman", do="learn", noise=2.0)
    L = [frame.values["L"] for frame in run.frames]
    assert (np.diff(L) > -1e-9).all() and L[-1] > L[0] + 1
    A, Q, R, P = system(run.state)
    noises = ["transition_covariance", "observation_covariance"]
    model = LinearDynamicalSystem(
        transition=A, transition_covariance=Q, observation=H, observation_covariance=R, initial_mean=np.zeros(4),
        initial_covariance=P, learn=noises, tol=1e-5, max_iter=len(L) - 1, transition_covariance_type="scaled",
        observation_covariance_type="scaled",
    )  # fmt: skip
    assert run.last.values["L"] == pytest.approx(model.fit(rows(run)).score(rows(run)), rel=1e-12)
    assert run.last.values["learned"] == pytest.approx(np.sqrt(model.observation_covariance_[0, 0]), rel=1e-12)
