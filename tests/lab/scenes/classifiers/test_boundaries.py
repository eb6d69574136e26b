"""Borders: least squares against the normal equations, the others by their optimum, regions and doubt by formulas."""

import numpy as np
import pytest
from lab.runs import refusal_of, run_of

from novum.linear_model import LeastSquaresClassifier, LogisticRegression
from novum.svm import LinearSVC

STATES = [{}, {"scheme": "rest", "points": {"preset": "around", "n": 60}}, {"scheme": "pairs", "seed": 2, "C": 0.1}]
STATES.append({"points": {"preset": "far", "n": 60}})


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("boundaries", **request.param)


def grid_of(run):
    (x0, x1), (y0, y1) = run.state.points.domain
    at = (np.arange(64) + 0.5) / 64
    x, y = np.meshgrid(x0 + (x1 - x0) * at, y0 + (y1 - y0) * at)
    return np.column_stack([x.ravel(), y.ravel()])


def fitted_functions(X, T, points):
    """Return the values of least squares for targets T at points."""
    design = np.column_stack([np.ones(len(X)), X])
    return np.column_stack([np.ones(len(points)), points]) @ np.linalg.lstsq(design, T, rcond=None)[0]


def squares(run, points):
    """Return the class by least squares and how many classes claim a point, from the normal equations."""
    X, y, scheme = run.state.points.X, run.state.points.y, run.state.scheme
    classes = np.unique(y)
    if scheme == "pairs" and len(classes) > 2:
        votes, sums = np.zeros((2, len(points), len(classes)))
        for i in range(len(classes)):
            for j in range(i + 1, len(classes)):
                both = np.isin(y, classes[[i, j]])
                value = fitted_functions(X[both], np.where(y[both] == classes[j], 1.0, -1.0), points)
                votes[:, j] += value > 0
                votes[:, i] += value <= 0
                sums[:, j] += value
                sums[:, i] -= value
        top = votes == votes.max(axis=1, keepdims=True)
        return classes[np.where(top, sums, -np.inf).argmax(axis=1)], top.sum(axis=1)
    values = fitted_functions(X, (y[:, None] == classes) * 1.0, points)
    claims = (values > 0.5).sum(axis=1) if scheme == "rest" and len(classes) > 2 else np.ones(len(points))
    return classes[values.argmax(axis=1)], claims


def test_least_squares_are_the_normal_equations(run):
    frame, points = run.frames[0], grid_of(run)
    predicted, claims = squares(run, points)
    assert frame.values["undecided"] == (claims != 1).mean()
    assert np.array_equal(frame.arrays["map"].ravel(), np.where(claims == 1, predicted, 7))
    assert frame.values["errors"] == (squares(run, run.state.points.X)[0] != run.state.points.y).sum()
    X, y = run.state.points.X, run.state.points.y
    right = squares(run, X)[0] == y
    assert frame.values["least"] == pytest.approx(min(right[y == k].mean() for k in np.unique(y)), abs=1e-15)


def test_who_is_masked_and_who_is_pulled():
    line, far = run_of("boundaries"), run_of("boundaries", points={"preset": "far", "n": 90})
    assert line.frames[0].say[0] == "masked" and line.frames[0].say[1]["lost"] == 2
    assert line.frames[0].values["least"] < 0.3 and line.frames[1].values["least"] > 0.9
    assert far.frames[0].values["errors"] > 2 and far.frames[1].values["errors"] == 0


def test_the_losses_are_their_formulas(run):
    drawn, m = run.last.arrays, np.linspace(-2, 3, 101)
    assert drawn["squares"] == pytest.approx((1 - m) ** 2, abs=1e-12)
    assert drawn["logistic"] == pytest.approx(np.log1p(np.exp(-m)), rel=1e-12)
    assert drawn["hinge"] == pytest.approx(np.maximum(0, 1 - m), abs=1e-12)
    assert set(drawn["zero_one"][np.abs(m) > 1e-9]) == {0.0, 1.0} and drawn["zero_one"][0] == 1


def test_every_frame_is_a_fit(run):
    X, y, s = run.state.points.X, run.state.points.y, run.state
    classes = np.unique(y)
    together = len(classes) > 2 and s.scheme == "together"
    models = [LeastSquaresClassifier(), LogisticRegression(C=s.C)]
    models.append(LinearSVC(C=s.C, loss="hinge", multi_class="crammer_singer" if together else "ovr"))
    for frame, model in zip(run.frames, models):
        if len(classes) == 2 or together:
            predicted = model.fit(X, y).predict(X)
        elif s.scheme == "rest":
            scores = [model.fit(X, (y == k).astype(int)).decision_function(X) for k in classes]
            predicted = classes[np.argmax(scores, axis=0)]
        else:
            continue
        assert frame.values["errors"] == (predicted != y).sum()
        assert np.flatnonzero(predicted != y).tolist() == list(frame.arrays["wrong"])


def test_one_class_is_refused():
    assert refusal_of("boundaries", points={"rows": [[0, 0, 1], [1, 1, 1]]})[1] == "points"
