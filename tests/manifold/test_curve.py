"""Principal curves: self-consistency, known curves, homes of data, pictures."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import novum
from novum.exceptions import DataError, NotConverged
from novum.manifold import PrincipalCurve

RNG = np.random.default_rng(0)
ANGLE = RNG.uniform(0, np.pi, 3000)
ARC = 2 * np.column_stack([np.cos(ANGLE), np.sin(ANGLE)]) + 0.1 * RNG.normal(size=(3000, 2)) + [5, -3]


@pytest.mark.notes("004", "principal-curves-named")
def test_an_arc_is_found_and_is_self_consistent():
    model = PrincipalCurve(tol=1e-7, max_iter=1000).fit(ARC)
    radius = np.linalg.norm(model.curve_ - [5, -3], axis=1)
    assert np.abs(radius - 2).max() < 0.06
    assert_allclose(model.arc_[-1], 2 * np.pi, rtol=0.03)
    place = model.transform(ARC)[:, 0]
    assert abs(np.corrcoef(place, ANGLE)[0, 1]) > 0.998
    # f(l) is the mean of the rows that are projected near l: away from the ends, to the width of the window
    for share in (0.2, 0.4, 0.6, 0.8):
        middle = share * model.arc_[-1]
        near = np.abs(place - middle) < 0.02 * model.arc_[-1]
        assert np.linalg.norm(ARC[near].mean(axis=0) - model.inverse_transform([[middle]])[0]) < 0.05
    assert model.history_[-1] < 0.012 < model.history_[0]
    assert_allclose(model.reconstruction_error(ARC), model.history_[-1], rtol=1e-2)


@pytest.mark.notes("004", "principal-curves-named")
def test_a_step_by_its_definition():
    start = PrincipalCurve(n_corners=40, span=0.1, max_iter=1)
    with pytest.warns(NotConverged, match="the curve still moved after max_iter=1"):
        model = start.fit(ARC)
    mean, (values, vectors) = ARC.mean(axis=0), np.linalg.eigh(np.cov(ARC.T, bias=True))
    axis = vectors[:, -1] * np.sign(vectors[np.abs(vectors[:, -1]).argmax(), -1])
    reach = 3 * np.sqrt(values[-1])
    share = np.clip(((ARC - mean) @ axis + reach) / (2 * reach), 0, 1)
    corners = []
    for t in np.linspace(share.min(), share.max(), 400):
        K, l = np.exp(-(((share - t) / 0.1) ** 2) / 2), share - t
        s0, s1, s2 = K.sum(), K @ l, K @ l**2 + 0.01 * 0.1**2 * K.sum()
        corners.append((s2 * (K @ ARC) - s1 * ((K * l) @ ARC)) / (s0 * s2 - s1**2))
    from scipy.spatial import cKDTree

    assert cKDTree(corners).query(model.curve_)[0].max() < 0.02
    assert (model.curve_[0] - mean) @ axis < 0 < (model.curve_[-1] - mean) @ axis  # along the axis, not against it
    for turn in (np.array([[0.0, 1.0], [1.0, 0.0]]), -np.eye(2)):
        with pytest.warns(NotConverged):
            other = PrincipalCurve(n_corners=40, span=0.1, max_iter=1).fit(ARC @ turn)
        direction = other.curve_[-1] - other.curve_[0]
        assert direction[np.abs(axis @ turn).argmax()] > 0  # the largest entry of the first axis is positive


def test_a_line_is_its_own_curve():
    X = np.outer(RNG.normal(size=500), [1.0, 2.0, -1.0]) + 3
    model = PrincipalCurve().fit(X)
    assert model.reconstruction_error(X) < 1e-6
    assert_allclose(model.inverse_transform(model.transform(X)), X, atol=3e-2)


def test_files_dask_and_weights(tmp_path):
    np.save(tmp_path / "x.npy", ARC)
    memory = PrincipalCurve().fit(ARC)
    scan = novum.scan(tmp_path / "x.npy", batch_rows=700)
    found = PrincipalCurve().fit(scan)
    assert_allclose(found.curve_, memory.curve_, rtol=1e-8)
    assert_allclose(np.concatenate(list(found.transform(scan))), memory.transform(ARC), rtol=1e-7, atol=1e-8)
    da = pytest.importorskip("dask.array")
    assert_allclose(PrincipalCurve().fit(da.from_array(ARC, chunks=(800, 2))).curve_, memory.curve_, rtol=1e-8)
    w = RNG.integers(0, 3, 300)
    weighted, repeated = (
        PrincipalCurve().fit(ARC[:300], sample_weight=w),
        PrincipalCurve().fit(np.repeat(ARC[:300], w, axis=0)),
    )
    assert_allclose(weighted.curve_, repeated.curve_, rtol=1e-8)


def test_picture_and_refusals():
    model = PrincipalCurve(30).fit(ARC)
    ax = model.plot(ARC)
    assert_allclose(ax.lines[0].get_xydata(), model.curve_)
    assert_allclose(ax.collections[0].get_offsets(), ARC)
    with pytest.raises(DataError, match="the rows do not vary"):
        PrincipalCurve().fit(np.ones((5, 2)))
    with pytest.raises(DataError, match="one column of places, got 2"):
        model.inverse_transform([[0.0, 1.0]])
