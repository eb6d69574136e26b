"""Every estimator under `novum.checkpoint`: a fit that was cut off anywhere goes on to the bits of one that was not."""

import warnings

import numpy as np
import pytest
import scipy.sparse
from contract.cases import data, estimators, quick
from contract.homes import REFUSALS, in_file
from sklearn.base import BaseEstimator, clone

import novum

CUTS = (0.35, 0.8)  # of the bytes of the file that are left


def fitted(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X) if y is None else model.fit(X, y)


def differing(a, b, path=""):
    """Yield where two fitted values differ by a bit; what has no plain parts is compared by its type."""
    if type(a) is not type(b):
        yield f"{path}: {type(a).__name__}, {type(b).__name__}"
    elif isinstance(a, np.ndarray | np.generic) and a.dtype.kind != "O":
        if a.shape != b.shape or np.ascontiguousarray(a).tobytes() != np.ascontiguousarray(b).tobytes():
            yield path
    elif scipy.sparse.issparse(a):
        yield from differing(a.toarray(), b.toarray(), path)
    elif isinstance(a, list | tuple | np.ndarray):
        if len(a) != len(b):
            yield path
        for i, (x, z) in enumerate(zip(a, b)):
            yield from differing(x, z, f"{path}[{i}]")
    elif isinstance(a, dict):
        for key in {*a, *b}:
            yield from differing(a.get(key), b.get(key), f"{path}.{key}")
    elif isinstance(a, BaseEstimator):
        for key in sorted({*vars(a), *vars(b)} - {"random_state"}):
            yield from differing(vars(a).get(key), vars(b).get(key), f"{path}.{key}")
    elif isinstance(a, bool | int | float | str | None) and not (a == b or (a != a and b != b)):
        yield path


def goes_on(model, given, path):
    """Return where fits differ: with a checkpoint, and cut off at some places."""
    plain = fitted(clone(model), *given())
    with novum.checkpoint(path, keep=True) as steps:
        whole = fitted(clone(model), *given())
    made, found = steps.made, list(differing(plain, whole))
    data = path.read_bytes()
    for cut in CUTS:
        path.write_bytes(data[: int(cut * len(data))])
        with warnings.catch_warnings(), novum.checkpoint(path, keep=True) as steps:
            warnings.filterwarnings("error", message=".*the fit differs from the one that was written down")
            warnings.filterwarnings("error", message=".*made again")
            again = clone(model)
            X, y = given()
            again = again.fit(X) if y is None else again.fit(X, y)
        assert steps.read + steps.made <= made
        found += differing(plain, again)
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", estimators(), ids=lambda one: type(one).__name__)
def test_a_fit_in_memory_goes_on_to_the_same_bits(estimator, tmp_path):
    X, y = data(estimator)
    assert not goes_on(quick(estimator), lambda: (X, y), tmp_path / "fit.ckpt")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", estimators(), ids=lambda one: type(one).__name__)
def test_a_fit_from_files_goes_on_to_the_same_bits(estimator, tmp_path):
    X, y = data(estimator)
    model = quick(estimator)
    try:
        fitted(clone(model), *in_file("npy", X, y, tmp_path))
    except REFUSALS:
        return  # tests/contract/test_homes.py holds it to its words
    assert not goes_on(model, lambda: in_file("npy", X, y, tmp_path), tmp_path / "fit.ckpt")
