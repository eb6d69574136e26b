"""EM: halves of a step against the formulas written out, the last frame against a plain fit."""

import numpy as np
import pytest
from lab.runs import refusal_of, run_of

from novum.mixture import GaussianMixture

STATES = [{"k": 3}, {"form": "spherical", "seed": 3}, {"form": "tied", "k": 2}, {"form": "diag", "floor": 0.1}]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("em", **request.param)


def matrices(ellipses):
    """Return the covariances that ellipses of two standard deviations stand for."""
    made = []
    for _, _, a, b, angle in ellipses:
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        made.append(turn @ np.diag([(a / 2) ** 2, (b / 2) ** 2]) @ turn.T)
    return np.array(made)


def log_parts(X, frame):
    """Return log pi_k N(x_i | mu_k, Sigma_k) from what is drawn."""
    parts = []
    for weight, mean, matrix in zip(frame.arrays["weights"], frame.arrays["means"], matrices(frame.arrays["ellipses"])):
        gap = X - mean
        square = np.einsum("ni,ij,nj->n", gap, np.linalg.inv(matrix), gap)
        parts.append(np.log(weight) - np.log(2 * np.pi) - np.log(np.linalg.det(matrix)) / 2 - square / 2)
    return np.array(parts).T  # (n, k)


def test_every_frame_shows_the_likelihood_of_its_ellipses(run):
    X = run.state.points.X
    for frame in run.frames:
        parts = log_parts(X, frame)
        total = np.logaddexp.reduce(parts, axis=1)
        assert frame.values["L"] == pytest.approx(total.mean(), rel=1e-9)
        if frame.part == "E":
            shares = np.exp(parts - total[:, None])
            assert np.abs(frame.arrays["shares"] / 255 - shares).max() <= 0.51 / 255


def test_means_follow_the_shares(run):
    X = run.state.points.X
    for before, after in zip(run.frames[::2], run.frames[1::2]):
        assert (before.part, after.part) == ("E", "M")
        parts = log_parts(X, before)
        shares = np.exp(parts - np.logaddexp.reduce(parts, axis=1)[:, None])
        assert after.arrays["means"] == pytest.approx(shares.T @ X / shares.sum(axis=0)[:, None], abs=1e-7)
        assert after.arrays["weights"] == pytest.approx(shares.mean(axis=0), abs=1e-8)


def test_the_last_frame_is_the_fit(run):
    s = run.state
    model = GaussianMixture(s.k, covariance_type=s.form, reg_covar=s.floor, tol=1e-4, **run.scene.options(s))
    model.fit(s.points.X)
    assert run.last.values["L"] == model.score(s.points.X) and run.last.n == model.n_iter_
    assert np.array_equal(run.last.arrays["means"], model.means_)
    assert run.last.values["bic"] == model.bic(s.points.X) and run.last.values["aic"] == model.aic(s.points.X)


def test_dragged_means_are_the_start():
    run = run_of("em", k=2, means=[[-1.0, 0.5], [1.5, 0.0]])
    assert run.frames[0].arrays["means"].tolist() == [[-1.0, 0.5], [1.5, 0.0]]


def test_too_few_points_are_refused():
    assert refusal_of("em", k=3, points={"rows": [[0, 0], [1, 0], [0, 1]]})[1] == "k"
