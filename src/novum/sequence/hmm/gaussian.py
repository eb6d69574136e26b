r"""Hidden Markov models with Gaussian emissions, learned by Baum-Welch.

    p(x, z) = pi(z_1) prod_t A(z_{t-1}, z_t) prod_t N(x_t | mean[z_t], C[z_t])                     (1)

The maximisation is (7) for the chain and (11), (12) for the emissions: docs/theory/hidden_markov_models.md.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import ArrayLike, Choice, Domain, Null, Real
from novum.base.parameters import stores
from novum.engines.gaussians.covariance import dense, shape_of
from novum.exceptions import DataWarning, ParameterError
from novum.runtime.warn import warn
from novum.sequence.hmm.base import COMMON_DOMAINS, HiddenMarkovBase, Letters
from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.emissions import gaussian as emissions
from novum.sequence.hmm.emissions.gaussian import FORMS, Gaussian, GaussianPrior, checked_covars
from novum.sequence.hmm.priors import Shape
from novum.sequence.hmm.recursions import Posterior
from novum.sequence.hmm.sequences import Sequences
from novum.sequence.hmm.starts import clustered_rows, column_spread, filled_rows

__all__ = ["GaussianHMM"]

SHOWN_FEATURES = 4  # in the repr
DEFAULT_PRIOR = 0.01  # covars_prior, hmmlearn's
PRIOR_SHARE = 0.1  # of a column's variance that the default prior may add to that of a state


class GaussianHMM(HiddenMarkovBase):
    """Hidden Markov model with a Gaussian per state.

    Parameters
    ----------
    n_components : int, default=1
        States.
    covariance_type : {"spherical", "diag", "full", "tied"}, default="diag"
        A variance per state; a variance per state and feature; a matrix per state; one matrix for all states.
    min_covar : float or None, default=None
        Least variance of a feature (of matrices: least eigenvalue). None is a millionth of the feature's own variance.
    [chain priors]
    means_prior, means_weight : float or array-like, default=0
        Mean and weight, in rows, of the normal prior of `means_`.
    covars_prior : float or array-like, default=1e-2
        Added to every sum of squares; in the shape of `covars_` if not a number.
    covars_weight : float, default=1
        Weight of the prior of the covariances, in rows; what exceeds 1 (matrices: the number of features) counts.
    [learning]
    params, init_params : str, default="stmc"
        Parts that are learned, and parts that are started afresh: s startprob, t transmat, m means, c covars. A part that is not
        started afresh begins at its attribute.
    [implementation]
    [ours]

    Attributes
    ----------
    [chain attributes]
    means_ : array of shape (n_components, n_features)
    covars_ : array of shape (n_components, n_features, n_features)
        Can be set in the shape of its form: (n_components,), (n_components, n_features), (n_components, n_features, n_features),
        (n_features, n_features).
    [learned]

    [order of states]

    Examples
    --------
    >>> import numpy as np
    >>> from novum.sequence import GaussianHMM
    >>> X = np.concatenate([np.random.default_rng(0).normal(0, 1, 60), np.random.default_rng(1).normal(4, 1, 40)])
    >>> model = GaussianHMM(2, random_state=0).fit(X)
    >>> model.means_.ravel().round(1), model.predict(X)[[0, 59, 60, 99]]
    (array([0.1, 4. ]), array([0, 0, 1, 1]))
    """

    _on_tensors = True
    means_: Any
    _letters = {"m": "means_", "c": "_covars_"}
    _domains: dict[str, Domain] = {
        **COMMON_DOMAINS,
        "covariance_type": Choice(*FORMS),
        "min_covar": Real(0, open="low") | Null(),
        "means_prior": Real() | ArrayLike(),
        "means_weight": Real(0) | ArrayLike(),
        "covars_prior": Real(0) | ArrayLike(),
        "covars_weight": Real(0),
        "params": Letters("stmc"),
        "init_params": Letters("stmc"),
    }

    @stores
    def __init__(
        self, n_components: int = 1, covariance_type: str = "diag", min_covar: float | None = None,
        startprob_prior: Any = 1.0, transmat_prior: Any = 1.0, means_prior: Any = 0, means_weight: Any = 0,
        covars_prior: Any = 1e-2, covars_weight: float = 1, algorithm: str = "viterbi", random_state: Any = None,
        n_iter: int = 200, tol: float = 1e-4, verbose: bool = False, params: str = "stmc",
        init_params: str = "stmc", implementation: str = "log", *, n_init: int = 10, topology: str = "full",
        sticky: float = 0.0, stationary: bool = False, n_jobs: int | None = None
    ) -> None: ...  # fmt: skip

    @property
    def covars_(self) -> NDArray:
        """A covariance matrix per state."""
        covars = self._covars_
        known = getattr(self, "means_", None)
        d = np.shape(known)[1] if known is not None else covars.shape[-1] if covars.ndim > 1 else 1
        return dense(self.covariance_type, covars, self.n_components, d)

    @covars_.setter
    def covars_(self, covars: Any) -> None:
        self._covars_ = checked_covars(type(self).__name__, self.covariance_type, covars, self.n_components)

    @property
    def n_features(self) -> int:
        """Number of features, as in hmmlearn; `means_` decide, so setting it changes nothing."""
        return int(np.asarray(self.means_).shape[1])

    @n_features.setter
    def n_features(self, value: int) -> None: ...

    def _check(self) -> None:
        super()._check()
        owner, k = type(self).__name__, self.n_components
        self.means_ = np.asarray(self.means_, np.float64)
        if self.means_.ndim != 2 or len(self.means_) != k:
            raise ParameterError(
                f"{owner}: means_ must have shape (n_components, n_features); got {self.means_.shape}."
            )
        self._covars_ = checked_covars(owner, self.covariance_type, self._covars_, k, self.means_.shape[1])

    def _convert(self, rows: NDArray) -> NDArray:
        return rows

    def _emission(self) -> Gaussian:
        return Gaussian(
            self.covariance_type, np.asarray(self.means_, np.float64), np.asarray(self._covars_, np.float64)
        )

    def _prepare(self, source: Sequences) -> None:
        rows = filled_rows(type(self).__name__, self._sample_rows(source.first()))
        self._floor = emissions.covariance_floor(self.min_covar, rows.var(axis=0))
        self._warn_of_units(rows.var(axis=0), (source.n_rows or len(rows)) / self.n_components)

    def _warn_of_units(self, variance: NDArray, rows: float) -> None:
        """Warn where the default prior, a number without units, outweighs what the rows of a state say of its variance."""
        given = np.ndim(self.covars_prior) or self.covars_prior != DEFAULT_PRIOR or "c" not in self.params
        added = DEFAULT_PRIOR / rows
        (small,) = np.nonzero((variance > 0) & (added > PRIOR_SHARE * variance))
        if given or not len(small):
            return
        warn(
            f"{type(self).__name__}: covars_prior={DEFAULT_PRIOR} adds about {added:.2g} to the variance of every state, but "
            f"column {int(small[0])} of X has a variance of {variance[small[0]]:.2g}: the states will be wider than the data. "
            "Give X in larger units (StandardScaler), or covars_prior=0.",
            DataWarning,
        )

    def _describe_fit(self, source: Sequences, best: Any) -> None:
        super()._describe_fit(source, best)
        prior = self.get_params(deep=False).get("covars_prior")
        if prior is None or np.ndim(prior) or "c" not in self.params or source.n_rows is None:
            return
        # no rows lie so far apart: what is left of the prior was divided by less than one row
        reach = np.ptp(filled_rows(type(self).__name__, source.first().X), axis=0)
        wide = self._state_moments()[1] > reach**2 + prior
        empty = np.flatnonzero(wide.any(axis=1))
        if len(empty):
            names = f"state {empty[0]} has" if len(empty) == 1 else f"states {', '.join(map(str, empty))} have"
            warn(
                f"{type(self).__name__}: {names} less than one row: means_ and covars_ there say nothing of X. Use fewer states, "
                "n_init=10, or a prior that keeps states alive (transmat_prior above 1).",
                DataWarning,
            )

    def _start_emission(self, bundle: Bundle, rng: Any, letter: str, run: int) -> None:
        rows = filled_rows(type(self).__name__, self._sample_rows(bundle))
        k = self.n_components
        if letter == "m":
            self.means_ = clustered_rows(rows, k, rng, run)[0]
        else:
            covariance = column_spread(rows)[1]
            floor = emissions.covariance_floor(self.min_covar, rows.var(axis=0))
            self._covars_ = emissions.spread_covariance(self.covariance_type, covariance + np.diag(floor), k)

    def _prior_shapes(self, d: int) -> dict[str, list[Shape]]:
        k = self.n_components
        own = [(k,), (d,), (k, d)]
        covars = shape_of(self.covariance_type, k, d)
        return {
            **super()._prior_shapes(d),
            "means_prior": own,
            "means_weight": [(k,), (k, d)],
            "covars_prior": [covars],
        }

    def _prior(self) -> GaussianPrior:
        covars = np.asarray(self.covars_prior, np.float64)
        mean, weight = (np.asarray(value, np.float64) for value in (self.means_prior, self.means_weight))
        if weight.ndim == 1:
            weight = weight[:, None]
        if mean.ndim == 1 and mean.shape == (self.n_components,) and self.means_.shape[1] != self.n_components:
            mean = mean[:, None]
        return GaussianPrior(mean, weight, covars, float(self.covars_weight), self._floor)

    def _maximize_emission(self, emission: Gaussian, sums: Any) -> Gaussian:
        return emissions.maximize(emission, sums, self._prior(), self.params)

    def _emission_log_prior(self, emission: Gaussian) -> float:
        return emissions.log_prior(emission, self._prior())

    def _learned_emission(self, emission: Gaussian, order: NDArray | None) -> dict[str, Any]:
        means, covars = emission.means, emission.covars
        if order is not None:
            means, covars = means[order], covars if emission.form == "tied" else covars[order]
        return {"means_": means, "_covars_": covars}

    def _collapsed(self, emission: Gaussian) -> tuple[list[int], str]:
        floor = self._floor
        held = f"{floor.min():.3g}" if self.min_covar is None else f"{self.min_covar:g}"
        remedy = f"Held at min_covar={held}; give a prior (covars_prior=) or fewer states."
        return emissions.collapsed_states(
            emission, floor
        ), f"on few rows (sd -> 0, the likelihood has no maximum). {remedy}"

    def _counts(self) -> dict[str, int]:
        k, d = self.n_components, np.asarray(self.means_).shape[1]
        return {
            **self._chain_counts(),
            "m": k * d,
            "c": emissions.covariance_parameters(self.covariance_type, k, d),
        }

    def _one_state_bic(self, source: Sequences) -> float | None:
        bundle = source.first()
        rows = filled_rows(type(self).__name__, bundle.X)
        form = self.covariance_type
        mean, variance = rows.mean(axis=0), rows.var(axis=0)
        matrix = np.atleast_2d(np.cov(rows.T, bias=True))
        covars = {
            "full": matrix[None],
            "tied": matrix,
            "diag": variance[None],
            "spherical": np.array([variance.mean()]),
        }[form]
        emission = Gaussian(form, mean[None], covars)
        if emissions.collapsed_states(emission, self._floor):
            return None
        for _ in range(50 if np.isnan(bundle.X).any() else 0):  # gaps: EM for one Gaussian
            posterior = Posterior(np.zeros(1), np.ones((len(bundle.X), 1)), np.zeros((1, 1)), None)
            sums = emission.statistics(bundle, posterior)
            flat = GaussianPrior(np.zeros(1), np.zeros(1), np.zeros(()), 0.0, self._floor)
            emission = emissions.maximize(emission, sums, flat, "mc")
        weight = bundle.row_weight()
        logs = emission.densities(bundle._replace(memory={})).log[:, 0]
        total = float(logs.sum() if weight is None else weight @ logs)
        d = len(mean)
        return -2 * total + (d + emissions.covariance_parameters(form, 1, d)) * float(np.log(len(bundle.X)))

    def _state_moments(self) -> tuple[NDArray, NDArray]:
        k, d = self.means_.shape
        return self.means_, np.diagonal(dense(self.covariance_type, self._covars_, k, d), axis1=1, axis2=2)

    def _draw_rows(self, emission: Gaussian, states: NDArray, rng: Any) -> NDArray:
        return emissions.draw_gaussian(emission, states, rng)

    def _state_columns(self) -> dict[str, list[str]]:
        """Return what a table of the states shows."""
        k, d = self.means_.shape
        deviations = np.sqrt(np.diagonal(dense(self.covariance_type, self._covars_, k, d), axis1=1, axis2=2))
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(d)])
        columns = {}
        for j in range(min(d, SHOWN_FEATURES)):
            tail = "" if d == 1 else f" {names[j]}"
            columns[f"mean{tail}"] = [
                f"{value:.1f}" if abs(value) >= 100 else f"{value:.4g}" for value in self.means_[:, j]
            ]
            columns[f"sd{tail}"] = [
                f"{value:.1f}" if abs(value) >= 100 else f"{value:.4g}" for value in deviations[:, j]
            ]
        return columns
