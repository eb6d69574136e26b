"""All epochs in one call of the core against one call each, and odd shapes of the step against its transcription."""

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal
from reference.linear_model import sgd as reference

from novum import _core
from novum.exceptions import DataError
from novum.fold.dealing import Deal
from novum.linear_model.online.descents import descend
from novum.linear_model.online.epochs import Epochs, LinearFunction, Settings, Stopping, TargetRows


def machine(d, dtype=np.float64, average=False):
    return LinearFunction(np.zeros(d, dtype), 0.0, np.zeros(d) if average else None, 0.0, 1.0)


def settings(rate="optimal", **other):
    given = {"loss": "hinge", "epsilon": 0.1, "rate": rate, "eta0": 0.1, "power": 0.5, "alpha": 1e-3, "rho": 0.0}
    given |= {"alpha_of_rate": 1e-3, "decay": 1.0, "batch": 1, "mean": True, "first": 0}
    return Settings(**(given | other))


def rows(n, d, sparse, chosen, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7)
    y = np.where(X @ rng.normal(size=d) + 0.5 * rng.normal(size=n) > 0, 1.0, -1.0)
    kept = np.flatnonzero(rng.random(n) < 0.8) if chosen else None
    return TargetRows(scipy.sparse.csr_matrix(X) if sparse else X, y, rng.random(n) if chosen else None, kept)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("chosen", [False, True])
@pytest.mark.parametrize("seed", [None, 3])
@pytest.mark.parametrize(
    "plan, stopping",
    [
        (settings(), Stopping(30, 1e-3, 5, False)),
        (settings("adaptive", eta0=0.5), Stopping(200, 1e-2, 2, False)),
        (settings("constant", loss="perceptron", alpha=0.0), Stopping(50, None, 5, True)),
        (settings("invscaling", first=10, rho=0.5), Stopping(7, None, 5, False)),
    ],
)
def test_one_call_is_as_many_as_there_are_epochs(sparse, chosen, seed, plan, stopping):
    problem = rows(60, 5, sparse, chosen)
    one = descend(problem, plan, machine(5, average=bool(plan.first)), stopping, seed, Deal(0, 1))
    epochs = Epochs(plan, machine(5, average=bool(plan.first)), stopping, seed)
    while not epochs.done:
        epochs.visit(problem)
        epochs.close()
    each = epochs.result()
    assert one.n_iter == each.n_iter
    assert_array_equal(one.machine.coef, each.machine.coef)
    assert one.machine.intercept == each.machine.intercept
    assert one.machine.average_intercept == each.machine.average_intercept
    assert one.objective == each.objective and one.updates == each.updates


def test_numbers_that_overflow_are_told_with_their_epoch():
    problem = rows(50, 4, False, False)
    with pytest.raises(DataError, match="overflow occurred at epoch #1"):
        descend(
            problem._replace(X=problem.X * 1e300),
            settings("constant", loss="squared_error", eta0=1e10),
            machine(4),
            Stopping(9, None, 5, False),
            0,
            Deal(0, 1),
        )


@pytest.mark.parametrize("d", [1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 40, 65])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_of_every_length_are_read_to_their_end_and_no_further(d, dtype):
    rng = np.random.default_rng(d)
    X, y = rng.normal(size=(20, d)).astype(dtype), rng.normal(size=20)
    whole = np.full((22, d), np.nan, dtype)  # what lies around the rows must not be seen
    whole[1:21] = X
    w, numbers = np.zeros(d, dtype), np.array([0.0, 0, 0, 1, 0])
    plan = _core.linear_model.sgd.plan(5, 0.0, 0, 0.01, 0.5, 1.0, 0.05, 0.0, 1.0, 1, True, 0.0)
    _core.linear_model.sgd.dense(whole[1:21], y, None, np.arange(20), plan, w, None, None, numbers)
    a, b, _ = reference.train(X.astype(float), y, loss="squared_error", eta=lambda t: 0.01, alpha=0.05)
    assert_allclose(w, a, rtol=1e-4 if dtype == np.float32 else 1e-10, atol=1e-6 if dtype == np.float32 else 1e-12)
    assert_allclose(numbers[0], b, rtol=1e-4 if dtype == np.float32 else 1e-10)
