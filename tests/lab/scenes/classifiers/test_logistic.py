"""Logistic regression: every pass against a Newton step written out, the last frame against a plain fit."""

import numpy as np
import pytest
from lab.runs import refusal_of, run_of

from novum.linear_model import LogisticRegression

STATES = [{}, {"C": 1e6, "seed": 2}, {"C": 0.01, "points": {"preset": "moons"}}]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("logistic", **request.param)


def test_every_pass_is_a_newton_step(run):
    X, y = run.state.points.X, run.state.points.y
    rows = np.column_stack([np.ones(len(X)), X])
    penalty = np.diag([0, 1, 1]) / run.state.C
    for before, after in zip(run.frames, run.frames[1:]):
        w = before.arrays["weights"]
        p = 1 / (1 + np.exp(-rows @ w))
        slope = rows.T @ (p - y) + penalty @ w
        step = np.linalg.solve(rows.T @ (rows * (p * (1 - p))[:, None]) + penalty, slope)
        assert after.arrays["weights"] == pytest.approx(w - step, rel=1e-6, abs=1e-8)
        assert before.arrays["sizes"] == pytest.approx(4 * p * (1 - p), abs=1e-6)


def test_the_numbers_are_the_formulas(run):
    X, y = run.state.points.X, run.state.points.y
    for frame in run.frames:
        w = frame.arrays["weights"]
        margins = (2 * y - 1) * (w[0] + X @ w[1:])
        loss = np.logaddexp(0, -margins).mean()
        assert frame.values["loss"] == pytest.approx(loss, rel=1e-9)
        size = loss + w[1:] @ w[1:] / (2 * run.state.C * len(X))
        assert frame.values["objective"] == pytest.approx(size, rel=1e-9)
    objectives = [frame.values["objective"] for frame in run.frames]
    assert objectives == sorted(objectives, reverse=True)


def test_the_last_frame_is_the_fit(run):
    model = LogisticRegression(C=run.state.C, solver="newton-cholesky").fit(run.state.points.X, run.state.points.y)
    assert run.last.arrays["weights"].tolist() == [*model.intercept_, *model.coef_[0]]
    assert run.last.n == model.n_iter_[0]


def test_one_class_is_refused():
    assert refusal_of("logistic", points={"rows": [[0, 0, 1], [1, 1, 1]]})[1] == "points"
