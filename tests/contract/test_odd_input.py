"""A generator of odd parameters and data over every estimator: a fit learns, or refuses by name, and changes nothing.

Seeded and bounded: the plain suite draws a sample, `make test-slow` runs all.
"""

import random
import warnings

import numpy as np
import pytest
from contract.cases import data, estimators, quick
from sklearn.base import clone

from novum.exceptions import ParameterError

SEED, SAMPLED = 20, 4  # cases of each estimator in the plain suite
ODD = {
    "NaN": np.nan,
    "infinity": np.inf,
    "huge": 1e308,
    "negative": -1,
    "text": "no such thing",
    "empty list": [],
    "empty table": {},
    "list of one": [1],
    "list of NaN": [np.nan],
    "list of None": [None],
    "object": object(),
    "10^30": 10**30,
    "complex": 1j,
    "bytes": b"x",
}
SLOW_VALUES = {
    "max_iter",
    "max_epochs",
    "n_init",
    "n_pairs",
    "tol",
    "n_estimators",
}  # huge ones are legal, and take forever


def odd_data(X):
    rows = len(X)
    return {
        "extended precision": X.astype(np.longdouble),
        "masked": np.ma.masked_array(X, mask=np.arange(X.size).reshape(X.shape) % 7 == 0),
        "complex": X.astype(complex),
        "objects": np.array([[None, "a", 1.0]] * rows, dtype=object),
        "huge": X * 1e300,
        "three axes": X[None],
        "a number": np.float64(1),
        "dates": np.zeros(X.shape, "M8[s]"),
        "nothing": None,
        "a table": {"a": 1},
        "records": np.zeros(rows, dtype=[("a", float)]),
        "ragged": [[1.0, 2.0], [1.0]],
    }


def odd_targets(y):
    rows = len(y)
    return {
        "None and text": np.array([None, "a"] * (rows // 2), dtype=object),
        "list of None and text": [None, "a"] * (rows // 2),
        "numbers and text": [1, "a"] * (rows // 2),
        "tables": [{}] * rows,
        "dates": np.zeros(rows, "M8[s]"),
        "complex": np.arange(rows) + 1j,
        "too short": y[:-1],
        "three axes": np.zeros((rows, 2, 2)),
    }


def odd_weights(rows):
    odd = {
        "NaN": np.nan,
        "infinity": np.inf,
        "negative": -1.0,
        "text": "heavy",
        "short": [1.0],
        "all zero": np.zeros(rows),
    }
    return {**odd, "one NaN": np.r_[np.nan, np.ones(rows - 1)], "two axes": np.ones((rows, 2))}


def cases_of(estimator):
    """Return (name, parameters, X, y, weight) of every odd case of an estimator."""
    from sklearn.utils.validation import has_fit_parameter

    X, y = data(estimator, n=40)
    found = [
        (f"{name}={kind}", {name: value}, X, y, None)
        for name in estimator.get_params(deep=False)
        for kind, value in ODD.items()
        if name not in SLOW_VALUES or kind not in ("huge", "10^30", "infinity")
    ]
    found += [(f"X: {kind}", {}, value, y, None) for kind, value in odd_data(X).items()]
    if y is not None:
        found += [(f"y: {kind}", {}, X, value, None) for kind, value in odd_targets(y).items()]
    if has_fit_parameter(estimator, "sample_weight"):
        signed = type(estimator).__name__ == "DBSCAN"  # a negative weight keeps others from being cores
        weights = {kind: value for kind, value in odd_weights(40).items() if kind != "negative" or not signed}
        found += [(f"weight: {kind}", {}, X, y, value) for kind, value in weights.items()]
    return found


def run(estimator, case):
    """Fit one case: a result must be finite, a refusal must name the estimator and leave it as it was."""
    name, parameters, X, y, weight = case
    model = clone(quick(estimator)).set_params(**parameters)
    before = dict(vars(model))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.fit(X, y) if weight is None else model.fit(X, y, sample_weight=weight)
        except (ValueError, TypeError) as error:
            assert type(estimator).__name__ in str(error), f"{name}: unnamed {type(error).__name__}: {error}"
            assert vars(model).keys() == before.keys(), f"{name}: a failed fit left something behind"
            return
    assert weight is None or not name.startswith("weight"), f"{name}: accepted"
    for attribute in ("coef_", "means_", "theta_", "cluster_centers_", "components_"):
        value = vars(model).get(attribute)
        assert not isinstance(value, np.ndarray) or np.isfinite(value).all(), f"{name}: {attribute} is not finite"


@pytest.mark.parametrize("estimator", estimators(), ids=lambda estimator: type(estimator).__name__)
def test_a_sample_of_odd_cases(estimator):
    every = cases_of(estimator)
    for case in random.Random(f"{SEED} {type(estimator).__name__}").sample(every, min(SAMPLED, len(every))):
        run(estimator, case)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", estimators(), ids=lambda estimator: type(estimator).__name__)
def test_every_odd_case(estimator):
    for case in cases_of(estimator):
        run(estimator, case)


@pytest.mark.parametrize("name", ["n_estimators", "alphas", "Cs", "centers"])
def test_sizes_are_refused_with_the_bytes_they_would_take(name):
    for estimator in estimators():
        if name not in estimator.get_params(deep=False):
            continue
        domain = type(estimator)._domains[name]
        if not domain.contains(10**12) or domain.contains(0.5):  # a penalty, not a number of them
            continue
        X, y = data(estimator, n=40)
        with pytest.raises(
            ParameterError, match=f"'{name}' parameter of {type(estimator).__name__} .*bytes of memory at least"
        ):
            quick(estimator).set_params(**{name: 10**12}).fit(X, y)
        with pytest.raises(
            ParameterError, match=f"'{name}' parameter of {type(estimator).__name__} must be .*counts beyond"
        ):
            quick(estimator).set_params(**{name: 10**30}).fit(X, y)
