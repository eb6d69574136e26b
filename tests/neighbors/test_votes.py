"""Classifiers and regressors: the notes' numbers, scikit-learn's classes, rows added and forgotten, every home of data."""

import numpy as np
import pytest
import scipy.sparse
from artists import canvas, meshes, scatters
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import neighbors as sklearn_neighbors
from sklearn.datasets import load_iris
from sklearn.model_selection import LeaveOneOut, cross_val_predict

import novum
from novum.exceptions import DataError
from novum.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestNeighbors,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
    plot_neighbors,
    plot_regions,
)
from novum.teaching import plot_voronoi

POINTS = np.array([[0.0, 0], [1, 0], [0, 1], [3, 3], [4, 3]])
LABELS, VALUES = np.array([0, 0, 1, 1, 1]), np.array([1.0, 2, 3, 10, 12])
QUERY = np.array([[1.0, 1]])


@pytest.mark.notes("000-a", "knn-classifier")
@pytest.mark.notes("003", "knn")
@pytest.mark.notes("004", "knn")
def test_vote_of_three():
    model = KNeighborsClassifier(3).fit(POINTS, LABELS)
    assert model.predict(QUERY) == [0]
    assert_allclose(model.predict_proba(QUERY), [[2 / 3, 1 / 3]])
    distance, index = NearestNeighbors(n_neighbors=5).fit(POINTS).kneighbors(QUERY)
    assert_allclose(distance[0], [1, 1, 2**0.5, 8**0.5, 13**0.5])
    assert_array_equal(index[0], [1, 2, 0, 3, 4])


@pytest.mark.notes("000-a", "knn-regressor")
def test_mean_of_three():
    assert KNeighborsRegressor(3).fit(POINTS, VALUES).predict(QUERY) == [2.0]


@pytest.mark.notes("000-a", "knn-weighted")
def test_votes_weighted_by_distance():
    assert_allclose(KNeighborsClassifier(4).fit(POINTS, LABELS).predict_proba(QUERY), [[0.5, 0.5]])
    weighted = KNeighborsClassifier(4, weights="distance").fit(POINTS, LABELS)
    total = np.array([1.707107, 1.353553])
    assert_allclose(weighted.predict_proba(QUERY)[0], total / total.sum(), rtol=1e-6)
    assert weighted.predict(QUERY) == [0]
    for k, value in ((3, 2.108194), (4, 3.019819)):
        assert_allclose(KNeighborsRegressor(k, weights="distance").fit(POINTS, VALUES).predict(QUERY), value, rtol=1e-6)
    # a row at distance zero decides alone
    assert KNeighborsRegressor(5, weights="distance").fit(POINTS, VALUES).predict(POINTS[3:4]) == [10.0]


@pytest.mark.notes("003", "nearest-point-classifier")
def test_one_neighbor_is_the_class_of_the_nearest_point():
    rng = np.random.default_rng(0)
    X, y, Q = rng.normal(size=(50, 2)), rng.integers(3, size=50), rng.normal(size=(30, 2))
    D = np.linalg.norm(Q[:, None] - X[None], axis=-1)
    nearest = np.stack([D[:, y == c].min(1) for c in range(3)], 1).argmin(1)
    assert_array_equal(KNeighborsClassifier(1).fit(X, y).predict(Q), nearest)
    assert KNeighborsClassifier(1).fit(X, y).score(X, y) == 1.0  # any labels are learned: infinite VC dimension


@pytest.mark.notes("000-a", "knn-incremental")
@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
def test_rows_added_and_forgotten_count_at_once(algorithm):
    rng = np.random.default_rng(1)
    X, y, Q = rng.normal(size=(90, 3)), rng.integers(2, size=90), rng.normal(size=(40, 3))
    y[80:] = 7  # a class that appears later
    model = KNeighborsClassifier(algorithm=algorithm).fit(X[:50], y[:50]).partial_fit(X[50:], y[50:])
    whole = KNeighborsClassifier(algorithm=algorithm).fit(X, y)
    assert_array_equal(model.classes_, [0, 1, 7])
    assert_array_equal(model.predict_proba(Q), whole.predict_proba(Q))
    model.forget(np.arange(80, 90))
    assert_array_equal(model.predict_proba(Q)[:, :2], KNeighborsClassifier().fit(X[:80], y[:80]).predict_proba(Q))
    assert_array_equal(model.classes_, [0, 1, 7])  # a class outlives its rows
    value = (
        KNeighborsRegressor(algorithm=algorithm).partial_fit(X[:50], y[:50]).partial_fit(X[50:], y[50:]).forget([0, 1])
    )
    near = ((Q[:, None] - X[2:]) ** 2).sum(axis=-1).argsort(axis=1)[:, :5]
    assert_allclose(value.predict(Q), y[2:][near].mean(axis=1), rtol=1e-13)
    search = NearestNeighbors(algorithm=algorithm).partial_fit(X[:9]).partial_fit(X[9:]).forget(y == 7)
    assert search.n_samples_fit_ == 80
    sparse = (
        KNeighborsClassifier()
        .fit(scipy.sparse.csr_array(X[:50]), y[:50])
        .partial_fit(scipy.sparse.csr_array(X[50:]), y[50:])
    )
    assert_array_equal(sparse.predict(scipy.sparse.csr_array(Q)), whole.predict(Q))
    with pytest.raises(DataError, match="indices must be rows 0 to"):
        model.forget([99])


@pytest.mark.notes("000-a", "knn-classifier")
@pytest.mark.notes("000-a", "knn-regressor")
@pytest.mark.notes("000-a", "knn-weighted")
@pytest.mark.notes("003", "knn")
@pytest.mark.notes("004", "knn")
@pytest.mark.parametrize("weights", ["uniform", "distance", lambda d: np.exp(-d)])
@pytest.mark.parametrize("metric", ["minkowski", "manhattan", "cosine"])
def test_scikit_learns_classes(weights, metric):
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(2)
    X = X + 1e-3 * rng.normal(size=X.shape)  # without ties, whose order scikit-learn leaves open
    Q = X[::3] + 0.05 * rng.normal(size=X[::3].shape)
    targets = {"one": y, "two": np.column_stack([y, y % 2])}
    for name in targets:
        given = {"n_neighbors": 7, "weights": weights, "metric": metric}
        a, b = (
            module.KNeighborsClassifier(**given).fit(X, targets[name])
            for module in (novum.neighbors, sklearn_neighbors)
        )
        assert_array_equal(a.predict(Q), b.predict(Q))
        for ours, theirs in zip(a.predict_proba(Q), b.predict_proba(Q)):  # per query, or per output
            assert_allclose(ours, theirs, atol=1e-7)
        a, b = (
            module.KNeighborsRegressor(**given).fit(X, targets[name]) for module in (novum.neighbors, sklearn_neighbors)
        )
        assert_allclose(a.predict(Q), b.predict(Q), atol=1e-7)
    if not callable(weights):
        given = {"radius": 0.02 if metric == "cosine" else 1.0, "weights": weights, "metric": metric}
        a, b = (
            module.RadiusNeighborsClassifier(**given, outlier_label=1).fit(X, y)
            for module in (novum.neighbors, sklearn_neighbors)
        )
        assert_array_equal(a.predict(Q), b.predict(Q))
        assert_allclose(a.predict_proba(Q), b.predict_proba(Q), atol=1e-7)
        a, b = (
            module.RadiusNeighborsRegressor(**given).fit(X, X[:, :2]) for module in (novum.neighbors, sklearn_neighbors)
        )
        assert_allclose(a.predict(Q), b.predict(Q), atol=1e-7)


def test_none_leaves_one_out():
    X, y = load_iris(return_X_y=True)
    X = X + 1e-3 * np.random.default_rng(3).normal(size=X.shape)
    model = KNeighborsClassifier(9).fit(X, y)
    assert_array_equal(model.predict(None), cross_val_predict(KNeighborsClassifier(9), X, y, cv=LeaveOneOut()))
    radius = RadiusNeighborsClassifier(0.6, outlier_label=0).fit(X, y)
    assert len(radius.predict(None)) == 150


def test_queries_without_neighbors():
    model = RadiusNeighborsClassifier(1.0).fit(POINTS, LABELS)
    with pytest.raises(DataError, match=r"No neighbors found for test samples array\(\[1\]\)"):
        model.predict([[0.0, 0.0], [90.0, 90.0]])
    assert RadiusNeighborsClassifier(1.0, outlier_label="most_frequent").fit(POINTS, LABELS).predict(
        [[90.0, 90.0]]
    ) == [1]
    with pytest.warns(UserWarning, match="Outlier label 5 is not in training classes"):
        assert RadiusNeighborsClassifier(1.0, outlier_label=5).fit(POINTS, LABELS).predict([[90.0, 90.0]]) == [5]
    with pytest.warns(UserWarning, match="no neighbors within specified radius"):
        assert np.isnan(RadiusNeighborsRegressor(1.0).fit(POINTS, VALUES).predict([[90.0, 90.0]])).all()
    with pytest.raises(DataError, match="All neighbors of some sample is getting zero weights"):
        KNeighborsClassifier(2, weights=lambda d: 0 * d).fit(POINTS, LABELS).predict(QUERY)


@pytest.mark.deep
@pytest.mark.parametrize("algorithm", ["brute", "kd_tree"])
def test_every_home_of_queries_and_rows(algorithm, tmp_path):
    pd, da, torch = pytest.importorskip("pandas"), pytest.importorskip("dask.array"), pytest.importorskip("torch")
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(900, 3)), rng.integers(3, size=900)
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    table.assign(y=y).to_parquet(tmp_path / "rows.parquet")
    scan = novum.scan(tmp_path / "rows.parquet", target="y", batch_rows=250)
    model = KNeighborsClassifier(algorithm=algorithm).fit(table, y)
    label, index = model.predict(table), model.kneighbors(table)[1]
    assert_array_equal(np.concatenate(list(model.predict(scan))), label)
    assert_array_equal(np.concatenate([part for _, part in model.kneighbors(scan)]), index)
    assert_array_equal(KNeighborsClassifier(algorithm=algorithm).fit(scan).predict(table), label)
    plain, blocks = KNeighborsClassifier(algorithm=algorithm).fit(X, y), da.from_array(X, chunks=(300, 3))
    assert_array_equal(plain.predict(blocks).compute(scheduler="synchronous"), label)
    assert_array_equal(plain.kneighbors(blocks)[1].compute(scheduler="synchronous"), index)
    tensor = torch.tensor(X)
    assert_array_equal(plain.predict(tensor).numpy(), label)
    assert_array_equal(plain.kneighbors(tensor)[1].numpy(), index)


@pytest.mark.deep
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_votes_within_a_radius_in_every_home(weights, tmp_path):
    da, torch = pytest.importorskip("dask.array"), pytest.importorskip("torch")
    rng = np.random.default_rng(4)
    X, labels = (
        5 + rng.normal(size=(900, 3)),
        np.array(["a", "b", "c"])[rng.integers(3, size=900)],
    )  # nobody at the origin
    np.save(tmp_path / "x.npy", X)
    scan, blocks = novum.scan(tmp_path / "x.npy", batch_rows=250), da.from_array(X, chunks=(300, 3))
    model = RadiusNeighborsClassifier(0.8, weights=weights).fit(X, labels)
    regressor = RadiusNeighborsRegressor(0.8, weights=weights).fit(X, X[:, 0])
    for ask in (model.predict, model.predict_proba, regressor.predict):
        expected = ask(X)
        assert_array_equal(np.concatenate(list(ask(scan))), expected)
        assert_array_equal(ask(blocks).compute(scheduler="synchronous"), expected)
    assert_allclose(regressor.predict(torch.tensor(X)).numpy(), regressor.predict(X))
    lone = da.from_array(np.zeros((4, 3)), chunks=(2, 3))
    with pytest.raises(DataError, match="No neighbors found"):
        model.predict(lone).compute(scheduler="synchronous")
    marked = RadiusNeighborsClassifier(0.8, outlier_label="b").fit(X, labels)
    assert_array_equal(marked.predict(lone).compute(scheduler="synchronous"), ["b"] * 4)


@pytest.mark.parametrize("algorithm", ["brute", "ball_tree"])
@pytest.mark.parametrize(("value", "shown"), [(np.nan, "nan"), (-1.0, "-1")])
def test_a_metric_that_is_no_distance_is_named(algorithm, value, shown):
    def crooked(x, y):
        return value if x[0] > 8 else np.abs(x - y).sum()

    model = KNeighborsClassifier(1, metric=crooked, algorithm=algorithm).fit(POINTS, LABELS)
    assert model.predict(POINTS[:1]) == LABELS[:1]
    with pytest.raises(DataError, match=f"metric crooked returned {shown} for query 1 and row 0"):
        model.predict([[0.0, 0.0], [9.0, 0.0]])
    with pytest.raises(DataError, match="metric crooked"):
        RadiusNeighborsRegressor(metric=crooked, algorithm=algorithm).fit(POINTS, VALUES).predict([[9.0, 0.0]])


@pytest.mark.parametrize("algorithm", ["kd_tree", "ball_tree"])
def test_trees_are_saved_and_shared(algorithm, tmp_path):
    rng = np.random.default_rng(5)
    X, y, Q = rng.normal(size=(200, 3)), rng.integers(2, size=200), rng.normal(size=(30, 3))
    model = KNeighborsClassifier(algorithm=algorithm).fit(X, y)
    novum.save(model, tmp_path / "model.novum")
    loaded = novum.load(tmp_path / "model.novum")
    assert type(loaded._tree) is type(model._tree)
    assert_array_equal(loaded.predict_proba(Q), model.predict_proba(Q))
    for source in (model, model._tree, NearestNeighbors(algorithm="brute").fit(X)):
        assert_array_equal(KNeighborsClassifier().fit(source, y).predict_proba(Q), model.predict_proba(Q))


@pytest.mark.notes("003", "fig-knn")
def test_a_query_and_the_neighbors_that_vote():
    rng = np.random.default_rng(4)
    X, y, query = rng.normal(size=(30, 2)), rng.integers(2, size=30), np.array([0.2, -0.1])
    distance = np.linalg.norm(X - query, axis=1)
    near = np.argsort(distance)[:5]
    ax = plot_neighbors(KNeighborsClassifier(5).fit(X, y), query, ax=canvas())
    links = {tuple(line.get_xydata()[1]) for line in ax.lines}
    assert links == {tuple(X[i]) for i in near}  # to the five nearest, and to no other
    for line in ax.lines:
        assert_allclose(line.get_xydata()[0], query)
    (circle,) = ax.patches
    assert_allclose(circle.center, query)
    assert_allclose(circle.radius, distance[near].max())
    rows, star = scatters(ax)
    assert_allclose(rows, X)
    assert_allclose(star, [query])
    winner = int(y[near].sum() >= 3)
    assert ax.get_title() == f"{winner} ({int((y[near] == winner).sum())} of 5)"
    colors = ax.collections[0].get_facecolors()
    assert all((colors[i] == colors[j]).all() == (y[i] == y[j]) for i in range(30) for j in range(30))
    mean = plot_neighbors(KNeighborsRegressor(3).fit(POINTS, VALUES), QUERY[0], ax=canvas())
    assert mean.get_title() == "2" and len(mean.lines) == 3
    ball = plot_neighbors(RadiusNeighborsClassifier(0.8).fit(X, y), query, ax=canvas())
    assert ball.patches[0].radius == 0.8
    assert {tuple(line.get_xydata()[1]) for line in ball.lines} == {tuple(x) for x in X[distance <= 0.8]}


@pytest.mark.notes("003", "fig-knn")
@pytest.mark.notes("000-a", "fig-influence")
def test_regions_of_the_vote_and_cells_of_the_nearest():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(25, 2)), rng.integers(3, size=25)
    for k in (1, 4):
        ax = plot_regions(KNeighborsClassifier(k).fit(X, y), points=40, ax=canvas())
        (mesh,) = meshes(ax)
        at = np.stack(np.meshgrid(mesh.x, mesh.y), -1).reshape(-1, 2)
        nearest = np.argsort(np.linalg.norm(at[:, None] - X, axis=2), axis=1)[:, :k]
        votes = np.stack([(y[nearest] == c).sum(1) for c in range(3)], 1)
        assert_array_equal(mesh.value.ravel(), votes.argmax(1))  # of equal votes the first class
        assert_allclose(scatters(ax)[0], X)
        assert_array_equal(ax.collections[-1].get_array(), y)
        assert ax.get_title() == f"{k} neighbor{'s' if k > 1 else ''}"
    cells = plot_voronoi(X, y, ax=canvas()).patches
    assert len(cells) == 25
    inside = rng.uniform(X.min(0), X.max(0), (200, 2))
    held = np.array([cell.get_path().contains_points(inside) for cell in cells])
    assert_array_equal(held.argmax(0), np.linalg.norm(inside[:, None] - X, axis=2).argmin(1))
    assert (held.sum(0) == 1).all()  # every point in the cell of its nearest row, and in no other
    with pytest.raises(DataError, match="Choose two columns"):
        plot_voronoi(np.ones((4, 3)))
