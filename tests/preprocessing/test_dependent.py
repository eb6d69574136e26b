"""Dependent columns are found whatever their units and order, and said to be what they are made of."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import novum
from novum.preprocessing import DropDependentFeatures

RNG = np.random.default_rng(0)


@pytest.mark.notes("000-b", "drop-dependent-features")
@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_rank_and_combinations(scale):
    base = RNG.normal(size=(60, 4))
    X = np.column_stack(
        [base[:, :2], base[:, 0] - 3 * base[:, 1], base[:, 2:], base @ [1.0, 1, 1, 1], np.full(60, 7.0)]
    )
    X[:, 2] *= scale
    model = DropDependentFeatures().fit(X)
    assert_array_equal(model.dropped_, [2, 5, 6])
    assert model.rank_ == np.linalg.matrix_rank(base - base.mean(0)) == 4
    made = X[:, model.support_] @ model.combinations_.T
    assert_allclose(made - made.mean(0), X[:, model.dropped_] - X[:, model.dropped_].mean(0), atol=1e-9 * max(1, scale))
    assert_array_equal(model.transform(X), X[:, [0, 1, 3, 4]])
    assert list(model.get_feature_names_out()) == ["x0", "x1", "x3", "x4"]
    assert list(DropDependentFeatures(with_constant=False).fit(X).dropped_) == [
        2,
        5,
    ]  # the constant is a column of its own


def test_wide_data_keep_as_many_columns_as_they_have_rows():
    X = RNG.normal(size=(6, 20))
    assert DropDependentFeatures(with_constant=False).fit(X).rank_ == 6
    assert DropDependentFeatures().fit(X).rank_ == 5  # centred rows add up to zero
    assert DropDependentFeatures(tol=0.99).fit(RNG.normal(size=(500, 3))).rank_ == 3


def test_nearly_equal_columns_are_a_matter_of_the_tolerance(tmp_path):
    x = RNG.normal(size=200)
    X = np.column_stack([x, x + 1e-6 * RNG.normal(size=200), RNG.normal(size=200)])
    assert DropDependentFeatures().fit(X).rank_ == 3
    assert_array_equal(DropDependentFeatures(tol=1e-4).fit(X).dropped_, [1])
    assert_array_equal(DropDependentFeatures().fit(X.astype(np.float32)).dropped_, [1])  # a few units of rounding apart
    np.save(tmp_path / "x.npy", X)
    assert_array_equal(DropDependentFeatures(tol=1e-4).fit(novum.scan(tmp_path / "x.npy")).dropped_, [1])
