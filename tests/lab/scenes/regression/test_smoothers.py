"""Smoothers: means by weights written out, ridge by its linear system, errors of leaving one out by leaving one out."""

import numpy as np
import pytest
from lab.runs import refusal_of, run_of

STATES = [{"steps": 6}, {"kernel": "epanechnikov", "gap": 0.0, "ridge": 1.0, "steps": 5, "seed": 3}]
STATES.append({"steps": 4, "centers": 1, "normalized": True, "points": {"rows": [[0, 0], [1, 2], [2, 1], [4, 0.5]]}})


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("smoothers", **request.param)


def rows(run):
    """Return the rows that are drawn."""
    return run.frames[0].arrays["rows"][:, :1], run.frames[0].arrays["rows"][:, 1]


def window(run, distance):
    return np.exp(-(distance**2) / 2) if run.state.kernel == "gaussian" else np.maximum(0, 1 - distance**2)


def mean_at(run, h, x, X, y):
    """Return the kernel mean, NaN where nobody is near."""
    distance = np.abs(x - X[:, 0]) / h
    far = run.state.kernel == "gaussian" and window(run, distance).sum() == 0
    weight = window(
        run, np.sqrt(distance**2 - distance.min() ** 2) if far else distance
    )  # shares survive a common factor
    return weight @ y / weight.sum() if weight.sum() > 0 else np.nan


def ridge_at(run, h, x, X, y):
    gram = np.exp(-((X - X.T) ** 2) / (2 * h**2))
    dual = np.linalg.solve(gram + run.state.ridge * np.eye(len(X)), y)
    return np.exp(-((x - X[:, 0]) ** 2) / (2 * h**2)) @ dual


def left_out(run, predict, h):
    X, y = rows(run)
    others = [np.delete(np.arange(len(X)), i) for i in range(len(X))]
    return np.mean([(y[i] - predict(run, h, X[i, 0], X[o], y[o])) ** 2 for i, o in enumerate(others)])


def test_errors_are_those_of_leaving_one_out(run):
    for frame in run.frames:
        h = frame.values["bandwidth"]
        loo = left_out(run, mean_at, h)
        assert frame.values["loo"] == (None if np.isnan(loo) else pytest.approx(loo, rel=1e-8))
        assert frame.values["ridge_loo"] == pytest.approx(left_out(run, ridge_at, h), rel=1e-6)


def test_curves_are_their_formulas(run):
    (X, y), s = rows(run), run.state
    for frame in run.frames[2:]:
        h, drawn = frame.values["bandwidth"], frame.arrays
        for j in (0, 40, 80, 160):
            x = drawn["places"][j]
            assert drawn["mean"][j] == pytest.approx(mean_at(run, h, x, X, y), rel=1e-8, nan_ok=True)
            assert drawn["ridge_curve"][j] == pytest.approx(ridge_at(run, h, x, X, y), rel=1e-6, abs=1e-9)
            volume = np.sqrt(2 * np.pi) if s.kernel == "gaussian" else 4 / 3
            density = window(run, np.abs(x - X[:, 0]) / h).mean() / (h * volume)
            assert drawn["density"][j] == pytest.approx(density, rel=1e-8, abs=1e-12)


def test_the_network_is_ridge_on_its_bases(run):
    (X, y), s = rows(run), run.state
    low, high = s.points.domain[0]
    centers = np.linspace(low, high, s.centers) if s.centers > 1 else np.array([(low + high) / 2])
    for frame in run.frames[2:]:

        def bases(at, h=frame.values["bandwidth"]):
            columns = np.exp(-((at[:, None] - centers) ** 2) / (2 * h**2))
            return columns / columns.sum(axis=1, keepdims=True) if s.normalized else columns

        Phi = bases(X[:, 0])
        middle = Phi.mean(axis=0)
        v = np.linalg.solve((Phi - middle).T @ (Phi - middle) + s.ridge * np.eye(len(centers)), (Phi - middle).T @ y)
        drawn = y.mean() + (bases(frame.arrays["places"]) - middle) @ v
        assert frame.arrays["network"] == pytest.approx(drawn, rel=1e-6, abs=1e-8)


def test_the_gap_is_empty():
    run = run_of("smoothers", gap=0.4)
    assert (np.abs(rows(run)[0] - 0.5) >= 0.2).all() and len(rows(run)[0]) < 40
    assert refusal_of("smoothers", gap=0.8, points={"preset": "sine", "n": 4, "noise": 0.0})[1] == "gap"
