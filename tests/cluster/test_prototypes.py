"""k-medoids, mini-batch k-means and image quantisation against definitions and peers."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import cluster as peer
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score, pairwise_distances

import novum
from novum.cluster import KMeans, KMedoids, MiniBatchKMeans, quantize_image
from novum.exceptions import DataError, NotConverged, ParameterError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3)) + 4 * RNG.normal(size=(5, 3))[RNG.integers(5, size=60)]


def loss(matrix, medoids, weight=None):
    w = np.ones(len(matrix)) if weight is None else weight
    return float(w @ matrix[:, list(medoids)].min(axis=1))


@pytest.mark.notes("002", "kmeans-dissimilarity")
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", lambda a, b: float(np.abs(a - b).max() ** 0.5)])
def test_no_swap_improves_the_medoids(metric):
    weight = RNG.integers(1, 4, 60).astype(float)
    matrix = pairwise_distances(X, metric=metric)
    model = KMedoids(5, metric=metric, random_state=0).fit(X, sample_weight=weight)
    medoids = set(model.medoid_indices_.tolist())
    assert_allclose(model.inertia_, loss(matrix, medoids, weight), rtol=1e-12)
    assert_array_equal(model.labels_, matrix[:, model.medoid_indices_].argmin(axis=1))
    for out in medoids:
        for new in set(range(60)) - medoids:
            assert loss(matrix, (medoids - {out}) | {new}, weight) >= model.inertia_ * (1 - 1e-10)
    turns = KMedoids(5, metric=metric, method="alternate", init=[0, 1, 2, 3, 4]).fit(X, sample_weight=weight)
    assert turns.inertia_ < loss(matrix, range(5), weight)
    for j, medoid in enumerate(turns.medoid_indices_):  # the best of its cluster
        rows = np.flatnonzero(turns.labels_ == j)
        assert_allclose(weight[rows] @ matrix[rows, medoid], (weight[rows] @ matrix[np.ix_(rows, rows)]).min())


def test_small_cases_reach_the_optimum():
    rows = RNG.normal(size=(14, 2))
    matrix = pairwise_distances(rows)
    best = min(loss(matrix, chosen) for chosen in combinations(range(14), 3))
    assert_allclose(KMedoids(3, n_init=5, random_state=0).fit(rows).inertia_, best, rtol=1e-12)
    assert_allclose(KMedoids(1).fit(rows).inertia_, matrix.sum(axis=0).min(), rtol=1e-12)
    assert KMedoids(14).fit(rows).inertia_ == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_precomputed_is_the_same(dtype):
    matrix = pairwise_distances(X).astype(dtype)
    given = KMedoids(4, metric="precomputed", init=[0, 1, 2, 3]).fit(matrix)
    rows = KMedoids(4, init=[0, 1, 2, 3]).fit(X)
    assert_array_equal(given.medoid_indices_, rows.medoid_indices_)
    assert_array_equal(given.predict(matrix), rows.predict(X))
    assert_allclose(rows.transform(X), matrix[:, rows.medoid_indices_], rtol=1e-5, atol=1e-6)
    assert given.cluster_centers_ is None


def test_starts_methods_and_errors():
    matrix = pairwise_distances(X)
    swapped = KMedoids(5, random_state=0).fit(X).inertia_
    build = KMedoids(5, init="build", method="alternate").fit(X)
    assert swapped <= build.inertia_ * (1 + 1e-12)
    for j, medoid in enumerate(build.medoid_indices_):  # a fixed point of (2)
        rows = np.flatnonzero(build.labels_ == j)
        assert_allclose(matrix[medoid, rows].sum(), matrix[np.ix_(rows, rows)].sum(axis=0).min())
    with pytest.raises(ParameterError, match="numbers of 2 different rows"):
        KMedoids(2, init=[1, 1]).fit(X)
    with pytest.raises(DataError, match="should be >= n_clusters=61"):
        KMedoids(61).fit(X)
    with pytest.raises(DataError, match="should be square"):
        KMedoids(2, metric="precomputed").fit(X)
    with pytest.warns(NotConverged, match="still moved"):
        KMedoids(5, init=[0, 1, 2, 3, 4], max_iter=1).fit(X)


@pytest.mark.peer
def test_the_kmedoids_package_agrees():
    kmedoids = pytest.importorskip("kmedoids")
    rows = RNG.normal(size=(300, 4))
    matrix = pairwise_distances(rows)
    start = np.arange(6)
    ours = KMedoids(6, metric="precomputed", init=start).fit(matrix).inertia_
    assert_allclose(ours, kmedoids.fasterpam(matrix, start.astype(np.uint64)).loss, rtol=0.01)


@pytest.mark.notes("002", "kmeans-online")
def test_002_the_stochastic_rule():
    model = MiniBatchKMeans(1, init=[[0.0, 0.0]], learning_rate=0.1).partial_fit([[1.0, 2.0]])
    assert_allclose(model.cluster_centers_, [[0.2, 0.4]], rtol=1e-15)
    start = np.array([[0.0, 0, 0], [3, 3, 3]])
    centers = start.copy()
    for x in X:  # word for word: the nearest center moves by 2 eta of the way
        k = np.argmin(((centers - x) ** 2).sum(axis=1))
        centers[k] += 2 * 0.05 * (x - centers[k])
    model = MiniBatchKMeans(2, init=start, learning_rate=0.05).partial_fit(X[:20]).partial_fit(X[20:])
    assert_allclose(model.cluster_centers_, centers, rtol=1e-12)
    mean = MiniBatchKMeans(1, init=[[9.0, 9, 9]], reassignment_ratio=0).partial_fit(X[:20]).partial_fit(X[20:])
    assert_allclose(mean.cluster_centers_, [X.mean(axis=0)], rtol=1e-12)  # steps of 1 / n: the mean of all rows so far


def test_batches_average_what_a_center_won():
    start = X[:3].copy()
    centers, mass = start.copy(), np.zeros(3)
    model = MiniBatchKMeans(3, init=start, reassignment_ratio=0.0)
    for part in (X[:25], X[25:40], X[40:]):
        label = ((part[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
        for k in range(3):
            rows = part[label == k]
            if len(rows):
                centers[k] = (mass[k] * centers[k] + rows.sum(axis=0)) / (mass[k] + len(rows))
                mass[k] += len(rows)
        model.partial_fit(part)
        assert_allclose(model.cluster_centers_, centers, rtol=1e-11)
    assert model.n_steps_ == 3


@pytest.mark.parametrize("sparse", [False, True])
def test_blobs_are_found(sparse):
    import scipy.sparse

    rows, y = make_blobs(3000, 4, centers=6, cluster_std=0.5, random_state=4)
    model = MiniBatchKMeans(6, batch_size=256, random_state=0, n_init=3).fit(
        scipy.sparse.csr_matrix(rows) if sparse else rows
    )
    exact = KMeans(6, random_state=0, n_init=3).fit(rows)
    assert adjusted_rand_score(model.labels_, y) > 0.99
    assert (
        model.inertia_
        < 1.05 * exact.inertia_
        < 1.05 * peer.KMeans(6, n_init=5, random_state=0).fit(rows).inertia_ * 1.001
    )
    assert len(model.history_) == model.n_steps_ and model.history_[-1] < model.history_[0]
    again = MiniBatchKMeans(6, batch_size=256, random_state=0, n_init=3).fit(rows)
    assert_allclose(again.inertia_, model.inertia_, rtol=1e-9)


def test_layouts_of_rows_and_starts():
    plain = MiniBatchKMeans(3, init=X[:3], random_state=0).fit(X)
    turned = MiniBatchKMeans(3, init=np.asfortranarray(X[:3]), random_state=0).fit(np.asfortranarray(X))
    assert_array_equal(plain.cluster_centers_, turned.cluster_centers_)


def test_rows_without_weight_are_never_drawn():
    rows = np.concatenate([X, np.full((40, 3), 1e6)])
    weight = np.r_[np.ones(60), np.zeros(40)]
    model = MiniBatchKMeans(4, random_state=0).fit(rows, sample_weight=weight)
    assert np.abs(model.cluster_centers_).max() < 100


@pytest.mark.notes("002", "vq-image")
def test_002_an_image_in_few_colors():
    colors = np.array([[250, 10, 10], [10, 250, 10], [10, 10, 250], [240, 240, 30]])
    index = RNG.integers(4, size=(30, 20))
    image = (colors[index] + RNG.integers(-3, 4, size=(30, 20, 3))).astype(np.uint8)
    found = quantize_image(image, 4, random_state=0)
    assert found.image.shape == image.shape and found.image.dtype == np.uint8
    assert adjusted_rand_score(found.index.ravel(), index.ravel()) == 1
    for k in range(4):  # the palette holds the means of its pixels
        assert_allclose(found.palette[k], image[found.index == k].mean(axis=0), rtol=1e-9)
    assert_allclose(found.error, ((image - found.palette[found.index]) ** 2).sum(axis=2).mean())
    assert_array_equal(found.image, np.rint(found.palette[found.index]))
    assert_allclose(found.ratio, 600 * 24 / (600 * 2 + 24 * 4))
    shuffled = RNG.permutation(600)  # positions play no part
    mixed = image.reshape(600, 3)[shuffled].reshape(30, 20, 3)
    assert_allclose(
        np.sort(quantize_image(mixed, 4, random_state=0).palette, axis=0), np.sort(found.palette, axis=0), rtol=1e-6
    )
    assert found.plot().images[0].get_array().shape == (30, 20, 3)
    assert len(quantize_image(np.zeros((3, 3)), 5).palette) == 1
    with pytest.raises(DataError, match="height, width, channels"):
        quantize_image(np.zeros(5), 2)


def test_rows_that_coincide_end_the_swaps_and_are_reported():
    rows = (
        RNG.normal(size=(40, 3)) > 0.5 * np.repeat([-9, 9], 20)[:, None]
    )  # few different rows: swaps gain rounding alone
    for k in (3, 5, 9):
        if k > len(np.unique(rows, axis=0)):
            with pytest.warns(NotConverged, match="distinct clusters"):
                assert KMedoids(k, random_state=0).fit(rows).n_iter_ < 10
    for model in (KMedoids(3, random_state=0), MiniBatchKMeans(3, random_state=0)):
        with pytest.warns(NotConverged, match=r"distinct clusters \(1\) found smaller than n_clusters \(3\)"):
            assert model.fit(np.full((12, 2), 0.1)).inertia_ < 1e-20


def test_medoids_of_a_matrix_that_is_not_symmetric_are_refused():
    with pytest.raises(DataError, match="not symmetric"):
        KMedoids(2, metric="precomputed").fit(np.array([[0.0, 1, 2], [3, 0, 1], [2, 1, 0]]))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_new_rows_of_files_and_dask_find_their_medoid(tmp_path, metric):
    da, pd = pytest.importorskip("dask.array"), pytest.importorskip("pandas")
    model = KMedoids(4, metric=metric, random_state=0).fit(X)
    pd.DataFrame(X, columns=list("abc")).to_parquet(tmp_path / "rows.parquet")
    scan = novum.scan(tmp_path / "rows.parquet")
    from_file = KMedoids(4, metric=metric, random_state=0).fit(scan)
    for name in ("predict", "transform"):
        here = getattr(model, name)(X)
        assert_allclose(np.concatenate(list(getattr(from_file, name)(scan))), here)
        assert_allclose(np.asarray(getattr(model, name)(da.from_array(X, chunks=(17, 3)))), here)
    assert_array_equal(model.predict(X), model.labels_)
