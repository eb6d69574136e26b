"""Overfitting: ridge by its normal equations, evidence as the density of the targets, errors on rows of the next seed."""

import numpy as np
import pytest
from lab.runs import run_of
from scipy.stats import multivariate_normal

from novum.datasets import make_sine
from novum.linear_model import Ridge

STATES = [{"most": 5}, {"ridge": 0.01, "alpha": 1.0, "most": 7, "points": {"preset": "sine", "n": 40}, "seed": 2}]
STATES.append({"most": 4, "points": {"rows": [[0, 0.1], [0.3, 0.7], [0.5, 0.2], [0.9, -0.8], [1, 0.1]]}})


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("overfitting", **request.param)


def ridge(run, degree, at):
    """Return the predictions of ridge regression by its normal equations."""
    X, y = run.state.points.X, run.state.points.y
    Phi, k = X ** np.arange(degree + 1), degree + 1
    coef = np.linalg.lstsq(
        np.vstack([Phi, np.sqrt(run.state.ridge) * np.eye(k)]), np.append(y, np.zeros(k)), rcond=None
    )
    return at ** np.arange(k) @ coef[0]


def test_errors_are_those_of_the_curves(run):
    X, y, given = run.state.points.X, run.state.points.y, run.state.given["points"]
    for frame in run.frames:
        train = np.sqrt(np.mean((y - ridge(run, frame.n, X)) ** 2))
        assert frame.values["train"] == pytest.approx(train, rel=1e-6, abs=1e-9)
        if "rows" in given:
            assert frame.values["test"] is None
            continue
        new, t = make_sine(given["n"], noise=given["noise"], random_state=run.state.seed + 1, return_X_y=True)
        gap = t.round(3) - ridge(run, frame.n, new.round(3))
        assert frame.values["test"] == pytest.approx(np.sqrt(np.mean(gap**2)), rel=1e-4)


def test_the_evidence_is_the_density_of_the_targets(run):
    s = run.state
    X, y, found = s.points.X, s.points.y, []
    for frame in run.frames:
        Phi = X ** np.arange(frame.n + 1)
        covariance = np.eye(len(X)) / s.beta + Phi @ Phi.T / s.alpha
        found.append(multivariate_normal(np.zeros(len(X)), covariance).logpdf(y))
        assert frame.values["evidence"] == pytest.approx(found[-1], rel=1e-6, abs=1e-6)
    share = np.exp(np.array(found) - max(found))
    assert run.last.arrays["chances"] == pytest.approx(share / share.sum(), rel=1e-5, abs=1e-9)


def test_new_rows_tell_what_old_ones_do_not():
    run = run_of("overfitting")
    train, test = ([frame.values[name] for frame in run.frames] for name in ("train", "test"))
    assert np.argmin(train) == 9 and 2 <= np.argmin(test) < 9 and test[9] > 3 * min(test)
    large = run_of("overfitting", points={"preset": "sine", "n": 100})
    assert large.last.values["test"] < 1.2 * min(frame.values["test"] for frame in large.frames)


def test_the_last_frame_is_the_fit(run):
    s, powers = run.state, np.arange(run.state.most + 1)
    model = Ridge(s.ridge, fit_intercept=False).fit(s.points.X**powers, s.points.y)
    assert run.last.values["train"] == np.sqrt(np.mean((s.points.y - model.predict(s.points.X**powers)) ** 2))
