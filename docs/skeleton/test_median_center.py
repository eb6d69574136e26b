"""MedianCenter against brute force, identities and the contract. Copy this file beside the estimator's."""

import inspect

import numpy as np
import pytest
from contract import test_contract as contract
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from skeleton.median_center import Center, MedianCenter, forces_of, step
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from novum.exceptions import NotConverged, ParameterError
from novum.fold import Block

RNG = np.random.default_rng(0)
X = RNG.standard_t(2, size=(300, 3)) + [1.0, -2.0, 5.0]


# In the package a test that proves an item of the notes carries its mark: @pytest.mark.notes("001", "gaussian-nb").
def test_against_a_general_minimiser():
    weight = RNG.uniform(size=300)
    ours = MedianCenter(tol=1e-12).fit(X, sample_weight=weight)
    brute = minimize(lambda c: weight @ np.linalg.norm(X - c, axis=1), X.mean(axis=0), tol=1e-12)
    assert_allclose(ours.center_, brute.x, rtol=1e-6)
    assert ours.history_[-1] <= brute.fun * (1 + 1e-12)


def test_a_step_is_the_formula():
    c = X[7]  # on a row, where the plain formula would divide by zero
    apart = np.delete(X, 7, axis=0) - c
    distance = np.linalg.norm(apart, axis=1)
    pull = (apart / distance[:, None]).sum(axis=0)
    expected = c + max(0, 1 - 1 / np.linalg.norm(pull)) * pull / (1 / distance).sum()
    assert_allclose(step(Center(c), forces_of(Center(c), Block(X))).center, expected, rtol=1e-13)


def test_the_median_of_a_line():
    x = np.array([[1.0], [2.0], [4.0], [8.0], [100.0]])
    assert_allclose(MedianCenter().fit(x).center_, [4.0], atol=1e-6)
    heavy = MedianCenter().fit(x, sample_weight=[10, 1, 1, 1, 1])  # one row holds more than half of the weight
    assert_allclose(heavy.center_, [1.0], atol=1e-6)


def test_the_objective_never_rises():
    history = np.asarray(MedianCenter().fit(X).history_)
    assert (np.diff(history) <= 1e-12 * history[0]).all()


def test_the_same_on_dask():
    da = pytest.importorskip("dask.array")
    lazy = da.from_array(X, chunks=(70, 3))
    there, here = MedianCenter().fit(lazy), MedianCenter().fit(X)
    assert_allclose(there.center_, here.center_, rtol=1e-8)
    assert_allclose(there.transform(lazy).compute(), here.transform(X), rtol=1e-7)


@pytest.mark.deep
def test_the_same_on_a_tensor():
    torch = pytest.importorskip("torch")
    tensor = torch.from_numpy(X)
    assert_allclose(MedianCenter().fit(tensor).center_, MedianCenter().fit(X).center_, rtol=1e-8)


def test_errors_and_warnings():
    with pytest.raises(ParameterError, match="The 'max_iter' parameter of MedianCenter must be an int"):
        MedianCenter(max_iter=0).fit(X)
    with pytest.warns(NotConverged, match="still moved after max_iter=2 passes"):
        MedianCenter(max_iter=2).fit(X)


# In the package the two below need no copy: tests/contract finds every public estimator by itself.
OWN = [
    f for f in vars(contract).values() if inspect.isfunction(f) and [*inspect.signature(f).parameters] == ["estimator"]
]


@pytest.mark.parametrize("check", OWN, ids=lambda check: check.__name__)
def test_our_contract(check):
    check(MedianCenter())


@pytest.mark.filterwarnings("ignore:SCIPY_ARRAY_API is not set")  # the one check that needs it skips with this warning
@parametrize_with_checks([MedianCenter()])
def test_scikit_learn(estimator, check):
    check(estimator)


def test_no_check_is_missing():
    assert len(OWN) >= 9 and sum(1 for _ in estimator_checks_generator(MedianCenter())) >= 50
