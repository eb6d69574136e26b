"""A pass of k-means on a device: PyTorch and interpreted kernels against brute force, starts and empty clusters as in memory."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

torch = pytest.importorskip("torch")
from elsewhere import elsewhere  # noqa: E402  needs PyTorch
from interpreted import interpreted  # noqa: E402

from novum.cluster import KMeans  # noqa: E402
from novum.engines.kmeans import assignment, device_passes, device_seeding  # noqa: E402
from novum.runtime.row_order import row_keys  # noqa: E402

pytestmark = pytest.mark.deep
SHAPES = [(300, 5, 7, "float32"), (200, 3, 2, "float64"), (150, 70, 20, "float64"), (200, 20, 70, "float32")]


def rows(n, d, k, dtype):
    rng = np.random.default_rng(n + d)
    X = (rng.standard_normal((n, d)) + 3).astype(dtype)
    return X, X[:k].astype(np.float64) + 0.1, rng.random(n) * (rng.random(n) > 0.1)


def by_brute_force(X, centers, w):
    """Return labels, sums, masses and the inertia from all differences, in float64."""
    square = ((X[:, None].astype(np.float64) - centers) ** 2).sum(axis=2)
    label = square.argmin(axis=1)
    member = (label[:, None] == np.arange(len(centers))) * w[:, None]
    return label, member, float(w @ square.min(axis=1))


@pytest.mark.parametrize("kernels", [False, True], ids=["PyTorch", "Triton"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n", "d", "k", "dtype"), SHAPES)
def test_pass_is_brute_force(n, d, k, dtype, weighted, kernels):
    X, centers, w = rows(n, d, k, dtype)
    origin = assignment.origin(centers, X.dtype, False)
    weight = torch.from_numpy(w) if weighted else None
    if kernels:
        with interpreted():
            sums, label = device_passes.pass_sums(centers, origin, torch.from_numpy(X), weight)
    else:
        sums, label = device_passes.pass_sums(centers, origin, torch.from_numpy(X), weight)
    expected, member, inertia = by_brute_force(X, centers, w if weighted else np.ones(n))
    assert_array_equal(label.numpy(), expected)
    assert_allclose(sums.first, member.T @ (X.astype(np.float64) - origin), rtol=1e-6, atol=1e-6)
    assert_allclose(sums.mass, member.sum(axis=0), rtol=1e-13)
    assert sums.inertia == pytest.approx(inertia, rel=1e-7 if dtype == "float32" else 1e-13)


def test_rows_that_the_bound_leaves_open_are_settled():
    rng = np.random.default_rng(0)
    centers = rng.standard_normal((40, 6))
    X = (centers[rng.integers(40, size=200)] + centers[rng.integers(40, size=200)]) / 2  # half-way between two
    X += 1e-9 * rng.standard_normal(X.shape)
    centers = np.concatenate([centers, centers])  # every center twice: the first of equals
    origin = assignment.origin(centers, X.dtype, False)
    with interpreted():
        label = device_passes.labels(centers, origin, torch.from_numpy(X))
    expected = ((X[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    assert_array_equal(label.numpy(), expected)
    assert label.max() < 40


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_bound_covers_what_parts_of_bfloat16_leave(dtype):
    rng = np.random.default_rng(0)
    centers = rng.standard_normal((24, 12)) + 2
    a, b = rng.integers(24, size=(2, 1500))
    away = rng.choice([-1, 1], 1500) * 10 ** rng.uniform(-8, -3, 1500)  # from half-way, in shares of the distance
    X = ((centers[a] + centers[b]) / 2 + away[:, None] * (centers[a] - centers[b])).astype(dtype)
    origin = assignment.origin(centers, X.dtype, False)
    with interpreted():
        label = device_passes.labels(centers, origin, torch.from_numpy(X)).numpy()
    shifted = (X - origin.astype(dtype)).astype(np.float64)  # as the device has it, in the dtype of the rows
    expected = ((shifted[:, None] - (centers - origin)) ** 2).sum(axis=2).argmin(axis=1)
    assert_array_equal(label, expected)


def test_distances_of_near_pairs_keep_their_digits():
    rng = np.random.default_rng(0)
    centers = 1e3 + rng.standard_normal((4, 5))
    X = np.concatenate([centers, centers + 1e-9, centers + 1e-3, rng.standard_normal((5, 5))])
    origin = assignment.origin(centers, X.dtype, False)
    found = device_passes.all_distances(centers, origin, torch.from_numpy(X)).numpy()
    expected = np.sqrt(((X[:, None] - centers) ** 2).sum(axis=2))
    assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


def test_keys_of_many_rows_are_those_of_the_row_order():
    found = device_seeding.row_bits(7, 1000, torch.zeros(1)).numpy().view(np.uint64)
    base = int(row_keys(7, 0, 1)[0])
    inverse = [row_keys(base, 0, 1001)[0]]  # the same function, started at another key
    assert len(np.unique(found)) == 1000 and inverse[0] not in found
    assert abs(np.mean(found / 2.0**64) - 0.5) < 0.03 and abs(np.std(found / 2.0**64) - 12**-0.5) < 0.02


@pytest.mark.parametrize("init", ["k-means++", "random"])
@pytest.mark.parametrize("weighted", [False, True])
def test_starts_of_few_rows_are_those_of_memory(init, weighted):
    X, _, w = rows(2000, 4, 5, "float64")
    weight = w if weighted else None
    memory = KMeans(5, init=init, n_init=2, random_state=3).fit(X, sample_weight=weight)
    with elsewhere():
        model = KMeans(5, init=init, n_init=2, random_state=3)
        model.fit(torch.from_numpy(X), sample_weight=None if weight is None else torch.from_numpy(w))
        labels = model.predict(torch.from_numpy(X))
    assert_allclose(model.cluster_centers_, memory.cluster_centers_, rtol=1e-12)
    assert_array_equal(labels.numpy(), memory.predict(X))
    assert_array_equal(model.labels_, memory.labels_)
    assert isinstance(model.labels_, np.ndarray)


def test_a_sample_of_many_rows_is_a_start(monkeypatch):
    monkeypatch.setattr(device_seeding, "SAMPLE_ROWS", 500)
    rng = np.random.default_rng(0)
    centers = 30 * rng.standard_normal((6, 3))
    X = torch.from_numpy(centers[np.arange(3000) % 6] + rng.standard_normal((3000, 3)))
    w = torch.ones(3000, dtype=torch.float64)
    w[::6] = 0.0
    with elsewhere():
        model = KMeans(5, random_state=0).fit(X, sample_weight=w)
    gaps = np.sqrt(((model.cluster_centers_[:, None] - centers[1:]) ** 2).sum(axis=2))
    assert (gaps.min(axis=0) < 0.5).all()  # the cluster without weight draws no center


def test_empty_clusters_take_the_furthest_rows():
    X, _, w = rows(600, 3, 4, "float64")
    start = np.concatenate([X[:3], [[1e6, 0, 0], [0, 1e6, 0]]])
    memory = KMeans(5, init=start, n_init=1).fit(X, sample_weight=w)
    with elsewhere():
        model = KMeans(5, init=start, n_init=1).fit(torch.from_numpy(X), sample_weight=torch.from_numpy(w))
    assert_allclose(model.cluster_centers_, memory.cluster_centers_, rtol=1e-12)
    assert model.inertia_ == pytest.approx(memory.inertia_, rel=1e-12)


def test_labels_of_a_model_that_travels_are_an_array():
    import pickle

    X, _, _ = rows(200, 3, 4, "float64")
    with elsewhere(most=10**6):
        model = KMeans(3, random_state=0).fit(torch.from_numpy(X))
        twin = pickle.loads(pickle.dumps(model))
    assert isinstance(vars(twin)["labels_"], np.ndarray) and "_labels_there" not in vars(twin)
    with pytest.raises(AttributeError, match="KMeans"):
        twin.nothing  # noqa: B018
