"""Kernel density and regression against sums written out, learned metrics, distances and their axioms."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from reference import search as reference
from scipy.integrate import quad
from scipy.optimize import check_grad
from scipy.special import logsumexp
from sklearn.neighbors import KernelDensity as SklearnDensity

from novum.engines.search.kernels import KERNELS, log_norm
from novum.exceptions import DataError, ParameterError
from novum.linalg import check_gradient
from novum.neighbors import KernelDensity, KNeighborsClassifier, MetricLearner, NadarayaWatson, pairwise_distances
from novum.neighbors.metric_learning import components_loss, pairs_loss
from novum.teaching import check_metric_axioms

RNG = np.random.default_rng(0)
ROWS, QUERIES = RNG.normal(size=(300, 3)), RNG.normal(size=(40, 3))


@pytest.mark.notes("000-a", "euclidean-distance")
@pytest.mark.notes("000-c", "dist-euclidean")
@pytest.mark.notes("003", "euclidean-distance")
def test_euclidean_distance():
    assert pairwise_distances([[0.0, 0]], [[3.0, 4]]) == 5
    assert_allclose(pairwise_distances(QUERIES, ROWS), reference.distances(QUERIES, ROWS), rtol=1e-14)
    for metric, distribution in (
        ("sqeuclidean", lambda a, b: ((a - b) ** 2).sum()),
        ("manhattan", lambda a, b: np.abs(a - b).sum()),
        ("chebyshev", lambda a, b: np.abs(a - b).max()),
        ("cosine", lambda a, b: 1 - a @ b / np.sqrt((a @ a) * (b @ b))),
    ):
        literal = [[distribution(a, b) for b in ROWS] for a in QUERIES]
        assert_allclose(pairwise_distances(QUERIES, ROWS, metric), literal, rtol=1e-10, atol=1e-12)
    near = np.array([[1e8, 1.0], [1e8, 1.0 + 1e-7]])  # products would lose this difference
    assert_allclose(pairwise_distances(near)[0, 1], near[1, 1] - near[0, 1], rtol=1e-15)


@pytest.mark.notes("000-c", "dist-minkowski")
def test_minkowski_distance():
    found = [pairwise_distances([[0.0, 0]], [[3.0, 4]], "minkowski", p=p)[0, 0] for p in (1, 2, 3, np.inf)]
    assert_allclose(found, [7, 5, 4.497941, 4], rtol=1e-6)
    with pytest.raises(ParameterError, match="the triangle inequality fails"):
        pairwise_distances(ROWS, metric="minkowski", p=0.5)
    weighted = pairwise_distances(QUERIES, ROWS, "minkowski", p=3, w=[1.0, 2, 3])
    by_hand = (np.array([1.0, 2, 3]) * np.abs(QUERIES[:, None] - ROWS[None]) ** 3).sum(-1) ** (1 / 3)
    assert_allclose(weighted, by_hand, rtol=1e-13)


@pytest.mark.notes("000-c", "sim-cosine")
def test_cosine():
    assert_allclose(1 - pairwise_distances([[1.0, 2]], [[2.0, 1]], "cosine"), 0.8)
    assert_allclose(pairwise_distances([[0.0, 0]], [[2.0, 1]], "cosine"), 1.0)


@pytest.mark.notes("000-a", "mahalanobis")
def test_mahalanobis():
    V = np.array([[2.0, 0.5, 0], [0.5, 1, 0.2], [0, 0.2, 3]])
    difference = QUERIES[:, None] - ROWS[None]
    by_hand = np.sqrt(np.einsum("qni,ij,qnj->qn", difference, np.linalg.inv(V), difference))
    assert_allclose(pairwise_distances(QUERIES, ROWS, "mahalanobis", VI=np.linalg.inv(V)), by_hand, rtol=1e-12)
    assert_allclose(
        pairwise_distances(QUERIES, ROWS, "mahalanobis", V=np.eye(3)), pairwise_distances(QUERIES, ROWS), rtol=1e-14
    )
    labels = (ROWS[:, 0] > 0).astype(int)
    for algorithm in ("brute", "ball_tree"):
        model = KNeighborsClassifier(metric="mahalanobis", metric_params={"V": V}, algorithm=algorithm).fit(
            ROWS, labels
        )
        assert_allclose(model.kneighbors(QUERIES)[0], np.sort(by_hand, 1)[:, :5], rtol=1e-12)
    with pytest.raises(ParameterError, match="would be imaginary"):
        pairwise_distances(ROWS, metric="mahalanobis", VI=-np.eye(3))


def test_axioms_of_metrics():
    points = ROWS[:40]
    for metric in ("euclidean", "manhattan", "chebyshev", "canberra"):
        assert check_metric_axioms(metric, points).is_metric
    assert not check_metric_axioms("sqeuclidean", points).triangle
    assert not check_metric_axioms("cosine", points).is_metric
    half = check_metric_axioms("minkowski", points, p=0.5)
    assert not half.triangle and half.worst_triangle > 0 and half.symmetric
    assert not check_metric_axioms(lambda a, b: a[0] - b[0], points).nonnegative
    with pytest.raises(DataError, match="at most 200"):
        check_metric_axioms("euclidean", ROWS)


@pytest.mark.notes("003", "parzen-window")
@pytest.mark.notes("004", "density-estimation-named")
@pytest.mark.parametrize("kernel", KERNELS)
def test_density_is_the_mean_of_kernels(kernel):
    for d in (1, 3):
        rows, queries = ROWS[:, :d], QUERIES[:, :d]
        weight = RNG.uniform(size=300)
        value = reference.kernel(kernel, reference.distances(queries, rows) / 0.7) @ weight / weight.sum()
        for algorithm in ("kd_tree", "ball_tree"):
            model = KernelDensity(bandwidth=0.7, kernel=kernel, algorithm=algorithm).fit(rows, sample_weight=weight)
            assert_allclose(
                np.exp(model.score_samples(queries) - log_norm(kernel, 0.7, d)), value, rtol=1e-12, atol=1e-300
            )
        theirs = SklearnDensity(bandwidth=0.7, kernel=kernel).fit(rows, sample_weight=weight).score_samples(queries)
        assert_allclose(model.score_samples(queries), theirs, rtol=1e-6, atol=1e-8)
    mass, _ = quad(
        lambda x: np.exp(KernelDensity(kernel=kernel).fit([[0.0]]).score_samples([[x]]))[0],
        -30,
        30,
        points=[-1, 0, 1],
        limit=200,
    )
    assert_allclose(mass, 1, rtol=1e-7)
    far = KernelDensity(kernel=kernel).fit(ROWS).score_samples(ROWS[:1] + 100)  # no underflow, however far
    assert np.isfinite(far).all() == (kernel in ("gaussian", "exponential"))


def test_density_far_away_and_under_other_metrics():
    model = KernelDensity(bandwidth=0.4).fit(ROWS)
    far = QUERIES + 5
    exact = (
        logsumexp(-(reference.distances(far, ROWS) ** 2) / 0.32, axis=1) - np.log(300) + log_norm("gaussian", 0.4, 3)
    )
    assert_allclose(model.score_samples(far), exact, rtol=1e-12)
    globe = np.radians([[48.0, 11.0], [52.5, 13.4], [41.9, 12.5]])
    ours, theirs = (
        cls(bandwidth=0.1, metric="haversine").fit(globe).score_samples(globe)
        for cls in (KernelDensity, SklearnDensity)
    )
    assert_allclose(ours, theirs, rtol=1e-7)


@pytest.mark.parametrize("kernel", ["gaussian", "exponential", "tophat"])
def test_bandwidth_by_leaving_one_out(kernel):
    rows = ROWS[:80, :2]
    model = KernelDensity(bandwidth="leave_one_out", kernel=kernel).fit(rows)
    values = reference.kernel(kernel, reference.distances(rows, rows) / model.bandwidth_)
    np.fill_diagonal(values, 0)
    each = np.log(values.sum(1) / 79) + log_norm(kernel, model.bandwidth_, 2)
    assert_allclose(model.leave_one_out_score_samples(), each, rtol=1e-10)
    assert each.sum() >= model.log_likelihoods_.max() - 1 and 0.1 < model.bandwidth_ < 3
    for rule, factor in (("scott", 80), ("silverman", 80)):
        assert_allclose(KernelDensity(bandwidth=rule).fit(rows).bandwidth_, factor ** (-1 / 6))


@pytest.mark.parametrize("kernel", KERNELS)
def test_draws_have_the_kernels_radii(kernel):
    d = 3
    draws = KernelDensity(bandwidth=0.5, kernel=kernel).fit(np.zeros((1, d))).sample(4000, random_state=0)
    r = np.linalg.norm(draws, axis=1) / 0.5
    top = 60 if kernel in ("gaussian", "exponential") else 1
    mean = (
        quad(lambda t: reference.kernel(kernel, np.float64(t)) * t**d, 0, top)[0]
        / quad(lambda t: reference.kernel(kernel, np.float64(t)) * t ** (d - 1), 0, top)[0]
    )
    assert abs(r.mean() - mean) < 5 * r.std() / 4000**0.5
    assert np.abs(draws.mean(0)).max() < 5 * draws.std() / 4000**0.5
    weighted = KernelDensity(bandwidth=1e-6).fit([[0.0], [1.0]], sample_weight=[1, 3]).sample(4000, random_state=1)
    assert abs(weighted.mean() - 0.75) < 0.04


@pytest.mark.notes("003", "nadaraya-watson")
def test_kernel_regression():
    x, t = np.array([[0.0], [1], [2]]), np.array([1.0, 3, 2])
    assert_allclose(NadarayaWatson(bandwidth=0.5).fit(x, t).predict([[1.5]]), 2.4863879, rtol=1e-7)
    weight = np.exp(-((1.5 - x[:, 0]) ** 2) / 0.5)
    assert_allclose(weight / weight.sum(), [0.009075, 0.495463, 0.495463], atol=5e-7)
    y = np.column_stack([ROWS[:, 0] ** 2, ROWS[:, 1]])
    for kernel in KERNELS:
        model = NadarayaWatson(bandwidth=1.5, kernel=kernel).fit(ROWS, y)
        values = reference.kernel(kernel, reference.distances(QUERIES, ROWS) / 1.5)
        assert_allclose(model.predict(QUERIES), values @ y / values.sum(1)[:, None], rtol=1e-11)
        values = reference.kernel(kernel, reference.distances(ROWS, ROWS) / 1.5)
        np.fill_diagonal(values, 0)
        with np.errstate(invalid="ignore"):
            assert_allclose(model.leave_one_out_predict(), values @ y / values.sum(1)[:, None], rtol=1e-9)
    count = np.random.default_rng(1).integers(1, 4, len(ROWS))  # a weight is a number of rows, of which one is left out
    model = NadarayaWatson(bandwidth=1.5).fit(ROWS, y, sample_weight=count)
    values = reference.kernel("gaussian", reference.distances(ROWS, ROWS) / 1.5) * count
    values -= np.diag(reference.kernel("gaussian", np.zeros(len(ROWS))))
    assert_allclose(model.leave_one_out_predict(), values @ y / values.sum(1)[:, None], rtol=1e-9)
    best = NadarayaWatson().fit(ROWS, y[:, 0])
    error = [
        ((NadarayaWatson(bandwidth=h).fit(ROWS, y[:, 0]).leave_one_out_predict() - y[:, 0]) ** 2).sum()
        for h in (best.bandwidth_, best.bandwidth_ / 2, best.bandwidth_ * 2)
    ]
    assert error[0] == min(error)
    with pytest.warns(UserWarning, match="Take a larger bandwidth"):
        assert np.isnan(NadarayaWatson(bandwidth=0.1, kernel="tophat").fit(x, t).predict([[9.0]])).all()


@pytest.mark.notes("000-c", "metric-learning")
def test_learned_metric():
    rng = np.random.default_rng(5)
    y = rng.integers(3, size=150)
    X = np.column_stack([y + 0.2 * rng.normal(size=150), 4 * rng.normal(size=(150, 2))])  # two columns of noise
    train, test = slice(0, 100), slice(100, 150)
    plain = KNeighborsClassifier(3).fit(X[train], y[train]).score(X[test], y[test])
    learner = MetricLearner().fit(X[train], y[train])
    turned = KNeighborsClassifier(3).fit(learner.transform(X[train]), y[train])
    given = KNeighborsClassifier(3, metric="mahalanobis", metric_params={"VI": learner.mahalanobis_}).fit(
        X[train], y[train]
    )
    assert turned.score(learner.transform(X[test]), y[test]) > plain + 0.2
    assert_allclose(given.kneighbors(X[test])[0], turned.kneighbors(learner.transform(X[test]))[0], rtol=1e-6)
    pairs = rng.integers(0, 150, (400, 2))
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    by_pairs = MetricLearner(n_components=1).fit(X, similar=pairs[same], dissimilar=pairs[~same])
    assert by_pairs.components_.shape == (1, 3) and by_pairs.mahalanobis_[0, 0] > 50 * by_pairs.mahalanobis_[1, 1]
    gaps, sign, point = X[pairs[:, 0]] - X[pairs[:, 1]], np.where(same, 1.0, -1.0), rng.normal(size=7)
    A = point[:6].reshape(2, 3)
    value, _ = pairs_loss(point, gaps, sign, 0.3)
    apart = sign * (((gaps @ A.T) ** 2).sum(axis=1) - point[6])
    assert value == pytest.approx(np.logaddexp(0, apart).mean() + 0.15 * (A**2).sum(), rel=1e-12)
    assert check_gradient(*(lambda v, i=i: pairs_loss(v, gaps, sign, 0.3)[i] for i in (0, 1)), point)
    with pytest.raises(DataError, match="both similar and dissimilar"):
        MetricLearner().fit(X, similar=pairs[same])
    with pytest.raises(DataError, match="requires y to be passed"):
        MetricLearner().fit(X)


def test_gradients_of_the_learned_metric():
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(20, 3)), rng.integers(2, size=20)
    same = (y[:, None] == y[None]) & ~np.eye(20, dtype=bool)
    start = rng.normal(size=6)
    assert (
        check_grad(lambda a: components_loss(a, X, same, 0.1)[0], lambda a: components_loss(a, X, same, 0.1)[1], start)
        < 1e-6
    )
    difference, sign = rng.normal(size=(30, 3)), rng.choice([-1.0, 1], 30)
    start = rng.normal(size=7)
    assert (
        check_grad(
            lambda a: pairs_loss(a, difference, sign, 0.1)[0], lambda a: pairs_loss(a, difference, sign, 0.1)[1], start
        )
        < 1e-6
    )
