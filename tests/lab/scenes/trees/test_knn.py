"""Nearest neighbors: votes and errors against sorted distances, the last frame against a plain fit."""

import numpy as np
import pytest
from lab.runs import refusal_of, run_of

from novum.neighbors import KNeighborsClassifier

STATES = [{}, {"metric": "manhattan", "weights": "distance", "query": [[1.1, -0.37]]}]
STATES.append({"metric": "chebyshev", "points": {"preset": "moons", "n": 60}, "most": 9, "seed": 5})
LENGTHS = {
    "euclidean": lambda gap: np.sqrt((gap**2).sum(axis=-1)),
    "manhattan": lambda gap: np.abs(gap).sum(axis=-1),
    "chebyshev": lambda gap: np.abs(gap).max(axis=-1),
}


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("knn", **request.param)


def vote(distances, y, k, weights):
    """Return the shares of the votes of the k nearest."""
    near = np.argsort(distances, kind="stable")[:k]
    worth = 1 / distances[near] if weights == "distance" else np.ones(k)
    return np.bincount(y[near], worth, minlength=3) / worth.sum(), near


def test_every_frame_is_the_vote_of_the_nearest(run):
    X, y, s = run.state.points.X, run.state.points.y, run.state
    distances = LENGTHS[s.metric](X - np.array(s.query[0]))
    for frame in run.frames:
        shares, near = vote(distances, y, frame.n, s.weights)
        assert set(frame.arrays["near"]) == set(near.tolist())
        assert frame.arrays["votes"] == pytest.approx(shares, abs=1e-12)
        assert frame.values["radius"] == pytest.approx(np.sort(distances)[frame.n - 1], rel=1e-12)


def test_the_error_leaves_every_row_out(run):
    X, y, s = run.state.points.X, run.state.points.y, run.state
    distances = LENGTHS[s.metric](X[:, None] - X[None])
    for frame in run.frames[::4]:
        wrong = 0
        for i in range(len(X)):
            others = np.arange(len(X)) != i
            wrong += vote(distances[i, others], y[others], frame.n, s.weights)[0].argmax() != y[i]
        assert frame.values["loo"] == pytest.approx(wrong / len(X), abs=1e-12)


def test_the_last_frame_is_the_fit(run):
    X, y, s = run.state.points.X, run.state.points.y, run.state
    model = KNeighborsClassifier(s.most, weights=s.weights, metric=s.metric).fit(X, y)
    assert run.last.values["loo"] == (model.predict(None) != y).mean()
    assert run.last.arrays["votes"][model.classes_].tolist() == model.predict_proba(s.query)[0].tolist()


def test_more_neighbors_than_points_are_refused():
    assert refusal_of("knn", most=3, points={"rows": [[0, 0, 0], [1, 1, 1], [1, 0, 2]]})[1] == "most"
