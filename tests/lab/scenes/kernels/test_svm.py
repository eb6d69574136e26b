"""The support vector machine: objectives against the formulas written out, every step a pair, the last frame a plain fit."""

from itertools import pairwise

import numpy as np
import pytest
from lab.runs import refusal_of, run_of

from novum.svm import SVC, kkt_report

STATES = [{}, {"kernel": "rbf", "C": 10.0, "points": {"preset": "moons"}}, {"kernel": "poly", "degree": 2, "seed": 3}]
STATES.append({"C": 100.0, "seed": 2})


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("svm", **request.param)


def gram(X, s):
    if s.kernel == "rbf":
        return np.exp(-s.gamma * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    return X @ X.T if s.kernel == "linear" else (s.gamma * X @ X.T + 1) ** s.degree


def test_the_objectives_are_the_formulas(run):
    X, t, s = run.state.points.X, 2 * run.state.points.y - 1, run.state
    K = gram(X, s)
    for frame in run.frames:
        a = frame.arrays["multipliers"]
        square = (a * t) @ K @ (a * t)
        assert frame.values["dual"] == pytest.approx(a.sum() - square / 2, rel=1e-8)
        assert frame.values["width"] == pytest.approx(2 / np.sqrt(square), rel=1e-8)
        assert abs(a @ t) < 1e-9 * max(1, s.C) and a.min() > -1e-12 and a.max() <= s.C * (1 + 1e-12)
        scores = K @ (a * t)
        # the offset is the fit's own; whatever it is, the primal is the sum of the slacks it leaves
        slack = (frame.values["primal"] - square / 2) / s.C
        offsets = np.concatenate([t - scores, np.linspace(-20, 20, 401)])
        least = min(np.maximum(0, 1 - t * (scores + b)).sum() for b in offsets)
        assert slack >= least - 1e-6 * max(1, least)
        assert frame.values["gap"] == pytest.approx(frame.values["primal"] - frame.values["dual"], rel=1e-6, abs=1e-8)
        assert frame.values["gap"] >= -1e-9
        counts = [(a <= 0).sum(), ((a > 0) & (a < s.C)).sum(), (a >= s.C).sum()]
        assert frame.arrays["roles"].tolist() == counts


def test_every_step_moves_one_pair_and_raises_the_dual(run):
    single = [frame for frame in run.frames if frame.n <= 60]
    for before, after in pairwise(single):
        moved = np.flatnonzero(before.arrays["multipliers"] != after.arrays["multipliers"])
        assert after.n == before.n + 1 and len(moved) <= 2
        assert after.values["dual"] >= before.values["dual"] - 1e-12 * abs(before.values["dual"])
        if len(moved) == 2:
            assert after.arrays["pair"] == moved.tolist()


def test_the_last_frame_is_the_fit(run):
    X, y = run.state.points.X, run.state.points.y
    model = run.scene.model(run.state).fit(X, y)
    report = kkt_report(model, X, y)
    assert run.last.n == model.n_iter_.max()
    assert run.last.values["gap"] == report.gap and run.last.values["dual"] == report.dual
    assert np.array_equal(run.last.arrays["multipliers"], report.multiplier)
    assert isinstance(model, SVC) and model.C == run.state.C


def test_one_class_is_refused():
    assert refusal_of("svm", points={"rows": [[0, 0, 0], [1, 1, 0]]})[1] == "points"
