"""The compiled steps of k-means against their definition, and against themselves: bounds change no bit."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from reference import kmeans as reference
from scipy.sparse import csr_array

from novum import _core
from novum.engines.kmeans import bounds, seeding
from novum.engines.kmeans.assignment import lloyd_pass, origin
from novum.engines.kmeans.bounds import Lloyd, guided_pass
from novum.fold.blocks import Block
from novum.fold.homes.memory import ArrayTiles, MemorySource
from novum.runtime.random import Stream

K = _core.kmeans.dense
SHAPES = [(700, 1, 3), (900, 2, 40), (600, 3, 17), (500, 8, 33), (500, 9, 20), (400, 32, 100), (300, 70, 5), (3, 4, 3)]


def sample(kind, n, d, k, dtype, seed=0):
    rng = np.random.default_rng(seed)
    if kind == "integers":  # ties everywhere
        X = rng.integers(0, 4, (n, d)).astype(float)
    elif kind == "far":  # clusters of width one, a thousand from zero
        X = rng.normal(size=(k, d))[rng.integers(k, size=n)] * 5 + 0.5 * rng.normal(size=(n, d)) + 1000
    else:
        X = rng.uniform(size=(n, d)) * {"tiny": 1e-30, "huge": 1e30}.get(kind, 1.0)
    X = np.ascontiguousarray(X, dtype=dtype)
    return X, X[rng.choice(n, k, replace=False)].astype(np.float64), rng.uniform(0, 2, n)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", ["uniform", "far", "integers"])
@pytest.mark.parametrize("n, d, k", SHAPES)
def test_step_against_definition(n, d, k, kind, dtype):
    X, centers, weight = sample(kind, n, d, k, dtype)
    for w in (None, weight):
        label, sums, mass, inertia = reference.step(X, w, centers)
        found, ours = lloyd_pass(centers, Block(X, weight=w))
        assert_array_equal(ours, label)
        assert_allclose(found.mass, mass, rtol=1e-13)
        about = origin(centers, X.dtype, False)
        assert_allclose(found.first + mass[:, None] * about, sums, rtol=1e-13, atol=1e-9)
        assert_allclose(found.inertia, inertia, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n, d, k", SHAPES)
def test_sparse_step_equals_dense(n, d, k, dtype):
    X, centers, weight = sample("uniform", n, d, k, dtype)
    X[X < 0.6] = 0
    for index in (np.int32, np.int64):
        rows = csr_array(X)
        rows.indices, rows.indptr = rows.indices.astype(index), rows.indptr.astype(index)
        found, label = lloyd_pass(centers, Block(rows, weight=weight))
        expected = reference.step(X, weight, centers)
        assert_array_equal(label, expected[0])
        assert_allclose(found.first, expected[1], rtol=1e-12, atol=1e-12)
        assert_allclose(found.mass, expected[2], rtol=1e-13)
        assert_allclose(found.inertia, expected[3], rtol=1e-12)


def bounds_of(kind, centers):
    """Return a guide of one kind, whatever it would cost."""
    if kind == "neighbors":
        return bounds.neighborhoods(centers)
    order, width = np.empty(len(centers), np.int32), 8 * (1 + len(centers) // 128)
    K.group(centers, order)
    return bounds.Groups(order, bounds.gaps(centers, order, width), np.zeros(width))


def descend(X, centers, weight, guide, passes=8, pays=None):
    """Return centers, labels and inertia of every pass, as a block with this guide finds them."""
    memory, trace = {}, []
    params = Lloyd(centers, 0, 0, guide)
    for number in range(passes):
        sums = guided_pass(params, Block(X, weight=weight, memory=memory))
        about = origin(params.centers, X.dtype, False)
        mass = np.where(sums.mass > 0, sums.mass, 1)[:, None]
        after = np.where(sums.mass[:, None] > 0, about + sums.first / mass, params.centers)
        trace.append((sums, memory["kmeans"].label.copy()))
        params = Lloyd(after, 0, number + 1, bounds.next_guide(params.guide, params.centers, after))
    return trace


def same_bits(a, b):
    for (one, first), (other, second) in zip(a, b):
        assert_array_equal(first, second)
        assert one.inertia == other.inertia and (one.first == other.first).all() and (one.mass == other.mass).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", ["uniform", "far", "integers", "tiny", "huge"])
@pytest.mark.parametrize("guide", ["groups", "neighbors"])
@pytest.mark.parametrize("n, d, k", SHAPES)
def test_bounds_change_no_bit(n, d, k, guide, kind, dtype, monkeypatch):
    X, centers, weight = sample(kind, n, d, k, dtype)
    plain = descend(X, centers, weight, None)
    for pays in (lambda *_: True, lambda *_: False, lambda looked, *_: looked < 1.5):
        monkeypatch.setattr(bounds, "groups_pay", pays)
        same_bits(descend(X, centers, weight, bounds_of(guide, centers)), plain)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 6), st.integers(1, 40), st.sampled_from([1e-8, 1e-3, 1, 1e6]), st.integers(0, 10**6), st.booleans()
)
def test_bounds_on_data_that_barely_differ(d, k, scale, seed, single):
    rng = np.random.default_rng(seed)
    dtype = np.float32 if single else np.float64
    X = np.ascontiguousarray(1 + scale * rng.integers(0, 3, (100, d)), dtype=dtype)
    centers = X[rng.choice(100, k)].astype(np.float64) + scale * 1e-7 * rng.normal(size=(k, d))
    plain = descend(X, centers, None, None, passes=4)
    for guide in ("groups", "neighbors"):
        same_bits(descend(X, centers, None, bounds_of(guide, centers), passes=4), plain)


def test_state_of_another_run_or_lost_is_rebuilt():
    X, centers, _ = sample("uniform", 500, 16, 64, np.float64)
    guide, memory = bounds_of("groups", centers), {}
    first = guided_pass(Lloyd(centers, 0, 0, guide), Block(X, memory=memory))
    other = guided_pass(Lloyd(centers[::-1].copy(), 1, 0, guide), Block(X, memory=memory))
    fresh = guided_pass(Lloyd(centers[::-1].copy(), 1, 0, guide), Block(X, memory={}))
    assert memory["kmeans"].run == 1 and (other.first == fresh.first).all()
    assert (guided_pass(Lloyd(centers, 0, 0, guide), Block(X)).first == first.first).all()


@pytest.mark.levels
@pytest.mark.parametrize("width", ["32", "16"])
def test_narrower_vectors_give_the_same_labels(width):
    code = (
        "import numpy as np; from novum import _core; rng = np.random.default_rng(0); out = []\n"
        "for d in (2, 9, 40):\n"
        "    for dtype in (np.float32, np.float64):\n"
        "        X = rng.uniform(size=(500, d)).astype(dtype); label = np.empty(500, np.int32)\n"
        "        _core.kmeans.dense.nearest(X, X[:37].astype(float), label); out.append(label)\n"
        "print(np.concatenate(out).tolist())"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, **extra}, capture_output=True, text=True, check=True
        )
        for extra in ({}, {"NOVUM_SIMD_BYTES": width})
    ]
    assert runs[0].stdout == runs[1].stdout


@pytest.mark.parametrize("dtype, rtol", [(np.float32, 1e-5), (np.float64, 1e-12)])
@pytest.mark.parametrize("d", [1, 2, 7, 40])
def test_seeding_against_definition(d, dtype, rtol):
    X, _, weight = sample("far", 400, d, 30, dtype)
    for w in (None, weight):
        square, owner = np.empty(400, dtype), np.zeros(400, np.int32)
        chosen, candidates = X[:30].astype(np.float64), X[30:41].astype(np.float64)
        total = _core.kmeans.seeding.absorb(X, w, chosen[:1], 0, square, owner, 1.0)
        assert_allclose(total, reference.step(X, w, chosen[:1])[3], rtol=rtol)
        for j in range(1, 30):  # one at a time, as k-means++ does, or several
            total = _core.kmeans.seeding.absorb(X, w, chosen[: j + 1], j, square, owner, 1.0)
        label, exact = reference.assign(X, chosen)
        assert_array_equal(owner, label)
        assert (square[:30] == 0).all()  # a row is at distance zero from itself
        assert_allclose(square, exact, rtol=rtol, atol=1e-6)
        again, owners = np.empty(400, dtype), np.zeros(400, np.int32)
        assert _core.kmeans.seeding.absorb(X, w, chosen, 0, again, owners, 1.0) == total and (again == square).all()
        for count in (1, 4, 5, 8, 11):
            gain, trial = np.empty(count), np.empty((count, 400), dtype)
            _core.kmeans.seeding.gains(X, w, chosen, candidates[:count], square, owner, 1.0, gain, trial)
            expected = reference.gains(X, w, chosen, candidates[:count])
            assert_allclose(gain, expected, rtol=100 * rtol, atol=1e-4 if d == 1 else 0)
        last = candidates[count - 1]
        more = np.vstack([chosen, last])
        potential = _core.kmeans.seeding.absorb(X, w, more, 30, again, owners, 1.0)
        assert _core.kmeans.seeding.adopt(trial[-1], w, 30, square, owner) == potential
        assert (square == again).all() and (owner == owners).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", ["uniform", "far", "integers"])
@pytest.mark.parametrize("n, d, k", SHAPES)
def test_seeds_of_one_block_with_and_without_a_state(n, d, k, kind, dtype):
    X, _, weight = sample(kind, n, d, k, dtype)
    weight[::7] = 0
    for w in (None, weight):
        source = MemorySource(ArrayTiles(X), None, w, rows=lambda n, d: n)
        one = seeding.seeds_in_block(source.first(), k, Stream(3), 1, 4)
        other = seeding.seeds_in_blocks(source, k, Stream(3), 1, 4)
        assert_array_equal(one.centers, other.centers)
        assert_array_equal(one.rows, other.rows)
        assert_array_equal(one.centers, X[one.rows])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 7, 512, 513, 3000])
def test_rows_where_the_cumulative_sum_passes_a_target(n, dtype):
    rng = np.random.default_rng(n)
    square = rng.uniform(size=n).astype(dtype)
    square[rng.uniform(size=n) < 0.3] = 0
    square[n // 2] = 1
    for weight in (None, rng.uniform(0, 2, n)):
        cumulative = np.cumsum(square.astype(np.float64) * (1 if weight is None else weight))
        target = np.append(rng.uniform(size=200) * cumulative[-1], [0.0, cumulative[-1], 2 * cumulative[-1]])
        rows = np.empty(203, np.int64)
        _core.kmeans.seeding.locate(square, weight, target, rows)
        last = np.searchsorted(cumulative, cumulative[-1] * (1 - 1e-12))
        assert_array_equal(rows, np.minimum(np.searchsorted(cumulative, target, side="right"), last))
        assert (square[rows] > 0).all()


def test_kernels_refuse_wrong_shapes():
    X, centers, _ = sample("uniform", 20, 3, 4, np.float64)
    label, sums, mass = np.empty(20, np.int32), np.zeros((4, 3)), np.zeros(4)
    with pytest.raises(ValueError, match="unequal width"):
        K.step(X, None, centers[:, :2].copy(), label, np.zeros((4, 2)), mass)
    with pytest.raises(ValueError, match="one label per row"):
        K.step(X, None, centers, label[:-1], sums, mass)
    with pytest.raises(ValueError, match="one weight per row"):
        K.step(X, np.ones(3), centers, label, sums, mass)
    rows = csr_array(X)
    with pytest.raises(ValueError, match="column out of range"):
        _core.kmeans.sparse.nearest(rows.data, rows.indices, rows.indptr, centers[:, :2].copy(), label)
    with pytest.raises(ValueError, match="inconsistent shapes"):
        _core.kmeans.sparse.nearest(rows.data, rows.indices, rows.indptr, centers, label[:-1])


@pytest.mark.parametrize("k, d", [(3, 2), (16, 1), (17, 2), (100, 2), (60, 4)])
@pytest.mark.parametrize("stride", [1e-4, 0.01, 0.2])
def test_followed_neighbors_stay_neighbors(k, d, stride):
    """However the centers wander: the nearest other is beyond `half`, whoever is not listed is beyond `radius`."""
    rng = np.random.default_rng(k)
    centers = rng.uniform(size=(k, d))
    guide = bounds.neighborhoods(centers)
    for _ in range(12):
        after = centers + rng.normal(scale=stride, size=(k, d)) * rng.integers(0, 2, (k, 1))
        guide, centers = bounds.next_guide(guide, centers, after), after
        distance = np.sqrt(((centers[:, None] - centers[None]) ** 2).sum(axis=2))
        np.fill_diagonal(distance, np.inf)
        assert (guide.half <= distance.min(axis=1)).all()
        assert_array_equal(guide.nearest[:, 0], np.arange(k))
        for j in range(k):
            listed = guide.nearest[j][guide.nearest[j] >= 0]
            assert len(np.unique(listed)) == min(k, 16)
            assert (np.delete(distance[j], listed) >= guide.radius[j]).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_move_is_the_mean(dtype):
    rng = np.random.default_rng(0)
    before, sums, mass = rng.normal(size=(7, 3)), rng.normal(size=(7, 3)), rng.uniform(1, 2, 7)
    mass[4] = 0.0
    about, after = rng.normal(size=3), np.empty((7, 3))
    shift = K.move(before, about, sums, mass, dtype == np.float32, after)
    expected = about + sums / np.where(mass > 0, mass, 1)[:, None]
    expected[4] = expected[np.argmax(mass)]
    assert_array_equal(after, expected.astype(dtype).astype(np.float64))
    assert_allclose(shift, ((after - before) ** 2).sum(), rtol=1e-14)
    assert K.move(after, about, sums, mass, dtype == np.float32, np.empty((7, 3))) == 0.0
