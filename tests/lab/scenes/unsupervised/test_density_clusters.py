"""Clusters by density: cores counted, clusters as connected cores, border points beside one, at every radius."""

import numpy as np
import pytest
from lab.runs import refusal_of, run_of
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from novum.cluster import DBSCAN, HDBSCAN

STATES = [
    {},
    {"points": {"preset": "densities", "n": 150, "noise": 0.5}, "min_samples": 8, "seed": 3},
    {"points": {"preset": "circles", "n": 90, "noise": 0.3}, "min_samples": 1, "largest": 3.0},
    {"points": {"preset": "blobs", "n": 60, "noise": 0.9}, "min_samples": 3, "smallest": 0.3},
]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("density-clusters", **request.param)


def test_every_radius_by_its_definition(run):
    s, X = run.state, run.state.points.X
    far = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    assert len(run.frames) == 25
    for frame in run.frames:
        eps, labels = frame.values["eps"], np.array(frame.arrays["labels"])
        near = far <= eps
        core = near.sum(axis=1) >= s.min_samples
        assert frame.values["core"] == core.sum()
        count, parts = connected_components(csr_array(near[np.ix_(core, core)])) if core.any() else (0, np.zeros(0))
        assert frame.values["clusters"] == count
        assert len(set(zip(parts.tolist(), labels[core].tolist()))) == count  # the same groups, by whatever number
        touched = near[:, core].any(axis=1)
        assert frame.values["noise"] == (~touched).sum()
        for i in np.flatnonzero(touched & ~core):
            assert labels[i] in labels[core & near[i]]
        assert np.array_equal(labels < 0, ~touched)
        assert np.array_equal(frame.arrays["sizes"] == 0.12, core)
        if len(frame.arrays["discs"]):
            assert frame.arrays["discs"][:, 2] == pytest.approx(eps)


def test_the_last_frame_is_the_fit(run):
    s = run.state
    model = DBSCAN(eps=s.largest, min_samples=s.min_samples).fit(s.points.X)
    assert run.last.values["eps"] == s.largest and np.array_equal(run.last.arrays["labels"], model.labels_)
    own = HDBSCAN(min_cluster_size=max(2, s.min_samples)).fit(s.points.X).labels_
    assert np.array_equal(run.last.arrays["own"], own)


def test_distances_to_the_mth_point(run):
    s, X = run.state, run.state.points.X
    far = np.sort(np.sqrt(((X[:, None] - X) ** 2).sum(axis=2)), axis=1)[:, s.min_samples - 1]
    assert run.last.arrays["far"] == pytest.approx(np.sort(far), rel=1e-6, abs=1e-12)
    last = run.last.arrays
    assert last["by_noise"].tolist() == [frame.values["noise"] for frame in run.frames]


def test_bad_radii_are_refused():
    assert refusal_of("density-clusters", smallest=0.9, largest=0.5)[1] == "largest"
    assert refusal_of("density-clusters", min_samples=10, points={"rows": [[0, 0], [1, 1]]})[1] == "min_samples"
