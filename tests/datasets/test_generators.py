"""The generators: their distributions, their special cases, their errors, and the same sample from the same seed."""

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import linprog
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.linear_model import LinearRegression
from sklearn.metrics import adjusted_rand_score
from sklearn.svm import SVC

from novum import datasets
from novum.exceptions import DataError, ParameterError


def separable(X, y):
    """Whether y (Xw + b) >= 1 has a solution, by linear programming."""
    sign = np.where(y == np.unique(y)[-1], 1, -1)
    A = -sign[:, None] * np.column_stack([X, np.ones(len(X))])
    return linprog(np.zeros(A.shape[1]), A, -np.ones(len(X)), bounds=(None, None)).status == 0


@pytest.mark.notes("002", "data-sine")
def test_sine_lies_on_the_unit_interval_around_the_sine():
    data = datasets.make_sine(4000, noise=0.3, random_state=0)
    x, rest = data.data[:, 0], data.target - data.clean
    assert x.min() >= 0 and x.max() < 1 and np.abs(x.mean() - 0.5) < 0.02
    np.testing.assert_allclose(data.clean, np.sin(2 * np.pi * x))
    assert abs(rest.mean()) < 0.02 and abs(rest.std() - 0.3) < 0.01


@pytest.mark.notes("002", "data-line")
def test_line_has_the_slope_and_intercept_of_the_notes():
    X, t = datasets.make_line(5000, noise=0.2, random_state=1, return_X_y=True)
    model = LinearRegression().fit(X, t)
    assert model.intercept_ == pytest.approx(-0.3, abs=0.01) and model.coef_[0] == pytest.approx(0.5, abs=0.02)
    assert X.min() >= -1 and X.max() <= 1
    assert stats.kstest(X[:, 0], stats.uniform(-1, 2).cdf).pvalue > 0.01
    for noise in (0.2, 0.7):  # which is normal, of this standard deviation, the same everywhere
        X, t = datasets.make_line(5000, noise=noise, random_state=2, return_X_y=True)
        gap = t - (-0.3 + 0.5 * X[:, 0])
        assert stats.kstest(gap, stats.norm(0, noise).cdf).pvalue > 0.01
        assert gap.std() == pytest.approx(noise, rel=4 / np.sqrt(10_000))
        assert gap[X[:, 0] > 0].std() == pytest.approx(gap[X[:, 0] < 0].std(), rel=8 / np.sqrt(5000))
    X, t = datasets.make_line(5000, random_state=3, return_X_y=True)
    assert (t - (-0.3 + 0.5 * X[:, 0])).std() == pytest.approx(0.2, rel=4 / np.sqrt(10_000))


@pytest.mark.notes("000-b", "ex-noisy-curve")
def test_noisy_curve_is_smooth_underneath():
    data = datasets.make_noisy_function(n_samples=2000, noise=0.1, grid=True, random_state=0)
    assert np.abs(np.diff(data.clean)).max() < 0.02 and abs((data.target - data.clean).std() - 0.1) < 0.01
    inside = np.abs(data.target - data.clean) <= 0.2
    assert 0.93 < inside.mean() < 0.975  # two standard deviations: most points fit into the tube


@pytest.mark.notes("002", "data-gaussian-classes")
@pytest.mark.parametrize("layout", ["equal", "unequal", "collinear"])
def test_gaussian_classes_have_their_moments(layout):
    data = datasets.make_gaussian_classes(20_000, layout=layout, random_state=3)
    for k, (mean, covariance) in enumerate(zip(data.means, data.covariances)):
        rows = data.data[data.target == k]
        np.testing.assert_allclose(rows.mean(axis=0), mean, atol=0.06)
        np.testing.assert_allclose(np.cov(rows.T), covariance, atol=0.08)
    if layout == "collinear":  # the middle class is masked by least squares on indicators
        onehot = np.eye(3)[data.target]
        said = LinearRegression().fit(data.data, onehot).predict(data.data).argmax(axis=1)
        assert np.mean(said == 1) < 0.1
    else:
        assert data.means.shape == (2, 2)
    assert (np.ptp(data.covariances, axis=0).max() == 0) == (layout != "unequal")


def test_outliers_pull_least_squares():
    plain = datasets.make_gaussian_classes(200, random_state=0)
    pulled = datasets.make_gaussian_classes(200, outliers=20, random_state=0)
    assert pulled.data.shape == (220, 2) and (pulled.target[-20:] == 1).all()
    np.testing.assert_array_equal(plain.data, pulled.data[:200])
    errors = [
        np.mean((LinearRegression().fit(d.data, d.target).predict(plain.data) > 0.5) != plain.target)
        for d in (plain, pulled)
    ]
    assert errors[1] > errors[0]


@pytest.mark.notes("000-b", "ex-separable-blobs")
def test_separable_points_have_the_margins_of_the_notes():
    for outlier, w, width in ((False, [2 / 3, 2 / 3], 2.121320), (True, [2, 2], 0.707107)):
        X, y = datasets.make_separable(outlier=outlier, return_X_y=True)
        model = SVC(kernel="linear", C=1e8, tol=1e-10).fit(X, y)
        np.testing.assert_allclose(model.coef_[0], w, atol=1e-4)
        assert 2 / np.linalg.norm(model.coef_) == pytest.approx(width, abs=1e-5)
    X, y = datasets.make_separable(300, gap=0.5, outlier=True, random_state=0, return_X_y=True)
    assert separable(X, y) and len(y) == 301
    X, y = datasets.make_separable(300, gap=-1.0, random_state=0, return_X_y=True)
    assert not separable(X, y)
    X, y = datasets.make_separable(4000, gap=0.5, outlier=True, random_state=0, return_X_y=True)
    beyond, along = (X[:, 0] + X[:, 1] - 3) / np.sqrt(2), (X[:, 0] - X[:, 1]) / np.sqrt(2)
    assert (y[:-1] * beyond[:-1]).min() == pytest.approx(0.25, abs=0.01)  # half the gap on either side, +1 above
    assert (y[:-1] * beyond[:-1]).mean() == pytest.approx(1.25, abs=0.06) and along.std() == pytest.approx(2, abs=0.1)
    assert (y[-1], beyond[-1], along[-1]) == pytest.approx((1, -0.2, 0))  # a tenth of the gap from the negatives
    flipped = datasets.make_separable(300, flip=0.1, random_state=0)
    assert 0.05 < np.mean(flipped.target != datasets.make_separable(300, random_state=0).target) < 0.15


@pytest.mark.notes("000-b", "ex-ellipse-data")
def test_ellipse_is_separable_after_the_quadratic_map_only():
    X, y = datasets.make_ellipse(200, radii=(2, 1), random_state=0, return_X_y=True)
    assert not separable(X, y)
    assert separable(np.column_stack([X**2, X[:, 0] * X[:, 1]]), y)
    data = datasets.make_ellipse(6000, radii=(2, 1, 0.5), gap=0.4, random_state=0)
    away = np.sqrt(((data.data / [2, 1, 0.5]) ** 2).sum(axis=1))
    within, beyond = away[data.target > 0], away[data.target < 0]
    assert len(within) == 3000 and within.max() <= 0.8 and beyond.min() >= 1.2 and beyond.max() <= 2.2
    assert (within**3).mean() == pytest.approx(0.8**3 / 2, abs=0.01)  # uniform in the ball
    assert beyond.mean() == pytest.approx(1.7, abs=0.02)
    np.testing.assert_allclose(data.data.std(axis=0) / [2, 1, 0.5], data.data[:, 1].std(), rtol=0.05)
    noisy = datasets.make_ellipse(6000, radii=(2, 1, 0.5), gap=0.4, noise=0.3, random_state=0)
    np.testing.assert_allclose((noisy.data - data.data).std(axis=0), [0.6, 0.3, 0.15], rtol=0.05)


@pytest.mark.notes("003", "toy-datasets")
def test_every_picture_of_the_text_has_a_generator():
    flat = {d: datasets.make_embedded_plane(300, n_dimensions=d, noise=0.05, random_state=0) for d in (1, 2)}
    for d, points in flat.items():  # a line and a plane in space
        values = np.linalg.eigvalsh(np.cov(points.data.T))[::-1]
        assert points.data.shape == (300, 3) and values[d - 1] > 1 > 0.01 > values[d]
        centred = points.data - points.mean
        assert np.abs(centred - centred @ points.basis @ points.basis.T).max() < 0.3
    X, y = datasets.make_ellipse(100, radii=1.0, random_state=0, return_X_y=True)  # inside and outside an interval
    assert X.shape == (100, 1) and not separable(X, y) and separable(np.abs(X), y)
    X, y = datasets.make_ellipse(
        100, radii=(1, 1), random_state=0, return_X_y=True
    )  # concentric: polar coordinates help
    assert not separable(X, y) and separable(np.hypot(*X.T)[:, None], y)
    X, y = datasets.make_ellipse(300, radii=(1, 1), noise=0.4, random_state=0, return_X_y=True)  # noisy overlap
    assert not separable(np.hypot(*X.T)[:, None], y)
    assert separable(*datasets.make_separable(60, outlier=True, random_state=1, return_X_y=True))
    X, y = datasets.make_separable(4000, gap=1.5, random_state=2, return_X_y=True)
    beyond = y * (X.sum(axis=1) - 3) / np.sqrt(2) - 0.75  # exponential, from half of the gap on
    assert 0 <= beyond.min() < 0.01 and beyond.mean() == pytest.approx(1, abs=4 / np.sqrt(4000))
    far = datasets.make_gaussian_classes(60, outliers=5, random_state=1)
    away = far.means[1] - far.means[0]
    place = far.means[1] + 10 * np.sqrt(np.trace(far.covariances[1]) / 2) * away / np.linalg.norm(away)
    assert len(far.data) == 65 and (far.target[-5:] == 1).all()
    assert np.linalg.norm(far.data[-5:].mean(axis=0) - place) < 1  # ten deviations beyond the last class
    assert datasets.make_noisy_function(np.sin, 10, random_state=0).data.shape == (10, 1)


@pytest.mark.notes("000-b", "ex-boolean-functions")
@pytest.mark.notes("004", "xor-problem")
def test_truth_tables():
    expected = {"and": "0001", "or": "0111", "nand": "1110", "nor": "1000", "xor": "0110"}
    for name, column in expected.items():
        X, y = datasets.make_boolean(name, return_X_y=True)
        assert "".join(map(str, y)) == column and separable(X, y) == (name != "xor")
    assert datasets.make_boolean("not").target.tolist() == [1, 0]
    parity = datasets.make_boolean("xor", 4, inputs=(-1, 1), labels=(-1, 1))
    np.testing.assert_array_equal(parity.target, parity.data.prod(axis=1) * -1)
    hidden = np.array([[1, 1], [1, 1]]), np.array([0.5, 1.5])  # the two threshold units of the notes compute it
    X, y = datasets.make_boolean("xor", return_X_y=True)
    h = (X @ hidden[0] > hidden[1]).astype(int)
    np.testing.assert_array_equal(h[:, 0] - h[:, 1] > 0.5, y == 1)
    assert datasets.make_boolean(lambda a, b: a and not b).target.tolist() == [0, 0, 1, 0]
    with pytest.raises(ParameterError, match="a negation has one input"):
        datasets.make_boolean("not", 2)


@pytest.mark.notes("000-a", "data-height-weight")
def test_height_and_weight_go_together():
    people = datasets.make_height_weight(5000, correlation=0.8, random_state=0)
    np.testing.assert_allclose(np.cov(people.data.T), people.covariance, rtol=0.05)
    assert np.corrcoef(people.data.T)[0, 1] == pytest.approx(0.8, abs=0.02)
    values = np.linalg.eigvalsh(people.covariance)
    assert values[1] / values.sum() > 0.85  # one direction holds most of the variance


@pytest.mark.notes("002", "data-mixed-signals")
def test_mixed_signals_are_the_matrix_times_the_sources():
    mixed = datasets.make_mixed_signals(2000, sources=("sine", "square", "sawtooth", "laplace"), random_state=0)
    np.testing.assert_allclose(mixed.data, mixed.sources @ mixed.mixing.T)
    np.testing.assert_allclose(mixed.sources.std(axis=0), 1)
    assert np.linalg.cond(mixed.mixing) < 3
    assert np.abs(np.corrcoef(mixed.sources.T) - np.eye(4)).max() < 0.1
    kurtosis = (mixed.sources**4).mean(axis=0) - 3
    assert (kurtosis[:3] < -1).all() and kurtosis[3] > 1
    with pytest.raises(ParameterError, match=r"mixing has shape \(2, 2\); 3 sources need 3 columns"):
        datasets.make_mixed_signals(mixing=np.eye(2))


@pytest.mark.notes("002", "data-kmeans-failures")
@pytest.mark.parametrize("kind", ["stretched", "unequal_spread", "unequal_size", "outliers", "scales"])
def test_kmeans_fails_where_a_better_look_succeeds(kind):
    data = datasets.make_kmeans_failures(kind, 300, random_state=0)
    X, y = data.data, data.target
    truth = {  # means, standard deviations of the two clusters and the share of the second
        "stretched": ((0, 0), (6, 0.3), (0, 3), (6, 0.3), 0.5),
        "unequal_spread": ((0, 0), (3, 3), (7, 0), (0.3, 0.3), 0.5),
        "unequal_size": ((0, 0), (2.5, 2.5), (6.5, 0), (0.4, 0.4), 0.1),
        "outliers": ((0, 0), (0.5, 0.5), (4, 0), (0.5, 0.5), 0.5),
        "scales": ((0, 0), (0.5, 50), (4, 0), (0.5, 50), 0.5),
    }[kind]
    assert y.mean() == truth[4]
    first = 3 if kind == "outliers" else 0
    np.testing.assert_allclose(X[:first], 200, atol=4)
    for k in (0, 1):
        rows, deviation = X[first:][y[first:] == k], np.array(truth[2 * k + 1])
        assert (np.abs(rows.mean(axis=0) - truth[2 * k]) < 4 * deviation / np.sqrt(len(rows))).all()
        np.testing.assert_allclose(rows.std(axis=0), deviation, rtol=0.35)
    found = KMeans(2, n_init=5, random_state=0).fit_predict(X)
    assert adjusted_rand_score(y, found) < 0.8
    mean = [X[y == k].mean(axis=0) for k in (0, 1)]
    inverse = [np.linalg.inv(np.cov(X[(y == k) & (np.arange(300) > 2)].T)) for k in (0, 1)]
    distance = [np.einsum("ij,jk,ik->i", X - m, S, X - m) - np.linalg.slogdet(S)[1] for m, S in zip(mean, inverse)]
    if kind != "outliers":
        assert adjusted_rand_score(y, np.argmin(distance, axis=0)) > 0.85


@pytest.mark.notes("000-c", "toy-datasets")
def test_what_the_networks_train_on():
    shapes = datasets.make_shifted_objects(90, noise=0, random_state=0)
    for image, kind, (i, j) in zip(shapes.images, shapes.target, shapes.corner):
        pixels = image.sum(), image[i : i + 3, j : j + 3].sum()
        assert pixels[0] == pixels[1] == (5, 8, 3)[kind]
    assert len(np.unique(shapes.corner, axis=0)) > 20
    for task in ("copy", "reverse", "dictionary"):
        pairs = datasets.make_sequence_pairs(50, task=task, random_state=0)
        for row, answer, n in zip(pairs.data, pairs.target, pairs.lengths):
            assert (row[n:] == 0).all() and (answer[n:] == 0).all() and row[:n].min() >= 2
            wanted = {"copy": row[:n], "reverse": row[:n][::-1]}.get(task)
            if wanted is None:
                assert sorted(pairs.dictionary[row[:n]]) == sorted(answer[:n])
            else:
                np.testing.assert_array_equal(answer[:n], wanted)
    graphs = datasets.make_labelled_graphs(40, random_state=0)
    closed = np.trace(np.linalg.matrix_power(graphs.adjacency, 3), axis1=1, axis2=2)
    np.testing.assert_array_equal(closed > 0, graphs.target == 1)
    assert (graphs.adjacency == graphs.adjacency.transpose(0, 2, 1)).all()
    uneven = datasets.make_gaussian_classes(5000, prior=(0.8, 0.2), random_state=0)
    assert np.mean(uneven.target == 0) == pytest.approx(0.8, abs=0.02)
    for layout, ratio in (("spherical", 1), ("stretched", 40)):
        assert np.linalg.cond(datasets.make_gaussian_classes(10, layout=layout).covariances[0]) == pytest.approx(ratio)
    assert load_digits().data.shape == (1797, 64)  # scikit-learn's digits serve as the handwritten ones
    assert datasets.make_boolean("xor").target.tolist() == [0, 1, 1, 0]


@pytest.mark.notes("000-a", "noise-injection")
@pytest.mark.notes("001", "label-noise")
def test_noise_has_the_rates_requested():
    X, y = datasets.make_boolean("and", 12, return_X_y=True)
    clean = datasets.add_noise(X, y, random_state=0)
    np.testing.assert_array_equal(clean[0], X)
    np.testing.assert_array_equal(clean[1], y)
    spoilt, flipped = datasets.add_noise(X, y, values=0.2, labels=0.1, irrelevant=3, random_state=0)
    assert np.mean(flipped != y) == pytest.approx(0.1, abs=0.02) and spoilt.shape == (4096, 15)
    assert np.mean(spoilt[:, :12] != X) == pytest.approx(0.1, abs=0.02)  # half of the values drawn are the same
    t = np.linspace(0, 1, 5000)
    noisy = datasets.add_noise(t[:, None], t, target_deviation=0.5, random_state=0)[1]
    assert (noisy - t).std() == pytest.approx(0.5, abs=0.02)
    names, labels = datasets.load_play_tennis(return_X_y=True)
    table, _ = datasets.add_noise(names, labels, values=0.3, irrelevant=1, random_state=0)
    assert set(table[:, 4]) <= set("abcd") and set(table[:, 0]) <= set(names[:, 0])
    with pytest.raises(DataError, match="labels cannot carry a sum"):
        datasets.add_noise(names, labels, target_deviation=1)
    with pytest.raises(DataError, match="one class only"):
        datasets.add_noise(X, np.ones(4096), labels=0.1)
    with pytest.raises(DataError, match="give a table and one target per row"):
        datasets.add_noise(X, y[:5])


@pytest.mark.parametrize(
    "make",
    [
        datasets.make_sine,
        datasets.make_line,
        datasets.make_noisy_function,
        datasets.make_gaussian_classes,
        datasets.make_kmeans_failures,
        datasets.make_ellipse,
        datasets.make_embedded_plane,
        datasets.make_height_weight,
        datasets.make_mixed_signals,
        datasets.make_shifted_objects,
        datasets.make_sequence_pairs,
    ],
)
def test_seeds_mean_the_same_everywhere(make):
    a, b, c = make(random_state=5).data, make(random_state=5).data, make(random_state=np.random.default_rng(5)).data
    np.testing.assert_array_equal(a, b)
    assert a.shape == c.shape and (make is datasets.make_mixed_signals or not np.array_equal(a, c))


def test_bad_parameters_are_named():
    for call, words in (
        (lambda: datasets.make_sine(0), r"make_noisy_function\(n_samples=0\): n_samples must be at least 1"),
        (lambda: datasets.make_noisy_function(low=2, high=1), "low must lie below high"),
        (lambda: datasets.make_noisy_function(lambda x: 1.0), "keep the shape"),
        (lambda: datasets.make_gaussian_classes(prior=(0.5, 0.6)), "give 2 probabilities that sum to one"),
        (lambda: datasets.make_gaussian_classes(covariances=np.eye(2)), r"need \(2, 2, 2\)"),
        (lambda: datasets.make_gaussian_classes(covariances=-np.stack([np.eye(2)] * 2)), "positive definite"),
        (lambda: datasets.make_ellipse(radii=(1, 0)), "one positive half-axis per column"),
        (lambda: datasets.make_sine(random_state="x"), "random_state"),
    ):
        with pytest.raises(ParameterError, match=words):
            call()
