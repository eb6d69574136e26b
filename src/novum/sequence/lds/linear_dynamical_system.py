"""Linear dynamical systems as an estimator: filter, smooth, learn, forecast, draw."""

from collections.abc import Collection
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from novum.base.callbacks import reporting
from novum.base.domains import Choice, Domain, Int, Null, Real
from novum.base.estimator import Estimator, fits
from novum.base.history import History
from novum.base.plots import axes_last
from novum.exceptions import DataError, NotConverged
from novum.runtime.checks import check_count
from novum.runtime.typing import Axes, Numbers, Rows, Seed, Target
from novum.runtime.warn import warn
from novum.sequence.lds.domains import Matrix, Names
from novum.sequence.lds.forecasts import draw_series, forecast
from novum.sequence.lds.functions import filter_series, likelihood_of, results_of, smooth_series
from novum.sequence.lds.learning import learn_system
from novum.sequence.lds.maximization import COVARIANCE_TYPES
from novum.sequence.lds.results import FilteredStates, Forecast
from novum.sequence.lds.series import read_controls, read_series
from novum.sequence.lds.steady import SteadyState, steady_covariance
from novum.sequence.lds.structural import StructuralModels
from novum.sequence.lds.summary import describe
from novum.sequence.lds.system import MATRICES, System, sizes_of, system_of

__all__ = ["LinearDynamicalSystem"]


def fitted_matrices(system: System) -> dict[str, Any]:
    """Return the fitted attributes that a system stands for."""
    out = {f"{name}_": getattr(system, name) for name in MATRICES}
    if system.diffuse.shape[1]:
        V = system.initial_covariance.copy()
        unknown = np.abs(system.diffuse).max(axis=1) > 0
        V[unknown, unknown] = np.inf
        out["initial_covariance_"] = V
    return {**out, "n_features_in_": system.n_cells}


class LinearDynamicalSystem(StructuralModels, Estimator):
    """A state that moves linearly and is seen through linear measurements, both with Gaussian noise.

        z[t+1] = A z[t] + b + B u[t] + N(0, Q),   x[t] = C z[t] + d + D u[t] + N(0, R),   z[0] ~ N(m0, V0)

    Matrices that are given are used as they are. `fit` learns those that are not given (A, Q, C, R, m0, V0), and single cells
    of a given one that are NaN. Ready-made: `local_level`, `local_linear_trend`, `seasonal`, `autoregressive`, `tracking`.

    Parameters
    ----------
    n_states : int, default=None
        Where no matrix gives it; the number of columns of X by default.
    transition : array-like of shape (s, s), default=None
        A. This and the next five may have a leading axis of time, entry t leading from t to t + 1; such matrices are not learned. A
        number stands for that multiple of the identity, a vector for the diagonal of a covariance or the one row of C.
    transition_covariance : array-like of shape (s, s), default=None
        Q.
    transition_offset : array-like of shape (s,), default=None
        b; zero by default.
    observation : array-like of shape (p, s), default=None
        C.
    observation_covariance : array-like of shape (p, p), default=None
        R.
    observation_offset : array-like of shape (p,), default=None
        d; zero by default.
    initial_mean : array-like of shape (s,), default=None
        m0.
    initial_covariance : array-like of shape (s, s), "diffuse" or "stationary", default=None
        V0. Diffuse: nothing is known of the first state, exactly (inf on the diagonal: of single states). Stationary: the
        distribution that the transition leaves as it is. None: learned by EM, diffuse without.
    control, observation_control : array-like of shapes (s, k) and (p, k), default=None
        B and D.
    learn : str or collection of str, default=None
        Names of the matrices to learn, starting from what was given; None: those that were not given.
    transition_covariance_type, observation_covariance_type : {"full", "diag", "spherical", "scaled"}, default="full"
        What Q and R may be: any covariance, diagonal (variances given as zero stay zero), a multiple of the identity, or a
        multiple of the given matrix.
    algorithm : {"em", "lbfgs"}, default="em"
        Expectation-maximisation; or the likelihood climbed with its exact slope, faster where few numbers are free.
    max_iter : int, default=200
    tol : float, default=1e-6
        EM: stop when the log-likelihood rises by less than this share. L-BFGS: when its slope per row is smaller.

    Attributes
    ----------
    transition_, transition_covariance_, transition_offset_, observation_, observation_covariance_, observation_offset_ : arrays
    initial_mean_, initial_covariance_, control_, observation_control_ : arrays
        All matrices, learned or given; V0 is infinite on the diagonal where it is diffuse.
    log_likelihood_ : float
    history_ : History
        The log-likelihood by iteration.
    n_iter_, converged_ : int, bool
    n_parameters_ : int
        Numbers that were learned.
    n_features_in_ : int
        Cells of a row.

    Examples
    --------
    >>> from novum.datasets import load_nile
    >>> from novum.sequence import LinearDynamicalSystem
    >>> flow = load_nile()["volume"]
    >>> nile = LinearDynamicalSystem.local_level().fit(flow)
    >>> nile.observation_covariance_.round(), nile.transition_covariance_.round()  # Durbin and Koopman: 15 099 and 1 469
    (array([[15099.]]), array([[1469.]]))
    >>> round(nile.log_likelihood_, 4)
    -633.4646
    >>> ahead = nile.forecast(flow, 2)
    >>> ahead.means.ravel().round(1), ahead.upper.ravel().round(1)
    (array([798.4, 798.4]), array([1079.7, 1089.5]))
    """

    _domains: dict[str, Domain] = {
        "n_states": Int(1) | Null(),
        **{name: Matrix() | Null() for name in MATRICES if name != "initial_covariance"},
        "initial_covariance": Matrix() | Choice("diffuse", "stationary") | Null(),
        "learn": Names() | Null(),
        "transition_covariance_type": Choice(*COVARIANCE_TYPES),
        "observation_covariance_type": Choice(*COVARIANCE_TYPES),
        "algorithm": Choice("em", "lbfgs"),
        "max_iter": Int(1),
        "tol": Real(0),
    }
    _reports_passes = True
    transition_: np.ndarray
    transition_covariance_: np.ndarray
    transition_offset_: np.ndarray
    observation_: np.ndarray
    observation_covariance_: np.ndarray
    observation_offset_: np.ndarray
    initial_mean_: np.ndarray
    initial_covariance_: np.ndarray
    control_: np.ndarray
    observation_control_: np.ndarray
    log_likelihood_: float
    history_: History
    n_iter_: int
    converged_: bool
    n_parameters_: int

    def __init__(
        self,
        n_states: int | None = None,
        *,
        transition: Numbers | None = None,
        transition_covariance: Numbers | None = None,
        transition_offset: Numbers | None = None,
        observation: Numbers | None = None,
        observation_covariance: Numbers | None = None,
        observation_offset: Numbers | None = None,
        initial_mean: Numbers | None = None,
        initial_covariance: Numbers | Literal["diffuse"] | Literal["stationary"] | None = None,
        control: Numbers | None = None,
        observation_control: Numbers | None = None,
        learn: str | Collection[str] | None = None,
        transition_covariance_type: Literal["full", "diag", "spherical", "scaled"] = "full",
        observation_covariance_type: Literal["full", "diag", "spherical", "scaled"] = "full",
        algorithm: Literal["em", "lbfgs"] = "em",
        max_iter: int = 200,
        tol: float = 1e-6,
    ) -> None:
        self.n_states = n_states
        self.transition = transition
        self.transition_covariance = transition_covariance
        self.transition_offset = transition_offset
        self.observation = observation
        self.observation_covariance = observation_covariance
        self.observation_offset = observation_offset
        self.initial_mean = initial_mean
        self.initial_covariance = initial_covariance
        self.control = control
        self.observation_control = observation_control
        self.learn = learn
        self.transition_covariance_type = transition_covariance_type
        self.observation_covariance_type = observation_covariance_type
        self.algorithm = algorithm
        self.max_iter = max_iter
        self.tol = tol

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        return describe(self) if "n_parameters_" in vars(self) else super().__repr__(N_CHAR_MAX)

    def _given(self) -> dict[str, Any]:
        """Return the matrices in force: those learned, or before that those given."""
        if "transition_" in vars(self):
            return {name: getattr(self, f"{name}_") for name in MATRICES}
        return {name: getattr(self, name) for name in MATRICES}

    def _system(self, method: str) -> System:
        sizes = {} if self.n_states is None else {"s": int(self.n_states)}
        if "n_features_in_" in vars(self):
            sizes["p"] = self.n_features_in_
        return system_of(f"LinearDynamicalSystem.{method}", self._given(), sizes)

    @fits
    def fit(self, X: Rows, y: Target = None, *, controls: Numbers | None = None) -> "LinearDynamicalSystem":
        """Learn the matrices.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_cells) or (n_steps,), or several: a list of arrays or an array of three axes
            NaN and masked cells were not observed: they are summed out, nothing is imputed.
        y : ignored
        controls : array-like of shape (n_steps, k), default=None
            u; one for all series, or a list.

        Returns
        -------
        self
        """
        owner = "LinearDynamicalSystem.fit"
        series, _ = read_series(owner, X)
        given = {name: getattr(self, name) for name in MATRICES}
        sizes = {"p": series[0].values.shape[1]}
        known = sizes_of(owner, given, {} if self.n_states is None else {"s": int(self.n_states)})
        if known.get("p", sizes["p"]) != sizes["p"]:
            read_series(owner, X, known["p"])
        sizes["s"] = known.get("s", sizes["p"])
        k = known.get("k", 0)
        if controls is not None and not k and self.learn is not None:
            k = read_series(owner, controls, None, "controls")[0][0].values.shape[1]
        sizes["k"] = k
        u: Any = read_controls(owner, controls, [len(s.values) for s in series], k) or [None] * len(series)
        kinds = {name: getattr(self, f"{name}_type") for name in ("transition_covariance", "observation_covariance")}
        with reporting(self, self.max_iter, X=X, attributes=fitted_matrices, objective_of="leaving") as report:
            found = learn_system(
                owner,
                given,
                series,
                u,
                learn=self.learn,
                kinds=kinds,
                algorithm=self.algorithm,
                max_iter=self.max_iter,
                tol=self.tol,
                sizes=sizes,
                report=report,
            )
        if not found.converged:
            warn(
                f"LinearDynamicalSystem: the log-likelihood still rose after max_iter={self.max_iter} iterations; raise max_iter "
                "or tol. Where a variance tends to zero it has no maximum: give that variance.",
                NotConverged,
            )
        system = found.system
        vars(self).update(fitted_matrices(system))
        self.history_ = History(found.history, name="log-likelihood")
        self.log_likelihood_, self.n_iter_ = float(found.history[-1]), max(len(found.history) - 1, 1)
        self.converged_, self.n_parameters_ = found.converged, found.n_parameters
        return self

    def filter(self, X: Rows, *, controls: Numbers | None = None, form: str = "covariance") -> Any:
        """Return `FilteredStates`: the distribution of the state at every row given the rows so far; see `kalman_filter`."""
        owner = "LinearDynamicalSystem.filter"
        return results_of(owner, filter_series, self._system("filter"), X, controls, form)

    def smooth(self, X: Rows, *, controls: Numbers | None = None, form: str = "covariance") -> Any:
        """Return `SmoothedStates`: the distribution of the state at every row given all rows; see `kalman_smoother`."""
        owner = "LinearDynamicalSystem.smooth"
        return results_of(owner, smooth_series, self._system("smooth"), X, controls, form)

    def score(self, X: Rows, y: Target = None, *, controls: Numbers | None = None) -> float:
        """Return the log-likelihood of the series, added over several."""
        owner, system = "LinearDynamicalSystem.score", self._system("score")
        series, _ = read_series(owner, X, system.n_cells)
        k = max(system.control.shape[1], system.observation_control.shape[1])
        u: Any = read_controls(owner, controls, [len(s.values) for s in series], k) or [None] * len(series)
        pairs = zip(series, u, strict=True)
        return sum(likelihood_of(owner, system, s, c) for s, c in pairs)

    def aic(self, X: Rows, *, controls: Numbers | None = None) -> float:
        """Return Akaike's criterion, -2 log L + 2 n_parameters_; smaller is better."""
        return -2 * self.score(X, controls=controls) + 2.0 * self.n_parameters_

    def bic(self, X: Rows, *, controls: Numbers | None = None) -> float:
        """Return the Bayesian information criterion, -2 log L + n_parameters_ log(observed cells); smaller is better."""
        cells = sum(int((~np.isnan(s.values)).sum()) for s in read_series("LinearDynamicalSystem.bic", X)[0])
        return -2 * self.score(X, controls=controls) + self.n_parameters_ * float(np.log(max(cells, 1)))

    def forecast(self, X: Rows, steps: int = 1, *, controls: Numbers | None = None, level: float = 0.95) -> Any:
        """Return the distribution of the next rows.

        Parameters
        ----------
        X : as in `filter`
        steps : int, default=1
        controls : array-like of shape (n_steps + steps, k), default=None
            Those of the rows in X and of the rows to come. Matrices that differ by step must also reach so far.
        level : float, default=0.95
            Share that the bands hold.

        Returns
        -------
        Forecast
            `means`, `covariances`, `lower`, `upper`, `state_means`, `state_covariances`, `plot()`; a list for several series.
        """
        owner = "LinearDynamicalSystem.forecast"
        steps, system = check_count(owner, "steps", steps), self._system("forecast")
        k = max(system.control.shape[1], system.observation_control.shape[1])
        series, many = read_series(owner, X, system.n_cells)
        u: Any = read_controls(owner, controls, [len(s.values) + steps for s in series], k) or [None] * len(series)
        found: list[Forecast] = []
        for item, given in zip(series, u, strict=True):
            past: FilteredStates = filter_series(owner, system, item, given)
            found.append(forecast(owner, system, past, steps, given, level))
        return found if many else found[0]

    def sample(
        self,
        n_samples: int = 1,
        n_sequences: int | None = None,
        *,
        controls: Numbers | None = None,
        random_state: Seed = None,
    ) -> tuple[NDArray, NDArray]:
        """Return rows (n_samples, p) and states (n_samples, s) drawn from the system; `n_sequences` adds a leading axis."""
        owner, system = "LinearDynamicalSystem.sample", self._system("sample")
        n_samples = check_count(owner, "n_samples", n_samples)
        many = 1 if n_sequences is None else check_count(owner, "n_sequences", n_sequences)
        k = max(system.control.shape[1], system.observation_control.shape[1])
        u = read_controls(owner, controls, [n_samples], k)
        states, rows = draw_series(owner, system, n_samples, many, None if u is None else u[0], random_state)
        return (rows[0], states[0]) if n_sequences is None else (rows, states)

    def steady_state(self) -> SteadyState:
        """Return predicted and filtered covariance and gain of the far future."""
        return steady_covariance("LinearDynamicalSystem.steady_state", self._system("steady_state"))

    @axes_last
    def plot(self, X: Rows | None = None, y: Target = None, *, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw a series X with its smoothed signal and band; y is not used; options are those of `SmoothedStates.plot`."""
        if X is None:
            raise DataError("LinearDynamicalSystem.plot: give X, the series to draw.")
        return self.smooth(X).plot(ax, **options)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False  # rows are steps of a series: their order matters
        tags.input_tags.three_d_array = True
        tags.input_tags.allow_nan = True
        return tags
