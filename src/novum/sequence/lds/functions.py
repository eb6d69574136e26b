"""The filter and the smoother as functions of the matrices, for one series or many."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from novum.runtime.checks import check_choice
from novum.runtime.pool import map_ordered
from novum.runtime.threads import thread_count
from novum.runtime.typing import Numbers, Rows
from novum.sequence.lds.diffuse import StateDistribution
from novum.sequence.lds.passes import run_filter, run_smoother, timed_system
from novum.sequence.lds.results import FilteredStates, SmoothedStates
from novum.sequence.lds.rounding import warn_of_doubts
from novum.sequence.lds.series import Observed, read_controls, read_series
from novum.sequence.lds.steady import steady_covariance
from novum.sequence.lds.system import System, sizes_of, system_of

__all__ = [
    "FORMS",
    "filter_series",
    "kalman_filter",
    "kalman_smoother",
    "likelihood_of",
    "results_of",
    "smooth_series",
    "start_distribution",
]

FORMS = ("covariance", "square_root", "steady_state")
MATRICES = (
    *(
        "transition",
        "observation",
        "transition_covariance",
        "observation_covariance",
        "initial_mean",
        "initial_covariance",
    ),
    *("transition_offset", "observation_offset", "control", "observation_control"),
)


def start_distribution(system: System) -> StateDistribution:
    """Return the distribution of the first state."""
    return StateDistribution(system.initial_mean, system.initial_covariance, system.diffuse)


def filter_series(
    owner: str, system: System, series: Observed, controls: NDArray | None, form: str = "covariance"
) -> FilteredStates:
    """Return the filtered states of one series."""
    timed = timed_system(owner, system, series.values, controls)
    start = start_distribution(system)
    if form == "steady_state":
        start = StateDistribution(
            start.mean, steady_covariance(owner, system).predicted, np.zeros((system.n_states, 0))
        )
    forward = run_filter(timed, start, root=form == "square_root")
    warn_of_doubts(owner, forward.doubt)
    return FilteredStates(timed, forward, series.values, series.index)


def likelihood_of(owner: str, system: System, series: Observed, controls: NDArray | None) -> float:
    """Return the log-likelihood of one series."""
    forward = run_filter(timed_system(owner, system, series.values, controls), start_distribution(system), keep=False)
    warn_of_doubts(owner, forward.doubt)
    return float(forward.log_likelihood.sum())


def smooth_series(
    owner: str, system: System, series: Observed, controls: NDArray | None, form: str = "covariance"
) -> SmoothedStates:
    """Return the smoothed states of one series."""
    filtered = filter_series(owner, system, series, controls, form)
    return SmoothedStates(filtered, run_smoother(filtered._timed, filtered._forward))


def results_of(owner: str, function: Callable, system: System, X: Any, controls: Any, form: str) -> Any:
    """Return `function` of the series in X: one result, or a list where X holds several."""
    check_choice(owner, "form", form, FORMS)
    series, many = read_series(owner, X, system.n_cells)
    n_controls = max(system.control.shape[1], system.observation_control.shape[1])
    given: Any = read_controls(owner, controls, [len(s.values) for s in series], n_controls) or [None] * len(series)
    pairs = list(zip(series, given, strict=True))
    threads = thread_count() if len(pairs) > 1 else 1
    found = list(map_ordered(lambda pair: function(owner, system, *pair, form), pairs, threads))
    return found if many else found[0]


def read_given(owner: str, X: Any, arguments: dict[str, Any]) -> System:
    """Return the system of matrices among the arguments of a call; the data give the number of cells where they do not."""
    given = {name: arguments[name] for name in MATRICES}
    sizes = sizes_of(owner, given, {})
    if "p" not in sizes:
        sizes["p"] = read_series(owner, X)[0][0].values.shape[1]
    sizes.setdefault("k", 0)
    return system_of(owner, given, sizes)


def kalman_filter(
    X: Rows,
    transition: Numbers,
    observation: Numbers,
    transition_covariance: Numbers,
    observation_covariance: Numbers,
    *,
    initial_mean: Numbers | None = None,
    initial_covariance: Numbers | Literal["diffuse"] | Literal["stationary"] = "diffuse",
    transition_offset: Numbers | None = None,
    observation_offset: Numbers | None = None,
    control: Numbers | None = None,
    observation_control: Numbers | None = None,
    controls: Numbers | None = None,
    form: str = "covariance",
) -> Any:
    """Return the distribution of the state at every row, given the rows so far.

        z[t+1] = A z[t] + b + B u[t] + N(0, Q),   x[t] = C z[t] + d + D u[t] + N(0, R)

    Parameters
    ----------
    X : array-like of shape (n_steps, n_cells) or (n_steps,), or several: a list of arrays or an array of three axes
        NaN and masked cells were not observed; a row may have some of its cells.
    transition, observation : A of shape (s, s) and C of shape (p, s)
        This and every matrix below but the initial distribution: one for all steps, or one of every step along a leading axis;
        entry t of A, b and Q leads from t to t + 1. A number stands for that multiple of the identity, a vector for the diagonal
        of a covariance or the one row of C.
    transition_covariance, observation_covariance : Q of shape (s, s) and R of shape (p, p)
        May be singular, or zero.
    initial_mean : array-like of shape (s,), default=None
        Zero by default.
    initial_covariance : array-like of shape (s, s), "diffuse" or "stationary", default="diffuse"
        Of the first state. Diffuse: nothing is known of it, exactly; inf on the diagonal says so of single states. Stationary: the
        distribution that the transition leaves as it is.
    transition_offset, observation_offset : b of shape (s,) and d of shape (p,), default=None
    control, observation_control : B of shape (s, k) and D of shape (p, k), default=None
    controls : array-like of shape (n_steps, k), default=None
        u; one for all series, or a list.
    form : {"covariance", "square_root", "steady_state"}, default="covariance"
        Square roots of covariances are never indefinite, whatever the conditioning, at some cost of time. Steady state: the gain of
        the far future from the first row on.

    Returns
    -------
    FilteredStates
        `means`, `covariances`, `predicted_means`, `predicted_covariances`, `log_likelihood`, `innovations`, `plot()`; a list of
        them for several series.

    See Also
    --------
    LinearDynamicalSystem : the same matrices as an object that learns them, forecasts and simulates.

    Examples
    --------
    >>> from novum.datasets import load_nile
    >>> from novum.sequence import kalman_filter
    >>> flow = load_nile()["volume"]
    >>> level = kalman_filter(flow, 1.0, 1.0, 1469.1, 15099.0)
    >>> level
    FilteredStates: 100 rows, 1 state, log-likelihood -633.465
    >>> level.means[:3, 0].round(1), level.covariances[:3, 0, 0].round()
    (array([1120. , 1140.9, 1072.8]), array([15099.,  7900.,  5781.]))
    """
    system = read_given("kalman_filter", X, locals())
    return results_of("kalman_filter", filter_series, system, X, controls, form)


def kalman_smoother(
    X: Rows,
    transition: Numbers,
    observation: Numbers,
    transition_covariance: Numbers,
    observation_covariance: Numbers,
    *,
    initial_mean: Numbers | None = None,
    initial_covariance: Numbers | Literal["diffuse", "stationary"] = "diffuse",
    transition_offset: Numbers | None = None,
    observation_offset: Numbers | None = None,
    control: Numbers | None = None,
    observation_control: Numbers | None = None,
    controls: Numbers | None = None,
    form: str = "covariance",
) -> Any:
    """Return the distribution of the state at every row, given all rows (Rauch, Tung and Striebel).

    The parameters are those of `kalman_filter`.

    Returns
    -------
    SmoothedStates
        `means`, `covariances`, `lag_one_covariances` (of z[t+1] and z[t]), `filtered`, `log_likelihood`, `plot()`; a list of them
        for several series.

    Examples
    --------
    >>> from novum.datasets import load_nile
    >>> from novum.sequence import kalman_smoother
    >>> level = kalman_smoother(load_nile()["volume"], 1.0, 1.0, 1469.1, 15099.0)
    >>> level.means[:3, 0].round(1), level.covariances[:3, 0, 0].round()
    (array([1111.7, 1110.9, 1105.3]), array([4032., 3243., 2819.]))
    """
    system = read_given("kalman_smoother", X, locals())
    return results_of("kalman_smoother", smooth_series, system, X, controls, form)
