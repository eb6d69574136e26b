r"""Hidden Markov models whose states emit mixtures of Gaussians.

    p(x | k) = sum_m W[k, m] N(x | mean[k, m], C[k, m])                                            (17)

The sums of (10) run over pairs of state and component with shares gamma_t(k) times the component's part of p(x_t | k); the
priors and the maximisation are hmmlearn's.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import ArrayLike, Choice, Domain, Int, Null, Real
from novum.base.parameters import stores
from novum.engines.gaussians.covariance import dense
from novum.exceptions import ParameterError
from novum.sequence.hmm.base import COMMON_DOMAINS, HiddenMarkovBase, Letters
from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.emissions import mixture as emissions
from novum.sequence.hmm.emissions.gaussian import FORMS, covariance_floor
from novum.sequence.hmm.emissions.mixture import GaussianMixtures, MixturePrior
from novum.sequence.hmm.markov import check_distribution
from novum.sequence.hmm.priors import Shape
from novum.sequence.hmm.sequences import Sequences
from novum.sequence.hmm.starts import clustered_rows, column_spread, filled_rows

__all__ = ["GMMHMM"]


class GMMHMM(HiddenMarkovBase):
    """Hidden Markov model with a mixture of Gaussians per state.

    Parameters
    ----------
    n_components : int, default=1
        States.
    n_mix : int, default=1
        Gaussians per state.
    min_covar : float or None, default=None
        Least variance of a feature (of matrices: least eigenvalue). None is a millionth of the feature's own variance.
    [chain priors]
    weights_prior : float or array-like, default=1.0
        Parameters of the Dirichlet prior of every row of `weights_`.
    means_prior, means_weight : float or array-like, default=0.0
        Mean and weight, in rows, of the normal prior of `means_`.
    covars_prior, covars_weight : float, array-like or None, default=None
        Prior of the covariances, as in hmmlearn: inverse Wishart (scale and degrees of freedom) for matrices, inverse Gamma (shape
        and scale) for variances. None is flat.
    algorithm : {"viterbi", "map"}, default="viterbi"
        What `predict` and `decode` return: the most probable path, or the most probable state of every row.
    covariance_type : {"spherical", "diag", "full", "tied"}, default="diag"
        A variance per Gaussian; a variance per Gaussian and feature; a matrix per Gaussian; a matrix per state.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
    n_iter : int, default=200
        Most passes; 0 keeps the start.
    tol : float, default=1e-4
        Stop when a pass gains less log-likelihood than this.
    verbose : bool or int, default=False
        Whether to log every pass, to the logger "novum".
    params, init_params : str, default="stmcw"
        Parts that are learned, and parts that are started afresh: s startprob, t transmat, m means, c covars, w weights.
    [implementation]
    [ours]

    Attributes
    ----------
    [chain attributes]
    weights_ : array of shape (n_components, n_mix)
    means_ : array of shape (n_components, n_mix, n_features)
    covars_ : array of shape (n_components, n_mix), (n_components, n_mix, n_features), (n_components, n_mix, n_features, n_features)
        or (n_components, n_features, n_features), by `covariance_type`.
    [learned]

    [order of states]

    Examples
    --------
    >>> import numpy as np
    >>> from novum.sequence import GMMHMM
    >>> rng = np.random.default_rng(0)
    >>> low, high = rng.choice([-9.0, -7.0], 60), rng.choice([7.0, 9.0], 40)
    >>> X = np.concatenate([low, high]) + rng.normal(0, 0.3, 100)
    >>> model = GMMHMM(2, 2, random_state=0).fit(X)
    >>> np.sort(model.means_.ravel()).round(0), model.predict(X)[[0, 59, 60, 99]]
    (array([-9., -7.,  7.,  9.]), array([0, 0, 1, 1]))
    """

    weights_: Any
    means_: Any
    covars_: Any
    _letters = {"m": "means_", "c": "covars_", "w": "weights_"}
    _domains: dict[str, Domain] = {
        **COMMON_DOMAINS,
        "n_mix": Int(1),
        "covariance_type": Choice(*FORMS),
        "min_covar": Real(0, open="low") | Null(),
        "weights_prior": Real(0) | ArrayLike(),
        "means_prior": Real() | ArrayLike(),
        "means_weight": Real(0) | ArrayLike(),
        "covars_prior": Real() | ArrayLike() | Null(),
        "covars_weight": Real() | ArrayLike() | Null(),
        "params": Letters("stmcw"),
        "init_params": Letters("stmcw"),
    }

    @stores
    def __init__(
        self, n_components: int = 1, n_mix: int = 1, min_covar: float | None = None, startprob_prior: Any = 1.0,
        transmat_prior: Any = 1.0, weights_prior: Any = 1.0, means_prior: Any = 0.0, means_weight: Any = 0.0,
        covars_prior: Any = None, covars_weight: Any = None, algorithm: str = "viterbi",
        covariance_type: str = "diag", random_state: Any = None, n_iter: int = 200, tol: float = 1e-4,
        verbose: bool = False, params: str = "stmcw", init_params: str = "stmcw", implementation: str = "log", *,
        n_init: int = 10, topology: str = "full", sticky: float = 0.0, stationary: bool = False,
        n_jobs: int | None = None
    ) -> None: ...  # fmt: skip

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(np.asarray(self.means_).shape[2])

    def _check(self) -> None:
        super()._check()
        owner, k, m = type(self).__name__, self.n_components, self.n_mix
        self.weights_ = check_distribution(owner, "weights_", self.weights_, (k, m))
        self.means_ = np.asarray(self.means_, np.float64)
        if self.means_.ndim != 3 or self.means_.shape[:2] != (k, m):
            raise ParameterError(
                f"{owner}: means_ must have shape (n_components, n_mix, n_features); got {self.means_.shape}."
            )
        self.covars_ = emissions.checked_covars(owner, self.covariance_type, self.covars_, k, m, self.means_.shape[2])

    def _convert(self, rows: NDArray) -> NDArray:
        return rows

    def _emission(self) -> GaussianMixtures:
        values = (np.asarray(value, np.float64) for value in (self.weights_, self.means_, self.covars_))
        return GaussianMixtures(self.covariance_type, *values)

    def _prepare(self, source: Sequences) -> None:
        rows = filled_rows(type(self).__name__, self._sample_rows(source.first()))
        self._floor = covariance_floor(self.min_covar, rows.var(axis=0))

    def _start_emission(self, bundle: Bundle, rng: Any, letter: str, run: int) -> None:
        rows = filled_rows(type(self).__name__, self._sample_rows(bundle))
        k, m = self.n_components, self.n_mix
        if letter == "w":
            self.weights_ = np.full((k, m), 1 / m)
        elif letter == "m":
            centers, which = clustered_rows(rows, k, rng, run)
            own = [rows[which == state] if (which == state).any() else centers[[state]] for state in range(k)]
            self.means_ = np.stack([clustered_rows(part, m, rng, run)[0] for part in own])
        else:  # about the nearest mean: two Gaussians that begin as wide as all the data hardly part
            flat = np.asarray(self.means_, np.float64).reshape(k * m, -1)
            nearest = flat[((rows[:, None, :] - flat[None]) ** 2).sum(axis=2).argmin(axis=1)]
            floor = covariance_floor(self.min_covar, rows.var(axis=0))
            covariance = column_spread(rows - nearest)[1] + np.diag(np.maximum(floor, 1e-3 * rows.var(axis=0)))
            self.covars_ = emissions.spread(self.covariance_type, covariance, k, m)

    def _prior_shapes(self, d: int) -> dict[str, list[Shape]]:
        k, m, form = self.n_components, self.n_mix, self.covariance_type
        pairs: list[Shape] = [(k, m), (m,)]
        covars = emissions.needed_shape(form, k, m, d)
        degrees: list[Shape] = [covars, (k, m, 1)] if form == "diag" else [(k,)] if form == "tied" else pairs
        return {
            **super()._prior_shapes(d),
            "weights_prior": pairs,
            "means_prior": [(k, m, d), (m, d), (d,)],
            "means_weight": pairs,
            "covars_prior": [covars, (d, d)] if form in ("full", "tied") else [covars],
            "covars_weight": degrees,
        }

    def _prior(self) -> MixturePrior:
        return emissions.prior_of(
            self.covariance_type,
            (self.n_components, self.n_mix, self.n_features),
            self.weights_prior,
            self.means_prior,
            self.means_weight,
            self.covars_prior,
            self.covars_weight,
            self._floor,
        )

    def _maximize_emission(self, emission: GaussianMixtures, sums: Any) -> GaussianMixtures:
        return emissions.maximize(emission, sums, self._prior(), self.params)

    def _emission_log_prior(self, emission: GaussianMixtures) -> float:
        return emissions.log_prior(emission, self._prior())

    def _learned_emission(self, emission: GaussianMixtures, order: NDArray | None) -> dict[str, Any]:
        found = {"weights_": emission.weights, "means_": emission.means, "covars_": emission.covars}
        return found if order is None else {name: value[order] for name, value in found.items()}

    def _collapsed(self, emission: GaussianMixtures) -> tuple[list[int], str]:
        held = f"{self._floor.min():.3g}" if self.min_covar is None else f"{self.min_covar:g}"
        remedy = f"Held at min_covar={held}; give a prior (covars_prior=) or fewer Gaussians (n_mix=)."
        return emissions.collapsed_states(
            emission, self._floor
        ), f"on few rows (sd -> 0, the likelihood has no maximum). {remedy}"

    def _counts(self) -> dict[str, int]:
        k, m, d = np.asarray(self.means_).shape
        triangle = d * (d + 1) // 2
        covars = {"spherical": k * m, "diag": k * m * d, "full": k * m * triangle, "tied": k * triangle}[
            self.covariance_type
        ]
        return {**self._chain_counts(), "m": k * m * d, "c": covars, "w": k * (m - 1)}

    def _state_moments(self) -> tuple[NDArray, NDArray]:
        flat = self._emission().components()
        variance = np.diagonal(dense(flat.form, flat.covars, *flat.means.shape), axis1=1, axis2=2).reshape(
            self.means_.shape
        )
        mean = np.einsum("km,kmd->kd", self.weights_, self.means_)
        return mean, np.einsum("km,kmd->kd", self.weights_, variance + self.means_**2) - mean**2

    def _draw_rows(self, emission: GaussianMixtures, states: NDArray, rng: Any) -> NDArray:
        return emissions.draw(emission, states, rng)

    def _state_columns(self) -> dict[str, list[str]]:
        heaviest = self.weights_.argmax(axis=1)
        means = self.means_[np.arange(self.n_components), heaviest]
        shown = [
            "(" + ", ".join(f"{value:.4g}" for value in row[:4]) + (", ..." if len(row) > 4 else "") + ")"
            for row in means
        ]
        return {"heaviest": [f"{w:.3f}" for w in self.weights_.max(axis=1)], "at": shown}
