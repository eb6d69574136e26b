"""KMeans against the notes' numbers, its definition and scikit-learn."""

import logging
import warnings

import numpy as np
import pytest
from artists import canvas, scatters
from numpy.testing import assert_allclose, assert_array_equal
from reference import kmeans as reference
from scipy.sparse import csr_array, csr_matrix
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans as Peer
from sklearn.datasets import make_blobs

from novum.cluster import KMeans, k_means, kmeans_plusplus, within_cluster_error
from novum.exceptions import DataError, NotConverged, ParameterError
from novum.teaching import plot_kmeans_steps

RNG = np.random.default_rng(0)
LINE = np.array([1.0, 2, 3, 8, 9, 10])[:, None]
PLANE = np.array([(1, 1), (1.5, 2), (3, 4), (5, 7), (3.5, 5), (4.5, 5), (3.5, 4.5)])


@pytest.mark.notes("000-c", "kmeans")
def test_notes_means_move_to_two_groups_on_a_line():
    steps = [KMeans(2, init=[[1.0], [2.0]], max_iter=m, tol=0).fit(LINE).cluster_centers_.ravel() for m in (1, 2, 3)]
    assert_allclose(steps, [[1, 6.4], [2, 9], [2, 9]], rtol=1e-15)
    model = KMeans(2, init=[[1.0], [2.0]]).fit(LINE)
    assert list(model.labels_) == [0, 0, 0, 1, 1, 1] and model.inertia_ == 4.0 and model.n_iter_ == 3


@pytest.mark.notes("001", "clustering-named")
def test_groups_are_found_without_labels():
    X, y = make_blobs(300, centers=[[-5, 0], [5, 0], [0, 8]], random_state=1)
    model = KMeans(3, random_state=0).fit(X)
    assert len(np.unique(y * 3 + model.labels_)) == 3  # one label per group
    assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.notes("002", "kmeans")
def test_notes_two_pairs_of_points():
    X = np.array([[0.0, 0], [0, 1], [5, 5], [6, 5]])
    model = KMeans(2, init=X[:2]).fit(X)
    assert_allclose(model.cluster_centers_, [[0, 0.5], [5.5, 5]], rtol=1e-15)
    assert list(model.labels_) == [0, 0, 1, 1] and model.inertia_ == 1.0
    assert (np.diff(model.history_) <= 0).all() and model.history_[-1] == 1.0


@pytest.mark.notes("004", "kmeans")
def test_notes_a_tie_goes_to_the_lowest_index():
    assert within_cluster_error(PLANE[[2]], [0], centers=PLANE[[0]]).total == 13
    assert within_cluster_error(PLANE[[2]], [0], centers=PLANE[[3]]).total == 13
    model = KMeans(2, init=PLANE[[0, 3]]).fit(PLANE)
    assert_allclose(model.history_, [33.25, 11.225694, 8.525], rtol=1e-7)
    assert_allclose(model.cluster_centers_, [[1.25, 1.5], [3.9, 5.1]], rtol=1e-15)


@pytest.mark.notes("004", "kmeans-objective")
def test_objective_by_cluster_and_its_derivative():
    labels, centers = np.array([0, 0, 0, 1, 1, 1, 1]), np.array([[1.0, 2], [4, 5]])
    found = within_cluster_error(PLANE, labels, centers=centers)
    expected = [((PLANE[labels == j] - centers[j]) ** 2).sum() for j in range(2)]
    assert_allclose(found.by_cluster, expected, rtol=1e-15)
    assert_allclose(found.total, sum(expected), rtol=1e-15)
    step = 1e-6
    moved = [
        within_cluster_error(PLANE, labels, centers=centers + s * np.array([[1.0, 0], [0, 0]])).total
        for s in (-step, step)
    ]
    assert_allclose((moved[1] - moved[0]) / (2 * step), -2 * (PLANE[:3, 0] - 1).sum(), rtol=1e-8)


@pytest.mark.notes("000-c", "sse-criterion")
def test_notes_error_of_one_to_six_clusters():
    best = [[0] * 6, [0, 0, 0, 1, 1, 1], [0, 0, 1, 2, 2, 2], [0, 0, 1, 2, 2, 3], [0, 0, 1, 2, 3, 4], [0, 1, 2, 3, 4, 5]]
    assert_allclose([within_cluster_error(LINE, z).total for z in best], [77.5, 4, 2.5, 1, 0.5, 0], rtol=1e-14)
    wide, code = np.random.default_rng(4).normal(size=(30, 3)), np.arange(30) % 4
    parts = [((wide[code == k] - wide[code == k].mean(axis=0)) ** 2).sum() for k in range(4)]
    assert_allclose(within_cluster_error(wide, code).by_cluster, parts, rtol=1e-13)
    assert_allclose(within_cluster_error(wide, code).total, sum(parts), rtol=1e-13)
    weighted = within_cluster_error(LINE, list("aaabbb"), sample_weight=[1, 2, 1, 1, 0, 1])
    assert_allclose(weighted.by_cluster, within_cluster_error(LINE[[0, 1, 1, 2, 3, 5]], list("aaaabb")).by_cluster)


@pytest.mark.notes("002", "plot-kmeans-steps")
def test_pictures_of_the_steps():
    axes = plot_kmeans_steps(PLANE, PLANE[[0, 3]], ax=canvas(3, 3))
    titles = [ax.get_title() for ax in axes]
    centers = np.asarray(PLANE[[0, 3]], float)
    for step in range(3):  # every panel: the rows by their nearest center, then the centers in their means
        near = ((np.asarray(PLANE)[:, None] - centers) ** 2).sum(-1).argmin(1)
        moved = np.array([np.asarray(PLANE)[near == k].mean(0) for k in (0, 1)])
        for ax, where in ((axes[2 * step + 1], centers), (axes[2 * step + 2], moved)):
            rows, crosses = ax.collections
            assert_allclose(rows.get_offsets(), PLANE)
            assert_allclose(crosses.get_offsets(), where)
            assert_allclose(rows.get_facecolors(), crosses.get_facecolors()[near])
        centers = moved
    assert_allclose(scatters(axes[0])[1], PLANE[[0, 3]])
    assert titles[:3] == ["start", "assignment 1: J = 33.25", "means 1: J = 12.21"]
    assert titles[-1] == "means 3: J = 8.525" and titles[-2] == "assignment 3: J = 8.525"
    assert_allclose(axes[-1].collections[1].get_offsets(), [[1.25, 1.5], [3.9, 5.1]])
    few = plot_kmeans_steps(PLANE, PLANE[[0, 3]], n_steps=1, ax=canvas(1, 3))
    assert len(few) == 3
    with pytest.raises(DataError, match="as many axes"):
        plot_kmeans_steps(PLANE, PLANE[[0, 3]], ax=axes[:2])
    with pytest.raises(DataError, match="Choose two columns"):
        plot_kmeans_steps(LINE, LINE[:2])


@pytest.mark.notes("000-c", "kmeans")
@pytest.mark.notes("002", "kmeans")
@pytest.mark.notes("004", "kmeans")
@pytest.mark.parametrize("dtype, rtol", [(np.float64, 1e-12), (np.float32, 3e-6)])
@pytest.mark.parametrize("n, d, k", [(3000, 2, 60), (2000, 20, 50), (4000, 30, 64), (500, 5, 4)])
def test_equals_scikit_learn_from_the_same_start(n, d, k, dtype, rtol):
    X = (np.random.default_rng(n).normal(size=(n, d)) + 3).astype(dtype)
    ours = KMeans(k, init=X[:k], tol=0, max_iter=15).fit(X)
    peer = Peer(k, init=X[:k].astype(np.float64), n_init=1, tol=0, max_iter=15).fit(X.astype(np.float64))
    assert ours.cluster_centers_.dtype == dtype and ours.labels_.dtype == peer.labels_.dtype
    assert (ours.labels_ != peer.labels_).mean() < (1e-12 if dtype == np.float64 else 5e-3)
    assert_allclose(ours.inertia_, peer.inertia_, rtol=rtol)
    assert_array_equal(ours.predict(X), ours.labels_)
    assert_allclose(ours.score(X), -ours.inertia_, rtol=1e-14)
    if dtype == np.float64:
        assert ours.n_iter_ == peer.n_iter_
        # the definition, since scikit-learn expands the square and loses half the digits of small distances
        assert_allclose(ours.transform(X), cdist(X, ours.cluster_centers_), rtol=1e-12, atol=1e-14)


@pytest.mark.notes("000-c", "kmeans")
@pytest.mark.notes("002", "kmeans")
@pytest.mark.notes("004", "kmeans")
def test_against_definition_with_weights():
    X, w = RNG.normal(size=(400, 3)), RNG.uniform(0.1, 2, 400)
    centers, history = reference.lloyd(X, w, X[:5], 12)
    model = KMeans(5, init=X[:5], tol=0, max_iter=12).fit(X, sample_weight=w)
    assert_allclose(model.history_[:12], history, rtol=1e-13)
    assert_allclose(model.cluster_centers_, centers, rtol=1e-12)


def test_stopping_rule_and_history():
    X = RNG.normal(size=(2000, 4))
    loose, strict = (KMeans(6, init=X[:6], tol=tol).fit(X) for tol in (1e-2, 0))
    peers = [Peer(6, init=X[:6], n_init=1, tol=tol).fit(X) for tol in (1e-2, 0)]
    assert [loose.n_iter_, strict.n_iter_] == [peer.n_iter_ for peer in peers]
    assert (np.diff(strict.history_) <= 1e-12 * strict.history_[0]).all()
    assert strict.history_[-1] == strict.inertia_ and len(strict.history_) == strict.n_iter_
    assert len(loose.history_) == loose.n_iter_ + 1


@pytest.mark.parametrize("container", [csr_matrix, csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_equals_dense(container, dtype):
    X = RNG.uniform(size=(600, 12)).astype(dtype)
    X[X < 0.7] = 0
    w = RNG.uniform(size=600)
    dense, sparse = (KMeans(7, init=X[:7]).fit(data, sample_weight=w) for data in (X, container(X)))
    assert_array_equal(dense.labels_, sparse.labels_)
    assert_allclose(
        dense.cluster_centers_, sparse.cluster_centers_, rtol=1e-5 if dtype == np.float32 else 1e-11, atol=1e-7
    )
    assert_array_equal(sparse.predict(container(X)), sparse.labels_)
    assert_allclose(sparse.transform(container(X)), dense.transform(X), rtol=2e-3 if dtype == np.float32 else 1e-7)
    seeds = [kmeans_plusplus(data, 7, random_state=3, sample_weight=w)[1] for data in (X, container(X))]
    assert_array_equal(*seeds)


def test_empty_clusters_take_the_furthest_rows():
    X = np.array([[0.0], [1], [2], [10], [11], [30]])
    model = KMeans(3, init=[[0.0], [100], [200]], tol=0, max_iter=50).fit(X)
    peer = Peer(3, init=[[0.0], [100], [200]], n_init=1, tol=0, max_iter=50).fit(X)
    assert_allclose(np.sort(model.cluster_centers_.ravel()), np.sort(peer.cluster_centers_.ravel()), rtol=1e-14)
    assert model.inertia_ == peer.inertia_
    weighted = KMeans(3, init=[[0.0], [100], [200]]).fit(np.vstack([X, [[1e6]]]), sample_weight=[1] * 6 + [0])
    assert_allclose(weighted.cluster_centers_, model.cluster_centers_)  # a row without weight is never taken


def test_fewer_distinct_rows_than_clusters():
    X = np.repeat([[0.0, 0], [1, 1]], 10, axis=0)
    with pytest.warns(NotConverged, match=r"Number of distinct clusters \(2\) found smaller than n_clusters \(3\)"):
        model = KMeans(3, random_state=0).fit(X)
    assert model.inertia_ == 0


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_starts_depend_on_the_seed_alone(init):
    X, w = RNG.normal(size=(5000, 6)), RNG.uniform(size=5000)
    one, two, other = (
        KMeans(9, init=init, n_init=1, max_iter=1, random_state=seed).fit(X, sample_weight=w) for seed in (5, 5, 6)
    )
    assert_array_equal(one.cluster_centers_, two.cluster_centers_)
    assert (one.cluster_centers_ != other.cluster_centers_).any()
    generator = KMeans(2, random_state=np.random.default_rng(1)).fit(X)
    assert generator.inertia_ > 0


def test_weight_decides_where_to_start():
    X, w = RNG.normal(size=(3000, 3)), np.zeros(3000)
    w[::100] = 1
    for seed in range(5):
        assert set(kmeans_plusplus(X, 20, sample_weight=w, random_state=seed)[1]) <= set(range(0, 3000, 100))
    with pytest.raises(DataError, match="only 30 rows have a positive weight"):
        KMeans(40, init="random").fit(X, sample_weight=w)


def test_plus_plus_draws_by_squared_distance():
    X = np.array([[0.0], [1], [3]])  # from 0, the squares are 0, 1, 9; from 1: 1, 0, 4; from 3: 9, 4, 0
    draws = np.array([kmeans_plusplus(X, 2, random_state=seed, n_local_trials=1)[1] for seed in range(4000)])
    share = [np.mean(draws[draws[:, 0] == first, 1] == second) for first, second in ((0, 2), (1, 2), (2, 0))]
    assert_allclose(share, [0.9, 0.8, 9 / 13], atol=0.035)
    greedy = [kmeans_plusplus(X, 2, random_state=seed, n_local_trials=60)[1] for seed in range(30)]
    assert all(set(rows) != {1, 0} for rows in greedy)  # 0 and 1 leave 4, the other pairs leave 1


def test_plus_plus_is_as_good_as_scikit_learns():
    X, _ = make_blobs(3000, centers=40, n_features=5, random_state=0)
    ours = np.median([reference.assign(X, kmeans_plusplus(X, 40, random_state=s)[0])[1].sum() for s in range(15)])
    from sklearn.cluster import kmeans_plusplus as peer

    theirs = np.median([reference.assign(X, peer(X, 40, random_state=s)[0])[1].sum() for s in range(15)])
    assert ours < 1.1 * theirs


def test_several_starts_keep_the_best():
    X, _ = make_blobs(400, centers=8, random_state=3)
    runs = [KMeans(8, init="random", n_init=n, random_state=0).fit(X).inertia_ for n in (1, 10)]
    assert runs[1] <= runs[0]
    assert KMeans(8, init="random", random_state=0).fit(X).inertia_ == runs[1]  # auto is ten

    def first_rows(X, k, random_state):
        return X[:k]

    made, given = KMeans(8, init=first_rows).fit(X), KMeans(8, init=X[:8]).fit(X)
    assert_array_equal(made.cluster_centers_, given.cluster_centers_)


def test_k_means_function():
    X, _ = make_blobs(200, centers=3, random_state=0)
    model = KMeans(3, random_state=0).fit(X)
    centers, labels, inertia, n_iter = k_means(X, 3, random_state=0, return_n_iter=True)
    assert_array_equal(centers, model.cluster_centers_)
    assert_array_equal(labels, model.labels_)
    assert (inertia, n_iter) == (model.inertia_, model.n_iter_)
    assert len(k_means(X, 3, random_state=0)) == 3


def test_callbacks_and_log(caplog):
    X = RNG.normal(size=(500, 3))
    seen = []

    class Watch:
        def setup(self, estimator, context): ...
        def teardown(self, estimator, context): ...
        def on_fit_task_begin(self, estimator, context): ...
        def on_fit_task_end(self, estimator, context):
            if context.task_name == "pass":
                seen.append(context.objective)
            return len(seen) >= 3

    with caplog.at_level(logging.INFO, "novum"):
        model = KMeans(5, init=X[:5], tol=0, verbose=1).set_callbacks(Watch()).fit(X)
    assert model.n_iter_ == 3 and seen == list(model.history_[:3])
    assert caplog.records[0].getMessage().startswith("KMeans: start 1, iteration 1, inertia ")


def test_names_of_columns_out():
    X = RNG.normal(size=(20, 2))
    out = KMeans(3, random_state=0).set_output(transform="pandas").fit_transform(X)
    assert list(out.columns) == ["kmeans0", "kmeans1", "kmeans2"]


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"init": "kmeans++"}, "The 'init' parameter of KMeans must be a str among.*Did you mean 'k-means\\+\\+'"),
        (
            {"init": [[1.0, 2, 3]] * 2},
            r"The shape of the initial centers \(2, 3\) does not match the number of clusters 3",
        ),
        ({"init": [[1.0, 2]] * 3}, r"The shape of the initial centers \(3, 2\) does not match the number of features"),
        ({"n_clusters": 0}, r"The 'n_clusters' parameter of KMeans must be an int in the range \[1, inf\)"),
        ({"n_init": "few"}, "The 'n_init' parameter of KMeans must be"),
        ({"tol": -1.0}, "The 'tol' parameter of KMeans must be"),
        ({"algorithm": "full"}, "The 'algorithm' parameter of KMeans must be a str among {'elkan', 'lloyd'}"),
    ],
)
def test_errors(parameters, message):
    with pytest.raises(ParameterError, match=message):
        KMeans(**{"n_clusters": 3, **parameters}).fit(RNG.normal(size=(20, 3)))


def test_more_errors_and_warnings():
    X = RNG.normal(size=(20, 3))
    with pytest.raises(DataError, match="n_samples=20 should be >= n_clusters=21"):
        KMeans(21).fit(X)
    with pytest.raises(DataError, match="n_samples=20 should be >= n_clusters=21"):
        kmeans_plusplus(X, 21)
    with pytest.raises(ParameterError, match="The length of x_squared_norms 3"):
        kmeans_plusplus(X, 2, x_squared_norms=[1.0, 2, 3])
    with pytest.raises(ParameterError, match="'n_local_trials' parameter of kmeans_plusplus"):
        kmeans_plusplus(X, 2, n_local_trials=0)
    with pytest.warns(RuntimeWarning, match="performing only one init in KMeans instead of n_init=4"):
        KMeans(2, init=X[:2], n_init=4).fit(X)
    with pytest.warns(RuntimeWarning, match="doesn't make sense for a single cluster"):
        KMeans(1, algorithm="elkan").fit(X)
    with pytest.raises(DataError, match="labels must be whole numbers from 0 to 1"):
        within_cluster_error(X, [2] * 20, centers=X[:2])
    with pytest.raises(DataError, match="Negative values in data passed to `sample_weight` of within_cluster_error"):
        within_cluster_error(X, [0] * 20, sample_weight=-np.ones(20))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KMeans(2, algorithm="elkan", random_state=0).fit(X)


@pytest.mark.parametrize("d, k", [(2, 5), (3, 60), (12, 5), (24, 60)])
def test_any_scale_and_any_offset_give_the_same_clusters(d, k):
    groups = 10 * RNG.normal(size=(k, d))
    X = (groups[RNG.integers(k, size=1500)] + 0.1 * RNG.normal(size=(1500, d))).astype(np.float32)
    model = KMeans(k, random_state=0).fit(X)
    for exponent in (-95, -40, 50, 110):  # squares of these float32 numbers are no float32 numbers
        scaled = np.ldexp(X, exponent)
        other = KMeans(k, random_state=0).fit(scaled)
        assert_array_equal(other.labels_, model.labels_)
        assert_array_equal(other.predict(scaled), model.labels_)
        assert_allclose(other.cluster_centers_, np.ldexp(model.cluster_centers_, exponent), rtol=1e-6)
    shifted = KMeans(k, random_state=0).fit(X.astype(np.float64) + 1e7)
    plain = KMeans(k, random_state=0).fit(X.astype(np.float64))
    assert_array_equal(shifted.labels_, plain.labels_)
    assert_allclose(shifted.inertia_, plain.inertia_, rtol=1e-7)


def test_numbers_whose_distances_are_infinite_do_no_harm():
    for seed in range(4):
        X = np.where(np.random.default_rng(seed).uniform(size=(200, 12)) < 0.5, -3e38, 3e38).astype(np.float32)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model = KMeans(3, init=X[:3]).fit(X)
            except DataError as error:  # centers beyond the largest float are refused, never returned
                assert "range of floating point" in str(error)
            else:
                assert set(model.labels_) <= {0, 1, 2} and np.isfinite(model.cluster_centers_).all()


def test_a_row_without_weight_is_absent_however_far():
    model = KMeans(2, random_state=0).fit([[0.0], [1.0], [10.0], [1e200]], sample_weight=[1, 1, 1, 0])
    assert_allclose(np.sort(model.cluster_centers_.ravel()), [0.5, 10])
    assert model.inertia_ == 0.5 and np.isfinite(model.history_).all()
