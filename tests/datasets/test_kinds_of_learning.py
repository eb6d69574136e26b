"""The tree of the kinds of learning: what every leaf is given, how it is named, and that what serves it takes that."""

from pkgutil import resolve_name

import numpy as np
import pandas as pd
import pytest

from novum import describe_task
from novum.linear_model import LinearRegression, LogisticRegression
from novum.reinforcement import MDP

RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 3))
FRUIT = np.where(X[:, 0] + 0.1 * X[:, 1] > 0, "Orange", "Apple")
AGE = 40 + 12.5 * X[:, 2] + RNG.normal(size=60)


@pytest.mark.notes("003", "kinds-of-learning")
def test_supervised_data_are_couples_and_the_values_of_the_target_decide():
    classes, real = describe_task(X, FRUIT), describe_task(X, AGE)
    assert (classes.setting, classes.kind, classes.is_classification) == ("supervised", "binary", True)
    assert classes.classes == {"Apple": (FRUIT == "Apple").sum(), "Orange": (FRUIT == "Orange").sum()}
    assert (real.setting, real.kind, real.is_classification) == ("supervised", "regression", False)
    assert set(LogisticRegression().fit(X, FRUIT).predict(X)) == {"Apple", "Orange"}
    assert np.unique(LinearRegression().fit(X, AGE).predict(X)).size == 60


@pytest.mark.notes("003", "kinds-of-learning")
def test_an_estimate_of_probability_obeys_the_rules_of_probability():
    p = LogisticRegression().fit(X, FRUIT).predict_proba(X)
    assert (p > 0).all() and np.allclose(p.sum(axis=1), 1, rtol=1e-12)


@pytest.mark.notes("003", "kinds-of-learning")
def test_unsupervised_data_are_inputs_alone_and_both_kinds_are_served():
    task = describe_task(X)
    assert (task.setting, task.target, task.is_classification) == ("unsupervised", None, False)
    assert (task.n_rows, task.n_numbers, task.n_unlabelled) == (60, 3, 0)
    assert task.kind == "clustering or dimension reduction"
    clusters = resolve_name(task.methods["clustering"])(n_clusters=2, random_state=0).fit(X)
    assert set(clusters.labels_) == {0, 1}
    line = np.outer(RNG.normal(size=60), [1.0, 2.0, -1.0])  # points along a line in three dimensions
    reduced = resolve_name(task.methods["dimension reduction"])(n_components=1).fit(line)
    assert np.allclose(reduced.inverse_transform(reduced.transform(line)), line, atol=1e-12)


@pytest.mark.notes("003", "kinds-of-learning")
def test_some_targets_known_is_between_the_two():
    half = AGE.copy()
    half[:45] = np.nan
    task = describe_task(X, half)
    assert (task.setting, task.kind, task.n_unlabelled) == ("semi-supervised", "regression", 45)


@pytest.mark.notes("003", "kinds-of-learning")
def test_reinforcement_data_are_transitions():
    rows = pd.DataFrame({"x": [0, 1, 0], "u": ["stay", "go", "go"], "x_next": [0, 0, 1], "r": [0.0, 1.0, 2.0]})
    task = describe_task(rows, action="u", reward="r")
    assert (task.setting, task.kind, task.target) == ("reinforcement", "control from transitions", None)
    assert describe_task(rows.drop(columns="u"), "r").setting == "supervised"  # without actions nobody acts
    world = MDP(np.array([[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]]), np.array([[0.0, 2.0], [0.0, 1.0]]))
    assert world.n_states == 2
