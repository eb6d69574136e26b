import numpy as np
import pytest
from numpy.testing import assert_allclose

from novum.exceptions import DataError, ParameterError
from novum.information import entropy
from novum.tree import impurity, split_impurity


@pytest.mark.notes("004", "gini")
def test_gini_of_the_notes():
    for shares, expected in (((0.5, 0.5), 0.5), ((9 / 14, 5 / 14), 0.459184), ((0.5, 0.25, 0.25), 0.625)):
        assert_allclose(impurity(shares), expected, atol=5e-7)
    for p in np.linspace(0, 1, 11):
        assert_allclose(impurity([p, 1 - p]), 2 * p * (1 - p), atol=1e-15)


@pytest.mark.notes("004", "entropy-impurity")
def test_entropy_of_the_notes():
    assert_allclose(impurity([9, 5], "entropy", base=np.e), 0.651757, atol=5e-7)
    assert_allclose(impurity([9, 5], "entropy"), 0.940286, atol=5e-7)
    assert_allclose(impurity([9, 5], "entropy"), entropy([9 / 14, 5 / 14]), rtol=1e-14)
    assert impurity([7, 0], "entropy") == 0


def test_other_impurities_and_splits():
    assert_allclose(impurity([3, 1, 1], "misclassification"), 0.4)
    assert_allclose(impurity([1, 1.2, 0.9, 3, 3.2], "squared_error") * 5, 5.192)
    assert_allclose(impurity([1, 2, 6], "absolute_error"), 5 / 3)
    assert_allclose(split_impurity([[4, 0], [2, 2]]), 0.25)


def test_refusals():
    with pytest.raises(ParameterError, match="choose one of gini"):
        impurity([1, 2], "variance")
    for bad in ([], [np.nan], [-1, 2], [0, 0]):
        with pytest.raises(DataError, match="impurity"):
            impurity(bad)
