"""NumPy's True is True: a parameter that takes a truth value takes the one that an array holds, with the same result."""

import inspect
import warnings

import numpy as np
import pytest
from contract.cases import data, estimators, learned, outputs, quick, same

ALL = pytest.mark.parametrize("estimator", estimators(), ids=lambda e: type(e).__name__)


def fitted(estimator, name, value):
    """Return a fit with one parameter set, or the kind of error that it ends in."""
    X, y = data(estimator, n=60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = quick(estimator).set_params(**{name: value})
            if "random_state" in model.get_params():
                model.set_params(random_state=0)
            return model.fit(X, y)
        except (ValueError, TypeError) as error:
            return type(error)


def dense(found):
    return {name: value.toarray() if hasattr(value, "toarray") else value for name, value in found.items()}


@ALL
def test_numpy_truth_values(estimator):
    X, _ = data(estimator, n=60)
    parameters = inspect.signature(type(estimator)).parameters.values()
    for parameter in (p for p in parameters if isinstance(p.default, bool) and p.name not in ("verbose", "warm_start")):
        for value in (True, False):
            plain, other = fitted(estimator, parameter.name, value), fitted(estimator, parameter.name, np.bool_(value))
            if isinstance(plain, type):
                assert other is plain, (parameter.name, value, other)
                continue
            assert not isinstance(other, type), (parameter.name, value, other)
            same(learned(other), learned(plain), rtol=0, atol=0)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                same(dense(outputs(other, X)), dense(outputs(plain, X)), rtol=0, atol=0)
