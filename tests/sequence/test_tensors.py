"""The batches that a GPU runs, here on the processor: the sums of the compiled kernels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from novum.sequence.hmm.bundles import bundles_of
from novum.sequence.hmm.emissions.categorical import Categorical
from novum.sequence.hmm.emissions.gaussian import Gaussian
from novum.sequence.hmm.recursions import Chain
from novum.sequence.hmm.sequences import MemorySequences
from novum.sequence.hmm.training import Model, expected, merge_expected, score_bundle

torch = pytest.importorskip("torch")
RNG = np.random.default_rng(0)
LENGTHS = np.array([7, 1, 30, 12, 12, 25])
WEIGHT = np.array([1.0, 2.0, 0.0, 0.5, 1.0, 3.0])
COVARS = {
    "spherical": np.array([1.0, 2.0, 0.7]),
    "diag": RNG.gamma(2.0, size=(3, 2)),
    "tied": np.array([[1.0, 0.3], [0.3, 2.0]]),
}
COVARS["full"] = np.stack([COVARS["tied"], np.eye(2), [[2.0, -0.5], [-0.5, 1.0]]])


def compared(model, X):
    from novum.sequence.hmm.device.sequences import TensorSequences

    here = MemorySequences(bundles_of(X, LENGTHS, WEIGHT, None), 1)
    there = TensorSequences(torch.as_tensor(X), LENGTHS, WEIGHT, 3)
    known, found = (source.total(expected, model, merge_expected) for source in (here, there))
    for one, other in zip((*found[:3], *found.emission), (*known[:3], *known.emission)):
        assert_allclose(one, other, rtol=1e-9, atol=1e-10)
    assert_allclose(
        there.total(score_bundle, model).log_likelihood, here.total(score_bundle, model).log_likelihood, rtol=1e-11
    )


@pytest.mark.parametrize("form", COVARS)
@pytest.mark.parametrize("gaps", [False, True])
def test_gaussian(form, gaps):
    X = RNG.normal(size=(87, 2))
    if gaps:
        X[5, 0] = X[40, 1] = np.nan
        X[60] = np.nan
    chain = Chain(np.array([0.5, 0.5, 0.0]), np.array([[0.8, 0.2, 0.0], [0.1, 0.6, 0.3], [0.3, 0.0, 0.7]]))
    compared(Model(chain, Gaussian(form, RNG.normal(size=(3, 2)), COVARS[form])), X)


def test_symbols():
    X = RNG.integers(-1, 4, (87, 1))
    chain = Chain(RNG.dirichlet(np.ones(3)), RNG.dirichlet(np.ones(3), 3))
    compared(Model(chain, Categorical(RNG.dirichlet(np.ones(4), 3))), X)


def test_a_tensor_on_the_processor_is_an_array():
    from novum.sequence import GaussianHMM

    X = RNG.normal(size=(87, 2))
    one, two = (
        GaussianHMM(2, random_state=0, max_iter=3, tol=1e9).fit(rows, LENGTHS) for rows in (X, torch.as_tensor(X))
    )
    assert_allclose(one.means_, two.means_)
