"""Gaussian classes: log-odds from densities written out, the border as the maximum of the likelihood."""

import numpy as np
import pytest
from lab.runs import refusal_of, run_of
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax

STATES = [{}, {"query": [[-0.5, 2.0]], "points": {"preset": "inside", "n": 80}}]
STATES.append({"seed": 5, "points": {"preset": "equal", "n": 200, "noise": 1.2}})
THREE = {"seed": 1, "query": [[0.3, 0.2]], "points": {"preset": "three", "n": 120, "noise": 1.0}}


@pytest.fixture(scope="module", params=[*STATES, THREE])
def run(request):
    return run_of("generative", **request.param)


def joints(run, form, points):
    """Return ln p(x, k) of every class k, Gaussians fitted by maximum likelihood."""
    X, y = run.state.points.X, run.state.points.y
    classes = range(len(set(y.tolist())))
    share = [np.mean(y == k) for k in classes]
    own = [np.cov(X[y == k].T, bias=True) for k in classes]
    shared = sum(p * S for p, S in zip(share, own))
    joint = []
    for k in classes:
        S = {"shared": shared, "own": own[k], "diagonal": np.diag(np.diag(own[k]))}[form]
        gap = points - X[y == k].mean(axis=0)
        density = -0.5 * np.einsum("ni,ij,nj->n", gap, np.linalg.inv(S), gap) - 0.5 * np.log(np.linalg.det(S))
        joint.append(density + np.log(share[k]))
    return np.array(joint)


def test_log_odds_are_those_of_the_densities(run):
    query, X = np.array(run.state.query), run.state.points.X
    k = len(set(run.state.points.y.tolist()))
    for frame, form, close in zip(run.frames, ("shared", "own", "diagonal"), (1e-9, 1e-9, 1e-6)):
        joint = joints(run, form, query)[:, 0]  # variances of naive Bayes are wider by 1e-9 of the largest one
        assert frame.values["odds"] == pytest.approx(joint[1] - joint[0], rel=close)
        assert frame.values["posterior"] == pytest.approx(np.exp(joint[1]) / np.exp(joint).sum(), rel=close)
        assert frame.values["errors"] == (joints(run, form, X).argmax(axis=0) != run.state.points.y).sum()
    counts = [k - 1 + 2 * k + covariances for covariances in (3, 3 * k, 2 * k)]
    assert [frame.values["parameters"] for frame in run.frames] == [*counts, 3 * (k - 1)]


def test_the_border_alone_is_the_largest_likelihood(run):
    X, y = run.state.points.X, run.state.points.y
    design, k = np.column_stack([np.ones(len(X)), X]), len(set(y.tolist()))
    target = (y[:, None] == np.arange(k)) * 1.0

    def loss(flat):
        score = design @ np.column_stack([np.zeros(3), flat.reshape(k - 1, 3).T])
        share = softmax(score, axis=1)
        slope = (design.T @ (share - target))[:, 1:]
        return logsumexp(score, axis=1).sum() - (score * target).sum(), slope.T.ravel()

    best = minimize(loss, np.zeros(3 * (k - 1)), jac=True, tol=1e-12, options={"gtol": 1e-9}).x[:3]
    odds = np.append(1.0, run.state.query[0]) @ best
    assert run.last.values["odds"] == pytest.approx(odds, rel=1e-4)
    assert len(run.last.arrays["ellipses"]) == 0


def test_ellipses_are_two_standard_deviations(run):
    X, y = run.state.points.X, run.state.points.y
    for k, (x, v, a, b, turn) in enumerate(run.frames[1].arrays["ellipses"]):
        assert (x, v) == pytest.approx(X[y == k].mean(axis=0), abs=1e-9)
        S = np.cov(X[y == k].T, bias=True)
        axis = np.array([np.cos(turn), np.sin(turn)])
        assert (a**2 / 4, b**2 / 4) == pytest.approx(np.linalg.eigvalsh(S)[::-1], rel=1e-9)
        assert a**2 / 4 * axis == pytest.approx(S @ axis, rel=1e-8, abs=1e-10)


def test_a_class_on_a_line_is_refused():
    rows = [[0, 0, 0], [1, 1, 0], [2, 2, 0], [0, 1, 1], [1, 0, 1], [3, 0, 1]]
    assert refusal_of("generative", points={"rows": rows})[1] == "points"
    assert refusal_of("generative", points={"rows": rows[1:]})[1] == "points"
