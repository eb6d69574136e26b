"""Parameter domains: what they hold, and the sentence for what they do not."""

import numpy as np
import pytest

from novum.base.domains import (
    ArrayLike,
    Bool,
    Choice,
    ClassWeight,
    Function,
    Instance,
    Int,
    Null,
    RandomState,
    Real,
    check,
)
from novum.exceptions import ParameterError, ParameterTypeError


@pytest.mark.parametrize(
    "domain, good, bad",
    [
        (Int(1), [1, 7, np.int64(3)], [0, 1.5, True, "1", None, np.nan]),
        (Real(0, 1), [0, 1, 0.5, np.float32(0.2)], [-1e-9, 1.1, np.nan, "0", False]),
        (Real(0, 1, open="both"), [0.5], [0, 1]),
        (Real(0, open="low"), [1e-300], [0, np.inf, -np.inf, np.nan]),
        (Real(0, np.inf, open="low"), [1e-300, np.inf], [0, np.nan]),
        (Int(1), [2**62], [10**30]),
        (
            ArrayLike(1),
            [[1.0], np.ones(2), [([0, 1], [2]), ([2], [0, 1])], [([0], [1, 2, 3])]],
            [[], {}, [np.nan], np.array([1.0, np.inf])],
        ),
        (ClassWeight(), [{0: 1, "a": 0.5}], [{0: -1}, {0: np.nan}, {0: "x"}, [{0: 1}], 1]),
        (ClassWeight(several=True), [{0: 1}, [{0: 1}, "balanced"]], [[1], [{0: -1}]]),
        (Choice("a", "b"), ["a"], ["c", 1, None]),
        (Bool(), [True, np.False_], [0, 1, None]),
        (Int(1) | Null(), [1, None], [0]),
        (ArrayLike(), [[1], np.ones(2), ()], ["text", 3]),
        (Function(), [len], ["len"]),
        (Instance(dict), [{}], [[]]),
        (
            RandomState(),
            [None, 0, np.random.default_rng(0), np.random.RandomState(0), np.random.SeedSequence(0)],
            [-1, 1.5, "0", True],
        ),
    ],
)
def test_membership(domain, good, bad):
    assert all(domain.contains(value) for value in good)
    assert not any(domain.contains(value) for value in bad)


@pytest.mark.parametrize(
    "domain, value, error, text",
    [
        (Int(1), 0, ParameterError, "The 'k' parameter of KMeans must be an int in the range [1, inf). Got 0 instead."),
        (Real(0, 1, open="both"), 1, ParameterError, "must be a float in the range (0, 1). Got 1 instead."),
        (Int(1) | Null(), 1.5, ParameterTypeError, "must be an int in the range [1, inf) or None. Got 1.5 instead."),
        (
            Choice("lloyd", "elkan"),
            "loyd",
            ParameterError,
            "among {'elkan', 'lloyd'}. Got 'loyd' instead. Did you mean 'lloyd'?",
        ),
        (Real(0), "1", ParameterTypeError, "Got '1' instead. Give the number itself, not text."),
        (Bool(), "yes", ParameterTypeError, "an instance of 'bool' or an instance of 'numpy.bool'"),
        (Instance(dict), 1, ParameterTypeError, "must be an instance of 'dict'"),
        (RandomState(), -1, ParameterError, "must be a non-negative int, a numpy Generator"),
    ],
)
def test_sentences(domain, value, error, text):
    with pytest.raises(error) as caught:
        check({"k": domain}, {"k": value}, "KMeans")
    assert text in str(caught.value)
    assert isinstance(caught.value, ValueError)
