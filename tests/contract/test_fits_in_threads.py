"""Eight fits at once, each with a seed of its own, are the eight fits one after the other: bit by bit, for every estimator."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse
from contract.cases import SETTINGS, data, estimators, learned, outputs
from contract.networks import networks
from sklearn.base import clone

from novum.base.discovery import all_estimators

THREADS = 8
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def hasty_switches():
    """Let threads take turns often, so that what they share is seen half done."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def seeded(estimator, number):
    """Return a copy with a seed of its own, where it has one."""
    copy = clone(estimator)
    return copy.set_params(random_state=number) if "random_state" in copy.get_params(deep=False) else copy


def at_once(task):
    """Return task(0), ..., task(7), all begun together."""
    gate = threading.Barrier(THREADS)

    def begun(number):
        gate.wait()
        return task(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(begun, range(THREADS)))


def dense(value):
    return value.toarray() if scipy.sparse.issparse(value) else np.asarray(value)


def assert_same(found, wanted):
    assert found.keys() == wanted.keys() and wanted
    for name in wanted:
        a, b = dense(found[name]), dense(wanted[name])
        assert a.dtype == b.dtype and a.shape == b.shape, name
        assert np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"), name


def quick(estimator):
    """Return the quick copy, with starts drawn rather than given where there is a choice."""
    name = type(estimator).__name__
    own = {
        k: v for k, v in SETTINGS.get(name, {}).items() if not (name in ("KMeans", "MiniBatchKMeans") and k == "init")
    }
    return clone(estimator).set_params(**own)


@pytest.mark.parametrize("estimator", estimators(), ids=lambda e: type(e).__name__)
def test_fits_in_threads_are_fits_in_turn(estimator):
    X, y = data(estimator)
    model = quick(estimator)

    def task(number):
        fitted = seeded(model, number).fit(X, y)
        return {**learned(fitted), **outputs(fitted, X)}

    in_turn = [task(number) for number in range(THREADS)]
    for found, wanted in zip(at_once(task), in_turn):
        assert_same(found, wanted)


@pytest.mark.deep
@pytest.mark.parametrize("case", networks(), ids=lambda case: case[0])
def test_networks_trained_in_threads_are_networks_trained_in_turn(case):
    import torch

    _, network, args = case

    def task(number):
        return seeded(network, number).fit(*args).weights_

    before = torch.get_rng_state()
    in_turn = [task(number) for number in range(THREADS)]
    for found, wanted in zip(at_once(task), in_turn):
        assert_same(found, wanted)
    assert torch.equal(torch.get_rng_state(), before)  # the user's own chance is left alone
    assert (
        len({b"".join(map(np.ndarray.tobytes, wanted.values())) for wanted in in_turn}) == THREADS
    )  # and a seed is heard


@pytest.mark.deep
def test_every_network_is_among_them():
    known = {type(network).__name__ for _, network, _ in networks()}
    assert known == {name for name, cls in all_estimators() if getattr(cls, "_needs_torch", False)}
