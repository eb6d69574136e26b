"""Weights that differ by twenty orders of magnitude: cuts are judged by rational arithmetic, where no sum cancels."""

from fractions import Fraction
from math import log

import numpy as np
import pytest

from novum.ensemble import AdaBoostClassifier, ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor
from novum.tree import DecisionTreeClassifier, DecisionTreeRegressor

CLASSES, NUMBERS = ("gini", "entropy"), ("squared_error", "absolute_error", "poisson")
LOST = 1e-11  # share of the node's whole impurity that a cut may fall short of the best


def _rational(values):
    return [Fraction(float(v)) for v in values]


def _impurity(criterion, y, w):
    """Return weight times impurity of some rows; logarithms are of exact ratios, so nothing cancels before them."""
    w = _rational(w)
    total = sum(w)
    if criterion in CLASSES:
        mass = [sum(v for v, t in zip(w, y, strict=True) if t == k) for k in sorted(set(y))]
        if criterion == "gini":
            return total - sum(m * m for m in mass) / total
        return -sum(Fraction(float(m) * log(m / total)) for m in mass)
    y = _rational(y)
    mean = sum(a * b for a, b in zip(w, y, strict=True)) / total
    if criterion == "squared_error":
        return sum(a * (b - mean) ** 2 for a, b in zip(w, y, strict=True))
    if criterion == "absolute_error":
        return min(sum(a * abs(b - middle) for a, b in zip(w, y, strict=True)) for middle in y)
    return sum(a * (Fraction(float(b) * log(b / mean)) - b + mean) for a, b in zip(w, y, strict=True))


def _shortfall(criterion, x, y, w, tree):
    """Return how much less impurity the best cut leaves than the tree's own, as a share of the whole."""
    left = {
        c: _impurity(criterion, y[x <= c], w[x <= c]) + _impurity(criterion, y[x > c], w[x > c])
        for c in np.unique(x)[:-1]
    }
    whole = _impurity(criterion, y, w)
    own = whole if tree.node_count == 1 else left[max(c for c in left if c <= tree.threshold[0])]
    scale = sum(_rational(w)) * (
        1 if criterion in CLASSES else Fraction(float(np.ptp(y))) ** (2 if criterion == "squared_error" else 1)
    )
    return float((own - min(left.values())) / scale)


def _draws(criterion, seed, rounds=60, most=14):
    rng = np.random.default_rng(seed)
    for _ in range(rounds):
        m = int(rng.integers(3, most))
        x = rng.integers(0, 8, m).astype(float)
        y = (
            rng.integers(0, rng.integers(2, 5), m)
            if criterion in CLASSES
            else rng.gamma(1.0, size=m) + rng.choice([0.1, 1.0 if criterion == "poisson" else 1e3])
        )
        if len(set(x)) > 1 and len(set(y)) > 1:
            yield x, y, 10.0 ** rng.uniform(-20, 2, m)


def test_the_row_that_weighs_nothing_does_not_choose_the_cut():
    x, y, w = np.array([[6.0], [0.0], [4.0], [5.0]]), [1, 0, 0, 1], [1e-17, 0.39, 0.42, 0.06]
    model = DecisionTreeClassifier(max_depth=1).fit(x, y, sample_weight=w)
    assert model.tree_.threshold[0] == 4.5
    assert model.predict(x).tolist() == y


@pytest.mark.parametrize("criterion", CLASSES + NUMBERS)
def test_a_tree_takes_the_best_cut(criterion):
    kind = DecisionTreeClassifier if criterion in CLASSES else DecisionTreeRegressor
    for x, y, w in _draws(criterion, 1):
        tree = kind(criterion=criterion, max_depth=1).fit(x[:, None], y, sample_weight=w).tree_
        assert _shortfall(criterion, x, y, w, tree) < LOST


@pytest.mark.parametrize("criterion", ("gini", "entropy", "squared_error"))
@pytest.mark.parametrize("most", (14, 300))
def test_a_forest_takes_the_best_cut(criterion, most):
    kind = RandomForestClassifier if criterion in CLASSES else RandomForestRegressor
    settings = {"n_estimators": 1, "bootstrap": False, "max_features": None, "max_depth": 1, "random_state": 0}
    for x, y, w in _draws(criterion, 2, 40 if most == 14 else 6, most):
        tree = kind(criterion=criterion, **settings).fit(x[:, None], y, sample_weight=w).estimators_[0].tree_
        assert _shortfall(criterion, x, y, w, tree) < LOST


def test_two_outputs_take_the_best_cut():
    for x, y, w in _draws("squared_error", 3):
        both = np.column_stack([y, y[::-1]])
        tree = DecisionTreeRegressor(max_depth=1).fit(x[:, None], both, sample_weight=w).tree_
        left = {
            c: sum(_impurity("squared_error", both[s, o], w[s]) for s in (x <= c, x > c) for o in range(2))
            for c in np.unique(x)[:-1]
        }
        own = left[max(c for c in left if c <= tree.threshold[0])]
        assert float((own - min(left.values())) / (sum(_rational(w)) * Fraction(float(np.ptp(y))) ** 2)) < LOST


def test_missing_values_that_weigh_nothing_do_not_choose_the_cut():
    rng = np.random.default_rng(4)
    for _ in range(30):
        x, y = rng.integers(0, 6, 30).astype(float), rng.integers(0, 2, 30)
        w = rng.uniform(0.5, 1.0, 30)
        gaps = rng.random(30) < 0.3
        w[gaps] = 1e-19
        with_gaps = (
            DecisionTreeClassifier(max_depth=1).fit(np.where(gaps, np.nan, x)[:, None], y, sample_weight=w).tree_
        )
        without = DecisionTreeClassifier(max_depth=1).fit(x[~gaps, None], y[~gaps], sample_weight=w[~gaps]).tree_
        assert with_gaps.threshold[0] == without.threshold[0]


def test_drawn_cuts_of_rows_that_weigh_nothing_lead_to_finite_trees():
    rng = np.random.default_rng(5)
    X, y, w = rng.normal(size=(200, 3)), rng.normal(size=200), 10.0 ** rng.uniform(-20, 0, 200)
    model = ExtraTreesRegressor(n_estimators=3, random_state=0).fit(X, y, sample_weight=w)
    for member in model.estimators_:
        assert np.isfinite(member.tree_.impurity).all()
        assert (member.tree_.impurity >= 0).all()


def test_absolute_errors_far_from_zero_are_those_near_it():
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(60, 1)), rng.integers(0, 9, 60).astype(float)
    near, far = (
        DecisionTreeRegressor(criterion="absolute_error", max_depth=3).fit(X, y + shift).tree_
        for shift in (0.0, 2.0**45)
    )
    assert near.threshold.tolist() == far.threshold.tolist()


def test_boosted_stumps_do_not_give_up_when_weights_grow_apart():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] + 0.1 * rng.normal(size=300) > 0).astype(int)
    model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=200, random_state=0).fit(X, y)
    weights = 10.0 ** rng.uniform(-18, 0, 300)
    weighted = AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=50, random_state=0).fit(
        X, y, sample_weight=weights
    )
    for boosted in (model, weighted):
        assert max(boosted.estimator_errors_) < 0.5
