"""Sequences, networks of variables, texts, graphs and networks on PyTorch in every home of data: the contract of test_homes.py.

What comes as rows of numbers agrees with memory in every home, or refuses in a sentence; one long sequence lies over uneven
partitions, one of them empty. What no file of rows can hold (texts, graphs, environments) refuses a scan, a collection and a
tensor on a device in a sentence that names what it takes.
"""

import warnings

import numpy as np
import pytest
from contract.cases import estimators
from contract.given import METHODS, NO_DATA, Given, givens
from contract.homes import DASK, FILES, REFUSALS, difference, gathered, home, refuses_in_words
from sklearn.base import clone

from novum.base.device_forms import form_of
from novum.base.discovery import all_estimators

ROUNDING, SINGLE = 1e-7, 1e-6  # networks on PyTorch are in float32
PLAIN = givens(deep=False)
TABLE = np.arange(24.0).reshape(12, 2)


def fitted(given: Given, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = clone(given.model)
        return model.fit(X) if y is None else model.fit(X, y)


def answers(given: Given, model, X):
    """Return what a model learned of its rows, and says of them by method; a refusal is its words."""
    found = {}
    for name in METHODS:
        if not hasattr(model, name):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found[name] = gathered(getattr(model, name)(X))
        except REFUSALS as error:
            assert refuses_in_words(error, type(model).__name__), (name, error)
    if hasattr(model, "dag_"):
        found["dag_"] = np.array([[a in model.dag_.parents[b] for a in model.dag_.nodes] for b in model.dag_.nodes])
    for name in ("startprob_", "transmat_", "log_likelihood_"):
        if hasattr(model, name):
            found[name] = np.atleast_1d(getattr(model, name))
    return found


def as_arrays(value):
    return value if not isinstance(value, dict) else tuple(np.asarray(part) for part in value.values())


def agrees_or_refuses(given: Given, kind, folder):
    name = type(given.model).__name__
    if given.X is None:
        there, _ = home(kind, TABLE, None, folder)
        with pytest.raises(REFUSALS) as refused:
            fitted(given, there, given.y)
        words = str(refused.value)
        assert refuses_in_words(refused.value, name) or "give" in words, words
        return
    there, y = home(kind, given.X, given.y if given.target else None, folder)
    try:
        found = fitted(given, there, y if given.target else given.y)
    except REFUSALS as error:
        assert refuses_in_words(error, name), error
        return
    expected = answers(given, fitted(given, given.X, given.y), given.X)
    said = answers(given, found, there if not given.target else home(kind, given.X, None, folder)[0])
    assert expected
    for method in expected.keys() & said.keys():
        if method == "dag_":
            assert (expected[method] == said[method]).all()
        else:
            rounding = SINGLE if getattr(given.model, "_needs_torch", False) else ROUNDING
            assert difference(as_arrays(expected[method]), as_arrays(said[method])) <= rounding, method


@pytest.mark.parametrize("kind", (*FILES, *DASK))
@pytest.mark.parametrize("given", PLAIN, ids=repr)
def test_rows_elsewhere_agree_with_memory_or_are_refused(given, kind, tmp_path):
    agrees_or_refuses(given, kind, tmp_path)


@pytest.mark.deep
@pytest.mark.parametrize("kind", ("npy", "csv", *DASK))
@pytest.mark.parametrize("number", range(18))
def test_networks_on_pytorch_agree_with_memory_or_refuse(number, kind, tmp_path):
    pytest.importorskip("torch")
    found = givens(deep=True)
    assert len(found) == 18
    agrees_or_refuses(found[number], kind, tmp_path)


@pytest.mark.deep
@pytest.mark.parametrize("given", PLAIN, ids=repr)
def test_tensors_on_a_device_stay_there_or_are_refused(given):
    torch = pytest.importorskip("torch")
    from elsewhere import elsewhere

    rows = torch.tensor(TABLE if given.X is None else given.X)
    with elsewhere(most=rows.numel()) as crossed, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a start of a hidden Markov model is made from rows, once
        try:
            model = clone(given.model).fit(rows)
        except REFUSALS as error:
            assert "give" in str(error), error
            return
        assert crossed.count(rows.numel()) <= 2
        assert model.predict(rows).shape == (len(rows),)


@pytest.mark.deep
@pytest.mark.parametrize("number", range(18))
def test_networks_leave_rows_on_a_device_or_refuse(number):
    torch = pytest.importorskip("torch")
    from elsewhere import elsewhere

    given = givens(deep=True)[number]
    name = type(given.model).__name__
    rows = torch.tensor(TABLE if given.X is None else given.X)
    y = torch.tensor(given.y) if given.target else given.y
    if form_of(type(given.model)) != "all":
        with elsewhere(), pytest.raises(REFUSALS, match=r"give|Gymnasium") as refused:
            clone(given.model).fit(rows, y)
        assert name in str(refused.value)
        return
    looked_at = rows.numel() if name == "GAN" else 0  # which compares up to a thousand rows with its own at the end
    with elsewhere(most=max(100, looked_at)) as crossed, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = clone(given.model).set_params(device="cpu")
        model = model.fit(rows) if y is None else model.fit(rows, y)
        found = {method: getattr(model, method)(rows) for method in METHODS if hasattr(model, method)}
    assert crossed and found
    expected = fitted(given, given.X, given.y)
    for method, value in found.items():
        assert isinstance(value, torch.Tensor), method
        assert difference(value.numpy(), getattr(expected, method)(given.X)) <= 1e-5, method


def test_every_estimator_has_its_place_in_the_matrix():
    tables = {type(one).__name__ for one in estimators()}
    others = {type(given.model).__name__ for given in PLAIN}
    deep = {name for name, cls in all_estimators() if getattr(cls, "_needs_torch", False)}
    assert tables | others | deep | NO_DATA == {name for name, _ in all_estimators()}
