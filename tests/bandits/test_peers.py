"""Distributions of regret compared with SMPyBandits."""

import contextlib
import io
import warnings

import numpy as np
import pytest
import scipy.special
from scipy.stats import ks_2samp

from novum.bandits import KLUCB, UCB1, BernoulliBandit, ThompsonSampling, simulate

pytestmark = pytest.mark.peer
MEANS = np.array([0.8, 0.6, 0.5])


@pytest.mark.parametrize(("name", "policy"), [("UCB", UCB1()), ("klUCB", KLUCB()), ("Thompson", ThompsonSampling())])
def test_regret_has_the_distribution_of_smpybandits(name, policy):
    pytest.importorskip("SMPyBandits")
    if not hasattr(scipy.special, "btdtri"):
        scipy.special.btdtri = scipy.special.betaincinv  # its old name
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from SMPyBandits import Policies
        from SMPyBandits.Arms import Bernoulli
    regrets = []
    for run in range(150):
        np.random.seed(run)  # noqa: NPY002
        theirs, arms = getattr(Policies, name)(3), [Bernoulli(p) for p in MEANS]
        theirs.startGame()
        lost = 0.0
        for _ in range(150):
            arm = theirs.choice()
            theirs.getReward(arm, arms[arm].draw())
            lost += MEANS.max() - MEANS[arm]
        regrets.append(lost)
    ours = simulate(BernoulliBandit(MEANS), policy, 150, n_runs=4000, n_points=1, random_state=0).final_regret[0]
    assert ks_2samp(np.round(ours, 9), np.round(regrets, 9)).pvalue > 1e-3
