"""Histogram gradient boosting: scikit-learn's class as oracle, definitions, constraints, columns of every kind."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import ensemble as peer
from sklearn.datasets import make_classification, make_regression

from novum import _core
from novum.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from novum.ensemble.boosting.newton import should_stop
from novum.ensemble.boosting.slopes import KERNELS, descent_of
from novum.exceptions import DataError, ParameterError

RNG = np.random.default_rng(0)
X, Y = make_regression(600, 6, noise=5, random_state=0)
GAPS = np.where(RNG.random(X.shape) < 0.1, np.nan, X)
COUNTS = RNG.poisson(np.exp(X[:, 0] / 2)).astype(float)
W = RNG.integers(0, 4, 600).astype(float)
TARGETS = {"poisson": COUNTS, "gamma": RNG.gamma(2.0, np.exp(X[:, 0] / 2))}
REGRESSORS = (HistGradientBoostingRegressor, peer.HistGradientBoostingRegressor)
QUICK = {"max_iter": 12, "min_samples_leaf": 5, "random_state": 0}


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_compute_the_slopes_of_the_definitions(name):
    target = (Y > 0).astype(float) if name == "log_loss" else TARGETS.get(name, Y)
    descent = descent_of(name, target, None, 0.3 if name in ("quantile", "huber") else None)
    raw = RNG.normal(size=(1, 600)) * 2
    raw[0, :3] = target[:3] if name not in TARGETS and name != "log_loss" else raw[0, :3]
    pairs = np.empty((1, 600, 2), np.int32)
    (units,) = descent.slopes(_core.runtime.threads.Team(2), target, raw, None, pairs)
    gradient, curvature = (pairs[0] * units).T
    expected = descent.loss.gradient(target, raw[0])
    assert_allclose(gradient, expected, rtol=1e-6, atol=np.abs(expected).max() * 1e-7)
    flat = name in ("absolute_error", "quantile", "huber")
    bend = np.ones(600) if flat else descent.loss.curvature(target, raw[0])
    assert_allclose(curvature, bend, rtol=1e-6, atol=max(1e-6, 2e-8 * bend.max()))  # kept in units of the largest
    start = descent.start(target, W)
    assert_allclose(start, descent.loss.best_constant(target, W), rtol=1e-12)
    zero, team = np.zeros((1, 600)), _core.runtime.threads.Team(1)
    rise = (
        descent.loss.value(target, raw[0]).mean() - descent.loss.value(target, zero[0]).mean()
    )  # terms in t alone cancel
    assert_allclose(descent.score(team, target, zero, None) - descent.score(team, target, raw, None), rise, rtol=1e-10)


def test_softmax_slopes_are_those_of_cross_entropy():
    target = RNG.integers(0, 3, 600).astype(float)
    descent = descent_of("log_loss", target, None, None, 3)
    raw, pairs = RNG.normal(size=(3, 600)), np.empty((3, 600, 2), np.int32)
    units = descent.slopes(_core.runtime.threads.Team(2), target, raw, None, pairs)
    found = np.array([pair * unit for pair, unit in zip(pairs, units)])
    rows = raw.T.copy()
    assert_allclose(found[:, :, 0].T, descent.loss.gradient(target.astype(int), rows), rtol=1e-6, atol=1e-7)
    assert_allclose(found[:, :, 1].T, descent.loss.curvature(target.astype(int), rows), rtol=1e-6, atol=1e-7)
    assert_allclose(
        -descent.score(_core.runtime.threads.Team(2), target, raw, None),
        descent.loss.value(target.astype(int), rows).mean(),
    )


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "poisson", "gamma"])
def test_regressor_equals_scikit_learn(loss):
    options = {
        "loss": loss,
        **QUICK,
        "max_iter": 5,
    }  # later a tie between splits falls as scikit-learn's sums are rounded
    y = TARGETS.get(loss, Y)
    ours, theirs = (module(**options).fit(GAPS, y) for module in REGRESSORS)
    assert_allclose(ours.predict(GAPS), theirs.predict(GAPS), rtol=1e-7, atol=1e-7)


def test_quantiles_are_met_as_well_as_by_scikit_learn():
    for level in (0.7,):
        options = {"loss": "quantile", "quantile": level, **QUICK, "max_iter": 30}
        below = [(module(**options).fit(X, Y).predict(X) >= Y).mean() for module in REGRESSORS]
        assert_allclose(below, level, atol=0.08)


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber", "quantile", "poisson"])
def test_whole_weights_equal_repeated_rows(loss):
    options = {
        "loss": loss,
        "quantile": 0.7 if loss in ("quantile", "huber") else None,
        **QUICK,
        "min_samples_leaf": 1,
        "max_iter": 3,
    }
    y, times = TARGETS.get(loss, Y), W.astype(int)
    weighted = HistGradientBoostingRegressor(**options).fit(GAPS, y, sample_weight=W)
    repeated = HistGradientBoostingRegressor(**options).fit(np.repeat(GAPS, times, axis=0), np.repeat(y, times))
    assert_allclose(weighted.predict(GAPS), repeated.predict(GAPS), rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("classes", [2, 3])
def test_classifier_equals_scikit_learn(classes):
    x, y = make_classification(600, 6, n_informative=4, n_classes=classes, random_state=1)
    names = np.array(["a", "b", "c"])[y]
    options = {**QUICK, "early_stopping": True, "l2_regularization": 0.3, "max_iter": 4}
    ours = HistGradientBoostingClassifier(**options).fit(x, names)
    theirs = peer.HistGradientBoostingClassifier(**options).fit(x, names)
    assert_allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=1e-6)
    assert_allclose(ours.decision_function(x), theirs.decision_function(x), atol=1e-5)
    assert_array_equal(ours.predict(x), theirs.predict(x))
    assert_allclose(ours.train_score_, theirs.train_score_, rtol=1e-6)
    assert_allclose(ours.validation_score_, theirs.validation_score_, rtol=1e-6)
    assert ours.n_trees_per_iteration_ == theirs.n_trees_per_iteration_ and ours.n_iter_ == theirs.n_iter_
    for mine, other in zip(ours.staged_predict_proba(x), theirs.staged_predict_proba(x)):
        assert_allclose(mine, other, atol=1e-6)
    assert_allclose(list(ours.staged_decision_function(x))[-1], ours.decision_function(x), rtol=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
def test_weighted_classifier_equals_scikit_learn(classes):
    x, y = make_classification(600, 6, n_informative=4, n_classes=classes, random_state=1)
    weight = RNG.uniform(0.5, 2, 600)
    options = {**QUICK, "class_weight": "balanced"}
    ours = HistGradientBoostingClassifier(**options).fit(x, y, sample_weight=weight)
    theirs = peer.HistGradientBoostingClassifier(**options).fit(x, y, sample_weight=weight)
    assert_allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=1e-7)


def test_class_weights_multiply_the_weights_of_rows():
    names = np.array(["a", "b"])[(Y > 0).astype(int)]
    by_class = HistGradientBoostingClassifier(class_weight={"a": 2.0, "b": 1.0}, **QUICK).fit(X, names, sample_weight=W)
    by_row = HistGradientBoostingClassifier(**QUICK).fit(X, names, sample_weight=np.where(names == "a", 2 * W, W))
    assert_array_equal(by_class.predict_proba(X), by_row.predict_proba(X))


@pytest.mark.parametrize("library", ["array", "pandas", "polars"])
def test_categories_equal_scikit_learn(library):
    color = RNG.integers(0, 9, 600)
    y = Y + 100 * np.isin(color, (1, 4, 6))
    names = np.array(list("abcdefghi"))[color]
    if library == "array":
        table, columns = np.column_stack([X[:, 0], np.where(color == 8, np.nan, color)]), [1]
    else:
        lib = pytest.importorskip(library)
        table, columns = lib.DataFrame({"x": X[:, 0], "color": names}), "from_dtype"
        if library == "pandas":
            table["color"] = table["color"].astype("category")
        else:
            table = table.with_columns(lib.col("color").cast(lib.Categorical))
    options = {**QUICK, "categorical_features": columns}
    ours = HistGradientBoostingRegressor(**options).fit(table, y)
    theirs = peer.HistGradientBoostingRegressor(**options).fit(table, y)
    assert_allclose(ours.predict(table), theirs.predict(table), rtol=1e-6)
    assert_array_equal(ours.is_categorical_, [False, True])
    if library == "pandas":
        assert list(ours.feature_names_in_) == ["x", "color"]
        unseen = pd.DataFrame({"x": [0.1], "color": pd.Categorical(["zebra"])})
        gap = pd.DataFrame({"x": [0.1], "color": pd.Categorical([None], categories=["a"])})
        assert_array_equal(ours.predict(unseen), ours.predict(gap))


def test_monotone_columns_never_fall():
    model = HistGradientBoostingRegressor(monotonic_cst=[1, -1, 0, 0, 0, 0], **QUICK).fit(X, -Y + 50 * X[:, 0])
    theirs = peer.HistGradientBoostingRegressor(monotonic_cst=[1, -1, 0, 0, 0, 0], **QUICK).fit(X, -Y + 50 * X[:, 0])
    assert_allclose(model.predict(X), theirs.predict(X), rtol=1e-5, atol=1e-5)
    grid = np.linspace(-3, 3, 50)
    for j, sign in ((0, 1), (1, -1)):
        for row in X[:5]:
            points = np.tile(row, (50, 1))
            points[:, j] = grid
            assert (sign * np.diff(model.predict(points)) >= 0).all()


def test_interactions_and_drawn_columns():
    model = HistGradientBoostingRegressor(interaction_cst=[{0, 1}], **QUICK).fit(X, Y)
    theirs = peer.HistGradientBoostingRegressor(interaction_cst=[{0, 1}], **QUICK).fit(X, Y)
    assert_allclose(model.predict(X), theirs.predict(X), rtol=1e-5, atol=1e-5)
    some = [HistGradientBoostingRegressor(max_features=0.3, **QUICK).fit(X, Y).predict(X) for _ in range(2)]
    assert_array_equal(*some)
    assert not np.array_equal(some[0], HistGradientBoostingRegressor(**QUICK).fit(X, Y).predict(X))


def test_huber_shrugs_off_what_squares_cannot():
    wild = Y.copy()
    wild[::30] += 1e5
    sane = np.arange(600) % 30 != 0
    errors = {
        loss: np.abs(HistGradientBoostingRegressor(loss, quantile=q).fit(X, wild).predict(X) - Y)[sane].mean()
        for loss, q in (("huber", 0.8), ("squared_error", None))
    }
    assert errors["huber"] < 0.1 * errors["squared_error"]


def test_warm_start_goes_on_where_it_stopped():
    whole = HistGradientBoostingRegressor(**QUICK).fit(X, Y)
    model = HistGradientBoostingRegressor(**{**QUICK, "max_iter": 5, "warm_start": True}).fit(X, Y)
    assert model.n_iter_ == 5
    model.set_params(max_iter=12).fit(X, Y)
    assert model.n_iter_ == 12
    assert_allclose(model.predict(X), whole.predict(X), rtol=1e-9)
    with pytest.raises(ParameterError, match="max_iter=3 must be larger than or equal to n_iter_=12"):
        model.set_params(max_iter=3).fit(X, Y)


@pytest.mark.parametrize("scoring", ["loss", None, "neg_mean_absolute_error", lambda model, X, y: -len(y)])
@pytest.mark.parametrize("fraction", [0.2, None])
def test_early_stopping(scoring, fraction):
    model = HistGradientBoostingRegressor(
        early_stopping=True, scoring=scoring, validation_fraction=fraction, n_iter_no_change=3, tol=5.0, random_state=0
    ).fit(X, Y)
    assert model.do_early_stopping_ and model.n_iter_ < 100
    assert len(model.train_score_) == model.n_iter_ + 1
    assert len(model.validation_score_) == (0 if fraction is None else model.n_iter_ + 1)
    assert not hasattr(model, "_known")


def test_stopping_rule():
    assert not should_stop([1.0, 2.0], 2, 0.0)
    assert should_stop([1.0, 1.0, 1.0], 2, 0.0)
    assert not should_stop([1.0, 1.0, 1.5], 2, 0.2)
    assert should_stop([1.0, 1.0, 1.5], 2, 0.5)


def test_given_validation_rows():
    model = HistGradientBoostingRegressor(early_stopping=True, random_state=0)
    model.fit(X[:400], Y[:400], X_val=X[400:], y_val=Y[400:])
    assert len(model.validation_score_) == model.n_iter_ + 1
    with pytest.raises(DataError, match="X_val is provided, but y_val was not provided"):
        model.fit(X, Y, X_val=X)
    with pytest.raises(ParameterError, match="early_stopping is False"):
        HistGradientBoostingRegressor(early_stopping=False).fit(X, Y, X_val=X, y_val=Y)


def test_partial_dependence_is_scikit_learns():
    options = {**QUICK, "max_iter": 5}
    ours = HistGradientBoostingRegressor(**options).fit(X, Y)
    theirs = peer.HistGradientBoostingRegressor(**options).fit(X, Y)
    grid = RNG.normal(size=(20, 2))
    found, expected = (m._compute_partial_dependence_recursion(grid, np.array([0, 3])) for m in (ours, theirs))
    assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def test_errors_say_what_to_do():
    with pytest.raises(ParameterError, match="needs quantile"):
        HistGradientBoostingRegressor("quantile").fit(X, Y)
    with pytest.raises(DataError, match="loss='gamma' requires strictly positive y"):
        HistGradientBoostingRegressor("gamma").fit(X, Y)
    with pytest.raises(ParameterError, match="not supported for multiclass"):
        HistGradientBoostingClassifier(monotonic_cst=[1] * 6).fit(X, RNG.integers(0, 3, 600))
    with pytest.raises(DataError, match="expected to have a cardinality <= 4 but actually has a cardinality of 9"):
        HistGradientBoostingRegressor(categorical_features=[0], max_bins=4).fit(RNG.integers(0, 9, (600, 1)), Y)
    with pytest.raises(ParameterError, match="invalid indices"):
        HistGradientBoostingRegressor(interaction_cst=[{0, 17}]).fit(X, Y)
