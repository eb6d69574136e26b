"""k-means: half-steps against the formulas written out, the last frame against a plain fit."""

import numpy as np
import pytest
from lab.runs import refusal_of, run_of

from novum.cluster import KMeans


def squares(X, centers):
    return ((X[:, None, :] - centers[None]) ** 2).sum(axis=2)  # (n, k)


@pytest.fixture(scope="module", params=[{}, {"seed": 7, "k": 3}, {"init": "k-means++", "points": {"preset": "moons"}}])
def run(request):
    return run_of("kmeans", **request.param)


def test_every_half_step_is_the_formula(run):
    X, before = run.state.points.X, None
    for frame in run.frames:
        labels, centers = frame.arrays["labels"], frame.arrays["centers"]
        if frame.part == "E":
            assert np.array_equal(labels, squares(X, centers).argmin(axis=1))
        else:
            assert np.array_equal(labels, before)
            means = [X[labels == j].mean(axis=0) for j in range(len(centers))]
            assert np.allclose(centers, means, rtol=1e-12, atol=1e-12)
        own = squares(X, centers)[np.arange(len(X)), labels]
        assert frame.values["J"] == pytest.approx(own.sum(), rel=1e-12)
        assert frame.arrays["sizes"].tolist() == np.bincount(labels, minlength=len(centers)).tolist()
        before = labels


def test_the_last_frame_is_the_fit(run):
    start = run.frames[0].arrays["centers"]
    model = KMeans(run.state.k, init=start).fit(run.state.points.X)
    assert run.last.values["J"] == model.inertia_ and run.last.n == model.n_iter_
    assert np.array_equal(run.last.arrays["centers"], model.cluster_centers_)
    assert np.array_equal(run.last.arrays["labels"], model.labels_)


def test_passes_are_fits_of_so_many_iterations(run):
    start = run.frames[0].arrays["centers"]
    for frame in run.frames[2::2]:
        model = KMeans(run.state.k, init=start, max_iter=frame.n).fit(run.state.points.X)
        assert frame.values["J"] == model.inertia_
        assert np.array_equal(frame.arrays["centers"], model.cluster_centers_)


def test_crosses_that_were_dragged_are_the_start():
    crosses = [[-1.5, 0.25], [2.0, 1.0]]
    run = run_of("kmeans", k=2, centers=crosses)
    assert run.frames[0].arrays["centers"].tolist() == crosses


def test_what_does_not_go_together_is_refused():
    assert refusal_of("kmeans", k=3, centers=[[0, 0]]) == ("centers: must have k = 3 rows, not 1.", "centers")
    sentence, control = refusal_of("kmeans", k=3, points={"rows": [[0, 0], [1, 1]]})
    assert control == "k" and "2 points" in sentence
