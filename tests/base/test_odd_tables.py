"""Tables that a person might pass by mistake: the error says what is wrong and what to do."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_wine

from novum.decision_theory import GenerativeClassifier
from novum.decomposition import PCA
from novum.distributions import StudentT
from novum.exceptions import DataError
from novum.linear_model import ARDRegression, Lasso, LinearRegression, RidgeClassifier, RidgeClassifierCV, RidgeCV
from novum.naive_bayes import CategoricalNB

X, Y = load_wine(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)


@pytest.mark.parametrize(
    "model", [LinearRegression(), Lasso(), ARDRegression(), RidgeCV()], ids=lambda m: type(m).__name__
)
def test_a_missing_target_among_objects(model):
    y = X[:, 0].astype(object)
    y[3] = None
    for target in (y, pd.Series(y), y.tolist()):
        with pytest.raises(ValueError, match="Input y contains NaN"):
            model.fit(X, target)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_column_of_text_is_named(library):
    frames = pytest.importorskip(library)
    table = frames.DataFrame({"size": [1.0, 2.0, 3.0], "color": ["red", "blue", "red"]})
    for model in (PCA(1), CategoricalNB()):
        with pytest.raises(
            DataError, match=rf"could not convert string.*{type(model).__name__} takes numbers, and column 'color'"
        ):
            model.fit(table, [0, 1, 1])


def test_balanced_classes_see_the_weights():
    weight = np.random.default_rng(0).integers(0, 4, len(X))
    rows = np.repeat(np.arange(len(X)), weight)
    for cls in (RidgeClassifier, RidgeClassifierCV):
        model = cls(class_weight="balanced")
        by_weight = model.fit(X, Y, sample_weight=weight).coef_.copy()
        assert_allclose(by_weight, model.fit(X[rows], Y[rows]).coef_, rtol=1e-9)


def test_student_classes_are_the_most_likely_ones():
    model = GenerativeClassifier("student_t").fit(X[:, :3], Y)
    for c, found in enumerate(model.distributions_):
        best = StudentT.fit(X[c == Y, :3])
        assert_allclose(found.loc, best.loc, rtol=1e-6)
        assert_allclose(found.log_prob(X[c == Y, :3]).sum(), best.log_prob(X[c == Y, :3]).sum(), rtol=1e-9)
