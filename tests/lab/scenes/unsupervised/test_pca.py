"""Principal components: variances against the covariance and its eigenvectors, the last frames against plain fits."""

import numpy as np
import pytest
from lab.runs import refusal_of, run_of

from novum.decomposition import PCA

STATES = [{}, {"angle": 30, "points": {"preset": "moons", "n": 60}}, {"seed": 4, "points": {"preset": "blobs"}}]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("pca", **request.param)


def test_variances_are_those_of_the_covariance(run):
    X = run.state.points.X
    S = np.cov(X.T)
    lengths = np.linalg.eigvalsh(S)[::-1]
    hand, first, second, turned, white = run.frames
    w = np.array([np.cos(np.radians(run.state.angle)), np.sin(np.radians(run.state.angle))])
    assert hand.values["variance"] == pytest.approx(np.var(X @ w, ddof=1), rel=1e-10)
    assert [first.values["variance"], second.values["variance"]] == pytest.approx(lengths, rel=1e-10)
    assert turned.values["variance"] == pytest.approx(lengths[0], rel=1e-10)
    assert white.values["variance"] == pytest.approx(1, rel=1e-10)
    assert [frame.values["share"] for frame in run.frames[:3]] == pytest.approx(
        [value / np.trace(S) for value in (np.var(X @ w, ddof=1), *lengths)], rel=1e-10
    )


def test_the_curve_is_largest_at_the_first_component(run):
    S = np.cov(run.state.points.X.T)
    curve, at = run.frames[1].arrays["variances"], run.frames[1].values["at"]
    angles = np.radians(np.arange(181))
    expected = np.cos(angles) ** 2 * S[0, 0] + np.sin(angles) ** 2 * S[1, 1] + np.sin(2 * angles) * S[0, 1]
    assert curve == pytest.approx(expected, rel=1e-10)
    assert abs(curve.argmax() - at) <= 0.5 + 1e-9
    assert run.frames[1].values["variance"] >= curve.max() * (1 - 1e-12)


def test_projections_meet_the_direction_at_a_right_angle(run):
    for frame in run.frames[:3]:
        gaps = frame.arrays["segments"][:, 2:] - frame.arrays["segments"][:, :2]
        ends = np.array(frame.arrays["lines"][0]["p"])
        assert np.abs(gaps @ (ends[1] - ends[0])).max() < 1e-4  # drawn in float32


def test_the_last_frames_are_fits(run):
    X = run.state.points.X
    model = PCA().fit(X)
    assert run.frames[1].values["variance"] == model.explained_variance_[0]
    assert run.frames[2].values["variance"] == model.explained_variance_[1]
    white = PCA(whiten=True).fit_transform(X)
    assert run.last.values["variance"] == white[:, 0].var(ddof=1)
    assert np.array_equal(run.last.arrays["Z"].astype(np.float32), white.astype(np.float32))
    assert np.corrcoef(white.T)[0, 1] == pytest.approx(0, abs=1e-10)


def test_points_in_one_place_are_refused():
    assert refusal_of("pca", points={"rows": [[1, 1], [1, 1], [1, 1]]})[1] == "points"
