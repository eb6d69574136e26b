"""Random forests and extremely randomized trees: votes, samples, out-of-bag estimates, proximities, warm starts, homes of data."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn.ensemble as peers
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes, load_iris, make_classification, make_friedman1
from sklearn.inspection import permutation_importance
from sklearn.metrics import accuracy_score, r2_score

import novum
from novum import ensemble
from novum.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomTreesEmbedding,
)
from novum.exceptions import DataError, DataWarning, ParameterError
from novum.tree import DecisionTreeClassifier

CLASSIFIERS, REGRESSORS = [RandomForestClassifier, ExtraTreesClassifier], [RandomForestRegressor, ExtraTreesRegressor]


def classes(n=600, d=10, k=2, seed=0):
    return make_classification(n, d, n_informative=6, n_classes=k, flip_y=0.1, class_sep=0.7, random_state=seed)


@pytest.mark.notes("000-a", "random-forest")
@pytest.mark.notes("002", "random-forest")
@pytest.mark.notes("004", "random-forest")
@pytest.mark.parametrize("forest", CLASSIFIERS)
def test_the_forest_is_the_mean_of_its_trees(forest):
    X, y = classes(k=3)
    model = forest(15, random_state=0).fit(X, y)
    each = np.array([tree.predict_proba(X) for tree in model.estimators_])
    assert_allclose(model.predict_proba(X), each.mean(axis=0), rtol=1e-12)
    assert np.array_equal(model.predict(X), model.classes_[each.mean(axis=0).argmax(axis=1)])
    votes = np.array([np.bincount(column, minlength=3) for column in each.argmax(axis=2).T]) / 15
    assert_allclose(model.tree_votes(X), votes, atol=1e-12)
    assert model.max_features_ == 3  # sqrt(10)
    assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X), atol=1e-15)


@pytest.mark.notes("000-c", "random-forest")
@pytest.mark.parametrize("forest", REGRESSORS)
def test_numbers_are_averaged(forest):
    X, y = make_friedman1(300, random_state=0)
    Y = np.column_stack([y, -2 * y])
    for target in (y, Y):
        model = forest(12, random_state=3).fit(X, target)
        each = np.array([tree.predict(X) for tree in model.estimators_])
        assert_allclose(model.predict(X), each.mean(axis=0), rtol=1e-12)


@pytest.mark.notes("000-a", "random-forest")
@pytest.mark.notes("000-c", "random-forest")
@pytest.mark.notes("001", "random-forest")
@pytest.mark.notes("002", "random-forest")
@pytest.mark.notes("004", "random-forest")
def test_every_tree_is_grown_on_its_own_draw_of_the_rows():
    X, y = classes(400, 10)
    forest = RandomForestClassifier(30, max_features=None, random_state=0).fit(X, y)
    drawn = forest.estimators_samples_
    assert all(len(rows) == 400 for rows in drawn) and len({tuple(rows) for rows in drawn}) == 30
    distinct = [len(np.unique(rows)) / 400 for rows in drawn]
    assert_allclose(np.mean(distinct), 1 - (1 - 1 / 400) ** 400, atol=4 * 0.0155 / np.sqrt(30))  # 63 % of the rows
    for tree, rows in zip(forest.estimators_[:5], drawn):
        alone = DecisionTreeClassifier(random_state=0).fit(X[rows], y[rows])
        assert alone.score(X[rows], y[rows]) == tree.score(X[rows], y[rows]) == 1
        assert_allclose(tree.tree_.value[0, 0], np.bincount(y[rows], minlength=len(forest.classes_)) / 400)


@pytest.mark.notes("000-c", "random-forest")
@pytest.mark.notes("001", "random-forest")
@pytest.mark.notes("003", "trees-named")
def test_drawing_columns_makes_trees_agree_less_and_the_forest_better():
    X, y = classes(2000, 20)
    train, test = slice(0, 1000), slice(1000, None)
    few = RandomForestClassifier(60, max_features=3, random_state=0).fit(X[train], y[train])
    all_columns = RandomForestClassifier(60, max_features=None, random_state=0).fit(X[train], y[train])
    tree = DecisionTreeClassifier().fit(X[train], y[train])
    assert few.tree_correlation(X[test]) < all_columns.tree_correlation(X[test]) - 0.02
    assert few.score(X[test], y[test]) > tree.score(X[test], y[test]) + 0.03
    said = np.array([one.predict_proba(X[test])[:, 1] for one in few.estimators_])
    pairs = np.corrcoef(said)[np.triu_indices(60, 1)]
    assert_allclose(few.tree_correlation(X[test]), pairs.mean(), rtol=1e-9)


@pytest.mark.notes("000-a", "random-forest")
@pytest.mark.notes("000-c", "random-forest")
@pytest.mark.notes("001", "random-forest")
@pytest.mark.notes("002", "random-forest")
@pytest.mark.notes("004", "random-forest")
@pytest.mark.parametrize(
    "name", ["RandomForestClassifier", "ExtraTreesClassifier", "RandomForestRegressor", "ExtraTreesRegressor"]
)
def test_scores_are_those_of_scikit_learn(name):
    regression = name.endswith("Regressor")
    differences = []
    for seed in range(5):
        X, y = make_friedman1(900, noise=1, random_state=seed) if regression else classes(900, seed=seed)
        score = [
            getattr(module, name)(40, random_state=seed).fit(X[:450], y[:450]).score(X[450:], y[450:])
            for module in (ensemble, peers)
        ]
        differences.append(score[0] - score[1])
    assert abs(np.mean(differences)) < 3 * np.std(differences, ddof=1) / np.sqrt(5) + 0.004


def test_samples_are_drawn_with_replacement_and_can_be_drawn_again():
    X, y = classes()
    model = RandomForestClassifier(20, random_state=1, max_samples=0.5).fit(X, y)
    samples = model.estimators_samples_
    assert len(samples) == 20 and all(len(rows) == 300 for rows in samples)
    tree = DecisionTreeClassifier(max_features="sqrt", random_state=model.estimators_[4].random_state)
    tree.fit(X, y, sample_weight=np.bincount(samples[4], minlength=600))
    assert_allclose(tree.tree_.n_node_samples[0], len(np.unique(samples[4])))
    assert np.array_equal(model.estimators_[4].tree_.n_node_samples[:1], tree.tree_.n_node_samples[:1])
    shares = [
        len(np.unique(rows)) / 600 for rows in RandomForestClassifier(50, random_state=0).fit(X, y).estimators_samples_
    ]
    assert abs(np.mean(shares) - (1 - (1 - 1 / 600) ** 600)) < 4 * 0.013 / np.sqrt(50)


@pytest.mark.parametrize("forest", CLASSIFIERS)
def test_out_of_bag_predictions_come_from_the_other_trees(forest):
    X, y = classes()
    model = forest(30, bootstrap=True, oob_score=True, random_state=0).fit(X, y)
    total, number = np.zeros((600, 2)), np.zeros(600)
    for tree, rows in zip(model.estimators_, model.estimators_samples_):
        out = np.setdiff1d(np.arange(600), rows)
        total[out] += tree.predict_proba(X[out])
        number[out] += 1
    assert_allclose(model.oob_decision_function_, total / number[:, None], rtol=1e-12)
    assert model.oob_score_ == accuracy_score(y, model.classes_[total.argmax(axis=1)])
    curve = model.oob_curve(X, y)
    assert len(curve.score) == 30 and curve.score[-1] == model.oob_score_ and curve.n_rows[-1] == 600
    assert curve.plot().get_xlabel() == "trees"


def test_out_of_bag_regression_and_own_scores():
    X, y = load_diabetes(return_X_y=True)
    model = RandomForestRegressor(60, oob_score=True, random_state=0).fit(X, y)
    assert model.oob_score_ == r2_score(y, model.oob_prediction_) and 0.3 < model.oob_score_ < 0.55
    assert_allclose(model.oob_curve(X, y).score[-1], model.oob_score_, rtol=1e-12)
    own = RandomForestRegressor(60, oob_score=lambda a, b: float(np.abs(a - b).mean()), random_state=0).fit(X, y)
    assert_allclose(own.oob_score_, np.abs(y - model.oob_prediction_).mean(), rtol=1e-12)
    with pytest.warns(DataWarning, match="too few trees"):
        RandomForestRegressor(1, oob_score=True).fit(X, y)
    with pytest.raises(ParameterError, match="only available if bootstrap=True"):
        RandomForestRegressor(oob_score=True, bootstrap=False).fit(X, y)
    with pytest.raises(DataError, match="give the data of fit"):
        model.oob_curve(X[:-1], y[:-1])


def test_proximity_is_the_share_of_common_leaves():
    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(25, random_state=0).fit(X, y)
    leaves = model.apply(X)
    brute = (leaves[:, None, :] == leaves[None, :20, :]).mean(axis=2)
    assert_allclose(model.proximity(X, X[:20]), brute, atol=1e-12)
    sparse = model.proximity(X, sparse=True)
    assert scipy.sparse.issparse(sparse) and np.allclose(sparse.diagonal(), 1.0, atol=1e-12)
    same = y[:, None] == y
    dense = sparse.toarray()
    assert dense[same].mean() > 10 * dense[~same].mean()


def test_paths_and_importances():
    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(10, random_state=0).fit(X, y)
    paths, begin = model.decision_path(X)
    assert paths.shape == (150, begin[-1]) and len(begin) == 11
    for t, leaf in enumerate(model.apply(X).T):
        assert np.all(paths[np.arange(150), begin[t] + leaf] == 1)
    mean = np.mean([tree.feature_importances_ for tree in model.estimators_], axis=0)
    assert_allclose(model.feature_importances_, mean / mean.sum())
    shuffled = permutation_importance(model, X, y, n_repeats=3, random_state=0)
    assert set(np.argsort(shuffled.importances_mean)[-2:]) == {2, 3} == set(np.argsort(model.feature_importances_)[-2:])


@pytest.mark.parametrize("forest", CLASSIFIERS + REGRESSORS)
def test_a_warm_start_adds_the_trees_of_a_cold_one(forest):
    X, y = classes(200)
    warm = forest(5, random_state=4, warm_start=True).fit(X, y)
    kept = list(warm.estimators_)
    warm.set_params(n_estimators=9).fit(X, y)
    cold = forest(9, random_state=4).fit(X, y)
    assert all(a is b for a, b in zip(kept, warm.estimators_))
    assert np.array_equal(warm.apply(X), cold.apply(X)) and np.array_equal(warm.predict(X), cold.predict(X))
    with pytest.warns(DataWarning, match="does not fit new trees"):
        warm.fit(X, y)
    with pytest.raises(ParameterError, match="must be larger or equal to len"):
        warm.set_params(n_estimators=3).fit(X, y)


@pytest.mark.parametrize("forest", CLASSIFIERS + REGRESSORS)
def test_threads_change_nothing(forest):
    X, y = classes(400)
    one, two = (forest(8, random_state=0, n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    assert np.array_equal(one.apply(X), two.apply(X)) and np.array_equal(one.predict(X), two.predict(X))


def test_class_weights():
    X, y = classes(800)
    X, y = X[(y == 0) | (np.arange(800) % 8 == 0)], y[(y == 0) | (np.arange(800) % 8 == 0)]
    plain = RandomForestClassifier(40, min_samples_leaf=5, random_state=0).fit(X, y)
    for weight in ("balanced", "balanced_subsample", {0: 1, 1: 8}):
        model = RandomForestClassifier(40, min_samples_leaf=5, class_weight=weight, random_state=0).fit(X, y)
        assert (model.predict(X) == 1).sum() > (plain.predict(X) == 1).sum()
    # With bootstrap weights are draws: rows of weight zero are never drawn.
    w = np.where(y == 1, 0.0, 1.0)
    assert (RandomForestClassifier(5, random_state=0).fit(X, y, sample_weight=w).predict(X) == 0).all()


@pytest.mark.parametrize("forest", CLASSIFIERS)
def test_several_outputs_sparse_rows_gaps_and_categories(forest):
    X, y = load_iris(return_X_y=True)
    both = np.column_stack([y, np.where(y > 0, 1, 0)])
    model = forest(10, random_state=0, bootstrap=True, oob_score=False).fit(X, both)
    share = model.predict_proba(X)
    assert [part.shape for part in share] == [(150, 3), (150, 2)] and model.predict(X).shape == (150, 2)
    dense, sparse = forest(10, random_state=0).fit(X, y), forest(10, random_state=0).fit(scipy.sparse.csr_array(X), y)
    assert np.array_equal(dense.apply(X), sparse.apply(scipy.sparse.csr_array(X)))
    gaps = X.copy()
    gaps[::7, 2] = np.nan
    assert forest(20, random_state=0).fit(gaps, y).score(gaps, y) > 0.95
    frame = pd.DataFrame({"kind": pd.Categorical(np.array(["a", "b", "c"])[y]), "length": X[:, 0]})
    model = forest(30, random_state=0).fit(frame, y)
    assert model.score(frame, y) > 0.97 and model.is_categorical_.tolist() == [True, False]


def test_pruning_constraints_and_other_criteria():
    X, y = make_friedman1(300, random_state=0)
    small = RandomForestRegressor(5, ccp_alpha=1.0, random_state=0).fit(X, y)
    assert small[0].tree_.node_count < RandomForestRegressor(5, random_state=0).fit(X, y)[0].tree_.node_count
    rising = RandomForestRegressor(10, monotonic_cst=[0, 0, 0, 1] + [0] * 6, random_state=0).fit(X, y)
    grid = np.repeat(X[:20], 30, axis=0)
    grid[:, 3] = np.tile(np.linspace(0, 1, 30), 20)
    assert (np.diff(rising.predict(grid).reshape(20, 30), axis=1) >= 0).all()
    for criterion in ("absolute_error", "poisson"):
        assert (
            RandomForestRegressor(10, criterion=criterion, random_state=0).fit(X, np.abs(y)).score(X, np.abs(y)) > 0.8
        )
    assert max(tree.get_n_leaves() for tree in RandomForestRegressor(5, max_leaf_nodes=7).fit(X, y)) <= 7


def test_files_and_refusals(tmp_path):
    X, y = load_iris(return_X_y=True)
    for model in (
        RandomForestClassifier(5, random_state=0).fit(X, y),
        ExtraTreesRegressor(5, random_state=0).fit(X, y),
        RandomTreesEmbedding(5, random_state=0, sparse_output=False).fit(X),
        ensemble.IsolationForest(n_estimators=5, random_state=0).fit(X),
    ):
        novum.save(model, tmp_path / "model.novum")
        other = novum.load(tmp_path / "model.novum")
        ask = "transform" if hasattr(model, "transform") else "predict"
        assert np.array_equal(getattr(other, ask)(X), getattr(model, ask)(X))
    with pytest.raises(ParameterError, match="cannot be set if `bootstrap=False`"):
        ExtraTreesClassifier(max_samples=10).fit(X, y)


def test_noisy_labels_hurt_boosting_more_than_bagging():
    fall = {"forest": [], "boosting": []}
    for seed in range(3):
        X, y = make_classification(1200, 10, n_informative=4, flip_y=0, class_sep=1.0, random_state=seed)
        noisy = np.where(np.random.default_rng(seed).random(1200) < 0.2, 1 - y, y)
        for name, model in (
            ("forest", RandomForestClassifier(60, random_state=0)),
            ("boosting", AdaBoostClassifier(DecisionTreeClassifier(max_depth=4), n_estimators=60)),
        ):
            clean, hurt = (model.fit(X[:600], target[:600]).score(X[600:], y[600:]) for target in (y, noisy))
            fall[name].append(clean - hurt)
    assert np.mean(fall["boosting"]) > np.mean(fall["forest"]) + 0.02


def test_embedding_is_the_proximity():
    X, _ = load_iris(return_X_y=True)
    model = RandomTreesEmbedding(20, random_state=0)
    Z = model.fit_transform(X)
    assert (Z.sum(axis=1) == 20).all() and (model.transform(X) != Z).nnz == 0
    assert_allclose((Z @ Z.T).toarray() / 20, model.proximity(X), atol=1e-12)
    assert len(model.get_feature_names_out()) == Z.shape[1]
