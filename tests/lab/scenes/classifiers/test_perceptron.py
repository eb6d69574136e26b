"""The perceptron: every correction against the rule written out, the last frame against a plain fit."""

import numpy as np
import pytest
from lab.runs import run_of

from novum.linear_model import Perceptron

STATES = [{}, {"eta": 0.3, "seed": 4}, {"order": "shuffled", "points": {"preset": "xor"}, "passes": 3}]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("perceptron", **request.param)


def corrections(run):
    """Yield (row, weights, offset) of every mistake, by the rule itself."""
    X, t = run.state.points.X, 2 * run.state.points.y - 1
    w, b = np.zeros(2), 0.0
    for row in run.scene.visits(run.state):
        if t[row] * (X[row] @ w + b) <= 0:
            w, b = w + run.state.eta * t[row] * X[row], b + run.state.eta * t[row]
            yield row, w, b


def test_every_step_is_one_correction(run):
    X, t = run.state.points.X, 2 * run.state.points.y - 1
    made = list(corrections(run))
    assert len(made) == len(run.frames) - 2 and len(made) > 1
    for frame, (row, w, b) in zip(run.frames[1:], made):
        scores = X @ w + b
        assert frame.arrays["row"] == [row]
        assert frame.values["criterion"] == pytest.approx(np.maximum(0, -t * scores).sum(), rel=1e-12, abs=1e-12)
        assert frame.values["wrong"] == (t * scores <= 0).sum()
        ends = np.array(frame.arrays["lines"][-1]["p"])
        assert ends @ w + b == pytest.approx(0, abs=1e-9)
        assert frame.arrays["arrow"][0] == pytest.approx([*(w - run.state.eta * t[row] * X[row]), *w], abs=1e-9)


def test_the_last_frame_is_the_fit(run):
    if run.state.order == "shuffled":
        return
    X, y, passes = run.state.points.X, run.state.points.y, run.state.passes
    model = Perceptron(eta0=run.state.eta, shuffle=False, tol=None, max_iter=passes).fit(X, y)
    assert run.last.values["mistakes"] == model.n_updates_
    margins = (2 * y - 1) * model.decision_function(X)
    assert run.last.values["criterion"] == np.maximum(0, -margins).sum()


def test_the_theorem_holds(run):
    bound = run.last.values["bound"]
    assert bound is None or run.last.values["mistakes"] <= bound
