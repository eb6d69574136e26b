"""The line in Bayes' way: every posterior against the formulas written out, the last frame against a plain fit."""

import numpy as np
import pytest
from lab.runs import run_of
from scipy.stats import multivariate_normal

from novum.linear_model import BayesianLinearRegression

STATES = [{}, {"alpha": 0.1, "beta": 4.0, "points": {"preset": "sine", "n": 30}}]
STATES.append({"points": {"rows": [[0.5, 1.0], [0.5, 0.8]]}})


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("bayes-line", **request.param)


def posterior(run, n):
    """Return m_N and S_N after n observations."""
    s = run.state
    rows, t = np.column_stack([np.ones(n), s.points.X[:n, 0]]), s.points.y[:n]
    covariance = np.linalg.inv(s.alpha * np.eye(2) + s.beta * rows.T @ rows)
    return s.beta * covariance @ rows.T @ t, covariance


def test_every_frame_is_the_posterior(run):
    for frame in run.frames:
        mean, covariance = posterior(run, frame.n)
        assert frame.arrays["mean"][0] == pytest.approx(mean, rel=1e-9, abs=1e-12)
        assert frame.values["slope"] == pytest.approx(mean[1], rel=1e-9, abs=1e-12)
        assert frame.values["slope_sd"] ** 2 == pytest.approx(covariance[1, 1], rel=1e-9)
        assert frame.values["offset_sd"] ** 2 == pytest.approx(covariance[0, 0], rel=1e-9)
        band = frame.arrays["band"][0]
        x = np.column_stack([np.ones(41), band["x"]])
        sd = np.sqrt(1 / run.state.beta + np.einsum("ni,ij,nj->n", x, covariance, x))
        assert (np.array(band["high"]) - band["low"]) / 2 == pytest.approx(sd, rel=1e-9)


def test_the_evidence_is_the_density_of_the_targets(run):
    for frame in run.frames[1:]:
        rows, s = np.column_stack([np.ones(frame.n), run.state.points.X[: frame.n, 0]]), run.state
        covariance = np.eye(frame.n) / s.beta + rows @ rows.T / s.alpha
        expected = multivariate_normal(np.zeros(frame.n), covariance).logpdf(s.points.y[: frame.n])
        assert frame.values["evidence"] == pytest.approx(expected, rel=1e-8, abs=1e-9)


def test_two_points_at_one_place_leave_the_slope_open():
    run = run_of("bayes-line", alpha=0.01, beta=1000.0, points=STATES[-1]["points"])
    covariance = posterior(run, 2)[1]
    along = np.array([0.5, -1.0]) / np.sqrt(1.25)  # offset and slope that change together leave t(0.5) as it is
    assert along @ covariance @ along == pytest.approx(100, rel=1e-6)


def test_the_last_frame_is_the_fit(run):
    s = run.state
    model = BayesianLinearRegression(alpha=s.alpha, beta=s.beta).fit(s.points.X, s.points.y)
    assert run.last.values["evidence"] == pytest.approx(model.log_evidence_, rel=1e-12, abs=1e-12)
    assert run.last.arrays["mean"][0] == pytest.approx(model.mean_, rel=1e-12)
    stepped = BayesianLinearRegression(alpha=s.alpha, beta=s.beta)
    for i in range(len(s.points.X)):
        stepped.partial_fit(s.points.X[i : i + 1], s.points.y[i : i + 1])
    assert run.last.values["evidence"] == stepped.log_evidence_
