"""Forests fitted on tensors that count as elsewhere: the trees of files and of memory, the best cuts of a search by hand."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits

import novum
from novum.engines.trees.device import filled_cells
from novum.ensemble import ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor
from novum.ensemble.forest import device, passes
from novum.exceptions import DataError, ParameterError

torch = pytest.importorskip("torch")
from elsewhere import CopiedToHost, elsewhere  # noqa: E402  needs PyTorch
from interpreted import interpreted  # noqa: E402

pytestmark = pytest.mark.deep
CLASSIFIERS = (RandomForestClassifier, ExtraTreesClassifier)
REGRESSORS = (RandomForestRegressor, ExtraTreesRegressor)
RNG = np.random.default_rng(0)
N, D = 1600, 4
X = RNG.normal(size=(N, D))
X[:, 3] = np.round(X[:, 3])
Y = X[:, 0] ** 2 + X[:, 1] + 0.3 * RNG.normal(size=N)
GAPS = np.where(RNG.random(X.shape) < 0.03, np.nan, X)
WEIGHT = RNG.integers(0, 3, N) / 2
EXACT = (
    "children_left",
    "children_right",
    "feature",
    "threshold",
    "missing_go_to_left",
    "n_node_samples",
    "weighted_n_node_samples",
)
MOST = 10**6  # numbers at a time, of trees that have as many nodes as rows


def target_of(cls):
    return np.digitize(Y, [0, 1.5]) if cls in CLASSIFIERS else Y


def there(make, rows, y, weight=None, most=MOST):
    """Return a forest of tensors, and how many numbers crossed at a time."""
    weight = None if weight is None else torch.as_tensor(weight)
    with elsewhere(most) as crossed:
        model = make().fit(torch.as_tensor(rows), torch.as_tensor(y), sample_weight=weight)
    return model, max(crossed)


def same_trees(found, expected, value=0.0, impurity=0.0):
    """Compare trees: their cuts bit by bit, means and impurities, which are sums of float64, to so much."""
    for one, other in zip(found.estimators_, expected.estimators_, strict=True):
        for name in EXACT:
            assert_array_equal(getattr(one.tree_, name), getattr(other.tree_, name), err_msg=name)
        assert_allclose(one.tree_.value, other.tree_.value, rtol=value, atol=value)
        assert_allclose(one.tree_.impurity, other.tree_.impurity, rtol=impurity, atol=impurity)


@pytest.fixture
def scan(tmp_path):
    def make(rows, y, weight=None):
        paths = {}
        for name, values in (("x", rows), ("target", y), ("weight", weight)):
            if values is not None:
                paths[name] = tmp_path / f"{name}{len(list(tmp_path.iterdir()))}.npy"
                np.save(paths[name], values)
        return novum.scan(paths.pop("x"), **paths)

    return make


@pytest.mark.parametrize("cls", [*CLASSIFIERS, *REGRESSORS])
@pytest.mark.parametrize(("rows", "weight"), [(X, None), (GAPS, WEIGHT)], ids=["plain", "gaps and weights"])
def test_a_limit_of_leaves_gives_the_trees_of_files_bit_by_bit(cls, rows, weight, scan):
    y = target_of(cls)

    def make():
        return cls(3, max_leaf_nodes=30, max_features=0.5, min_samples_leaf=3, random_state=1)

    found, most = there(make, rows, y, weight, most=N - 1)
    assert most < N
    same_trees(found, make().fit(scan(rows, y, weight)))


@pytest.mark.parametrize("cls", [*CLASSIFIERS, *REGRESSORS])
@pytest.mark.parametrize("taken_up", [2**23, 2**12, 0], ids=["all", "small leaves", "none"])
def test_without_one_the_trees_are_those_of_files(cls, taken_up, scan, monkeypatch):
    monkeypatch.setattr(passes, "GATHERED_VALUES", taken_up)
    monkeypatch.setattr(device, "GATHERED_VALUES", taken_up)
    y = target_of(cls)
    for rows, weight, least in ((X, None, 1), (GAPS, WEIGHT, 4)):

        def make(least=least):
            return cls(2, min_samples_leaf=least, max_features=0.5, random_state=2)

        # Leaves that are grown in memory sum numbers in another order, rounded to fewer digits.
        value, impurity = (1e-12, 1e-10) if taken_up else (0.0, 1e-12)
        same_trees(there(make, rows, y, weight)[0], make().fit(scan(rows, y, weight)), value, impurity)


@pytest.mark.parametrize("cls", [*CLASSIFIERS, *REGRESSORS])
def test_few_values_give_the_trees_of_memory(cls):
    rows, y = np.round(4 * X), target_of(cls)
    for more in ({}, {"max_features": None}, {"max_features": 1, "max_depth": 7}):

        def make(more=more):
            return cls(2, bootstrap=False, min_samples_leaf=2, random_state=5, **more)

        same_trees(there(make, rows, y)[0], make().fit(rows, y), 1e-12, 1e-10)


@pytest.mark.parametrize(
    "more",
    [
        {"criterion": "entropy", "class_weight": "balanced"},
        {"criterion": "log_loss", "class_weight": {0: 2.0, 2: 0.5}, "min_weight_fraction_leaf": 0.02},
        {"min_impurity_decrease": 0.003, "max_samples": 0.4},
        {"max_leaf_nodes": 12, "max_samples": 700, "bootstrap": True},
        {"ccp_alpha": 0.004, "max_depth": 9, "min_samples_split": 0.02},
    ],
)
def test_parameters_mean_the_same(more, scan):
    y = target_of(RandomForestClassifier)

    def make():
        return RandomForestClassifier(3, min_samples_leaf=4, random_state=3, **more)

    found, _ = there(make, GAPS, y)
    same_trees(found, make().fit(scan(GAPS, y)), 1e-12, 1e-12)
    assert_array_equal(found.classes_, [0, 1, 2])


@pytest.mark.parametrize("factor", [2.0**480, 2.0**-560])
def test_the_size_of_targets_changes_no_cut(factor, scan, monkeypatch):
    monkeypatch.setattr(passes, "GATHERED_VALUES", 0)
    monkeypatch.setattr(device, "GATHERED_VALUES", 0)

    def make():
        return RandomForestRegressor(2, min_samples_leaf=3, random_state=0)

    plain, large = there(make, X, Y)[0], there(make, X, Y * factor)[0]
    for one, other, third in zip(plain, large, make().fit(scan(X, Y * factor)), strict=True):
        for name in EXACT:
            assert_array_equal(getattr(one.tree_, name), getattr(other.tree_, name))
            assert_array_equal(getattr(one.tree_, name), getattr(third.tree_, name))
        assert_array_equal(one.tree_.value * factor, other.tree_.value)


def test_many_classes_and_cuts_of_equal_worth(scan):
    rng = np.random.default_rng(10)
    rows, y = np.round(rng.normal(size=(400, 4))), rng.integers(0, 40, 400)
    for seed in (1, 2):

        def make(seed=seed):
            return RandomForestClassifier(3, max_leaf_nodes=30, random_state=seed)

        same_trees(there(make, rows, y)[0], make().fit(scan(rows, y)))


def gains_by_hand(rows, y, weight, classes):
    """Return the fall of impurity for all cuts between values of all columns, by column and threshold."""

    def spread(some):
        w = weight[some].sum()
        if classes:
            return w - sum(weight[some & (y == k)].sum() ** 2 for k in range(classes)) / w
        mean = (weight[some] * y[some]).sum() / w
        return (weight[some] * (y[some] - mean) ** 2).sum()

    all_rows, out = np.ones(len(y), bool), {}
    for j in range(rows.shape[1]):
        values = np.unique(rows[:, j])
        for low, high in pairwise(values):
            left = rows[:, j] <= low
            out[j, (low + high) / 2] = spread(all_rows) - spread(left) - spread(~left)
    return out


@pytest.mark.parametrize("classes", [0, 2, 4])
def test_every_cut_is_the_best_by_hand(classes):
    rng = np.random.default_rng(classes)
    rows = np.round(3 * rng.normal(size=(150, 3)))
    y = rng.integers(0, classes, 150) if classes else rng.normal(size=150) + rows[:, 0]
    weight = rng.integers(1, 4, 150).astype(float)
    cls = RandomForestClassifier if classes else RandomForestRegressor
    for most in (None, 8):
        model, _ = there(
            lambda most=most: cls(1, bootstrap=False, max_features=None, max_depth=3, max_leaf_nodes=most),
            rows,
            y,
            weight,
        )
        tree = model[0].tree_
        reached = tree.paths_to(tree.apply(rows)).toarray() > 0
        assert (tree.feature >= 0).sum() > 3
        for node in np.flatnonzero(tree.feature >= 0):
            here = reached[:, node]
            gains = gains_by_hand(rows[here], y[here], weight[here], classes)
            assert_allclose(gains[tree.feature[node], tree.threshold[node]], max(gains.values()), rtol=1e-6)
            assert tree.n_node_samples[node] == here.sum()
            assert_allclose(tree.weighted_n_node_samples[node], weight[here].sum())


@pytest.mark.parametrize("cls", [*CLASSIFIERS, *REGRESSORS])
def test_weights_are_repetitions_without_draws(cls):
    rows, y = np.round(3 * X), target_of(cls)
    times = RNG.integers(0, 3, N)

    def make():
        return cls(2, bootstrap=False, max_features=3, max_depth=6, min_weight_fraction_leaf=0.01, random_state=0)

    weighted, _ = there(make, rows, y, times.astype(float))
    repeated, _ = there(make, np.repeat(rows, times, axis=0), np.repeat(y, times))
    for one, other in zip(weighted.estimators_, repeated.estimators_):
        for name in ("feature", "threshold", "weighted_n_node_samples"):
            assert_array_equal(getattr(one.tree_, name), getattr(other.tree_, name))
        assert_allclose(one.tree_.value, other.tree_.value, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("cls", [*CLASSIFIERS, *REGRESSORS])
def test_what_is_looked_at_together_changes_nothing(cls, monkeypatch):
    y = target_of(cls)

    def make():
        return cls(3, max_features=2, min_samples_leaf=2, random_state=4)

    whole, _ = there(make, GAPS, y, WEIGHT)
    same_trees(there(make, GAPS, y, WEIGHT)[0], whole)
    for name, owner, value in (
        ("ROWS_AT_ONCE", device, N),
        ("AT_ONCE", filled_cells, 5000),
        ("FEW_ROWS", filled_cells, 500),
    ):
        monkeypatch.setattr(owner, name, value)
        same_trees(there(make, GAPS, y, WEIGHT)[0], whole)


@pytest.mark.parametrize(
    ("load", "cls"), [(load_breast_cancer, RandomForestClassifier), (load_digits, ExtraTreesClassifier)]
)
def test_held_out_accuracy_is_that_of_memory(load, cls):
    rows, y = load(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    train, new = order[::2], order[1::2]
    scores = []
    for seed in range(2):
        found, _ = there(lambda seed=seed: cls(25, random_state=seed), rows[train], y[train])
        memory = cls(25, random_state=seed).fit(rows[train], y[train])
        scores.append([found.score(rows[new], y[new]), memory.score(rows[new], y[new])])
    one, other = np.mean(scores, axis=0)
    assert one > 0.93 and abs(one - other) < 2 * np.sqrt(other * (1 - other) / len(new))


def test_held_out_error_is_that_of_memory():
    rows, y = load_diabetes(return_X_y=True)
    forests = [RandomForestRegressor(60, min_samples_leaf=5, random_state=seed) for seed in range(2)]
    errors = []
    for forest in forests:
        found, _ = there(lambda forest=forest: forest, rows[:300], y[:300])
        one = np.sqrt(np.mean((found.predict(rows[300:]) - y[300:]) ** 2))
        memory = forest.fit(rows[:300], y[:300])
        errors.append([one, np.sqrt(np.mean((memory.predict(rows[300:]) - y[300:]) ** 2))])
    one, other = np.mean(errors, axis=0)
    assert abs(one / other - 1) < 0.02


def test_what_a_fit_records(tmp_path):
    words = np.array(["low", "middle", "high"])[target_of(RandomForestClassifier)]
    rows = torch.as_tensor(X)
    with elsewhere(MOST):
        model = RandomForestClassifier(3, max_depth=5, random_state=0, warm_start=True).fit(rows, words)
        assert_array_equal(model.classes_, ["high", "low", "middle"])
        share = model.predict_proba(rows)
        model.set_params(n_estimators=5).fit(rows, words)
        cold = RandomForestClassifier(5, max_depth=5, random_state=0).fit(rows, words)
    same_trees(model, cold)
    assert share.shape == (N, 3) and isinstance(share, torch.Tensor)
    assert all(isinstance(value, np.ndarray) for value in (model[0].tree_.value, model.feature_importances_))
    assert_array_equal(model.predict(X), cold.predict(X))
    assert [abs(len(some) - N) < 5 * np.sqrt(N) for some in model.estimators_samples_] == [True] * 5
    assert model.oob_curve(X, words).score[-1] > 0.7
    novum.save(model, tmp_path / "forest.novum")
    assert_array_equal(novum.load(tmp_path / "forest.novum").predict_proba(X), model.predict_proba(X))


def test_numbers_of_other_types():
    plain, _ = there(lambda: RandomForestRegressor(2, max_depth=4, random_state=0), X.astype(np.float32), Y)
    wide, _ = there(
        lambda: RandomForestRegressor(2, max_depth=4, random_state=0), X.astype(np.float32).astype(float), Y
    )
    same_trees(plain, wide)
    whole, _ = there(lambda: RandomForestRegressor(2, max_depth=4, random_state=0), X, np.round(5 * Y).astype(np.int64))
    real, _ = there(lambda: RandomForestRegressor(2, max_depth=4, random_state=0), X, np.round(5 * Y))
    same_trees(whole, real)


@pytest.mark.parametrize(
    ("cls", "options", "match"),
    [
        (RandomForestClassifier, {"oob_score": True}, "oob_score=True.* needs rows in memory; on a device"),
        (RandomForestClassifier, {"class_weight": "balanced_subsample"}, "on a device give a dict or 'balanced'"),
        (RandomForestClassifier, {"class_weight": [{0: 1.0}]}, "on a device give a dict or 'balanced'"),
        (RandomForestClassifier, {"monotonic_cst": [1, 0]}, "monotonic_cst"),
        (ExtraTreesClassifier, {"categorical_features": [0]}, "categorical_features"),
        (RandomForestRegressor, {"criterion": "absolute_error"}, "criterion='absolute_error'.* on a device"),
        (ExtraTreesRegressor, {"criterion": "poisson"}, "criterion='poisson'"),
    ],
)
def test_what_needs_memory_is_said(cls, options, match):
    rows, y = torch.eye(2, dtype=torch.float64), torch.arange(2)
    with elsewhere(MOST), pytest.raises(ParameterError, match=match):
        cls(2, **options).fit(rows, y)


def test_a_tree_without_rows_is_said():
    few = {"n_estimators": 8, "max_samples": 1, "random_state": 0}
    with elsewhere(MOST), pytest.raises(DataError, match="a tree drew none of the 1600 rows"):
        RandomForestRegressor(**few).fit(torch.as_tensor(X), torch.as_tensor(Y))


def test_several_targets_need_memory():
    with elsewhere(MOST), pytest.raises(DataError, match="several targets need rows in memory"):
        RandomForestRegressor(2).fit(torch.as_tensor(X), torch.as_tensor(np.stack([Y, Y], axis=1)))


def test_judging_out_of_bag_needs_memory():
    model, _ = there(lambda: RandomForestRegressor(2, max_depth=3), X, Y)
    with elsewhere(MOST), pytest.raises(DataError, match="looks at rows in memory"):
        model.oob_curve(torch.as_tensor(X), torch.as_tensor(Y))


@pytest.mark.parametrize("cls", [RandomForestRegressor, ExtraTreesClassifier])
def test_kernels_grow_the_same_trees(cls):
    rows, y = GAPS[:400], target_of(cls)[:400]

    def make():
        return cls(2, max_depth=4, max_features=1, random_state=0)

    plain, _ = there(make, rows, y)
    with interpreted():
        same_trees(there(make, rows, y)[0], plain)


def test_the_guard_sees_nodes_cross():
    with pytest.raises(CopiedToHost):
        there(lambda: RandomForestRegressor(2, random_state=0), X, Y, most=10)
