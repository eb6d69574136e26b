"""The Gaussian process: posterior and evidence by linear algebra written out, the last step against a plain fit."""

from itertools import pairwise

import numpy as np
import pytest
from lab.runs import run_of
from scipy.stats import multivariate_normal

from novum.gaussian_process import GaussianProcessRegressor
from novum.kernels import RBF

STATES = [{"steps": 3}, {"kernel": "matern", "length": 0.4, "variance": 2.0, "sigma": 0.3, "steps": 2, "seed": 2}]
STATES += [{"kernel": "exponential", "points": {"preset": "line", "n": 8}, "steps": 2}]
STATES += [{"kernel": "periodic", "length": 1.2, "steps": 2, "points": {"rows": [[0.1, 1], [0.4, -1], [0.9, 0.7]]}}]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("gp", **request.param)


def covariance(run, frame, a, b):
    r, length = np.abs(a[:, None] - b), frame.values["scale"]
    shapes = {
        "rbf": np.exp(-((r / length) ** 2) / 2),
        "matern": (1 + np.sqrt(3) * r / length) * np.exp(-np.sqrt(3) * r / length),
        "exponential": np.exp(-r / length),
        "periodic": np.exp(-2 * (np.sin(np.pi * r) / length) ** 2),
    }
    return frame.values["height"] * shapes[run.state.kernel]


def test_every_frame_is_the_posterior(run):
    s = run.state
    for frame in run.frames:
        n = min(frame.n, len(s.points.X))
        x, y = s.points.X[:n, 0], s.points.y[:n]
        at = np.array(frame.arrays["band"][0]["x"])
        K = covariance(run, frame, x, x) + s.sigma**2 * np.eye(n)
        across = covariance(run, frame, at, x)
        mean = across @ np.linalg.solve(K, y)
        variance = frame.values["height"] - np.einsum("ij,ji->i", across, np.linalg.solve(K, across.T))
        low, high = np.array(frame.arrays["band"][0]["low"]), np.array(frame.arrays["band"][0]["high"])
        assert (low + high) / 2 == pytest.approx(mean, abs=1e-6)
        assert ((high - low) / 4) ** 2 == pytest.approx(variance, rel=1e-5, abs=1e-8)
        assert frame.values["next"] == at[(high - low).argmax()]
        if n:
            expected = multivariate_normal(np.zeros(n), K).logpdf(y)
            assert frame.values["evidence"] == pytest.approx(expected, rel=1e-8, abs=1e-8)
        else:
            assert frame.values["evidence"] is None


def test_learning_climbs_and_keeps_what_was_observed(run):
    learned = [frame for frame in run.frames if frame.part == "learned"]
    climbed = [frame.values["evidence"] for frame in [run.at(len(run.state.points.X), "observed"), *learned]]
    assert all(after > before for before, after in pairwise(climbed))
    path = np.array(run.last.arrays["path"][0]["p"])
    assert 10 ** path[-1] == pytest.approx([run.last.values["scale"], run.last.values["height"]], rel=1e-9)
    assert 10 ** path[0] == pytest.approx([run.state.length, run.state.variance], rel=1e-9)


def test_the_surface_is_the_evidence():
    run = run_of("gp", steps=1)
    s, surface = run.state, run.last.arrays["surface"].astype(float)
    model = GaussianProcessRegressor(RBF(1.0), alpha=s.sigma**2, optimizer=None).fit(s.points.X, s.points.y)
    at = (np.arange(24) + 0.5) / 24
    found = np.zeros((24, 24))
    for i, height in enumerate(10 ** (-2 + 4 * at)):
        for j, length in enumerate(10 ** (-2 + 3 * at)):
            K = height * np.exp(-((s.points.X - s.points.X.T) ** 2) / (2 * length**2)) + s.sigma**2 * np.eye(12)
            found[i, j] = multivariate_normal(np.zeros(12), K).logpdf(s.points.y)
    assert np.abs(surface - 255 / (1 + (found.max() - found) / 4)).max() <= 0.51
    assert model.log_marginal_likelihood_value_ < found.max()


def test_the_last_step_is_near_the_fit():
    run = run_of("gp", steps=60)
    s = run.state
    kernel = s.variance * RBF(s.length)
    model = GaussianProcessRegressor(kernel, alpha=s.sigma**2).fit(s.points.X, s.points.y)
    assert run.last.values["evidence"] == pytest.approx(model.log_marginal_likelihood_value_, abs=1e-4)
    again = GaussianProcessRegressor(
        run.last.values["height"] * RBF(run.last.values["scale"]), alpha=s.sigma**2, optimizer=None
    ).fit(s.points.X, s.points.y)
    assert run.last.values["evidence"] == pytest.approx(again.log_marginal_likelihood_value_, rel=1e-12)
