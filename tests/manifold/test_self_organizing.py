"""Self-organising maps: the batch rule and the online rule by their formulas, MiniSom, homes of data, pictures."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import novum
from novum.exceptions import ParameterError
from novum.manifold import SelfOrganizingMap
from novum.runtime.random import Stream
from novum.runtime.row_order import row_keys

RNG = np.random.default_rng(0)
X = RNG.normal(size=(600, 3)) * [3.0, 2.0, 0.3] + 5
HEX = [(c + 0.5 * (r % 2), r * np.sqrt(3) / 2) for r in range(3) for c in range(4)]


@pytest.mark.notes("004", "som-named")
@pytest.mark.parametrize("lattice", ["rectangular", "hexagonal"])
def test_batch_steps_by_their_formula(lattice):
    start = RNG.normal(size=(12, 3)) + 5
    places = np.array(HEX) if lattice == "hexagonal" else np.array([(c, r) for r in range(3) for c in range(4)], float)
    g = ((places[:, None] - places[None]) ** 2).sum(axis=2)
    w = RNG.integers(0, 3, len(X)).astype(float)
    units = start
    for t in range(4):
        sigma = 2.0 * (0.5 / 2.0) ** (t / 3)
        nearest = ((X[:, None] - units[None]) ** 2).sum(axis=2).argmin(axis=1)
        h = np.exp(-g / (2 * sigma**2))[:, nearest] * w  # (units, rows)
        units = (h @ X) / h.sum(axis=1, keepdims=True)
    model = SelfOrganizingMap(3, 4, lattice=lattice, init=start, max_iter=4).fit(X, sample_weight=w)
    assert_allclose(model.units_, units, rtol=1e-10)
    assert_allclose(model.positions_, places)
    squares = ((X[:, None] - units[None]) ** 2).sum(axis=2)
    assert_allclose(model.quantization_error_, (np.sqrt(squares.min(axis=1)) * w).sum() / w.sum(), rtol=1e-10)
    first, second = np.argsort(squares, axis=1)[:, :2].T
    touching = g[first, second] <= (1 if lattice == "hexagonal" else 2) + 1e-9
    assert_allclose(model.topographic_error_, w[~touching].sum() / w.sum(), rtol=1e-10)
    assert_array_equal(model.hits_, np.bincount(squares.argmin(axis=1), w, minlength=12))
    gaps = np.linalg.norm(units[:, None] - units[None], axis=2)
    near = (g > 0) & (g <= (1 if lattice == "hexagonal" else 2) + 1e-9)
    assert_allclose(model.u_matrix().ravel(), [gaps[u, near[u]].mean() for u in range(12)], rtol=1e-9)


@pytest.mark.notes("003", "reducers-named")
@pytest.mark.notes("004", "som-named")
def test_online_steps_by_their_formula():
    start = RNG.normal(size=(6, 3)) + 5
    model = SelfOrganizingMap(
        2, 3, algorithm="online", init=start, max_iter=2, learning_rate=0.4, sigma=1.2, random_state=1
    ).fit(X)
    places = np.array([(c, r) for r in range(2) for c in range(3)], float)
    g = ((places[:, None] - places[None]) ** 2).sum(axis=2)
    units, step = start.copy(), 0
    order = Stream(int(row_keys(1, 0, 1)[0]))  # of the first bucket, which is all rows
    for epoch in range(2):
        for i in order.permutation("order in a bucket", epoch, len(X)):
            decay = 1 / (1 + 2 * step / (2 * len(X)))
            u = ((X[i] - units) ** 2).sum(axis=1).argmin()
            units += 0.4 * decay * np.exp(-g[u] / (2 * (1.2 * decay) ** 2))[:, None] * (X[i] - units)
            step += 1
    assert_allclose(model.units_, units, rtol=1e-9)


def test_a_map_of_the_square_keeps_neighbors_together():
    square = RNG.uniform(size=(3000, 2))
    for lattice in ("rectangular", "hexagonal"):
        model = SelfOrganizingMap(8, 8, lattice=lattice, max_iter=40, sigma_end=0.8).fit(square)
        assert model.topographic_error_ < 0.1 and model.quantization_error_ < 0.08
        where = model.transform(square)
        assert max(abs(np.corrcoef(where[:, 0], square.T)[0, 1:])) > 0.95
    assert model.history_[-1] < model.history_[0]
    assert SelfOrganizingMap(8, 8, init="random", random_state=0).fit(square).quantization_error_ < 0.1


@pytest.mark.parametrize("options", [{}, {"lattice": "hexagonal"}, {"algorithm": "online"}])
def test_files_and_dask(options, tmp_path):
    np.save(tmp_path / "x.npy", X)
    scan = novum.scan(tmp_path / "x.npy", batch_rows=170)
    options = {"random_state": 0, **options}
    memory = SelfOrganizingMap(4, 3, **options).fit(X)
    found = SelfOrganizingMap(4, 3, **options).fit(scan)
    assert_allclose(found.units_, memory.units_, rtol=1e-9)
    assert_array_equal(np.concatenate(list(found.predict(scan))), memory.predict(X))
    da = pytest.importorskip("dask.array")
    lazy = SelfOrganizingMap(4, 3, **options).fit(da.from_array(X, chunks=(150, 3)))
    assert_allclose(lazy.units_, memory.units_, rtol=1e-9)


def test_the_picture_shows_the_u_matrix():
    model = SelfOrganizingMap(4, 5).fit(X)
    ax = model.plot()
    drawn, dots = ax.collections[:2]
    assert_allclose(drawn.get_array(), model.u_matrix().ravel())
    assert_allclose(drawn.get_offsets(), model.positions_)
    assert_allclose(dots.get_sizes() / dots.get_sizes().max(), model.hits_ / model.hits_.max())


def test_refusals():
    with pytest.raises(ParameterError, match=r"init must have the shape \(100, 3\), got \(2, 3\)"):
        SelfOrganizingMap(init=np.zeros((2, 3))).fit(X)
    with pytest.raises(ParameterError, match="one step per row"):
        SelfOrganizingMap(algorithm="online").fit(X, sample_weight=np.ones(len(X)))
    assert SelfOrganizingMap(1, 1).fit(X).topographic_error_ == 0


@pytest.mark.peer
def test_online_steps_are_minisoms():
    minisom = pytest.importorskip("minisom")
    peer = minisom.MiniSom(3, 2, 3, sigma=1.2, learning_rate=0.4)  # its first axis runs along our columns
    start = RNG.normal(size=(2, 3, 3)) + 5
    peer._weights = start.transpose(1, 0, 2).copy()
    order = np.arange(len(X))
    peer.train(X, len(X), use_epochs=False)
    units = start.reshape(6, 3).copy()
    places = np.array([(c, r) for r in range(2) for c in range(3)], float)
    g = ((places[:, None] - places[None]) ** 2).sum(axis=2)
    novum._core.manifold.units.online_steps(X, order, units, g, 0.4, 1.2, 0, len(X))
    assert_allclose(units.reshape(2, 3, 3), peer.get_weights().transpose(1, 0, 2), rtol=1e-8)
