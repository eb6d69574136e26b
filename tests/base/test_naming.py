"""What leaves a fit: checks in full, errors of libraries with where to look, faults of ours as such, errors of users untouched."""

import numpy as np
import pandas as pd
import pytest

from novum.base.naming import error_with_name
from novum.cluster import KMeans
from novum.exceptions import DataError, InternalError
from novum.linear_model import LinearRegression, ols
from novum.neighbors import KNeighborsClassifier

X = np.arange(12.0).reshape(6, 2)


@pytest.mark.parametrize(
    "fault",
    [IndexError("index 3 is out of bounds"), KeyError("coef"), AttributeError("no attribute"), AssertionError()],
)
def test_a_fault_of_ours_requests_a_report(monkeypatch, fault):
    """An error that our own module raises is no word about the data."""
    source = "def broken(*given, **named):\n    raise fault\n"
    scope = {"__name__": ols.__name__, "fault": fault}
    exec(source, scope)
    model = LinearRegression().fit(X, X[:, 0])
    before = model.coef_
    monkeypatch.setattr(LinearRegression, "_source", scope["broken"])
    with pytest.raises(
        InternalError, match=r"LinearRegression.fit: this is a fault of novum.*novum.linear_model.ols, line 2"
    ):
        model.fit(X, X[:, 1])
    assert model.coef_ is before


def test_the_trace_of_a_fault_is_kept(monkeypatch):
    scope = {"__name__": ols.__name__}
    exec("def broken(*given, **named):\n    return {}['coef']\n", scope)
    monkeypatch.setattr(LinearRegression, "_source", scope["broken"])
    with pytest.raises(InternalError) as said:
        LinearRegression().fit(X, X[:, 0])
    assert isinstance(said.value.__cause__, KeyError) and said.value.__cause__.__traceback__ is not None


def test_an_error_of_a_library_says_where_to_look():
    try:
        pd.DataFrame({"a": [1]})["b"]
    except KeyError as error:
        found = error_with_name(error, KMeans(), "fit")
    assert type(found) is DataError and "KMeans.fit cannot use this input: look at the kinds" in str(found)


def test_an_error_in_code_of_the_user_stays():
    def metric(a, b):
        return [][3]

    with pytest.raises(IndexError, match="list index out of range"):
        KNeighborsClassifier(1, metric=metric, algorithm="brute").fit(X, [0, 1] * 3).predict(X)
