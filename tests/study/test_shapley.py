"""Shapley values against the sum over all coalitions, written down again here on whole rows; they add up exactly."""

from itertools import combinations
from math import factorial

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_friedman1
from studytables import mixed

import novum
from novum.ensemble import RandomForestClassifier, RandomForestRegressor
from novum.exceptions import DataError
from novum.study.data.schema import prepare, schema_of
from novum.study.insight.contributions import contributions_text, explain_table
from novum.study.insight.model_function import Member, ModelFunction, frame_columns
from novum.study.insight.shapley import shapley_values
from novum.study.memory.kept import background_frame, memory_of
from novum.study.predictions import checked_rows


def by_coalitions(worth, d):
    """Return the Shapley values of a game, coalition by coalition."""
    phi = []
    for j in range(d):
        others, total = [k for k in range(d) if k != j], 0.0
        for size in range(d):
            for S in combinations(others, size):
                total += factorial(size) * factorial(d - size - 1) / factorial(d) * (worth({*S, j}) - worth(set(S)))
        phi.append(total)
    return np.array(phi)


def arrays(model, classes):
    class Same:
        def transform(self, X):
            return X

    return ModelFunction([Member(model, Same())], classes)


@pytest.mark.parametrize("kind", ["numbers", "classes"])
def test_exact_values_are_those_of_all_coalitions(kind):
    if kind == "numbers":
        X, y = make_friedman1(80, n_features=5, random_state=0)
        model, classes = RandomForestRegressor(10, random_state=0).fit(X, y), None
    else:
        X, y = make_classification(80, 5, n_informative=4, n_redundant=0, n_classes=3, random_state=0)
        model = RandomForestClassifier(10, random_state=0).fit(X, y)
        classes = model.classes_
    Z, rows, machine = X[:7], X[20:23], arrays(model, classes)
    found = shapley_values(machine, [rows], [Z], [[np.array([j]) for j in range(5)]])
    assert found.exact and (found.errors == 0).all()
    ask = model.predict if classes is None else model.predict_proba
    for i, x in enumerate(rows):

        def worth(S, x=x):
            mixed_rows = Z.copy()
            mixed_rows[:, sorted(S)] = x[sorted(S)]
            return ask(mixed_rows).mean(axis=0)

        np.testing.assert_allclose(found.values[i].squeeze(), by_coalitions(worth, 5).squeeze(), atol=1e-12)
    np.testing.assert_allclose(found.values.sum(axis=1), found.said - found.base, atol=1e-10)


def test_sampled_values_add_up_exactly_and_come_near():
    X, y = make_friedman1(120, n_features=6, random_state=1)
    machine = arrays(RandomForestRegressor(10, random_state=0).fit(X, y), None)
    places = [[np.array([j]) for j in range(6)]]
    exact = shapley_values(machine, [X[:2]], [X[50:90]], places)
    found = shapley_values(machine, [X[:2]], [X[50:90]], places, orders=20, most_exact=0)
    assert exact.exact and not found.exact
    np.testing.assert_allclose(found.values.sum(axis=1), found.said - found.base, atol=1e-10)
    assert (np.abs(found.values - exact.values) <= 4.5 * found.errors + 1e-9).all()
    once = shapley_values(machine, [X[:2]], [X[50:90]], places, orders=1, most_exact=0)
    np.testing.assert_allclose(once.values.sum(axis=1), once.said - once.base, atol=1e-10)


def test_a_column_that_the_model_does_not_use_adds_nothing():
    X, y = make_friedman1(60, n_features=6, random_state=2)
    X[:, 5] = 1.0  # constant: no tree can use it
    machine = arrays(RandomForestRegressor(5, random_state=0).fit(X, y), None)
    rows = X[:2].copy()
    rows[:, 5] = 9.0
    for most in (10**6, 0):
        found = shapley_values(machine, [rows], [X[30:50]], [[np.array([j]) for j in range(6)]], most_exact=most)
        assert (found.values[:, 5] == 0).all()


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_explained_rows_of_a_saved_model(saved, kind):
    """Through the public door: the columns of the table, a date as one, against the model's own predictions of mixed rows."""
    model = novum.load(saved / kind / "model.novum")
    rows = mixed(5, seed=3).drop(columns=["bought", "spent"])
    found = explain_table(model, rows)
    np.testing.assert_allclose(found.values.sum(axis=1), found.said - found.base, atol=1e-10)
    schema = schema_of(model)
    behind = background_frame(memory_of(model, schema, "m", "x"), schema)
    prepared, groups = prepare(checked_rows(rows, schema, False)[0], schema), frame_columns(schema)
    assert set(found.columns) == set(groups) and len(groups["since"]) == 4

    def said(frame):
        if kind == "numbers":
            return model.predict(frame)
        return model.predict_proba(frame)[:, list(model.classes_).index(found.output[0])]

    def worth(S):
        query = behind.copy()
        for j in S:
            for part in groups[found.columns[j]]:
                query[part] = [prepared[part].iloc[0]] * len(query)
        return said(query.astype(behind.dtypes)).mean()

    np.testing.assert_allclose(found.values[0], by_coalitions(worth, len(found.columns)), atol=1e-10)
    text = contributions_text(found)
    assert text[0].startswith("row 1: predicted") and "together" in "\n".join(text)


def test_many_columns_play_together():
    from novum.study.insight.findings import OTHERS, players_in

    names = [f"c{i}" for i in range(100)]
    players = players_in(names, {name: [name] for name in names})
    assert len(players) == 31 and players[OTHERS] == names[30:]


def test_a_classifier_without_probabilities_is_explained_too():
    from sklearn.linear_model import RidgeClassifier

    from novum.study import Study

    frame = mixed(80).drop(columns="spent")
    quick = {"folds": 3, "repeats": 1, "n_jobs": 1, "ensemble": False}
    result = Study(frame, "bought", models={"mine": RidgeClassifier()}, **quick).run()
    found = explain_table(result.model, frame[:2])
    assert found.reach is None and set(found.said) <= {0.0, 1.0}
    np.testing.assert_allclose(found.values.sum(axis=1), found.said - found.base, atol=1e-10)
    assert contributions_text(found)[0].startswith("row 1: predicted ")
    with pytest.raises(DataError, match="gives no probabilities"):
        explain_table(result.model, frame[:2], level=0.9)
