"""The equivalent kernel: weights by beta phi(x)' S_N phi(x_n) written out, the sums against predictions of a plain fit."""

import numpy as np
import pytest
from lab.runs import run_of

from novum.linear_model import BayesianLinearRegression
from novum.preprocessing import GaussianBasis

STATES = [{"basis": "polynomial", "size": 3}, {"basis": "polynomial", "size": 1, "alpha": 2.0, "beta": 1.5, "seed": 4}]
STATES.append(
    {"basis": "polynomial", "size": 2, "queries": 7, "points": {"rows": [[-2, 1], [0, 0.5], [0, -1], [2, 2]]}}
)


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("equivalent-kernel", **request.param)


def weights(run, x):
    """Return k(x, x_n) of every row."""
    s = run.state
    powers = np.arange(s.size + 1)
    Phi = s.points.X**powers
    S = np.linalg.inv(s.alpha * np.eye(s.size + 1) + s.beta * Phi.T @ Phi)
    return s.beta * x**powers @ S @ Phi.T


def test_every_prediction_is_the_weighted_sum(run):
    X, t, s = run.state.points.X, run.state.points.y, run.state
    for frame, x in zip(run.frames, np.linspace(X.min(), X.max(), s.queries), strict=True):
        k = weights(run, x)
        assert frame.values["at"] == x
        assert frame.values["prediction"] == pytest.approx(k @ t, rel=1e-8, abs=1e-10)
        assert frame.values["total"] == pytest.approx(k.sum(), rel=1e-8)
        assert frame.values["negative"] == (k < 0).sum()
        assert np.array_equal(frame.arrays["signs"] == 5, k < 0)
        drawn = np.interp(X[:, 0], frame.arrays["places"], frame.arrays["kernel"])
        assert drawn == pytest.approx(k, abs=0.01 * np.abs(k).max())


def test_the_matrix_holds_the_weights_of_all_rows(run):
    X = np.sort(run.state.points.X[:, 0])
    order = np.argsort(run.state.points.X[:, 0], kind="stable")
    for i in (0, len(X) // 2, -1):
        assert run.last.arrays["matrix"][i] == pytest.approx(weights(run, X[i])[order], rel=1e-5, abs=1e-6)


def test_sums_are_what_a_plain_fit_predicts():
    run = run_of("equivalent-kernel")
    s = run.state
    basis = GaussianBasis(s.size, include_bias=True).fit(s.points.X)
    model = BayesianLinearRegression(s.alpha, s.beta, fit_intercept=False).fit(basis.transform(s.points.X), s.points.y)
    at = np.array([[frame.values["at"]] for frame in run.frames])
    assert run.shown() == pytest.approx(model.predict(basis.transform(at)), rel=1e-9, abs=1e-12)
    assert any(frame.values["negative"] for frame in run.frames)
