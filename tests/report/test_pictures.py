"""`plot` of the estimators: one signature, a figure that pyplot knows, names of columns, and what is drawn."""

import inspect

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from novum.base.discovery import all_estimators
from novum.cluster import DBSCAN, KMeans
from novum.decomposition import PCA
from novum.ensemble import RandomForestClassifier, RandomForestRegressor
from novum.exceptions import DataError, NotConverged
from novum.gaussian_process import GaussianProcessRegressor
from novum.linear_model import Lasso, LinearRegression, LogisticRegression, Ridge
from novum.mixture import GaussianMixture
from novum.naive_bayes import CategoricalNB, GaussianNB
from novum.neighbors import KNeighborsClassifier
from novum.neural_network import MLPClassifier
from novum.svm import SVC
from novum.tree import DecisionTreeClassifier

IRIS, SPECIES = load_iris(return_X_y=True, as_frame=True)
SPECIES = load_iris().target_names[SPECIES]
PLANE = IRIS.iloc[:, 2:]
OTHER_DATA = {
    "QLearning",
    "SARSA",
    "ExpectedSARSA",
    "MonteCarloControl",
    "MonteCarloPrediction",
    "TD",
    "ADP",
    "DQN",
    "REINFORCE",
    "ActorCritic",
    "SemiGradientSARSA",
    "SemiGradientTD",
    "GraphNetwork",
}


@pytest.fixture(autouse=True)
def no_figures():
    plt.close("all")
    yield
    plt.close("all")


def test_one_signature():
    """Agents learn from environments and graph networks from graphs: theirs have no rows X."""
    for name, cls in all_estimators():
        if hasattr(cls, "plot") and name not in OTHER_DATA:
            parameters = inspect.signature(cls.plot).parameters
            assert list(parameters)[:4] == ["self", "X", "y", "ax"], name
            assert parameters["X"].default is None and parameters["y"].default is None, name
            assert parameters["ax"].kind is inspect.Parameter.KEYWORD_ONLY and parameters["ax"].default is None, name


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(),
        DecisionTreeClassifier(max_depth=2),
        RandomForestClassifier(5, random_state=0),
        GaussianNB(),
        KNeighborsClassifier(),
        KMeans(3, random_state=0),
        GaussianMixture(3, random_state=0),
        SVC(),
        PCA(),
        Lasso(),
        LinearRegression(),
        Ridge(),
        RandomForestRegressor(5, random_state=0),
        DBSCAN(),
        GaussianProcessRegressor(alpha=1.0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_pictures_appear_and_name_the_columns(model):
    """With no axes the figure is pyplot's, so that `plt.show()` shows it; with axes it is not."""
    targets = np.asarray(IRIS.sum(axis=1)) if model.__sklearn_tags__().estimator_type == "regressor" else SPECIES
    model.fit(PLANE, targets)
    ax = model.plot(PLANE, targets)
    assert plt.get_fignums() == [ax.figure.number]
    ax.figure.canvas.draw()
    expected = ("pca0", "pca1") if isinstance(model, PCA) else tuple(PLANE.columns)
    assert (ax.get_xlabel(), ax.get_ylabel()) == expected
    own = Figure().subplots()
    if not isinstance(model, LinearRegression | Ridge):  # theirs is a plane in space
        assert (
            model.plot(PLANE, targets, ax=own) is own and own.get_children() and plt.get_fignums() == [ax.figure.number]
        )
    wide = type(model)(**model.get_params()).fit(IRIS, targets)
    drawn = wide.plot(IRIS, targets)
    drawn.figure.canvas.draw()
    assert drawn.collections and len(plt.get_fignums()) == 2


def test_coefficients_have_intervals():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 3)), columns=["dose", "age", "a name that is far too long for a tick"])
    model = LinearRegression().fit(X, X @ [1.0, 0.2, -2.0] + rng.normal(size=80))
    ax = model.plot()
    order = np.argsort(-np.abs(model.coef_))
    assert_allclose([bar.get_width() for bar in ax.patches], model.coef_[order])
    ticks = [tick.get_text() for tick in ax.get_yticklabels()]
    assert ticks[1:] == ["dose", "age"] and len(ticks[0]) <= 24 and "…" in ticks[0]
    found = model.inference().to_frame()
    whiskers = ax.collections[0].get_segments()
    for place, j in enumerate(order):
        assert_allclose(whiskers[place][:, 0], found[["lower", "upper"]].to_numpy()[j + 1])
    assert ax.get_xlabel() == "coefficient, 95 % interval" and ax.yaxis_inverted()
    many = LogisticRegression().fit(IRIS, SPECIES).plot()
    assert [text.get_text() for text in many.get_legend().get_texts()] == ["setosa", "versicolor", "virginica"]
    assert len(many.patches) == 12 and many.get_xlabel() == "coefficient"
    rows = rng.normal(size=(60, 30))
    assert Ridge().fit(rows, rows[:, 0]).plot().get_title() == "the 20 largest of 30 columns"


def test_regions_are_those_of_the_predictions():
    model = GaussianNB().fit(PLANE, SPECIES)
    ax = model.plot(PLANE, SPECIES)
    scatters = [part for part in ax.collections if len(part.get_offsets()) > 1]
    for label, part in zip(model.classes_, scatters, strict=True):
        assert_allclose(part.get_offsets(), PLANE[label == SPECIES])
    one = LogisticRegression().fit(PLANE.iloc[:, :1], SPECIES == "virginica")
    ax = one.plot(PLANE.iloc[:, :1], SPECIES == "virginica")
    line = ax.lines[1]
    with pytest.warns(UserWarning, match="feature names"):
        assert_allclose(line.get_ydata(), one.predict_proba(line.get_xdata()[:, None])[:, 1])
    wrong = KNeighborsClassifier(1).fit(IRIS, SPECIES).plot(IRIS, np.roll(SPECIES, 1))
    assert "3 of 150 wrong" in " ".join(wrong.get_title().split())


def test_groups_have_centers_and_ellipses():
    model = KMeans(3, random_state=0).fit(PLANE)
    stars = model.plot(PLANE).collections[-1]
    assert_allclose(stars.get_offsets(), model.cluster_centers_)
    lines = KMeans(2, random_state=0).fit(IRIS).plot().lines
    assert len(lines) == 2 and len(lines[0].get_ydata()) == 4
    mixture = GaussianMixture(2, random_state=0).fit(PLANE)
    ellipse = mixture.plot().lines[0].get_xydata() - mixture.means_[0]
    distance = np.einsum("ni,ij,nj->n", ellipse, np.linalg.inv(mixture.covariances_[0]), ellipse)
    assert_allclose(distance, 1.0)
    noise = DBSCAN(eps=0.1).fit(PLANE)
    texts = [text.get_text() for text in noise.plot(PLANE).get_legend().get_texts()]
    assert texts[0] == f"noise ({(noise.labels_ == -1).sum()})"


def test_importances_have_whiskers_and_are_sorted():
    model = RandomForestClassifier(7, random_state=0).fit(IRIS, SPECIES)
    ax = model.plot()
    assert_allclose([bar.get_width() for bar in ax.patches], np.sort(model.feature_importances_)[::-1])
    deviation = np.std([tree.feature_importances_ for tree in model.estimators_], axis=0)
    low, high = ax.collections[0].get_segments()[0][:, 0]
    assert (high - low) / 2 == pytest.approx(deviation[np.argmax(model.feature_importances_)])


def test_boxes_of_a_tree_do_not_overlap():
    for depth in (1, 3, 8):
        ax = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(IRIS, SPECIES).plot()
        ax.figure.canvas.draw()
        frames = [text.get_bbox_patch().get_window_extent() for text in ax.texts if "samples" in text.get_text()]
        for k, one in enumerate(frames):
            assert not any(one.overlaps(other) for other in frames[k + 1 :])


def test_a_network_draws_its_training_and_a_process_its_band():
    with pytest.warns(NotConverged):
        network = MLPClassifier((4,), max_iter=30, random_state=0).fit(PLANE, SPECIES)
    assert network.plot().lines
    x = np.linspace(0, 1, 9)[:, None]
    process = GaussianProcessRegressor(alpha=0.1, normalize_y=True).fit(x, 5 + np.sin(6 * x[:, 0]))
    ax = process.plot()
    assert_allclose(ax.collections[-1].get_offsets()[:, 1], 5 + np.sin(6 * x[:, 0]))
    assert_allclose(ax.lines[0].get_ydata(), process.predict(ax.lines[0].get_xdata()[:, None]))


def test_categories_are_drawn_where_there_are_rows():
    X, y = np.array([[0, 1], [1, 0], [2, 2], [0, 0]] * 5), np.array([0, 1, 1, 0] * 5)
    assert "predictions" in CategoricalNB().fit(X, y).plot(X, y).get_title()


def test_wrong_calls_are_refused():
    model = LogisticRegression().fit(PLANE, SPECIES)
    for given, words in (
        ((IRIS,), "X has 4 columns, but fit saw 2"),
        ((PLANE, SPECIES[:3]), "X has 150 rows and y has 3"),
        ((PLANE.astype(str) + "a",), "cells that are no numbers"),
        ((np.ones(3),), "give rows and columns"),
    ):
        with pytest.raises(DataError, match=words):
            model.plot(*given)
    with pytest.raises(DataError, match="give X"):
        DBSCAN().fit(PLANE).plot()
    with pytest.raises(ValueError, match="not fitted yet"):
        LogisticRegression().plot()
    assert not plt.get_fignums()


def test_axes_given_first_are_still_taken():
    """`plot(ax)` was the only form of PCA and others."""
    ax = Figure().subplots()
    assert PCA().fit(IRIS).plot(ax) is ax and KMeans(2, random_state=0).fit(PLANE).plot(PLANE, ax) is ax
