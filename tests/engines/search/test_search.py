"""Searches against the definition: every algorithm, norm, type and odd shape; ties, far rows, clusters far apart."""

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal
from reference import search as reference
from sklearn import neighbors as sklearn_neighbors

from novum import _core
from novum.engines.search.index import Scan
from novum.engines.search.metrics import Form
from novum.exceptions import DataError, ParameterError
from novum.neighbors import (
    VALID_METRICS,
    BallTree,
    KDTree,
    NearestNeighbors,
    kneighbors_graph,
    radius_neighbors_graph,
)

ALGORITHMS = ("brute", "kd_tree", "ball_tree")
SHAPES = [
    (1, 1, 1, 1),
    (5, 2, 9, 5),
    (17, 3, 1, 4),
    (700, 3, 60, 7),
    (700, 12, 60, 70),
    (400, 70, 33, 3),
    (900, 1, 20, 1),
]


def rows(n, d, q, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)).astype(dtype), rng.normal(size=(q, d)).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n, d, q, k", SHAPES)
def test_every_algorithm_finds_the_nearest(n, d, q, k, dtype):
    Y, X = rows(n, d, q, dtype)
    for p in (1, 2, 3.5, np.inf):
        distance, index = reference.nearest(X, Y, k, p)
        for algorithm in ALGORITHMS:
            found = NearestNeighbors(n_neighbors=k, algorithm=algorithm, p=p).fit(Y).kneighbors(X)
            assert_array_equal(found[1], index)
            assert_allclose(found[0], distance, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_ties_come_in_the_order_of_the_rows(algorithm):
    rng = np.random.default_rng(1)
    Y = rng.integers(0, 3, (600, 2)).astype(float)  # nine places, each many times
    X = rng.integers(0, 3, (50, 2)).astype(float)
    distance, index = reference.nearest(X, Y, 90)
    found = NearestNeighbors(n_neighbors=90, algorithm=algorithm).fit(Y).kneighbors(X)
    assert_array_equal(found[1], index)
    assert_allclose(found[0], distance, rtol=1e-15)
    equal = NearestNeighbors(n_neighbors=40, algorithm=algorithm).fit(np.ones((300, 4))).kneighbors(np.ones((20, 4)))
    assert_array_equal(equal[1], np.tile(np.arange(40), (20, 1)))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products_never_decide_what_they_cannot_tell(dtype):
    # Clusters so narrow and so far apart that single precision sees each as one point: exact distances must sort them.
    rng = np.random.default_rng(2)
    center = rng.normal(size=(5, 20)) * 1000
    Y = (center[rng.integers(5, size=800)] + 1e-2 * rng.normal(size=(800, 20))).astype(dtype)
    X = (center[rng.integers(5, size=64)] + 1e-2 * rng.normal(size=(64, 20))).astype(dtype)
    distance, index = reference.nearest(X, Y, 6)
    found = NearestNeighbors(n_neighbors=6, algorithm="brute").fit(Y).kneighbors(X)
    assert_array_equal(found[1], index)
    assert_allclose(found[0], distance, rtol=1e-13)


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e150])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_tiny_and_huge_numbers(scale, algorithm):
    Y, X = rows(300, 5, 40)
    plain = reference.nearest(X, Y, 4)[1]
    found = NearestNeighbors(n_neighbors=4, algorithm=algorithm).fit(Y * scale).kneighbors(X * scale)
    if 1e-150 < scale < 1e150:
        assert_array_equal(found[1], plain)
    assert found[1].min() >= 0 and found[1].max() < 300
    far = NearestNeighbors(n_neighbors=4, algorithm=algorithm).fit(Y).kneighbors(X + 1e12)
    assert_allclose(far[0], reference.nearest(X + 1e12, Y, 4)[0], rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("p", [1, 2, 3.5, np.inf])
@pytest.mark.parametrize(
    "n, d, q, m", [(1, 1, 1, 1), (40, 3, 5, 2), (700, 3, 60, 1), (700, 12, 60, 0), (400, 70, 33, 3)]
)
def test_sums_within_a_radius_are_those_of_the_lists(n, d, q, m, p, dtype):
    Y, X = rows(n, d, q, dtype)
    Y[::3], X[::2] = np.round(Y[::3]), np.round(X[::2])  # some distances equal the radius
    values = np.random.default_rng(0).normal(size=(n, m))
    scan = Scan(Y, Form(float(p)))
    for radius in (0.0, 1.0, 2.0, 1e3, 1e13):
        lists = scan.within(X, np.full(q, radius), 1)
        sums, count = scan.sums_within(X, np.full(q, radius), values, 2)
        assert_array_equal(count, np.diff(lists.begin))
        query = np.repeat(np.arange(q), count)
        for column in range(m):
            assert_array_equal(sums[:, column], np.bincount(query, values[lists.row, column], minlength=q))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("p", [1, 2, 3, np.inf])
def test_within_a_radius(algorithm, p):
    Y, X = rows(500, 3, 40)
    D = reference.distances(X, Y, p)
    model = NearestNeighbors(radius=0.9, algorithm=algorithm, p=p).fit(Y)
    distance, index = model.radius_neighbors(X)
    for i in range(len(X)):
        assert_array_equal(index[i], np.flatnonzero(D[i] <= 0.9))
        assert_allclose(distance[i], D[i][index[i]], rtol=1e-13)
    ordered = model.radius_neighbors(X, sort_results=True)[0]
    assert all((np.diff(one) >= 0).all() for one in ordered)
    line = NearestNeighbors(radius=2.0, algorithm=algorithm).fit(np.arange(30.0)[:, None])
    assert_array_equal(
        line.radius_neighbors([[10.0]], return_distance=False)[0], [8, 9, 10, 11, 12]
    )  # the border counts


def test_rows_are_not_their_own_neighbors():
    Y = np.repeat(np.random.default_rng(3).normal(size=(40, 2)), 4, axis=0)
    for algorithm in ALGORITHMS:
        index = NearestNeighbors(n_neighbors=2, algorithm=algorithm).fit(Y).kneighbors(return_distance=False)
        assert (index != np.arange(160)[:, None]).all() and (index // 4 == np.arange(160)[:, None] // 4).all()
        lists = NearestNeighbors(radius=0.0, algorithm=algorithm).fit(Y).radius_neighbors(return_distance=False)
        assert all(len(one) == 3 and i not in one for i, one in enumerate(lists))


@pytest.mark.parametrize(
    "metric", sorted({*VALID_METRICS["brute"], *VALID_METRICS["ball_tree"]} - {"pyfunc", "precomputed", "p"})
)
@pytest.mark.filterwarnings("ignore:Data was converted to boolean")
@pytest.mark.filterwarnings("ignore:Data with input dtype")
def test_every_metric_of_scikit_learn(metric):
    rng = np.random.default_rng(4)
    d = 2 if metric == "haversine" else 5
    boolean = metric in (
        "jaccard",
        "dice",
        "rogerstanimoto",
        "russellrao",
        "sokalmichener",
        "sokalsneath",
        "yule",
        "hamming",
    )
    Y, X = rng.normal(size=(60, d)), rng.normal(size=(9, d))
    if boolean:
        Y, X = (Y > 0).astype(float), (X > 0).astype(float)
    if metric in ("jensenshannon", "haversine"):
        Y, X = np.abs(Y), np.abs(X)
    given = (
        {"V": np.arange(1.0, d + 1)}
        if metric == "seuclidean"
        else {"VI": np.diag(np.arange(1.0, d + 1))}
        if metric == "mahalanobis"
        else None
    )
    if metric in VALID_METRICS["brute"]:
        names = {"algorithm": "brute", "metric": metric, "metric_params": given, "n_neighbors": 60}
    else:
        names = {"algorithm": "ball_tree", "metric": metric, "metric_params": given, "n_neighbors": 60}
    ours = NearestNeighbors(**names).fit(Y).kneighbors(X)
    theirs = sklearn_neighbors.NearestNeighbors(**names).fit(Y).kneighbors(X)
    assert_allclose(ours[0], theirs[0], rtol=1e-6, atol=1e-7)
    assert (np.sort(ours[1], 1) == np.arange(60)).all()


def test_functions_graphs_of_distances_and_sparse_rows():
    Y, X = rows(80, 4, 12)
    plain = NearestNeighbors(n_neighbors=5).fit(Y).kneighbors(X)
    by_function = (
        NearestNeighbors(n_neighbors=5, metric=lambda a, b: np.sqrt(((a - b) ** 2).sum())).fit(Y).kneighbors(X)
    )
    given = (
        NearestNeighbors(n_neighbors=5, metric="precomputed")
        .fit(reference.distances(Y, Y))
        .kneighbors(reference.distances(X, Y))
    )
    sparse = NearestNeighbors(n_neighbors=5).fit(scipy.sparse.csr_array(Y)).kneighbors(scipy.sparse.csr_array(X))
    for other in (by_function, given, sparse):
        assert_array_equal(other[1], plain[1])
        assert_allclose(other[0], plain[0], rtol=1e-9)
    graph = kneighbors_graph(Y, 7, mode="distance")
    nested = NearestNeighbors(n_neighbors=3, metric="precomputed").fit(graph).kneighbors(graph)
    assert_array_equal(nested[1], NearestNeighbors(n_neighbors=3).fit(Y).kneighbors()[1])
    assert_allclose(
        radius_neighbors_graph(Y, 1.0, mode="distance").toarray(),
        sklearn_neighbors.radius_neighbors_graph(Y, 1.0, mode="distance").toarray(),
        rtol=1e-7,
    )
    assert (kneighbors_graph(Y, 3, include_self=True).diagonal() == 1).all()


@pytest.mark.parametrize("cls", [KDTree, BallTree])
def test_trees_as_objects(cls):
    Y, X = rows(333, 3, 20)
    ours, theirs = cls(Y, leaf_size=5), getattr(sklearn_neighbors, cls.__name__)(Y)
    for k in (1, 9):
        distance, index = ours.query(X.reshape(4, 5, 3), k=k)
        expected = theirs.query(X, k=k)
        assert_array_equal(index.reshape(20, k), expected[1])
        assert_allclose(distance.reshape(20, k), expected[0], rtol=1e-13)
    radius = np.linspace(0.1, 2, 20)
    assert_array_equal(ours.query_radius(X, radius, count_only=True), theirs.query_radius(X, radius, count_only=True))
    assert_array_equal(ours.two_point_correlation(X, [0.5, 1.0]), theirs.two_point_correlation(X, [0.5, 1.0]))
    assert_array_equal(np.sort(ours.idx_array), np.arange(333))
    for kernel in ("gaussian", "epanechnikov"):
        assert_allclose(
            ours.kernel_density(X, 0.3, kernel), theirs.kernel_density(X, 0.3, kernel), rtol=1e-6, atol=1e-10
        )
    model = NearestNeighbors(n_neighbors=2).fit(ours)
    assert_array_equal(model.kneighbors(X)[1], theirs.query(X, 2)[1])
    with pytest.raises(ParameterError, match="k must be less than or equal to the number of training points"):
        ours.query(X, k=334)


def test_kernels_refuse_arrays_that_do_not_fit():
    Y, X = rows(40, 3, 5)
    tree = KDTree(Y)
    tree._cut_column[1] = 3  # as a hostile file might have it
    with pytest.raises(ValueError, match="cuts of columns that exist"):
        tree.query(X)
    with pytest.raises(ValueError, match="queries as wide"):
        _core.search.neighbors.distances(X, np.zeros((4, 2)), 2.0, np.zeros((5, 4)))
    with pytest.raises(ValueError, match="as many as there are rows"):
        _core.search.neighbors.nearest_by_scan(
            X, Y, 2.0, np.zeros(3), 1.0, np.zeros((5, 41)), np.zeros((5, 41), np.int64)
        )


def test_errors_name_the_remedy():
    Y, X = rows(10, 2, 3)
    with pytest.raises(ParameterError, match=r"Expected n_neighbors <= n_samples_fit, but n_neighbors = 11"):
        NearestNeighbors(n_neighbors=11).fit(Y).kneighbors(X)
    with pytest.raises(ParameterError, match="does not support 0 < p < 1"):
        NearestNeighbors(p=0.5, algorithm="kd_tree").fit(Y)
    with pytest.raises(DataError, match="Precomputed matrix must be square"):
        NearestNeighbors(metric="precomputed").fit(np.abs(Y))
    with pytest.raises(DataError, match="at least one row must remain"):
        NearestNeighbors().fit(Y).forget(np.arange(10))
    with pytest.warns(UserWarning, match="Mind that for 0 < p < 1"):
        NearestNeighbors(p=0.5).fit(Y)
