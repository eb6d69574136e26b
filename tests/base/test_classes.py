"""Class labels and their codes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from novum.base.classes import distinct, encode
from novum.exceptions import DataError


@given(
    arrays(st.sampled_from([np.int8, np.uint8, np.int64, np.uint64]), st.integers(1, 50), elements=st.integers(0, 100))
)
def test_counting_is_sorting(y):
    classes, code = distinct(y)
    expected = np.unique(y, return_inverse=True)
    assert classes.dtype == y.dtype and code.dtype == np.int64
    assert np.array_equal(classes, expected[0]) and np.array_equal(code, expected[1])


@pytest.mark.parametrize(
    "y",
    [
        np.array([-128, 127, 0], np.int8),
        np.array([2**63, 2**63 + 1], np.uint64),
        np.array([-5, 10**15]),
        np.array([True, False]),
        np.array(["b", "a", "b"]),
        np.array([0.5, 0.5, -1]),
        np.array(["x", "y"], dtype=object),
    ],
)
def test_distinct_labels_of_any_kind(y):
    classes, code = distinct(y)
    assert np.array_equal(classes[code], y) and np.array_equal(classes, np.unique(y))


def test_encode_refuses_unknown_labels():
    assert list(encode(np.array(["a", "c"]), np.array(["c", "a"]))) == [1, 0]
    with pytest.raises(DataError, match="do not exist in the initial classes"):
        encode(np.array([1, 3]), np.array([2]))
    with pytest.raises(DataError):
        encode(np.array([1, 3]), np.array([4]))
