"""Classifiers that are networks: against naive Bayes, sums over the joint, and literal cuts."""

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from novum.engines.factors.cuts import entropy_cuts, quantile_cuts, state_of
from novum.exceptions import DataError, ParameterError
from novum.graphical import DAG, BayesianNetworkClassifier, TreeAugmentedNB
from novum.naive_bayes import CategoricalNB


def table(seed=0, n=300):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    a = (rng.random(n) < np.where(y, 0.8, 0.3)).astype(int)
    b = np.where(rng.random(n) < 0.85, a, 1 - a)
    c = (rng.integers(3, size=n) + y) % 3
    return np.column_stack([a, b, c]).astype(float), y


def literal_joint(model, row):
    """log p(row, class) by a sum over missing cells."""
    out = []
    d = len(row)
    cards = [t.shape[-1] for t in model.tables_]
    for c in range(cards[d]):
        total = 0.0
        for fill in itertools.product(*(range(cards[j]) if np.isnan(row[j]) else [int(row[j])] for j in range(d))):
            values = [*fill, c]
            total += np.prod(
                [model.tables_[v][tuple(values[u] for u in (*model.parents_[v], v))] for v in range(d + 1)]
            )
        out.append(np.log(total))
    return out


def test_naive_structure_is_categorical_naive_bayes():
    X, y = table()
    ours = BayesianNetworkClassifier(structure="naive", categorical_features=[0, 1, 2]).fit(X, y)
    theirs = CategoricalNB(alpha=1.0).fit(X, y)
    share = np.bincount(y) + 1  # the class has a table too, with its own pseudo-counts
    assert ours.tables_[3] == pytest.approx(share / share.sum())
    shift = np.log(ours.tables_[3]) - theirs.class_log_prior_
    np.testing.assert_allclose(ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X) + shift, rtol=1e-12)


@pytest.mark.parametrize("structure", ["naive", "tan", "hill_climb"])
def test_missing_cells_are_summed_out(structure):
    X, y = table()
    X[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
    model = BayesianNetworkClassifier(structure=structure, categorical_features=[0, 1, 2]).fit(X, y)
    rows = np.vstack([X[:20], np.full((1, 3), np.nan)])
    expected = [literal_joint(model, row) for row in rows]
    np.testing.assert_allclose(model.predict_joint_log_proba(rows), expected, rtol=1e-10)
    odds = model.log_odds(rows)
    np.testing.assert_allclose(odds, np.diff(expected, axis=1)[:, 0], rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(model.predict_proba(rows)[-1], model.tables_[3], rtol=1e-10)


def test_tree_augmented_finds_the_dependence():
    X, y = table(n=2000)
    model = TreeAugmentedNB(categorical_features=[0, 1, 2]).fit(X, y)
    joined = {frozenset((p, v)) for v, parents in enumerate(model.parents_) for p in parents if p != 3}
    assert frozenset((0, 1)) in joined and len(joined) == 2
    assert all(3 in parents for parents in model.parents_[:3]) and model.parents_[3] == []
    climbed = BayesianNetworkClassifier(categorical_features=[0, 1, 2]).fit(X, y)
    assert climbed.parents_[3] == []
    assert frozenset((0, 1)) in {frozenset((p, v)) for v, parents in enumerate(climbed.parents_) for p in parents}
    log = [m.network_.score_samples(frame(X, y)).sum() for m in (model, climbed)]
    assert abs(log[0] - log[1]) < 20


def frame(X, y):
    names = [*(f"x{j}" for j in range(X.shape[1])), "class"]
    return pd.DataFrame(np.column_stack([X, y]).astype(int), columns=names)


def test_a_graph_of_your_own():
    X, y = table()
    graph = DAG([("sick", "x0"), ("x0", "x1"), ("x2", "sick")])
    model = BayesianNetworkClassifier(structure=graph, categorical_features=[0, 1, 2]).fit(X, y)
    assert model.parents_ == [[3], [0], [], [2]]
    expected = [literal_joint(model, row) for row in X[:10]]
    np.testing.assert_allclose(model.predict_joint_log_proba(X[:10]), expected, rtol=1e-12)
    same = BayesianNetworkClassifier(structure=graph.arcs, categorical_features=[0, 1, 2]).fit(X, y)
    np.testing.assert_array_equal(same.predict_proba(X), model.predict_proba(X))
    with pytest.raises(ParameterError, match="one node that is no column"):
        BayesianNetworkClassifier(structure=[("x0", "x1")]).fit(X, y)
    with pytest.raises(ParameterError, match="one node that is no column"):
        BayesianNetworkClassifier(structure=[("y", "x1"), ("z", "x0")]).fit(X, y)


def test_frames_with_categories_and_numbers():
    rng = np.random.default_rng(0)
    y = rng.choice(["no", "yes"], 200)
    X = pd.DataFrame(
        {
            "color": pd.Categorical(
                np.where(y == "yes", rng.choice(["red", "blue"], 200), "blue"), ["red", "green", "blue"]
            ),
            "size": rng.normal(size=200) + 3 * (y == "yes"),
            "word": rng.choice(["a", "b", None], 200),
        }
    )
    model = BayesianNetworkClassifier().fit(X, y)
    assert model.score(X, y) > 0.9 and model.levels_["color"] == ["red", "green", "blue"]
    network = model.network_
    assert network.states["class"] == ("no", "yes") and network.states["color"] == ("red", "green", "blue")
    assert all(">" in s or "<=" in s or "(" in s for s in network.states["size"])
    p = model.predict_proba(pd.DataFrame({"color": ["red", None], "size": [np.nan, np.nan], "word": [None, None]}))
    assert p[0, 1] > 0.9 and p[1] == pytest.approx(model.tables_[3], rel=1e-9)
    with pytest.raises(DataError, match="the level 'pink'"):
        model.predict(pd.DataFrame({"color": ["pink"], "size": [0.0], "word": ["a"]}))


def test_accuracy_of_numbers():
    X, y = load_iris(return_X_y=True)
    for model in (TreeAugmentedNB(), BayesianNetworkClassifier(), TreeAugmentedNB(cuts="quantile")):
        assert model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    X, y = load_breast_cancer(return_X_y=True)
    assert TreeAugmentedNB().fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.92


def literal_cut(x, y):
    """Fayyad and Irani, by recursion over all thresholds."""

    def h(labels):
        p = np.bincount(labels) / len(labels)
        return -(p[p > 0] * np.log2(p[p > 0])).sum()

    best = None
    values = np.unique(x)
    for low, high in itertools.pairwise(values):
        left, right = y[x <= low], y[x > low]
        gain = h(y) - (len(left) * h(left) + len(right) * h(right)) / len(y)
        if best is None or gain > best[0] + 1e-12:
            best = (gain, (low + high) / 2, left, right)
    if best is None:
        return []
    gain, cut, left, right = best
    k, k1, k2 = (len(set(part.tolist())) for part in (y, left, right))
    delta = np.log2(3**k - 2) - (k * h(y) - k1 * h(left) - k2 * h(right))
    if gain <= (np.log2(len(y) - 1) + delta) / len(y):
        return []
    return [*literal_cut(x[x <= cut], left), cut, *literal_cut(x[x > cut], right)]


def test_entropy_cuts():
    rng = np.random.default_rng(5)
    for seed in range(3):
        y = rng.integers(3, size=150)
        x = np.round(rng.normal(size=150) + 2 * (y == 1) - 3 * (y == 2) * (seed > 0), 1)
        found = entropy_cuts(x, y, 3, np.ones(150))
        np.testing.assert_allclose(found, literal_cut(x, y))
        weight = rng.integers(0, 3, 150).astype(float)
        kept = weight > 0
        again = entropy_cuts(x[kept], y[kept], 3, weight[kept])
        at = np.repeat(np.arange(150), weight.astype(int))
        np.testing.assert_array_equal(again, entropy_cuts(x[at], y[at], 3, np.ones(len(at))))
    assert len(entropy_cuts(np.full(9, 2.0), np.arange(9) % 2, 2, np.ones(9))) == 0
    assert len(entropy_cuts(np.full(3, np.nan), np.zeros(3, int), 1, np.ones(3))) == 0


def test_quantile_cuts():
    x = np.arange(100.0)
    np.testing.assert_allclose(quantile_cuts(x, np.ones(100), 4), [24.5, 49.5, 74.5])
    np.testing.assert_allclose(quantile_cuts(np.array([3.0, 1, 1, 2, np.nan]), np.ones(5), 4), [1.5, 2.5])
    tied = np.array([0.0] * 90 + list(range(1, 11)))
    cuts = quantile_cuts(tied, np.ones(100), 5)
    assert len(cuts) == 1 and len(set(state_of(tied, cuts).tolist())) == 2
    near = np.array([1.0, np.nextafter(1.0, 2)])
    assert state_of(near, quantile_cuts(near, np.ones(2), 2)).tolist() == [0, 1]
    assert state_of(np.array([np.nan, -9.0, 9.0]), np.array([0.0])).tolist() == [-1, 0, 1]


def test_bad_categories():
    X, y = table()
    model = TreeAugmentedNB(categorical_features=[0, 1, 2]).fit(X, y)
    for bad in (7.0, -1.0, 0.5):
        with pytest.raises(DataError, match=r"categorical column 2 holds .*fit saw the categories 0, ..., 2"):
            model.predict([[0, 0, bad]])
    with pytest.raises(DataError, match="categorical column"):
        TreeAugmentedNB(categorical_features=[0]).fit(X - 0.5, y)
    with pytest.raises(ParameterError, match="no column 'z'"):
        TreeAugmentedNB(categorical_features=["z"]).fit(X, y)
