"""Networks of radial basis functions: literal formulas, least squares and ridge, dead regions, homes, what is drawn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import novum
from novum.exceptions import DataError, ParameterError
from novum.kernels import RBFNetwork

RNG = np.random.default_rng(0)
X = RNG.uniform(-3, 3, size=(200, 2))
Y = np.sin(X[:, 0]) * X[:, 1] + 0.05 * RNG.normal(size=200)
CENTERS = np.array([[-2, -2], [-2, 1], [0, 0], [1, 2], [2, -1.0]])
WEIGHT = np.where(np.arange(200) % 5 == 0, 0.0, RNG.uniform(0.5, 2, 200))


def literal_basis(X, centers, s, normalized):
    h = np.array([[np.exp(-sum((x - mu) ** 2) / (2 * s**2)) for mu in centers] for x in X])
    return h / h.sum(axis=1, keepdims=True) if normalized else h


@pytest.mark.notes("003", "rbf-network")
@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize("alpha", [0.0, 0.3])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("normalized", [False, True])
def test_linear_model_on_the_basis(normalized, intercept, alpha, weight):
    model = RBFNetwork(CENTERS, width=1.3, normalized=normalized, alpha=alpha, fit_intercept=intercept).fit(
        X, Y, weight
    )
    Phi = literal_basis(X, CENTERS, 1.3, normalized)
    assert_allclose(model.basis(X), Phi, atol=1e-13)
    if normalized:
        assert_allclose(model.basis(X).sum(axis=1), 1, atol=1e-14)
    A, P = np.hstack([np.ones((200, 1)), Phi]), np.diag([0.0] + [alpha] * 5)
    A, P = (A, P) if intercept else (A[:, 1:], P[1:, 1:])
    w = np.ones(200) if weight is None else weight
    v = np.linalg.pinv(A.T @ (w[:, None] * A) + P, rcond=1e-12) @ A.T @ (w * Y)
    assert_allclose(model.predict(X), A @ v, atol=1e-8)


@pytest.mark.notes("003", "rbf-network")
def test_normalised_basis_has_no_dead_regions():
    """Far from all centers the plain features are zero; the normalised ones add up to one, where every bump underflows too."""
    far = np.array([[40.0, 0.0], [1e6, -1e6], [-90.0, 3.0]])
    plain, normal = (RBFNetwork(CENTERS, width=1.0, normalized=n, fit_intercept=False).fit(X, Y) for n in (False, True))
    assert_allclose(plain.basis(far), 0, atol=1e-300)
    assert_allclose(plain.predict(far), 0, atol=1e-200)
    assert_allclose(normal.basis(far).sum(axis=1), 1, rtol=1e-14)
    assert_allclose(normal.predict(far)[0], normal.coef_[4], rtol=1e-9)  # the nearest center decides


def test_placement():
    groups = np.concatenate([RNG.normal(c, 0.05, size=(40, 2)) for c in CENTERS])
    target = groups[:, 0]
    found = RBFNetwork(5, random_state=0).fit(groups, target).centers_
    nearest = np.linalg.norm(found[:, None] - CENTERS, axis=2)
    assert (nearest.min(axis=0) < 0.05).all() and sorted(nearest.argmin(axis=1)) == [0, 1, 2, 3, 4]
    drawn = RBFNetwork(30, placement="random", random_state=0).fit(groups, target).centers_
    assert all((groups == row).all(axis=1).any() for row in drawn) and len(np.unique(drawn, axis=0)) == 30
    assert len(RBFNetwork(50).fit(X[:7], Y[:7]).centers_) == 7
    model = RBFNetwork(CENTERS).fit(X, Y)
    gaps = np.linalg.norm(CENTERS[:, None] - CENTERS, axis=2) + np.diag([np.inf] * 5)
    assert_allclose(model.width_, gaps.min(axis=1).mean())


def test_rows_as_centers_interpolate():
    model = RBFNetwork(X[:60], width=0.6, fit_intercept=False).fit(X[:60], Y[:60])
    assert_allclose(model.predict(X[:60]), Y[:60], atol=1e-7)


@pytest.mark.parametrize("profile", ["multiquadric", "inverse_multiquadric", lambda r: np.exp(-r)])
def test_other_profiles(profile):
    model = RBFNetwork(CENTERS, profile=profile, normalized=True, width=2.0).fit(X, Y)
    r = np.linalg.norm(X[:, None] - CENTERS, axis=2) / 2
    h = {"multiquadric": np.sqrt(1 + r**2), "inverse_multiquadric": 1 / np.sqrt(1 + r**2)}.get(profile, np.exp(-r))
    assert_allclose(model.basis(X), h / h.sum(axis=1, keepdims=True), atol=1e-12)


def test_homes(tmp_path):
    da = pytest.importorskip("dask.array")
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "y.npy", Y)
    scan = novum.scan(tmp_path / "x.npy", target=tmp_path / "y.npy", batch_rows=64)
    for options in ({"centers": CENTERS}, {"centers": 8, "random_state": 1, "placement": "random", "alpha": 0.1}):
        here = RBFNetwork(**options).fit(X, Y)
        there = RBFNetwork(**options).fit(scan)
        assert_allclose(there.coef_, here.coef_, rtol=1e-8)
        assert_allclose(np.concatenate(list(there.predict(scan))), here.predict(X), rtol=1e-8, atol=1e-10)
        cluster = RBFNetwork(**options).fit(da.from_array(X, chunks=(80, 2)), da.from_array(Y, chunks=80))
        assert_allclose(cluster.coef_, here.coef_, rtol=1e-8)
    several = RBFNetwork(CENTERS).fit(X, np.column_stack([Y, X[:, 0]]))
    assert several.coef_.shape == (2, 5)
    assert_allclose(several.predict(X)[:, 0], RBFNetwork(CENTERS).fit(X, Y).predict(X), atol=1e-12)
    novum.save(several, tmp_path / "m.novum")
    assert (novum.load(tmp_path / "m.novum").predict(X) == several.predict(X)).all()


def test_bad_input_is_named():
    with pytest.raises(ParameterError, match=r"RBFNetwork\(normalized=True, profile='thin_plate'\)"):
        RBFNetwork(profile="thin_plate", normalized=True).fit(X, Y)
    with pytest.raises(ParameterError, match="rows of 2 columns"):
        RBFNetwork(np.ones((3, 5))).fit(X, Y)
    with pytest.raises(DataError, match="add up to zero or less"):
        RBFNetwork(CENTERS, profile=lambda r: r * 0, normalized=True).fit(X, Y)
    with pytest.raises(ParameterError, match="'basis' or 'parts'"):
        RBFNetwork(CENTERS).fit(X, Y).plot([0.0], show="all")
    with pytest.raises(DataError, match="one variable"):
        RBFNetwork(CENTERS).fit(X, Y).plot([0.0])


@pytest.mark.notes("003", "fig-rbf")
@pytest.mark.parametrize("normalized", [False, True])
def test_three_bumps_raw_and_normalised(normalized):
    x, t = np.linspace(-1, 3, 50), np.linspace(0, 2, 20)
    model = RBFNetwork([[0.0], [1.0], [2.0]], width=0.4, normalized=normalized).fit(t[:, None], np.sin(t))
    ax = model.plot(x)
    drawn = [line.get_ydata() for line in ax.lines]
    expected = literal_basis(x[:, None], [[0.0], [1.0], [2.0]], 0.4, normalized)
    assert_allclose(drawn[:3], expected.T, atol=1e-12)
    assert_allclose(drawn[3], 1 if normalized else expected.sum(axis=1), atol=1e-12)
    assert all((line.get_xdata() == x).all() for line in ax.lines)
    parts = [line.get_ydata() for line in model.plot(x, show="parts").lines]
    assert_allclose(sum(parts[:3]) + model.intercept_, parts[3], atol=1e-9)
    assert_allclose(parts[3], model.predict(x[:, None]))
    at = np.column_stack([np.ones(20), literal_basis(t[:, None], [[0.0], [1.0], [2.0]], 0.4, normalized)])
    v = np.linalg.lstsq(at, np.sin(t), rcond=None)[0]  # and they add up to the line of least squares
    assert_allclose(parts[3], np.column_stack([np.ones(50), expected]) @ v, atol=1e-9)
