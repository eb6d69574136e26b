"""Bias and variance: the parts from fits of its own by numpy, the exact curve from the hat matrix, the sum of the parts."""

import numpy as np
import pytest
from lab.runs import run_of

STATES = [
    {},
    {"degree": 5, "n": 15, "noise": 0.5, "seed": 3},
    {"model": "bumps", "penalty": -3.0, "repeats": 20},
    {"degree": 0},
]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("bias-variance", **request.param)


def design(s, x, degree):
    """Return the columns that the learner fits, of rows or of places."""
    if s.model == "polynomial":
        return np.vander(x, degree + 1, increasing=True)
    centers = np.linspace(0, 1, 15)
    width = centers[1] - centers[0]
    return np.exp(-((x[:, None] - centers) ** 2) / (2 * width**2))


def hat(s, value):
    """Return the matrix that takes targets to predictions at 41 places."""
    x, places = np.linspace(0, 1, s.n), np.linspace(0, 1, 41)
    A, B = design(s, x, value), design(s, places, value)
    if s.model == "polynomial":
        return B @ np.linalg.pinv(A)
    Z, center = A - A.mean(axis=0), A.mean(axis=0)
    inner = np.linalg.solve(Z.T @ Z + 10.0**value * np.eye(15), Z.T)
    average = np.full((41, s.n), 1 / s.n)
    return average + (B - center) @ inner @ (np.eye(s.n) - 1 / s.n)


def sine(x):
    return np.sin(2 * np.pi * x)


def test_the_exact_curve_is_that_of_the_hat_matrix(run):
    s = run.state
    f, target = sine(np.linspace(0, 1, s.n)), sine(np.linspace(0, 1, 41))
    for i in (0, 3, len(run.last.arrays["complexities"]) - 2):
        value = run.last.arrays["complexities"][i]
        S = hat(s, int(value) if s.model == "polynomial" else value)
        bias, variance = ((S @ f - target) ** 2).mean(), s.noise**2 * (S**2).sum(axis=1).mean()
        assert run.last.arrays["biases"][i] == pytest.approx(bias, rel=1e-6, abs=1e-10)
        assert run.last.arrays["variances"][i] == pytest.approx(variance, rel=1e-6)
        assert run.last.arrays["totals"][i] == pytest.approx(bias + variance + s.noise**2, rel=1e-6)


def test_the_parts_of_every_frame_are_those_of_its_fits(run):
    s = run.state
    value = s.degree if s.model == "polynomial" else s.penalty
    S, f, target = hat(s, value), sine(np.linspace(0, 1, s.n)), sine(np.linspace(0, 1, 41))
    seed = int(np.random.default_rng(s.seed).integers(2**32))
    noise = np.array([np.random.default_rng([seed, r]).normal(size=s.n) for r in range(s.repeats)])
    fits = (f + s.noise * noise) @ S.T
    for frame in run.frames:
        seen = fits[: frame.n]
        bias, variance = ((seen.mean(axis=0) - target) ** 2).mean(), seen.var(axis=0).mean()
        assert frame.values["bias"] == pytest.approx(bias, rel=1e-6, abs=1e-10)
        assert frame.values["variance"] == pytest.approx(variance, rel=1e-6)
        assert frame.values["total"] == pytest.approx(bias + variance + s.noise**2, rel=1e-6)
        shots = np.clip((seen - target)[:, [10, 30]], -1.6, 1.6)
        assert np.array(frame.arrays["shots"]) == pytest.approx(shots, abs=1e-5)
    assert run.last.n == s.repeats


def test_the_decomposition_adds_up_to_the_error_of_new_values():
    """The mean squared error of the fits at new noisy targets, averaged over that noise, is the sum of the parts."""
    run = run_of("bias-variance", degree=3, repeats=60)
    s, S = run.state, hat(run.state, 3)
    errors = []
    generator = np.random.default_rng(8)
    for _ in range(4000):
        y = sine(np.linspace(0, 1, s.n)) + s.noise * generator.normal(size=s.n)
        new = sine(np.linspace(0, 1, 41)) + s.noise * generator.normal(size=41)
        errors.append(((S @ y - new) ** 2).mean())
    exact = run.last.values["exact_bias"] + run.last.values["exact_variance"] + s.noise**2
    assert np.mean(errors) == pytest.approx(exact, abs=4 * np.std(errors) / np.sqrt(4000))


def test_more_rows_lower_the_variance_alone():
    few, many = (run_of("bias-variance", degree=1, n=n).last.values for n in (20, 100))
    assert many["exact_variance"] < few["exact_variance"] / 3
    assert many["exact_bias"] == pytest.approx(few["exact_bias"], rel=0.1)
