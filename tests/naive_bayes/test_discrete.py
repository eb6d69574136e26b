"""Naive Bayes on counts and categories, and with mixed columns: the notes' numbers, scikit-learn's classes, homes."""

import dask.array as da
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn.naive_bayes as peer
from artists import arrows, canvas, meshes, tick_words, words
from numpy.testing import assert_allclose

from novum import naive_bayes as ours
from novum.datasets import load_play_tennis
from novum.distributions import Poisson
from novum.exceptions import DataError, ParameterError
from novum.feature_extraction.text import CountVectorizer
from novum.naive_bayes import (
    BernoulliNB,
    CategoricalNB,
    GaussianNB,
    MixedNB,
    MultinomialNB,
    m_estimate,
    plot_class_tables,
)
from novum.naive_bayes.counts import Plan, sparse_counts
from novum.teaching import plot_naive_bayes_graph

LEVELS = [["Sunny", "Overcast", "Rain"], ["Hot", "Mild", "Cool"], ["High", "Normal"], ["Weak", "Strong"]]


def tennis():
    data = load_play_tennis()
    X = np.array([[LEVELS[j].index(v) for j, v in enumerate(row)] for row in np.asarray(data.data)])
    return X, np.asarray(data.target)


def day(*values):
    return [[LEVELS[j].index(v) for j, v in enumerate(values)]]


@pytest.mark.notes("001", "naive-bayes")
@pytest.mark.notes("001", "m-estimate")
def test_play_tennis():
    X, y = tennis()
    sunny, overcast = day("Sunny", "Cool", "High", "Strong"), day("Overcast", "Cool", "High", "Strong")
    plain = CategoricalNB(alpha=0).fit(X, y)
    assert_allclose(np.exp(plain.predict_joint_log_proba(sunny)), [[0.020571, 0.005291]], atol=5e-7)
    assert_allclose(plain.predict_proba(sunny)[0, 0], 0.795417, atol=5e-7)
    assert_allclose(np.exp(plain.predict_joint_log_proba(overcast)), [[0, 0.010582]], atol=5e-7)
    drawn = CategoricalNB(prior_strength=3).fit(X, y)
    assert_allclose(np.exp(drawn.predict_joint_log_proba(sunny)), [[0.017264, 0.007533]], atol=5e-7)
    assert_allclose(drawn.predict_proba(sunny)[0, 0], 0.696203, atol=5e-7)
    uniform = [np.full(len(levels), 1 / len(levels)) for levels in LEVELS]
    given = CategoricalNB(prior_strength=3, category_prior=uniform).fit(X, y)
    assert_allclose(given.predict_proba(X), drawn.predict_proba(X))
    assert m_estimate(2, 9, 1 / 3, 0) == 2 / 9 and m_estimate(2, 9, 1 / 3, 3) == (2 + 1) / (9 + 3)
    assert plain.parameter_count() == 1 + 2 * (2 + 2 + 1 + 1)
    with pytest.raises(ParameterError, match="give 4 arrays of probabilities"):
        CategoricalNB(prior_strength=3, category_prior=[[1.0]]).fit(X, y)


@pytest.mark.notes("000-b", "multinomial-nb")
@pytest.mark.notes("000-b", "plot-nb")
def test_topics():
    X, y = np.array([[0, 10, 200, 3, 1], [55, 0, 3, 0, 1]]), ["learning", "math"]
    plain = MultinomialNB(alpha=0, class_prior=[0.5, 0.5]).fit(X, y)
    assert_allclose(np.exp(plain.feature_log_prob_[0]), [0, 0.046729, 0.934579, 0.014019, 0.004673], atol=5e-7)
    assert_allclose(np.exp(plain.feature_log_prob_[1]), [0.932203, 0, 0.050847, 0, 0.016949], atol=5e-7)
    smooth = MultinomialNB(class_prior=[0.5, 0.5]).fit(X, y)
    assert_allclose(
        np.exp(smooth.feature_log_prob_), [np.array([1, 11, 201, 4, 2]) / 219, np.array([56, 1, 4, 1, 2]) / 64]
    )
    documents = np.array([[0, 1, 2, 0, 0], [1, 0, 1, 0, 0]])
    expected = [[-3.855857, -10.397208], [-6.167986, -3.599267]]
    assert_allclose(smooth.predict_joint_log_proba(documents), expected, atol=5e-7)
    assert_allclose(smooth.predict_joint_log_proba(sp.csr_matrix(documents.astype(float))), expected, atol=5e-7)
    joint = plain.predict_joint_log_proba(documents)
    assert np.isneginf(joint[1, 0]) and np.isneginf(joint[0, 1]) and np.isfinite([joint[0, 0], joint[1, 1]]).all()
    ax = smooth.plot(ax=canvas())
    shares = np.array([np.array([1, 11, 201, 4, 2]) / 219, np.array([56, 1, 4, 1, 2]) / 64])
    (table,) = meshes(ax)
    assert_allclose(table.value, shares)
    assert_allclose(table.x, np.arange(5))
    assert_allclose(table.y, [0, 1])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["learning", "math"]
    assert tick_words(ax) == ["x0", "x1", "x2", "x3", "x4"]
    written = {tuple(map(int, text.get_position())): text.get_text() for text in ax.texts}
    assert {place: float(text) for place, text in written.items()} == pytest.approx(
        {(j, i): shares[i, j] for i in range(2) for j in range(5)}, rel=6e-3
    )
    middle = (shares.max() + shares.min()) / 2  # numbers stay readable on their shade
    white = {tuple(map(int, text.get_position())) for text in ax.texts if text.get_color() == "white"}
    assert white == {(j, i) for i, j in np.argwhere(shares > middle)} == {(2, 0), (0, 1)}
    graph = plot_naive_bayes_graph(["w1", "w2"], "topic", ax=canvas())
    assert words(graph) == {"w1": (-1, 0), "w2": (1, 0), "topic": (0, 1)}
    for tail, head in arrows(graph):  # from the class to every word, none between words
        assert_allclose(tail, [0, 0.9])
        assert_allclose(head[1], 0.1)
    assert sorted(head[0] for _, head in arrows(graph)) == [-1, 1]
    (categories,) = meshes(plot_class_tables(CategoricalNB(alpha=0).fit(*tennis()), ax=canvas()))
    assert_allclose(categories.value[:, :3].sum(axis=1), 1)  # the outlooks of each class
    with pytest.raises(ParameterError, match="3 feature_names for 5 columns"):
        plot_class_tables(smooth, feature_names=["a", "b", "c"])


@pytest.mark.notes("001", "multinomial-nb")
def test_chinese_documents():
    words = CountVectorizer()
    X = words.fit_transform(
        ["chinese beijing chinese", "chinese chinese shanghai", "chinese macao", "tokyo japan chinese"]
    )
    model = MultinomialNB().fit(X, ["c1", "c1", "c1", "c2"])
    place = words.vocabulary_
    assert_allclose(np.exp(model.feature_log_prob_[:, place["chinese"]]), [6 / 14, 2 / 9])
    assert_allclose(np.exp(model.feature_log_prob_[0, place["tokyo"]]), 1 / 14)
    test = words.transform(["chinese chinese chinese tokyo japan"])
    assert_allclose(np.exp(model.predict_joint_log_proba(test)), [[0.000301214, 0.000135481]], atol=5e-10)
    assert model.predict(test)[0] == "c1"


@pytest.mark.notes("000-b", "nb-log-linear")
def test_log_linear_form():
    counts = np.array([[5, 3, 2], [2, 3, 5]])
    model = MultinomialNB(alpha=0, class_prior=[0.4, 0.6]).fit(counts, [0, 1])
    weights, bias = model.linear_form()
    score = weights @ [2, 1, 1] + bias
    assert_allclose(np.exp(score), [0.006, 0.0036])
    assert_allclose(score, [-5.115996, -5.626821], atol=5e-7)
    rng = np.random.default_rng(1)
    X, y = rng.poisson(2.0, size=(30, 4)), rng.integers(3, size=30)
    model = MultinomialNB(alpha=0.5).fit(X, y)
    weights, bias = model.linear_form()
    sums = np.array([X[y == c].sum(axis=0) + 0.5 for c in range(3)])
    assert_allclose(weights, np.log(sums / sums.sum(axis=1, keepdims=True)), rtol=1e-12)
    assert_allclose(bias, np.log(np.bincount(y) / 30), rtol=1e-12)
    assert_allclose(model.predict_joint_log_proba(X), X @ weights.T + bias, rtol=1e-12)


@pytest.mark.notes("002", "bernoulli-nb")
def test_binary_features():
    X, y = np.array([[1, 0], [1, 1], [0, 1], [0, 0], [0, 1]]), [0, 0, 0, 1, 1]
    plain = BernoulliNB(alpha=0).fit(X, y)
    assert_allclose(np.exp(plain.feature_log_prob_), [[2 / 3, 2 / 3], [0, 1 / 2]])
    assert_allclose(np.exp(plain.class_log_prior_), [0.6, 0.4])
    assert_allclose(plain.predict_proba([[1, 1], [0, 1]])[:, 0], [1, (0.6 / 3 * 2 / 3) / (0.6 / 3 * 2 / 3 + 0.2)])
    certain = BernoulliNB(alpha=0).fit([[1, 0], [1, 1], [0, 1], [0, 0]], [0, 0, 1, 1])
    assert_allclose(certain.predict_proba([[1, 0], [0, 0]]), [[1, 0], [0, 1]])
    smooth = BernoulliNB().fit(X, y)
    weights, bias = smooth.linear_form()
    pi = np.exp(smooth.feature_log_prob_)
    assert_allclose(weights, np.log(pi / (1 - pi)))
    assert_allclose(bias, np.log([0.6, 0.4]) + np.log(1 - pi).sum(1))
    assert_allclose(smooth.log_odds(X), (weights[1] - weights[0]) @ X.T + bias[1] - bias[0])


@pytest.mark.notes("001", "gaussian-nb")
@pytest.mark.notes("003", "naive-bayes")
@pytest.mark.notes("004", "gaussian-naive-bayes")
def test_gaussian_numbers():
    model = GaussianNB().fit([[1.0], [2], [3], [6], [8]], [0, 0, 0, 1, 1])
    joint = np.exp(model.predict_joint_log_proba([[4.0], [4.5]]))
    assert_allclose(joint, [[0.0145957, 0.0017727], [0.0026999, 0.0070113]], atol=5e-8)
    assert_allclose(GaussianNB().fit([[1.0], [2], [4]], [0, 0, 0]).var_, 1.5556, atol=5e-5)
    people = [
        [6, 180, 12],
        [5.92, 190, 11],
        [5.58, 170, 12],
        [5.92, 165, 10],
        [5, 100, 6],
        [5.5, 150, 8],
        [5.42, 130, 7],
        [5.75, 150, 9],
    ]
    model = GaussianNB(var_smoothing=0).fit(people, ["male"] * 4 + ["female"] * 4)
    assert_allclose(np.exp(model.predict_joint_log_proba([[6, 130, 8]]))[0], [4.50553e-4, 6.95783e-11], rtol=1e-5)


@pytest.mark.notes("003", "naive-bayes")
@pytest.mark.notes("000-b", "naive-bayes")
def test_codes_without_names_are_counted_category_by_category():
    codes, y = np.array([[0], [2], [2], [1], [0], [2]]), np.array([0, 0, 1, 1, 1, 1])
    found = MixedNB(families=["categorical"], alpha=1.0).fit(codes, y).predict_joint_log_proba([[0], [1], [2]])
    share = np.array([[2, 2], [1, 2], [2, 3]]) / [5, 7]  # of 3 categories: (count + 1) / (rows of the class + 3)
    assert_allclose(found, np.log(share * [2 / 6, 4 / 6]), rtol=1e-12)


@pytest.mark.notes("000-b", "naive-bayes")
@pytest.mark.parametrize("library", [pd, pl])
def test_mixed_columns_are_each_familys_own(library):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=300)
    table = {
        "kind": [["red", "green", "blue"][v] for v in (rng.integers(0, 2, 300) + y)],
        "size": rng.normal(y * 2.0, 1.5),
        "count": rng.poisson(2 + 3 * y),
        "wait": rng.exponential(1 + y),
    }
    X = library.DataFrame(table)
    model = MixedNB(families={"count": Poisson, "wait": "exponential"}, alpha=1).fit(X, y)
    code = np.array([sorted(set(table["kind"])).index(v) for v in table["kind"]])
    parts = CategoricalNB().fit(code[:, None], y).predict_joint_log_proba(code[:, None])
    parts = parts + GaussianNB(var_smoothing=0).fit(table["size"][:, None], y).predict_joint_log_proba(
        table["size"][:, None]
    )
    from scipy.stats import expon, poisson

    for c in (0, 1):
        parts[:, c] += poisson(table["count"][y == c].mean()).logpmf(table["count"])
        parts[:, c] += expon(scale=table["wait"][y == c].mean()).logpdf(table["wait"]) - np.log((y == c).mean())
    assert_allclose(model.predict_joint_log_proba(X), parts, rtol=1e-9)
    assert model.parameter_count() == 1 + 2 * (2 + 2 + 1 + 1)
    rows, labels = model.sample(50, random_state=0)
    assert rows.shape == (50, 4) and set(labels) <= {0, 1} and set(rows[:, 0]) <= {0.0, 1.0, 2.0}
    with pytest.raises(DataError, match="level 'pink', which fit did not see"):
        model.predict(library.DataFrame({**{k: v[:1] for k, v in table.items()}, "kind": ["pink"]}))
    with pytest.raises(DataError, match="no Poisson has"):
        MixedNB(families=["poisson"]).fit([[-1.0], [2.0]], [0, 1])


def test_mixed_leaves_missing_cells_out():
    X = np.array([[0.0, 1], [1, np.nan], [0, 3], [1, 8], [np.nan, 9], [1, 7]])
    model = MixedNB(categorical_features=[0]).fit(X, [0, 0, 0, 1, 1, 1])
    whole = MixedNB(categorical_features=[True]).fit(X[[0, 1, 2, 3, 5], :1], [0, 0, 0, 1, 1])
    shift = np.log([3 / 6, 3 / 6]) - np.log([3 / 5, 2 / 5])
    assert_allclose(
        model.predict_joint_log_proba([[1, np.nan]]), whole.predict_joint_log_proba([[1.0]]) + shift, rtol=1e-12
    )


@pytest.mark.notes("000-b", "multinomial-nb")
@pytest.mark.notes("001", "multinomial-nb")
@pytest.mark.notes("002", "bernoulli-nb")
@pytest.mark.parametrize("name", ["MultinomialNB", "ComplementNB", "BernoulliNB", "CategoricalNB"])
def test_as_scikit_learn_in_every_home(name, tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=900)
    X = rng.poisson(1 + y[:, None] * rng.random(5), size=(900, 5)).astype(float)
    w = rng.random(900)
    cls, other = getattr(ours, name), getattr(peer, name)
    a, b = cls().fit(X, y, w), other().fit(X, y, w)
    assert_allclose(a.predict_joint_log_proba(X), b.predict_joint_log_proba(X), rtol=1e-10)
    a, b = cls(fit_prior=False).fit(X, y), other(fit_prior=False).fit(X, y)
    assert_allclose(a.predict_log_proba(X), b.predict_log_proba(X), rtol=1e-9, atol=1e-10)
    parts = cls().partial_fit(X[:400], y[:400], classes=[0, 1, 2]).partial_fit(X[400:], y[400:])
    whole = cls().fit(X, y)
    most = {"min_categories": int(X.max()) + 1} if name == "CategoricalNB" else {}
    there = [
        cls(**most).fit(da.from_array(X, chunks=(200, 5)), da.from_array(y, chunks=200)),
        *([cls().fit(sp.csr_matrix(X), y)] if name != "CategoricalNB" else []),
    ]
    assert_allclose(parts.predict_proba(X), whole.predict_proba(X), rtol=1e-10)
    same = cls(**most).fit(X, y)
    for model in there:
        assert_allclose(model.predict_proba(X), same.predict_proba(X), rtol=1e-10)
    if name == "MultinomialNB":
        sums = [sparse_counts(Plan(3, None), sp.csr_matrix(X), y, w, n_threads) for n_threads in (1, 2, 3)]
        for one in sums:
            assert_allclose(one.counts, [(w[:, None] * X)[y == c].sum(axis=0) for c in range(3)], rtol=1e-12)
            assert_allclose(one.mass, np.bincount(y, w), rtol=1e-12)
    if name != "CategoricalNB":
        assert_allclose(whole.predict_proba(sp.csr_matrix(X)), whole.predict_proba(X), rtol=1e-10)
        with pytest.raises(ValueError, match="Input X contains NaN"):
            whole.predict(np.where(X > 2, np.nan, X))
        with pytest.raises(ValueError, match="Input X contains NaN"):
            cls().fit(np.where(X > 2, np.nan, X), y)


def test_bad_categories():
    model = CategoricalNB().fit([[0], [1]], [0, 1])
    with pytest.raises(IndexError, match="index 5 is out of bounds"):
        model.predict([[5]])
    with pytest.raises(ValueError, match="Negative values in data passed to CategoricalNB"):
        CategoricalNB().fit([[-1], [1]], [0, 1])
    assert_allclose(model.predict_proba([[np.nan]]), [[0.5, 0.5]])
