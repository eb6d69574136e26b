"""Maps: trustworthiness by its definition, steps of every method from its formula, last frames against plain fits."""

import numpy as np
import pytest
from lab.runs import run_of

from novum.manifold import MDS, Isomap, PrincipalCurve

STATES = [
    {},
    {"method": "mds", "n": 60, "seed": 2},
    {"method": "som", "shape": "letter", "n": 80},
    {"method": "curve", "shape": "letter", "n": 60, "noise": 0.3},
    {"method": "kernel-pca", "shape": "letter", "n": 50},
    {"method": "mds", "shape": "cities"},
]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("maps", **request.param)


def distances(X):
    return np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))


def rows(run):
    return run.scene.data(run.state).X


def trust(X, Z, k=5):
    """Return 1 - 2 / (n k (2n - 3k - 1)) sum of (rank in X - k) over neighbors on the map that are none in X."""
    n = len(X)
    rank = np.argsort(np.argsort(distances(X) + np.diag([-1.0] * n), axis=1, kind="stable"), axis=1)
    far = distances(Z)
    np.fill_diagonal(far, np.inf)
    near = np.argsort(far, axis=1, kind="stable")[:, :k]
    excess = np.take_along_axis(rank, near, axis=1) - k
    return 1 - 2 / (n * k * (2 * n - 3 * k - 1)) * np.maximum(excess, 0).sum()


def test_trustworthiness_and_continuity(run):
    if run.state.method in ("som", "curve"):
        return  # rows share a unit or an end of the curve, and ties may be broken either way
    X = rows(run)
    for frame in run.frames[:: max(1, len(run.frames) // 6)]:
        Z = np.array(frame.arrays["places"], float)
        assert frame.values["kept"] == pytest.approx(trust(X, Z), abs=2e-4)
        assert frame.values["torn"] == pytest.approx(trust(Z, X), abs=2e-4)


def test_scaling_follows_guttman():
    run = run_of("maps", method="mds", n=40, seed=1)
    wanted = distances(rows(run))
    for before, after in zip(run.frames[:20], run.frames[1:20]):
        Z = np.array(before.arrays["places"])
        far = distances(Z)
        B = -np.divide(wanted, far, out=np.zeros_like(far), where=far > 0)
        np.fill_diagonal(B, 0)
        np.fill_diagonal(B, -B.sum(axis=1))
        assert after.arrays["places"] == pytest.approx(B @ Z / len(Z), abs=1e-8)
        assert before.values["stress"] == pytest.approx(((far - wanted) ** 2).sum() / 2, rel=1e-9)
        assert after.values["stress"] <= before.values["stress"]
    model = MDS(init="random", n_init=1, random_state=1).fit(rows(run))
    assert np.array_equal(run.last.arrays["places"], model.embedding_)
    assert run.last.values["stress"] == pytest.approx(model.stress_, rel=1e-9)


def test_isomap_is_scaling_of_ways_along_neighbors():
    run = run_of("maps", n=50)
    X = rows(run)
    for frame in run.frames:
        model = Isomap(n_neighbors=frame.n).fit(X)
        assert np.abs(np.array(frame.arrays["places"])) == pytest.approx(np.abs(model.embedding_), rel=1e-6, abs=1e-6)
        ways = -(model.dist_matrix_**2) / 2
        center = np.eye(len(X)) - 1 / len(X)
        values = np.linalg.eigvalsh(center @ ways @ center)[::-1][:2]
        assert (np.array(frame.arrays["places"]) ** 2).sum(axis=0) == pytest.approx(values, rel=1e-5)


def test_a_lattice_and_a_curve_lie_near_their_rows():
    for method, lines, share in (("som", 16, 0.5), ("curve", 1, 0.8)):
        run = run_of("maps", method=method, shape="letter", n=80)
        assert len(run.last.arrays["drawn"]) == lines
        seen, gaps = np.array(run.last.arrays["seen"]), []
        for frame in (run.frames[0], run.last):
            line = np.array([point for drawn in frame.arrays["drawn"] for point in drawn["p"]])
            gaps.append(np.sqrt(((seen[:, None] - line) ** 2).sum(axis=2)).min(axis=1).mean())
        assert gaps[1] < share * gaps[0]


def test_places_of_a_curve_are_lengths_along_it():
    run = run_of("maps", method="curve", shape="letter", n=60)
    X, model = rows(run), PrincipalCurve(span=0.15).fit(rows(run))
    corners = model.curve_
    for i, arc in enumerate(np.array(run.last.arrays["places"])[:, 0]):
        k = int(np.clip(np.searchsorted(model.arc_, arc) - 1, 0, len(corners) - 2))
        part = (arc - model.arc_[k]) / (model.arc_[k + 1] - model.arc_[k])
        foot = corners[k] + part * (corners[k + 1] - corners[k])
        assert np.linalg.norm(X[i] - foot) <= np.linalg.norm(X[i] - corners, axis=1).min() + 1e-9
    assert np.array_equal(np.array(run.last.arrays["places"])[:, 0], model.transform(X)[:, 0])


def test_kernel_pca_is_that_of_the_centered_kernel(run):
    if run.state.method != "kernel-pca":
        return
    X = rows(run)
    center = np.eye(len(X)) - 1 / len(X)
    for frame in run.frames:
        K = center @ np.exp(-frame.say[1]["setting"] * distances(X) ** 2) @ center
        values, vectors = np.linalg.eigh(K)
        scores = vectors[:, ::-1][:, :2] * np.sqrt(values[::-1][:2])
        assert np.abs(np.array(frame.arrays["places"])) == pytest.approx(np.abs(scores), abs=1e-5)


def test_the_cities_are_where_they_are():
    frame = run_of("maps", shape="cities", method="mds").last
    places = {name: np.array([x, y]) for x, y, name in frame.arrays["map_names"]}
    assert np.hypot(*(places["Roma"] - places["Paris"])) == pytest.approx(1.1, abs=0.05)  # thousands of kilometres
    assert frame.values["kept"] > 0.95
