"""Trees of clusters: every merge by brute force over all pairs, every split by the squares that it saves."""

from itertools import combinations

import numpy as np
import pytest
from lab.runs import run_of

from novum.cluster import DivisiveClustering, linkage

BLOBS = {"preset": "blobs", "n": 14, "noise": 0.7}
STATES = [{"method": m, "points": BLOBS} for m in ("single", "complete", "average", "centroid", "ward")]
STATES[1] |= {"seed": 4, "cut": 2.5}


@pytest.fixture(scope="module", params=STATES, ids=lambda state: state["method"])
def run(request):
    return run_of("dendrogram", **request.param)


def distance(method, A, B):
    far = np.sqrt(((A[:, None] - B) ** 2).sum(axis=2))
    apart = float(np.sqrt(((A.mean(axis=0) - B.mean(axis=0)) ** 2).sum()))
    return {
        "single": far.min(),
        "complete": far.max(),
        "average": far.mean(),
        "centroid": apart,
        "ward": apart * np.sqrt(2 * len(A) * len(B) / (len(A) + len(B))),
    }[method]


def test_every_merge_is_of_the_nearest_two(run):
    s, X = run.state, run.state.points.X
    clusters = [frozenset([i]) for i in range(len(X))]
    for frame in run.frames[1:]:
        height, a, b = min((distance(s.method, X[list(a)], X[list(b)]), a, b) for a, b in combinations(clusters, 2))
        assert frame.values["height"] == pytest.approx(height, rel=1e-9)
        assert frozenset(frame.arrays["joined"]) == a | b
        clusters = [c for c in clusters if c not in (a, b)] + [a | b]
        assert frame.values["clusters"] == len(clusters) and len(frame.arrays["hulls"]) == sum(
            len(c) > 1 for c in clusters
        )
    assert len(clusters) == 1 and run.last.n == len(X) - 1


def test_the_cut_and_the_tree(run):
    s = run.state
    found = linkage(s.points.X, s.method)
    labels = found.cut(height=s.cut)
    assert run.last.values["at_cut"] == labels.max() + 1
    assert np.array_equal(run.last.arrays["labels"], labels)
    nodes = {node["id"]: node for node in run.last.arrays["nodes"]}
    for i, (left, right, height, _) in enumerate(np.asarray(found)):
        node = nodes[len(labels) + i]
        assert node["height"] == height
        assert nodes[int(left)]["parent"] == nodes[int(right)]["parent"] == node["id"]


def test_outlines_hold_their_rows(run):
    X = run.state.points.X
    for frame in run.frames[1:]:
        (newest,) = (line for line in frame.arrays["hulls"] if line["role"] == "now")
        corners = np.array(newest["p"])
        step = np.diff(corners, axis=0)
        for x in X[frame.arrays["joined"]]:
            sides = step[:, 0] * (x - corners[:-1])[:, 1] - step[:, 1] * (x - corners[:-1])[:, 0]
            assert (sides > -1e-9).all()


def squares(X, labels):
    return sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in np.unique(labels))


def test_every_split_saves_what_it_says():
    run = run_of("dendrogram", method="divisive", points=BLOBS, seed=2)
    X, before = run.state.points.X, run.frames[0]
    assert before.say[1]["left"] == pytest.approx(squares(X, np.zeros(14, int)), rel=1e-9)
    for frame in run.frames[1:]:
        old, new = np.array(before.arrays["labels"]), np.array(frame.arrays["labels"])
        parts = new[frame.arrays["joined"]]
        assert len(np.unique(parts)) == 2 and len(np.unique(old[frame.arrays["joined"]])) == 1
        assert all(len(np.unique(old[new == c])) == 1 for c in np.unique(new))
        assert frame.values["height"] == pytest.approx(squares(X, old) - squares(X, new), rel=1e-8, abs=1e-10)
        before = frame
    model = DivisiveClustering(14, random_state=2).fit(X)
    assert [frame.values["height"] for frame in run.frames[1:]] == model.distances_[::-1].tolist()


def test_rows_in_one_place_are_not_split():
    run = run_of("dendrogram", method="divisive", points={"rows": [[0, 0], [0, 0], [1, 0]]})
    assert run.last.values["clusters"] == 2


def test_a_bridge_deceives_single_linkage_alone():
    groups = [[x, y] for x in (-3, 3) for y in (-0.4, -0.2, 0, 0.2, 0.4)]
    bridge = [[x, 0] for x in np.linspace(-2.4, 2.4, 9).tolist()]
    single, ward = (
        run_of("dendrogram", points={"rows": groups + bridge}, method=m, cut=1.2) for m in ("single", "ward")
    )
    assert single.last.values["at_cut"] == 1 < ward.last.values["at_cut"]
