"""Details that scripts written for scikit-learn rely on."""

import numpy as np
import pytest

from novum.decomposition import PCA, IncrementalPCA

X = np.random.default_rng(0).normal(size=(60, 4)) * [3.0, 2.0, 1.0, 0.1]


@pytest.mark.parametrize(("wanted", "kind"), [("mle", np.int64), (0.5, np.int64), (2, int), (None, int)])
def test_the_number_of_components_is_of_the_kind_that_format_strings_expect(wanted, kind):
    assert type(PCA(wanted).fit(X).n_components_) is kind


def test_the_third_argument_of_partial_fit_may_be_check_input():
    usual = IncrementalPCA(2).partial_fit(X)
    for flag in (False, True):
        np.testing.assert_array_equal(IncrementalPCA(2).partial_fit(X, None, flag).components_, usual.components_)
