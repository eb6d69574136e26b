"""Least squares: every fit against the normal equations, intervals by Student's t, the last frame against a plain fit."""

from itertools import pairwise

import numpy as np
import pytest
from lab.runs import run_of
from scipy.stats import t as student

from novum.linear_model import LinearRegression

STATES = [{}, {"basis": "gaussian", "most": 5, "level": 0.8, "points": {"preset": "line", "n": 25}}]
STATES += [
    {"basis": "sigmoid", "most": 4, "seed": 3},
    {"points": {"rows": [[0, 1], [1, 0], [2, 2], [3, 1.5]]}, "most": 5},
]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("least-squares", **request.param)


def design(run, size, at):
    """Return the columns by the formulas of the basis functions."""
    x, rows = np.asarray(at, float).ravel()[:, None], run.state.points.X[:, 0]
    if run.state.basis == "polynomial":
        return x ** np.arange(size + 1)
    if size == 0:
        return np.ones((len(x), 1))
    low, high = rows.min(), rows.max()
    centers = np.array([(low + high) / 2]) if size == 1 else np.linspace(low, high, size)
    z = (x - centers) / (high - low if size == 1 else (high - low) / (size - 1))
    bumps = np.exp(-(z**2) / 2) if run.state.basis == "gaussian" else 1 / (1 + np.exp(-z))
    return np.column_stack([np.ones(len(x)), bumps])


def test_every_frame_is_least_squares(run):
    X, y = run.state.points.X, run.state.points.y
    for frame in run.frames:
        Phi = design(run, frame.n, X)
        coef = np.linalg.lstsq(Phi, y, rcond=None)[0]
        residual = y - Phi @ coef
        assert frame.values["rss"] == pytest.approx((residual**2).sum(), rel=1e-6, abs=1e-20)
        assert frame.values["coefficients"] == frame.n + 1 == Phi.shape[1]
        assert frame.arrays["residuals"] == pytest.approx(residual, rel=1e-6, abs=1e-9)
        if len(X) >= frame.n + 1:
            assert frame.arrays["coef"] == pytest.approx(coef, rel=1e-5, abs=1e-7)


def test_intervals_are_students(run):
    X, level = run.state.points.X, run.state.level
    for frame in run.frames[:5]:
        Phi = design(run, frame.n, X)
        left = len(X) - Phi.shape[1]
        if left <= 0:
            assert frame.values["sigma"] is None and np.isnan(frame.arrays["low"]).all()
            continue
        sigma = np.sqrt(frame.values["rss"] / left)
        assert frame.values["sigma"] == pytest.approx(sigma, rel=1e-12)
        error = sigma * np.sqrt(np.diag(np.linalg.inv(Phi.T @ Phi))) * student.ppf((1 + level) / 2, left)
        assert (frame.arrays["high"] - frame.arrays["low"]) / 2 == pytest.approx(error, rel=1e-5)


def test_squares_stand_between_the_curve_and_the_points(run):
    X, y = run.state.points.X, run.state.points.y
    for frame in run.frames:
        squares = frame.arrays["squares"]
        assert squares[:, 0] == pytest.approx(X[:, 0], abs=1e-6)
        assert squares[:, 1] + squares[:, 2] == pytest.approx(y, abs=1e-5)


def test_powers_only_get_closer_and_end_in_the_fit():
    run = run_of("least-squares", most=9)
    shown = run.shown()
    assert all(after <= before for before, after in pairwise(shown))
    X, y = run.state.points.X, run.state.points.y
    Phi = X ** np.arange(10)
    model = LinearRegression(fit_intercept=False).fit(Phi, y)
    assert run.last.values["rss"] == ((y - model.predict(Phi)) ** 2).sum()
