"""statsmodels and pykalman on the same matrices and rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sequence.systems import random_system, with_gaps

from novum.datasets import load_nile
from novum.sequence import LinearDynamicalSystem, kalman_smoother

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("ignore")]


@pytest.mark.parametrize(("s", "p"), [(1, 1), (3, 2), (25, 4)])
def test_statsmodels(s, p):
    module = pytest.importorskip("statsmodels.tsa.statespace.kalman_smoother")
    m = random_system(s, p, seed=s)
    X = with_gaps(np.random.default_rng(0).normal(size=(40, p)))
    peer = module.KalmanSmoother(k_endog=p, k_states=s, k_posdef=s)
    peer.bind(np.asfortranarray(X.T))
    peer["design"], peer["transition"], peer["selection"] = m["observation"], m["transition"], np.eye(s)
    peer["state_cov"], peer["obs_cov"] = m["transition_covariance"], m["observation_covariance"]
    peer["state_intercept"], peer["obs_intercept"] = m["transition_offset"][:, None], m["observation_offset"][:, None]
    peer.initialize_known(m["initial_mean"], m["initial_covariance"])
    theirs, ours = peer.smooth(), kalman_smoother(X, **m)
    assert ours.log_likelihood == pytest.approx(theirs.llf, rel=1e-10)
    assert_allclose(ours.filtered.means, theirs.filtered_state.T, rtol=1e-7, atol=1e-8)
    assert_allclose(ours.means, theirs.smoothed_state.T, rtol=1e-7, atol=1e-8)
    assert_allclose(ours.covariances, np.moveaxis(theirs.smoothed_state_cov, 2, 0), rtol=1e-6, atol=1e-7)


def test_statsmodels_on_the_nile():
    sm = pytest.importorskip("statsmodels.api")
    flow = load_nile()["volume"].to_numpy()
    theirs = sm.tsa.UnobservedComponents(flow, "llevel", use_exact_diffuse=True).smooth([15099.0, 1469.1])
    ours = kalman_smoother(flow, 1.0, 1.0, 1469.1, 15099.0)
    assert ours.log_likelihood == pytest.approx(theirs.llf, rel=1e-12)
    assert_allclose(ours.means[:, 0], theirs.smoothed_state[0], rtol=1e-9)
    assert_allclose(ours.covariances[:, 0, 0], theirs.smoothed_state_cov[0, 0], rtol=1e-8)
    found = sm.tsa.UnobservedComponents(flow, "llevel", use_exact_diffuse=True).fit(disp=0)
    model = LinearDynamicalSystem.local_level().fit(flow)
    assert model.log_likelihood_ >= found.llf - 1e-9
    trend = sm.tsa.UnobservedComponents(flow, "lltrend", use_exact_diffuse=True)
    ours = LinearDynamicalSystem.local_linear_trend(
        level_variance=1000.0, slope_variance=10.0, observation_variance=15000.0
    )
    theirs = trend.smooth([15000.0, 1000.0, 10.0])
    assert ours.score(flow) == pytest.approx(theirs.llf, rel=1e-10)
    assert_allclose(ours.smooth(flow).means, theirs.smoothed_state.T, rtol=1e-6, atol=1e-6)


def test_statsmodels_seasonal_and_autoregression():
    sm = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(0)
    x = np.tile([3.0, -1.0, -4.0, 2.0], 15) + rng.normal(size=60).cumsum()
    theirs = sm.tsa.UnobservedComponents(x, "lltrend", seasonal=4, use_exact_diffuse=True).smooth([1.0, 0.5, 0.1, 0.2])
    ours = LinearDynamicalSystem.seasonal(
        4, level_variance=0.5, slope_variance=0.1, seasonal_variance=0.2, observation_variance=1.0
    )
    assert ours.score(x) == pytest.approx(theirs.llf, rel=1e-10)
    assert_allclose(ours.smooth(x).means, theirs.smoothed_state.T, rtol=1e-6, atol=1e-6)
    found = sm.tsa.SARIMAX(x, order=(2, 0, 0)).fit(disp=0)
    model = LinearDynamicalSystem.autoregressive(2).fit(x)
    assert model.log_likelihood_ >= found.llf - 1e-6
    again = LinearDynamicalSystem.autoregressive(2, coefficients=found.params[:2], variance=found.params[2])
    assert again.score(x) == pytest.approx(found.llf, rel=1e-9)


def test_pykalman():
    pykalman = pytest.importorskip("pykalman")
    m = random_system(2, 3, seed=3)
    X = np.random.default_rng(1).normal(size=(30, 3))
    X[4] = np.nan
    names = {
        "transition": "transition_matrices",
        "observation": "observation_matrices",
        "transition_covariance": "transition_covariance",
        "observation_covariance": "observation_covariance",
        "transition_offset": "transition_offsets",
        "observation_offset": "observation_offsets",
        "initial_mean": "initial_state_mean",
        "initial_covariance": "initial_state_covariance",
    }
    peer = pykalman.KalmanFilter(**{names[k]: v for k, v in m.items()})
    masked = np.ma.masked_invalid(X)
    means, covariances = peer.smooth(masked)
    ours = kalman_smoother(X, **m)
    assert_allclose(ours.means, means, atol=1e-8)
    assert_allclose(ours.covariances, covariances, atol=1e-8)
    assert ours.log_likelihood == pytest.approx(peer.loglikelihood(masked), rel=1e-9)
    six = [
        "transition",
        "observation",
        "transition_covariance",
        "observation_covariance",
        "initial_mean",
        "initial_covariance",
    ]
    full = X.copy()
    full[4] = 0.1
    plain = {k: v for k, v in m.items() if k in six}
    theirs = pykalman.KalmanFilter(**{names[k]: v for k, v in plain.items()}, em_vars=[names[k] for k in six]).em(
        full, n_iter=4
    )
    learned = LinearDynamicalSystem(**plain, learn=six, max_iter=4, tol=0.0).fit(full)
    assert learned.score(full) == pytest.approx(theirs.loglikelihood(full), rel=1e-8)
    assert_allclose(learned.transition_, theirs.transition_matrices, rtol=1e-6)
