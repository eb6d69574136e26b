"""Kalman filters, smoothers and EM against statsmodels and pykalman on the same matrices and rows; quality: the log-likelihood.

statsmodels gets its compiled filter with the system built once, outside the clock, as a user who filters often would; its smoother
computes state moments only. pykalman computes no log-likelihood in its filter, so its quality is taken apart from the clock.
"""

from functools import lru_cache

import numpy as np

from benchmarks.harness import Case
from novum.datasets import load_nile
from novum.sequence import LinearDynamicalSystem, kalman_filter, kalman_smoother

STEPS = {1: (2_500, 5_000, 10_000), 4: (2_500, 5_000, 10_000), 50: (250, 500, 1_000), 100: (100, 200, 400)}
EM_ITERATIONS = 5


@lru_cache
def matrices(s, p):
    rng = np.random.default_rng(s)
    A = rng.normal(size=(s, s))
    return {
        "transition": 0.95 * A / np.abs(np.linalg.eigvals(A)).max(),
        "observation": rng.normal(size=(p, s)),
        "transition_covariance": np.eye(s),
        "observation_covariance": np.eye(p),
        "initial_mean": np.zeros(s),
        "initial_covariance": np.eye(s),
    }


def series(s, p, gaps):
    def make(n):
        X = LinearDynamicalSystem(**matrices(s, p)).sample(n, random_state=0)[0]
        if gaps:
            X[::10] = np.nan  # no gain is ever kept for long
        return X

    return make


def statsmodels_smoother(s, p, data):
    from statsmodels.tsa.statespace.kalman_smoother import SMOOTHER_STATE, SMOOTHER_STATE_COV, KalmanSmoother

    m = matrices(s, p)
    peer = KalmanSmoother(k_endog=p, k_states=s, k_posdef=s)
    peer.bind(np.asfortranarray(data.T))
    peer["design"], peer["transition"], peer["selection"] = m["observation"], m["transition"], np.eye(s)
    peer["state_cov"], peer["obs_cov"] = m["transition_covariance"], m["observation_covariance"]
    peer.initialize_known(m["initial_mean"], m["initial_covariance"])
    peer.smoother_output = SMOOTHER_STATE | SMOOTHER_STATE_COV
    return peer


@lru_cache
def prepared(s, p, key):
    return statsmodels_smoother(s, p, KEPT[key])


KEPT: dict[int, np.ndarray] = {}


def by_statsmodels(s, p, method):
    def run(data):
        KEPT[id(data)] = data
        return getattr(prepared(s, p, id(data)), method)()

    return run


def pykalman_model(s, p, **more):
    from pykalman import KalmanFilter

    m = matrices(s, p)
    return KalmanFilter(
        m["transition"],
        m["observation"],
        m["transition_covariance"],
        m["observation_covariance"],
        initial_state_mean=m["initial_mean"],
        initial_state_covariance=m["initial_covariance"],
        **more,
    )


def by_pykalman(s, p, method):
    return lambda data: getattr(pykalman_model(s, p), method)(np.ma.masked_invalid(data))


def quality(s, p):
    def value(result, data):
        if isinstance(result, tuple):  # pykalman's means and covariances
            return float(pykalman_model(s, p).loglikelihood(np.ma.masked_invalid(data)))
        return float(result.llf if hasattr(result, "llf") else result.log_likelihood)

    return value


def passes(s, p, gaps):
    words = f"{s} states{', gaps' if gaps else ''}"
    large = s >= 50
    rows = STEPS[s]
    peers = {"statsmodels": 1.0 if large else 5.0} | ({} if large else {"pykalman": 50.0})
    for name, ours, method, other in (
        ("filter", kalman_filter, "filter", "filter"),
        ("smoother", kalman_smoother, "smooth", "smooth"),
    ):
        contestants = {
            "novum": lambda data, ours=ours: ours(data, **matrices(s, p)),
            "statsmodels": by_statsmodels(s, p, method),
        }
        if not large:
            contestants["pykalman"] = by_pykalman(s, p, other)
        yield Case(f"kalman {name}, {words}", series(s, p, gaps), contestants, quality(s, p), rows, peers)


def our_em(data):
    import warnings

    learned = (
        "transition",
        "transition_covariance",
        "observation",
        "observation_covariance",
        "initial_mean",
        "initial_covariance",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return LinearDynamicalSystem(**matrices(2, 3), learn=learned, max_iter=EM_ITERATIONS, tol=0.0).fit(data)


def pykalman_em(data):
    names = ["transition_matrices", "transition_covariance", "observation_matrices", "observation_covariance"]
    return pykalman_model(2, 3, em_vars=[*names, "initial_state_mean", "initial_state_covariance"]).em(
        data, n_iter=EM_ITERATIONS
    )


def em_quality(result, data):
    return float(result.loglikelihood(data) if hasattr(result, "loglikelihood") else result.score(data))


def nile(_):
    return load_nile()["volume"].to_numpy()


def statsmodels_nile(data):
    import warnings

    import statsmodels.api as sm

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sm.tsa.UnobservedComponents(data, "llevel", use_exact_diffuse=True).fit(disp=0)


CASES = [
    *(case for s, p in ((1, 1), (4, 2), (50, 10), (100, 100)) for gaps in (False, True) for case in passes(s, p, gaps)),
    Case(
        "lds em, 5 iterations, 2 states",
        series(2, 3, False),
        {"novum": our_em, "pykalman": pykalman_em},
        em_quality,
        (250, 500, 1_000),
        {"pykalman": 20.0},
    ),
    Case(
        "local level of the Nile by ML",
        nile,
        {"novum": lambda data: LinearDynamicalSystem.local_level().fit(data), "statsmodels": statsmodels_nile},
        lambda result, data: float(getattr(result, "llf", getattr(result, "log_likelihood_", np.nan))),
        (100,),
    ),
]
