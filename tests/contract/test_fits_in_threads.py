"""Eight fits at once, each with a seed of its own, are the eight fits one after the other: bit by bit, for every estimator."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse
from contract.cases import SETTINGS, briefly, data, estimators, learned, outputs, without_a_table
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


@pytest.fixture
def one_thread_of_torch():
    """Keep PyTorch's own threads from spinning beside eight of ours."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


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


def state_of(value):
    """Return everything that a fitted estimator holds, as text and bytes that can be compared."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes() if value.dtype != object else repr(value.tolist())
    if isinstance(value, dict):
        return [(str(name), state_of(one)) for name, one in value.items()]
    if isinstance(value, list | tuple):
        return [state_of(one) for one in value]
    return (
        repr(value) if isinstance(value, str | int | float | bool | np.generic | type(None)) else type(value).__name__
    )


@pytest.mark.parametrize(("name", "args"), without_a_table(), ids=lambda value: value if isinstance(value, str) else "")
def test_estimators_without_a_table_too(name, args):
    model = briefly(name)

    def task(number):
        fitted = seeded(model, number).fit(*args)
        return state_of({key: value for key, value in vars(fitted).items() if key.endswith("_")})

    in_turn = [task(number) for number in range(THREADS)]
    assert at_once(task) == in_turn


def test_every_estimator_is_among_them():
    known = {type(network).__name__ for _, network, _ in networks()} | {name for name, _ in without_a_table()}
    fitting = {name for name, cls in all_estimators() if hasattr(cls, "fit")}  # samplers have none
    known |= {type(estimator).__name__ for estimator in estimators()}
    assert sorted(fitting - known) == [], "say in without_a_table of tests/contract/cases.py what their fit takes"
    assert sorted(known - fitting) == [], "no longer public: take them out of tests/contract/cases.py or networks.py"


@pytest.mark.deep
@pytest.mark.parametrize("case", networks(), ids=lambda case: case[0])
def test_networks_trained_in_threads_are_networks_trained_in_turn(case, one_thread_of_torch):
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
